//! Heights in 16 bits: unchanged if they are integers that fit, mapped to a range otherwise.

use rayon::prelude::*;

use crate::elevation::raster::Raster;

/// The highest of the 65536 steps.
const TOP: f64 = 65535.0;

/// How heights are stretched over 16 bits where no range is given: whole numbers in 0 to 65535 stay as they
/// are, others are mapped from their lowest and highest. It is computed from all of a land, so that windows
/// of it match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::elevation) struct Stretch {
    low: f32,
    high: f32,
    are_whole: bool,
}

impl Stretch {
    /// For no heights at all.
    pub(in crate::elevation) const NOTHING: Self =
        Self { low: f32::INFINITY, high: f32::NEG_INFINITY, are_whole: true };

    /// For these heights. A hole is filled with heights that need not be whole.
    pub(in crate::elevation) fn of(heights: &[f32]) -> Self {
        let one = |&height: &f32| {
            if height.is_nan() {
                // A hole has no number of 16 bits, so it needs a range.
                return Self { are_whole: false, ..Self::NOTHING };
            }
            let are_whole = (0.0..=65535.0).contains(&height) && height.fract() == 0.0;
            Self { low: height, high: height, are_whole }
        };
        heights.par_iter().map(one).reduce(|| Self::NOTHING, Self::and)
    }

    /// For these heights and others.
    pub(in crate::elevation) fn and(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            are_whole: self.are_whole && other.are_whole,
        }
    }

    pub(in crate::elevation) fn is_nothing(self) -> bool {
        self.low > self.high
    }

    /// The heights of 0 and 65535; `None` where heights are stored as they are.
    pub(in crate::elevation) fn range(self) -> Option<(f32, f32)> {
        (!self.are_whole).then_some((self.low, self.high))
    }
}

/// Quantises heights to 16 bits one by one, so that a writer needs memory for one row only.
pub(super) struct Quantization {
    /// The heights of 0 and 65535; `None` where the values are metres.
    pub(super) range: Option<(f32, f32)>,
    low: f64,
    steps_per_metre: f64,
}

impl Quantization {
    /// Chooses the quantisation for a raster. Without a `range`, whole numbers in 0 to 65535 stay as they
    /// are, and other heights are mapped from their lowest and highest.
    ///
    /// # Errors
    /// A message for the user when a height lies outside the `range`.
    pub(super) fn fitting(raster: &Raster, range: Option<(f32, f32)>) -> Result<Self, String> {
        let own = Stretch::of(raster.values());
        let Some((low, high)) = range.or(own.range()) else {
            return Ok(Self { range: None, low: 0.0, steps_per_metre: 1.0 });
        };
        let (lowest, highest) = (own.low, own.high);
        if lowest < low || highest > high {
            return Err(format!(
                "heights from {lowest} to {highest} m do not fit into the range {low} to {high} m; widen it"
            ));
        }
        let span = f64::from(high) - f64::from(low);
        // Level land is step 0 everywhere.
        let steps_per_metre = if span > 0.0 { TOP / span } else { 0.0 };
        Ok(Self { range: Some((low, high)), low: f64::from(low), steps_per_metre })
    }

    /// Quantises heights.
    pub(super) fn of<'a>(&'a self, heights: &'a [f32]) -> impl Iterator<Item = u16> + 'a {
        // In f64: steps of 65,535 in f32 would be rounded a second time.
        heights.iter().map(|&height| ((f64::from(height) - self.low) * self.steps_per_metre).round() as u16)
    }
}

/// The height of a 16-bit value within the range that was mapped to 16 bits.
pub(super) fn height_from_step(step: f32, (low, high): (f32, f32)) -> f32 {
    // In f64, as in writing, so that reading gives back what was written as closely as 16 bits allow.
    let (low, high) = (f64::from(low), f64::from(high));
    (low + (high - low) * (f64::from(step) / TOP)) as f32
}

/// Checks that `low` and `high` make a range; the error is the message.
pub(super) fn check_range(low: f32, high: f32) -> Result<(), String> {
    if low.is_finite() && high.is_finite() && low <= high {
        return Ok(());
    }
    Err(format!("{low} to {high} is not a range of heights; give two numbers, the lower first"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elevation::raster::CellSize;

    fn raster(values: &[f32]) -> Raster {
        Raster::new(values.len(), 1, values.to_vec(), CellSize::Unknown).unwrap()
    }

    fn stored(values: &[f32], range: Option<(f32, f32)>) -> Result<(Vec<u16>, Option<(f32, f32)>), String> {
        let steps = Quantization::fitting(&raster(values), range)?;
        Ok((steps.of(values).collect(), steps.range))
    }

    #[test]
    fn all_parts_of_a_land_have_the_same_stretch() {
        let land = [3.0, 2.0, 7.5, 1.0];
        let parts = Stretch::of(&land[..2]).and(Stretch::of(&land[2..]));
        assert_eq!((parts, parts.range()), (Stretch::of(&land), Some((1.0, 7.5))));
        assert_eq!(Stretch::of(&[3.0, f32::NAN]).range(), Some((3.0, 3.0)), "a hole is filled by any height");
        assert_eq!(Stretch::of(&[0.0, 65535.0]).range(), None);
        assert!(Stretch::of(&[f32::NAN]).is_nothing());
    }

    #[test]
    fn whole_numbers_that_fit_are_stored_unchanged() {
        assert_eq!(stored(&[0.0, 236.0, 65535.0], None), Ok((vec![0, 236, 65535], None)));
    }

    #[test]
    fn the_ends_of_a_range_are_exact_and_the_rest_within_half_a_step() {
        let values = [-12.5f32, 830.0, 0.1, 411.125, -12.4999];
        let (steps, range) = stored(&values, None).unwrap();
        let range = range.unwrap();
        assert_eq!(range, (-12.5, 830.0));
        for (&step, &value) in steps.iter().zip(&values) {
            let back = height_from_step(f32::from(step), range);
            assert!((back - value).abs() <= 842.5 / 65535.0 / 2.0 + 1e-4);
        }
        assert_eq!(height_from_step(65535.0, range), 830.0);
    }

    #[test]
    fn flat_and_extreme_fields_map_too() {
        let (steps, range) = stored(&[-3.25; 4], None).unwrap();
        assert_eq!(height_from_step(f32::from(steps[2]), range.unwrap()), -3.25);
        let (steps, range) = stored(&[f32::MIN, f32::MAX], None).unwrap();
        assert_eq!(steps, [0, 65535]);
        assert_eq!(height_from_step(65535.0, range.unwrap()), f32::MAX);
    }

    #[test]
    fn heights_outside_a_given_range_are_refused() {
        assert!(stored(&[5.0, 11.0], Some((0.0, 10.0))).is_err());
        assert_eq!(stored(&[0.0, 5.0], Some((0.0, 5.0))).unwrap().0, [0, 65535]);
        assert!(check_range(1.0, 0.0).is_err() && check_range(f32::NAN, 0.0).is_err());
    }
}
