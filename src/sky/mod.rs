//! The sky in numbers: where the sun stands, and what its light becomes in the air.

pub(crate) mod atmosphere;
pub(crate) mod daylight;
pub(crate) mod sun;
