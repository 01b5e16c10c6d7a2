//! Deltas: what rivers bring to the sea fills it around their mouths.
//!
//! Each is a plain that reaches the sea's level at its shore, and a front that falls to the bed, the parts
//! that Gilbert (1885) described. Their slopes are ours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::original::Original;
use super::ways::NEIGHBOURS;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::math::ordered::ordered;
use crate::noise::{hash, signed_unit};

/// Slope of a delta's plain, rise per metre.
const PLAIN: f64 = 0.0005;

/// Slope of its front under water: 22°.
const FRONT: f64 = 0.4;

/// By how much of itself the reach of a delta varies along its shore.
const LOBES: f64 = 0.35;

/// Lobes along the longer side of the land.
const LOBES_ACROSS: f64 = 40.0;

/// Mouths that bring less than this, in metres on one sample, make no delta.
const LEAST: f64 = 1.0;

/// The most samples of a delta.
const MOST: usize = 1 << 20;

/// Samples between two checks for cancellation.
const BREATH: usize = 1 << 12;

/// Raises the sea bed by what has `arrived`, in metres on one sample: around each mouth, the largest first, a
/// plain that ends at the sea's level and a front that falls to the bed. What arrives where a larger river's
/// delta lies already is carried on, and so is what finds no place: at coasts that are steeper than the
/// front, and where the sea is full.
pub(super) fn deposit(
    heights: &mut Heightfield,
    original: &Original<'_>,
    arrived: impl Fn(usize) -> f64,
    (base_level, seed): (f32, u64),
    work: &Work,
) -> Result<()> {
    let grid = heights.grid();
    let mut mouths: Vec<(f64, usize)> = Vec::new();
    for row in 0..grid.depth {
        work.check()?;
        let samples = row * grid.width..(row + 1) * grid.width;
        mouths.extend(samples.map(|sample| (arrived(sample), sample)).filter(|(volume, _)| *volume > LEAST));
    }
    // Those with most sediment come first; among equals, the first sample.
    mouths.par_sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let mut around = Around { seen: vec![0; grid.count().div_ceil(64)], reached: Vec::new() };
    let mut waiting = BinaryHeap::new();
    for (volume, mouth) in mouths {
        work.check()?;
        let fill = Fill { grid, mouth, seed, base_level: f64::from(base_level) };
        fill.lay(heights, original, volume, &mut around, &mut waiting, work)?;
    }
    Ok(())
}

/// Samples that have been reached from a mouth: their distance, in metres, and their index.
struct Around {
    /// One bit a sample.
    seen: Vec<u64>,
    reached: Vec<(f64, u32)>,
}

impl Around {
    fn mark(&mut self, sample: usize) -> bool {
        let (word, bit) = (&mut self.seen[sample / 64], 1 << (sample % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn forget(&mut self, others: impl Iterator<Item = u32>) {
        for sample in self.reached.iter().map(|(_, sample)| *sample).chain(others) {
            self.seen[sample as usize / 64] = 0;
        }
        self.reached.clear();
    }
}

/// The delta of one mouth.
struct Fill {
    grid: Grid,
    mouth: usize,
    seed: u64,
    base_level: f64,
}

impl Fill {
    /// Distance from the mouth in metres, longer or shorter where its shore has bays and lobes.
    fn distance(&self, sample: usize) -> f64 {
        let place = |sample: usize| [sample % self.grid.width, sample / self.grid.width].map(|at| at as f64);
        let (here, mouth) = (place(sample), place(self.mouth));
        let [x, z] = [here[0] - mouth[0], here[1] - mouth[1]];
        (x * x + z * z).sqrt() * f64::from(self.grid.cell) * (1.0 + LOBES * self.lobe(here))
    }

    /// Smooth noise in [−1, 1] at a place, in columns and rows.
    fn lobe(&self, place: [f64; 2]) -> f64 {
        // The same at every resolution.
        let across = LOBES_ACROSS / (self.grid.longer() - 1).max(1) as f64;
        let [x, z] = place.map(|along| along * across);
        let [column, row] = [x, z].map(|along| along.floor());
        let smooth = |t: f64| t * t * (3.0 - 2.0 * t);
        let [east, south] = [smooth(x - column), smooth(z - row)];
        let at = |columns: i64, rows: i64| {
            f64::from(signed_unit(hash(self.seed, column as i64 + columns, row as i64 + rows)))
        };
        let north_side = at(0, 0) + (at(1, 0) - at(0, 0)) * east;
        let south_side = at(0, 1) + (at(1, 1) - at(0, 1)) * east;
        north_side + (south_side - north_side) * south
    }

    /// The delta's surface at a distance from its mouth, if its plain reaches as far as `reach`.
    fn surface(&self, distance: f64, reach: f64) -> f64 {
        let beyond = distance - reach;
        self.base_level - if beyond < 0.0 { PLAIN * beyond } else { FRONT * beyond }
    }

    /// What a delta of this reach takes up on the samples reached so far, in metres on one sample.
    fn takes(&self, heights: &[f32], reached: &[(f64, u32)], reach: f64) -> f64 {
        let on = |(distance, sample): &(f64, u32)| {
            (self.surface(*distance, reach) - f64::from(heights[*sample as usize])).max(0.0)
        };
        // Always in the same order.
        reached.iter().map(on).sum()
    }

    fn lay(
        &self,
        heights: &mut Heightfield,
        original: &Original<'_>,
        volume: f64,
        around: &mut Around,
        waiting: &mut BinaryHeap<Reverse<(u32, u32)>>,
        work: &Work,
    ) -> Result<()> {
        let Grid { width, depth, .. } = self.grid;
        let is_open = |heights: &Heightfield, sample: usize| {
            original.is_sea_bed(sample) && f64::from(heights.heights()[sample]) < self.base_level
        };
        if !is_open(heights, self.mouth) {
            return Ok(());
        }
        waiting.clear();
        around.mark(self.mouth);
        waiting.push(Reverse((ordered(0.0), self.mouth as u32)));
        let mut found = None;
        // Wider and wider, until all has found its place and the front meets the bed everywhere.
        while let Some(Reverse((_, here))) = waiting.pop() {
            if around.reached.len().is_multiple_of(BREATH) {
                work.check()?;
            }
            let sample = here as usize;
            around.reached.push((self.distance(sample), here));
            let (column, row) = (sample % width, sample / width);
            for (columns, rows) in NEIGHBOURS {
                let (column, row) = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
                if column >= width || row >= depth {
                    continue;
                }
                let there = row * width + column;
                if is_open(heights, there) && around.mark(there) {
                    waiting.push(Reverse((ordered(self.distance(there) as f32), there as u32)));
                }
            }
            // Looked at whenever there are twice as many as last time.
            let count = around.reached.len();
            if count.is_power_of_two() || waiting.is_empty() {
                work.check()?;
                found = self.reach(heights.heights(), &around.reached, volume);
                let Some(reach) = found else { break };
                let rests = waiting.iter().all(|Reverse((_, sample))| {
                    let bed = f64::from(heights.heights()[*sample as usize]);
                    self.surface(self.distance(*sample as usize), reach) <= bed
                });
                if rests && self.takes(heights.heights(), &around.reached, reach) >= 0.999 * volume
                    || count >= MOST
                {
                    break;
                }
            }
        }
        if let Some(reach) = found {
            for (distance, sample) in &around.reached {
                let height = &mut heights.heights_mut()[*sample as usize];
                *height = height.max(self.surface(*distance, reach) as f32);
            }
        }
        around.forget(waiting.drain().map(|Reverse((_, sample))| sample));
        Ok(())
    }

    /// How far the plain reaches if the delta lies on the samples reached so far, and no further than these.
    /// `None` if there is too little for a plain.
    fn reach(&self, heights: &[f32], reached: &[(f64, u32)], volume: f64) -> Option<f64> {
        if self.takes(heights, reached, 0.0) > volume {
            return None;
        }
        let farthest = reached.iter().fold(0.0, |farthest, (distance, _)| f64::max(farthest, *distance));
        let (mut low, mut high) = (0.0, farthest + f64::from(self.grid.cell));
        for _ in 0..32 {
            let middle = 0.5 * (low + high);
            if self.takes(heights, reached, middle) < volume {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sea whose bed falls from the coast in the north.
    fn sea(slope: f32, side: usize) -> Result<Heightfield> {
        Ok(Heightfield::from_fn(Grid::new(side, side, 20.0)?, |_, row| match row {
            0 => 5.0,
            row => -20.0 * slope * row as f32,
        }))
    }

    fn delta(slope: f32, volume: f64) -> Result<(Heightfield, Heightfield)> {
        let before = sea(slope, 201)?;
        let mut after = before.clone();
        let original = Original::beside(&before, 0.0, &Work::new())?;
        let arrived = |sample: usize| if sample == 201 + 100 { volume } else { 0.0 };
        deposit(&mut after, &original, arrived, (0.0, 3), &Work::new())?;
        Ok((before, after))
    }

    #[test]
    fn a_delta_has_the_volume_that_arrives_whatever_the_slope_of_the_bed() -> Result<()> {
        for slope in [0.01, 0.02, 0.05, 0.1, 0.2, 0.3] {
            let volume = 3000.0;
            let (before, after) = delta(slope, volume)?;
            let heights = before.heights().iter().zip(after.heights());
            let laid: f64 = heights.map(|(before, after)| f64::from(after - before)).sum();
            assert!((laid - volume).abs() < 0.01 * volume, "{slope}: {laid}");
            // Most of its surface is dry, and none of it rises far above the sea.
            let dry = after.heights()[201..].iter().filter(|height| **height >= 0.0).count();
            assert!(dry > 10, "{slope}: {dry}");
            assert!(after.heights()[201..].iter().all(|height| *height < 1.0));
        }
        Ok(())
    }

    #[test]
    fn at_a_coast_steeper_than_its_front_no_delta_stands() -> Result<()> {
        let (before, after) = delta(0.6, 300.0)?;
        assert!(before == after);
        Ok(())
    }

    #[test]
    fn a_sea_can_be_full() -> Result<()> {
        let (_, after) = delta(0.01, 1e7)?;
        assert!(after.heights()[201..].iter().all(|height| (0.0..3.0).contains(height)));
        Ok(())
    }
}
