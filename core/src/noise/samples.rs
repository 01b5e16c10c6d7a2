//! Blocks of samples that octaves are added up in: bands of rows, cut into stretches of columns.

use std::ops::Range;

use crate::grid::Grid;

/// Rows that are evaluated together, because they share lattice rows.
pub(crate) const BAND: usize = 16;

/// Columns that are evaluated together: an octave's data for them stays in the L1 cache.
pub(crate) const STRETCH: usize = 256;

/// All columns of `grid` in runs of at most [`STRETCH`] columns, all but the last of equal length: a run
/// has fixed costs, which a last run of a single column would waste.
pub(crate) fn stretches(grid: Grid) -> impl Iterator<Item = Range<usize>> {
    let length = stretch_length(grid.width);
    (0..grid.width).step_by(length).map(move |start| start..(start + length).min(grid.width))
}

/// The length of the runs of [`stretches`] for `width` columns.
pub(crate) fn stretch_length(width: usize) -> usize {
    // As few runs as STRETCH allows, then columns divided evenly among them.
    width.div_ceil(width.div_ceil(STRETCH).max(1)).max(1)
}

/// The samples of one band of one stretch, and the results of octaves on them. Rows are aligned to cache
/// lines, so that no SIMD load straddles two.
#[repr(align(64))]
pub(crate) struct Samples {
    /// The numbers that become heights.
    pub(crate) values: [[f32; STRETCH]; BAND],
    /// Other data that an octave passes to the next one.
    pub(crate) weights: [[f32; STRETCH]; BAND],
}

impl Samples {
    /// Samples with all values and all weights equal.
    pub(crate) fn new(value: f32, weight: f32) -> Box<Self> {
        Box::new(Self { values: [[value; STRETCH]; BAND], weights: [[weight; STRETCH]; BAND] })
    }
}
