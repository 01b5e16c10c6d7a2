//! Planets as they are drawn. These tests need a Vulkan device, a software one will do.
#![cfg(feature = "bevy")]

mod common;

use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::math::DVec3;
use bevy::prelude::*;
use image::RgbaImage;
use upland::Recipe;
use upland::plugin::{Headless, Planet, PlanetCamera, PlanetFailed, PlanetPlugin, PlanetStatus};

use common::{MAGENTA, TIME_LIMIT, brightness};

const RADIUS: f64 = 50_000.0;

fn recipe() -> Recipe {
    let text = "(version: 1, name: \"p\", seed: 5, size: endless, cell: 60, unit: 20000, steps: [
        ridged(height: 2500, octaves: 7), fbm(height: 300, frequency: 8, octaves: 6, blend: add)])";
    Recipe::from_ron(text, "p.ron").unwrap()
}

/// A planet without air before a background of magenta, as seen from a place.
fn picture(from: DVec3, look: Vec3) -> (RgbaImage, usize) {
    let mut headless = Headless::new(240, 160).unwrap();
    headless.app_mut().add_plugins(PlanetPlugin).insert_resource(ClearColor(Color::srgb_u8(255, 0, 255)));
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    let planet = world.spawn(Planet { air: 0.0, ..Planet::new(recipe(), RADIUS) }).id();
    world.spawn((
        DirectionalLight { illuminance: 10_000.0, ..default() },
        Transform::default().looking_to(look, Vec3::X),
    ));
    world.spawn((
        PlanetCamera { quad_pixels: 5.0, ..PlanetCamera::at(from) },
        Transform::default().looking_to(look, from.as_vec3().normalize().any_orthonormal_vector()),
        (Tonemapping::None, DebandDither::Disabled, Msaa::Off),
        target,
    ));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let Some(PlanetStatus::Drawn { nodes, .. }) = headless.app().world().get(planet) else {
        panic!("the planet is drawn")
    };
    (picture, nodes.0)
}

#[test]
fn the_background_is_nowhere_seen_through_the_ground() {
    for (direction, above) in
        [(DVec3::new(1.0, 1.0, 1.0), 60_000.0), (DVec3::Y, 9_000.0), (DVec3::new(0.0, 0.98, 1.0), 5_000.0)]
    {
        let from = direction.normalize() * (RADIUS + above);
        let (picture, nodes) = picture(from, -direction.normalize().as_vec3());
        assert!(nodes >= 3, "{nodes} nodes");
        let (width, height) = picture.dimensions();
        // Below a ray that misses the highest land by far there may be sky, within the disc there may not.
        let half = f64::from(height) / 2.0 / (std::f64::consts::FRAC_PI_8).tan();
        let disc = (RADIUS / (RADIUS + above)).asin() * 0.97;
        let mut ground = 0;
        for (x, y, pixel) in picture.enumerate_pixels() {
            let [x, y] =
                [(x, width), (y, height)].map(|(at, size)| f64::from(at) + 0.5 - f64::from(size) / 2.0);
            if (x.hypot(y) / half).atan() < disc {
                ground += 1;
                assert_ne!(
                    pixel.0, MAGENTA,
                    "a hole at {x}, {y} from the middle, {above} m above {direction}"
                );
            }
        }
        assert!(ground > 1000, "{ground} pixels of ground");
    }
}

#[test]
fn an_edge_of_the_cube_is_no_line_in_the_picture() {
    // The edge runs through the middle of the picture from top to bottom.
    let direction = DVec3::new(1.0, 0.0, 1.0).normalize();
    let from = direction * (RADIUS + 40_000.0);
    let (picture, _) = picture(from, -direction.as_vec3());
    let (width, height) = picture.dimensions();
    // Steps from column to column over the middle of the picture.
    let step = |x: u32| {
        let rows = height / 3..2 * height / 3;
        let by = rows.clone().map(|y| {
            let [a, b] = [x, x + 1].map(|x| brightness(picture.get_pixel(x, y)));
            (a - b).abs()
        });
        by.sum::<f32>() / rows.len() as f32
    };
    let across = step(width / 2 - 1);
    let elsewhere = (width / 3..2 * width / 3).map(step).sum::<f32>() / (width / 3) as f32;
    assert!(across < 1.6 * elsewhere, "a step of {across} at the edge, {elsewhere} elsewhere");
}

/// The errors that were told.
#[derive(Resource, Default)]
struct Told(Vec<String>);

#[test]
fn a_planet_that_cannot_be_is_told_once() {
    let mut headless = Headless::new(16, 16).unwrap();
    headless.app_mut().add_plugins(PlanetPlugin).init_resource::<Told>();
    headless.app_mut().add_observer(|failed: On<PlanetFailed>, mut told: ResMut<Told>| {
        told.0.push(failed.error.clone());
    });
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    let planet = world.spawn(Planet::new(recipe(), f64::NAN)).id();
    world.spawn((PlanetCamera::at(DVec3::new(0.0, 0.0, 1e5)), target));
    headless.capture(TIME_LIMIT).unwrap();
    let world = headless.app().world();
    assert!(matches!(world.get(planet), Some(PlanetStatus::Failed(error)) if error.contains("10000")));
    assert_eq!(world.resource::<Told>().0.len(), 1);
}
