//! The water of one river: how high it stands, where it lies and how fast it flows. How high that of several
//! stands where they meet is in `surfaces`.

use rayon::prelude::*;

use super::channel::Channel;
use super::course::{Course, Passed};
use super::profile::descending;
use super::sheet::Flowing;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The lowest and highest speed of flow, metres per second; estimates are clamped to these.
const SLOWEST: f32 = 0.2;
const FASTEST: f32 = 7.0;

impl Course {
    /// The height of the water at every point, `fill` of the depth above the lowest ground of the bed so
    /// far; `None` if the river is dry. Ignores other rivers.
    pub(super) fn surface(&self, field: &Heightfield) -> Option<Vec<f32>> {
        let water = self.channel.water();
        if water <= 0.0 || self.points.len() < 2 {
            return None;
        }
        let mut ground = vec![None; self.points.len()];
        // Within the edges of another river the ground is that river's bed.
        let own = self.parts..self.meets.max(self.parts + 1);
        for passed in self.passed.iter().filter(|passed| passed.bed && own.contains(&passed.point)) {
            let water = self.sections.get(passed.point).map_or(water, |section| section.water);
            ground[passed.point] = Some(field.heights()[passed.index] + water);
        }
        Some(descending(ground.into_iter()))
    }

    /// Raises `depths`, metres of water on the samples of `field`, to the river's water, whose `surface` is
    /// given at its points. Samples in `taken` belong to a larger river and are skipped; the samples within
    /// this river's edges are added to it.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn fill(
        &self,
        field: &Heightfield,
        surface: &[f32],
        depths: &mut [f32],
        taken: Option<&mut [bool]>,
        work: &Work,
    ) -> Result<()> {
        let (heights, width) = (field.heights(), self.grid.width);
        let raise =
            |water: &mut f32, index: usize, surface: f32| *water = water.max(surface - heights[index]);
        let Some(taken) = taken else {
            self.each_near(depths, 0.0, work, |index, water, near| {
                raise(water, index, near.place.of(surface));
            })?;
            for passed in &self.passed {
                raise(&mut depths[passed.index], passed.index, surface[passed.point]);
            }
            return Ok(());
        };
        let passed = self.passed.iter().filter(|passed| !taken[passed.index]);
        let passed: Vec<Passed> = passed.copied().collect();
        let rows = depths.par_chunks_mut(width).zip(taken.par_chunks_mut(width));
        self.each_row_near(rows, 0.0, work, |(depths, taken), (column, row), near| {
            if !taken[column] {
                raise(&mut depths[column], row * width + column, near.place.of(surface));
                taken[column] = true;
            }
        })?;
        for Passed { index, point, .. } in passed {
            raise(&mut depths[index], index, surface[point]);
            taken[index] = true;
        }
        Ok(())
    }

    /// The water on all samples less than `beyond` metres outside the river's edges, whether the ground
    /// there is lower or not, with `surface` given at the river's points.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn flowing(&self, surface: &[f32], beyond: f32, work: &Work) -> Result<Vec<Flowing>> {
        let speeds = self.speeds(surface);
        let Channel { depth: bed_depth, fill, .. } = self.channel;
        // √(g·h), the speed of waves in shallow water: the Froude number is the flow's speed over this.
        let wave_speed = (9.81 * fill * bed_depth).sqrt();
        let Grid { width, depth, cell } = self.grid;
        let mut rows: Vec<Vec<Flowing>> = vec![Vec::new(); depth];
        self.each_row_near(rows.par_iter_mut(), beyond, work, |waters, (column, row), near| {
            let index = near.place.index.min(self.points.len() - 2);
            let ahead = self.points[index + 1] - self.points[index];
            // Friction slows the water along the banks.
            let from_middle = (near.away / near.half.max(cell)).min(1.0);
            let speed = near.place.of(&speeds);
            let slowed = 1.0 - 0.8 * from_middle * from_middle;
            waters.push(Flowing {
                sample: row * width + column,
                level: near.place.of(surface),
                velocity: ahead.normalize_or_zero() * (speed * slowed),
                froude: speed / wave_speed,
                is_inside: near.away < near.half.max(0.75 * cell),
            });
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// The speed of the water in the middle of the river at every point, metres per second: Manning's formula
    /// for a stony bed, with the slope averaged over about the river's width. Steep streams are rougher: they
    /// fall from step to pool, and seldom rush.
    fn speeds(&self, surface: &[f32]) -> Vec<f32> {
        const ROUGHNESS: f32 = 0.045;
        let Channel { width, depth, fill, .. } = self.channel;
        let over = width.max(6.0 * self.grid.cell);
        // The hydraulic radius of a wide channel with a smooth hollow as its bed.
        let radius = 0.6 * fill * depth;
        let shallow = libm::powf(radius, -0.16);
        // R^(2/3) as the cube root of R².
        let radius = libm::cbrtf(radius * radius);
        let far = |from: usize, to: usize| (self.along[to] - self.along[from]).abs();
        let (mut begin, mut end) = (0, 0);
        (0..surface.len())
            .map(|here| {
                while far(begin, here) > 0.5 * over {
                    begin += 1;
                }
                while end + 1 < surface.len() && (end <= here || far(here, end) < 0.5 * over) {
                    end += 1;
                }
                let slope = (surface[begin] - surface[end]).max(0.0) / far(begin, end).max(1e-3);
                let roughness = match self.is_stream() {
                    // Jarrett, "Hydraulics of high-gradient streams" (1984), in metres: n = 0.32 S^0.38
                    // R^−0.16.
                    true => (0.32 * libm::powf(slope, 0.38) * shallow).max(ROUGHNESS),
                    false => ROUGHNESS,
                };
                // Manning: v = R^(2/3) · √S / n.
                (radius * slope.sqrt() / roughness).clamp(SLOWEST, FASTEST)
            })
            .collect()
    }
}
