//! The build of a recipe: its steps in turn, the cache of their results, windows of the land, and its
//! colours.
//!
//! A [`Recipe`](crate::Recipe) is a document and knows nothing of this room; whatever builds it or looks at
//! what it builds is an `impl Recipe` block here.

mod bake;
mod cache;
mod ground;
mod groups;
mod making;
mod neighbours;
mod observe;
mod stored_ground;
#[cfg(test)]
mod tests;

pub use bake::{Landscape, WindowBake};
pub(crate) use bake::{Preparation, RuleGround};
pub use cache::Cache;
pub(crate) use cache::Keepable;
use cache::Key;
pub use making::Making;
pub use neighbours::Lock;
pub use observe::{Probe, ProbedStep, RecordedFrame, RecordedStep, Recording, RecordingOptions};
pub use stored_ground::{STORED_OVERVIEW, StoredField, StoredGround, StoredNeed, StoredSummary};
