//! How weak the rock is from place to place: by chance, and by what a layer says.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, Region};
use crate::noise::BAND;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;

/// How much the strength of rock varies by chance.
pub(crate) struct Variety {
    /// By how much of itself it varies: 0 for not at all.
    pub(crate) amount: f32,
    /// Distance from one weak part to the next, metres.
    pub(crate) patches: f32,
    /// What the strongest parts still have of the weakness, whatever the amount.
    pub(crate) least: f32,
}

impl Variety {
    /// The weakness of the rock of a region: 1 on the whole, and 0 where `hardness` is 1.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn weakness(
        &self,
        region: &Region,
        hardness: Option<&Heightfield>,
        seed: u64,
        work: &Work,
    ) -> Result<Heightfield> {
        let grid = region.grid();
        let mut weakness = Heightfield::flat(grid, 1.0);
        if self.amount > 0.0 {
            let noise = Fbm {
                height: 2.0 * self.amount,
                frequency: region.domain().unit() / self.patches,
                octaves: 4.0,
                hurst: 0.6,
                fade: true,
                ..Fbm::default()
            };
            let noise = noise.bands(*region, seed);
            let bands = weakness.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
            bands.try_for_each_init(Scratch::default, |scratch, (band, weakness)| {
                work.check()?;
                noise(band * BAND, weakness, scratch, work)?;
                weakness.iter_mut().for_each(|weakness| *weakness = (1.0 + *weakness).max(self.least));
                Ok::<_, crate::Error>(())
            })?;
        }
        if let Some(hardness) = hardness {
            let rows = weakness.heights_mut().par_chunks_mut(grid.width).enumerate();
            rows.try_for_each(|(row, weakness)| {
                work.check()?;
                for (weakness, hardness) in weakness.iter_mut().zip(hardness.row(row)) {
                    *weakness *= 1.0 - hardness.clamp(0.0, 1.0);
                }
                Ok::<_, crate::Error>(())
            })?;
        }
        Ok(weakness)
    }
}
