//! One level of diamond-square: a lattice of half the spacing from the one before, rows of it in parallel.

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::noise::{hash_along, hash_of_column, signed_unit};

/// Rows of the coarser lattice that one thread handles at a time.
const BLOCK: usize = 16;

/// One level: splits each square of a lattice into four.
pub(super) struct Subdivision<'a> {
    corners: &'a [f32],
    corner_size: [usize; 2],
    size: [usize; 2],
    /// Whether opposite borders are one line.
    wrap: bool,
    /// Whether borders look at the ground beyond the opposite ones, and are displaced by themselves.
    across: bool,
    /// Largest displacement.
    range: f32,
    /// The columns' half of the hash, for even and for odd columns.
    even: Vec<u64>,
    odd: Vec<u64>,
}

impl<'a> Subdivision<'a> {
    /// `wrap` and `across` are the fields of these names.
    pub(super) fn new(
        corners: &'a [f32],
        corner_size: [usize; 2],
        size: [usize; 2],
        (wrap, across): (bool, bool),
        range: f32,
        seed: u64,
    ) -> Self {
        let every_second = |first: usize| {
            // The part of the hash that depends on the column alone, made once for all rows.
            let column = |index: usize| hash_of_column(seed, (2 * index + first) as i64);
            (0..corner_size[0]).map(column).collect()
        };
        Self { corners, corner_size, size, wrap, across, range, even: every_second(0), odd: every_second(1) }
    }

    /// Computes the points of the level into `heights`.
    pub(super) fn make(&self, heights: &mut [f32], work: &Work) -> Result<()> {
        let [width, _] = self.size;
        // An even number of rows for each task, so that each begins with a row of corners.
        heights.par_chunks_mut(width * 2 * BLOCK).enumerate().try_for_each(|(block, heights)| {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            let mut middles = Vec::new();
            // Each block makes the row of centres above it again rather than wait for its neighbour: one row
            // in seventeen.
            self.centres(block * BLOCK, &mut below);
            for (index, rows) in heights.chunks_mut(2 * width).enumerate() {
                work.check()?;
                let row = block * BLOCK + index;
                // The centres below a pair of rows are those above the next.
                std::mem::swap(&mut above, &mut below);
                self.centres(row + 1, &mut below);
                let (upper, lower) = rows.split_at_mut(width);
                self.middles_beside_corners(row, &above, &below, &mut middles);
                interleave(&self.corners_of(row), &middles, upper);
                if !lower.is_empty() {
                    self.middles_beside_centres(row, &below, &mut middles);
                    interleave(&middles, &below[1..], lower);
                }
                work.advance(rows.len() / width);
            }
            Ok(())
        })
    }

    /// A row of corners; with wrapping, the first follows again after the last.
    fn corners_of(&self, row: usize) -> Vec<f32> {
        let [width, depth] = self.corner_size;
        // The row after the last is the first again where land wraps; elsewhere it is never asked for.
        let corners = &self.corners[row % depth * width..][..width];
        // One corner more closes the last square, so the loops below need no case for it.
        let first = self.wrap.then_some(corners[0]);
        corners.iter().copied().chain(first).collect()
    }

    /// The centres of the squares above a row of corners: the mean of their four corners, displaced. One
    /// more centre comes first, that of the east end when wrapping, otherwise unused. Empty where there are
    /// no squares.
    fn centres(&self, end: usize, out: &mut Vec<f32>) {
        out.clear();
        let depth = self.corner_size[1];
        let row = match (end, self.wrap) {
            (0, true) => depth - 1,
            (end, true) => end - 1,
            (0, false) if self.across => depth - 2,
            (end, false) if self.across && end == depth => 0,
            (end, false) if (1..depth).contains(&end) => end - 1,
            _ => return,
        };
        let (north, south) = (self.corners_of(row), self.corners_of(row + 1));
        // Centre i lies west of corner i; index 0 is beyond the border and filled in last.
        out.resize(north.len(), 0.0);
        let [north, south] = [&north, &south].map(|corners| [&corners[..], &corners[1..]]);
        in_wide_registers(Centres {
            corners: [north[0], north[1], south[0], south[1]],
            columns: &self.odd,
            random: self.displacement(2 * row + 1),
            out: &mut out[1..],
        });
        // The centre west of the first corner is the last one, where land wraps. Where it doesn't, border
        // midpoints are made again without it.
        out[0] = out[out.len() - 1];
    }

    /// Midpoints of the edges in a row of corners: the mean of the existing neighbours, displaced.
    fn middles_beside_corners(&self, row: usize, above: &[f32], below: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.size[0] / 2, 0.0);
        let corners = self.corners_of(row);
        let random = self.displacement(2 * row);
        let [west, east] = [&corners[..], &corners[1..]];
        match (above.get(1..), below.get(1..)) {
            (Some(north), Some(south)) => {
                let neighbours = [west, east, north, south];
                in_wide_registers(Middles { neighbours, columns: &self.odd, random, out });
            }
            (Some(centres), None) | (None, Some(centres)) => {
                for (index, out) in out.iter_mut().enumerate() {
                    // On the border there is one centre, so the mean is of three.
                    let mean = (0.0 + west[index] + east[index] + centres[index]) / 3.0;
                    *out = mean + random.of(self.odd[index]);
                }
            }
            // No square, no midpoint.
            (None, None) => {}
        }
    }

    /// Midpoints of the edges in the row of centres below a row of corners.
    fn middles_beside_centres(&self, row: usize, centres: &[f32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(self.size[0].div_ceil(2), 0.0);
        let (north, south) = (self.corners_of(row), self.corners_of(row + 1));
        let random = self.displacement(2 * row + 1);
        let neighbours = [centres, &centres[1..], &north, &south];
        in_wide_registers(Middles { neighbours, columns: &self.even, random, out });
        if self.wrap {
            return;
        }
        // At the first place the loop took a centre beyond the border, and at the last it had none: both are
        // made here.
        let last = self.corner_size[0] - 1;
        for index in [0, last] {
            if let Some(out) = out.get_mut(index) {
                if self.across {
                    // Across the border the neighbour east of the last is the first.
                    let [west, east] = [centres[index], centres[(index % last) + 1]];
                    *out =
                        (0.0 + west + east + north[index] + south[index]) / 4.0 + random.of(self.even[index]);
                    continue;
                }
                // The first corner has its only centre to the east, all others have one to the west.
                let centre = centres[index.max(1)];
                *out = (0.0 + centre + north[index] + south[index]) / 3.0 + random.of(self.even[index]);
            }
        }
    }

    fn displacement(&self, row: usize) -> Displacement {
        Displacement { range: self.range, row: row as i64 }
    }
}

/// The displacements of the points of a row.
#[derive(Clone, Copy)]
struct Displacement {
    range: f32,
    row: i64,
}

impl Displacement {
    /// The displacement in a column, given the column's half of the hash.
    #[inline(always)]
    fn of(self, column: u64) -> f32 {
        self.range * signed_unit(hash_along(column, self.row))
    }
}

/// Means of four points, displaced: the diamond step.
struct Centres<'a> {
    corners: [&'a [f32]; 4],
    columns: &'a [u64],
    random: Displacement,
    out: &'a mut [f32],
}

impl Loop for Centres<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { corners: [nw, ne, sw, se], columns, random, out } = self;
        let corners = nw.iter().zip(ne).zip(sw.iter().zip(se));
        for ((out, ((nw, ne), (sw, se))), column) in out.iter_mut().zip(corners).zip(columns) {
            // In this order: another sum rounds differently, and golden hashes see every bit.
            *out = (nw + ne + sw + se) / 4.0 + random.of(*column);
        }
    }
}

/// Means of four neighbours, displaced, for the points that have all four: the square step.
struct Middles<'a> {
    neighbours: [&'a [f32]; 4],
    columns: &'a [u64],
    random: Displacement,
    out: &'a mut [f32],
}

impl Loop for Middles<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { neighbours: [west, east, north, south], columns, random, out } = self;
        let neighbours = west.iter().zip(east).zip(north.iter().zip(south));
        for ((out, ((west, east), (north, south))), column) in out.iter_mut().zip(neighbours).zip(columns) {
            // Beginning with 0.0 makes zeros positive: −0.0 has other bits, which golden hashes would see.
            *out = (0.0 + west + east + north + south) / 4.0 + random.of(*column);
        }
    }
}

/// Writes `even` and `odd` points alternately.
fn interleave(even: &[f32], odd: &[f32], out: &mut [f32]) {
    let last = out.len() - 1;
    // Pairs in fixed places are written by vector shuffles; a last single one is left for below.
    for ((out, even), odd) in out.chunks_exact_mut(2).zip(even).zip(odd) {
        (out[0], out[1]) = (*even, *odd);
    }
    if last.is_multiple_of(2) {
        out[last] = even[last / 2];
    }
}
