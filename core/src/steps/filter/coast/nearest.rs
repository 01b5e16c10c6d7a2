//! The nearest place of the shoreline to every sample, and the distance to it.
//!
//! An exact transform of distances to samples beside the shore, by lower envelopes of parabolas (Felzenszwalb
//! and Huttenlocher 2012), gives the nearest node; the lines on both sides of it and of the neighbours' nodes
//! give the distance between samples.

use rayon::prelude::*;

use super::shoreline::{NONE, Shoreline};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Distance beyond which a node's own lines give the distance, in samples.
const FAR: f32 = 32.0;

/// Columns that a thread transforms together: neighbours share cache lines.
const STRIP: usize = 32;

/// The nearest node of each sample. All are [`NONE`] where there is no shore. Takes the nodes beside the
/// samples from the shore, since nobody needs them after it.
pub(super) fn nodes(signed: &Heightfield, shore: &mut Shoreline, work: &Work) -> Result<Vec<u32>> {
    let all_beside = std::mem::take(&mut shore.beside);
    let grid = signed.grid();
    let (width, depth) = (grid.width, grid.depth);
    if shore.nodes.is_empty() {
        return Ok(vec![NONE; grid.count()]);
    }
    // The nearest seed in the same row.
    let mut in_row = vec![NONE; grid.count()];
    in_row.par_chunks_mut(width).zip(all_beside.par_chunks(width)).try_for_each(|(columns, beside)| {
        work.check()?;
        let mut last = NONE;
        for (column, node) in beside.iter().enumerate() {
            if *node != NONE {
                last = column as u32;
            }
            columns[column] = last;
        }
        let mut last = NONE;
        for column in (0..width).rev() {
            if beside[column] != NONE {
                last = column as u32;
            }
            let other = columns[column];
            let here = column as u32;
            if last != NONE && (other == NONE || last - here < here - other) {
                columns[column] = last;
            }
        }
        Ok::<_, crate::Error>(())
    })?;
    let strips = (0..width.div_ceil(STRIP)).into_par_iter().map(|strip| {
        let columns = strip * STRIP..((strip + 1) * STRIP).min(width);
        let across = columns.len();
        let mut found = vec![NONE; depth * across];
        let (mut hull, mut from) = (Vec::with_capacity(depth), Vec::with_capacity(depth));
        for column in columns.clone() {
            work.check()?;
            envelope(|row| in_row[row * width + column], column, depth, &mut hull, &mut from);
            let mut part = 0;
            for row in 0..depth {
                while part + 1 < hull.len() && from[part + 1] <= row as i64 {
                    part += 1;
                }
                let seed_row = hull[part];
                let seed = seed_row * width + in_row[seed_row * width + column] as usize;
                found[row * across + column - columns.start] = all_beside[seed];
            }
        }
        Ok(found)
    });
    let strips = strips.collect::<Result<Vec<_>>>()?;
    drop(all_beside);
    in_row.par_chunks_mut(width).enumerate().try_for_each(|(row, nodes)| {
        work.check()?;
        for (nodes, strip) in nodes.chunks_mut(STRIP).zip(&strips) {
            let across = nodes.len();
            nodes.copy_from_slice(&strip[row * across..][..across]);
        }
        Ok::<_, crate::Error>(())
    })?;
    Ok(in_row)
}

/// The lower envelope of the parabolas of one column: which row's is the lowest, and from which row on.
fn envelope(
    seed: impl Fn(usize) -> u32,
    column: usize,
    depth: usize,
    hull: &mut Vec<usize>,
    from: &mut Vec<i64>,
) {
    hull.clear();
    from.clear();
    let foot = |row: usize| {
        let away = i64::from(seed(row)) - column as i64;
        away * away + (row * row) as i64
    };
    for row in (0..depth).filter(|row| seed(*row) != NONE) {
        loop {
            let Some(last) = hull.last() else {
                hull.push(row);
                from.push(0);
                break;
            };
            // The first row at which the new parabola is lower.
            let (rise, run) = (foot(row) - foot(*last), 2 * (row - last) as i64);
            let begins = rise.div_euclid(run) + 1;
            if begins <= from[from.len() - 1] {
                hull.pop();
                from.pop();
                continue;
            }
            if begins < depth as i64 {
                hull.push(row);
                from.push(begins);
            }
            break;
        }
    }
}

/// Replaces `signed` by the signed distance to the shoreline in metres, positive on land, and improves the
/// nearest `nodes`. Without a shore it stays as it is.
pub(super) fn distances(
    signed: &mut Heightfield,
    shore: &Shoreline,
    nodes: Vec<u32>,
    work: &Work,
) -> Result<Vec<u32>> {
    if shore.nodes.is_empty() {
        return Ok(nodes);
    }
    let lines = Lines::of(shore);
    let grid = signed.grid();
    let (width, depth) = (grid.width, grid.depth);
    let mut better = vec![NONE; nodes.len()];
    let rows = signed.heights_mut().par_chunks_mut(width).zip(better.par_chunks_mut(width)).enumerate();
    rows.try_for_each(|(row, (signed, better))| {
        work.check()?;
        for (column, (signed, better)) in signed.iter_mut().zip(better).enumerate() {
            let at = row * width + column;
            let here = [column as f32, row as f32];
            if nodes[at] != NONE && lines.is_far(nodes[at], here) {
                *better = nodes[at];
                let metres = lines.away(nodes[at], here).sqrt() * grid.cell;
                *signed = if *signed > 0.0 { metres } else { -metres };
                continue;
            }
            let mut best = (lines.away(nodes[at], here), nodes[at]);
            let mut last = nodes[at];
            for (dx, dz) in [(0, -1), (-1, 0), (1, 0), (0, 1)] {
                let (x, z) = (column as i64 + dx, row as i64 + dz);
                if x < 0 || z < 0 || x >= width as i64 || z >= depth as i64 {
                    continue;
                }
                let node = nodes[z as usize * width + x as usize];
                if node == last || node == nodes[at] {
                    continue;
                }
                last = node;
                let away = lines.away(node, here);
                if away < best.0 || (away == best.0 && node < best.1) {
                    best = (away, node);
                }
            }
            *better = best.1;
            let metres = best.0.sqrt() * grid.cell;
            *signed = if *signed > 0.0 { metres } else { -metres };
        }
        Ok::<_, crate::Error>(())
    })?;
    Ok(better)
}

/// Each node with the nodes before and after it.
struct Lines(Vec<[[f32; 2]; 3]>);

impl Lines {
    fn of(shore: &Shoreline) -> Self {
        let mut lines = Vec::with_capacity(shore.nodes.len());
        for chain in &shore.chains {
            let nodes = &shore.nodes[chain.first..chain.end];
            let last = nodes.len() - 1;
            for (number, node) in nodes.iter().enumerate() {
                let end = if chain.is_closed { [nodes[last], nodes[0]] } else { [nodes[0], nodes[last]] };
                let before = if number > 0 { nodes[number - 1] } else { end[0] };
                let after = if number < last { nodes[number + 1] } else { end[1] };
                lines.push([before, *node, after]);
            }
        }
        Self(lines)
    }

    /// Whether a place is so far from a node that its neighbours' nodes are hardly nearer.
    #[inline]
    fn is_far(&self, node: u32, [x, z]: [f32; 2]) -> bool {
        let [_, [to_x, to_z], _] = self.0[node as usize];
        let (dx, dz) = (x - to_x, z - to_z);
        dx * dx + dz * dz > FAR * FAR
    }

    /// The squared distance from a place to the lines beside a node, in samples.
    #[inline]
    fn away(&self, node: u32, [x, z]: [f32; 2]) -> f32 {
        let [before, own, after] = self.0[node as usize];
        let (px, pz) = (x - own[0], z - own[1]);
        let to = |end: [f32; 2]| {
            let (ex, ez) = (end[0] - own[0], end[1] - own[1]);
            let length = ex * ex + ez * ez;
            let along = if length > 0.0 { ((px * ex + pz * ez) / length).clamp(0.0, 1.0) } else { 0.0 };
            let (dx, dz) = (px - along * ex, pz - along * ez);
            dx * dx + dz * dz
        };
        to(before).min(to(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::noise::hash;

    #[test]
    fn distances_are_those_to_the_nearest_line() -> Result<()> {
        let grid = Grid::new(40, 30, 2.0)?;
        for seed in 0..5 {
            // Islands of a few samples.
            let lump = |column: usize, row: usize| (hash(seed, column as i64 / 6, row as i64 / 6) % 7) as f32;
            let land = Heightfield::from_fn(grid, |column, row| {
                lump(column, row) + (hash(seed, column as i64, row as i64) % 100) as f32 * 0.01 - 5.0
            });
            let work = Work::new();
            let mut shore = Shoreline::of(&land, &work)?;
            let mut signed = land.clone();
            let first = nodes(&signed, &mut shore, &work)?;
            distances(&mut signed, &shore, first, &work)?;
            let lines = Lines::of(&shore);
            for (at, distance) in signed.heights().iter().enumerate() {
                let here = [(at % grid.width) as f32, (at / grid.width) as f32];
                let nearest = (0..shore.nodes.len() as u32).map(|node| lines.away(node, here));
                let nearest = nearest.fold(f32::INFINITY, f32::min).sqrt() * grid.cell;
                assert_eq!(*distance > 0.0, land.heights()[at] > 0.0);
                // The neighbours of the nearest sample's node may be missed by a little.
                let away = distance.abs();
                assert!(away >= nearest && away < nearest + 0.3 * grid.cell, "{away} and {nearest}");
            }
        }
        Ok(())
    }
}
