//! The hypsometric curve: how much of a land lies above which height.
//!
//! After Strahler, "Hypsometric (area-altitude) analysis of erosional topography" (1952). The integral is the
//! elevation–relief ratio (mean − lowest)/(highest − lowest), which Pike and Wilson (1971) showed to be the
//! area under the curve.

use super::par_rows::{check_finite, histogram_rows, map_rows, sample_area_quarters, without_relief};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Points of the curve, less one.
const PARTS: usize = 200;

/// The hypsometric curve of a land: for relative heights from 0 (its lowest point) to 1 (its highest) the
/// share of its area that lies at least as high. A sample at the border stands for half a cell.
///
/// It notes the hypsometric integral, the area under the curve, in (0, 1): 0.5 for a plane, 1/3 for a cone,
/// above where rivers have cut little into a plateau.
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(9, 9, 10.0)?;
/// let plane = upland::Heightfield::from_fn(grid, |column, row| (3 * column + row) as f32);
/// let plot = upland::plots::hypsometry(&plane, &upland::Work::new())?;
/// assert_eq!(plot.value("hypsometric integral"), Some(0.5));
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the land is level, or a height is not finite; [`Error::Cancelled`](crate::Error::Cancelled).
pub fn hypsometry(field: &Heightfield, work: &Work) -> Result<Plot> {
    check_finite(field, work)?;
    let (low, high) = field.range_while(work)?;
    if low == high {
        return Err(without_relief("there are no relative heights", low));
    }
    let (grid, from, span) = (field.grid(), f64::from(low), f64::from(high) - f64::from(low));
    let relative = |height: f32| (f64::from(height) - from) / span;
    let sums = map_rows("mean", grid.depth, work, |row| {
        let samples = field.row(row).iter().enumerate();
        samples
            .map(|(column, &height)| relative(height) * sample_area_quarters(grid, column, row) as f64)
            .sum::<f64>()
    })?;
    let counts = histogram_rows("areas", (grid.depth, PARTS + 1), work, |row, counts| {
        for (column, &height) in field.row(row).iter().enumerate() {
            let part = (relative(height) * PARTS as f64) as usize;
            counts[part.min(PARTS)] += sample_area_quarters(grid, column, row);
        }
    })?;
    let all: u64 = counts.iter().sum();
    let integral = sums.iter().sum::<f64>() / all as f64;
    let mut above = all;
    let mut curve = Vec::with_capacity(PARTS + 1);
    for (part, count) in counts.iter().enumerate() {
        curve.push([above as f64 / all as f64, part as f64 / PARTS as f64]);
        above -= count;
    }
    curve.reverse();
    // Where the highest part has area, the curve ends with a vertical piece.
    if curve[0][0] > 0.0 {
        curve.insert(0, [0.0, 1.0]);
    }

    let area = Axis::new("share of the area above", "", Scale::Linear);
    let mut plot = Plot::new("Hypsometric curve", area, Axis::new("relative height", "", Scale::Linear));
    plot.add("hypsometric curve", SeriesKind::Line, curve);
    plot.note("hypsometric integral", integral, "");
    plot.note("lowest", from, "m");
    plot.note("highest", f64::from(high), "m");
    Ok(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// The area left of the curve, by trapezia.
    fn area(points: &[[f64; 2]]) -> f64 {
        points.windows(2).map(|pair| (pair[1][0] - pair[0][0]) * (pair[0][1] + pair[1][1]) / 2.0).sum()
    }

    #[test]
    fn the_integral_of_a_plane_is_a_half_and_its_curve_a_line() {
        let plane =
            Heightfield::from_fn(Grid::new(401, 30, 5.0).unwrap(), |column, _| 7.0 * column as f32 - 90.0);
        let plot = hypsometry(&plane, &Work::new()).unwrap();
        assert!((plot.value("hypsometric integral").unwrap() - 0.5).abs() < 1e-12);
        for [share, height] in &plot.series[0].points {
            // A column of samples is 1/400 of the land.
            assert!((share - (1.0 - height)).abs() <= 0.51 / 400.0, "{share} above {height}");
        }
    }

    /// A cone of radius R and height 1 on level ground of side L: the mean height is the volume πR²/3 over
    /// L².
    #[test]
    fn the_integral_of_a_cone_is_its_volume() {
        let (side, radius) = (801usize, 350.0f32);
        let cone = Heightfield::from_fn(Grid::new(side, side, 2.0).unwrap(), |column, row| {
            let (x, z) = (column as f32 - 400.0, row as f32 - 400.0);
            (1.0 - x.hypot(z) / radius).max(0.0)
        });
        let plot = hypsometry(&cone, &Work::new()).unwrap();
        let expected = std::f64::consts::PI * 350.0 * 350.0 / 3.0 / (800.0 * 800.0);
        let integral = plot.value("hypsometric integral").unwrap();
        assert!((integral - expected).abs() < 1e-4, "{integral}, not {expected}");
        let curve = &plot.series[0].points;
        assert!((area(curve) - expected).abs() < 0.003, "{}", area(curve));
        // Above the height h lies a circle of radius R(1 − h).
        for [share, height] in curve.iter().filter(|[_, height]| *height > 0.0) {
            let circle = std::f64::consts::PI * (350.0 * (1.0 - height)).powi(2) / (800.0 * 800.0);
            assert!((share - circle).abs() < 0.002, "{share} above {height}, not {circle}");
        }
    }

    #[test]
    fn the_curve_runs_from_the_highest_point_to_all_of_the_land() {
        let land = Heightfield::from_fn(Grid::new(20, 7, 1.0).unwrap(), |column, row| {
            ((column * 7 + row * 13) % 11) as f32
        });
        let plot = hypsometry(&land, &Work::new()).unwrap();
        let points = &plot.series[0].points;
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 1.0], [1.0, 0.0]));
        assert!(points.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] >= pair[1][1]));
    }

    #[test]
    fn level_land_is_refused() {
        let level = Heightfield::flat(Grid::new(5, 5, 1.0).unwrap(), 12.0);
        let error = hypsometry(&level, &Work::new()).unwrap_err().to_string();
        assert!(error.contains("all of it is at 12 m"), "{error}");
    }
}
