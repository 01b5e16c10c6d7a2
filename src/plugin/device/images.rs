//! Images for the device: mip levels, texture arrays, samplers.

use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageFilterMode, ImageSampler, ImageSamplerDescriptor};
use bevy::prelude::*;
use bevy::render::render_resource::{
    Extent3d, TextureDimension, TextureFormat, TextureViewDescriptor, TextureViewDimension,
};

use super::DeviceLimits;

/// Number of mip levels down to a single texel.
pub(crate) fn mip_levels(width: usize, depth: usize) -> u32 {
    width.max(depth).ilog2() + 1
}

/// An array of images; the bytes hold all mip levels of the first, then those of the second, and so on.
pub(crate) fn array_image(
    width: usize,
    depth: usize,
    layers: usize,
    format: TextureFormat,
    mip_levels: u32,
    bytes: Vec<u8>,
) -> Image {
    let mut image = empty_plane(width, depth, format);
    image.texture_descriptor.size.depth_or_array_layers = layers as u32;
    image.texture_descriptor.mip_level_count = mip_levels;
    image.data = Some(bytes);
    // With one layer, wgpu would create a plain 2-D view.
    image.texture_view_descriptor =
        Some(TextureViewDescriptor { dimension: Some(TextureViewDimension::D2Array), ..default() });
    image
}

pub(crate) fn sampler(limits: DeviceLimits) -> ImageSampler {
    ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::ClampToEdge,
        address_mode_v: ImageAddressMode::ClampToEdge,
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        mipmap_filter: ImageFilterMode::Linear,
        anisotropy_clamp: limits.anisotropy,
        ..default()
    })
}

/// An image without texels yet, for uploads into parts of it.
pub(crate) fn empty_plane(width: usize, depth: usize, format: TextureFormat) -> Image {
    let size = Extent3d { width: width as u32, height: depth as u32, depth_or_array_layers: 1 };
    // `Image::new_fill` would put as many zeros into main memory and copy them to the device.
    Image::new_uninit(size, TextureDimension::D2, format, RenderAssetUsages::RENDER_WORLD)
}

/// As [`empty_plane`], of several layers.
pub(crate) fn empty_array(width: usize, depth: usize, layers: usize, format: TextureFormat) -> Image {
    let mut image = empty_plane(width, depth, format);
    image.texture_descriptor.size.depth_or_array_layers = layers as u32;
    // As above: with one layer, wgpu would create a plain 2-D view.
    image.texture_view_descriptor =
        Some(TextureViewDescriptor { dimension: Some(TextureViewDimension::D2Array), ..default() });
    image
}

/// The sampler of the land's tiles, which have no mip levels: coarser tiles take their place. Twin of
/// `ANISOTROPY` in `shaders/surface.wgsl`.
pub(crate) fn land_sampler(limits: DeviceLimits) -> ImageSampler {
    ImageSampler::Descriptor(ImageSamplerDescriptor {
        mag_filter: ImageFilterMode::Linear,
        min_filter: ImageFilterMode::Linear,
        mipmap_filter: ImageFilterMode::Linear,
        // More would ask for finer tiles: each step of anisotropy looks at tiles of half the texel size.
        anisotropy_clamp: limits.anisotropy.min(4),
        ..default()
    })
}
