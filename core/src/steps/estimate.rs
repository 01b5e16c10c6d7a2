//! Estimates of how long steps take: nanoseconds of one processor core per sample, or per other unit of a
//! step's work. Measured by `cargo bench -p upland_core --bench estimates` on a Zen 4 with two cores.

use crate::grid::Grid;

/// The default time of a step per sample, in nanoseconds: one that maps heights one by one takes less.
const USUAL: f64 = 20.0;

/// The default estimate of a step, in seconds.
pub(super) fn usual(grid: Grid) -> f64 {
    of_samples(grid, USUAL)
}

/// Converts nanoseconds per sample to seconds for the grid.
pub(super) fn of_samples(grid: Grid, nanoseconds: f64) -> f64 {
    in_seconds(grid.width as f64 * grid.depth as f64 * nanoseconds)
}

/// Nanoseconds in seconds.
pub(super) fn in_seconds(nanoseconds: f64) -> f64 {
    nanoseconds * 1e-9
}
