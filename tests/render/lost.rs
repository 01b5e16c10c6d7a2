//! What becomes of a picture whose graphics device is lost. This test needs a Vulkan device, a software one
//! will do.
use crate::scene::*;
use bevy::prelude::*;
use bevy::render::render_resource::PollType;
use bevy::render::renderer::RenderDevice;
use upland::plugin::TerrainView;

#[test]
fn a_picture_whose_device_is_lost_is_an_error_that_says_so() {
    let mut headless = stage(96, 54);
    spawn(&mut headless, &painted(65, 65, 30.0));
    let target = headless.target();
    let pose = Transform::from_xyz(0.0, 1500.0, 2000.0).looking_at(Vec3::ZERO, Vec3::Y);
    camera(&mut headless, target, TerrainView::LIGHT, pose);
    headless.capture(TIME_LIMIT).unwrap();

    let device = headless.app().world().resource::<RenderDevice>();
    device.wgpu_device().destroy();
    // It is told when the device is asked next.
    let _ = device.poll(PollType::wait_indefinitely());
    for _ in 0..2 {
        let error = headless.capture(TIME_LIMIT).unwrap_err().to_string();
        assert!(error.contains("the graphics device was lost"), "{error}");
    }
    let error = headless.last_frame().unwrap_err().to_string();
    assert!(error.contains("the graphics device was lost"), "{error}");
}
