//! What towers see of a terrain, as [`DebugView::Viewshed`](super::DebugView::Viewshed) colours it.

use bevy::asset::RenderAssetUsages;
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};

use crate::analysis::viewshed::Viewshed;

/// What towers see of a terrain: a component on the entity of a [`Terrain`](crate::plugin::Terrain). It is
/// drawn for cameras whose view is [`DebugView::Viewshed`](super::DebugView::Viewshed).
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug, PartialEq)]
pub struct TerrainViewshed {
    image: Handle<Image>,
    corner: DVec2,
    cell: f32,
    towers: u32,
}

impl TerrainViewshed {
    /// A viewshed whose north-west sample lies at `corner`, metres east and south of the land's sample (0,
    /// 0).
    pub fn new(seen: &Viewshed, corner: DVec2, images: &mut Assets<Image>) -> Self {
        let grid = seen.grid();
        let size = Extent3d { width: grid.width as u32, height: grid.depth as u32, depth_or_array_layers: 1 };
        // Counts of at most 255 towers, read texel by texel.
        let (dimension, format) = (TextureDimension::D2, TextureFormat::R8Unorm);
        let counts = seen.counts().to_vec();
        let image = Image::new(size, dimension, counts, format, RenderAssetUsages::RENDER_WORLD);
        let towers = seen.seen_by_tower().len() as u32;
        Self { image: images.add(image), corner, cell: grid.cell, towers }
    }

    pub(super) fn image(&self) -> &Handle<Image> {
        &self.image
    }

    /// Where its north-west sample lies from an anchor in metres from the land's sample (0, 0), and the
    /// distance between samples; 0 for a distance without meaning.
    pub(super) fn relative_to(&self, anchor: DVec2) -> (Vec2, f32) {
        ((self.corner - anchor).as_vec2(), self.cell)
    }

    pub(super) fn towers(&self) -> u32 {
        self.towers
    }
}
