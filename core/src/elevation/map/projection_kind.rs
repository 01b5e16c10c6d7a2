//! The kinds of projections whose scale depends on the latitude alone.

/// A kind of projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::elevation) enum Stretch {
    /// Stretched in both directions.
    Mercator,
    /// Stretched from west to east.
    Cylindrical,
    /// Stretched in all directions, by the distance from a pole.
    Polar,
}
