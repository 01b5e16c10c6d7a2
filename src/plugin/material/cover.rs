//! The tiled terrain types that lie on a land: what the shaders need to know about each, and which types'
//! splat weights each channel of the land's tiles sums.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::render::render_resource::{ShaderSize, ShaderType};
use rayon::prelude::*;

use super::place::split_whole_fraction;
use super::types::WeighedTypes;
use crate::plugin::device::{DeviceLimits, linear_from_srgb};
use crate::plugin::ground_textures::{ArrayImages, TextureArray, TextureArrays};
use crate::texture::{CoverType, GroundCover, Tiling};
use crate::{Error, Result, Work};

/// The most types that are drawn with tiles; twin of `MAX_TYPES` in `shaders/field.wgsl`. Types that cover
/// less ground have no tiles.
const MAX_TYPES: usize = 16;
/// The most layers of an array.
const MAX_LAYERS: usize = 128;

/// A cover prepared for drawing.
pub(crate) struct PreparedCover {
    array: Arc<TextureArray>,
    uniform: CoverUniform,
}

/// A cover on the device.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DrawnCover {
    pub(crate) uniform: CoverUniform,
    pub(crate) tiles: ArrayImages<Handle<Image>>,
    array: SharedArray,
}

/// Keeps an array alive on the device.
#[derive(Clone, Debug)]
struct SharedArray(Arc<TextureArray>);

impl PartialEq for SharedArray {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Twin of `Cover` in `shaders/field.wgsl`.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct CoverUniform {
    /// Number of types, 0 for none; layers of weights of each tile of the land.
    count: UVec4,
    types: [TiledType; MAX_TYPES],
}

const _: () = assert!(CoverUniform::SHADER_SIZE.get() == 16 + 64 * MAX_TYPES as u64);

impl CoverUniform {
    /// The same cover with tile coordinates relative to an anchor, in metres east and south of the land's
    /// sample (0, 0).
    pub(crate) fn anchored(mut self, anchor: DVec2) -> Self {
        for kind in &mut self.types {
            let repeats = kind.repeats.as_dvec2();
            // Vertical projections count southwards in the picture's columns, so south is needed in both
            // units.
            let repeats = [anchor.x * repeats.x, anchor.y * repeats.y, anchor.y * repeats.x];
            let [(x, x_rest), (y, y_rest), (z, z_rest)] = repeats.map(split_whole_fraction);
            kind.anchor_whole = IVec3::new(x, y, z);
            kind.anchor_rest = Vec3::new(x_rest, y_rest, z_rest);
        }
        self
    }
}

/// Twin of `TiledType` in `shaders/field.wgsl`, where the fields are explained.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct TiledType {
    colour: Vec3,
    brightest: f32,
    repeats: Vec2,
    size: f32,
    layer: u32,
    anchor_whole: IVec3,
    brightening: f32,
    anchor_rest: Vec3,
    ribs: f32,
}

/// Types with the same look, which the shaders treat as one.
struct TypeGroup<'a> {
    cover_type: &'a CoverType,
    tiling: &'a Tiling,
    /// Their indices among all types.
    members: Vec<usize>,
    total: u64,
}

impl PreparedCover {
    /// Reads the pictures of the types that lie anywhere, or, with `all`, of those that lie nowhere too, as
    /// far as they can be drawn; `None` if no type has a picture. With it the types that tiles weigh.
    ///
    /// # Errors
    /// When a picture cannot be read, when the weights don't match their stated size, or when the work was
    /// cancelled.
    pub(crate) fn new(
        cover: &GroundCover,
        all: bool,
        limits: DeviceLimits,
        arrays: &TextureArrays,
        work: &Work,
    ) -> Result<(Option<Self>, WeighedTypes)> {
        let map = &cover.weights;
        // A game may have made the cover itself.
        if map.shares.len() != map.width * map.depth * map.types || map.types != cover.types.len() {
            let reason = format!(
                "of {} types do not match the {} weights of the cover's {} types",
                map.types,
                map.shares.len(),
                cover.types.len(),
            );
            return Err(Error::Size { width: map.width, depth: map.depth, reason });
        }
        let totals = totals(cover);
        let channels = channels(cover, &totals, all);
        let drawn = channels.iter().map(|channel| channel.members.clone()).collect();
        let types = WeighedTypes::new(cover, &totals, drawn, all);
        if channels.is_empty() {
            return Ok((None, types));
        }
        work.check()?;
        // All types, also those that cover nothing at present: so the array stays the same while limits are
        // edited, and no picture is decoded again.
        let tilings: Vec<&Tiling> = cover.types.iter().filter_map(|kind| kind.tiling.as_ref()).collect();
        let drawn: Vec<&Tiling> = channels.iter().map(|channel| channel.tiling).collect();
        let array =
            arrays.array(if tilings.len() <= MAX_LAYERS { &tilings } else { &drawn }, limits, work)?;
        work.check()?;
        let layers = channels.len().div_ceil(4) as u32;
        let count = UVec4::new(channels.len() as u32, layers, 0, 0);
        let mut uniform = CoverUniform { count, ..default() };
        for (out, channel) in uniform.types.iter_mut().zip(&channels) {
            *out = tiled_type(channel, &array);
        }
        Ok((Some(Self { array, uniform }), types))
    }

    /// Moves the textures to the device.
    pub(crate) fn upload(self, images: &mut Assets<Image>) -> DrawnCover {
        DrawnCover {
            uniform: self.uniform,
            tiles: self.array.handles(images),
            array: SharedArray(self.array),
        }
    }
}

/// The tiled types that cover any ground, or, with `all`, those that cover none too, in their own order: so
/// that channels keep their meaning while a recipe is edited. If there are too many, those that cover most.
fn channels<'a>(cover: &'a GroundCover, totals: &[u64], all: bool) -> Vec<TypeGroup<'a>> {
    let mut channels: Vec<TypeGroup> = Vec::new();
    for (index, (cover_type, total)) in cover.types.iter().zip(totals.iter().copied()).enumerate() {
        let Some(tiling) = cover_type.tiling.as_ref().filter(|_| all || total > 0) else { continue };
        // Types of one look share a channel: a blend of a tile with itself would show the tile twice as high.
        match channels.iter_mut().find(|c| c.tiling == tiling && c.cover_type.colour == cover_type.colour) {
            Some(channel) => {
                channel.members.push(index);
                channel.total += total;
            }
            None => channels.push(TypeGroup { cover_type, tiling, members: vec![index], total }),
        }
    }
    // The limit is that of a uniform's array.
    if channels.len() > MAX_TYPES {
        channels.sort_by_key(|channel| std::cmp::Reverse(channel.total));
        channels.truncate(MAX_TYPES);
        channels.sort_by_key(|channel| channel.members[0]);
    }
    channels
}

/// The total weight of each type.
fn totals(cover: &GroundCover) -> Vec<u64> {
    let types = cover.weights.types.max(1);
    let sums = || vec![0u64; types];
    // Whole numbers: sums of floats would depend on how threads share the texels.
    let totals = cover.weights.shares.par_chunks(types * 4096).fold(sums, |mut sums, texels| {
        for texel in texels.chunks(types) {
            for (sum, &share) in sums.iter_mut().zip(texel) {
                *sum += u64::from(share);
            }
        }
        sums
    });
    totals.reduce(sums, |a, b| a.iter().zip(b).map(|(a, b)| a + b).collect())
}

fn tiled_type(channel: &TypeGroup, array: &TextureArray) -> TiledType {
    let Some((index, layer)) = array.find(channel.tiling) else { return default() };
    let colour = channel.cover_type.colour.map(|colour| {
        Vec3::from(colour.map(|channel| linear_from_srgb((channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)))
    });
    TiledType {
        // Black has no hue to compare with others.
        colour: colour.unwrap_or(layer.mean).max(Vec3::splat(1e-3)),
        brightest: layer.brightest,
        repeats: 1.0 / (layer.sides * channel.tiling.size * layer.repeats),
        size: channel.tiling.size,
        layer: index as u32,
        brightening: layer.brightening,
        ribs: ribs(channel.tiling),
        ..default()
    }
}

/// How strong the ribs of steep ground with a tile are, from 0 to 1: what water carves keeps its shape, what
/// drifts has none.
fn ribs(tiling: &Tiling) -> f32 {
    match tiling.image.text() {
        "rock" => 1.0,
        "cliff" => 0.9,
        "dry_grass" => 0.75,
        "grass" => 0.65,
        "forest_floor" | "scree" => 0.55,
        "meadow" | "mud" | "gravel" => 0.35,
        "snow" => 0.12,
        "sand" | "ice" => 0.0,
        // A picture of one's own.
        _ => 0.5,
    }
}
