//! Slope and curvatures of the ground at a sample.

use crate::grid::Heightfield;

/// The slope in degrees and the two curvatures in 1/km that Krcho and Mitášová and Hofierka use, positive
/// where the ground bulges: along the steepest way down (profile curvature) and across it (tangential
/// curvature, which plan curvature becomes when it is weighed by the slope). From the quadratic surface that
/// fits the 3 × 3 samples best, after Evans (1980). Level ground has no direction: its curvatures are 0.
///
/// The sample isn't at a border.
pub(super) fn slope_and_curvatures(field: &Heightfield, column: usize, row: usize) -> [f32; 3] {
    let cell = f64::from(field.grid().cell);
    let [north, middle, south] = [row - 1, row, row + 1].map(|row| {
        let row = &field.row(row)[column - 1..column + 2];
        [0, 1, 2].map(|column| f64::from(row[column]))
    });
    let sum = |row: [f64; 3]| row[0] + row[1] + row[2];
    let column = |index: usize| north[index] + middle[index] + south[index];
    let (west, east) = (column(0), column(2));
    let all = sum(north) + sum(middle) + sum(south);
    // First and second derivatives towards east and south.
    let x = (east - west) / (6.0 * cell);
    let z = (sum(south) - sum(north)) / (6.0 * cell);
    let area = cell * cell;
    let xx = (west + east - 2.0 * all / 3.0) / area;
    let zz = (sum(north) + sum(south) - 2.0 * all / 3.0) / area;
    let xz = (north[0] + south[2] - north[2] - south[0]) / (4.0 * area);
    let squared = x * x + z * z;
    let slope = libm::atan(squared.sqrt()).to_degrees();
    // A slope of 0.0006°, below which directions are rounding.
    if squared < 1e-10 {
        return [slope as f32, 0.0, 0.0];
    }
    let one = 1.0 + squared;
    let along = -(xx * x * x + 2.0 * xz * x * z + zz * z * z) / (squared * one * one.sqrt());
    let across = -(xx * z * z - 2.0 * xz * x * z + zz * x * x) / (squared * one.sqrt());
    [slope as f32, (1e3 * along) as f32, (1e3 * across) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// A sphere of 1 km has a curvature of 1/km in every direction, and so has each of its slopes.
    #[test]
    fn a_sphere_has_its_curvature_everywhere() {
        let sphere = Heightfield::from_fn(Grid::new(101, 101, 5.0).unwrap(), |column, row| {
            let (x, z) = (5.0 * (column as f32 - 50.0), 5.0 * (row as f32 - 50.0));
            (1e6 - x * x - z * z).sqrt()
        });
        for (column, row) in [(20, 30), (75, 50), (50, 10), (80, 80)] {
            let [slope, along, across] = slope_and_curvatures(&sphere, column, row);
            let away = 5.0 * (column as f32 - 50.0).hypot(row as f32 - 50.0);
            assert!((slope - (away / 1000.0).asin().to_degrees()).abs() < 0.02, "{slope}");
            assert!((along - 1.0).abs() < 0.05 && (across - 1.0).abs() < 0.05, "{along} {across}");
        }
    }

    #[test]
    fn a_trough_is_curved_across_and_not_along_its_bed() {
        // Falls to the south, hollow from west to east.
        let trough = Heightfield::from_fn(Grid::new(41, 41, 10.0).unwrap(), |column, row| {
            let x = 10.0 * (column as f32 - 20.0);
            x * x / 2000.0 - 2.0 * row as f32
        });
        let [_, along, across] = slope_and_curvatures(&trough, 20, 20);
        assert!(along.abs() < 0.01 && (across + 1.0).abs() < 0.05, "{along} {across}");
        let plane = Heightfield::from_fn(trough.grid(), |column, row| column as f32 + 3.0 * row as f32);
        assert!(slope_and_curvatures(&plane, 7, 7)[1..].iter().all(|curvature| curvature.abs() < 1e-3));
    }
}
