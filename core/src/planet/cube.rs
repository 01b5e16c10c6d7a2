//! The cube around the sphere: its points, faces and nodes.
//!
//! Samples lie at equal angles along a face (the tangent-adjusted cube), so that their distances on the
//! sphere differ by a factor of 1.4 at most; by equal steps on the cube they would by a factor of 5.

use std::f64::consts::FRAC_PI_4;

use glam::DVec3;

/// Faces of the cube: face 2a is the negative end of axis a (x, y, z), face 2a + 1 the positive end.
pub const FACES: u8 = 6;

/// Quads along the side of a node's mesh.
pub const QUADS: u32 = 64;

/// The deepest nodes that can be numbered.
pub(super) const DEEPEST: u8 = 25;

/// A square of a face: all of it at depth 0, and a quarter of its parent at every further depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// Below [`FACES`].
    pub face: u8,
    /// 0 is a whole face.
    pub depth: u8,
    /// Position along the axis after the face's own (x, y, z, x …), below 2^depth.
    pub column: u32,
    /// Position along the axis after that, below 2^depth.
    pub row: u32,
}

impl Node {
    /// The six whole faces.
    pub fn roots() -> [Self; FACES as usize] {
        std::array::from_fn(|face| Self { face: face as u8, depth: 0, column: 0, row: 0 })
    }

    /// The node of which it is a quarter; `None` of a whole face.
    pub fn parent(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, column: self.column / 2, row: self.row / 2, ..self })
    }

    /// The four quarters. For nodes too deep to be numbered the result is not valid.
    pub fn children(self) -> [Self; 4] {
        let Self { face, depth, column, row } = self;
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(east, south)| Self {
            face,
            depth: depth.saturating_add(1),
            column: column.wrapping_mul(2).wrapping_add(east),
            row: row.wrapping_mul(2).wrapping_add(south),
        })
    }

    /// Whether the node is valid: face and depth are within range, and it lies on the face.
    pub(super) fn exists(self) -> bool {
        let is_on_face = |place: u32| u64::from(place) < 1 << self.depth;
        self.face < FACES && self.depth <= DEEPEST && is_on_face(self.column) && is_on_face(self.row)
    }

    /// Samples along a face's side at its depth, less one.
    pub(super) fn quads_of_face(self) -> i64 {
        i64::from(QUADS) << self.depth.min(DEEPEST)
    }

    /// The point of a sample of its mesh: 0 to [`QUADS`] along either side. Beyond that, it lies on the next
    /// node or around the face's edge.
    pub fn point(self, column: i64, row: i64) -> CubePoint {
        let [x, y] = [(self.column, column), (self.row, row)]
            .map(|(node, sample)| (i64::from(node) * i64::from(QUADS)).saturating_add(sample));
        CubePoint::on_face(self.face, self.quads_of_face(), x, y)
    }
}

/// A point of the lattice on the cube's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CubePoint {
    /// Steps along an edge of the cube: a power of two.
    pub steps: i64,
    /// From the cube's lowest corner along x, y and z: 0 to `steps`, and one of them at either end.
    pub at: [i64; 3],
}

impl CubePoint {
    /// The point of a face at a position along the two axes after its own, 0 to `steps`. Positions beyond an
    /// edge are on the next face; positions beyond two edges are beyond the farther.
    pub fn on_face(face: u8, steps: i64, x: i64, y: i64) -> Self {
        let (axis, is_high) = (usize::from(face / 2) % 3, face % 2 == 1);
        let steps = steps.max(0);
        // Points more than one face beyond are clamped to the far edge of the next face.
        let over = |place: i64| place.saturating_neg().max(place.saturating_sub(steps)).clamp(0, steps);
        let [mut x_over, mut y_over] = [x, y].map(over);
        // Three faces meet at a corner, so there is nothing beyond it.
        if x_over >= y_over {
            y_over = 0
        } else {
            x_over = 0
        }
        let down = x_over.max(y_over);
        let mut at = [0; 3];
        at[axis] = if is_high { steps - down } else { down };
        at[(axis + 1) % 3] = x.clamp(0, steps);
        at[(axis + 2) % 3] = y.clamp(0, steps);
        Self { steps, at }
    }

    /// From the sphere's centre through the point, with length 1. The same bits for the same point at any
    /// number of steps.
    pub fn direction(self) -> DVec3 {
        let [x, y, z] = self.at.map(|at| along(at, self.steps));
        let length = (x * x + y * y + z * z).sqrt();
        DVec3::new(x / length, y / length, z / length)
    }

    /// Whether it is one of the cube's corners.
    pub(super) fn is_corner(self) -> bool {
        self.at.iter().all(|&at| at == 0 || at == self.steps)
    }

    /// The point of the lattice that is nearest to a direction.
    pub fn towards(direction: DVec3, steps: i64) -> Self {
        let direction = if direction.is_finite() && direction != DVec3::ZERO { direction } else { DVec3::Y };
        let (axis, steps) = (direction.abs().max_position(), steps.max(0));
        let at = std::array::from_fn(|other| {
            let share = direction[other] / direction[axis].abs();
            // The inverse of the tangent by which samples are placed.
            let angle = libm::atan(share) / FRAC_PI_4;
            let at = ((angle + 1.0) / 2.0 * steps as f64).round() as i64;
            if other == axis && share > 0.0 {
                steps
            } else if other == axis {
                0
            } else {
                at.clamp(0, steps)
            }
        });
        Self { steps, at }
    }
}

/// The position on the cube, −1 to 1, of a place along an edge.
fn along(at: i64, steps: i64) -> f64 {
    // Equals `2 · at − steps`, but cannot overflow.
    let twice = at.saturating_sub(steps.saturating_sub(at));
    if twice.saturating_abs() == steps {
        return twice.signum() as f64;
    }
    // Steps are a power of two, so the quotient is exact and the same at every number of steps.
    let angle = twice.saturating_abs() as f64 / steps as f64 * FRAC_PI_4;
    libm::tan(angle) * twice.signum() as f64
}
