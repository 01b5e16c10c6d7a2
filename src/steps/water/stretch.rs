//! The Catmull-Rom curve between two nodes of a course.

use glam::DVec2;

use crate::grid::Grid;

/// The curve between two nodes, in samples.
pub(super) struct Stretch(pub(super) [DVec2; 4]);

impl Stretch {
    /// The curve whose parameter runs with the root of the distance between its nodes, each of which
    /// differs from the next. The outer two are moved to where the plain curve has the same slopes.
    pub(super) fn centripetal([a, b, c, d]: [DVec2; 4]) -> Self {
        let root = |from: DVec2, to: DVec2| from.distance(to).sqrt();
        let (before, here, after) = (root(a, b), root(b, c), root(c, d));
        let start = (b - a) / before - (c - a) / (before + here) + (c - b) / here;
        let end = (c - b) / here - (d - b) / (here + after) + (d - c) / after;
        Self([c - 2.0 * here * start, b, c, b + 2.0 * here * end])
    }

    /// How far it is to places on the curve. As many chords at every resolution: what is laid along a
    /// river must not move with it.
    pub(super) fn lengths(&self) -> Lengths {
        let mut lengths = [0.0; CHORDS + 1];
        for chord in 1..=CHORDS {
            let [from, to] = [chord - 1, chord].map(|end| self.at(end as f64 / CHORDS as f64));
            lengths[chord] = lengths[chord - 1] + from.distance(to);
        }
        Lengths(lengths)
    }

    fn at(&self, t: f64) -> DVec2 {
        let [a, b, c, d] = self.0;
        let (t2, t3) = (t * t, t * t * t);
        0.5 * (2.0 * b + (c - a) * t + (2.0 * a - 5.0 * b + 4.0 * c - d) * t2 + (3.0 * (b - c) + d - a) * t3)
    }

    /// More than the curve goes in a unit of t.
    fn speed(&self) -> f64 {
        let [a, b, c, d] = self.0;
        // The control points of the same curve in Bézier's form; its derivative is their differences'.
        let (first, last) = ((c - a) / 6.0, (d - b) / 6.0);
        3.0 * first.length().max(last.length()).max((c - last - b - first).length())
    }

    /// Hands the points up to the end of `from..to`, with their t, to `add`: half a sample apart on
    /// the land, farther outside.
    pub(super) fn walk(&self, from: f64, to: f64, splits: u32, grid: Grid, add: &mut impl FnMut(f64, DVec2)) {
        let middle = (from + to) / 2.0;
        let length = self.speed() * (to - from);
        let p_in_grid = self.at(middle);
        let far = DVec2::new(grid.width as f64 - 0.5, grid.depth as f64 - 0.5);
        let to_land = p_in_grid.distance(p_in_grid.clamp(DVec2::splat(-0.5), far));
        if splits == 0 || length <= 0.5 || to_land > length {
            add(to, self.at(to));
        } else {
            self.walk(from, middle, splits - 1, grid, add);
            self.walk(middle, to, splits - 1, grid, add);
        }
    }
}

/// Chords by which a stretch is measured.
const CHORDS: usize = 64;

/// Lengths along a stretch, in samples.
pub(super) struct Lengths([f64; CHORDS + 1]);

impl Lengths {
    /// From the stretch's start to `t` in [0, 1].
    pub(super) fn to(&self, t: f64) -> f64 {
        let place = t * CHORDS as f64;
        let chord = (place as usize).min(CHORDS - 1);
        let (here, next) = (self.0[chord], self.0[chord + 1]);
        here + (next - here) * (place - chord as f64)
    }
}
