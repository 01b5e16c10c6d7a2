//! Formulas that several rooms need.

pub(crate) mod luminance;
pub(crate) mod simd;
pub(crate) mod smoothstep;
pub(crate) mod spline;
#[cfg(test)]
pub(crate) mod vision;
