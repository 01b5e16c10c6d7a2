//! A part of a map.

/// A rectangle of texels of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its westernmost texels.
    pub column: usize,
    /// Its northernmost texels.
    pub row: usize,
    /// Texels along +X, at least 1.
    pub width: usize,
    /// Texels along +Z, at least 1.
    pub depth: usize,
}
