//! Majority filter for maps of any number of types: every cell becomes the most frequent type of the N × N
//! around it.
//!
//! In a tile with few types it is [`majority`](super::majority). Where there are more, a histogram slides
//! along each row (Huang, Yang and Tang, "A Fast Two-Dimensional Median Filtering Algorithm", 1979), and the
//! number of types that have each count gives the largest.

use rayon::prelude::*;

use super::border::{Border, reach_of_window};
use super::majority::{majority_within, reach_in_map};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, memory};
use crate::params::params;
use crate::steps::{Ground, Operation, estimate, step};

/// Columns and rows of a tile.
const STRIP: usize = 256;
const BLOCK: usize = 128;

/// The most types of a tile that are counted type by type.
const FEW: usize = 256;

params! {
    /// Replaces every height by the commonest in the square around it: for maps of types that were imported
    /// as heights. Never makes a new height; on a tie a sample keeps its own if that is among the commonest,
    /// and otherwise takes the lowest of them.
    pub struct Majority {
        /// Side N of the square; an odd number.
        pub size: u32 = 3, "samples" in 1.0..=255.0, odd;
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for Majority {
    step!("majority", "Majority, for maps of types", Filter);

    /// Equal heights are one type, so all of the land is filtered at level 0: between samples that were
    /// interpolated there are hardly two alike.
    ///
    /// # Errors
    /// When `size` is even.
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let field = &mut ground.heights;
        let grid = field.grid();
        memory::require(grid, 8 * grid.count() as u64)?;
        let Grid { width, depth, .. } = grid;
        let types: Vec<u32> = field.heights().par_iter().map(|height| in_order(*height)).collect();
        let types = majority_of_many(&types, width, depth, self.size, self.border, work)?;
        let heights = field.heights_mut().par_iter_mut().zip(types);
        heights.for_each(|(height, bits)| *height = from_order(bits));
        Ok(())
    }

    fn formula(&self) -> Option<String> {
        let reach = reach_of_window(self.size).ok()?;
        Some(format!("h′(x, z) = the commonest of h(x + i, z + j),  |i|, |j| ≤ {reach} samples"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // On land that is not a map of types, every height counts as a type of its own.
        estimate::of_samples(grid, 100.0 + 8.0 * f64::from(self.size))
    }
}

/// A number that is the larger the higher; 0 and −0 are one.
fn in_order(height: f32) -> u32 {
    const SIGN: u32 = 1 << 31;
    // Adding 0 turns −0 into 0. Positive floats then sort by their bits, negative ones in reverse.
    let bits = (height + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The height of a number of [`in_order`].
fn from_order(number: u32) -> f32 {
    const SIGN: u32 = 1 << 31;
    f32::from_bits(if number & SIGN == 0 { !number } else { number & !SIGN })
}

/// As [`majority`](super::majority), of ids that are any numbers.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Work, filter::{Border, majority_of_many}};
/// let meadow_with_a_stone = [2000u16, 2000, 2000, 2000, 65_535, 2000, 2000, 2000, 2000];
/// assert_eq!(majority_of_many(&meadow_with_a_stone, 3, 3, 3, Border::Clamp, &Work::new())?, [2000; 9]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// As [`majority`](super::majority).
pub fn majority_of_many<Id: Copy + Ord + Default + Send + Sync>(
    ids: &[Id],
    width: usize,
    depth: usize,
    size: u32,
    border: Border,
    work: &Work,
) -> Result<Vec<Id>> {
    let reach = reach_in_map(ids.len(), width, depth, size)?;
    work.stage("majority", depth * width.div_ceil(STRIP));
    let mut out = vec![Id::default(); ids.len()];
    out.par_chunks_mut(BLOCK * width).enumerate().try_for_each(|(index, out)| {
        let rows = index * BLOCK..index * BLOCK + out.len() / width;
        (0..width).step_by(STRIP).try_for_each(|start| {
            let columns = start..(start + STRIP).min(width);
            // The tile and what its windows see around it.
            let (across, down) = (columns.len() + 2 * reach, rows.len() + 2 * reach);
            let mut seen = Vec::with_capacity(across * down);
            for row in rows.start..rows.start + down {
                work.check()?;
                let line = &ids[border.before(row, reach, depth) * width..][..width];
                let places = columns.start..columns.start + across;
                seen.extend(places.map(|column| line[border.before(column, reach, width)]));
            }
            // Ids become their ranks within the tile, so that counters are indexed by small numbers. Ranks
            // keep the order, which decides ties.
            let mut kinds = seen.clone();
            kinds.sort_unstable();
            kinds.dedup();
            work.check()?;
            let number = |id: &Id| kinds.partition_point(|kind| kind < id);
            let mut write = |row: usize, numbers: &mut dyn Iterator<Item = usize>| {
                let line = &mut out[row * width..][columns.clone()];
                line.iter_mut().zip(numbers).for_each(|(out, number)| *out = kinds[number]);
            };
            if kinds.len() <= FEW {
                let numbers: Vec<u8> = seen.iter().map(|id| number(id) as u8).collect();
                let within = (reach..reach + columns.len(), reach..reach + rows.len());
                let found = majority_within(&numbers, [across, down], reach, within, work)?;
                for row in 0..rows.len() {
                    let line = &found[row * across + reach..][..columns.len()];
                    write(row, &mut line.iter().map(|number| usize::from(*number)));
                }
                return Ok(());
            }
            let numbers: Vec<u32> = seen.iter().map(|id| number(id) as u32).collect();
            let mut histogram = Histogram::new(kinds.len(), size as usize);
            for row in 0..rows.len() {
                work.check()?;
                let found = histogram.slide_along(&numbers[row * across..], across, columns.len());
                write(row, &mut found.iter().map(|number| *number as usize));
                work.advance(1);
            }
            Ok(())
        })
    })?;
    Ok(out)
}

/// How often each type is in a window.
struct Histogram {
    size: usize,
    counts: Vec<u32>,
    /// How many types are in the window so and so often.
    with_count: Vec<u32>,
    most: usize,
}

impl Histogram {
    fn new(kinds: usize, size: usize) -> Self {
        Self { size, counts: vec![0; kinds], with_count: vec![0; size * size + 1], most: 0 }
    }

    fn enter(&mut self, kind: u32) {
        let count = &mut self.counts[kind as usize];
        // Types that are not in the window are not counted, so the entry of count 0 wraps. It is never read
        // as a number.
        self.with_count[*count as usize] = self.with_count[*count as usize].wrapping_sub(1);
        *count += 1;
        self.with_count[*count as usize] += 1;
        self.most = self.most.max(*count as usize);
    }

    fn leave(&mut self, kind: u32) {
        let count = &mut self.counts[kind as usize];
        self.with_count[*count as usize] -= 1;
        *count -= 1;
        self.with_count[*count as usize] = self.with_count[*count as usize].wrapping_add(1);
        // The type that left now has one less. If no other has the largest count, that type's new count is
        // the largest.
        if self.with_count[self.most] == 0 {
            self.most -= 1;
        }
    }

    /// The commonest types of the windows of a row, whose cells lie in lines of `across` from `cells` on.
    fn slide_along(&mut self, cells: &[u32], across: usize, windows: usize) -> Vec<u32> {
        self.counts.fill(0);
        self.with_count.fill(0);
        self.most = 0;
        let (size, reach) = (self.size, self.size / 2);
        let column = |column: usize| (0..size).map(move |row| cells[row * across + column]);
        // All columns of the first window but its last, which enters in the loop.
        (0..size - 1).flat_map(column).for_each(|kind| self.enter(kind));
        let mut found = Vec::with_capacity(windows);
        for first in 0..windows {
            column(first + size - 1).for_each(|kind| self.enter(kind));
            let middle = cells[reach * across + first + reach];
            found.push(self.vote(middle, || (first..first + size).flat_map(column)));
            column(first).for_each(|kind| self.leave(kind));
        }
        found
    }

    fn vote<Cells: Iterator<Item = u32>>(&self, middle: u32, window: impl Fn() -> Cells) -> u32 {
        let is_most = |kind: u32| self.counts[kind as usize] as usize == self.most;
        if is_most(middle) {
            return middle;
        }
        // The shorter of two searches for the lowest of the commonest: all types, or all cells of the window.
        if self.counts.len() < self.size * self.size {
            let kinds = (0..self.counts.len() as u32).find(|kind| is_most(*kind));
            return kinds.unwrap_or(middle);
        }
        window().filter(|kind| is_most(*kind)).min().unwrap_or(middle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::majority;
    use super::*;
    use crate::grid::Heightfield;

    #[test]
    fn numbers_are_ordered_as_heights_are() {
        let heights = [f32::MIN, -2.5, -1e-30, 0.0, 1e-30, 3.0, f32::MAX];
        assert!(heights.windows(2).all(|pair| in_order(pair[0]) < in_order(pair[1])));
        assert!(heights.iter().all(|height| from_order(in_order(*height)) == *height));
        assert_eq!(in_order(-0.0), in_order(0.0));
    }

    /// A hash of a place.
    fn noise(index: usize) -> u32 {
        ((index as u32).wrapping_mul(0x9E37_79B1) >> 7).wrapping_mul(0x85EB_CA77) >> 9
    }

    #[test]
    fn few_types_give_what_the_filter_for_bytes_gives() {
        let (width, depth) = (300, 140);
        let ids: Vec<u8> = (0..width * depth).map(|index| (noise(index / 3) % 7) as u8).collect();
        for (size, border) in [(1, Border::Clamp), (3, Border::Wrap), (17, Border::Clamp)] {
            let expected = majority(&ids, width, depth, size, border, &Work::new()).unwrap();
            let many: Vec<u16> = ids.iter().map(|id| 1000 * u16::from(*id)).collect();
            let found = majority_of_many(&many, width, depth, size, border, &Work::new()).unwrap();
            assert!(found.iter().zip(expected).all(|(found, id)| *found == 1000 * u16::from(id)), "{size}");
        }
    }

    #[test]
    fn many_types_give_what_counting_gives() {
        let (width, depth, size) = (61usize, 44usize, 5usize);
        // Blocks of 3 × 2, so that there are windows with a majority and windows without one.
        let id = |index: usize| noise((index / width / 2) * 31 + index % width / 3) % 50_000;
        let ids: Vec<u32> = (0..width * depth).map(id).collect();
        let found = majority_of_many(&ids, width, depth, size as u32, Border::Clamp, &Work::new()).unwrap();
        let mut kinds = ids.clone();
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() > FEW);
        for (index, found) in found.into_iter().enumerate() {
            let around = (0..size * size).map(|place| {
                let along = |place: usize, middle: usize, count: usize| {
                    (middle + place).saturating_sub(size / 2).min(count - 1)
                };
                let column = along(place % size, index % width, width);
                ids[along(place / size, index / width, depth) * width + column]
            });
            let mut counts = std::collections::BTreeMap::new();
            around.for_each(|id| *counts.entry(id).or_insert(0) += 1);
            let most = *counts.values().max().unwrap();
            let expected = match counts.get(&ids[index]) {
                Some(count) if *count == most => ids[index],
                _ => *counts.iter().find(|(_, count)| **count == most).unwrap().0,
            };
            assert_eq!(found, expected, "{index}");
        }
    }

    #[test]
    fn the_step_makes_no_new_height() {
        let grid = Grid::new(40, 30, 10.0).unwrap();
        let mut field =
            Heightfield::from_fn(grid, |column, row| (noise(column / 2 + 99 * row) % 5) as f32 * -1.5);
        let before = field.clone();
        Majority { size: 5, ..Majority::default() }.apply_to(&mut field, 1, &Work::new()).unwrap();
        assert_ne!(field, before);
        assert!(field.heights().iter().all(|height| before.heights().contains(height)));
    }
}
