//! Where shifted ground passes through itself.
//!
//! Overhangs are not folds: there the ground is only turned upside down. Ground passes through itself where
//! neighbouring samples at the same height change sides, as in a pillar that is hollowed out farther than it
//! is thick. Along a contour line with unit tangent t, places move by J·t, where J is the Jacobian of the
//! shifted place; they change sides where t·J·t is not above 0. On level ground they change sides where the
//! determinant is below 0.

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// Rise per metre below which ground is level.
const LEVEL: f32 = 1e-6;

/// The share of samples at which the ground passes through itself. Shifts are in metres; `None` means no
/// shift.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn folded_share(
    heights: &Heightfield,
    [east, south]: [Option<&Heightfield>; 2],
    work: &Work,
) -> Result<f64> {
    let grid = heights.grid();
    let change = |shift: Option<&Heightfield>, column: usize, row: usize| {
        shift.map_or(Vec2::ZERO, |shift| shift.gradient_at(column, row))
    };
    let is_folded = |column: usize, row: usize| {
        let (x, z) = (Vec2::X + change(east, column, row), Vec2::Y + change(south, column, row));
        let rise = heights.gradient_at(column, row);
        if rise.length() < LEVEL {
            // Without a contour line there is no direction t.
            return x.perp_dot(z) < 0.0;
        }
        let along = rise.perp().normalize();
        along.dot(Vec2::new(x.dot(along), z.dot(along))) <= 0.0
    };
    let rows = (0..grid.depth).into_par_iter().map(|row| {
        work.check()?;
        Ok::<_, Error>((0..grid.width).filter(|&column| is_folded(column, row)).count())
    });
    Ok(rows.try_reduce(|| 0, |a, b| Ok(a + b))? as f64 / grid.count() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// The share of a cone of 30 m that is moved towards its axis by `by` metres, as far as there is ground.
    fn share_of_cone(by: f32) -> f64 {
        let grid = Grid::new(61, 61, 1.0).unwrap();
        let from_axis = |column: usize, row: usize| Vec2::new(column as f32 - 30.0, row as f32 - 30.0);
        let heights = Heightfield::from_fn(grid, |column, row| -from_axis(column, row).length());
        let shift = |axis: usize| {
            Heightfield::from_fn(grid, |column, row| -by * from_axis(column, row).normalize_or_zero()[axis])
        };
        folded_share(&heights, [Some(&shift(0)), Some(&shift(1))], &Work::new()).unwrap()
    }

    #[test]
    fn a_pillar_folds_where_it_is_moved_farther_than_it_is_thick() {
        assert_eq!(share_of_cone(0.5), 0.0);
        for by in [6.0, 12.0] {
            let expected = std::f64::consts::PI * by * by / (61.0 * 61.0);
            let found = share_of_cone(by as f32);
            assert!((found / expected - 1.0).abs() < 0.25, "{by} m: {found} in place of {expected}");
        }
    }

    #[test]
    fn an_overhang_is_no_fold_and_level_ground_that_changes_sides_is() {
        let grid = Grid::new(41, 5, 1.0).unwrap();
        let slope = Heightfield::from_fn(grid, |column, _| column as f32);
        // Higher ground stands farther west: all of it is an underside.
        let turned = Heightfield::from_fn(grid, |column, _| -2.0 * column as f32);
        let share =
            |heights: &Heightfield| folded_share(heights, [Some(&turned), None], &Work::new()).unwrap();
        assert_eq!(share(&slope), 0.0);
        assert_eq!(share(&Heightfield::flat(grid, 3.0)), 1.0);
        assert_eq!(folded_share(&slope, [None, None], &Work::new()).unwrap(), 0.0);
    }
}
