//! What a game may do wrong: each is told as an event with an error, nothing panics, and the land that was there stays.
#![cfg(feature = "bevy")]

mod server;

use std::sync::Arc;

use bevy::prelude::*;
use server::{Server, flat, ready, recipe};
use upland::plugin::{
    HeightMapping, RecipeAsset, Terrain, TerrainAnchor, TerrainFailed, TerrainPlugin, TerrainSource,
    TerrainStatus,
};
use upland::steps::{Ground, Kind, Operation, register};
use upland::{Cache, Error, Recipe, Result, Work, params};

/// Spawns a terrain that stands, then makes it what fails: its error. The land that was there is asked for after that.
fn error_of(terrain: Terrain) -> Arc<Error> {
    let mut game = Server::new();
    let log = game.log::<TerrainFailed>();
    let entity = game.spawn(ready(7.0));
    assert_eq!(game.settle(entity), TerrainStatus::Ready);
    game.entity(entity).insert(terrain);
    let TerrainStatus::Failed(said) = game.settle(entity) else { panic!("it was built") };
    let log = log.lock().unwrap();
    assert_eq!((log.len(), &log[0].error), (1, &said), "it is told once");
    assert_eq!(log[0].cause.to_string(), said);
    assert_eq!(game.height(Vec3::new(3.0, 0.0, -2.0)), Some(7.0), "the land that was there stays");
    log[0].cause.clone()
}

fn of_recipe(recipe: Recipe) -> Arc<Error> {
    error_of(Terrain::from_recipe(recipe, &Cache::default()))
}

params! {
    /// Breaks.
    pub struct Broken {
        /// Nothing.
        pub nothing: f32 = 0.0;
    }
}

impl Operation for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn title(&self) -> &'static str {
        "Broken"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn apply(&self, _ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        panic!("a stone in the gears")
    }
}

#[test]
fn a_panic_in_a_games_own_step_or_function_is_an_error_that_says_so() {
    register::<Broken>().unwrap();
    let error = of_recipe(recipe(33, "fbm(), broken()"));
    assert!(
        matches!(&*error, Error::Panic { name, said } if name == "steps.1 (broken): broken" && said == "a stone in the gears")
    );
    let error = error_of(Terrain::build(|_| panic!("out of eggs")));
    assert!(matches!(&*error, Error::Panic { said, .. } if said == "out of eggs"));
}

#[test]
fn a_recipe_that_would_take_more_memory_than_there_is_is_refused_before_it_takes_any() {
    // 16 GiB of heights for each field, and erosion needs several at once.
    for steps in ["fbm(), erode()", "fbm(), normalize(), erode(), river()", "diamond_square()"] {
        let error = of_recipe(recipe(65_536, steps));
        assert!(error.to_string().contains("32768×32768"), "{error}");
    }
}

#[test]
fn a_terrain_without_a_source_or_a_file_says_what_it_lacks() {
    let error = error_of(Terrain { source: TerrainSource::Missing });
    assert!(error.to_string().contains("has no source"), "{error}");
    let error = error_of(Terrain::from_file("no/such/land.tif"));
    assert!(matches!(&*error, Error::Io { .. } | Error::File { .. }), "{error}");
}

#[test]
fn a_recipe_that_is_removed_before_its_land_is_built_fails_and_is_built_when_it_is_back() {
    let mut game = Server::new();
    let log = game.log::<TerrainFailed>();
    let handle = game.app.world().resource::<Assets<RecipeAsset>>().reserve_handle();
    let terrain = game.spawn(Terrain::recipe(handle.clone()));
    game.app.update();
    assert_eq!(game.status(terrain), TerrainStatus::Waiting);
    // It has loaded, and is removed in the same frame.
    let asset = RecipeAsset(recipe(33, "flat(height: 4)"));
    {
        let mut recipes = game.app.world_mut().resource_mut::<Assets<RecipeAsset>>();
        recipes.insert(handle.id(), asset.clone()).unwrap();
        recipes.remove(handle.id());
    }
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it was built") };
    assert!(said.contains("was removed") && log.lock().unwrap().len() == 1, "{said}");

    game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().insert(handle.id(), asset).unwrap();
    game.update_until(|app| *app.world().get::<TerrainStatus>(terrain).unwrap() == TerrainStatus::Ready);
    assert_eq!(game.height(Vec3::ZERO), Some(4.0));

    // What has been built stays, and is no failure.
    game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().remove(handle.id());
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!((game.height(Vec3::ZERO), log.lock().unwrap().len()), (Some(4.0), 1));
}

#[test]
fn a_transform_that_land_cannot_be_drawn_with_is_told_once_and_may_be_mended() {
    let mut game = Server::new();
    let log = game.log::<TerrainFailed>();
    let terrain = game.spawn(ready(7.0));
    game.settle(terrain);
    let mut told = 0;
    for (pose, said) in [
        (Transform::from_xyz(f32::NAN, 0.0, 0.0), "not finite"),
        (Transform::from_xyz(0.0, f32::INFINITY, 0.0), "not finite"),
        (Transform::from_scale(Vec3::ZERO), "scale of 0"),
        (Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0)), "mirrors"),
        (Transform::from_scale(Vec3::new(1.0, 2.0, 1.0)), "scales by 1, 2 and 1"),
    ] {
        for _ in 0..3 {
            game.entity(terrain).insert(pose);
            game.app.update();
        }
        told += 1;
        {
            let log = log.lock().unwrap();
            assert_eq!(log.len(), told, "{said}");
            assert!(log[told - 1].error.contains(said), "{}", log[told - 1].error);
        }
        assert_eq!(game.height(Vec3::ZERO), None, "{said}: it has no ground meanwhile");
        game.entity(terrain).insert(Transform::from_xyz(0.0, 1.0, 0.0));
        game.app.update();
        assert_eq!(game.height(Vec3::ZERO), Some(8.0), "{said}: and again when it is mended");
    }
    game.entity(terrain).insert(HeightMapping { scale: f32::NAN, bias: 0.0 });
    game.app.update();
    assert_eq!((game.height(Vec3::ZERO), log.lock().unwrap().len()), (None, told + 1));
    game.entity(terrain).insert(HeightMapping { scale: -2.0, bias: 0.0 });
    game.app.update();
    assert_eq!(game.height(Vec3::ZERO), Some(-13.0), "upside down is sound");
}

#[test]
fn questions_that_make_no_sense_have_no_answer() {
    let mut game = Server::new();
    let terrain = game.spawn(ready(7.0));
    game.settle(terrain);
    for place in [
        Vec3::NAN,
        Vec3::INFINITY,
        Vec3::new(f32::NAN, 0.0, 0.0),
        Vec3::new(1e30, 0.0, 0.0),
        Vec3::new(41.0, 0.0, 0.0),
    ] {
        let answers = game.ask(move |terrains| {
            let ray = Ray3d::new(place, Dir3::NEG_Y);
            (
                terrains.ground(place).is_none(),
                terrains.surfaces_of(terrain, place).is_empty(),
                terrains.cast_ray(ray, 100.0).is_none(),
                terrains.probe(terrain, place).is_none(),
            )
        });
        assert_eq!(answers, (true, true, true, true), "{place}");
    }
    let nobody = game.spawn(());
    for far in [f32::NAN, -1.0, 0.0] {
        assert!(
            game.ask(move |terrains| terrains
                .cast_ray(Ray3d::new(Vec3::Y * 50.0, Dir3::NEG_Y), far)
                .is_none())
        );
    }
    assert!(game.ask(move |terrains| terrains.ground_of(nobody, Vec3::ZERO).is_none()));
    game.spawn((TerrainAnchor { reach: f32::NAN, spacing: -1.0 }, Transform::from_xyz(f32::NAN, 0.0, 0.0)));
    game.app.update();
}

#[test]
fn a_plugin_that_is_added_twice_does_what_it_does_once() {
    let mut game = Server::new();
    // A game that has its own, and a library that adds it to be sure.
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), TerrainPlugin));
    app.add_plugins(TerrainPlugin);
    app.finish();
    app.cleanup();
    game.app = app;
    let log = game.log::<upland::plugin::TerrainStarted>();
    let terrain = game.spawn(Terrain::build(|_| Ok(flat(3.0))));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!((game.height(Vec3::ZERO), log.lock().unwrap().len()), (Some(3.0), 1));
}
