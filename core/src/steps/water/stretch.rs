//! The Catmull-Rom curve between two nodes of a course.

use glam::DVec2;

use crate::grid::Grid;
use crate::math::spline::on_catmull_rom;

/// The curve between two nodes, in samples.
pub(in crate::steps) struct CurveSegment(pub(super) [DVec2; 4]);

impl CurveSegment {
    /// The centripetal curve, whose parameter grows with the square root of the distance between nodes,
    /// which must all differ. It is expressed as a uniform curve by moving the outer two nodes.
    pub(in crate::steps) fn centripetal([a, b, c, d]: [DVec2; 4]) -> Self {
        let root = |from: DVec2, to: DVec2| from.distance(to).sqrt();
        let (before, here, after) = (root(a, b), root(b, c), root(c, d));
        let start = (b - a) / before - (c - a) / (before + here) + (c - b) / here;
        let end = (c - b) / here - (d - b) / (here + after) + (d - c) / after;
        Self([c - 2.0 * here * start, b, c, b + 2.0 * here * end])
    }

    /// Arc lengths along the curve, from the same number of chords at every resolution: what is laid out
    /// along a river must not depend on it.
    pub(super) fn lengths(&self) -> Lengths {
        let mut lengths = [0.0; CHORDS + 1];
        for chord in 1..=CHORDS {
            let [from, to] = [chord - 1, chord].map(|end| self.at(end as f64 / CHORDS as f64));
            lengths[chord] = lengths[chord - 1] + from.distance(to);
        }
        Lengths(lengths)
    }

    /// The point at `t` in [0, 1].
    pub(in crate::steps) fn at(&self, t: f64) -> DVec2 {
        on_catmull_rom(self.0, t)
    }

    /// An upper bound of |dp/dt|.
    pub(in crate::steps) fn speed(&self) -> f64 {
        let [a, b, c, d] = self.0;
        // From the Bézier form: the control points of the derivative are differences of the curve's.
        let (first, last) = ((c - a) / 6.0, (d - b) / 6.0);
        3.0 * first.length().max(last.length()).max((c - last - b - first).length())
    }

    /// Passes the points with t in `from..to`, and their t, to `add`: half a sample apart on the land,
    /// farther apart outside.
    pub(super) fn walk(&self, from: f64, to: f64, splits: u32, grid: Grid, add: &mut impl FnMut(f64, DVec2)) {
        let middle = (from + to) / 2.0;
        let length = self.speed() * (to - from);
        let p_in_grid = self.at(middle);
        let far = DVec2::new(grid.width as f64 - 0.5, grid.depth as f64 - 0.5);
        let to_land = p_in_grid.distance(p_in_grid.clamp(DVec2::splat(-0.5), far));
        // Pieces farther from the land than they are long cannot reach it, and are not divided.
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

/// Arc lengths at equal steps of t, in samples.
pub(super) struct Lengths([f64; CHORDS + 1]);

impl Lengths {
    /// The length from the start to `t` in [0, 1].
    pub(super) fn to(&self, t: f64) -> f64 {
        let place = t * CHORDS as f64;
        let chord = (place as usize).min(CHORDS - 1);
        let (here, next) = (self.0[chord], self.0[chord + 1]);
        here + (next - here) * (place - chord as f64)
    }
}
