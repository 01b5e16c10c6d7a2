//! Land beside what else Bevy draws: with each setting a picture is compared with one without it.
use crate::scene::{MAGENTA, TIME_LIMIT, brightness, camera, holes, painted, plain, spawn, stage, sun};
use bevy::anti_alias::fxaa::Fxaa;
use bevy::anti_alias::smaa::Smaa;
use bevy::anti_alias::taa::TemporalAntiAliasing;
use bevy::camera::visibility::RenderLayers;
use bevy::camera::{Hdr, RenderTarget, ScalingMode, Viewport};
use bevy::core_pipeline::prepass::{DeferredPrepass, DepthPrepass, NormalPrepass};
use bevy::light::NotShadowCaster;
use bevy::light::cluster::GlobalClusterSettings;
use bevy::pbr::decal::{ForwardDecal, ForwardDecalMaterial, ForwardDecalMaterialExt};
use bevy::pbr::{DefaultOpaqueRendererMethod, ScreenSpaceAmbientOcclusion};
use bevy::prelude::*;
use bevy::render::RenderApp;
use bevy::render::render_resource::TextureFormat;
use image::RgbaImage;
use upland::plugin::{Headless, TerrainView};
use upland::{Grid, Heightfield};

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

/// The mean difference of brightness, 0 to 255, and the share of pixels that differ by more than a tenth of
/// that.
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
    // Not every device can have light probes: whatever Bevy does with its own mesh there, it does with the
    // land.
    let probed = with(|world, _| {
        ball(world);
        let light = surroundings(world);
        let around = Transform::from_scale(Vec3::new(6000.0, 6000.0, 6000.0));
        world.spawn((LightProbe::default(), light, around));
    });
    let is_ball_probed = of_ball(&probed) > of_ball(&plain) + 5.0;
    let is_land_probed = mean(&probed) > mean(&plain) + 5.0;
    println!("this device has light probes: {is_ball_probed}");
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

/// Windows of different shapes, which here are pictures: what a camera draws does not depend on what the
/// others do.
#[test]
fn each_of_two_windows_shows_what_it_would_alone() {
    let sizes = [SIZE, (150, 200)];
    let poses =
        [pose(), Transform::from_xyz(900.0, 500.0, 700.0).looking_at(Vec3::new(-300.0, 100.0, 0.0), Vec3::Y)];
    // The first of them is the one that is looked at.
    let draw = |windows: &[usize]| {
        let (width, height) = sizes[windows[0]];
        let mut headless = stage(width, height);
        sun(&mut headless, Vec3::new(-1.0, 0.9, 0.4));
        spawn(&mut headless, &painted(SIDE, SIDE, CELL));
        for &window in windows {
            let (width, height) = sizes[window];
            let target = if window == windows[0] {
                headless.target()
            } else {
                let other = Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
                headless.app_mut().world_mut().resource_mut::<Assets<Image>>().add(other).into()
            };
            camera(&mut headless, target, TerrainView::default(), poses[window]);
        }
        headless.capture(TIME_LIMIT).unwrap()
    };
    for (window, other) in [(0, 1), (1, 0)] {
        let (beside, alone) = (draw(&[window, other]), draw(&[window]));
        let (mean, share) = difference(&beside, &alone);
        assert!(mean < 0.2 && share < 0.002, "window {window}: {mean} on average, {share} of it");
        assert!(beside.pixels().any(|pixel| pixel.0 != MAGENTA));
    }
}

/// Level land with a long ridge from north to south, and what stands on it, from above in the light of a lamp
/// in the west of the ridge, below its crest. A pixel is a metre.
struct Night(RgbaImage);

impl Night {
    const LAMP: Vec3 = Vec3::new(-30.0, 20.0, 0.0);
    /// Boxes of Bevy's own: one in the lamp's light, one behind the ridge.
    const BOXES: [Vec3; 2] = [Vec3::new(-50.0, 3.0, 0.0), Vec3::new(34.0, 3.0, 24.0)];

    fn with(lamp: impl Bundle) -> Self {
        let mut headless = Self::stage();
        headless.app_mut().world_mut().spawn(lamp);
        Self::seen(&mut headless)
    }

    fn seen(headless: &mut Headless) -> Self {
        Self(headless.capture(TIME_LIMIT).unwrap())
    }

    /// Without a lamp.
    fn stage() -> Headless {
        let mut headless = stage(SIZE.0, SIZE.1);
        let grid = Grid::new(129, 129, 3.0).unwrap();
        let ridge = Heightfield::from_fn(grid, |column, _| {
            24.0 * (1.0 - (column as f32 - 67.0).abs() / 4.0).clamp(0.0, 1.0)
        });
        spawn(&mut headless, &plain(ridge, [150, 150, 150, 255]));
        let target = headless.target();
        let camera = camera(&mut headless, target, TerrainView { far_shadows: 0, ..default() }, default());
        let world = headless.app_mut().world_mut();
        let scaling_mode = ScalingMode::FixedVertical { viewport_height: SIZE.1 as f32 };
        let lens =
            OrthographicProjection { scaling_mode, far: 1000.0, ..OrthographicProjection::default_3d() };
        from_above(world, camera, Projection::Orthographic(lens), 300.0);
        let mesh = world.resource_mut::<Assets<Mesh>>().add(Cuboid::new(6.0, 6.0, 6.0));
        let material = world.resource_mut::<Assets<StandardMaterial>>().add(Color::srgb_u8(150, 150, 150));
        for place in Self::BOXES {
            world.spawn((
                Mesh3d(mesh.clone()),
                MeshMaterial3d(material.clone()),
                Transform::from_translation(place),
            ));
        }
        headless
    }

    /// How bright it is around a place.
    fn at(&self, x: f32, z: f32) -> f32 {
        let middle = [x + SIZE.0 as f32 / 2.0, z + SIZE.1 as f32 / 2.0].map(|pixels| pixels as u32);
        let around = (0..9).map(|index| (middle[0] + index % 3 - 1, middle[1] + index / 3 - 1));
        around.map(|(x, y)| brightness(self.0.get_pixel(x, y))).sum::<f32>() / 9.0
    }
}

#[test]
fn lamps_light_the_land_and_throw_shadows_on_it_and_from_it() {
    let point = |shadow_maps_enabled| {
        let lamp = PointLight { intensity: 2e8, range: 300.0, shadow_maps_enabled, ..default() };
        (lamp, Transform::from_translation(Night::LAMP))
    };
    // A spot light looks one way: along the ground to the box, or to the ridge.
    let spot = |shadow_maps_enabled, to: Vec3| {
        let (intensity, range, outer_angle) = (2e8, 300.0, 1.2);
        let lamp = SpotLight { intensity, range, outer_angle, shadow_maps_enabled, ..default() };
        (lamp, Transform::from_translation(Night::LAMP).looking_at(to, Vec3::Y))
    };
    let dark = Night::with(());
    let [west, east] = [Vec3::new(-70.0, 0.0, 0.0), Vec3::new(60.0, 6.0, 0.0)];
    let lit = [
        ("point", Night::with(point(true)), Night::with(point(false)), true, true),
        ("spot, west", Night::with(spot(true, west)), Night::with(spot(false, west)), true, false),
        ("spot, east", Night::with(spot(true, east)), Night::with(spot(false, east)), false, true),
    ];
    let [in_light, behind] = Night::BOXES;
    for (name, shadowed, unshadowed, is_west_lit, is_east_lit) in &lit {
        // Beside the shadow, in the light.
        let (x, z) = if *is_west_lit { (in_light.x - 8.0, 20.0) } else { (-10.0, 20.0) };
        assert!(shadowed.at(x, z) > dark.at(x, z) + 20.0, "{name}: {} {}", shadowed.at(x, z), dark.at(x, z));
        // Bevy's own ground, too, shadows itself in thin lines in a lamp's light.
        let left = (shadowed.at(x, z) - dark.at(x, z)) / (unshadowed.at(x, z) - dark.at(x, z));
        assert!(left > 0.7, "{name}: {left} of the light is left where nothing is in its way");
        let throws = [
            // The box on the land behind it, the ridge on the land and on the box behind it.
            (*is_west_lit, in_light.x - 8.0, 0.0),
            (*is_east_lit, 34.0, 0.0),
            (*is_east_lit, behind.x, behind.z),
        ];
        for (_, x, z) in throws.into_iter().filter(|(is_lit, ..)| *is_lit) {
            let [shadowed, unshadowed, dark] = [shadowed, unshadowed, &dark].map(|night| night.at(x, z));
            assert!(unshadowed > dark + 10.0, "{name}: {unshadowed} and {dark} at {x}, {z}");
            assert!(shadowed < dark + 0.2 * (unshadowed - dark), "{name}: {shadowed}, {unshadowed}, {dark}");
        }
    }
}

/// While there are no lamps, nothing is sorted into parts of a camera's view. It must begin with the first
/// lamp and with each new camera, and what it found must be gone with the last lamp.
#[test]
fn a_lamp_that_comes_late_is_seen_and_leaves_no_light_where_it_was() {
    let sorts = |headless: &mut Headless| {
        headless.app_mut().update();
        let render_app = headless.app_mut().get_sub_app_mut(RenderApp).unwrap();
        render_app.world().resource::<GlobalClusterSettings>().gpu_clustering.is_some()
    };
    let mut headless = Night::stage();
    let dark = Night::seen(&mut headless);
    let has_sorted = |headless: &mut Headless| std::array::from_fn(|_| sorts(headless));
    assert_eq!(has_sorted(&mut headless), [false; 3]);

    let lamp = PointLight { intensity: 2e8, range: 300.0, ..default() };
    let lamp = (lamp, Transform::from_translation(Night::LAMP));
    let lamp = headless.app_mut().world_mut().spawn(lamp).id();
    assert_eq!(has_sorted(&mut headless), [true; 3]);
    let lit = Night::seen(&mut headless);
    let (x, z) = (Night::BOXES[0].x - 8.0, 20.0);
    assert!(lit.at(x, z) > dark.at(x, z) + 20.0, "{} {}", lit.at(x, z), dark.at(x, z));

    headless.app_mut().world_mut().despawn(lamp);
    assert_eq!(has_sorted(&mut headless), [true, false, false]);
    assert!(Night::seen(&mut headless).0 == dark.0, "light without a lamp");

    // One that draws to where nobody looks, on another layer: whose buffers are new.
    let target = Image::new_target_texture(64, 64, TextureFormat::Rgba8UnormSrgb, None);
    let world = headless.app_mut().world_mut();
    let target: RenderTarget = world.resource_mut::<Assets<Image>>().add(target).into();
    let other = world.spawn((Camera3d::default(), target, RenderLayers::layer(1))).id();
    assert_eq!(has_sorted(&mut headless), [true, false, false]);
    headless.app_mut().world_mut().despawn(other);
    assert_eq!(has_sorted(&mut headless), [true, false, false]);
    // A view of another shape is divided into other parts.
    let world = headless.app_mut().world_mut();
    let mut cameras = world.query::<&mut Camera>();
    let narrow = Viewport { physical_size: UVec2::new(40, SIZE.1), ..default() };
    cameras.single_mut(world).unwrap().viewport = Some(narrow);
    assert_eq!(has_sorted(&mut headless), [true, false, false]);
    let mut cameras = headless.app_mut().world_mut().query::<&mut Camera>();
    cameras.single_mut(headless.app_mut().world_mut()).unwrap().viewport = None;
    assert!(Night::seen(&mut headless).0 == dark.0);
}

/// Takes some seconds: shaders of decals are compiled.
#[test]
fn a_forward_decal_lies_on_the_land() {
    let height = painted(SIDE, SIDE, CELL).heightfield.at(SIDE / 2, SIDE / 2 - 15);
    let plain = with(|world, camera| _ = world.entity_mut(camera).insert(DepthPrepass));
    let marked = with(|world, camera| {
        world.entity_mut(camera).insert(DepthPrepass);
        let base = StandardMaterial {
            base_color: Color::srgb(1.0, 0.0, 0.0),
            unlit: true,
            alpha_mode: AlphaMode::Blend,
            ..default()
        };
        let extension = ForwardDecalMaterialExt { depth_fade_factor: 200.0 };
        let mut materials = world.resource_mut::<Assets<ForwardDecalMaterial<StandardMaterial>>>();
        let material = materials.add(ForwardDecalMaterial { base, extension });
        let pose = Transform::from_xyz(0.0, height, -300.0).with_scale(Vec3::splat(150.0));
        world.spawn((ForwardDecal, MeshMaterial3d(material), pose));
    });
    let red = |a: &image::Rgba<u8>, b: &image::Rgba<u8>| a.0[0] > b.0[0].saturating_add(40);
    let count = marked.pixels().zip(plain.pixels()).filter(|(a, b)| red(a, b)).count();
    assert!((100..10_000).contains(&count), "{count} pixels have become red");
    assert!(land(&marked) == land(&plain), "no land is hidden or added");
}
