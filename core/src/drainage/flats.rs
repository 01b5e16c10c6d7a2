//! Level ground: neighbouring samples of equal height, such as the surface of a lake.
//!
//! It is one node of the drainage: its water leaves at one sample, the spill. Only where several ways out are
//! equally low do some of its samples lead to others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::ways::{ENDS, LEVEL, Ways, back};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::math::ordered::ordered;

/// Set in a way while its sample waits to be reached.
const WAITS: u8 = 0x10;

/// Level ground with at least one sample that has no lower neighbour.
pub(super) struct Flat<'a> {
    /// Its samples, in no particular order.
    pub(super) samples: &'a [u32],
    /// Where its water leaves: the first of its samples that have a lower neighbour or lie at an outlet.
    pub(super) spill: usize,
    pub(super) level: f32,
}

/// Gives each piece of level ground its ways, the shortest ones to its spill, and calls `found` with it.
pub(super) fn each_flat(
    surface: &Heightfield,
    ways: &mut Ways,
    work: &Work,
    mut found: impl FnMut(&mut Ways, &Flat<'_>) -> Result<()>,
) -> Result<()> {
    let (grid, levels) = (surface.grid(), surface.heights());
    let (mut samples, mut queue) = (Vec::new(), VecDeque::new());
    for first in 0..levels.len() {
        if first % grid.width == 0 {
            work.check()?;
        }
        if ways.of[first] != LEVEL {
            continue;
        }
        let spill = gather(surface, ways, first, &mut samples, work)?;
        if ways.of[spill] == LEVEL | WAITS {
            // None of its samples has a way out, which doesn't happen on land that has been flooded.
            ways.of[spill] = ENDS | WAITS;
        }
        queue.push_back(spill as u32);
        ways.of[spill] &= !WAITS;
        while let Some(here) = queue.pop_front() {
            Ways::each_neighbour(grid, here as usize, |way, there| {
                let waits = ways.of[there];
                if waits & WAITS != 0 {
                    ways.of[there] = if waits == LEVEL | WAITS { back(way) } else { waits & !WAITS };
                    queue.push_back(there as u32);
                }
            });
        }
        found(ways, &Flat { samples: &samples, spill, level: levels[spill] })?;
    }
    Ok(())
}

/// Lists the samples that are level with `first` and connected to it, sets [`WAITS`] in their ways, and
/// returns their spill.
fn gather(
    surface: &Heightfield,
    ways: &mut Ways,
    first: usize,
    samples: &mut Vec<u32>,
    work: &Work,
) -> Result<usize> {
    let (grid, levels) = (surface.grid(), surface.heights());
    samples.clear();
    samples.push(first as u32);
    ways.of[first] |= WAITS;
    let (mut next, mut spill) = (0, None);
    while let Some(&here) = samples.get(next) {
        if next % 65_536 == 65_535 {
            work.check()?;
        }
        next += 1;
        let here = here as usize;
        if ways.of[here] != LEVEL | WAITS {
            spill = Some(spill.map_or(here, |spill: usize| spill.min(here)));
        }
        Ways::each_neighbour(grid, here, |_, there| {
            if levels[there] == levels[here] && ways.of[there] & WAITS == 0 {
                ways.of[there] |= WAITS;
                samples.push(there as u32);
            }
        });
    }
    Ok(spill.unwrap_or(first))
}

/// In place of a way: it is to be turned.
const TURNS: u8 = 0x1F;

/// Turns the ways of `samples`, which are connected and level in `surface`, towards `root`, which keeps its
/// own. They follow the lowest of the ground beneath (Prim's algorithm). Samples from which water leaves the
/// level ground keep their ways. Returns the samples in the order in which they were reached: each after the
/// one that it leads to.
pub(super) fn turn_to(
    root: usize,
    samples: &[u32],
    (ground, surface): (&[f32], &[f32]),
    ways: &mut Ways,
    work: &Work,
) -> Result<Vec<u32>> {
    for here in samples.iter().map(|here| *here as usize).filter(|here| *here != root) {
        let stays_level = ways.receiver(here).is_some_and(|there| surface[there] == surface[here]);
        ways.of[here] = if stays_level { TURNS } else { ways.of[here] | WAITS };
    }
    let grid = ways.grid;
    let mut reached = Vec::with_capacity(samples.len());
    let mut waiting = BinaryHeap::from([Reverse((ordered(ground[root]), root as u32))]);
    while let Some(Reverse((_, here))) = waiting.pop() {
        if reached.len() % 65_536 == 65_535 {
            work.check()?;
        }
        reached.push(here);
        Ways::each_neighbour(grid, here as usize, |way, there| {
            let waits = ways.of[there];
            if waits & WAITS != 0 {
                ways.of[there] = if waits == TURNS { back(way) } else { waits & !WAITS };
                waiting.push(Reverse((ordered(ground[there]), there as u32)));
            }
        });
    }
    Ok(reached)
}
