//! Splat weights: the share of each terrain type in a texel, and how their colours are blended.

mod blocks;
mod explain;
mod paint;
mod rule;
mod sampler;
mod whole_shares;

pub(crate) use explain::names_of_factors;
pub use explain::{LimitThere, TypeThere};
pub(crate) use paint::Paint;
pub(crate) use rule::Rule;
pub(crate) use sampler::{SamplerRow, TypeMaterial};
pub(crate) use whole_shares::{WHOLE, add_up};
