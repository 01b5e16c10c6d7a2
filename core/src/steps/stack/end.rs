//! The step that ends a group.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid};
use crate::params::params;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Ends a `group`: the land that its steps have made is blended into the land before it. A group without
    /// an `end` lasts to the last step.
    pub struct End {}
}

impl Operation for End {
    step!("end", "End of group", Group);

    fn seconds(&self, _grid: Grid) -> f64 {
        0.0
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn mixes(&self) -> bool {
        false
    }

    fn apply(&self, _ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        Ok(())
    }
}
