//! The sky in numbers: the sun's position, scattering of its light in the atmosphere, and the weather.

pub(crate) mod atmosphere;
pub(crate) mod daylight;
pub mod sun;
pub(crate) mod weather;
