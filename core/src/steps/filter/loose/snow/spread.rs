//! Heaps that avalanches leave spread to their sides until they rest, as far as the ground there holds more
//! snow.
//!
//! Heaps are few and far between, so samples are worked on one after the other, in the order in which they
//! became too steep.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::margin::circle;
use super::slide::Slide;
use crate::compute::work::Work;
use crate::error::Result;

/// The tangent of the slope on which a heap rests, 25°, and how much its thickness may fall for each metre on
/// steeper ground.
const RESTS: f32 = 0.466;
const THINS: f32 = 0.15;

/// Excess for each metre that doesn't count.
const STILL: f32 = 0.02;

/// The part of its excess over a neighbour along an axis that a sample hands to it.
const GIVEN: f32 = 0.2;

/// How often all samples together are worked on, at most, for each sample of the land.
const MOST: usize = 3;

/// Samples after which it asks whether to go on.
const BREATH: usize = 1 << 12;

/// Lets heaps of snow on the ground `ground`, which has a margin as well, come to rest.
pub(super) fn spread(slide: &mut Slide, ground: &[f32], work: &Work) -> Result<()> {
    let heaps = Heaps::new(slide, ground);
    let (stride, count) = (slide.stride, slide.width * slide.depth);
    let rows: Vec<Vec<usize>> = (1..=slide.depth)
        .into_par_iter()
        .map(|row| {
            work.check()?;
            let own = row * stride + 1..row * stride + 1 + slide.width;
            Ok::<_, crate::Error>(own.filter(|at| heaps.is_steep(slide, *at)).collect())
        })
        .collect::<Result<_>>()?;
    let mut next: VecDeque<usize> = rows.into_iter().flatten().collect();
    let mut waits = vec![false; slide.snow.len()];
    next.iter().for_each(|at| waits[*at] = true);
    for number in 0..MOST * count {
        let Some(at) = next.pop_front() else { break };
        if number % BREATH == 0 {
            work.check()?;
        }
        waits[at] = false;
        heaps.topple(slide, at, |at| {
            if !waits[at] {
                waits[at] = true;
                next.push_back(at);
            }
        });
    }
    Ok(())
}

struct Heaps<'a> {
    ground: &'a [f32],
    /// The steps to all neighbours, how long they are, and how much they count.
    steps: [(isize, f32, f32); 8],
}

impl<'a> Heaps<'a> {
    fn new(slide: &Slide, ground: &'a [f32]) -> Self {
        let steps = circle(slide.stride);
        let diagonal = std::f32::consts::SQRT_2;
        let step = |number: usize| match number % 2 {
            0 => (steps[number], slide.cell, GIVEN),
            _ => (steps[number], diagonal * slide.cell, 0.5 * GIVEN),
        };
        Self { ground, steps: std::array::from_fn(step) }
    }

    /// How much too high a sample is above another.
    fn excess(&self, slide: &Slide, from: usize, to: usize, length: f32) -> f32 {
        let thicker = slide.snow[from] - slide.snow[to];
        let above = self.ground[from] - self.ground[to] + thicker;
        (above - RESTS * length).min(thicker - THINS * length)
    }

    /// Whether anything can move from a sample.
    fn is_steep(&self, slide: &Slide, at: usize) -> bool {
        // The thickness must fall by this much at least.
        slide.snow[at] > THINS * slide.cell
            && self.steps.iter().any(|(step, length, _)| {
                let there = at.wrapping_add_signed(*step);
                self.excess(slide, at, there, *length) > STILL * length
                    && slide.most[there] > slide.snow[there]
                    && slide.is_land(there)
            })
    }

    /// Hands on what is too much at a sample. Calls `wake` with each sample that must be looked at again.
    fn topple(&self, slide: &mut Slide, at: usize, mut wake: impl FnMut(usize)) {
        let mut parts = [0.0f32; 8];
        let mut out = 0.0;
        for (part, (step, length, given)) in parts.iter_mut().zip(self.steps) {
            let there = at.wrapping_add_signed(step);
            let excess = self.excess(slide, at, there, length);
            if excess > STILL * length && slide.is_land(there) {
                *part = (given * excess).min(slide.most[there] - slide.snow[there]).max(0.0);
                out += *part;
            }
        }
        if out <= 0.0 {
            return;
        }
        let share = if out > slide.snow[at] { slide.snow[at] / out } else { 1.0 };
        for (part, (step, length, _)) in parts.into_iter().zip(self.steps) {
            if part > 0.0 {
                let there = at.wrapping_add_signed(step);
                // No rounding up beyond what it holds.
                let after = (slide.snow[there] + share * part).min(slide.most[there]);
                slide.snow[at] = (slide.snow[at] - (after - slide.snow[there])).max(0.0);
                slide.snow[there] = after;
                if part > 0.2 * STILL * length {
                    wake(there);
                }
            }
        }
        wake(at);
    }
}
