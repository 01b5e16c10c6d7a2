//! The histogram of heights, with the moments of their distribution.

use super::par_rows::{check_finite, histogram_rows, map_rows};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;
use crate::math::ordered::{height_of, ordered};

/// Bars that a histogram may have.
const BARS: std::ops::RangeInclusive<usize> = 1..=10_000;

/// The histogram of a land's heights: their range is divided into `bars` equal parts, 1 to 10000, and each
/// bar is the share of all samples in its part, in percent. On level land there is one bar.
///
/// It notes mean, median, standard deviation (of all samples, not of a sample of them) and skewness (the
/// third standardised moment: above 0 where few heights rise far above the rest). Every sample counts once,
/// as in [`Heightfield::statistics`].
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(4, 2, 10.0)?;
/// let land = upland::Heightfield::from_fn(grid, |column, _| [0.0, 0.0, 0.0, 8.0][column]);
/// let plot = upland::plots::heights(&land, 2, &upland::Work::new())?;
/// assert_eq!(plot.series[0].points, [[2.0, 75.0], [6.0, 25.0]]);
/// assert_eq!((plot.value("mean"), plot.value("median")), (Some(2.0), Some(0.0)));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the number of bars is outside its range, or a height is not finite; [`Error::Cancelled`].
pub fn heights(field: &Heightfield, bars: usize, work: &Work) -> Result<Plot> {
    if !BARS.contains(&bars) {
        let reason = format!("{bars} is outside {} to {}", BARS.start(), BARS.end());
        return Err(Error::parameter("bars", reason));
    }
    check_finite(field, work)?;
    let (low, high) = field.range_while(work)?;
    let (low, high) = (f64::from(low), f64::from(high));
    let (grid, span) = (field.grid(), high - low);
    let count = grid.count() as f64;
    let of_rows = map_rows("mean", grid.depth, work, |row| {
        // Above the lowest height, so that small relief at a great height keeps its digits.
        field.row(row).iter().map(|&height| f64::from(height) - low).sum::<f64>()
    })?;
    let mean = of_rows.iter().sum::<f64>() / count;
    let of_rows = map_rows("moments", grid.depth, work, |row| {
        let away = field.row(row).iter().map(|&height| f64::from(height) - low - mean);
        away.fold([0.0, 0.0], |[square, cube], away| [square + away * away, cube + away * away * away])
    })?;
    let moment = |index: usize| of_rows.iter().map(|sums| sums[index]).sum::<f64>() / count;
    let deviation = moment(0).sqrt();

    let parts = if span > 0.0 { bars } else { 1 };
    let counts = histogram_rows("histogram", (grid.depth, parts), work, |row, counts| {
        for &height in field.row(row) {
            let part = (f64::from(height) - low) / span * parts as f64;
            // On level land 0 is divided by 0, and the part is the first.
            counts[(part as usize).min(parts - 1)] += 1;
        }
    })?;
    // A bar of level land is as wide as can be seen.
    let width = if span > 0.0 { span / parts as f64 } else { 1.0 };
    let first = if span > 0.0 { low + width / 2.0 } else { low };
    let bar =
        |(index, &samples): (usize, &u64)| [first + width * index as f64, 100.0 * samples as f64 / count];

    let shares = Axis::new("share of all samples", "%", Scale::Linear);
    let mut plot = Plot::new("Heights", Axis::new("height", "m", Scale::Linear), shares);
    plot.add("heights", SeriesKind::Bars { width }, counts.iter().enumerate().map(bar).collect());
    plot.note("lowest", low, "m");
    plot.note("highest", high, "m");
    plot.note("mean", low + mean, "m");
    plot.note("median", median(field.heights(), work)?, "m");
    plot.note("standard deviation", deviation, "m");
    plot.note("skewness", (deviation > 0.0).then(|| moment(1) / deviation.powi(3)), "");
    Ok(plot)
}

/// The median of all heights; for an even number of them the mean of the two in the middle. Found in two
/// passes by the upper and the lower half of the bits, without a copy.
fn median(heights: &[f32], work: &Work) -> Result<f64> {
    const AT_ONCE: usize = 1 << 16;
    let chunks = heights.len().div_ceil(AT_ONCE);
    let in_chunk = |chunk: usize| &heights[chunk * AT_ONCE..heights.len().min((chunk + 1) * AT_ONCE)];
    // Two histograms of 65,536 bins find the exact median in fixed memory.
    let upper = histogram_rows("median", (chunks, 1 << 16), work, |chunk, counts| {
        in_chunk(chunk).iter().for_each(|&height| counts[(ordered(height) >> 16) as usize] += 1);
    })?;
    let at = |place: u64| -> Result<f64> {
        let (bin, before) = bin_of(&upper, place);
        let lower = histogram_rows("median", (chunks, 1 << 16), work, |chunk, counts| {
            let heights = in_chunk(chunk).iter().map(|&height| ordered(height));
            let within = heights.filter(|bits| (bits >> 16) as usize == bin);
            within.for_each(|bits| counts[(bits & 0xFFFF) as usize] += 1);
        })?;
        let (rest, _) = bin_of(&lower, place - before);
        Ok(f64::from(height_of((bin << 16 | rest) as u32)))
    };
    let last = heights.len() as u64 - 1;
    let below = at(last / 2)?;
    if last.is_multiple_of(2) { Ok(below) } else { Ok((below + at(last / 2 + 1)?) / 2.0) }
}

/// The bin that holds the place-th of what was counted, from 0, and how many come before that bin.
fn bin_of(counts: &[u64], place: u64) -> (usize, u64) {
    let mut before = 0;
    for (bin, &count) in counts.iter().enumerate() {
        if place < before + count {
            return (bin, before);
        }
        before += count;
    }
    (counts.len() - 1, before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use proptest::prelude::*;

    #[test]
    fn a_plane_is_evenly_high_and_an_exponential_distribution_has_a_skewness_of_2() {
        let grid = Grid::new(1000, 100, 5.0).unwrap();
        let plane = Heightfield::from_fn(grid, |column, _| column as f32);
        let plot = heights(&plane, 10, &Work::new()).unwrap();
        assert!(plot.series[0].points.iter().all(|bar| (bar[1] - 10.0).abs() < 1e-9));
        assert!((plot.value("mean").unwrap() - 499.5).abs() < 1e-9);
        assert_eq!(plot.value("median"), Some(499.5));
        // A discrete uniform distribution: σ² = (n² − 1)/12.
        assert!((plot.value("standard deviation").unwrap() - (999_999f64 / 12.0).sqrt()).abs() < 1e-9);
        assert!(plot.value("skewness").unwrap().abs() < 1e-9);

        // By its quantiles: mean 1, median ln 2, deviation 1, skewness 2, but for the tail that is cut off.
        let exponential = Heightfield::from_fn(grid, |column, row| {
            let share = ((row * 1000 + column) as f64 + 0.5) / 1e5;
            -(1.0 - share).ln() as f32
        });
        let plot = heights(&exponential, 50, &Work::new()).unwrap();
        for (name, expected, tolerance) in [
            ("mean", 1.0, 1e-4),
            ("median", 2f64.ln(), 1e-4),
            ("standard deviation", 1.0, 1e-3),
            ("skewness", 2.0, 0.01),
        ] {
            let value = plot.value(name).unwrap();
            assert!((value - expected).abs() < tolerance, "{name}: {value}, not {expected}");
        }
    }

    #[test]
    fn level_land_and_a_single_sample_are_one_bar_without_skewness() {
        for (width, depth) in [(1, 1), (9, 4)] {
            let land = Heightfield::flat(Grid::new(width, depth, 1.0).unwrap(), -7.5);
            let plot = heights(&land, 20, &Work::new()).unwrap();
            assert_eq!(plot.series[0].points, [[-7.5, 100.0]]);
            assert_eq!((plot.value("median"), plot.value("standard deviation")), (Some(-7.5), Some(0.0)));
            assert_eq!(plot.value("skewness"), None);
        }
    }

    #[test]
    fn bars_outside_their_range_and_heights_that_are_none_are_refused() {
        let mut land = Heightfield::flat(Grid::new(3, 3, 1.0).unwrap(), 0.0);
        for bars in [0, 10_001] {
            assert!(heights(&land, bars, &Work::new()).is_err());
        }
        land.heights_mut()[4] = f32::NAN;
        let error = heights(&land, 5, &Work::new()).unwrap_err().to_string();
        assert_eq!(error, "heights: one is not a number of metres; give finite heights");
    }

    proptest! {
        #[test]
        fn the_median_is_that_of_sorted_heights(mut values in prop::collection::vec(-1e6f32..1e6, 1..300)) {
            let found = median(&values, &Work::new()).unwrap();
            values.sort_by(f32::total_cmp);
            let (a, b) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
            prop_assert_eq!(found, (f64::from(a) + f64::from(b)) / 2.0);
        }
    }
}
