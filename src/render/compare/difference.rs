//! The difference of two lands as a map.

use bevy::prelude::*;
use image::{Rgba, RgbaImage};

use crate::analysis::Difference;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::plugin::origin_of;
use crate::render::legend::Legend;
use crate::render::overview_window::{FAR, window};
use crate::render::short_numbers::short;
use crate::texture::ColourMap;
use crate::{Cache, Recipe};

/// Colours from the second land far below the first to far above it: the scheme RdBu of C. Brewer's
/// ColorBrewer, turned round, which people who cannot tell red from green see too. sRGB.
const SCALE: [[u8; 3]; 9] = [
    [33, 102, 172],
    [67, 147, 195],
    [146, 197, 222],
    [209, 229, 240],
    [247, 247, 247],
    [253, 219, 199],
    [244, 165, 130],
    [214, 96, 77],
    [178, 24, 43],
];

/// The colour around the map.
const BESIDE: Rgba<u8> = Rgba([28, 30, 33, 255]);

/// How dark slopes away from the light are at most, as a share.
const SHADE: f32 = 0.35;

/// Heights of the second land above the first, where both have samples, and those of the second; of endless
/// land around its middle.
///
/// # Errors
/// When a land cannot be made, and those of [`Difference::new`].
pub(crate) fn between(
    recipes: [&Recipe; 2],
    caches: [&Cache; 2],
    work: &Work,
) -> Result<(Difference, Heightfield)> {
    let heights = |index: usize| {
        let recipe = recipes[index];
        let (window, _) = window(recipe, &[-origin_of(recipe)], FAR)?;
        Ok(recipe.build_window(window, caches[index], work)?.heights)
    };
    let second = heights(1)?;
    Ok((Difference::new(&heights(0)?, &second, work)?, second))
}

/// A map of it from above, north at the top, in a picture of this size.
pub(crate) fn map(difference: &Difference, (width, height): (u32, u32)) -> RgbaImage {
    let Grid { width: columns, depth: rows, cell } = difference.heights.grid();
    let field = &difference.heights;
    // One scale to both sides, so that white is no difference.
    let most = difference.largest().max(f32::MIN_POSITIVE);
    let scale = (width as f32 / columns as f32).min(height as f32 / rows as f32);
    let corner = Vec2::new(width as f32 - columns as f32 * scale, height as f32 - rows as f32 * scale) / 2.0;
    let sample = |p: Vec2| field.at((p.x as usize).min(columns - 1), (p.y as usize).min(rows - 1));
    RgbaImage::from_fn(width, height, |x, y| {
        let p = (Vec2::new(x as f32, y as f32) + 0.5 - corner) / scale;
        if p.min_element() < 0.0 || p.x >= columns as f32 || p.y >= rows as f32 {
            return BESIDE;
        }
        let here = sample(p);
        // Light from the north-west shows the shape of what differs little.
        let lit = (sample((p - 1.0).max(Vec2::ZERO)) - here) / cell;
        // Saturates, so that cliffs do not become black.
        let shade = 1.0 - SHADE * (lit / (1.0 + lit.abs())).max(0.0);
        let colour = colour(here / most).map(|part| (f32::from(part) * shade).round() as u8);
        Rgba([colour[0], colour[1], colour[2], 255])
    })
}

/// Its colours, one for each sample.
pub(crate) fn colours(difference: &Difference) -> ColourMap {
    let field = &difference.heights;
    let Grid { width, depth, .. } = field.grid();
    let most = difference.largest().max(f32::MIN_POSITIVE);
    let texel = |here: &f32| {
        let [r, g, b] = colour(here / most);
        [r, g, b, 255]
    };
    ColourMap { width, depth, texels: field.heights().iter().map(texel).collect() }
}

/// The meanings of its colours.
pub(crate) fn legend(difference: &Difference, titles: [&str; 2]) -> Legend {
    let most = difference.largest();
    let colours = (0..=16).map(|step| colour(step as f32 / 8.0 - 1.0));
    let mut notes = vec![
        format!("mean {}, RMS {} m", signed(difference.mean), short(difference.rms)),
        format!("from {} to {} m", signed(difference.low.into()), signed(difference.high.into())),
    ];
    let share = difference.correlation.map(|share| format!("{share:.3}").replace('-', "−"));
    notes.extend(share.map(|share| format!("correlation {share}")));
    if most == 0.0 {
        return Legend::of_text("Difference", ["none: both lands are the same".to_owned()]);
    }
    let ends = (format!("−{} m", short(most.into())), format!("+{} m", short(most.into())));
    Legend::of_scale(&format!("{} above {}", titles[1], titles[0]), ends, colours.collect(), notes)
}

/// The colour of a share of the scale, from −1 to 1.
pub(crate) fn colour(share: f32) -> [u8; 3] {
    let place = (share.clamp(-1.0, 1.0) + 1.0) * 4.0;
    let index = (place as usize).min(7);
    let [a, b] = [SCALE[index], SCALE[index + 1]].map(|colour| Vec3::from(colour.map(f32::from)));
    a.lerp(b, place - index as f32).to_array().map(|part| part.round() as u8)
}

fn signed(number: f64) -> String {
    let sign = if number > 0.0 {
        "+"
    } else if number < 0.0 {
        "−"
    } else {
        ""
    };
    format!("{sign}{}", short(number.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_blue_over_white_to_red() {
        assert_eq!([colour(-1.0), colour(0.0), colour(1.0)], [SCALE[0], SCALE[4], SCALE[8]]);
        assert_eq!([colour(-7.0), colour(7.0)], [SCALE[0], SCALE[8]]);
        let luminance = |[r, g, b]: [u8; 3]| 2 * u32::from(r) + 5 * u32::from(g) + u32::from(b);
        for step in 0..8 {
            assert!(luminance(colour(0.125 * step as f32)) > luminance(colour(0.125 * (step + 1) as f32)));
            assert!(luminance(colour(-0.125 * step as f32)) > luminance(colour(-0.125 * (step + 1) as f32)));
        }
    }

    #[test]
    fn everybody_can_tell_how_much_and_whether_higher_or_lower() {
        use crate::math::vision::{CATEGORIES, STOPS, all_apart, linear, neighbours_apart};
        assert_eq!(neighbours_apart(&SCALE.map(linear), STOPS), Ok(()));
        for step in 0..4 {
            let sides = [SCALE[step], SCALE[4], SCALE[8 - step]].map(linear);
            assert_eq!(all_apart(&sides, if step < 3 { CATEGORIES } else { STOPS }), Ok(()), "{step}");
        }
    }

    #[test]
    fn a_map_has_north_at_the_top_and_keeps_the_shape_of_the_land() {
        let grid = Grid::new(20, 10, 1.0).unwrap();
        let level = Heightfield::flat(grid, 5.0);
        let higher = Heightfield::from_fn(grid, |_, row| if row < 5 { 6.0 } else { 4.0 });
        let difference = Difference::new(&level, &higher, &Work::new()).unwrap();
        let map = map(&difference, (100, 100));
        assert_eq!(map.get_pixel(50, 10), &BESIDE, "above a land that is wider than high");
        assert_eq!(map.get_pixel(50, 30).0[..3], SCALE[8]);
        assert_eq!(map.get_pixel(50, 70).0[..3], SCALE[0]);
    }

    #[test]
    fn numbers_have_signs_and_few_digits() {
        let numbers = [0.0, 12.34, -0.456, 3.13].map(signed);
        assert_eq!(numbers, ["0", "+12", "−0.46", "+3.1"]);
    }
}
