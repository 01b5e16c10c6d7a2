//! Diamond-square: midpoint displacement of a square, level by level (Fournier, Fussell and
//! Carpenter 1982; the wrapping and the open border after the lecture).
//!
//! Randomness is hashed from a point's place on the lattice of its level, so a level's points may be
//! computed in any order, on any number of threads, and are the same whatever levels follow.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::generate::Generate;
use crate::heightfield::{Grid, Heightfield};
use crate::noise::{hash, signed_unit, stream};
use crate::params::{choice, params};
use crate::work::Work;

choice! {
    /// What the four corners of the first square are.
    pub enum Corners {
        /// All at height 0.
        Zero = "zero",
        /// Each at random, within the first displacement.
        Random = "random",
        /// At the four heights that are given.
        Given = "given",
    }
}

params! {
    /// Diamond-square: a fractal of midpoints, rough in one stroke. Sizes of 2^n + 1 samples (2^n when
    /// wrapping) show the same land, each with a level more than the one before; other sizes show
    /// another cut of it.
    pub struct DiamondSquare {
        /// Largest displacement d of the first level, up or down.
        pub height: f32 = 1000.0, "m" in 0.0..=12000.0;
        /// Roughness exponent r: after a level d is multiplied by 2^(−r). Above 1 is smooth.
        pub roughness: f32 = 0.9, "" in 0.0..=4.0;
        /// Whether opposite borders meet, so that copies of the land tile.
        pub wrap: bool = false;
        /// What the corners of the first square are.
        pub corners: Corners = Corners::Zero;
        /// Height of the north-west corner, with `corners: given`.
        pub north_west: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the north-east corner, with `corners: given` and no wrapping.
        pub north_east: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the south-west corner, with `corners: given` and no wrapping.
        pub south_west: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Height of the south-east corner, with `corners: given` and no wrapping.
        pub south_east: f32 = 0.0, "m" in -12000.0..=12000.0;
    }
}

impl Generate for DiamondSquare {
    /// On a grid that is not 2ⁿ + 1 samples across the next larger square is made and its
    /// north-west part cut out. Wrapping land is 2ⁿ across.
    ///
    /// # Errors
    /// With `wrap`, when the grid is not a square of 2ⁿ samples: its borders could not meet.
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield> {
        let across = if self.wrap { grid.longer() } else { grid.longer() - 1 };
        let side = across.next_power_of_two().max(1);
        if self.wrap && (grid.width, grid.depth) != (side, side) {
            let reason = format!(
                "a wrapping diamond-square is 2^n samples each way, not {}×{}; use {side}×{side}, or `wrap: false`",
                grid.width, grid.depth
            );
            return Err(Error::parameter("wrap", reason));
        }
        let stride = if self.wrap { side } else { side + 1 };
        let square = Grid::new(stride, stride, grid.cell)?;
        work.stage("diamond-square", side.trailing_zeros() as usize);

        let mut field = Heightfield::flat(square, 0.0);
        let heights = field.heights_mut();
        self.set_corners(heights, side, stride, seed);
        let mut level =
            Level { step: side, number: 0, range: self.height, side, stride, wrap: self.wrap, seed };
        while level.step > 1 {
            level.diamond(heights, work)?;
            level.square(heights, work)?;
            level.step /= 2;
            level.number += 1;
            level.range *= libm::exp2f(-self.roughness);
            work.advance(1);
        }
        if square == grid {
            return Ok(field);
        }
        let mut cut = Heightfield::flat(grid, 0.0);
        for (row, heights) in cut.heights_mut().chunks_mut(grid.width).enumerate() {
            heights.copy_from_slice(&field.row(row)[..grid.width]);
        }
        Ok(cut)
    }
}

impl DiamondSquare {
    fn set_corners(&self, heights: &mut [f32], side: usize, stride: usize, seed: u64) {
        let last = if self.wrap { 0 } else { side };
        let given = [self.north_west, self.north_east, self.south_west, self.south_east];
        // From the last to the first: when all four are one point, the north-west corner counts.
        for (index, (row, column)) in
            [(0, 0), (0, last), (last, 0), (last, last)].into_iter().enumerate().rev()
        {
            heights[row * stride + column] = match self.corners {
                Corners::Zero => 0.0,
                Corners::Given => given[index],
                Corners::Random => {
                    let [x, z] = [column, row].map(|place| (place / side) as i64);
                    self.height * signed_unit(hash(stream(seed, u64::MAX), x, z))
                }
            };
        }
    }
}

/// One level: squares of `step` samples are split into four.
struct Level {
    step: usize,
    number: u64,
    range: f32,
    side: usize,
    stride: usize,
    wrap: bool,
    seed: u64,
}

impl Level {
    /// Centres of squares: the mean of the four corners, displaced.
    fn diamond(&self, heights: &mut [f32], work: &Work) -> Result<()> {
        let (half, step, stride) = (self.step / 2, self.step, self.stride);
        // Each band of `step` rows holds the upper corners and the centres; the lower corners are
        // the first row of the next band, which nobody changes now.
        let mut corner_rows: Vec<f32> = Vec::new();
        for row in self.corner_rows() {
            work.check()?;
            corner_rows.extend(heights[row * stride..][..stride].iter().step_by(step));
        }
        let per_row = stride.div_ceil(step);
        heights.par_chunks_mut(stride * step).take(self.side / step).enumerate().try_for_each(
            |(band, rows)| {
                work.check()?;
                let north = &corner_rows[band * per_row..][..per_row];
                let south = &corner_rows[(band + 1) * per_row..][..per_row];
                let out = &mut rows[half * stride..][..stride];
                for index in 0..self.side / step {
                    let next = (index + 1) % per_row;
                    let mean = (north[index] + north[next] + south[index] + south[next]) / 4.0;
                    out[index * step + half] = mean + self.displacement(2 * index + 1, 2 * band + 1);
                }
                Ok(())
            },
        )
    }

    /// The rows that hold corners, the lower border (or, wrapping, the first row again) included.
    fn corner_rows(&self) -> impl Iterator<Item = usize> {
        let (wrap, side) = (self.wrap, self.side);
        (0..=self.side).step_by(self.step).map(move |row| if wrap { row % side } else { row })
    }

    /// Middles of edges: the mean of the neighbours there are, displaced.
    fn square(&self, heights: &mut [f32], work: &Work) -> Result<()> {
        let (half, stride) = (self.step / 2, self.stride);
        // Even rows of the half-step grid hold corners, odd ones centres; each kind's middles lie
        // between, and read only points that the diamonds or earlier levels fixed.
        let mut source: Vec<f32> = Vec::new();
        for row in (0..stride).step_by(half) {
            work.check()?;
            source.extend(heights[row * stride..][..stride].iter().step_by(half));
        }
        let across = stride.div_ceil(half);
        heights.par_chunks_mut(stride * half).enumerate().try_for_each(|(band, rows)| {
            work.check()?;
            let out = &mut rows[..stride];
            for index in ((band + 1) % 2..across).step_by(2) {
                let mean = self.mean_of_neighbours(&source, across, index, band);
                out[index * half] = mean + self.displacement(index, band);
            }
            Ok(())
        })
    }

    fn mean_of_neighbours(&self, source: &[f32], across: usize, x: usize, z: usize) -> f32 {
        let at = |x: usize, z: usize| source[z * across + x];
        if self.wrap {
            let (w, e) = ((x + across - 1) % across, (x + 1) % across);
            let (n, s) = ((z + across - 1) % across, (z + 1) % across);
            return (at(w, z) + at(e, z) + at(x, n) + at(x, s)) / 4.0;
        }
        let (mut sum, mut count) = (0.0, 0.0);
        let mut add = |height| {
            sum += height;
            count += 1.0;
        };
        if x > 0 {
            add(at(x - 1, z));
        }
        if x + 1 < across {
            add(at(x + 1, z));
        }
        if z > 0 {
            add(at(x, z - 1));
        }
        if z + 1 < across {
            add(at(x, z + 1));
        }
        sum / count
    }

    /// How far a point of this level moves; `x` and `z` count half steps.
    fn displacement(&self, x: usize, z: usize) -> f32 {
        self.range * signed_unit(hash(stream(self.seed, self.number), x as i64, z as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(generator: &DiamondSquare, side: usize, seed: u64) -> Heightfield {
        generator.generate(Grid::new(side, side, 1.0).unwrap(), seed, &Work::new()).unwrap()
    }

    #[test]
    fn without_displacement_the_given_corners_are_blended() {
        let corners = DiamondSquare {
            height: 0.0,
            corners: Corners::Given,
            north_west: 1.0,
            north_east: 2.0,
            south_west: 3.0,
            south_east: 6.0,
            ..Default::default()
        };
        let field = make(&corners, 3, 0);
        assert_eq!([field.at(0, 0), field.at(2, 0), field.at(0, 2), field.at(2, 2)], [1.0, 2.0, 3.0, 6.0]);
        assert_eq!(field.at(1, 1), 3.0);
        assert_eq!(field.at(1, 0), (1.0 + 2.0 + 3.0) / 3.0);
        assert_eq!(field.at(0, 1), (1.0 + 3.0 + 3.0) / 3.0);
    }

    /// Heights are linear in what is random: the influence of one corner is what it gives alone.
    #[test]
    fn each_corner_has_its_own_influence() {
        let with = |north_west, south_east| {
            let corners = Corners::Given;
            make(&DiamondSquare { height: 0.0, corners, north_west, south_east, ..Default::default() }, 9, 0)
        };
        let (west, east, both) = (with(8.0, 0.0), with(0.0, -4.0), with(8.0, -4.0));
        for index in 0..81 {
            let sum = west.heights()[index] + east.heights()[index];
            assert!((both.heights()[index] - sum).abs() < 1e-5);
        }
        // Of the corner 8 the centre takes a quarter; the border's middle a third of both; the middle
        // of the quarter a fourth of the corner, the two border's middles and the centre.
        let border = (8.0 + 2.0) / 3.0;
        assert_eq!([west.at(4, 4), west.at(4, 0)], [2.0, border]);
        assert!((west.at(2, 2) - (8.0 + 2.0 + 2.0 * border) / 4.0).abs() < 1e-6);
    }

    /// From one random corner and uniform displacements of ranges d₀ and d₁ the variance of a
    /// uniform number in (−d, d) is d²/3, so σ₀² and σ₁² are known.
    #[test]
    fn the_first_middle_of_an_edge_has_the_variance_of_its_border() {
        let roughness = 0.5;
        let (d0, d1) = (1.0f64, 1.0);
        for (wrap, side, share) in [(true, 2, 0.25), (false, 3, 1.0 / 9.0)] {
            let generator = DiamondSquare { height: 1.0, roughness, wrap, ..Default::default() };
            let runs = 20_000;
            let square: f64 =
                (0..runs).map(|seed| f64::from(make(&generator, side, seed).at(1, 0)).powi(2)).sum();
            // Wrapping, the centre is counted twice among the four, so half of it: a quarter of its
            // variance. At an open border it is one of three: a ninth.
            let expected = share * d0 * d0 / 3.0 + d1 * d1 / 3.0;
            // Standard error of a variance estimate from 20 000 runs is about 1 %.
            assert!((square / f64::from(runs as u32) / expected - 1.0).abs() < 0.04, "wrap {wrap}");
        }
    }

    #[test]
    fn wrapped_land_tiles() {
        let generator = DiamondSquare { wrap: true, roughness: 1.5, ..Default::default() };
        let field = make(&generator, 64, 9);
        let step = |a: f32, b: f32| (a - b).abs();
        let inside = (0..63).map(|x| step(field.at(x, 20), field.at(x + 1, 20))).fold(0.0, f32::max);
        let across = (0..64).map(|z| step(field.at(63, z), field.at(0, z))).fold(0.0, f32::max);
        assert!(across < 3.0 * inside, "{across} against {inside}");
    }

    #[test]
    fn any_size_is_a_cut_of_the_next_square() {
        let generator = DiamondSquare::default();
        let (cut, whole) = (
            generator.generate(Grid::new(40, 23, 1.0).unwrap(), 4, &Work::new()).unwrap(),
            make(&generator, 65, 4),
        );
        for row in 0..23 {
            assert_eq!(cut.row(row), &whole.row(row)[..40]);
        }
    }
}
