//! How alike two lands are: distances between their slopes, curvatures, forms, spectra, hypsometries and
//! drainage densities, each a number with a unit.
//!
//! Such measures together are what Pike, "The geometric signature: quantifying landslide-terrain types from
//! digital elevation models" (1988), called the signature of a land. None of them knows where anything lies,
//! so lands of different places and sizes can be compared; each is a statement about all of a land.

mod comparison;
mod curvature;
mod distribution;
mod page;
mod resampled;
mod signature;

pub use comparison::{Comparison, Measure, compare};
pub use distribution::Distribution;
pub use page::{check_page, page, write_page};
pub(crate) use resampled::coarsened;
pub use signature::Signature;
