//! Domain warp: every point takes its height from a place nearby that noise chooses (Perlin and
//! Hoffert's "hypertexture", later Quilez).

use glam::Vec2;
use rayon::prelude::*;

use crate::error::Result;
use crate::filter::Filter;
use crate::generate::{Fbm, Generate};
use crate::heightfield::Heightfield;
use crate::noise::stream;
use crate::params::params;
use crate::work::Work;

params! {
    /// Bends and folds the land sideways: straight ridges become winding ones.
    pub struct Warp {
        /// How far points are moved at most, as a share of the longer side.
        pub reach: f32 = 0.05, "" in 0.0..=1.0;
        /// Bends along the longer side.
        pub frequency: f32 = 3.0, "" in 0.05..=256.0, log;
        /// Octaves of the bending.
        pub octaves: f32 = 4.0, "" in 1.0..=12.0;
    }
}

impl Filter for Warp {
    fn apply(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<()> {
        let grid = field.grid();
        let reach = self.reach * grid.extent().max_element();
        let bend = Fbm { height: reach, frequency: self.frequency, octaves: self.octaves, ..Fbm::default() };
        // The field itself holds the way east of every point until it gets its height: two more fields
        // are enough.
        let east = bend.generate(grid, stream(seed, 1), work)?;
        let source = std::mem::replace(field, east);
        let south = bend.generate(grid, stream(seed, 2), work)?;
        work.stage("warp", grid.depth);
        field.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, heights)| {
            work.check()?;
            for (column, height) in heights.iter_mut().enumerate() {
                let p_in_metres = Vec2::new(column as f32, row as f32) * grid.cell;
                let moved = Vec2::new(*height, south.at(column, row));
                *height = source.sample_smooth(p_in_metres + moved);
            }
            work.advance(1);
            Ok(())
        })
    }
}
