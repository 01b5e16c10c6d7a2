//! Which ground lies where, for drawing it near the eye in more detail than a baked picture has.

use crate::error::Result;
use crate::heightfield::Heightfield;
use crate::work::Work;

use super::bake::{BakeOptions, WeightMap, bake_with};
use super::set::Texture;
use super::tile::Tiling;

/// Texels along the longer side at most: it is drawn near the eye, but only what the ground is, not
/// what it looks like.
const MAX_SIDE: u32 = 2048;

/// The weights of the terrain types all over a land, and what each type wears.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundCover {
    /// The types in the order of the weights.
    pub types: Vec<CoverType>,
    /// How much of each lies where.
    pub weights: WeightMap,
}

impl GroundCover {
    /// Weighs the types of `texture` all over `field`, a texel for each sample, at most 2048 a side.
    ///
    /// # Errors
    /// As [`bake`](super::bake).
    pub fn new(
        field: &Heightfield,
        texture: &Texture,
        sea_level: Option<f32>,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        let resolution = (field.grid().longer() as u32).clamp(1, MAX_SIDE);
        let texture = Texture { resolution, occlusion: 0.0, light: None, ..texture.clone() };
        let options = BakeOptions { sea_level, weights: true };
        let weights = bake_with(field, &texture, options, seed, work)?.weights.unwrap_or_default();
        let types = texture.all_types().into_iter();
        Ok(Self {
            types: types.map(|kind| CoverType { name: kind.name, tiling: kind.tile }).collect(),
            weights,
        })
    }
}

/// A terrain type of a [`GroundCover`].
#[derive(Clone, Debug, PartialEq)]
pub struct CoverType {
    /// What people call it.
    pub name: String,
    /// Its tiling picture, if it wears one.
    pub tiling: Option<Tiling>,
}
