//! A square of ground in the process of painting: height, colour and roughness, twice as fine as the final
//! tile. Anything drawn over an edge continues at the opposite one.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use upland_core::texture::Tile;

use super::SIZE;
use super::colour::{mix, srgb_from_linear};
use super::noise::direction;
use super::palette;

/// Texels of the canvas and of the tile, along a side.
const FINE: usize = 1024;
const SIDE: usize = 512;
/// Canvas texels per metre.
const PER_METRE: f32 = FINE as f32 / SIZE;

/// Share of the broad rises and hollows that is taken away.
const BROAD: f32 = 0.6;

/// The properties of one spot of ground.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// Metres.
    pub(super) height: f32,
    /// Linear light that it reflects.
    pub(super) colour: Vec3,
    /// Perceptual roughness, 0 to 1.
    pub(super) roughness: f32,
}

/// How a canvas becomes a tile.
pub(super) struct Finish {
    /// Share of the sky's light that hollows lose in the colour, 0 to 1.
    pub(super) cavities: f32,
    /// The factor of heights before normals are computed: 1 for solid ground, less for plants, whose blades
    /// hide one another and are far steeper than lighting can treat them.
    pub(super) relief: f32,
    /// How much of the colour's variation over half a metre and more is taken away, 0 to 1, so that
    /// repeats don't show from afar.
    pub(super) evenness: f32,
}

/// The square.
pub(super) struct Canvas {
    spots: Vec<Spot>,
}

impl Canvas {
    /// Ground that is a function of the place alone, given in tiles from 0 to 1.
    pub(super) fn new(spot: impl Fn(Vec2) -> Spot + Sync) -> Self {
        let at = |index: usize| {
            let place = Vec2::new((index % FINE) as f32, (index / FINE) as f32);
            spot((place + 0.5) / FINE as f32)
        };
        Self { spots: (0..FINE * FINE).into_par_iter().map(at).collect() }
    }

    /// Changes every spot, given its place in tiles.
    pub(super) fn change(&mut self, change: impl Fn(Vec2, &mut Spot) + Sync) {
        self.spots.par_iter_mut().enumerate().for_each(|(index, spot)| {
            let place = Vec2::new((index % FINE) as f32, (index / FINE) as f32);
            change((place + 0.5) / FINE as f32, spot);
        });
    }

    fn index(x: i32, z: i32) -> usize {
        z.rem_euclid(FINE as i32) as usize * FINE + x.rem_euclid(FINE as i32) as usize
    }

    /// The spot at a place in metres.
    pub(super) fn at(&self, place: Vec2) -> &Spot {
        let texel = (place * PER_METRE).floor();
        &self.spots[Self::index(texel.x as i32, texel.y as i32)]
    }

    /// The height at a place in metres, blended between the four spots around it.
    pub(super) fn between(&self, place: Vec2) -> f32 {
        let texel = place * PER_METRE - 0.5;
        let (first, t) = (texel.floor(), texel - texel.floor());
        let at = |dx: i32, dz: i32| self.spots[Self::index(first.x as i32 + dx, first.y as i32 + dz)].height;
        mix(mix(at(0, 0), at(1, 0), t.x), mix(at(0, 1), at(1, 1), t.x), t.y)
    }

    /// The mean height within `radius` metres of a place, from nine samples.
    pub(super) fn height_around(&self, place: Vec2, radius: f32) -> f32 {
        let samples = (-1..=1).flat_map(|z| (-1..=1).map(move |x| Vec2::new(x as f32, z as f32)));
        samples.map(|offset| self.at(place + offset * radius * 0.7).height).sum::<f32>() / 9.0
    }

    fn put(&mut self, x: i32, z: i32, spot: Spot) {
        let old = &mut self.spots[Self::index(x, z)];
        if spot.height >= old.height {
            *old = spot;
        }
    }

    /// Lays a shape on the ground: `shape` gives its spots by their offset in metres from `centre`, up to
    /// `reach` metres each way. Spots below the ground stay hidden.
    pub(super) fn stamp(&mut self, centre: Vec2, reach: f32, shape: impl Fn(Vec2) -> Option<Spot>) {
        let first = ((centre - reach) * PER_METRE).floor();
        let last = ((centre + reach) * PER_METRE).ceil();
        for z in first.y as i32..=last.y as i32 {
            for x in first.x as i32..=last.x as i32 {
                let place = (Vec2::new(x as f32, z as f32) + 0.5) / PER_METRE;
                if let Some(spot) = shape(place - centre) {
                    self.put(x, z, spot);
                }
            }
        }
    }

    /// Draws a line that bends: from `root` along `heading`, turning by `bend` radians on its `length`.
    /// `half_width` (metres) is given how far along it is, 0 to 1; `paint` that and how far across,
    /// −1 to 1.
    pub(super) fn stroke(
        &mut self,
        root: Vec2,
        path: Path,
        half_width: impl Fn(f32) -> f32,
        paint: impl Fn(f32, f32) -> Spot,
    ) {
        const STEP: f32 = 0.7;
        let steps = (path.length * PER_METRE / STEP).ceil().max(1.0);
        let mut place = root * PER_METRE;
        let turn = direction(path.bend / steps);
        let mut heading = direction(path.heading);
        for step in 0..steps as usize {
            let along = (step as f32 + 0.5) / steps;
            place += heading * STEP;
            heading = turn.rotate(heading);
            let side = heading.perp();
            let half = half_width(along) * PER_METRE;
            let count = (half / STEP).floor();
            for k in -(count as i32)..=count as i32 {
                let across = if count > 0.0 { k as f32 / count } else { 0.0 };
                let texel = (place + side * (across * half)).floor();
                self.put(texel.x as i32, texel.y as i32, paint(along, across));
            }
        }
    }

    /// The tile.
    pub(super) fn finish(self, finish: &Finish) -> Tile {
        let mut height = self.half(|spot| spot.height);
        // Broad rises would repeat visibly when the sun is low; the land has its own.
        let mean = height.iter().sum::<f32>() / height.len() as f32;
        let broad = blurred(&height);
        for (height, broad) in height.iter_mut().zip(broad) {
            *height -= BROAD * (broad - mean);
        }
        let roughness = self.half(|spot| spot.roughness);
        let mut colour = [0, 1, 2].map(|channel| self.half(|spot| spot.colour[channel]));
        if finish.cavities > 0.0 {
            let light = sky_light(&height, finish.relief);
            for channel in &mut colour {
                let shade = |(value, light): (&mut f32, &f32)| *value *= mix(1.0, *light, finish.cavities);
                channel.iter_mut().zip(&light).for_each(shade);
            }
        }
        for channel in &mut colour {
            even_out(channel, finish.evenness);
        }
        let level = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        let [red, green, blue] = colour;
        let colours = red.iter().zip(&green).zip(&blue);
        let mut colours: Vec<[u8; 3]> =
            colours.map(|((&r, &g), &b)| [r, g, b].map(|value| level(srgb_from_linear(value)))).collect();
        palette::reduce(&mut colours);
        let mut normals = normals(&height, finish.relief);
        palette::reduce(&mut normals);
        // Steps of 1/32: they are invisible in a highlight, and the file is half as long.
        let step = |value: f32| level((value * 32.0).round() / 32.0);
        Tile {
            width: SIDE,
            depth: SIDE,
            colours,
            normals: normals.into_iter().map(|[east, south, _]| [east, south]).collect(),
            roughness: roughness.into_iter().map(step).collect(),
        }
    }

    /// The mean of every four spots.
    fn half(&self, part: impl Fn(&Spot) -> f32) -> Vec<f32> {
        let at = |column: usize, row: usize| part(&self.spots[row * FINE + column]);
        let texel = |index: usize| {
            let (column, row) = (index % SIDE * 2, index / SIDE * 2);
            let sum = at(column, row) + at(column + 1, row) + at(column, row + 1) + at(column + 1, row + 1);
            sum / 4.0
        };
        (0..SIDE * SIDE).map(texel).collect()
    }
}

/// The way of a stroke.
#[derive(Clone, Copy)]
pub(super) struct Path {
    /// Radians from east towards south.
    pub(super) heading: f32,
    /// Radians that it turns on its whole length.
    pub(super) bend: f32,
    /// Metres.
    pub(super) length: f32,
}

fn wrapped(x: usize, offset: i32) -> usize {
    (x as i32 + offset).rem_euclid(SIDE as i32) as usize
}

/// The share of the sky's light that reaches every texel: horizons in eight directions.
fn sky_light(height: &[f32], relief: f32) -> Vec<f32> {
    const REACH: [i32; 6] = [1, 2, 3, 5, 9, 16];
    const DIRECTIONS: [(i32, i32); 8] =
        [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];
    let texel = SIZE / SIDE as f32;
    let light = |index: usize| {
        let (column, row) = (index % SIDE, index / SIDE);
        let mut light = 0.0;
        for (dx, dz) in DIRECTIONS {
            let stride = if dx != 0 && dz != 0 { std::f32::consts::SQRT_2 } else { 1.0 };
            let mut steepest = 0.0f32;
            for reach in REACH {
                let there = wrapped(row, dz * reach) * SIDE + wrapped(column, dx * reach);
                let rise = (height[there] - height[index]) * relief;
                steepest = steepest.max(rise / (reach as f32 * stride * texel));
            }
            // The share of a wedge of sky above a horizon of this steepness.
            light += 1.0 / (1.0 + steepest * steepest);
        }
        light / 8.0
    };
    (0..SIDE * SIDE).into_par_iter().map(light).collect()
}

/// Removes a share of the variation over half a metre and more.
fn even_out(values: &mut [f32], share: f32) {
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    let coarse = blurred(values);
    for (value, coarse) in values.iter_mut().zip(coarse) {
        *value *= mix(1.0, mean / coarse.max(1e-4), share);
    }
}

/// What is left of an even blur over about half a metre.
fn blurred(values: &[f32]) -> Vec<f32> {
    let once = |values: &[f32]| blur_rows(&blur_rows(values));
    once(&once(&once(values)))
}

/// A mean over 65 texels along the rows; rows come out as columns.
fn blur_rows(values: &[f32]) -> Vec<f32> {
    const REACH: i32 = 32;
    let mut out = vec![0.0; values.len()];
    for (row, values) in values.chunks(SIDE).enumerate() {
        for column in 0..SIDE {
            // Summed from scratch each time: a running sum would accumulate rounding errors.
            let sum: f32 = (-REACH..=REACH).step_by(4).map(|offset| values[wrapped(column, offset)]).sum();
            out[column * SIDE + row] = sum / 17.0;
        }
    }
    out
}

/// Unit normals, east and south, from central differences; the third number is 0.
fn normals(height: &[f32], relief: f32) -> Vec<[u8; 3]> {
    let per_two_texels = relief * SIDE as f32 / SIZE / 2.0;
    let normal = |index: usize| {
        let (column, row) = (index % SIDE, index / SIDE);
        let at = |column: usize, row: usize| height[row * SIDE + column];
        let east = at(wrapped(column, 1), row) - at(wrapped(column, -1), row);
        let south = at(column, wrapped(row, 1)) - at(column, wrapped(row, -1));
        let normal = Vec3::new(-east * per_two_texels, 1.0, -south * per_two_texels).normalize();
        let [east, south] = [normal.x, normal.z].map(|value| (128.0 + 127.0 * value + 0.5) as u8);
        [east, south, 0]
    };
    (0..SIDE * SIDE).map(normal).collect()
}
