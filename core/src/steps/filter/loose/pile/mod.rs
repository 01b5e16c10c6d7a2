//! Loose material on solid ground that slides until no slope of it is steeper than its angle of repose.
//!
//! All samples move at once: each gives away its excess over its neighbours, in proportion to how far each of
//! them lies beyond the angle of repose, and receives what they give it. Heights are whole numbers of a small
//! unit, so that the volume is exact and the order of additions has no effect.
//!
//! An iteration carries material over one sample, and a heap of n samples needs about n² of them. So grids
//! twice, four and eight times coarser take part: what still moves is handed to the coarser grid, moves there,
//! and is poured back over the finer samples. Material at rest counts as solid ground on the coarser grid: a
//! ledge too narrow for its samples keeps what lies on it.
//!
//! Land is worked on in tiles, and tiles at rest are left out.

mod grids;
mod moves;

use rayon::prelude::*;

use crate::compute::wide::in_wide_registers;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
pub(super) use moves::MOVES;
use moves::{Give, Repose, SPAN, STRETCH, Take};

/// Rows of a tile; it has [`STRETCH`] columns. Even, so that the blocks of the coarser grid lie in one tile,
/// and more than a move spans.
pub(super) const BAND: usize = 8;

/// The height of the wall around the land, higher than any surface, and low enough for differences to fit.
const WALL: i32 = 1 << 30;

/// The highest surface that a pile is made with.
pub(super) const HIGHEST: i32 = 1 << 28;

/// Bytes for each sample of a pile and its coarser grids.
pub(super) const BYTES: u64 = 4 * (5 + 6 / 3);

/// Coarser grids below the full one.
const COARSER: usize = 3;

/// The fewest samples along the shorter side of a coarser grid.
const FEWEST: usize = 8;

/// Iterations on the coarsest grid.
const ON_COARSEST: usize = 32;

/// Loose material on solid ground, on one grid.
pub(super) struct Pile {
    width: usize,
    depth: usize,
    /// Samples from one row to the next, with the wall to both sides.
    stride: usize,
    repose: Repose,
    /// Heights of the surface, in units. This and the other fields have [`SPAN`] more samples to all sides.
    surface: Vec<i32>,
    /// The thickness of what is loose, in units.
    loose: Vec<i32>,
    share: Vec<f32>,
    rest: Vec<i32>,
    change: Vec<i32>,
    /// The surface when a finer grid handed its material over; empty on the full grid.
    before: Vec<i32>,
    /// Tiles in which samples give something away, and tiles that the last move has changed: row by row.
    giving: Vec<u8>,
    changed: Vec<u8>,
    coarser: Option<Box<Pile>>,
}

impl Pile {
    /// An empty pile at height 0. A sample rests up to a rise of `rise` units per cell of this grid, and moves
    /// from one of `tolerance` more.
    pub(super) fn new(grid: Grid, rise: f32, tolerance: f32) -> Self {
        Self::at(grid.width, grid.depth, (rise, tolerance), COARSER)
    }

    fn at(width: usize, depth: usize, (rise, tolerance): (f32, f32), coarser: usize) -> Self {
        let is_full = coarser == COARSER;
        let stride = width + 2 * SPAN;
        let count = stride * (depth + 2 * SPAN);
        let tiles = width.div_ceil(STRETCH) * depth.div_ceil(BAND);
        let half = [width / 2, depth / 2];
        let coarser = (coarser > 0 && half[0].min(half[1]) >= FEWEST)
            .then(|| Box::new(Self::at(half[0], half[1], (2.0 * rise, 2.0 * tolerance), coarser - 1)));
        let mut surface = vec![WALL; count];
        for row in surface[SPAN * stride..(SPAN + depth) * stride].chunks_exact_mut(stride) {
            row[SPAN..SPAN + width].fill(0);
        }
        Self {
            width,
            depth,
            stride,
            repose: Repose::new(rise, tolerance),
            surface,
            loose: vec![0; count],
            share: vec![0.0; count],
            rest: vec![0; count],
            change: vec![0; count],
            giving: vec![0; tiles],
            before: if is_full { Vec::new() } else { vec![0; count] },
            changed: vec![1; tiles],
            coarser,
        }
    }

    fn tiles_across(&self) -> usize {
        self.width.div_ceil(STRETCH)
    }

    /// The surface of a row, in units.
    pub(super) fn surface_of_row(&self, row: usize) -> &[i32] {
        &self.surface[(row + SPAN) * self.stride + SPAN..][..self.width]
    }

    /// The loose material of a row, in units.
    pub(super) fn loose_of_row(&self, row: usize) -> &[i32] {
        &self.loose[(row + SPAN) * self.stride + SPAN..][..self.width]
    }

    /// Lets `plan` fill a row of numbers for every row of the pile, in parallel.
    pub(super) fn plan_rows(
        &mut self,
        work: &Work,
        plan: impl Fn(&Self, usize, &mut [i32]) -> Result<()> + Sync,
    ) -> Result<()> {
        // The field in which changes are added up is free between iterations.
        let mut change = std::mem::take(&mut self.change);
        let (width, stride) = (self.width, self.stride);
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        let rows = change[inside].par_chunks_mut(stride).enumerate();
        let outcome = rows.try_for_each(|(row, change)| {
            work.check()?;
            plan(self, row, &mut change[SPAN..SPAN + width])
        });
        self.change = change;
        outcome
    }

    /// Changes the rows of the surface and of the loose material in parallel: `change` is given the number of the
    /// row, both, and the row's [plan](Self::plan_rows), which is used up. It returns whether anything changes.
    pub(super) fn change_rows(
        &mut self,
        work: &Work,
        change: impl Fn(usize, &mut [i32], &mut [i32], &[i32]) -> bool + Sync,
    ) -> Result<bool> {
        let (width, stride, across) = (self.width, self.stride, self.tiles_across());
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        let fields = self.surface[inside.clone()].par_chunks_mut(BAND * stride);
        let fields = fields.zip(self.loose[inside.clone()].par_chunks_mut(BAND * stride));
        let fields = fields.zip(self.change[inside].par_chunks_mut(BAND * stride));
        let bands = fields.zip(self.changed.par_chunks_mut(across)).enumerate();
        let within = SPAN..SPAN + width;
        let bands = bands.map(|(band, (((surface, loose), plan), changed))| {
            let rows = surface.chunks_exact_mut(stride).zip(loose.chunks_exact_mut(stride));
            let mut any = false;
            for (row, ((surface, loose), plan)) in rows.zip(plan.chunks_exact_mut(stride)).enumerate() {
                work.check()?;
                let (surface, loose) = (&mut surface[within.clone()], &mut loose[within.clone()]);
                any |= change(band * BAND + row, surface, loose, &plan[within.clone()]);
                plan.fill(0);
            }
            if any {
                changed.fill(1);
            }
            Ok(any)
        });
        bands.try_reduce(|| false, |a, b| Ok(a | b))
    }

    /// Forgets which tiles have changed, apart from those in which a sample lies more than `tolerance` units
    /// per cell beyond its angle of repose.
    pub(super) fn wake(&mut self, tolerance: f32, work: &Work) -> Result<()> {
        let own = std::mem::replace(&mut self.repose.tolerance, tolerance);
        self.changed.fill(1);
        let outcome = self.give(work);
        self.repose.tolerance = own;
        self.changed.fill(0);
        outcome.map(|_| ())
    }

    /// Moves material for a while: some iterations here, then on coarser grids, then as many here again. Returns
    /// whether anything still moves. A heap on one sample keeps its middle if in this time it spreads over several
    /// blocks of the coarser grid; sixteen iterations are enough.
    pub(super) fn slide(&mut self, iterations: usize, work: &Work) -> Result<bool> {
        let Some(mut coarser) = self.coarser.take() else { return self.iterate(ON_COARSEST, work) };
        let mut moves = self.iterate(iterations, work)?;
        if moves && self.give(work)? {
            self.hand_to(&mut coarser, work)?;
            coarser.slide(iterations, work)?;
            self.pour_from(&coarser, work)?;
            moves = self.iterate(iterations, work)?;
        }
        self.coarser = Some(coarser);
        Ok(moves)
    }

    /// Moves material until it rests, or `most` iterations are over. Returns whether it still moves.
    pub(super) fn iterate(&mut self, most: usize, work: &Work) -> Result<bool> {
        for _ in 0..most {
            if !self.give(work)? {
                return Ok(false);
            }
            self.take(work)?;
            self.apply(work)?;
        }
        Ok(true)
    }

    /// Tiles of a row of tiles that have a neighbour, or are themselves, among the marked ones.
    fn near(&self, marks: &[u8], band: usize, tile: usize) -> bool {
        let across = self.tiles_across();
        let bands = band.saturating_sub(1)..(band + 2).min(self.depth.div_ceil(BAND));
        let tiles = tile.saturating_sub(1)..(tile + 2).min(across);
        bands.into_iter().any(|band| marks[band * across..][tiles.clone()].iter().any(|mark| *mark > 0))
    }

    /// Computes what every sample gives away. Returns whether any does.
    fn give(&mut self, work: &Work) -> Result<bool> {
        let (width, stride, across) = (self.width, self.stride, self.tiles_across());
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        // Taken out, so that they can be written while the other fields are read.
        let (mut share, mut giving) = (std::mem::take(&mut self.share), std::mem::take(&mut self.giving));
        let [mut rest, mut change] = [&mut self.rest, &mut self.change].map(std::mem::take);
        let this = &*self;
        let fields = share[inside.clone()].par_chunks_mut(BAND * stride);
        let fields = fields.zip(rest[inside.clone()].par_chunks_mut(BAND * stride));
        let fields = fields.zip(change[inside].par_chunks_mut(BAND * stride));
        let bands = fields.zip(giving.par_chunks_mut(across)).enumerate();
        let outcome = bands.try_for_each(|(band, (((share, rest), change), giving))| {
            let rows = share.len() / stride;
            for (tile, giving) in giving.iter_mut().enumerate() {
                // What a tile gives depends on the surface in and around it alone.
                if *giving == 0 && !this.near(&this.changed, band, tile) {
                    continue;
                }
                let columns = SPAN + tile * STRETCH..SPAN + ((tile + 1) * STRETCH).min(width);
                *giving = 0;
                for row in 0..rows {
                    work.check()?;
                    let here = (band * BAND + row + SPAN) * stride + columns.start;
                    let within = row * stride + columns.start..row * stride + columns.end;
                    let around = MOVES.map(|[columns, rows]| {
                        &this.surface[here.wrapping_add_signed(rows * stride as isize + columns)..]
                            [..within.len()]
                    });
                    let gives = in_wide_registers(Give {
                        repose: &this.repose,
                        surface: &this.surface[here..here + within.len()],
                        around,
                        loose: &this.loose[here..here + within.len()],
                        share: &mut share[within.clone()],
                        rest: &mut rest[within.clone()],
                        change: &mut change[within],
                    });
                    *giving |= u8::from(gives);
                }
            }
            Ok(())
        });
        (self.share, self.rest, self.change, self.giving) = (share, rest, change, giving);
        outcome.map(|()| self.giving.iter().any(|giving| *giving > 0))
    }

    /// Adds what every sample receives to what it gives away.
    fn take(&mut self, work: &Work) -> Result<()> {
        let (width, stride, across) = (self.width, self.stride, self.tiles_across());
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        let (mut change, mut changed) = (std::mem::take(&mut self.change), std::mem::take(&mut self.changed));
        let this = &*self;
        let bands = change[inside].par_chunks_mut(BAND * stride).zip(changed.par_chunks_mut(across));
        let outcome = bands.enumerate().try_for_each(|(band, (change, changed))| {
            let rows = change.len() / stride;
            for (tile, changed) in changed.iter_mut().enumerate() {
                *changed = 0;
                if !this.near(&this.giving, band, tile) {
                    continue;
                }
                let columns = SPAN + tile * STRETCH..SPAN + ((tile + 1) * STRETCH).min(width);
                for row in 0..rows {
                    work.check()?;
                    let here = (band * BAND + row + SPAN) * stride + columns.start;
                    let within = row * stride + columns.start..row * stride + columns.end;
                    let around = MOVES.map(|[columns, rows]| {
                        let there = here.wrapping_add_signed(rows * stride as isize + columns);
                        let there = there..there + within.len();
                        (&this.surface[there.clone()], &this.share[there.clone()], &this.rest[there])
                    });
                    let changes = in_wide_registers(Take {
                        repose: &this.repose,
                        surface: &this.surface[here..here + within.len()],
                        around,
                        change: &mut change[within],
                    });
                    *changed |= u8::from(changes);
                }
            }
            Ok(())
        });
        (self.change, self.changed) = (change, changed);
        outcome
    }

    /// Moves everything at once.
    fn apply(&mut self, work: &Work) -> Result<()> {
        let (stride, across) = (self.stride, self.tiles_across());
        let inside = SPAN * stride..(SPAN + self.depth) * stride;
        let fields = self.surface[inside.clone()].par_chunks_mut(BAND * stride);
        let fields = fields.zip(self.loose[inside.clone()].par_chunks_mut(BAND * stride));
        let fields = fields.zip(self.change[inside].par_chunks_mut(BAND * stride));
        let bands = fields.zip(self.changed.par_chunks(across));
        bands.try_for_each(|(((surface, loose), change), changed)| {
            work.check()?;
            for tile in (0..across).filter(|tile| changed[*tile] > 0) {
                for row in 0..surface.len() / stride {
                    let start = row * stride + SPAN + tile * STRETCH;
                    let end = (start + STRETCH).min((row + 1) * stride - SPAN);
                    let samples = surface[start..end].iter_mut().zip(&mut loose[start..end]);
                    for ((surface, loose), change) in samples.zip(&mut change[start..end]) {
                        *surface += *change;
                        *loose += *change;
                        *change = 0;
                    }
                }
            }
            Ok(())
        })
    }
}
