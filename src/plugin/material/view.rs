//! How a camera sees terrains: level of detail, shading, debug colours.

use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

use crate::plugin::device::is_software_device;

/// How a camera sees terrains. A 3-D camera without it uses the default.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default)]
pub struct TerrainView {
    /// How far, in pixels, the mesh may look away from the ground: quads are as large as that allows. Smaller
    /// is finer and slower. Default 1.5.
    pub pixel_error: f32,
    /// Apparent size of the smallest quads in pixels, at least 1; the largest are 8 times as large. Default 7.7.
    pub quad_pixels: f32,
    /// Largest apparent size of the texels of the land's colours and slopes, pixels. Smaller is sharper and
    /// takes more memory and time: a quarter of the size, 16 times as much. Default 3.
    pub texel_pixels: f32,
    /// Distance up to which land without an end is drawn, metres. Default 250 000.
    pub distance: f32,
    /// How the ground is lit.
    pub shading: Shading,
    /// Strength of the detail below the resolution of the baked colours, from 0 (none) to 1 (full): tiles
    /// of the terrain types, and grain. It keeps the average colours. Default 1.
    pub detail: f32,
    /// Distance from the eye up to which tiles are drawn, metres. They fade from half of it on, and sooner
    /// where a pixel covers a large part of a tile. Farther away the same tiles are drawn 12.7 times as
    /// large, up to 12.7 times the distance; so near that their texels are larger than pixels, ones a 12.7th as large
    /// are drawn on top. 0 switches all off. Default 600.
    pub detail_range: f32,
    /// Shadows of distant land on land beyond the sun's shadow cascades: how many heights are looked at towards
    /// the sun for each pixel there. More are truer and slower; 0: no shadows there. At most 128. Default 24.
    pub far_shadows: u32,
    /// What the colours of the ground show.
    pub debug: DebugView,
}

impl TerrainView {
    /// Settings that suit a graphics adapter: the default, or [`LIGHT`](Self::LIGHT) on a CPU renderer.
    pub fn for_device(adapter: &RenderAdapterInfo) -> Self {
        if is_software_device(adapter) { Self::LIGHT } else { Self::DEFAULT }
    }

    /// Settings for devices without a graphics card: simple shading, larger quads and texels, no distant shadows.
    pub const LIGHT: Self = Self {
        pixel_error: 2.5,
        quad_pixels: 12.0,
        texel_pixels: 4.0,
        shading: Shading::Simple,
        far_shadows: 0,
        ..Self::DEFAULT
    };

    /// The default.
    pub const DEFAULT: Self = Self {
        pixel_error: 1.5,
        quad_pixels: 7.7,
        texel_pixels: 3.0,
        distance: 250_000.0,
        shading: Shading::Full,
        detail: 1.0,
        detail_range: 600.0,
        far_shadows: 24,
        debug: DebugView::None,
    };
}

impl Default for TerrainView {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How the ground is lit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
pub enum Shading {
    /// Bevy's physically based lighting: every light, shadow, environment map and fog of the game.
    #[default]
    Full,
    /// Only directional lights with shadows, ambient light and fog: several times faster on a CPU renderer.
    Simple,
}

/// What the colours of the ground show. The numbers are used in `shaders/debug_view.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[repr(u32)]
pub enum DebugView {
    /// The landscape's own colours, lit.
    #[default]
    None = 0,
    /// Slope: green is walkable, yellow 30°, red 60° and more.
    Slope = 1,
    /// Contour lines.
    Contours = 2,
    /// World-space normals, −1 to 1 shown as 0 to 1.
    Normals = 3,
    /// A colour for each level of detail.
    Levels = 4,
    /// The world position of the drawn ground as red, green and blue, in metres, to be read back from a
    /// float target.
    Position = 5,
}
