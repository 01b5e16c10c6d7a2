//! The place of a collider's tile.

use glam::DVec2;

use crate::grid::Window;
use crate::stream::LandShape;

/// Cells along a side of a collider's tile: half of those of a tile that is drawn, so that little ground is
/// made that no body comes near.
pub const COLLIDER_CELLS: i64 = 64;

/// A collider's square of a land: its cells are those between the samples of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColliderPlace {
    /// Level of the samples.
    pub level: i32,
    /// Tiles of this level to the east of sample (0, 0).
    pub column: i64,
    /// Tiles of this level to the south.
    pub row: i64,
}

impl ColliderPlace {
    /// The place of a level that contains a point, in metres from sample (0, 0), also where there is no land.
    pub fn at(shape: &LandShape, level: i32, x: f64, z: f64) -> Self {
        let side = f64::from(shape.cell_at(level)) * COLLIDER_CELLS as f64;
        // Casts saturate.
        Self { level, column: (x / side).floor() as i64, row: (z / side).floor() as i64 }
    }

    /// The place of the next coarser level of which it is a quarter.
    pub fn parent(self) -> Self {
        Self { level: self.level.saturating_add(1), column: self.column >> 1, row: self.row >> 1 }
    }

    /// Its quarters: north-west, north-east, south-west, south-east. At the largest numbers they saturate.
    pub fn children(self) -> [Self; 4] {
        let child = |column: i64, row: i64| Self {
            level: self.level.saturating_sub(1),
            column: self.column.saturating_mul(2).saturating_add(column),
            row: self.row.saturating_mul(2).saturating_add(row),
        };
        [child(0, 0), child(1, 0), child(0, 1), child(1, 1)]
    }

    /// Its samples.
    pub fn window(self) -> Window {
        let first = [self.column, self.row].map(|place| place.saturating_mul(COLLIDER_CELLS));
        Window { level: self.level, first, size: [COLLIDER_CELLS as u32 + 1; 2] }
    }

    /// Its north-west and south-east corner, in metres from sample (0, 0).
    pub fn rectangle(self, shape: &LandShape) -> (DVec2, DVec2) {
        let side = f64::from(shape.cell_at(self.level)) * COLLIDER_CELLS as f64;
        let corner = DVec2::new(self.column as f64, self.row as f64) * side;
        (corner, corner + side)
    }

    /// Whether any of its area is land.
    pub fn has_land(self, shape: &LandShape) -> bool {
        let (low, high) = self.rectangle(shape);
        match shape.extent() {
            Some(extent) => {
                high.cmpgt(DVec2::ZERO).all() && low.cmplt(extent).all() && extent.cmpgt(DVec2::ZERO).all()
            }
            // Tiles can be counted.
            None => self.column.unsigned_abs().max(self.row.unsigned_abs()) < 1 << 30,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quarters_tile_their_parent_on_both_sides_of_the_origin() {
        let shape = LandShape::endless(3.0, -4, 1000.0);
        for (column, row) in [(0, 0), (3, -5), (-1, -1), (-8, 7)] {
            let place = ColliderPlace { level: -1, column, row };
            let children = place.children();
            assert!(children.iter().all(|child| child.parent() == place));
            let (low, high) = place.rectangle(&shape);
            assert_eq!((children[0].rectangle(&shape).0, children[3].rectangle(&shape).1), (low, high));
            let middle = 0.5 * (low + high);
            assert_eq!(ColliderPlace::at(&shape, -1, middle.x, middle.y), place);
        }
    }

    #[test]
    fn there_is_no_land_beyond_the_border_or_where_tiles_cannot_be_counted() {
        let shape = LandShape::bounded(2.0, [65, 130], -1);
        let has = |level, column, row| ColliderPlace { level, column, row }.has_land(&shape);
        assert!(has(0, 0, 0) && has(0, 0, 2) && has(-1, 1, 4));
        assert!(!has(0, 1, 0) && !has(0, -1, 0) && !has(0, 0, 3) && !has(-1, 2, 0));
        let dot = LandShape::bounded(2.0, [1, 1], 0);
        assert!(!ColliderPlace { level: 0, column: 0, row: 0 }.has_land(&dot));
        let endless = LandShape::endless(2.0, 0, 500.0);
        assert!(ColliderPlace::at(&endless, 0, -1e9, 5e8).has_land(&endless));
        assert!(!ColliderPlace::at(&endless, 0, 1e30, 0.0).has_land(&endless));
    }
}
