//! Costs of the ways to draw a land, and how far what they draw is from it.
//!
//! All are measured against the same samples. CDLOD's chunks are measured as they are in their own level;
//! while a chunk moves to the next coarser one, its error is between those of both.

use bevy::camera::primitives::{Aabb, Frustum};
use bevy::math::DVec3;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

use super::caption::Numbers;
use super::error_bounds::{ErrorBounds, seen_errors};
use super::land::Compared;
use crate::compute::work::Work;
use crate::mesh::{RoamEye, RoamMesh, patch_error};
use crate::plugin::TerrainChunk;
use crate::stream::{DrawnChunk, QUADS};

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
    // All but the far side, which land ignores.
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

/// A chunk, whether it is seen, and its bounds.
pub(crate) type ChunkParts =
    (&'static TerrainChunk, &'static ViewVisibility, &'static Aabb, &'static GlobalTransform);

/// Numbers of CDLOD, by its chunks. `errors` keeps what has been measured; `corner` is where the north-west
/// sample stands in the world.
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
        // Measured once for each chunk: it depends on the land alone.
        let error = *errors.entry(chunk.drawn()).or_insert_with(|| chunk_error(land, chunk.drawn()));
        triangles += chunk.part.triangles();
        let ends = [bounds.min(), bounds.max()];
        let [a, b] = ends.map(|end| transform.transform_point(end.into()).as_dvec3() - corner);
        all.push(ErrorBounds { low: a.min(b), high: a.max(b), error });
    }
    Numbers { triangles, errors: seen_errors(eye, &all), update_ms: Some(update_ms), seconds: None }
}

/// Numbers of ROAM's mesh.
pub(crate) fn of_roam(mesh: &RoamMesh, land: &Compared, update_ms: f32) -> Numbers {
    Numbers {
        triangles: mesh.triangles.len(),
        errors: (mesh.error.into(), mesh.pixels.into()),
        update_ms: Some(update_ms),
        seconds: Some(land.seconds[0]),
    }
}

/// Numbers of the TIN, for an eye.
pub(crate) fn of_tin(land: &Compared, eye: Option<&RoamEye>) -> Numbers {
    let errors = eye.map_or((0.0, 0.0), |eye| seen_errors(eye, &land.tin));
    Numbers { triangles: land.tin.len(), errors, update_ms: None, seconds: Some(land.seconds[1]) }
}

/// Numbers of the mesh of all samples.
pub(crate) fn of_brute_force(land: &Compared) -> Numbers {
    let seconds = Some(land.seconds[2]);
    Numbers { triangles: land.grid_triangles, errors: (0.0, 0.0), update_ms: None, seconds }
}

/// How far samples are from the grid of a chunk's part, metres; 0 where it has all of them, or none.
fn chunk_error(land: &Compared, DrawnChunk { chunk, part }: DrawnChunk) -> f64 {
    let coarser = chunk.level - land.window.level;
    // Finer levels have all samples; coarser ones than 16 do not exist on a land of this size.
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
