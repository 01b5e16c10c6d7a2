//! Snow that has come to the end of its way and finds no room there: it heaps up around it, as far as each
//! place holds it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::margin::circle;
use super::slide::Slide;
use super::year::THICKEST;
use crate::math::ordered::ordered;

/// How much the heap falls for each metre away from its middle.
const FALLS: f32 = 0.08;

/// Halvings after which its height is exact enough.
const HALVINGS: usize = 30;

/// Samples of a heap, at most: so many, and for each metre on one sample so many more. Where nearly all
/// ground is full, a search for room would go over all of the land for each hollow.
const MOST: usize = 1 << 15;
const FEWEST: usize = 64;
const FOR_EACH_METRE: f64 = 8.0;

/// How thick a heap becomes where all around are full, metres.
const THICKER: f32 = 40.0;

/// Heaps up `amount`, in metres on one sample, around `at`. Returns what found no room.
pub(super) fn heap(slide: &mut Slide, at: usize, amount: f64) -> f64 {
    let enough = FEWEST + (FOR_EACH_METRE * amount).min(MOST as f64) as usize;
    let near = members(slide, at, amount, enough.min(MOST));
    let mut left = amount - raise(slide, &near, amount);
    // What is left over, by rounding or because all are full.
    left -= fill(slide, &near, left, THICKER);
    if left > 0.0 {
        let far = members(slide, at, left, MOST);
        // Level ground holds any thickness.
        let mut thickest = THICKER;
        while left > 0.0 && thickest < THICKEST {
            left -= fill(slide, &far, left, thickest);
            thickest *= 2.0;
        }
    }
    left.max(0.0)
}

/// Raises a heap over these samples. Returns how much that takes, at most `amount`.
fn raise(slide: &mut Slide, members: &[(usize, f32)], amount: f64) -> f64 {
    let room = |slide: &Slide, level: f32| -> f64 {
        members.iter().map(|(at, from)| f64::from(slide.room(*at, level - from))).sum()
    };
    let (mut low, mut high) = (0.0, members.iter().fold(0.0f32, |most, (_, from)| most.max(*from)));
    for _ in 0..HALVINGS {
        let level = 0.5 * (low + high);
        if room(slide, level) > amount { high = level } else { low = level }
    }
    let taken = room(slide, low);
    for (at, from) in members {
        slide.snow[*at] += slide.room(*at, low - from);
    }
    taken
}

/// Lays snow on these samples, one after the other, as thick as slopes hold it, but no thicker than
/// `thickest`. Returns how much that takes.
fn fill(slide: &mut Slide, members: &[(usize, f32)], amount: f64, thickest: f32) -> f64 {
    let mut left = amount;
    for (at, _) in members {
        if left <= 0.0 {
            break;
        }
        let more = (left as f32).min(slide.most[*at].min(thickest) - slide.snow[*at]).max(0.0);
        slide.snow[*at] += more;
        left -= f64::from(more);
    }
    amount - left
}

/// The samples around `at` that are needed for `amount`, and from which height of the heap's middle on each
/// is covered.
fn members(slide: &Slide, at: usize, amount: f64, enough: usize) -> Vec<(usize, f32)> {
    let around = circle(slide.stride);
    let place = |at: usize| ((at % slide.stride) as f32, (at / slide.stride) as f32);
    let (middle, surface) = (place(at), slide.surface(at));
    let from = |at: usize| {
        let (column, row) = place(at);
        let away = libm::hypotf(column - middle.0, row - middle.1);
        FALLS * slide.cell * away + (slide.surface(at) - surface).max(0.0)
    };
    let mut seen = FxHashSet::from_iter([at]);
    let mut next = BinaryHeap::from([Reverse((ordered(0.0), at))]);
    let mut members: Vec<(usize, f32)> = Vec::new();
    let (mut ask, mut highest) = (8, 0.0f32);
    while let Some(Reverse((_, at))) = next.pop() {
        let level = from(at);
        highest = highest.max(level);
        members.push((at, level));
        if members.len() >= ask {
            ask += ask / 4;
            let room = members.iter().map(|(at, from)| f64::from(slide.room(*at, highest - from)));
            if room.sum::<f64>() >= amount {
                break;
            }
        }
        if members.len() >= enough {
            break;
        }
        for step in around {
            let there = at.wrapping_add_signed(step);
            if slide.is_land(there) && seen.insert(there) {
                next.push(Reverse((ordered(from(there)), there)));
            }
        }
    }
    members
}
