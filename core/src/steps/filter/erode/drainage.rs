//! Flow routing: where the water of every sample drains to, and traversal of the drainage trees upstream.
//!
//! Water takes the steepest way down (D8), row by row; [`hollow`](super::hollow) finds the ways out of
//! depressions. Drainage areas are accumulated from the springs downwards. The "stack" of Braun and Willett
//! (2013), an order in which receivers come before donors, is not stored: the trees are climbed from their
//! outlets, the trunks first, and then all branches in parallel.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rayon::prelude::*;

use super::jitter::Jitter;
use super::links::Links;
use super::original::Original;
use super::ways::{BLOCK, NEIGHBOURS, OUTLET, PIT, SEA, Ways, put};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
use crate::noise::{hash_along, hash_of_column, signed_unit, stream};

/// Random variation of the slopes by which water chooses its way, as a share: on even slopes rivers would
/// otherwise all run straight.
const LUCK: f32 = 0.5;

/// Samples of the largest branch that is climbed in one go; samples with a larger drainage area are trunks.
const BRANCH: f32 = 4096.0;

/// Samples that are flooded or climbed between two checks for cancellation: about a millisecond.
pub(super) const BREATH: usize = 1 << 12;

/// The drainage of one grid, with memory that is reused.
pub(super) struct Drainage {
    pub(super) grid: Grid,
    seed: u64,
    pub(super) jitter: Jitter,
    /// Whether heights are sampled at grid points (as at the end) or at displaced nodes. In both cases
    /// water chooses its way by the distances between displaced nodes.
    settled: bool,
    /// Samples above the sea bed that may become outlets, in order: each becomes one where no water leaves
    /// the field over lower ground.
    outlets: Vec<usize>,
    /// Whether water also leaves the field over its border wherever the ground slopes outwards there.
    follows_slopes: bool,
    /// Whether the direction of flow is partly random.
    is_lucky: bool,
    pub(super) ways: Ways,
    /// One value for every sample, with several uses. Atomic, because many threads climb the same trees;
    /// results don't depend on their order.
    cells: Vec<AtomicU32>,
}

/// The count at a spring: no sample has as many neighbours.
const SPRING: u8 = u8::MAX;

/// A cell while areas are accumulated: the drainage area in samples (28 bits), and the number of donors
/// still missing, plus one (4 bits; 0 at a spring). For land with more samples, the missing donors are
/// counted in separate bytes.
#[derive(Clone, Copy)]
struct Area(u32);

impl Area {
    const ONE: u32 = 0x10;
    const WAITS: u32 = 0xF;
    const MOST: u32 = u32::MAX / Self::ONE;

    fn samples(self) -> u32 {
        self.0 / Self::ONE
    }

    fn waits(self) -> u32 {
        self.0 & Self::WAITS
    }
}

/// What is computed at each sample on the way down, once that is done at all samples upstream.
pub(super) trait Arrive: Sync {
    /// The order of memory between a sample and its donors.
    const ORDER: Ordering;

    /// At a sample through which this many drain, with itself.
    fn at(&self, drainage: &Drainage, sample: usize, samples: u32);
}

/// Nothing but the areas, which are sums of whole numbers: threads may add them in any order.
impl Arrive for () {
    const ORDER: Ordering = Ordering::Relaxed;

    fn at(&self, _: &Drainage, _: usize, _: u32) {}
}

/// Samples on the way up with the heights downstream of them: those that are due, and those above them.
#[derive(Default)]
struct Climb {
    now: Vec<(u32, f32)>,
    next: Vec<(u32, f32)>,
}

/// A sample on the way upstream whose new height is to be computed.
pub(super) struct DueSample {
    pub(super) column: usize,
    pub(super) row: usize,
    /// The cell's value.
    pub(super) cell: f32,
    /// Drainage area in samples.
    pub(super) area: f32,
    /// The height of its receiver, and the distance to it in metres; `None` at an outlet.
    pub(super) downstream: Option<(f32, f32)>,
}

impl Drainage {
    /// Drainage of `grid` into the sea and into `outlets`.
    pub(super) fn new(
        grid: Grid,
        settled: bool,
        mut outlets: Vec<usize>,
        seed: u64,
        work: &Work,
    ) -> Result<Self> {
        // For the binary search of `may_let_out`.
        outlets.sort_unstable();
        let mut cells = Vec::new();
        cells.resize_with(grid.count(), || AtomicU32::new(0));
        Ok(Self {
            grid,
            seed: stream(seed, 2),
            jitter: Jitter::new(grid, seed, !settled, work)?,
            settled,
            outlets,
            follows_slopes: false,
            is_lucky: true,
            ways: Ways::new(grid),
            cells,
        })
    }

    /// The same, but water leaves over the border wherever the ground slopes outwards there, as if the slope
    /// went on beyond. All samples of the border must be among the outlets.
    pub(super) fn following_slopes(self) -> Self {
        Self { follows_slopes: true, ..self }
    }

    /// The same, but water takes the steepest way between the points of the grid, without randomness.
    pub(super) fn without_luck(self) -> Self {
        Self { is_lucky: false, ..self }
    }

    /// How far the ground is assumed to fall in the first cell beyond the border, in metres, at every sample
    /// that may become an outlet; none where water doesn't follow such slopes.
    pub(super) fn falls_beyond(&self, heights: &[f32]) -> Vec<(usize, f32)> {
        let outlets = self.outlets.iter().filter(|_| self.follows_slopes);
        let fall = |&sample: &usize| {
            let place = [sample % self.grid.width, sample / self.grid.width];
            let beyond = beyond(heights, self.grid, place).map(|(_, slope)| slope * self.grid.cell);
            (sample, beyond.fold(0.0, f32::max))
        };
        outlets.map(fall).collect()
    }

    /// Keeps only the positions of the nodes.
    pub(super) fn into_jitter(self) -> Jitter {
        self.jitter
    }

    /// Routes water to the steepest lower neighbour, and clears the cells.
    pub(super) fn descend(&mut self, heights: &[f32], original: &Original<'_>, work: &Work) -> Result<()> {
        // Borrowed field by field, because the closure below reads some while blocks of others are written.
        let Self { grid, seed, jitter, ways, cells, follows_slopes, is_lucky, .. } = self;
        let (grid, follows_slopes) = (*grid, *follows_slopes);
        let luck = Luck { seed: *seed, is_in_play: *is_lucky };
        let Grid { width, depth, .. } = grid;
        let blocks = ways.blocks_mut().zip(cells.par_chunks_mut(width * BLOCK));
        blocks.enumerate().try_for_each(|(block, (ways, cells))| {
            let first = block * BLOCK;
            // Heights of three rows, with one more at either end that is never lower.
            let mut lines = [const { Vec::new() }; 3];
            let fill = |line: &mut Vec<f32>, row: Option<usize>| {
                line.clear();
                line.resize(width + 2, f32::INFINITY);
                if let Some(row) = row.filter(|row| *row < depth) {
                    line[1..=width].copy_from_slice(&heights[row * width..][..width]);
                }
            };
            fill(&mut lines[1], first.checked_sub(1));
            fill(&mut lines[2], Some(first));
            let mut links = Links::shares(jitter, !luck.is_in_play, first);
            let mut steep = vec![0; width];
            for (index, cells) in cells.chunks_exact_mut(width).enumerate() {
                work.check()?;
                let row = first + index;
                lines.rotate_left(1);
                fill(&mut lines[2], Some(row + 1));
                links.go_to(row);
                let [north, middle, south] = &lines;
                let around = [
                    &north[..width],
                    &north[1..],
                    &north[2..],
                    &middle[..width],
                    &middle[2..],
                    &south[..width],
                    &south[1..],
                    &south[2..],
                ];
                let falls = Falls { heights: &middle[1..=width], around, shares: links.around_all() };
                // Vectorised, this leaves one candidate for most samples; random numbers are only drawn where
                // there are several.
                in_wide_registers(Steep { falls: &falls, steep: &mut steep });
                for (column, &steep) in steep.iter().enumerate() {
                    let here = row * width + column;
                    let way = if original.is_sea_bed(here) {
                        SEA
                    } else {
                        falls.steepest(luck, (here, column), width, steep.into())
                    };
                    let is_border = row == 0 || column == 0 || row + 1 == depth || column + 1 == width;
                    let may_leave = follows_slopes && is_border && way != SEA;
                    let way = match may_leave && leaves(&falls, heights, grid, luck, [column, row]) {
                        true => OUTLET,
                        false => way,
                    };
                    put(ways, index * width + column, way);
                }
                // The flood marks its samples in the cells, from 0.
                cells.iter_mut().for_each(|cell| *cell.get_mut() = 0);
            }
            Ok(())
        })
    }

    /// The apparent slope to a neighbour that is lower by `fall` metres.
    pub(super) fn slope(&self, here: usize, next: &Neighbour, fall: f32) -> f32 {
        let luck = Luck { seed: self.seed, is_in_play: self.is_lucky }.of(here)(next.there as i64);
        let moved = match self.is_lucky {
            true => {
                let node = self.jitter.of(here % self.grid.width, here / self.grid.width);
                self.jitter.of(next.column, next.row) - node
            }
            false => glam::Vec2::ZERO,
        };
        // Multiplied by the inverse distance, as `Falls::slope` does: a slope must have the same bits in
        // both.
        luck * (fall * (1.0 / away(self.grid, next, moved)))
    }

    /// The mark that a flood left at a sample.
    pub(super) fn mark(&mut self, here: usize) -> u32 {
        *self.cells[here].get_mut()
    }

    pub(super) fn set_mark(&mut self, here: usize, mark: u32) {
        *self.cells[here].get_mut() = mark;
    }

    /// Whether a sample becomes an outlet when a depression is filled up to it.
    pub(super) fn may_let_out(&self, here: usize) -> bool {
        self.outlets.binary_search(&here).is_ok()
    }

    /// All neighbours of a sample.
    pub(super) fn around(&self, here: usize) -> impl Iterator<Item = Neighbour> + use<> {
        neighbours(self.grid, here)
    }

    /// Accumulates drainage areas: from each spring down to where donors are missing (Zhou, Wei and Fu, "A
    /// fast and simple algorithm for calculating flow accumulation matrices from raster digital elevation",
    /// 2019). The thread that reaches a sample last continues from there. Afterwards every cell holds its
    /// area.
    pub(super) fn gather<A: Arrive>(&mut self, arrive: &A, work: &Work) -> Result<()> {
        // 28 bits hold the area of 2²⁸ − 1 samples, almost a land of 16384².
        if self.grid.count() <= Area::MOST as usize {
            self.gather_packed(arrive, work)
        } else {
            self.gather_apart(arrive, work)
        }
    }

    /// Counts areas and missing donors in one cell.
    fn gather_packed<A: Arrive>(&mut self, arrive: &A, work: &Work) -> Result<()> {
        let Self { grid, ways, cells, .. } = self;
        let Grid { width, .. } = *grid;
        cells.par_chunks_mut(width).enumerate().try_for_each(|(row, cells)| {
            work.check()?;
            for (column, cell) in cells.iter_mut().enumerate() {
                // One more than the missing donors, so that a sample that all have reached (1) is not taken
                // for a spring (0).
                let donors = ways.donors(column, row).count_ones();
                *cell.get_mut() = Area::ONE + donors + u32::from(donors > 0);
            }
            Ok(())
        })?;
        let this = &*self;
        let (ways, all) = (&this.ways, &this.cells);
        // A single thread has no writes of others between its load and its store, and those two are much
        // quicker than a locked addition.
        let is_alone = rayon::current_num_threads() == 1;
        let add = |cell: &AtomicU32, gain: u32| {
            if is_alone {
                let before = cell.load(Ordering::Relaxed);
                cell.store(before.wrapping_add(gain), Ordering::Relaxed);
                before
            } else {
                cell.fetch_add(gain, A::ORDER)
            }
        };
        all.par_chunks(width).enumerate().try_for_each(|(row, line)| {
            work.check()?;
            for (column, cell) in line.iter().enumerate() {
                let area = Area(cell.load(Ordering::Relaxed));
                if area.waits() > 0 {
                    continue;
                }
                // Whole numbers are added, so the sum is the same in whatever order threads arrive.
                let (mut here, mut samples) = (row * width + column, area.samples());
                arrive.at(this, here, samples);
                while let Some(there) = ways.receiver(here) {
                    // One operation adds the area and takes off one missing donor, so both are always
                    // consistent, and relaxed ordering suffices for the areas.
                    let gain = (samples * Area::ONE).wrapping_sub(1);
                    let before = Area(add(&all[there], gain));
                    if before.waits() > 2 {
                        break;
                    }
                    samples += before.samples();
                    here = there;
                    arrive.at(this, here, samples);
                }
            }
            Ok(())
        })?;
        self.cells.par_chunks_mut(width).try_for_each(|cells| {
            work.check()?;
            cells.iter_mut().for_each(|cell| *cell.get_mut() = Area(*cell.get_mut()).samples());
            Ok(())
        })
    }

    /// Counts areas in the cells and missing donors next to them: a quarter of a field more.
    fn gather_apart<A: Arrive>(&mut self, arrive: &A, work: &Work) -> Result<()> {
        let Self { grid, ways, cells, .. } = self;
        let Grid { width, .. } = *grid;
        let mut waits = Vec::new();
        waits.resize_with(grid.count(), || AtomicU8::new(0));
        let rows = cells.par_chunks_mut(width).zip(waits.par_chunks_mut(width)).enumerate();
        rows.try_for_each(|(row, (cells, waits))| {
            work.check()?;
            for (column, (cell, waits)) in cells.iter_mut().zip(waits).enumerate() {
                *cell.get_mut() = 1;
                // A spring waits for no donor. It gets a number of its own, because 0 also means that all
                // donors have arrived.
                let donors = ways.donors(column, row).count_ones() as u8;
                *waits.get_mut() = if donors > 0 { donors } else { SPRING };
            }
            Ok(())
        })?;
        let this = &*self;
        let (ways, cells, waits) = (&this.ways, &this.cells, &*waits);
        waits.par_chunks(width).enumerate().try_for_each(|(row, line)| {
            work.check()?;
            for (column, waits_here) in line.iter().enumerate() {
                if waits_here.load(Ordering::Relaxed) != SPRING {
                    continue;
                }
                let (mut here, mut samples) = (row * width + column, 1);
                arrive.at(this, here, samples);
                while let Some(there) = ways.receiver(here) {
                    cells[there].fetch_add(samples, Ordering::Relaxed);
                    // The last one must see what all others have added.
                    if waits[there].fetch_sub(1, Ordering::AcqRel) > 1 {
                        break;
                    }
                    samples = cells[there].load(Ordering::Relaxed);
                    here = there;
                    arrive.at(this, here, samples);
                }
            }
            Ok(())
        })
    }

    /// Replaces each sample's height by its area, and its cell by `cell(sample, height)`; at outlets and on
    /// sea bed by the height itself.
    pub(super) fn exchange(
        &mut self,
        heights: &mut [f32],
        work: &Work,
        cell_of: impl Fn(usize, f32) -> f32 + Sync,
    ) -> Result<()> {
        let (width, ways) = (self.grid.width, &self.ways);
        let rows = self.cells.par_chunks_mut(width).zip(heights.par_chunks_mut(width)).enumerate();
        rows.try_for_each(|(row, (cells, heights))| {
            work.check()?;
            for (column, (cell, height)) in cells.iter_mut().zip(heights).enumerate() {
                let sample = row * width + column;
                let kept = if ways.get(sample) < OUTLET { cell_of(sample, *height) } else { *height };
                *height = *cell.get_mut() as f32;
                *cell.get_mut() = kept.to_bits();
            }
            Ok(())
        })
    }

    /// Climbs all trees from their outlets up, and stores `height` of every sample in its cell.
    pub(super) fn climb(
        &self,
        areas: &[f32],
        work: &Work,
        height: impl Fn(DueSample) -> f32 + Sync,
    ) -> Result<()> {
        let Grid { width, .. } = self.grid;
        // Areas only grow downstream, so the trunks are connected: each is reached from its mouth through
        // trunks alone.
        let is_trunk = |sample: usize| areas[sample] > BRANCH;
        // Trunks that end in the sea.
        let mouths = |row: usize| {
            (row * width..(row + 1) * width).filter(move |&sample| {
                is_trunk(sample)
                    && self.ways.receiver(sample).is_some_and(|there| self.ways.get(there) == SEA)
            })
        };
        let outlets = self.outlets.iter().filter(|outlet| self.ways.get(**outlet) == OUTLET);
        let mut trunks: Vec<(usize, Option<f32>)> = outlets.map(|&outlet| (outlet, None)).collect();
        let rows = (0..self.grid.depth).into_par_iter().map(|row| {
            work.check()?;
            Ok(mouths(row).collect::<Vec<_>>())
        });
        for mouth in rows.collect::<Result<Vec<_>>>()?.into_iter().flatten() {
            let sea = self.ways.receiver(mouth).map(|there| self.height(there));
            trunks.push((mouth, sea));
        }
        let mut climb = Climb::default();
        // One after the other: trunks are few samples, and every branch waits for the height of the trunk
        // that it meets.
        for (root, downstream) in trunks {
            self.climb_from(root, downstream, &mut climb, areas, work, is_trunk, &height)?;
        }
        let blocks = (0..self.grid.depth.div_ceil(BLOCK)).into_par_iter();
        blocks.try_for_each_init(Climb::default, |climb, block| {
            for row in (block * BLOCK..(block + 1) * BLOCK).take_while(|row| *row < self.grid.depth) {
                work.check()?;
                for sample in row * width..(row + 1) * width {
                    if is_trunk(sample) {
                        continue;
                    }
                    let Some(there) = self.ways.receiver(sample) else { continue };
                    // The root of a branch: its receiver already has its new height. Branches share no
                    // samples, so they are climbed in parallel.
                    if is_trunk(there) || self.ways.get(there) >= OUTLET {
                        let downstream = Some(self.height(there));
                        self.climb_from(sample, downstream, climb, areas, work, |_| true, &height)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Climbs one tree as far as samples are `wanted`: all samples that are as many steps away from its root,
    /// then the next. None of those waits for another, so the processor works on several at once.
    #[expect(clippy::too_many_arguments)]
    fn climb_from(
        &self,
        root: usize,
        downstream: Option<f32>,
        Climb { now, next }: &mut Climb,
        areas: &[f32],
        work: &Work,
        wanted: impl Fn(usize) -> bool,
        height: &impl Fn(DueSample) -> f32,
    ) -> Result<()> {
        let Grid { width, .. } = self.grid;
        let mut breath = 0;
        next.clear();
        // NaN stands for an outlet, which has nothing downstream: no height is NaN, and an entry stays 8
        // bytes long.
        next.push((root as u32, downstream.unwrap_or(f32::NAN)));
        while !next.is_empty() {
            std::mem::swap(now, next);
            next.clear();
            breath += now.len();
            if breath >= BREATH {
                work.check()?;
                breath = 0;
            }
            for &(here, downstream) in &*now {
                let (column, row) = ((here % width as u32) as usize, (here / width as u32) as usize);
                let here = here as usize;
                let downstream = (!downstream.is_nan())
                    .then(|| (downstream, self.distance(column, row, self.ways.get(here))));
                let cell = &self.cells[here];
                let kept = f32::from_bits(cell.load(Ordering::Relaxed));
                let made = height(DueSample { column, row, cell: kept, area: areas[here], downstream });
                cell.store(made.to_bits(), Ordering::Relaxed);
                // Visits the bits that are set, lowest first; `donors & (donors − 1)` clears the lowest.
                let mut donors = self.ways.donors(column, row);
                while donors != 0 {
                    let (columns, rows) = NEIGHBOURS[donors.trailing_zeros() as usize];
                    donors &= donors - 1;
                    let there = here.wrapping_add_signed(rows * width as isize + columns);
                    if wanted(there) {
                        next.push((there as u32, made));
                    }
                }
            }
        }
        Ok(())
    }

    /// The height stored in a cell.
    pub(super) fn height(&self, sample: usize) -> f32 {
        f32::from_bits(self.cells[sample].load(Ordering::Relaxed))
    }

    /// Distance to a neighbour in metres.
    #[inline]
    pub(super) fn distance(&self, column: usize, row: usize, direction: usize) -> f32 {
        let (columns, rows) = NEIGHBOURS[direction];
        let (mut x, mut z) = (columns as f32 * self.grid.cell, rows as f32 * self.grid.cell);
        if !self.settled {
            let there = self.jitter.of(column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
            let moved = there - self.jitter.of(column, row);
            (x, z) = (x + moved.x, z + moved.y);
        }
        (x * x + z * z).sqrt()
    }

    /// The rows of cells, which hold heights.
    pub(super) fn kept(&mut self) -> rayon::slice::ChunksMut<'_, AtomicU32> {
        self.cells.par_chunks_mut(self.grid.width)
    }

    /// The same, and the ways.
    pub(super) fn kept_and_ways(&mut self) -> (rayon::slice::ChunksMut<'_, AtomicU32>, &Ways) {
        (self.cells.par_chunks_mut(self.grid.width), &self.ways)
    }

    /// Distances to the eight neighbours in metres, where they are the same for all samples.
    pub(super) fn even(&self) -> Option<[f32; 8]> {
        let (side, corner) = (self.grid.cell, (2.0 * self.grid.cell * self.grid.cell).sqrt());
        self.settled.then_some([corner, side, corner, side, side, corner, side, corner])
    }

    /// The distances between nodes, from this row on.
    pub(super) fn links(&self, row: usize) -> Links<'_> {
        Links::metres(&self.jitter, self.settled, row)
    }
}

/// How much lower the neighbours of the samples of a row are.
struct Falls<'a> {
    heights: &'a [f32],
    /// The neighbours' heights, by their directions.
    around: [&'a [f32]; 8],
    /// One by the metres to them.
    shares: [&'a [f32]; 8],
}

impl Falls<'_> {
    #[inline(always)]
    fn slope(&self, way: usize, column: usize) -> f32 {
        (self.heights[column] - self.around[way][column]) * self.shares[way][column]
    }

    /// Which of the `steep` slopes to the neighbours of a sample seems the steepest.
    fn steepest(&self, luck: Luck, (here, column): (usize, usize), width: usize, mut steep: u32) -> usize {
        if steep == 0 {
            return PIT;
        }
        // With a single candidate no random factor can change the choice.
        if steep.is_power_of_two() {
            return steep.trailing_zeros() as usize;
        }
        let luck = luck.of(here);
        // Slopes are positive, and a later one wins only if it is steeper: on a tie the first direction is
        // taken, on every machine.
        let (mut steepest, mut way) = (0.0, PIT);
        while steep != 0 {
            let direction = steep.trailing_zeros() as usize;
            steep &= steep - 1;
            let (columns, rows) = NEIGHBOURS[direction];
            let there = here.wrapping_add_signed(rows * width as isize + columns);
            let slope = self.slope(direction, column) * luck(there as i64);
            if slope > steepest {
                (steepest, way) = (slope, direction);
            }
        }
        way
    }
}

/// How much steeper or gentler a slope seems to the water than it is.
#[derive(Clone, Copy)]
struct Luck {
    seed: u64,
    is_in_play: bool,
}

impl Luck {
    /// The random factor for the slope between two samples, from their indices.
    #[inline(always)]
    fn of(self, here: usize) -> impl Fn(i64) -> f32 {
        // The sample's half of the hash is shared by all of its neighbours.
        let half = hash_of_column(self.seed, here as i64);
        move |there| if self.is_in_play { 1.0 + LUCK * signed_unit(hash_along(half, there)) } else { 1.0 }
    }
}

/// Whether water leaves the field from a sample of its border: where the ground extended beyond it is the
/// steepest way down.
fn leaves(falls: &Falls, heights: &[f32], grid: Grid, luck: Luck, [column, row]: [usize; 2]) -> bool {
    let here = row * grid.width + column;
    let luck = luck.of(here);
    let luck_towards = |way: usize| {
        let (columns, rows) = NEIGHBOURS[way];
        luck(here as i64 + rows as i64 * grid.width as i64 + columns as i64)
    };
    // Beyond the border the heights are infinite, so water never flows there by the ordinary rule.
    let within = (0..NEIGHBOURS.len()).map(|way| falls.slope(way, column) * luck_towards(way));
    let steepest = within.fold(0.0, f32::max);
    let beyond = beyond(heights, grid, [column, row]).map(|(way, slope)| slope * luck_towards(way));
    let outwards = beyond.fold(0.0, f32::max);
    // On a tie water takes the slope outwards: it would otherwise run along the border of an even slope.
    outwards > 0.0 && outwards >= steepest
}

/// The slopes down from a sample of the border to its neighbours beyond, with their directions. The ground is
/// extended linearly: it lies as far below the border as the border lies below the sample inside.
fn beyond(heights: &[f32], grid: Grid, [column, row]: [usize; 2]) -> impl Iterator<Item = (usize, f32)> {
    let size = [grid.width as isize, grid.depth as isize];
    let at = move |[column, row]: [isize; 2]| heights[row as usize * grid.width + column as usize];
    let here = heights[row * grid.width + column];
    NEIGHBOURS.into_iter().enumerate().filter_map(move |(way, (columns, rows))| {
        let outside = [column as isize + columns, row as isize + rows];
        let border = [0, 1].map(|axis| outside[axis].clamp(0, size[axis] - 1));
        if border == outside {
            return None;
        }
        // A field of a single row has no sample inside.
        let inside = [0, 1].map(|axis| (2 * border[axis] - outside[axis]).clamp(0, size[axis] - 1));
        // 2·border − inside, as a sum of a height and a difference, which keeps level land level to the last
        // bit.
        let below = at(border) + (at(border) - at(inside));
        let away = if columns != 0 && rows != 0 { std::f32::consts::SQRT_2 } else { 1.0 };
        Some((way, (here - below) / (away * grid.cell)))
    })
}

/// Finds, for every sample of a row, the neighbours that may be the steepest way down: a bit each. A
/// neighbour that is a good deal less steep than the steepest cannot be.
struct Steep<'a> {
    falls: &'a Falls<'a>,
    steep: &'a mut [u8],
}

impl Loop for Steep<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        // Random factors lie within 1 ± LUCK: below this share of the steepest slope even the luckiest
        // neighbour loses to the unluckiest steepest one. The 0.999 covers rounding.
        const LEAST: f32 = (1.0 - LUCK) / (1.0 + LUCK) * 0.999;
        let Self { falls, steep } = self;
        let width = steep.len();
        let falls = Falls {
            heights: &falls.heights[..width],
            around: falls.around.map(|heights| &heights[..width]),
            shares: falls.shares.map(|shares| &shares[..width]),
        };
        for (column, steep) in steep.iter_mut().enumerate() {
            let slopes: [f32; 8] = std::array::from_fn(|way| falls.slope(way, column));
            // Plain comparisons instead of `f32::max`, whose handling of NaN keeps lanes apart.
            let most = slopes.iter().fold(0.0, |most, slope| if *slope > most { *slope } else { most });
            let least = most * LEAST;
            let mut bits = 0;
            for (way, slope) in slopes.into_iter().enumerate() {
                bits |= u8::from(slope >= least) << way;
            }
            *steep = if most > 0.0 { bits } else { 0 };
        }
    }
}

/// Distance in metres to a neighbour that is displaced by `moved` relative to the sample.
fn away(grid: Grid, next: &Neighbour, moved: glam::Vec2) -> f32 {
    let (x, z) = (next.columns * grid.cell + moved.x, next.rows * grid.cell + moved.y);
    (x * x + z * z).sqrt()
}

/// A neighbour of a sample.
pub(super) struct Neighbour {
    /// Which of the eight directions.
    pub(super) direction: usize,
    pub(super) there: usize,
    column: usize,
    row: usize,
    /// Columns and rows from the sample to it.
    columns: f32,
    rows: f32,
}

/// All neighbours of a sample.
pub(super) fn neighbours(grid: Grid, here: usize) -> impl Iterator<Item = Neighbour> {
    let (column, row) = (here % grid.width, here / grid.width);
    NEIGHBOURS.into_iter().enumerate().filter_map(move |(direction, (columns, rows))| {
        // Beyond the first column or row the sum wraps round, far beyond the last.
        let (column, row) = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
        let (columns, rows) = (columns as f32, rows as f32);
        (column < grid.width && row < grid.depth).then(|| {
            let there = row * grid.width + column;
            Neighbour { direction, there, column, row, columns, rows }
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::super::hollow;
    use super::*;
    use crate::error::Error;
    use crate::grid::Heightfield;

    /// A slope two samples wide and long enough that more drain out of it than an `f32` can count one by
    /// one.
    #[test]
    fn every_sample_of_a_large_land_drains_through_its_outlet() -> Result<()> {
        let rows = (1 << 23) + 1000;
        let grid = Grid::new(2, rows, 1.0)?;
        let field = Heightfield::from_fn(grid, |_, row| row as f32);
        let original = Original::beside(&field, -1.0, &Work::new())?;
        let mut drainage = Drainage::new(grid, true, vec![0], 1, &Work::new())?;
        drainage.route(field.heights(), &original, &Work::new())?;
        let area = |here: usize| drainage.cells[here].load(Ordering::Relaxed) as usize;
        assert_eq!(area(0), grid.count());
        // Both samples of a row may go on side by side, and then each has a part of what is above.
        assert!((0..grid.count()).all(|here| area(here) <= 2 * (rows - here / 2)));
        Ok(())
    }

    #[test]
    fn areas_are_the_same_however_they_are_counted() -> Result<()> {
        let grid = Grid::new(90, 70, 10.0)?;
        let height = |column: usize, row: usize| ((column * 7919 + row * 104_729) % 997) as f32 + row as f32;
        let field = Heightfield::from_fn(grid, height);
        let original = Original::beside(&field, -1.0, &Work::new())?;
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let (packed, apart) = pool.install(|| {
                let mut drainage = Drainage::new(grid, true, vec![0, 5000], 1, &Work::new())?;
                drainage.route(field.heights(), &original, &Work::new())?;
                let areas =
                    |drainage: &mut Drainage| drainage.cells.iter_mut().map(|cell| *cell.get_mut()).collect();
                let packed: Vec<u32> = areas(&mut drainage);
                drainage.gather_apart(&(), &Work::new())?;
                Ok::<_, Error>((packed, areas(&mut drainage)))
            })?;
            assert_eq!(packed, apart);
            assert!(packed.iter().any(|area| *area > 100));
        }
        Ok(())
    }

    /// However wide the rows are that it asks about otherwise.
    #[test]
    fn the_flood_asks_with_every_breath_whether_to_go_on() -> Result<()> {
        // One hollow, behind a dam.
        let grid = Grid::new(30_000, 4, 10.0)?;
        let dam = |column: usize, _| if column < 2 { 1000.0 * column as f32 } else { 1.0 };
        let field = Heightfield::from_fn(grid, dam);
        let original = Original::keep(&field, -1.0, &Work::new())?;
        let asked = Arc::new(AtomicUsize::new(0));
        let work = {
            let asked = asked.clone();
            Work::watched(move |_| {
                asked.fetch_add(1, Ordering::Relaxed);
            })
        };
        let mut drainage = Drainage::new(grid, true, vec![0], 1, &Work::new())?;
        drainage.descend(field.heights(), &original, &Work::new())?;
        hollow::drain(&mut drainage, field.heights(), |_, _| {}, &work)?;
        let asked = asked.load(Ordering::Relaxed);
        // There and back.
        let breaths = 2 * (grid.count() / BREATH);
        assert!(asked >= breaths, "{asked} questions");
        // Rows alone would be far fewer.
        assert!(breaths > 6 * grid.depth);
        Ok(())
    }
}
