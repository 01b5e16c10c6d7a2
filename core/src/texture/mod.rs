//! Terrain texture: the share of each terrain type at each place, and the picture that is baked from it.
//!
//! A [`Texture`] is a list of [`TerrainType`]s (grass, rock, snow …), each with the heights and slopes at
//! which it lies. [`bake`] rates the ground under every texel for each type and blends the types' colours
//! into a [`ColourMap`], with the ground's sky-view factor in alpha. A [`Baker`] paints any part of such a
//! map, and [`bake_patches`] one that is larger than memory. A type may have a tiling picture ([`Tile`]), and
//! a [`PaintedMap`] can say where types lie.
//!
//! After "Generating Terrain Textures" and "Terrain Texture Generation" (the height bands).
//!
//! Its rooms, from the foundation upwards: `colour`; `tile` and `painted`, the pictures that a texture names;
//! `types`, the parts of a texture in recipes; `sets`, the ready-made textures; `texels`, what lies under the
//! texels of a map; `blend`, weighing types and mixing their colours; `bake`, painting maps; `fade`, several
//! textures on one land; `outputs`, what else a bake is good for; `tile_layer`, tiling pictures as shaders
//! read them. The crate's room `analysis` measures what a land is like, whatever its texture.

mod bake;
mod blend;
mod colour;
mod fade;
mod outputs;
mod painted;
mod sets;
mod texels;
mod tile;
mod tile_layer;
mod types;

pub use crate::analysis::{
    FREEZING, Factor, FactorReach, FactorScale, LAPSE_RATE, Land, MOISTURE_REACH, POSITION_HALF,
    POSITION_SCALE, Picture, ShadeDay, ShareMap, TerrainAnalysis, WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS,
    WIND_BEARING, factors, sky_view,
};
pub use bake::{
    BakeOptions, Baked, Baker, MapWindow, PaintWindow, Patch, Patches, WeightMap, bake, bake_patches,
    bake_with,
};
pub(crate) use bake::{Materials, Part};
pub use blend::{LimitThere, TypeThere};
pub use colour::ColourMap;
#[doc(hidden)]
pub use colour::srgb::LINEAR;
#[doc(hidden)]
pub use colour::srgb::level_from_linear;
pub(crate) use fade::MAX_SETS;
pub use fade::{Fade, FadeBaker, Prepared};
pub use outputs::{CoverType, Green, GroundCover, TYPES_PER_SPLAT_MAP, normal_map};
pub use painted::{PaintedMap, Palette, TypeMap};
pub(crate) use sets::{is_guessed_snow, lying_snow, road};
pub use tile::{Tile, Tiling};
#[doc(hidden)]
pub use tile_layer::TileTexels;
pub use types::{
    Band, Bands, BlendMode, BlendSpace, ElevationUnit, Factors, LayerLimits, Light, Limits, MaskLimits,
    TerrainType, Texture,
};
