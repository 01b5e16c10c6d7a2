//! Loose material on solid ground that slides until no slope of it is steeper than its angle of repose.
//!
//! All samples move at once: each gives away its excess over its neighbours, in proportion to how far each of
//! them lies beyond the angle of repose, and receives what they give it. Heights are whole numbers of a small
//! unit, so that the volume is exact and the order of additions has no effect.
//!
//! An iteration carries material over one sample, and a heap of n samples needs about n² of them. So grids
//! twice, four and eight times coarser take part: what still moves is handed to the coarser grid, moves
//! there, and is poured back over the finer samples. Material at rest counts as solid ground on the coarser
//! grid: a ledge too narrow for its samples keeps what lies on it. Beyond the first of the coarser grids only
//! blocks take part of which every sample moves: what was poured on bare ground there would rest as a slab
//! with straight edges.
//!
//! Land is worked on in tiles, and tiles at rest are left out.

mod grids;
mod moves;

use rayon::prelude::*;

use crate::compute::wide::in_wide_registers;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
#[cfg(test)]
pub(super) use moves::MOVES;
use moves::{BAND, Land, Repose, STRETCH, Slide, Tiles, Window};

/// Rows of tiles that a thread works on at a time.
const BANDS: usize = 8;

/// The highest surface that a pile is made with.
pub(super) const HIGHEST: i32 = 1 << 28;

/// Bytes for each sample of a pile and its coarser grids: three fields, and four with a third of the samples.
pub(super) const BYTES: u64 = 4 * 3 + (4 * 4_u64).div_ceil(3);

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
    repose: Repose,
    /// Heights of the surface, in units, and of the solid ground under what is loose.
    surface: Vec<i32>,
    solid: Vec<i32>,
    /// The next surface. In between, the same as the surface on all tiles that don't change or give anything.
    next: Vec<i32>,
    /// The surface when a finer grid handed its material over; empty on the full grid.
    before: Vec<i32>,
    /// Tiles in which samples give something away, and tiles that the last iteration has changed: row by row.
    giving: Vec<u8>,
    changed: Vec<u8>,
    coarser: Option<Box<Pile>>,
}

impl Pile {
    /// An empty pile at height 0. A sample rests up to a rise of `rise` units per cell of this grid, and
    /// moves from one of `tolerance` more.
    pub(super) fn new(grid: Grid, rise: f32, tolerance: f32) -> Self {
        Self::at(grid.width, grid.depth, (rise, tolerance), COARSER)
    }

    fn at(width: usize, depth: usize, (rise, tolerance): (f32, f32), coarser: usize) -> Self {
        let is_full = coarser == COARSER;
        let count = width * depth;
        let tiles = width.div_ceil(STRETCH) * depth.div_ceil(BAND);
        let half = [width / 2, depth / 2];
        let coarser = (coarser > 0 && half[0].min(half[1]) >= FEWEST)
            .then(|| Box::new(Self::at(half[0], half[1], (2.0 * rise, 2.0 * tolerance), coarser - 1)));
        Self {
            width,
            depth,
            repose: Repose::new(rise, tolerance),
            surface: vec![0; count],
            solid: vec![0; count],
            next: vec![0; count],
            before: if is_full { Vec::new() } else { vec![0; count] },
            giving: vec![0; tiles],
            changed: vec![1; tiles],
            coarser,
        }
    }

    fn tiles_across(&self) -> usize {
        self.width.div_ceil(STRETCH)
    }

    /// The surface of a row, in units.
    pub(super) fn surface_of_row(&self, row: usize) -> &[i32] {
        &self.surface[row * self.width..][..self.width]
    }

    /// The solid ground of a row, in units.
    pub(super) fn solid_of_row(&self, row: usize) -> &[i32] {
        &self.solid[row * self.width..][..self.width]
    }

    /// Lets `plan` fill a row of numbers for every row of the pile, in parallel.
    pub(super) fn plan_rows(
        &mut self,
        work: &Work,
        plan: impl Fn(&Self, usize, &mut [i32]) -> Result<()> + Sync,
    ) -> Result<()> {
        // The next surface is free until the rows are changed.
        let mut plans = std::mem::take(&mut self.next);
        let rows = plans.par_chunks_mut(self.width).enumerate();
        let outcome = rows.try_for_each(|(row, plans)| {
            work.check()?;
            plan(self, row, plans)
        });
        self.next = plans;
        outcome
    }

    /// Changes the rows of the surface and of the solid ground in parallel: `change` is given the number of
    /// the row, both, and the row's [plan](Self::plan_rows), which is used up. It returns whether anything
    /// changes.
    pub(super) fn change_rows(
        &mut self,
        work: &Work,
        change: impl Fn(usize, &mut [i32], &mut [i32], &[i32]) -> bool + Sync,
    ) -> Result<bool> {
        let (width, across) = (self.width, self.tiles_across());
        let fields = self.surface.par_chunks_mut(BAND * width).zip(self.solid.par_chunks_mut(BAND * width));
        let fields = fields.zip(self.next.par_chunks_mut(BAND * width));
        let bands = fields.zip(self.changed.par_chunks_mut(across)).enumerate();
        let bands = bands.map(|(band, (((surface, solid), plan), changed))| {
            let rows = surface.chunks_exact_mut(width).zip(solid.chunks_exact_mut(width));
            let mut any = false;
            for (row, ((surface, solid), plan)) in rows.zip(plan.chunks_exact_mut(width)).enumerate() {
                work.check()?;
                any |= change(band * BAND + row, surface, solid, plan);
                plan.copy_from_slice(surface);
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

    /// Moves material for a while: some iterations here, then on coarser grids, then as many here again.
    /// Returns whether anything still moves. A heap on one sample keeps its middle if in this time it spreads
    /// over several blocks of the coarser grid; sixteen iterations are enough.
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
            if !self.over_tiles(true, work)? {
                return Ok(false);
            }
            std::mem::swap(&mut self.surface, &mut self.next);
        }
        Ok(true)
    }

    /// Makes the next surface that without what lies on samples that give something away. Returns whether any
    /// does.
    fn give(&mut self, work: &Work) -> Result<bool> {
        self.over_tiles(false, work)
    }

    /// Marks tiles that are marked or have a marked neighbour.
    fn near(&self, marks: &[u8]) -> Vec<u8> {
        let across = self.tiles_across();
        let down = self.depth.div_ceil(BAND);
        let is_near = |at: usize| {
            let (band, tile) = (at / across, at % across);
            let tiles = tile.saturating_sub(1)..(tile + 2).min(across);
            (band.saturating_sub(1)..(band + 2).min(down))
                .any(|band| marks[band * across..][tiles.clone()].iter().any(|mark| *mark > 0))
        };
        (0..marks.len()).map(|at| u8::from(is_near(at))).collect()
    }

    /// Computes the next surface on all tiles that may change, if everything `moves`, or else what each
    /// sample gives away. Returns whether any gives something.
    fn over_tiles(&mut self, moves: bool, work: &Work) -> Result<bool> {
        let (width, depth, across) = (self.width, self.depth, self.tiles_across());
        let mut awake = self.near(&self.changed);
        // What a tile gives depends on the surface in and around it alone.
        awake.iter_mut().zip(&self.giving).for_each(|(awake, giving)| *awake |= giving);
        let active = if moves { self.near(&awake) } else { awake.clone() };
        let land = Land { surface: &self.surface, solid: &self.solid, width };
        let bands = self.next.par_chunks_mut(BANDS * BAND * width);
        let marks =
            self.giving.par_chunks_mut(BANDS * across).zip(self.changed.par_chunks_mut(BANDS * across));
        let bands = bands.zip(marks).enumerate();
        let bands = bands.map_init(Window::new, |window, (number, (next, (giving, changed)))| {
            giving.fill(0);
            if moves {
                changed.fill(0);
            }
            let first = number * BANDS;
            let end = first + giving.len() / across;
            for tile in 0..across {
                let is_active = |band: &usize| active[band * across + tile] > 0;
                let mut band = first;
                while let Some(start) = (band..end).find(is_active) {
                    work.check()?;
                    band = (start..end).find(|band| !is_active(band)).unwrap_or(end);
                    in_wide_registers(Slide {
                        repose: &self.repose,
                        land,
                        columns: tile * STRETCH..((tile + 1) * STRETCH).min(width),
                        rows: start * BAND..(band * BAND).min(depth),
                        tiles: Tiles {
                            across,
                            down: depth.div_ceil(BAND),
                            awake: &awake,
                            tile,
                            first,
                            giving,
                            changed,
                        },
                        window,
                        next,
                        moves,
                    });
                }
            }
            Ok(giving.iter().any(|giving| *giving > 0))
        });
        bands.try_reduce(|| false, |a, b| Ok(a | b))
    }
}
