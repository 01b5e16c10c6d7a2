//! Generators: each makes a heightfield out of nothing but its parameters and a seed.
//!
//! A new one is a file here (a struct declared by `params!`, its [`Generate`], its tests), its
//! `mod` line and its line in the table below. The recipe, the panel, the command line, the
//! documentation and the tests of all generators find it there.

mod deposition;
mod diamond_square;
mod fault;
mod fbm;
mod flat;
mod fractal;
mod heterogeneous;
mod hybrid;
mod import;
mod midpoint;
mod multifractal;
mod ridged;
mod rows;
mod spectral;
mod turbulence;
mod wander;

pub use deposition::{Deposition, Neighbours};
pub use diamond_square::{Corners, DiamondSquare};
pub use fault::{Fault, FaultFall, FaultLines, FaultProfile};
pub use fbm::Fbm;
pub use flat::Flat;
pub use heterogeneous::Heterogeneous;
pub use hybrid::Hybrid;
pub use import::{Import, Source};
pub use midpoint::{MAX_LEVELS, Midpoint, profile};
pub use multifractal::Multifractal;
pub use ridged::Ridged;
pub use spectral::Spectral;
pub use turbulence::Turbulence;
pub(crate) use wander::{PROFILES, Wander};

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::params::Params;
use crate::table::table;

/// Makes a heightfield.
pub trait Generate: Params {
    /// Heights in metres for every sample of `grid`. The same parameters, grid and seed give the
    /// same bits on every machine and at every thread count.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation; whatever the
    /// generator's own documentation names.
    fn generate(&self, grid: Grid, seed: u64, work: &Work) -> Result<Heightfield>;
}

table! {
    /// Any of the generators.
    pub enum Generator: Generate {
        flat: Flat = "Flat ground",
        fbm: Fbm = "Fractional Brownian motion",
        turbulence: Turbulence = "Turbulence",
        multifractal: Multifractal = "Multiplicative multifractal",
        heterogeneous: Heterogeneous = "Heterogeneous terrain",
        hybrid: Hybrid = "Hybrid multifractal",
        ridged: Ridged = "Ridged multifractal",
        spectral: Spectral = "Spectral synthesis",
        midpoint: Midpoint = "Midpoint displacement",
        diamond_square: DiamondSquare = "Diamond-square",
        fault: Fault = "Fault formation",
        deposition: Deposition = "Particle deposition",
        import: Import = "Elevation file or bitmap",
    }
}
