//! Where tiles come from.

use super::made::MadeTile;
use super::shape::LandShape;
use super::tile::LandTile;
use crate::compute::work::Work;
use crate::error::Result;

/// A land that is made tile by tile: a recipe, a finished landscape, an elevation file.
///
/// Several tiles are made at once, on different threads, and in any order. The same tile must have the same
/// bits each time. Tiles of two levels should agree where their samples lie on each other: where they don't,
/// the ground moves as the eye comes nearer.
pub trait TileSource: Send + Sync {
    /// Where there is land.
    fn shape(&self) -> LandShape;

    /// Layers of splat weights, of four types each, that its tiles have.
    fn weight_layers(&self) -> usize {
        0
    }

    /// Makes a tile that [`shape`](Self::shape) has.
    ///
    /// # Errors
    /// Those of the source, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile>;
}
