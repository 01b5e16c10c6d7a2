//! Terrain texture: how much of each terrain type lies where, and the picture baked from it.

mod colour_map;

pub use colour_map::ColourMap;
/// What the ground wears.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Texture {}

/// A baked texture.
pub struct Baked {
    /// The picture of the ground.
    pub colour: ColourMap,
}

/// Bakes the texture of a field.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn bake(
    field: &crate::Heightfield,
    _texture: &Texture,
    _seed: u64,
    work: &crate::Work,
) -> crate::Result<Baked> {
    work.check()?;
    let crate::Grid { width, depth, .. } = field.grid();
    Ok(Baked { colour: ColourMap { width, depth, texels: vec![[128, 128, 128, 255]; width * depth] } })
}
