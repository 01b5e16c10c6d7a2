//! Erosion at one resolution: soil creep, river incision, landslides.

use rayon::prelude::*;

use super::delta;
use super::drainage::Drainage;
use super::hollow;
use super::incision::Incision;
use super::jitter::Jitter;
use super::layers::flow_from_areas;
use super::original::Original;
use super::outlets::{lowest_sample, outlets};
use super::params::{Erode, Outlets};
use super::pass::Pass;
use super::rock::Limit;
use super::sediment::Sediment;
use super::slide::slide;
use super::ways::SEA;
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The share of what rivers bring to the sea that stays at their mouths: the coarse part. The rest is carried
/// on.
const STAYS: f64 = 0.1;

/// Rows that creep together.
const CREEPING: usize = 32;

/// The land at one resolution. Beside its heights it takes four and a half bytes a sample; three more to
/// store the original unless the caller keeps that, and eight more for node positions unless it is settled.
pub(super) struct ErodingLand<'a> {
    erode: &'a Erode,
    heights: &'a mut Heightfield,
    original: Original<'a>,
    /// Steepest stable slopes, in rise per metre.
    limit: Limit<'a>,
    /// Resistance of every sample to rivers, in [0, 1].
    hardness: Option<&'a Heightfield>,
    lowest: f32,
    highest: f32,
    /// Slope of rivers, in fall per metre, where they leave the field over its border.
    border_fall: f32,
    drainage: Drainage,
    /// What the rivers carry, if they drop any of it.
    sediment: Option<Sediment>,
    floor_width: f32,
}

/// Half the width of a valley's floor, as a share of √(drainage area · sediment): 100 m at 1 km² and a
/// sediment of 1. The formula is ours.
const FLOOR_WIDTH: f32 = 0.1;

impl<'a> ErodingLand<'a> {
    /// The land of `ground`, which is changed in place and is still as in `original`. It starts from the
    /// heights `begin` and with what slides down in each τ there, if given.
    pub(super) fn new(
        erode: &'a Erode,
        (ground, original): (&'a mut Heightfield, Original<'a>),
        (begin, slides): (Option<Heightfield>, Option<Heightfield>),
        (limit, hardness): (Limit<'a>, Option<&'a Heightfield>),
        (settled, seed, years): (bool, u64, f32),
        work: &Work,
    ) -> Result<Self> {
        let grid = ground.grid();
        let (low, high) = ground.range_while(work)?;
        let deepest = lowest_sample(ground);
        if let Some(mut begin) = begin {
            let rows = begin.heights_mut().par_chunks_mut(grid.width);
            rows.zip(ground.heights().par_chunks(grid.width)).try_for_each(|(heights, originals)| {
                work.check()?;
                for (height, &original) in heights.iter_mut().zip(originals) {
                    // Cubics overshoot the range of the land. The sea bed belongs to no river and keeps its
                    // original height.
                    *height = if original <= erode.base_level { original } else { height.clamp(low, high) };
                }
                Ok(())
            })?;
            *ground = begin;
        }
        let outlets = outlets(erode, &original, ground, deepest);
        let mut drainage = Drainage::new(grid, settled, outlets, seed, work)?;
        if erode.outlets == Outlets::Slopes {
            drainage = drainage.following_slopes();
        }
        // In steps so short that nothing can move, volumes in each τ would be infinite.
        let has_sediment = erode.sediment > 0.0 && years > 1e-9;
        let sediment = has_sediment.then(|| Sediment::new(grid, slides.as_ref(), years, work)).transpose()?;
        Ok(Self {
            erode,
            sediment,
            floor_width: FLOOR_WIDTH,
            highest: high,
            // Rivers don't cut below the sea; where all land lies below it, they don't cut below the highest
            // point.
            lowest: low.max(erode.base_level.min(high)),
            border_fall: 0.25 * (high - low) / (grid.longer() as f32 * grid.cell),
            drainage,
            heights: ground,
            original,
            limit,
            hardness,
        })
    }

    /// Runs all steps of a pass; `before` of `all` steps have run on coarser grids. The drainage areas of the
    /// last step are stored in `flow`.
    pub(super) fn run_pass(
        &mut self,
        pass: &Pass,
        (before, all): (usize, usize),
        mut flow: Option<&mut Option<Heightfield>>,
        work: &Work,
    ) -> Result<()> {
        for step in 1..=pass.steps {
            let flow = if step == pass.steps { flow.take() } else { None };
            // From any other thread, each of a step's many parallel loops would be handed over to rayon's
            // threads and waited for, which takes longer than the loops themselves where the grid is small.
            // Inside this scope one of rayon's own threads runs the whole step.
            rayon::scope(|_| self.step(self.erode.age * pass.years, flow, work))?;
            work.advance(1);
            work.frame("iteration", before + step, all, || Ok(&*self.heights))?;
        }
        Ok(())
    }

    /// Fills the sea around the mouths of rivers with the coarse part of what they bring. The sea bed is
    /// drawn back to its height as the land is, so a delta is as large as what arrives in 1 − e^(−age) τ, at
    /// the rate of the last step, of `years` τ.
    pub(super) fn build_deltas(&mut self, (years, seed): (f32, u64), work: &Work) -> Result<()> {
        let Self { erode, heights, original, drainage, sediment, .. } = self;
        let Some(sediment) = sediment else { return Ok(()) };
        let steps = STAYS * (1.0 - libm::exp(-f64::from(erode.age))) / f64::from(years);
        let arrived = |sample: usize| match drainage.ways.get(sample) {
            SEA => steps * sediment.arrived(sample),
            _ => 0.0,
        };
        delta::deposit(heights, original, arrived, (erode.base_level, seed), work)
    }

    /// The same land with valleys without floors.
    #[cfg(test)]
    pub(super) fn without_floors(self) -> Self {
        Self { floor_width: 0.0, ..self }
    }

    /// The same land, whose rivers always take the steepest way.
    #[cfg(test)]
    pub(super) fn without_luck(self) -> Self {
        Self { drainage: self.drainage.without_luck(), ..self }
    }

    #[cfg(test)]
    pub(super) fn heights(&self) -> &[f32] {
        self.heights.heights()
    }

    #[cfg(test)]
    pub(super) fn drainage(&self) -> &Drainage {
        &self.drainage
    }

    #[cfg(test)]
    pub(super) fn sediment(&self) -> &Sediment {
        self.sediment.as_ref().expect("rivers with sediment")
    }

    /// Keeps only the positions of the nodes, and what slides down in each τ.
    pub(super) fn into_jitter(self, years: f32, work: &Work) -> Result<(Jitter, Option<Heightfield>)> {
        let slides = self
            .sediment
            .as_ref()
            .map(|sediment| sediment.slides(&self.drainage.ways, years, work))
            .transpose()?;
        Ok((self.drainage.into_jitter(), slides))
    }

    /// Simulates `years`, in units of the uplift's time constant τ.
    fn step(&mut self, years: f32, flow: Option<&mut Option<Heightfield>>, work: &Work) -> Result<()> {
        let grid = self.heights.grid();
        let Grid { width, cell, .. } = grid;
        let Erode { smoothing, base_level, .. } = *self.erode;
        // Diffusivity is smoothing² per τ; divided by cell², creep is the same on grids of every spacing.
        self.creep(smoothing * smoothing * years / (cell * cell), work)?;
        let Self { drainage, original, limit, hardness, lowest, highest, border_fall, sediment, .. } = self;
        let (original, limit) = (&*original, &*limit);
        let heights = self.heights.heights_mut();
        let mut incision = Incision {
            erode: self.erode,
            original,
            limit,
            hardness: *hardness,
            lowest: *lowest,
            highest: *highest,
            years,
            cell,
            width,
            border_fall: *border_fall,
            falls_beyond: Vec::new(),
            floor_width: self.floor_width,
        };
        // The cells get the part of the implicit solution that doesn't depend on the sample downstream; the
        // heights' memory holds the areas meanwhile.
        if let Some(sediment) = sediment {
            drainage.descend(heights, original, work)?;
            sediment.forget_lakes(work)?;
            hollow::drain(drainage, heights, |sample, level| sediment.flood(sample, level), work)?;
            incision.falls_beyond = drainage.falls_beyond(heights);
            sediment.carry(drainage, heights, &incision, work)?;
            drainage
                .exchange(heights, work, |sample, height| sediment.begin_climb(sample, height, &incision))?;
            drainage.climb(heights, work, |due| sediment.climb(drainage, &due, &incision))?;
            sediment.drain_lakes(drainage, work)?;
            sediment.plane(drainage, heights, &incision, work)?;
        } else {
            drainage.route(heights, original, work)?;
            incision.falls_beyond = drainage.falls_beyond(heights);
            drainage.exchange(heights, work, |sample, height| height + years * original.height(sample))?;
            drainage.climb(heights, work, |due| incision.height_without_sediment(&due))?;
        }
        if let Some(flow) = flow {
            // The areas still occupy the memory that the heights will return to.
            *flow = Some(flow_from_areas(grid, heights, work)?);
        }
        slide(drainage, heights, limit, base_level, work)?;
        if let Some(sediment) = sediment {
            sediment.note_slides(drainage, heights, work)?;
        }
        Ok(())
    }

    /// Soil creep: diffusion by `amount` cells², in as many passes as stability requires.
    fn creep(&mut self, amount: f32, work: &Work) -> Result<()> {
        // The stencil below has only non-negative weights up to 0.3: then diffusion cannot overshoot.
        const MOST: f32 = 0.2;
        // At most eight, which bounds the time; larger amounts are cut.
        let passes = (amount / MOST).ceil().min(8.0);
        let share = (amount / passes.max(1.0)).min(MOST) / 6.0;
        let grid = self.heights.grid();
        let original = &self.original;
        for _ in 0..passes as usize {
            // Bands are changed in place and in parallel, so the rows at their ends are saved first. The
            // drainage's cells are free at this moment.
            let rows = self.drainage.kept().zip(self.heights.heights().par_chunks(grid.width));
            rows.enumerate()
                .filter(|(row, _)| row % CREEPING == 0 || (row + 1) % CREEPING == 0)
                .try_for_each(|(_, (cells, heights))| {
                    work.check()?;
                    let cells = cells.iter_mut().zip(heights);
                    cells.for_each(|(cell, height)| *cell.get_mut() = height.to_bits());
                    Ok(())
                })?;
            let (drainage, width) = (&self.drainage, grid.width);
            let bands = self.heights.heights_mut().par_chunks_mut(width * CREEPING).enumerate();
            bands.try_for_each(|(band, heights)| {
                let first = band * CREEPING;
                let rows = heights.len() / width;
                let kept = |row: usize, out: &mut Vec<f32>| {
                    out.clear();
                    out.extend((row * width..(row + 1) * width).map(|sample| drainage.height(sample)));
                };
                // A window of three rows as they were slides down, while the rows behind it are overwritten.
                let mut middle = heights[..width].to_vec();
                let (mut north, mut south, mut crept) = (middle.clone(), middle.clone(), middle.clone());
                if let Some(row) = first.checked_sub(1) {
                    kept(row, &mut north);
                }
                for index in 0..rows {
                    work.check()?;
                    let row = first + index;
                    if row + 1 == grid.depth {
                        south.copy_from_slice(&middle);
                    } else if index + 1 == rows {
                        kept(row + 1, &mut south);
                    } else {
                        south.copy_from_slice(&heights[(index + 1) * width..][..width]);
                    }
                    in_wide_registers(Creep { rows: [&north, &middle, &south], share, out: &mut crept });
                    let samples = heights[index * width..][..width].iter_mut().zip(&crept);
                    for (column, (height, crept)) in samples.enumerate() {
                        // Computed for whole rows, then discarded on sea bed: a branch in the vectorised loop
                        // would cost more.
                        if !original.is_sea_bed(row * width + column) {
                            *height = *crept;
                        }
                    }
                    std::mem::swap(&mut north, &mut middle);
                    std::mem::swap(&mut middle, &mut south);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The heights of a row after a share of the diffusion, from that row and its neighbours as they were.
struct Creep<'a> {
    /// From north.
    rows: [&'a [f32]; 3],
    share: f32,
    out: &'a mut [f32],
}

impl Loop for Creep<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows, share, out } = self;
        let width = out.len();
        let [north, middle, south] = rows.map(|row| &row[..width]);
        let crept = |west: usize, column: usize, east: usize| {
            let sides = north[column] + south[column] + middle[west] + middle[east];
            let corners = north[west] + north[east] + south[west] + south[east];
            // The nine-point Laplacian (4·sides + corners − 20·h)/6: its error is the same in all directions,
            // so hills don't become square.
            middle[column] + share * (4.0 * sides + corners - 20.0 * middle[column])
        };
        // Beyond the border the land goes on level.
        out[0] = crept(0, 0, 1.min(width - 1));
        for (column, out) in out.iter_mut().enumerate().take(width.saturating_sub(1)).skip(1) {
            *out = crept(column - 1, column, column + 1);
        }
        out[width - 1] = crept(width.saturating_sub(2), width - 1, width - 1);
    }
}
