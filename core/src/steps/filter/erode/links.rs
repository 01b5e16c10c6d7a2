//! Distances between the nodes of neighbouring rows.

use super::jitter::Jitter;
use crate::compute::wide::{Loop, in_wide_registers};

/// Distances (or their inverses) between every node of one row and its eight neighbours, row after row.
pub(super) struct Links<'a> {
    jitter: &'a Jitter,
    settled: bool,
    /// Whether inverses of distances are stored.
    inverse: bool,
    /// The displacements of the nodes of the next row.
    below: [Vec<f32>; 2],
    here: [Vec<f32>; 2],
    north: Down,
    south: Down,
    /// From each node to the one east of it, with one more before the first.
    east: Vec<f32>,
    /// The row that comes next.
    next: usize,
}

/// From every node to those south-west, south and south-east of it, with one more at either end.
#[derive(Default)]
struct Down {
    west: Vec<f32>,
    middle: Vec<f32>,
    east: Vec<f32>,
}

impl<'a> Links<'a> {
    /// Inverse distances, 1/m, from `row` on: between the displaced nodes, or between the points of the grid
    /// if `settled`.
    pub(super) fn shares(jitter: &'a Jitter, settled: bool, row: usize) -> Self {
        Self::new(jitter, settled, true, row)
    }

    /// Distances in metres between the displaced nodes, or the points of the grid where it is `settled`,
    /// from `row` on.
    pub(super) fn metres(jitter: &'a Jitter, settled: bool, row: usize) -> Self {
        Self::new(jitter, settled, false, row)
    }

    fn new(jitter: &'a Jitter, settled: bool, inverse: bool, row: usize) -> Self {
        let mut links = Self {
            jitter,
            settled,
            inverse,
            below: [const { Vec::new() }; 2],
            here: [const { Vec::new() }; 2],
            north: Down::default(),
            south: Down::default(),
            east: Vec::new(),
            next: row,
        };
        // These two calls load the row before `row` and the links from it to `row`, which `go_to(row)` needs
        // as those to the north.
        links.fill_below(row.saturating_sub(1));
        links.step(row.saturating_sub(1));
        if row == 0 {
            // Links north of the first row are never read. Row 0 is loaded again, because the step above has
            // already moved on from it.
            links.fill_below(0);
        }
        links
    }

    /// Advances to `row`, which must be the next.
    pub(super) fn go_to(&mut self, row: usize) {
        debug_assert_eq!(row, self.next);
        self.step(row);
        self.next = row + 1;
    }

    fn fill_below(&mut self, row: usize) {
        let (width, depth) = self.jitter.size();
        if self.settled || row >= depth {
            for axis in &mut self.below {
                axis.clear();
                axis.resize(width, 0.0);
            }
            return;
        }
        self.jitter.of_row(row, &mut self.below);
    }

    /// Computes the links of a row whose nodes were those below.
    fn step(&mut self, row: usize) {
        std::mem::swap(&mut self.here, &mut self.below);
        // The links south of the previous row are those north of this one, read from the other end: each
        // distance is computed once.
        std::mem::swap(&mut self.north, &mut self.south);
        self.fill_below(row + 1);
        let (cell, inverse) = (self.jitter.cell(), self.inverse);
        let [x, z] = &self.here;
        let [x_below, z_below] = &self.below;
        let width = x.len();
        let fill =
            |out: &mut Vec<f32>, lead: usize, from: [&[f32]; 2], to: [&[f32]; 2], apart: (f32, f32)| {
                out.clear();
                out.resize(lead, 1.0);
                // Padded at the ends, so that all eight lists can be indexed by the column.
                in_wide_registers(FillLinks { out, from, to, apart, inverse });
                out.resize(width + 1, 1.0);
            };
        let Down { west, middle, east } = &mut self.south;
        fill(&mut self.east, 1, [&x[..width - 1], &z[..width - 1]], [&x[1..], &z[1..]], (cell, 0.0));
        fill(middle, 0, [x, z], [x_below, z_below], (0.0, cell));
        fill(west, 1, [&x[1..], &z[1..]], [&x_below[..width - 1], &z_below[..width - 1]], (-cell, cell));
        fill(east, 1, [&x[..width - 1], &z[..width - 1]], [&x_below[1..], &z_below[1..]], (cell, cell));
    }

    /// The links of every node of the row in the eight directions; meaningless where there is no neighbour.
    pub(super) fn around_all(&self) -> [&[f32]; 8] {
        let (north, south, width) = (&self.north, &self.south, self.here[0].len());
        // Each list begins with the link between the first two columns, after one without meaning.
        [
            &north.east[..width],
            &north.middle[..width],
            &north.west[1..=width],
            &self.east[..width],
            &self.east[1..=width],
            &south.west[..width],
            &south.middle[..width],
            &south.east[1..=width],
        ]
    }
}

/// Fills a list with the links between nodes whose undisplaced points are `apart`.
struct FillLinks<'a> {
    out: &'a mut Vec<f32>,
    from: [&'a [f32]; 2],
    to: [&'a [f32]; 2],
    apart: (f32, f32),
    inverse: bool,
}

impl Loop for FillLinks<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { out, from: [x, z], to: [to_x, to_z], apart: (dx, dz), inverse } = self;
        let nodes = x.iter().zip(z).zip(to_x.iter().zip(to_z));
        let metres = nodes.map(|((x, z), (to_x, to_z))| {
            // The difference of displacements first: it is 0 between grid points, so that settled distances
            // are exact.
            let (x, z) = (dx + (to_x - x), dz + (to_z - z));
            (x * x + z * z).sqrt()
        });
        if inverse {
            out.extend(metres.map(|metres| 1.0 / metres));
        } else {
            out.extend(metres);
        }
    }
}
