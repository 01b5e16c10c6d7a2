//! What rules scatter is drawn: where it stands, all of it, and nothing of it once it is gone. These tests
//! need a Vulkan device, a software one will do.
use std::sync::{Arc, Mutex};

use crate::scene::{TIME_LIMIT, stage, sun};
use bevy::camera::ScalingMode;
use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use image::RgbaImage;
use upland::plugin::{
    Headless, HeightMapping, ScatterFailed, ScatterLevel, ScatterLooks, ScatterObjects, ScatterPlugin,
    ScatterStatistics, Terrain, TerrainChanged, TerrainQuery, TerrainScatter, TerrainView, Wind,
};
use upland::scatter::{Object, Rectangle, Rule, Scatter};
use upland::{Cache, Recipe, Work};

/// Gentle hills, 256 m wide.
fn land(rules: Vec<Rule>) -> Recipe {
    let text = "(version: 1, name: \"Land\", seed: 5, size: (65, 65), cell: 4, steps: [fbm(height: 12)])";
    let mut land = Recipe::from_ron(text, "land.ron").unwrap();
    land.scatter = rules;
    land
}

/// All objects of a land, by their places from its middle.
fn objects_of(recipe: &Recipe) -> Vec<Object> {
    let scatter = Scatter::new(recipe, 0, &Cache::default(), &Work::new()).unwrap();
    let whole = Rectangle { low: [0.0; 2], high: [256.0; 2] };
    scatter.within(whole, &Work::new()).unwrap()
}

/// A stage with what is scattered on a land, seen by a camera.
fn scene(recipe: &Recipe, scatter: TerrainScatter, view: (Projection, Transform)) -> (Headless, Entity) {
    let mut headless = stage(320, 180);
    headless.app_mut().add_plugins(ScatterPlugin).insert_resource(Wind { speed: 0.0, ..default() });
    sun(&mut headless, Vec3::new(0.3, 1.0, 0.2));
    let target = headless.target();
    let camera = crate::scene::camera(&mut headless, target, TerrainView::LIGHT, view.1);
    let world = headless.app_mut().world_mut();
    world.entity_mut(camera).insert(view.0);
    let terrain = world.spawn((Terrain::from(recipe.clone()), scatter)).id();
    (headless, terrain)
}

/// Straight down on the middle of the land, so many metres of it upwards in the picture.
fn from_above(metres: f32) -> (Projection, Transform) {
    let projection = OrthographicProjection {
        scaling_mode: ScalingMode::FixedVertical { viewport_height: metres },
        far: 2000.0,
        ..OrthographicProjection::default_3d()
    };
    let pose = Transform::from_xyz(0.0, 500.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    (Projection::Orthographic(projection), pose)
}

fn standing_in_it() -> (Projection, Transform) {
    let pose = Transform::from_xyz(0.0, 14.0, 60.0).looking_at(Vec3::new(0.0, 6.0, -60.0), Vec3::Y);
    (Projection::Perspective(PerspectiveProjection { near: 0.2, ..default() }), pose)
}

fn statistics(headless: &Headless) -> ScatterStatistics {
    headless.app().world().resource::<ScatterStatistics>().clone()
}

/// How different two colours are, 0 to 255.
fn difference(one: &RgbaImage, other: &RgbaImage, x: u32, y: u32) -> u8 {
    let (a, b) = (one.get_pixel(x, y).0, other.get_pixel(x, y).0);
    (0..3).map(|channel| a[channel].abs_diff(b[channel])).max().unwrap()
}

#[test]
fn every_object_of_the_rules_is_drawn_where_it_stands_and_nothing_elsewhere() {
    let rule =
        Rule { size: upland::scatter::Sizes { min: 1.0, max: 1.0 }, ..Rule::new("boulder", 14.0, 12.0) };
    let recipe = land(vec![rule]);
    // From so high above, objects count as more than a kilometre away.
    let off = TerrainScatter { shadows: 0.0, distance: 3.0, ..TerrainScatter::OFF };
    let (mut headless, terrain) = scene(&recipe, off, from_above(180.0));
    let bare = headless.capture(TIME_LIMIT).unwrap();
    assert_eq!(statistics(&headless).objects, 0);

    let on = TerrainScatter { on: true, ..off };
    headless.app_mut().world_mut().entity_mut(terrain).insert(on);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let objects = objects_of(&recipe);
    let there = statistics(&headless);
    assert_eq!(there.objects, objects.len());
    assert_eq!((there.drawn, there.missing), (objects.len(), 0));

    // A pixel is a metre, and the middle of the land lies between pixels.
    let pixel =
        |object: &Object| DVec2::new(object.position.x - 128.0 + 160.0, object.position.z - 128.0 + 90.0);
    let (mut seen, mut all) = (0, 0);
    for object in &objects {
        let place = pixel(object);
        let inside = (4.0..316.0).contains(&place.x) && (4.0..176.0).contains(&place.y);
        if inside {
            all += 1;
            seen += usize::from(difference(&bare, &picture, place.x as u32, place.y as u32) > 8);
        }
    }
    assert!(all > 40 && seen * 100 >= all * 95, "{seen} of {all} boulders are seen");
    for y in 0..180 {
        for x in 0..320 {
            let p = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
            if objects.iter().all(|object| pixel(object).distance(p) > 5.0) {
                assert!(difference(&bare, &picture, x, y) < 4, "something stands at {p}");
            }
        }
    }

    // A bare recipe has rules, and follows none.
    let mut none = recipe.clone();
    none.bare = true;
    headless.app_mut().world_mut().entity_mut(terrain).insert(Terrain::from(none));
    assert_eq!(headless.capture(TIME_LIMIT).unwrap(), bare);
}

#[test]
fn trees_near_and_far_stand_on_the_ground_and_the_same_ones_are_seen_from_everywhere() {
    let recipe =
        land(vec![Rule { radius: 1.0, ..Rule::new("spruce", 60.0, 4.0) }, Rule::new("grass", 200.0, 0.8)]);
    let (mut headless, _) = scene(&recipe, TerrainScatter::default(), standing_in_it());
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let greens = picture.pixels().filter(|pixel| pixel.0[1] > pixel.0[0] && pixel.0[1] > pixel.0[2]).count();
    assert!(greens > 5000, "{greens}");
    let near = statistics(&headless);
    let trees = objects_of(&recipe).iter().filter(|object| object.rule < 1).count();
    assert!(near.objects >= trees, "all of the trees and some of the grass: {near:?}");
    assert_eq!(headless.capture(TIME_LIMIT).unwrap(), picture, "one frame is as the next");

    // The same cells, whichever way the camera went.
    let world = headless.app_mut().world_mut();
    let mut cameras = world.query_filtered::<&mut Transform, With<Camera3d>>();
    let pose = *cameras.single(world).unwrap();
    cameras.single_mut(world).unwrap().translation += Vec3::new(-110.0, 3.0, -140.0);
    headless.settle(TIME_LIMIT).unwrap();
    let world = headless.app_mut().world_mut();
    *cameras.single_mut(world).unwrap() = pose;
    assert_eq!(headless.capture(TIME_LIMIT).unwrap(), picture);
}

#[test]
fn a_terrain_that_goes_takes_everything_with_it() {
    let recipe = land(vec![Rule::new("boulder", 100.0, 3.0), Rule::new("stone", 100.0, 3.0)]);
    let (mut headless, first) = scene(&recipe, TerrainScatter::default(), standing_in_it());
    headless.settle(TIME_LIMIT).unwrap();
    let count = |headless: &mut Headless| {
        let world = headless.app_mut().world_mut();
        let meshes = world.resource::<Assets<Mesh>>().len();
        let images = world.resource::<Assets<Image>>().len();
        (world.query::<Entity>().iter(world).count(), meshes, images)
    };
    let there = count(&mut headless);
    assert!(statistics(&headless).batches > 0);
    headless.app_mut().world_mut().despawn(first);
    headless.settle(TIME_LIMIT).unwrap();
    let gone = count(&mut headless);
    assert!(gone.0 < there.0 && gone.2 < there.2);
    assert_eq!(statistics(&headless).batches, 0);
    for cycle in 0..6 {
        let terrain = headless.app_mut().world_mut().spawn(Terrain::from(recipe.clone())).id();
        if cycle % 2 == 0 {
            headless.settle(TIME_LIMIT).unwrap();
        } else {
            (0..3).for_each(|_| headless.update());
        }
        headless.app_mut().world_mut().despawn(terrain);
        headless.settle(TIME_LIMIT).unwrap();
        assert_eq!(count(&mut headless), gone, "cycle {cycle}");
    }
}

#[test]
fn what_cannot_be_drawn_is_told_once_and_costs_nothing_else() {
    let rules = vec![
        Rule::new("menhir", 20.0, 5.0),
        Rule::new("cursed", 20.0, 5.0),
        Rule::new("cube", 50.0, 5.0),
        Rule::new("cube", 20.0, 6.0),
    ];
    let recipe = land(rules);
    let (mut headless, _) = scene(&recipe, TerrainScatter::default(), standing_in_it());
    let told = Arc::new(Mutex::new(Vec::new()));
    let of_observer = told.clone();
    let world = headless.app_mut().world_mut();
    world.add_observer(move |failed: On<ScatterFailed>| {
        of_observer.lock().unwrap().push((failed.object.clone(), failed.error.clone()));
    });
    let mut objects = world.resource_mut::<ScatterObjects>();
    objects.insert("cursed", ScatterLooks::meshes(|_| panic!("no mesh today")));
    let cube = |_| Ok(vec![ScatterLevel::new(Cuboid::from_length(3.0).into(), 2000.0)]);
    objects.insert("cube", ScatterLooks::meshes(cube).with_variants(2));
    headless.settle(TIME_LIMIT).unwrap();
    for _ in 0..5 {
        headless.update();
    }
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told.iter().any(|(object, error)| object == "menhir" && error.contains("ScatterObjects")));
    assert!(told.iter().any(|(object, error)| object == "cursed" && error.contains("no mesh today")));
    let cubes = objects_of(&recipe).iter().filter(|object| object.rule >= 2).count();
    assert_eq!(statistics(&headless).objects, cubes);
}

#[test]
fn near_objects_of_a_game_are_entities_on_the_ground_and_leave_with_the_camera() {
    // Land is drawn where its recipe has it, or far above.
    for bias in [0.0, 100.0] {
        near_objects_are_entities(bias);
    }
}

#[derive(Component)]
struct Chest(Object);

/// On land that is drawn so many metres higher than its recipe has it.
fn near_objects_are_entities(bias: f32) {
    let recipe = land(vec![Rule { turn: 90.0, ..Rule::new("chest", 60.0, 6.0) }]);
    let pose = Transform::from_xyz(0.0, 5.0 + bias, 0.0).looking_to(Vec3::NEG_Z, Vec3::Y);
    let view = (Projection::default(), pose);
    let (mut headless, terrain) = scene(&recipe, TerrainScatter::default(), view);
    headless.app_mut().world_mut().entity_mut(terrain).insert(HeightMapping { bias, ..default() });
    let mut objects = headless.app_mut().world_mut().resource_mut::<ScatterObjects>();
    let looks = ScatterLooks::spawned(40.0, |entity, scattered| {
        entity.insert(Chest(scattered.object));
    });
    objects.insert("chest", looks);
    headless.settle(TIME_LIMIT).unwrap();
    let eye = DVec3::new(128.0, 5.0, 128.0);
    let near = objects_of(&recipe).into_iter().filter(|object| object.position.distance(eye) < 40.0).count();
    let world = headless.app_mut().world_mut();
    let mut chests = world.query::<(&Chest, &Transform, &ChildOf)>();
    assert!(near > 10);
    assert_eq!(chests.iter(world).count(), near);
    for (Chest(object), transform, parent) in chests.iter(world) {
        assert_eq!(parent.parent(), terrain);
        let place = object.position - DVec3::new(128.0, 0.0, 128.0);
        assert!(
            (transform.translation.as_dvec3() - place).with_y(0.0).length() < 1e-3,
            "{place} {transform:?}"
        );
        assert_eq!(transform.scale, Vec3::splat(object.size));
    }
    let on_ground = |chests: Query<&Transform, With<Chest>>, terrains: TerrainQuery| {
        chests.iter().all(|chest| {
            let ground = terrains.ground(chest.translation).map(|ground| ground.position.y);
            ground.is_some_and(|ground| (ground - chest.translation.y).abs() < 0.01)
        })
    };
    assert!(world.run_system_cached(on_ground).unwrap(), "as far as it is known");
    let mut cameras = world.query_filtered::<&mut Transform, With<Camera3d>>();
    cameras.single_mut(world).unwrap().translation.x = 5000.0;
    headless.settle(TIME_LIMIT).unwrap();
    let world = headless.app_mut().world_mut();
    assert_eq!(world.query::<&Chest>().iter(world).count(), 0);
}

#[test]
fn changed_ground_has_its_objects_placed_anew_and_no_other() {
    let recipe = land(vec![Rule::new("stone", 200.0, 3.0)]);
    let far = TerrainScatter { distance: 20.0, ..default() };
    let (mut headless, terrain) = scene(&recipe, far, from_above(180.0));
    headless.settle(TIME_LIMIT).unwrap();
    let before = statistics(&headless);
    assert!(before.cells > 20, "{before:?}");
    let corner = DVec2::new(120.0, 120.0);
    let area = Some([corner, corner + 10.0]);
    headless.app_mut().world_mut().write_message(TerrainChanged { terrain, area });
    headless.settle(TIME_LIMIT).unwrap();
    let after = statistics(&headless);
    let anew = (after.placed - before.placed) as usize;
    assert!((1..=4).contains(&anew), "{anew} of {} cells", before.cells);
    assert_eq!((after.objects, after.cells), (before.objects, before.cells));
    headless.app_mut().world_mut().write_message(TerrainChanged::everywhere(terrain));
    headless.settle(TIME_LIMIT).unwrap();
    let all = (statistics(&headless).placed - after.placed) as usize;
    assert_eq!(all, before.cells);
}
