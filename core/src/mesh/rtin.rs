//! A right-triangulated irregular network: isosceles right triangles, each halved where it is too far from
//! the land.
//!
//! After Evans, Kirkpatrick & Townsend, "Right-Triangulated Irregular Networks", Algorithmica 30, 2001; the
//! binary tree of triangles is also that of ROAM (Duchaineau et al., IEEE Visualization 1997). A triangle is
//! halved from its right angle to the middle of its longest side. Two triangles share that side, and both are
//! halved or neither, so that there are no cracks. A side's number is the largest error if it is not halved:
//! the maximum of the real error of both triangles, over all their samples, and of the numbers of the sides
//! within them. Numbers are computed from the finest level to the coarsest, and the mesh from the coarsest
//! on: a side whose number is above the bound is halved.
//!
//! Such triangles fill squares of 2^n cells. Land of another size lies in the north-west of a row of squares
//! as wide as its shorter side needs. Triangles across its border are always halved, if necessary down to
//! single cells, and those beyond it are left out. All vertices are samples, and the outline is exact. Sizes
//! of 2^n + 1 samples need no triangles for that; odd numbers of cells need the most.

use rayon::prelude::*;

use super::hole::Edges;
use super::scan::largest_error;
use super::{Bound, Seams, Triangulation};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, memory};

/// Bytes per sample: the number of the side around it, and its vertex.
const BYTES_A_SAMPLE: u64 = 8;

/// Cells that the longest side of a triangle spans along an axis, up to which all samples in it are corners
/// or middles of sides.
const SMALL: i64 = 2;

/// Marks a sample that is not a vertex.
const NONE: u32 = u32::MAX;

/// Triangles made between two checks for cancellation.
const TRIANGLES_AT_ONCE: usize = 1 << 14;

/// The network of a field with at least 2 samples along either side.
///
/// # Errors
/// When there is too little memory, when the border alone needs more triangles than are allowed, and
/// [`Error::Cancelled`].
pub(super) fn triangulate(
    field: &Heightfield,
    holes: Option<&Edges>,
    bound: Bound,
    seams: Seams,
    work: &Work,
) -> Result<Triangulation> {
    let grid = field.grid();
    memory::require(grid, BYTES_A_SAMPLE * grid.count() as u64)?;
    let tree = Tree::of(field, holes, seams, work, |_, _| {})?;
    work.stage("triangulate", 1);
    let allowed = match bound {
        Bound::Error(metres) => metres,
        Bound::Triangles(most) => tree.error_for(most, work)?,
    };
    let triangulation = tree.triangulation(allowed, work)?;
    let error = triangulation.measure(field, work)?;
    Ok(Triangulation { error, ..triangulation })
}

/// A point of the land or beyond, in cells.
pub(super) type Point = [i64; 2];

/// A triangle: its right angle, then the ends of its longest side, anticlockwise as seen from above.
pub(super) type Triangle = [Point; 3];

/// The error that halving each side avoids.
pub(super) struct Tree {
    pub(super) grid: Grid,
    seams: Seams,
    /// For the middle of every longest side, the error without halving it, in metres, rounded up; infinite if
    /// it is always halved.
    errors: Vec<f32>,
}

/// The errors of the triangles on both sides of a longest side, in metres, rounded up; infinite if it is
/// always halved.
#[derive(Clone, Copy, Default)]
struct Errors {
    /// The error of these two triangles.
    own: f32,
    /// The largest error of these and all within them.
    all: f32,
}

/// The longest sides of triangles of one size.
#[derive(Clone, Copy)]
pub(super) enum Level {
    /// Sides of squares of this many cells.
    Sides(i64),
    /// Diagonals of squares of this many cells.
    Diagonals(i64),
}

/// The land under a triangle.
#[derive(PartialEq)]
pub(super) enum Ground {
    Land,
    /// The end of the land crosses it, or a seam runs along it: it is always halved.
    Border,
    Nothing,
}

impl Tree {
    /// Measures a field. `note` is called with the index of the middle of every longest side, and the error
    /// of the two triangles there alone.
    pub(super) fn of(
        field: &Heightfield,
        holes: Option<&Edges>,
        seams: Seams,
        work: &Work,
        mut note: impl FnMut(usize, f32),
    ) -> Result<Self> {
        let mut tree = Self { grid: field.grid(), seams, errors: vec![0.0; field.grid().count()] };
        let levels = tree.levels();
        let rows: usize = levels.iter().map(|level| level.rows(tree.grid).count()).sum();
        work.stage("measure", rows);
        for level in levels {
            tree.measure((field, holes), level, work, &mut note)?;
        }
        Ok(tree)
    }

    /// Cells along the sides of the largest squares.
    fn root(&self) -> i64 {
        // Squares as wide as the shorter side needs: larger ones would lie mostly beyond the land.
        (self.grid.width.min(self.grid.depth) - 1).next_power_of_two() as i64
    }

    /// All sizes of triangles, the finest first.
    pub(super) fn levels(&self) -> Vec<Level> {
        let sizes = std::iter::successors(Some(2), |size| Some(2 * size));
        let sizes = sizes.take_while(|&size| size <= self.root());
        sizes.flat_map(|size| [Level::Sides(size), Level::Diagonals(size)]).collect()
    }

    /// The triangles that cover the land, and some beyond it.
    pub(super) fn roots(&self) -> impl Iterator<Item = Triangle> + use<> {
        let root = self.root();
        let is_wide = self.grid.width >= self.grid.depth;
        let squares = (self.grid.longer() as i64 - 1).div_euclid(root) + 1;
        (0..squares).flat_map(move |number| {
            let square = if is_wide { [number, 0] } else { [0, number] };
            on_both_sides(diagonal(square, root))
        })
    }

    /// Computes the errors of one level from those of the finer levels.
    fn measure(
        &mut self,
        (field, holes): (&Heightfield, Option<&Edges>),
        level: Level,
        work: &Work,
        note: &mut impl FnMut(usize, f32),
    ) -> Result<()> {
        let rows: Vec<i64> = level.rows(self.grid).collect();
        let found: Vec<Vec<Errors>> = rows
            .par_iter()
            .map(|&row| {
                work.check()?;
                work.advance(1);
                level
                    .columns(self.grid, row)
                    .map(|column| {
                        // Only on the finest levels: coarser sides get infinity from the sides within them.
                        if level.reach() == SMALL / 2 && is_cut(holes, [column, row]) {
                            Ok(Errors { own: f32::INFINITY, all: f32::INFINITY })
                        } else {
                            self.error_at(field, level, [column, row], work)
                        }
                    })
                    .collect()
            })
            .collect::<Result<_>>()?;
        for (&row, errors) in rows.iter().zip(found) {
            for (column, error) in level.columns(self.grid, row).zip(errors) {
                let index = self.index([column, row]);
                self.errors[index] = error.all;
                note(index, error.own);
            }
        }
        Ok(())
    }

    /// The errors without halving the side of a level with this middle.
    fn error_at(&self, field: &Heightfield, level: Level, middle: Point, work: &Work) -> Result<Errors> {
        // Nearly all sides take this short way: the ground of their triangles need not be examined.
        let is_inside = self.is_inside(middle, level.reach());
        if is_inside && level.reach() == SMALL / 2 {
            return Ok(self.small_error_at(field, level, middle));
        }
        let mut largest = Errors::default();
        for triangle in on_both_sides(level.side_around(middle)) {
            let ground = if is_inside { Ground::Land } else { self.ground(triangle) };
            let errors = match ground {
                Ground::Nothing => continue,
                Ground::Border => Errors { own: f32::INFINITY, all: f32::INFINITY },
                Ground::Land => self.error_of(field, triangle, work)?,
            };
            largest.own = largest.own.max(errors.own);
            largest.all = largest.all.max(errors.all);
        }
        Ok(largest)
    }

    /// Whether triangles that reach this many cells from here lie on the land, and none is halved because of
    /// its place.
    fn is_inside(&self, middle: Point, reach: i64) -> bool {
        let last = [self.grid.width as i64 - 1, self.grid.depth as i64 - 1];
        !self.seams.any() && (0..2).all(|axis| (reach..=last[axis] - reach).contains(&middle[axis]))
    }

    /// As [`error_at`](Self::error_at), for the two smallest levels, where three of four samples are middles:
    /// all samples of such triangles are middles of sides.
    fn small_error_at(&self, field: &Heightfield, level: Level, middle: Point) -> Errors {
        let at = |[column, row]: Point| f64::from(field.at(column as usize, row as usize));
        let [from, to] = level.side_around(middle);
        // All other samples of the two triangles are vertices: only the middle can be off their plane.
        let own = rounded_up((at(middle) - (at(from) + at(to)) / 2.0).abs());
        let all = match level {
            // The shorter sides have no middles.
            Level::Sides(_) => own,
            Level::Diagonals(_) => {
                let [column, row] = middle;
                let sides = [[column - 1, row], [column + 1, row], [column, row - 1], [column, row + 1]];
                sides.into_iter().map(|side| self.error(side)).fold(own, f32::max)
            }
        };
        Errors { own: all, all }
    }

    /// The error of a triangle on the land, and that of all within it.
    fn error_of(&self, field: &Heightfield, triangle: Triangle, work: &Work) -> Result<Errors> {
        let [apex, from, to] = triangle;
        let is_small = (from[0] - to[0]).abs().max((from[1] - to[1]).abs()) <= SMALL;
        let own = if is_small {
            // All samples are middles of sides, and those of the shorter two lie on sides within.
            let at = |[column, row]: Point| f64::from(field.at(column as usize, row as usize));
            middle(from, to).map_or(0.0, |middle| (at(middle) - (at(from) + at(to)) / 2.0).abs())
        } else {
            work.check()?;
            farthest_sample(field, triangle)
        };
        let own = rounded_up(own);
        let within = [middle(apex, from), middle(apex, to)].into_iter().flatten();
        let all = within.map(|middle| self.error(middle)).fold(own, f32::max);
        Ok(Errors { own: if is_small { all } else { own }, all })
    }

    /// The smallest error that needs at most this many triangles.
    fn error_for(&self, most: usize, work: &Work) -> Result<f32> {
        // At the largest finite error only those sides are still halved that always are: their error is
        // infinite.
        let needed = self.count(f32::MAX, usize::MAX, work)?;
        if needed > most {
            let Grid { width, depth, .. } = self.grid;
            let reason = format!(
                "a right-triangulated network of {width}×{depth} samples has at least {needed}, not {most}; give \
                 more, or another method"
            );
            return Err(Error::parameter("triangles", reason));
        }
        // Floats that are not negative are ordered like their bits.
        let (mut low, mut high) = (0, f32::MAX.to_bits());
        while low < high {
            // About 31 counts, each of which ends at `most` triangles.
            let between = low + (high - low) / 2;
            if self.count(f32::from_bits(between), most, work)? <= most {
                high = between;
            } else {
                low = between + 1;
            }
        }
        Ok(f32::from_bits(low))
    }

    /// How many triangles an error needs; `most + 1` or more if it needs more than `most`.
    fn count(&self, allowed: f32, most: usize, work: &Work) -> Result<usize> {
        let mut count = 0usize;
        self.walk(allowed, work, |_| {
            count += 1;
            count <= most
        })?;
        Ok(count)
    }

    fn triangulation(&self, allowed: f32, work: &Work) -> Result<Triangulation> {
        let mut vertices = vec![NONE; self.grid.count()];
        let (mut points, mut triangles) = (Vec::new(), Vec::new());
        self.walk(allowed, work, |triangle| {
            triangles.push(triangle.map(|corner| {
                let vertex = &mut vertices[self.index(corner)];
                if *vertex == NONE {
                    *vertex = points.len() as u32;
                    points.push(corner.map(|place| place as u32));
                }
                *vertex
            }));
            true
        })?;
        Ok(Triangulation { grid: self.grid, points, triangles, error: 0.0 })
    }

    /// Visits every triangle that an error needs, as long as `visit` returns true.
    fn walk(&self, allowed: f32, work: &Work, mut visit: impl FnMut(Triangle) -> bool) -> Result<()> {
        let mut pending = Vec::new();
        let mut asked = 0usize;
        for root in self.roots() {
            pending.push(root);
            while let Some(triangle) = pending.pop() {
                if asked.is_multiple_of(TRIANGLES_AT_ONCE) {
                    work.check()?;
                }
                asked += 1;
                let ground = self.ground(triangle);
                if ground == Ground::Nothing {
                    continue;
                }
                match middle_of(triangle) {
                    Some(middle) if ground == Ground::Border || self.error(middle) > allowed => {
                        pending.extend(halves(triangle, middle));
                    }
                    _ if visit(triangle) => {}
                    _ => return Ok(()),
                }
            }
        }
        Ok(())
    }

    pub(super) fn ground(&self, triangle: Triangle) -> Ground {
        let last = [self.grid.width as i64 - 1, self.grid.depth as i64 - 1];
        let (mut is_within, mut is_beyond) = (true, false);
        for axis in 0..2 {
            let along = triangle.map(|corner| corner[axis]);
            let (low, high) = (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]));
            is_beyond |= low < 0 || low >= last[axis];
            is_within &= high <= last[axis];
        }
        match (is_beyond, is_within) {
            (true, _) => Ground::Nothing,
            (false, true) if !self.is_long_on_seam(triangle) => Ground::Land,
            _ => Ground::Border,
        }
    }

    /// Whether a triangle on the land has an edge on a seam that is longer than a cell.
    fn is_long_on_seam(&self, triangle: Triangle) -> bool {
        if !self.seams.any() {
            return false;
        }
        let last = [self.grid.width as u32 - 1, self.grid.depth as u32 - 1];
        let [a, b, c] = triangle;
        [[a, b], [b, c], [c, a]].into_iter().any(|[from, to]| {
            let is_straight = from[0] == to[0] || from[1] == to[1];
            let length = (from[0] - to[0]).abs().max((from[1] - to[1]).abs());
            // An edge along a side of the field has its middle on that side.
            let middle = [0, 1].map(|axis| ((from[axis] + to[axis]) / 2) as u32);
            is_straight && length > 1 && self.seams.touch(middle, last)
        })
    }

    /// The error without halving the side with this middle, metres; infinite if it is always halved.
    pub(super) fn error(&self, middle: Point) -> f32 {
        self.errors[self.index(middle)]
    }

    pub(super) fn index(&self, [column, row]: Point) -> usize {
        row as usize * self.grid.width + column as usize
    }
}

/// Whether the edge of a hole crosses one of the four cells around a sample: sides there are always halved.
fn is_cut(holes: Option<&Edges>, [column, row]: Point) -> bool {
    let cells = [[-1, -1], [0, -1], [-1, 0], [0, 0]];
    holes
        .is_some_and(|holes| cells.into_iter().any(|[east, south]| holes.cross([column + east, row + south])))
}

impl Level {
    /// The rows of the land that contain middles of sides.
    pub(super) fn rows(self, grid: Grid) -> impl Iterator<Item = i64> {
        let (first, step) = match self {
            Self::Sides(size) => (0, size / 2),
            Self::Diagonals(size) => (size / 2, size),
        };
        (first..grid.depth as i64).step_by(step as usize)
    }

    /// The columns of the land that have middles of sides in a row.
    pub(super) fn columns(self, grid: Grid, row: i64) -> impl Iterator<Item = i64> {
        let (first, step) = match self {
            Self::Sides(size) if row % size == 0 => (size / 2, size),
            Self::Sides(size) => (0, size),
            Self::Diagonals(size) => (size / 2, size),
        };
        (first..grid.width as i64).step_by(step as usize)
    }

    /// How far the two triangles at a side reach from its middle along either axis, cells.
    fn reach(self) -> i64 {
        let (Self::Sides(size) | Self::Diagonals(size)) = self;
        size / 2
    }

    /// The ends of the side with this middle.
    pub(super) fn side_around(self, [column, row]: Point) -> [Point; 2] {
        match self {
            Self::Sides(size) if row % size == 0 => [[column - size / 2, row], [column + size / 2, row]],
            Self::Sides(size) => [[column, row - size / 2], [column, row + size / 2]],
            Self::Diagonals(size) => diagonal([column / size, row / size], size),
        }
    }
}

/// The greatest vertical distance of the samples of a triangle from its plane, metres. The same as
/// [`worst`](super::scan::worst) for triangles whose edges run along rows, columns and diagonals, for which
/// no division is needed.
fn farthest_sample(field: &Heightfield, triangle: Triangle) -> f64 {
    let height = |[column, row]: Point| f64::from(field.at(column as usize, row as usize));
    let [apex, from, to] = triangle;
    let legs = [from, to].map(|end| [end[0] - apex[0], end[1] - apex[1]].map(|cells| cells as f64));
    let rises = [from, to].map(|end| height(end) - height(apex));
    let area = legs[0][0] * legs[1][1] - legs[0][1] * legs[1][0];
    let per_column = (rises[0] * legs[1][1] - rises[1] * legs[0][1]) / area;
    let per_row = (rises[1] * legs[0][0] - rises[0] * legs[1][0]) / area;

    let mut corners = triangle;
    corners.sort_unstable_by_key(|&[column, row]| (row, column));
    let [first, middle, last] = corners;
    // Edges run along rows, columns or diagonals, so their slopes are whole numbers.
    let slope = |from: Point, to: Point| (to[0] - from[0]) / (to[1] - from[1]).max(1);
    let (long, upper, lower) = (slope(first, last), slope(first, middle), slope(middle, last));
    let mut largest = 0.0f64;
    for row in first[1]..=last[1] {
        let on_long = first[0] + long * (row - first[1]);
        let on_short = if row < middle[1] {
            first[0] + upper * (row - first[1])
        } else {
            middle[0] + lower * (row - middle[1])
        };
        let (west, east) = (on_long.min(on_short), on_long.max(on_short));
        let heights = &field.row(row as usize)[west as usize..=east as usize];
        // From the apex in every row, so that rounding doesn't accumulate over rows.
        let start = height(apex) + per_row * (row - apex[1]) as f64 + per_column * (west - apex[0]) as f64;
        largest = largest.max(largest_error(heights, start, per_column));
    }
    largest
}

/// The ends of a square's diagonal, which leads to the middle of the larger square of which it is a quarter:
/// from a corner where column and row are even, counted in squares, to one where they are odd.
fn diagonal([column, row]: Point, size: i64) -> [Point; 2] {
    let (west, north) = (column * size, row * size);
    let (east, south) = (west + size, north + size);
    if (column + row) % 2 == 0 { [[west, north], [east, south]] } else { [[east, north], [west, south]] }
}

/// The two triangles with a longest side.
pub(super) fn on_both_sides([from, to]: [Point; 2]) -> [Triangle; 2] {
    let apex = |from: Point, to: Point| {
        let across = [to[0] - from[0], to[1] - from[1]];
        [(from[0] + to[0] + across[1]) / 2, (from[1] + to[1] - across[0]) / 2]
    };
    [[apex(from, to), from, to], [apex(to, from), to, from]]
}

/// The middle of a triangle's longest side, if a sample lies there.
pub(super) fn middle_of([_, from, to]: Triangle) -> Option<Point> {
    middle(from, to)
}

/// The halves of a triangle.
pub(super) fn halves([apex, from, to]: Triangle, middle: Point) -> [Triangle; 2] {
    [[middle, apex, from], [middle, to, apex]]
}

/// The middle between two points, if a sample lies there.
pub(super) fn middle(a: Point, b: Point) -> Option<Point> {
    let sum = [a[0] + b[0], a[1] + b[1]];
    (sum[0] % 2 == 0 && sum[1] % 2 == 0).then(|| sum.map(|both| both / 2))
}

/// The nearest float that is not less.
pub(super) fn rounded_up(error: f64) -> f32 {
    // Rounded up, so that a bound in f32 is never below the true error.
    let nearest = error as f32;
    if f64::from(nearest) < error { nearest.next_up() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::scan::doubled_area;

    #[test]
    fn the_finest_triangles_are_half_cells_whatever_the_size() {
        for (width, depth) in [(2, 2), (3, 2), (2, 9), (5, 5), (6, 4), (17, 17), (18, 7), (7, 40)] {
            let field = Heightfield::flat(Grid::new(width, depth, 1.0).unwrap(), 0.0);
            let tree =
                Tree { errors: vec![1.0; field.grid().count()], grid: field.grid(), seams: Seams::default() };
            let all = tree.triangulation(0.5, &Work::new()).unwrap();
            assert_eq!(all.triangles.len(), 2 * (width - 1) * (depth - 1), "{width}×{depth}");
            for triangle in all.triangles {
                assert_eq!(
                    doubled_area(triangle.map(|point| all.points[point as usize])),
                    1,
                    "{width}×{depth}"
                );
            }
        }
    }

    #[test]
    fn the_farthest_sample_of_a_right_triangle_is_the_worst_of_any() {
        let height = |column: usize, row: usize| ((column * 7919 + row * 104_729) % 1013) as f32 * 0.25;
        let field = Heightfield::from_fn(Grid::new(33, 33, 1.0).unwrap(), height);
        let tree = Tree::of(&field, None, Seams::default(), &Work::new(), |_, _| {}).unwrap();
        let mut sizes = 0;
        for level in tree.levels() {
            sizes += 1;
            for row in level.rows(tree.grid) {
                for column in level.columns(tree.grid, row) {
                    for triangle in on_both_sides(level.side_around([column, row])) {
                        if tree.ground(triangle) == Ground::Land {
                            let corners = triangle.map(|corner| corner.map(|place| place as u32));
                            let worst = crate::mesh::scan::worst(&field, corners, &Work::new()).unwrap();
                            assert_eq!(farthest_sample(&field, triangle), worst.error, "{triangle:?}");
                        }
                    }
                }
            }
        }
        assert_eq!(sizes, 10);
    }

    #[test]
    fn rounding_up_never_loses() {
        for error in [0.0, 1.0, 0.1, 1e-12, 1234.567, f64::from(f32::MIN_POSITIVE) / 3.0] {
            let up = rounded_up(error);
            assert!(f64::from(up) >= error && f64::from(up.next_down()) < error, "{error} {up}");
        }
    }
}
