//! Finds the sample of a triangle that lies farthest from its plane.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Rows scanned between two checks for cancellation.
const ROWS_AT_ONCE: i64 = 64;

/// How many heights are compared together.
const LANES: usize = 8;

/// A sample and its vertical distance from a triangle's plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Worst {
    /// Metres above or below the plane.
    pub(super) error: f64,
    /// The sample's index, row by row; meaningless where the error is 0.
    pub(super) sample: u32,
}

/// Twice the area of a triangle of samples (column, row), in cells; above 0 if its corners run anticlockwise
/// as seen from above. Exact for every grid that is supported.
pub(super) fn doubled_area([a, b, c]: [[u32; 2]; 3]) -> i64 {
    let [a, b, c] = [a, b, c].map(|[column, row]| [i64::from(column), i64::from(row)]);
    (b[1] - a[1]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[1] - a[1])
}

/// The sample within a triangle or on its edges that is farthest above or below its plane; the first of
/// several, row by row. Corners, whose error is 0, are left out.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn worst(field: &Heightfield, corners: [[u32; 2]; 3], work: &Work) -> Result<Worst> {
    let plane = Plane::through(field, corners);
    let mut corners = corners.map(|[column, row]| [i64::from(column), i64::from(row)]);
    corners.sort_unstable_by_key(|&[column, row]| (row, column));
    let [first, middle, last] = corners;
    let long = Edge(first, last);
    let middle_is_west =
        // Cross-multiplied, so that the comparison is exact in whole numbers.
        (middle[0] - first[0]) * (last[1] - first[1]) < (last[0] - first[0]) * (middle[1] - first[1]);
    let mut worst = Worst::default();
    for row in first[1]..=last[1] {
        if (row - first[1]) % ROWS_AT_ONCE == 0 {
            work.check()?;
        }
        let below_middle = row >= middle[1] && last[1] > middle[1];
        let short = if below_middle { Edge(middle, last) } else { Edge(first, middle) };
        let (west, east) = if middle_is_west { (short, long) } else { (long, short) };
        let (mut from, mut to) = (west.ceil_at(row), east.floor_at(row));
        // Corners can only be at the ends of a row.
        from += i64::from(corners.contains(&[from, row]));
        to -= i64::from(corners.contains(&[to, row]));
        if from > to {
            continue;
        }
        let heights = &field.row(row as usize)[from as usize..=to as usize];
        let start = plane.height_at(from, row);
        let largest = largest_error(heights, start, plane.per_column);
        if largest > worst.error {
            let error = |(index, &height)| error(height, start, plane.per_column, index);
            // Searched again only where a row has a new largest error: the loop without indices is
            // vectorised.
            let index = heights.iter().enumerate().position(|sample| error(sample) == largest).unwrap_or(0);
            let sample = row as usize * field.grid().width + from as usize + index;
            worst = Worst { error: largest, sample: sample as u32 };
        }
    }
    Ok(worst)
}

/// The plane through a triangle's corners.
struct Plane {
    /// Column and row of a corner, and its height in metres.
    corner: ([i64; 2], f64),
    /// Metres that it rises from a column to the next, and from a row to the next.
    per_column: f64,
    per_row: f64,
}

impl Plane {
    fn through(field: &Heightfield, corners: [[u32; 2]; 3]) -> Self {
        let [a, b, c] = corners.map(|[column, row]| [i64::from(column), i64::from(row)]);
        let height = |[column, row]: [u32; 2]| f64::from(field.at(column as usize, row as usize));
        let [height_a, height_b, height_c] = corners.map(height);
        let (rise_b, rise_c) = (height_b - height_a, height_c - height_a);
        let [b_x, b_z] = [b[0] - a[0], b[1] - a[1]].map(|cells| cells as f64);
        let [c_x, c_z] = [c[0] - a[0], c[1] - a[1]].map(|cells| cells as f64);
        let area = -(doubled_area(corners) as f64);
        Self {
            corner: (a, height_a),
            per_column: (rise_b * c_z - rise_c * b_z) / area,
            per_row: (rise_c * b_x - rise_b * c_x) / area,
        }
    }

    fn height_at(&self, column: i64, row: i64) -> f64 {
        let ([corner_column, corner_row], height) = self.corner;
        height + self.per_row * (row - corner_row) as f64 + self.per_column * (column - corner_column) as f64
    }
}

/// An edge from a sample (column, row) to one in the same row or below.
#[derive(Clone, Copy)]
struct Edge([i64; 2], [i64; 2]);

impl Edge {
    /// The first column at or after the edge in a row.
    fn ceil_at(&self, row: i64) -> i64 {
        let (across, down) = self.run(row);
        // Rounded up by negating twice, since `div_euclid` rounds down.
        self.0[0] - (-across).div_euclid(down)
    }

    /// The last column at or before the edge in a row.
    fn floor_at(&self, row: i64) -> i64 {
        let (across, down) = self.run(row);
        self.0[0] + across.div_euclid(down)
    }

    /// How far the edge has moved sideways at a row, as a fraction.
    fn run(&self, row: i64) -> (i64, i64) {
        let Self([column, first], [end, last]) = *self;
        // The first corner of an edge along a row lies in that row.
        ((end - column) * (row - first), (last - first).max(1))
    }
}

/// The distance of a height from a line that begins at `start` and rises by `slope` per sample.
fn error(height: f32, start: f64, slope: f64, index: usize) -> f64 {
    (f64::from(height) - (start + slope * f64::from(index as u32))).abs()
}

/// The largest distance of heights in a row from a line.
#[inline]
pub(super) fn largest_error(heights: &[f32], start: f64, slope: f64) -> f64 {
    let error = |(index, &height): (usize, &f32)| error(height, start, slope, index);
    match heights.len() {
        // Most triangles are small; lanes would cost more than they save.
        0..LANES => heights.iter().enumerate().map(error).fold(0.0, f64::max),
        _ => largest_of_many(heights, start, slope),
    }
}

fn largest_of_many(heights: &[f32], start: f64, slope: f64) -> f64 {
    let mut largest = [0.0f64; LANES];
    let (blocks, rest) = heights.as_chunks::<LANES>();
    for (number, block) in blocks.iter().enumerate() {
        for (lane, &height) in block.iter().enumerate() {
            let error = error(height, start, slope, number * LANES + lane);
            // The largest number is the same in whatever order lanes are compared.
            largest[lane] = if error > largest[lane] { error } else { largest[lane] };
        }
    }
    let before = heights.len() - rest.len();
    let of_rest = rest.iter().enumerate().map(|(index, &height)| error(height, start, slope, before + index));
    largest.into_iter().chain(of_rest).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    /// Irregular heights.
    fn rough(width: usize, depth: usize) -> Heightfield {
        let hash = |column: usize, row: usize| (column * 7919 + row * 104_729) as u32 ^ 0x5bd1;
        let height = |column, row| (hash(column, row).wrapping_mul(0x9E37_79B1) >> 12) as f32 * 0.001;
        Heightfield::from_fn(Grid::new(width, depth, 3.0).unwrap(), height)
    }

    #[test]
    fn the_worst_sample_is_that_of_a_search_among_all() {
        let field = rough(23, 19);
        let triangles = [
            [[0, 0], [0, 18], [22, 0]],
            [[22, 18], [22, 0], [0, 18]],
            [[3, 2], [5, 17], [20, 9]],
            [[4, 4], [4, 5], [5, 4]],
            [[1, 1], [2, 14], [3, 1]],
            [[10, 0], [0, 9], [19, 18]],
            [[2, 7], [21, 9], [11, 7]],
        ];
        for corners in triangles {
            let mut expected = Worst::default();
            for row in 0..19 {
                for column in 0..23 {
                    let p = [column, row];
                    let [a, b, c] = corners;
                    let parts = [[p, b, c], [a, p, c], [a, b, p]].map(doubled_area);
                    if parts.iter().any(|&part| part < 0) || corners.contains(&p) {
                        continue;
                    }
                    let at = |[column, row]: [u32; 2]| f64::from(field.at(column as usize, row as usize));
                    let plane: f64 = (0..3).map(|corner| parts[corner] as f64 * at(corners[corner])).sum();
                    let error = (at(p) - plane / doubled_area(corners) as f64).abs();
                    if error > expected.error + 1e-9 {
                        expected = Worst { error, sample: row * 23 + column };
                    }
                }
            }
            let found = worst(&field, corners, &Work::new()).unwrap();
            assert_eq!(found.sample, expected.sample, "{corners:?}");
            assert!((found.error - expected.error).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn anticlockwise_is_as_seen_from_above() {
        assert_eq!(doubled_area([[0, 0], [0, 1], [1, 0]]), 1);
        assert_eq!(doubled_area([[0, 0], [1, 0], [0, 1]]), -1);
    }
}
