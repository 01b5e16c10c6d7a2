//! Spectral synthesis: a sum of smooth random surfaces, each finer and lower than the one before.
//!
//! Layer k has knots·2ᵏ spline segments per unit of length. Its knots have random heights, uniform in
//! [−1, 1], interpolated by Catmull-Rom cubics along x, then along z. Layers are scaled by gainᵏ and
//! summed. After the article on spectral synthesis, following its text where its listing differs.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::math::spline::catmull_rom;
use crate::noise::{hash, signed_unit, stream};
use crate::params::params;
use crate::steps::generate::{Generate, rows};
use crate::steps::number::{brief, counted};
use crate::steps::{Ground, Operation, Reach, estimate, step};

params! {
    /// Spectral synthesis: rolling hills from layers of splines. The same landscape at every resolution.
    pub struct Spectral {
        /// Bound of the knots' heights above and below 0; between them the splines overshoot it by at most
        /// half.
        pub height: f32 = 1000.0, "m" in 0.0..=12000.0;
        /// Spline segments of the first layer per unit: along the longer side, or in `unit` metres of
        /// endless land.
        pub knots: u32 = 4, "" in 1.0..=64.0;
        /// Layers, each with twice the segments of the one before.
        pub passes: u32 = 8, "" in 1.0..=12.0;
        /// Height of each layer as a share of the one before.
        pub gain: f32 = 0.4, "" in 0.0..=1.0;
    }
}

impl Generate for Spectral {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let layers: Vec<SplineLayer> = (0..self.passes)
            .map(|pass| {
                let segments = f64::from(self.knots) * f64::from(1u32 << pass);
                SplineLayer::new(region, segments, stream(seed, u64::from(pass)))
            })
            .collect();
        let gain = |pass| libm::powf(self.gain, pass as f32);
        let bound: f32 = (0..layers.len()).map(gain).sum();
        let state = || vec![KnotRows::default(); layers.len()];
        let passes = ("spectral synthesis", "pass", layers.len());
        rows::sum(region, passes, work, state, |lines, passes, row, heights| {
            for pass in passes {
                layers[pass].add(region.z(row), &mut lines[pass], self.height / bound * gain(pass), heights);
            }
        })
    }
}

impl Operation for Spectral {
    step!("spectral", "Spectral synthesis", Generator);

    fn formula(&self) -> Option<String> {
        let (height, gain) = (brief(self.height), brief(self.gain));
        let layers =
            format!("Σ {gain}ᵏ Sₖ({} x · 2ᵏ) / Σ {gain}ᵏ,  {}", self.knots, counted('k', self.passes));
        let spline = "Sₖ: Catmull-Rom splines through random heights from −1 to 1 at whole numbers";
        Some(format!("h(x) = {height} · {layers}\n{spline}"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 2.0 * f64::from(self.passes))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

/// One layer: the data shared by all rows.
struct SplineLayer {
    segments: f64,
    seed: u64,
    /// For every column, the knot west of it and the weights of the four knots around.
    columns: Vec<(i64, [f32; 4])>,
}

/// The interpolated heights of four rows of knots at every column, and the index of the second row.
#[derive(Clone, Default)]
struct KnotRows {
    held: Option<i64>,
    rows: [Vec<f32>; 4],
}

impl SplineLayer {
    fn new(region: &Region, segments: f64, seed: u64) -> Self {
        let columns = (0..region.grid().width).map(|column| knot(region.x(column) * segments)).collect();
        Self { segments, seed, columns }
    }

    /// Adds the layer to a row of samples at `z`, in units.
    fn add(&self, z: f64, lines: &mut KnotRows, scale: f32, heights: &mut [f32]) {
        // In f64, then only the fraction in f32, so that far from the origin splines stay smooth.
        let (knot, weights) = knot(z * self.segments);
        self.hold(knot, lines);
        let [a, b, c, d] = &lines.rows;
        for ((((height, a), b), c), d) in heights.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *height += scale * (weights[0] * a + weights[1] * b + weights[2] * c + weights[3] * d);
        }
    }

    /// Loads the rows of knots from `knot − 1` to `knot + 2` into `lines`.
    fn hold(&self, knot: i64, lines: &mut KnotRows) {
        if lines.held == Some(knot) {
            return;
        }
        // Rows of samples come from north to south, so mostly one row of knots is new.
        let known = lines.held == Some(knot.wrapping_sub(1));
        if known {
            lines.rows.rotate_left(1);
        }
        for (offset, line) in lines.rows.iter_mut().enumerate().skip(if known { 3 } else { 0 }) {
            self.fill(knot.wrapping_sub(1).wrapping_add(offset as i64), line);
        }
        lines.held = Some(knot);
    }

    /// One row of knots, interpolated along x.
    fn fill(&self, row: i64, line: &mut Vec<f32>) {
        let height = |knot: i64, by: i64| signed_unit(hash(self.seed, knot.wrapping_add(by), row));
        let mut around = [0.0; 4];
        let mut held = None;
        line.clear();
        line.extend(self.columns.iter().map(|&(knot, weights)| {
            // Columns of one segment share its four knots, and the next segment has three of them.
            if held == Some(knot.wrapping_sub(1)) {
                around = [around[1], around[2], around[3], height(knot, 2)];
            } else if held != Some(knot) {
                around = [-1, 0, 1, 2].map(|by| height(knot, by));
            }
            held = Some(knot);
            (0..4).map(|index| weights[index] * around[index]).sum::<f32>()
        }));
    }
}

/// The knot before `place`, and the weights of the four knots around.
fn knot(place: f64) -> (i64, [f32; 4]) {
    let knot = place.floor();
    (knot as i64, catmull_rom((place - knot) as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn the_surface_goes_through_its_knots() -> Result<()> {
        let spectral = Spectral { height: 1.0, knots: 4, passes: 1, gain: 0.0 };
        let field = spectral.generate(Grid::new(17, 9, 1.0)?, 5, &Work::new())?;
        for (row, column) in [(0, 0), (4, 8), (8, 16)] {
            let knot = signed_unit(hash(stream(5, 0), column as i64 / 4, row as i64 / 4));
            assert!((field.at(column, row) - knot).abs() < 1e-6);
        }
        Ok(())
    }

    /// Knots 1, 4, 2 and 7: between the middle two the cubic is known.
    #[test]
    fn between_knots_runs_the_catmull_rom_cubic() {
        for (place, expected) in [(0.0, 4.0), (0.25, 3.6875), (0.5, 2.875), (0.75, 2.125)] {
            let (_, weights) = knot(place);
            let height: f32 =
                weights.iter().zip([1.0, 4.0, 2.0, 7.0]).map(|(weight, knot)| weight * knot).sum();
            assert!((height - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn splines_overshoot_the_bound_by_half_at_most() -> Result<()> {
        let spectral = Spectral { height: 100.0, gain: 1.0, passes: 3, ..Spectral::default() };
        let (low, high) = spectral.generate(Grid::new(300, 200, 1.0)?, 2, &Work::new())?.range();
        assert!(low >= -156.25 && high <= 156.25 && high - low > 100.0, "{low} to {high}");
        Ok(())
    }
}
