//! Landslides: slopes that are too steep slide down.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::drainage::{BREATH, Drainage};
use super::rock::{Limit, RockRows};
use super::ways::{NEIGHBOURS, SEA};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::rock::Beds;

/// How much steeper the ground may be across the water's way than along it.
pub(super) const BANK: f32 = 1.4;

/// Rows of a band, which is processed at once: few, because every thread keeps a copy of one.
const BAND: usize = 8;

/// Takes the heights out of the drainage's cells and lowers every sample that stands too steeply above a
/// neighbour. The result is the highest land, nowhere above the given one, that is stable everywhere.
///
/// A sample that slides stays above its neighbour, so every way down remains. Bands of rows are processed
/// in parallel, then bands shifted by half a band, until nothing moves any more.
pub(super) fn slide(
    drainage: &mut Drainage,
    heights: &mut [f32],
    limit: &Limit<'_>,
    base_level: f32,
    work: &Work,
) -> Result<()> {
    let width = drainage.grid.width;
    drainage.kept().zip(heights.par_chunks_mut(width)).try_for_each(|(cells, heights)| {
        work.check()?;
        let rows = cells.iter_mut().zip(heights);
        rows.for_each(|(cell, height)| *height = f32::from_bits(*cell.get_mut()));
        Ok(())
    })?;
    let slope = Slope { drainage, limit, base_level };
    let (mut first, mut shift) = (true, 0);
    loop {
        let moved = AtomicBool::new(false);
        // The first rows of a shifted pass lie in no band; the unshifted bands have settled them.
        let start = (shift * width).min(heights.len());
        let bands = heights[start..].par_chunks_mut(BAND * width).enumerate();
        bands.try_for_each_init(<(Band, Band)>::default, |(loaded, between), (band, heights)| {
            let row = shift + band * BAND;
            if !first {
                // Inside the previous bands all is stable; what moved at their borders is now in the middle.
                let middle = BAND / 2 - 1..(BAND / 2 + 1).min(heights.len() / width);
                if middle.len() < 2 {
                    return Ok(());
                }
                let heights = &heights[middle.start * width..middle.end * width];
                between.load(&slope, heights, row + middle.start, work)?;
                if between.stands(limit.beds(), row + middle.start) {
                    return Ok(());
                }
            }
            loaded.load(&slope, heights, row, work)?;
            if !loaded.stands(limit.beds(), row) && loaded.slide((limit.beds(), row), work)? {
                loaded.store(heights);
                moved.store(true, Ordering::Relaxed);
            }
            Ok(())
        })?;
        // The first pass proves nothing about the borders between bands, so at least one shifted pass
        // follows.
        if !first && !moved.into_inner() {
            return Ok(());
        }
        (first, shift) = (false, BAND / 2 - shift);
    }
}

/// What decides how steep ground may be.
struct Slope<'a> {
    drainage: &'a Drainage,
    limit: &'a Limit<'a>,
    base_level: f32,
}

/// A band of rows, bordered by samples higher than all others.
#[derive(Default)]
struct Band {
    /// Samples in a row, including those of the border.
    width: usize,
    heights: Vec<f32>,
    /// Steepest rise per metre along the water's way, or how many times as steep as usual beds stand;
    /// infinite where nothing slides.
    limits: Vec<f32>,
    ways: Vec<u8>,
    /// Distances to the neighbours of every sample in metres; empty where they are `even`.
    away: [Vec<f32>; 8],
    even: Option<[f32; 8]>,
    base_level: f32,
    rock: RockRows,
    /// 1 for samples that may be too steep.
    doubtful: Vec<u8>,
    /// Samples to be checked.
    waiting: VecDeque<u32>,
}

impl Band {
    fn load(&mut self, slope: &Slope<'_>, heights: &[f32], first: usize, work: &Work) -> Result<()> {
        let Slope { drainage, limit, base_level } = *slope;
        let inner = drainage.grid.width;
        let count = (heights.len() / inner + 2) * (inner + 2);
        (self.width, self.base_level, self.even) = (inner + 2, base_level, drainage.even());
        // The samples at the sides stay as they are; all others are written below.
        let refill = |list: &mut Vec<f32>, with: f32| {
            if list.len() != count {
                list.clear();
                list.resize(count, with);
            }
        };
        // Infinitely high samples around the band limit no sample and save the test for the ends of rows.
        refill(&mut self.heights, f32::INFINITY);
        refill(&mut self.limits, f32::INFINITY);
        self.ways.resize(count, 0);
        self.doubtful.clear();
        self.doubtful.resize(count, 0);
        let mut links = if self.even.is_none() {
            self.away.iter_mut().for_each(|away| refill(away, 1.0));
            Some(drainage.links(first))
        } else {
            None
        };
        for (index, heights) in heights.chunks_exact(inner).enumerate() {
            work.check()?;
            let row = first + index;
            let line = (index + 1) * self.width + 1..(index + 2) * self.width - 1;
            self.heights[line.clone()].copy_from_slice(heights);
            let (limits, ways) = (&mut self.limits[line.clone()], &mut self.ways[line.clone()]);
            limit.of_row(row, &mut self.rock, limits);
            drainage.ways.of_row(row, ways);
            // An infinite limit says in a single comparison that sea bed never slides.
            for (limit, way) in limits.iter_mut().zip(ways) {
                *limit = if usize::from(*way) == SEA { f32::INFINITY } else { *limit };
            }
            if let Some(links) = &mut links {
                links.go_to(row);
                for (away, links) in self.away.iter_mut().zip(links.around_all()) {
                    away[line.clone()].copy_from_slice(links);
                }
            }
        }
        Ok(())
    }

    fn store(&self, heights: &mut [f32]) {
        let inner = self.width - 2;
        let lines = self.heights.chunks_exact(self.width).skip(1);
        for (heights, line) in heights.chunks_exact_mut(inner).zip(lines) {
            heights.copy_from_slice(&line[1..=inner]);
        }
    }

    /// Whether no sample is too steep, apart from those now marked as doubtful; the band begins at row
    /// `first`.
    fn stands(&mut self, beds: Option<&Beds<'_>>, first: usize) -> bool {
        if let Some(beds) = beds {
            return self.stands_on(beds, first);
        }
        let (width, rows) = (self.width, self.heights.len() / self.width - 2);
        let mut any = 0;
        for row in 1..=rows {
            let line = row * width + 1..(row + 1) * width - 1;
            let around = NEIGHBOURS.map(|(columns, rows)| {
                &self.heights[line.start.wrapping_add_signed(rows * width as isize + columns)..][..width - 2]
            });
            let away = std::array::from_fn(|way| match &self.even {
                Some(even) => Away::Even(even[way]),
                None => Away::Each(&self.away[way][line.clone()]),
            });
            any |= in_wide_registers(Doubt {
                heights: &self.heights[line.clone()],
                around,
                limits: &self.limits[line.clone()],
                ways: &self.ways[line.clone()],
                away,
                base_level: self.base_level,
                doubtful: &mut self.doubtful[line],
            });
        }
        any == 0
    }

    /// The same on rock with beds; the band begins at row `first`.
    fn stands_on(&mut self, beds: &Beds<'_>, first: usize) -> bool {
        let mut stands = true;
        for row in 1..self.heights.len() / self.width - 1 {
            for here in row * self.width + 1..(row + 1) * self.width - 1 {
                let height = self.heights[here];
                if self.limits[here] < f32::INFINITY && height > self.most_on(here, beds, first) {
                    self.doubtful[here] = 1;
                    stands = false;
                }
            }
        }
        stands
    }

    /// The feet of a sample's slopes: the heights of its neighbours, and how far across the steepest slope to
    /// each goes, times the rise per metre where the limit is 1.
    fn feet(&self, here: usize) -> [(f32, f32); 8] {
        let own = usize::from(self.ways[here]);
        std::array::from_fn(|direction| {
            let (columns, rows) = NEIGHBOURS[direction];
            let there = here.wrapping_add_signed(rows * self.width as isize + columns);
            // Under the sea a slope counts from its surface.
            let foot = self.heights[there].max(self.base_level);
            let away = self.even.map_or_else(|| self.away[direction][here], |even| even[direction]);
            (foot, self.limits[here] * away * if direction == own { 1.0 } else { BANK })
        })
    }

    /// The greatest height that a sample may have next to its neighbours.
    fn most(&self, here: usize) -> f32 {
        // At least one step of f32 above the foot, so that water can still run down to it.
        let stands = |(foot, rise): (f32, f32)| (foot + rise).max(foot.next_up());
        self.feet(here).into_iter().map(stands).fold(f32::INFINITY, f32::min)
    }

    /// The same on rock with beds, or at least its own height if it stands; the band begins at row `first`.
    fn most_on(&self, here: usize, beds: &Beds<'_>, first: usize) -> f32 {
        let sample = (first + here / self.width - 1) * (self.width - 2) + here % self.width - 1;
        let (height, gentlest) = (self.heights[here], beds.gentlest());
        let (mut across, mut least) = (f64::INFINITY, f32::NEG_INFINITY);
        for (foot, run) in self.feet(here) {
            // Most slopes are gentler than the softest bed allows.
            if height > foot + gentlest * run {
                let there = beds.across(sample, foot) + f64::from(run);
                if there < across {
                    (across, least) = (there, foot.next_up());
                }
            }
        }
        if across == f64::INFINITY || beds.across(sample, height) <= across {
            return height;
        }
        // Never above what it had: rounding moves the last bits.
        beds.height(sample, across).max(least).min(height)
    }

    /// Lowers doubtful samples, the lowest first, until all are stable. Returns whether any moved.
    fn slide(&mut self, (beds, first): (Option<&Beds<'_>>, usize), work: &Work) -> Result<bool> {
        self.waiting.clear();
        // Few samples are doubtful, so eight are skipped at a time.
        for (group, doubtful) in self.doubtful.chunks(8).enumerate() {
            if doubtful.iter().fold(0, |any, one| any | one) > 0 {
                let doubtful = (0..).zip(doubtful).filter(|(_, one)| **one > 0);
                self.waiting.extend(doubtful.map(|(place, _)| 8 * group as u32 + place));
            }
        }
        let heights = &self.heights;
        let height = |here: &u32| heights[*here as usize];
        // From the lowest up: a sample that slides may cause higher neighbours to follow, never lower ones.
        // Equal heights are ordered by index, so the order doesn't depend on the sort.
        self.waiting
            .make_contiguous()
            .sort_unstable_by(|a, b| height(a).total_cmp(&height(b)).then(a.cmp(b)));
        let (mut moves, mut breath) = (false, 0);
        while let Some(here) = self.waiting.pop_front() {
            breath += 1;
            if breath % BREATH == 0 {
                work.check()?;
            }
            let here = here as usize;
            self.doubtful[here] = 0;
            let most = match beds {
                Some(beds) => self.most_on(here, beds, first),
                None => self.most(here),
            };
            if self.heights[here] <= most {
                continue;
            }
            self.heights[here] = most;
            moves = true;
            for (columns, rows) in NEIGHBOURS {
                let there = here.wrapping_add_signed(rows * self.width as isize + columns);
                // A sample waits in the queue once at most; it is examined against its neighbours as they are
                // by then.
                if self.heights[there] > most
                    && self.limits[there] < f32::INFINITY
                    && self.doubtful[there] == 0
                {
                    self.doubtful[there] = 1;
                    self.waiting.push_back(there as u32);
                }
            }
        }
        Ok(moves)
    }
}

/// Distances from the samples of a row to one neighbour each, in metres.
#[derive(Clone, Copy)]
enum Away<'a> {
    Even(f32),
    Each(&'a [f32]),
}

/// Searches a row for samples that may be too steep relative to a neighbour; yields 1 if there are any.
struct Doubt<'a> {
    heights: &'a [f32],
    around: [&'a [f32]; 8],
    limits: &'a [f32],
    ways: &'a [u8],
    away: [Away<'a>; 8],
    base_level: f32,
    doubtful: &'a mut [u8],
}

impl Loop for Doubt<'_> {
    type Done = u8;

    #[inline(always)]
    fn run(self) -> u8 {
        let Self { heights, around, limits, ways, away, base_level, doubtful } = self;
        let mut any = 0;
        // Directions are the outer loop: the inner one then runs over plain rows and is vectorised.
        for direction in 0..8 {
            let samples =
                heights.iter().zip(around[direction]).zip(limits).zip(ways).zip(doubtful.iter_mut());
            let mut look =
                |(((height, foot), limit), way): (((&f32, &f32), &f32), &u8), doubt: &mut u8, away: f32| {
                    let foot = if *foot > base_level { *foot } else { base_level };
                    let factor = if *way == direction as u8 { 1.0 } else { BANK };
                    let new = u8::from(*height > foot + limit * away * factor);
                    *doubt |= new;
                    any |= new;
                };
            match away[direction] {
                Away::Even(away) => samples.for_each(|(sample, doubt)| look(sample, doubt, away)),
                Away::Each(each) => {
                    samples.zip(each).for_each(|((sample, doubt), away)| look(sample, doubt, *away));
                }
            }
        }
        any
    }
}
