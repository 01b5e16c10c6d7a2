//! From a landscape to textures for the shaders. Runs on the task pool.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;

use crate::lod::Pyramid;
use crate::plugin::device::{
    DeviceLimits, Plane, half_from_f32, halved, image, linear_from_srgb, mip_levels, sampler,
    srgb_from_linear,
};
use crate::plugin::material::PreparedCover;
use crate::plugin::tiles::TileStacks;
use crate::steps::water::RiverSheet;
use crate::texture::ColourMap;
use crate::{Error, Landscape, Result, Work};

/// A landscape prepared for drawing.
pub(crate) struct PreparedTerrain {
    pub(crate) landscape: Arc<Landscape>,
    pub(crate) pyramid: Pyramid,
    pub(crate) heights: Image,
    pub(crate) gradients: Image,
    pub(crate) colours: Image,
    pub(crate) cover: Option<PreparedCover>,
    pub(crate) rivers: RiverSheet,
}

impl PreparedTerrain {
    /// Makes the textures, bounds and meshes of a landscape.
    ///
    /// # Errors
    /// When the field exceeds the device's texture size, when the colour map or the weights don't match
    /// their stated size, when a tile cannot be read, or when the work was cancelled.
    pub(crate) fn new(
        landscape: Arc<Landscape>,
        limits: DeviceLimits,
        stacks: &TileStacks,
        work: &Work,
    ) -> Result<Self> {
        let grid = landscape.heightfield.grid();
        if grid.longer() > limits.texture_side as usize {
            let reason =
                format!("are more than this graphics device draws; at most {} a side", limits.texture_side);
            return Err(Error::Size { width: grid.width, depth: grid.depth, reason });
        }
        work.stage("textures", 6);
        let pyramid = Pyramid::new(&landscape.heightfield);
        work.advance(1);
        work.check()?;
        let heights = heights_image(&landscape);
        work.advance(1);
        work.check()?;
        let gradients = gradients_image(&landscape, limits);
        work.advance(1);
        work.check()?;
        let colours = colours_image(&landscape.colour, limits)?;
        work.advance(1);
        work.check()?;
        let cover = match &landscape.cover {
            Some(cover) => PreparedCover::new(cover, limits, stacks, work)?,
            None => None,
        };
        work.advance(1);
        let rivers = RiverSheet::new(&landscape.heightfield, &landscape.rivers, landscape.sea_level, work)?;
        work.advance(1);
        work.check()?;
        Ok(Self { landscape, pyramid, heights, gradients, colours, cover, rivers })
    }
}

fn heights_image(landscape: &Landscape) -> Image {
    let field = &landscape.heightfield;
    let bytes = bytemuck::cast_slice(field.heights()).to_vec();
    image(field.grid().width, field.grid().depth, TextureFormat::R32Float, 1, bytes)
}

/// Rise per metre east and south at each sample, with mip levels: the mean of gradients is the gradient of
/// the mean ground, so distant slopes neither shimmer nor flatten.
fn gradients_image(landscape: &Landscape, limits: DeviceLimits) -> Image {
    let field = &landscape.heightfield;
    let grid = field.grid();
    let mut plane =
        Plane::from_fn(grid.width, grid.depth, |column, row| field.gradient_at(column, row).to_array());
    let mut bytes = Vec::with_capacity(grid.count() * 6);
    let levels = mip_levels(grid.width, grid.depth);
    for level in 0..levels {
        if level > 0 {
            plane = plane.halved();
        }
        for [east, south] in &plane.texels {
            bytes.extend(half_from_f32(*east).to_le_bytes());
            bytes.extend(half_from_f32(*south).to_le_bytes());
        }
    }
    let mut image = image(grid.width, grid.depth, TextureFormat::Rg16Float, levels, bytes);
    image.sampler = sampler(limits);
    image
}

/// The colour texture, downsampled if the device cannot hold the map.
///
/// # Errors
/// When the number of texels doesn't match the stated size.
pub(crate) fn colours_image(map: &ColourMap, limits: DeviceLimits) -> Result<Image> {
    if map.width == 0 || map.depth == 0 || map.texels.len() != map.width * map.depth {
        let reason = format!("do not match the {} texels of the colour map", map.texels.len());
        return Err(Error::Size { width: map.width, depth: map.depth, reason });
    }
    let mut levels = mip_chain(map);
    levels.retain(|(size, _)| size.max_element() <= limits.texture_side);
    let Some(&(size, _)) = levels.first() else {
        let reason = "cannot be drawn: the graphics device draws no textures".to_owned();
        return Err(Error::Size { width: map.width, depth: map.depth, reason });
    };
    let count = levels.len() as u32;
    let bytes = levels.into_iter().flat_map(|(_, bytes)| bytes).collect();
    let mut image = image(size.x as usize, size.y as usize, TextureFormat::Rgba8UnormSrgb, count, bytes);
    image.sampler = sampler(limits);
    Ok(image)
}

/// The mip chain of a picture down to a single texel: columns and rows, and the bytes, of each level.
/// Colours are averaged in linear light.
pub(crate) fn mip_chain(map: &ColourMap) -> Vec<(UVec2, Vec<u8>)> {
    let size = |width: usize, depth: usize| UVec2::new(width as u32, depth as u32);
    let mut levels = vec![(size(map.width, map.depth), map.texels.as_flattened().to_vec())];
    let mut plane: Option<Plane<4>> = None;
    for _ in 1..mip_levels(map.width, map.depth) {
        let next = match &plane {
            Some(plane) => plane.halved(),
            // The first level is made from the bytes: as floats the map would take four times its memory.
            None => halved(map.width, map.depth, |index| {
                let [red, green, blue, ambient] = map.texels[index];
                let ambient = f32::from(ambient) / 255.0;
                [linear_from_srgb(red), linear_from_srgb(green), linear_from_srgb(blue), ambient]
            }),
        };
        let texel = |&[red, green, blue, ambient]: &[f32; 4]| {
            let [red, green, blue] = [red, green, blue].map(srgb_from_linear);
            [red, green, blue, (ambient * 255.0 + 0.5) as u8]
        };
        levels.push((size(next.width, next.depth), next.texels.iter().flat_map(texel).collect()));
        plane = Some(next);
    }
    levels
}
