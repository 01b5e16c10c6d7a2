//! Tiles of land on the device: the pool that holds them, and the jobs that make them.

mod budget;
mod first;
mod job;
mod pool;
mod statistics;
mod streamer;

pub use budget::TerrainBudget;
pub(crate) use first::FirstShown;
#[cfg(test)]
pub(crate) use job::start_workers;
pub(crate) use job::{Job, jobs_ahead, let_workers_give_way, task_pools, workers};
pub(crate) use pool::PoolTextures;
pub use statistics::TerrainStatistics;
pub(crate) use streamer::Stream;
