//! Deltas: what rivers bring to the sea fills it around their mouths.
//!
//! Each is a plain that reaches the sea's level at its shore, and a front that falls to the bed, as Gilbert
//! (1885) described them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::original::Original;
use super::ways::NEIGHBOURS;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::math::ordered::ordered;
use crate::noise::{hash, signed_unit};

/// Slope of a delta's plain, rise per metre: 0.3°, as between the arms of the Rhône's.
const PLAIN: f64 = 0.005;

/// Slope of its front under water: 6°.
const FRONT: f64 = 0.1;

/// By how much of itself the reach of a delta varies along its shore.
const LOBES: f64 = 0.35;

/// Lobes along the longer side of the land.
const LOBES_ACROSS: f64 = 40.0;

/// Mouths that bring less than this, in metres on one sample, make no delta.
const LEAST: f64 = 0.05;

/// Raises the sea bed by what has `arrived`, in metres on one sample: around each mouth, the largest first, a
/// plain that ends at the sea's level and a front that falls to the bed. All of it lies on what was sea bed.
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
    mouths.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
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
        waiting.clear();
        around.mark(self.mouth);
        waiting.push(Reverse((ordered(0.0), self.mouth as u32)));
        let mut reach = None;
        // Wider and wider, until the front meets the bed everywhere.
        while let Some(Reverse((_, here))) = waiting.pop() {
            let sample = here as usize;
            around.reached.push((self.distance(sample), here));
            let (column, row) = (sample % width, sample / width);
            for (columns, rows) in NEIGHBOURS {
                let (column, row) = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
                let there = row.wrapping_mul(width).wrapping_add(column);
                if column < width && row < depth && original.is_sea_bed(there) && around.mark(there) {
                    waiting.push(Reverse((ordered(self.distance(there) as f32), there as u32)));
                }
            }
            // Looked at whenever there are twice as many as last time.
            if around.reached.len().is_power_of_two() || waiting.is_empty() {
                work.check()?;
                reach = self.reach(heights.heights(), &around.reached, volume);
                let rests = |reach: f64| {
                    let mut edge = waiting.iter().map(|Reverse((_, sample))| *sample as usize);
                    edge.all(|sample| {
                        self.surface(self.distance(sample), reach) <= f64::from(heights.heights()[sample])
                    })
                };
                if reach.is_none_or(rests) {
                    break;
                }
            }
        }
        if let Some(reach) = reach {
            for (distance, sample) in &around.reached {
                let height = &mut heights.heights_mut()[*sample as usize];
                *height = height.max(self.surface(*distance, reach) as f32);
            }
        }
        around.forget(waiting.drain().map(|Reverse((_, sample))| sample));
        Ok(())
    }

    /// How far the plain reaches if the delta lies on the samples reached so far. `None` if there is too
    /// little for a plain: at a steep coast, all of it sinks to the deep.
    fn reach(&self, heights: &[f32], reached: &[(f64, u32)], volume: f64) -> Option<f64> {
        if self.takes(heights, reached, 0.0) > volume {
            return None;
        }
        // Where the whole sea is filled, the rest is lost.
        let (mut low, mut high) = (0.0, reached.last().map_or(0.0, |(distance, _)| *distance));
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
