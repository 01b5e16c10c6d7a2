//! What a land is like, whatever it wears: slope, sky-view factor, shadows, wetness, climate, pictures that
//! lie over it, what is seen of it from where, and plots of it in numbers.
//!
//! What is measured of a whole land is a [`ShareMap`], a share for every sample. [`TerrainAnalysis`] keeps those
//! that have been asked for.

mod climate;
mod difference;
mod factor;
mod folds;
mod picture;
pub mod plots;
mod position;
mod shade;
mod shadow;
mod share_map;
mod sky_view;
pub(crate) mod slope;
mod smooth;
mod terrain_analysis;
pub mod viewshed;
mod water;

pub use climate::{FREEZING, LAPSE_RATE, MOISTURE_REACH, WIND_BEARING};
pub use difference::Difference;
pub use factor::{Factor, Land};
pub(crate) use folds::folded_share;
pub use picture::Picture;
pub use position::{POSITION_HALF, POSITION_SCALE};
pub use shade::ShadeDay;
pub(crate) use shadow::sun_view;
pub use share_map::ShareMap;
pub use sky_view::sky_view;
pub use terrain_analysis::TerrainAnalysis;
pub use water::{WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS};
