//! Filled land: the level to which water would rise at every sample before it could leave the land.
//!
//! The level is a minimax: of all ways from the sample to an outlet, take the one whose highest sample is
//! lowest; the level is the height of that sample. This has one answer, whatever the order of the work.
//!
//! After Barnes, "Parallel priority-flood depression filling for trillion cell digital elevation models on
//! desktops or clusters" (2016): each tile is flooded from its border inwards as if all of its border were
//! an outlet, which divides it into watersheds. A graph of the sills between the watersheds of all tiles then
//! gives the level below which no water leaves each watershed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};
use crate::math::ordered::{height_of, ordered};

/// Samples along the side of a tile. A tile's heights and watersheds fit into the cache of one core.
pub(super) const TILE: usize = 256;

/// The watershed of everything around a tile: none of the tile's samples has it.
const OUTSIDE: u16 = u16::MAX;

/// Floods `field` and returns the levels. `is_outlet(sample, height)` says where water leaves the land; at
/// such a sample the level is the height itself. Samples from which no way leads to any outlet have
/// infinite levels.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn filled(
    field: &Heightfield,
    is_outlet: impl Fn(usize, f32) -> bool + Sync,
    side: usize,
    work: &Work,
) -> Result<Heightfield> {
    let tiling = Tiling::new(field.grid(), side);
    let mut tiles: Vec<Tile> = (0..tiling.count())
        .into_par_iter()
        .map(|tile| Tile::flooded(field, &tiling, tile, &is_outlet, work))
        .collect::<Result<_>>()?;
    let levels = levels_of_watersheds(&tiling, &mut tiles, work)?;
    let mut filled = Heightfield::flat(field.grid(), 0.0);
    let bands = filled.heights_mut().par_chunks_mut(tiling.grid.width * side).enumerate();
    bands.try_for_each(|(band, heights)| {
        let first = band * tiling.across;
        for (tile, levels) in (first..first + tiling.across).map(|tile| (tile, &levels[tile])) {
            work.check()?;
            let (place, tile) = (tiling.place(tile), &tiles[tile]);
            for row in 0..place.depth {
                let here = row * tiling.grid.width + place.column;
                let row = row * place.width..(row + 1) * place.width;
                let samples = heights[here..][..place.width].iter_mut();
                for ((height, &level), &shed) in
                    samples.zip(&tile.levels[row.clone()]).zip(&tile.watersheds[row])
                {
                    *height = height_of(level.max(levels[usize::from(shed)]));
                }
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(filled)
}

/// A grid divided into tiles, row by row.
struct Tiling {
    grid: Grid,
    side: usize,
    /// Tiles in a row.
    across: usize,
}

/// Where a tile lies: its first sample and its size.
struct Place {
    column: usize,
    row: usize,
    width: usize,
    depth: usize,
}

impl Tiling {
    fn new(grid: Grid, side: usize) -> Self {
        Self { grid, side, across: grid.width.div_ceil(side) }
    }

    fn count(&self) -> usize {
        self.across * self.grid.depth.div_ceil(self.side)
    }

    fn place(&self, tile: usize) -> Place {
        let (column, row) = (tile % self.across * self.side, tile / self.across * self.side);
        let width = self.side.min(self.grid.width - column);
        let depth = self.side.min(self.grid.depth - row);
        Place { column, row, width, depth }
    }
}

/// A sill between two watersheds of a tile, or between one and the outside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sill {
    between: [u16; 2],
    /// Its height, as [`ordered`] gives it.
    level: u32,
}

/// A tile that has been flooded from its border inwards.
struct Tile {
    /// The level of every sample if water left over all of the tile's border, as [`ordered`] gives it.
    levels: Vec<u32>,
    /// The watershed of every sample, counted from 0.
    watersheds: Vec<u16>,
    /// How many watersheds there are.
    count: usize,
    /// The lowest sill between each pair of neighbouring watersheds, and from each watershed to the outside.
    sills: Vec<Sill>,
}

impl Tile {
    fn flooded(
        field: &Heightfield,
        tiling: &Tiling,
        tile: usize,
        is_outlet: impl Fn(usize, f32) -> bool,
        work: &Work,
    ) -> Result<Self> {
        const UNKNOWN: u16 = OUTSIDE - 1;
        let Place { column, row, width, depth } = tiling.place(tile);
        // A frame of one sample, so that no neighbour needs a check.
        let across = width + 2;
        let mut levels = vec![0; across * (depth + 2)];
        let mut watersheds = vec![OUTSIDE; levels.len()];
        let mut waiting = BinaryHeap::with_capacity(4 * (width + depth));
        let mut sills = Vec::new();
        let mut outlets = Vec::new();
        for local in 0..depth {
            work.check()?;
            let heights = &field.row(row + local)[column..][..width];
            let first = (local + 1) * across + 1;
            for (index, &height) in heights.iter().enumerate() {
                let here = first + index;
                levels[here] = ordered(height);
                watersheds[here] = UNKNOWN;
                let is_outlet = is_outlet((row + local) * tiling.grid.width + column + index, height);
                let on_border = local == 0 || local + 1 == depth || index == 0 || index + 1 == width;
                if is_outlet {
                    outlets.push(here as u32);
                }
                if on_border || is_outlet {
                    waiting.push(Reverse(key(levels[here], here)));
                }
            }
        }
        let across = across as isize;
        let around = [-across - 1, -across, -across + 1, -1, 1, across - 1, across, across + 1];
        // Samples below the current level need no order: they are followed immediately. Rising ground could
        // also be followed immediately, as Zhou, Sun and Fu (2016) do: on rough land that is slower, because
        // most of it must be queued after all.
        let mut pool: Vec<u32> = Vec::new();
        let (mut count, mut breath) = (0, 0);
        loop {
            let here = if let Some(here) = pool.pop() {
                here as usize
            } else if let Some(Reverse(key)) = waiting.pop() {
                key as u32 as usize
            } else {
                break;
            };
            breath += 1;
            if breath % 65_536 == 0 {
                work.check()?;
            }
            let level = levels[here];
            if watersheds[here] == UNKNOWN {
                watersheds[here] = count;
                // At most one in four of a tile's 65,536 samples can begin a watershed, so that 16 bits are
                // enough.
                count += 1;
            }
            let shed = watersheds[here];
            for step in around {
                let there = here.wrapping_add_signed(step);
                let other = watersheds[there];
                if other == UNKNOWN {
                    watersheds[there] = shed;
                    let height = levels[there];
                    if height > level {
                        waiting.push(Reverse(key(height, there)));
                    } else {
                        levels[there] = level;
                        pool.push(there as u32);
                    }
                } else if other != shed && other != OUTSIDE {
                    let between = [shed.min(other), shed.max(other)];
                    sills.push(Sill { between, level: level.max(levels[there]) });
                }
            }
            // Two neighbouring watersheds have many sills along their border: only the lowest is kept.
            if sills.len() > 1 << 16 {
                keep_lowest(&mut sills);
            }
        }
        for here in outlets {
            let here = here as usize;
            sills.push(Sill { between: [watersheds[here], OUTSIDE], level: levels[here] });
        }
        keep_lowest(&mut sills);
        let across = across as usize;
        let inner = |local: usize| (local + 1) * across + 1..(local + 1) * across + 1 + width;
        // Removes the frame: the rows move to the beginning of the same memory.
        for local in 0..depth {
            levels.copy_within(inner(local), local * width);
            watersheds.copy_within(inner(local), local * width);
        }
        levels.truncate(width * depth);
        watersheds.truncate(width * depth);
        Ok(Self { levels, watersheds, count: usize::from(count), sills })
    }
}

/// Height, then place, so that samples of equal height have a fixed order.
fn key(level: u32, sample: usize) -> u64 {
    u64::from(level) << 32 | sample as u64
}

/// Sorts the sills, and keeps the lowest between each pair of watersheds.
fn keep_lowest(sills: &mut Vec<Sill>) {
    sills.sort_unstable();
    sills.dedup_by_key(|sill| sill.between);
}

/// The level below which no water leaves each watershed of each tile, as [`ordered`] gives it.
fn levels_of_watersheds(tiling: &Tiling, tiles: &mut [Tile], work: &Work) -> Result<Vec<Vec<u32>>> {
    // The number of each tile's first watershed, if those of all tiles are numbered as one series.
    let mut firsts = Vec::with_capacity(tiles.len() + 1);
    firsts.push(0);
    for tile in &*tiles {
        firsts.push(firsts[firsts.len() - 1] + tile.count);
    }
    let all = firsts[tiles.len()];
    let mut edges: Vec<[u32; 3]> = Vec::new();
    let mut levels = vec![ordered(f32::INFINITY); all];
    let mut waiting = BinaryHeap::new();
    for (tile, &first) in tiles.iter_mut().zip(&firsts) {
        work.check()?;
        for Sill { between: [from, to], level } in std::mem::take(&mut tile.sills) {
            let from = first + usize::from(from);
            if to == OUTSIDE {
                levels[from] = levels[from].min(level);
                waiting.push(Reverse((level, from as u32)));
            } else {
                edges.push([from as u32, (first + usize::from(to)) as u32, level]);
            }
        }
    }
    edges.extend(sills_between_tiles(tiling, tiles, &firsts, work)?);
    // Edges in both directions, sorted by where they begin.
    let mut starts = vec![0_u32; all + 1];
    for edges in edges.chunks(65_536) {
        work.check()?;
        for [from, to, _] in edges {
            starts[*from as usize] += 1;
            starts[*to as usize] += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut ends = vec![(0_u32, 0_u32); 2 * edges.len()];
    for edges in edges.chunks(65_536) {
        work.check()?;
        for &[from, to, level] in edges {
            for [from, to] in [[from, to], [to, from]] {
                let start = &mut starts[from as usize];
                *start -= 1;
                ends[*start as usize] = (to, level);
            }
        }
    }
    drop(edges);
    // Dijkstra, with the highest sill on the way in place of the sum of lengths.
    let mut breath = 0_usize;
    while let Some(Reverse((level, from))) = waiting.pop() {
        breath += 1;
        // More often than elsewhere, because a heap larger than the caches takes microseconds for each.
        if breath.is_multiple_of(8192) {
            work.check()?;
        }
        let from = from as usize;
        if level > levels[from] {
            continue;
        }
        for &(to, sill) in &ends[starts[from] as usize..starts[from + 1] as usize] {
            let level = level.max(sill);
            let other = &mut levels[to as usize];
            if level < *other {
                *other = level;
                waiting.push(Reverse((level, to)));
            }
        }
    }
    Ok(firsts.windows(2).map(|pair| levels[pair[0]..pair[1]].to_vec()).collect())
}

/// The sills between neighbouring samples of two tiles: the two watersheds, and the height.
fn sills_between_tiles(
    tiling: &Tiling,
    tiles: &[Tile],
    firsts: &[usize],
    work: &Work,
) -> Result<Vec<[u32; 3]>> {
    let Grid { width, depth, .. } = tiling.grid;
    let side = tiling.side;
    let at = |column: usize, row: usize| {
        let tile = row / side * tiling.across + column / side;
        let local = row % side * tiling.place(tile).width + column % side;
        let shed = firsts[tile] + usize::from(tiles[tile].watersheds[local]);
        (shed as u32, tiles[tile].levels[local])
    };
    let between = |(here, level): (u32, u32), (there, other): (u32, u32)| {
        [here.min(there), here.max(there), level.max(other)]
    };
    // Sorted one side of a tile at a time, because a sort of all sills could not be cancelled. A sill across
    // the corner of four tiles may be listed twice, which changes no level.
    let (mut sills, mut along) = (Vec::new(), Vec::new());
    let mut keep = |along: &mut Vec<[u32; 3]>| {
        along.sort_unstable();
        along.dedup_by_key(|[from, to, _]| [*from, *to]);
        sills.append(along);
    };
    for row in (side..depth).step_by(side) {
        for first in (0..width).step_by(side) {
            work.check()?;
            for column in first..(first + side).min(width) {
                for other in column.saturating_sub(1)..(column + 2).min(width) {
                    along.push(between(at(column, row), at(other, row - 1)));
                }
            }
            keep(&mut along);
        }
    }
    for column in (side..width).step_by(side) {
        for first in (0..depth).step_by(side) {
            work.check()?;
            for row in first..(first + side).min(depth) {
                for other in row.saturating_sub(1)..(row + 2).min(depth) {
                    along.push(between(at(column, row), at(column - 1, other)));
                }
            }
            keep(&mut along);
        }
    }
    Ok(sills)
}
