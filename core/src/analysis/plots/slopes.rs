//! The histogram of slopes.

use super::par_rows::{check_finite, histogram_rows, map_rows, middle, sample_area_quarters};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::analysis::slope::degrees_from_gradient;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Degrees that a bar of the histogram is wide.
const WIDTH: usize = 2;
/// Parts of a degree that slopes are counted in, for their median.
const FINE: usize = 100;
/// The steepest slope that the histogram shows at least, degrees.
const SHOWN: usize = 10;

/// The histogram of a land's slopes in degrees from horizontal, in bars of 2° from 0° to the steepest, each a
/// share of the area on the map in percent; all bars together are 100 %. A slope is that of the gradient by
/// central differences, [`Heightfield::gradient_at`]. A sample at the border stands for half a cell.
///
/// It notes the mean slope, the median (to 0.01°) and the steepest.
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(9, 9, 10.0)?;
/// let ramp = upland::Heightfield::from_fn(grid, |column, _| 10.0 * column as f32);
/// let plot = upland::plots::slopes(&ramp, &upland::Work::new())?;
/// assert!(plot.series[0].points.contains(&[45.0, 100.0])); // Between 44° and 46°.
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a height is not finite; [`Error::Cancelled`](crate::Error::Cancelled).
pub fn slopes(field: &Heightfield, work: &Work) -> Result<Plot> {
    check_finite(field, work)?;
    let grid = field.grid();
    let slope = |column, row| f64::from(degrees_from_gradient(field.gradient_at(column, row).length()));
    // Counted in hundredths of a degree first, from which both the bars and the median follow.
    let fine = histogram_rows("slopes", (grid.depth, 90 * FINE), work, |row, counts| {
        for column in 0..grid.width {
            let bin = (slope(column, row) * FINE as f64) as usize;
            counts[bin.min(90 * FINE - 1)] += sample_area_quarters(grid, column, row);
        }
    })?;
    let of_rows = map_rows("mean slope", grid.depth, work, |row| {
        let slopes = (0..grid.width)
            .map(|column| (slope(column, row), sample_area_quarters(grid, column, row) as f64));
        slopes.fold((0.0, 0.0f64), |(sum, most), (slope, area)| (sum + slope * area, most.max(slope)))
    })?;
    let all = fine.iter().sum::<u64>() as f64;
    let steepest = of_rows.iter().fold(0.0, |most: f64, row| most.max(row.1));
    let bars: Vec<u64> = fine.chunks(WIDTH * FINE).map(|counts| counts.iter().sum()).collect();
    let last = bars.iter().rposition(|&count| count > 0).unwrap_or(0).max(SHOWN / WIDTH - 1);
    let bar = |(index, &count): (usize, &u64)| [(WIDTH * index) as f64 + 1.0, 100.0 * count as f64 / all];

    let shares = Axis::new("share of the area", "%", Scale::Linear);
    let mut plot = Plot::new("Slopes", Axis::new("slope", "°", Scale::Linear), shares);
    let kind = SeriesKind::Bars { width: WIDTH as f64 };
    plot.add("slopes", kind, bars[..=last].iter().enumerate().map(bar).collect());
    plot.note("mean slope", of_rows.iter().map(|row| row.0).sum::<f64>() / all, "°");
    plot.note("median slope", middle(&fine).map(|place| place / FINE as f64), "°");
    plot.note("steepest", steepest, "°");
    Ok(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn all_of_a_plane_has_one_slope() {
        for (rise, degrees) in
            [(0.0, 0.0), (1.0, 45.0), (0.5, 0.5f64.atan().to_degrees()), (60.0, 60f64.atan().to_degrees())]
        {
            let land =
                Heightfield::from_fn(Grid::new(30, 20, 8.0).unwrap(), |_, row| 8.0 * rise * row as f32);
            let plot = slopes(&land, &Work::new()).unwrap();
            for name in ["mean slope", "median slope", "steepest"] {
                assert!((plot.value(name).unwrap() - degrees).abs() < 0.011, "{name} of {degrees}");
            }
            let full: Vec<_> = plot.series[0].points.iter().filter(|bar| bar[1] > 0.0).collect();
            assert!(full.len() == 1 && (full[0][0] - degrees).abs() <= 1.0, "{full:?} {degrees}");
            assert_eq!(full[0][1], 100.0);
        }
    }

    #[test]
    fn each_side_of_a_roof_has_half_of_the_area() {
        // A ridge at column 40: 21° to its west, 51° to its east.
        let (west, east) = (21f32.to_radians().tan(), 51f32.to_radians().tan());
        let land = Heightfield::from_fn(Grid::new(81, 9, 1.0).unwrap(), |column, _| {
            if column <= 40 { west * column as f32 } else { 40.0 * west - east * (column - 40) as f32 }
        });
        let plot = slopes(&land, &Work::new()).unwrap();
        // The column of the ridge itself has a slope between the two, over one cell of 80.
        for degrees in [21.0, 51.0] {
            let bar = plot.series[0].points.iter().find(|bar| bar[0] == degrees).unwrap();
            assert!((bar[1] - 100.0 * 39.5 / 80.0).abs() < 1e-9, "{bar:?}");
        }
        let mean = plot.value("mean slope").unwrap();
        let ridge = f64::from(((west - east) / 2.0).atan().abs().to_degrees());
        assert!((mean - (39.5 * 21.0 + ridge + 39.5 * 51.0) / 80.0).abs() < 1e-3, "{mean}");
        assert!((plot.series[0].points.iter().map(|bar| bar[1]).sum::<f64>() - 100.0).abs() < 1e-9);
    }
}
