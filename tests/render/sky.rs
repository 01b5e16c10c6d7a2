//! Sky, haze, sunlight and water as they are drawn. These tests need a Vulkan device, a software one
//! will do.
use std::f32::consts::FRAC_PI_4;
use std::sync::Arc;
use std::time::Duration;

use bevy::camera::Viewport;
use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{
    Headless, Sky, SkyCamera, SkyPlugin, Submersion, Terrain, TerrainPlugin, WaterPlugin, WaterSurface,
};
use upland::steps::{Ground, Operation};
use upland::texture::ColourMap;
use upland::water::{Carve, Course, Lakes, River};
use upland::{Grid, Heightfield, Landscape, Sun, Work};

const TIME_LIMIT: Duration = Duration::from_secs(120);
const WIDTH: u32 = 256;
const HEIGHT: u32 = 144;

/// A world of sky and water, without land.
struct Scene {
    headless: Headless,
    sky: Entity,
}

impl Scene {
    fn new(sun: Sun) -> Self {
        let mut headless = Headless::new(WIDTH, HEIGHT).unwrap();
        headless
            .app_mut()
            .insert_resource(ClearColor(Color::srgb(1.0, 0.0, 1.0)))
            .add_plugins((SkyPlugin { shadow_map_size: 256 }, WaterPlugin));
        let sky = Sky { sun, clouds: 0.0, shadow_cascades: 1, ..default() };
        let sky = headless.app_mut().world_mut().spawn(sky).id();
        Self { headless, sky }
    }

    fn world(&mut self) -> &mut World {
        self.headless.app_mut().world_mut()
    }

    /// A camera of 60° height of view; bearing and pitch in degrees.
    fn camera(&mut self, from: Vec3, bearing: f32, pitch: f32) -> Entity {
        let target = self.headless.target();
        let towards = Sun { bearing, elevation: pitch }.direction();
        let projection = PerspectiveProjection { fov: 60f32.to_radians(), far: 1e7, ..default() };
        let place = Transform::from_translation(from).looking_to(towards, Vec3::Y);
        let camera = (SkyCamera::default(), Projection::from(projection), Msaa::Off, target, place);
        self.world().spawn(camera).id()
    }

    fn mesh(&mut self, mesh: Mesh, colour: Color, place: Transform) {
        let mesh = self.world().resource_mut::<Assets<Mesh>>().add(mesh);
        let material = StandardMaterial { base_color: colour, perceptual_roughness: 1.0, ..default() };
        let material = self.world().resource_mut::<Assets<StandardMaterial>>().add(material);
        self.world().spawn((Mesh3d(mesh), MeshMaterial3d(material), place));
    }

    /// The picture; that of the next frame must be the same.
    fn picture(&mut self) -> RgbaImage {
        let picture = self.headless.capture(TIME_LIMIT).unwrap();
        assert_eq!(self.headless.capture(TIME_LIMIT).unwrap(), picture, "one frame equals the next");
        picture
    }
}

/// The mean colour of a few pixels round one, in sRGB levels.
fn colour_at(picture: &RgbaImage, x: u32, y: u32) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let [r, g, b, _] = picture.get_pixel(x + dx, y + dy).0;
        sum += Vec3::new(r.into(), g.into(), b.into());
    }
    sum / 4.0
}

fn brightness(colour: Vec3) -> f32 {
    colour.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

#[test]
fn at_noon_the_sky_is_darker_and_bluer_the_higher_one_looks() {
    let mut scene = Scene::new(Sun { bearing: 180.0, elevation: 60.0 });
    scene.camera(Vec3::Y * 10.0, 0.0, 28.0);
    let picture = scene.picture();
    let (high, horizon) = (colour_at(&picture, 128, 2), colour_at(&picture, 128, 134));
    assert!(brightness(high) < 0.8 * brightness(horizon), "{high} over {horizon}");
    assert!(high.z / high.x > 1.3 * horizon.z / horizon.x, "{high} over {horizon}");
    assert!(high.z > high.y && high.y > high.x, "{high} is not blue");
}

#[test]
fn the_sky_round_a_low_sun_is_brighter_and_warmer_than_opposite() {
    let mut scene = Scene::new(Sun { bearing: 250.0, elevation: 4.0 });
    let camera = scene.camera(Vec3::Y * 10.0, 250.0, 0.0);
    let sunward = colour_at(&scene.picture(), 100, 60);
    let opposite = Sun { bearing: 70.0, elevation: 0.0 }.direction();
    scene.world().get_mut::<Transform>(camera).unwrap().look_to(opposite, Vec3::Y);
    let opposite = colour_at(&scene.picture(), 100, 60);
    assert!(brightness(sunward) > 1.1 * brightness(opposite), "{sunward} against {opposite}");
    assert!(sunward.x / sunward.z > 1.1 * opposite.x / opposite.z, "{sunward} against {opposite}");
}

#[test]
fn land_at_the_end_of_sight_has_the_colour_of_the_horizon() {
    // The sun stands straight ahead, so left and right are alike.
    let bearing = 300.0;
    for elevation in [50.0, 12.0, -4.0] {
        let mut scene = Scene::new(Sun { bearing, elevation });
        scene.camera(Vec3::Y, bearing, 0.0);
        // A black wall 3000 km away on the left, its upper edge on the horizon.
        let towards = Sun { bearing, elevation: 0.0 }.direction();
        let left = Vec3::Y.cross(towards);
        let middle = towards * 3e6 + left * 1e6 - Vec3::Y * 2e5;
        let place = Transform::from_translation(middle).looking_to(towards, Vec3::Y);
        scene.mesh(Rectangle::new(2e6, 4e5).into(), Color::BLACK, place);
        let picture = scene.picture();
        let (wall, haze, sky) =
            (colour_at(&picture, 118, 73), colour_at(&picture, 136, 73), colour_at(&picture, 118, 70));
        assert!((wall - haze).abs().max_element() <= 2.0, "{elevation}°: {wall} beside {haze}");
        assert!((wall - sky).abs().max_element() <= 20.0, "{elevation}°: {wall} under {sky}");
    }
}

#[test]
fn an_eastern_sun_lights_eastern_faces() {
    let mut scene = Scene::new(Sun { bearing: 90.0, elevation: 30.0 });
    let camera = scene.camera(Vec3::new(0.0, 6.0, 9.0), 0.0, -10.0);
    scene.world().get_mut::<Transform>(camera).unwrap().look_at(Vec3::ZERO, Vec3::Y);
    // A roof whose ridge runs from north to south.
    let place = Transform::from_rotation(Quat::from_rotation_z(FRAC_PI_4));
    scene.mesh(Cuboid::new(3.0, 3.0, 6.0).into(), Color::srgb(0.5, 0.5, 0.5), place);
    let picture = scene.picture();
    let (west, east) = (colour_at(&picture, 112, 68), colour_at(&picture, 144, 68));
    assert!(brightness(east) > 1.6 * brightness(west), "{west} west, {east} east");
    assert!(brightness(west) > 12.0, "shadows are not black: {west}");
    assert!(west.z / west.x > east.z / east.x, "shadows are bluer: {west} west, {east} east");
}

/// A landscape of one colour in a sea whose level is 0.
fn in_the_sea(heightfield: Heightfield, colour: [u8; 3]) -> Arc<Landscape> {
    let [r, g, b] = colour;
    let colour = ColourMap { width: 1, depth: 1, texels: vec![[r, g, b, 255]] };
    Arc::new(Landscape { sea_level: Some(0.0), ..Landscape::new(heightfield, colour) })
}

#[test]
fn water_hides_its_bed_the_more_the_deeper_it_is() {
    let mut scene = Scene::new(Sun { bearing: 180.0, elevation: 50.0 });
    scene.headless.app_mut().add_plugins(TerrainPlugin);
    // The bed falls by 40 m from a beach in the west to the east of a field of 400 m.
    let grid = Grid::new(41, 41, 10.0).unwrap();
    let bed = Heightfield::from_fn(grid, |column, _| 5.0 - column as f32);
    scene.world().spawn(Terrain::ready(in_the_sea(bed, [225, 218, 195])));
    let camera = scene.camera(Vec3::Y * 300.0, 0.0, -10.0);
    *scene.world().get_mut::<Transform>(camera).unwrap() =
        Transform::from_xyz(0.0, 300.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z);
    let picture = scene.picture();
    // 400 m are 166 pixels; the shore lies at a depth of 0, column 5.
    let at = |column: f32| colour_at(&picture, (128.0 + (column - 20.0) * 4.16) as u32, 72);
    let (beach, shallow, deep) = (at(2.0), at(9.0), at(35.0));
    assert!(beach.x > beach.z, "the beach is dry: {beach}");
    assert!(shallow.z > beach.z - 60.0 && shallow.x < 0.9 * beach.x, "{shallow} next to {beach}");
    assert!(brightness(deep) < 0.75 * brightness(shallow), "{shallow} shallow, {deep} deep");
    assert!(deep.z > 1.5 * deep.x, "deep water is blue: {deep}");
    let beyond = colour_at(&picture, 250, 72);
    assert!((beyond - deep).abs().max_element() < 12.0, "{deep} inside, {beyond} beyond the field");
}

#[test]
fn the_sea_goes_on_into_the_haze_of_the_horizon() {
    let mut scene = Scene::new(Sun { bearing: 120.0, elevation: 30.0 });
    scene.world().spawn(WaterSurface::new(0.0));
    scene.camera(Vec3::Y * 1500.0, 300.0, 0.0);
    let picture = scene.picture();
    let column: Vec<Vec3> = (60..86).map(|y| colour_at(&picture, 60, y)).collect();
    let steps = column.windows(2).map(|pair| (pair[0] - pair[1]).abs().max_element());
    let worst = steps.fold(0.0, f32::max);
    assert!(worst < 14.0, "no edge between sea and sky, but a step of {worst} levels");
    assert!(brightness(colour_at(&picture, 60, 138)) < 0.8 * brightness(colour_at(&picture, 60, 70)));
}

#[test]
fn an_eye_under_water_sees_water() {
    let mut scene = Scene::new(Sun { bearing: 180.0, elevation: 55.0 });
    scene.headless.app_mut().add_plugins(TerrainPlugin);
    let bed = Heightfield::flat(Grid::new(65, 65, 10.0).unwrap(), -20.0);
    scene.world().spawn(Terrain::ready(in_the_sea(bed, [225, 218, 195])));
    let camera = scene.camera(Vec3::ZERO, 0.0, 0.0);
    let seen = |scene: &mut Scene, height: f32, pitch: f32| {
        let towards = Sun { bearing: 0.0, elevation: pitch }.direction();
        *scene.world().get_mut::<Transform>(camera).unwrap() =
            Transform::from_xyz(0.0, height, 0.0).looking_to(towards, Vec3::Y);
        let picture = scene.picture();
        let under = *scene.world().get::<Submersion>(camera).unwrap();
        assert_eq!(under.depth, (-height).max(0.0));
        assert!(picture.pixels().all(|pixel| pixel.0[1] > 0), "nothing is left out");
        picture
    };
    let middle = |picture: &RgbaImage| colour_at(picture, 127, 71);
    let ahead = middle(&seen(&mut scene, -6.0, 0.0));
    assert!(ahead.z > 1.3 * ahead.x && ahead.y > ahead.x, "the water is blue: {ahead}");
    let deeper = middle(&seen(&mut scene, -16.0, 0.0));
    // The eye opens in the dark, and sees less red.
    let (red, deep_red) = (ahead.x / ahead.z, deeper.x / deeper.z);
    assert!(deep_red < 0.7 * red, "{deeper} deeper down than {ahead}");
    let bed = middle(&seen(&mut scene, -16.0, -60.0));
    assert!(bed.z > bed.x, "the bed, which is of sand, is lit by blue light: {bed}");
    // Straight up there is the sky; at a low angle the surface is a mirror.
    let up = seen(&mut scene, -3.0, 80.0);
    let (window, mirror) = (middle(&up), middle(&seen(&mut scene, -3.0, 20.0)));
    assert!(brightness(window) > 1.3 * brightness(mirror), "{window} in the window, {mirror} beside it");
    let dry = middle(&seen(&mut scene, 6.0, 20.0));
    assert!(dry.x > 2.0 * ahead.x && brightness(dry) > brightness(ahead), "above water it is day: {dry}");
}

#[test]
fn cameras_on_different_layers_of_one_window_all_see_the_sky() {
    let mut scene = Scene::new(Sun::default());
    for (order, layer) in [(0u32, 1), (1, 2)] {
        let camera = scene.camera(Vec3::Y, 90.0 * order as f32, 40.0);
        let half = Viewport {
            physical_position: UVec2::new(order * WIDTH / 2, 0),
            physical_size: UVec2::new(WIDTH / 2, HEIGHT),
            ..default()
        };
        let mut camera = scene.world().entity_mut(camera);
        camera.insert(RenderLayers::layer(layer));
        let mut settings = camera.get_mut::<Camera>().unwrap();
        settings.order = order as isize;
        settings.viewport = Some(half);
    }
    let picture = scene.picture();
    for x in [40, 200] {
        let sky = colour_at(&picture, x, 40);
        assert!(sky.z > sky.y && sky.y > sky.x, "no sky at column {x}, but {sky}");
    }
}

#[test]
fn a_moved_sun_is_drawn_where_it_stands() {
    let mut scene = Scene::new(Sun { bearing: 0.0, elevation: 20.0 });
    scene.camera(Vec3::Y, 0.0, 20.0);
    let before = brightness(colour_at(&scene.picture(), 127, 71));
    let sky = scene.sky;
    scene.world().get_mut::<Sky>(sky).unwrap().sun.bearing = 150.0;
    let after = brightness(colour_at(&scene.picture(), 127, 71));
    assert!(before > 225.0, "the sun is bright: {before}");
    assert!(after < 0.8 * before, "the sun has left: {after}");
}

#[test]
fn a_terrain_with_a_sea_level_lies_in_a_sea() {
    let mut scene = Scene::new(Sun { bearing: 180.0, elevation: 50.0 });
    scene.headless.app_mut().add_plugins(TerrainPlugin);
    // A cone of 60 m that stands in the middle of a bed 60 m deep.
    let grid = Grid::new(65, 65, 8.0).unwrap();
    let heightfield = Heightfield::from_fn(grid, |column, row| {
        let (x, z) = (column as f32 - 32.0, row as f32 - 32.0);
        60.0 - 6.0 * (x * x + z * z).sqrt().min(20.0)
    });
    scene.world().spawn(Terrain::ready(in_the_sea(heightfield, [150, 120, 80])));
    let camera = scene.camera(Vec3::Y, 0.0, 0.0);
    *scene.world().get_mut::<Transform>(camera).unwrap() =
        Transform::from_xyz(0.0, 400.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z);
    let picture = scene.picture();
    let (island, sea) = (colour_at(&picture, 132, 62), colour_at(&picture, 190, 62));
    assert!(island.x > island.z, "an island: {island}");
    assert!(sea.z > 1.3 * sea.x, "a sea round it: {sea}");
}

#[test]
fn rivers_of_a_terrain_run_above_the_sea_and_go_with_their_landscape() {
    let mut scene = Scene::new(Sun { bearing: 160.0, elevation: 50.0 });
    scene.headless.app_mut().add_plugins(TerrainPlugin);
    let mut heightfield = Heightfield::flat(Grid::new(81, 81, 10.0).unwrap(), 100.0);
    let river = River { width: 90.0, meander: 0.0, bearing: 90.0, ..River::default() };
    let course = river.carve(&mut heightfield, 1, &Work::new()).unwrap();
    let with = |rivers: Vec<Course>| {
        let colour = ColourMap { width: 1, depth: 1, texels: vec![[150, 120, 80, 255]] };
        let heightfield = heightfield.clone();
        Arc::new(Landscape { rivers, ..Landscape::new(heightfield, colour) })
    };
    let terrain = scene.world().spawn(Terrain::ready(with(vec![course]))).id();
    let camera = scene.camera(Vec3::Y, 0.0, 0.0);
    *scene.world().get_mut::<Transform>(camera).unwrap() =
        Transform::from_xyz(0.0, 500.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z);
    let picture = scene.picture();
    // 462 m from top to bottom; the river runs across the middle.
    let (river, north, south) =
        (colour_at(&picture, 128, 72), colour_at(&picture, 128, 40), colour_at(&picture, 128, 104));
    assert!(river.z > 1.1 * river.x, "water: {river}");
    for land in [north, south] {
        assert!(land.x > 1.1 * land.z, "land: {land}");
    }
    let west = colour_at(&picture, 20, 72);
    assert!((west - river).abs().max_element() < 20.0, "{river} in the middle, {west} in the west");

    scene.world().entity_mut(terrain).insert(Terrain::ready(with(Vec::new())));
    let dry = colour_at(&scene.picture(), 128, 72);
    assert!(dry.x > 1.1 * dry.z, "a dry bed: {dry}");
}

#[test]
fn lakes_of_a_terrain_are_drawn_at_their_own_levels() {
    let mut scene = Scene::new(Sun { bearing: 160.0, elevation: 50.0 });
    scene.headless.app_mut().add_plugins(TerrainPlugin);
    // Two hollows with a ridge between them, the eastern one 40 m higher.
    let heightfield = Heightfield::from_fn(Grid::new(81, 81, 10.0).unwrap(), |column, row| {
        let is_hollow = (30..51).contains(&row) && ((20..38).contains(&column) || (43..61).contains(&column));
        100.0 + if column > 40 { 40.0 } else { 0.0 } - if is_hollow { 20.0 } else { 0.0 }
    });
    let mut ground = Ground::new(heightfield.clone());
    Lakes::default().apply(&mut ground, 1, &Work::new()).unwrap();
    let levels: Vec<f32> = ground.lakes.iter().map(|lake| lake.level()).collect();
    assert_eq!(levels, [100.0, 140.0]);
    let colour = ColourMap { width: 1, depth: 1, texels: vec![[150, 120, 80, 255]] };
    let land = Landscape { lakes: ground.lakes, ..Landscape::new(heightfield, colour) };
    scene.world().spawn(Terrain::ready(Arc::new(land)));
    let camera = scene.camera(Vec3::Y, 0.0, 0.0);
    *scene.world().get_mut::<Transform>(camera).unwrap() =
        Transform::from_xyz(0.0, 500.0, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z);
    let picture = scene.picture();
    // About 3 m a pixel.
    for lake in [colour_at(&picture, 92, 72), colour_at(&picture, 168, 72)] {
        assert!(lake.z > 1.1 * lake.x, "water: {lake}");
    }
    for land in [colour_at(&picture, 128, 72), colour_at(&picture, 92, 20), colour_at(&picture, 168, 124)] {
        assert!(land.x > 1.1 * land.z, "land: {land}");
    }
}

#[cfg(feature = "viewer")]
#[test]
fn the_sky_is_drawn_with_a_high_dynamic_range_too() {
    let mut scene = Scene::new(Sun { bearing: 0.0, elevation: 40.0 });
    let camera = scene.camera(Vec3::Y, 180.0, 30.0);
    let plain = scene.picture();
    scene.world().entity_mut(camera).insert(upland::plugin::sky_camera_effects());
    let effects = scene.picture();
    for (x, y) in [(20, 20), (128, 72), (230, 130)] {
        let (plain, effects) = (colour_at(&plain, x, y), colour_at(&effects, x, y));
        assert!((plain - effects).abs().max_element() < 16.0, "{plain} without, {effects} with");
    }
}
