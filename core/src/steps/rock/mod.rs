//! The rock under a land, which steps that wear it down ask about: beds of hard and soft rock.

mod bedding;
mod beds;
mod sequence;
mod weakness;

pub use bedding::Bedding;
pub(crate) use beds::Beds;
pub(crate) use weakness::Variety;
