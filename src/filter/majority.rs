//! Majority filter, for terrain types: every cell becomes the commonest type of the N × N around it.
//!
//! After the median filter of Perreault and Hébert, "Median Filtering in Constant Time" (2007): every
//! column keeps a histogram of the N cells above and below, which slides down with the rows, and the
//! histogram of the window slides along the row by taking one column's in and another's out. The time
//! depends on the number of types that there are, not on N.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::filter::border::{Border, reach_of_window};
use crate::work::Work;

/// Rows that share one set of columns' histograms.
const BLOCK: usize = 128;

/// The largest window: the count of a type within it fits into 16 bits, that within a column into 8.
const LARGEST: u32 = 255;

/// `ids`, row by row, with every one replaced by the commonest of the `size × size` around it. Where
/// several are equally common it stays as it is if it is one of them, and becomes the smallest of them
/// otherwise. An id that was nowhere before is nowhere after.
///
/// ```
/// # use upland::{Work, filter::{Border, majority}};
/// let meadow_with_a_stone = [2, 2, 2, 2, 7, 2, 2, 2, 2];
/// assert_eq!(majority(&meadow_with_a_stone, 3, 3, 3, Border::Clamp, &Work::new())?, [2; 9]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When there are not `width · depth` ids or none at all, when `size` is even or outside 1 to 255, and
/// [`Error::Cancelled`].
pub fn majority(
    ids: &[u8],
    width: usize,
    depth: usize,
    size: u32,
    border: Border,
    work: &Work,
) -> Result<Vec<u8>> {
    if ids.is_empty() || width.checked_mul(depth) != Some(ids.len()) {
        let reason = format!("do not match the {} ids given", ids.len());
        return Err(Error::Size { width, depth, reason });
    }
    let reach = reach_of_window(size)?;
    if size > LARGEST {
        return Err(Error::parameter("size", format!("{size} is outside 1 to {LARGEST} samples")));
    }
    let map = Map { ids, width, depth, reach, border };
    let kinds = kinds(ids);
    work.stage("majority", depth);
    match kinds.len() {
        0..=8 => map.filter::<8>(&kinds, work),
        9..=16 => map.filter::<16>(&kinds, work),
        17..=32 => map.filter::<32>(&kinds, work),
        33..=64 => map.filter::<64>(&kinds, work),
        _ => map.filter::<256>(&kinds, work),
    }
}

/// The ids that there are, smallest first.
fn kinds(ids: &[u8]) -> Vec<u8> {
    let none = || [false; 256];
    let seen = ids.par_chunks(1 << 16).fold(none, |mut seen, ids| {
        ids.iter().for_each(|&id| seen[usize::from(id)] = true);
        seen
    });
    let seen = seen.reduce(none, |a, b| std::array::from_fn(|id| a[id] || b[id]));
    (0..=255).filter(|&id| seen[usize::from(id)]).collect()
}

struct Map<'a> {
    ids: &'a [u8],
    width: usize,
    depth: usize,
    reach: usize,
    border: Border,
}

impl Map<'_> {
    /// The filter for at most `KINDS` different ids.
    fn filter<const KINDS: usize>(&self, kinds: &[u8], work: &Work) -> Result<Vec<u8>> {
        let mut number = [0u8; 256];
        for (index, &id) in kinds.iter().enumerate() {
            number[usize::from(id)] = index as u8;
        }
        let size = 2 * self.reach + 1;
        // Column `around[c]` enters the window of column c − size + 1, counted from the first window's.
        let around: Vec<usize> = (0..self.width + size - 1)
            .map(|column| self.border.before(column, self.reach, self.width))
            .collect();
        let row_at = |row: usize| {
            let row = self.border.before(row, self.reach, self.depth);
            &self.ids[row * self.width..][..self.width]
        };
        let mut out = vec![0; self.ids.len()];
        out.par_chunks_mut(BLOCK * self.width).enumerate().try_for_each(|(block, out)| {
            let first = block * BLOCK;
            let mut columns = vec![[0u8; KINDS]; self.width];
            for row in first..first + size - 1 {
                work.check()?;
                for (column, &id) in columns.iter_mut().zip(row_at(row)) {
                    column[usize::from(number[usize::from(id)]) % KINDS] += 1;
                }
            }
            for (row, out) in (first..).zip(out.chunks_exact_mut(self.width)) {
                work.check()?;
                for (column, &id) in columns.iter_mut().zip(row_at(row + size - 1)) {
                    column[usize::from(number[usize::from(id)]) % KINDS] += 1;
                }
                let middle = &self.ids[row * self.width..][..self.width];
                slide(&columns, &around, size, middle, &number, kinds, out);
                for (column, &id) in columns.iter_mut().zip(row_at(row)) {
                    column[usize::from(number[usize::from(id)]) % KINDS] -= 1;
                }
                work.advance(1);
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// Slides the window along one row.
fn slide<const KINDS: usize>(
    columns: &[[u8; KINDS]],
    around: &[usize],
    size: usize,
    middle: &[u8],
    number: &[u8; 256],
    kinds: &[u8],
    out: &mut [u8],
) {
    // Counts begin at the lowest number there is, so that 255 × 255 of them fit: only their order counts.
    let mut window = [i16::MIN; KINDS];
    let enter = |window: &mut [i16; KINDS], column: usize| {
        for (sum, &count) in window.iter_mut().zip(&columns[column]) {
            *sum = sum.wrapping_add(i16::from(count));
        }
    };
    let leave = |window: &mut [i16; KINDS], column: usize| {
        for (sum, &count) in window.iter_mut().zip(&columns[column]) {
            *sum = sum.wrapping_sub(i16::from(count));
        }
    };
    around[..size - 1].iter().for_each(|&column| enter(&mut window, column));
    let ends = around[size - 1..].iter().zip(around);
    for ((out, &middle), (&entering, &leaving)) in out.iter_mut().zip(middle).zip(ends) {
        enter(&mut window, entering);
        *out = kinds[commonest(&window, usize::from(number[usize::from(middle)]))];
        leave(&mut window, leaving);
    }
}

/// Which count is the largest; among equal ones `middle` if it is one of them, else the first.
#[inline(always)]
fn commonest<const KINDS: usize>(window: &[i16; KINDS], middle: usize) -> usize {
    let most = window.iter().fold(i16::MIN, |most, &count| most.max(count));
    if window[middle % KINDS] == most {
        return middle;
    }
    // Without a branch for every kind: those that have less do not come first.
    let mut first = i16::MAX;
    for (kind, &count) in (0i16..).zip(window) {
        first = first.min(if count == most { kind } else { i16::MAX });
    }
    first as usize
}
