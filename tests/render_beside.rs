//! Land beside what else Bevy draws: with each setting a picture is compared with one without it.
#![cfg(feature = "viewer")]

mod common;

use bevy::anti_alias::fxaa::Fxaa;
use bevy::anti_alias::smaa::Smaa;
use bevy::anti_alias::taa::TemporalAntiAliasing;
use bevy::camera::visibility::RenderLayers;
use bevy::camera::{Hdr, RenderTarget, ScalingMode, Viewport};
use bevy::core_pipeline::prepass::{DeferredPrepass, DepthPrepass, NormalPrepass};
use bevy::light::NotShadowCaster;
use bevy::pbr::{DefaultOpaqueRendererMethod, ScreenSpaceAmbientOcclusion};
use bevy::prelude::*;
use common::{MAGENTA, TIME_LIMIT, brightness, camera, holes, painted, spawn, stage, sun};
use image::RgbaImage;
use upland::plugin::{Headless, TerrainView};

const SIZE: (u32, u32) = (320, 180);

/// Metres between samples, and samples a side.
const CELL: f32 = 20.0;
const SIDE: usize = 129;

/// From here the land's western and eastern borders lie beyond the picture.
fn pose() -> Transform {
    Transform::from_xyz(0.0, 900.0, 1000.0).looking_at(Vec3::new(0.0, 200.0, -300.0), Vec3::Y)
}
const FIELD_OF_VIEW: f32 = 30.0;

/// Land in the sun, and a camera.
fn scene() -> (Headless, Entity) {
    let mut headless = stage(SIZE.0, SIZE.1);
    sun(&mut headless, Vec3::new(-1.0, 0.9, 0.4));
    spawn(&mut headless, &painted(SIDE, SIDE, CELL));
    let target = headless.target();
    let camera = camera(&mut headless, target, TerrainView::default(), pose());
    let lens = PerspectiveProjection { fov: FIELD_OF_VIEW.to_radians(), ..default() };
    headless.app_mut().world_mut().entity_mut(camera).insert(Projection::Perspective(lens));
    (headless, camera)
}

/// The picture after a change.
fn with(change: impl FnOnce(&mut World, Entity)) -> RgbaImage {
    let (mut headless, camera) = scene();
    change(headless.app_mut().world_mut(), camera);
    headless.capture(TIME_LIMIT).unwrap()
}

/// The mean difference of brightness, 0 to 255, and the share of pixels that differ by more than a tenth of that.
fn difference(a: &RgbaImage, b: &RgbaImage) -> (f32, f32) {
    assert_eq!(a.dimensions(), b.dimensions());
    let differences: Vec<f32> =
        a.pixels().zip(b.pixels()).map(|(a, b)| (brightness(a) - brightness(b)).abs()).collect();
    let count = differences.len() as f32;
    (
        differences.iter().sum::<f32>() / count,
        differences.iter().filter(|by| **by > 25.5).count() as f32 / count,
    )
}

/// The share of the picture that is land.
fn land(picture: &RgbaImage) -> f32 {
    let pixels = picture.pixels();
    pixels.filter(|pixel| pixel.0 != MAGENTA).count() as f32 / (SIZE.0 * SIZE.1) as f32
}

#[test]
fn land_looks_the_same_in_hdr_and_in_the_passes_before_it() {
    let plain = with(|_, _| {});
    assert!(land(&plain) > 0.4, "{}", land(&plain));
    assert_eq!(holes(&plain), 0);
    let same: [(&str, RgbaImage); 3] = [
        ("HDR", with(|world, camera| _ = world.entity_mut(camera).insert(Hdr))),
        (
            "prepasses",
            with(|world, camera| _ = world.entity_mut(camera).insert((DepthPrepass, NormalPrepass))),
        ),
        (
            "deferred",
            with(|world, camera| {
                world.insert_resource(DefaultOpaqueRendererMethod::deferred());
                world.entity_mut(camera).insert((DepthPrepass, DeferredPrepass));
            }),
        ),
    ];
    for (name, picture) in same {
        let (mean, share) = difference(&plain, &picture);
        assert!(mean < 0.5 && share < 0.002, "{name}: {mean} on average, {share} of the picture");
        assert_eq!(holes(&picture), 0, "{name}");
    }
}

#[test]
fn smoothed_edges_are_all_that_antialiasing_changes() {
    let plain = with(|_, _| {});
    let smoothed: [(&str, RgbaImage); 4] = [
        ("MSAA", with(|world, camera| _ = world.entity_mut(camera).insert(Msaa::Sample4))),
        ("FXAA", with(|world, camera| _ = world.entity_mut(camera).insert(Fxaa::default()))),
        ("SMAA", with(|world, camera| _ = world.entity_mut(camera).insert(Smaa::default()))),
        (
            "TAA",
            with(|world, camera| _ = world.entity_mut(camera).insert((Hdr, TemporalAntiAliasing::default()))),
        ),
    ];
    for (name, picture) in smoothed {
        let (mean, share) = difference(&plain, &picture);
        assert!(mean < 4.0 && share < 0.05, "{name}: {mean} on average, {share} of the picture");
        assert!(mean > 0.0, "{name} does something");
    }
}

/// A grey ball of Bevy's own, in the air before the camera, and the pixel of its middle.
fn ball(world: &mut World) {
    let mesh = world.resource_mut::<Assets<Mesh>>().add(Sphere::new(25.0));
    let material = world.resource_mut::<Assets<StandardMaterial>>().add(Color::srgb(0.2, 0.2, 0.2));
    let place = pose().transform_point(Vec3::new(0.0, 66.0, -300.0));
    let ball = (Mesh3d(mesh), MeshMaterial3d(material), NotShadowCaster, Transform::from_translation(place));
    world.spawn(ball);
}
const BALL: (u32, u32) = (160, 16);

#[test]
fn light_from_the_surroundings_and_its_occlusion_reach_the_land_as_they_reach_bevys_own_meshes() {
    let plain = with(|world, _| ball(world));
    // Below the ball.
    let mean = |picture: &RgbaImage| {
        let land = picture.enumerate_pixels().filter(|(_, y, pixel)| *y > 90 && pixel.0 != MAGENTA);
        let land: Vec<f32> = land.map(|(.., pixel)| brightness(pixel)).collect();
        land.iter().sum::<f32>() / land.len() as f32
    };
    let of_ball = |picture: &RgbaImage| brightness(picture.get_pixel(BALL.0, BALL.1));
    assert_ne!(plain.get_pixel(BALL.0, BALL.1).0, MAGENTA);
    let surroundings = |world: &mut World| {
        let mut images = world.resource_mut::<Assets<Image>>();
        EnvironmentMapLight {
            intensity: 600.0,
            ..EnvironmentMapLight::solid_color(&mut images, Color::WHITE)
        }
    };
    let lit = with(|world, camera| {
        ball(world);
        let light = surroundings(world);
        world.entity_mut(camera).insert(light);
    });
    assert!(of_ball(&lit) > of_ball(&plain) + 5.0, "{} and {}", of_ball(&lit), of_ball(&plain));
    assert!(mean(&lit) > mean(&plain) + 5.0, "{} and {}", mean(&lit), mean(&plain));
    // Not every device can have light probes: whatever Bevy does with its own mesh there, it does with the land.
    let probed = with(|world, _| {
        ball(world);
        let light = surroundings(world);
        let around = Transform::from_scale(Vec3::new(6000.0, 6000.0, 6000.0));
        world.spawn((LightProbe::default(), light, around));
    });
    let is_ball_probed = of_ball(&probed) > of_ball(&plain) + 5.0;
    let is_land_probed = mean(&probed) > mean(&plain) + 5.0;
    assert_eq!(is_land_probed, is_ball_probed, "{} and {}", mean(&probed), mean(&plain));
    let occluded = with(|world, camera| {
        let light = surroundings(world);
        world.entity_mut(camera).insert((light, ScreenSpaceAmbientOcclusion::default()));
    });
    assert!(mean(&occluded) < mean(&lit), "{} and {}", mean(&occluded), mean(&lit));
    assert!(mean(&occluded) > 0.5 * mean(&lit));
}

/// A camera straight above the land that sees so many metres from north to south.
fn from_above(world: &mut World, camera: Entity, projection: Projection, height: f32) {
    let pose = Transform::from_xyz(0.0, height, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    world.entity_mut(camera).insert((projection, pose));
}

#[test]
fn an_orthographic_camera_sees_what_a_very_distant_one_does() {
    // Shadow cascades end before the distant one's land.
    let seen = 1800.0;
    let without_shadows = |world: &mut World, camera: Entity| {
        world.query::<&mut DirectionalLight>().single_mut(world).unwrap().shadow_maps_enabled = false;
        world.entity_mut(camera).insert(TerrainView { far_shadows: 0, ..default() });
    };
    let orthographic = with(|world, camera| {
        without_shadows(world, camera);
        let scaling_mode = ScalingMode::FixedVertical { viewport_height: seen };
        let projection =
            OrthographicProjection { scaling_mode, far: 20_000.0, ..OrthographicProjection::default_3d() };
        from_above(world, camera, Projection::Orthographic(projection), 5000.0);
    });
    let distant = with(|world, camera| {
        without_shadows(world, camera);
        let height = 100_000.0;
        let projection =
            PerspectiveProjection { fov: 2.0 * (0.5 * seen / height).atan(), far: 200_000.0, ..default() };
        from_above(world, camera, Projection::Perspective(projection), height);
    });
    assert_eq!(land(&orthographic), land(&distant));
    let (mean, share) = difference(&orthographic, &distant);
    assert!(mean < 6.0 && share < 0.05, "{mean} on average, {share} of the picture");
}

#[test]
fn two_halves_of_a_picture_with_a_layer_each_show_what_each_camera_would_alone() {
    let half = UVec2::new(SIZE.0 / 2, SIZE.1);
    let poses =
        [pose(), Transform::from_xyz(900.0, 500.0, 700.0).looking_at(Vec3::new(-300.0, 100.0, 0.0), Vec3::Y)];
    // Both see their own land alone, of another height each; or, alone, one does.
    let draw = |seen: &[usize]| {
        let mut headless = stage(SIZE.0, SIZE.1);
        let light = sun(&mut headless, Vec3::new(-1.0, 0.9, 0.4));
        headless.app_mut().world_mut().entity_mut(light).insert(RenderLayers::from_layers(&[1, 2]));
        for &player in seen {
            let layer = RenderLayers::layer(1 + player);
            let terrain = spawn(&mut headless, &painted(SIDE, SIDE, CELL * (1.0 + player as f32)));
            headless.app_mut().world_mut().entity_mut(terrain).insert(layer.clone());
            let target: RenderTarget = headless.target();
            let eye = camera(&mut headless, target, TerrainView::default(), poses[player]);
            let viewport = Viewport {
                physical_position: UVec2::new(player as u32 * half.x, 0),
                physical_size: half,
                ..default()
            };
            let clear_color = if player == seen[0] { default() } else { ClearColorConfig::None };
            let picture =
                Camera { viewport: Some(viewport), order: player as isize, clear_color, ..default() };
            headless.app_mut().world_mut().entity_mut(eye).insert((picture, layer));
        }
        headless.capture(TIME_LIMIT).unwrap()
    };
    let (both, alone) = (draw(&[0, 1]), [draw(&[0]), draw(&[1])]);
    for (player, alone) in alone.iter().enumerate() {
        let part = |picture: &RgbaImage| {
            image::imageops::crop_imm(picture, player as u32 * half.x, 0, half.x, half.y).to_image()
        };
        let (mean, share) = difference(&part(&both), &part(alone));
        assert!(mean < 0.2 && share < 0.002, "player {player}: {mean} on average, {share} of the half");
        assert!(part(&both).pixels().any(|pixel| pixel.0 != MAGENTA));
    }
}
