//! The cells of one octave: a square lattice with one hashed random point, the pivot, in each square.

use std::ops::Range;

use crate::grid::Region;
use crate::noise::{STRETCH, hash_along, hash_of_column, mix, signed_unit, stretch_length, stretches};

/// Largest distance of a pivot from the centre of its square along either axis, in sides of the square.
const JITTER: f32 = 0.3;

/// Radius within which a pivot has influence, in sides of the square. Only the nine squares around a point
/// can have a pivot that close, and there always is one: four pivots displaced away from a shared corner
/// are 1.13 from it.
pub(super) const REACH: f32 = 1.5 - JITTER;

/// Squares are counted up to this number, far beyond any in which there is detail.
const FARTHEST_CELL: f64 = (1u64 << 62) as f64;

/// Columns that are written at once when pivots are spread over columns; the next square overwrites the
/// excess.
const LANES: usize = 8;

/// An octave's squares over a region.
pub(super) struct Cells {
    /// One for every stretch of the region's columns.
    columns: Vec<SquareColumns>,
    /// Length of a stretch, in columns.
    stretch: usize,
    /// One for every row of the region.
    rows: Vec<Place>,
}

/// Position of a row or a column on the lattice: the number of its square, and the distance from the
/// square's beginning, in sides.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) cell: i64,
    pub(super) along: f32,
}

impl Place {
    fn new(place: f64) -> Self {
        let cell = place.floor();
        // Squares that numbers cannot count are all the last one, which has neighbours.
        Self { cell: cell.clamp(-FARTHEST_CELL, FARTHEST_CELL) as i64, along: (place - cell) as f32 }
    }
}

/// Positions of the columns of one stretch on the lattice.
struct SquareColumns {
    /// The columns' half of the pivots' hash for each square, from the first square's western neighbour to
    /// the last one's eastern. Squares without columns are left out, unless they are neighbours.
    hashes: Vec<u64>,
    /// For every square with columns: its first column, and the index in `hashes` of its western neighbour.
    cells: Vec<(u32, u32)>,
    /// Distance of every column from its square's western side. Padded by [`LANES`].
    along: Vec<f32>,
}

/// What one row of squares contributes to every column of a stretch: the pivots of its own square and of
/// those to the west and east, in sides of a square.
#[repr(align(64))]
pub(super) struct PivotRow {
    /// Pivots' distance east of the column.
    pub(super) east: [[f32; STRETCH + LANES]; 3],
    /// Pivots' distance south of the squares' northern side.
    pub(super) south: [[f32; STRETCH + LANES]; 3],
}

/// The three rows of squares around a row of samples, each at its number modulo three.
pub(super) struct PivotRows {
    lines: [PivotRow; 3],
    held: [Option<i64>; 3],
    pivots: Vec<[f32; 2]>,
}

impl PivotRows {
    pub(super) fn new() -> Box<Self> {
        let line = || PivotRow { east: [[0.0; STRETCH + LANES]; 3], south: [[0.0; STRETCH + LANES]; 3] };
        Box::new(Self { lines: [line(), line(), line()], held: [None; 3], pivots: Vec::new() })
    }

    /// Clears the rows for another octave or another stretch.
    pub(super) fn forget(&mut self) {
        self.held = [None; 3];
    }
}

impl Cells {
    /// Squares with sides of `side` metres. Their origin depends on the seed, so that octaves don't share
    /// borders.
    pub(super) fn new(seed: u64, side: f64, region: &Region) -> Self {
        let begin = |bits: u64| (mix(bits) >> 11) as f64 / (1u64 << 53) as f64;
        let [east, south] = [begin(seed), begin(seed ^ 1)];
        let grid = region.grid();
        let column = |column| Place::new(region.x_in_metres(column) / side + east);
        let row = |row| Place::new(region.z_in_metres(row) / side + south);
        Self {
            columns: stretches(grid).map(|stretch| SquareColumns::new(seed, stretch.map(column))).collect(),
            stretch: stretch_length(grid.width),
            rows: (0..grid.depth).map(row).collect(),
        }
    }

    /// The position of a row of the region within its squares, and the rows of squares north of it, at it
    /// and south of it.
    pub(super) fn around<'a>(
        &self,
        stretch: &Range<usize>,
        row: usize,
        lines: &'a mut PivotRows,
    ) -> (Place, [&'a PivotRow; 3]) {
        let columns = &self.columns[stretch.start / self.stretch];
        let place = self.rows[row];
        let slots = [-1, 0, 1].map(|beside| {
            let cell = place.cell.wrapping_add(beside);
            // Three consecutive rows have different remainders, so each keeps its slot while samples go
            // south.
            let slot = cell.rem_euclid(3) as usize;
            if lines.held[slot] != Some(cell) {
                lines.held[slot] = Some(cell);
                columns.spread(cell, &mut lines.pivots, &mut lines.lines[slot]);
            }
            slot
        });
        let lines = &lines.lines;
        (place, slots.map(|slot| &lines[slot]))
    }
}

impl SquareColumns {
    fn new(seed: u64, places: impl Iterator<Item = Place>) -> Self {
        let mut columns = Self { hashes: Vec::new(), cells: Vec::new(), along: Vec::new() };
        let (mut own, mut last) = (None, None);
        for (column, place) in places.enumerate() {
            columns.along.push(place.along);
            if own == Some(place.cell) {
                continue;
            }
            own = Some(place.cell);
            for cell in [-1, 0, 1].map(|beside| place.cell.wrapping_add(beside)) {
                // Squares ascend, so those already listed are the ones up to the last.
                if last < Some(cell) {
                    columns.hashes.push(hash_of_column(seed, cell));
                    last = Some(cell);
                }
            }
            columns.cells.push((column as u32, columns.hashes.len() as u32 - 3));
        }
        columns.along.extend([0.0; LANES]);
        columns
    }

    /// Spreads the pivots of a row of squares over the columns.
    fn spread(&self, row: i64, pivots: &mut Vec<[f32; 2]>, line: &mut PivotRow) {
        pivots.clear();
        pivots.extend(self.hashes.iter().map(|column| {
            let bits = hash_along(*column, row);
            // Each number takes the highest 24 bits, so the second is shifted up to use others.
            [bits, bits << 24].map(|bits| 0.5 + JITTER * signed_unit(bits))
        }));
        let count = self.along.len() - LANES;
        for (index, &(first, west)) in self.cells.iter().enumerate() {
            let end = self.cells.get(index + 1).map_or(count, |next| next.0 as usize);
            for beside in 0..3 {
                let [east, south] = pivots[west as usize + beside];
                let east = east + (beside as f32 - 1.0);
                for column in (first as usize..end).step_by(LANES) {
                    let along = &self.along[column..][..LANES];
                    let out = &mut line.east[beside][column..][..LANES];
                    out.iter_mut().zip(along).for_each(|(out, along)| *out = east - along);
                    line.south[beside][column..][..LANES].fill(south);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::grid::{Domain, Window};

    /// The pivots around every sample are those of its nine squares, wherever the region begins, and at
    /// least one of them is felt.
    #[test]
    fn every_sample_sees_the_pivots_of_its_nine_squares() -> Result<()> {
        let domain = Domain::endless(10.0, 1000.0)?;
        for (side, first) in [(371.0, [0, 0]), (23.0, [-700, 40]), (4.0, [1 << 40, -(1 << 40)])] {
            let region = domain.region(Window { level: 0, first, size: [300, 20] })?;
            let cells = Cells::new(5, side, &region);
            let mut lines = PivotRows::new();
            for stretch in stretches(region.grid()) {
                lines.forget();
                for row in 0..20 {
                    let (place, lines) = cells.around(&stretch, row, &mut lines);
                    for column in stretch.clone() {
                        let begin = (mix(5) >> 11) as f64 / (1u64 << 53) as f64;
                        let own = Place::new(region.x_in_metres(column) / side + begin);
                        let mut nearest = f32::INFINITY;
                        for (north, line) in lines.into_iter().enumerate() {
                            for west in 0..3 {
                                let bits = hash_along(
                                    hash_of_column(5, own.cell + west as i64 - 1),
                                    place.cell + north as i64 - 1,
                                );
                                let pivot =
                                    0.5 + JITTER * signed_unit(bits) + (west as f32 - 1.0) - own.along;
                                let east = line.east[west][column - stretch.start];
                                assert_eq!(east, pivot, "{side}: {column}, {row}");
                                let south = line.south[west][column - stretch.start] + north as f32
                                    - 1.0
                                    - place.along;
                                nearest = nearest.min(east * east + south * south);
                            }
                        }
                        assert!(nearest < 0.9 * REACH * REACH, "{nearest}");
                    }
                }
            }
        }
        Ok(())
    }
}
