//! Maps of any part of a land, bounded or endless: from above, in the colours of its texture, with water.

use image::{Rgba, RgbaImage};

use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{LEVELS, Window};
use crate::recipe::Recipe;
use crate::texture::{Light, level_from_linear};

/// The accepted widths and heights, pixels.
const SIDES: std::ops::RangeInclusive<u32> = 1..=4096;

/// Colour of deep water, linear.
const DEEP: [f32; 3] = [0.012, 0.045, 0.075];

/// Depth of water in metres through which a third of the ground's light returns.
const CLEAR: f32 = 6.0;

/// Each pixel is the mean of this many points along each of its sides: the land's samples are up to twice as
/// close as pixels.
const PLACES: u32 = 2;

/// Draws a part of a recipe's land from above, north at the top, into a picture of this width and height in
/// pixels, 1 to 4096 each. The part has two corners, north-west and south-east: metres east and south of the
/// land's sample (0, 0), which is the origin of endless land. The ground is lit from the north-west, as on
/// maps, unless its texture has light of its own. Beyond the border of bounded land the picture is
/// transparent.
///
/// Land is made at the level whose samples are about as far apart as pixels. Steps that need all of the land,
/// such as erosion, run once for all of it; `cache` keeps the result.
///
/// ```
/// # use upland_core as upland;
/// use upland::steps::generate::Fbm;
/// use upland::{Cache, Recipe, Step, Work, minimap};
///
/// let mut recipe = Recipe::endless(10_000.0);
/// recipe.steps.push(Step::new(Fbm { height: 800.0, ..Fbm::default() }));
/// // Four kilometres around a place 20 km east of the origin.
/// let around = [[18_000.0, -2000.0], [22_000.0, 2000.0]];
/// let picture = minimap(&recipe, around, (64, 64), &Cache::default(), &Work::new())?;
/// assert_eq!(picture.get_pixel(5, 5).0[3], 255);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the size is out of range, or the corners are not finite or in the wrong order; when there is no land
/// between them; those of making the land and its colours, and [`Error::Cancelled`].
#[doc(alias("map", "top_down"))]
pub fn minimap(
    recipe: &Recipe,
    [low, high]: [[f64; 2]; 2],
    (width, height): (u32, u32),
    cache: &Cache,
    work: &Work,
) -> Result<RgbaImage> {
    if !(SIDES.contains(&width) && SIDES.contains(&height)) {
        let (least, most) = (SIDES.start(), SIDES.end());
        let reason = format!("{width}×{height} pixels are outside {least} to {most} a side");
        return Err(Error::parameter("size", reason));
    }
    let extent = [high[0] - low[0], high[1] - low[1]];
    if !extent.iter().all(|side| side.is_finite() && *side > 0.0) {
        let reason = format!(
            "from ({}, {}) to ({}, {}) is not a part of a land; give its north-west corner first, then its south-east corner",
            low[0], low[1], high[0], high[1]
        );
        return Err(Error::parameter("part", reason));
    }
    let domain = recipe.domain()?;
    let pixel = [extent[0] / f64::from(width), extent[1] / f64::from(height)];
    // The coarsest level that still has a sample for each pixel.
    let level = libm::log2(pixel[0].max(pixel[1]) / f64::from(domain.cell())).floor();
    // Coarser land has less than a cell.
    let has_cells = |level: &i32| domain.size_at(*level).is_none_or(|size| size.iter().all(|side| *side > 1));
    let coarsest = LEVELS.rev().find(has_cells).unwrap_or_default();
    let level = (level as i32).clamp(*LEVELS.start(), coarsest);
    let spacing = f64::from(domain.cell_at(level));
    let size = domain.size_at(level);
    // The samples around the part, as far as there is land.
    let mut window = Window { level, first: [0; 2], size: [0; 2] };
    for axis in 0..2 {
        let (mut first, mut last) = ((low[axis] / spacing).floor(), (high[axis] / spacing).ceil());
        if let Some(size) = size {
            let end = (size[axis] - 1) as f64;
            (first, last) = (first.clamp(0.0, end), last.clamp(0.0, end));
        }
        if last - first < 1.0 {
            return Err(Error::parameter("part", "lies outside the land; give one that overlaps it"));
        }
        window.first[axis] = first as i64;
        window.size[axis] = (last - first) as u32 + 1;
    }

    // Light without shadows: these would need land far beyond the window.
    let mut lit = recipe.clone();
    lit.texture = recipe.drawn_texture().with(&|texture| {
        texture.light.get_or_insert(Light { shadows: false, ..Light::default() });
    });
    let of_colours = &work.part(0.0, 0.8);
    let ready = lit.prepare_window(window, 1, false, cache, of_colours)?;
    let colours = ready.baker(false, of_colours)?.paint(ready.texels(), of_colours)?.colour;
    let water = recipe.build_window_layers(window, &[WATER_DEPTH], cache, &work.part(0.8, 1.0))?;
    let depths = water.layers().get(WATER_DEPTH);

    let linear = |level: u8| crate::texture::LINEAR[usize::from(level)];
    // The colour at a point, linear; `None` outside the land.
    let at = |x: f64, z: f64| {
        let place = [x, z].map(|metres| metres / spacing);
        let cell = |axis: usize| {
            let index = place[axis] - window.first[axis] as f64;
            let cells = f64::from(window.size[axis] - 1);
            (0.0..=cells).contains(&index).then(|| (index as usize).min(cells as usize - 1))
        };
        let (column, row) = (cell(0)?, cell(1)?);
        let [red, green, blue, _] = colours.texels[row * colours.width + column];
        let ground = [red, green, blue].map(linear);
        let depth = depths.map_or(0.0, |depths| depths.at(column, row).max(0.0));
        // Beer and Lambert's law of light in water.
        let seen = libm::expf(-depth / CLEAR);
        Some(std::array::from_fn::<f32, 3, _>(|channel| {
            DEEP[channel] + (ground[channel] - DEEP[channel]) * seen
        }))
    };
    let mut picture = RgbaImage::new(width, height);
    for (x, y, texel) in picture.enumerate_pixels_mut() {
        if x == 0 {
            work.check()?;
        }
        let (mut sum, mut count) = ([0.0; 3], 0.0);
        for place in 0..PLACES * PLACES {
            let share =
                // At the middles of PLACES² equal parts of the pixel.
                |index: u32, pixels: u32| f64::from(index) + (f64::from(pixels) + 0.5) / f64::from(PLACES);
            let east = low[0] + share(x, place % PLACES) * pixel[0];
            let south = low[1] + share(y, place / PLACES) * pixel[1];
            if let Some(colour) = at(east, south) {
                // Summed in linear light, in which means of colours are right.
                (0..3).for_each(|channel| sum[channel] += colour[channel]);
                count += 1.0;
            }
        }
        if count > 0.0 {
            let [red, green, blue] = sum.map(|channel| level_from_linear(channel / count));
            *texel = Rgba([red, green, blue, 255]);
        }
    }
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Step;
    use crate::texture::{TerrainType, Texture};
    use crate::{Heightfield, Skin};

    /// Land that rises to the east, with a sea over its western half, of one colour.
    fn slope(endless: bool) -> Recipe {
        let size = if endless { "endless" } else { "(65, 33)" };
        let text = format!(
            r##"(version: 1, name: "Slope", size: {size}, cell: 10, water: (sea: true), steps: [fbm(height: 200, frequency: 2)],
                texture: custom(types: [(name: "grass", colour: "#808080")], occlusion: 0))"##
        );
        Recipe::from_ron(&text, "slope.ron").unwrap()
    }

    fn drawn(recipe: &Recipe, part: [[f64; 2]; 2], size: (u32, u32)) -> RgbaImage {
        minimap(recipe, part, size, &Cache::default(), &Work::new()).unwrap()
    }

    #[test]
    fn a_map_of_any_size_shows_land_and_water_and_is_clear_beside_them() {
        let recipe = slope(false);
        for size in [(64, 32), (7, 90), (1, 1), (300, 20)] {
            let picture = drawn(&recipe, [[0.0, 0.0], [640.0, 320.0]], size);
            assert_eq!(picture.dimensions(), size);
            assert!(picture.pixels().all(|pixel| pixel.0[3] == 255), "{size:?}");
        }
        // Pixels over water are blue, those over dry ground grey.
        let picture = drawn(&recipe, [[0.0, 0.0], [640.0, 320.0]], (64, 32));
        let field: Heightfield = recipe.build_heightfield(&Work::new()).unwrap();
        let (mut wet, mut dry) = (0, 0);
        for (x, y, pixel) in picture.enumerate_pixels() {
            let around = [field.at(x as usize, y as usize), field.at(x as usize + 1, y as usize + 1)];
            let [red, _, blue, _] = pixel.0.map(i32::from);
            if around.iter().all(|height| *height < -12.0) {
                assert!(blue > red + 8, "{pixel:?} at {around:?}");
                wet += 1;
            } else if around.iter().all(|height| *height > 1.0) {
                assert!((blue - red).abs() < 4, "{pixel:?} at {around:?}");
                dry += 1;
            }
        }
        assert!(wet > 50 && dry > 50, "{wet} {dry}");
        // Half of this lies west of the land.
        let picture = drawn(&recipe, [[-320.0, 0.0], [320.0, 320.0]], (32, 16));
        assert_eq!((picture.get_pixel(3, 3).0[3], picture.get_pixel(28, 3).0[3]), (0, 255));
    }

    #[test]
    fn a_part_of_endless_land_is_the_same_in_every_map_of_its_scale() {
        let recipe = slope(true);
        let whole = drawn(&recipe, [[-5000.0, 3000.0], [-3720.0, 4280.0]], (128, 128));
        let part = drawn(&recipe, [[-4680.0, 3320.0], [-4040.0, 3960.0]], (64, 64));
        for (x, y, pixel) in part.enumerate_pixels() {
            assert_eq!(pixel, whole.get_pixel(x + 32, y + 32), "{x}, {y}");
        }
        assert!(part.pixels().any(|pixel| pixel != part.get_pixel(0, 0)));
    }

    #[test]
    fn invalid_parts_of_the_land_are_refused() {
        let recipe = slope(false);
        let said = |part: [[f64; 2]; 2], size: (u32, u32)| {
            minimap(&recipe, part, size, &Cache::default(), &Work::new()).unwrap_err().to_string()
        };
        let all = [[0.0, 0.0], [640.0, 320.0]];
        assert!(said(all, (0, 9)).contains("1 to 4096"));
        assert!(said([[640.0, 0.0], [0.0, 320.0]], (9, 9)).contains("north-west corner first"));
        assert!(said([[0.0, 0.0], [f64::NAN, 320.0]], (9, 9)).contains("north-west corner first"));
        assert!(said([[0.0, 0.0], [f64::INFINITY, 320.0]], (9, 9)).contains("north-west corner first"));
        assert!(said([[9000.0, 0.0], [9900.0, 320.0]], (9, 9)).contains("lies outside the land"));
        // A texture with light of its own keeps it.
        let types = vec![TerrainType::new("rock", [0.5; 3])];
        let texture =
            Texture { types, light: Some(Light { strength: 0.0, ..Light::default() }), ..Texture::default() };
        let dark = Recipe { texture: Skin::Custom(texture), ..Recipe::new("Flat", (9, 9), 10.0) };
        let [red, ..] = drawn(
            &Recipe { steps: vec![Step::from_name("flat").unwrap()], ..dark },
            [[0.0, 0.0], [80.0, 80.0]],
            (4, 4),
        )
        .get_pixel(1, 1)
        .0;
        assert!(red < 110, "{red}");
    }
}
