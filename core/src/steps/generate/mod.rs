//! Generators: each makes a heightfield from nothing but its parameters and a seed.
//!
//! A new one is a file here (a struct declared by `params!`, its [`Generate`] and [`Operation`], its tests),
//! its `mod` line, and its row in the table below. Recipes, the panel, the command line, the documentation and
//! the tests of all steps then include it.

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

pub use deposition::Neighbours;
pub use diamond_square::{Corners, DiamondSeam};
pub use fault::{FaultBeyond, FaultFall, FaultLines, FaultProfile};
pub use hybrid::HybridWeight;
pub(crate) use import::OpenImport;
pub use import::{ImportChannel, ImportHoles, ImportMap, ImportOrder, ImportSample, ImportUnit};
pub use line::{MAX_LEVELS, profile};
pub(crate) use wander::{PROFILES, Wander};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, Region};
use crate::steps::Operation;
use crate::steps::built_in::built_in;

// The path of each generator, in the order in which they are listed.
built_in! {
    flat::Flat,
    fbm::Fbm,
    turbulence::Turbulence,
    multifractal::Multifractal,
    heterogeneous::Heterogeneous,
    hybrid::Hybrid,
    ridged::Ridged,
    spectral::Spectral,
    midpoint::Midpoint,
    diamond_square::DiamondSquare,
    fault::Fault,
    deposition::Deposition,
    import::Import,
}

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
