//! Generators: each makes a heightfield from nothing but its parameters and a seed.
//!
//! A new one is a file here (a struct declared by `params!`, its [`Generate`] and [`Operation`], its tests),
//! its `mod` and `pub use` lines, and its row in the table of [`steps`](crate::steps). Recipes, the panel,
//! the command line, the documentation and the tests of all steps then include it.

mod deposition;
mod diamond_square;
mod fault;
mod fbm;
mod flat;
pub(super) mod fractal;
mod heterogeneous;
mod hybrid;
mod import;
mod line;
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
pub use line::{MAX_LEVELS, profile};
pub use midpoint::Midpoint;
pub use multifractal::Multifractal;
pub use ridged::Ridged;
pub use spectral::Spectral;
pub use turbulence::Turbulence;
pub(crate) use wander::{PROFILES, Wander};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::steps::Operation;

/// A generator as a function: of its parameters, a region and a seed. Its [`Operation`] puts what this makes
/// in place of the present heights.
pub trait Generate: Operation {
    /// Heights, in metres, for every sample of `region`. The same parameters, land and seed must give a
    /// sample the same bits in every region, on every machine and at every thread count. A generator whose
    /// [`reach`](Operation::reach) is [`Whole`](crate::steps::Reach::Whole) is only given all of the land, at
    /// level 0.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation; and whatever the
    /// generator's own documentation names.
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield>;

    /// As [`make`](Self::make), for all of a bounded land of this grid.
    ///
    /// # Errors
    /// As [`make`](Self::make).
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield> {
        self.make(&grid.into(), seed, work)
    }
}
