//! Convolution with a mask of one's own: a filter with a fixed kernel, for kernels without a name.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::params;
use crate::steps::filter::smooth::border::Border;
use crate::steps::filter::smooth::smooth_heights;
use crate::steps::number::brief;
use crate::steps::{Ground, Needs, Operation, Reach, estimate, step};

/// The longest side of a mask.
const LARGEST: usize = 31;

/// The most samples to each side that a mask reads at the finest level at which it is applied to the samples
/// themselves.
const WIDEST: f32 = 512.0;

/// A sum of coefficients that is this small a share of their absolute sum is 0 but for rounding.
const ROUNDING: f64 = 1e-6;

params! {
    /// Weighs the heights around each sample with a mask of coefficients. They are divided by their sum, so
    /// that level land keeps its height; where the sum is 0, as in masks that find edges, their result
    /// becomes the land.
    pub struct Convolve {
        /// N × N coefficients, N odd and at most 31: rows from north to south, separated by commas, of
        /// numbers from west to east. The number in the mask's north-west corner is the weight of the height
        /// to the north-west.
        pub coefficients: String = "0 -1 0, -1 5 -1, 0 -1 0".to_owned();
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for Convolve {
    step!("convolve", "Mask of one's own", Filter);

    fn formula(&self) -> Option<String> {
        const WIDEST: usize = 75;
        let mask = Mask::read(&self.coefficients).ok()?;
        let divisor = mask.divisor().map_or_else(String::new, |sum| format!(" / {}", brief(sum as f32)));
        let rows = mask
            .coefficients
            .chunks(mask.size)
            .map(|row| row.iter().map(|value| brief(*value as f32)).collect::<Vec<_>>().join(" "));
        let written = format!("c = ({})", rows.collect::<Vec<_>>().join(", "));
        let is_short = written.chars().count() <= WIDEST;
        let written = if is_short { written } else { format!("c: {0} × {0} coefficients", mask.size) };
        let reach = mask.size / 2;
        Some(format!("h′(x, z) = Σ c(i, j) h(x + i, z + j){divisor},  |i|, |j| ≤ {reach} samples\n{written}"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let side = Mask::read(&self.coefficients).map_or(0, |mask| mask.size);
        estimate::of_samples(grid, 4.0 + 0.4 * (side * side) as f64)
    }

    fn reach(&self, domain: Domain) -> Reach {
        self.border.reach(self.half(), domain)
    }

    /// The coefficients lie a cell apart at every level. From a level on at which that is hundreds of
    /// samples, what they make of the land is interpolated.
    fn looks_at(&self, window: &Region, _seed: u64, _work: &Work) -> Result<Needs> {
        let half = self.half();
        let halo = Needs::within(self.reach(window.domain()), window);
        if half == 0.0 {
            return Ok(halo);
        }
        // The level at which half the mask is WIDEST samples; at finer levels the cost would grow with the
        // square of the spacing.
        let finest_exact = -libm::log2f(WIDEST / half).floor() as i32;
        Ok(Needs::coarser(window, finest_exact, half, true)?.unwrap_or(halo))
    }

    /// # Errors
    /// When the mask is not N rows of N finite numbers, N odd and at most 31.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        smooth_heights(ground, work, |field, region| self.weigh(field, region, work))
    }
}

impl Convolve {
    /// Weighs the heights of a region.
    ///
    /// # Errors
    /// When the mask is not N rows of N finite numbers, N odd and at most 31.
    fn weigh(&self, field: &mut Heightfield, region: &Region, work: &Work) -> Result<()> {
        let kernel = Mask::read(&self.coefficients)?.kernel(region.samples(1.0));
        // A mask of any shape is not separable, so it needs the whole neighbourhood as it was.
        let before = field.copy_while(work)?;
        let (grid, heights) = (field.grid(), before.heights());
        work.stage("convolve", grid.depth);
        let lengthened = || vec![0.0; grid.width + 2 * kernel.reach];
        let rows = field.heights_mut().par_chunks_mut(grid.width).enumerate();
        rows.try_for_each_init(lengthened, |lengthened, (row, out)| {
            work.check()?;
            let middle = &heights[row * grid.width..][..grid.width];
            if !kernel.keeps_heights {
                out.fill(0.0);
            }
            for taps in &kernel.rows {
                let row = self.border.before(row + taps.row, kernel.reach, grid.depth);
                let heights = &heights[row * grid.width..][..grid.width];
                lengthen(heights, kernel.reach, self.border, lengthened);
                in_wide_registers(Weigh { taps: &taps.weights, lengthened, middle, out });
            }
            work.advance(1);
            Ok(())
        })
    }

    /// Samples of level 0 from the middle of the mask to its edge; 0 of a mask that cannot be read, which is
    /// reported when it is applied.
    fn half(&self) -> f32 {
        Mask::read(&self.coefficients).map_or(0.0, |mask| (mask.size / 2) as f32)
    }
}

/// Continues a row beyond its ends.
fn lengthen(row: &[f32], reach: usize, border: Border, lengthened: &mut [f32]) {
    let (ahead, rest) = lengthened.split_at_mut(reach);
    let (within, behind) = rest.split_at_mut(row.len());
    within.copy_from_slice(row);
    for (place, height) in ahead.iter_mut().enumerate() {
        *height = row[border.before(place, reach, row.len())];
    }
    for (place, height) in behind.iter_mut().enumerate() {
        *height = row[border.before(reach + row.len() + place, reach, row.len())];
    }
}

/// The coefficients, row by row from the north-west.
struct Mask {
    size: usize,
    coefficients: Vec<f64>,
}

impl Mask {
    fn read(text: &str) -> Result<Self> {
        let wrong = |reason: String| Error::parameter("coefficients", reason);
        // Counted before memory is allocated: the text may come from an untrusted recipe and be long.
        let size = text.split(',').count();
        if size > LARGEST {
            return Err(wrong(format!("{size} rows are more than {LARGEST}")));
        }
        let mut coefficients = Vec::with_capacity(size * size);
        for (row, text) in text.split(',').enumerate() {
            let row = row + 1;
            let numbers = text.split_whitespace().count();
            if numbers != size {
                let reason = format!(
                    "row {row} has {numbers} numbers, but there are {size} rows; both must be as many"
                );
                return Err(wrong(reason));
            }
            for number in text.split_whitespace() {
                // Finite in f32 too: NaN and infinity would pass through every sum.
                let read = number.parse().ok().filter(|number: &f64| number.abs() <= f64::from(f32::MAX));
                coefficients
                    .push(read.ok_or_else(|| wrong(format!("`{number}` in row {row} is not a number")))?);
            }
        }
        if size.is_multiple_of(2) {
            return Err(wrong(format!("{size} rows have no middle one; use {} or {}", size - 1, size + 1)));
        }
        Ok(Self { size, coefficients })
    }

    /// The sum of the coefficients, by which they are divided, unless it is 0.
    fn divisor(&self) -> Option<f64> {
        let all: f64 = self.coefficients.iter().sum();
        let size: f64 = self.coefficients.iter().map(|value| value.abs()).sum();
        (all.abs() > ROUNDING * size).then_some(all)
    }

    /// The weights of the samples where the coefficients lie `spacing` samples apart. A coefficient between
    /// samples is shared among the four around it.
    fn kernel(&self, spacing: f64) -> Kernel {
        let keeps_heights = self.divisor().is_some();
        let divisor = self.divisor().unwrap_or(1.0);
        let half = (self.size / 2) as f64;
        let reach = (half * spacing).ceil() as usize;
        // By row and column, and no more of them than coefficients ask for: at fine levels they lie millions
        // of samples apart.
        let mut weights: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for (index, coefficient) in self.coefficients.iter().enumerate() {
            let place = |index: usize| (index as f64 - half) * spacing + reach as f64;
            // Shared bilinearly: at other levels a coefficient usually falls between samples.
            for (column, across) in parts(place(index % self.size)) {
                for (row, down) in parts(place(index / self.size)) {
                    // The middle is left out: its height's difference from itself is 0.
                    if across * down > 0.0 && [row, column] != [reach; 2] {
                        let weight = weights.entry(row).or_default().entry(column).or_default();
                        *weight += coefficient / divisor * across * down;
                    }
                }
            }
        }
        let rows = weights.into_iter().filter_map(|(row, weights)| {
            // Coefficients may cancel where their parts share a sample.
            let weights = weights.into_iter().filter(|(_, weight)| *weight != 0.0);
            let weights: Vec<_> = weights.map(|(column, weight)| (column, weight as f32)).collect();
            (!weights.is_empty()).then_some(RowOfTaps { row, weights })
        });
        Kernel { reach, keeps_heights, rows: rows.collect() }
    }
}

/// The samples on both sides of a place, and how much of each lies there.
fn parts(place: f64) -> [(usize, f64); 2] {
    let before = place.floor();
    [(before as usize, 1.0 - (place - before)), (before as usize + 1, place - before)]
}

/// A mask at a level: the new height is the height itself, or 0, and weighted differences from it.
struct Kernel {
    /// Samples to each side that it reads.
    reach: usize,
    keeps_heights: bool,
    rows: Vec<RowOfTaps>,
}

struct RowOfTaps {
    /// Rows south of the northernmost one that is read.
    row: usize,
    /// Columns east of the westernmost one that is read, and what their heights weigh.
    weights: Vec<(usize, f32)>,
}

struct Weigh<'a> {
    taps: &'a [(usize, f32)],
    lengthened: &'a [f32],
    middle: &'a [f32],
    out: &'a mut [f32],
}

impl Loop for Weigh<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { taps, lengthened, middle, out } = self;
        // Coefficients outside, samples inside: every inner loop runs over plain rows with one weight, and
        // each sample adds its terms in one order at any SIMD width.
        for &(column, weight) in taps {
            let heights = &lengthened[column..][..out.len()];
            for ((out, &height), &middle) in out.iter_mut().zip(heights).zip(middle) {
                *out += weight * (height - middle);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::steps::filter::{Binomial, Mean};

    fn hills() -> Heightfield {
        let height =
            |column: usize, row: usize| ((column * 37 + row * 101) % 97) as f32 + 0.3 * column as f32;
        Heightfield::from_fn(Grid::new(40, 23, 10.0).unwrap(), height)
    }

    fn convolved(mask: &str, border: Border, field: &Heightfield) -> Result<Heightfield> {
        let mut field = field.clone();
        Convolve { coefficients: mask.to_owned(), border }.apply_to(&mut field, 0, &Work::new())?;
        Ok(field)
    }

    fn worst_difference(a: &Heightfield, b: &Heightfield) -> f32 {
        a.heights().iter().zip(b.heights()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn masks_of_filters_that_have_a_name_do_what_these_do() {
        for border in [Border::Clamp, Border::Wrap] {
            let field = hills();
            let mut mean = field.clone();
            Mean { size: 3, border }.apply_to(&mut mean, 0, &Work::new()).unwrap();
            let mask = "1 1 1, 1 1 1, 1 1 1";
            assert!(worst_difference(&convolved(mask, border, &field).unwrap(), &mean) < 1e-4);
            let mut binomial = field.clone();
            Binomial { row: 2, border }.apply_to(&mut binomial, 0, &Work::new()).unwrap();
            let mask = "1 2 1, 2 4 2, 1 2 1";
            assert!(worst_difference(&convolved(mask, border, &field).unwrap(), &binomial) < 1e-4);
        }
    }

    #[test]
    fn a_coefficient_counts_the_height_on_its_side() {
        let mut field = Heightfield::flat(Grid::new(5, 5, 1.0).unwrap(), 0.0);
        field.heights_mut()[2 * 5 + 2] = 8.0;
        let moved = convolved("0 3 0, 1 0 0, 0 0 0", Border::Clamp, &field).unwrap();
        // The summit lies north of the sample south of it, and west of the one to its east.
        assert_eq!((moved.at(2, 3), moved.at(3, 2), moved.at(2, 2)), (6.0, 2.0, 0.0));
    }

    #[test]
    fn level_land_stays_level_and_masks_that_sum_to_0_find_what_is_not() {
        let level = Heightfield::flat(Grid::new(9, 7, 3.0).unwrap(), 123.456);
        let sharper = convolved(&Convolve::default().coefficients, Border::Clamp, &level).unwrap();
        assert!(sharper.heights().iter().all(|height| *height == 123.456));
        let laplace = "0.1 0.2 0.1, 0.2 -1.2 0.2, 0.1 0.2 0.1";
        let slope = Heightfield::from_fn(level.grid(), |column, row| 2.0 * column as f32 - row as f32);
        let found = convolved(laplace, Border::Clamp, &slope).unwrap();
        assert!((1..8).all(|column| (1..6).all(|row| found.at(column, row).abs() < 1e-5)));
        let parabola = Heightfield::from_fn(level.grid(), |column, _| (column * column) as f32);
        let found = convolved("0 1 0, 1 -4 1, 0 1 0", Border::Clamp, &parabola).unwrap();
        assert!((1..8).all(|column| (0..7).all(|row| found.at(column, row) == 2.0)));
    }

    #[test]
    fn finer_and_coarser_levels_read_what_lies_as_far_away() {
        let mask = Mask::read("0 0 0, 1 2 1, 0 0 0").unwrap();
        let taps = |spacing: f64| {
            let kernel = mask.kernel(spacing);
            let of_row = |taps: &RowOfTaps| (taps.row, taps.weights.clone());
            (kernel.reach, kernel.rows.iter().map(of_row).collect::<Vec<_>>())
        };
        assert_eq!(taps(1.0), (1, vec![(1, vec![(0, 0.25), (2, 0.25)])]));
        assert_eq!(taps(4.0), (4, vec![(4, vec![(0, 0.25), (8, 0.25)])]));
        assert_eq!(taps(0.5), (1, vec![(1, vec![(0, 0.125), (2, 0.125)])]));
        let far = 1 << 20;
        let expected = (far, vec![(far, vec![(0, 0.25), (2 * far, 0.25)])]);
        assert_eq!(taps(far as f64), expected, "found without memory for all that lies between");
    }

    #[test]
    fn masks_that_are_none_are_told() {
        let said = |mask: &str| convolved(mask, Border::Clamp, &hills()).unwrap_err().to_string();
        assert_eq!(said("1 2, 3 4"), "coefficients: 2 rows have no middle one; use 1 or 3");
        assert_eq!(
            said("1 2 3, 4 5, 6 7 8"),
            "coefficients: row 2 has 2 numbers, but there are 3 rows; both must be as many"
        );
        assert_eq!(said(""), "coefficients: row 1 has 0 numbers, but there are 1 rows; both must be as many");
        assert_eq!(said("x"), "coefficients: `x` in row 1 is not a number");
        assert_eq!(said("NaN"), "coefficients: `NaN` in row 1 is not a number");
        assert_eq!(said("1e39"), "coefficients: `1e39` in row 1 is not a number");
        let row = vec!["1"; 33].join(" ");
        assert_eq!(said(&vec![row.as_str(); 33].join(",")), "coefficients: 33 rows are more than 31");
        let row = vec!["1"; 31].join(" ");
        assert!(convolved(&vec![row.as_str(); 31].join(","), Border::Wrap, &hills()).is_ok());
    }
}
