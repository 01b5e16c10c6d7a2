//! A rough line without end, by which straight things are made to deviate: the traces of faults, the banks
//! of rivers.
//!
//! It consists of profiles by midpoint displacement, laid end to end and repeated. All begin and end at 0,
//! so the line is continuous.

use crate::noise::stream;
use crate::steps::generate::line::profile;

/// Profiles before the line repeats.
pub(crate) const PROFILES: usize = 16;

/// A periodic rough line within \[−1, 1\].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wander {
    line: Vec<f32>,
    /// Segments in a profile.
    segments: f64,
}

impl Wander {
    /// A line of profiles with 2^levels segments; `hurst` is the exponent of
    /// [`profile`](crate::steps::generate::profile).
    pub(crate) fn new(levels: u32, hurst: f32, seed: u64) -> Self {
        let one = |number| {
            let mut heights = profile(levels, 1.0, hurst, [0.0; 2], stream(seed, number as u64));
            // The next profile begins where this one ends, so that height is stored once.
            heights.pop();
            heights
        };
        // One after the other, the profiles make a ring: each ends at height 0, where the next begins.
        let mut line: Vec<f32> = (0..PROFILES).flat_map(one).collect();
        // Never 0, or a level line would become NaN.
        let farthest = line.iter().fold(f32::MIN_POSITIVE, |farthest, height| farthest.max(height.abs()));
        line.iter_mut().for_each(|height| *height /= farthest);
        Self { segments: (line.len() / PROFILES) as f64, line }
    }

    /// The line at a position counted in profiles.
    #[inline]
    pub(crate) fn at(&self, place: f64) -> f32 {
        // In f64: far out on endless land f32 would no longer tell samples from each other.
        let place = place * self.segments;
        let before = place.floor();
        // The line has a power of two of heights, so a mask wraps every index.
        let index = before as i64 as usize & (self.line.len() - 1);
        let (here, next) = (self.line[index], self.line[index.wrapping_add(1) & (self.line.len() - 1)]);
        here + (next - here) * (place - before) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_stays_within_one_and_has_no_gaps() {
        let wander = Wander::new(6, 0.8, 3);
        let step = 1.0 / 6400.0;
        let mut farthest = 0.0f32;
        for index in -200_000..200_000 {
            let (here, next) = (wander.at(f64::from(index) * step), wander.at(f64::from(index + 1) * step));
            farthest = farthest.max(here.abs());
            // A hundredth of a segment; a segment rises by 2 at the most.
            assert!((next - here).abs() <= 0.0201, "{here} then {next}");
        }
        assert!((0.95..=1.0).contains(&farthest), "{farthest}");
    }

    #[test]
    fn the_line_goes_on_in_both_directions() {
        let wander = Wander::new(4, 0.8, 3);
        for place in [0.3, 1.7, 12.0] {
            assert_eq!(wander.at(place), wander.at(place + PROFILES as f64));
            assert_eq!(wander.at(place), wander.at(place - PROFILES as f64));
        }
    }
}
