//! Shadows of distant land, from shadow maps and beyond them. These tests need a Vulkan device, a software
//! one will do.
use std::sync::Arc;

use crate::scene::*;
use bevy::light::CascadeShadowConfigBuilder;
use bevy::pbr::{DistanceFog, FogFalloff};
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{Headless, Shading, Sky, SkyCamera, SkyPlugin, Terrain, TerrainView, WaterPlugin};
use upland::texture::ColourMap;
use upland::{Grid, Heightfield, Landscape, Sun};

/// Metres between samples, and samples along a side: 102 km.
const CELL: f32 = 200.0;
const SIDE: usize = 513;
/// How high the ridge is, how wide its slopes are, and how far east of the middle it runs from north to
/// south, metres.
const RIDGE: f32 = 3000.0;
const SLOPE: f32 = 6000.0;
const EAST: f32 = 20_000.0;
/// The sun's rise per metre, from the east.
const RISE: f32 = 0.1;

/// A plain and a ridge across it, which ends in the middle of the land: the northern half has none.
fn land() -> Heightfield {
    let grid = Grid::new(SIDE, SIDE, CELL).unwrap();
    let middle = (SIDE / 2) as f32;
    Heightfield::from_fn(grid, |column, row| {
        let [x, z] = [column, row].map(|index| (index as f32 - middle) * CELL);
        let high = (1.0 - (x - EAST).abs() / SLOPE).max(0.0) * RIDGE;
        if z >= 0.0 { high } else { 0.0 }
    })
}

/// The land in the light of a sun in the east, with shadow maps up to a distance.
struct Scene {
    headless: Headless,
}

const WIDTH: u32 = 256;
const HEIGHT: u32 = 128;
/// From above, so that a pixel is a place: metres above the plain, and half a picture's height from there.
const ALTITUDE: f32 = 60_000.0;
const HALF_HEIGHT: f32 = 20_000.0;

impl Scene {
    fn new(view: TerrainView, maps: f32, pose: Transform) -> Self {
        let mut headless = stage(WIDTH, HEIGHT);
        let world = headless.app_mut().world_mut();
        let light = DirectionalLight { illuminance: 10_000.0, shadow_maps_enabled: true, ..default() };
        let cascades = CascadeShadowConfigBuilder {
            num_cascades: 1,
            first_cascade_far_bound: maps,
            maximum_distance: maps,
            ..default()
        };
        let sun = Transform::default().looking_to(-Vec3::new(1.0, RISE, 0.0), Vec3::Y);
        world.spawn((light, cascades.build(), sun));
        spawn(&mut headless, &plain(land(), [150, 150, 150, 255]));
        let target = headless.target();
        let camera = camera(&mut headless, target, view, pose);
        let fov = 2.0 * (HALF_HEIGHT / ALTITUDE).atan();
        let projection = PerspectiveProjection { fov, far: 1e6, ..default() };
        headless.app_mut().world_mut().entity_mut(camera).insert(Projection::from(projection));
        Self { headless }
    }

    fn picture(&mut self) -> RgbaImage {
        self.headless.capture(TIME_LIMIT).unwrap()
    }
}

fn from_above() -> Transform {
    Transform::from_xyz(0.0, ALTITUDE, 0.0).looking_to(Vec3::NEG_Y, Vec3::NEG_Z)
}

/// How bright a place of the plain is, metres east and south of the middle.
fn at(picture: &RgbaImage, x: f32, z: f32) -> f32 {
    let pixels = HEIGHT as f32 * 0.5 / HALF_HEIGHT;
    let [x, y] = [x * pixels + WIDTH as f32 * 0.5, z * pixels + HEIGHT as f32 * 0.5];
    brightness(picture.get_pixel(x as u32, y as u32))
}

#[test]
fn beyond_the_shadow_maps_a_ridge_darkens_what_lies_in_its_shadow_and_nothing_else() {
    // The crest's shadow ends so far west of it on the plain.
    let end = EAST - RIDGE / RISE;
    for shading in [Shading::Full, Shading::Simple] {
        let view = TerrainView { shading, ..TerrainView::DEFAULT };
        let picture = Scene::new(view, 5000.0, from_above()).picture();
        // North of its end the sun comes past the ridge.
        let lit = |x: f32| at(&picture, x, -10_000.0);
        assert!(lit(0.0) > 20.0, "{shading:?}: {}", lit(0.0));
        for z in [2000.0, 8000.0, 15_000.0] {
            for x in [end + 2500.0, -5000.0, 0.0, 8000.0, 13_000.0] {
                let there = at(&picture, x, z);
                assert!(there < 0.45 * lit(x), "{shading:?}: {there} at {x}, {z} beside {}", lit(x));
            }
            for x in [end - 2500.0, -15_000.0, 28_000.0] {
                let there = at(&picture, x, z);
                assert!((there - lit(x)).abs() < 3.0, "{shading:?}: {there} at {x}, {z} beside {}", lit(x));
            }
        }
        for x in [-15_000.0, 0.0, 15_000.0] {
            let there = at(&picture, x, -2000.0);
            assert!((there - lit(x)).abs() < 3.0, "{shading:?}: {there} at {x} beside {}", lit(x));
        }
        // The edge is as wide as the sun's disc is at that distance.
        let edge = (-60..60).map(|step| at(&picture, end + step as f32 * 50.0, 8000.0)).collect::<Vec<_>>();
        assert!(edge.windows(2).all(|pair| pair[1] <= pair[0] + 4.0), "{edge:?}");
    }
}

/// Brightness from the horizon's side downwards, in the middle of the picture, below a row.
fn downwards(picture: &RgbaImage, first: u32) -> Vec<f32> {
    (first..HEIGHT).map(|row| brightness(picture.get_pixel(WIDTH / 2, row))).collect()
}

#[test]
fn where_the_shadow_maps_end_no_border_is_seen() {
    // Low over the plain, so that the maps end in the middle of the picture: in the shadow, looking along it
    // and through haze that glows towards the sun, and in the light.
    let pose = |x: f32, z: f32, ahead: Vec3| Transform::from_xyz(x, 2000.0, z).looking_to(ahead, Vec3::Y);
    let (north, east) = (Vec3::new(0.0, -0.12, -1.0), Vec3::new(1.0, -0.12, 0.0));
    for shading in [Shading::Full, Shading::Simple] {
        for (pose, is_lit) in [
            (pose(2000.0, 18_000.0, north), false),
            (pose(-8000.0, 9000.0, east), false),
            (pose(-20_000.0, 15_000.0, north), true),
        ] {
            let view = TerrainView { shading, ..TerrainView::DEFAULT };
            let mut scene = Scene::new(view, 12_000.0, pose);
            let mut cameras = scene.headless.app_mut().world_mut().query_filtered::<Entity, With<Camera3d>>();
            let camera = cameras.single(scene.headless.app().world()).unwrap();
            let fog = DistanceFog {
                color: Color::srgb(0.2, 0.2, 0.2),
                directional_light_color: Color::linear_rgb(0.03, 0.03, 0.03),
                directional_light_exponent: 4.0,
                falloff: FogFalloff::from_visibility(80_000.0),
            };
            scene.headless.app_mut().world_mut().entity_mut(camera).insert(fog);
            // Fourteen kilometres away and nearer.
            let column = downwards(&scene.picture(), 68);
            let steps = column.windows(2).map(|pair| (pair[0] - pair[1]).abs()).fold(0.0, f32::max);
            assert!(steps <= 3.0, "{shading:?}, lit: {is_lit}: {column:?}");
            let bright = column[column.len() - 1] > 70.0;
            assert_eq!(bright, is_lit, "{shading:?}: {column:?}");
        }
    }
}

#[test]
fn without_far_shadows_those_of_the_maps_fade_out() {
    let pose = Transform::from_xyz(2000.0, 2000.0, 18_000.0).looking_to(Vec3::new(0.0, -0.12, -1.0), Vec3::Y);
    let view = TerrainView { far_shadows: 0, ..TerrainView::LIGHT };
    let column = downwards(&Scene::new(view, 12_000.0, pose).picture(), 68);
    assert!(column[0] > 2.0 * column[column.len() - 1], "{column:?}");
    let steps = column.windows(2).map(|pair| (pair[0] - pair[1]).abs()).fold(0.0, f32::max);
    assert!(steps < 0.3 * column[0], "{column:?}");
}

#[test]
fn the_sun_glitters_on_a_sea_beyond_the_shadow_maps_but_not_in_the_shadow_of_land() {
    let mut headless = stage(WIDTH, HEIGHT);
    headless.app_mut().add_plugins((SkyPlugin { shadow_map_size: 256 }, WaterPlugin));
    let sun = Sun { bearing: 90.0, elevation: RISE.atan().to_degrees() };
    let sky = Sky { sun, clouds: 0.0, shadow_distance: 2000.0, shadow_cascades: 1, ..default() };
    // All but the ridge is flooded.
    let colour = ColourMap { width: 1, depth: 1, texels: vec![[150, 150, 150, 255]] };
    let landscape = Landscape { sea_level: Some(100.0), ..Landscape::new(land(), colour) };
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    world.spawn(sky);
    world.spawn(Terrain::ready(Arc::new(landscape)));
    let projection = PerspectiveProjection { fov: 0.3, far: 1e6, ..default() };
    let camera = (SkyCamera::default(), Projection::from(projection), Msaa::Off, target);
    let camera = world.spawn(camera).id();
    // Towards the sun, where ripples throw its light to the eye: 4 km of water, 8 km away.
    let mut glitter = |z: f32, far_shadows: u32| {
        let pose = Transform::from_xyz(-9000.0, 1000.0, z).looking_to(Vec3::new(1.0, -0.12, 0.0), Vec3::Y);
        let view = TerrainView { far_shadows, ..TerrainView::DEFAULT };
        headless.app_mut().world_mut().entity_mut(camera).insert((pose, view));
        let picture = headless.capture(TIME_LIMIT).unwrap();
        let pixels = (HEIGHT / 2 - 5..HEIGHT / 2 + 5).map(|y| brightness(picture.get_pixel(WIDTH / 2, y)));
        pixels.sum::<f32>() / 10.0
    };
    let (lit, lit_without) = (glitter(-15_000.0, 24), glitter(-15_000.0, 0));
    assert!((lit - lit_without).abs() < 2.0, "{lit} with far shadows and {lit_without} without, in the sun");
    let (dark, without) = (glitter(15_000.0, 24), glitter(15_000.0, 0));
    assert!(dark < 0.8 * without, "{dark} with far shadows and {without} without, behind the ridge");
}
