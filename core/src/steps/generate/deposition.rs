//! Particle deposition: grains fall, roll downhill and pile up into volcanoes and island chains.
//!
//! After the lecture on terrain. A grain falls near a drop point that wanders. As long as a neighbouring
//! cell is lower by more than the repose threshold, it rolls to the lowest one, for a limited number of
//! steps; then it raises its cell. Each series of grains begins at a new drop point. For a crater, what
//! rises above its rim is mirrored downwards.
//!
//! Grains are counted as integers on a lattice of their own, which is then stretched over the land by
//! Catmull-Rom interpolation and scaled to the wanted height.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield, Region};
use crate::params::{choice, params};
use crate::resize::catmull_rom;
use crate::steps::generate::Generate;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, estimate, step};

choice! {
    /// The cells that a grain may roll to.
    pub enum Neighbours {
        /// All eight around: round cones.
        Eight = "eight",
        /// The four that share a side: pyramids.
        Four = "four",
    }
}

params! {
    /// Particle deposition: volcanoes and chains of islands out of falling grains. It has a lattice of its
    /// own, so the landform is the same at every resolution; another `detail` gives another landform.
    pub struct Deposition {
        /// Height of the highest cone, before craters are folded.
        pub height: f32 = 1500.0, "m" in 0.0..=12000.0;
        /// Cells of the grains' lattice along the longer side.
        pub detail: u32 = 257, "" in 2.0..=4097.0;
        /// Series of grains, each from a new drop point.
        pub series: u32 = 5, "" in 1.0..=1000.0;
        /// Grains in each series.
        pub drops: u32 = 100000, "" in 0.0..=10000000.0, log;
        /// Centre of the area of the drop points, as a share of the way from west to east.
        pub east: f32 = 0.5, "" in 0.0..=1.0;
        /// Centre of the area of the drop points, as a share of the way from north to south.
        pub south: f32 = 0.5, "" in 0.0..=1.0;
        /// Distance from that centre to the sides of the area, as a share of the longer side.
        pub region: f32 = 0.3, "" in 0.0..=1.0;
        /// Farthest that the drop point moves with each grain, as a share of the longer side.
        pub wander: f32 = 0.0005, "" in 0.0..=0.1;
        /// Farthest from the drop point that a grain falls, as a share of the longer side.
        pub scatter: f32 = 0.06, "" in 0.0..=0.5;
        /// Repose threshold: a grain rolls to a cell that is lower by more than this many grains.
        pub repose: u32 = 3, "" in 0.0..=1000.0;
        /// Most steps that a grain rolls.
        pub search: u32 = 64, "" in 0.0..=10000.0;
        /// The cells that a grain may roll to.
        pub neighbours: Neighbours = Neighbours::Eight;
        /// Rim of the craters as a share of `height`: what is higher is mirrored downwards. 1 leaves no
        /// craters.
        pub caldera: f32 = 1.0, "" in 0.1..=1.0;
    }
}

impl Generate for Deposition {
    /// # Errors
    /// When the grains could roll so far in total that it would take hours.
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        self.check_rolls()?;
        let grid = region.grid();
        let cells = |side: usize| {
            (grid.unit_from_index(side - 1) * f64::from(self.detail.saturating_sub(1))).round() as usize + 1
        };
        let lattice = Grid::new(cells(grid.width), cells(grid.depth), grid.cell)?;
        // The grains take as much memory as a field of their lattice.
        memory::require(lattice, 4 * (lattice.count() + grid.count()) as u64)?;
        let mut pile = Pile::new(lattice, self, work)?;
        // A sequence and not a hash of the position: grains fall one after another, on one thread.
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        work.stage("deposition", self.grains() as usize);
        let bursts = self.series as usize * self.drops.div_ceil(GRAINS_AT_ONCE as u32) as usize;
        let mut burst = 0;
        for _ in 0..self.series {
            let mut drop = DropPoint::new(self, lattice, &mut random);
            for first in (0..self.drops).step_by(GRAINS_AT_ONCE) {
                work.check()?;
                let count = (self.drops - first).min(GRAINS_AT_ONCE as u32);
                for _ in 0..count {
                    let (column, row) = drop.next(&mut random);
                    pile.let_fall(column, row);
                }
                work.advance(count as usize);
                burst += 1;
                if burst < bursts {
                    work.frame(BURST, burst, bursts, || self.so_far(&pile, lattice, grid, work))?;
                }
            }
        }
        let field = self.stretch(pile, lattice, grid, work)?;
        work.frame(BURST, bursts, bursts, || Ok(&field))?;
        Ok(field)
    }
}

impl Operation for Deposition {
    step!("deposition", "Particle deposition", Generator);

    fn formula(&self) -> Option<String> {
        let Self { series, drops, repose, search, .. } = self;
        let neighbours = match self.neighbours {
            Neighbours::Eight => 8,
            Neighbours::Four => 4,
        };
        let (height, rim) = (brief(self.height), self.caldera * self.height);
        let crater = match self.caldera {
            1.0 => String::new(),
            _ => format!(",  above {}: {} − h", brief(rim), brief(2.0 * rim)),
        };
        Some(format!(
            "{series} · {drops} grains: while g(c) > g(c′) + {repose}, c ← c′, ≤ {search} times;\n\
             then g(c) ← g(c) + 1;  c′: the lowest of the {neighbours} cells around c\n\
             h = {height} · g / max g{crater}"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        let cells = f64::from(self.detail) * f64::from(self.detail);
        let rolls = self.most_rolls() as f64 * SHARE_OF_ROLLS;
        estimate::in_seconds(25.0 * self.grains() as f64 + 12.0 * rolls + 20.0 * cells)
            + estimate::of_samples(grid, 5.0)
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

/// Grains between two checks for cancellation: 256 grains that roll 10 000 steps each take about 20 ms.
const GRAINS_AT_ONCE: usize = 256;

/// The name of the rounds that observers see.
const BURST: &str = "burst of grains";

/// The most rolls that all grains together may make: more would take hours on any machine, however small the
/// land.
const MOST_ROLLS: u64 = 100_000_000_000;

/// The share of the possible rolls that are made on average: most grains come to rest sooner.
const SHARE_OF_ROLLS: f64 = 0.25;

impl Deposition {
    fn grains(&self) -> u64 {
        u64::from(self.series) * u64::from(self.drops)
    }

    /// The most rolls that all grains together can make. No grain gets far beyond the sides of the lattice.
    fn most_rolls(&self) -> u64 {
        self.grains().saturating_mul(self.rolls().into())
    }

    /// The most rolls of a grain.
    fn rolls(&self) -> u32 {
        self.search.min(self.detail.saturating_mul(2))
    }

    fn check_rolls(&self) -> Result<()> {
        if self.most_rolls() <= MOST_ROLLS {
            return Ok(());
        }
        let (Self { series, drops, .. }, rolls) = (self, self.rolls());
        let reason = format!(
            "{series} series of {drops} grains, each of which may roll {rolls} times, would take hours; lower `series`, \
             `drops` or `search` until their product is at most {MOST_ROLLS:e}"
        );
        Err(Error::parameter("series", reason))
    }

    /// Stretches the pile over the land of `grid`.
    fn stretch(&self, pile: Pile, lattice: Grid, grid: Grid, work: &Work) -> Result<Heightfield> {
        let height = self.height_of(&pile);
        let heights = pile.into_heights(work, height)?;
        let field = Heightfield::new(lattice, heights)?;
        if (lattice.width, lattice.depth) == (grid.width, grid.depth) {
            return Ok(field);
        }
        catmull_rom(&field, grid, work)
    }

    /// Height of a number of grains, in metres, if no more fall.
    fn height_of(&self, pile: &Pile) -> impl Fn(u32) -> f32 + use<> {
        let (height, highest) = (self.height, pile.highest().max(1) as f32);
        let rim = self.caldera * height;
        move |grains| {
            let height = grains as f32 / highest * height;
            if height > rim { 2.0 * rim - height } else { height }
        }
    }

    /// The present pile on the lattice of the grains, for observers.
    fn so_far(&self, pile: &Pile, lattice: Grid, grid: Grid, work: &Work) -> Result<Heightfield> {
        let height = self.height_of(pile);
        let mut heights = Vec::with_capacity(lattice.count());
        for row in 0..lattice.depth {
            work.check()?;
            heights.extend(pile.row(row).iter().map(|grains| height(*grains)));
        }
        let cell = grid.cell * (grid.longer() - 1).max(1) as f32 / (lattice.longer() - 1).max(1) as f32;
        Heightfield::new(Grid { cell, ..lattice }, heights)
    }
}

/// The drop point of one series.
struct DropPoint {
    place: [f32; 2],
    low: [f32; 2],
    high: [f32; 2],
    size: [f32; 2],
    wander: f32,
    scatter: f32,
}

impl DropPoint {
    fn new(deposition: &Deposition, lattice: Grid, random: &mut impl Rng) -> Self {
        let per_unit = (lattice.longer() - 1) as f32;
        let size = [(lattice.width - 1) as f32, (lattice.depth - 1) as f32];
        let middle = [deposition.east * size[0], deposition.south * size[1]];
        let reach = deposition.region * per_unit;
        let low = [0, 1].map(|axis| (middle[axis] - reach).max(0.0));
        let high = [0, 1].map(|axis| (middle[axis] + reach).min(size[axis]));
        let random = four_signed(random);
        let place =
            [0, 1].map(|axis| (low[axis] + high[axis]) / 2.0 + random[axis] * (high[axis] - low[axis]) / 2.0);
        let (wander, scatter) = (deposition.wander * per_unit, deposition.scatter * per_unit);
        Self { place, low, high, size, wander, scatter }
    }

    /// Moves the drop point, and chooses the cell where the next grain falls.
    fn next(&mut self, random: &mut impl Rng) -> (usize, usize) {
        let random = four_signed(random);
        let cell = [0, 1].map(|axis| {
            let place = self.place[axis] + random[axis] * self.wander;
            self.place[axis] = place.clamp(self.low[axis], self.high[axis]);
            (self.place[axis] + random[axis + 2] * self.scatter).clamp(0.0, self.size[axis])
        });
        // Plus one half: the nearest cell, and inside, since the place lies within the lattice.
        ((cell[0] + 0.5) as usize, (cell[1] + 0.5) as usize)
    }
}

/// Four numbers in [−1, 1) from one draw.
fn four_signed(random: &mut impl Rng) -> [f32; 4] {
    let bits = random.next_u64();
    // 16 bits each suffice: even the largest scatter is resolved to a sixteenth of a cell.
    [0, 16, 32, 48].map(|shift| f32::from((bits >> shift) as u16 as i16) / 32768.0)
}

/// Number of grains on each cell, with a border of cells too high to roll to.
struct Pile {
    grains: Vec<u32>,
    stride: usize,
    width: usize,
    depth: usize,
    repose: u32,
    search: u32,
    neighbours: Neighbours,
    /// Number of grains that have fallen.
    fallen: u64,
}

impl Pile {
    fn new(lattice: Grid, deposition: &Deposition, work: &Work) -> Result<Self> {
        let (width, depth) = (lattice.width, lattice.depth);
        let stride = width + 2;
        let mut grains = vec![0; stride * (depth + 2)];
        for (row, grains) in grains.chunks_exact_mut(stride).enumerate() {
            work.check()?;
            if row == 0 || row > depth {
                grains.fill(u32::MAX);
            }
            (grains[0], grains[width + 1]) = (u32::MAX, u32::MAX);
        }
        let Deposition { repose, search, neighbours, .. } = *deposition;
        Ok(Self { grains, stride, width, depth, repose, search, neighbours, fallen: 0 })
    }

    fn let_fall(&mut self, column: usize, row: usize) {
        let cell = (row + 1) * self.stride + column + 1;
        let down = self.stride as isize;
        let cell = match self.neighbours {
            Neighbours::Eight => {
                self.roll(cell, [-down, -1, 1, down, -down - 1, -down + 1, down - 1, down + 1])
            }
            Neighbours::Four => self.roll(cell, [-down, -1, 1, down]),
        };
        self.grains[cell] += 1;
        self.fallen += 1;
    }

    /// The cell where a grain that falls on `cell` comes to rest.
    fn roll<const COUNT: usize>(&self, mut cell: usize, neighbours: [isize; COUNT]) -> usize {
        // Each grain tries its neighbours in another order, so that ties don't lean all cones to one side.
        let turn = self.fallen % COUNT as u64;
        for _ in 0..self.search {
            let mut lowest = u64::MAX;
            for (index, offset) in neighbours.iter().enumerate() {
                let grains = self.grains[cell.wrapping_add_signed(*offset)];
                // Height and order in one number, so that one minimum finds the lowest and settles ties.
                lowest = lowest.min(u64::from(grains) << 8 | (index as u64 ^ turn));
            }
            if u64::from(self.grains[cell]) <= (lowest >> 8) + u64::from(self.repose) {
                break;
            }
            // The remainder never changes the index; it saves the check of its bounds.
            cell = cell.wrapping_add_signed(neighbours[((lowest ^ turn) & 0xFF) as usize % COUNT]);
        }
        cell
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.grains[(row + 1) * self.stride + 1..][..self.width]
    }

    fn highest(&self) -> u32 {
        (0..self.depth).flat_map(|row| self.row(row)).copied().max().unwrap_or(0)
    }

    /// A height for every cell, reusing the memory of the grains.
    fn into_heights(mut self, work: &Work, height: impl Fn(u32) -> f32) -> Result<Vec<f32>> {
        for row in 0..self.depth {
            work.check()?;
            // Values move towards the front by more than a row, so nothing unread is overwritten.
            let from = (row + 1) * self.stride + 1;
            for column in 0..self.width {
                self.grains[row * self.width + column] = height(self.grains[from + column]).to_bits();
            }
        }
        self.grains.truncate(self.width * self.depth);
        Ok(self.grains.into_iter().map(f32::from_bits).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piled(deposition: &Deposition) -> Pile {
        let lattice = Grid::new(65, 65, 1.0).unwrap();
        let mut pile = Pile::new(lattice, deposition, &Work::new()).unwrap();
        let mut random = Pcg64Mcg::seed_from_u64(1);
        let mut drop = DropPoint::new(deposition, lattice, &mut random);
        for _ in 0..deposition.drops {
            let (column, row) = drop.next(&mut random);
            pile.let_fall(column, row);
        }
        pile
    }

    #[test]
    fn no_grain_is_lost() {
        let pile = piled(&Deposition { drops: 5000, ..Deposition::default() });
        assert_eq!((0..65).flat_map(|row| pile.row(row)).sum::<u32>(), 5000);
    }

    /// A grain that rolls as far as it can leaves no step higher than the threshold and the one
    /// grain that came to rest on it.
    #[test]
    fn ground_is_no_steeper_than_its_repose() {
        for repose in [0, 2, 5] {
            let pile = piled(&Deposition { drops: 30_000, repose, search: 10_000, ..Deposition::default() });
            for row in 0..65 {
                for pair in pile.row(row).windows(2) {
                    assert!(pair[0].abs_diff(pair[1]) <= repose + 1, "{repose}: {pair:?}");
                }
            }
        }
    }

    #[test]
    fn grains_that_would_roll_for_hours_are_refused_and_others_are_not() {
        let grid = Grid::new(9, 9, 1.0).unwrap();
        let most = Deposition { series: 1000, drops: 10_000_000, search: 10_000, ..Deposition::default() };
        let said = most.generate(grid, 1, &Work::new()).unwrap_err().to_string();
        assert!(
            said.contains("may roll 514 times, would take hours") && said.contains("at most 1e11"),
            "{said}"
        );
        // On a lattice of two cells no grain rolls far, whatever the limit.
        let few = Deposition { series: 1, drops: 300, detail: 2, search: 10_000, ..Deposition::default() };
        few.generate(grid, 1, &Work::new()).unwrap();
        let seconds = |deposition: &Deposition| deposition.seconds(grid);
        assert!(seconds(&most) > 3600.0 && seconds(&few) < 0.01, "{} {}", seconds(&most), seconds(&few));
    }

    #[test]
    fn what_stands_above_the_rim_is_folded_down() -> Result<()> {
        let grid = Grid::new(257, 257, 1.0)?;
        let cone = Deposition { series: 1, ..Deposition::default() };
        let crater = Deposition { caldera: 0.7, ..cone.clone() };
        let (cone, crater) = (cone.generate(grid, 2, &Work::new())?, crater.generate(grid, 2, &Work::new())?);
        for (cone, crater) in cone.heights().iter().zip(crater.heights()) {
            let expected = if *cone > 1050.0 { 2100.0 - cone } else { *cone };
            assert!((crater - expected).abs() < 1e-2);
        }
        assert_eq!(cone.range(), (0.0, 1500.0));
        Ok(())
    }
}
