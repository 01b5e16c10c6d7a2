//! What the whole window shares: the open landscapes and where each is seen, which one is edited, the user's
//! requests, and where panels are.

pub(crate) mod derived;
pub(crate) mod directories;
pub(crate) mod display;
pub(crate) mod key_chords;
mod landscape;
mod panel_places;
mod pointer;
mod request;
mod selection;
pub(crate) mod settings;
pub(crate) mod status_message;
mod views;

pub use landscape::MAX_LANDSCAPES;
pub(crate) use landscape::{Eyes, Landscapes, Layers, OwnSky, SkyOf, View, ViewOf};
pub(crate) use panel_places::{Home, Side, Tab};
pub(crate) use pointer::{PointerOwner, ToolInput};
pub(crate) use request::DocumentRequest;
pub(crate) use selection::Selection;
pub(crate) use views::{Margins, PanelSystems, Place, ShownDebugView};
