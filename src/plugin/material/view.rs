//! How a camera sees terrains: level of detail, shading, debug colours.

use std::fmt;
use std::str::FromStr;

use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;

use crate::error::{Error, Result};
use crate::plugin::device::is_software_device;

/// How a camera sees terrains. A 3-D camera without it uses the default.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct TerrainView {
    /// How far, in pixels, the mesh may look away from the ground: quads are as large as that allows. Smaller
    /// is finer and slower. Default 1.5.
    pub pixel_error: f32,
    /// Apparent size of the smallest quads in pixels, at least 1; the largest are 8 times as large. Default
    /// 7.7.
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
    /// Strength of ribs and gullies on steep ground that are finer than its heights: in its shading alone, from
    /// 0 (none) to 1 (full). Terrain types have them as their ground textures do: rock most, sand and snow none.
    /// Default 1.
    pub ribs: f32,
    /// Distance from the eye up to which tiles are drawn, metres. They fade from half of it on, and sooner
    /// where a pixel covers a large part of a tile. Farther away the same tiles are drawn 12.7 times as
    /// large, up to 12.7 times the distance; so near that their texels are larger than pixels, ones a 12.7th
    /// as large are drawn on top. 0 switches all off. Default 600.
    pub detail_range: f32,
    /// Shadows of distant land on land beyond the sun's shadow cascades: how many heights are looked at
    /// towards the sun for each pixel there. More are truer and slower; 0: no shadows there. At most 128.
    /// Default 24.
    pub far_shadows: u32,
    /// What the colours of the ground show.
    pub debug: DebugView,
}

impl TerrainView {
    /// Settings that suit a graphics adapter: the default, or [`LIGHT`](Self::LIGHT) on a CPU renderer.
    pub fn for_device(adapter: &RenderAdapterInfo) -> Self {
        if is_software_device(adapter) { Self::LIGHT } else { Self::DEFAULT }
    }

    /// Settings for devices without a graphics card: simple shading, larger quads and texels, no distant
    /// shadows.
    pub const LIGHT: Self = Self {
        pixel_error: 2.5,
        quad_pixels: 12.0,
        texel_pixels: 4.0,
        shading: Shading::Simple,
        ribs: 0.0,
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
        ribs: 1.0,
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
#[type_path = "upland::plugin"]
pub enum Shading {
    /// Bevy's physically based lighting: every light, shadow, environment map and fog of the game.
    #[default]
    Full,
    /// Only directional lights with shadows, ambient light and fog: several times faster on a CPU renderer.
    Simple,
}

/// What the colours of the ground show. The numbers are used in `shaders/debug_view.wgsl`.
///
/// Colours are those of the scale only where the camera has neither [`Hdr`](bevy::camera::Hdr) nor bloom:
/// tone mapping changes them.
///
/// ```
/// use upland::plugin::{DebugView, TerrainView};
///
/// let view: DebugView = "wireframe".parse()?;
/// let camera = TerrainView { debug: view, ..TerrainView::DEFAULT };
/// assert_eq!(camera.debug, DebugView::Wireframe);
/// assert!("wire".parse::<DebugView>().unwrap_err().to_string().contains("wireframe, levels"));
/// # Ok::<(), upland::Error>(())
/// ```
// Twin of `Field` in `shaders/field.wgsl`, whose `debug_view` is its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[type_path = "upland::plugin"]
#[repr(u32)]
pub enum DebugView {
    /// The landscape's own colours, lit.
    #[default]
    None = 0,
    /// Slope: dark blue is level, grey 30°, yellow 60° and more.
    Slope = 1,
    /// Contour lines at round heights, see [`contour_step`]; every fifth is thicker.
    Contours = 2,
    /// World-space normals, −1 to 1 shown as 0 to 1.
    Normals = 3,
    /// A colour for each level of detail.
    Levels = 4,
    /// The world position of the drawn ground as red, green and blue, in metres, to be read back from a
    /// float target.
    Position = 5,
    /// The edges of the triangles that are drawn.
    Wireframe = 6,
    /// The bounds of chunks, thin, and of tiles, thick.
    Chunks = 7,
    /// How much coarser the tiles in memory are than the ones that pixels would like: blue for not at all.
    Residency = 8,
    /// Which way slopes face: blue north, dark east, orange south, light west; level ground is grey.
    Aspect = 9,
    /// How often each pixel is shaded: each time adds light.
    Overdraw = 10,
    /// The red of the baked colours, sRGB, as a perceptual scale: for grounds whose skin is
    /// [`Texture::of_layer`](crate::texture::Texture::of_layer).
    Layer = 11,
    /// The baked colours alone, without light, tiles and grain: for grounds whose skin is
    /// [`Texture::of_types`](crate::texture::Texture::of_types).
    Types = 12,
    /// What towers see, where the terrain has a [`TerrainViewshed`](super::TerrainViewshed).
    Viewshed = 13,
}

impl DebugView {
    /// All that are made for people to look at, the landscape first.
    pub const ALL: [Self; 13] = [
        Self::None,
        Self::Wireframe,
        Self::Levels,
        Self::Chunks,
        Self::Residency,
        Self::Slope,
        Self::Aspect,
        Self::Contours,
        Self::Normals,
        Self::Types,
        Self::Layer,
        Self::Viewshed,
        Self::Overdraw,
    ];

    /// Its name in text, such as `wireframe`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "landscape",
            Self::Slope => "slope",
            Self::Contours => "contours",
            Self::Normals => "normals",
            Self::Levels => "levels",
            Self::Position => "position",
            Self::Wireframe => "wireframe",
            Self::Chunks => "chunks",
            Self::Residency => "residency",
            Self::Aspect => "aspect",
            Self::Overdraw => "overdraw",
            Self::Layer => "layer",
            Self::Types => "types",
            Self::Viewshed => "viewshed",
        }
    }

    /// Its title for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::None => "Landscape",
            Self::Slope => "Slope",
            Self::Contours => "Contours",
            Self::Normals => "Normals",
            Self::Levels => "Levels of detail",
            Self::Position => "Position",
            Self::Wireframe => "Wireframe",
            Self::Chunks => "Chunks and tiles",
            Self::Residency => "Residency",
            Self::Aspect => "Aspect",
            Self::Overdraw => "Overdraw",
            Self::Layer => "Layer",
            Self::Types => "Terrain types",
            Self::Viewshed => "Viewshed",
        }
    }

    /// A description for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::None => "The landscape's own colours, lit",
            Self::Slope => "Dark blue where it is level, grey at 30°, yellow from 60° on",
            Self::Contours => "Lines of equal height; every fifth is thicker",
            Self::Normals => "Directions of the surface: red east, green up, blue south",
            Self::Levels => "A colour for each level of detail of the mesh",
            Self::Position => "Position in the world, in metres",
            Self::Wireframe => "The triangles that are drawn",
            Self::Chunks => "Bounds of chunks, thin, and of the tiles that they belong to, thick",
            Self::Residency => {
                "Whether the tiles that suit each pixel are in memory, or how many levels coarser ones are drawn"
            }
            Self::Aspect => "Which way slopes face, a hue for each bearing; level ground is grey",
            Self::Overdraw => "How often each pixel is shaded: the brighter the more often",
            Self::Layer => "A layer that the steps have written, on a perceptual colour scale",
            Self::Types => "Terrain types by their weights, a colour for each",
            Self::Viewshed => "Which ground the towers see",
        }
    }

    /// Whether it shows baked colours as they are, so that nothing may be drawn on top of them.
    pub(crate) fn is_baked(self) -> bool {
        matches!(self, Self::Layer | Self::Types)
    }
}

impl fmt::Display for DebugView {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DebugView {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        // Position is for tests and tools: it can be named, but no menu lists it.
        let found = Self::ALL.into_iter().chain([Self::Position]).find(|view| view.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("view", format!("there is no view `{name}`; there are {names}"))
        })
    }
}

/// Metres between the contours of a land whose heights have this range: 1, 2 or 5 times a power of ten, 16 to
/// 40 of them.
pub fn contour_step((low, high): (f32, f32)) -> f32 {
    let step = (high - low) / 40.0;
    if !(step.is_finite() && step > 0.0) {
        return 1.0;
    }
    let power = 10f32.powf(step.log10().floor());
    let round = [1.0, 2.0, 5.0].map(|factor| factor * power);
    round.into_iter().find(|&round| round >= step).unwrap_or(power * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_name_of_its_own_which_the_shader_knows() {
        let shader = include_str!("../../../shaders/debug_view.wgsl");
        for view in DebugView::ALL.into_iter().chain([DebugView::Position]) {
            assert_eq!(view.name().parse::<DebugView>().unwrap(), view);
            let known = format!("const {}: u32 = {}u;", view.name().to_uppercase(), view as u32);
            assert!(view == DebugView::None || shader.contains(&known), "{known}");
        }
    }

    #[test]
    fn contours_lie_at_round_heights() {
        let steps = [(0.0, 1000.0), (-20.0, 1.0), (0.0, 4300.0), (5.0, 5.0), (f32::NAN, 1.0)];
        assert_eq!(steps.map(contour_step), [50.0, 1.0, 200.0, 1.0, 1.0]);
    }
}
