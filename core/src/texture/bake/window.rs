//! A part of a map.

/// A rectangle of texels of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapWindow {
    /// The column of its westernmost texels.
    pub column: usize,
    /// The row of its northernmost texels.
    pub row: usize,
    /// Texels along +X, at least 1.
    pub width: usize,
    /// Texels along +Z, at least 1.
    pub depth: usize,
}
