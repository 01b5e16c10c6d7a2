//! Level ground: the simplest generator, and a model for new ones.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Heightfield, Region};
use crate::params::params;
use crate::steps::generate::{Generate, rows};
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Level ground at one height.
    pub struct Flat {
        /// Height of the ground.
        pub height: f32 = 0.0, "m" in -12000.0..=12000.0;
    }
}

impl Generate for Flat {
    fn make(&self, region: &Region, _seed: u64, work: &Work) -> Result<Heightfield> {
        let fill = |(): &mut (), _, _: usize, heights: &mut [f32]| heights.fill(self.height);
        rows::sum(region, ("flat ground", "pass", 1), work, || (), fill)
    }
}

impl Operation for Flat {
    step!("flat", "Flat ground", Generator);

    fn formula(&self) -> Option<String> {
        Some(format!("h(x) = {}", brief(self.height)))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn level_ground_is_level() -> Result<()> {
        let field = Flat { height: 12.0 }.generate(Grid::new(3, 2, 5.0)?, 0, &Work::new())?;
        assert_eq!(field.range(), (12.0, 12.0));
        Ok(())
    }
}
