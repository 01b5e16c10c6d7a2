//! Where tiles come from.

use glam::DVec2;

use super::ground::{GroundAt, ground_in, weights_in};
use super::made::MadeTile;
use super::shape::LandShape;
use super::tile::LandTile;
use crate::compute::work::Work;
use crate::error::{Error, Result};

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

    /// Whether its ground may stand beside its samples: all tiles of such land have shifts.
    fn is_shifted(&self) -> bool {
        false
    }

    /// Makes a tile that [`shape`](Self::shape) has.
    ///
    /// # Errors
    /// Those of the source, and [`Error::Cancelled`](crate::Error::Cancelled).
    fn make(&self, tile: LandTile, work: &Work) -> Result<MadeTile>;

    /// The ground at a place on the land, in metres from sample (0, 0), as a tile of the finest level has it.
    ///
    /// # Errors
    /// As [`make`](Self::make); when there is no land at the place.
    fn ground(&self, place: DVec2, work: &Work) -> Result<ExactGround> {
        let shape = self.shape();
        let tile = finest_tile(&shape, place)?;
        let made = self.make(tile, work)?;
        let (x, z) = (place.x, place.y);
        Ok(ExactGround {
            ground: ground_in(&made.heights, tile, &shape, x, z),
            weights: weights_in(&made.texels.weights, tile, &shape, x, z),
        })
    }
}

/// The ground at a place, as exact as a source has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactGround {
    /// Height and rise.
    pub ground: GroundAt,
    /// The splat weights of all channels there, 0 to 255: four for each layer of the source.
    pub weights: Vec<u8>,
}

/// The finest tile at a place.
///
/// # Errors
/// When there is no land.
pub(super) fn finest_tile(shape: &LandShape, place: DVec2) -> Result<LandTile> {
    let tile = shape.tile_at(shape.finest, place.x, place.y);
    // Where tiles can no longer be counted there is none either.
    let is_counted = place.abs().max_element() < f64::from(1 << 30) * f64::from(shape.cell_at(shape.finest));
    if !shape.has_place(place.x, place.y) || !(is_counted || shape.size.is_some()) {
        let reason = format!("({}, {}) m from the first sample is not on the land", place.x, place.y);
        return Err(Error::parameter("place", reason));
    }
    Ok(tile)
}
