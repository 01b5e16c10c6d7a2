//! Terrain texture: how much of each terrain type lies where, and the picture baked from it.
//!
//! A [`Texture`] is a list of [`TerrainType`]s (grass, rock, snow …), each with the heights and
//! slopes it grows on. [`bake`] looks at every texel's ground, weighs the types and blends their
//! colours into a [`ColourMap`]; a [`Baker`] paints any part of one, and [`bake_patches`] a map larger
//! than memory. A [`PaintedMap`] can say where types lie. How open the ground is to the
//! sky goes into the map's alpha. A type may wear a tiling picture ([`Tile`]).
//! After "Generating Terrain Textures" and "Terrain Texture Generation" (the height bands).
//!
//! The folders: `colour` and `tile` are what is painted with, `analysis` is what a land is like whatever it wears,
//! `factors` what of that a type asks for, `painted` where a picture says what lies; `blend` weighs types and mixes
//! their colours, `bake` paints with all of them, `fade` with several textures, and `outputs` writes the rest. The
//! files beside them are what recipes say: types, bands, sets, light.

mod analysis;
mod bake;
mod bands;
mod blend;
mod colour;
mod factors;
mod fade;
mod height_blend;
mod light;
mod outputs;
mod painted;
mod patches;
mod seasons;
mod set;
mod sets;
mod tile;
mod types;
mod unit;

// The files beside the rooms know these by their short names.
use analysis::{shadow, surroundings};
use bake::baker;
use blend::weights;

pub use analysis::sky::sky_view;
pub use bake::baker::{Baker, Window};
pub(crate) use bake::part::Part;
#[cfg(any(test, feature = "bevy"))]
pub(crate) use bake::sampler::LINEAR;
pub use bake::{BakeOptions, Baked, WeightMap, bake, bake_with};
pub use bands::{Band, Bands};
pub use blend::Blend;
pub use colour::colour_map::ColourMap;
#[cfg(feature = "bevy")]
pub(crate) use colour::srgb::srgb_from_linear;
pub use factors::{
    DECLINATION, FOLD, FREEZING, Factor, Factors, LAPSE, LATITUDE, Land, LayerLimits, MaskLimits, Picture,
    REACH_OF_MOISTURE, SCALE, WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS, WIND_BEARING,
};
pub(crate) use fade::MAX_SETS;
pub use fade::{Fade, FadeBaker, Prepared};
pub use light::Light;
pub use outputs::{CoverType, Green, GroundCover, TYPES_PER_SPLAT_MAP, normal_map};
pub use painted::{PaintedMap, TypeMap};
pub use patches::{PaintWindow, Patch, Patches, bake_patches};
pub use set::{BlendSpace, ElevationUnit, Texture};
pub use surroundings::{Layer, Surroundings};
pub use tile::{Tile, Tiling};
pub use types::{Limits, TerrainType};
