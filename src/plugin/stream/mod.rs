//! Tiles of land on the device: the pool that holds them, and the queue of jobs that makes them.

mod budget;
mod first;
mod motion;
mod pool;
mod statistics;
mod streamer;

pub use budget::TerrainBudget;
pub(crate) use first::FirstShown;
pub(crate) use motion::{Motion, Motions, Mover};
pub(crate) use pool::PoolTextures;
pub use statistics::TerrainStatistics;
pub(crate) use streamer::Stream;
