//! What a bake is asked for, and what it returns.

use crate::texture::colour::ColourMap;

/// Options of a bake.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BakeOptions {
    /// The height of the sea in metres, from which elevations given as shares are counted; `None` (default)
    /// for a dry land, where they are counted from its lowest point.
    pub sea_level: Option<f32>,
    /// Whether to return the weights as well. Default: no.
    pub weights: bool,
}

/// The result of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    /// The colours, and in alpha the ambient visibility.
    pub colour: ColourMap,
    /// Each type's share of each texel, if requested.
    pub weights: Option<WeightMap>,
    /// Share of the texels, in [0, 1], that no mixed type claims; each got the type nearest to qualifying. If
    /// it is more than a little, the types' limits leave gaps.
    pub unclaimed_share: f32,
    /// Notes, such as that a mask was resampled.
    pub notes: Vec<String>,
}

/// The share of each terrain type in each texel.
///
/// Mixed and covering types share the ground: their shares of a texel add up to exactly 255 (to less, or
/// more, only where the texture's bands don't [extend](crate::texture::Bands::extend)). Types of the other
/// [blend modes](crate::texture::BlendMode) are layers: their share is their own weight, that is, how
/// strongly they are laid over the types before them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightMap {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// The number of types: the texture's bands, then its types.
    pub types: usize,
    /// Which of the types are layers, in ascending order.
    pub layers: Vec<usize>,
    /// Row by row, and for each texel type by type: 0 (none) to 255 (all of the ground, or a layer in full).
    pub shares: Vec<u8>,
}
