//! Flow directions (D8) of all samples, four bits each.

use rayon::prelude::*;

pub(super) use crate::drainage::LEADS_TO as NEIGHBOURS;
use crate::grid::Grid;

/// Instead of a direction: water leaves the land here.
pub(super) const OUTLET: usize = 8;
/// Instead of a direction: sea bed.
pub(super) const SEA: usize = 9;
/// Instead of a direction: no neighbour is lower, and no way over a sill has been found yet.
pub(super) const PIT: usize = 10;

/// Rows of a block of [`Ways::blocks_mut`]: an even number, so that no byte belongs to two blocks.
pub(super) const BLOCK: usize = 16;

/// The direction back.
pub(super) fn opposite(direction: usize) -> usize {
    NEIGHBOURS.len() - 1 - direction
}

/// The flow direction of every sample: the index of a neighbour, [`OUTLET`], [`SEA`] or [`PIT`].
pub(super) struct Ways {
    grid: Grid,
    /// Two samples a byte, the first in the low bits. One byte before and two after all of them are
    /// padding, which is read along with the first and last samples.
    bytes: Vec<u8>,
}

impl Ways {
    pub(super) fn new(grid: Grid) -> Self {
        // All ones match no direction, so padding never counts as a donor.
        Self { grid, bytes: vec![0xFF; grid.count().div_ceil(2) + 3] }
    }

    pub(super) fn get(&self, sample: usize) -> usize {
        usize::from(self.bytes[sample / 2 + 1] >> (4 * (sample % 2)) & 0xF)
    }

    /// The ways of all samples of a row.
    pub(super) fn of_row(&self, row: usize, out: &mut [u8]) {
        let mut first = row * self.grid.width;
        let mut rest = out;
        // Of rows of odd width every second one begins in the middle of a byte.
        if first % 2 == 1 && !rest.is_empty() {
            rest[0] = self.get(first) as u8;
            (first, rest) = (first + 1, &mut rest[1..]);
        }
        // From here on two samples share a byte.
        let bytes = &self.bytes[first / 2 + 1..];
        for (pair, byte) in rest.chunks_mut(2).zip(bytes) {
            for (place, way) in pair.iter_mut().enumerate() {
                *way = byte >> (4 * place) & 0xF;
            }
        }
    }

    pub(super) fn set(&mut self, sample: usize, way: usize) {
        put(&mut self.bytes[1..], sample, way);
    }

    /// The sample that `here` drains to; `None` at outlets and on sea bed.
    pub(super) fn receiver(&self, here: usize) -> Option<usize> {
        let (columns, rows) = NEIGHBOURS.get(self.get(here))?;
        Some(here.wrapping_add_signed(rows * self.grid.width as isize + columns))
    }

    /// The directions of all neighbours that drain here, one bit each.
    #[inline]
    pub(super) fn donors(&self, column: usize, row: usize) -> u32 {
        /// The directions by which three neighbours in a row lead here, four bits each; for the sample itself
        /// F, which matches none.
        const NORTH: u32 = 0x567;
        const MIDDLE: u32 = 0x3F4;
        const SOUTH: u32 = 0x012;
        /// Padding beyond the first and last rows: matches nothing.
        const NOTHING: u32 = 0xFFF;
        let Grid { width, depth, .. } = self.grid;
        let here = row * width + column;
        let north = if row == 0 { NOTHING } else { self.three(here - width) };
        let south = if row + 1 == depth { NOTHING } else { self.three(here + width) };
        // A nibble that equals the wanted direction becomes 0 by exclusive or: three neighbours are tested
        // without a branch.
        let matches = |ways: u32, wanted: u32| {
            let zero = ways ^ wanted;
            let bit = |nibble: u32| u32::from(zero >> (4 * nibble) & 0xF == 0);
            bit(0) | bit(1) << 1 | bit(2) << 2
        };
        let middle = matches(self.three(here), MIDDLE);
        let all = matches(north, NORTH) | (middle & 1 | (middle & 4) >> 1) << 3 | matches(south, SOUTH) << 5;
        // At the ends of a row `three` has read samples of the rows before and after it; their bits are
        // cleared.
        let west = if column == 0 { 0b0010_1001 } else { 0 };
        let east = if column + 1 == width { 0b1001_0100 } else { 0 };
        all & !(west | east)
    }

    /// The directions of a sample and its western and eastern neighbours: four bits each, from west.
    fn three(&self, here: usize) -> u32 {
        // The byte of the sample before, behind the one that comes before all.
        let first = here.div_ceil(2);
        let both = u32::from(self.bytes[first]) | u32::from(self.bytes[first + 1]) << 8;
        both >> (4 * ((here + 1) % 2)) & 0xFFF
    }

    /// Blocks of [`BLOCK`] rows, to be written with [`put`].
    pub(super) fn blocks_mut(&mut self) -> rayon::slice::ChunksMut<'_, u8> {
        // Without the padding, so that block and sample numbers agree; a block of 16 rows is a whole number
        // of bytes at any width.
        let bytes = self.grid.count().div_ceil(2);
        self.bytes[1..][..bytes].par_chunks_mut(self.grid.width * BLOCK / 2)
    }
}

/// Stores the direction of one sample of a block.
pub(super) fn put(block: &mut [u8], sample: usize, way: usize) {
    let shift = 4 * (sample % 2);
    let byte = &mut block[sample / 2];
    *byte = *byte & !(0xF << shift) | (way as u8) << shift;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::steps::filter::erode::drainage::neighbours;

    #[test]
    fn donors_are_the_neighbours_whose_way_leads_here() -> Result<()> {
        for (width, depth) in [(1, 1), (1, 9), (9, 1), (2, 33), (7, 5), (8, 40)] {
            let grid = Grid::new(width, depth, 1.0)?;
            let mut ways = Ways::new(grid);
            for sample in 0..grid.count() {
                ways.set(sample, (sample * 7919 + sample / 3) % 11);
            }
            for sample in 0..grid.count() {
                assert_eq!(ways.get(sample), (sample * 7919 + sample / 3) % 11);
                let expected = neighbours(grid, sample)
                    .filter(|next| ways.get(next.there) == opposite(next.direction))
                    .fold(0, |all, next| all | 1 << next.direction);
                assert_eq!(ways.donors(sample % width, sample / width), expected, "{width}×{depth} {sample}");
            }
        }
        Ok(())
    }
}
