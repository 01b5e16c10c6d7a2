//! Distributions of a quantity over a land, and how far apart two of them are.

use rayon::prelude::*;

/// Quantiles of a distribution.
const QUANTILES: usize = 512;

/// How a quantity is distributed over a land: the values below which 0.5/512, 1.5/512 … of it lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    quantiles: Vec<f32>,
    mean: f64,
    mean_size: f64,
}

impl Distribution {
    /// The distribution of some values, each of which counts alike; `None` without any.
    pub(super) fn of(mut values: Vec<f32>) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        values.par_sort_unstable_by(f32::total_cmp);
        // Summed in the order of the values, which is the same on any number of threads.
        let sum: f64 = values.iter().map(|value| f64::from(*value)).sum();
        let sizes: f64 = values.iter().map(|value| f64::from(value.abs())).sum();
        let count = values.len() as f64;
        let quantile = |index: usize| {
            let place = ((index as f64 + 0.5) / QUANTILES as f64 * count - 0.5).clamp(0.0, count - 1.0);
            let (below, share) = (place as usize, place.fract());
            let above = (below + 1).min(values.len() - 1);
            (f64::from(values[below]) * (1.0 - share) + f64::from(values[above]) * share) as f32
        };
        let quantiles = (0..QUANTILES).map(quantile).collect();
        Some(Self { quantiles, mean: sum / count, mean_size: sizes / count })
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The mean of the absolute values.
    pub fn mean_size(&self) -> f64 {
        self.mean_size
    }

    /// The value below which a share of the land lies, to the nearest of its 512 quantiles.
    pub fn quantile(&self, share: f64) -> f64 {
        let index = (share * QUANTILES as f64 - 0.5).round().clamp(0.0, (QUANTILES - 1) as f64);
        f64::from(self.quantiles[index as usize])
    }

    /// Values, and the shares of the land below them.
    pub fn points(&self) -> impl Iterator<Item = [f64; 2]> {
        let share = |index: usize| (index as f64 + 0.5) / QUANTILES as f64;
        self.quantiles.iter().enumerate().map(move |(index, value)| [f64::from(*value), share(index)])
    }

    /// The Wasserstein distance of order 1 to another distribution, in the unit of the values: how far the
    /// values must be moved on average to make one distribution the other; the area between the two
    /// cumulative curves. A metric: 0 for equal ones, symmetric, and never more than by way of a third.
    pub fn distance(&self, other: &Self) -> f64 {
        let pairs = self.quantiles.iter().zip(&other.quantiles);
        pairs.map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs()).sum::<f64>() / QUANTILES as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values 0 to n − 1, moved and stretched.
    fn even(count: u32, from: f32, times: f32) -> Distribution {
        Distribution::of((0..count).map(|value| from + times * value as f32 / count as f32).collect())
            .unwrap()
    }

    #[test]
    fn a_distribution_that_was_moved_is_as_far_away_as_it_was_moved() {
        let (one, other) = (even(10_000, 0.0, 1.0), even(10_000, 3.5, 1.0));
        assert!((one.distance(&other) - 3.5).abs() < 1e-5);
        assert_eq!(one.distance(&one), 0.0);
        // Stretched by 2 from 0: the mean of v over 0 to 1.
        assert!((one.distance(&even(10_000, 0.0, 2.0)) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn the_number_of_values_doesnt_matter() {
        assert!(even(1000, 2.0, 7.0).distance(&even(77_777, 2.0, 7.0)) < 7e-3);
    }

    #[test]
    fn a_way_by_a_third_is_never_shorter() {
        let all = [even(700, 0.0, 3.0), even(900, 1.0, 0.1), even(50, -2.0, 9.0)];
        for [a, b, c] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
            let of = |a: usize, b: usize| all[a].distance(&all[b]);
            assert!(of(a, b) <= of(a, c) + of(c, b) + 1e-12);
            assert_eq!(of(a, b), of(b, a));
        }
    }

    #[test]
    fn nothing_has_no_distribution_and_one_value_is_its_own() {
        assert_eq!(Distribution::of(Vec::new()), None);
        let one = Distribution::of(vec![4.5]).unwrap();
        assert_eq!([one.mean(), one.quantile(0.0), one.quantile(1.0)], [4.5; 3]);
    }
}
