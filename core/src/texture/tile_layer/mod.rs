//! A tiling picture as a layer of the texture arrays that shaders read: colours as multiples of their mean,
//! heights, slopes, roughness and openness, with all mip levels. It is in the core because it is arithmetic
//! over many texels.

mod height;
mod plane;

use glam::{Vec2, Vec3};

use crate::error::{Error, Result};
use crate::math::luminance::luminance;
use crate::texture::colour::srgb::{LINEAR, level_from_linear};
use crate::texture::tile::Tile;

use height::{heights_from_slopes, ranks};
use plane::Plane;

/// Texels are clipped at this multiple of their tile's mean, so that the mean does not depend on a few of
/// them.
const BRIGHTEST: f32 = 6.0;
/// The steepest rise per metre that a relief can store; twin of `STEEPEST` in `shaders/tile.wgsl`.
const STEEPEST: f32 = 2.0;
/// Openness to the sky of the deepest texels.
const DEEPEST_OPENNESS: f32 = 0.25;

/// The texels of a tile's layer, row by row, level by level.
#[derive(Debug)]
pub struct TileTexels {
    /// sRGB colours divided by [`brightest`](Self::brightest); height in alpha. 4 bytes a texel.
    pub ratios: Vec<u8>,
    /// Rise per metre along the picture's columns and rows (128 for level), roughness, openness to the sky. 4
    /// bytes a texel.
    pub reliefs: Vec<u8>,
    /// The mean colour, linear.
    pub mean: Vec3,
    /// The value of a texel of 1, as a multiple of the mean.
    pub brightest: f32,
    /// Slope of brightness over height: how much brighter the highest texel is than the lowest, as a multiple
    /// of the mean.
    pub brightening: f32,
}

impl TileTexels {
    /// Converts a tile, called `name` in errors, to a layer of `side²` texels with all mip levels. `side` is
    /// a power of two. A mirrored tile has two repeats along each side of the layer.
    ///
    /// # Errors
    /// When the tile's normals or roughness don't match its colours.
    pub fn new(tile: &Tile, name: &str, mirror: bool, side: usize) -> Result<Self> {
        let count = tile.width * tile.depth;
        let has = |length: usize| length == 0 || length == count;
        if count == 0 || tile.colours.len() != count || !has(tile.normals.len()) || !has(tile.roughness.len())
        {
            let reason = format!("do not match the {} colours of the tile {name}", tile.colours.len());
            return Err(Error::Size { width: tile.width, depth: tile.depth, reason });
        }
        let (ratios, mean) = ratios_to_mean(&square(tile, mirror, side, |index, _| {
            tile.colours[index].map(|level| LINEAR[usize::from(level)])
        }));
        let slopes = square(tile, mirror, side, |index, flip| match tile.normals.get(index) {
            Some(normal) => {
                let [x, z] = normal.map(|value| (f32::from(value) - 128.0) / 127.0);
                // At least 0.01: rounding to bytes can make a normal longer than 1.
                let up = (1.0 - x * x - z * z).max(0.01).sqrt();
                [x * flip.x, z * flip.y].map(|value| (-value / up).clamp(-STEEPEST, STEEPEST))
            }
            None => [0.0; 2],
        });
        let roughness = square(tile, mirror, side, |index, _| {
            [tile.roughness.get(index).map_or(1.0, |&value| f32::from(value) / 255.0)]
        });
        let heights = ranks(&if tile.normals.is_empty() {
            ratios.texels.iter().map(|&ratio| luminance(ratio.into())).collect()
        } else {
            heights_from_slopes(&slopes)
        });
        let openness = openness(&heights, side);
        let brightening = brightening(&ratios, &heights);

        let brightest = ratios.texels.iter().flatten().fold(1.0f32, |a, &b| a.max(b));
        let ratios = Plane::from_fn(side, side, |column, row| {
            let index = row * side + column;
            let [red, green, blue] = ratios.texels[index].map(|ratio| ratio / brightest);
            [red, green, blue, heights[index]]
        });
        let reliefs = Plane::from_fn(side, side, |column, row| {
            let index = row * side + column;
            let [x, z] = slopes.texels[index];
            [x, z, roughness.texels[index][0], openness[index]]
        });
        let byte = |share: f32| (share.clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        // 128 stands for a level surface exactly, which leaves 127 steps to either side.
        let slope = |rise: f32| (rise / STEEPEST * 127.0 + 128.5) as u8;
        Ok(Self {
            ratios: with_mips(ratios, |[red, green, blue, height]| {
                let [red, green, blue] = [red, green, blue].map(level_from_linear);
                [red, green, blue, byte(height)]
            }),
            reliefs: with_mips(reliefs, |[x, z, rough, open]| [slope(x), slope(z), byte(rough), byte(open)]),
            mean,
            brightest,
            brightening,
        })
    }
}

/// A channel of a tile, resampled to `side²` texels. A mirrored tile has two repeats each way; `texel` is
/// called with the direction of each axis.
fn square<const N: usize>(
    tile: &Tile,
    mirror: bool,
    side: usize,
    texel: impl Fn(usize, Vec2) -> [f32; N] + Sync,
) -> Plane<N> {
    let fold = |place: usize, length: usize| {
        if place < length { (place, 1.0) } else { (2 * length - 1 - place, -1.0) }
    };
    let times = if mirror { 2 } else { 1 };
    let plane = Plane::from_fn(tile.width * times, tile.depth * times, |column, row| {
        let ((column, x), (row, z)) = (fold(column, tile.width), fold(row, tile.depth));
        texel(row * tile.width + column, Vec2::new(x, z))
    });
    plane.wrapped_to(side)
}

/// Colours as multiples of their mean, and the mean. A channel that is 0 everywhere becomes constant.
fn ratios_to_mean(colours: &Plane<3>) -> (Plane<3>, Vec3) {
    let mean = colours.mean();
    let ratio = |texel: [f32; 3], mean: [f32; 3]| {
        [0, 1, 2].map(|k| if mean[k] > 1e-6 { (texel[k] / mean[k]).min(BRIGHTEST) } else { 1.0 })
    };
    let at = |plane: &Plane<3>, column: usize, row: usize| plane.texels[row * plane.width + column];
    let (width, depth) = (colours.width, colours.depth);
    let clipped = Plane::from_fn(width, depth, |column, row| ratio(at(colours, column, row), mean));
    // Clipping has lowered the mean; without a second division the tile would darken the ground.
    let clipped_mean = clipped.mean();
    let ratios = Plane::from_fn(width, depth, |column, row| ratio(at(&clipped, column, row), clipped_mean));
    (ratios, Vec3::from(mean))
}

/// The slope of the least-squares line of brightness over height.
fn brightening(ratios: &Plane<3>, heights: &[f32]) -> f32 {
    let (mut covariance, mut variance) = (0.0f64, 0.0f64);
    for (ratio, height) in ratios.texels.iter().zip(heights) {
        let above = f64::from(height - 0.5);
        covariance += above * f64::from(luminance((*ratio).into()) - 1.0);
        variance += above * above;
    }
    if variance > 0.0 { (covariance / variance) as f32 } else { 0.0 }
}

/// Openness of each texel to the sky, about half on average: texels below their surroundings are shaded.
fn openness(heights: &[f32], side: usize) -> Vec<f32> {
    let plane = Plane { width: side, depth: side, texels: heights.iter().map(|&height| [height]).collect() };
    // Four halvings give the mean over about sixteen texels around.
    let mut around = plane.halved();
    for _ in 0..3 {
        around = around.halved();
    }
    let around = around.wrapped_to(side);
    let above = heights.iter().zip(&around.texels).map(|(height, [around])| height - around);
    above.map(|above| (0.5 + above).clamp(DEEPEST_OPENNESS, 1.0 - DEEPEST_OPENNESS)).collect()
}

/// The texels of a plane and of all its mip levels.
fn with_mips<const N: usize>(mut plane: Plane<N>, encode: impl Fn([f32; N]) -> [u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(plane.texels.len() * 6);
    loop {
        bytes.extend(plane.texels.iter().flat_map(|&texel| encode(texel)));
        if plane.width.max(plane.depth) <= 1 {
            return bytes;
        }
        plane = plane.halved();
    }
}
