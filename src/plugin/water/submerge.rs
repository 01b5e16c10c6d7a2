//! Which eyes are under water.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

use super::sea::WaterSurface;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{LandPlacement, Submersion};
use crate::plugin::terrain::TerrainGround;

/// Keeps every camera's [`Submersion`]: of several seas that it sees it is in the highest.
pub(super) fn submerge(
    mut cameras: Query<(Entity, Option<&mut Submersion>, Option<&RenderLayers>), With<Camera3d>>,
    seas: Query<(Entity, &WaterSurface, Option<&RenderLayers>, Option<&ChildOf>)>,
    lands: Query<(), With<TerrainGround>>,
    // The transforms of this frame have not been propagated yet.
    transforms: TransformHelper,
    mut commands: Commands,
) {
    for (camera, submersion, camera_layers) in &mut cameras {
        let camera_layers = camera_layers.unwrap_or_default();
        let Ok(eye) = transforms.compute_global_transform(camera) else { continue };
        let now = seas
            .iter()
            .filter(|(_, _, layers, _)| layers.unwrap_or_default().intersects(camera_layers))
            .filter_map(|(sea, surface, _, parent)| {
                let placement = transforms.compute_global_transform(sea).ok()?;
                // Land that cannot be where it is has no sea either.
                if parent.is_some_and(|parent| lands.contains(parent.parent())) {
                    LandPlacement::check(&PrecisePlace(None).or(&placement), surface.mapping).ok()?;
                }
                Some(submersion_in(surface, &placement, eye.translation()))
            })
            .max_by(|a, b| a.depth.total_cmp(&b.depth))
            .unwrap_or_default();
        match submersion {
            Some(mut submersion) => {
                // Not marked as changed while the eye rests, since cameras choose their fog again whenever it
                // changes.
                submersion.set_if_neq(now);
            }
            None if now.is_under_water() => {
                commands.entity(camera).try_insert(now);
            }
            None => {}
        }
    }
}

/// How deep an eye is in a sea.
fn submersion_in(surface: &WaterSurface, placement: &GlobalTransform, eye: Vec3) -> Submersion {
    // In the sea's own space, since the terrain may be turned: up is its axis.
    let in_sea = placement.affine().inverse().transform_point3(eye);
    let depth = surface.mapping.map(surface.sea_level) - in_sea.y;
    // It is NaN for a terrain without a size and for an eye that is nowhere.
    if depth.is_nan() || depth <= 0.0 {
        return Submersion::default();
    }
    let scale = placement.affine().transform_vector3(Vec3::Y).length();
    let depth = depth * scale;
    Submersion { depth, level: eye.y + depth, clarity: surface.clarity.max(0.01) * scale }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::material::HeightMapping;

    #[test]
    fn depths_are_those_of_the_world() {
        let mapping = HeightMapping { scale: 2.0, bias: 3.0 };
        let surface = WaterSurface { mapping, ..WaterSurface::new(10.0) };
        let place = |scale: f32| {
            GlobalTransform::from(Transform::from_xyz(5.0, 100.0, 0.0).with_scale(Vec3::splat(scale)))
        };
        let found = submersion_in(&surface, &place(0.5), Vec3::new(1e5, 107.5, -3.0));
        assert_eq!((found.depth, found.level, found.clarity), (4.0, 111.5, 7.0));
        for eye in [Vec3::new(0.0, 111.5, 0.0), Vec3::Y * 1e9, Vec3::NAN] {
            assert_eq!(submersion_in(&surface, &place(0.5), eye), Submersion::default(), "{eye}");
        }
        assert_eq!(submersion_in(&surface, &place(0.0), Vec3::ZERO), Submersion::default());
    }
}
