//! The ground of a terrain: the component that a game reads.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use crate::plugin::material::{DrawnCover, WeighedTypes};
use crate::steps::water::RiverSheet;
use crate::stream::{RecipeSource, TileSource};
use crate::{Grid, Landscape};

/// The ground of a terrain; present once there is something to draw, which may be before
/// [`TerrainReady`](super::TerrainReady) is sent. Not part of scenes: it follows from the terrain.
#[derive(Component, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
pub struct TerrainGround {
    /// Heights, colours and sea level of the land. Some lands have only a part of their samples here:
    ///
    /// * endless land has those around the middle,
    /// * land that is not built as a whole (more than 8193² samples, and no step that must know all of it)
    ///   has every second, fourth, eighth … along each side, at most 1025 along the longer one,
    /// * a new terrain that is drawn before it is built has at most 129 along the longer side, chosen in the
    ///   same way.
    ///
    /// [`samples`](Self::samples) and [`extent`](Self::extent) are of the land in any case.
    pub landscape: Arc<Landscape>,
    /// Where the land's sample (0, 0) lies, metres east and south of the entity.
    pub(crate) origin: DVec2,
    pub(crate) height_range: (f32, f32),
    #[reflect(ignore)]
    pub(crate) cover: Option<DrawnCover>,
    #[reflect(ignore)]
    pub(crate) types: WeighedTypes,
    #[reflect(ignore)]
    pub(crate) rivers: Arc<RiverSheet>,
    /// The recipe whose tiles are drawn, if the land is a recipe's.
    #[reflect(ignore)]
    pub(crate) recipe: Option<Arc<RecipeSource>>,
}

impl TerrainGround {
    /// Samples of the land along x and z; of endless land those of the landscape.
    pub fn samples(&self) -> [u32; 2] {
        let grid = self.landscape.heightfield.grid();
        self.bounds().unwrap_or([grid.width as u32, grid.depth as u32])
    }

    /// Metres from the land's first to its last sample along x and z; of endless land those of the landscape.
    pub fn extent(&self) -> Vec2 {
        let [width, depth] = self.samples().map(|side| side as usize);
        let cell =
            self.recipe.as_ref().map_or(self.landscape.heightfield.grid().cell, |recipe| recipe.shape().cell);
        Grid { width, depth, cell }.extent()
    }

    fn bounds(&self) -> Option<[u32; 2]> {
        self.recipe.as_ref().and_then(|recipe| recipe.shape().size)
    }

    /// Whether [`landscape`](Self::landscape) has only some of the samples that are drawn.
    pub(crate) fn is_partial(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| !recipe.has_whole())
    }

    /// The lowest and highest height of the field, metres. Stored at build time, so unlike
    /// [`Heightfield::range`](crate::Heightfield::range) it costs nothing.
    pub fn height_range(&self) -> (f32, f32) {
        self.height_range
    }
}

#[cfg(test)]
impl TerrainGround {
    /// Ground without textures.
    pub(crate) fn bare(heightfield: crate::Heightfield) -> Self {
        let colour = crate::texture::ColourMap { width: 1, depth: 1, texels: vec![[128; 4]] };
        let landscape = Landscape::new(heightfield, colour);
        let rivers = RiverSheet::new(&landscape.heightfield, &[], None, &crate::Work::new()).unwrap();
        Self {
            origin: landscape.heightfield.grid().extent().as_dvec2() * -0.5,
            height_range: landscape.heightfield.range(),
            landscape: Arc::new(landscape),
            cover: None,
            types: WeighedTypes::default(),
            rivers: Arc::new(rivers),
            recipe: None,
        }
    }
}
