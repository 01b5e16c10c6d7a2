//! Where land has a hole, nothing of its ground is drawn: no colour, no depth, no shadow, no wall. These
//! tests need a Vulkan device, a software one will do.
use std::sync::Arc;

use crate::scene::*;
use bevy::core_pipeline::prepass::{DepthPrepass, NormalPrepass};
use bevy::prelude::*;
use upland::filter::{Hole, HoleShape};
use upland::plugin::{Headless, Shading, Terrain, TerrainQuery, TerrainSides, TerrainView};
use upland::texture::ColourMap;
use upland::{Landscape, Recipe, Step, Work};

const GREY: [u8; 4] = [128, 128, 128, 255];

/// Level land of 1280 m with a shaft in the middle, a trench that is turned, and a bay in its southern
/// border.
fn holed() -> Arc<Landscape> {
    let mut recipe = Recipe::new("Holes", (129, 129), 10.0);
    let shaft = Hole { radius: 150.0, ..Hole::default() };
    let trench = Hole {
        shape: HoleShape::Rectangle,
        points: vec![Vec2::new(0.75, 0.25)],
        length: 300.0,
        width: 80.0,
        turn: 40.0,
        ..Hole::default()
    };
    let bay = Hole { points: vec![Vec2::new(0.5, 1.0)], radius: 90.0, ..Hole::default() };
    recipe.steps =
        vec![Step::from_name("flat").unwrap(), Step::new(shaft), Step::new(trench), Step::new(bay)];
    let land = recipe.build(&Work::new()).unwrap();
    // All in one colour.
    Arc::new(Landscape { colour: ColourMap { width: 1, depth: 1, texels: vec![GREY] }, cover: None, ..land })
}

/// How far a place of the world lies inside a hole, metres.
fn inside(place: Vec2) -> f32 {
    let shaft = 150.0 - place.length();
    let bay = 90.0 - place.distance(Vec2::new(0.0, 640.0));
    let (sine, cosine) = 40f32.to_radians().sin_cos();
    let away = place - Vec2::new(320.0, -320.0);
    let turned = Vec2::new(cosine * away.x + sine * away.y, cosine * away.y - sine * away.x);
    let out = turned.abs() - Vec2::new(40.0, 150.0);
    shaft.max(bay).max(-out.max_element())
}

/// High above the field's centre, north up, east right.
fn looking_down(height: f32) -> Transform {
    Transform::from_xyz(0.0, height, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z)
}

const SIDE: u32 = 160;
const HEIGHT: f32 = 1400.0;

/// The place of level ground that a pixel of that picture shows.
fn place_of(x: u32, y: u32) -> Vec2 {
    let half = (std::f32::consts::FRAC_PI_4 / 2.0).tan() * HEIGHT;
    let share = |pixel: u32| (pixel as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0;
    Vec2::new(share(x), share(y)) * half
}

fn headless(landscape: &Arc<Landscape>) -> (Headless, Entity) {
    let mut headless = stage(SIDE, SIDE);
    let terrain = spawn(&mut headless, landscape);
    (headless, terrain)
}

#[test]
fn the_picture_has_the_hole_where_queries_have_it() {
    let landscape = holed();
    for (shading, has_prepass) in [(Shading::Full, false), (Shading::Full, true), (Shading::Simple, false)] {
        let (mut headless, terrain) = headless(&landscape);
        let target = headless.target();
        let view = TerrainView { shading, far_shadows: 0, ..default() };
        let camera = camera(&mut headless, target, view, looking_down(HEIGHT));
        if has_prepass {
            headless.app_mut().world_mut().entity_mut(camera).insert((DepthPrepass, NormalPrepass));
        }
        sun(&mut headless, Vec3::new(-0.3, 1.0, 0.2));
        let picture = headless.capture(TIME_LIMIT).unwrap();
        let pixel = place_of(1, 0).x - place_of(0, 0).x;
        let mut holes = 0;
        for (x, y, colour) in picture.enumerate_pixels() {
            let place = place_of(x, y);
            let is_hole = colour.0 == MAGENTA;
            holes += usize::from(is_hole);
            if place.abs().max_element() < 640.0 - pixel && inside(place).abs() > pixel {
                assert_eq!(is_hole, inside(place) > 0.0, "{shading:?}, {has_prepass}: {place}");
            }
        }
        // The picture shows the part of the bay north of its own border: a segment of a circle.
        let to_border = 640.0 - 0.5 * SIDE as f32 * pixel;
        let bay = 90.0 * 90.0 * (to_border / 90.0).acos()
            - to_border * (90.0f32 * 90.0 - to_border * to_border).sqrt();
        let area = std::f32::consts::PI * 150.0 * 150.0 + 300.0 * 80.0 + bay;
        let drawn = holes as f32 * pixel * pixel;
        assert!((drawn - area).abs() < 0.01 * area, "{drawn} m² of {area}");

        // What can be asked for agrees.
        let ask = move |terrains: TerrainQuery| {
            for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
                let at = place_of(x, y).extend(0.0).xzy();
                if at.abs().max_element() > 635.0 || inside(at.xz()).abs() < 1.5 {
                    continue;
                }
                let is_hole = inside(at.xz()) > 0.0;
                assert_eq!(terrains.is_hole(terrain, at), is_hole, "{at}");
                assert_eq!(terrains.ground_of(terrain, at).is_none(), is_hole, "{at}");
                let ray = Ray3d::new(at + Vec3::Y * 100.0, Dir3::NEG_Y);
                assert_eq!(terrains.cast_ray_on(terrain, ray, 500.0).is_none(), is_hole, "{at}");
            }
        };
        bevy::ecs::system::RunSystemOnce::run_system_once(headless.app_mut().world_mut(), ask).unwrap();
    }
}

#[test]
fn the_sun_shines_through_a_hole() {
    let (mut headless, _) = headless(&holed());
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    let mesh = world.resource_mut::<Assets<Mesh>>().add(Cuboid::new(1200.0, 10.0, 1200.0));
    let white = world.resource_mut::<Assets<StandardMaterial>>().add(Color::WHITE);
    // A floor under the land.
    world.spawn((Mesh3d(mesh), MeshMaterial3d(white), Transform::from_xyz(0.0, -80.0, 0.0)));
    sun(&mut headless, Vec3::new(0.4, 1.0, 0.0));
    camera(&mut headless, target, TerrainView::default(), looking_down(HEIGHT));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let at = |x: f32| {
        let half = (std::f32::consts::FRAC_PI_4 / 2.0).tan() * (HEIGHT + 75.0);
        let column = ((x / half + 1.0) / 2.0 * SIDE as f32) as u32;
        brightness(picture.get_pixel(column, SIDE / 2))
    };
    // The edge of the light lies 30 m to the west of the hole's: 75 m below, from the east.
    let (lit, dark) = (at(0.0), at(140.0));
    assert!(lit > 2.0 * dark + 5.0, "lit {lit}, dark {dark}");
    assert!(at(-130.0) > 0.8 * lit, "the light reaches the western edge");
}

#[test]
fn a_hole_in_the_border_has_no_wall() {
    let (mut headless, terrain) = headless(&holed());
    let target = headless.target();
    let red = TerrainSides { colour: Color::srgb(1.0, 0.0, 0.0), ..default() };
    headless.app_mut().world_mut().entity_mut(terrain).insert(red);
    // Through the hole one would see the wall at the other end of the land from inside.
    let world = headless.app_mut().world_mut();
    let mesh = world.resource_mut::<Assets<Mesh>>().add(Cuboid::new(1200.0, 60.0, 1.0));
    let blue = StandardMaterial { base_color: Color::srgb(0.0, 0.0, 1.0), unlit: true, ..default() };
    let blue = world.resource_mut::<Assets<StandardMaterial>>().add(blue);
    world.spawn((Mesh3d(mesh), MeshMaterial3d(blue), Transform::from_xyz(0.0, -32.0, 450.0)));
    let view = TerrainView { shading: Shading::Simple, ..default() };
    let pose = Transform::from_xyz(0.0, -12.0, 1000.0).looking_at(Vec3::new(0.0, -12.0, 0.0), Vec3::Y);
    camera(&mut headless, target, view, pose);
    sun(&mut headless, Vec3::new(0.0, 0.5, 1.0));
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let half = (std::f32::consts::FRAC_PI_4 / 2.0).tan() * 360.0;
    let mut seen = [0; 2];
    for column in 0..SIDE {
        let x = ((column as f32 + 0.5) / SIDE as f32 * 2.0 - 1.0) * half;
        if (x.abs() - 90.0).abs() < 5.0 {
            continue;
        }
        let [red, green, blue, _] = picture.get_pixel(column, SIDE / 2).0;
        let is_wall = red > green && blue < red / 2;
        assert_eq!(is_wall, x.abs() > 90.0, "{x}: {red} {green} {blue}");
        seen[usize::from(is_wall)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn a_terrain_whose_holes_are_filled_is_drawn_whole() {
    let landscape = holed();
    let (mut headless, terrain) = headless(&landscape);
    let target = headless.target();
    camera(&mut headless, target, TerrainView::LIGHT, looking_down(HEIGHT));
    let holes = |headless: &mut Headless| {
        let picture = headless.capture(TIME_LIMIT).unwrap();
        let inner =
            picture.enumerate_pixels().filter(|(x, y, _)| place_of(*x, *y).abs().max_element() < 630.0);
        inner.filter(|(.., colour)| colour.0 == MAGENTA).count()
    };
    assert!(holes(&mut headless) > 500);
    let whole = plain(landscape.heightfield.clone(), GREY);
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::ready(whole));
    assert_eq!(holes(&mut headless), 0);
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::ready(landscape));
    assert!(holes(&mut headless) > 500);
}
