//! Where the water of every sample runs to, found by flooding the land from its outlets.
//!
//! After "Priority-Flood" (Barnes, Lehman and Mulla 2014): the flood climbs from the outlets, always
//! over the lowest sample that it has reached, and so enters every hollow over its lowest sill. The
//! order in which samples are flooded serves as the "stack" of Braun and Willett (2013): whoever
//! receives water comes before all that give it. It is not kept: the heights are done in a second flood,
//! which goes the way of the first.

use std::collections::HashMap;

use rayon::prelude::*;

use super::jitter::Jitter;
use super::original::Original;
use super::queue::Queue;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
use crate::noise::{hash, signed_unit, stream};

/// How far a neighbour may seem steeper or less steep than it is to the water that looks for its way,
/// as a share: on even slopes rivers would all run straight.
const LUCK: f32 = 0.5;

/// How many samples are flooded between two questions whether to go on: about a millisecond.
const BREATH: usize = 1 << 12;

/// The drainage of one grid, with the memory to compute it again and again.
pub(super) struct Drainage {
    grid: Grid,
    seed: u64,
    jitter: Jitter,
    /// Whether heights belong to the grid's points, as they must in the end, and the moved nodes only
    /// decide where water runs.
    settled: bool,
    /// Outlets that are not sea bed.
    outlets: Vec<usize>,
    pub(super) cells: Vec<Cell>,
    /// How many samples drain through those whose cells are too small to say: great rivers on land of more
    /// than 2²⁴ samples. They are few, so a table of them takes less than wider cells would.
    great: HashMap<usize, u32>,
    queue: Queue,
}

/// What is known of a sample: which way its water runs (4 bits), how many neighbours give it theirs
/// (4 bits), and how many samples drain through it (24 bits; [`Cell::GREAT`] for that many and more).
#[derive(Clone, Copy)]
pub(super) struct Cell(u32);

/// In place of the number of a neighbour.
const OUTLET: usize = 8;
const NO_WAY: usize = 9;

impl Cell {
    const WAY: u32 = 0xF;
    const DONOR: u32 = 0x10;
    const DONORS: u32 = 0xF0;
    /// The highest bit of the donors: of those that still count, once all is gathered, there is one.
    const ENTERED: u32 = 0x80;
    const ONE: u32 = 0x100;
    /// The largest area that a cell can say.
    const GREAT: u32 = u32::MAX / Self::ONE;

    /// A sample that the flood has reached, and the `way` that it came from.
    fn reached(way: usize) -> Self {
        Self(way as u32)
    }

    fn way(self) -> usize {
        (self.0 & Self::WAY) as usize
    }

    /// The sample is flooded: its water goes this way, and it drains itself.
    fn flood(&mut self, way: usize) {
        self.0 = (self.0 & !Self::WAY) | Self::ONE | way as u32;
    }

    fn donors(self) -> u32 {
        (self.0 & Self::DONORS) / Self::DONOR
    }

    /// How many samples drain through it, with itself, or [`GREAT`](Self::GREAT) for more; 0 before it is
    /// flooded and when it is done.
    fn area(self) -> u32 {
        self.0 / Self::ONE
    }

    /// Whether it is not flooded yet, or done already.
    pub(super) fn is_without_area(self) -> bool {
        self.area() == 0
    }

    fn set_area(&mut self, area: u32) {
        self.0 = (area.min(Self::GREAT) * Self::ONE) | (self.0 & (Self::ONE - 1));
    }

    fn is_entered(self) -> bool {
        self.0 & Self::ENTERED != 0
    }

    /// A cell that keeps a height for a while, and nothing else.
    pub(super) fn keep(height: f32) -> Self {
        Self(height.to_bits())
    }

    /// The height that was kept.
    pub(super) fn kept(self) -> f32 {
        f32::from_bits(self.0)
    }
}

impl Drainage {
    /// Drainage of `grid` into the sea and into these `outlets` beside it.
    pub(super) fn new(grid: Grid, settled: bool, outlets: Vec<usize>, seed: u64) -> Self {
        Self {
            grid,
            seed: stream(seed, 2),
            jitter: Jitter::new(grid, seed),
            settled,
            outlets,
            cells: vec![Cell(0); grid.count()],
            great: HashMap::new(),
            queue: Queue::new(grid.count()),
        }
    }

    /// What decides where the nodes lie, when all else is done.
    pub(super) fn into_jitter(self) -> Jitter {
        self.jitter
    }

    /// Finds where all water runs on land of these heights.
    ///
    /// A sample drains to its steepest lower neighbour, and in a hollow towards the sill.
    pub(super) fn route(
        &mut self,
        heights: &[f32],
        range: (f32, f32),
        original: &Original<'_>,
        work: &Work,
    ) -> Result<()> {
        self.cells.par_chunks_mut(self.grid.width).try_for_each(|cells| {
            work.check()?;
            cells.fill(Cell::reached(NO_WAY));
            Ok(())
        })?;
        self.great.clear();
        self.queue.prepare(range.0, range.1);
        self.enter(heights, original, Cell(OUTLET as u32 | Cell::ONE), work)?;
        for &outlet in &self.outlets {
            self.cells[outlet] = Cell::reached(OUTLET);
        }
        let cell = self.grid.cell;
        let mut breath = 0;
        while let Some(here) = self.queue.pop() {
            breath += 1;
            if breath % BREATH == 0 {
                work.check()?;
            }
            let is_sea_bed = original.is_sea_bed(here);
            let height = heights[here];
            let node = self.jitter.of(here % self.grid.width, here / self.grid.width);
            let (mut steepest, mut way) = (0.0, self.cells[here].way());
            for Neighbour { direction, there, column, row, columns, rows } in neighbours(self.grid, here) {
                if !self.cells[there].is_without_area() {
                    let fall = height - heights[there];
                    if fall > 0.0 && !is_sea_bed {
                        let moved = self.jitter.of(column, row) - node;
                        let (x, z) = (columns * cell + moved.x, rows * cell + moved.y);
                        let luck = 1.0 + LUCK * signed_unit(hash(self.seed, here as i64, there as i64));
                        let slope = luck * fall / (x * x + z * z).sqrt();
                        if slope > steepest {
                            (steepest, way) = (slope, direction);
                        }
                    }
                } else if self.cells[there].way() == NO_WAY {
                    // The way out of a hollow; a lower neighbour that is flooded by then goes before.
                    self.cells[there] = Cell::reached(opposite(direction));
                    self.queue.push(there, heights[there]);
                }
            }
            if !is_sea_bed {
                self.cells[here].flood(way);
                if let Some(there) = self.receiver(here) {
                    self.cells[there].0 += Cell::DONOR;
                }
            }
        }
        self.gather(work)
    }

    /// Adds up what drains through every sample: from each spring down to where others are waited for
    /// (Zhou, Wei and Fu, "A fast and simple algorithm for calculating flow accumulation matrices from
    /// raster digital elevation", 2019).
    fn gather(&mut self, work: &Work) -> Result<()> {
        for spring in 0..self.cells.len() {
            if spring % self.grid.width == 0 {
                work.check()?;
            }
            if self.cells[spring].donors() > 0 {
                continue;
            }
            let mut here = spring;
            while let Some(there) = self.receiver(here) {
                self.gain(there, self.area(here));
                if self.cells[there].donors() > 1 {
                    self.cells[there].0 -= Cell::DONOR;
                    break;
                }
                here = there;
            }
        }
        Ok(())
    }

    /// How many samples drain through one that is flooded, with itself.
    fn area(&self, here: usize) -> u32 {
        match self.cells[here].area() {
            Cell::GREAT => self.great.get(&here).copied().unwrap_or(Cell::GREAT),
            area => area,
        }
    }

    /// Lets so many more samples drain through one. There are at most 2³⁰ in all.
    fn gain(&mut self, here: usize, area: u32) {
        let sum = self.area(here) + area;
        self.cells[here].set_area(sum);
        if sum > Cell::GREAT {
            self.great.insert(here, sum);
        }
    }

    /// Goes the way of the flood that [`route`](Self::route) found, once more: `visit(drainage, heights,
    /// sample, receiver, area)` may change the height of the sample that is flooded. The cells of those
    /// that were visited have no area any more.
    pub(super) fn climb(
        &mut self,
        heights: &mut [f32],
        original: &Original<'_>,
        work: &Work,
        mut visit: impl FnMut(&Self, &mut [f32], usize, Option<usize>, u32),
    ) -> Result<()> {
        self.enter(heights, original, Cell(OUTLET as u32 | Cell::ENTERED), work)?;
        for &outlet in &self.outlets {
            self.cells[outlet].0 |= Cell::ENTERED;
        }
        let mut breath = 0;
        while let Some(here) = self.queue.pop() {
            breath += 1;
            if breath % BREATH == 0 {
                work.check()?;
            }
            for Neighbour { there, .. } in neighbours(self.grid, here) {
                if !self.cells[there].is_entered() {
                    self.cells[there].0 |= Cell::ENTERED;
                    self.queue.push(there, heights[there]);
                }
            }
            let area = self.area(here);
            self.cells[here].0 %= Cell::ONE;
            if !original.is_sea_bed(here) {
                visit(self, heights, here, self.receiver(here), area);
            }
        }
        Ok(())
    }

    /// Lets the flood begin at all outlets: sea bed becomes `sea`, its coasts wait to be flooded, and
    /// the other outlets too.
    fn enter(&mut self, heights: &[f32], original: &Original<'_>, sea: Cell, work: &Work) -> Result<()> {
        for (sample, &height) in heights.iter().enumerate() {
            if sample % self.grid.width == 0 {
                work.check()?;
            }
            if original.is_sea_bed(sample) {
                self.cells[sample] = sea;
                if neighbours(self.grid, sample).any(|next| !original.is_sea_bed(next.there)) {
                    self.queue.push(sample, height);
                }
            }
        }
        for &outlet in &self.outlets {
            self.queue.push(outlet, heights[outlet]);
        }
        Ok(())
    }

    /// The neighbour that a sample drains to; `None` at an outlet.
    fn receiver(&self, here: usize) -> Option<usize> {
        let (columns, rows) = NEIGHBOURS.get(self.cells[here].way())?;
        Some(here.wrapping_add_signed(rows * self.grid.width as isize + columns))
    }

    /// Every neighbour of a node, and how many metres away it is.
    pub(super) fn neighbours(&self, here: usize) -> impl Iterator<Item = (usize, f32)> {
        let node = |column: usize, row: usize| {
            if self.settled { glam::Vec2::ZERO } else { self.jitter.of(column, row) }
        };
        let from = node(here % self.grid.width, here / self.grid.width);
        neighbours(self.grid, here).map(move |Neighbour { there, column, row, columns, rows, .. }| {
            let moved = node(column, row) - from;
            let (x, z) = (columns * self.grid.cell + moved.x, rows * self.grid.cell + moved.y);
            (there, (x * x + z * z).sqrt())
        })
    }
}

/// A neighbour of a sample.
pub(super) struct Neighbour {
    /// Which of the eight.
    direction: usize,
    pub(super) there: usize,
    column: usize,
    row: usize,
    /// Columns and rows from the sample to it.
    columns: f32,
    rows: f32,
}

/// Every neighbour of a sample.
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

/// Columns and rows from a sample to its neighbours.
const NEIGHBOURS: [(isize, isize); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The direction back.
fn opposite(direction: usize) -> usize {
    NEIGHBOURS.len() - 1 - direction
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::grid::Heightfield;

    /// A slope two samples wide and long enough that more drain out of it than a cell or an `f32` can count
    /// one by one.
    #[test]
    fn every_sample_of_a_large_land_drains_through_its_outlet() -> Result<()> {
        let rows = (1 << 23) + 1000;
        let grid = Grid::new(2, rows, 1.0)?;
        let field = Heightfield::from_fn(grid, |_, row| row as f32);
        let original = Original::beside(&field, -1.0, &Work::new())?;
        let mut drainage = Drainage::new(grid, true, vec![0], 1);
        drainage.route(field.heights(), field.range(), &original, &Work::new())?;
        let mut heights = field.heights().to_vec();
        let (mut at_outlet, mut greatest) = (0, vec![0; rows]);
        drainage.climb(&mut heights, &original, &Work::new(), |_, _, here, receiver, area| {
            greatest[here / 2] = greatest[here / 2].max(area);
            if receiver.is_none() {
                at_outlet += area;
            }
        })?;
        assert_eq!(at_outlet as usize, grid.count());
        // Both samples of a row may go on side by side, and then each has a part of what is above.
        assert!(greatest.iter().enumerate().all(|(row, &area)| area as usize <= 2 * (rows - row)));
        Ok(())
    }

    /// However wide the rows are that it asks about otherwise.
    #[test]
    fn the_flood_asks_with_every_breath_whether_to_go_on() -> Result<()> {
        let grid = Grid::new(30_000, 4, 10.0)?;
        let rough = |column: usize, row: usize| 1.0 + ((column * 7919 + row * 104_729) % 1000) as f32;
        let mut field = Heightfield::from_fn(grid, rough);
        let original = Original::keep(&field, 0.0, &Work::new())?;
        let asked = Arc::new(AtomicUsize::new(0));
        let work = {
            let asked = asked.clone();
            Work::watched(move |_| {
                asked.fetch_add(1, Ordering::Relaxed);
            })
        };
        let mut drainage = Drainage::new(grid, true, vec![0], 1);
        drainage.route(field.heights(), field.range(), &original, &work)?;
        let on_the_way_up = asked.swap(0, Ordering::Relaxed);
        drainage.climb(field.heights_mut(), &original, &work, |_, _, _, _, _| {})?;
        let once_more = asked.load(Ordering::Relaxed);
        let breaths = grid.count() / BREATH;
        assert!(
            on_the_way_up >= breaths && once_more >= breaths,
            "{on_the_way_up} and {once_more} questions"
        );
        // Rows alone would be far fewer questions.
        assert!(breaths > 6 * grid.depth);
        Ok(())
    }
}
