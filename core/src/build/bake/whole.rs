//! Baking the colours of a whole land: in full, for a preview or for a sketch.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::recipe::{PREVIEW_TEXELS, Recipe};
use crate::resize::bilinear;
use crate::steps::Ground;
use crate::texture::Baked;

/// Samples along the longer side at which a sketch looks, and its texels for each of them, at most.
const SKETCH_SAMPLES: usize = 129;
const SKETCH_TEXELS: u32 = 2;

impl Recipe {
    /// Bakes the colours of `field`, without rivers.
    ///
    /// # Errors
    /// Those of the baker, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn bake(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let ground = Ground::new(field.clone());
        let ready = self.prepare_ground(ground, self.texture.fade(), false, None, work)?;
        let baked = ready.baker(false, work)?.paint(ready.texels(), work)?;
        Ok(Baked { notes: ready.notes().to_vec(), ..baked })
    }

    /// As [`bake`](Self::bake), but quick: with at most three texels a sample of `field`, as a
    /// [`preview`](Self::preview) has.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_preview(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        self.bake_with_few_texels(field, PREVIEW_TEXELS, work)
    }

    /// As [`bake`](Self::bake), but as quick for land of any size: `field` is looked at with at most 129
    /// samples along its longer side, and there are at most two texels for each of them.
    ///
    /// # Errors
    /// As [`bake`](Self::bake).
    pub fn bake_sketch(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let grid = field.grid();
        let cells = (grid.longer() - 1).max(1) as f32;
        let share = (SKETCH_SAMPLES - 1) as f32 / cells;
        if share >= 1.0 {
            return self.bake_with_few_texels(field, SKETCH_TEXELS, work);
        }
        // By the same share along both sides, so that the land keeps its shape.
        let along = |samples: usize| ((samples - 1) as f32 * share).round() as usize + 1;
        let coarse = Grid::new(along(grid.width), along(grid.depth), grid.cell / share)?;
        self.bake_with_few_texels(&bilinear(field, coarse, work)?, SKETCH_TEXELS, work)
    }

    fn bake_with_few_texels(&self, field: &Heightfield, texels: u32, work: &Work) -> Result<Baked> {
        let texture = self.texture.of_few_texels(field.grid().longer() as u32, texels);
        Self { texture, ..self.clone() }.bake(field, work)
    }
}
