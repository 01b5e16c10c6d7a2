//! Costs of the ways to draw a land, and how far what they draw is from it.
//!
//! All are measured against the same samples. CDLOD's chunks are measured as they are in their own level;
//! while a chunk moves to the next coarser one, its error is between those of both.

use bevy::camera::primitives::{Aabb, Frustum};
use bevy::math::DVec3;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use rayon::prelude::*;

use super::caption::Numbers;
use super::land::Compared;
use crate::compute::work::Work;
use crate::mesh::{RoamEye, RoamMesh, patch_error};
use crate::plugin::TerrainChunk;
use crate::stream::{DrawnChunk, QUADS};

/// The bounding box of something that is drawn, and how far that is from the land.
#[derive(Clone, Copy)]
pub(crate) struct ErrorBounds {
    /// The box around it.
    pub low: DVec3,
    pub high: DVec3,
    /// Metres.
    pub error: f64,
}

/// The eye of a camera over a compared land, in metres from its north-west sample, which stands at `corner`
/// in the world.
pub(crate) fn eye_of(
    camera: &Camera,
    frustum: &Frustum,
    transform: &GlobalTransform,
    pixel_error: f32,
    corner: DVec3,
) -> Option<RoamEye> {
    let height = f64::from(camera.physical_viewport_size()?.y);
    let pixels = f64::from(camera.clip_from_view().y_axis.y.abs()) * height * 0.5;
    let sides = frustum.half_spaces.iter().take(5).map(|side| {
        let side = side.normal_d().as_dvec4();
        side.truncate().extend(side.truncate().dot(corner) + side.w)
    });
    Some(RoamEye {
        position: transform.translation().as_dvec3() - corner,
        pixels,
        pixel_error: pixel_error.into(),
        sides: sides.collect(),
    })
}

/// The largest errors that are in view, in metres and in pixels.
pub(crate) fn seen_errors(eye: &RoamEye, all: &[ErrorBounds]) -> (f64, f64) {
    let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
    all.par_iter().map(|one| one.looks_to(eye)).reduce(|| (0.0, 0.0), larger)
}

impl ErrorBounds {
    /// Its error in metres and in pixels, as from its nearest point; zeros where it is out of sight.
    fn looks_to(&self, eye: &RoamEye) -> (f64, f64) {
        let is_seen = eye.sides.iter().all(|side| {
            let normal = side.truncate();
            let farthest = DVec3::select(normal.cmpge(DVec3::ZERO), self.high, self.low);
            normal.dot(farthest) + side.w >= 0.0
        });
        if !is_seen {
            return (0.0, 0.0);
        }
        // Nearer than this nothing is drawn.
        const NEAR: f64 = 0.5;
        let away = eye.position.distance(eye.position.clamp(self.low, self.high)).max(NEAR);
        (self.error, self.error * eye.pixels / away)
    }
}

/// A chunk, whether it is seen, and its bounds.
pub(crate) type ChunkParts =
    (&'static TerrainChunk, &'static ViewVisibility, &'static Aabb, &'static GlobalTransform);

/// Of CDLOD, by its chunks. `errors` keeps what has been measured; `corner` is where the north-west sample
/// stands in the world.
pub(crate) fn of_chunks<'a>(
    chunks: impl Iterator<Item = (&'a TerrainChunk, &'a ViewVisibility, &'a Aabb, &'a GlobalTransform)>,
    land: &Compared,
    errors: &mut HashMap<DrawnChunk, f64>,
    corner: DVec3,
    eye: &RoamEye,
    update_ms: f32,
) -> Numbers {
    let (mut all, mut triangles) = (Vec::new(), 0);
    for (chunk, _, bounds, transform) in chunks.filter(|(_, seen, ..)| seen.get()) {
        let error = *errors.entry(chunk.drawn()).or_insert_with(|| chunk_error(land, chunk.drawn()));
        triangles += chunk.part.triangles();
        let ends = [bounds.min(), bounds.max()];
        let [a, b] = ends.map(|end| transform.transform_point(end.into()).as_dvec3() - corner);
        all.push(ErrorBounds { low: a.min(b), high: a.max(b), error });
    }
    Numbers { triangles, errors: seen_errors(eye, &all), update_ms: Some(update_ms), seconds: None }
}

/// Of ROAM's mesh.
pub(crate) fn of_roam(mesh: &RoamMesh, land: &Compared, update_ms: f32) -> Numbers {
    Numbers {
        triangles: mesh.triangles.len(),
        errors: (mesh.error.into(), mesh.pixels.into()),
        update_ms: Some(update_ms),
        seconds: Some(land.seconds[0]),
    }
}

/// Of the TIN, to an eye.
pub(crate) fn of_tin(land: &Compared, eye: Option<&RoamEye>) -> Numbers {
    let errors = eye.map_or((0.0, 0.0), |eye| seen_errors(eye, &land.tin));
    Numbers { triangles: land.tin.len(), errors, update_ms: None, seconds: Some(land.seconds[1]) }
}

/// Of all samples.
pub(crate) fn of_brute_force(land: &Compared) -> Numbers {
    let seconds = Some(land.seconds[2]);
    Numbers { triangles: land.grid_triangles, errors: (0.0, 0.0), update_ms: None, seconds }
}

/// How far samples are from the grid of a chunk's part, metres; 0 where it has all of them, or none.
fn chunk_error(land: &Compared, DrawnChunk { chunk, part }: DrawnChunk) -> f64 {
    let coarser = chunk.level - land.window.level;
    if !(1..16).contains(&coarser) {
        return 0.0;
    }
    let quads = part.quads();
    let first = [0, 1].map(|axis| {
        let place =
            i64::from([chunk.column, chunk.row][axis]) * i64::from(QUADS) + i64::from(quads[axis].start);
        (place << coarser) - land.window.first[axis]
    });
    patch_error(land.roam.field(), first, 1 << coarser, quads[0].len() as u32, &Work::new()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearer_looks_larger_and_what_is_out_of_sight_does_not_count() {
        let eye = RoamEye {
            position: DVec3::new(0.0, 10.0, 0.0),
            pixels: 100.0,
            pixel_error: 1.0,
            sides: vec![DVec3::X.extend(0.0)],
        };
        let at = |x: f64| ErrorBounds {
            low: DVec3::new(x, 0.0, -5.0),
            high: DVec3::new(x + 10.0, 10.0, 5.0),
            error: 2.0,
        };
        assert_eq!(seen_errors(&eye, &[at(50.0), at(20.0)]), (2.0, 10.0));
        assert_eq!(seen_errors(&eye, &[at(-30.0)]), (0.0, 0.0));
        assert_eq!(seen_errors(&eye, &[at(-5.0)]), (2.0, 400.0));
    }
}
