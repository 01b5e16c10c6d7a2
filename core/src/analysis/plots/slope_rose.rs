//! The rose of slopes: how steep the ground is that faces each way.

use super::bearings::{check_bearings, downhill, nearest};
use super::par_rows::{check_finite, histogram_rows, sample_area_quarters};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::analysis::slope::degrees_from_gradient;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Parts of a degree that slopes are added up in. Whole numbers have the same sum in any order.
const FINE: f64 = 1e6;

/// The rose of a land's slopes: for each of `bearings` directions (4 to 360; 16 and 36 are usual) the mean
/// slope, in degrees from horizontal, of the ground whose steepest way down is nearest to that bearing, as in
/// the rose of [`aspects`](super::aspects()). 0 where no ground faces that way. A sample at the border stands
/// for half a cell.
///
/// The aspects show how much ground faces each way; this rose shows how steep that ground is. Together they
/// reveal hogbacks and cuestas, dunes, and shaded slopes that glaciers have cut.
///
/// It notes the bearing of the steepest wedge, its mean slope and that of the gentlest wedge that any ground
/// faces.
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(9, 9, 10.0)?;
/// let falls_to_the_east = upland::Heightfield::from_fn(grid, |column, _| -10.0 * column as f32);
/// let plot = upland::plots::slope_rose(&falls_to_the_east, 16, &upland::Work::new())?;
/// let [bearing, slope] = plot.series[0].points[4];
/// assert!(bearing == 90.0 && (slope - 45.0).abs() < 1e-3);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the number of bearings is outside its range, or a height is not finite;
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn slope_rose(field: &Heightfield, bearings: usize, work: &Work) -> Result<Plot> {
    check_bearings(bearings)?;
    check_finite(field, work)?;
    let grid = field.grid();
    // First the areas, then the slopes over them.
    let sums = histogram_rows("slopes by bearing", (grid.depth, 2 * bearings), work, |row, sums| {
        for column in 0..grid.width {
            let Some(way) = downhill(field, column, row) else { continue };
            let degrees = f64::from(degrees_from_gradient(field.gradient_at(column, row).length()));
            let (bearing, area) = (nearest(way, bearings), sample_area_quarters(grid, column, row));
            sums[bearing] += area;
            sums[bearings + bearing] += area * (degrees * FINE).round() as u64;
        }
    })?;
    let width = 360.0 / bearings as f64;
    let (areas, slopes) = sums.split_at(bearings);
    let means = areas.iter().zip(slopes).map(|(&area, &slope)| slope as f64 / FINE / area.max(1) as f64);
    let wedges: Vec<_> = means.enumerate().map(|(index, mean)| [width * index as f64, mean]).collect();
    let facing = || wedges.iter().zip(areas).filter(|(_, area)| **area > 0).map(|(wedge, _)| wedge);
    // The first of several that are alike.
    let steepest = facing().rev().max_by(|a, b| a[1].total_cmp(&b[1])).copied();
    let gentlest = facing().min_by(|a, b| a[1].total_cmp(&b[1])).copied();

    let slopes = Axis::new("mean slope", "°", Scale::Linear);
    let mut plot = Plot::new("Slopes by bearing", Axis::new("bearing", "°", Scale::Polar), slopes);
    plot.note("steepest bearing", steepest.map(|wedge| wedge[0]), "°");
    plot.note("mean slope there", steepest.map(|wedge| wedge[1]), "°");
    plot.note("mean slope of the gentlest", gentlest.map(|wedge| wedge[1]), "°");
    plot.add("slopes", SeriesKind::Bars { width }, wedges);
    Ok(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn a_plane_has_its_slope_where_it_falls_to_and_none_elsewhere() {
        for bearings in [4, 16, 36] {
            for index in 0..bearings {
                let bearing = (360.0 * index as f32 / bearings as f32).to_radians();
                let (east, north) = (bearing.sin(), bearing.cos());
                let land = Heightfield::from_fn(Grid::new(20, 30, 10.0).unwrap(), |column, row| {
                    -5.0 * (east * column as f32 - north * row as f32)
                });
                let plot = slope_rose(&land, bearings, &Work::new()).unwrap();
                for (other, wedge) in plot.series[0].points.iter().enumerate() {
                    let expected = if other == index { 0.5f64.atan().to_degrees() } else { 0.0 };
                    assert!((wedge[1] - expected).abs() < 1e-3, "{wedge:?} of {bearings}");
                }
                let said = ["steepest bearing", "mean slope there", "mean slope of the gentlest"];
                let said = said.map(|name| plot.value(name).unwrap());
                assert!(
                    (said[0] - 360.0 * index as f64 / bearings as f64).abs() < 1e-9 && said[1] == said[2]
                );
            }
        }
    }

    #[test]
    fn both_sides_of_a_ridge_are_told_apart_however_much_there_is_of_them() {
        // 30 columns fall to the west by 10°, 50 to the east by 40°.
        let (west, east) = (10f32.to_radians().tan(), 40f32.to_radians().tan());
        let land = Heightfield::from_fn(Grid::new(81, 9, 1.0).unwrap(), |column, _| {
            if column <= 30 { west * column as f32 } else { 30.0 * west - east * (column - 30) as f32 }
        });
        let plot = slope_rose(&land, 4, &Work::new()).unwrap();
        let means: Vec<_> = plot.series[0].points.iter().map(|wedge| wedge[1]).collect();
        // The column of the ridge falls to the east by the mean of both gradients, over one cell of 50½.
        let ridge = f64::from(((east - west) / 2.0).atan().to_degrees());
        assert!((means[1] - (49.5 * 40.0 + ridge) / 50.5).abs() < 1e-3, "{means:?}");
        assert!((means[3] - 10.0).abs() < 1e-3 && (means[0], means[2]) == (0.0, 0.0), "{means:?}");
        assert_eq!(plot.value("steepest bearing"), Some(90.0));
        assert!((plot.value("mean slope of the gentlest").unwrap() - 10.0).abs() < 1e-3);
    }

    #[test]
    fn level_ground_has_no_steepest_bearing_and_a_wrong_number_is_refused() {
        let land = Heightfield::flat(Grid::new(5, 5, 1.0).unwrap(), 3.0);
        let plot = slope_rose(&land, 36, &Work::new()).unwrap();
        assert!(plot.notes.is_empty() && plot.series[0].points.iter().all(|wedge| wedge[1] == 0.0));
        for bearings in [3, 361] {
            let error = slope_rose(&land, bearings, &Work::new()).unwrap_err().to_string();
            assert_eq!(error, format!("bearings: {bearings} is outside 4 to 360"));
        }
    }
}
