//! Views that show a strip of a picture.
//!
//! Bevy draws such a view correctly by [`Camera::sub_camera_view`]. But culling and shadow cascades use the
//! projection, which would be that of a whole picture as narrow as the strip. A custom projection is not an
//! option, because then all shaders would have to be compiled a second time.

use bevy::camera::CameraUpdateSystems;
use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::{VisibilitySystems, update_frusta};
use bevy::light::SimulationLightSystems;
use bevy::math::primitives::ViewFrustum;
use bevy::prelude::*;

pub(super) fn add(app: &mut App) {
    app.add_systems(
        PostUpdate,
        (
            // Bevy sets the shape of the strip in `CameraUpdateSystems`; frusta and shadow cascades are
            // computed from the shape that it finds.
            widen
                .after(CameraUpdateSystems)
                .before(VisibilitySystems::UpdateFrusta)
                .before(SimulationLightSystems::UpdateDirectionalLightCascades),
            narrow.in_set(VisibilitySystems::UpdateFrusta).after(update_frusta),
        ),
    );
}

/// Gives the projection of a strip the shape of the whole picture.
fn widen(mut cameras: Query<(&Camera, &mut Projection)>) {
    for (camera, mut projection) in &mut cameras {
        // Change detection is bypassed because no other system needs to know: this runs again in each frame,
        // so it also follows changes by Bevy.
        if let Some(strip) = camera.sub_camera_view
            && let Projection::Perspective(perspective) = projection.bypass_change_detection()
        {
            perspective.aspect_ratio = strip.full_size.x as f32 / strip.full_size.y as f32;
        }
    }
}

/// Narrows the frustum to the strip, so that everything outside it is culled.
fn narrow(mut cameras: Query<(&Camera, &Projection, &GlobalTransform, &mut Frustum)>) {
    for (camera, projection, place, mut frustum) in &mut cameras {
        if camera.sub_camera_view.is_some() {
            let clip_from_world = camera.clip_from_view() * place.affine().inverse();
            frustum.0 = ViewFrustum::from_clip_from_world_custom_far(
                &clip_from_world,
                &place.translation(),
                &place.back(),
                projection.far(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::camera::primitives::Sphere;
    use bevy::camera::{CameraProjection, RenderTargetInfo, SubCameraView};

    /// Whether a strip of 200 of 1000 pixels, starting at `offset`, sees a small ball.
    fn sees(offset: f32, ball: Vec3) -> bool {
        let mut app = App::new();
        app.add_plugins(TransformPlugin)
            .add_systems(PostUpdate, update_frusta.in_set(VisibilitySystems::UpdateFrusta));
        add(&mut app);
        let full_size = UVec2::new(1000, 500);
        let strip = SubCameraView { full_size, offset: Vec2::new(offset, 0.0), size: UVec2::new(200, 500) };
        let mut camera = Camera { sub_camera_view: Some(strip), ..default() };
        camera.computed.clip_from_view = PerspectiveProjection::default().get_clip_from_view_for_sub(&strip);
        camera.computed.target_info =
            Some(RenderTargetInfo { physical_size: UVec2::new(200, 500), scale_factor: 1.0 });
        let perspective = PerspectiveProjection { aspect_ratio: 0.4, ..default() };
        let camera =
            app.world_mut().spawn((Camera3d::default(), camera, Projection::Perspective(perspective))).id();
        app.update();
        let Some(Projection::Perspective(seen)) = app.world().get(camera) else { panic!() };
        assert_eq!(seen.aspect_ratio, 2.0, "shadows are drawn for the whole picture");
        let ball = Sphere { center: ball.into(), radius: 0.01 };
        app.world().get::<Frustum>(camera).unwrap().intersects_sphere(&ball, true)
    }

    #[test]
    fn a_strip_sees_only_its_part_of_the_picture() {
        // At a distance of 1, half the picture's width is tan(45°/2) · 2.
        let at = |pixel: f32| Vec3::new((pixel / 500.0 - 1.0) * 0.8284, 0.0, -1.0) * 10.0;
        for offset in [0.0, 300.0, 800.0] {
            for pixel in [-20.0, 20.0, 180.0, 220.0] {
                let inside = (0.0..200.0).contains(&pixel);
                assert_eq!(sees(offset, at(offset + pixel)), inside, "{offset} {pixel}");
            }
        }
    }
}
