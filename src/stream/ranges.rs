//! How far from the eye each level of detail is drawn, and how vertices move from one to the next.

/// The share of a level's range at which its vertices begin to morph.
pub const MORPH_START: f32 = 0.65;

/// The share of a level's range at which its vertices have reached the coarser grid: slightly below 1, so
/// that rounding errors on one side cannot open a crack.
pub const MORPH_END: f32 = 0.98;

/// The distances from the eye up to which levels are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// Metres of distance for each metre of error.
    pub per_error: f32,
    /// The least range, in metres for each metre between samples.
    pub least: f32,
    /// The greatest, so: below this distance quads are larger than the smallest.
    pub most: f32,
}

impl Ranges {
    /// Ranges for a picture in which a metre, a metre away, is `pixels` high: errors look `error` pixels
    /// large, and quads between `smallest` and `largest` pixels.
    pub fn new(pixels: f32, error: f32, smallest: f32, largest: f32) -> Self {
        Self { per_error: pixels / error, least: pixels / largest, most: pixels / smallest.min(largest) }
    }

    /// The distance at which a level ends, metres, for a chunk of this `error` whose samples lie `cell` metres
    /// apart.
    pub fn range(self, cell: f32, error: f32) -> f32 {
        (self.per_error * error).clamp(self.least * cell, self.most * cell)
    }

    /// How far a vertex has morphed onto the next coarser grid at a distance from the eye, in [0, 1].
    pub fn morph(range: f32, distance: f32) -> f32 {
        ((distance / range - MORPH_START) / (MORPH_END - MORPH_START)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_drawn_as_large_as_asked_and_quads_stay_within_their_sizes() {
        let ranges = Ranges::new(1000.0, 2.0, 4.0, 20.0);
        // 3 m at 1500 m are 2 pixels.
        assert_eq!(ranges.range(10.0, 3.0), 1500.0);
        assert_eq!(ranges.range(10.0, 0.0), 500.0, "10 m at 500 m are 20 pixels");
        assert_eq!(ranges.range(10.0, 1e9), 2500.0, "10 m at 2500 m are 4 pixels");
        assert_eq!(Ranges::new(1000.0, 2.0, 9.0, 3.0).range(1.0, 0.0), 1000.0 / 3.0, "the largest counts");
    }

    #[test]
    fn vertices_move_between_the_start_and_the_end() {
        assert_eq!((Ranges::morph(100.0, 65.0), Ranges::morph(100.0, 98.0)), (0.0, 1.0));
        assert!((Ranges::morph(100.0, 81.5) - 0.5).abs() < 1e-5);
    }
}
