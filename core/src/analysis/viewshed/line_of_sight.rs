//! Whether one place sees another.
//!
//! The ground is known where the grid's lines run, between two neighbouring samples on a straight line. A
//! line of sight between two places, each above a sample, is blocked if the ground lies above it where it
//! crosses a grid line, of either family, between the two. Ground that only touches it hides nothing.
//!
//! Over a round planet the ground at distance d from the eye lies d² / 2R lower, R being the planet's radius
//! divided by 1 − refraction, which is a parabola in the place of a circle, as in geographic information
//! systems.
//!
//! Both directions give the same answer, because they do the same arithmetic: a crossing is known by whole
//! numbers of cells to either end, and sums of two products are the same whichever comes first.

use glam::{Vec2, Vec3};

use super::curvature::Curvature;
use super::tower::{Tower, check_metres};
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// The result of a look from one place to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sight {
    /// The first ground from the eye that is in the way: metres east (x) and south (z) of the north-west
    /// corner of the land, and its height (y). `None` if the view is clear.
    pub blocked_at: Option<Vec3>,
}

impl Sight {
    /// Whether nothing is in the way.
    pub fn is_clear(&self) -> bool {
        self.blocked_at.is_none()
    }
}

/// Whether `from` sees `to`, each above the sample that is nearest to it, and if not, what is in the way.
/// `to` sees `from` in exactly the same cases.
///
/// ```
/// # use upland_core as upland;
/// use glam::{vec2, vec3};
/// use upland::viewshed::{Tower, line_of_sight};
///
/// let grid = upland::Grid::new(9, 3, 10.0)?;
/// let land = upland::Heightfield::from_fn(grid, |column, _| if column == 4 { 50.0 } else { 0.0 });
/// let from = Tower { position: vec2(0.0, 10.0), height: 10.0 };
/// let sight = |height| line_of_sight(&land, from, Tower { position: vec2(80.0, 10.0), height }, None);
/// assert_eq!(sight(2.0)?.blocked_at, Some(vec3(40.0, 50.0, 10.0)));
/// assert!(sight(100.0)?.is_clear());
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a place lies outside the land, a number is outside its range, or a height on the way is not finite.
pub fn line_of_sight(
    field: &Heightfield,
    from: Tower,
    to: Tower,
    curvature: Option<Curvature>,
) -> Result<Sight> {
    let ground = Ground::new(field, curvature)?;
    let (from, to) = (ground.eye(&from)?, ground.eye(&to)?);
    let blocked_at = ground.first_block(&from, &to);
    let is_finite = |point: Vec3| point.is_finite();
    if !(from.elevation.is_finite() && to.elevation.is_finite() && blocked_at.is_none_or(is_finite)) {
        return Err(Error::parameter("heights", "one is not a number of metres; give finite heights"));
    }
    Ok(Sight { blocked_at })
}

/// A place on a sample.
pub(super) struct Eye {
    /// Column and row.
    pub(super) place: [usize; 2],
    /// Metres above height 0.
    pub(super) elevation: f64,
}

/// The land that is looked over.
pub(super) struct Ground<'a> {
    pub(super) field: &'a Heightfield,
    /// Metres that the ground at a distance of one cell lies lower, on a round planet; 0 on a flat one.
    pub(super) drop: f64,
}

impl<'a> Ground<'a> {
    /// # Errors
    /// When the curvature is outside its range.
    pub(super) fn new(field: &'a Heightfield, curvature: Option<Curvature>) -> Result<Self> {
        let cell = f64::from(field.grid().cell);
        let mut drop = 0.0;
        if let Some(curvature) = curvature {
            curvature.check()?;
            drop = cell * cell / (2.0 * curvature.effective_radius());
        }
        Ok(Self { field, drop })
    }

    /// The sample that a tower stands on, and the elevation of its top.
    ///
    /// # Errors
    /// When it stands outside the land, or its height is outside its range.
    pub(super) fn eye(&self, tower: &Tower) -> Result<Eye> {
        let grid = self.field.grid();
        check_metres("height", tower.height)?;
        let Vec2 { x, y: z } = tower.position;
        let cells = |metres: f32| (f64::from(metres) / f64::from(grid.cell)).round();
        let on_land = |cells: f64, count: usize| (0.0..count as f64).contains(&cells);
        let (column, row) = (cells(x), cells(z));
        if !(on_land(column, grid.width) && on_land(row, grid.depth)) {
            let extent = grid.extent();
            let reason = format!(
                "({x}, {z}) m lies outside the land, which reaches {} m east and {} m south from its north-west corner",
                extent.x, extent.y
            );
            return Err(Error::parameter("position", reason));
        }
        let place = [column as usize, row as usize];
        Ok(Eye { place, elevation: self.height(place) + f64::from(tower.height) })
    }

    /// The height of a sample in metres.
    pub(super) fn height(&self, [column, row]: [usize; 2]) -> f64 {
        f64::from(self.field.at(column, row))
    }

    /// Whether nothing is in the way between two places.
    pub(super) fn is_clear(&self, from: &Eye, to: &Eye) -> bool {
        self.first_block_along(0, from, to).is_none() && self.first_block_along(1, from, to).is_none()
    }

    /// The first ground that is in the way.
    fn first_block(&self, from: &Eye, to: &Eye) -> Option<Vec3> {
        let blocks = [0, 1].map(|axis| self.first_block_along(axis, from, to));
        blocks.into_iter().flatten().min_by(|a, b| a.share.total_cmp(&b.share)).map(|block| block.point)
    }

    /// The first ground in the way where the line crosses columns (`axis` 0) or rows (`axis` 1).
    fn first_block_along(&self, axis: usize, from: &Eye, to: &Eye) -> Option<Block> {
        let side = 1 - axis;
        let steps = to.place[axis].abs_diff(from.place[axis]);
        let aside = to.place[side].abs_diff(from.place[side]);
        // Samples less than two lines apart have no line between them to cross.
        if steps < 2 {
            return None;
        }
        let towards = |axis: usize| if to.place[axis] >= from.place[axis] { 1isize } else { -1 };
        let (outwards, sidewards) = (towards(axis), towards(side));
        let distance_squared = steps as f64 * steps as f64 + aside as f64 * aside as f64;
        let per_step = self.drop / steps as f64;
        let mut place = from.place;
        // The crossing lies `rest` of `steps` parts of a cell beyond the sample at `place`.
        let mut rest = 0;
        for step in 1..steps {
            place[axis] = place[axis].wrapping_add_signed(outwards);
            // The crossing moves by aside / steps cells a line: quotient and remainder are kept as whole
            // numbers, so nothing is rounded.
            rest += aside % steps;
            let whole = aside / steps + rest / steps;
            rest %= steps;
            place[side] = place[side].wrapping_add_signed(sidewards * whole as isize);
            // Everything is multiplied by `steps` instead of divided: comparisons need no quotient.
            let mut ground = self.height(place) * (steps - rest) as f64;
            if rest > 0 {
                let mut beyond = place;
                beyond[side] = beyond[side].wrapping_add_signed(sidewards);
                ground += self.height(beyond) * rest as f64;
            }
            let line = from.elevation * (steps - step) as f64 + to.elevation * step as f64;
            // By how much more than the ends' the ground at the crossing bulges, less what its samples' mean
            // does.
            let along = (step * (steps - step)) as f64 * distance_squared;
            let across = (rest * (steps - rest)) as f64;
            let bulge = (along - across) * per_step;
            // Strictly above: ground that only touches the line hides nothing.
            if ground + bulge > line || !ground.is_finite() {
                let share = step as f64 / steps as f64;
                let mut cells = [0.0; 2];
                cells[axis] = place[axis] as f64;
                cells[side] = place[side] as f64 + sidewards as f64 * rest as f64 / steps as f64;
                let cell = f64::from(self.field.grid().cell);
                let point =
                    [cells[0] * cell, ground / steps as f64, cells[1] * cell].map(|metres| metres as f32);
                return Some(Block { share, point: point.into() });
            }
        }
        None
    }
}

/// Ground that is in the way.
struct Block {
    /// How far along the line it is, in (0, 1).
    share: f64,
    point: Vec3,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn the_first_ground_in_the_way_is_told_from_either_end() {
        let grid = Grid::new(21, 11, 10.0).unwrap();
        let walls = |column: usize| [(6, 30.0), (15, 70.0)].into_iter().find(|wall| wall.0 == column);
        let field = Heightfield::from_fn(grid, |column, _| walls(column).map_or(0.0, |wall| wall.1));
        let tower = |column: f32, row: f32| Tower { position: Vec2::new(column, row) * 10.0, height: 5.0 };
        let (west, east) = (tower(0.0, 0.0), tower(20.0, 10.0));
        let there = line_of_sight(&field, west, east, None).unwrap();
        assert_eq!(there.blocked_at, Some(Vec3::new(60.0, 30.0, 30.0)));
        let back = line_of_sight(&field, east, west, None).unwrap();
        assert_eq!(back.blocked_at, Some(Vec3::new(150.0, 70.0, 75.0)));
        assert!(line_of_sight(&field, west, tower(6.0, 3.0), None).unwrap().is_clear());
    }

    #[test]
    fn a_place_stands_on_the_nearest_sample() {
        let field = Heightfield::from_fn(Grid::new(5, 3, 10.0).unwrap(), |column, row| (column + row) as f32);
        let ground = Ground::new(&field, None).unwrap();
        let eye = |x, z| ground.eye(&Tower { position: Vec2::new(x, z), height: 1.5 }).unwrap();
        for ((x, z), place) in [((14.0, 6.0), [1, 1]), ((-4.0, 24.0), [0, 2]), ((44.0, -4.0), [4, 0])] {
            assert_eq!(eye(x, z).place, place);
            assert_eq!(eye(x, z).elevation, (place[0] + place[1]) as f64 + 1.5);
        }
    }
}
