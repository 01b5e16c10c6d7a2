//! Drainage: where water runs, on any land.
//!
//! Hollows are filled, breached or kept; every sample then has a way down to an outlet (D8, after O'Callaghan
//! and Mark 1984): the border, the sea, a hole, or a lake that loses more water than it gets. Drainage areas,
//! basins, the order of streams (Strahler 1957) and lakes with their levels follow from the ways.
//!
//! Everything rests on comparisons and whole numbers, so the result has the same bits on any number of
//! threads.

mod areas;
mod basins;
mod breach;
mod flats;
mod flood;
mod lakes;
mod rivers;
mod rules;
mod ways;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield, finite_rise, memory};
use lakes::Gatherer;
pub use lakes::Lake;
pub use rivers::Rivers;
pub use rules::{DrainageRules, Hollows};
pub use ways::{ENDS, LEADS_TO};
use ways::{Outlets, Ways};

/// The drainage of a land.
///
/// ```
/// # use upland_core as upland;
/// use upland::drainage::{Drainage, DrainageRules};
/// use upland::{Grid, Heightfield, Work};
///
/// // A plane that falls to the south: the water of every column leaves at the column's southern end.
/// let plane = Heightfield::from_fn(Grid::new(65, 65, 30.0)?, |_, row| 100.0 - row as f32);
/// let drainage = Drainage::of(&plane, &DrainageRules::default(), &Work::new())?;
/// assert_eq!(drainage.areas()[64 * 65..], [65; 65]);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Drainage {
    /// The ground after hollows have been filled or breached.
    ground: Heightfield,
    /// The surface of the ground and the lakes.
    surface: Heightfield,
    ways: Ways,
    areas: Vec<u32>,
    lakes: Vec<Lake>,
    /// The lowest samples of lakes without an outflow, sorted: the level of such a lake may lie below the
    /// sea.
    closed: Vec<usize>,
    sea: f32,
}

impl Drainage {
    /// Finds the drainage of `field`. This takes the memory of two more fields, and at most 9 bytes a sample.
    ///
    /// # Errors
    /// [`Error::Size`](crate::Error::Size) if there is too little memory, and
    /// [`Error::Cancelled`](crate::Error::Cancelled) within 50 ms of a cancellation.
    pub fn of(field: &Heightfield, rules: &DrainageRules, work: &Work) -> Result<Self> {
        Self::with_holes(field, None, rules, work)
    }

    /// The same for land with holes: water that reaches one leaves the land. `holes` is the layer
    /// [`HOLE`](crate::grid::layer::HOLE), if there is one.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn with_holes(
        field: &Heightfield,
        holes: Option<&Heightfield>,
        rules: &DrainageRules,
        work: &Work,
    ) -> Result<Self> {
        memory::require(field.grid(), BYTES * field.grid().count() as u64)?;
        let outlets = Outlets::new(field, holes, rules);
        // Shares the heights until they change.
        let mut ground = field.clone();
        let breached_below = match rules.hollows {
            Hollows::Breach => f64::INFINITY,
            Hollows::Keep => rules.smallest_lake,
            Hollows::Fill => 0.0,
        };
        let is_breached = breached_below > 0.0;
        work.stage("drainage", 5 + usize::from(is_breached));
        if is_breached {
            ground = field.copy_while(work)?;
            breach::breach(&mut ground, &outlets, breached_below, work)?;
            work.advance(1);
        }
        let is_outlet = |sample, height| outlets.is_outlet(sample, height);
        let mut surface = flood::filled(&ground, is_outlet, flood::TILE, work)?;
        work.advance(2);
        if rules.hollows == Hollows::Fill {
            ground = surface.clone();
        }
        let mut ways = Ways::down(&surface, &outlets, work)?;
        work.advance(1);
        let mut lakes = lakes::find(&ground, &surface, &mut ways, work)?;
        let mut areas = areas::accumulated(&ways, work)?;
        work.advance(1);
        if lakes::limit_by_climate(&mut lakes, (&ground, &mut surface), &mut ways, &areas, rules, work)? {
            areas = areas::accumulated(&ways, work)?;
        }
        for lake in &mut lakes {
            lake.area = areas[if lake.is_full() { lake.spill } else { lake.deepest }];
        }
        let mut closed: Vec<usize> =
            lakes.iter().filter(|lake| !lake.is_full()).map(|lake| lake.deepest).collect();
        closed.sort_unstable();
        work.advance(1);
        Ok(Self { ground, surface, ways, areas, lakes, closed, sea: rules.sea })
    }

    /// The ground after hollows have been filled or breached.
    pub fn ground(&self) -> &Heightfield {
        &self.ground
    }

    /// The surface of the ground and the lakes, nowhere lower than the ground. The sea isn't part of it.
    pub fn surface(&self) -> &Heightfield {
        &self.surface
    }

    /// The way that water takes from every sample, row by row: the index of a neighbour in [`LEADS_TO`], or
    /// [`ENDS`].
    pub fn ways(&self) -> &[u8] {
        &self.ways.of
    }

    /// The sample that `here` drains to; `None` where water ends.
    pub fn receiver(&self, here: usize) -> Option<usize> {
        self.ways.receiver(here)
    }

    /// How steeply the ground falls to the sample that `here` drains to, metres per metre; 0 where water
    /// ends, and where the ground doesn't fall, as on the floor of a hollow.
    pub fn slope(&self, here: usize) -> f32 {
        let Some(there) = self.receiver(here) else { return 0.0 };
        let grid = self.ground.grid();
        let is_diagonal = here % grid.width != there % grid.width && here / grid.width != there / grid.width;
        let away = if is_diagonal { grid.cell * std::f32::consts::SQRT_2 } else { grid.cell };
        let heights = self.ground.heights();
        finite_rise((heights[here] - heights[there]) / away).max(0.0)
    }

    /// How many samples drain through each sample, itself included, row by row.
    pub fn areas(&self) -> &[u32] {
        &self.areas
    }

    /// The lakes, sorted by their spills.
    pub fn lakes(&self) -> &[Lake] {
        &self.lakes
    }

    /// Calls `visit` with each lake and the samples under its water.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn each_lake(&self, work: &Work, mut visit: impl FnMut(&Lake, &[u32])) -> Result<()> {
        let heights = self.ground.heights();
        let mut gatherer = Gatherer::new(self.ground.grid());
        let mut wet = Vec::new();
        for lake in &self.lakes {
            // Everything connected that is lower than the sill: water passes the sill only at the spill.
            let bed = gatherer.around(lake.deepest, |here| heights[here] < lake.sill, work)?;
            wet.clear();
            wet.extend(bed.iter().filter(|here| heights[**here as usize] < lake.level));
            visit(lake, &wet);
        }
        Ok(())
    }

    /// The basin of every sample. Basins are numbered by size, from 1 for the largest; among basins of equal
    /// size, the one whose outlet comes first has the lowest number. 0 is sea bed.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn basins(&self, work: &Work) -> Result<Vec<u32>> {
        basins::numbered(&self.ways, &self.areas, |sample| self.is_sea(sample), work)
    }

    /// The order of the stream at every sample, after Strahler: 1 from the source on, and where two branches
    /// of equal order meet, one more than theirs; 0 where fewer than `from` samples drain through.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn orders(&self, from: u32, work: &Work) -> Result<Vec<u8>> {
        basins::orders(&self.ways, &self.areas, from, work)
    }

    /// Whether a sample is sea bed.
    pub fn is_sea(&self, sample: usize) -> bool {
        let is_low = self.surface.heights()[sample] <= self.sea;
        is_low && self.ways.of[sample] == ENDS && self.closed.binary_search(&sample).is_err()
    }
}

/// Calls `visit` with each neighbour of a sample.
pub(crate) fn each_neighbour(grid: Grid, here: usize, mut visit: impl FnMut(usize)) {
    Ways::each_neighbour(grid, here, |_, there| visit(there));
}

/// The memory that [`Drainage::of`] takes, bytes a sample: ground and surface, and, while the ground is
/// flooded, the levels and watersheds of all tiles, which areas and ways replace later.
const BYTES: u64 = 4 + 4 + 4 + 2 + 2;

#[cfg(test)]
mod tests;
