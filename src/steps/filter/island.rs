//! Island falloff: the land sinks towards its border.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::params::{choice, params};
use crate::steps::filter::Filter;

choice! {
    /// What the island's coast follows.
    pub enum Outline {
        /// An ellipse that touches the four borders.
        Round = "round",
        /// The border itself, with rounded corners.
        Square = "square",
    }
}

params! {
    /// Sinks the land towards its border, so that it becomes an island.
    pub struct Island {
        /// How far the border is lowered.
        pub depth: f32 = 1500.0, "m" in 0.0..=12000.0;
        /// Share of the way from the middle to the border that stays as it is.
        pub inner: f32 = 0.45, "" in 0.0..=0.99;
        /// What the coast follows.
        pub outline: Outline = Outline::Round;
    }
}

impl Filter for Island {
    fn apply(&self, field: &mut Heightfield, _seed: u64, work: &Work) -> Result<()> {
        let grid = field.grid();
        work.stage("island", grid.depth);
        let from_middle = |index: usize, count: usize| match count {
            1 => 0.0,
            _ => 2.0 * index as f32 / (count - 1) as f32 - 1.0,
        };
        field.heights_mut().par_chunks_mut(grid.width).enumerate().try_for_each(|(row, heights)| {
            work.check()?;
            let z = from_middle(row, grid.depth);
            for (column, height) in heights.iter_mut().enumerate() {
                let x = from_middle(column, grid.width);
                let way = match self.outline {
                    Outline::Round => (x * x + z * z).sqrt(),
                    Outline::Square => ((x * x) * (x * x) + (z * z) * (z * z)).sqrt().sqrt(),
                };
                let t = ((way - self.inner) / (1.0 - self.inner)).clamp(0.0, 1.0);
                *height -= self.depth * t * t * (3.0 - 2.0 * t);
            }
            work.advance(1);
            Ok(())
        })
    }
}
