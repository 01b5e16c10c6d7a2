//! Generators: each makes a heightfield from nothing but its parameters and a seed.
//!
//! A new one is a file here (a struct declared by `params!`, its [`Generate`], its tests), its `mod` line
//! and its line in the table of [`steps`](crate::steps). Recipes, the panel, the command line, the
//! documentation and the tests of all steps then know it.

mod deposition;
mod diamond_square;
mod fault;
mod fbm;
mod flat;
pub(super) mod fractal;
mod heterogeneous;
mod hybrid;
mod import;
mod measured;
mod midpoint;
mod multifractal;
mod ridged;
mod rows;
mod spectral;
mod turbulence;
mod wander;

pub use deposition::{Deposition, Neighbours};
pub use diamond_square::{Corners, DiamondSeam, DiamondSquare};
pub use fault::{Fault, FaultBeyond, FaultFall, FaultLines, FaultProfile};
pub use fbm::Fbm;
pub use flat::Flat;
pub use heterogeneous::Heterogeneous;
pub use hybrid::{Hybrid, HybridWeight};
pub(crate) use import::OpenImport;
pub use import::{Import, ImportChannel, ImportHoles, ImportMap, ImportOrder, ImportSample, ImportUnit};
pub use midpoint::{MAX_LEVELS, Midpoint, profile};
pub use multifractal::Multifractal;
pub use ridged::Ridged;
pub use spectral::Spectral;
pub use turbulence::Turbulence;
pub(crate) use wander::{PROFILES, Wander};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::params::Params;
use crate::steps::{Reach, Site, estimate};

/// A generator: makes a heightfield.
pub trait Generate: Params + Send + Sync {
    /// Heights, in metres, for every sample of `region`. The same parameters, land and seed must give a
    /// sample the same bits in every region, on every machine and at every thread count. A generator whose
    /// [`reach`](Self::reach) is [`Whole`](Reach::Whole) is only asked for all of the land, at level 0.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation; and whatever the
    /// generator's own documentation names.
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield>;

    /// The layers that it makes beside the heights; see
    /// [`Operation::writes`](crate::steps::Operation::writes). By default none.
    fn writes(&self) -> Vec<&str> {
        Vec::new()
    }

    /// As [`make`](Self::make), with those of its layers that are `wanted`, by their names.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    fn make_with_layers(
        &self,
        region: &Region,
        _wanted: &dyn Fn(&str) -> bool,
        seed: u64,
        work: &Work,
    ) -> Result<(Heightfield, Vec<(&'static str, Heightfield)>)> {
        Ok((self.make(region, seed, work)?, Vec::new()))
    }

    /// As [`make`](Self::make), for all of a bounded land of this grid.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield> {
        self.make(&grid.into(), seed, work)
    }

    /// How much of the land must be known to make one sample. By default [`Reach::Whole`].
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Whole
    }

    /// What it computes, as a formula with its present numbers; see
    /// [`Operation::formula`](crate::steps::Operation::formula).
    fn formula(&self) -> Option<String> {
        None
    }

    /// Whether the parameter `name` has an effect; see [`Operation::uses`](crate::steps::Operation::uses).
    fn uses(&self, _name: &str) -> bool {
        true
    }

    /// Chooses numbers that suit a land to which it is added; see
    /// [`Operation::suit`](crate::steps::Operation::suit).
    fn suit(&mut self, _site: &Site) {}

    /// About how many seconds of one processor core it takes; see
    /// [`Operation::seconds`](crate::steps::Operation::seconds).
    fn seconds(&self, grid: Grid) -> f64 {
        estimate::usual(grid)
    }
}
