//! How far from the eye each level of detail is drawn, and how vertices move from one to the next.

/// The share of a level's range at which its vertices begin to morph.
pub const MORPH_START: f32 = 0.65;

/// The share of a level's range at which its vertices have reached the coarser grid: slightly below 1, so
/// that rounding errors on one side cannot open a crack.
pub const MORPH_END: f32 = 0.98;

/// The distances from the eye up to which levels are drawn. Twin of `Field` in `shaders/field.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranges {
    /// Metres of distance for each metre of error.
    pub per_error: f32,
    /// The least range, in metres for each metre between samples.
    pub least: f32,
    /// The greatest range, in the same unit: below this distance quads are larger than the smallest.
    pub most: f32,
    /// The distance from which on haze hides errors, metres: ranges beyond it grow more slowly than these
    /// numbers say. The largest `f32` in clear air.
    pub hazy_from: f32,
}

/// With haze, ranges grow with this power of the range without haze. From level to level they still grow by
/// 2^0.6, so that one level's vertices have reached the next grid before the next level's begin to move:
/// 2^0.6 · [`MORPH_START`] > [`MORPH_END`].
pub const HAZY_GROWTH: f32 = 0.6;

/// How many times smaller quads may be at levels from the coarsest tiles' on, where errors require it. From
/// where these are drawn, most of a land is visible, and its summits are a few pixels wide. Twin of
/// `WHOLE_LAND_QUADS` in `shaders/cdlod.wgsl`.
pub const WHOLE_LAND_QUADS: f32 = 8.0;

impl Ranges {
    /// Ranges for a picture in which a metre, a metre away, is `pixels` high: errors look `error` pixels
    /// large, and quads between `smallest` and `largest` pixels.
    pub fn new(pixels: f32, error: f32, smallest: f32, largest: f32) -> Self {
        let (least, most) = (pixels / largest, pixels / smallest.min(largest));
        Self { per_error: pixels / error, least, most, hazy_from: f32::MAX }
    }

    /// These ranges in haze that leaves 1/e of all contrast at a distance of `depth` metres. Errors may grow
    /// as haze hides them: the product of an error's size and the remaining contrast is nowhere larger than
    /// without haze.
    pub fn in_haze(self, depth: f32) -> Self {
        // At q times the distance where it begins, errors are q^g times as large, where g = 1/0.6 − 1, and
        // the contrast is exp(−q · begin / depth). The product is greatest at q = g · depth / begin; it is 1
        // there if begin is g/e · depth.
        let growth = 1.0 / HAZY_GROWTH - 1.0;
        let begin = growth / std::f32::consts::E * depth;
        Self { hazy_from: if begin > 0.0 { begin.min(f32::MAX) } else { f32::MAX }, ..self }
    }

    /// The same for chunks of the coarsest tiles and of the levels above them: their quads may be smaller.
    pub fn of_whole_land(self) -> Self {
        Self { most: WHOLE_LAND_QUADS * self.most, ..self }
    }

    /// The distance at which a level ends, metres, for a chunk of this `error` whose samples lie `cell`
    /// metres apart.
    pub fn range(self, cell: f32, error: f32) -> f32 {
        self.reach((self.per_error * error).clamp(self.least * cell, self.most * cell))
    }

    /// The greatest distance at which a level with cells of this size can end, metres.
    pub fn farthest(self, cell: f32) -> f32 {
        self.reach(self.most * cell)
    }

    /// Converts a range without haze to the range in haze.
    fn reach(self, range: f32) -> f32 {
        if range <= self.hazy_from {
            range
        } else {
            self.hazy_from * (range / self.hazy_from).powf(HAZY_GROWTH)
        }
    }

    /// The ranges of a level with cells of this size, prepared for many queries.
    pub(in crate::stream) fn of_level(self, cell: f32) -> LevelRange {
        let squared = |range: f32| f64::from(range).powi(2);
        LevelRange {
            per_error: self.per_error,
            least: self.least * cell,
            most: self.most * cell,
            // In clear air the reciprocal is almost 0, so `has` never takes the branch for haze.
            per_hazy: squared(self.hazy_from).recip(),
            nearest: squared(self.range(cell, 0.0)),
            farthest: squared(self.farthest(cell)),
        }
    }

    /// How far a vertex has morphed onto the next coarser grid at a distance from the eye, in [0, 1].
    pub fn morph(range: f32, distance: f32) -> f32 {
        ((distance / range - MORPH_START) / (MORPH_END - MORPH_START)).clamp(0.0, 1.0)
    }
}

/// The ranges of one level's chunks. Distances are squared, so that no query needs a root or a power.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct LevelRange {
    /// As in [`Ranges`].
    per_error: f32,
    /// The least and the greatest range without haze, metres.
    least: f32,
    most: f32,
    /// 1 over the squared distance from which on haze hides errors.
    per_hazy: f64,
    /// The least range, squared.
    pub(in crate::stream) nearest: f64,
    /// The greatest, squared.
    pub(in crate::stream) farthest: f64,
}

impl LevelRange {
    /// Whether a squared distance is less than [`Ranges::range`] of a chunk with an error.
    pub(in crate::stream) fn has(&self, distance: f64, error: f32) -> bool {
        let range = f64::from((self.per_error * error).clamp(self.least, self.most));
        let (range, distance) = (range * range * self.per_hazy, distance * self.per_hazy);
        // In haze the range is raised to the power of 3/5, `HAZY_GROWTH`.
        if range <= 1.0 { distance < range } else { distance.powi(5) < range.powi(3) }
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
    fn errors_grow_only_as_far_as_haze_hides_them() {
        let clear = Ranges::new(1000.0, 2.0, 4.0, 20.0);
        let hazy = clear.in_haze(50_000.0);
        assert_eq!(hazy.range(10.0, 3.0), 1500.0, "near the eye nothing changes");
        let (mut coarsest, mut most) = (1.0f32, 0.0f32);
        for step in 0..400 {
            let error = 10.0 * 1.03f32.powi(step);
            let range = hazy.range(error, error);
            let pixels = 1000.0 * error / range;
            coarsest = coarsest.max(pixels / 4.0);
            // With quads as large as errors, the bound is that of the smallest quads.
            most = most.max(pixels / 4.0 * (-range / 50_000.0).exp());
            let (here, next) = (range, hazy.range(2.0 * error, 2.0 * error));
            assert!(MORPH_START * next > MORPH_END * here, "{here} {next}");
        }
        assert!(coarsest > 5.0, "{coarsest}");
        assert!((0.99..=1.0001).contains(&most), "{most}");
        assert_eq!(clear.in_haze(f32::INFINITY).range(1e4, 1e9), clear.range(1e4, 1e9));
    }

    #[test]
    fn a_squared_distance_is_within_a_range_where_the_distance_is() {
        for ranges in
            [Ranges::new(1000.0, 2.0, 4.0, 20.0), Ranges::new(1000.0, 2.0, 4.0, 20.0).in_haze(50_000.0)]
        {
            for (cell, error) in (-8..24).flat_map(|level| {
                let cell = 2.0f32.powi(level);
                [0.0, 0.5, 1.0, 2.0, 7.0, 1e9].map(|error| (cell, error * cell))
            }) {
                let (level, range) = (ranges.of_level(cell), ranges.range(cell, error));
                let has = |share: f64| level.has((f64::from(range) * share).powi(2), error);
                assert!(has(0.0) && has(0.999_999) && !has(1.000_001), "{cell} {error}");
                assert!(
                    level.nearest <= f64::from(range).powi(2) && f64::from(range).powi(2) <= level.farthest
                );
            }
        }
    }

    #[test]
    fn vertices_move_between_the_start_and_the_end() {
        assert_eq!((Ranges::morph(100.0, 65.0), Ranges::morph(100.0, 98.0)), (0.0, 1.0));
        assert!((Ranges::morph(100.0, 81.5) - 0.5).abs() < 1e-5);
    }
}
