//! Slides of sand: what lies steeper than the angle of repose runs down, to eight or sixteen neighbours.
//!
//! With eight neighbours cones become pyramids with eight sides, up to 8 % steeper between two neighbours
//! than towards one; with the knight's moves it is 3 %. What two samples exchange follows from the state
//! before, so that no order matters, and what one gives the other gets, to the unit.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::rows::{BAND, Beyond, Samples};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;

/// Columns and rows to half of the neighbours, the others lying opposite, and the power of two by which what
/// is too high is divided to give what runs there. The shares of all come to 1: no sample gives more than it
/// has, and none becomes lower than a neighbour that it was higher than.
const NEIGHBOURS: [(i64, usize, u32); 8] =
    [(1, 0, 3), (0, 1, 3), (1, 1, 4), (-1, 1, 4), (2, 1, 5), (-2, 1, 5), (1, 2, 5), (-1, 2, 5)];

/// Higher than any ground: nothing runs there.
const WALL: i32 = 1 << 30;

/// The neighbours to which sand slides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Around {
    Eight,
    Sixteen,
}

/// The slope at which sand comes to rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repose {
    /// Units that the ground may rise from a sample to the next.
    pub rise: f64,
    /// Whether sand slides over the border to the opposite side; otherwise it stays.
    pub wraps: bool,
    pub around: Around,
}

impl Repose {
    /// Slides once over `rock`, between samples that are `stride` apart: a large stride moves sand far at
    /// once. `after` becomes the sand afterwards. Returns whether any moved.
    pub(super) fn sweep(
        self,
        (rock, sand): (Samples<'_>, Samples<'_>),
        after: &mut [i32],
        stride: usize,
        work: &Work,
    ) -> Result<bool> {
        let width = rock.width;
        let (neighbours, margin) = match self.around {
            Around::Eight => (&NEIGHBOURS[..4], stride),
            // The knight's moves go two strides away.
            Around::Sixteen => (&NEIGHBOURS[..], 2 * stride),
        };
        let wide = width + 2 * margin;
        let rises = NEIGHBOURS.map(|(columns, rows, _)| {
            let away = libm::sqrt((columns * columns) as f64 + (rows * rows) as f64) * stride as f64;
            (away * self.rise).min(f64::from(WALL)) as i32
        });
        let (beyond_rock, beyond_sand) = match self.wraps {
            true => (Beyond::Wrap, Beyond::Wrap),
            false => (Beyond::Value(WALL), Beyond::Value(0)),
        };
        let moved = AtomicBool::new(false);
        let bands = after.par_chunks_mut(BAND * width).enumerate();
        bands.try_for_each_init(<[Vec<i32>; 3]>::default, |[grounds, sands, changes], (band, after)| {
            let first = (band * BAND) as i64 - margin as i64;
            let count = after.len() / width + 2 * margin;
            grounds.resize(count * wide, 0);
            sands.resize(count * wide, 0);
            changes.clear();
            changes.resize(count * wide, 0);
            let lines = grounds.chunks_exact_mut(wide).zip(sands.chunks_exact_mut(wide));
            for (row, (ground, above)) in (first..).zip(lines) {
                work.check()?;
                rock.copy_row(row, -(margin as i64), beyond_rock, ground);
                sand.copy_row(row, -(margin as i64), beyond_sand, above);
                ground.iter_mut().zip(above.iter()).for_each(|(ground, sand)| *ground += sand);
            }
            for row in 0..count {
                work.check()?;
                for ((columns, rows, shift), rise) in neighbours.iter().zip(rises) {
                    let (columns, there) = (columns * stride as i64, row + rows * stride);
                    if there < count {
                        // Samples whose neighbour is in the row, too.
                        let aside = columns.unsigned_abs() as usize;
                        let (west, east) = if columns < 0 { (aside, 0) } else { (0, aside) };
                        in_wide_registers(Exchange {
                            grounds,
                            sands,
                            changes,
                            here: row * wide + west,
                            there: there * wide + east,
                            count: wide - aside,
                            rise,
                            shift: *shift,
                        });
                    }
                }
            }
            let mut any = 0;
            for (index, after) in after.chunks_exact_mut(width).enumerate() {
                let line = (index + margin) * wide + margin;
                let samples = after.iter_mut().zip(&sands[line..]).zip(&changes[line..]);
                for ((after, sand), change) in samples {
                    *after = sand + change;
                    any |= change;
                }
            }
            if any != 0 {
                moved.store(true, Ordering::Relaxed);
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(moved.into_inner())
    }
}

/// Samples of a row that are computed at once, so that what runs stays in the fastest memory.
const TILE: usize = 256;

/// What the samples of a row exchange with one neighbour each.
struct Exchange<'a> {
    grounds: &'a [i32],
    sands: &'a [i32],
    changes: &'a mut [i32],
    /// Where the samples and their neighbours begin, and how many they are.
    here: usize,
    there: usize,
    count: usize,
    /// What the ground may rise between the two.
    rise: i32,
    shift: u32,
}

impl Loop for Exchange<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { grounds, sands, changes, here, there, count, rise, shift } = self;
        // An array of its own, which the compiler knows to lie apart from what is read.
        let mut runs = [0; TILE];
        for first in (0..count).step_by(TILE) {
            let tile = TILE.min(count - first);
            let (here, there) = (here + first..here + first + tile, there + first..there + first + tile);
            let samples = grounds[here.clone()].iter().zip(&sands[here.clone()]);
            let samples = samples.zip(grounds[there.clone()].iter().zip(&sands[there.clone()]));
            for (((ground, sand), (ground_there, sand_there)), run) in samples.zip(&mut runs) {
                let drop = ground - ground_there;
                // All ones where sand runs this way, towards the sample: choices between references would
                // keep the compiler from wide registers.
                let back = drop >> 31;
                let giver = sand ^ ((sand ^ sand_there) & back);
                let amount = ((drop.abs() - rise) >> shift).max(0).min(giver >> shift);
                *run = (amount ^ back) - back;
            }
            changes[here].iter_mut().zip(&runs).for_each(|(change, run)| *change -= run);
            changes[there].iter_mut().zip(&runs).for_each(|(change, run)| *change += run);
        }
    }
}
