//! The variogram: how much heights differ that lie a given distance apart.
//!
//! Matheron's estimator, "Principles of geostatistics" (1963): half the mean square difference of all pairs.
//! For a surface with Hurst exponent H it grows with the distance d as d^2H.

use super::fit::power_law;
use super::par_rows::{check_finite, map_rows, without_relief};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Samples that pairs begin at, at most: of a larger land every second, third … column and row.
const MOST_STARTS: usize = 1 << 22;
/// The fit goes from this many cells…
const FIT_FROM: f64 = 2.0;
/// …to this share of the longer side, beyond which there are few pairs that don't overlap.
const FIT_TO: f64 = 1.0 / 8.0;

/// Half the mean square difference of a land's heights (m²) over their distance (m). Distances are 1, 2, 3,
/// 4, 6, 8, 11, 16 … cells, √2 apart, up to half a side, along rows and columns, and as many steps along both
/// diagonals. All pairs of samples count; of land with more than 4 million samples those that begin at every
/// second, third … column and row, and a remark says so.
///
/// It notes the slope of the least-squares line through the logarithms, from 2 cells to an eighth of the
/// longer side (or through all points where fewer than three lie between); the Hurst exponent H = slope/2;
/// `hurst`, if theory gives one, and a line for it; and the distances between which the line was fitted. A
/// plane has slope 2, uncorrelated heights slope 0.
///
/// # Errors
/// [`Error::Size`] with fewer than 3 samples on the longer side. When the land is level, or a height is not
/// finite; [`Error::Cancelled`].
pub fn variogram(field: &Heightfield, hurst: Option<f64>, work: &Work) -> Result<Plot> {
    let grid = field.grid();
    if grid.longer() < 3 {
        let reason = "are too few for a variogram, which needs 3 on its longer side; give larger land".into();
        return Err(Error::Size { width: grid.width, depth: grid.depth, reason });
    }
    check_finite(field, work)?;
    // Up to half a side: farther pairs would nearly all contain the same samples.
    let lags = lags((grid.longer() - 1) / 2);
    let step =
        (1..).find(|&step| starts(grid.width, step) * starts(grid.depth, step) <= MOST_STARTS).unwrap_or(1);
    let of_rows = map_rows("variogram", starts(grid.depth, step), work, |start| {
        lags.iter().map(|&lag| pairs(field, start * step, step, lag)).collect::<Vec<_>>()
    })?;
    let mut straight = Vec::new();
    let mut diagonal = Vec::new();
    for (index, &lag) in lags.iter().enumerate() {
        let distance = lag as f64 * f64::from(grid.cell);
        for (way, (points, distance)) in
            [(&mut straight, distance), (&mut diagonal, distance * std::f64::consts::SQRT_2)]
                .into_iter()
                .enumerate()
        {
            let sums = of_rows.iter().map(|row| row[index][way]);
            let (count, squares) = sums.fold((0, 0.0), |all, sum| (all.0 + sum.count, all.1 + sum.squares));
            // Equal heights have no logarithm.
            if count > 0 && squares > 0.0 {
                points.push([distance, squares / (2 * count) as f64]);
            }
        }
    }
    if straight.is_empty() && diagonal.is_empty() {
        return Err(without_relief("a variogram of equal heights has no slope", field.at(0, 0)));
    }
    let both = || straight.iter().chain(&diagonal).copied();
    let cell = f64::from(grid.cell);
    let within = |range: [f64; 2]| both().filter(move |point| (range[0]..=range[1]).contains(&point[0]));
    let mut range = [FIT_FROM * cell, FIT_TO * (grid.longer() - 1) as f64 * cell];
    if within(range).count() < 3 {
        range = both().fold([f64::MAX, 0.0], |[low, high], [at, _]| [low.min(at), high.max(at)]);
    }
    let fit = power_law(within(range).map(|point| (point, 1.0)));

    let distance = Axis::new("distance", "m", Scale::Log);
    let mut plot = Plot::new("Variogram", distance, Axis::new("semivariance", "m²", Scale::Log));
    if let Some(fit) = fit {
        plot.add("least squares", SeriesKind::Dashes, fit.ends(range));
        if let Some(hurst) = hurst {
            let theory = fit.turned(2.0 * hurst, (range[0] * range[1]).sqrt());
            plot.add("theory", SeriesKind::Dashes, theory.ends(range));
        }
        plot.note("slope", fit.slope, "");
        plot.note("Hurst exponent H", fit.slope / 2.0, "");
        plot.note("H in theory", hurst, "");
        plot.note("fitted from", range[0], "m");
        plot.note("fitted to", range[1], "m");
    }
    plot.add("along rows and columns", SeriesKind::Points, straight);
    if !diagonal.is_empty() {
        plot.add("along diagonals", SeriesKind::Points, diagonal);
    }
    if step > 1 {
        let (of_columns, of_rows) = (starts(grid.width, step), starts(grid.depth, step));
        plot.remarks.push(format!(
            "Pairs begin at {of_columns} × {of_rows} of {} × {} samples.",
            grid.width, grid.depth
        ));
    }
    Ok(plot)
}

/// Pairs, and the sum of their squared differences.
#[derive(Clone, Copy, Default)]
struct Pairs {
    count: u64,
    squares: f64,
}

/// The pairs that begin in a row, at every `step`-th column: those along the row and the column, then those
/// along both diagonals.
fn pairs(field: &Heightfield, row: usize, step: usize, lag: usize) -> [Pairs; 2] {
    let [mut straight, mut diagonal] = [Pairs::default(); 2];
    let here = field.row(row);
    straight.add(here, here.get(lag..).unwrap_or_default(), step);
    if row + lag < field.grid().depth {
        let there = field.row(row + lag);
        straight.add(here, there, step);
        diagonal.add(here, there.get(lag..).unwrap_or_default(), step);
        // From the same columns westwards: the first that has a partner is the first of every `step` from the
        // lag on.
        let first = lag.next_multiple_of(step);
        if first < here.len() {
            diagonal.add(&here[first..], &there[first - lag..], step);
        }
    }
    [straight, diagonal]
}

impl Pairs {
    /// Adds every `step`-th pair of two lists.
    fn add(&mut self, here: &[f32], there: &[f32], step: usize) {
        let pairs = here.iter().step_by(step).zip(there.iter().step_by(step));
        for (&a, &b) in pairs {
            let away = f64::from(a) - f64::from(b);
            self.squares += away * away;
            self.count += 1;
        }
    }
}

/// How many of `count` samples are left if every `step`-th is taken.
fn starts(count: usize, step: usize) -> usize {
    count.div_ceil(step)
}

/// Whole numbers about √2 apart, from 1 to `most`.
fn lags(most: usize) -> Vec<usize> {
    let mut lags: Vec<usize> = Vec::new();
    for power in 0.. {
        let lag = libm::exp2(f64::from(power) / 2.0).round() as usize;
        if lag > most {
            break;
        }
        lags.extend((lags.last() != Some(&lag)).then_some(lag));
    }
    lags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_a_root_of_two_apart() {
        assert_eq!(lags(50), [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45]);
        assert_eq!(lags(1), [1]);
    }
}
