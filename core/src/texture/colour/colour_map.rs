//! A baked picture of the ground, seen from above.

/// A picture that lies over a whole heightfield: its first texel's outer corner is the field's
/// north-west corner, its last texel's the south-east one. Rows run along +Z.
#[derive(Clone, Debug, PartialEq)]
pub struct ColourMap {
    /// Texels along +X.
    pub width: usize,
    /// Texels along +Z.
    pub depth: usize,
    /// sRGB-encoded red, green and blue, then ambient visibility in alpha, row by row.
    ///
    /// Alpha is not transparency: it is the share of the sky's light that reaches the texel, linear, from 0
    /// (none) to 255 (open sky). A renderer multiplies ambient light by it.
    pub texels: Vec<[u8; 4]>,
}

impl ColourMap {
    /// The colours alone, without the ambient visibility, for a picture file.
    pub fn opaque(&self) -> Vec<[u8; 3]> {
        self.texels.iter().map(|&[red, green, blue, _]| [red, green, blue]).collect()
    }
}
