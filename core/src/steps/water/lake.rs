//! Lakes: level water that stands in the hollows of a land.

use std::sync::Arc;

use glam::Vec2;

use super::outline::outlines;
use crate::drainage::{Lake as Hollow, each_neighbour};
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// A lake of a land of a given grid: still water at one height.
///
/// Its water covers those of its samples that lie below its level. If later steps change the ground, the
/// water stays where it is: dig and fill before lakes are found.
#[derive(Clone, Debug, PartialEq)]
pub struct Lake {
    grid: Grid,
    hollow: Hollow,
    depth: f32,
    /// The samples under its water, their neighbours, and the neighbours of these that are as high as the
    /// water: row by row. Ground between samples can lie lower than they do, and is then flooded as well.
    samples: Arc<[u32]>,
    /// Those of them that were dry.
    shore: Arc<[u32]>,
}

impl Lake {
    /// The lake in a hollow of `ground`, given the samples under water and their greatest depth.
    pub(crate) fn new(
        ground: &Heightfield,
        hollow: &Hollow,
        wet: &[u32],
        depth: f32,
        marks: &mut Marks,
    ) -> Self {
        let samples: Arc<[u32]> = marks.with_shore(ground, wet, hollow.level).into();
        let is_dry = |here: &u32| ground.heights()[*here as usize] >= hollow.level;
        let shore = samples.iter().copied().filter(is_dry).collect();
        Self { grid: ground.grid(), hollow: hollow.clone(), depth, samples, shore }
    }

    /// Height of its surface, metres.
    pub fn level(&self) -> f32 {
        self.hollow.level
    }

    /// Height at which it overflows, metres: its level, unless a dry climate keeps it lower.
    pub fn sill(&self) -> f32 {
        self.hollow.sill
    }

    /// The sample over which water leaves it, as column and row: of the lowest samples of its shore the
    /// first. `None` if it loses all that it gets to the air.
    pub fn outlet(&self) -> Option<(usize, usize)> {
        self.hollow.is_full().then(|| self.place(self.hollow.spill))
    }

    /// The sample where it is deepest, as column and row.
    pub fn deepest(&self) -> (usize, usize) {
        self.place(self.hollow.deepest)
    }

    /// Depth of its deepest sample when it was found, metres.
    pub fn depth(&self) -> f32 {
        self.depth
    }

    /// Area of its surface when it was found, square metres: that of the samples under water.
    pub fn area(&self) -> f64 {
        f64::from(self.hollow.samples) * f64::from(self.grid.cell) * f64::from(self.grid.cell)
    }

    /// Volume of its water when it was found, cubic metres.
    pub fn volume(&self) -> f64 {
        self.hollow.volume
    }

    /// The grid of the land.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The samples to which its water can extend, row by row: those under water when it was found, and its
    /// shore.
    pub(crate) fn samples(&self) -> &[u32] {
        &self.samples
    }

    /// Whether a sample was dry when it was found. Where a river has dug one of these, the water is the
    /// river's: it falls there from the lake, or into it.
    pub(super) fn is_shore(&self, here: usize) -> bool {
        self.shore.binary_search(&(here as u32)).is_ok()
    }

    /// The samples of `field` under its water, as column and row, row by row.
    pub fn bed<'a>(&'a self, field: &'a Heightfield) -> impl Iterator<Item = (usize, usize)> + 'a {
        let heights = field.heights();
        let wet = self.samples.iter().filter(|here| heights[**here as usize] < self.level());
        wet.map(|here| self.place(*here as usize))
    }

    /// The outlines of its water on `field`, metres east and south of the north-west corner: closed lines
    /// along which the ground, flat between three samples, rises through the water; land lies to their left.
    /// The first point is not repeated at the end. Islands have outlines too. Where the water reaches the
    /// land's border, the outline follows that.
    pub fn outlines(&self, field: &Heightfield) -> Vec<Vec<Vec2>> {
        outlines(self.cells(), self.level(), field)
    }

    /// Approximate memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.samples) + size_of_val(&*self.shore)) as u64
    }

    /// Refuses land of another grid.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub(super) fn check_grid(&self, land: Grid) -> Result<()> {
        if self.grid == land {
            return Ok(());
        }
        let Grid { width, depth, cell } = self.grid;
        let reason = format!(
            "the lake was found on {width}×{depth} samples, {cell} m apart, not on {}×{}, {} m apart; find the \
             lakes of this land again",
            land.width, land.depth, land.cell,
        );
        Err(Error::parameter("lakes", reason))
    }

    /// The cells whose four corners its water can reach, each by its north-west sample, row by row.
    pub(super) fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        let (samples, width) = (&self.samples, self.grid.width);
        // The first sample that is not before the one below.
        let mut below = 0;
        samples.iter().enumerate().filter_map(move |(number, here)| {
            let here = *here as usize;
            while samples.get(below).is_some_and(|there| (*there as usize) < here + width) {
                below += 1;
            }
            let is_next =
                |list: &[u32], after: usize| list.first().is_some_and(|next| *next as usize == after);
            let is_cell = here % width + 1 < width
                && is_next(&samples[number + 1..], here + 1)
                && is_next(&samples[below..], here + width)
                && is_next(&samples[below + 1..], here + width + 1);
            is_cell.then_some(here)
        })
    }

    fn place(&self, sample: usize) -> (usize, usize) {
        (sample % self.grid.width, sample / self.grid.width)
    }
}

/// Marks on the samples of a land, one bit each, for finding the neighbours of many lakes.
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    pub(crate) fn new(grid: Grid) -> Self {
        Self(vec![0; grid.count().div_ceil(64)])
    }

    /// These samples, which lie below `level`, their neighbours, and the neighbours of these that don't lie
    /// below it: sorted.
    fn with_shore(&mut self, ground: &Heightfield, samples: &[u32], level: f32) -> Vec<u32> {
        let (grid, heights) = (ground.grid(), ground.heights());
        let mut all = samples.to_vec();
        let mut mark = |here: usize| {
            let (word, bit) = (&mut self.0[here / 64], 1 << (here % 64));
            let is_new = *word & bit == 0;
            *word |= bit;
            is_new
        };
        samples.iter().for_each(|here| _ = mark(*here as usize));
        let mut from = 0;
        for _ in 0..2 {
            let to = all.len();
            for number in from..to {
                each_neighbour(grid, all[number] as usize, |there| {
                    if heights[there] >= level && mark(there) {
                        all.push(there as u32);
                    }
                });
            }
            from = to;
        }
        // The next lake finds no marks.
        all.iter().for_each(|here| self.0[*here as usize / 64] = 0);
        all.sort_unstable();
        all
    }
}
