//! A map of objects: the ground from above in its colours, lit from the north-west, with a dot for every
//! object, as wide as the object where that is wider than a pixel.

use std::path::Path;

use glam::{DVec2, Vec2, Vec3};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::WATER_DEPTH;
use crate::grid::{Heightfield, Window};
use crate::picture::{self, Pixel};
use crate::scatter::{Kind, Object, Rectangle};
use crate::texture::ColourMap;
use crate::{Cache, Recipe};

/// The direction of the map's light.
const LIGHT: Vec3 = Vec3::new(-0.5, 0.62, -0.5);

/// Colours of shallow and of deep water, sRGB-encoded, and the depth in metres at which it is halfway deep.
const SHALLOW: Vec3 = Vec3::new(94.0, 142.0, 158.0);
const DEEP: Vec3 = Vec3::new(30.0, 62.0, 92.0);
const HALF_DEPTH: f32 = 14.0;

/// The least radius of a dot, pixels.
const SMALLEST: f32 = 0.75;

/// How dark the shadow of an object is, and how far it lies to the south-east, in radii.
const SHADOW: f32 = 0.42;
const SHADOW_AWAY: f32 = 0.45;

pub(super) fn write(
    path: &Path,
    recipe: &Recipe,
    window: Window,
    rectangle: Rectangle,
    objects: &[Object],
    pixels: u32,
    cache: &Cache,
    work: &Work,
) -> Result<()> {
    if window.size.contains(&1) {
        return Err(Error::parameter(
            "--window",
            format!("{window} has no ground between its samples to draw"),
        ));
    }
    let ground = Ground::of(recipe, window, cache, work)?;
    let cells = window.size.map(|side| f64::from(side - 1));
    let scale = f64::from(pixels) / cells[0].max(cells[1]);
    let size = cells.map(|cells| ((cells * scale).round() as usize).max(1));
    let mut map = Map { width: size[0], depth: size[1], texels: Vec::new() };
    map.texels = (0..size[0] * size[1])
        .into_par_iter()
        .map(|index| {
            let place = DVec2::new((index % size[0]) as f64 + 0.5, (index / size[0]) as f64 + 0.5);
            ground.seen((place / scale).as_vec2())
        })
        .collect();
    work.check()?;
    map.draw(recipe, rectangle, objects);
    let bytes: Vec<u8> = map
        .texels
        .iter()
        .flat_map(|texel| texel.to_array().map(|part| (part + 0.5).clamp(0.0, 255.0) as u8))
        .collect();
    picture::write(path, (map.width, map.depth), Pixel::Rgb, &bytes)
}

/// The ground of a map.
pub(in crate::cli) struct Ground {
    heights: Heightfield,
    depth: Heightfield,
    /// A texel for every cell.
    colour: ColourMap,
}

impl Ground {
    /// The ground of a window, which must have a cell.
    pub(in crate::cli) fn of(recipe: &Recipe, window: Window, cache: &Cache, work: &Work) -> Result<Self> {
        let ground = recipe.build_window_layers(window, &[WATER_DEPTH], cache, work)?;
        let ready = recipe.prepare_window(window, 1, false, cache, work)?;
        let colour = ready.baker(false, work)?.paint(ready.texels(), work)?.colour;
        Ok(Self { depth: ground.layer(WATER_DEPTH)?.clone(), heights: ground.heights, colour })
    }

    /// The colour at a place, in cells from the window's first sample.
    pub(in crate::cli) fn seen(&self, place: Vec2) -> Vec3 {
        let cell = self.heights.grid().cell;
        let in_metres = place * cell;
        let lit = self.heights.normal(in_metres).dot(LIGHT.normalize()).max(0.0) / LIGHT.normalize().y;
        // Half of the light is the sky's, and level ground has its own colour.
        let land = self.texel(place) * (0.45 + 0.55 * lit);
        let depth = self.depth.sample(in_metres);
        if depth <= 0.0 {
            return land;
        }
        let water = SHALLOW.lerp(DEEP, depth / (depth + HALF_DEPTH));
        // Between a dry and a wet sample the depth rises from 0, so that the shore is not a staircase of
        // cells.
        land.lerp(water, (depth / 1.5).min(0.7).max(depth / 6.0).min(1.0))
    }

    /// The texels around a place, interpolated.
    fn texel(&self, place: Vec2) -> Vec3 {
        let last = Vec2::new(self.colour.width as f32 - 1.0, self.colour.depth as f32 - 1.0);
        let place = (place - 0.5).clamp(Vec2::ZERO, last);
        let (first, share) = (place.floor(), place.fract());
        let at = |x: f32, z: f32| {
            let (x, z) = (x.min(last.x) as usize, z.min(last.y) as usize);
            let [red, green, blue, _] = self.colour.texels[z * self.colour.width + x];
            Vec3::new(red.into(), green.into(), blue.into())
        };
        let row = |z: f32| at(first.x, z).lerp(at(first.x + 1.0, z), share.x);
        row(first.y).lerp(row(first.y + 1.0), share.y)
    }
}

struct Map {
    width: usize,
    depth: usize,
    texels: Vec<Vec3>,
}

impl Map {
    /// Draws a dot for every object, the smallest kinds first, so that trees cover grass.
    fn draw(&mut self, recipe: &Recipe, rectangle: Rectangle, objects: &[Object]) {
        let kinds: Vec<Kind> = recipe.scatter.iter().map(|rule| Kind::of(&rule.object)).collect();
        let across = rectangle.high[0] - rectangle.low[0];
        let scale = self.width as f64 / across.max(f64::MIN_POSITIVE);
        let mut order: Vec<(&Object, f32)> = objects
            .iter()
            .map(|object| (object, kinds[object.rule as usize].radius * object.size * scale as f32))
            .collect();
        // By number where two are equally large, so that the map is the same in every run.
        order.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.id.cmp(&other.0.id)));
        for (object, radius) in order {
            let middle =
                DVec2::new(object.position.x - rectangle.low[0], object.position.z - rectangle.low[1])
                    * scale;
            let (middle, radius) = (middle.as_vec2(), radius.max(SMALLEST));
            // Each object has its own shade, so that a wood is not a uniform surface.
            let shade = 0.86 + 0.28 * (object.id >> 56) as f32 / 255.0;
            let colour = Vec3::from(kinds[object.rule as usize].colour.map(f32::from)) * shade;
            // The shadow of a dot of one or two pixels would be as large as the dot.
            if radius > 1.5 {
                self.dot(middle + radius * SHADOW_AWAY, radius, |_, texel| texel * (1.0 - SHADOW));
            }
            self.dot(middle, radius, |from_middle, _| {
                // Shaded like a ball.
                let rise = (1.0 - from_middle.length_squared()).max(0.0).sqrt();
                let normal = Vec3::new(from_middle.x, rise, from_middle.y);
                colour * (0.62 + 0.5 * normal.dot(LIGHT.normalize()).max(0.0))
            });
        }
    }

    /// Changes the texels within a radius; `paint` gets the place relative to the middle, in radii.
    fn dot(&mut self, middle: Vec2, radius: f32, paint: impl Fn(Vec2, Vec3) -> Vec3) {
        let range = |place: f32, count: usize| {
            let low = (place - radius - 1.0).floor().clamp(0.0, count as f32) as usize;
            low..((place + radius + 1.0).ceil().clamp(0.0, count as f32) as usize)
        };
        for row in range(middle.y, self.depth) {
            for column in range(middle.x, self.width) {
                let away = Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - middle;
                let share = (radius + 0.5 - away.length()).clamp(0.0, 1.0);
                if share > 0.0 {
                    let texel = &mut self.texels[row * self.width + column];
                    *texel = texel.lerp(paint(away / radius, *texel), share);
                }
            }
        }
    }
}
