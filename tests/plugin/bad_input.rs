//! Mistakes that a game may make: each is reported as an event with an error, nothing panics, and the land
//! that was there stays.
use std::sync::Arc;

use crate::server::{Server, flat, ready, recipe};
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use upland::plugin::{
    AwaitsGround, ColliderNeed, ColliderStatistics, GroundProbe, HeightMapping, RecipeAsset, Terrain,
    TerrainAnchor, TerrainColliderPlugin, TerrainCollidersFailed, TerrainFailed, TerrainPlugin, TerrainQuery,
    TerrainSource, TerrainStatus,
};
use upland::scatter::Rule;
use upland::steps::{Ground, Kind, Operation, Reach, register};
use upland::{Cache, Domain, Error, Recipe, Result, Skin, Step, Work, params};

/// Replaces a terrain that stands by one that fails, and returns the error. Checks that the land that was
/// there stays.
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
fn numbers_that_no_file_may_have_are_refused_with_their_path() {
    let mut wrong = recipe(33, "fbm(), hole()");
    let set = |recipe: &mut Recipe, step: usize, name: &str, number: f32| {
        params::each_mut(&mut recipe.steps[step], &mut |path, _, value| {
            if let (true, params::Value::Float(value)) = (path == name, value) {
                *value = number;
            }
        });
    };
    set(&mut wrong, 0, "octaves", 99.0);
    let error = of_recipe(wrong.clone());
    assert!(matches!(&*error, Error::Parameter { name, .. } if name == "steps.0.octaves"), "{error}");
    set(&mut wrong, 0, "octaves", 3.0);
    set(&mut wrong, 1, "radius", -1.0);
    assert!(of_recipe(wrong.clone()).to_string().starts_with("steps.1.radius: -1 is outside"));
    // A step that is off may be unfinished.
    wrong.steps[1].mixing.on = false;
    let mut game = Server::new();
    let terrain = game.spawn(Terrain::from_recipe(wrong, &Cache::default()));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);

    let season = Recipe { texture: Skin::Temperate.in_season(7.0), ..recipe(33, "") };
    assert!(of_recipe(season).to_string().starts_with("texture.season: 7 is outside"));
    let nameless = Rule { object: String::new(), ..Rule::new("spruce", 1.0, 5.0) };
    let rule = Recipe { scatter: vec![nameless], ..recipe(33, "") };
    let error = of_recipe(rule);
    assert!(error.to_string().starts_with("scatter.0 (spruce): object"), "{error}");
}

#[test]
fn an_edit_with_a_number_that_is_not_accepted_is_never_shown() {
    let (mut game, cache) = (Server::new(), Cache::default());
    let terrain = game.spawn(Terrain::from_recipe(recipe(33, "flat(height: 7)"), &cache));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    let mut edited = recipe(33, "flat(height: 7)");
    edited.steps[0] = Step::new(upland::generate::Flat { height: 1e9 });
    game.entity(terrain).insert(Terrain::from_recipe(edited, &cache));
    game.app.update();
    assert_eq!(game.height(Vec3::ZERO), Some(7.0));
    assert!(matches!(game.settle(terrain), TerrainStatus::Failed(_)));
    assert_eq!(game.height(Vec3::ZERO), Some(7.0));
}

params! {
    /// Breaks when it is asked how far it looks.
    pub struct Unsure {
        /// Nothing.
        pub nothing: f32 = 0.0;
    }
}

impl Operation for Unsure {
    fn name(&self) -> &'static str {
        "unsure"
    }
    fn title(&self) -> &'static str {
        "Unsure"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn reach(&self, _domain: Domain) -> Reach {
        panic!("no idea how far")
    }
    fn apply(&self, _ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_panic_of_a_step_that_is_asked_how_far_it_looks_is_an_error_and_the_land_stays() {
    register::<Unsure>().unwrap();
    let mut game = Server::new();
    let log = game.log::<TerrainFailed>();
    let cache = Cache::default();
    let terrain = game.spawn(Terrain::from_recipe(recipe(33, "flat(height: 7)"), &cache));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    // An edit of the ground alone, of which the game's own thread asks whether it can be drawn at once.
    let edited = recipe(33, "flat(height: 7), unsure()");
    game.entity(terrain).insert(Terrain::from_recipe(edited, &cache));
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it was built") };
    assert!(said.contains("no idea how far"), "{said}");
    {
        let log = log.lock().unwrap();
        assert!(
            matches!(&log[..], [TerrainFailed { cause, .. }] if matches!(&**cause, Error::Panic { said, .. } if said == "no idea how far")),
            "{log:?}"
        );
    }
    assert_eq!(game.height(Vec3::ZERO), Some(7.0), "the land that was there stays");
    let mended = recipe(33, "flat(height: 9)");
    game.entity(terrain).insert(Terrain::from_recipe(mended, &cache));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.update_until(|app| {
        let height = |terrains: TerrainQuery| terrains.ground(Vec3::ZERO).map(|ground| ground.position.y);
        app.world_mut().run_system_once(height).unwrap() == Some(9.0)
    });
}

params! {
    /// Breaks on fine land.
    pub struct Trap {
        /// Nothing.
        pub nothing: f32 = 0.0;
    }
}

impl Operation for Trap {
    fn name(&self) -> &'static str {
        "trap"
    }
    fn title(&self) -> &'static str {
        "Trap"
    }
    fn kind(&self) -> Kind {
        Kind::Filter
    }
    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }
    fn apply(&self, ground: &mut Ground, _seed: u64, _work: &Work) -> Result<()> {
        // Nothing so fine is made as long as nobody is near.
        assert!(ground.region().level() >= -3, "a spring of rust");
        Ok(())
    }
}

fn is_sprung(error: &Error) -> bool {
    matches!(error, Error::Panic { said, .. } if said == "a spring of rust")
}

/// A game with colliders and an endless land, whose finest tiles cannot be made.
fn trapped() -> (Server, Entity) {
    // Another test may have done so.
    let _ = register::<Trap>();
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default()));
    app.add_plugins((TerrainPlugin, TerrainColliderPlugin));
    app.finish();
    app.cleanup();
    let mut game = Server { app };
    let text = r##"(version: 1, name: "Land", size: endless, cell: 10, unit: 4000,
        steps: [fbm(height: 100), trap()], texture: custom(types: [(name: "moss", colour: "#305020")]))"##;
    let mut land = Recipe::from_ron(text, "land.ron").unwrap();
    land.size = (65, 65);
    let terrain = game.spawn(Terrain::from(land));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert!(game.height(Vec3::ZERO).is_some());
    (game, terrain)
}

#[test]
fn a_step_that_panics_in_a_streamed_tile_alone_costs_that_tile() {
    let (mut game, terrain) = trapped();
    let log = game.log::<TerrainFailed>();
    game.spawn((TerrainAnchor { reach: 30.0, spacing: 0.3 }, Transform::default()));
    game.update_until(|_| !log.lock().unwrap().is_empty());
    (0..30).for_each(|_| game.app.update());
    {
        let log = log.lock().unwrap();
        assert!(log.len() == 1 && log[0].entity == terrain && is_sprung(&log[0].cause), "{log:?}");
    }
    assert_eq!(game.status(terrain), TerrainStatus::Ready);
    assert!(game.height(Vec3::ZERO).is_some(), "coarser tiles stay");
}

#[test]
fn a_step_that_panics_under_a_probe_alone_is_the_answer() {
    let (mut game, terrain) = trapped();
    let log = game.log::<TerrainFailed>();
    let probe = game.ask(move |terrains| terrains.probe(terrain, Vec3::ZERO)).unwrap();
    game.spawn(probe);
    let mut answer = None;
    game.update_until(|app| {
        let ask = |terrains: TerrainQuery, mut probes: Query<&mut GroundProbe>| {
            probes.iter_mut().find_map(|mut probe| terrains.answer(&mut probe))
        };
        answer = app.world_mut().run_system_once(ask).unwrap();
        answer.is_some()
    });
    let error = answer.unwrap().unwrap_err();
    assert!(is_sprung(&error), "{error}");
    assert!(log.lock().unwrap().is_empty() && game.height(Vec3::ZERO).is_some());
}

#[test]
fn a_step_that_panics_in_a_collider_alone_is_told_once_and_the_body_is_held() {
    let (mut game, terrain) = trapped();
    let log = game.log::<TerrainCollidersFailed>();
    let body = game.spawn((ColliderNeed::default(), Transform::from_xyz(3.0, 500.0, 3.0)));
    game.update_until(|_| !log.lock().unwrap().is_empty());
    (0..30).for_each(|_| game.app.update());
    let log = log.lock().unwrap();
    assert!(log.len() == 1 && log[0].entity == terrain && is_sprung(&log[0].cause), "{log:?}");
    assert!(game.app.world().get::<AwaitsGround>(body).is_some());
    assert_eq!(game.app.world().resource::<ColliderStatistics>().tiles, 0);
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
    // A parent that is scaled unevenly, within which the terrain is turned.
    let parent = game.spawn(Transform::from_scale(Vec3::new(1.0, 1.0, 1.001)));
    game.entity(terrain).insert((ChildOf(parent), Transform::from_rotation(Quat::from_rotation_y(0.8))));
    game.app.update();
    told += 1;
    assert!(log.lock().unwrap()[told - 1].error.contains("shears"));
    assert_eq!(game.height(Vec3::ZERO), None);
    game.entity(terrain).remove::<ChildOf>().insert(Transform::from_rotation(Quat::from_rotation_x(0.4)));
    game.app.update();
    assert!(game.height(Vec3::ZERO).is_some() && log.lock().unwrap().len() == told, "tilted is sound");
    game.entity(terrain).insert(Transform::from_xyz(0.0, 1.0, 0.0));
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
