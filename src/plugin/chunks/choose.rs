//! Visibility of a land for a camera, and the placement of chunks.

use bevy::camera::primitives::{Aabb, Frustum};
use bevy::math::{DVec2, DVec3, DVec4};
use bevy::pbr::{DistanceFog, FogFalloff};
use bevy::prelude::*;

use crate::plugin::material::{LandPlacement, TerrainView};
use crate::stream::{ChunkBounds, DrawnChunk, Eye, LandShape, QUADS, Ranges};

/// The largest quads' size, in sizes of the smallest.
const LARGEST_QUADS: f32 = 8.0;

/// The sides of a camera's view that matter for a land: all but the far one.
const SIDES: usize = 5;

/// A camera as an eye over a land, at rest; `None` while the camera has no size.
pub(crate) fn eye(
    camera: &Camera,
    frustum: &Frustum,
    transform: &GlobalTransform,
    view: &TerrainView,
    fog: Option<&DistanceFog>,
    land: &LandPlacement,
) -> Option<Eye> {
    let viewport_height = f64::from(camera.physical_viewport_size()?.y);
    let clip_from_view = camera.clip_from_view();
    // The last number of a projection's matrix: 1 in a parallel one, 0 in a perspective one.
    let is_orthographic = clip_from_view.w_axis.w == 1.0;
    // The pixels that a metre takes on the screen from a metre away: half of the picture's height times the
    // cotangent of half the angle of view, which is the matrix's second number. In a parallel projection it
    // is the pixels of a metre.
    let pixels = f64::from(clip_from_view.y_axis.y.abs()) * viewport_height * 0.5;
    let pixels = if is_orthographic { pixels * land.world_scale } else { pixels };
    if !pixels.is_normal() {
        return None;
    }
    // Planes transform by the transpose of the matrix that transforms points, so none is inverted.
    let matrix = land.world_from_land.matrix3.transpose();
    // Bevy's sixth half-space is the far side, which land ignores: see `far` below.
    let sides = frustum.half_spaces[..SIDES].iter().map(|side| {
        let side = side.normal_d().as_dvec4();
        let normal = matrix * side.truncate();
        normal.extend(side.truncate().dot(land.world_from_land.translation) + side.w)
    });
    let ranges = Ranges::new(
        pixels as f32,
        at_least(view.pixel_error, 0.01),
        at_least(view.quad_pixels, 1.0),
        at_least(view.quad_pixels, 1.0) * LARGEST_QUADS,
    );
    Some(Eye {
        position: land.land_from_world.transform_point3(transform.translation().as_dvec3()),
        velocity: DVec3::ZERO,
        pixels,
        is_orthographic,
        sides: sides.filter(|side: &DVec4| side.is_finite()).collect(),
        // As Bevy, which draws what lies beyond a projection's far side too.
        far: f64::from(at_least(view.distance, 0.0)) / land.world_scale,
        texel_pixels: at_least(view.texel_pixels, 0.1).into(),
        ranges: ranges.in_haze(fog.map_or(f32::INFINITY, depth) / land.world_scale as f32),
    })
}

/// The distance at which fog leaves 1/e of the contrast of the colour that it hides least, metres; infinite
/// for fog that doesn't hide a like share in every metre.
fn depth(fog: &DistanceFog) -> f32 {
    let density = match fog.falloff {
        FogFalloff::Exponential { density } => density,
        FogFalloff::Atmospheric { extinction, .. } => extinction.min_element(),
        // Their contrast does not fall exponentially, as the ranges in haze assume.
        FogFalloff::Linear { .. } | FogFalloff::ExponentialSquared { .. } => 0.0,
    };
    1.0 / density.max(0.0)
}

/// A setting that a game may have set to anything.
fn at_least(setting: f32, least: f32) -> f32 {
    if setting.is_nan() { least } else { setting.max(least) }
}

/// The placement of a chunk. Its local space is 0 to 1 east and south across it, and metres upwards.
pub(crate) struct Placed {
    pub(crate) transform: Transform,
    pub(crate) bounds: Aabb,
}

impl Placed {
    /// The place of a part of a chunk whose ground is `known`, in the space of an entity that the land's
    /// sample (0, 0) lies `origin` metres from.
    pub(crate) fn new(
        DrawnChunk { chunk, part }: DrawnChunk,
        known: ChunkBounds,
        shape: &LandShape,
        origin: DVec2,
        land: &LandPlacement,
    ) -> Self {
        let size = f64::from(shape.cell_at(chunk.level)) * f64::from(QUADS);
        let (north_west, _) = chunk.rectangle(shape.cell);
        let corner = (origin + north_west).as_vec2();
        // The scale makes the local box that of the chunk, so that Bevy culls by bounds of 0 to 1.
        let transform =
            Transform::from_xyz(corner.x, 0.0, corner.y).with_scale(Vec3::new(size as f32, 1.0, size as f32));
        let (low, high) = land.drawn().range(known.low, known.high);
        // The grids of coarser tiles, which vertices move to, may lie a little beyond the heights of this
        // one.
        let has_coarser = chunk.level < shape.coarsest;
        let margin = if has_coarser { 2.0 * f64::from(known.error) } else { 0.0 } * land.drawn().scale.abs();
        // Vertices beyond the border lie on it, and so do the bounds.
        let on_land =
            shape.extent().map_or(DVec2::ONE, |extent| ((extent - north_west) / size).min(DVec2::ONE));
        let [columns, rows] = part.quads();
        let corner_at = |column: i32, row: i32| DVec2::new(column.into(), row.into()) / f64::from(QUADS);
        let first = corner_at(columns.start, rows.start).as_vec2();
        let last = corner_at(columns.end, rows.end).min(on_land).as_vec2();
        let bounds = Aabb::from_min_max(
            Vec3::new(first.x, (low - margin) as f32, first.y),
            Vec3::new(last.x, (high + margin) as f32, last.y),
        );
        Self { transform, bounds }
    }

    /// That of the walls from there down to a height as drawn.
    pub(crate) fn down_to(self, foot: f32) -> Self {
        let (low, high) = (Vec3::from(self.bounds.min()), Vec3::from(self.bounds.max()));
        let ends = (low.y.min(foot), high.y.max(foot));
        let bounds = Aabb::from_min_max(low.with_y(ends.0), high.with_y(ends.1));
        Self { bounds, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fog_hides_errors_as_far_as_it_hides_its_clearest_colour() {
        let of = |falloff| depth(&DistanceFog { falloff, ..default() });
        assert_eq!(of(FogFalloff::Exponential { density: 0.0625 }), 16.0);
        let extinction = Vec3::new(0.5, 0.125, 2.0);
        assert_eq!(of(FogFalloff::Atmospheric { extinction, inscattering: Vec3::ONE }), 8.0);
        assert_eq!(of(FogFalloff::Linear { start: 10.0, end: 20.0 }), f32::INFINITY);
        assert_eq!(of(FogFalloff::Exponential { density: 0.0 }), f32::INFINITY);
        let of_nothing = of(FogFalloff::Exponential { density: f32::NAN });
        let ranges = Ranges::new(1000.0, 2.0, 4.0, 20.0);
        for depth in [of_nothing, f32::INFINITY, f32::NAN, 0.0, -1.0] {
            assert_eq!(ranges.in_haze(depth), ranges, "{depth}");
        }
    }
}
