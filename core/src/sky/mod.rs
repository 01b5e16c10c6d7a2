//! The sky in numbers: the sun's position, and scattering of its light in the atmosphere.

pub(crate) mod atmosphere;
pub(crate) mod daylight;
pub mod sun;
