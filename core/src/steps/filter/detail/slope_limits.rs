//! The slopes between which a step acts.

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Region;
use crate::steps::generate::Fbm;
use crate::steps::generate::fractal::Scratch;

/// Height of noise that is seldom higher than 1 or lower than -1.
const NOISE: f32 = 4.0;

/// Limits of the slope on which a step acts.
#[derive(Clone, Copy, Debug)]
pub(in crate::steps::filter) struct SlopeLimits {
    /// Tangents of the lower limit: where it begins to act, and from where it acts in full.
    lower: [f32; 2],
    /// Of the upper limit: up to where it acts in full, and where it ends.
    upper: [f32; 2],
}

impl SlopeLimits {
    /// In degrees: it acts in full from `min` to `max` and fades over `release` beyond. 0° and 90° are no
    /// limits.
    ///
    /// # Errors
    /// When `min` is above `max`.
    pub(in crate::steps::filter) fn new(min: f32, max: f32, release: f32) -> Result<Self> {
        if min > max {
            let reason = format!("{min} is above `slope_max`, {max}; swap them");
            return Err(Error::parameter("slope_min", reason));
        }
        // A vertical slope has no tangent.
        let tangent = |degrees: f32| libm::tanf(degrees.clamp(0.0, 89.0).to_radians());
        // Without a lower limit both ends lie below every tangent, which is at least 0.
        let lower = if min > 0.0 { [tangent(min - release), tangent(min)] } else { [-1.0, -0.5] };
        let upper =
            if max < 89.0 { [tangent(max), tangent(max + release)] } else { [f32::MAX / 2.0, f32::MAX] };
        Ok(Self { lower, upper })
    }

    /// Noise to be added to the tangent of a slope, so that limits are where the slope is `degrees` more or
    /// less, in patches of this length in metres.
    pub(in crate::steps::filter) fn roughened(
        &self,
        degrees: f32,
        patches: f32,
        region: &Region,
        seed: u64,
    ) -> impl Fn(usize, &mut [f32], &mut Scratch, &Work) -> Result<()> + Sync + use<> {
        let limit = if self.lower[1] > 0.0 { self.lower[1] } else { self.upper[0].min(1.0) };
        // d tan α / dα = 1 + tan² α: converts a difference in degrees to one in tangents at the limit.
        let per_radian = 1.0 + limit * limit;
        let noise = Fbm {
            height: NOISE * per_radian * degrees.to_radians(),
            frequency: region.domain().unit() / patches,
            octaves: 4.0,
            hurst: 0.6,
            fade: true,
            ..Fbm::default()
        };
        noise.bands(*region, seed)
    }

    /// How much it acts where the tangent of the slope is this, from 0 to 1.
    #[inline]
    pub(in crate::steps::filter) fn share(&self, slope: f32) -> f32 {
        let [begin, full] = self.lower;
        if slope < full {
            return if slope <= begin { 0.0 } else { (slope - begin) / (full - begin) };
        }
        let [full, end] = self.upper;
        if slope > full {
            return if slope >= end { 0.0 } else { (end - slope) / (end - full) };
        }
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_full_between_its_limits_and_fades_beyond() -> Result<()> {
        let share = |slopes: &SlopeLimits, degrees: f32| slopes.share(libm::tanf(degrees.to_radians()));
        let slopes = SlopeLimits::new(30.0, 50.0, 10.0)?;
        assert_eq!(
            [0.0, 19.9, 30.1, 49.9, 60.1, 85.0].map(|at| share(&slopes, at)),
            [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
        );
        assert!((0.3..0.6).contains(&share(&slopes, 25.0)) && (0.3..0.6).contains(&share(&slopes, 55.0)));
        let all = SlopeLimits::new(0.0, 90.0, 0.0)?;
        assert_eq!([0.0, 45.0, 89.9].map(|at| share(&all, at)), [1.0; 3]);
        let sharp = SlopeLimits::new(20.0, 20.0, 0.0)?;
        assert_eq!([19.0, 21.0].map(|at| share(&sharp, at)), [0.0; 2]);
        let said = SlopeLimits::new(9.0, 3.0, 0.0).err().map(|error| error.to_string());
        assert_eq!(said.as_deref(), Some("slope_min: 9 is above `slope_max`, 3; swap them"));
        Ok(())
    }
}
