//! Limits of a quantity: where a terrain type lies, and how it fades out beyond.

use crate::params::params;

/// The farthest that an elevation may lie from 0, in the texture's unit.
pub(super) const FARTHEST: f64 = 100_000.0;

/// The steepest slope, degrees.
pub(super) const STEEPEST: f64 = 90.0;

params! {
    /// Where a quantity must lie, and how far beyond the influence fades to 0: a trapezoid.
    pub struct Limits {
        /// Full influence from here. Left out in a recipe: no lower limit.
        pub min: f32 = 0.0, unlimited below;
        /// Full influence up to here, at least `min`. Left out in a recipe: no upper limit.
        pub max: f32 = 1.0, unlimited above;
        /// The influence falls to 0 over this much outside, evenly; 0 is a hard edge.
        pub release: f32 = 0.0, "" in 0.0..=f64::INFINITY;
    }
    law Limits::in_order;
    follow Limits::push;
}

impl Copy for Limits {}

impl Limits {
    /// Any height at all.
    pub const ANY_ELEVATION: Self = Self::new(-FARTHEST as f32, FARTHEST as f32, 0.0);

    /// Any slope at all.
    pub const ANY_SLOPE: Self = Self::new(0.0, STEEPEST as f32, 0.0);

    /// Limits from `min` to `max` that fade over `release`.
    pub const fn new(min: f32, max: f32, release: f32) -> Self {
        Self { min, max, release }
    }

    /// Checks that the limits are the right way round.
    fn in_order(&self) -> Result<(), String> {
        let Self { min, max, .. } = self;
        if min > max {
            return Err(format!(
                "the limits are the wrong way round: min {min} is above max {max}; swap them"
            ));
        }
        Ok(())
    }

    /// A limit that was set beyond the other takes it along.
    fn push(&mut self, changed: &str) {
        // The limit that was just changed stays, and pushes the other.
        match changed {
            "min" => self.max = self.max.max(self.min),
            "max" => self.min = self.min.min(self.max),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_takes_the_other_along() {
        let moved = |changed: &str, limits: Limits| {
            let mut limits = limits;
            limits.push(changed);
            limits
        };
        assert_eq!(moved("min", Limits::new(9.0, 3.0, 1.0)), Limits::new(9.0, 9.0, 1.0));
        assert_eq!(moved("max", Limits::new(9.0, 3.0, 1.0)), Limits::new(3.0, 3.0, 1.0));
        assert_eq!(moved("min", Limits::new(1.0, 3.0, 1.0)), Limits::new(1.0, 3.0, 1.0));
    }
}
