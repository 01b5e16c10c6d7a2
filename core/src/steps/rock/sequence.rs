//! The beds of layered rock from the bottom up: a sequence that repeats.

use crate::noise::{hash_along, mix, signed_unit, stream};

/// Beds until the sequence repeats.
pub(super) const BEDS: usize = 64;

/// Parts of a bed's mean thickness in which the first bed is looked up.
const PARTS: usize = 4;

/// The most that a bed's thickness differs from that of its kind, as a share of it, where beds are as uneven
/// as can be.
const THICKER: f64 = 0.8;

/// How much softer than the hardest a hard bed is at most, and how hard a soft one.
const WEAKER: f64 = 0.6;

/// Beds of hard and soft rock by turns. Heights in them are positions: 1 is the mean thickness of a bed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sequence {
    /// Where each bed begins, and the end of the last one.
    starts: [f64; BEDS + 1],
    /// How hard each is, in [0, 1].
    hard: [f64; BEDS],
    /// Hardness below the start of each bed, summed up over its thickness.
    below: [f64; BEDS + 1],
    /// The first bed of each part.
    first: [u8; BEDS * PARTS],
}

impl Sequence {
    /// Hard beds take up `share` of the thickness. `uneven` is from 0, where all beds of a kind are alike, to
    /// 1.
    pub(super) fn new(share: f64, uneven: f64, seed: u64) -> Self {
        let random = |bed: usize, number: u64| {
            f64::from(signed_unit(hash_along(mix(stream(seed, number)), bed as i64)))
        };
        let mut starts = [0.0; BEDS + 1];
        let mut hard = [0.0; BEDS];
        for bed in 0..BEDS {
            let is_hard = bed % 2 == 1;
            let usual = 2.0 * if is_hard { share } else { 1.0 - share };
            starts[bed + 1] = starts[bed] + usual * (1.0 + THICKER * uneven * random(bed, 1));
            let changed = WEAKER * uneven * 0.5 * (1.0 + random(bed, 2));
            hard[bed] = if is_hard { 1.0 - changed } else { 0.5 * changed };
        }
        // Random thicknesses don't add up to as many as there are beds.
        let all = starts[BEDS];
        for start in &mut starts {
            *start *= BEDS as f64 / all;
        }
        let mut below = [0.0; BEDS + 1];
        for bed in 0..BEDS {
            below[bed + 1] = below[bed] + hard[bed] * (starts[bed + 1] - starts[bed]);
        }
        let mut first = [0; BEDS * PARTS];
        for (part, first) in first.iter_mut().enumerate() {
            let start = part as f64 / PARTS as f64;
            // At most 63.
            *first = starts.iter().take(BEDS).rposition(|begins| *begins <= start).unwrap_or(0) as u8;
        }
        Self { starts, hard, below, first }
    }

    /// The bed at a position within the sequence.
    fn bed_at(&self, within: f64) -> usize {
        let part = ((within * PARTS as f64) as usize).min(BEDS * PARTS - 1);
        let mut bed = usize::from(self.first[part]);
        while bed + 1 < BEDS && within >= self.starts[bed + 1] {
            bed += 1;
        }
        bed
    }

    /// The number of whole sequences below a position, and the place within its own.
    fn within(position: f64) -> (f64, f64) {
        // Cut towards 0 and corrected: without SSE 4.1 `f64::floor` is a call of a function.
        let turns = position * (1.0 / BEDS as f64);
        let whole = turns as i64 as f64;
        let turns = if whole > turns { whole - 1.0 } else { whole };
        (turns, (position - turns * BEDS as f64).clamp(0.0, BEDS as f64))
    }

    /// How hard the rock is at a position, in [0, 1].
    pub(super) fn hardness(&self, position: f64) -> f64 {
        self.hard[self.bed_at(Self::within(position).1)]
    }

    /// Its mean between two positions.
    pub(super) fn mean(&self, low: f64, high: f64) -> f64 {
        if high - low < 1e-6 {
            return self.hardness(high);
        }
        ((self.sum_below(high) - self.sum_below(low)) / (high - low)).clamp(0.0, 1.0)
    }

    fn sum_below(&self, position: f64) -> f64 {
        let (turns, within) = Self::within(position);
        let bed = self.bed_at(within);
        turns * self.below[BEDS] + self.below[bed] + self.hard[bed] * (within - self.starts[bed])
    }
}

/// The steepest slope through a sequence: how far across it is from a position to a higher one.
pub(super) struct Profile<'a> {
    sequence: &'a Sequence,
    /// Distance across for each bed thickness up.
    cotangents: [f64; BEDS],
    /// Distance across from the first bed to the start of each, in bed thicknesses.
    starts: [f64; BEDS + 1],
    /// The first bed of each of the equal parts of the distance across.
    first: [u8; BEDS * PARTS],
}

impl<'a> Profile<'a> {
    /// The profile in which a bed of each hardness has the slope with this cotangent.
    pub(super) fn new(sequence: &'a Sequence, cotangent: impl Fn(f64) -> f64) -> Self {
        let cotangents = sequence.hard.map(cotangent);
        let mut starts = [0.0; BEDS + 1];
        for bed in 0..BEDS {
            let thickness = sequence.starts[bed + 1] - sequence.starts[bed];
            starts[bed + 1] = starts[bed] + cotangents[bed] * thickness;
        }
        let mut first = [0; BEDS * PARTS];
        for (part, first) in first.iter_mut().enumerate() {
            let start = starts[BEDS] * part as f64 / (BEDS * PARTS) as f64;
            // At most 63.
            *first = starts.iter().take(BEDS).rposition(|begins| *begins <= start).unwrap_or(0) as u8;
        }
        Self { sequence, cotangents, starts, first }
    }

    /// The distance across at a position.
    pub(super) fn across(&self, position: f64) -> f64 {
        let (turns, within) = Sequence::within(position);
        let bed = self.sequence.bed_at(within);
        let up = within - self.sequence.starts[bed];
        turns * self.starts[BEDS] + self.starts[bed] + self.cotangents[bed] * up
    }

    /// The position at a distance across.
    pub(super) fn position(&self, across: f64) -> f64 {
        let all = self.starts[BEDS];
        let turns = (across / all).floor();
        let within = (across - turns * all).clamp(0.0, all);
        let part = ((within / all * (BEDS * PARTS) as f64) as usize).min(BEDS * PARTS - 1);
        let mut bed = usize::from(self.first[part]);
        while bed + 1 < BEDS && within >= self.starts[bed + 1] {
            bed += 1;
        }
        let up = (within - self.starts[bed]) / self.cotangents[bed];
        turns * BEDS as f64 + (self.sequence.starts[bed] + up).min(self.sequence.starts[bed + 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence() -> Sequence {
        Sequence::new(0.3, 0.7, 5)
    }

    #[test]
    fn beds_lie_on_each_other_without_gaps() {
        for (share, uneven) in [(0.0, 0.0), (0.3, 0.7), (1.0, 1.0)] {
            let sequence = Sequence::new(share, uneven, 5);
            assert!(sequence.starts.windows(2).all(|pair| pair[0] <= pair[1]));
            assert!((sequence.starts[BEDS] - BEDS as f64).abs() < 1e-9);
            assert!(sequence.hard.iter().all(|hard| (0.0..=1.0).contains(hard)));
            for step in -300..900 {
                let position = 0.37 * f64::from(step);
                let within = Sequence::within(position).1;
                let bed = sequence.bed_at(within);
                assert!(within >= sequence.starts[bed], "{position}");
                assert!(within <= sequence.starts[bed + 1], "{position}");
            }
        }
        // Where all of one kind are alike, hard beds have their share.
        assert!((Sequence::new(0.3, 0.0, 5).mean(0.0, BEDS as f64) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn the_mean_of_an_interval_is_that_of_its_points() {
        let sequence = sequence();
        for (low, high) in [(-3.2, 1.1), (0.4, 0.45), (60.0, 70.0), (-200.0, 300.0)] {
            let points = 200_000;
            let at = |point: usize| low + (high - low) * (point as f64 + 0.5) / points as f64;
            let mean = (0..points).map(|point| sequence.hardness(at(point))).sum::<f64>() / points as f64;
            assert!((sequence.mean(low, high) - mean).abs() < 1e-3, "{low} to {high}");
        }
    }

    #[test]
    fn a_profile_has_the_slope_of_every_bed() {
        let sequence = sequence();
        let cotangent = |hardness: f64| 2.0 - 1.8 * hardness;
        let profile = Profile::new(&sequence, cotangent);
        for (from, run) in [(0.3, 0.01), (-5.7, 1.4), (62.9, 9.0), (1.0, 100.0), (-70.0, 0.5)] {
            assert!((profile.position(profile.across(from)) - from).abs() < 1e-9, "{from}");
            let top = profile.position(profile.across(from) + run);
            // Across a slope the cotangents add up to its run.
            let (points, mut across) = (100_000, 0.0);
            for point in 0..points {
                let at = from + (top - from) * (f64::from(point) + 0.5) / f64::from(points);
                across += cotangent(sequence.hardness(at)) * (top - from) / f64::from(points);
            }
            assert!((across - run).abs() < 1e-3 * run.max(1.0), "{from}: {across} of {run}");
        }
    }
}
