//! Heights of a tile, reconstructed from its normals: they decide which of two ground types is on top where
//! they meet.

use super::plane::Plane;

/// Relaxation sweeps on a level of `side` texels. Fine levels start from the coarser solution, so few
/// sweeps are enough where they are expensive; a coarse level must converge, because no finer one corrects
/// it.
fn sweeps(side: usize) -> usize {
    (2048 / side).max(8)
}

/// Heights in texels whose slopes approximate `slopes`, which must tile and be square with a power of two
/// as side. Solves Poisson's equation by multigrid relaxation, from the coarsest level down.
pub(super) fn heights_from_slopes(slopes: &Plane<2>) -> Vec<f32> {
    let side = slopes.width;
    if side <= 1 {
        return vec![0.0; slopes.texels.len()];
    }
    // Errors that span many texels vanish slowly by relaxation. On a coarse level they span few, so they are
    // removed there and the result is refined.
    let coarse = heights_from_slopes(&slopes.halved());
    let half = side / 2;
    // The centre of a texel is a quarter of the way from the centre of its coarser texel to that of the
    // neighbour.
    let near = |place: usize| place / 2;
    let far = |place: usize| (place / 2 + if place.is_multiple_of(2) { half - 1 } else { 1 }) % half;
    let along = |row: usize, column: usize| {
        0.75 * coarse[row * half + near(column)] + 0.25 * coarse[row * half + far(column)]
    };
    let mut heights: Vec<f32> = (0..side * side)
        .map(|index| (index / side, index % side))
        // Heights are in texels, and a texel of the coarser level is two of this one: hence the factor 2.
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
                // Gauss-Seidel in a fixed order: each texel becomes the mean of what its four neighbours and
                // the slopes between predict.
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

/// The rank of each value, as a share of all values in [0, 1]: so heights have the same distribution in every
/// tile, and no tile lies on top of all others.
pub(super) fn ranks(values: &[f32]) -> Vec<f32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
    let last = values.len().saturating_sub(1).max(1) as f32;
    let mut ranks = vec![0.5; values.len()];
    let mut start = 0;
    // Equal values share the mean of their ranks; otherwise level ground would rise from west to east.
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
    fn heights_have_the_slopes_that_they_were_made_from() {
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
