//! Work in the background: jobs, and the queue of keyed jobs that makes tiles, cells of objects, nodes of
//! planets and colliders.

mod budget;
mod job;
mod queue;

pub(crate) use budget::{FrameBudget, MeanSeconds};
#[cfg(test)]
pub(crate) use job::start_workers;
pub(crate) use job::{Job, SHORTEST_FRAME, guarded, jobs_ahead, let_workers_give_way, task_pools, workers};
pub(crate) use queue::{Done, JobQueue};
