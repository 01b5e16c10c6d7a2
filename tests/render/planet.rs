//! Planets as they are drawn. These tests need a Vulkan device, a software one will do.
use std::collections::HashMap;
use std::time::{Duration, Instant};

use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::math::DVec3;
use bevy::prelude::*;
use image::RgbaImage;
use upland::planet::{Node, PlanetEye, PlanetLand, select};
use upland::plugin::{
    Headless, Planet, PlanetBudget, PlanetCamera, PlanetFailed, PlanetPlugin, PlanetStatus,
};
use upland::{Recipe, Work};

use crate::scene::{MAGENTA, TIME_LIMIT, brightness};

const RADIUS: f64 = 50_000.0;

fn recipe() -> Recipe {
    let text = "(version: 1, name: \"p\", seed: 5, size: endless, cell: 60, unit: 20000, steps: [
        ridged(height: 2500, octaves: 7), fbm(height: 300, frequency: 8, octaves: 6, blend: add)])";
    Recipe::from_ron(text, "p.ron").unwrap()
}

const SIZE: (u32, u32) = (240, 160);

/// The largest apparent size of quads in most pictures, pixels.
const QUAD_PIXELS: f64 = 5.0;

/// A planet without air before a background of magenta, as seen from a place.
fn picture(from: DVec3, look: Vec3) -> (RgbaImage, usize) {
    picture_with(from, look, QUAD_PIXELS)
}

/// The same with quads of so many pixels, and how many nodes are drawn.
fn picture_with(from: DVec3, look: Vec3, quad_pixels: f64) -> (RgbaImage, usize) {
    let (mut headless, planet) = scene(from, look, quad_pixels);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let Some(PlanetStatus::Drawn { nodes, .. }) = headless.app().world().get(planet) else {
        panic!("the planet is drawn")
    };
    (picture, nodes.0)
}

/// A planet that nothing has been drawn of.
fn scene(from: DVec3, look: Vec3, quad_pixels: f64) -> (Headless, Entity) {
    let mut headless = Headless::new(SIZE.0, SIZE.1).unwrap();
    headless.app_mut().add_plugins(PlanetPlugin).insert_resource(ClearColor(Color::srgb_u8(255, 0, 255)));
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    world.insert_resource(PlanetBudget { fade: Duration::ZERO, ..default() });
    let planet = world.spawn(Planet { air: 0.0, ..Planet::new(recipe(), RADIUS) }).id();
    world.spawn((
        DirectionalLight { illuminance: 10_000.0, ..default() },
        Transform::default().looking_to(look, Vec3::X),
    ));
    world.spawn((
        PlanetCamera { quad_pixels, ..PlanetCamera::at(from) },
        Transform::default().looking_to(look, from.as_vec3().normalize().any_orthonormal_vector()),
        (Tonemapping::None, DebandDither::Disabled, Msaa::Off),
        target,
    ));
    (headless, planet)
}

#[test]
fn no_frame_has_a_hole_while_finer_nodes_take_the_place_of_coarser_ones() {
    // Nothing but ground is in view.
    let from = DVec3::Y * (RADIUS + 9_000.0);
    let (mut headless, planet) = scene(from, Vec3::NEG_Y, QUAD_PIXELS);
    let background = |headless: &Headless| {
        let picture = headless.last_frame().unwrap();
        picture.pixels().filter(|pixel| pixel.0 == MAGENTA).count()
    };
    let (begun, mut has_background, mut has_ground, mut drawn) = (Instant::now(), false, false, Vec::new());
    loop {
        assert!(begun.elapsed() < TIME_LIMIT, "{drawn:?}");
        headless.update();
        let holes = background(&headless);
        // At first nothing has been drawn, then the background alone.
        has_background |= holes > 0;
        has_ground |= has_background && holes == 0;
        let Some(PlanetStatus::Drawn { nodes, .. }) = headless.app().world().get(planet) else { continue };
        if has_ground {
            assert_eq!(holes, 0, "after {drawn:?} nodes");
        }
        if drawn.last() != Some(&nodes.0) {
            drawn.push(nodes.0);
        }
        if nodes.1 == 0 && has_ground {
            break;
        }
    }
    assert!(drawn.len() > 3, "finer nodes have come: {drawn:?}");
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

#[test]
fn nothing_pops_where_a_nodes_quarters_take_its_place() {
    let land = PlanetLand::new(&recipe(), RADIUS, &Work::new()).unwrap();
    let mut heights = HashMap::new();
    let mut finest_from = |position: DVec3| {
        let pixels = f64::from(SIZE.1) / 2.0 / (std::f64::consts::FRAC_PI_8).tan();
        let known = std::cell::RefCell::new(&mut heights);
        let made = |node: Node| {
            Some(*known.borrow_mut().entry(node).or_insert_with(|| {
                let heights = land.heights(node, 0, &Work::new()).unwrap();
                heights.iter().fold((f32::MAX, f32::MIN), |(low, high), h| (low.min(*h), high.max(*h)))
            }))
        };
        select(&land, &PlanetEye { position, pixels, quad_pixels: QUAD_PIXELS }, &made)
            .drawn
            .iter()
            .map(|node| node.depth)
            .max()
    };
    // The height at which the camera, on its way down, has finer ground under it: in the middle of the
    // picture.
    let direction = DVec3::new(0.3, 1.0, 0.2).normalize();
    let at = |above: f64| direction * (RADIUS + above);
    let (mut high, mut low) = (20_000.0, 10_000.0);
    let before = finest_from(at(high));
    assert!(finest_from(at(low)) > before);
    while high - low > 0.5 {
        let middle = (high + low) / 2.0;
        if finest_from(at(middle)) == before { high = middle } else { low = middle }
    }
    let look = -direction.as_vec3();
    let ((coarse, of_coarse), (fine, of_fine)) = (picture(at(high), look), picture(at(low), look));
    assert!(of_fine > of_coarse, "{of_coarse} nodes, then {of_fine}");
    // In the 200 pixels that change most.
    let changed = |a: &RgbaImage, b: &RgbaImage| {
        let pairs = a.pixels().zip(b.pixels());
        let mut by: Vec<f32> = pairs.map(|(a, b)| (brightness(a) - brightness(b)).abs()).collect();
        by.sort_by(f32::total_cmp);
        by[by.len() - 200..].iter().sum::<f32>() / 200.0
    };
    // So much the picture changes where all of it goes over to the next level.
    let (finer, _) = picture_with(at(high), look, QUAD_PIXELS / 2.0);
    let (popped, level) = (changed(&coarse, &fine), changed(&coarse, &finer));
    assert!(popped < 0.2 * level, "changed by {popped}; by {level} from level to level");
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
