//! The way that water takes from every sample: to one of its eight neighbours, or no further.

use rayon::prelude::*;

use super::rules::DrainageRules;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, is_hole};

/// Columns and rows to the neighbour that each way leads to: the number of a way is its index in this list.
pub const LEADS_TO: [(isize, isize); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// In place of a way: water ends here. It leaves the land, or this is sea bed, a hole, or the lowest sample
/// of a lake without an outflow.
pub const ENDS: u8 = 8;

/// In place of a way: no neighbour is lower, and the way across the level ground is not yet known.
pub(super) const LEVEL: u8 = 9;

/// Where water leaves a land.
pub(super) struct Outlets<'a> {
    grid: Grid,
    sea: f32,
    open_border: bool,
    holes: Option<&'a Heightfield>,
    /// The sample where water leaves if it can't leave anywhere else.
    lowest: Option<usize>,
}

impl<'a> Outlets<'a> {
    pub(super) fn new(field: &Heightfield, holes: Option<&'a Heightfield>, rules: &DrainageRules) -> Self {
        let (grid, sea) = (field.grid(), rules.sea);
        let mut outlets = Self { grid, sea, open_border: rules.open_border, holes, lowest: None };
        if !rules.open_border {
            let heights = field.heights();
            let has_outlet =
                (0..heights.len()).into_par_iter().any(|sample| outlets.is_outlet(sample, heights[sample]));
            if !has_outlet {
                // The first of samples of equal height.
                let lowest = (0..heights.len())
                    .into_par_iter()
                    .min_by(|&one, &other| heights[one].total_cmp(&heights[other]).then(one.cmp(&other)));
                outlets.lowest = lowest;
            }
        }
        outlets
    }

    /// Whether water leaves the land at a sample of this height, so that it stands no higher there.
    pub(super) fn is_outlet(&self, sample: usize, height: f32) -> bool {
        let (column, row) = (sample % self.grid.width, sample / self.grid.width);
        let on_border =
            column == 0 || row == 0 || column + 1 == self.grid.width || row + 1 == self.grid.depth;
        on_border && (self.open_border || height <= self.sea)
            || self.is_hole(sample)
            || self.lowest == Some(sample)
    }

    /// Whether a sample at which water rises to `level` is sea bed or a hole.
    ///
    /// Where water can reach the border without rising above the sea, its level isn't above the sea either,
    /// so the sea needs no flood of its own.
    fn takes_all(&self, sample: usize, level: f32) -> bool {
        level <= self.sea || self.is_hole(sample)
    }

    fn is_hole(&self, sample: usize) -> bool {
        self.holes.is_some_and(|holes| is_hole(holes.heights()[sample]))
    }
}

/// The way that water takes from every sample: the index of a neighbour in [`LEADS_TO`], or [`ENDS`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ways {
    pub(super) grid: Grid,
    pub(super) of: Vec<u8>,
}

impl Ways {
    /// The steepest ways down `surface`; among equally steep ones, the first in [`LEADS_TO`]. Beyond an open
    /// border the land is assumed to continue with the slope that it has there, so that water leaves where
    /// that is the steepest way. Samples from which no way leads down get [`LEVEL`].
    pub(super) fn down(surface: &Heightfield, outlets: &Outlets<'_>, work: &Work) -> Result<Self> {
        let grid = surface.grid();
        let Grid { width, depth, .. } = grid;
        let levels = surface.heights();
        let mut of = vec![LEVEL; grid.count()];
        of.par_chunks_mut(width).enumerate().try_for_each(|(row, ways)| {
            work.check()?;
            for (column, way) in ways.iter_mut().enumerate() {
                let here = row * width + column;
                let level = levels[here];
                if outlets.takes_all(here, level) {
                    *way = ENDS;
                    continue;
                }
                let mut steepest = 0.0;
                if column > 0 && row > 0 && column + 1 < width && row + 1 < depth {
                    for (number, (columns, rows)) in LEADS_TO.into_iter().enumerate() {
                        let there = here.wrapping_add_signed(rows * width as isize + columns);
                        let slope = slope(level - levels[there], number);
                        if slope > steepest {
                            (steepest, *way) = (slope, number as u8);
                        }
                    }
                    continue;
                }
                let is_outlet = outlets.is_outlet(here, level);
                let inside = |columns: isize, rows: isize| {
                    let column = column.checked_add_signed(columns).filter(|column| *column < width)?;
                    let row = row.checked_add_signed(rows).filter(|row| *row < depth)?;
                    Some(row * width + column)
                };
                for (number, (columns, rows)) in LEADS_TO.into_iter().enumerate() {
                    let (fall, to) = match (inside(columns, rows), inside(-columns, -rows)) {
                        (Some(there), _) => (level - levels[there], number as u8),
                        (None, Some(behind)) if is_outlet => (levels[behind] - level, ENDS),
                        (None, _) => continue,
                    };
                    let slope = slope(fall, number);
                    // Among equally steep ways, one that leaves the land is preferred.
                    if slope > steepest || to == ENDS && slope > 0.0 && slope == steepest {
                        (steepest, *way) = (slope, to);
                    }
                }
                if *way == LEVEL && is_outlet {
                    *way = ENDS;
                }
            }
            Ok::<_, Error>(())
        })?;
        // The only outlet of land with a closed border may lie inside it.
        if let Some(lowest) = outlets.lowest {
            of[lowest] = ENDS;
        }
        Ok(Self { grid, of })
    }

    /// The sample that `here` drains to; `None` where water ends.
    pub(super) fn receiver(&self, here: usize) -> Option<usize> {
        let (columns, rows) = LEADS_TO.get(usize::from(self.of[here]))?;
        Some(here.wrapping_add_signed(rows * self.grid.width as isize + columns))
    }

    /// Calls `visit` with each neighbour of a sample and the number of the way to it.
    #[inline]
    pub(super) fn each_neighbour(grid: Grid, here: usize, mut visit: impl FnMut(usize, usize)) {
        let Grid { width, depth, .. } = grid;
        // In 32 bits, in which division is several times faster.
        let (column, row) = ((here as u32 % width as u32) as usize, (here as u32 / width as u32) as usize);
        if column > 0 && row > 0 && column + 1 < width && row + 1 < depth {
            for (number, (columns, rows)) in LEADS_TO.into_iter().enumerate() {
                visit(number, here.wrapping_add_signed(rows * width as isize + columns));
            }
            return;
        }
        for (number, (columns, rows)) in LEADS_TO.into_iter().enumerate() {
            let column = column.checked_add_signed(columns).filter(|column| *column < width);
            let row = row.checked_add_signed(rows).filter(|row| *row < depth);
            if let (Some(column), Some(row)) = (column, row) {
                visit(number, row * width + column);
            }
        }
    }

    /// How many neighbours drain to each sample of a row.
    pub(super) fn count_donors(&self, row: usize, donors: &mut [u8]) {
        let Grid { width, depth, .. } = self.grid;
        donors.fill(0);
        for (rows, three) in [(-1_isize, [7_u8, 6, 5]), (0, [4, u8::MAX, 3]), (1, [2, 1, 0])] {
            let Some(row) = row.checked_add_signed(rows).filter(|row| *row < depth) else { continue };
            let ways = &self.of[row * width..(row + 1) * width];
            // From the west, from straight above or below, from the east.
            let [west, straight, east] = three;
            for (donors, way) in donors.iter_mut().skip(1).zip(ways) {
                *donors += u8::from(*way == west);
            }
            for (donors, way) in donors.iter_mut().zip(ways) {
                *donors += u8::from(*way == straight);
            }
            for (donors, way) in donors.iter_mut().zip(ways.iter().skip(1)) {
                *donors += u8::from(*way == east);
            }
        }
    }
}

/// The slope of a fall to the neighbour of this number, in metres per cell.
fn slope(fall: f32, number: usize) -> f32 {
    let is_diagonal = matches!(number, 0 | 2 | 5 | 7);
    if is_diagonal { fall * std::f32::consts::FRAC_1_SQRT_2 } else { fall }
}

/// The way in the opposite direction.
pub(super) fn back(way: usize) -> u8 {
    7 - way as u8
}
