//! The curvature of a planet and of the light around it.

use crate::error::{Error, Result};

/// The mean radius of the Earth in metres.
pub const EARTH_RADIUS: f64 = 6_371_000.0;

/// How far light is bent down, as a share of the Earth's curvature: usual for visible light in surveying and
/// in geographic information systems.
pub const REFRACTION: f64 = 1.0 / 7.0;

/// A round planet, and air that bends light around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// The planet's radius in metres, above 0.
    pub radius: f64,
    /// The curvature of light as a share of the planet's, in [0, 1).
    pub refraction: f64,
}

impl Default for Curvature {
    /// The Earth, in visible light.
    fn default() -> Self {
        Self { radius: EARTH_RADIUS, refraction: REFRACTION }
    }
}

impl Curvature {
    /// The radius of a planet without air over which one sees as far, in metres.
    pub fn effective_radius(&self) -> f64 {
        self.radius / (1.0 - self.refraction)
    }

    /// # Errors
    /// When the radius or the refraction is outside its range.
    pub(super) fn check(&self) -> Result<()> {
        if !(self.radius.is_finite() && self.radius > 0.0) {
            let reason = format!("{} is not the radius of a planet; give metres above 0", self.radius);
            return Err(Error::parameter("curvature", reason));
        }
        if !(0.0..1.0).contains(&self.refraction) {
            let reason = format!("{} is outside 0 (no air) to below 1", self.refraction);
            return Err(Error::parameter("refraction", reason));
        }
        Ok(())
    }
}
