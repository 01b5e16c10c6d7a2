//! Where the water of every sample runs to, found by flooding the land from its outlets.
//!
//! After "Priority-Flood" (Barnes, Lehman and Mulla 2014): the flood climbs from the outlets, always
//! over the lowest sample that it has reached, and so enters every hollow over its lowest sill. The
//! order in which samples are flooded serves as the "stack" of Braun and Willett (2013): whoever
//! receives water comes before all that give it.

use glam::Vec2;
use rayon::prelude::*;

use crate::error::Result;
use crate::heightfield::{Grid, Heightfield};
use crate::noise::{hash, signed_unit, stream};
use crate::work::Work;

/// Levels of the flood. Samples of one level are flooded first come, first served.
const LEVELS: usize = 1 << 16;

/// How far nodes are moved at most along X and Z, in cells.
const JITTER: f32 = 0.45;

/// No sample: the end of a list.
const NONE: u32 = u32::MAX;

/// How many samples are flooded between two questions whether to go on: about a millisecond.
const BREATH: usize = 1 << 13;

/// The drainage of one grid, with the memory to compute it again and again.
pub(super) struct Drainage {
    grid: Grid,
    /// How far each node is moved, in metres. Nodes lie at random places around the grid's points,
    /// so that rivers don't run in the eight directions of the grid.
    shift: [Heightfield; 2],
    /// Whether heights belong to the grid's points, as they must in the end, and the moved nodes only
    /// decide where water runs.
    settled: bool,
    /// All samples, each after the one that it drains to.
    pub(super) order: Vec<u32>,
    /// The neighbour that each sample drains to; itself at an outlet.
    pub(super) receiver: Vec<u32>,
    /// Level of the flood over each sample, negative infinity before it comes.
    flood: Vec<f32>,
    flooded: Vec<bool>,
    queue: Queue,
}

impl Drainage {
    pub(super) fn new(grid: Grid, settled: bool, seed: u64) -> Self {
        let shift = |stream_number: u64, last: Vec2| {
            let seed = stream(seed, stream_number);
            Heightfield::from_fn(grid, |column, row| {
                // Nodes on the border stay on it.
                let inside = column > 0 && row > 0 && (column as f32) < last.x && (row as f32) < last.y;
                let reach = if inside { JITTER * grid.cell } else { 0.0 };
                reach * signed_unit(hash(seed, column as i64, row as i64))
            })
        };
        let last = grid.extent() / grid.cell - 0.5;
        Self {
            grid,
            settled,
            shift: [shift(0, last), shift(1, last)],
            order: Vec::with_capacity(grid.count()),
            receiver: vec![NONE; grid.count()],
            flood: vec![f32::NEG_INFINITY; grid.count()],
            flooded: vec![false; grid.count()],
            queue: Queue::new(grid.count()),
        }
    }

    /// Finds `order` and `receiver` for land of these heights that drains to `outlets`.
    ///
    /// A sample drains to its steepest lower neighbour, and in a hollow towards the sill.
    pub(super) fn route(&mut self, heights: &[f32], outlets: &[u32], work: &Work) -> Result<()> {
        self.order.clear();
        self.flooded.fill(false);
        self.flood.fill(f32::NEG_INFINITY);
        let (low, high) = heights
            .iter()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &height| (low.min(height), high.max(height)));
        self.queue.empty(low, high);
        for &outlet in outlets {
            let height = heights[outlet as usize];
            self.flood[outlet as usize] = height;
            self.receiver[outlet as usize] = outlet;
            self.queue.push(outlet, height);
        }
        let cell = self.grid.cell;
        let [east, south] = self.shift.each_ref().map(Heightfield::heights);
        while let Some(next) = self.queue.pop() {
            if self.order.len().is_multiple_of(BREATH) {
                work.check()?;
            }
            let here = next as usize;
            self.order.push(next);
            self.flooded[here] = true;
            let (height, level) = (heights[here], self.flood[here]);
            let mut steepest = 0.0;
            for (there, columns, rows) in neighbours(self.grid, here) {
                if self.flooded[there] {
                    let fall = height - heights[there];
                    if fall > 0.0 {
                        let x = columns * cell + east[there] - east[here];
                        let z = rows * cell + south[there] - south[here];
                        let slope = fall / (x * x + z * z).sqrt();
                        if slope > steepest {
                            steepest = slope;
                            self.receiver[here] = there as u32;
                        }
                    }
                } else if self.flood[there] == f32::NEG_INFINITY {
                    self.flood[there] = level.max(heights[there]);
                    // The way out of a hollow; a lower neighbour that is flooded by then goes before.
                    self.receiver[there] = next;
                    self.queue.push(there as u32, self.flood[there]);
                }
            }
        }
        Ok(())
    }

    /// Heights of the nodes as a field of another grid, in which each lies where it was moved to.
    pub(super) fn spread(&self, heights: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
        let per_sample = |from: usize, to: usize| (from - 1) as f32 * self.grid.cell / (to - 1).max(1) as f32;
        let scale =
            Vec2::new(per_sample(self.grid.width, grid.width), per_sample(self.grid.depth, grid.depth));
        let mut out = vec![0.0; grid.count()];
        out.par_chunks_mut(grid.width).enumerate().try_for_each(|(row, out)| {
            work.check()?;
            for (column, out) in out.iter_mut().enumerate() {
                let moved = Vec2::new(column as f32, row as f32) * scale;
                let mut node = moved;
                // Which point was moved here? A few guesses, each better than the one before.
                for _ in 0..3 {
                    node = moved - Vec2::new(self.shift[0].sample(node), self.shift[1].sample(node));
                }
                *out = heights.sample_smooth(node);
            }
            Ok(())
        })?;
        Heightfield::new(grid, out)
    }

    /// Every neighbour of a node, and how many metres away it is.
    pub(super) fn neighbours(&self, here: usize) -> impl Iterator<Item = (usize, f32)> {
        let [east, south] = self.shift.each_ref().map(Heightfield::heights);
        let share = if self.settled { 0.0 } else { 1.0 };
        neighbours(self.grid, here).map(move |(there, columns, rows)| {
            let x = columns * self.grid.cell + share * (east[there] - east[here]);
            let z = rows * self.grid.cell + share * (south[there] - south[here]);
            (there, (x * x + z * z).sqrt())
        })
    }
}

/// Every neighbour of a sample with the columns and rows to it.
pub(super) fn neighbours(grid: Grid, here: usize) -> impl Iterator<Item = (usize, f32, f32)> {
    let (column, row) = (here % grid.width, here / grid.width);
    NEIGHBOURS.into_iter().filter_map(move |(columns, rows)| {
        // Beyond the first column or row the sum wraps round, far beyond the last.
        let (c, r) = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
        (c < grid.width && r < grid.depth).then(|| (r * grid.width + c, columns as f32, rows as f32))
    })
}

/// Columns and rows from a sample to its neighbours.
const NEIGHBOURS: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// A queue by height in [`LEVELS`] levels, each a list from first to last. The flood never falls,
/// so the lowest level in use only rises.
struct Queue {
    low: f32,
    levels_per_metre: f32,
    lowest: usize,
    first: Vec<u32>,
    last: Vec<u32>,
    /// The sample that follows each sample in its level.
    after: Vec<u32>,
}

impl Queue {
    fn new(count: usize) -> Self {
        let levels = count.clamp(2, LEVELS);
        Self {
            low: 0.0,
            levels_per_metre: 0.0,
            lowest: 0,
            first: vec![NONE; levels],
            last: vec![NONE; levels],
            after: vec![NONE; count],
        }
    }

    /// Makes ready for heights from `low` to `high`.
    fn empty(&mut self, low: f32, high: f32) {
        self.low = low;
        self.levels_per_metre = (self.first.len() - 1) as f32 / (high - low).max(f32::MIN_POSITIVE);
        self.lowest = 0;
        self.first.fill(NONE);
    }

    fn push(&mut self, sample: u32, height: f32) {
        let level = ((height - self.low) * self.levels_per_metre) as usize;
        let level = level.clamp(self.lowest, self.first.len() - 1);
        self.after[sample as usize] = NONE;
        if self.first[level] == NONE {
            self.first[level] = sample;
        } else {
            self.after[self.last[level] as usize] = sample;
        }
        self.last[level] = sample;
    }

    fn pop(&mut self) -> Option<u32> {
        while self.first[self.lowest] == NONE {
            self.lowest += 1;
            if self.lowest == self.first.len() {
                self.lowest = 0;
                return None;
            }
        }
        let sample = self.first[self.lowest];
        self.first[self.lowest] = self.after[sample as usize];
        Some(sample)
    }
}
