//! Baking the colours of a whole land: in full, for a preview or for a sketch.

use crate::analysis::{Land, TerrainAnalysis};
use crate::build::Cache;
use crate::build::cache::Key;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Layers};
use crate::recipe::{PREVIEW_TEXELS, Recipe};
use crate::resize::bilinear;
use crate::texture::{Baked, Fade, Prepared};

/// Samples along the longer side at which a sketch looks, and its texels for each of them, at most.
const SKETCH_SAMPLES: usize = 129;
const SKETCH_TEXELS: u32 = 2;

impl Recipe {
    /// Bakes the colours of `field`, without rivers.
    ///
    /// # Errors
    /// Those of the baker, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn bake(&self, field: &Heightfield, work: &Work) -> Result<Baked> {
        let (fade, land) = (self.texture.fade(), self.land(field, &[]));
        let prepared = fade.prepare(land, None, work)?.with_painted(self.painted_types(None)?);
        let baker = fade.baker(land, &prepared, false, self.seed, work)?;
        Ok(Baked { notes: prepared.notes.clone(), ..baker.paint(baker.whole(), work)? })
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

/// The analysis of all of a bounded land that `fade` needs to paint it or any part of it. The part that the
/// cache has under this key is reused, and the rest is added there.
///
/// # Errors
/// As [`Fade::prepare`].
pub(super) fn prepare_whole(
    fade: &Fade,
    land: Land,
    layers: &Layers,
    kept: Option<(&Cache, Key)>,
    work: &Work,
) -> Result<Prepared> {
    let known = kept.and_then(|(cache, key)| cache.analysis(key));
    let known = known.unwrap_or_else(|| TerrainAnalysis::new(land.field)).with_land_layers(layers.clone());
    let prepared = fade.prepare(land, Some(known), work)?;
    if let Some((cache, key)) = kept {
        // Pictures belong to the texture, not to the land.
        cache.keep_analysis(key, prepared.analysis().clone().without_pictures());
    }
    Ok(prepared)
}
