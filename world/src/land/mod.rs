//! A plan's land as any other: a step that reads its tiles, so that whatever opens a recipe opens a plan.
//!
//! The land has the samples of the plan's recipe at every level. Those that tiles have are read from them, in
//! blocks, by ranges; all others are made from the recipe, which gives the same bits, or are drawn coarse.

mod between;
mod exact;
mod fill;
mod notes;
mod object;
mod open;
mod open_land;
mod place;
mod settings;
mod step;
#[cfg(test)]
mod tests;
mod tiles;

pub use notes::take_notes;
pub use open::{is_plan, open};
pub use settings::{DiskCacheSettings, set_disk_cache};
pub use step::{MissingTiles, Planned, register};
