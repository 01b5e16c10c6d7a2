//! Domain warp: every point takes the height of a point nearby, displaced by noise (Perlin and Hoffert's
//! "hypertexture", later Quilez).

use glam::Vec2;
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Heightfield, Region};
use crate::noise::{BAND, stream};
use crate::params::params;
use crate::steps::Reach;
use crate::steps::filter::Filter;
use crate::steps::generate::fractal::Scratch;
use crate::steps::generate::{Fbm, Generate};

params! {
    /// Bends and folds the land horizontally: straight ridges become winding ones.
    pub struct Warp {
        /// Largest displacement of a point, as a share of the longer side.
        pub reach: f32 = 0.05, "" in 0.0..=1.0;
        /// Bends along the longer side.
        pub frequency: f32 = 3.0, "" in 0.05..=256.0, log;
        /// Octaves of the displacement noise.
        pub octaves: f32 = 4.0, "" in 1.0..=12.0;
    }
}

impl Filter for Warp {
    fn change(&self, field: &mut Heightfield, region: &Region, seed: u64, work: &Work) -> Result<()> {
        let grid = field.grid();
        let reach = self.reach * region.domain().unit();
        let bend = Fbm { height: reach, frequency: self.frequency, octaves: self.octaves, ..Fbm::default() };
        // To need only one more field: the field itself holds the displacement east of every point until
        // the point gets its height, and the displacement south is computed a few rows at a time.
        let east = bend.make(region, stream(seed, 1), &work.unobserved())?;
        let source = std::mem::replace(field, east);
        let bend_south = bend.bands(*region, stream(seed, 2));
        work.stage("warp", grid.depth);
        let bands = field.heights_mut().par_chunks_mut(grid.width * BAND).enumerate();
        bands.try_for_each_init(Scratch::default, |scratch, (band, heights)| {
            let mut south = vec![0.0; heights.len()];
            bend_south(band * BAND, &mut south, scratch, work)?;
            let rows = heights.chunks_exact_mut(grid.width).zip(south.chunks_exact(grid.width));
            for (index, (heights, south)) in rows.enumerate() {
                work.check()?;
                let row = band * BAND + index;
                for (column, (height, south)) in heights.iter_mut().zip(south).enumerate() {
                    let moved = Vec2::new(*height, *south) / grid.cell;
                    *height = source.sample_smooth_beside([column, row], moved);
                }
                work.advance(1);
            }
            Ok(())
        })
    }

    fn reach(&self, domain: Domain) -> Reach {
        Reach::Near(self.reach * domain.unit() + 2.0 * domain.cell())
    }
}
