//! The passes of erosion: how far each grid of the ladder takes the land.

/// The pass of one grid of the ladder.
pub(super) struct Pass {
    pub(super) steps: usize,
    /// The length of a step as a share of the age.
    pub(super) years: f32,
    /// Steepest slope as a share of the requested one: over long distances ground is gentler than over
    /// short ones, which leaves something to carve for the finer grids.
    pub(super) gentler: f32,
}

impl Pass {
    /// The pass of grid number `index`. Finer grids take fewer steps: they only add what the one before was
    /// too coarse for.
    pub(super) fn number(index: usize) -> Self {
        // The coarsest grid covers the whole age (40 steps of 1/40), each finer one only the last part of it:
        // 24 of 32, 16 of 24 and so on.
        let (steps, parts, gentler) = match index {
            0 => (40, 40.0, 0.7),
            1 => (24, 32.0, 0.78),
            2 => (16, 24.0, 0.86),
            3 => (8, 16.0, 0.93),
            4 => (5, 12.0, 1.0),
            5 => (3, 10.0, 1.0),
            _ => (2, 8.0, 1.0),
        };
        Self { steps, years: 1.0 / parts, gentler }
    }
}
