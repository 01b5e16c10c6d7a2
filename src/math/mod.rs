//! Formulas that several rooms need, one home each.

pub(crate) mod luminance;
pub(crate) mod simd;
pub(crate) mod smoothstep;
pub(crate) mod spline;
