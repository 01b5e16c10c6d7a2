//! A triangulated irregular network: greedy insertion into a Delaunay triangulation.
//!
//! After Garland & Heckbert, "Fast Polygonal Approximation of Terrains and Height Fields", Carnegie Mellon
//! University, CMU-CS-95-181, 1995, their algorithm III: two triangles cover the land; repeatedly the sample
//! farthest from the surface becomes a vertex, until none is farther than wanted. A priority queue holds
//! every triangle's worst sample, and only triangles that an insertion changes are scanned again. New
//! vertices are connected as by Bowyer and by Watson (The Computer Journal 24, 1981): the triangles whose
//! circumcircles contain one are replaced by a fan around it.
//!
//! Vertices are samples, so that the tests on areas and circles are exact in whole numbers. Among samples
//! equally far from the surface, the first, row by row, is taken.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::hole::Edges;
use super::scan::{doubled_area, worst};
use super::{Bound, Seams, Triangulation};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, memory};

/// The twin of an edge at the border.
const NONE: u32 = u32::MAX;

/// The most triangles: their edges have 32-bit numbers.
const MOST_TRIANGLES: usize = (NONE / 3) as usize;

/// Triangles between two checks for free memory.
const TRIANGLES_AT_ONCE: usize = 1 << 20;
/// Bytes of a triangle, including the doubling of lists while they grow.
const BYTES_A_TRIANGLE: usize = 120;

/// Errors below this share of the largest height are only rounding.
const ROUNDING: f64 = 1e-13;

/// Units of progress.
const PROGRESS: usize = 1000;

/// The network that greedy insertion makes of a field with at least 2 samples along either side.
///
/// # Errors
/// When there is too little memory, when the edges of holes alone need more triangles than are allowed, and
/// [`Error::Cancelled`].
pub(super) fn triangulate(
    field: &Heightfield,
    holes: Option<&Edges>,
    bound: Bound,
    seams: Seams,
    work: &Work,
) -> Result<Triangulation> {
    work.stage("triangulate", PROGRESS);
    let (low, high) = field.range_while(work)?;
    let rounding = f64::from(low.abs().max(high.abs())) * ROUNDING;
    let allowed = match bound {
        Bound::Error(metres) => f64::from(metres).max(rounding),
        Bound::Triangles(_) => rounding,
    };
    let mut network = Network::over(field);
    if let Bound::Error(metres) = bound {
        for vertex in seams.vertices(field, f64::from(metres)) {
            network.insert_vertex(vertex);
        }
    }
    for (number, vertex) in holes.map(Edges::corners).unwrap_or_default().into_iter().enumerate() {
        if number % TRIANGLES_AT_ONCE == 0 {
            work.check()?;
            memory::require(field.grid(), (TRIANGLES_AT_ONCE * BYTES_A_TRIANGLE) as u64)?;
        }
        network.insert_vertex(vertex);
    }
    if let Bound::Triangles(most) = bound
        && network.triangles() > most
    {
        let reason = format!(
            "the edges of holes need {} triangles, not {most}; give more, or an error in metres",
            network.triangles()
        );
        return Err(Error::parameter("triangles", reason));
    }
    for triangle in 0..network.triangles() {
        network.scan(triangle as u32, work)?;
    }
    let last = [field.grid().width, field.grid().depth].map(|samples| samples as u32 - 1);
    let mut progress = Progress::default();
    while let Some(next) = network.farthest() {
        let count = network.triangles();
        progress.tell(next.error, allowed, bound, count, work);
        if next.error <= allowed {
            break;
        }
        // Samples of a seam are off only by rounding.
        if seams.touch(network.place(next.sample), last) {
            continue;
        }
        // Inserting a vertex at the border adds one triangle, elsewhere two.
        let added = if network.is_at_border(next.sample) { 1 } else { 2 };
        if matches!(bound, Bound::Triangles(most) if count + added > most) {
            break;
        }
        if count + added > MOST_TRIANGLES {
            let reason = format!("more than {MOST_TRIANGLES} triangles are needed; allow a larger error");
            return Err(Error::parameter("error", reason));
        }
        // True whenever the number of triangles has just passed a multiple, whether by one or by two.
        if count % TRIANGLES_AT_ONCE < added {
            memory::require(field.grid(), (count.max(TRIANGLES_AT_ONCE) * BYTES_A_TRIANGLE) as u64)?;
        }
        network.insert(next.sample, next.triangle);
        for index in 0..network.fan.len() {
            network.scan(network.fan[index], work)?;
        }
    }
    let error = network.largest_error();
    let (corners, _) = network.corners.as_chunks();
    Ok(Triangulation { grid: field.grid(), triangles: corners.to_vec(), points: network.points, error })
}

/// A Delaunay triangulation of some samples, and every triangle's worst sample.
///
/// Edge `3·t + i` leads from corner `i` of triangle `t` to its next corner.
struct Network<'a> {
    field: &'a Heightfield,
    /// Column and row of every vertex.
    points: Vec<[u32; 2]>,
    /// The vertex that every edge begins at.
    corners: Vec<u32>,
    /// The edge of the neighbouring triangle that lies on every edge; [`NONE`] at the border.
    twins: Vec<u32>,
    /// Error and index of every triangle's worst sample; with an error of 0 there is none.
    worst: Vec<(f64, u32)>,
    /// The worst samples of triangles, including triangles that no longer exist.
    queue: BinaryHeap<Candidate>,
    /// The triangles around the most recently inserted vertex.
    fan: Vec<u32>,
    // Kept from one insertion to the next to reuse its memory.
    rim: Vec<Outer>,
    pending: Vec<u32>,
}

/// A worst sample, ordered by its error (never negative, so that its bits are in order), then by its place.
type Candidate = (u64, Reverse<u32>, Reverse<u32>);

/// The next vertex to insert.
struct Next {
    error: f64,
    sample: u32,
    triangle: u32,
}

/// An edge around the triangles that are replaced: its ends, and its twin outside.
#[derive(Clone, Copy)]
struct Outer {
    ends: [u32; 2],
    twin: u32,
}

impl<'a> Network<'a> {
    /// A network of two triangles, which share the diagonal from the north-east to the south-west corner.
    fn over(field: &'a Heightfield) -> Self {
        let (east, south) = (field.grid().width as u32 - 1, field.grid().depth as u32 - 1);
        Self {
            field,
            points: vec![[0, 0], [east, 0], [0, south], [east, south]],
            corners: vec![0, 2, 1, 3, 1, 2],
            twins: vec![NONE, 4, NONE, NONE, 1, NONE],
            worst: vec![(0.0, 0); 2],
            queue: BinaryHeap::new(),
            fan: Vec::new(),
            rim: Vec::new(),
            pending: Vec::new(),
        }
    }

    fn triangles(&self) -> usize {
        self.corners.len() / 3
    }

    /// The corners of a triangle, anticlockwise as seen from above.
    fn triangle(&self, triangle: u32) -> [[u32; 2]; 3] {
        [0, 1, 2].map(|corner| self.points[self.corners[3 * triangle as usize + corner] as usize])
    }

    /// Finds a triangle's worst sample and queues it.
    fn scan(&mut self, triangle: u32, work: &Work) -> Result<()> {
        let worst = worst(self.field, self.triangle(triangle), work)?;
        self.worst[triangle as usize] = (worst.error, worst.sample);
        if worst.error > 0.0 {
            self.queue.push((worst.error.to_bits(), Reverse(worst.sample), Reverse(triangle)));
        }
        Ok(())
    }

    /// Removes the sample farthest from the surface from the queue and returns it; `None` if all lie on the
    /// surface.
    fn farthest(&mut self) -> Option<Next> {
        while let Some((bits, Reverse(sample), Reverse(triangle))) = self.queue.pop() {
            let error = f64::from_bits(bits);
            // A triangle that has changed since then has another worst sample.
            if self.worst[triangle as usize] == (error, sample) {
                return Some(Next { error, sample, triangle });
            }
        }
        None
    }

    /// Metres between the surface and the sample farthest from it.
    fn largest_error(&self) -> f64 {
        self.worst.iter().map(|(error, _)| *error).fold(0.0, f64::max)
    }

    fn place(&self, sample: u32) -> [u32; 2] {
        let width = self.field.grid().width as u32;
        [sample % width, sample / width]
    }

    fn is_at_border(&self, sample: u32) -> bool {
        let ([column, row], grid) = (self.place(sample), self.field.grid());
        column == 0 || row == 0 || column as usize + 1 == grid.width || row as usize + 1 == grid.depth
    }

    /// Makes any sample a vertex, unless it is one. The triangles around it are not scanned.
    fn insert_vertex(&mut self, point: [u32; 2]) {
        // From the triangles around the last vertex: vertices come row by row, so the next is near.
        let mut triangle = self.fan.first().copied().unwrap_or(0);
        // Walk towards the point, edge by edge: in a Delaunay triangulation such a walk ends.
        let (triangle, corners) = loop {
            let corners = self.triangle(triangle);
            let beyond = (0..3u32).find(|&corner| {
                let [from, to] = [corner, (corner + 1) % 3].map(|corner| corners[corner as usize]);
                doubled_area([from, to, point]) < 0
            });
            match beyond.map(|corner| self.twins[(3 * triangle + corner) as usize]) {
                Some(twin) if twin != NONE => triangle = twin / 3,
                _ => break (triangle, corners),
            }
        };
        if !corners.contains(&point) {
            let sample = point[1] * self.field.grid().width as u32 + point[0];
            self.insert(sample, triangle);
        }
    }

    /// Makes a sample in a triangle a vertex. Afterwards `fan` holds the triangles around it.
    fn insert(&mut self, sample: u32, triangle: u32) {
        let point = self.place(sample);
        let vertex = self.points.len() as u32;
        self.points.push(point);
        self.remove_around(point, triangle);
        while self.fan.len() < self.rim.len() {
            self.fan.push(self.triangles() as u32);
            self.corners.extend([NONE; 3]);
            self.twins.extend([NONE; 3]);
            self.worst.push((0.0, 0));
        }
        for (index, outer) in self.rim.iter().enumerate() {
            let first = 3 * self.fan[index] as usize;
            self.corners[first..first + 3].copy_from_slice(&[outer.ends[0], outer.ends[1], vertex]);
            self.twins[first] = outer.twin;
            if outer.twin != NONE {
                self.twins[outer.twin as usize] = first as u32;
            }
            // The fan is open where the vertex lies on the border.
            let after = (index + 1) % self.rim.len();
            if self.rim[after].ends[0] == outer.ends[1] {
                let other = 3 * self.fan[after] as usize + 2;
                self.twins[first + 1] = other as u32;
                self.twins[other] = first as u32 + 1;
            } else {
                self.twins[first + 1] = NONE;
                self.twins[3 * self.fan[after] as usize + 2] = NONE;
            }
        }
    }

    /// Collects in `fan` the triangles whose circumcircles contain a point, and in `rim` the edges around
    /// them, anticlockwise, except for an edge at the border that contains the point.
    fn remove_around(&mut self, point: [u32; 2], triangle: u32) {
        self.fan.clear();
        self.rim.clear();
        self.fan.push(triangle);
        // In reverse, because the stack is popped from its end: the rim comes out anticlockwise.
        self.pending.extend([2, 1, 0].map(|corner| 3 * triangle + corner));
        while let Some(edge) = self.pending.pop() {
            let twin = self.twins[edge as usize];
            let beyond = twin / 3;
            if twin != NONE && is_in_circle(self.triangle(beyond), point) {
                self.fan.push(beyond);
                self.pending.extend([before(twin), after(twin)]);
                continue;
            }
            let ends = [edge, after(edge)].map(|edge| self.corners[edge as usize]);
            let [from, to] = ends.map(|end| self.points[end as usize]);
            if twin != NONE || doubled_area([from, to, point]) != 0 {
                self.rim.push(Outer { ends, twin });
            }
        }
    }
}

fn after(edge: u32) -> u32 {
    if edge % 3 == 2 { edge - 2 } else { edge + 1 }
}

fn before(edge: u32) -> u32 {
    if edge.is_multiple_of(3) { edge + 2 } else { edge - 1 }
}

/// Whether a sample lies inside the circle through three others, which run anticlockwise as seen from above;
/// on the circle is not inside. Exact.
fn is_in_circle(triangle: [[u32; 2]; 3], [column, row]: [u32; 2]) -> bool {
    // To the east and to the north.
    // Relative to the point, which turns the determinant of 4 × 4 into one of 3 × 3. Squares fit i64, their
    // products with areas need i128.
    let [a, b, c] = triangle
        .map(|corner| [i64::from(corner[0]) - i64::from(column), i64::from(row) - i64::from(corner[1])]);
    let cross = |p: [i64; 2], q: [i64; 2]| p[0] * q[1] - p[1] * q[0];
    let term = |p: [i64; 2], cross: i64| i128::from(p[0] * p[0] + p[1] * p[1]) * i128::from(cross);
    term(a, cross(b, c)) + term(b, cross(c, a)) + term(c, cross(a, b)) > 0
}

/// The estimated progress of an insertion.
#[derive(Default)]
struct Progress {
    told: usize,
}

impl Progress {
    fn tell(&mut self, error: f64, allowed: f64, bound: Bound, triangles: usize, work: &Work) {
        let share = match bound {
            // The number of triangles grows with about this power of the error.
            Bound::Error(_) => libm::pow(allowed / error.max(allowed), 1.5),
            Bound::Triangles(most) => triangles as f64 / most as f64,
        };
        let done = (share.min(1.0) * PROGRESS as f64) as usize;
        work.advance(done.saturating_sub(self.told));
        self.told = self.told.max(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_contains_points_nearer_to_its_centre() {
        let triangle = [[0, 0], [0, 4], [4, 0]];
        for (point, within) in
            [([1, 1], true), ([3, 3], true), ([4, 4], false), ([2, 5], false), ([0, 0], false)]
        {
            assert_eq!(is_in_circle(triangle, point), within, "{point:?}");
        }
    }

    #[test]
    fn circles_across_the_longest_land_are_exact() {
        // Four samples on a circle, at the ends of the longest field, and one of them a sample farther in.
        let far = (1 << 29) - 1;
        let triangle = [[0, 0], [0, 1], [far, 0]];
        assert!(!is_in_circle(triangle, [far, 1]));
        assert!(is_in_circle(triangle, [far - 1, 1]));
        assert!(is_in_circle([[0, 0], [0, 1], [far, 1]], [far - 1, 0]));
    }
}
