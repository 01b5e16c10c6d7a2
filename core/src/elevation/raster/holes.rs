//! Fills holes in a grid from the values around them.
//!
//! A hole becomes a membrane stretched over its rim (Laplace's equation): every filled cell ends near the
//! mean of its neighbours. Plain relaxation needs as many sweeps as the square of a hole's width. So this is
//! push-pull: the grid is halved until no hole is left (push), and each finer grid starts from the coarser
//! solution (pull) and needs only a few sweeps. The result does not depend on the number of threads.

use rayon::prelude::*;

/// Sweeps of relaxation on each level.
const SWEEPS: usize = 8;

/// Fills every NaN in `values`. At least one value must not be NaN, and none may be infinite. Filled cells
/// stay within the range of the others.
pub(in crate::elevation) fn fill(width: usize, depth: usize, values: &mut [f32]) {
    let holes: Vec<u32> = (0..values.len() as u32).filter(|&i| values[i as usize].is_nan()).collect();
    if holes.is_empty() {
        return;
    }
    let (mut coarse, coarse_width) = halve(width, depth, values);
    let coarse_depth = depth.div_ceil(2);
    fill(coarse_width, coarse_depth, &mut coarse);

    let first: Vec<f32> = holes
        .par_iter()
        .map(|&hole| {
            let (column, row) = (hole as usize % width, hole as usize / width);
            between(coarse_width, coarse_depth, &coarse, column, row)
        })
        .collect();
    scatter(&holes, &first, values);
    // Each sweep reads only the values of the one before (Jacobi), so the order of threads doesn't matter.
    for _ in 0..SWEEPS {
        let settled: Vec<f32> =
            holes.par_iter().map(|&hole| mean_of_neighbours(width, depth, values, hole as usize)).collect();
        scatter(&holes, &settled, values);
    }
}

fn scatter(holes: &[u32], new: &[f32], values: &mut [f32]) {
    for (&hole, &value) in holes.iter().zip(new) {
        values[hole as usize] = value;
    }
}

/// The grid at half the size, and its width: each cell is the mean of the up to four cells it covers, NaN
/// if all of them are.
fn halve(width: usize, depth: usize, values: &[f32]) -> (Vec<f32>, usize) {
    let (half_width, half_depth) = (width.div_ceil(2), depth.div_ceil(2));
    let mut halved = vec![f32::NAN; half_width * half_depth];
    halved.par_chunks_mut(half_width).enumerate().for_each(|(row, out)| {
        let rows = 2 * row..(2 * row + 2).min(depth);
        for (column, out) in out.iter_mut().enumerate() {
            let columns = 2 * column..(2 * column + 2).min(width);
            let covered = rows.clone().flat_map(|r| values[r * width..][columns.clone()].iter());
            *out = mean(covered.copied().filter(|value| !value.is_nan()));
        }
    });
    (halved, half_width)
}

/// Samples the coarse grid, whose cell (0, 0) covers the fine cells 0 and 1 each way, at a fine cell:
/// bilinear.
fn between(width: usize, depth: usize, coarse: &[f32], column: usize, row: usize) -> f32 {
    // The centre of a fine cell is a quarter of a coarse cell from the centre of the one that covers it.
    let (c0, r0) = (column / 2, row / 2);
    let beside = |coarse: usize, fine: usize, count: usize| {
        if fine % 2 == 1 { (coarse + 1).min(count - 1) } else { coarse.saturating_sub(1) }
    };
    let (c1, r1) = (beside(c0, column, width), beside(r0, row, depth));
    let at = |column: usize, row: usize| f64::from(coarse[row * width + column]);
    let near = 0.75 * at(c0, r0) + 0.25 * at(c1, r0);
    let far = 0.75 * at(c0, r1) + 0.25 * at(c1, r1);
    (0.75 * near + 0.25 * far) as f32
}

fn mean_of_neighbours(width: usize, depth: usize, values: &[f32], index: usize) -> f32 {
    let (column, row) = (index % width, index / width);
    let west = (column > 0).then(|| values[index - 1]);
    let east = (column + 1 < width).then(|| values[index + 1]);
    let north = (row > 0).then(|| values[index - width]);
    let south = (row + 1 < depth).then(|| values[index + width]);
    mean([west, east, north, south].into_iter().flatten())
}

/// The mean, in double precision, so that neither overflow nor rounding leaves the range of the values.
fn mean(values: impl Iterator<Item = f32>) -> f32 {
    // No value at all gives 0/0, which is NaN: still a hole.
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + f64::from(value)));
    (sum / f64::from(count)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(width: usize, depth: usize, height: impl Fn(usize, usize) -> f32) -> Vec<f32> {
        let mut values: Vec<f32> = (0..width * depth).map(|i| height(i % width, i / width)).collect();
        fill(width, depth, &mut values);
        values
    }

    #[test]
    fn a_hole_in_a_plain_is_filled_level_and_other_cells_stay() {
        let hole = |c: usize, r: usize| (3..30).contains(&c) && (5..28).contains(&r);
        let values = filled(37, 33, |c, r| if hole(c, r) { f32::NAN } else { 12.5 });
        assert!(values.iter().all(|&value| value == 12.5));
    }

    #[test]
    fn a_hole_in_a_slope_goes_on_sloping() {
        let plane = |c: usize, r: usize| 4.0 * c as f32 - 3.0 * r as f32;
        let hole = |c: usize, r: usize| (20..60).contains(&c) && (10..50).contains(&r);
        let values = filled(80, 64, |c, r| if hole(c, r) { f32::NAN } else { plane(c, r) });
        let worst = (0..80 * 64).map(|i| (values[i] - plane(i % 80, i / 80)).abs()).fold(0.0, f32::max);
        // The hole spans 280 in height; a membrane over a plane is that plane.
        assert!(worst < 8.0, "{worst}");
    }

    #[test]
    fn filled_cells_stay_within_the_others_range() {
        let values = filled(61, 47, |c, r| match (c * 7 + r * 13) % 11 {
            0 => -100.0,
            1 => f32::MAX,
            _ => f32::NAN,
        });
        assert!(values.iter().all(|value| (-100.0..=f32::MAX).contains(value)));
    }

    #[test]
    fn one_height_is_enough_to_fill_any_shape() {
        for (width, depth) in [(1, 1), (1, 9), (9, 1), (5, 3), (64, 64), (33, 2)] {
            let last = width * depth - 1;
            let values = filled(width, depth, |c, r| if r * width + c == last { 3.0 } else { f32::NAN });
            assert!(values.iter().all(|&value| value == 3.0), "{width}×{depth}");
        }
    }
}
