//! Drainage areas by the steepest way down (D8), for measuring land as it is.
//!
//! Hollows are filled by priority flood (Barnes, Lehman and Mulla, "Priority-flood", 2014): from the border
//! and the sea inwards, always at the lowest sample that has been reached. A sample drains to the neighbour
//! to which the filled ground falls most steeply (O'Callaghan and Mark, 1984), and where it falls to none, on
//! the floor of a hollow, to the one it was flooded from.
//!
//! The erosion has a routing of its own, which lets chance choose between ways of similar slopes so that
//! rivers bend: good for land that is made, and noise for land that is measured.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Heightfield, finite_rise, memory};

/// Samples that are flooded between two checks for cancellation.
const AT_ONCE: usize = 1 << 13;

/// Where water runs on a land.
pub(super) struct Drainage {
    /// Samples that drain through each, itself among them.
    pub(super) areas: Vec<u32>,
    /// The slope, in metres per metre of the ground as it is, towards the sample that each drains to; 0 at
    /// outlets (the border and the sea), and on ground that does not fall.
    pub(super) slopes: Vec<f32>,
}

impl Drainage {
    /// The drainage of a land over its border, and into the sea: ground that is not above `sea_level`.
    pub(super) fn of(field: &Heightfield, sea_level: Option<f32>, work: &Work) -> Result<Self> {
        const OUTLET: u32 = u32::MAX;
        let grid = field.grid();
        let (width, depth, heights) = (grid.width, grid.depth, field.heights());
        // Level, order, receiver, area and slope, and the queue.
        memory::require(grid, 32 * grid.count() as u64)?;
        work.stage("drainage", 2 * heights.len());
        let sea = sea_level.unwrap_or(f32::NEG_INFINITY);
        let mut filled = vec![f32::NAN; heights.len()];
        let mut receivers = vec![OUTLET; heights.len()];
        let mut order = Vec::with_capacity(heights.len());
        let mut queue = BinaryHeap::new();
        let flood = |queue: &mut BinaryHeap<_>, filled: &mut [f32], sample: usize, level: f32| {
            filled[sample] = level;
            // Height and index in one number: comparing is quick, and equal heights have one order.
            queue.push(Reverse(u64::from(ascending(level)) << 32 | sample as u64));
        };
        for (sample, &height) in heights.iter().enumerate() {
            let (column, row) = (sample % width, sample / width);
            let is_border = column == 0 || row == 0 || column + 1 == width || row + 1 == depth;
            if is_border || height <= sea {
                flood(&mut queue, &mut filled, sample, height);
            }
        }
        let around = |sample: usize| {
            let (column, row) = ((sample % width) as isize, (sample / width) as isize);
            WAYS.into_iter().filter_map(move |(east, south, cells)| {
                let (x, z) = (column + east, row + south);
                let is_there = (0..width as isize).contains(&x) && (0..depth as isize).contains(&z);
                is_there.then(|| (z as usize * width + x as usize, cells))
            })
        };
        while let Some(Reverse(next)) = queue.pop() {
            let here = (next & u64::from(u32::MAX)) as usize;
            let level = filled[here];
            order.push(here as u32);
            if order.len().is_multiple_of(AT_ONCE) {
                work.check()?;
                work.advance(AT_ONCE);
            }
            for (there, _) in around(here) {
                if filled[there].is_nan() {
                    // Never below the level here: a hollow is filled up to the sill over which it was
                    // reached.
                    flood(&mut queue, &mut filled, there, level.max(heights[there]));
                    receivers[there] = here as u32;
                }
            }
        }

        // Each drains to one that was flooded before it.
        let mut slopes = vec![0.0; heights.len()];
        let mut areas = vec![1u32; heights.len()];
        // In reverse, donors come before their receivers, so that an area is complete when it is passed on.
        for (done, &here) in order.iter().rev().enumerate() {
            if done.is_multiple_of(AT_ONCE) {
                work.check()?;
                work.advance(AT_ONCE);
            }
            let here = here as usize;
            if receivers[here] == OUTLET {
                continue;
            }
            let mut steepest = 0.0;
            for (there, cells) in around(here) {
                // By filled heights, which fall towards the outlet also across hollows.
                let slope = (filled[here] - filled[there]) / cells;
                if slope > steepest {
                    (steepest, receivers[here]) = (slope, there as u32);
                }
            }
            let there = receivers[here] as usize;
            areas[there] += areas[here];
            let cells = around(here).find(|way| way.0 == there).map_or(1.0, |way| way.1);
            // By the ground as it is: filled hollows would have slope 0.
            slopes[here] = finite_rise((heights[here] - heights[there]) / (cells * grid.cell)).max(0.0);
        }
        Ok(Self { areas, slopes })
    }
}

/// The eight neighbours: columns east, rows south, and the distance in cells.
const WAYS: [(isize, isize, f32); 8] = {
    const DIAGONAL: f32 = std::f32::consts::SQRT_2;
    [
        (0, -1, 1.0),
        (1, 0, 1.0),
        (0, 1, 1.0),
        (-1, 0, 1.0),
        (1, -1, DIAGONAL),
        (1, 1, DIAGONAL),
        (-1, 1, DIAGONAL),
        (-1, -1, DIAGONAL),
    ]
};

/// Whole numbers in the order of heights.
fn ascending(height: f32) -> u32 {
    let bits = height.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    #[test]
    fn the_areas_of_all_outlets_are_the_land() {
        let land = Heightfield::from_fn(Grid::new(60, 41, 10.0).unwrap(), |column, row| {
            ((column * 31 + row * 17) % 23) as f32 - 0.1 * column as f32
        });
        let drainage = Drainage::of(&land, None, &Work::new()).unwrap();
        let at_border = |sample: &usize| {
            let (column, row) = (sample % 60, sample / 60);
            column == 0 || column == 59 || row == 0 || row == 40
        };
        let out: u32 = (0..60 * 41).filter(at_border).map(|sample| drainage.areas[sample]).sum();
        assert_eq!(out, 60 * 41);
    }

    #[test]
    fn a_hollow_drains_over_its_lowest_sill() {
        // A basin around (10, 10) inside a plateau, with a notch towards the east.
        let land = Heightfield::from_fn(Grid::new(21, 21, 10.0).unwrap(), |column, row| {
            let away = column.abs_diff(10).max(row.abs_diff(10));
            match away {
                _ if row == 10 && column > 10 => 50.0,
                9 | 10 => 100.0,
                _ => away as f32,
            }
        });
        let drainage = Drainage::of(&land, None, &Work::new()).unwrap();
        let notch = drainage.areas[10 * 21 + 20];
        assert!(notch >= 17 * 17, "{notch} samples run through the notch");
    }

    #[test]
    fn the_sea_is_an_outlet_anywhere() {
        let land = Heightfield::from_fn(Grid::new(41, 41, 10.0).unwrap(), |column, row| {
            (column.abs_diff(20).max(row.abs_diff(20))) as f32
        });
        let drainage = Drainage::of(&land, Some(0.0), &Work::new()).unwrap();
        // Without the border itself, which is an outlet too.
        assert_eq!(drainage.areas[20 * 41 + 20], 39 * 39);
    }
}
