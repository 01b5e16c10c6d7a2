//! The bed under the ice: what sliding ice wears away, and the walls that it undercuts.
//!
//! Ice erodes at a right angle to its bed, E = K u², with u its sliding speed (Herman et al. 2015). Heights
//! therefore fall by E √(1 + |∇b|²), with the slope taken downhill (Osher and Sethian 1988): walls step back,
//! and the bottom of a notch becomes an arc. So valleys become as wide as they become deep.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// The eight neighbours of a sample: columns, rows, and the distance in samples.
const AROUND: [(isize, isize, f64); 8] = [
    (-1, 0, 1.0),
    (1, 0, 1.0),
    (0, -1, 1.0),
    (0, 1, 1.0),
    (-1, -1, std::f64::consts::SQRT_2),
    (1, -1, std::f64::consts::SQRT_2),
    (-1, 1, std::f64::consts::SQRT_2),
    (1, 1, std::f64::consts::SQRT_2),
];

/// Calls `visit` with each neighbour and its distance in samples.
pub(super) fn each_neighbour(grid: Grid, column: usize, row: usize, mut visit: impl FnMut(usize, f64)) {
    for (columns, rows, away) in AROUND {
        let (there, below) = (column.wrapping_add_signed(columns), row.wrapping_add_signed(rows));
        if there < grid.width && below < grid.depth {
            visit(below * grid.width + there, away);
        }
    }
}

/// Lowers `bed` by `worn` metres at a right angle to it.
pub(super) fn lower(grid: Grid, bed: &mut Vec<f64>, worn: &[f64], work: &Work) -> Result<()> {
    let per_cell = 1.0 / f64::from(grid.cell);
    let Grid { width, depth, .. } = grid;
    let before = &*bed;
    let after = rows_of(grid, work, |column, row| {
        let at = row * width + column;
        if worn[at] <= 0.0 {
            return before[at];
        }
        let fall = |inside: bool, there: usize| {
            if inside { (before[at] - before[there.min(before.len() - 1)]).max(0.0) * per_cell } else { 0.0 }
        };
        let x = fall(column > 0, at.wrapping_sub(1)).max(fall(column + 1 < width, at + 1));
        let z = fall(row > 0, at.wrapping_sub(width)).max(fall(row + 1 < depth, at + width));
        before[at] - worn[at] * (1.0 + x * x + z * z).min(MOST_OBLIQUE).sqrt()
    })?;
    *bed = after;
    Ok(())
}

/// 1 + the square of the steepest slope at which ice works at a right angle to the bed: 72°.
const MOST_OBLIQUE: f64 = 10.0;

/// Lets ground slide that stands steeper than `steepest`, metres per metre, above a neighbour that has been
/// lowered, and steeper than it did originally. Runs a fixed number of times.
pub(super) fn slide(
    grid: Grid,
    bed: &mut Vec<f64>,
    original: &[f64],
    steepest: f64,
    times: usize,
    work: &Work,
) -> Result<()> {
    let cell = f64::from(grid.cell);
    for _ in 0..times {
        let before = &*bed;
        let after = rows_of(grid, work, |column, row| {
            let at = row * grid.width + column;
            let mut most = before[at];
            each_neighbour(grid, column, row, |there, away| {
                if before[there] < original[there] {
                    let stands = (steepest * away * cell).max(original[at] - original[there]);
                    most = most.min(before[there] + stands);
                }
            });
            most
        })?;
        *bed = after;
    }
    Ok(())
}

/// Smooths values over the samples that `counts`, as by a Gaussian with this standard deviation in metres:
/// by 1 2 1 along rows and columns, between samples up to three apart. Other samples neither give nor get
/// anything: they keep their values.
pub(super) fn smooth_within(
    grid: Grid,
    values: &mut Vec<f64>,
    counts: impl Fn(usize) -> bool + Sync,
    metres: f64,
    work: &Work,
) -> Result<()> {
    let samples = metres / f64::from(grid.cell);
    // A pass between samples n apart has a variance of n²/2.
    let mut left = (2.0 * samples * samples).round().clamp(1.0, 400.0) as usize;
    for apart in [3, 2, 1].into_iter().cycle() {
        if left == 0 {
            break;
        }
        if apart * apart <= left {
            left -= apart * apart;
            smooth_once(grid, values, &counts, apart, work)?;
        }
    }
    Ok(())
}

/// Smooths values by 1 2 1 along rows and columns, between samples so far apart.
fn smooth_once(
    grid: Grid,
    values: &mut Vec<f64>,
    counts: &(impl Fn(usize) -> bool + Sync),
    apart: usize,
    work: &Work,
) -> Result<()> {
    let Grid { width, depth, .. } = grid;
    let before = &*values;
    let after = rows_of(grid, work, |column, row| {
        let at = row * width + column;
        if !counts(at) {
            return before[at];
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (row, down) in [(row.wrapping_sub(apart), 1.0), (row, 2.0), (row + apart, 1.0)] {
            if row >= depth {
                continue;
            }
            for (column, along) in [(column.wrapping_sub(apart), 1.0), (column, 2.0), (column + apart, 1.0)] {
                if column >= width {
                    continue;
                }
                let at = row * width + column;
                if counts(at) {
                    sum += down * along * before[at];
                    weights += down * along;
                }
            }
        }
        sum / weights
    })?;
    *values = after;
    Ok(())
}

/// The gradient of a field at a sample, metres per metre, by central differences.
pub(super) fn gradient(grid: Grid, field: impl Fn(usize) -> f64, column: usize, row: usize) -> [f64; 2] {
    let Grid { width, depth, .. } = grid;
    let [west, east] = [column.saturating_sub(1), (column + 1).min(width - 1)];
    let [north, south] = [row.saturating_sub(1), (row + 1).min(depth - 1)];
    let cell = f64::from(grid.cell);
    [
        (field(row * width + east) - field(row * width + west)) / (cell * (east - west).max(1) as f64),
        (field(south * width + column) - field(north * width + column))
            / (cell * (south - north).max(1) as f64),
    ]
}

/// The slope of a field at a sample, metres per metre.
pub(super) fn slope(grid: Grid, field: &[f64], column: usize, row: usize) -> f64 {
    let [x, z] = gradient(grid, |at| field[at], column, row);
    (x * x + z * z).sqrt()
}

/// How hollow the bed is at a sample across the way that `surface` falls, per metre: its curvature over a
/// distance, or 0 where it bulges.
pub(super) fn hollow_across(
    grid: Grid,
    bed: &[f64],
    surface: impl Fn(usize) -> f64,
    (column, row): (usize, usize),
    metres: f64,
) -> f64 {
    let [west, east] = [column.saturating_sub(1), (column + 1).min(grid.width - 1)];
    let [north, south] = [row.saturating_sub(1), (row + 1).min(grid.depth - 1)];
    let at = |column: usize, row: usize| row * grid.width + column;
    let x = surface(at(east, row)) - surface(at(west, row));
    let z = surface(at(column, south)) - surface(at(column, north));
    let length = (x * x + z * z).sqrt();
    if length == 0.0 || !length.is_finite() {
        return 0.0;
    }
    let away = (metres / f64::from(grid.cell)).max(1.0);
    let [x, z] = [-z / length * away, x / length * away];
    let sides = between(grid, bed, column as f64 + x, row as f64 + z)
        + between(grid, bed, column as f64 - x, row as f64 - z);
    let metres = away * f64::from(grid.cell);
    ((sides - 2.0 * bed[at(column, row)]) / (metres * metres)).max(0.0)
}

/// A field between its samples: bilinear, and as on the border beyond it.
fn between(grid: Grid, field: &[f64], column: f64, row: f64) -> f64 {
    let (column, row) = (column.clamp(0.0, (grid.width - 1) as f64), row.clamp(0.0, (grid.depth - 1) as f64));
    let (west, north) = (column as usize, row as usize);
    let (east, south) = ((west + 1).min(grid.width - 1), (north + 1).min(grid.depth - 1));
    let (x, z) = (column - west as f64, row - north as f64);
    let along = |row: usize| {
        let [a, b] = [west, east].map(|column| field[row * grid.width + column]);
        a + (b - a) * x
    };
    along(north) + (along(south) - along(north)) * z
}

/// How many rows of so many samples one task works on at least: fewer take less time than a thread needs to
/// begin.
pub(super) fn rows_of_task(width: usize) -> usize {
    (8192 / width.max(1)).max(8)
}

/// A value for every sample, rows in parallel.
pub(super) fn rows_of(grid: Grid, work: &Work, of: impl Fn(usize, usize) -> f64 + Sync) -> Result<Vec<f64>> {
    let mut values = vec![0.0; grid.count()];
    let least = rows_of_task(grid.width);
    values.par_chunks_mut(grid.width).enumerate().with_min_len(least).try_for_each(|(row, values)| {
        work.check()?;
        values.iter_mut().enumerate().for_each(|(column, value)| *value = of(column, row));
        Ok::<_, Error>(())
    })?;
    Ok(values)
}
