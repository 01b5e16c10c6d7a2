//! How the ground of a small picture is lit: the sun with the shadows of the land, and the sky.

use glam::Vec3;
use rayon::prelude::*;

use crate::analysis::sun_view;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::sky::sun::Sun;

/// The lowest sun of a small picture, degrees above the horizon: at night nothing would be visible.
const LOWEST_SUN: f32 = 14.0;

/// Light of the sun on ground that faces it, and of the open sky, linear.
const SUNLIGHT: Vec3 = Vec3::new(1.32, 1.18, 0.98);
const SKYLIGHT: Vec3 = Vec3::new(0.30, 0.36, 0.45);

/// The light on every sample, linear.
pub(super) fn on(field: &Heightfield, sun: Sun, work: &Work) -> Result<Vec<Vec3>> {
    // With the sun near the horizon or below it, the small picture would be dark.
    let sun = Sun { elevation: sun.elevation.max(LOWEST_SUN), ..sun };
    let (to_sun, seen) = (sun.direction(), sun_view(field, sun, work)?);
    let width = field.grid().width;
    let mut light = vec![Vec3::ZERO; field.grid().count()];
    light.par_chunks_mut(width).enumerate().try_for_each(|(row, out)| {
        work.check()?;
        for (column, out) in out.iter_mut().enumerate() {
            let normal = field.normal_at(column, row);
            let sun = normal.dot(to_sun).max(0.0) * seen.at(column, row);
            // Half of the sky is seen by upright ground, all of it by level ground.
            *out = SUNLIGHT * sun + SKYLIGHT * (0.5 + 0.5 * normal.y);
        }
        Ok(())
    })?;
    Ok(light)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn a_wall_casts_a_shadow_as_long_as_the_sun_is_low() {
        let grid = Grid::new(65, 9, 10.0).unwrap();
        let wall = Heightfield::from_fn(grid, |column, _| if column == 32 { 100.0 } else { 0.0 });
        let sun = Sun { bearing: 270.0, elevation: 45.0 };
        let light = on(&wall, sun, &Work::new()).unwrap();
        let at = |column: usize| light[4 * 65 + column].x;
        assert!(at(10) > 0.9 && at(55) > 0.9, "in the sun: {} {}", at(10), at(55));
        assert!(at(36) < 0.4 && at(40) < 0.4, "100 m high: a shadow of 10 cells");
        assert!(at(46) > 0.9);
    }

    #[test]
    fn the_sun_below_the_horizon_still_shows_the_land() {
        let flat = Heightfield::flat(Grid::new(5, 5, 1.0).unwrap(), 0.0);
        let night = Sun { elevation: -10.0, ..Sun::default() };
        assert!(on(&flat, night, &Work::new()).unwrap()[12].x > 0.3);
    }
}
