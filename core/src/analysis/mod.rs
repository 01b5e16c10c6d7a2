//! Properties of a land that do not depend on its terrain types: slope, sky-view factor, shadows, wetness,
//! climate, pictures that lie over it, viewsheds, and plots of it in numbers.
//!
//! A measurement of a whole land is a [`ShareMap`], a share for every sample. [`TerrainAnalysis`] keeps those
//! that have been made. The factors that terrain types have limits of are a room of their own,
//! [`factors`].

mod difference;
pub mod factors;
mod folds;
pub mod geomorphons;
mod land;
pub mod likeness;
mod picture;
pub mod plots;
mod shade_day;
mod shadow;
mod share_map;
mod sky_view;
pub(crate) mod slope;
mod terrain_analysis;
pub mod viewshed;

pub use difference::Difference;
pub use factors::{
    FREEZING, Factor, FactorReach, FactorScale, LAPSE_RATE, MOISTURE_REACH, POSITION_HALF, POSITION_SCALE,
    WATER_NEARNESS_REACH, WETNESS_OF_HOLLOWS, WIND_BEARING,
};
pub(crate) use folds::folded_share;
pub use land::Land;
pub use picture::Picture;
pub use shade_day::ShadeDay;
pub(crate) use shadow::sun_view;
pub use share_map::ShareMap;
pub use sky_view::sky_view;
pub use terrain_analysis::TerrainAnalysis;
