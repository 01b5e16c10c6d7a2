//! A map of costs: the ground from above, light yellow where it is cheap, over green and blue to violet where
//! it is expensive, dark and hatched where it is off-limits; the path over it is white.

use std::path::Path as FilePlace;

use glam::{DVec2, Vec2, Vec3};
use rayon::prelude::*;

use crate::agents::{CostMap, Path};
use crate::cli::commands::scatter::map::Ground;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::picture::{self, Pixel};
use crate::{Cache, Recipe};

/// Colours of costs, sRGB-encoded: at 1, 2, 4 … times the least. The colour map viridis, reversed.
const COLOURS: [Vec3; 5] = [
    Vec3::new(253.0, 231.0, 37.0),
    Vec3::new(94.0, 201.0, 98.0),
    Vec3::new(33.0, 145.0, 140.0),
    Vec3::new(59.0, 82.0, 139.0),
    Vec3::new(68.0, 1.0, 84.0),
];

/// The share of the cost's colour; the rest is the ground's.
const SHARE: f32 = 0.55;

/// Off-limits ground: its colour, the share of that, and pixels from one stroke of the hatching to the next.
const FORBIDDEN: Vec3 = Vec3::new(28.0, 26.0, 40.0);
const FORBIDDEN_SHARE: f32 = 0.6;
const HATCHED: f32 = 0.25;
const HATCHING: usize = 9;

/// Half the width of the path, pixels, and of its dark border.
const WAY: f32 = 1.6;
const BORDER: f32 = 3.0;

/// Radius of the dots at its ends, pixels.
const DOT: f32 = 6.0;

pub(super) fn write(
    path: &FilePlace,
    recipe: &Recipe,
    costs: &CostMap,
    way: Option<&Path>,
    pixels: u32,
    cache: &Cache,
    work: &Work,
) -> Result<()> {
    let window = costs.window();
    if window.size.contains(&1) {
        let reason = format!("{window} has no ground between its samples to draw");
        return Err(Error::parameter("--window", reason));
    }
    let ground = Ground::of(recipe, window, cache, work)?;
    let cells = window.size.map(|side| f64::from(side - 1));
    let scale = f64::from(pixels) / cells[0].max(cells[1]);
    let [width, depth] = cells.map(|cells| ((cells * scale).round() as usize).max(1));
    let least = costs.costs().iter().copied().filter(|cost| *cost >= 0.0).fold(f32::INFINITY, f32::min);
    let mut texels: Vec<Vec3> = (0..width * depth)
        .into_par_iter()
        .map(|index| {
            let (column, row) = (index % width, index / width);
            let place = DVec2::new(column as f64 + 0.5, row as f64 + 0.5) / scale;
            let nearest = (place + 0.5).floor();
            let seen = ground.seen(place.as_vec2());
            match costs.cost(nearest.x as usize, nearest.y as usize) {
                Some(cost) => {
                    // Shaded like the ground.
                    let light = (seen.element_sum() / 3.0 / 110.0).clamp(0.55, 1.3);
                    seen.lerp(colour(cost / least) * light, SHARE)
                }
                None => {
                    let is_stroke = (column + row) % HATCHING < 2;
                    let dark = seen.lerp(FORBIDDEN, FORBIDDEN_SHARE);
                    if is_stroke { dark.lerp(FORBIDDEN, HATCHED) } else { dark }
                }
            }
        })
        .collect();
    work.check()?;
    if let Some(way) = way {
        let cell = f64::from(costs.grid().cell);
        let in_pixels = |p: &glam::DVec3| ((DVec2::new(p.x, p.z) - costs.origin()) / cell * scale).as_vec2();
        let points: Vec<Vec2> = way.points.iter().map(in_pixels).collect();
        let mut canvas = Canvas { width, depth, texels: &mut texels };
        // All of the border first: it would otherwise cover the path where its pieces meet.
        for (half, colour) in [(BORDER, Vec3::new(20.0, 24.0, 40.0)), (WAY, Vec3::splat(255.0))] {
            for pair in points.windows(2) {
                canvas.line(pair[0], pair[1], half, colour);
            }
        }
        for (end, colour) in
            [(points.first(), Vec3::new(60.0, 160.0, 255.0)), (points.last(), Vec3::new(255.0, 70.0, 60.0))]
        {
            if let Some(end) = end {
                // A line without length is a dot.
                canvas.line(*end, *end, DOT + 1.5, Vec3::splat(255.0));
                canvas.line(*end, *end, DOT, colour);
            }
        }
    }
    let bytes: Vec<u8> = texels
        .iter()
        .flat_map(|texel| texel.to_array().map(|part| (part + 0.5).clamp(0.0, 255.0) as u8))
        .collect();
    picture::write(path, (width, depth), Pixel::Rgb, &bytes)
}

/// The colour of a cost, times the least.
fn colour(times: f32) -> Vec3 {
    // By the logarithm, because costs are factors: twice as expensive is the same step everywhere.
    let place = times.max(1.0).log2().min((COLOURS.len() - 1) as f32);
    let first = (place as usize).min(COLOURS.len() - 2);
    COLOURS[first].lerp(COLOURS[first + 1], place - first as f32)
}

struct Canvas<'a> {
    width: usize,
    depth: usize,
    texels: &'a mut [Vec3],
}

impl Canvas<'_> {
    /// Draws a line with round ends, `half` pixels to either side, with smooth edges.
    fn line(&mut self, from: Vec2, to: Vec2, half: f32, colour: Vec3) {
        let range = |a: f32, b: f32, count: usize| {
            let low = (a.min(b) - half - 1.0).floor().clamp(0.0, count as f32) as usize;
            low..((a.max(b) + half + 1.0).ceil().clamp(0.0, count as f32) as usize)
        };
        let way = to - from;
        for row in range(from.y, to.y, self.depth) {
            for column in range(from.x, to.x, self.width) {
                let p = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let along = (p - from).dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
                let away = p.distance(from + way * along.clamp(0.0, 1.0));
                // About the share of the pixel that the line covers.
                let share = (half + 0.5 - away).clamp(0.0, 1.0);
                if share > 0.0 {
                    let texel = &mut self.texels[row * self.width + column];
                    *texel = texel.lerp(colour, share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vision::{CATEGORIES, all_apart, linear};

    #[test]
    fn costs_differ_for_every_kind_of_colour_vision() {
        let colours = COLOURS.map(|colour| linear(colour.to_array().map(|level| level as u8)));
        assert_eq!(all_apart(&colours, CATEGORIES), Ok(()));
        assert_eq!((colour(0.5), colour(2.0), colour(1e9)), (COLOURS[0], COLOURS[1], COLOURS[4]));
    }
}
