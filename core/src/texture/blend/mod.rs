//! Splat weights: how much of each terrain type lies on a texel, and how the colours of those that do become
//! one.

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
pub(crate) use sampler::{SamplerRow, Wear};
pub(crate) use whole_shares::{WHOLE, add_up};
