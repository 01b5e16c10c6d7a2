//! Ways out of depressions, over their lowest sills.
//!
//! After "Priority-Flood" (Barnes, Lehman and Mulla 2014), but only where water has no way down: the flood
//! begins at the bottom of a depression and rises until it meets ground that already has a way out. A
//! second flood, inwards from there, routes everything under water.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::drainage::{BREATH, Drainage};
use super::ways::{OUTLET, PIT, opposite};
use crate::compute::work::Work;
use crate::error::Result;
use crate::math::ordered::{height_of, ordered};

/// Mark: it has a way to an outlet.
const SAFE: u32 = 1;

/// The marks of one flood, counted up from a number of its own.
#[derive(Clone, Copy)]
struct Marks(u32);

impl Marks {
    const FIRST: Self = Self(2);

    fn next(self) -> Self {
        Self(self.0 + 3)
    }

    /// Its water runs into the flood.
    fn leads_here(self) -> u32 {
        self.0
    }

    /// It is in the queue.
    fn waits(self) -> u32 {
        self.0 + 1
    }

    /// It is under water.
    fn flooded(self) -> u32 {
        self.0 + 2
    }
}

/// Finds the ways out of all depressions, and leaves marks in the cells. Calls `flood` with each sample that
/// lies under water, and the water's level.
pub(super) fn drain(
    drainage: &mut Drainage,
    heights: &[f32],
    mut flood: impl FnMut(usize, f32),
    work: &Work,
) -> Result<()> {
    let width = drainage.grid.width;
    let (mut waiting, mut inwards) = (BinaryHeap::new(), BinaryHeap::new());
    let mut marks = Marks::FIRST;
    let mut breath = 0;
    for pit in 0..heights.len() {
        if pit % width == 0 {
            work.check()?;
        }
        if drainage.ways.get(pit) != PIT {
            continue;
        }
        // Height, then index: samples of equal height have one order on every machine.
        waiting.push(Reverse((ordered(heights[pit]), pit as u32)));
        let mut sill = None;
        while let Some(Reverse((_, here))) = waiting.pop() {
            breath += 1;
            if breath % BREATH == 0 {
                work.check()?;
            }
            let here = here as usize;
            if is_safe(drainage, here, marks) {
                sill = Some(here);
                break;
            }
            if drainage.may_let_out(here) {
                drainage.ways.set(here, OUTLET);
                drainage.set_mark(here, SAFE);
                sill = Some(here);
                break;
            }
            drainage.set_mark(here, marks.flooded());
            for next in drainage.around(here) {
                let mark = drainage.mark(next.there);
                if mark != marks.waits() && mark != marks.flooded() {
                    // What is safe stays so.
                    if mark != SAFE {
                        drainage.set_mark(next.there, marks.waits());
                    }
                    // Safe samples are queued as well: the first of them to be popped is the lowest sill.
                    waiting.push(Reverse((ordered(heights[next.there]), next.there as u32)));
                }
            }
        }
        waiting.clear();
        // There is an outlet, and all land is connected.
        let Some(sill) = sill else { continue };
        // The flood enters over the sill, lowest sample first. Submerged samples follow in the order in which
        // it reached them.
        let mut reached = 0;
        inwards.push(Reverse((ordered(heights[sill]), reached, sill as u32)));
        while let Some(Reverse((level, _, here))) = inwards.pop() {
            breath += 1;
            if breath % BREATH == 0 {
                work.check()?;
            }
            let here = here as usize;
            let is_sill = here == sill;
            if level > ordered(heights[here]) {
                flood(here, height_of(level));
            }
            let (mut steepest, mut way) = (0.0, drainage.ways.get(here));
            for next in drainage.around(here) {
                let mark = drainage.mark(next.there);
                if mark == marks.flooded() {
                    drainage.set_mark(next.there, marks.leads_here());
                    drainage.ways.set(next.there, opposite(next.direction));
                    reached += 1;
                    // Under water the surface counts and not the bed, so that ways run straight to the sill
                    // and not along the bottom.
                    let level = level.max(ordered(heights[next.there]));
                    inwards.push(Reverse((level, reached, next.there as u32)));
                } else if !is_sill
                    && heights[next.there] < heights[here]
                    && (mark == SAFE || mark == marks.waits() && is_safe(drainage, next.there, marks))
                {
                    // It may also leave the pool by a steeper way, over safe ground that is lower than
                    // itself.
                    let slope = drainage.slope(here, &next, heights[here] - heights[next.there]);
                    if slope > steepest {
                        (steepest, way) = (slope, next.direction);
                    }
                }
            }
            drainage.set_mark(here, SAFE);
            if !is_sill {
                drainage.ways.set(here, way);
            }
        }
        // New numbers for every flood make all its marks stale immediately; clearing them would cost as much
        // as the flood.
        marks = marks.next();
    }
    Ok(())
}

/// Whether water from here reaches an outlet. Every sample on the way is marked with the answer.
fn is_safe(drainage: &mut Drainage, here: usize, marks: Marks) -> bool {
    let mut end = here;
    let safe = loop {
        let (mark, way) = (drainage.mark(end), drainage.ways.get(end));
        if mark == SAFE {
            break true;
        }
        if mark == marks.leads_here() || mark == marks.flooded() || way == PIT {
            break false;
        }
        match drainage.ways.receiver(end) {
            Some(next) => end = next,
            None => break way >= OUTLET,
        }
    };
    let mark = if safe { SAFE } else { marks.leads_here() };
    let mut at = here;
    // The whole way gets the answer, so that each sample is walked only once in a flood.
    while at != end {
        let Some(next) = drainage.ways.receiver(at) else { break };
        if safe || drainage.mark(at) != marks.waits() {
            drainage.set_mark(at, mark);
        }
        at = next;
    }
    if safe {
        drainage.set_mark(end, SAFE);
    }
    safe
}
