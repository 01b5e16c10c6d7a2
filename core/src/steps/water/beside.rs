//! The samples near a river: how far each lies from the curve, and which place of it is nearest.

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec2;
use rayon::prelude::*;

use super::banks::Banks;
use super::channel::Section;
use super::course::Course;
use super::nearest::{NO_ROW, Nearest};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;

/// Position of a sample relative to a river.
#[derive(Clone, Copy)]
pub(super) struct Near {
    /// Distance from the curve, metres.
    pub(super) away: f32,
    /// Distance from the curve to the edge on the sample's side, metres.
    pub(super) half: f32,
    /// The nearest position on the curve.
    pub(super) place: CurvePosition,
    /// The cross-section there; `None` if it is the channel's everywhere.
    pub(super) section: Option<Section>,
}

/// A position on the curve: the index of a point, and the fraction of the way to the next.
#[derive(Clone, Copy)]
pub(super) struct CurvePosition {
    pub(super) index: usize,
    pub(super) share: f32,
}

impl CurvePosition {
    /// Interpolates `values`, one for each point.
    pub(super) fn of(self, values: &[f32]) -> f32 {
        let (here, next) = (values[self.index], values[(self.index + 1).min(values.len() - 1)]);
        here + (next - here) * self.share
    }
}

impl Course {
    /// Changes the values of all samples less than `beyond` metres outside the river's edges. `change` gets
    /// the sample's index and value.
    pub(super) fn each_near(
        &self,
        values: &mut [f32],
        beyond: f32,
        work: &Work,
        change: impl Fn(usize, &mut f32, Near) + Sync,
    ) -> Result<()> {
        let width = self.grid.width;
        self.each_row_near(values.par_chunks_mut(width), beyond, work, |row_values, (column, row), near| {
            change(row * width + column, &mut row_values[column], near);
        })
    }

    /// Visits all samples less than `beyond` metres outside the river's edges, row by row in parallel.
    /// `visit` gets the row's entry of `rows`, and the sample's column and row.
    pub(super) fn each_row_near<Row: Send>(
        &self,
        rows: impl IndexedParallelIterator<Item = Row>,
        beyond: f32,
        work: &Work,
        visit: impl Fn(&mut Row, (usize, usize), Near) + Sync,
    ) -> Result<()> {
        let half = self.channel.width / 2.0;
        let reach = half + self.banks.as_ref().map_or(0.0, Banks::farthest) + beyond;
        if self.passed.is_empty() || reach <= 0.0 {
            return Ok(());
        }
        let Grid { width, cell, .. } = self.grid;
        // The curve is up to √½ of a sample away from the samples that it passes; corners add a little.
        let reach = reach / cell + 1.5;
        let around = self.around(reach);
        let part = Grid { width: around[0].len(), depth: around[1].len(), cell };
        let (first_column, first_row) = (around[0].start, around[1].start);
        let mut seeds = vec![0; part.count()];
        seeds.par_chunks_mut(part.width).try_for_each(|seeds| {
            work.check()?;
            seeds.fill(NO_ROW);
            Ok(())
        })?;
        let mut point_of = HashMap::with_capacity(self.passed.len());
        for passed in &self.passed {
            let (column, row) = (passed.index % width - first_column, passed.index / width - first_row);
            seeds[row * part.width + column] = row as u32;
            // The first point at a sample, so that a curve that returns to it has one answer.
            point_of.entry(passed.index).or_insert(passed.point);
        }
        let nearest = Nearest::new(part, seeds, reach, work)?;
        let memory = || (Vec::new(), Vec::new());
        rows.skip(first_row).take(part.depth).enumerate().try_for_each_init(
            memory,
            |(hull, pieces), (row, mut values)| {
                work.check()?;
                nearest.row(row, hull, pieces);
                for piece in pieces {
                    let (seed_column, seed_row) = (piece.seed.0 + first_column, piece.seed.1 + first_row);
                    let row = row + first_row;
                    let Some(&point) = point_of.get(&(seed_row * width + seed_column)) else { continue };
                    for column in piece.columns.clone().map(|column| column + first_column) {
                        let from = Vec2::new(column as f32, row as f32);
                        // The seed gives a point near the nearest one; the search along the curve makes it
                        // exact.
                        let (away, place) = self.nearest_place(from, point);
                        let strays = self.banks.as_ref().map_or(0.0, |banks| {
                            banks.strays(place.of(&self.along), self.is_left(from, place))
                        });
                        let section = self.section(place);
                        let half = section.map_or(half, |section| section.half);
                        let near = Near { away: away * cell, half: half + strays, place, section };
                        if near.away < near.half + beyond {
                            visit(&mut values, (column, row), near);
                        }
                    }
                }
                Ok(())
            },
        )
    }

    /// The columns and rows at most `reach` samples from those that it passes, which are not empty.
    fn around(&self, reach: f32) -> [Range<usize>; 2] {
        let Grid { width, depth, .. } = self.grid;
        let reach = reach.ceil().min(1e9) as usize;
        let along = |place: &dyn Fn(usize) -> usize, count: usize| {
            let places = || self.passed.iter().map(|passed| place(passed.index));
            let (low, high) = (places().min().unwrap_or(0), places().max().unwrap_or(0));
            low.saturating_sub(reach)..(high + reach + 1).min(count)
        };
        [along(&|index| index % width, width), along(&|index| index / width, depth)]
    }

    /// The cross-section at a position; `None` if it is the channel's everywhere.
    fn section(&self, place: CurvePosition) -> Option<Section> {
        let here = *self.sections.get(place.index)?;
        let next = self.sections.get(place.index + 1).copied().unwrap_or(here);
        Some(here.lerp(next, place.share))
    }

    /// The nearest position on the curve and its distance, in samples; searched from `start`, the index of
    /// a point near it.
    fn nearest_place(&self, from: Vec2, start: usize) -> (f32, CurvePosition) {
        let squared = |index: usize| self.points[index].distance_squared(from);
        let (mut index, last) = (start, self.points.len() - 1);
        // Downhill from the start in both directions: near the curve the distance has one minimum.
        while index < last && squared(index + 1) < squared(index) {
            index += 1;
        }
        while index > 0 && squared(index - 1) < squared(index) {
            index -= 1;
        }
        let mut best = (squared(index), CurvePosition { index, share: 0.0 });
        for index in [index.saturating_sub(1), index] {
            let (a, b) = (self.points[index], self.points[(index + 1).min(last)]);
            let along = (from - a).dot(b - a) / (b - a).length_squared();
            // A segment of length 0 gives NaN here, which fails the comparisons.
            if (0.0..1.0).contains(&along) {
                let away = a.lerp(b, along).distance_squared(from);
                if away < best.0 {
                    best = (away, CurvePosition { index, share: along });
                }
            }
        }
        (best.0.sqrt(), best.1)
    }

    /// Whether a sample lies to the left of the curve in the direction of its nodes, seen from above.
    fn is_left(&self, from: Vec2, place: CurvePosition) -> bool {
        let index = place.index.min(self.points.len().saturating_sub(2));
        let ahead = self.points[index + 1] - self.points[index];
        let is_left = ahead.perp_dot(from - self.points[index]) < 0.0;
        is_left == (self.along[index] <= self.along[index + 1])
    }
}
