//! Drawing without a window. These tests need a Vulkan device, a software one will do.
use std::time::Duration;

use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use upland::plugin::Headless;

const TIME_LIMIT: Duration = Duration::from_secs(120);

/// An unlit red cube before a blue background.
fn red_cube(target: bevy::camera::RenderTarget, headless: &mut Headless) -> Entity {
    let world = headless.app_mut().world_mut();
    let mesh = world.resource_mut::<Assets<Mesh>>().add(Cuboid::new(1.0, 1.0, 1.0));
    let material = world
        .resource_mut::<Assets<StandardMaterial>>()
        .add(StandardMaterial { unlit: true, ..StandardMaterial::from_color(LinearRgba::RED) });
    world.spawn((
        Camera3d::default(),
        Camera { clear_color: Color::from(LinearRgba::BLUE).into(), ..default() },
        Tonemapping::None,
        DebandDither::Disabled,
        Msaa::Off,
        target,
        Transform::from_xyz(0.0, 0.0, 2.0),
    ));
    world.spawn((Mesh3d(mesh), MeshMaterial3d(material))).id()
}

#[test]
fn a_picture_shows_the_world_and_every_change_of_it() {
    let mut headless = Headless::new(70, 40).unwrap();
    let cube = red_cube(headless.target(), &mut headless);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(picture.get_pixel(35, 20).0, [255, 0, 0, 255]);
    assert_eq!(picture.get_pixel(2, 2).0, [0, 0, 255, 255]);
    assert_eq!(headless.capture(TIME_LIMIT).unwrap(), picture, "one frame equals the next");

    headless.app_mut().world_mut().despawn(cube);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(picture.get_pixel(35, 20).0, [0, 0, 255, 255]);
}

#[test]
fn floats_are_captured_unrounded() {
    let mut headless = Headless::new(16, 16).unwrap();
    red_cube(headless.float_target(), &mut headless);
    let pixels = headless.capture_floats(TIME_LIMIT).unwrap();
    assert_eq!(pixels[8 * 16 + 8], [1.0, 0.0, 0.0, 1.0]);
}

/// Formats of the images that have the size of the picture; none has pixels in main memory.
fn targets(headless: &Headless, size: UVec2) -> Vec<TextureFormat> {
    let images = headless.app().world().resource::<Assets<Image>>();
    let targets = images.iter().map(|(_, image)| image).filter(|image| image.size() == size);
    targets
        .map(|image| {
            assert!(image.data.is_none(), "{:?} bytes", image.data.as_ref().map(Vec::len));
            image.texture_descriptor.format
        })
        .collect()
}

#[test]
fn a_target_takes_memory_on_the_device_alone_and_one_for_floats_only_where_a_camera_has_it() {
    let (size, colours, floats) =
        (UVec2::new(70, 40), TextureFormat::Rgba8UnormSrgb, TextureFormat::Rgba32Float);
    let mut headless = Headless::new(size.x, size.y).unwrap();
    red_cube(headless.target(), &mut headless);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(targets(&headless, size), [colours]);
    let message = headless.capture_floats(TIME_LIMIT).unwrap_err().to_string();
    assert!(message.contains("no camera draws floats"), "{message}");

    // A camera that draws already is turned to it.
    let target = headless.float_target();
    let world = headless.app_mut().world_mut();
    *world.query::<&mut bevy::camera::RenderTarget>().single_mut(world).unwrap() = target;
    let pixels = headless.capture_floats(TIME_LIMIT).unwrap();
    assert_eq!((pixels[20 * 70 + 35], pixels[0]), ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]));
    let mut formats = targets(&headless, size);
    formats.sort_by_key(|format| *format == floats);
    assert_eq!(formats, [colours, floats]);
    assert_eq!(headless.last_frame().unwrap(), picture, "the other target keeps what was drawn into it");
}

#[test]
fn an_impossible_size_is_refused_with_what_would_do() {
    let message = Headless::new(0, 5).err().unwrap().to_string();
    assert!(message.contains("0×5") && message.contains("16384"), "{message}");
}

#[test]
fn a_picture_that_cannot_be_ready_in_time_says_so() {
    let mut headless = Headless::new(8, 8).unwrap();
    red_cube(headless.target(), &mut headless);
    let message = headless.capture(Duration::ZERO).err().unwrap().to_string();
    assert!(message.contains("not complete"), "{message}");
}
