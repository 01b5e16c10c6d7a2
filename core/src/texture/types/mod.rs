//! The parts of a texture in recipes: terrain types and where each lies, height bands, light, and the
//! [`Texture`] of all of them.

mod bands;
mod blend;
mod diagnostic;
mod factors;
mod layer_limits;
mod light;
mod limits;
mod terrain_type;
mod texture;
mod unit;

pub use bands::{Band, Bands};
pub use blend::BlendMode;
pub use factors::{Factors, MaskLimits};
pub use layer_limits::LayerLimits;
pub use light::Light;
pub use limits::Limits;
pub use terrain_type::TerrainType;
pub use texture::{BlendSpace, ElevationUnit, Texture};
pub(crate) use unit::ElevationScale;
