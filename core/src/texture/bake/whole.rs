//! Baking a whole map at once.

use crate::analysis::{Land, Surroundings};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::texture::colour::ColourMap;
use crate::texture::types::Texture;

use super::baker::Baker;

/// What else a bake may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BakeOptions {
    /// The height of the sea in metres, where elevations that are shares begin; `None` (default) for a dry
    /// land, where they begin at its lowest point.
    pub sea_level: Option<f32>,
    /// Whether to return the weights as well. Default: no.
    pub weights: bool,
}

/// What was baked.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The colours, and in alpha the ambient visibility.
    pub colour: ColourMap,
    /// Each type's share of each texel, if asked for.
    pub weights: Option<WeightMap>,
    /// Share of the texels, in [0, 1], that no mixed type claims; each got the one nearest to
    /// qualifying. More than a little means that the types' limits leave gaps.
    pub unclaimed_share: f32,
    /// What there is to say, such as that a mask was resampled.
    pub notes: Vec<String>,
}

/// How much of each terrain type lies on each texel.
///
/// Mixed and covering types share the ground: their shares of a texel add up to exactly 255 (to less, or more, only where
/// the texture's bands don't [extend](crate::texture::Bands::extend)). Types of the
/// other [blend modes](crate::texture::BlendMode) are layers: theirs is their own weight, how strongly they are
/// laid over what the types before them have made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightMap {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// How many types: the texture's bands, then its types.
    pub types: usize,
    /// Which of the types are layers, in rising order.
    pub layers: Vec<usize>,
    /// Row by row, and for each texel type by type: 0 (none) to 255 (all of the ground, or a layer in full).
    pub shares: Vec<u8>,
}

/// Bakes a texture for a dry land: colours, and the sky-view factor of each texel.
///
/// The same field, texture and seed give the same texels bit for bit, on any number of threads. The seed
/// decides where the noise lies that mottles colours and roughens borders.
///
/// ```
/// # use upland_core as upland;
/// use upland::texture::{TerrainType, Texture, bake};
/// let field = upland::Heightfield::flat(upland::Grid::new(9, 9, 10.0)?, 100.0);
/// let sand = Texture { types: vec![TerrainType::new("sand", [0.8, 0.6, 0.4])], ..Texture::default() };
/// let baked = bake(&field, &sand, 1, &upland::Work::new())?;
/// assert!(baked.colour.texels.iter().all(|&texel| texel == [204, 153, 102, 255]));
/// assert_eq!(baked.unclaimed_share, 0.0);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`](crate::Error::Parameter) when the texture has no types or one of its values
/// is out of range, an id of its painted map has no type, or there would be more texels a side than one
/// picture can have ([`Baker::paint`]); when a picture cannot be read;
/// [`Error::Cancelled`](crate::Error::Cancelled) when `work` is cancelled.
pub fn bake(field: &Heightfield, texture: &Texture, seed: u64, work: &Work) -> Result<Baked> {
    bake_with(field, texture, BakeOptions::default(), seed, work)
}

/// As [`bake`], for a land whose sea level is known, or with the weights as well.
///
/// # Errors
/// As [`bake`].
pub fn bake_with(
    field: &Heightfield,
    texture: &Texture,
    options: BakeOptions,
    seed: u64,
    work: &Work,
) -> Result<Baked> {
    texture.check()?;
    let mut surroundings = Surroundings::new(field);
    let land = Land { sea_level: options.sea_level, ..Land::dry(field) };
    surroundings.prepare_on(land, texture, work)?;
    let baker = Baker::new(field, &surroundings, texture, options, seed, work)?;
    let notes = surroundings.notes().map(str::to_owned).collect();
    Ok(Baked { notes, ..baker.paint(baker.whole(), work)? })
}
