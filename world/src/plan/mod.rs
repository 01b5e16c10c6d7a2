//! Plans: what will be made, in passes and tiles.

mod document;
mod draw;
mod files;
mod new;
mod tiles;

pub(crate) use document::hex;
pub use document::{Land, PLAN, Pass, PassKind, Plan, PlanFile};
pub use draw::Drawing;
pub(crate) use draw::layers_of;
pub(crate) use files::cache_folder;
pub use new::NewPlan;
pub use tiles::Tile;
