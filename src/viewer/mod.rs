//! The application: landscapes side by side in a window, an editing panel, a fly camera, and rendering the
//! same scene into a PNG.

mod autosave;
mod beside;
mod change;
mod chords;
mod compare;
mod cursor;
mod display;
mod document;
mod draw;
#[cfg(test)]
mod driven;
mod export;
mod film;
mod fly;
mod folders;
mod fresh;
mod gallery;
mod inside;
mod landscapes;
mod layout;
mod legend;
mod levels;
mod message;
mod output;
mod panel;
mod planet;
mod probe;
mod quality;
mod question;
mod rebuild;
mod recent;
mod reel;
mod scene;
mod screenshot;
mod sculpting;
mod session;
mod settings;
mod settling;
mod shot;
mod shown;
mod stack;
mod stills;
mod survey;
mod teaching;
mod terrain_override;
mod texture_view;
mod told_apart;
mod towers;
mod watch;
mod window;

pub use compare::{CompareShot, Compared, ComparedPicture, ComparedTimes, MOST_COMPARED, render_compared};
pub use film::{Film, render_tour};
pub use levels::{LevelsShot, render_levels};
pub use planet::{PlanetPlace, PlanetShot, render_planet};
pub use reel::Reel;
pub use session::MAX_LANDSCAPES;
pub(crate) use shot::Stage;
pub use shot::{Shot, render};
pub use shown::Shown;
pub use towers::Watch;
pub use window::{take_stills, teach, view};

pub use display::Display;
pub use document::{Document, free_name};
