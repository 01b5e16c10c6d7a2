//! Flat patches of endless land that together cover the cube: one on each of its 6 faces, along each of its
//! 12 edges and around each of its 8 corners.
//!
//! Flat land cannot surround a cube without a seam, but overlapping patches can be blended. Along each axis a
//! place is near the low end, near the high end or between, by shares that add up to 1; a patch's weight is
//! the product of the three axes' shares. A patch that is between along two axes is a face's, along one an
//! edge's, along none a corner's.
//!
//! Samples of the cube coincide with samples of every patch, so no land is interpolated. A face's patch has
//! its own two axes; an edge's is both faces unfolded. Around a corner there are three quarters instead of
//! four: its patch has one axis of the cube along (1, 0), one along (0, 1) and the third along (−1, −1). This
//! is continuous across all three edges, and stretches the land by √3 in one direction.

use super::cube::CubePoint;

/// The number of patches: three states along three axes. The one that is between along all three has no
/// points.
pub(super) const PATCHES: usize = 27;

/// The width of the blend at an edge is a face's side divided by this.
const BLEND: f64 = 10.0;

/// Patches lie this many faces apart on the endless land: further than the 2 that one covers.
const APART: i64 = 4;

/// Patches in a row on the endless land.
const ROW: i64 = 6;

/// The position of a place along an axis.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Low,
    Between,
    High,
}

/// The state along the three axes of a patch.
fn parts(patch: usize) -> [Part; 3] {
    [patch % 3, patch / 3 % 3, patch / 9].map(|part| match part {
        0 => Part::Low,
        1 => Part::Between,
        _ => Part::High,
    })
}

/// How near the end of an axis a place is that is `away` steps from it: 1 at the end, 0 from the blend's
/// width on.
fn nearness(away: i64, steps: i64) -> f64 {
    // Exact up to the factor: the same bits at every number of steps.
    let share = (away as f64 / steps as f64 * BLEND).min(1.0);
    1.0 - share * share * (3.0 - 2.0 * share)
}

/// The weight of a patch at a point: those of all patches add up to 1.
pub(super) fn weight(patch: usize, point: CubePoint) -> f64 {
    let CubePoint { steps, at } = point;
    let mut weight = 1.0;
    for (part, at) in parts(patch).into_iter().zip(at) {
        let (low, high) = (nearness(at, steps), nearness(steps - at, steps));
        weight *= match part {
            Part::Low => low,
            Part::High => high,
            Part::Between => 1.0 - low - high,
        };
    }
    weight
}

/// The sample of the endless land, at the level that has `steps` samples along a face, of a patch at a point.
pub(super) fn place(patch: usize, point: CubePoint) -> [i64; 2] {
    let CubePoint { steps, at } = point;
    let parts = parts(patch);
    // Steps from the end that the patch is near.
    let away = |axis: usize| if parts[axis] == Part::High { steps - at[axis] } else { at[axis] };
    let between: Vec<usize> = (0..3).filter(|&axis| parts[axis] == Part::Between).collect();
    let [x, z] = match between[..] {
        [] => [away(0) - away(2), away(1) - away(2)],
        [axis] => [at[axis], away((axis + 1) % 3) - away((axis + 2) % 3)],
        [first, second, ..] => [at[first], at[second]],
    };
    let number = patch as i64;
    let origin = [number % ROW - ROW / 2, number / ROW - ROW / 2].map(|place| place * APART * steps);
    [origin[0] + x, origin[1] + z]
}

/// The patch of a face: see [`FACES`](super::FACES).
pub(super) fn of_face(face: u8) -> usize {
    let between = 1 + 3 + 9;
    let axis = [1, 3, 9][usize::from(face / 2)];
    if face % 2 == 1 { between + axis } else { between - axis }
}
