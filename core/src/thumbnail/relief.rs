//! Land from above in light from the north-west, small: for lists of steps.

use glam::{Vec2, Vec3};
use image::{Rgba, RgbaImage};

use crate::grid::{Grid, Heightfield};
use crate::texture::level_from_linear;

/// Colours of the lowest and the highest ground, linear.
const LOW: Vec3 = Vec3::new(0.10, 0.16, 0.13);
const HIGH: Vec3 = Vec3::new(0.78, 0.74, 0.66);

/// How steep the steepest slopes are made to look, as a tangent: flat land is shown as clearly as mountains.
const STEEPEST: f32 = 1.2;

/// Draws a land from above, north at the top, stretched over a picture of this width and height in pixels.
/// Heights and slopes are shown on a scale of their own; level land is grey.
pub fn relief(field: &Heightfield, (width, height): (u32, u32)) -> RgbaImage {
    let Grid { width: columns, depth: rows, cell } = field.grid();
    let (low, high) = field.range();
    let range = high - low;
    let extent = Vec2::new((columns - 1) as f32, (rows - 1) as f32) * cell;
    // A relief as high as a tenth of the land is wide has such slopes. Relative to the range, or low land
    // would look level and high land like needles.
    let upright = STEEPEST * 0.1 * extent.max_element().max(cell) / range.max(f32::MIN_POSITIVE);
    let light = Vec3::new(-0.55, 0.6, -0.55).normalize();
    let place = |x: u32, y: u32| {
        let share = Vec2::new((x as f32 + 0.5) / width as f32, (y as f32 + 0.5) / height as f32);
        let at = |share: f32, count: usize| ((share * count as f32) as usize).min(count - 1);
        [at(share.x, columns), at(share.y, rows)]
    };
    RgbaImage::from_fn(width, height, |x, y| {
        let [column, row] = place(x, y);
        // Level land has no range to show, and one that isn't finite makes no colour.
        let flat = range <= 0.0 || !range.is_finite();
        let colour = if flat {
            LOW.lerp(HIGH, 0.5)
        } else {
            let normal = field.normal_at(column, row);
            let steep = Vec3::new(normal.x * upright, normal.y, normal.z * upright).normalize_or(Vec3::Y);
            let lit = 0.25 + 1.1 * steep.dot(light).max(0.0);
            LOW.lerp(HIGH, (field.at(column, row) - low) / range) * lit
        };
        let [r, g, b] = colour.to_array().map(level_from_linear);
        Rgba([r, g, b, 255])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_that_face_the_light_are_brighter_and_level_land_is_even() {
        let grid = Grid::new(33, 33, 10.0).unwrap();
        let ridge = Heightfield::from_fn(grid, |column, _| 16.0 - (column as f32 - 16.0).abs());
        let picture = relief(&ridge, (33, 20));
        let bright = |x: u32| u32::from(picture.get_pixel(x, 10).0[1]);
        assert!(bright(8) > bright(24) + 20, "{} {}", bright(8), bright(24));
        for flat in [Heightfield::flat(grid, 5.0), Heightfield::flat(Grid::new(1, 1, 1.0).unwrap(), 0.0)] {
            let picture = relief(&flat, (8, 5));
            assert!(picture.pixels().all(|pixel| pixel == picture.get_pixel(0, 0)));
        }
    }
}
