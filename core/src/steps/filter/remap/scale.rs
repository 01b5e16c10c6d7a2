//! Scale: a factor and an offset.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::params::params;
use crate::steps::filter::remap::each_height;
use crate::steps::number::sum;
use crate::steps::{Ground, Operation, Reach, step};

params! {
    /// Multiplies every height by a factor, then adds an offset.
    pub struct Scale {
        /// Heights are multiplied by this.
        pub factor: f32 = 1.0, "" in -1000.0..=1000.0;
        /// Added to all heights after that.
        pub bias: f32 = 0.0, "m" in -12000.0..=12000.0;
    }
}

impl Operation for Scale {
    step!("scale", "Scale and shift", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (factor, bias) = (self.factor, self.bias);
        each_height(ground, "scale", work, |height| height * factor + bias)
    }

    fn formula(&self) -> Option<String> {
        Some(format!("h′ = {}", sum(&[(self.factor, " · ", "h"), (self.bias, "", "")])))
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
}
