//! Formulas that several rooms need.

pub mod luminance;
pub(crate) mod ordered;
pub(crate) mod simd;
pub(crate) mod smoothstep;
pub(crate) mod spline;
pub mod vision;
