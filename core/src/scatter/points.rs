//! Points that are never closer to each other than a spacing, and the same in every rectangle that contains
//! them.
//!
//! Dart throwing (Cook, "Stochastic Sampling in Computer Graphics", 1986) depends on the order of all darts
//! thrown before, so a window of it would need the whole plane. Here the order is divided into a few
//! *rounds*: in each, every cell of a jittered grid throws one dart, whose place and priority are hashes of
//! the cell. A dart stays if no dart of an earlier round lies within the spacing, and none of its own round
//! that could stay has a higher priority there: hard-core thinning like Matérn's second process ("Spatial
//! Variation", 1960), round by round. So a point depends on darts within two spacings per round, and on
//! nothing else. This bound is the reason for this method: chains of priorities in exact dart throwing have
//! none (Wei, "Parallel Poisson Disk Sampling", 2008, bounds them by colouring the cells, which leaves the
//! colours' lattice in the picture), and tiles of points prepared beforehand (Kopf et al., "Recursive Wang
//! Tiles", 2006) repeat.

use crate::noise::{hash, mix, stream};
use crate::rules::{DENSEST, ROUNDS};

/// Spacings around a round's points within which darts of it are known; a little more than two, so that
/// rounding has no effect.
const REACH: f64 = 2.001;

/// Shares covered by darts against shares covered by points, for one round of cells wider than the spacing:
/// squares of spacing over cell, and points in a square of the spacing. Measured on a million points; linear
/// in between.
const SPARSE: [(f64, f64); 7] = [
    (0.0, 0.0),
    (0.0625, 0.0612),
    (0.125, 0.1182),
    (0.25, 0.2142),
    (0.375, 0.2834),
    (0.5, 0.3276),
    (0.625, 0.3518),
];

/// The last share in [`SPARSE`].
const SPARSEST: f64 = SPARSE[SPARSE.len() - 1].1;

/// A part of the plane, metres: from `low` up to `high`, which does not belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// West and north.
    pub low: [f64; 2],
    /// East and south.
    pub high: [f64; 2],
}

impl Rectangle {
    /// The rectangle with this many metres more on every side.
    pub fn grown(self, metres: f64) -> Self {
        Self { low: self.low.map(|side| side - metres), high: self.high.map(|side| side + metres) }
    }

    /// Whether a place lies in it.
    pub fn has(&self, x: f64, z: f64) -> bool {
        (self.low[0]..self.high[0]).contains(&x) && (self.low[1]..self.high[1]).contains(&z)
    }

    /// Square metres.
    pub fn area(&self) -> f64 {
        (self.high[0] - self.low[0]).max(0.0) * (self.high[1] - self.low[1]).max(0.0)
    }
}

/// A point, and random bits of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) z: f64,
    /// Always the same for the same point, and different for different points.
    pub(super) bits: u64,
}

/// Points with a density and a spacing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Points {
    spacing: f64,
    /// Side of a dart's cell, at least the spacing.
    cell: f64,
    rounds: usize,
    /// The share of points that are kept to reach the density.
    kept: f64,
    seed: u64,
}

impl Points {
    /// Points at least `spacing` metres apart, `density` per square metre on average.
    pub(super) fn new(density: f64, spacing: f64, seed: u64) -> Self {
        let wanted = density * spacing * spacing;
        if wanted < SPARSEST {
            let cell = spacing / covered_by_darts(wanted).sqrt();
            // With a density of 0 there are no points, in cells of any size.
            let (cell, kept) = if cell.is_finite() { (cell, 1.0) } else { (spacing, 0.0) };
            return Self { spacing, cell, rounds: 1, kept, seed };
        }
        // The fewest rounds that reach the density; the surplus is removed at random, which keeps the
        // spacing.
        let rounds = DENSEST.iter().position(|most| *most >= wanted).map_or(ROUNDS, |round| round + 1);
        Self { spacing, cell: spacing, rounds, kept: wanted / DENSEST[rounds - 1], seed }
    }

    /// The points in a rectangle, round by round and in each row by row.
    pub(super) fn within(&self, rectangle: Rectangle) -> Vec<Point> {
        if self.kept == 0.0 || rectangle.area() == 0.0 {
            return Vec::new();
        }
        // A point of the last round depends on points of the round before within two spacings, and these in
        // turn on points of the round before that within two more.
        let margin = |round: usize| REACH * self.spacing * (self.rounds - 1 - round) as f64;
        // With a single round there are no earlier points to compare with. Its cells may be far wider than
        // the spacing, so that a table of cells as wide as the spacing would have no limit.
        let mut placed = match self.rounds {
            1 => PlacedPoints::nothing(self.spacing),
            _ => PlacedPoints::new(rectangle.grown(margin(0)), self.spacing),
        };
        let mut points = Vec::new();
        for round in 0..self.rounds {
            let known = rectangle.grown(margin(round));
            // About one spacing more, so that every competitor of a known dart has been thrown.
            let darts = Darts::thrown(self, round, known.grown(self.spacing * REACH / 2.0), &placed);
            for dart in darts.staying(self.spacing).filter(|dart| known.has(dart.x, dart.z)) {
                if round + 1 < self.rounds {
                    placed.add(dart.x, dart.z);
                }
                // Other bits than those of the place: which points are kept must not depend on where they
                // lie.
                if rectangle.has(dart.x, dart.z) && unit(mix(dart.bits ^ KEEPING)) < self.kept {
                    points.push(Point { x: dart.x, z: dart.z, bits: dart.bits });
                }
            }
        }
        points
    }

    /// The approximate number of darts that are thrown for the points of a rectangle.
    pub(super) fn darts(&self, rectangle: Rectangle) -> f64 {
        let margin = REACH * self.spacing * self.rounds as f64;
        rectangle.grown(margin).area() / (self.cell * self.cell) * self.rounds as f64
    }

    /// The most cells that are visited for the points of a rectangle. Unlike [`darts`](Self::darts) this
    /// includes cells that a rectangle only touches: for a rectangle narrower than a cell, nearly all.
    pub(super) fn cells(&self, rectangle: Rectangle) -> f64 {
        if self.kept == 0.0 || rectangle.area() == 0.0 {
            return 0.0;
        }
        let Rectangle { low, high } = rectangle.grown(REACH * self.spacing * self.rounds as f64);
        let along = |axis: usize| ((high[axis] - low[axis]) / self.cell).ceil() + 1.0;
        along(0) * along(1) * self.rounds as f64
    }
}

/// Distinguishes the random bits that decide which points are kept from others.
const KEEPING: u64 = 0x6B65_6570;

/// The inverse of [`SPARSE`].
fn covered_by_darts(wanted: f64) -> f64 {
    let after = SPARSE.iter().position(|(_, points)| *points > wanted).unwrap_or(SPARSE.len() - 1).max(1);
    let ((low, fewer), (high, more)) = (SPARSE[after - 1], SPARSE[after]);
    low + (high - low) * (wanted - fewer) / (more - fewer)
}

/// A number in [0, 1) from random bits.
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[derive(Clone, Copy)]
struct Dart {
    x: f64,
    z: f64,
    bits: u64,
    /// Whether no point of an earlier round is too close.
    is_free: bool,
}

/// The darts of one round in a block of cells.
struct Darts {
    columns: usize,
    darts: Vec<Dart>,
}

impl Darts {
    /// Throws the darts of all cells that touch a rectangle.
    fn thrown(points: &Points, round: usize, rectangle: Rectangle, placed: &PlacedPoints) -> Self {
        let seed = stream(points.seed, round as u64);
        // Each round's grid has another offset.
        let offset = [unit(mix(seed)), unit(mix(seed ^ 1))];
        let cell = |place: f64, axis: usize| (place / points.cell - offset[axis]).floor() as i64;
        let first = [0, 1].map(|axis| cell(rectangle.low[axis], axis));
        let last = [0, 1].map(|axis| cell(rectangle.high[axis], axis));
        let columns = (last[0] - first[0] + 1) as usize;
        let mut darts = Vec::with_capacity(columns * (last[1] - first[1] + 1) as usize);
        let is_first = round == 0;
        for row in first[1]..=last[1] {
            for column in first[0]..=last[0] {
                let bits = hash(seed, column, row);
                // 32 bits of the hash for each axis.
                let jitter = |bits: u64| f64::from(bits as u32) / (1u64 << 32) as f64;
                let x = (column as f64 + offset[0] + jitter(bits)) * points.cell;
                let z = (row as f64 + offset[1] + jitter(bits >> 32)) * points.cell;
                let is_free = is_first || placed.has_room(x, z);
                darts.push(Dart { x, z, bits, is_free });
            }
        }
        Self { columns, darts }
    }

    /// The darts that stay.
    fn staying(&self, spacing: f64) -> impl Iterator<Item = Dart> {
        let rows = self.darts.len() / self.columns;
        (0..rows).flat_map(move |row| {
            // Nine cells suffice, because a cell is at least as wide as the spacing. Darts at the edge of the
            // block lack neighbours, but lie outside `known`.
            let row_above = row.saturating_sub(1);
            let row_below = (row + 1).min(rows - 1);
            (0..self.columns).filter_map(move |column| {
                let dart = self.darts[row * self.columns + column];
                if !dart.is_free {
                    return None;
                }
                let (west, east) = (column.saturating_sub(1), (column + 1).min(self.columns - 1));
                let beside = (row_above..=row_below)
                    .flat_map(|row| &self.darts[row * self.columns + west..=row * self.columns + east]);
                let beats = |other: &Dart| {
                    let (x, z) = (other.x - dart.x, other.z - dart.z);
                    other.is_free && priority(other) > priority(&dart) && x * x + z * z < spacing * spacing
                };
                (!beside.into_iter().any(beats)).then_some(dart)
            })
        })
    }
}

/// Which of two darts of a round stays. The hash is reversible, so two are equal only by a collision of 64
/// bits; then the one in the east and south stays.
fn priority(dart: &Dart) -> (u64, f64, f64) {
    (mix(dart.bits), dart.x, dart.z)
}

/// Points placed so far, in cells as wide as the spacing.
struct PlacedPoints {
    spacing: f64,
    first: [i64; 2],
    columns: usize,
    rows: usize,
    /// The last point in each cell, counted from 1; 0 for none.
    heads: Vec<u32>,
    /// Points, each with the previous one in its cell.
    points: Vec<(f64, f64, u32)>,
}

impl PlacedPoints {
    /// For no points.
    fn nothing(spacing: f64) -> Self {
        Self { spacing, first: [0; 2], columns: 0, rows: 0, heads: Vec::new(), points: Vec::new() }
    }

    fn new(rectangle: Rectangle, spacing: f64) -> Self {
        let cell = |place: f64| (place / spacing).floor() as i64;
        let (first, last) = (rectangle.low.map(cell), rectangle.high.map(cell));
        let [columns, rows] = [0, 1].map(|axis| (last[axis] - first[axis] + 1) as usize);
        Self { spacing, first, columns, rows, heads: vec![0; columns * rows], points: Vec::new() }
    }

    /// Column and row of a place, which may lie outside.
    fn cell(&self, x: f64, z: f64) -> [i64; 2] {
        let cell = |place: f64| (place / self.spacing).floor() as i64;
        [cell(x) - self.first[0], cell(z) - self.first[1]]
    }

    fn add(&mut self, x: f64, z: f64) {
        // Inside the table: only darts within the first round's rectangle are added, for which it was made.
        let [column, row] = self.cell(x, z).map(|number| number as usize);
        let head = &mut self.heads[row * self.columns + column];
        self.points.push((x, z, *head));
        *head = self.points.len() as u32;
    }

    /// Whether no point is closer than the spacing.
    fn has_room(&self, x: f64, z: f64) -> bool {
        let [column, row] = self.cell(x, z);
        let range = |number: i64, count: usize| {
            (number - 1).clamp(0, count as i64) as usize..(number + 2).clamp(0, count as i64) as usize
        };
        for row in range(row, self.rows) {
            for column in range(column, self.columns) {
                let mut next = self.heads[row * self.columns + column];
                while next > 0 {
                    let (other_x, other_z, before) = self.points[next as usize - 1];
                    let (x, z) = (other_x - x, other_z - z);
                    if x * x + z * z < self.spacing * self.spacing {
                        return false;
                    }
                    next = before;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: Rectangle = Rectangle { low: [-100.0, -300.0], high: [300.0, 100.0] };

    /// Points at every density for which there is room: the share of the densest, and the spacing.
    fn all() -> impl Iterator<Item = (f64, Points)> {
        let shares = [0.001, 0.05, 0.15, 0.3, 0.45, 0.6, 0.61, 0.62, 0.7, 0.85, 0.97, 1.0];
        shares.into_iter().flat_map(|share| {
            [1.5, 4.0].map(|spacing| {
                let density = share * DENSEST[ROUNDS - 1] / (spacing * spacing);
                (density, Points::new(density, spacing, (share * 1000.0) as u64))
            })
        })
    }

    #[test]
    fn no_two_points_are_nearer_than_their_spacing() {
        for (_, points) in all() {
            let mut sorted = points.within(SQUARE);
            sorted.sort_by(|one, other| one.x.total_cmp(&other.x));
            for (index, point) in sorted.iter().enumerate() {
                let near = sorted[index + 1..].iter().take_while(|other| other.x - point.x < points.spacing);
                for other in near {
                    let (x, z) = (other.x - point.x, other.z - point.z);
                    assert!(x * x + z * z >= points.spacing * points.spacing, "{points:?}");
                }
            }
        }
    }

    #[test]
    fn there_are_as_many_points_as_wanted() {
        for (density, points) in all() {
            let wanted = density * SQUARE.area();
            let count = points.within(SQUARE).len() as f64;
            // 2 % for the table, and chance: spaced points vary less than random ones.
            let bound = 0.02 * wanted + 4.0 * wanted.sqrt();
            assert!((count - wanted).abs() <= bound, "{count} in place of {wanted}: {points:?}");
        }
    }

    #[test]
    fn parts_of_a_rectangle_have_the_points_of_the_whole() {
        for (_, points) in all() {
            let whole = points.within(SQUARE);
            let (x, z) = (37.25, -111.0);
            let Rectangle { low, high } = SQUARE;
            let parts = [
                Rectangle { low, high: [x, z] },
                Rectangle { low: [x, low[1]], high: [high[0], z] },
                Rectangle { low: [low[0], z], high: [x, high[1]] },
                Rectangle { low: [x, z], high },
            ];
            let mut of_parts: Vec<Point> = parts.iter().flat_map(|part| points.within(*part)).collect();
            let mut of_whole = whole;
            of_parts.sort_by_key(|point| point.bits);
            of_whole.sort_by_key(|point| point.bits);
            assert_eq!(of_parts, of_whole);
        }
    }

    #[test]
    fn points_far_from_the_origin_are_spaced_as_well() {
        let points = Points::new(0.05, 3.0, 5);
        let far = Rectangle { low: [4e9, -7e9], high: [4e9 + 200.0, -7e9 + 200.0] };
        let found = points.within(far);
        assert!((found.len() as f64 / 2000.0 - 1.0).abs() < 0.1, "{}", found.len());
        assert!(found.iter().all(|point| far.has(point.x, point.z)));
    }

    #[test]
    fn few_points_need_little_memory_even_with_a_small_spacing() {
        let points = Points::new(1e-4, 0.1, 1);
        // A table of cells as wide as the spacing would take 40 TB.
        let land = Rectangle { low: [0.0; 2], high: [300_000.0, 300_000.0] };
        assert!(points.cells(land) < 1.1e7);
        let found = points.within(Rectangle { high: [300_000.0, 10_000.0], ..land });
        // The first two rows of `SPARSE`, which are interpolated, give 2.1 % too many points.
        assert!((found.len() as f64 / 300_000.0 - 1.021).abs() < 0.005, "{}", found.len());
    }

    #[test]
    fn the_estimate_of_cells_is_never_too_low() {
        for (_, points) in all() {
            for (width, depth) in [(400.0, 400.0), (1e4, 0.01), (0.01, 3000.0), (1.0, 1.0)] {
                let rectangle = Rectangle { low: [-7.3, 11.9], high: [width - 7.3, depth + 11.9] };
                let looked_at: usize = (0..points.rounds)
                    .map(|round| {
                        let margin = REACH * points.spacing * (points.rounds - 1 - round) as f64;
                        let known = rectangle.grown(margin + points.spacing * REACH / 2.0);
                        let none = PlacedPoints::nothing(points.spacing);
                        Darts::thrown(&points, round, known, &none).darts.len()
                    })
                    .sum();
                assert!(looked_at as f64 <= points.cells(rectangle), "{looked_at}: {points:?}");
            }
        }
        let line = Rectangle { low: [0.0; 2], high: [1e10, 0.01] };
        let points = Points::new(1e-4, 0.1, 1);
        assert!(points.darts(line) < 1e6 && points.cells(line) > 1e8);
        assert_eq!(Points::new(0.0, 0.1, 1).cells(line), 0.0);
    }

    #[test]
    fn no_density_has_no_points() {
        assert!(Points::new(0.0, 3.0, 1).within(SQUARE).is_empty());
        assert!(Points::new(1e-9, 0.1, 1).darts(SQUARE) < 100.0);
    }
}
