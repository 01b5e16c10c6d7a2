//! A baked picture of the ground, seen from above.

/// A picture that lies over a whole heightfield: its first texel's outer corner is the field's
/// north-west corner, its last texel's the south-east one. Rows run along +Z.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourMap {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// sRGB-encoded red, green, blue and an opaque alpha, row by row.
    pub texels: Vec<[u8; 4]>,
}
