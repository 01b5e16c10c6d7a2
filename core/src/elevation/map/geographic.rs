//! Distinguishes degrees from metres where a file gives numbers without a unit.

use crate::elevation::raster::{CellSize, Origin};

/// Cells of this many degrees (55 km) or more are not expected in an elevation model.
const LARGEST_CELL: f64 = 0.5;

/// The cell size of a grid whose file gives only numbers for cell size and origin.
///
/// The cells are taken to be in degrees when the whole grid lies on the globe (west of no more than
/// 360°, between the poles) *and* the cells are smaller than half a degree or the grid spans the
/// whole globe; in metres otherwise. A map in metres is thus mistaken only if it lies within a few
/// hundred metres of its map's origin, which no national grid does, with cells below 0.5 m.
pub(in crate::elevation) fn cell_from_place(
    origin: Origin,
    width: usize,
    depth: usize,
    x: f64,
    z: f64,
) -> CellSize {
    let (span_x, span_z) = (width as f64 * x, depth as f64 * z);
    // Grids of points reach half a cell beyond the poles and the date line.
    let on_globe = origin.west >= -180.0 - x
        && origin.west + span_x <= 360.0 + x
        && origin.south >= -90.0 - z
        && origin.south + span_z <= 90.0 + z;
    let small = x < LARGEST_CELL && z < LARGEST_CELL;
    // The cells of a map of the whole globe are large, too; it is known by its width of 360°.
    let whole = (span_x - 360.0).abs() <= 1.5 * x && span_z <= 180.0 + 1.5 * z && origin.west <= 0.0;
    if on_globe && (small || whole) { degrees(origin, depth, x, z) } else { CellSize::Metres { x, z } }
}

/// A cell size in degrees for a grid at `origin`.
pub(in crate::elevation) fn degrees(origin: Origin, depth: usize, x: f64, z: f64) -> CellSize {
    let latitude = (origin.south + depth as f64 * z / 2.0).clamp(-90.0, 90.0);
    CellSize::Degrees { x, z, latitude }
}

/// An origin for a grid that has none: its south-western corner at (0, 0) or, for degrees, on the prime
/// meridian at the right latitude. Grids in metres that would be mistaken for degrees there get an origin
/// outside the range of degrees.
pub(in crate::elevation) fn place_for(cell: CellSize, width: usize, depth: usize) -> Origin {
    let zero = Origin { west: 0.0, south: 0.0 };
    match cell {
        CellSize::Degrees { z, latitude, .. } => {
            Origin { west: 0.0, south: latitude - depth as f64 * z / 2.0 }
        }
        // Small numbers near 0 would be read back as degrees, so the land is put elsewhere.
        CellSize::Metres { x, z } if cell_from_place(zero, width, depth, x, z) != cell => {
            Origin { west: 1000.0, south: 1000.0 }
        }
        _ => zero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_and_metres_are_distinguished() {
        let is_degrees = |west: f64, south: f64, width: usize, depth: usize, cell: f64| {
            let cell = cell_from_place(Origin { west, south }, width, depth, cell, cell);
            matches!(cell, CellSize::Degrees { .. })
        };
        assert!(is_degrees(-84.41375, 36.732916, 403, 344, 1.0 / 1200.0));
        assert!(is_degrees(-180.0, -90.0, 360, 180, 1.0));
        assert!(is_degrees(-180.0125, -90.0125, 14401, 7201, 0.025));
        assert!(!is_degrees(0.0, 0.0, 64, 64, 1.0));
        assert!(!is_degrees(0.0, 0.0, 1024, 1024, 0.1), "102 is beyond the pole");
        assert!(!is_degrees(2_600_000.0, 1_200_000.0, 1000, 1000, 0.25));
    }

    #[test]
    fn metres_without_a_place_stay_metres() {
        for (cell, width) in [(0.1, 100), (0.25, 8), (30.0, 500), (1.0, 360)] {
            let cell = CellSize::Metres { x: cell, z: cell };
            let CellSize::Metres { x, z } = cell else { unreachable!() };
            let place = place_for(cell, width, width);
            assert_eq!(cell_from_place(place, width, width, x, z), cell);
        }
    }
}
