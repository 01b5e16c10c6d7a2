//! The build of a recipe: its steps in turn, the cache of their results, windows of the land, and its
//! colours.
//!
//! A [`Recipe`](crate::Recipe) is a document and knows nothing of this room; whatever builds it or looks at
//! what it builds is an `impl Recipe` block here.

mod bake;
mod bake_blocks;
mod cache;
mod groups;
mod landscape;
mod landscape_cache;
mod layers;
mod making;
mod neighbours;
mod observe;
mod open_files;
mod overview;
mod plan;
mod resampled;
mod routes;
mod scatter_inputs;
mod step_group;
mod strokes;
#[cfg(test)]
mod tests;
mod whole;
mod window;
mod window_bake;

pub use cache::Cache;
pub(crate) use cache::Keepable;
use cache::Key;
pub use landscape::Landscape;
pub use making::Making;
pub use neighbours::Lock;
pub use observe::{Probe, ProbedStep, RecordedFrame, RecordedStep, Recording, RecordingOptions};
pub(crate) use scatter_inputs::RuleGround;
use step_group::StepGroup;
use whole::FIELDS;
pub(crate) use window_bake::Preparation;
pub use window_bake::WindowBake;
