//! Fluvial erosion: rain gathers into rivers, rivers cut valleys, slopes slide into them.
//!
//! The stream power law ∂h/∂t = U − K·√A·S (A drained area, S slope along the river) solved
//! implicitly from the outlets upwards in linear time, after Braun and Willett, "A very efficient
//! O(n), implicit and parallel method to solve the stream power equation" (2013); slopes limited
//! along the way as by Cordonnier et al., "Large scale terrain generation from tectonic uplift and
//! fluvial erosion" (2016). The uplift is ours: it draws every point back to its height before the
//! erosion, U = (h₀ − h)/τ. With that every new height is a mean of an old one, the original one
//! and the one downstream, so the land stays within the range it had, whatever the parameters.
//!
//! Coarse grids first: they lay out the great valleys, each finer grid adds the smaller ones. The
//! coarse grids are the same for every size of field, and so is the land.

mod drainage;

use rayon::prelude::*;

use crate::error::Result;
use crate::filter::Filter;
use crate::generate::{Fbm, Generate};
use crate::heightfield::{Grid, Heightfield};
use crate::noise::stream;
use crate::params::{choice, params};
use crate::resize::catmull_rom;
use crate::work::Work;
use drainage::Drainage;

choice! {
    /// Where rivers end.
    pub enum Outlets {
        /// In the sea, and over the border of the field wherever a valley meets it.
        Border = "border",
        /// In the sea only: the border is a watershed.
        Sea = "sea",
    }
}

params! {
    /// Rivers cut branching valleys and leave ridges between them, until the land has the slopes
    /// that rivers and rock can hold. The landform is the same at every resolution, its detail is
    /// not. Heights stay within the range they had.
    pub struct Erode {
        /// How strongly rivers cut, against the rise of the land.
        pub strength: f32 = 4.0, "" in 0.05..=100.0, log;
        /// How long they have been at it: well below 1 valleys are gullies, above 3 they have reached
        /// their final shape.
        pub age: f32 = 3.0, "" in 0.0..=20.0;
        /// How far soil creep rounds crests and banks.
        pub smoothing: f32 = 20.0, "m" in 0.0..=2000.0;
        /// Steepest slope that stands; what is steeper slides down.
        pub max_slope: f32 = 40.0, "°" in 1.0..=80.0;
        /// How much the rock's strength varies from place to place, and the steepest slope with it.
        pub variety: f32 = 0.5, "" in 0.0..=1.0;
        /// Height that rivers run out at. What is lower is sea bed and stays as it is. A sea that
        /// stands higher than this drowns the valleys' mouths: bays and fjords.
        pub base_level: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// Where rivers end.
        pub outlets: Outlets = Outlets::Border;
    }
}

/// Samples along the longer side of the coarsest grid; every next one has twice as many cells.
const COARSEST: usize = 65;

impl Filter for Erode {
    /// Afterwards every sample above the base level has a way to an outlet on which heights fall.
    /// Level land stays level.
    fn apply(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<()> {
        let (low, high) = field.range();
        if low == high || self.age == 0.0 {
            return Ok(());
        }
        let full = field.grid();
        let mut coarser: Option<Land> = None;
        for (index, grid) in ladder(full).into_iter().enumerate() {
            let original =
                if grid == full { field.clone() } else { catmull_rom(field, grid, work)? };
            let begin = match &coarser {
                Some(land) => land.drainage.spread(&land.heights, grid, work)?,
                None => original.clone(),
            };
            let mut land = Land::new(self, original, begin, grid == full, stream(seed, index as u64), stream(seed, 99), work)?;
            let (steps, years) = schedule(index);
            work.stage(format!("erosion at {}×{}", grid.width, grid.depth), steps);
            for _ in 0..steps {
                land.step(self, self.age * years, work)?;
                work.advance(1);
            }
            coarser = Some(land);
        }
        if let Some(land) = coarser {
            *field = land.heights;
        }
        Ok(())
    }
}

/// The grids to go through, coarse to fine; the last is `full`.
fn ladder(full: Grid) -> Vec<Grid> {
    let mut grids = Vec::new();
    let mut longer = COARSEST;
    // A grid that is almost as fine as the full one would be work for nothing.
    while longer * 4 <= full.longer() * 3 {
        let scale = (longer - 1) as f64 / (full.longer() - 1) as f64;
        let side = |count: usize| ((count - 1) as f64 * scale).round() as usize + 1;
        let cell = (f64::from(full.cell) / scale) as f32;
        grids.push(Grid { width: side(full.width), depth: side(full.depth), cell });
        longer = 2 * longer - 1;
    }
    grids.push(full);
    grids
}

/// For grid number `index` of the ladder: how many steps, and how long each is as a share of the age.
/// The finer the grid, the fewer: it only has to add what its predecessor was too coarse for.
fn schedule(index: usize) -> (usize, f32) {
    match index {
        0 => (40, 1.0 / 40.0),
        1 => (24, 1.0 / 32.0),
        2 => (16, 1.0 / 24.0),
        3 => (8, 1.0 / 16.0),
        4 => (5, 1.0 / 12.0),
        5 => (3, 1.0 / 10.0),
        _ => (2, 1.0 / 8.0),
    }
}

/// In place of the drained area of a sample whose height is done.
const DONE: f32 = -1.0;

/// How much steeper than the way of the water the ground may be on its sides.
const BANK: f32 = 1.4;

/// The land at one resolution, on its way.
struct Land {
    heights: Heightfield,
    original: Heightfield,
    lowest: f32,
    /// Fall per metre of rivers where they leave the field over its border.
    border_fall: f32,
    /// Steepest rise per metre that stands, sample by sample.
    limit: Vec<f32>,
    outlets: Vec<u32>,
    drainage: Drainage,
    area: Vec<f32>,
}

impl Land {
    fn new(
        erode: &Erode,
        original: Heightfield,
        mut heights: Heightfield,
        settled: bool,
        seed: u64,
        rock_seed: u64,
        work: &Work,
    ) -> Result<Self> {
        let grid = original.grid();
        let (low, high) = original.range();
        heights.heights_mut().par_iter_mut().zip(original.heights()).for_each(|(height, &original)| {
            // Cubics overshoot; the sea bed is not the rivers' to change.
            *height = if original <= erode.base_level { original } else { height.clamp(low, high) };
        });
        let rock = Fbm { height: 1.0, frequency: 12.0, octaves: 7.0, hurst: 0.5, ..Fbm::default() };
        let steepest = libm::tanf(erode.max_slope.to_radians());
        let mut limit = rock.generate(grid, rock_seed, work)?.into_heights();
        limit.par_iter_mut().for_each(|limit| {
            *limit = steepest * (1.0 + 1.6 * erode.variety * *limit).clamp(0.2, 1.5);
        });
        Ok(Self {
            outlets: outlets(erode, &original, &heights),
            drainage: Drainage::new(grid, settled, seed),
            lowest: low.max(erode.base_level.min(high)),
            border_fall: 0.25 * (high - low) / (grid.longer() as f32 * grid.cell),
            area: vec![0.0; grid.count()],
            limit,
            original,
            heights,
        })
    }

    /// Lets `years`, in units of the time τ in which the land would rise, go by.
    fn step(&mut self, erode: &Erode, years: f32, work: &Work) -> Result<()> {
        let cell = self.heights.grid().cell;
        self.creep(erode.smoothing * erode.smoothing * years / (cell * cell), erode.base_level, work)?;
        let heights = self.heights.heights_mut();
        self.drainage.route(heights, &self.outlets, work)?;

        let (order, receiver) = (&self.drainage.order, &self.drainage.receiver);
        self.area.fill(cell * cell);
        for &sample in order.iter().rev() {
            let to = receiver[sample as usize];
            if to != sample {
                self.area[to as usize] += self.area[sample as usize];
            }
        }
        work.check()?;

        let original = self.original.heights();
        for &sample in order {
            let (here, there) = (sample as usize, receiver[sample as usize] as usize);
            let area = std::mem::replace(&mut self.area[here], DONE);
            if original[here] <= erode.base_level {
                continue;
            }
            let power = erode.strength * years * area.sqrt();
            let risen = heights[here] + years * original[here];
            if here == there {
                let cut = power / cell;
                let below = heights[here] - self.border_fall * cell;
                heights[here] = ((risen + cut * below) / (1.0 + years + cut)).max(self.lowest);
                continue;
            }
            let mut downstream = heights[there].max(erode.base_level);
            let mut distance = cell;
            let mut stands = f32::INFINITY;
            for (neighbour, away) in self.drainage.neighbours(here) {
                if self.area[neighbour] == DONE {
                    let foot = heights[neighbour].max(erode.base_level);
                    let mut rise = self.limit[here] * away;
                    if neighbour == there {
                        distance = away;
                    } else {
                        rise *= BANK;
                    }
                    stands = stands.min(foot + rise);
                }
            }
            let cut = power / distance;
            let height = (risen + cut * downstream) / (1.0 + years + cut);
            downstream = downstream.next_up();
            heights[here] = height.min(stands).max(downstream);
        }
        work.check()
    }

    /// Soil creep: diffusion over `amount` cells², in as many passes as it takes to stay stable.
    fn creep(&mut self, amount: f32, base_level: f32, work: &Work) -> Result<()> {
        const MOST: f32 = 0.2;
        let passes = (amount / MOST).ceil().min(8.0);
        let share = (amount / passes.max(1.0)).min(MOST) / 6.0;
        let grid = self.heights.grid();
        for _ in 0..passes as usize {
            self.area.copy_from_slice(self.heights.heights());
            let (before, original) = (&self.area, self.original.heights());
            let rows = self.heights.heights_mut().par_chunks_mut(grid.width).enumerate();
            rows.try_for_each(|(row, heights)| {
                work.check()?;
                let line = |row: usize| &before[row * grid.width..][..grid.width];
                let (north, south) = (line(row.saturating_sub(1)), line((row + 1).min(grid.depth - 1)));
                let middle = line(row);
                for (column, height) in heights.iter_mut().enumerate() {
                    if original[row * grid.width + column] <= base_level {
                        continue;
                    }
                    let (w, e) = (column.saturating_sub(1), (column + 1).min(grid.width - 1));
                    let sides = north[column] + south[column] + middle[w] + middle[e];
                    let corners = north[w] + north[e] + south[w] + south[e];
                    *height += share * (4.0 * sides + corners - 20.0 * middle[column]);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The samples that water leaves the land by: never none.
fn outlets(erode: &Erode, original: &Heightfield, heights: &Heightfield) -> Vec<u32> {
    let is_sea = |&sample: &usize| original.heights()[sample] <= erode.base_level;
    let mut found: Vec<usize> = (0..original.grid().count()).filter(is_sea).collect();
    if erode.outlets == Outlets::Border {
        found.extend(valleys_at_the_border(heights).into_iter().filter(|sample| !is_sea(sample)));
    }
    if found.is_empty() {
        let heights = original.heights();
        found.extend((0..heights.len()).min_by(|&a, &b| heights[a].total_cmp(&heights[b])));
    }
    found.into_iter().map(|sample| sample as u32).collect()
}

/// The samples of the border that are the lowest far and wide along it.
fn valleys_at_the_border(field: &Heightfield) -> Vec<usize> {
    let Grid { width, depth, .. } = field.grid();
    let top = 0..width;
    let east = (1..depth).map(|row| row * width + width - 1);
    let south = (0..width - 1).rev().map(|column| (depth - 1) * width + column);
    let west = (1..depth.saturating_sub(1)).rev().map(|row| row * width);
    let mut border: Vec<usize> = top.chain(east).chain(south).chain(west).collect();
    // A line of samples would be walked there and back.
    border.truncate(if width == 1 || depth == 1 { width.max(depth) } else { border.len() });
    let far = (field.grid().longer() / 24).max(1).min(border.len() / 2);
    let height = |place: usize| field.heights()[border[place % border.len()]];
    (0..border.len())
        .filter(|&place| {
            (1..=far).all(|way| {
                height(place) < height(place + way) && height(place) <= height(place + border.len() - way)
            })
        })
        .map(|place| border[place])
        .collect()
}
