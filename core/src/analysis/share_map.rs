//! A share for every sample of a land, kept small.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Region};

/// A number in [0, 1] for every sample of a field, kept in one byte or in two.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareMap {
    grid: Grid,
    values: Values,
}

/// Row by row, from the north-west.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// 0 to 1 as 0 to 255.
    Coarse(Vec<u8>),
    /// 0 to 1 as 0 to 65535.
    Fine(Vec<u16>),
}

impl ShareMap {
    /// A layer over `grid` from bytes, row by row from the north-west: 0 to 1 as 0 to 255.
    ///
    /// # Errors
    /// [`Error::Size`] when there are not as many values as samples.
    pub fn new(grid: Grid, values: Vec<u8>) -> Result<Self> {
        Self { grid, values: Values::Coarse(values) }.checked()
    }

    /// As [`new`](Self::new), in finer steps: 0 to 1 as 0 to 65535.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fine(grid: Grid, values: Vec<u16>) -> Result<Self> {
        Self { grid, values: Values::Fine(values) }.checked()
    }

    /// A layer in fine steps whose rows `fill(row, values)` writes, on all cores; values beyond 0 and 1 are
    /// cut off.
    ///
    /// # Errors
    /// Those of `fill`, and [`Error::Cancelled`].
    pub fn from_rows(
        grid: Grid,
        work: &Work,
        fill: impl Fn(usize, &mut [f32]) -> Result<()> + Sync,
    ) -> Result<Self> {
        let mut values = vec![0; grid.count()];
        let rows = values.par_chunks_mut(grid.width).enumerate();
        rows.try_for_each_init(
            || vec![0.0f32; grid.width],
            |floats, (row, values)| {
                work.check()?;
                fill(row, floats)?;
                for (value, float) in values.iter_mut().zip(floats.iter()) {
                    // Rounded by adding one half, since the cast cuts off.
                    *value = (float.clamp(0.0, 1.0) * 65535.0 + 0.5) as u16;
                }
                work.advance(1);
                Ok::<_, Error>(())
            },
        )?;
        Self::fine(grid, values)
    }

    fn checked(self) -> Result<Self> {
        let Grid { width, depth, .. } = self.grid;
        let count = match &self.values {
            Values::Coarse(values) => values.len(),
            Values::Fine(values) => values.len(),
        };
        if count != self.grid.count() {
            let reason = format!("do not match the {count} values of a layer");
            return Err(Error::Size { width, depth, reason });
        }
        Ok(self)
    }

    /// The grid of the field.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.values {
            Values::Coarse(values) => values.len() as u64,
            Values::Fine(values) => 2 * values.len() as u64,
        }
    }

    /// The layer over the samples of another region, interpolated bilinearly; beyond its own region it goes
    /// on as at its border.
    pub(crate) fn in_region(&self, from: &Region, to: &Region) -> Self {
        let taps = |axis: usize, count: usize| -> Vec<Tap> {
            let (first, last) = (from.window().first[axis], self.side(axis) - 1);
            let index = |index: usize| (to.window().first[axis] + index as i64) as f64;
            // Scaling by a power of two is exact, so a place has the same bits whatever the window.
            let place = |number: usize| libm::ldexp(index(number), to.level() - from.level()) - first as f64;
            let tap = |place: f64| {
                let place = place.clamp(0.0, last as f64);
                let before = place as usize;
                Tap { before, after: (before + 1).min(last), share: (place - before as f64) as f32 }
            };
            (0..count).map(|number| tap(place(number))).collect()
        };
        let grid = to.grid();
        let (columns, rows) = (taps(0, grid.width), taps(1, grid.depth));
        let values = match &self.values {
            Values::Coarse(values) => Values::Coarse(bilinear(values, self.grid.width, &columns, &rows)),
            Values::Fine(values) => Values::Fine(bilinear(values, self.grid.width, &columns, &rows)),
        };
        Self { grid, values }
    }

    /// The layer over `all` that consists of blocks of one size, `columns` of them side by side, row by row.
    /// The last ones along a side may be smaller.
    pub(crate) fn of_blocks(all: &Region, [columns, _]: [usize; 2], blocks: &[&Self]) -> Self {
        let grid = all.grid();
        let side = blocks.first().map_or(grid, |block| block.grid);
        // Eight bits only if all blocks have them; otherwise all are widened.
        let coarse = blocks.iter().map(|block| match &block.values {
            Values::Coarse(values) => Some(&values[..]),
            Values::Fine(_) => None,
        });
        let values = match coarse.collect::<Option<Vec<&[u8]>>>() {
            Some(blocks) => Values::Coarse(joined(&blocks, columns, side, grid)),
            None => {
                let fine: Vec<Cow<[u16]>> = blocks.iter().map(|block| block.fine_values()).collect();
                let fine: Vec<&[u16]> = fine.iter().map(|values| &**values).collect();
                Values::Fine(joined(&fine, columns, side, grid))
            }
        };
        Self { grid, values }
    }

    /// Its values as 0 to 65535.
    fn fine_values(&self) -> Cow<'_, [u16]> {
        match &self.values {
            // 257 · 255 = 65535: 0 and 1 stay exactly 0 and 1.
            Values::Coarse(values) => values.iter().map(|&value| u16::from(value) * 257).collect(),
            Values::Fine(values) => values.into(),
        }
    }

    /// Samples along x (0) or z (1).
    fn side(&self, axis: usize) -> usize {
        [self.grid.width, self.grid.depth][axis]
    }

    /// The value at a sample.
    pub fn at(&self, column: usize, row: usize) -> f32 {
        let index = row * self.grid.width + column;
        match &self.values {
            Values::Coarse(values) => f32::from(values[index]) / 255.0,
            Values::Fine(values) => f32::from(values[index]) / 65535.0,
        }
    }

    /// Interpolates the samples of some columns between two rows, at `share` of the way from the northern
    /// one.
    #[inline(always)]
    pub(crate) fn read_between(
        &self,
        (north, south): (usize, usize),
        columns: Range<usize>,
        share: f32,
        out: &mut [f32],
    ) {
        let part = |row: usize| row * self.grid.width + columns.start..row * self.grid.width + columns.end;
        match &self.values {
            Values::Coarse(values) => {
                between(&values[part(north)], &values[part(south)], share, 1.0 / 255.0, out)
            }
            Values::Fine(values) => {
                between(&values[part(north)], &values[part(south)], share, 1.0 / 65535.0, out)
            }
        }
    }
}

/// The values of blocks of the size of `side`, `columns` of them side by side, row by row over `grid`.
fn joined<T: Copy>(blocks: &[&[T]], columns: usize, side: Grid, grid: Grid) -> Vec<T> {
    let mut all = Vec::with_capacity(grid.count());
    for row in 0..grid.depth {
        for (number, block) in blocks[row / side.depth * columns..][..columns].iter().enumerate() {
            // The last block of a row is narrower.
            let width = side.width.min(grid.width - number * side.width);
            all.extend_from_slice(&block[row % side.depth * width..][..width]);
        }
    }
    all
}

/// The two samples that a place along an axis lies between, and the share of the way to the second.
struct Tap {
    before: usize,
    after: usize,
    share: f32,
}

/// A whole number that stands for a share.
trait Stored: Copy + Into<f32> + Send + Sync {
    fn from_f32(value: f32) -> Self;
}

impl Stored for u8 {
    fn from_f32(value: f32) -> Self {
        value as Self
    }
}

impl Stored for u16 {
    fn from_f32(value: f32) -> Self {
        value as Self
    }
}

/// Interpolates at every pair of a row's and a column's tap.
fn bilinear<T: Stored>(values: &[T], width: usize, columns: &[Tap], rows: &[Tap]) -> Vec<T> {
    let row = |down: &Tap| {
        let (north, south) = (&values[down.before * width..], &values[down.after * width..]);
        let down = down.share;
        columns.iter().map(move |across| {
            let along = |row: &[T]| -> f32 {
                let (west, east): (f32, f32) = (row[across.before].into(), row[across.after].into());
                west + (east - west) * across.share
            };
            let (north, south) = (along(north), along(south));
            // Plus one half: the cast rounds down.
            T::from_f32(north + (south - north) * down + 0.5)
        })
    };
    rows.par_iter().flat_map_iter(row).collect()
}

/// Values between those of two rows, times `unit`.
#[inline(always)]
fn between<T: Copy + Into<f32>>(north: &[T], south: &[T], share: f32, unit: f32, out: &mut [f32]) {
    for ((out, &north), &south) in out.iter_mut().zip(north).zip(south) {
        let (north, south): (f32, f32) = (north.into(), south.into());
        // Scaled last: one product for two samples.
        *out = (north + (south - north) * share) * unit;
    }
}
