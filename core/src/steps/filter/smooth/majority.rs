//! Majority filter for maps of terrain types: every cell becomes the most frequent type of the N × N around
//! it.
//!
//! The map is processed in tiles, type by type, for many columns at once. Counts per column of N cells
//! slide down with the rows (as in Perreault and Hébert, "Median Filtering in Constant Time", 2007); the
//! counts of the N columns of a window are summed by doubling, in three steps for N = 9 and seven for N =
//! 255. So the run time depends on the number of types in a tile, and hardly on N.

use std::ops::{Add, Range};

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::steps::filter::smooth::border::{Border, reach_of_window};

/// Columns of a tile: few, so that the counts of a type stay in the L1 cache.
const STRIP: usize = 256;

/// Rows of a tile on few threads: many, because every tile begins by counting N rows.
const BLOCK: usize = 128;

/// The largest window: then the count in a column fits into 8 bits, and that in the window plus one into
/// 16.
const LARGEST: u32 = 255;

/// The largest window whose count plus one fits into 8 bits.
const LARGEST_IN_BYTES: usize = 15;

/// Replaces every id of `ids`, row by row, by the most frequent one of the `size × size` around it. On a
/// tie it stays if it is among the most frequent, and otherwise becomes the smallest of them. No new ids
/// appear.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Work, filter::{Border, majority}};
/// let meadow_with_a_stone = [2, 2, 2, 2, 7, 2, 2, 2, 2];
/// assert_eq!(majority(&meadow_with_a_stone, 3, 3, 3, Border::Clamp, &Work::new())?, [2; 9]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When there are not `width · depth` ids or none, when `size` is even or outside 1 to 255, and
/// [`Error::Cancelled`].
pub fn majority(
    ids: &[u8],
    width: usize,
    depth: usize,
    size: u32,
    border: Border,
    work: &Work,
) -> Result<Vec<u8>> {
    let reach = reach_in_map(ids.len(), width, depth, size)?;
    let map = Map { ids, width, depth, reach, border };
    work.stage("majority", depth * width.div_ceil(STRIP));
    // Enough tiles for every thread. Cells are independent, so tiling does not change results.
    let block = depth.div_ceil(4 * rayon::current_num_threads()).clamp(BLOCK / 4, BLOCK);
    let mut out = vec![0; ids.len()];
    out.par_chunks_mut(block * width).enumerate().try_for_each(|(index, out)| {
        (0..width).step_by(STRIP).try_for_each(|start| {
            let (columns, rows) =
                (start..(start + STRIP).min(width), index * block..index * block + out.len() / width);
            let tile = MapTile { map: &map, columns, rows };
            if map.size() <= LARGEST_IN_BYTES {
                tile.filter::<u8>(out, work)
            } else {
                tile.filter::<u16>(out, work)
            }
        })
    })?;
    Ok(out)
}

/// How many samples a window of `size` extends to each side, in a map of this many ids.
///
/// # Errors
/// Those of [`majority`] but for cancellation.
pub(super) fn reach_in_map(ids: usize, width: usize, depth: usize, size: u32) -> Result<usize> {
    if ids == 0 || width.checked_mul(depth) != Some(ids) {
        let reason = format!("do not match the {ids} ids given");
        return Err(Error::Size { width, depth, reason });
    }
    let reach = reach_of_window(size)?;
    if size > LARGEST {
        return Err(Error::parameter("size", format!("{size} is outside 1 to {LARGEST} samples")));
    }
    Ok(reach)
}

/// The same for a part of a map of `across × down` ids whose windows all lie within the map: its rows,
/// of whose cells only those of the part have a meaning.
pub(super) fn majority_within(
    ids: &[u8],
    [width, depth]: [usize; 2],
    reach: usize,
    (columns, rows): (Range<usize>, Range<usize>),
    work: &Work,
) -> Result<Vec<u8>> {
    let map = Map { ids, width, depth, reach, border: Border::Clamp };
    let mut out = vec![0; rows.len() * width];
    let tile = MapTile { map: &map, columns, rows };
    if map.size() <= LARGEST_IN_BYTES {
        tile.filter::<u8>(&mut out, work)?;
    } else {
        tile.filter::<u16>(&mut out, work)?;
    }
    Ok(out)
}

struct Map<'a> {
    ids: &'a [u8],
    width: usize,
    depth: usize,
    reach: usize,
    border: Border,
}

impl Map<'_> {
    fn size(&self) -> usize {
        2 * self.reach + 1
    }
}

struct MapTile<'a> {
    map: &'a Map<'a>,
    columns: Range<usize>,
    rows: Range<usize>,
}

impl MapTile<'_> {
    /// Filters the tile, counting in `Count`. `out` are the whole rows that the tile lies in.
    fn filter<Count: Counter>(&self, out: &mut [u8], work: &Work) -> Result<()> {
        let size = self.map.size();
        let mut seen = vec![0; self.columns.len() + size - 1];
        // Only types that occur in the tile are counted, because each costs a pass over its columns.
        let mut tally = Tally::<Count>::new(self.kinds(&mut seen, work)?, seen.len());
        for row in self.rows.start..self.rows.start + size - 1 {
            work.check()?;
            self.look(row, &mut seen);
            tally.change(&seen, 1);
        }
        for (row, out) in self.rows.clone().zip(out.chunks_exact_mut(self.map.width)) {
            work.check()?;
            self.look(row + size - 1, &mut seen);
            tally.change(&seen, 1);
            let middle = &self.map.ids[row * self.map.width..][self.columns.clone()];
            tally.vote(size, middle, &mut out[self.columns.clone()]);
            // Read a second time instead of kept: a window may be 255 rows high.
            self.look(row, &mut seen);
            tally.change(&seen, ONE_LESS);
            work.advance(1);
        }
        Ok(())
    }

    /// The ids within its windows, in ascending order.
    fn kinds(&self, seen: &mut [u8], work: &Work) -> Result<Vec<u8>> {
        let mut there = [false; 256];
        for row in self.rows.start..self.rows.end + self.map.size() - 1 {
            work.check()?;
            self.look(row, seen);
            seen.iter().for_each(|&id| there[usize::from(id)] = true);
        }
        Ok((0..=255).filter(|&id| there[usize::from(id)]).collect())
    }

    /// Reads the ids of a row as far as the tile's windows extend. Row 0 is `reach` rows above the map's
    /// first.
    fn look(&self, row: usize, seen: &mut [u8]) {
        let &Map { ids, width, depth, reach, border } = self.map;
        let row = &ids[border.before(row, reach, depth) * width..][..width];
        // Most tiles lie inside the map, where a row is one copy.
        match self.columns.start.checked_sub(reach) {
            Some(first) if self.columns.end + reach <= width => {
                seen.copy_from_slice(&row[first..self.columns.end + reach]);
            }
            _ => {
                for (id, column) in seen.iter_mut().zip(self.columns.start..) {
                    *id = row[border.before(column, reach, width)];
                }
            }
        }
    }
}

/// An integer that holds the number of cells of one type in a window.
trait Counter: Copy + Default + Ord + Add<Output = Self> + From<u8> + From<bool> + Send {}

impl Counter for u8 {}
impl Counter for u16 {}

/// Added with wrapping, this subtracts 1.
const ONE_LESS: u8 = u8::MAX;

/// The counts of each type in the columns within reach.
struct Tally<Count> {
    /// In ascending order.
    kinds: Vec<u8>,
    /// For every type in turn, its number of cells in each column of the window's height.
    columns: Vec<u8>,
    /// How many columns there are.
    width: usize,
    sums: [Vec<Count>; 2],
    most: Vec<Count>,
}

impl<Count: Counter> Tally<Count> {
    fn new(kinds: Vec<u8>, width: usize) -> Self {
        let columns = vec![0; kinds.len() * width];
        let [first, second, most] = std::array::from_fn(|_| vec![Count::default(); width]);
        Self { kinds, columns, width, sums: [first, second], most }
    }

    /// Counts a row of ids that enters or leaves the windows.
    fn change(&mut self, ids: &[u8], by: u8) {
        in_wide_registers(CountRow { tally: self, ids, by });
    }

    /// Writes the most frequent type of the windows of `size` columns around the cells `middle`.
    fn vote(&mut self, size: usize, middle: &[u8], out: &mut [u8]) {
        in_wide_registers(Vote { tally: self, size, middle, out });
    }
}

struct CountRow<'a, Count> {
    tally: &'a mut Tally<Count>,
    ids: &'a [u8],
    by: u8,
}

impl<Count: Counter> Loop for CountRow<'_, Count> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Tally { kinds, columns, width, .. } = self.tally;
        for (&kind, columns) in kinds.iter().zip(columns.chunks_exact_mut(*width)) {
            for (count, &id) in columns.iter_mut().zip(self.ids) {
                // Without a branch, so that it is vectorised: ids are as good as random here.
                *count = count.wrapping_add(if id == kind { self.by } else { 0 });
            }
        }
    }
}

struct Vote<'a, Count> {
    tally: &'a mut Tally<Count>,
    size: usize,
    middle: &'a [u8],
    out: &'a mut [u8],
}

impl<Count: Counter> Loop for Vote<'_, Count> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Tally { kinds, columns, width, sums, most } = self.tally;
        most.fill(Count::default());
        for (&kind, columns) in kinds.iter().zip(columns.chunks_exact(*width)) {
            // A type of the tile that no column of these windows has needs no sums.
            if columns.iter().fold(0, |any, &count| any | count) == 0 {
                continue;
            }
            let sums = sum_windows(columns, self.size, sums);
            let cells = self.out.iter_mut().zip(self.middle).zip(most.iter_mut().zip(sums));
            for ((out, &middle), (most, &sum)) in cells {
                // Types come in ascending order, so of equally frequent ones the first stays; the cell's
                // own type gets one extra vote.
                let wins = sum + Count::from(middle == kind) > *most;
                *out = if wins { kind } else { *out };
                *most = sum.max(*most);
            }
        }
    }
}

/// The sums of every `size` consecutive counts, by doubling: sums of half the size are added in pairs, and
/// for an odd size one count more.
#[inline(always)]
fn sum_windows<'a, Count: Counter>(
    counts: &[u8],
    size: usize,
    [sums, next]: &'a mut [Vec<Count>; 2],
) -> &'a [Count] {
    sums.iter_mut().zip(counts).for_each(|(sum, &count)| *sum = count.into());
    // From the highest bit of the size down: each step doubles the number summed, and adds one if the next
    // bit is set.
    for bit in (0..size.ilog2()).rev() {
        let (half, whole) = (size >> (bit + 1), size >> bit);
        let there = counts.len() + 1 - whole;
        let halves = sums[..there].iter().zip(&sums[half..]);
        if whole % 2 == 1 {
            for ((next, (&left, &right)), &last) in next.iter_mut().zip(halves).zip(&counts[2 * half..]) {
                *next = left + right + last.into();
            }
        } else {
            next.iter_mut().zip(halves).for_each(|(next, (&left, &right))| *next = left + right);
        }
        std::mem::swap(sums, next);
    }
    sums
}
