//! How a camera sees terrains: level of detail, shading, false colours.

use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

use crate::plugin::device::is_software_device;

/// How a camera sees terrains. A 3-D camera without it sees them with the default.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default)]
pub struct TerrainView {
    /// How large a quad of the mesh may appear, in pixels, at least 1. Smaller is finer and slower.
    /// Default 6.
    pub quad_pixels: f32,
    /// How the ground is lit.
    pub shading: Shading,
    /// How much detail is added to the ground below the resolution of its baked colours, from 0 (none)
    /// to 1 (all): the tiles that its terrain types wear, and grain. On the whole it leaves the
    /// colours as they are. Default 1.
    pub detail: f32,
    /// How far from the eye the terrain types' tiles reach, metres; they begin to fade at half of it,
    /// and sooner where a pixel covers a large part of a tile. Where they fade, the same tiles take over
    /// 12.7 times as large, which reach 12.7 times as far. 0 switches both off. Default 600.
    pub detail_range: f32,
    /// What the ground's colours show.
    pub debug: DebugView,
}

impl TerrainView {
    /// What suits a graphics device: the default, or the quick way where it is the processor itself.
    pub fn for_device(adapter: &RenderAdapterInfo) -> Self {
        let shading = if is_software_device(adapter) { Shading::Simple } else { Shading::Full };
        Self { shading, ..default() }
    }
}

impl Default for TerrainView {
    fn default() -> Self {
        Self {
            quad_pixels: 6.0,
            shading: Shading::Full,
            detail: 1.0,
            detail_range: 600.0,
            debug: DebugView::None,
        }
    }
}

/// How the ground is lit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
pub enum Shading {
    /// Bevy's physically based lighting: every light, shadow, environment map and fog of the game.
    #[default]
    Full,
    /// Suns with their shadows, ambient light and fog alone: several times quicker on a device
    /// without a graphics card.
    Simple,
}

/// What the ground's colours show. The numbers are known to `shaders/debug_view.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[repr(u32)]
pub enum DebugView {
    /// The landscape's own colours, lit.
    #[default]
    None = 0,
    /// Slope: green where one can walk, yellow at 30°, red from 60° on.
    Slope = 1,
    /// Lines of equal height.
    Contours = 2,
    /// Normals in the world, −1 to 1 shown as 0 to 1.
    Normals = 3,
    /// A colour for each level of detail.
    Levels = 4,
    /// The world position of the drawn ground as red, green and blue, in metres: for reading it
    /// back from a target of floats.
    Position = 5,
}
