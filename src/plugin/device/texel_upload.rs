//! Uploads into parts of a texture that is already on the device.

use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    Extent3d, Origin3d, TexelCopyBufferLayout, TexelCopyTextureInfo, TextureAspect,
};
use bevy::render::renderer::RenderQueue;
use bevy::render::texture::GpuImage;
use bevy::render::{ExtractSchedule, MainWorld, Render, RenderApp, RenderSystems};

/// Frames after which texels for a texture that does not exist yet are dropped.
const PATIENCE: u32 = 300;

/// Texels for a part of a layer.
pub(crate) struct TexelPatch {
    pub(crate) image: AssetId<Image>,
    /// Column, row and layer of the first texel.
    pub(crate) corner: UVec3,
    /// Columns and rows.
    pub(crate) size: UVec2,
    pub(crate) bytes: Vec<u8>,
}

/// Patches waiting to be uploaded.
#[derive(Resource, Default)]
pub(crate) struct TexelPatches {
    waiting: Vec<TexelPatch>,
    /// Whether there is no renderer that would ever take them.
    is_shut: bool,
}

impl TexelPatches {
    /// Adds one; without a renderer it is dropped.
    pub(crate) fn push(&mut self, patch: TexelPatch) {
        if !self.is_shut {
            self.waiting.push(patch);
        }
    }

    /// Those that wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> &[TexelPatch] {
        &self.waiting
    }

    /// Forgets them, and lets those that follow wait, with a renderer or without.
    #[cfg(test)]
    pub(crate) fn collect(&mut self) {
        *self = Self::default();
    }
}

/// Patches waiting in the render world, and for how many frames.
#[derive(Resource, Default)]
struct Waiting(Vec<(TexelPatch, u32)>);

pub(crate) struct TexelUploadPlugin;

impl Plugin for TexelUploadPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<TexelPatches>();
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app
                .init_resource::<Waiting>()
                .add_systems(ExtractSchedule, extract)
                // After `PrepareAssets`, in which Bevy makes the textures of new images.
                .add_systems(Render, write.in_set(RenderSystems::PrepareResources));
        } else {
            app.insert_resource(TexelPatches { is_shut: true, ..default() });
        }
    }
}

fn extract(mut main_world: ResMut<MainWorld>, mut waiting: ResMut<Waiting>) {
    // Moved and not cloned: a frame's tiles are megabytes.
    if let Some(mut patches) = main_world.get_resource_mut::<TexelPatches>() {
        waiting.0.extend(patches.waiting.drain(..).map(|patch| (patch, 0)));
    }
}

fn write(mut waiting: ResMut<Waiting>, images: Res<RenderAssets<GpuImage>>, queue: Res<RenderQueue>) {
    waiting.0.retain_mut(|(patch, age)| {
        let Some(image) = images.get(patch.image) else {
            // The texture of a new image may come a frame later or more. One of an image that was removed
            // meanwhile never comes, and its texels are dropped after a while.
            *age += 1;
            return *age < PATIENCE;
        };
        let UVec2 { x: width, y: depth } = patch.size;
        let bytes_per_row = patch.bytes.len() as u32 / depth.max(1);
        queue.write_texture(
            TexelCopyTextureInfo {
                texture: &image.texture,
                mip_level: 0,
                origin: Origin3d { x: patch.corner.x, y: patch.corner.y, z: patch.corner.z },
                aspect: TextureAspect::All,
            },
            &patch.bytes,
            TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(bytes_per_row), rows_per_image: None },
            Extent3d { width, height: depth, depth_or_array_layers: 1 },
        );
        false
    });
}
