//! The table of the built-in steps, in the order in which they are listed. All else about a step is in its
//! own file: its parameters, and how it implements [`Operation`].

use super::{Operation, filter, generate, water};

/// Creates a step with its default parameters.
pub(super) type Make = fn() -> Box<dyn Operation>;

macro_rules! table {
    ($($Step:path,)+) => {
        /// Makes each built-in step with its default parameters.
        pub(super) const BUILT_IN: &[Make] = &[$(|| Box::new(<$Step>::default()),)+];
    };
}

table! {
    generate::Flat,
    generate::Fbm,
    generate::Turbulence,
    generate::Multifractal,
    generate::Heterogeneous,
    generate::Hybrid,
    generate::Ridged,
    generate::Spectral,
    generate::Midpoint,
    generate::DiamondSquare,
    generate::Fault,
    generate::Deposition,
    generate::Import,
    filter::Normalize,
    filter::Scale,
    filter::Clamp,
    filter::Power,
    filter::Terrace,
    filter::Curve,
    filter::Invert,
    filter::Island,
    filter::Warp,
    filter::Mean,
    filter::Gaussian,
    filter::Binomial,
    filter::LowPass,
    filter::Convolve,
    filter::Majority,
    filter::Erode,
    filter::Gullies,
    filter::Ledges,
    filter::Stones,
    filter::Ripples,
    filter::Undercut,
    filter::SculptVector,
    filter::SculptStrokes,
    filter::Paint,
    filter::Road,
    filter::Platform,
    filter::Stamp,
    filter::Hole,
    water::River,
}
