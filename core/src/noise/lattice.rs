//! Noise defined on the points of a lattice: Ken Perlin's gradient noise ("Improving Noise", 2002, with its
//! quintic fade) and value noise.
//!
//! Samples of a grid share most of the work. Along a column, the contribution of a lattice row's corners is
//! linear in z: level + rise·(z − row). Both coefficients are computed once per lattice row and column, and a
//! sample blends its two lattice rows: seven operations on neighbouring numbers, whatever the size of a
//! lattice cell.

use std::ops::Range;
use std::sync::LazyLock;

use super::samples::{STRETCH, Samples, stretch_length, stretches};
use super::{Basis, hash_along, hash_of_column, signed_unit};
use crate::compute::wide::{LoopOver, over_in_wide_registers};
use crate::grid::Grid;
use crate::math::smoothstep::smootherstep;

/// Columns that are written together when lattice cells are spread over columns; the next cell overwrites the
/// excess.
const LANES: usize = 8;

/// Where there is more than one lattice cell for this many columns, every column gets two nodes of its own.
/// Those are more nodes than needed, but they are in the order of the columns, so the loop over them can be
/// vectorised.
const CROWDED: usize = 2;

/// Room for that excess beyond the last column, in whole cache lines.
const PAD: usize = 16;

/// Gradients to choose from: unit vectors in all directions, times √2 so that the noise reaches ±1. East and
/// south are separate arrays.
// From `libm`, because the platform's sine differs between systems, and heights must not.
pub static GRADIENTS: LazyLock<[[f32; 256]; 2]> = LazyLock::new(|| {
    let along = |index: usize, part: fn(f64) -> f64| {
        // Half a step off, so that no gradient is parallel to an axis of the lattice.
        let angle = (index as f64 + 0.5) * std::f64::consts::TAU / 256.0;
        (std::f64::consts::SQRT_2 * part(angle)) as f32
    };
    [
        std::array::from_fn(|index| along(index, libm::cos)),
        std::array::from_fn(|index| along(index, libm::sin)),
    ]
});

pub(super) struct Lattice {
    basis: Basis,
    /// One for each stretch of the grid; `stretch` is their length in columns.
    columns: Vec<CellColumns>,
    stretch: usize,
    /// One for each row of the grid.
    rows: Vec<RowPlace>,
}

/// The place of a row of samples on the lattice.
struct RowPlace {
    /// The lattice row north of it. Row numbers wrap around beyond the largest.
    north: i64,
    /// Position between the lattice rows north and south of it, in [0, 1), and its fade.
    along: f32,
    fade: f32,
}

/// The places of the columns of one stretch on the lattice.
struct CellColumns {
    /// The columns' half of the hash of every lattice column in use, from west to east.
    nodes: Vec<u64>,
    /// For every lattice cell with columns in it: its first column, and which node is west of it.
    /// The node east of it is the next one. None where cells are so narrow that hardly two columns share
    /// one: then there are two nodes for every column, first the western ones of all, then the eastern ones.
    cells: Option<Vec<(u32, u32)>>,
    /// Position between the two nodes for every column, and its fade. Longer by [`LANES`].
    along: Vec<f32>,
    fade: Vec<f32>,
}

/// Room for the lattice rows north and south of a row of samples.
#[derive(Default)]
pub(crate) struct NodeRows {
    north: NodeRow,
    south: NodeRow,
    nodes: Nodes,
}

/// The contribution of one lattice row to every column: its value on the lattice row, and its rise per
/// lattice step south.
#[repr(align(64))]
struct NodeRow {
    level: [f32; STRETCH + PAD],
    rise: [f32; STRETCH + PAD],
}

/// The values on the nodes of one lattice row: a gradient, or for value noise a height instead of its south
/// component.
struct Nodes {
    bits: [u64; 2 * STRETCH],
    east: [f32; 2 * STRETCH],
    south: [f32; 2 * STRETCH],
}

impl Default for NodeRow {
    fn default() -> Self {
        Self { level: [0.0; STRETCH + PAD], rise: [0.0; STRETCH + PAD] }
    }
}

impl Default for Nodes {
    fn default() -> Self {
        Self { bits: [0; 2 * STRETCH], east: [0.0; 2 * STRETCH], south: [0.0; 2 * STRETCH] }
    }
}

impl Lattice {
    /// A lattice for a grid whose columns lie at `x(column)` and rows at `z(row)`, in lattice cells.
    pub(super) fn new(
        basis: Basis,
        seed: u64,
        grid: Grid,
        x: impl Fn(usize) -> f64,
        z: impl Fn(usize) -> f64,
    ) -> Self {
        // Hashes and fades depend on the column alone, so all bands of rows share them.
        let columns = stretches(grid).map(|stretch| CellColumns::new(seed, stretch.map(&x))).collect();
        let rows = (0..grid.depth).map(|row| RowPlace::new(z(row))).collect();
        Self { basis, columns, stretch: stretch_length(grid.width), rows }
    }

    /// See [`Octave::combine`](super::Octave::combine).
    pub(super) fn combine(
        &self,
        stretch: &Range<usize>,
        rows: Range<usize>,
        lines: &mut NodeRows,
        samples: &mut Samples,
        combine: impl Fn(f32, f32, f32) -> (f32, f32),
    ) {
        let (columns, rows) = (&self.columns[stretch.start / self.stretch], &self.rows[rows]);
        let block = Block { basis: self.basis, columns, rows, gradients: &GRADIENTS };
        over_in_wide_registers(&Combined { block, combine }, lines, samples);
    }
}

impl RowPlace {
    fn new(z: f64) -> Self {
        let north = z.floor();
        // Subtracted in f64 and only then rounded, so that the fraction is as precise far from the origin.
        let along = (z - north) as f32;
        Self { north: north as i64, along, fade: smootherstep(along) }
    }
}

impl CellColumns {
    fn new(seed: u64, x: impl Iterator<Item = f64>) -> Self {
        let mut west = Vec::with_capacity(STRETCH);
        let (mut along, mut fade) =
            (Vec::with_capacity(STRETCH + LANES), Vec::with_capacity(STRETCH + LANES));
        for x in x {
            let node = x.floor();
            west.push(node as i64);
            along.push((x - node) as f32);
        }
        fade.extend(along.iter().map(|along| smootherstep(*along)));
        // Loads of LANES columns from the last cell's columns on read this far beyond the end.
        along.extend([0.0; LANES]);
        fade.extend([0.0; LANES]);
        let hash = |node: i64| hash_of_column(seed, node);
        let cells = 1 + west.windows(2).filter(|pair| pair[0] != pair[1]).count();
        if CROWDED * cells > west.len() {
            let nodes = west
                .iter()
                .map(|&node| hash(node))
                .chain(west.iter().map(|&node| hash(node.wrapping_add(1))));
            return Self { nodes: nodes.collect(), cells: None, along, fade };
        }
        let (mut nodes, mut cells) = (Vec::new(), Vec::with_capacity(cells));
        let mut last = None;
        for (column, &node) in west.iter().enumerate() {
            if last == Some(node) {
                continue;
            }
            // The node west of a cell is usually the one east of the previous cell.
            if last.is_none_or(|last| last.wrapping_add(1) != node) {
                nodes.push(hash(node));
            }
            nodes.push(hash(node.wrapping_add(1)));
            cells.push((column as u32, nodes.len() as u32 - 2));
            last = Some(node);
        }
        Self { nodes, cells: Some(cells), along, fade }
    }

    fn len(&self) -> usize {
        self.along.len() - LANES
    }
}

struct Block<'a> {
    basis: Basis,
    columns: &'a CellColumns,
    rows: &'a [RowPlace],
    gradients: &'a [[f32; 256]; 2],
}

/// [`Block::combine`] as a loop.
struct Combined<'a, Combine> {
    block: Block<'a>,
    combine: Combine,
}

impl<Combine: Fn(f32, f32, f32) -> (f32, f32)> LoopOver<NodeRows, Samples> for Combined<'_, Combine> {
    #[inline(always)]
    fn run(&self, lines: &mut NodeRows, samples: &mut Samples) {
        self.block.combine(lines, samples, &self.combine);
    }
}

impl Block<'_> {
    #[inline(always)]
    fn combine<Combine: Fn(f32, f32, f32) -> (f32, f32)>(
        &self,
        NodeRows { north, south, nodes }: &mut NodeRows,
        samples: &mut Samples,
        combine: &Combine,
    ) {
        let width = self.columns.len();
        let mut held = None;
        let samples = samples.values.iter_mut().zip(&mut samples.weights);
        for (row, (values, weights)) in self.rows.iter().zip(samples) {
            if held != Some(row.north) {
                // Rows of samples go south, so the southern lattice row usually becomes the northern one.
                if held == Some(row.north.wrapping_sub(1)) {
                    std::mem::swap(north, south);
                } else {
                    self.spread(row.north, nodes, north);
                }
                self.spread(row.north.wrapping_add(1), nodes, south);
                held = Some(row.north);
            }
            blend(row, north, south, &mut values[..width], &mut weights[..width], combine);
        }
    }

    /// Spreads the nodes of a lattice row over the columns.
    #[inline(always)]
    fn spread(&self, row: i64, Nodes { bits, east, south }: &mut Nodes, line: &mut NodeRow) {
        let columns = self.columns;
        // Hashing and looking up are separate loops over plain arrays, so that each can be vectorised by
        // itself.
        for (bits, column) in bits.iter_mut().zip(&columns.nodes) {
            *bits = hash_along(*column, row);
        }
        let bits = &bits[..columns.nodes.len()];
        if self.basis != Basis::Value {
            for ((bits, east), south) in bits.iter().zip(&mut *east).zip(&mut *south) {
                // The highest bits, since the multiplications of the hash mix those best.
                let index = (bits >> 56) as u8;
                *east = self.gradients[0][usize::from(index)];
                *south = self.gradients[1][usize::from(index)];
            }
        } else {
            // A height needs no second component; the south one is free to hold it.
            bits.iter().zip(&mut *south).for_each(|(bits, level)| *level = signed_unit(*bits));
        }
        match &columns.cells {
            Some(cells) => self.spread_cells(cells, east, south, line),
            None => self.spread_pairs(east, south, line),
        }
    }

    /// Where several columns share their nodes.
    #[inline(always)]
    fn spread_cells(&self, cells: &[(u32, u32)], east: &[f32], south: &[f32], line: &mut NodeRow) {
        let columns = self.columns;
        // From west to east: each cell's excess lanes are overwritten by the next cell, and the last one's
        // fall into the padding.
        for (index, &(first, west)) in cells.iter().enumerate() {
            let end = cells.get(index + 1).map_or(columns.len(), |next| next.0 as usize);
            let west = west as usize;
            let [east_w, east_e] = [east[west], east[west + 1]];
            let [south_w, south_e] = [south[west], south[west + 1]];
            for column in (first as usize..end).step_by(LANES) {
                let along = lanes(&columns.along, column);
                let fade = lanes(&columns.fade, column);
                let (mut level, mut rise) = ([0.0; LANES], [0.0; LANES]);
                for lane in 0..LANES {
                    let from_west = east_w * along[lane];
                    // The distance from the node east of the column is negative: its gradient rises towards
                    // the east.
                    let from_east = east_e * (along[lane] - 1.0);
                    level[lane] = from_west + (from_east - from_west) * fade[lane];
                    rise[lane] = south_w + (south_e - south_w) * fade[lane];
                }
                // Value noise has a height in place of the south component, and its contribution is constant
                // along z.
                if self.basis == Basis::Value {
                    (level, rise) = (rise, [0.0; LANES]);
                }
                line.level[column..][..LANES].copy_from_slice(&level);
                line.rise[column..][..LANES].copy_from_slice(&rise);
            }
        }
    }

    /// Where every column has two nodes of its own.
    // The same operations in the same order as `spread_cells`, so that the bits don't depend on which of the
    // two is chosen.
    #[inline(always)]
    fn spread_pairs(&self, east: &[f32], south: &[f32], line: &mut NodeRow) {
        let width = self.columns.len();
        let (along, fade) = (&self.columns.along[..width], &self.columns.fade[..width]);
        let ((east_w, east_e), (south_w, south_e)) = (east.split_at(width), south.split_at(width));
        let (east_e, south_e) = (&east_e[..width], &south_e[..width]);
        let (level, rise) = (&mut line.level[..width], &mut line.rise[..width]);
        if self.basis == Basis::Value {
            for column in 0..width {
                level[column] = south_w[column] + (south_e[column] - south_w[column]) * fade[column];
                rise[column] = 0.0;
            }
            return;
        }
        for column in 0..width {
            let from_west = east_w[column] * along[column];
            let from_east = east_e[column] * (along[column] - 1.0);
            level[column] = from_west + (from_east - from_west) * fade[column];
            rise[column] = south_w[column] + (south_e[column] - south_w[column]) * fade[column];
        }
    }
}

/// One row of samples, between the lattice rows north and south of it.
#[inline(always)]
fn blend<C: Fn(f32, f32, f32) -> (f32, f32)>(
    row: &RowPlace,
    north: &NodeRow,
    south: &NodeRow,
    values: &mut [f32],
    weights: &mut [f32],
    combine: &C,
) {
    let &RowPlace { along, fade, .. } = row;
    let north = north.level.iter().zip(&north.rise);
    let south = south.level.iter().zip(&south.rise);
    let samples = values.iter_mut().zip(weights);
    // Zipped iterators instead of indices: without bounds checks the loop is vectorised.
    for (((value, weight), (level_n, rise_n)), (level_s, rise_s)) in samples.zip(north).zip(south) {
        let a = level_n + rise_n * along;
        let b = level_s + rise_s * (along - 1.0);
        (*value, *weight) = combine(a + (b - a) * fade, *value, *weight);
    }
}

#[inline(always)]
fn lanes(values: &[f32], first: usize) -> [f32; LANES] {
    std::array::from_fn(|lane| values[first..][..LANES][lane])
}
