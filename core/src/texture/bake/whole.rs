//! Baking a whole map.

use crate::analysis::{Land, TerrainAnalysis};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::texture::types::Texture;

use super::baked::{BakeOptions, Baked};
use super::baker::Baker;

/// Bakes a texture for a dry land: colours, and the sky-view factor of each texel.
///
/// The same field, texture and seed give the same texels bit for bit, on any number of threads. The seed
/// places the noise that mottles colours and roughens borders.
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
    let mut analysis = TerrainAnalysis::new(field);
    let land = Land { sea_level: options.sea_level, ..Land::dry(field) };
    analysis.prepare_on(land, texture, work)?;
    let baker = Baker::new(field, &analysis, texture, options, seed, work)?;
    let notes = analysis.notes().map(str::to_owned).collect();
    Ok(Baked { notes, ..baker.paint(baker.whole(), work)? })
}
