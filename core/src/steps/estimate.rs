//! How long steps take, about: so many nanoseconds of one processor core for each sample, or for whatever else a step has
//! many of. Measured by `cargo bench -p upland_core --bench estimates` on a Zen 4 with two cores.

use crate::grid::Grid;

/// What a step takes for each sample if it doesn't say, in nanoseconds: one that maps heights one by one takes less.
const USUAL: f64 = 20.0;

/// Seconds of a step that doesn't say.
pub(super) fn usual(grid: Grid) -> f64 {
    of_samples(grid, USUAL)
}

/// Seconds of so many nanoseconds for each sample.
pub(super) fn of_samples(grid: Grid, nanoseconds: f64) -> f64 {
    in_seconds(grid.width as f64 * grid.depth as f64 * nanoseconds)
}

/// Nanoseconds in seconds.
pub(super) fn in_seconds(nanoseconds: f64) -> f64 {
    nanoseconds * 1e-9
}
