//! Where water leaves the land that erodes.

use rayon::prelude::*;

use super::original::Original;
use super::params::{Erode, Outlets};
use crate::grid::{Grid, Heightfield};

/// The samples next to the sea where water leaves the land. Never empty where there is no sea.
pub(super) fn outlets(
    erode: &Erode,
    original: &Original<'_>,
    heights: &Heightfield,
    deepest: usize,
) -> Vec<usize> {
    let candidates = match erode.outlets {
        Outlets::Border => valleys_at_the_border(heights),
        Outlets::Slopes => border_of(heights.grid()),
        Outlets::Sea => Vec::new(),
    };
    let mut found: Vec<usize> =
        candidates.into_iter().filter(|&sample| !original.is_sea_bed(sample)).collect();
    if found.is_empty() && !original.is_sea_bed(deepest) {
        found.push(deepest);
    }
    found
}

/// The first of the lowest samples.
pub(super) fn lowest_sample(field: &Heightfield) -> usize {
    let lowest = |heights: &[f32]| (0..heights.len()).min_by(|&a, &b| heights[a].total_cmp(&heights[b]));
    let width = field.grid().width;
    let of_rows = field.heights().par_chunks(width).enumerate();
    of_rows
        .filter_map(|(row, heights)| Some((heights[lowest(heights)?], row * width + lowest(heights)?)))
        // Height, then index: the result doesn't depend on which thread finished first.
        .reduce_with(|a, b| if (b.0, b.1) < (a.0, a.1) { b } else { a })
        .map_or(0, |(_, sample)| sample)
}

/// All samples of the border, clockwise from the north-west.
fn border_of(Grid { width, depth, .. }: Grid) -> Vec<usize> {
    let top = 0..width;
    let east = (1..depth).map(|row| row * width + width - 1);
    let south = (0..width - 1).rev().map(|column| (depth - 1) * width + column);
    let west = (1..depth.saturating_sub(1)).rev().map(|row| row * width);
    let mut border: Vec<usize> = top.chain(east).chain(south).chain(west).collect();
    // In a single row or column, all after its end would be the way back.
    border.truncate(if width == 1 || depth == 1 { width.max(depth) } else { border.len() });
    border
}

/// Samples of the border that are the lowest for some distance along it.
fn valleys_at_the_border(field: &Heightfield) -> Vec<usize> {
    let border = border_of(field.grid());
    let far = (field.grid().longer() / 24).max(1).min(border.len() / 2);
    let height = |place: usize| field.heights()[border[place % border.len()]];
    (0..border.len())
        .filter(|&place| {
            (1..=far).all(|way| {
                // Strictly lower on one side only: of a level stretch exactly one sample is taken.
                height(place) < height(place + way) && height(place) <= height(place + border.len() - way)
            })
        })
        .map(|place| border[place])
        .collect()
}
