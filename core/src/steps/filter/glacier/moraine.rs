//! Moraines: debris that the ice carries to its margin and heaps up there.
//!
//! Debris moves with the ice: what arrives at a sample leaves it in proportion to the fluxes of ice, from the
//! highest surface to the lowest. Where ice ends below the equilibrium line it is dropped, and heaped up to
//! ridges along the margin, as steep on both sides as loose debris stands.

use rayon::prelude::*;

use super::bed::{each_neighbour, rows_of, smooth_within};
use super::ice::Ice;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;

/// Ice thinner than this ends, metres.
const THIN: f64 = 3.0;

/// The highest moraine that one stand of the ice heaps up, metres; meltwater carries the rest away.
const HIGHEST: f64 = 60.0;

/// How steep the sides of a moraine are, metres per metre: 27°.
const SIDES: f64 = 0.5;

/// How far along the margin debris is shared, in samples (standard deviation).
const SHARED: f64 = 2.0;

/// How many metres of debris the ice heaps up at every sample, if it picks up `debris(sample)` metres.
/// `melts(surface)` says whether ice melts at this height.
pub(super) fn heaped(
    ice: &Ice,
    melts: impl Fn(f64) -> bool + Sync,
    debris: impl Fn(usize) -> f64,
    work: &Work,
) -> Result<Vec<f64>> {
    let grid = ice.grid();
    let ends = rows_of(grid, work, |column, row| {
        let at = row * grid.width + column;
        let mut ends = ice.thickness[at] < THIN;
        each_neighbour(grid, column, row, |there, _| ends |= ice.thickness[there] < THIN);
        f64::from(u8::from(ends && ice.thickness[at] > 0.0 && melts(ice.surface(at))))
    })?;
    let cell = f64::from(grid.cell);
    let mut dropped = dropped(ice, &ends, melts, debris, work)?;
    smooth_within(grid, &mut dropped, |at| ends[at] > 0.0, SHARED * cell, work)?;
    let mut heaped = ridges(grid, &dropped, work)?;
    smooth_within(grid, &mut heaped, |_| true, 0.7 * cell, work)?;
    Ok(heaped)
}

/// How many metres of debris arrive at the samples where ice `ends`.
fn dropped(
    ice: &Ice,
    ends: &[f64],
    melts: impl Fn(f64) -> bool,
    debris: impl Fn(usize) -> f64,
    work: &Work,
) -> Result<Vec<f64>> {
    let grid = ice.grid();
    let mut order: Vec<u32> =
        (0..grid.count() as u32).filter(|at| ice.thickness[*at as usize] > 0.0).collect();
    work.check()?;
    // By surface, and by place where that is equal.
    order.par_sort_unstable_by(|a, b| {
        ice.surface(*b as usize).total_cmp(&ice.surface(*a as usize)).then(a.cmp(b))
    });
    work.check()?;
    let (mut carried, mut dropped) = (vec![0.0; grid.count()], vec![0.0; grid.count()]);
    for (index, at) in order.into_iter().enumerate() {
        if index.is_multiple_of(65_536) {
            work.check()?;
        }
        let at = at as usize;
        let load = carried[at] + debris(at);
        let leaves = leaves(ice, at % grid.width, at / grid.width);
        let sum: f64 = leaves.iter().map(|(_, flux)| flux).sum();
        if ends[at] > 0.0 || (sum <= 0.0 && melts(ice.surface(at))) {
            dropped[at] = load;
        } else if sum > 0.0 {
            for (there, flux) in leaves {
                if let Some(there) = there {
                    carried[there] += load * flux / sum;
                }
            }
        }
    }
    Ok(dropped)
}

/// Ridges of the debris that has been dropped along a margin: their cross-sections are triangles.
fn ridges(grid: Grid, dropped: &[f64], work: &Work) -> Result<Vec<f64>> {
    let cell = f64::from(grid.cell);
    let reach = (HIGHEST / SIDES / cell) as usize;
    // A triangle of height c and slope t has the area c²/t; a ridge narrower than a sample is as high as its
    // debris.
    let crest = |dropped: f64| if dropped > SIDES * cell { (dropped * cell * SIDES).sqrt() } else { dropped };
    rows_of(grid, work, |column, row| {
        let mut highest = 0.0f64;
        for there in row.saturating_sub(reach)..=(row + reach).min(grid.depth - 1) {
            for beside in column.saturating_sub(reach)..=(column + reach).min(grid.width - 1) {
                let dropped = dropped[there * grid.width + beside];
                if dropped > 0.0 {
                    let [x, z] =
                        [beside.abs_diff(column), there.abs_diff(row)].map(|away| away as f64 * cell);
                    highest = highest.max(crest(dropped).min(HIGHEST) - SIDES * (x * x + z * z).sqrt());
                }
            }
        }
        highest
    })
}

/// Where ice flows from a sample to, and how much of it; `None` beyond the border.
fn leaves(ice: &Ice, column: usize, row: usize) -> [(Option<usize>, f64); 4] {
    let grid = ice.grid();
    let at = row * grid.width + column;
    let [east, south] = ice.fluxes(at);
    let west = if column > 0 { -ice.fluxes(at - 1)[0] } else { 0.0 };
    let north = if row > 0 { -ice.fluxes(at - grid.width)[1] } else { 0.0 };
    [
        (column.checked_sub(1).map(|_| at.wrapping_sub(1)), west.max(0.0)),
        ((column + 1 < grid.width).then_some(at + 1), east.max(0.0)),
        (row.checked_sub(1).map(|_| at.wrapping_sub(grid.width)), north.max(0.0)),
        ((row + 1 < grid.depth).then_some(at + grid.width), south.max(0.0)),
    ]
}
