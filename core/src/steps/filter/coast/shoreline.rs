//! The shoreline as lines: where a signed distance is 0 between samples, by marching squares (Lorensen and
//! Cline 1987, in two dimensions), joined to chains that have the land on their left.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// The shoreline of a land. Positions are in samples.
pub(super) struct Shoreline {
    /// Where the shore crosses the edges between neighbouring samples, in the order of the chains.
    pub nodes: Vec<[f32; 2]>,
    pub chains: Vec<Chain>,
    /// The node nearest to each sample that has a neighbour on the other side of the shore.
    pub beside: Vec<u32>,
}

/// Nodes that follow one another, with the land on the left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub first: usize,
    pub end: usize,
    /// Whether the last node is followed by the first one. If not, the chain ends at the land's border.
    pub is_closed: bool,
}

impl Chain {
    /// The places before and after one of the chain, where there are any.
    pub fn beside(self, at: usize) -> (Option<usize>, Option<usize>) {
        let before = if at > self.first { Some(at - 1) } else { self.is_closed.then(|| self.end - 1) };
        let after = if at + 1 < self.end { Some(at + 1) } else { self.is_closed.then_some(self.first) };
        (before, after)
    }
}

impl Shoreline {
    /// The lines where `signed` is 0; it is positive on land.
    pub fn of(signed: &Heightfield, work: &Work) -> Result<Self> {
        let edges = Edges::of(signed, work)?;
        let next: Vec<u32> = edges.list.par_iter().map(|edge| edges.after(*edge)).collect();
        work.check()?;
        let (order, chains) = chains(&next, work)?;
        let nodes: Vec<[f32; 2]> =
            order.par_iter().map(|number| edges.crossing(edges.list[*number as usize])).collect();
        let mut number = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(old, new)| number[*old as usize] = new);
        let beside = edges.beside(&number, work)?;
        Ok(Self { nodes, chains, beside })
    }
}

/// The edges between neighbouring samples that the shore crosses. Edge 2·i leads from sample i to the east,
/// edge 2·i + 1 to the south.
struct Edges<'a> {
    signed: &'a [f32],
    grid: Grid,
    list: Vec<u32>,
    /// How many edges there are before each row.
    before: Vec<usize>,
}

impl<'a> Edges<'a> {
    fn of(signed: &'a Heightfield, work: &Work) -> Result<Self> {
        let grid = signed.grid();
        let signed = signed.heights();
        let of_row = |row: usize| {
            work.check()?;
            let mut list = Vec::new();
            for column in 0..grid.width {
                let at = row * grid.width + column;
                let is_land = signed[at] > 0.0;
                if column + 1 < grid.width && is_land != (signed[at + 1] > 0.0) {
                    list.push(2 * at as u32);
                }
                if row + 1 < grid.depth && is_land != (signed[at + grid.width] > 0.0) {
                    list.push(2 * at as u32 + 1);
                }
            }
            Ok(list)
        };
        let rows = (0..grid.depth).into_par_iter().map(of_row).collect::<Result<Vec<_>>>()?;
        let mut before = vec![0];
        for row in &rows {
            before.push(before[before.len() - 1] + row.len());
        }
        Ok(Self { signed, grid, list: rows.concat(), before })
    }

    fn is_land(&self, column: usize, row: usize) -> bool {
        self.signed[row * self.grid.width + column] > 0.0
    }

    /// The number of an edge in the list.
    fn number(&self, edge: u32) -> Option<usize> {
        let row = edge as usize / 2 / self.grid.width;
        let (first, end) = (self.before[row], self.before[row + 1]);
        self.list[first..end].binary_search(&edge).ok().map(|at| first + at)
    }

    fn crossing(&self, edge: u32) -> [f32; 2] {
        let at = edge as usize / 2;
        let (column, row) = (at % self.grid.width, at / self.grid.width);
        let east = edge.is_multiple_of(2);
        let (here, there) = (self.signed[at], self.signed[at + if east { 1 } else { self.grid.width }]);
        // Not quite at a sample: two nodes would coincide there.
        let along = (here / (here - there)).clamp(0.01, 0.99);
        if east { [column as f32 + along, row as f32] } else { [column as f32, row as f32 + along] }
    }

    /// The node that follows the one on `edge`, with the land on the left; [`NONE`] at the border.
    fn after(&self, edge: u32) -> u32 {
        let Grid { width, depth, .. } = self.grid;
        let at = edge as usize / 2;
        let (column, row) = (at % width, at / width);
        let is_land = self.signed[at] > 0.0;
        // The cell ahead, by its north-western sample, and the side through which it is entered:
        // north 0, east 1, south 2, west 3.
        let (cell, from) = match (edge.is_multiple_of(2), is_land) {
            (true, true) => ((Some(column), row.checked_sub(1)), 2),
            (true, false) => ((Some(column), Some(row)), 0),
            (false, true) => ((Some(column), Some(row)), 3),
            (false, false) => ((column.checked_sub(1), Some(row)), 1),
        };
        let (Some(column), Some(row)) = cell else { return NONE };
        if column + 1 >= width || row + 1 >= depth {
            return NONE;
        }
        let corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, z)| self.is_land(column + x, row + z));
        let crosses = |side: usize| corners[side] != corners[(side + 1) % 4];
        let [left, ahead, right] = [1, 2, 3].map(|turn| (from + turn) % 4);
        let side = if [left, ahead, right].iter().all(|side| crosses(*side)) {
            // A saddle: the middle decides which two corners are joined.
            let at = row * width + column;
            let sum: f32 = [0, 1, width, width + 1].iter().map(|more| self.signed[at + more]).sum();
            if sum > 0.0 { right } else { left }
        } else if crosses(left) {
            left
        } else if crosses(ahead) {
            ahead
        } else {
            right
        };
        let at = row * width + column;
        let edge = match side {
            0 => 2 * at,
            1 => 2 * (at + 1) + 1,
            2 => 2 * (at + width),
            _ => 2 * at + 1,
        };
        self.number(edge as u32).map_or(NONE, |number| number as u32)
    }

    /// The nearest node beside each sample; `number` gives the nodes of the edges.
    fn beside(&self, number: &[u32], work: &Work) -> Result<Vec<u32>> {
        let Grid { width, .. } = self.grid;
        let mut beside = vec![NONE; self.signed.len()];
        let mut away = vec![f32::INFINITY; 2 * width];
        // Row by row from the north, so that the nearest of a sample's edges has been seen when its row ends.
        for row in 0..self.grid.depth {
            work.check()?;
            away.copy_within(width.., 0);
            away[width..].fill(f32::INFINITY);
            let edges = self.before[row]..self.before[row + 1];
            for (edge, number) in self.list[edges.clone()].iter().zip(&number[edges]) {
                let edge = *edge;
                let sample = edge as usize / 2;
                let [x, z] = self.crossing(edge);
                let east = edge.is_multiple_of(2);
                let along = if east { x - (sample % width) as f32 } else { z - row as f32 };
                let other = if east { 1 } else { width };
                let column = sample - row * width;
                for (more, far) in [(0, along), (other, 1.0 - along)] {
                    if far < away[column + more] {
                        away[column + more] = far;
                        beside[sample + more] = *number;
                    }
                }
            }
        }
        Ok(beside)
    }
}

/// The nodes in the order of the chains: first those that begin at the border, then the closed ones.
fn chains(next: &[u32], work: &Work) -> Result<(Vec<u32>, Vec<Chain>)> {
    let mut has_before = vec![false; next.len()];
    next.iter().filter(|next| **next != NONE).for_each(|next| has_before[*next as usize] = true);
    let (mut order, mut chains) = (Vec::with_capacity(next.len()), Vec::new());
    let mut is_done = vec![false; next.len()];
    for is_closed in [false, true] {
        for start in (0..next.len()).filter(|start| is_closed || !has_before[*start]) {
            if is_done[start] {
                continue;
            }
            work.check()?;
            let (first, mut at) = (order.len(), start);
            loop {
                is_done[at] = true;
                order.push(at as u32);
                match next[at] {
                    NONE => break,
                    after if is_done[after as usize] => break,
                    after => at = after as usize,
                }
            }
            chains.push(Chain { first, end: order.len(), is_closed });
        }
    }
    Ok((order, chains))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round islands and lakes, of which one meets the border.
    fn land() -> Result<Heightfield> {
        Ok(Heightfield::from_fn(Grid::new(60, 50, 1.0)?, |column, row| {
            let within = |x: f32, z: f32, radius: f32| {
                let (dx, dz) = (column as f32 - x, row as f32 - z);
                radius - (dx * dx + dz * dz).sqrt()
            };
            within(20.3, 20.2, 12.0).min(-within(20.1, 20.4, 4.0)).max(within(59.0, 30.0, 9.5))
        }))
    }

    #[test]
    fn each_shore_is_one_chain_with_the_land_on_its_left() -> Result<()> {
        let land = land()?;
        let shore = Shoreline::of(&land, &Work::new())?;
        let closed: Vec<bool> = shore.chains.iter().map(|chain| chain.is_closed).collect();
        assert_eq!(closed, [false, true, true]);
        for chain in &shore.chains {
            for at in chain.first..chain.end {
                let (_, Some(next)) = chain.beside(at) else { continue };
                let ([x, z], [to_x, to_z]) = (shore.nodes[at], shore.nodes[next]);
                let (dx, dz) = (to_x - x, to_z - z);
                assert!(dx * dx + dz * dz <= 2.0, "{at}: the next node is in the same cell");
                // A step to the left of the middle.
                let length = (dx * dx + dz * dz).sqrt();
                let left = [0.5 * (x + to_x) + 0.6 * dz / length, 0.5 * (z + to_z) - 0.6 * dx / length];
                let on_left = land.at(left[0].round() as usize, left[1].round() as usize);
                assert!(on_left > -0.5, "{at}: {on_left}");
            }
        }
        Ok(())
    }

    #[test]
    fn every_sample_at_the_shore_has_a_node_beside_it() -> Result<()> {
        let land = land()?;
        let shore = Shoreline::of(&land, &Work::new())?;
        for row in 1..49 {
            for column in 1..59 {
                let is_land = |column: usize, row: usize| land.at(column, row) > 0.0;
                let around = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)];
                let is_beside = around.iter().any(|(x, z)| is_land(*x, *z) != is_land(column, row));
                let node = shore.beside[row * 60 + column];
                assert_eq!(node != NONE, is_beside);
                if is_beside {
                    let [x, z] = shore.nodes[node as usize];
                    assert!((x - column as f32).abs() + (z - row as f32).abs() < 1.0);
                }
            }
        }
        Ok(())
    }
}
