//! The water buffer: the depth of water on every sample, and how much water reaches plants.
//!
//! After "Spectral synthesis and water", which keeps both for the plants of its ecosystem; the falloff is
//! ours.

use rayon::prelude::*;

use super::nearest::{NO_ROW, Nearest};
use super::surfaces::surfaces;
use super::{Course, Waters};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// Distance along level ground within which water reaches plants, metres.
pub const WATER_REACH: f32 = 300.0;

/// Height above the water within which it reaches plants, metres.
pub const WATER_RISE: f32 = 30.0;

/// For every sample the depth of water on it, and the water available to plants.
///
/// ```
/// # use upland_core as upland;
/// use upland::water::{WATER_REACH, WaterBuffer};
/// use upland::{Grid, Heightfield, Work};
///
/// let shore = Heightfield::from_fn(Grid::new(40, 1, 10.0)?, |column, _| if column < 5 { -3.0 } else { 0.0 });
/// let water = WaterBuffer::new(&shore, Some(-1.0), &[], &Work::new())?;
/// assert_eq!(water.depth(0, 0), 2.0);
/// assert_eq!(water.available(0, 0), 1.0);
/// assert!(water.available(6, 0) > water.available(7, 0));
/// assert_eq!(water.available(39, 0), 0.0);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WaterBuffer {
    grid: Grid,
    depths: Vec<f32>,
    available: Vec<f32>,
}

impl WaterBuffer {
    /// The water on `field`: the sea, if there is one, and the rivers, which must have been made for its
    /// grid.
    ///
    /// # Errors
    /// [`Error::Parameter`] when a river was made for another grid; [`Error::Cancelled`].
    pub fn new(field: &Heightfield, sea_level: Option<f32>, rivers: &[Course], work: &Work) -> Result<Self> {
        Self::of(field, Waters { sea_level, rivers, lakes: &[] }, work)
    }

    /// All water on `field`. Rivers and lakes must have been made for its grid.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(field: &Heightfield, waters: Waters, work: &Work) -> Result<Self> {
        let depths = Self::depths_on(field, waters, work)?;
        Self::of_depths(field, depths, work)
    }

    /// Water of these depths on the samples of `field`.
    pub(crate) fn of_depths(field: &Heightfield, depths: Vec<f32>, work: &Work) -> Result<Self> {
        let available = reaching(field, &depths, work)?;
        Ok(Self { grid: field.grid(), depths, available })
    }

    /// Depth of water on every sample, metres.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn depths_on(field: &Heightfield, waters: Waters, work: &Work) -> Result<Vec<f32>> {
        let grid = field.grid();
        waters.check_grid(grid)?;
        let Waters { sea_level, rivers, lakes } = waters;
        work.stage("water", grid.depth);
        let sea_level = sea_level.unwrap_or(f32::NEG_INFINITY);
        let mut depths = vec![0.0; grid.count()];
        each_row(&mut depths, grid, work, |row, depths| {
            for (depth, height) in depths.iter_mut().zip(field.row(row)) {
                *depth = (sea_level - height).max(0.0);
            }
        })?;
        for lake in lakes {
            work.check()?;
            for here in lake.samples().iter().map(|here| *here as usize) {
                // What a river has dug of the shore has that river's water.
                if rivers.is_empty() || !lake.is_shore(here) {
                    depths[here] = depths[here].max(lake.level() - field.heights()[here]);
                }
            }
        }
        let surfaces = surfaces(field, rivers);
        // A single river need not know where others are.
        let mut taken = if surfaces.len() > 1 { vec![false; grid.count()] } else { Vec::new() };
        for (river, surface) in &surfaces {
            let taken = (surfaces.len() > 1).then_some(&mut taken[..]);
            // The largest first: where rivers meet, it keeps its own surface.
            rivers[*river].fill(field, surface, &mut depths, taken, work)?;
        }
        Ok(depths)
    }

    /// The grid of the land.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Depth of water on a sample, metres; 0 on dry land.
    pub fn depth(&self, column: usize, row: usize) -> f32 {
        self.depths[row * self.grid.width + column]
    }

    /// The water available to plants on a sample, in [0, 1]. Under water it is 1; from there it falls
    /// linearly with the distance to the nearest water, to 0 at [`WATER_REACH`], and with the height above
    /// that water, to 0 at [`WATER_RISE`].
    pub fn available(&self, column: usize, row: usize) -> f32 {
        self.available[row * self.grid.width + column]
    }

    /// The depths of all samples in metres, row by row.
    pub fn depths(&self) -> &[f32] {
        &self.depths
    }
}

/// The water available to plants, given the depths.
fn reaching(field: &Heightfield, depths: &[f32], work: &Work) -> Result<Vec<f32>> {
    let grid = field.grid();
    let Grid { width, cell, .. } = grid;
    let mut seeds = vec![NO_ROW; grid.count()];
    each_row(&mut seeds, grid, work, |row, seeds| {
        for (seed, depth) in seeds.iter_mut().zip(&depths[row * width..]) {
            if *depth > 0.0 {
                *seed = row as u32;
            }
        }
    })?;
    let nearest = Nearest::new(grid, seeds, WATER_REACH / cell, work)?;
    let mut available = vec![0.0; grid.count()];
    let memory = || (Vec::new(), Vec::new());
    available.par_chunks_mut(width).enumerate().try_for_each_init(
        memory,
        |(hull, pieces), (row, available)| {
            work.check()?;
            nearest.row(row, hull, pieces);
            for piece in pieces {
                let (seed_column, seed_row) = piece.seed;
                let surface = field.at(seed_column, seed_row) + depths[seed_row * width + seed_column];
                let across = seed_row.abs_diff(row) as f32;
                for column in piece.columns.clone() {
                    let along = seed_column.abs_diff(column) as f32;
                    let away = (along * along + across * across).sqrt() * cell;
                    let above = (field.at(column, row) - surface).max(0.0);
                    available[column] = if depths[row * width + column] > 0.0 {
                        1.0
                    } else {
                        (1.0 - away / WATER_REACH - above / WATER_RISE).max(0.0)
                    };
                }
            }
            work.advance(1);
            Ok(())
        },
    )?;
    Ok(available)
}

/// Calls a function on every row of `values`, in parallel, checking for cancellation.
fn each_row<T: Send>(
    values: &mut [T],
    grid: Grid,
    work: &Work,
    change: impl Fn(usize, &mut [T]) + Sync,
) -> Result<()> {
    values.par_chunks_mut(grid.width).enumerate().try_for_each(|(row, values)| {
        work.check()?;
        change(row, values);
        Ok::<(), Error>(())
    })
}
