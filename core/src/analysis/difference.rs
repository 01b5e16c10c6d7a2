//! How two lands differ, sample by sample.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, HIGHEST, Heightfield};

/// The heights of one land minus those of another, with statistics.
///
/// ```
/// # use upland_core as upland;
/// use upland::{Difference, Grid, Heightfield, Work};
///
/// let grid = Grid::new(3, 2, 10.0)?;
/// let level = Heightfield::flat(grid, 100.0);
/// let slope = Heightfield::from_fn(grid, |column, _| 100.0 + 6.0 * column as f32);
/// let difference = Difference::new(&level, &slope, &Work::new())?;
/// assert_eq!((difference.low, difference.high, difference.mean), (0.0, 12.0, 6.0));
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The second land's heights above the first's, metres.
    pub heights: Heightfield,
    /// The lowest and highest of them, metres.
    pub low: f32,
    /// As `low`.
    pub high: f32,
    /// Their mean, metres.
    pub mean: f64,
    /// The root of the mean of their squares, metres.
    pub rms: f64,
    /// Pearson's correlation of both lands' heights, from −1 to 1; `None` if one of them is level.
    pub correlation: Option<f64>,
}

/// Sums over samples of a row, or of all rows.
#[derive(Clone, Copy, Default)]
struct Sums {
    difference: f64,
    square: f64,
    first: f64,
    second: f64,
    first_square: f64,
    second_square: f64,
    product: f64,
}

impl Difference {
    /// The difference of the second land from the first.
    ///
    /// # Errors
    /// When the fields differ in number or spacing of samples, when a height is NaN, infinite or beyond ±1e30
    /// m, when there is too little memory, and [`Error::Cancelled`].
    pub fn new(first: &Heightfield, second: &Heightfield, work: &Work) -> Result<Self> {
        let (grid, other) = (first.grid(), second.grid());
        if grid != other {
            let of = |Grid { width, depth, cell }: Grid| format!("{width}×{depth} samples of {cell} m");
            let reason = format!(
                "lands of {} and of {} have no samples in common; give both the same size and spacing",
                of(grid),
                of(other)
            );
            return Err(Error::parameter("lands", reason));
        }
        if !(first.is_finite_while(work)? && second.is_finite_while(work)?) {
            return Err(Error::parameter("lands", "some heights are NaN or infinite"));
        }
        if !(first.is_possible_while(work)? && second.is_possible_while(work)?) {
            let reason = format!("some heights are beyond ±{HIGHEST:e} m; their differences are not finite");
            return Err(Error::parameter("lands", reason));
        }
        let heights =
            Heightfield::from_fn(grid, |column, row| second.at(column, row) - first.at(column, row));
        // Rows are added in order, so that sums don't depend on the number of threads. Heights are taken from
        // the first sample's, so that nothing is lost of small land at a great height.
        let zero = [f64::from(first.at(0, 0)), f64::from(second.at(0, 0))];
        let rows: Vec<Sums> = (0..grid.depth)
            .into_par_iter()
            .map(|row| {
                work.check()?;
                let pairs = first.row(row).iter().zip(second.row(row));
                Ok(pairs.fold(Sums::default(), |sums, (&a, &b)| {
                    sums.with(f64::from(b) - f64::from(a), f64::from(a) - zero[0], f64::from(b) - zero[1])
                }))
            })
            .collect::<Result<_>>()?;
        let all = rows.into_iter().fold(Sums::default(), Sums::plus);
        let count = grid.count() as f64;
        let (low, high) = heights.range();
        Ok(Self {
            heights,
            low,
            high,
            mean: all.difference / count,
            rms: (all.square / count).sqrt(),
            correlation: all.correlation(count),
        })
    }

    /// The largest distance of both lands, metres.
    pub fn largest(&self) -> f32 {
        self.low.abs().max(self.high.abs())
    }
}

impl Sums {
    fn with(self, difference: f64, a: f64, b: f64) -> Self {
        self.plus(Self {
            difference,
            square: difference * difference,
            first: a,
            second: b,
            first_square: a * a,
            second_square: b * b,
            product: a * b,
        })
    }

    fn plus(self, other: Self) -> Self {
        Self {
            difference: self.difference + other.difference,
            square: self.square + other.square,
            first: self.first + other.first,
            second: self.second + other.second,
            first_square: self.first_square + other.first_square,
            second_square: self.second_square + other.second_square,
            product: self.product + other.product,
        }
    }

    fn correlation(self, count: f64) -> Option<f64> {
        let [a, b] = [self.first / count, self.second / count];
        let variance = |square: f64, mean: f64| square / count - mean * mean;
        let (of_a, of_b) = (variance(self.first_square, a), variance(self.second_square, b));
        let both = (of_a * of_b).sqrt();
        // Clamped, because rounding may lead beyond ±1 for lands that differ by a factor only.
        (both > 0.0).then(|| ((self.product / count - a * b) / both).clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(height: impl Fn(usize, usize) -> f32 + Sync) -> Heightfield {
        Heightfield::from_fn(Grid::new(17, 9, 5.0).unwrap(), height)
    }

    fn difference(first: &Heightfield, second: &Heightfield) -> Difference {
        Difference::new(first, second, &Work::new()).unwrap()
    }

    #[test]
    fn land_differs_from_itself_by_nothing_and_from_its_mirror_image_in_everything() {
        let land = field(|column, row| (column * 7 % 5) as f32 - row as f32 * 0.5 + 900.0);
        let same = difference(&land, &land);
        assert_eq!((same.low, same.high, same.mean, same.rms), (0.0, 0.0, 0.0, 0.0));
        assert!((same.correlation.unwrap() - 1.0).abs() < 1e-9);
        let mirrored = field(|column, row| -land.at(column, row));
        assert!((difference(&land, &mirrored).correlation.unwrap() + 1.0).abs() < 1e-9);
    }

    #[test]
    fn raised_land_differs_by_as_much_everywhere() {
        let land = field(|column, row| (column * row) as f32);
        let raised = difference(&land, &field(|column, row| (column * row) as f32 + 3.0));
        assert_eq!((raised.low, raised.high, raised.mean, raised.rms), (3.0, 3.0, 3.0, 3.0));
        let lowered = difference(&land, &field(|column, row| (column * row) as f32 - 3.0));
        assert_eq!((lowered.mean, lowered.rms, lowered.largest()), (-3.0, 3.0, 3.0));
        assert_eq!(difference(&land, &field(|_, _| 1.0)).correlation, None, "level land goes with nothing");
    }

    #[test]
    fn land_of_another_size_or_without_numbers_is_refused() {
        let land = field(|_, _| 0.0);
        let finer = Heightfield::flat(Grid::new(17, 9, 2.5).unwrap(), 0.0);
        let refused =
            |other: &Heightfield| Difference::new(&land, other, &Work::new()).unwrap_err().to_string();
        assert!(refused(&finer).contains("17×9 samples of 2.5 m"), "{}", refused(&finer));
        assert!(refused(&field(|column, _| if column == 3 { f32::NAN } else { 0.0 })).contains("NaN"));
        assert!(refused(&field(|column, _| if column == 3 { -3e38 } else { 3e38 })).contains("±1e30 m"));
    }
}
