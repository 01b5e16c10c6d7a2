//! Colliders without an engine.

use std::sync::Mutex;

use bevy::ecs::system::RunSystemOnce;

use super::*;
use crate::Landscape;
use crate::colliders::COLLIDER_CELLS;
use crate::plugin::TerrainQuery;
use crate::plugin::colliders::streamed::stream;
use crate::plugin::floating_origin::{FloatingOrigin, FloatingOriginPlugin, WorldOrigin};
use crate::plugin::owned::{losses, run_and_lose};
use crate::plugin::sculpt::{SculptPlugin, TerrainStrokes};
use crate::plugin::terrain::TerrainChanged;
use crate::sculpt::{Stroke, Tool};

fn walker(app: &mut App, place: Vec3) -> Entity {
    app.world_mut().spawn((Transform::from_translation(place), ColliderNeed::default())).id()
}

fn colliders(app: &mut App) -> Vec<Entity> {
    app.world_mut().query_filtered::<Entity, With<TerrainCollider>>().iter(app.world()).collect()
}

fn is_held(app: &App, body: Entity) -> bool {
    app.world().get::<AwaitsGround>(body).is_some()
}

/// The ground of colliders round a place is that which is exact; how many places were compared.
fn compare(app: &mut App, terrain: Entity, place: Vec3, away: f32) -> usize {
    let mut count = 0;
    for p in around(place, away, 40) {
        let Some(expected) = exact(app, terrain, p) else { continue };
        let found = of_colliders(app, p).unwrap_or_else(|| panic!("there is no collider at {p}"));
        assert!((found - expected).abs() < 5e-3, "{p}: {found} in place of {expected}");
        count += 1;
    }
    count
}

#[test]
fn a_walker_has_ground_all_around_it_and_all_is_gone_when_it_is() {
    let mut app = game();
    let terrain = settle(&mut app, preset("endless-highlands"), Transform::default());
    assert!(colliders(&mut app).is_empty(), "nobody needs any");
    let place = Vec3::new(2100.0, 900.0, -770.0);
    let walker = walker(&mut app, place);
    app.update();
    assert!(!is_held(&app, walker) && of_colliders(&mut app, place).is_some(), "at once");
    finish(&mut app);
    assert_eq!(compare(&mut app, terrain, place, 15.9), 40);
    let of: Vec<Entity> =
        app.world_mut().query::<&TerrainColliderOf>().iter(app.world()).map(|of| of.0).collect();
    let statistics = *app.world().resource::<ColliderStatistics>();
    assert!(of.iter().all(|of| *of == terrain) && of.len() == statistics.tiles);
    assert_eq!(statistics.bytes, statistics.tiles * 4 * (COLLIDER_CELLS as usize + 1).pow(2));
    app.world_mut().despawn(walker);
    app.update();
    assert!(colliders(&mut app).is_empty());
    assert_eq!(app.world().resource::<ColliderStatistics>().bytes, 0);
}

#[test]
fn colliders_stand_where_their_terrain_is_moved_turned_and_scaled() {
    for place in [Vec3::ZERO, Vec3::new(3000.0, 40.0, -100.0)] {
        for scale in [Vec3::ONE, Vec3::splat(0.5), Vec3::splat(2.0)] {
            let mut app = game();
            let turned = Transform::from_translation(place).with_rotation(Quat::from_rotation_y(1.1));
            let terrain = settle(&mut app, Terrain::heightfield(ramp()), turned.with_scale(scale));
            let body = walker(&mut app, place + Vec3::new(3.0, 60.0, -7.0));
            app.world_mut().entity_mut(body).insert(ColliderNeed { radius: 60.0, ..default() });
            finish(&mut app);
            assert_eq!(compare(&mut app, terrain, place, 59.0), 40);
            // And they follow, with the shapes that they have.
            let moved = turned.with_scale(scale * 1.5) * Transform::from_xyz(5.0, -300.0, 11.0);
            app.world_mut().entity_mut(terrain).insert((moved, HeightMapping { scale: -2.0, bias: 9.0 }));
            finish(&mut app);
            assert_eq!(compare(&mut app, terrain, place, 50.0), 40);
        }
    }
}

#[test]
fn far_from_the_start_ground_is_as_exact_as_there_and_memory_stays() {
    let mut app = game();
    app.add_plugins(FloatingOriginPlugin);
    let terrain = settle(&mut app, preset("endless-highlands"), Transform::default());
    let body = walker(&mut app, Vec3::new(0.0, 500.0, 0.0));
    app.world_mut().entity_mut(body).insert(FloatingOrigin);
    let mut most = 0;
    for step in 0..400 {
        // 640 m/s, and then at once 1000 km away.
        let way = if step == 300 { Vec3::new(1e6, 0.0, -3e5) } else { Vec3::new(8.0, 0.0, 6.0) };
        app.world_mut().get_mut::<Transform>(body).unwrap().translation += way;
        app.update();
        let p = app.world().get::<Transform>(body).unwrap().translation;
        assert!(of_colliders(&mut app, p).is_some() || is_held(&app, body), "{step}");
        most = most.max(app.world().resource::<ColliderStatistics>().tiles);
    }
    assert!(most < 250, "{most}");
    finish(&mut app);
    let p = app.world().get::<Transform>(body).unwrap().translation;
    assert!(app.world().resource::<WorldOrigin>().0.x > 1e6);
    assert_eq!(compare(&mut app, terrain, p, 15.0), 40);
}

/// Land whose heights are changed while it is there.
#[derive(Clone, Default)]
struct Changing(Arc<Mutex<f32>>);

impl Changing {
    fn terrain(&self) -> Terrain {
        let height = self.0.clone();
        Terrain::build(move |_| {
            let height = *height.lock().unwrap();
            let field = Heightfield::flat(Grid::new(201, 201, 2.0).unwrap(), height);
            Ok(Landscape::clone(&TerrainGround::bare(field).landscape))
        })
    }
}

#[test]
fn ground_that_changes_is_made_anew_in_the_same_frame_under_a_body_and_stays_until_then() {
    let mut app = game();
    let land = Changing::default();
    let terrain = settle(&mut app, land.terrain(), Transform::default());
    let body = walker(&mut app, Vec3::new(0.0, 3.0, 0.0));
    finish(&mut app);
    let before = colliders(&mut app);
    *land.0.lock().unwrap() = 7.0;
    app.world_mut().entity_mut(terrain).insert(land.terrain());
    let start = Instant::now();
    let mut frames = 0;
    loop {
        app.update();
        assert!(start.elapsed() < PATIENCE && !is_held(&app, body));
        let height = of_colliders(&mut app, Vec3::ZERO).unwrap();
        let landscape = &app.world().get::<TerrainGround>(terrain).unwrap().landscape;
        let is_new = landscape.heightfield.at(0, 0) == 7.0;
        assert_eq!(height, if is_new { 7.0 } else { 0.0 }, "in the frame of the change");
        if is_new {
            break;
        }
        frames += 1;
    }
    assert!(frames > 0, "it takes some frames to build");
    finish(&mut app);
    assert_eq!(compare(&mut app, terrain, Vec3::ZERO, 15.0), 40);
    let mut after = colliders(&mut app);
    after.sort();
    let mut before = before;
    before.sort();
    assert_eq!(before, after, "entities stay");

    // An area in which nothing is.
    let made = app.world().resource::<ColliderStatistics>().made;
    let area = Some([DVec2::new(390.0, 390.0), DVec2::new(399.0, 399.0)]);
    app.world_mut().write_message(TerrainChanged { terrain, area });
    finish(&mut app);
    assert_eq!(app.world().resource::<ColliderStatistics>().made, made);
    // One that lies in one tile.
    let area = Some([DVec2::new(200.0, 200.0), DVec2::new(201.0, 201.0)]);
    app.world_mut().write_message(TerrainChanged { terrain, area });
    finish(&mut app);
    assert_eq!(app.world().resource::<ColliderStatistics>().made, made + 1);
}

#[test]
fn a_stroke_fifty_metres_wide_changes_the_ground_under_a_body_within_two_frames() {
    let mut app = game();
    app.add_plugins(SculptPlugin);
    let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    app.world_mut().entity_mut(terrain).insert(TerrainStrokes::default());
    let under = Vec3::new(3.0, 0.0, -5.0);
    let body = walker(&mut app, under.with_y(300.0));
    finish(&mut app);
    let mut before = of_colliders(&mut app, under).unwrap();
    let middle = app.world().get::<TerrainGround>(terrain).unwrap().extent() / 2.0;
    let tools = [Tool::Raise { by: 30.0 }, Tool::Crater { depth: 20.0, rim: 3.0 }, Tool::Lower { by: 9.0 }];
    for (number, tool) in tools.into_iter().enumerate() {
        let mut strokes = app.world_mut().get_mut::<TerrainStrokes>(terrain).unwrap();
        strokes.make(Stroke::at(tool, middle.as_dvec2().to_array(), 50.0)).unwrap();
        app.update();
        app.update();
        // The walker's own ground has been made, whatever else is.
        assert!(!is_held(&app, body), "{number}");
        assert_eq!(compare(&mut app, terrain, under, 4.0), 40, "{number}");
        let now = of_colliders(&mut app, under).unwrap();
        assert!((now - before).abs() > 5.0, "{number}: {before} and {now}");
        before = now;
    }
}

#[test]
fn where_tiles_take_long_bodies_wait_for_ground_that_changes_and_frames_do_not() {
    let mut app = game();
    app.world_mut().resource_mut::<Worker>().patience = 0.0;
    app.add_plugins(SculptPlugin);
    let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    app.world_mut().entity_mut(terrain).insert(TerrainStrokes::default());
    let body = walker(&mut app, Vec3::new(3.0, 300.0, -5.0));
    app.update();
    assert!(is_held(&app, body), "no frame has waited for the ground");
    finish(&mut app);
    let before = of_colliders(&mut app, Vec3::ZERO).unwrap();
    let middle = app.world().get::<TerrainGround>(terrain).unwrap().extent() / 2.0;
    let stroke = Stroke::at(Tool::Raise { by: 30.0 }, middle.as_dvec2().to_array(), 50.0);
    app.world_mut().get_mut::<TerrainStrokes>(terrain).unwrap().make(stroke).unwrap();
    let start = Instant::now();
    while of_colliders(&mut app, Vec3::ZERO).is_none_or(|now| now == before) {
        app.update();
        // Either it stands on something, or it stays where it is.
        assert!(is_held(&app, body) || of_colliders(&mut app, Vec3::new(3.0, 0.0, -5.0)).is_some());
        assert!(start.elapsed() < PATIENCE);
    }
    finish(&mut app);
    assert!(!is_held(&app, body));
    assert_eq!(compare(&mut app, terrain, Vec3::new(3.0, 0.0, -5.0), 15.0), 40);
    assert!(of_colliders(&mut app, Vec3::ZERO).unwrap() - before > 5.0);
}

#[test]
fn a_terrain_of_another_shape_has_colliders_of_its_own() {
    let mut app = game();
    let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    walker(&mut app, Vec3::new(20.0, 300.0, 3.0));
    finish(&mut app);
    let small = Heightfield::flat(Grid::new(33, 33, 3.0).unwrap(), 5.0);
    app.world_mut().entity_mut(terrain).insert(Terrain::heightfield(small));
    let start = Instant::now();
    while of_colliders(&mut app, Vec3::ZERO) != Some(5.0) {
        app.update();
        assert!(start.elapsed() < PATIENCE);
    }
    finish(&mut app);
    assert_eq!(of_colliders(&mut app, Vec3::new(60.0, 0.0, 0.0)), None, "the land ends before");
}

#[test]
fn a_body_waits_for_a_terrain_that_is_being_built_and_one_without_land_does_not() {
    let mut app = game();
    let [over, beside] =
        [Vec3::new(1.0, 30.0, 2.0), Vec3::new(4000.0, 30.0, 2.0)].map(|p| walker(&mut app, p));
    let free = walker(&mut app, Vec3::Y);
    app.world_mut().entity_mut(free).insert(ColliderNeed { is_held: false, ..default() });
    app.update();
    assert!(!is_held(&app, over), "there is no terrain at all");
    let terrain = app.world_mut().spawn(Terrain::heightfield(ramp())).id();
    app.update();
    assert!(
        is_held(&app, over) && is_held(&app, beside) && !is_held(&app, free),
        "nobody knows where it will be"
    );
    assert_eq!(app.world().resource::<ColliderStatistics>().waiting, 2);
    finish(&mut app);
    assert!(!is_held(&app, over) && !is_held(&app, beside));
    assert!(of_colliders(&mut app, Vec3::new(1.0, 0.0, 2.0)).is_some());
    // A terrain whose ground cannot be built is not waited for.
    let failing = Terrain::build(|_| Err(crate::Error::parameter("land", "there is none")));
    app.world_mut().entity_mut(terrain).despawn();
    app.world_mut().spawn(failing);
    let start = Instant::now();
    while {
        app.update();
        is_held(&app, over)
    } {
        assert!(start.elapsed() < PATIENCE);
    }
    assert!(colliders(&mut app).is_empty());
}

#[test]
fn a_body_on_land_that_is_there_goes_on_while_another_terrain_is_built() {
    let mut app = game();
    settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    let [over, beside] =
        [Vec3::new(1.0, 30.0, 2.0), Vec3::new(4000.0, 30.0, 2.0)].map(|p| walker(&mut app, p));
    finish(&mut app);
    // It is never done, as one whose recipe doesn't arrive.
    let forever = Terrain::build(|work| {
        loop {
            work.check()?;
            std::thread::yield_now();
        }
    });
    let other = app.world_mut().spawn((forever, Transform::from_xyz(4000.0, 0.0, 0.0))).id();
    for _ in 0..5 {
        app.update();
        assert!(!is_held(&app, over) && is_held(&app, beside));
    }
    app.world_mut().get_mut::<Transform>(over).unwrap().translation.x += 4000.0;
    app.update();
    assert!(is_held(&app, over), "it has left the land");
    app.world_mut().despawn(other);
    app.update();
    assert!(!is_held(&app, over) && !is_held(&app, beside), "there is nothing to wait for");
}

#[test]
fn bad_places_and_needs_are_nowhere_and_nothing_goes_down() {
    let mut app = game();
    let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    let bad = [f32::NAN, f32::INFINITY, -1.0, 1e30];
    for value in bad {
        walker(&mut app, Vec3::new(value, 0.0, value));
        let body = walker(&mut app, Vec3::new(9.0, 0.0, 9.0));
        let need = ColliderNeed { radius: value, spacing: value, ahead: value, is_held: true };
        app.world_mut().entity_mut(body).insert(need);
    }
    for step in 0..20 {
        app.update();
        let mut bodies = app.world_mut().query_filtered::<&mut Transform, With<ColliderNeed>>();
        for mut transform in bodies.iter_mut(app.world_mut()) {
            transform.translation.x += if step % 3 == 0 { 1e9 } else { -3.0 };
        }
    }
    // Inserted again, removed, and left alone.
    let body = walker(&mut app, Vec3::new(3.0, 400.0, 3.0));
    finish(&mut app);
    assert!(compare(&mut app, terrain, Vec3::new(3.0, 0.0, 3.0), 15.0) == 40);
    app.world_mut().entity_mut(body).remove::<ColliderNeed>();
    app.update();
    assert_eq!(app.world_mut().query::<&AwaitsGround>().iter(app.world()).count(), 0);
}

#[test]
fn what_cannot_stand_in_a_physics_engine_is_told_once_and_its_colliders_are_gone() {
    let mut app = game();
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = told.clone();
    app.add_observer(move |failed: On<TerrainCollidersFailed>| {
        assert_eq!(failed.error, failed.cause.to_string());
        telling.lock().unwrap().push((failed.entity, failed.error.clone()));
    });
    let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    walker(&mut app, Vec3::new(3.0, 400.0, 3.0));
    finish(&mut app);
    for (scale, said) in [
        (Vec3::new(-1.0, 1.0, 1.0), "mirrors"),
        (Vec3::new(1.0, 2.0, 1.0), "scales by 1, 2 and 1"),
        (Vec3::ZERO, "scale of 0"),
    ] {
        app.world_mut().entity_mut(terrain).insert(Transform::from_scale(scale));
        (0..5).for_each(|_| app.update());
        assert!(colliders(&mut app).is_empty(), "{said}");
        let errors = std::mem::take(&mut *told.lock().unwrap());
        assert!(
            matches!(&errors[..], [(entity, error)] if *entity == terrain && error.contains(said)),
            "{said}: {errors:?}"
        );
        app.world_mut().entity_mut(terrain).insert(Transform::default());
        finish(&mut app);
        assert_eq!(compare(&mut app, terrain, Vec3::new(3.0, 0.0, 3.0), 15.0), 40, "it stands again");
    }
}

#[test]
fn terrains_that_come_and_go_leave_nothing_behind() {
    let mut app = game();
    walker(&mut app, Vec3::new(3.0, 400.0, 3.0));
    app.update();
    let count = |app: &mut App| app.world_mut().query::<EntityRef>().iter(app.world()).count();
    let mut before = 0;
    for cycle in 0..7 {
        let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
        if cycle % 2 == 0 {
            finish(&mut app);
            assert!(!colliders(&mut app).is_empty());
        }
        match cycle % 3 {
            0 => app.world_mut().despawn(terrain),
            1 => {
                app.world_mut().entity_mut(terrain).remove::<Terrain>();
                app.update();
                assert!(colliders(&mut app).is_empty());
                app.world_mut().despawn(terrain)
            }
            _ => {
                // Whoever despawns its colliders gets them back; nothing is lost.
                finish(&mut app);
                let before = colliders(&mut app).len();
                app.world_mut()
                    .run_system_once(|mut commands: Commands, all: Query<Entity, With<TerrainCollider>>| {
                        all.iter().for_each(|entity| commands.entity(entity).despawn());
                    })
                    .unwrap();
                app.update();
                app.update();
                assert_eq!(colliders(&mut app).len(), before);
                app.world_mut().despawn(terrain)
            }
        };
        app.update();
        assert!(colliders(&mut app).is_empty());
        // The first cycle is the measure: it makes the entities that exist only once, such as resources.
        before = if cycle == 0 { count(&mut app) } else { before };
        assert_eq!(count(&mut app), before, "after cycle {cycle}");
    }
}

#[test]
fn plugins_that_are_added_twice_are_there_once() {
    let mut app = game();
    app.add_plugins(TerrainColliderPlugin);
    #[cfg(feature = "avian")]
    app.add_plugins((AvianTerrainPlugin, AvianTerrainPlugin));
    settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
    walker(&mut app, Vec3::new(3.0, 400.0, 3.0));
    finish(&mut app);
    let statistics = *app.world().resource::<ColliderStatistics>();
    assert_eq!(colliders(&mut app).len(), statistics.tiles);
}

#[test]
fn bodies_that_ask_for_coarser_ground_have_it_and_the_query_agrees() {
    let mut app = game();
    let terrain = settle(&mut app, preset("endless-highlands"), Transform::default());
    let body = walker(&mut app, Vec3::new(10.0, 0.0, 0.0));
    app.world_mut().entity_mut(body).insert(ColliderNeed { radius: 100.0, spacing: 2.0, ..default() });
    finish(&mut app);
    let mut all = app.world_mut().query::<&TerrainCollider>();
    assert!(all.iter(app.world()).all(|collider| (0.75..=2.0).contains(&collider.tile.spacing())));
    let coarse = of_colliders(&mut app, Vec3::new(10.0, 0.0, 0.0)).unwrap();
    let query = move |terrains: TerrainQuery| terrains.ground_of(terrain, Vec3::new(10.0, 0.0, 0.0));
    assert!(app.world_mut().run_system_once(query).unwrap().is_some());
    let fine = exact(&app, terrain, Vec3::new(10.0, 0.0, 0.0)).unwrap();
    assert!((coarse - fine).abs() < 0.5, "{coarse} {fine}");
    // Someone else stands there too: the finest that is asked for counts.
    walker(&mut app, Vec3::new(10.0, 0.0, 0.0));
    finish(&mut app);
    assert_eq!(compare(&mut app, terrain, Vec3::new(10.0, 0.0, 0.0), 15.0), 40);
}

#[test]
fn no_collider_is_spawned_for_a_terrain_that_is_gone() {
    let spawned = |lose: fn(EntityWorldMut)| {
        let mut app = game();
        let terrain = settle(&mut app, Terrain::heightfield(ramp()), Transform::default());
        walker(&mut app, Vec3::new(3.0, 60.0, -7.0));
        run_and_lose(app.world_mut(), stream, terrain, lose);
        colliders(&mut app).len()
    };
    assert!(spawned(|_| ()) > 0);
    for lose in losses::<Terrain>() {
        assert_eq!(spawned(lose), 0);
    }
}
