//! The rose of aspects: which way slopes face.

use super::bearings::{check_bearings, downhill, nearest};
use super::par_rows::{check_finite, histogram_rows, map_rows, sample_area_quarters};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// The rose of a land's aspects: for each of `bearings` directions (4 to 360; 16 and 36 are usual) the share
/// of the area, in percent, whose steepest way down is nearest to that bearing. Bearings are degrees
/// clockwise from north, the first is north itself. All bearings and the level ground together are 100 %. A
/// sample at the border stands for half a cell.
///
/// It notes the share of level ground, which faces nowhere (slopes below 0.18°), the mean bearing, and how
/// much the bearings agree: the length of the mean of their unit vectors, 0 where every direction has its
/// opposite and 1 where all are one (Mardia and Jupp, "Directional statistics", 2000). The mean bearing is
/// left out where that is below 0.001.
///
/// ```
/// # use upland_core as upland;
/// let grid = upland::Grid::new(9, 9, 10.0)?;
/// let falls_to_the_east = upland::Heightfield::from_fn(grid, |column, _| -(column as f32));
/// let plot = upland::plots::aspects(&falls_to_the_east, 16, &upland::Work::new())?;
/// assert_eq!(plot.series[0].points[4], [90.0, 100.0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the number of bearings is outside its range, or a height is not finite;
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn aspects(field: &Heightfield, bearings: usize, work: &Work) -> Result<Plot> {
    check_bearings(bearings)?;
    check_finite(field, work)?;
    let grid = field.grid();
    let counts = histogram_rows("aspects", (grid.depth, bearings + 1), work, |row, counts| {
        for column in 0..grid.width {
            let bearing = downhill(field, column, row).map_or(bearings, |way| nearest(way, bearings));
            counts[bearing] += sample_area_quarters(grid, column, row);
        }
    })?;
    let sums = map_rows("mean bearing", grid.depth, work, |row| {
        let columns = (0..grid.width).filter_map(|column| Some((column, downhill(field, column, row)?)));
        columns.fold([0.0; 2], |[east, south], (column, [x, z])| {
            let area = sample_area_quarters(grid, column, row) as f64;
            [east + area * f64::from(x), south + area * f64::from(z)]
        })
    })?;
    let facing: u64 = counts[..bearings].iter().sum();
    let all = (facing + counts[bearings]) as f64;
    let width = 360.0 / bearings as f64;
    let wedge = |(index, &count): (usize, &u64)| [width * index as f64, 100.0 * count as f64 / all];
    let mean = |axis: usize| sums.iter().map(|sums| sums[axis]).sum::<f64>() / facing.max(1) as f64;
    // Bearings are averaged as vectors: the mean of 359° and 1° is 0° and not 180°.
    let [east, south] = [mean(0), mean(1)];
    let agreement = east.hypot(south);
    let bearing = libm::atan2(east, -south).to_degrees().rem_euclid(360.0);

    let shares = Axis::new("share of the area", "%", Scale::Linear);
    let mut plot = Plot::new("Aspects", Axis::new("bearing", "°", Scale::Polar), shares);
    let kind = SeriesKind::Bars { width };
    plot.add("aspects", kind, counts[..bearings].iter().enumerate().map(wedge).collect());
    plot.note("level ground", 100.0 * counts[bearings] as f64 / all, "%");
    plot.note("mean bearing", (agreement >= 0.001).then_some(bearing), "°");
    plot.note("agreement", (facing > 0).then_some(agreement), "");
    Ok(plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn sum(plot: &Plot) -> f64 {
        plot.series[0].points.iter().map(|wedge| wedge[1]).sum::<f64>() + plot.value("level ground").unwrap()
    }

    #[test]
    fn all_of_a_plane_faces_one_way() {
        for bearings in [4, 16, 36] {
            for index in 0..bearings {
                let bearing = (360.0 * index as f32 / bearings as f32).to_radians();
                let (east, north) = (bearing.sin(), bearing.cos());
                let land = Heightfield::from_fn(Grid::new(20, 30, 10.0).unwrap(), |column, row| {
                    -2.0 * (east * column as f32 - north * row as f32)
                });
                let plot = aspects(&land, bearings, &Work::new()).unwrap();
                let wedge = plot.series[0].points[index];
                assert!((wedge[1] - 100.0).abs() < 1e-9, "{wedge:?} of {bearings}");
                let away = plot.value("mean bearing").unwrap() - wedge[0];
                // To either side: a bearing just west of north is a little less than 360°.
                let away = (away + 180.0).rem_euclid(360.0) - 180.0;
                assert!(away.abs() < 0.01, "{away}° from {}°", wedge[0]);
                assert!((plot.value("agreement").unwrap() - 1.0).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn a_cone_faces_everywhere_alike_and_its_level_surroundings_nowhere() {
        let land = Heightfield::from_fn(Grid::new(601, 601, 3.0).unwrap(), |column, row| {
            (250.0 - (column as f32 - 300.0).hypot(row as f32 - 300.0)).max(0.0)
        });
        let plot = aspects(&land, 16, &Work::new()).unwrap();
        assert!((sum(&plot) - 100.0).abs() < 1e-9);
        let cone = std::f64::consts::PI * 250.0 * 250.0 / (600.0 * 600.0) * 100.0;
        assert!((plot.value("level ground").unwrap() - (100.0 - cone)).abs() < 0.5);
        for wedge in &plot.series[0].points {
            assert!((wedge[1] - cone / 16.0).abs() < 0.02 * cone / 16.0, "{wedge:?}");
        }
        assert!(plot.value("agreement").unwrap() < 0.001);
        assert_eq!(plot.value("mean bearing"), None);
    }

    #[test]
    fn level_ground_faces_nowhere() {
        let plot = aspects(&Heightfield::flat(Grid::new(1, 1, 1.0).unwrap(), 3.0), 36, &Work::new()).unwrap();
        assert_eq!(plot.value("level ground"), Some(100.0));
        assert_eq!((plot.value("mean bearing"), plot.value("agreement")), (None, None));
        assert!(plot.series[0].points.iter().all(|wedge| wedge[1] == 0.0));
    }

    #[test]
    fn numbers_of_bearings_outside_the_range_are_refused() {
        let land = Heightfield::flat(Grid::new(3, 3, 1.0).unwrap(), 3.0);
        for bearings in [0, 3, 361] {
            let error = aspects(&land, bearings, &Work::new()).unwrap_err().to_string();
            assert_eq!(error, format!("bearings: {bearings} is outside 4 to 360"));
        }
    }
}
