//! Terrain texture: how much of each terrain type lies where, and the picture baked from it.
//!
//! A [`Texture`] is a list of [`TerrainType`]s (grass, rock, snow …), each with the heights and
//! slopes it grows on. [`bake`] looks at every texel's ground, weighs the types and blends their
//! colours into a [`ColourMap`]; a [`Baker`] paints any part of one, and [`bake_patches`] a map larger
//! than memory. A [`PaintedMap`] can say where types lie. How open the ground is to the
//! sky goes into the map's alpha. A type may wear a tiling picture ([`Tile`]).
//! After "Generating Terrain Textures" and "Terrain Texture Generation" (the height bands).

mod bake;
mod baker;
mod bands;
mod between;
mod blend;
mod colour_map;
mod factors;
mod fade;
mod ground_cover;
mod height_blend;
mod light;
mod mottle;
mod outputs;
mod painted;
mod patches;
mod ranges;
mod sampler;
mod seasons;
mod set;
mod sets;
mod shadow;
mod sky;
mod srgb;
mod surface;
mod surroundings;
mod tile;
mod tile_check;
mod tile_png;
mod type_map;
mod types;
mod unit;
mod weights;

pub use bake::{BakeOptions, Baked, WeightMap, bake, bake_with};
pub use baker::{Baker, Window};
pub use bands::{Band, Bands};
pub use blend::Blend;
pub use colour_map::ColourMap;
pub use factors::{
    DECLINATION, FOLD, FREEZING, Factor, Factors, LAPSE, LATITUDE, Land, LayerLimits, MaskLimits, Picture,
    REACH_OF_MOISTURE, SCALE, WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS, WIND_BEARING,
};
pub(crate) use fade::MAX_SETS;
pub use fade::{Fade, FadeBaker, Prepared};
pub use ground_cover::{CoverType, GroundCover};
pub use light::Light;
pub use outputs::{Green, TYPES_PER_SPLAT_MAP, normal_map};
pub use painted::PaintedMap;
pub use patches::{PaintWindow, Patch, Patches, bake_patches};
#[cfg(any(test, feature = "bevy"))]
pub(crate) use sampler::LINEAR;
pub use set::{BlendSpace, ElevationUnit, Texture};
pub use sky::sky_view;
#[cfg(feature = "bevy")]
pub(crate) use srgb::srgb_from_linear;
pub use surroundings::{Layer, Surroundings};
pub use tile::{Tile, Tiling};
pub use type_map::TypeMap;
pub use types::{Limits, TerrainType};
