//! What painting needs to know of the land around a texel: sky view, shadows, wetness and others that depend
//! on distant land.
//!
//! It is measured on all of a bounded land at level 0, or in blocks of land that is endless or large
//! ([`blocks`](super::blocks)). For a window it is interpolated linearly between those samples.

use std::sync::Arc;

use crate::analysis::factors::WETNESS;
use crate::analysis::{Picture, ShareMap, TerrainAnalysis};
use crate::build::Cache;
use crate::build::cache::{Keepable, Key};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Region;
use crate::recipe::Recipe;
use crate::steps::Ground;
use crate::texture::{Fade, Prepared};

/// How a land is measured.
#[derive(Clone, Copy)]
pub(super) struct Measuring {
    /// Whether wetness is measured.
    pub(super) wetness: bool,
    /// Whether the land is measured in blocks. Otherwise all of it is measured, and has to be made for that.
    pub(super) in_blocks: bool,
}

/// The analysis of a region for painting it.
pub(super) struct Measured {
    pub(super) prepared: Prepared,
    /// How wet it is, if that was asked for.
    pub(super) wetness: Option<ShareMap>,
}

impl Keepable for Measured {
    fn bytes(&self) -> u64 {
        self.prepared.bytes() + self.wetness.as_ref().map_or(0, ShareMap::bytes)
    }
}

impl Measured {
    /// The same over the samples of another region.
    ///
    /// # Errors
    /// As [`Prepared::in_region`].
    fn in_region(&self, fade: &Fade, from: &Region, to: &Region, work: &Work) -> Result<Self> {
        let wetness = self.wetness.as_ref().map(|wetness| wetness.in_region(from, to));
        Ok(Self { prepared: self.prepared.in_region(fade, from, to, work)?, wetness })
    }
}

impl Recipe {
    /// The analysis of a region of the land: measured in blocks, or on all of the land, which is made for
    /// that.
    pub(super) fn measured_in(
        &self,
        region: &Region,
        (fade, textures): (&Fade, Option<Key>),
        Measuring { wetness, in_blocks }: Measuring,
        cache: &Cache,
        work: &Work,
    ) -> Result<Measured> {
        match self.domain()?.whole().filter(|_| !in_blocks) {
            Some(whole) => {
                let all = self.measured_on_all((fade, textures), wetness, cache, work)?;
                all.in_region(fade, &whole, region, work)
            }
            None => {
                let (blocks, measured) = self.measured_in_blocks(fade, region, wetness, cache, work)?;
                measured.in_region(fade, &blocks, region, work)
            }
        }
    }

    /// The analysis of all of a bounded land.
    fn measured_on_all(
        &self,
        (fade, textures): (&Fade, Option<Key>),
        wetness: bool,
        cache: &Cache,
        work: &Work,
    ) -> Result<Arc<Measured>> {
        let sea = self.sea_level().map(f32::to_bits);
        let key = self.last_key(&fade.layers())?.zip(textures);
        let key = key.map(|(land, textures)| land.of((textures, "all", sea, wetness)));
        cache.one_of(key, || {
            let (ground, key) = self.ground_with(&self.kept_layers(fade), Some(cache), work)?;
            self.measured_on(&ground, fade, wetness, key.map(|key| (cache, key)), work)
        })
    }

    /// The analysis of a ground without other land around it: of all of a bounded land. The analysis that the
    /// cache has under this key is reused, and the rest is added there.
    ///
    /// # Errors
    /// As [`Fade::prepare`].
    pub(super) fn measured_on(
        &self,
        ground: &Ground,
        fade: &Fade,
        wetness: bool,
        kept: Option<(&Cache, Key)>,
        work: &Work,
    ) -> Result<Measured> {
        let land = self.land(ground);
        let known = kept.and_then(|(cache, key)| cache.analysis(key));
        let known = known.unwrap_or_else(|| TerrainAnalysis::new(land.field));
        let known = known.with_land_layers(ground.layers().clone());
        let prepared = fade.prepare(land, Some(known), work)?;
        if let Some((cache, key)) = kept {
            // Pictures belong to the texture, not to the land.
            cache.keep_analysis(key, prepared.analysis().clone().without_pictures());
        }
        let wetness = if wetness { Some(WETNESS.measure(land, work)?) } else { None };
        Ok(Measured { prepared, wetness })
    }
}

/// The key of what follows from the textures alone; `None` if a picture is missing.
pub(super) fn key_of(fade: &Fade) -> Option<Key> {
    let mut key = Some(Key::NOTHING.of(fade.at.to_bits()));
    for texture in &fade.textures {
        key = key.and_then(|key| key.with("texture", texture));
    }
    let Some(Picture { file }) = &fade.mask else { return key };
    let path = file.on_disk();
    let stamp = file.stamp(&path);
    key.filter(|_| stamp.is_some() || file.is_built_in()).map(|key| key.of((path, stamp)))
}
