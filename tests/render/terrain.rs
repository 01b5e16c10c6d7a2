//! What must be in pictures of terrains. These tests need a Vulkan device, a software one will do.
use std::sync::Arc;

use crate::scene::*;
use bevy::camera::{RenderTarget, ScalingMode, Viewport};
use bevy::core_pipeline::prepass::{DepthPrepass, MotionVectorPrepass, NormalPrepass};
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{
    DebugView, Headless, HeightMapping, Shading, Terrain, TerrainBudget, TerrainChunk, TerrainGround,
    TerrainSides, TerrainView,
};
use upland::texture::ColourMap;
use upland::{Cache, Grid, Heightfield, Landscape, Preset};

const SIMPLE: TerrainView = TerrainView {
    quad_pixels: 6.0,
    shading: Shading::Simple,
    detail: 0.0,
    detail_range: 0.0,
    ..TerrainView::DEFAULT
};
const GREY: [u8; 4] = [128, 128, 128, 255];

fn looking(from: [f32; 3], at: [f32; 3]) -> Transform {
    Transform::from_translation(from.into()).looking_at(at.into(), Vec3::Y)
}

/// High above the field's centre, north up, east right.
fn looking_down(height: f32) -> Transform {
    Transform::from_xyz(0.0, height, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z)
}

fn mean_brightness(picture: &RgbaImage) -> f32 {
    picture.pixels().map(brightness).sum::<f32>() / picture.pixels().len() as f32
}

/// Whether two pictures are the same but for a pixel in 500. How far levels of detail reach depends on the
/// finest tiles that have been there, and these on what arrived first.
fn is_same(a: &RgbaImage, b: &RgbaImage) -> bool {
    500 * differing_pixels(a, b) <= a.pixels().len()
}

fn differing_pixels(a: &RgbaImage, b: &RgbaImage) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn there_is_ground_below_and_background_above_in_every_frame() {
    for shading in [Shading::Full, Shading::Simple] {
        let mut headless = stage(256, 144);
        spawn(&mut headless, &painted(257, 193, 20.0));
        sun(&mut headless, Vec3::new(-1.0, 0.7, 0.6));
        let target = headless.target();
        let view = TerrainView { shading, ..default() };
        camera(&mut headless, target, view, looking([400.0, 1200.0, 2600.0], [-200.0, 400.0, 0.0]));
        let picture = headless.capture(TIME_LIMIT).unwrap();
        for x in 0..256 {
            assert_eq!(picture.get_pixel(x, 2).0, MAGENTA, "the sky at {x}");
            assert_ne!(picture.get_pixel(x, 141).0, MAGENTA, "the ground at {x}");
        }
        assert_eq!(holes(&picture), 0);
        let next = headless.capture(TIME_LIMIT).unwrap();
        assert_eq!(differing_pixels(&picture, &next), 0, "one frame equals the next");
    }
}

#[test]
fn no_background_shows_through_the_ground_at_any_level_of_detail() {
    let mut headless = stage(256, 144);
    spawn(&mut headless, &plain(ridges(600, 450, 10.0), GREY));
    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, Transform::default());
    for (number, quad_pixels) in [2.0, 4.0, 8.0, 16.0, 30.0].into_iter().enumerate() {
        for turn in 0..3 {
            let angle = (number * 3 + turn) as f32 * 0.9;
            let (x, z) = (1500.0 * angle.cos(), 1200.0 * angle.sin());
            let pose = looking([x, 900.0 - 150.0 * turn as f32, z], [-z, 0.0, x]);
            let view = TerrainView { quad_pixels, ..SIMPLE };
            headless.app_mut().world_mut().entity_mut(camera).insert((pose, view));
            let picture = headless.capture(TIME_LIMIT).unwrap();
            assert_eq!(holes(&picture), 0, "quads of {quad_pixels} pixels from {x}, {z}");
            assert!(picture.pixels().any(|pixel| pixel.0 != MAGENTA));
        }
    }
}

#[test]
fn a_ridge_throws_its_shadow_away_from_the_sun() {
    let grid = Grid::new(129, 129, 10.0).unwrap();
    // A ridge from north to south, 200 m high, through the middle of a plain.
    let ridge =
        Heightfield::from_fn(grid, |column, _| (200.0 - (column as f32 - 64.0).abs() * 40.0).max(0.0));
    let landscape = plain(ridge, GREY);
    for shading in [Shading::Full, Shading::Simple] {
        let mut headless = stage(144, 144);
        spawn(&mut headless, &landscape);
        let target = headless.target();
        camera(&mut headless, target, TerrainView { shading, ..default() }, looking_down(1400.0));
        let sides_with_sun_from = |headless: &mut Headless, x: f32| {
            let sun = sun(headless, Vec3::new(x, 0.5, 0.0));
            let picture = headless.capture(TIME_LIMIT).unwrap();
            headless.app_mut().world_mut().despawn(sun);
            // On the plain, about 150 m beside the crest.
            (brightness(picture.get_pixel(56, 72)), brightness(picture.get_pixel(87, 72)))
        };
        let (west, east) = sides_with_sun_from(&mut headless, -1.0);
        assert!(west > 2.0 * east, "sun in the west, {shading:?}: west {west}, east {east}");
        let (west, east) = sides_with_sun_from(&mut headless, 1.0);
        assert!(east > 2.0 * west, "sun in the east, {shading:?}: west {west}, east {east}");
    }
}

#[test]
fn both_shadings_light_the_land_alike() {
    let mut headless = stage(256, 144);
    spawn(&mut headless, &painted(257, 257, 16.0));
    sun(&mut headless, Vec3::new(-1.0, 0.7, 0.6));
    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, looking([0.0, 1500.0, 1500.0], [0.0, 0.0, 0.0]));
    let simple = headless.capture(TIME_LIMIT).unwrap();
    let full = TerrainView { shading: Shading::Full, ..SIMPLE };
    headless.app_mut().world_mut().entity_mut(camera).insert(full);
    let full = headless.capture(TIME_LIMIT).unwrap();
    assert!(differing_pixels(&simple, &full) > 0);
    let ratio = mean_brightness(&simple) / mean_brightness(&full);
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
}

#[test]
fn the_north_west_is_at_the_top_left_of_a_map() {
    let grid = Grid::new(65, 33, 10.0).unwrap();
    let texels =
        (0..64 * 32).map(|index| if index % 64 < 32 && index / 64 < 16 { [255, 0, 0, 255] } else { GREY });
    let colour = ColourMap { width: 64, depth: 32, texels: texels.collect() };
    let heightfield = Heightfield::flat(grid, 0.0);
    let mut headless = stage(160, 120);
    spawn(&mut headless, &Arc::new(Landscape::new(heightfield, colour)));
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    camera(&mut headless, target, SIMPLE, looking_down(600.0));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let is_red = |x, y| picture.get_pixel(x, y).0[1] < 20;
    assert!(is_red(60, 50), "north-west");
    assert!(!is_red(100, 50), "north-east");
    assert!(!is_red(60, 70), "south-west");
    assert!(!is_red(100, 70), "south-east");
    // Twice as wide as deep, not stretched.
    let land = |x, y| picture.get_pixel(x, y).0 != MAGENTA;
    let (wide, deep) = ((0..160).filter(|&x| land(x, 60)).count(), (0..120).filter(|&y| land(80, y)).count());
    assert!((wide as f32 / deep as f32 - 2.0).abs() < 0.1, "{wide} × {deep}");
}

/// Reads back where the drawn ground is and compares it with the heightfield: the largest
/// difference in height, as a share of the field's range, and how many pixels were compared.
fn drawn_beside_asked(projection: Projection, pose: Transform, view: TerrainView) -> (f32, usize) {
    let field = ridges(300, 200, 5.0);
    let (low, high) = field.range();
    let mut headless = stage(192, 128);
    headless.app_mut().insert_resource(ClearColor(Color::BLACK));
    let terrain = spawn(&mut headless, &plain(field.clone(), GREY));
    let placement = Transform::from_xyz(30.0, -12.0, 70.0).with_scale(Vec3::splat(1.5));
    let mapping = HeightMapping { scale: 0.8, bias: 25.0 };
    headless.app_mut().world_mut().entity_mut(terrain).insert((placement, mapping));
    let target = headless.float_target();
    let view = TerrainView { debug: DebugView::Position, ..view };
    let camera = camera(&mut headless, target, view, pose);
    headless.app_mut().world_mut().entity_mut(camera).insert(projection);
    let pixels = headless.capture_floats(TIME_LIMIT).unwrap();
    let ground = pixels.iter().filter(|pixel| pixel[..3] != [0.0; 3]);
    let mut worst = 0.0f32;
    let mut compared = 0;
    for &[x, y, z, _] in ground {
        let p_in_field = (Vec3::new(x, y, z) - placement.translation) / 1.5;
        let asked = mapping.map(field.sample_surface(p_in_field.xz() + field.grid().extent() * 0.5));
        worst = worst.max((p_in_field.y - asked).abs() / (high - low));
        compared += 1;
    }
    (worst, compared)
}

#[test]
fn drawn_heights_are_those_that_can_be_asked_for() {
    let from_above = Projection::Orthographic(OrthographicProjection {
        scaling_mode: ScalingMode::FixedVertical { viewport_height: 400.0 },
        far: 5000.0,
        ..OrthographicProjection::default_3d()
    });
    let pose = Transform::from_xyz(0.0, 3000.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    // A level 8 samples of 7.5 m wide would do for quads of 60 m or 19 pixels.
    let coarse = TerrainView { quad_pixels: 20.0, ..SIMPLE };
    let fine = TerrainView { quad_pixels: 1.0, pixel_error: 0.01, ..SIMPLE };
    let (worst, _) = drawn_beside_asked(from_above.clone(), pose, coarse);
    assert!(worst > 1e-3, "a coarse level is drawn for coarse quads");
    let (worst, compared) = drawn_beside_asked(from_above, pose, fine);
    assert!(worst < 1e-3 && compared == 192 * 128, "orthographic: {worst} over {compared} pixels");

    // Enlarged enough for the finest level all over the picture.
    let narrow = Projection::Perspective(PerspectiveProjection { fov: 0.35, ..default() });
    let close = looking([100.0, 900.0, 100.0], [150.0, 0.0, 50.0]);
    let (worst, compared) = drawn_beside_asked(narrow, close, fine);
    assert!(worst < 1e-3 && compared == 192 * 128, "perspective: {worst} over {compared} pixels");
}

#[test]
fn each_camera_has_its_own_level_of_detail_and_shadows() {
    let near = (looking([0.0, 700.0, 900.0], [0.0, 0.0, 0.0]), TerrainView { quad_pixels: 3.0, ..SIMPLE });
    let far =
        (looking([1500.0, 3000.0, -3000.0], [0.0, 0.0, 0.0]), TerrainView { quad_pixels: 12.0, ..SIMPLE });
    let halves = [UVec2::ZERO, UVec2::new(128, 0)];
    let draw = |drawn: [bool; 2]| {
        let mut headless = stage(256, 128);
        spawn(&mut headless, &painted(400, 400, 10.0));
        sun(&mut headless, Vec3::new(-1.0, 0.5, 0.6));
        let cameras = [near, far].map(|(pose, view)| {
            let target = headless.target();
            camera(&mut headless, target, view, pose)
        });
        let mut show = |drawn: [bool; 2]| {
            for (half, entity) in cameras.into_iter().enumerate() {
                let viewport = Viewport {
                    physical_position: halves[half],
                    physical_size: UVec2::splat(128),
                    ..default()
                };
                let is_first = half == 0 || !drawn[0];
                let camera = Camera {
                    viewport: Some(viewport),
                    order: half as isize,
                    is_active: drawn[half],
                    clear_color: if is_first { default() } else { ClearColorConfig::None },
                    ..default()
                };
                headless.app_mut().world_mut().entity_mut(entity).insert(camera);
            }
            headless.capture(TIME_LIMIT).unwrap()
        };
        // What is known of the ground follows from all tiles that have been there, those of the other camera
        // too.
        show([true, true]);
        let picture = show(drawn);
        let world = headless.app_mut().world_mut();
        let mut chunks = world.query::<(&TerrainChunk, &Visibility)>();
        let finest = cameras.iter().map(|camera| {
            let own = chunks.iter(world).filter(|(c, v)| c.camera == *camera && **v != Visibility::Hidden);
            own.map(|(chunk, _)| chunk.chunk.level).min().unwrap()
        });
        (picture, finest.collect::<Vec<_>>())
    };
    let half = |picture: &RgbaImage, x: u32| image::imageops::crop_imm(picture, x, 0, 128, 128).to_image();
    let (both, finest) = draw([true, true]);
    assert_eq!(finest[0], 0, "the near camera");
    assert!(finest[1] >= 2, "the far camera: {}", finest[1]);
    let (left, _) = draw([true, false]);
    let (right, _) = draw([false, true]);
    assert!(
        is_same(&half(&both, 0), &half(&left, 0)),
        "the left view changes when there is another beside it"
    );
    assert!(is_same(&half(&both, 128), &half(&right, 128)), "the right view changes");
}

#[test]
fn the_smallest_and_the_thinnest_fields_are_drawn_or_nothing_is() {
    let mut headless = stage(64, 64);
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    camera(&mut headless, target, SIMPLE, looking_down(100.0));
    for (width, depth) in [(1, 1), (1, 9), (2, 2), (3, 1000), (33, 34), (65, 1)] {
        let terrain =
            spawn(&mut headless, &plain(Heightfield::flat(Grid::new(width, depth, 4.0).unwrap(), 0.0), GREY));
        let picture = headless.capture(TIME_LIMIT).unwrap();
        let is_drawn = picture.pixels().any(|pixel| pixel.0 != MAGENTA);
        assert_eq!(is_drawn, width > 1 && depth > 1, "{width}×{depth}");
        headless.app_mut().world_mut().despawn(terrain);
    }
}

#[test]
fn detail_grains_the_ground_near_the_eye_and_leaves_its_brightness() {
    let mut headless = stage(128, 72);
    spawn(&mut headless, &plain(Heightfield::flat(Grid::new(65, 65, 20.0).unwrap(), 0.0), GREY));
    sun(&mut headless, Vec3::new(-0.5, 1.0, 0.3));
    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, Transform::default());
    let mut draw = |height: f32, detail: f32| {
        let pose = looking([0.0, height, 0.0], [0.0, 0.0, -height]);
        headless.app_mut().world_mut().entity_mut(camera).insert((pose, TerrainView { detail, ..SIMPLE }));
        headless.capture(TIME_LIMIT).unwrap()
    };
    let (smooth, grained) = (draw(20.0, 0.0), draw(20.0, 1.0));
    assert!(differing_pixels(&smooth, &grained) > 128 * 72 / 2);
    let difference = (mean_brightness(&smooth) - mean_brightness(&grained)).abs();
    assert!(difference < 5.0, "{difference}");
    assert_eq!(differing_pixels(&draw(5000.0, 0.0), &draw(5000.0, 1.0)), 0, "none far away");
}

#[test]
fn a_landscape_that_is_swapped_in_looks_as_if_it_had_always_been_there() {
    let draw = |before: Option<Arc<Landscape>>, is_asleep: bool| {
        let mut headless = stage(128, 72);
        sun(&mut headless, Vec3::new(-1.0, 0.7, 0.6));
        let target = headless.target();
        let camera = camera(&mut headless, target, SIMPLE, looking([0.0, 900.0, 1400.0], [0.0, 0.0, 0.0]));
        let now = painted(200, 150, 16.0);
        let terrain = spawn(&mut headless, before.as_ref().unwrap_or(&now));
        headless.capture(TIME_LIMIT).unwrap();
        let set_active = |headless: &mut Headless, is_active: bool| {
            headless.app_mut().world_mut().get_mut::<Camera>(camera).unwrap().is_active = is_active;
        };
        set_active(&mut headless, !is_asleep);
        headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::ready(now));
        headless.settle(TIME_LIMIT).unwrap();
        set_active(&mut headless, true);
        headless.capture(TIME_LIMIT).unwrap()
    };
    let other = plain(ridges(90, 333, 5.0), GREY);
    let always = draw(None, false);
    assert!(is_same(&draw(Some(other.clone()), false), &always));
    assert!(is_same(&draw(Some(other), true), &always), "while the camera slept");
}

#[test]
fn a_terrain_can_be_moved_hidden_and_taken_away() {
    let mut headless = stage(64, 64);
    sun(&mut headless, Vec3::new(0.1, 1.0, 0.1));
    let target = headless.target();
    camera(&mut headless, target, SIMPLE, looking_down(300.0));
    let terrain = spawn(&mut headless, &plain(Heightfield::flat(Grid::new(65, 65, 2.0).unwrap(), 0.0), GREY));
    let is_land = |picture: &RgbaImage, x, y| picture.get_pixel(x, y).0 != MAGENTA;
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert!(is_land(&picture, 32, 32) && !is_land(&picture, 58, 32));

    headless.app_mut().world_mut().entity_mut(terrain).insert(Transform::from_xyz(130.0, 0.0, 0.0));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert!(!is_land(&picture, 32, 32) && is_land(&picture, 58, 32), "moved east");

    let second =
        camera(&mut headless, RenderTarget::None { size: UVec2::splat(9) }, SIMPLE, looking_down(300.0));
    headless.settle(TIME_LIMIT).unwrap();
    let chunks_of_second = |headless: &mut Headless| {
        let world = headless.app_mut().world_mut();
        world.query::<&TerrainChunk>().iter(world).filter(|chunk| chunk.camera == second).count()
    };
    assert!(chunks_of_second(&mut headless) > 0);
    headless.app_mut().world_mut().despawn(second);
    headless.settle(TIME_LIMIT).unwrap();
    assert_eq!(chunks_of_second(&mut headless), 0, "a camera's chunks go with it");

    headless.app_mut().world_mut().entity_mut(terrain).insert(Visibility::Hidden);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    assert!(picture.pixels().all(|pixel| pixel.0 == MAGENTA), "hidden");

    headless.app_mut().world_mut().despawn(terrain);
    headless.capture(TIME_LIMIT).unwrap();
    let world = headless.app_mut().world_mut();
    assert_eq!(world.query::<&TerrainChunk>().iter(world).count(), 0, "its chunks went with it");
}

#[test]
fn ambient_light_reaches_only_ground_that_sees_the_sky() {
    for shading in [Shading::Full, Shading::Simple] {
        let mut headless = stage(32, 32);
        headless.app_mut().insert_resource(GlobalAmbientLight { brightness: 3000.0, ..default() });
        let target = headless.target();
        camera(&mut headless, target, TerrainView { shading, ..default() }, looking_down(20.0));
        let mut brightness_with = |ambient: u8| {
            let field = Heightfield::flat(Grid::new(33, 33, 4.0).unwrap(), 0.0);
            let terrain = spawn(&mut headless, &plain(field, [200, 200, 200, ambient]));
            let picture = headless.capture(TIME_LIMIT).unwrap();
            headless.app_mut().world_mut().despawn(terrain);
            brightness(picture.get_pixel(16, 16))
        };
        let (open, half, none) = (brightness_with(255), brightness_with(128), brightness_with(0));
        assert!(
            open > half + 10.0 && half > none + 10.0 && none < 3.0,
            "{shading:?}: {open}, {half}, {none}"
        );
    }
}

#[test]
fn prepasses_and_fog_go_with_it() {
    let mut headless = stage(128, 72);
    spawn(&mut headless, &painted(200, 200, 16.0));
    sun(&mut headless, Vec3::new(-1.0, 0.7, 0.6));
    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, looking([0.0, 900.0, 1400.0], [0.0, 0.0, 0.0]));
    for shading in [Shading::Full, Shading::Simple] {
        let view = TerrainView { shading, ..SIMPLE };
        let world = headless.app_mut().world_mut();
        world
            .entity_mut(camera)
            .insert(view)
            .remove::<(DepthPrepass, NormalPrepass, MotionVectorPrepass, DistanceFog)>();
        let plain = headless.capture(TIME_LIMIT).unwrap();
        let prepasses = (DepthPrepass, NormalPrepass, MotionVectorPrepass);
        headless.app_mut().world_mut().entity_mut(camera).insert(prepasses);
        let with_prepasses = headless.capture(TIME_LIMIT).unwrap();
        assert_eq!(holes(&with_prepasses), holes(&plain));
        let difference = (mean_brightness(&plain) - mean_brightness(&with_prepasses)).abs();
        assert!(difference < 1.0, "{shading:?}: {difference}");
        let fog = DistanceFog {
            color: Color::WHITE,
            falloff: FogFalloff::Linear { start: 0.0, end: 2000.0 },
            ..default()
        };
        headless.app_mut().world_mut().entity_mut(camera).insert(fog);
        let foggy = headless.capture(TIME_LIMIT).unwrap();
        assert!(mean_brightness(&foggy) > mean_brightness(&plain) + 20.0, "{shading:?}");
    }
}

#[test]
fn every_debug_view_shows_something_else() {
    let mut headless = stage(128, 72);
    headless.app_mut().world_mut().spawn(Terrain::ready(painted(200, 200, 16.0)));
    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, looking([0.0, 900.0, 1400.0], [0.0, 0.0, 0.0]));
    let mut pictures: Vec<RgbaImage> = vec![];
    for debug in DebugView::ALL {
        headless.app_mut().world_mut().entity_mut(camera).insert(TerrainView { debug, ..SIMPLE });
        let picture = headless.capture(TIME_LIMIT).unwrap();
        assert!(!pictures.contains(&picture), "{debug:?}");
        pictures.push(picture);
    }
}

#[test]
fn with_a_budget_of_nothing_the_ground_is_coarser_and_has_no_hole() {
    let recipe = Preset::find("downs").unwrap().recipe().unwrap().with_longer_side(257);
    let draw = |budget: TerrainBudget| {
        let mut headless = stage(192, 108);
        headless.app_mut().insert_resource(budget);
        headless.app_mut().world_mut().spawn(Terrain::from(recipe.clone()));
        let target = headless.target();
        camera(&mut headless, target, SIMPLE, looking([0.0, 900.0, 0.0], [600.0, 0.0, 500.0]));
        headless.capture(TIME_LIMIT).unwrap()
    };
    let (all, zero) = (TerrainBudget::default(), TerrainBudget { device_bytes: 0, ..default() });
    let nothing = TerrainBudget { memory_bytes: 0, upload_bytes: 0, main_thread_ms: f32::NAN, ..zero };
    let (fine, coarse) = (draw(all), draw(nothing));
    assert_eq!((holes(&fine), holes(&coarse)), (0, 0));
    assert!(coarse.pixels().all(|pixel| pixel.0 != MAGENTA), "the land fills the picture");
    assert!((mean_brightness(&fine) - mean_brightness(&coarse)).abs() < 10.0);
}

#[test]
fn walls_stand_under_the_very_border_that_is_drawn() {
    // Finer than the land's samples there are others: the walls are to follow those.
    let mut recipe = Preset::find("high-range").unwrap().recipe().unwrap();
    recipe.size = (129, 129);
    let mut headless = stage(256, 144);
    headless.app_mut().insert_resource(GlobalAmbientLight { brightness: 3000.0, ..default() });
    let terrain = headless.app_mut().world_mut().spawn(Terrain::from_recipe(recipe, &Cache::default())).id();
    headless.settle(TIME_LIMIT).unwrap();
    let ground = headless.app().world().get::<TerrainGround>(terrain).unwrap();
    let (extent, field) = (ground.extent(), ground.landscape.heightfield.clone());
    // Half way between two samples of the southern border.
    let cell = field.grid().cell;
    let place = Vec2::new((60.5 * cell).round(), extent.y);
    let height = field.sample(place);
    let (x, z) = (place.x - extent.x / 2.0, place.y - extent.y / 2.0);

    let target = headless.target();
    let camera = camera(&mut headless, target, SIMPLE, Transform::default());
    let red = TerrainSides { colour: Color::srgb(1.0, 0.0, 0.0), ..default() };
    let mut draw = |from: Vec3, to: Vec3, sides: Option<TerrainSides>| {
        let mut world = headless.app_mut().world_mut().entity_mut(terrain);
        match sides {
            Some(sides) => world.insert(sides),
            None => world.remove::<TerrainSides>(),
        };
        headless.app_mut().world_mut().entity_mut(camera).insert(looking(from.into(), to.into()));
        headless.capture(TIME_LIMIT).unwrap()
    };
    let is_red = |pixel: &image::Rgba<u8>| pixel.0[0] > 40 && pixel.0[1] < 8 && pixel.0[2] < 8;

    // From outside and below: above each pixel of wall there is wall, ground or the sky beyond both.
    let outside = Vec3::new(x, height - 4.0, z + 30.0);
    let from_outside = draw(outside, Vec3::new(x, height, z), Some(red));
    let bare = draw(outside, Vec3::new(x, height, z), None);
    let mut walls = 0;
    for column in 0..256 {
        let line: Vec<_> = (0..144).map(|row| *from_outside.get_pixel(column, row)).collect();
        let top = line.iter().position(is_red).expect("a wall in every column");
        walls += line.iter().filter(|pixel| is_red(pixel)).count();
        let below_top = &line[top..];
        assert!(below_top.iter().all(is_red), "column {column}: a hole under row {top}");
        let above = (0..top).map(|row| *bare.get_pixel(column, row as u32));
        assert!(
            above.eq(line[..top].iter().copied()),
            "column {column}: what is above the wall is as without it"
        );
    }
    assert!(walls > 256 * 20, "{walls}");

    // From inside, a little above the ground, the border hides them.
    let over_ground = |back: f32| {
        let p = Vec2::new(place.x, place.y - back);
        Vec3::new(x, field.sample(p), z - back)
    };
    let inside = over_ground(40.0) + Vec3::Y * 25.0;
    let from_inside = draw(inside, over_ground(0.0), Some(red));
    let seen = from_inside.pixels().filter(|pixel| is_red(pixel)).count();
    assert_eq!(seen, 0, "walls stand above the ground");
    let land = from_inside.pixels().filter(|pixel| pixel.0 != MAGENTA).count();
    assert!((256 * 20..256 * 140).contains(&land), "{land}");
}
