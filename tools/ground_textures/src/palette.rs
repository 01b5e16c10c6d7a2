//! Fewer colours: the 256 that represent all colours of a picture with the least error, so that the file is a
//! third as large.
//!
//! Boxes of colours are halved where they vary most until there are enough (after Heckbert, "Color
//! Image Quantization for Frame Buffer Display", 1982, with Wan's choice of the box), then every mean
//! moves to the middle of the colours that are nearest to it.

use std::collections::BTreeMap;

use rayon::prelude::*;

/// As many as one byte can number.
const COLOURS: usize = 256;
/// How often the means move.
const MOVES: usize = 3;

type Colour = [u8; 3];

/// Replaces every colour by the nearest of at most 256.
pub(super) fn reduce(colours: &mut [Colour]) {
    let mut counts = BTreeMap::<Colour, u32>::new();
    for colour in colours.iter() {
        *counts.entry(*colour).or_default() += 1;
    }
    if counts.len() <= COLOURS {
        return;
    }
    let counted: Vec<(Colour, u32)> = counts.into_iter().collect();
    let mut means = halved(counted.clone());
    for _ in 0..MOVES {
        let nearest = all_nearest(&counted, &means);
        let mut sums = vec![Sum::default(); means.len()];
        for (counted, nearest) in counted.iter().zip(nearest) {
            sums[nearest].add(counted);
        }
        for (mean, sum) in means.iter_mut().zip(sums).filter(|(_, sum)| sum.count > 0) {
            *mean = sum.mean();
        }
    }
    let nearest = all_nearest(&counted, &means);
    let places: BTreeMap<Colour, Colour> =
        counted.iter().zip(nearest).map(|((colour, _), nearest)| (*colour, means[nearest])).collect();
    colours.iter_mut().for_each(|colour| *colour = places[colour]);
}

/// The means of boxes.
fn halved(all: Vec<(Colour, u32)>) -> Vec<Colour> {
    let mut boxes = vec![(Sum::of(&all).spread(), all)];
    while boxes.len() < COLOURS {
        let widest = boxes.iter().enumerate().max_by(|(_, a), (_, b)| a.0.0.total_cmp(&b.0.0));
        let Some((index, ((spread, channel), _))) = widest else { break };
        if *spread <= 0.0 {
            break;
        }
        let channel = *channel;
        let (_, whole) = boxes.swap_remove(index);
        // The exact mean: where values differ, some are below it.
        let sum = Sum::of(&whole);
        let middle = sum.sums[channel] as f64 / sum.count as f64;
        let (low, high): (Vec<_>, Vec<_>) =
            whole.into_iter().partition(|(colour, _)| f64::from(colour[channel]) < middle);
        for part in [low, high] {
            boxes.push((Sum::of(&part).spread(), part));
        }
    }
    boxes.iter().map(|(_, part)| Sum::of(part).mean()).collect()
}

fn all_nearest(counted: &[(Colour, u32)], means: &[Colour]) -> Vec<usize> {
    let distance = |a: Colour, b: Colour| -> i32 {
        (0..3).map(|channel| (i32::from(a[channel]) - i32::from(b[channel])).pow(2)).sum()
    };
    let nearest = |(colour, _): &(Colour, u32)| {
        let mut best = (i32::MAX, 0);
        for (index, mean) in means.iter().enumerate() {
            let distance = distance(*colour, *mean);
            if distance < best.0 {
                best = (distance, index);
            }
        }
        best.1
    };
    counted.par_iter().map(nearest).collect()
}

/// Whole numbers only, so that the order of addition doesn't matter.
#[derive(Clone, Default)]
struct Sum {
    count: u64,
    sums: [u64; 3],
    squares: [u64; 3],
}

impl Sum {
    fn of(part: &[(Colour, u32)]) -> Self {
        let mut sum = Self::default();
        part.iter().for_each(|counted| sum.add(counted));
        sum
    }

    fn add(&mut self, (colour, count): &(Colour, u32)) {
        let count = u64::from(*count);
        self.count += count;
        for (channel, value) in colour.map(u64::from).into_iter().enumerate() {
            self.sums[channel] += count * value;
            self.squares[channel] += count * value * value;
        }
    }

    fn mean(&self) -> Colour {
        let count = self.count.max(1);
        self.sums.map(|sum| ((sum + count / 2) / count) as u8)
    }

    /// The largest sum of squared distances from the mean along one channel, and which one that is.
    fn spread(&self) -> (f64, usize) {
        let count = self.count.max(1) as f64;
        let spread = |channel: usize| {
            let sum = self.sums[channel] as f64;
            self.squares[channel] as f64 - sum * sum / count
        };
        let widest = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        (0..3).map(|channel| (spread(channel), channel)).fold((0.0, 0), widest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let mut colours: Vec<Colour> = (0..=255).map(|level| [level, 255 - level, 7]).collect();
        let before = colours.clone();
        reduce(&mut colours);
        assert_eq!(colours, before);
    }

    #[test]
    fn many_colours_become_256_near_ones() {
        let before: Vec<Colour> = (0..20_000)
            .map(|i| [(i * 7 % 64) as u8, (i / 5 * 13 % 32) as u8, (i / 3 * 29 % 64) as u8])
            .collect();
        let mut after = before.clone();
        reduce(&mut after);
        let mut distinct = after.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() <= COLOURS && distinct.len() > COLOURS / 2, "{}", distinct.len());
        for (before, after) in before.iter().zip(&after) {
            for channel in 0..3 {
                assert!(before[channel].abs_diff(after[channel]) <= 12, "{before:?} became {after:?}");
            }
        }
    }
}
