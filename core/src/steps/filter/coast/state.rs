//! A coast that changes: two shores, of the rock and of the sand in front of it, as distances to them.

use rayon::prelude::*;

use super::nearest;
use super::shoreline::Shoreline;
use super::surf::Surf;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// A coast. All fields are in metres.
pub(super) struct State<'a> {
    pub surf: &'a Surf,
    /// The heights before.
    pub before: &'a Heightfield,
    /// The share of the usual retreat that each place's rock allows; `None` for all of it.
    pub weakness: Option<&'a Heightfield>,
    /// Distance to the shore of the rock, positive inland.
    pub rock: Heightfield,
    /// Distance to the shore, of rock or sand. Never less than that to the rock's.
    pub shore: Heightfield,
    /// How far the shore next to each place has retreated.
    pub retreat: Heightfield,
}

impl<'a> State<'a> {
    /// The coast before any wave has come.
    pub fn new(
        surf: &'a Surf,
        before: &'a Heightfield,
        weakness: Option<&'a Heightfield>,
        work: &Work,
    ) -> Result<Self> {
        let grid = before.grid();
        let mut rock = before.copy_while(work)?;
        rock.heights_mut().par_chunks_mut(grid.width).try_for_each(|heights| {
            work.check()?;
            heights.iter_mut().for_each(|height| *height -= surf.profile.sea_level);
            Ok::<_, crate::Error>(())
        })?;
        measure(&mut rock, work)?;
        let shore = rock.copy_while(work)?;
        Ok(Self { surf, before, weakness, rock, shore, retreat: Heightfield::flat(grid, 0.0) })
    }

    /// Metres between samples.
    pub fn cell(&self) -> f32 {
        self.before.grid().cell
    }

    /// The height of the rock at a sample, under the sand.
    pub fn rock_at(&self, at: usize) -> f32 {
        let height = self.before.heights()[at];
        self.surf.profile.rock(height, self.rock.heights()[at], self.retreat.heights()[at])
    }

    /// How much of the rock's usual retreat there is between samples.
    pub fn weakness_near(&self, place: [f32; 2]) -> f32 {
        self.weakness.map_or(1.0, |weakness| value(weakness, place))
    }

    /// The volume of rock that has been cut, m³.
    pub fn cut_volume(&self, work: &Work) -> Result<f64> {
        let Grid { width, cell, .. } = self.before.grid();
        let of_row = |(row, before): (usize, &[f32])| {
            work.check()?;
            let cut = |(column, before): (usize, &f32)| {
                f64::from(*before) - f64::from(self.rock_at(row * width + column))
            };
            Ok(before.iter().enumerate().map(cut).sum::<f64>())
        };
        let rows = self.before.heights().par_chunks(width).enumerate().map(of_row);
        let rows = rows.collect::<Result<Vec<_>>>()?;
        Ok(rows.iter().sum::<f64>() * f64::from(cell) * f64::from(cell))
    }

    /// Cuts back the rock next to each place for one round. `exposure` is that of the shore's nodes.
    pub fn cut(&mut self, nodes: &[u32], exposure: &[f32], work: &Work) -> Result<()> {
        let width = self.before.grid().width;
        let (surf, weakness) = (self.surf, self.weakness);
        let rows = self.rock.heights_mut().par_chunks_mut(width);
        let rows = rows.zip(self.shore.heights_mut().par_chunks_mut(width));
        let rows = rows.zip(self.retreat.heights_mut().par_chunks_mut(width)).enumerate();
        rows.try_for_each(|(row, ((rock, shore), total))| {
            work.check()?;
            let weakness = weakness.map(|weakness| weakness.row(row));
            let samples = rock.iter_mut().zip(shore).zip(total).zip(&nodes[row * width..]).enumerate();
            for (column, (((rock, shore), total), node)) in samples {
                let Some(exposure) = exposure.get(*node as usize) else { continue };
                let weakness = weakness.map_or(1.0, |weakness| weakness[column]);
                let retreat = surf.retreat(*exposure, weakness, *shore - *rock);
                *rock -= retreat;
                *total += retreat;
                // A beach moves back with the rock behind it.
                *shore -= retreat;
            }
            Ok::<_, crate::Error>(())
        })
    }

    /// Moves the shore out by what its nodes gain, metres, but nowhere behind the rock's.
    pub fn advance(&mut self, nodes: &[u32], gains: &[f32], work: &Work) -> Result<()> {
        let width = self.before.grid().width;
        let rock = &self.rock;
        let rows = self.shore.heights_mut().par_chunks_mut(width).enumerate();
        rows.try_for_each(|(row, shore)| {
            work.check()?;
            let nodes = &nodes[row * width..];
            for ((shore, node), rock) in shore.iter_mut().zip(nodes).zip(rock.row(row)) {
                *shore = rock.max(*shore + gains.get(*node as usize).copied().unwrap_or(0.0));
            }
            Ok::<_, crate::Error>(())
        })
    }
}

/// Finds the lines where a field is 0, and replaces it by the distance to them, with the same sign. Returns
/// the lines, and the nearest of their nodes to each sample.
pub(super) fn measure(signed: &mut Heightfield, work: &Work) -> Result<(Shoreline, Vec<u32>)> {
    let mut lines = Shoreline::of(signed, work)?;
    let nodes = nearest::nodes(signed, &mut lines, work)?;
    let nodes = nearest::distances(signed, &lines, nodes, work)?;
    Ok((lines, nodes))
}

/// A field between its samples, by bilinear interpolation; beyond the border as at it.
pub(super) fn value(field: &Heightfield, [x, z]: [f32; 2]) -> f32 {
    let Grid { width, depth, .. } = field.grid();
    let (x, z) = (x.clamp(0.0, (width - 1) as f32), z.clamp(0.0, (depth - 1) as f32));
    let (column, row) = (x as usize, z as usize);
    let (east, south) = ((column + 1).min(width - 1), (row + 1).min(depth - 1));
    let (x, z) = (x - column as f32, z - row as f32);
    let along = |row: usize| {
        let (from, to) = (field.at(column, row), field.at(east, row));
        from + (to - from) * x
    };
    let (north, south) = (along(row), along(south));
    north + (south - north) * z
}
