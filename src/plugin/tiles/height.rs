//! The heights of a tile, which its normals only hint at: they say what lies on top where two kinds
//! of ground meet.

use crate::plugin::device::Plane;

/// Sweeps over a level of `side` texels. The coarser level has brought the broad shape, so few are enough
/// where they cost much; a coarse level must settle, because no finer one mends it.
fn sweeps(side: usize) -> usize {
    (2048 / side).max(8)
}

/// Heights in texels whose rises per texel come near those of `slopes`, which tile and are as wide
/// as deep, a power of two. Solves Poisson's equation by relaxation, from the coarsest level down.
pub(crate) fn heights_from_slopes(slopes: &Plane<2>) -> Vec<f32> {
    let side = slopes.width;
    if side <= 1 {
        return vec![0.0; slopes.texels.len()];
    }
    let coarse = heights_from_slopes(&slopes.halved());
    let half = side / 2;
    // A texel lies a quarter of the way from the middle of the coarser one to that of its neighbour.
    let near = |place: usize| place / 2;
    let far = |place: usize| (place / 2 + if place.is_multiple_of(2) { half - 1 } else { 1 }) % half;
    let along = |row: usize, column: usize| {
        0.75 * coarse[row * half + near(column)] + 0.25 * coarse[row * half + far(column)]
    };
    let mut heights: Vec<f32> = (0..side * side)
        .map(|index| (index / side, index % side))
        .map(|(row, column)| 2.0 * (0.75 * along(near(row), column) + 0.25 * along(far(row), column)))
        .collect();
    for _ in 0..sweeps(side) {
        for row in 0..side {
            for column in 0..side {
                let at = |column: usize, row: usize| row % side * side + column % side;
                let middle = at(column, row);
                let from = |neighbour: usize, axis: usize, step: f32| {
                    let rise = (slopes.texels[neighbour][axis] + slopes.texels[middle][axis]) * 0.5;
                    heights[neighbour] + rise * step
                };
                heights[middle] = 0.25
                    * (from(at(column + side - 1, row), 0, 1.0)
                        + from(at(column + 1, row), 0, -1.0)
                        + from(at(column, row + side - 1), 1, 1.0)
                        + from(at(column, row + 1), 1, -1.0));
            }
        }
    }
    heights
}

/// The share of all values that lie below each, in [0, 1]: the same spread for every tile, so that
/// none lies on top of all others.
pub(crate) fn ranks(values: &[f32]) -> Vec<f32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let last = values.len().saturating_sub(1).max(1) as f32;
    let mut ranks = vec![0.5; values.len()];
    let mut start = 0;
    // Equal values share the middle of their ranks, or level ground would rise from west to east.
    for equal in order.chunk_by(|&a, &b| values[a as usize] == values[b as usize]) {
        let middle = (start as f32 + (equal.len() - 1) as f32 * 0.5) / last;
        equal.iter().for_each(|&index| ranks[index as usize] = middle);
        start += equal.len();
    }
    if values.len() == 1 { vec![0.5] } else { ranks }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;

    #[test]
    fn heights_have_the_slopes_they_were_made_from() {
        let side = 64;
        let wave = |place: usize| TAU * place as f32 / side as f32;
        let height = |column: usize, row: usize| 5.0 * wave(column).sin() + 3.0 * (2.0 * wave(row)).cos();
        let slopes = Plane::from_fn(side, side, |column, row| {
            let scale = TAU / side as f32;
            [5.0 * scale * wave(column).cos(), -6.0 * scale * (2.0 * wave(row)).sin()]
        });
        let heights = heights_from_slopes(&slopes);
        let mean = heights.iter().sum::<f32>() / heights.len() as f32;
        for (index, found) in heights.iter().enumerate() {
            let error = found - mean - height(index % side, index / side);
            assert!(error.abs() < 0.4, "{error} at {index}");
        }
    }

    #[test]
    fn ranks_are_evenly_spread_and_level_ground_is_in_the_middle() {
        assert_eq!(ranks(&[7.0, -2.0, 100.0]), [0.5, 0.0, 1.0]);
        assert_eq!(ranks(&[3.0; 4]), [0.5; 4]);
        assert_eq!(ranks(&[3.0]), [0.5]);
    }
}
