//! Laws that hold with every physics engine.

use bevy::ecs::system::RunSystemOnce;

use super::*;
use crate::Landscape;
use crate::colliders::{ColliderPlace, ColliderTile};
use crate::plugin::TerrainQuery;
use crate::plugin::floating_origin::{FloatingOrigin, FloatingOriginPlugin, WorldOrigin};
use crate::plugin::terrain::{HeadlessTerrainPlugin, TerrainAnchor, TerrainChanged};

/// A physics engine, as the laws use it.
pub(super) trait Engine {
    fn add(app: &mut App);
    /// Makes an entity a ball with this radius, with continuous collision detection.
    fn ball(body: &mut EntityWorldMut, radius: f32);
    fn velocity(app: &App, body: Entity) -> Vec3;
    fn set_velocity(app: &mut App, body: Entity, velocity: Vec3);
    fn is_asleep(app: &App, body: Entity) -> bool;
    fn is_disabled(app: &App, body: Entity) -> bool;
    /// Disables a body, as a game does.
    fn disable(app: &mut App, body: Entity);
    /// How far a ray leads before it meets anything.
    fn cast(app: &mut App, from: Vec3, along: Dir3, far: f32) -> Option<f32>;
}

/// A game with a physics engine, whose bodies may be anchors.
pub(super) fn physics<E: Engine>() -> App {
    let mut app = game();
    app.add_plugins((FloatingOriginPlugin, HeadlessTerrainPlugin));
    E::add(&mut app);
    app.finish();
    app.cleanup();
    app
}

pub(super) fn place(app: &App, body: Entity) -> Vec3 {
    app.world().get::<Transform>(body).unwrap().translation
}

/// The answer of a query.
pub(super) fn ask<T: 'static>(app: &mut App, ask: impl Fn(&TerrainQuery) -> T + Send + Sync + 'static) -> T {
    app.world_mut().run_system_once(move |terrains: TerrainQuery| ask(&terrains)).unwrap()
}

/// An anchor with which queries are as fine as colliders within `reach` metres.
pub(super) fn fine(reach: f32) -> TerrainAnchor {
    TerrainAnchor { reach, spacing: 0.01 }
}

/// Updates until queries know the ground at some places as finely as colliders have it.
pub(super) fn until_fine(app: &mut App, terrain: Entity, places: &[Vec3]) {
    let entity = app.world().entity(terrain);
    let (stream, pose) = entity.components::<(&Stream, &GlobalTransform)>();
    let shape = stream.source().shape();
    let finest = 1.01 * shape.cell_at(shape.finest) * pose.scale().x;
    let start = Instant::now();
    loop {
        let places = places.to_vec();
        let known = ask(app, move |terrains| {
            let spacings = places.iter().map(|p| terrains.ground(*p).map_or(f32::MAX, |point| point.spacing));
            spacings.fold(0.0, f32::max)
        });
        if known <= finest {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the ground is known to {known} m only");
        app.update();
    }
}

fn ball<E: Engine>(app: &mut App, place: Vec3, radius: f32) -> Entity {
    let need = ColliderNeed { radius: 8.0, ..default() };
    let mut body = app.world_mut().spawn((Transform::from_translation(place), need));
    E::ball(&mut body, radius);
    body.id()
}

/// Rays down and aslant hit ground where it is exactly, where queries say, and where their rays meet it, to a
/// centimetre; on slopes, on land that is turned and scaled, and far away.
pub(super) fn rays_hit_the_ground_where_queries_say<E: Engine>() {
    let mut app = physics::<E>();
    let turned = Transform::from_xyz(300.0, 20.0, -100.0).with_rotation(Quat::from_rotation_y(0.7));
    let terrain = settle(&mut app, preset("endless-highlands"), turned.with_scale(Vec3::splat(1.5)));
    let need = ColliderNeed { radius: 40.0, ..default() };
    let eye = app.world_mut().spawn((Transform::default(), need, FloatingOrigin, fine(45.0))).id();
    let mut steepest = 0.0f32;
    for away in [Vec3::new(200.0, 0.0, -900.0), Vec3::new(-5300.0, 0.0, 7400.0), Vec3::new(6e5, 0.0, 2e5)] {
        app.world_mut().get_mut::<Transform>(eye).unwrap().translation += away;
        finish(&mut app);
        // Engines take them in with their next step.
        (0..3).for_each(|_| app.update());
        let middle = place(&app, eye);
        let all: Vec<Vec3> = around(middle, 20.0, 60).collect();
        // Where rays aslant may hit.
        let corners = [Vec2::ONE, Vec2::NEG_ONE, Vec2::new(1.0, -1.0), Vec2::new(-1.0, 1.0)];
        let reach = corners.map(|corner| middle + Vec3::new(corner.x, 0.0, corner.y) * 30.0);
        until_fine(&mut app, terrain, &[&all[..], &reach].concat());
        let mut hits = 0;
        for (number, p) in all.into_iter().enumerate() {
            let height = exact(&app, terrain, p).unwrap();
            let aslant = Quat::from_rotation_y(number as f32) * Vec3::new(0.6, 0.0, 0.0);
            let along = Dir3::new(Vec3::NEG_Y + if number % 2 == 0 { Vec3::ZERO } else { aslant }).unwrap();
            let from = Vec3::new(p.x, height, p.z) - along * 12.0;
            let Some(far) = E::cast(&mut app, from, along, 30.0) else { continue };
            let hit = from + along * far;
            let ground = exact(&app, terrain, hit).unwrap();
            assert!((hit.y - ground).abs() < 0.01, "at {hit}, where the ground is at {ground}");
            let (known, met) = ask(&mut app, move |terrains| {
                (terrains.ground(hit).unwrap(), terrains.cast_ray(Ray3d::new(from, along), 30.0).unwrap())
            });
            let queried = known.position.y;
            assert!((hit.y - queried).abs() < 0.01, "at {hit}, where a query finds the ground at {queried}");
            let away = met.position.distance(hit);
            assert!(away < 0.01, "at {hit}, and a query's ray at {}, {away} m away", met.position);
            let east = exact(&app, terrain, hit + Vec3::X).unwrap();
            steepest = steepest.max((east - ground).abs());
            hits += 1;
        }
        assert!(hits >= 58, "{hits} of 60 rays hit something within reach of colliders");
    }
    assert!(steepest > 0.5, "{steepest}");
}

/// Balls, at most, that are looked at after a step: all of them in turn.
const LOOKED_AT: usize = 125;

/// 500 balls fall onto an alpine mountainside, roll downhill, and none is ever in the ground.
pub(super) fn balls_roll_downhill_and_never_into_it<E: Engine>() {
    let mut app = physics::<E>();
    let terrain = settle(&mut app, preset("high-range").with_longer_side(513), Transform::default());
    // A place that is steep.
    let slope = |app: &App, p: Vec3| {
        let at = |offset: Vec3| exact(app, terrain, p + offset).unwrap();
        Vec2::new(at(Vec3::X * 8.0) - at(Vec3::X * -8.0), at(Vec3::Z * 8.0) - at(Vec3::Z * -8.0)) / 16.0
    };
    let steep =
        around(Vec3::ZERO, 4000.0, 400).find(|p| (0.45..0.8).contains(&slope(&app, *p).length())).unwrap();
    // Side by side: balls that lie in each other are thrown out.
    let balls: Vec<Entity> = (0..500)
        .map(|number| {
            let (column, row) = ((number % 25) as f32 - 12.0, (number / 25) as f32 - 9.5);
            let p = steep + 2.4 * Vec3::new(column, 0.0, row);
            let radius = 0.3 + 0.02 * (number % 10) as f32;
            let height = exact(&app, terrain, p).unwrap() + 2.0 + radius;
            ball::<E>(&mut app, p.with_y(height), radius)
        })
        .collect();
    app.update();
    let before: Vec<Vec3> = balls.iter().map(|ball| place(&app, *ball)).collect();
    for step in 0..5 * FRAMES as usize {
        app.update();
        // A ball that is in the ground stays there, or falls: it is looked at within four steps.
        let parts = balls.len().div_ceil(LOOKED_AT);
        for ball in balls.iter().skip(step % parts).step_by(parts) {
            let p = place(&app, *ball);
            let ground = exact(&app, terrain, p).unwrap();
            assert!(p.y > ground, "after {step} steps a ball at {p} is under the ground at {ground}");
        }
    }
    let fallen = |(ball, before): (&Entity, &Vec3)| before.y - place(&app, *ball).y;
    let mean = balls.iter().zip(&before).map(fallen).sum::<f32>() / balls.len() as f32;
    assert!(mean > 4.0, "they are {mean} m lower");
    assert!(balls.iter().all(|ball| place(&app, *ball).distance(steep) < 400.0));
}

/// A car that drives at 200 km/h for a minute over endless land, uphill and downhill, is never below it.
pub(super) fn a_car_at_200_km_an_hour_never_falls_through<E: Engine>() {
    const SPEED: f32 = 200.0 / 3.6;
    let mut app = physics::<E>();
    let terrain = settle(&mut app, preset("endless-highlands"), Transform::default());
    let start = Vec3::new(1800.0, 0.0, -300.0);
    let start = start.with_y(exact(&app, terrain, start).unwrap() + 1.0);
    let car = ball::<E>(&mut app, start, 0.5);
    app.world_mut().entity_mut(car).insert((ColliderNeed::default(), FloatingOrigin));
    let (mut most, mut touched, mut way) = (0, 0, 0.0);
    for frame in 0..60 * FRAMES {
        let before = place(&app, car);
        app.update();
        let p = place(&app, car);
        let ground = exact(&app, terrain, p).unwrap();
        assert!(p.y > ground, "after {frame} frames it is at {p}, the ground at {ground}");
        touched += u32::from(p.y < ground + 1.5);
        // The world may have been moved.
        way += (p - before).xz().length().min(2.0);
        most = most.max(app.world().resource::<ColliderStatistics>().tiles);
        // The engine is strong, and steers a little.
        let heading = Quat::from_rotation_y(0.3 * (frame as f32 / 400.0).sin()) * Vec3::X * SPEED;
        let fall = E::velocity(&app, car).y.clamp(-60.0, 25.0);
        E::set_velocity(&mut app, car, heading.with_y(fall));
    }
    // Steep slopes take their share.
    assert!(way > 0.5 * 60.0 * SPEED, "{way} m");
    assert!(app.world().resource::<WorldOrigin>().0.x > 2000.0);
    assert!(touched > 100, "it has been on the ground in {touched} frames");
    assert!(most < 160, "{most} tiles");
}

/// Bodies that are put down in many places at once wait for their ground, with the velocity that they have.
pub(super) fn bodies_wait_for_their_ground<E: Engine>() {
    let mut app = physics::<E>();
    let terrain = app.world_mut().spawn(Terrain::from(preset("endless-highlands"))).id();
    let body = ball::<E>(&mut app, Vec3::new(3.0, 5000.0, 4.0), 0.5);
    app.update();
    assert!(E::is_disabled(&app, body), "the land is still being built");
    let wait = Instant::now();
    while app.world().get(terrain) != Some(&TerrainStatus::Ready) {
        // An engine that steps before the first look at the body moves it by less than a centimetre.
        assert!((place(&app, body).y - 5000.0).abs() < 0.01);
        app.update();
        assert!(wait.elapsed() < PATIENCE);
        if !E::is_disabled(&app, body) {
            break;
        }
    }
    finish(&mut app);
    assert!(!E::is_disabled(&app, body));
    // Many, far from each other: the game does not stand still until all have ground.
    let bodies: Vec<Entity> =
        around(Vec3::ZERO, 900.0, 30).map(|p| ball::<E>(&mut app, p.with_y(4000.0), 0.5)).collect();
    let velocity = Vec3::new(1.0, -2.0, 3.0);
    bodies.iter().for_each(|body| E::set_velocity(&mut app, *body, velocity));
    let parked = ball::<E>(&mut app, Vec3::new(20.0, 4000.0, 20.0), 0.5);
    E::disable(&mut app, parked);
    app.update();
    app.update();
    assert!(bodies.iter().any(|body| E::is_disabled(&app, *body)), "more than a frame can wait for");
    // Each falls on from when its ground is there: the first may lie on it before the last has any.
    let mut fallen = vec![0; bodies.len()];
    let wait = Instant::now();
    let waits = |app: &App, body: Entity| app.world().get::<AwaitsGround>(body).is_some();
    while fallen.iter().any(|frames| *frames < FRAMES / 2) || waits(&app, parked) {
        app.update();
        assert!(wait.elapsed() < PATIENCE, "{fallen:?}");
        for (body, frames) in bodies.iter().zip(&mut fallen) {
            *frames += u32::from(!E::is_disabled(&app, *body));
            if *frames == FRAMES / 2 {
                let now = E::velocity(&app, *body);
                assert!((now - velocity).xz().length() < 0.1 && (-9.0..-5.0).contains(&now.y), "{now}");
            }
        }
    }
    assert!(E::is_disabled(&app, parked), "what the game has disabled stays so once its ground is there");
    assert!((place(&app, parked).y - 4000.0).abs() < 0.01);
    // The land may go while bodies fall towards it.
    app.world_mut().despawn(terrain);
    app.update();
}

/// A body that was saved in a scene while it waited for its ground is let go like any other.
pub(super) fn bodies_out_of_a_scene_are_let_go<E: Engine>() {
    let mut app = physics::<E>();
    app.world_mut().spawn(Terrain::heightfield(ramp()));
    let saved = ball::<E>(&mut app, Vec3::new(3.0, 600.0, 4.0), 0.5);
    app.update();
    assert!(E::is_disabled(&app, saved), "the land is still being built");
    let loaded = ball::<E>(&mut app, Vec3::new(9.0, 600.0, 4.0), 0.5);
    // Disabled before it waits: in whichever order a scene has its components.
    E::disable(&mut app, loaded);
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let of_plugin = |path: &str| path.starts_with("upland::plugin");
    for registration in registry.iter().filter(|known| of_plugin(known.type_info().type_path())) {
        let Some(reflected) = registration.data::<ReflectComponent>() else { continue };
        let value = reflected.reflect(app.world().entity(saved)).map(|value| value.to_dynamic());
        if let Some(value) = value {
            reflected.insert(&mut app.world_mut().entity_mut(loaded), &*value, &registry);
        }
    }
    assert!(app.world().get::<AwaitsGround>(loaded).is_some());
    let wait = Instant::now();
    while [saved, loaded].into_iter().any(|body| E::is_disabled(&app, body)) {
        assert!(wait.elapsed() < PATIENCE, "bodies are held for ever");
        app.update();
    }
}

/// Bodies that sleep on ground that sinks wake up and fall.
pub(super) fn sleepers_notice_that_the_ground_sinks<E: Engine>() {
    let flat = |height: f32| {
        let field = Heightfield::flat(Grid::new(101, 101, 2.0).unwrap(), height);
        Terrain::ready(Arc::new(Landscape::clone(&TerrainGround::bare(field).landscape)))
    };
    let mut app = physics::<E>();
    let terrain = settle(&mut app, flat(10.0), Transform::default());
    let body = ball::<E>(&mut app, Vec3::new(0.5, 10.6, 0.5), 0.5);
    let wait = Instant::now();
    while !E::is_asleep(&app, body) {
        app.update();
        assert!((place(&app, body).y - 10.5).abs() < 0.2);
        assert!(wait.elapsed() < PATIENCE);
    }
    app.world_mut().entity_mut(terrain).insert(flat(7.0));
    while place(&app, body).y > 8.0 {
        app.update();
        assert!(wait.elapsed() < PATIENCE);
    }
    (0..FRAMES).for_each(|_| app.update());
    assert!((place(&app, body).y - 7.5).abs() < 0.1, "{}", place(&app, body));
    // And it is lifted by ground that rises by less than it is high.
    app.world_mut().entity_mut(terrain).insert(flat(7.3));
    while place(&app, body).y < 7.7 {
        app.update();
        assert!(wait.elapsed() < PATIENCE);
    }
}

/// A place near the middle of a terrain at its origin over which ground overhangs.
fn under_an_overhang(app: &App, terrain: Entity) -> Vec3 {
    const SPACING: f32 = 1.0;
    let (stream, ground) = app.world().entity(terrain).components::<(&Stream, &TerrainGround)>();
    let source = stream.source();
    let shape = source.shape();
    let level = (shape.finest..=shape.coarsest).find(|level| shape.cell_at(*level) >= SPACING).unwrap();
    let middle = ColliderPlace::at(&shape, level, -ground.origin.x, -ground.origin.y);
    for (row, column) in (-4..=4).flat_map(|row| (-4..=4).map(move |column| (row, column))) {
        let place = ColliderPlace { column: middle.column + column, row: middle.row + row, ..middle };
        let tile = ColliderTile::make(&*source, place, &Work::new()).unwrap();
        let (mesh, half) = (tile.mesh(), 0.5 * tile.size().as_vec2());
        for number in 0..400 {
            let share = Vec2::new((number % 20) as f32, (number / 20) as f32) / 20.0;
            let p = (2.0 * share - 1.0) * half;
            let mut heights = mesh.heights_at(p.x, p.y);
            heights.sort_by(f32::total_cmp);
            if heights.len() >= 3 && heights[1] - heights[0] > 1.0 {
                let p = tile.middle() + p.as_dvec2() + ground.origin;
                return Vec3::new(p.x as f32, 0.0, p.y as f32);
            }
        }
    }
    panic!("nothing overhangs near the middle");
}

/// Land that overhangs is solid from all sides: a ray from the side meets what stands over the place, and
/// from below its underside.
pub(super) fn overhangs_are_solid<E: Engine>() {
    let mut app = physics::<E>();
    let recipe = preset("hoodoos").with_longer_side(257);
    let terrain = settle(&mut app, recipe, Transform::default());
    let under = under_an_overhang(&app, terrain);
    app.world_mut().spawn((
        Transform::from_translation(under),
        ColliderNeed { spacing: 0.8, radius: 30.0, ..default() },
    ));
    finish(&mut app);
    (0..3).for_each(|_| app.update());
    let mut several = 0;
    for p in around(under, 10.0, 80) {
        let mut heights: Vec<f32> = Vec::new();
        let mut colliders = app.world_mut().query::<(&TerrainCollider, &Transform)>();
        for (collider, transform) in colliders.iter(app.world()) {
            let q = p - transform.translation;
            heights.extend(collider.tile.mesh().heights_at(q.x, q.z));
        }
        heights.sort_by(|a, b| b.total_cmp(a));
        let Some(highest) = heights.first().copied() else { continue };
        let far = E::cast(&mut app, p.with_y(highest + 5.0), Dir3::NEG_Y, 50.0).unwrap();
        assert!((far - 5.0).abs() < 0.01, "{p}: {far}");
        // Up from between the lowest floor and the underside over it.
        if heights.len() >= 3 && heights[1] - heights[2] > 0.2 {
            let middle = 0.5 * (heights[1] + heights[2]);
            let far = E::cast(&mut app, p.with_y(middle), Dir3::Y, 50.0).unwrap();
            assert!((middle + far - heights[1]).abs() < 0.01, "{p}: {heights:?}");
            several += 1;
        }
    }
    assert!(several > 0, "no place has an overhang");
    app.world_mut().write_message(TerrainChanged::everywhere(terrain));
    finish(&mut app);
}

/// A body over a hole falls into it, one next to it stays on the ground, up to the hole's edge.
pub(super) fn bodies_fall_into_holes<E: Engine>() {
    let mut app = physics::<E>();
    let steps = "[flat(height: 30), hole(radius: 6)]";
    let text = format!("(version: 1, name: \"Shaft\", size: (129, 129), cell: 2, steps: {steps})");
    let terrain = settle(&mut app, Recipe::from_ron(&text, "shaft.ron").unwrap(), Transform::default());
    let [over, beside] =
        [Vec3::new(1.0, 32.0, 2.0), Vec3::new(7.5, 32.0, 0.0)].map(|p| ball::<E>(&mut app, p, 0.5));
    finish(&mut app);
    (0..3).for_each(|_| app.update());
    for (number, p) in around(Vec3::ZERO, 8.0, 80).enumerate() {
        // Neither on the edge nor under a ball.
        let balls = [Vec3::new(1.0, 0.0, 2.0), Vec3::new(7.5, 0.0, 0.0)];
        if (p.length() - 6.0).abs() < 0.1 || balls.iter().any(|ball| ball.distance(p) < 1.0) {
            continue;
        }
        let from = p.with_y(40.0 + (number % 3) as f32);
        let far = E::cast(&mut app, from, Dir3::NEG_Y, 100.0);
        assert_eq!(far.is_none(), p.length() < 6.0, "{p}: {far:?}");
        assert_eq!(exact(&app, terrain, p).is_none(), p.length() < 6.0, "{p}");
    }
    (0..3 * FRAMES).for_each(|_| app.update());
    assert!(place(&app, over).y < -5.0, "{}", place(&app, over));
    assert!((place(&app, beside).y - 30.5).abs() < 0.1, "{}", place(&app, beside));
}
