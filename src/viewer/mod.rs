//! The application: landscapes side by side in a window, an editing panel and a fly camera.

mod autosave;
mod beside;
mod change;
mod chords;
mod cursor;
mod display;
mod document;
mod document_names;
mod draw;
#[cfg(test)]
mod driven;
mod export;
mod fly;
mod folders;
mod fresh;
mod gallery;
mod inside;
mod landscapes;
mod layout;
mod levels_panes;
mod message;
mod nearest;
mod output;
mod panel;
mod pilot;
mod pointer;
mod probe;
mod quality;
mod question;
mod rebuild;
mod recent;
mod screenshot;
mod sculpting;
mod session;
mod settings;
mod settling;
mod shown;
mod stack;
mod stills;
mod teaching;
mod terrain_override;
mod towers;
mod watch;
mod window;

pub use session::MAX_LANDSCAPES;
pub use window::{take_stills, teach, view};

pub use display::Display;
pub use document::{Document, free_name};
