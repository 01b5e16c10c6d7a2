//! How the ground of a small picture is lit: the sun with the shadows of the land, and the sky.

use glam::{Vec2, Vec3};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::sky::sun::Sun;

/// The lowest sun that a small picture is lit by, degrees above the horizon: at night nothing would be seen.
const LOWEST_SUN: f32 = 14.0;

/// Light of the sun on ground that faces it, and of the open sky, linear.
const SUNLIGHT: Vec3 = Vec3::new(1.32, 1.18, 0.98);
const SKYLIGHT: Vec3 = Vec3::new(0.30, 0.36, 0.45);

/// How wide the edge of a shadow is, in cells.
const PENUMBRA: f32 = 1.5;

/// The light on every sample, linear.
pub(super) fn on(field: &Heightfield, sun: Sun, work: &Work) -> Result<Vec<Vec3>> {
    use rayon::prelude::*;
    let to_sun = Sun { elevation: sun.elevation.max(LOWEST_SUN), ..sun }.direction();
    let width = field.grid().width;
    let (_, high) = field.range();
    let mut light = vec![Vec3::ZERO; field.grid().count()];
    light.par_chunks_mut(width).enumerate().try_for_each(|(row, out)| {
        work.check()?;
        for (column, out) in out.iter_mut().enumerate() {
            let normal = normal(field, column, row);
            let facing = normal.dot(to_sun).max(0.0);
            let sun =
                if facing > 0.0 { facing * unshadowed(field, high, [column, row], to_sun) } else { 0.0 };
            *out = SUNLIGHT * sun + SKYLIGHT * (0.5 + 0.5 * normal.y);
        }
        Ok(())
    })?;
    Ok(light)
}

fn normal(field: &Heightfield, column: usize, row: usize) -> Vec3 {
    let Grid { width, depth, cell } = field.grid();
    let (west, east) = (column.saturating_sub(1), (column + 1).min(width - 1));
    let (north, south) = (row.saturating_sub(1), (row + 1).min(depth - 1));
    let slope = |from: f32, to: f32, cells: usize| (to - from) / (cells.max(1) as f32 * cell);
    let x = slope(field.at(west, row), field.at(east, row), east - west);
    let z = slope(field.at(column, north), field.at(column, south), south - north);
    Vec3::new(-x, 1.0, -z).normalize()
}

/// The share of the sun that a sample sees over the land between, whose summit is `high`; marched in steps of a cell.
fn unshadowed(field: &Heightfield, high: f32, [column, row]: [usize; 2], to_sun: Vec3) -> f32 {
    let cell = field.grid().cell;
    let along = Vec2::new(to_sun.x, to_sun.z);
    let level = along.length();
    if level < 1e-3 {
        return 1.0;
    }
    let (step, rise) = (along / level * cell, to_sun.y / level * cell);
    let extent = field.grid().extent();
    let mut place = Vec2::new(column as f32, row as f32) * cell;
    let mut ray = field.at(column, row);
    let mut clear = 1.0f32;
    loop {
        place += step;
        ray += rise;
        if ray > high || place.min_element() < 0.0 || place.x > extent.x || place.y > extent.y {
            return clear;
        }
        let over = ray - field.sample(place);
        clear = clear.min(0.5 + over / (PENUMBRA * rise.max(1e-3)));
        if clear <= 0.0 {
            return 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_shades_what_lies_behind_it_as_far_as_the_sun_is_low() {
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
