//! Scattered objects as far as they need no renderer: batches, entities, seasons, and failures.

use std::f64::consts::TAU;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bevy::ecs::system::RunSystemOnce;
use bevy::light::NotShadowCaster;
use bevy::prelude::*;

use super::draw::ScatterBatch;
use super::systems::update_scatter;
use super::*;
use crate::plants::Season;
use crate::plugin::chunks::tests::{FLAWED, camera, count, game, hills, settle, update_until};
use crate::plugin::owned::{losses, run_and_lose};
use crate::plugin::terrain::{Terrain, TerrainRepainted, TerrainSkin};
use crate::{Error, Recipe, Skin};

/// The component that an object's spawned entity has.
#[derive(Component)]
struct Chest;

/// A game with one object that is drawn, and spawned near cameras.
fn scattered() -> App {
    let mut app = game();
    app.init_asset::<material::ScatterMaterial>().add_plugins(ScatterPlugin);
    add_drawing(&mut app);
    camera(&mut app, Transform::from_xyz(0.0, 20.0, 100.0));
    let cube = |_| Ok(vec![ScatterLevel::new(Cuboid::from_length(1.0).into(), 500.0)]);
    let looks = ScatterLooks::meshes(cube).with_spawner(500.0, |entity, _| {
        entity.insert(Chest);
    });
    insert(&mut app, "chest", looks);
    app
}

fn insert(app: &mut App, name: &str, looks: ScatterLooks) {
    app.world_mut().resource_mut::<ScatterObjects>().insert(name, looks);
}

fn land(rules: &str) -> Recipe {
    hills(&format!("scatter: [{rules}]"))
}

const CHESTS: &str = r#"(name: "chests", object: "chest", density: 8, spacing: 8)"#;

fn is_drawn(app: &mut App) -> bool {
    count::<ScatterBatch>(app) > 0 && count::<Chest>(app) > 0
}

/// All failures, as observers hear of them.
fn log(app: &mut App) -> Arc<Mutex<Vec<ScatterFailed>>> {
    let log = Arc::new(Mutex::new(Vec::new()));
    let to = log.clone();
    app.add_observer(move |failed: On<ScatterFailed>| to.lock().unwrap().push(failed.event().clone()));
    log
}

#[test]
fn nothing_stands_on_land_that_cannot_be_where_it_is_and_all_of_it_when_it_can() {
    let mut app = scattered();
    let terrain = settle(&mut app, land(CHESTS));
    update_until(&mut app, is_drawn);
    for flawed in FLAWED {
        app.world_mut().entity_mut(terrain).insert(flawed);
        app.update();
        assert_eq!((count::<ScatterBatch>(&mut app), count::<Chest>(&mut app)), (0, 0), "{flawed:?}");
        assert!(app.world().get::<Scattering>(terrain).unwrap().is_settled(), "and nothing is waited for");
        app.world_mut().entity_mut(terrain).insert(Transform::default());
        update_until(&mut app, is_drawn);
    }
}

#[test]
fn plants_show_the_season_of_the_lands_colours_unless_a_game_says_another() {
    let mut app = scattered();
    let autumn = hills(&format!("texture: seasons(season: 0.5), scatter: [{CHESTS}]"));
    let terrain = settle(&mut app, autumn);
    update_until(&mut app, is_drawn);
    let season = |app: &App| app.world().get::<Scattering>(terrain).unwrap().season;
    assert_eq!(season(&app), Season::Autumn);
    // The skin alone changes, and the plants with the colours.
    let winter = TerrainSkin { skin: Skin::Temperate.in_season(0.75), seed: 5 };
    app.world_mut().entity_mut(terrain).insert(winter);
    let painted = Arc::new(Mutex::new(false));
    let of_observer = painted.clone();
    app.add_observer(move |_: On<TerrainRepainted>| *of_observer.lock().unwrap() = true);
    update_until(&mut app, |_| *painted.lock().unwrap());
    app.update();
    assert_eq!(season(&app), Season::Winter);
    app.world_mut().get_mut::<TerrainScatter>(terrain).unwrap().season = PlantSeason::Spring;
    app.update();
    assert_eq!(season(&app), Season::Spring);
    update_until(&mut app, is_drawn);
}

#[test]
fn a_spawner_that_panics_is_told_once_and_costs_its_objects_alone() {
    let mut app = scattered();
    let log = log(&mut app);
    let bomb = ScatterLooks::spawned(500.0, |entity, _| {
        entity.insert(Chest);
        panic!("the fuse is wet")
    });
    insert(&mut app, "bomb", bomb);
    let bombs = r#"(name: "bombs", object: "bomb", density: 8, spacing: 8)"#;
    let terrain = settle(&mut app, land(&format!("{bombs}, {CHESTS}")));
    update_until(&mut app, is_drawn);
    (0..30).for_each(|_| app.update());
    {
        let log = log.lock().unwrap();
        let [failed] = &log[..] else { panic!("{log:?}") };
        assert_eq!((failed.entity, &*failed.object), (terrain, "bomb"));
        assert!(
            matches!(&*failed.cause, Error::Panic { said, .. } if said == "the fuse is wet"),
            "{failed:?}"
        );
        assert_eq!(failed.error, failed.cause.to_string());
    }
    // Nothing is left of those that panicked: every chest belongs to a rule that works.
    let spawned = app.world().get::<Scattering>(terrain).unwrap().cells.values();
    let objects: usize = spawned.map(|cell| cell.objects).sum();
    assert!(count::<Chest>(&mut app) < objects);
    let messages = app.world().resource::<Messages<ScatterFailed>>();
    assert!(messages.len() <= 1, "the message is told once too");
}

#[test]
fn rules_for_which_there_is_no_room_are_told() {
    let mut app = scattered();
    let log = log(&mut app);
    let cube = |_| Ok(vec![ScatterLevel::new(Cuboid::from_length(1.0).into(), 200.0)]);
    insert(&mut app, "many", ScatterLooks::meshes(cube).with_variants(8));
    let many = r#"(name: "many", object: "many", density: 0.5, spacing: 20), "#;
    settle(&mut app, land(&format!("{CHESTS}, {}", many.repeat(33))));
    update_until(&mut app, is_drawn);
    let log = log.lock().unwrap();
    let [failed] = &log[..] else { panic!("{log:?}") };
    assert_eq!(&*failed.object, "many");
    assert!(matches!(&*failed.cause, Error::Parameter { name, .. } if name == "scatter.32"), "{failed:?}");
}

#[test]
fn each_recipe_of_a_terrain_reports_what_it_cannot_draw() {
    let mut app = scattered();
    let log = log(&mut app);
    let gone = |density: u32| {
        land(&format!(r#"(name: "gone", object: "gone", density: {density}, spacing: 8), {CHESTS}"#))
    };
    let terrain = settle(&mut app, gone(3));
    update_until(&mut app, is_drawn);
    (0..30).for_each(|_| app.update());
    assert_eq!(log.lock().unwrap().len(), 1);
    app.world_mut().entity_mut(terrain).insert(crate::plugin::Terrain::from(gone(4)));
    update_until(&mut app, |_| log.lock().unwrap().len() > 1);
    (0..30).for_each(|_| app.update());
    let log = log.lock().unwrap();
    let objects: Vec<&str> = log.iter().map(|failed| &*failed.object).collect();
    assert_eq!(objects, ["gone", "gone"]);
}

#[test]
fn each_terrain_has_its_own_statistics_and_the_resource_has_their_sum() {
    let mut app = scattered();
    let terrains = [CHESTS, "", CHESTS].map(|rules| settle(&mut app, land(rules)));
    let of =
        |app: &App, terrain: Entity| app.world().get::<TerrainScatterStatistics>(terrain).unwrap().clone();
    let is_placed =
        |app: &App, terrain: Entity| of(app, terrain).missing == 0 && of(app, terrain).objects > 0;
    update_until(&mut app, |app| is_placed(app, terrains[0]) && is_placed(app, terrains[2]) && is_drawn(app));
    (0..30).for_each(|_| app.update());
    let [first, bare, second] = terrains.map(|terrain| of(&app, terrain));
    assert_eq!(bare, TerrainScatterStatistics::default());
    assert!(first.objects > 0 && first.drawn > 0 && first.cells > 0);
    let all = app.world().resource::<ScatterStatistics>();
    assert_eq!((all.objects, all.cells), (first.objects + second.objects, first.cells + second.cells));
    assert_eq!((all.drawn, all.placed), (first.drawn + second.drawn, first.placed + second.placed));
    // Statistics that stay the same aren't marked as changed.
    let changed = |app: &App| {
        terrains.map(|terrain| {
            app.world().entity(terrain).get_ref::<TerrainScatterStatistics>().unwrap().last_changed()
        })
    };
    let before = changed(&app);
    app.update();
    assert_eq!(changed(&app), before);
    // What is no longer drawn is no longer counted.
    app.world_mut().get_mut::<TerrainScatter>(terrains[0]).unwrap().on = false;
    (0..3).for_each(|_| app.update());
    assert_eq!(of(&app, terrains[0]), TerrainScatterStatistics::default());
    let second = of(&app, terrains[2]);
    assert!(second.objects > 0);
    assert_eq!(app.world().resource::<ScatterStatistics>().objects, second.objects);
}

#[test]
fn a_terrain_without_statistics_has_its_objects_all_the_same() {
    let mut app = scattered();
    let terrain = app.world_mut().spawn(Terrain::from(land(CHESTS))).id();
    app.world_mut().entity_mut(terrain).remove::<TerrainScatterStatistics>();
    update_until(&mut app, is_drawn);
    app.update();
    assert!(app.world().resource::<ScatterStatistics>().objects > 0);
    assert!(!app.world().entity(terrain).contains::<TerrainScatterStatistics>());
}

/// How many batches cast shadows.
fn throwing(app: &mut App) -> usize {
    let mut batches = app.world_mut().query_filtered::<(), (With<ScatterBatch>, Without<NotShadowCaster>)>();
    batches.iter(app.world()).count()
}

#[test]
fn objects_of_a_game_throw_shadows_near_a_camera_unless_it_says_that_they_do_not() {
    for shadows in [true, false] {
        let mut app = scattered();
        let cube = |_| Ok(vec![ScatterLevel::new(Cuboid::from_length(1.0).into(), 500.0)]);
        insert(&mut app, "chest", ScatterLooks::meshes(cube).with_shadows(shadows));
        settle(&mut app, land(CHESTS));
        update_until(&mut app, |app| count::<ScatterBatch>(app) > 0 && (throwing(app) > 0) == shadows);
        (0..5).for_each(|_| app.update());
        assert_eq!(throwing(&mut app) > 0, shadows);
    }
}

#[test]
fn nothing_is_spawned_for_a_terrain_that_is_gone() {
    // Cameras that come later have batches of their own, and a frame spawns only some of the chests.
    let draw = |app: &mut App, terrain: Entity, lose: fn(EntityWorldMut)| {
        camera(app, Transform::default());
        app.world_mut().run_system_once(update_chunks).unwrap();
        run_and_lose(app.world_mut(), update_scatter, terrain, lose);
        [count::<ScatterBatch>(app), count::<Chest>(app)]
    };
    for lose in losses::<Terrain>() {
        let mut app = scattered();
        let terrain = settle(&mut app, land(&CHESTS.replace("density: 8", "density: 30")));
        update_until(&mut app, is_drawn);
        let before = [count::<ScatterBatch>(&mut app), count::<Chest>(&mut app)];
        let after = draw(&mut app, terrain, |_| ());
        assert!(after[0] > before[0] && after[1] > before[1], "{before:?}, {after:?}");
        assert_eq!(draw(&mut app, terrain, lose), [0, 0]);
    }
}

#[test]
fn gusts_go_on_from_where_they_are_when_the_wind_changes_its_speed() {
    let mut app = scattered();
    let mut time = Time::<()>::default();
    time.advance_by(Duration::from_secs(5000));
    app.insert_resource(time);
    let terrain = settle(&mut app, land(CHESTS));
    update_until(&mut app, is_drawn);
    // How far the shader draws gusts to have run, and how fast they do.
    let run = |app: &mut App| {
        app.update();
        let materials = app.world().resource::<Assets<material::ScatterMaterial>>();
        let (_, material) = materials.iter().next().unwrap();
        let ScatterUniform { gust_speed, past_gust, .. } = material.extension.scatter;
        let clock = app.world().resource::<Time>().elapsed_secs_wrapped_f64();
        (f64::from(past_gust) + clock * f64::from(gust_speed), gust_speed)
    };
    let (before, slow) = run(&mut app);
    app.world_mut().resource_mut::<Wind>().speed = 9.0;
    let (faster, fast) = run(&mut app);
    app.world_mut().get_mut::<TerrainScatter>(terrain).unwrap().sway = 0.3;
    let (swayed, of_sway) = run(&mut app);
    assert!(fast > slow && of_sway < fast);
    for after in [faster, swayed] {
        let apart = (after - before).rem_euclid(TAU);
        assert!(apart.min(TAU - apart) < 2e-3, "{apart}");
    }
}
