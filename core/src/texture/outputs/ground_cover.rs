//! The terrain types of the ground, for drawing it near the eye in more detail than a baked map has.

use std::sync::Arc;

use crate::analysis::{Land, TerrainAnalysis};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::sculpt::PaintedTypes;
use crate::texture::bake::WeightMap;
use crate::texture::fade::Fade;
use crate::texture::tile::Tiling;
use crate::texture::types::{TerrainType, Texture};

/// The most texels along the longer side: near the eye tiles give the detail, the cover only selects them.
const MAX_SIDE: u32 = 2048;

/// The weights of the terrain types all over a land, and the material of each type.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundCover {
    /// The types in the order of the weights.
    pub types: Vec<CoverType>,
    /// The share of each type at each place.
    pub weights: WeightMap,
}

impl GroundCover {
    /// Computes the weights of the types of `texture` all over `field`, with a texel per sample, at most 2048
    /// a side.
    ///
    /// # Errors
    /// As [`bake`](crate::texture::bake()).
    pub fn new(
        field: &Heightfield,
        texture: &Texture,
        sea_level: Option<f32>,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        Self::of(&Fade::from(texture.clone()), Land { sea_level, ..Land::dry(field) }, None, seed, work)
    }

    /// As [`new`](Self::new), for textures that fade into each other and for a land with rivers. Data that
    /// are `known` of the land are not computed again.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(
        fade: &Fade,
        land: Land,
        known: Option<TerrainAnalysis>,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        Self::painted(fade, land, known, None, seed, work)
    }

    /// As [`of`](Self::of), with types that strokes paint over all others.
    pub(crate) fn painted(
        fade: &Fade,
        land: Land,
        known: Option<TerrainAnalysis>,
        painted: Option<Arc<PaintedTypes>>,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        // A texel for each sample is enough: types follow the samples, and only their edges are finer.
        let resolution = (land.field.grid().longer() as u32).clamp(1, MAX_SIDE);
        let mut fade = fade.clone();
        for texture in &mut fade.textures {
            // Weights alone are used, so light and shade, which are slow to measure, are left out.
            (texture.resolution, texture.occlusion, texture.light) = (resolution, 0.0, None);
        }
        let prepared = fade.prepare(land, known, work)?.with_painted(painted);
        let baker = fade.baker(land, &prepared, true, seed, work)?;
        let weights = baker.paint(baker.whole(), work)?.weights.unwrap_or_default();
        let layers = baker.layers();
        let cover = |(index, kind): (usize, &TerrainType)| CoverType {
            name: kind.name.clone(),
            colour: kind.colour,
            // The ground shows through a layer.
            tiling: kind.tile.clone().filter(|_| !layers.contains(&index)),
        };
        Ok(Self { types: baker.types().enumerate().map(cover).collect(), weights })
    }
}

/// A terrain type of a [`GroundCover`].
#[derive(Clone, Debug, PartialEq)]
pub struct CoverType {
    /// Its name for people.
    pub name: String,
    /// Its sRGB-encoded colour; `None` where its tile gives it.
    pub colour: Option<[f32; 3]>,
    /// Its tiling picture, if it has one. None for a layer ([`BlendMode`](crate::texture::BlendMode)): layers
    /// are visible only in the baked colours, and near the eye the tiles of the ground under them show
    /// through.
    pub tiling: Option<Tiling>,
}
