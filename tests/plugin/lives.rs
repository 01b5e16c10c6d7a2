//! The life of terrains as a game hears of it, without a renderer, and what is left when they are gone.
use std::sync::Mutex;

use crate::ALLOCATOR;
use crate::own_process::in_own_process;
use crate::server::{Server, bare, flat, ready, recipe};
use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use bevy::shader::Shader;
use upland::plugin::{
    ColliderNeed, ColliderStatistics, DisplacementPlugin, FloatingOriginPlugin, OverallProgress,
    PlanetPlugin, RecipeAsset, ScatterPlugin, Sky, SkyPlugin, Terrain, TerrainAnchor, TerrainCache,
    TerrainColliderPlugin, TerrainFailed, TerrainPlugin, TerrainProgress, TerrainReady, TerrainRepainted,
    TerrainScatter, TerrainSkin, TerrainStarted, TerrainStatus, TerrainStrokes, TerrainSystems,
    TerrainTileEvents, TerrainTilesChanged, TerrainWork, WaterPlugin, terrain_ready, terrains_have_ground,
    terrains_ready, terrains_settled,
};
use upland::sculpt::{Stroke, Tool};
use upland::stream::{LandTile, TILE_CELLS};
use upland::{Cache, Error, Grid, Heightfield, Recipe, Skin};

#[test]
fn a_game_hears_of_a_life_by_events_and_by_messages_alike() {
    let mut game = Server::new();
    let (started, progress) = (game.log::<TerrainStarted>(), game.log::<TerrainProgress>());
    let (ready, painted) = (game.log::<TerrainReady>(), game.log::<TerrainRepainted>());

    /// The same, as a system reads it.
    #[derive(Resource, Default)]
    struct Read(Vec<TerrainStarted>, Vec<TerrainProgress>, Vec<TerrainReady>, Vec<TerrainRepainted>);
    let read = |mut read: ResMut<Read>,
                mut started: MessageReader<TerrainStarted>,
                mut progress: MessageReader<TerrainProgress>,
                mut ready: MessageReader<TerrainReady>,
                mut painted: MessageReader<TerrainRepainted>| {
        read.0.extend(started.read().cloned());
        read.1.extend(progress.read().cloned());
        read.2.extend(ready.read().cloned());
        read.3.extend(painted.read().cloned());
    };
    game.app.init_resource::<Read>().add_systems(Last, read);

    let terrain = game.spawn(Terrain::build(|work| {
        work.stage("counting sheep", 2);
        for _ in 0..2 {
            std::thread::sleep(std::time::Duration::from_millis(30));
            work.advance(1);
        }
        Ok(flat(5.0))
    }));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    let build = TerrainStarted { entity: terrain, work: TerrainWork::Build };
    assert_eq!(*started.lock().unwrap(), std::slice::from_ref(&build));
    assert_eq!(*ready.lock().unwrap(), [TerrainReady { entity: terrain }]);
    {
        let progress = progress.lock().unwrap();
        assert!(progress.iter().all(|told| told.entity == terrain && (0.0..=1.0).contains(&told.fraction)));
        assert!(progress.iter().any(|told| told.stage == "counting sheep"), "{progress:?}");
        assert!(progress.windows(2).all(|pair| pair[0] != pair[1]), "nothing is told twice");
    }

    game.entity(terrain).insert(TerrainSkin { skin: Skin::Temperate.in_season(0.5), seed: 1 });
    let done = painted.clone();
    game.update_until(move |_| !done.lock().unwrap().is_empty());
    let repaint = TerrainStarted { entity: terrain, work: TerrainWork::Repaint };
    assert_eq!(*started.lock().unwrap(), [build, repaint]);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);

    let read = game.app.world().resource::<Read>();
    assert_eq!(read.0, *started.lock().unwrap());
    assert_eq!(read.1, *progress.lock().unwrap());
    assert_eq!(read.2, *ready.lock().unwrap());
    assert_eq!(read.3, *painted.lock().unwrap());
}

#[test]
fn one_share_of_all_work_grows_from_nothing_to_all_while_stages_come_and_go() {
    /// What a loading screen would show, frame by frame.
    #[derive(Resource, Default)]
    struct Shown(Vec<(TerrainStatus, f32)>);
    let mut game = Server::new();
    let progress = game.log::<TerrainProgress>();
    let show = |mut shown: ResMut<Shown>, terrains: Query<(&TerrainStatus, &OverallProgress)>| {
        shown.0.extend(terrains.iter().map(|(status, overall)| (status.clone(), overall.0)));
    };
    game.app.init_resource::<Shown>().add_systems(Last, show);
    let steps = "fbm(), erode(), gaussian(), fbm(blend: add, variant: 2), erode(variant: 2)";
    let terrain = game.spawn(Terrain::from_recipe(recipe(129, steps), &Cache::default()));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.app.update();
    let shown = std::mem::take(&mut game.app.world_mut().resource_mut::<Shown>().0);
    assert!(shown.is_sorted_by_key(|(_, overall)| *overall), "{shown:?}");
    for (status, overall) in &shown {
        match status {
            TerrainStatus::Building { stage, .. } => {
                assert!(!stage.is_empty() && *overall < 1.0, "{shown:?}")
            }
            status => assert_eq!(*overall, f32::from(u8::from(*status == TerrainStatus::Ready))),
        }
    }
    // Taken out, so that the observer is not kept waiting by this thread.
    let progress = std::mem::take(&mut *progress.lock().unwrap());
    assert!(progress.is_sorted_by_key(|progress| progress.overall) && progress.len() > 1, "{progress:?}");

    // With other colours, or another land, progress starts again.
    game.entity(terrain).insert(TerrainSkin { skin: Skin::Arid, seed: 1 });
    game.app.update();
    assert!(game.app.world().get::<OverallProgress>(terrain).unwrap().0 < 0.6);
    game.entity(terrain).insert(Terrain::build(|_| Err(Error::parameter("gain", "at most 4"))));
    assert!(matches!(game.settle(terrain), TerrainStatus::Failed(_)));
    assert_eq!(game.app.world().get::<OverallProgress>(terrain), Some(&OverallProgress(1.0)));
    game.entity(terrain).remove::<Terrain>();
    assert_eq!(game.app.world().get::<OverallProgress>(terrain), None);
}

#[test]
fn an_error_is_told_with_its_value_and_an_observer_of_one_terrain_hears_no_other() {
    let mut game = Server::new();
    let all = game.log::<TerrainFailed>();
    let good = game.spawn(ready(1.0));
    let own = std::sync::Arc::new(Mutex::new(0));
    let count = own.clone();
    game.entity(good).observe(move |_: On<TerrainFailed>| *count.lock().unwrap() += 1);
    let bad = game.spawn(Terrain::build(|_| Err(Error::parameter("gain", "at most 4"))));
    assert!(matches!(game.settle(bad), TerrainStatus::Failed(_)));
    assert_eq!(game.settle(good), TerrainStatus::Ready);
    let told = all.lock().unwrap();
    assert_eq!((told.len(), told[0].entity, told[0].error.as_str()), (1, bad, "gain: at most 4"));
    assert!(matches!(&*told[0].cause, Error::Parameter { name, .. } if name == "gain"));
    assert_eq!(*own.lock().unwrap(), 0);
}

#[test]
fn run_conditions_tell_when_terrains_are_there() {
    #[derive(Component)]
    struct Island;
    #[derive(Resource, Default, Debug, PartialEq)]
    struct Runs([u32; 4]);
    let mut game = Server::new();
    game.app.init_resource::<Runs>().add_systems(
        Update,
        (
            (|mut runs: ResMut<Runs>| runs.0[0] += 1).run_if(terrains_ready),
            (|mut runs: ResMut<Runs>| runs.0[1] += 1).run_if(terrains_settled),
            (|mut runs: ResMut<Runs>| runs.0[2] += 1).run_if(terrain_ready::<Island>),
            (|mut runs: ResMut<Runs>| runs.0[3] += 1).run_if(terrains_have_ground),
        ),
    );
    let runs = |game: &mut Server| {
        game.app.insert_resource(Runs::default());
        game.app.update();
        game.app.world().resource::<Runs>().0
    };
    assert_eq!(runs(&mut game), [0, 0, 0, 0], "without a terrain none is ready");
    let first = game.spawn(ready(1.0));
    game.settle(first);
    assert_eq!(runs(&mut game), [1, 1, 0, 1]);
    let island = game.spawn((Island, ready(2.0)));
    assert_eq!(runs(&mut game), [0, 0, 0, 0], "one is on its way");
    game.settle(island);
    assert_eq!(runs(&mut game), [1, 1, 1, 1]);
    // The land as it was is there until the new one is.
    game.app.world_mut().get_mut::<Terrain>(island).unwrap().set_changed();
    game.app.update();
    assert_eq!(runs(&mut game)[3], 1);
    game.settle(island);
    let bad = game.spawn(Terrain::build(|_| Err(Error::parameter("gain", "at most 4"))));
    game.settle(bad);
    assert_eq!(runs(&mut game), [0, 1, 1, 0]);
}

#[test]
fn the_sets_run_in_the_order_that_they_are_listed_in() {
    #[derive(Resource, Default)]
    struct Order(Vec<&'static str>);
    let mut game = Server::new();
    let note = |what: &'static str| move |mut order: ResMut<Order>| order.0.push(what);
    game.app
        .init_resource::<Order>()
        .add_systems(
            PreUpdate,
            (
                note("before receive").before(TerrainSystems::Receive),
                note("received").after(TerrainSystems::Receive),
            ),
        )
        .add_systems(Update, note("update"))
        .add_systems(
            PostUpdate,
            (
                note("chosen").after(TerrainSystems::Choose),
                note("before choose").before(TerrainSystems::Choose).after(TerrainSystems::Build),
                note("before build").before(TerrainSystems::Build),
            ),
        );
    game.app.update();
    let order = &game.app.world().resource::<Order>().0;
    assert_eq!(*order, ["before receive", "received", "update", "before build", "before choose", "chosen"]);
}

/// The tiles that a log of changes adds up to.
fn shown(log: &[TerrainTilesChanged]) -> Vec<LandTile> {
    let mut there = Vec::new();
    for change in log {
        there.retain(|tile| {
            !change.hidden.contains(tile) && !change.shown.iter().any(|shown| shown.tile == *tile)
        });
        there.extend(change.shown.iter().map(|shown| shown.tile));
    }
    there.sort_unstable();
    there
}

#[test]
fn tiles_are_told_to_those_who_ask_and_add_up_to_what_there_is() {
    let mut game = Server::new();
    let log = game.log::<TerrainTilesChanged>();
    let land = recipe(1025, "fbm(height: 300)");
    let deaf = game.spawn(Terrain::from_recipe(land.clone(), &Cache::default()));
    game.settle(deaf);
    game.spawn((TerrainAnchor { reach: 200.0, spacing: 2.5 }, Transform::from_xyz(300.0, 0.0, -100.0)));
    let finest = |game: &mut Server, terrain, place: Vec3, spacing: f32| {
        game.update_until(|app| {
            use bevy::ecs::system::RunSystemOnce;
            let ask = move |terrains: upland::plugin::TerrainQuery| terrains.ground_of(terrain, place);
            app.world_mut().run_system_once(ask).unwrap().is_some_and(|ground| ground.spacing <= spacing)
        });
    };
    finest(&mut game, deaf, Vec3::new(300.0, 0.0, -100.0), 2.5);
    assert!(log.lock().unwrap().is_empty(), "nobody has asked");
    game.app.world_mut().despawn(deaf);
    game.app.update();
    assert!(log.lock().unwrap().is_empty());

    let turn = Quat::from_rotation_y(0.5);
    let pose = Transform { translation: Vec3::new(7.0, 30.0, -2.0), rotation: turn, scale: Vec3::splat(2.0) };
    let terrain =
        game.spawn((Terrain::from_recipe(land, &Cache::default()), TerrainTileEvents::default(), pose));
    game.settle(terrain);
    finest(&mut game, terrain, Vec3::new(300.0, 0.0, -100.0), 2.5);
    for _ in 0..3 {
        game.app.update();
    }
    let told = log.lock().unwrap().clone();
    let there = shown(&told);
    assert!(there.len() > 5, "{there:?}");
    let coarsest = there.iter().map(|tile| tile.level).max().unwrap();
    assert!(there.iter().all(|tile| tile.level == coarsest || there.contains(&tile.parent())));

    // Where a tile is told to lie there is ground, at heights between those that are told.
    for shown in told.iter().flat_map(|change| &change.shown) {
        let side = TILE_CELLS as f32 * shown.spacing;
        for edge in [shown.east, shown.south] {
            assert!((edge.length() - side).abs() < 1e-3 * side && edge.y == 0.0, "{shown:?}");
        }
        assert_eq!(shown.tile.level, (shown.spacing / 20.0).log2().round() as i32);
        let middle = shown.corner + 0.5 * (shown.east + shown.south);
        let Some(height) = game.height(middle) else { continue };
        let (low, high) = (30.0 + 2.0 * shown.heights.0, 30.0 + 2.0 * shown.heights.1);
        assert!((low - 1.0..=high + 1.0).contains(&height), "{height} in {low}..{high}");
    }

    // A change makes all of them anew.
    log.lock().unwrap().clear();
    game.entity(terrain).insert(Terrain::from_recipe(recipe(1025, "fbm(height: 100)"), &Cache::default()));
    let again = log.clone();
    let all = there.clone();
    game.update_until(move |_| shown(&again.lock().unwrap()).len() >= all.len());
    // And the end hides all.
    game.app.world_mut().despawn(terrain);
    game.app.update();
    assert!(shown(&log.lock().unwrap()).is_empty());
    assert!(!log.lock().unwrap().last().unwrap().hidden.is_empty());
}

#[test]
fn land_goes_with_its_entity_however_that_is_moved_turned_and_scaled() {
    let grid = Grid::new(65, 33, 10.0).unwrap();
    let field = Heightfield::from_fn(grid, |column, row| (column * column) as f32 * 0.1 + 3.0 * row as f32);
    let mut game = Server::new();
    let land = std::sync::Arc::new(bare(field.clone()));
    let terrain = game.spawn(Terrain::ready(land));
    game.settle(terrain);
    let poses = [
        Transform::IDENTITY,
        Transform::from_xyz(100.0, -20.0, 3000.0),
        Transform::from_rotation(Quat::from_rotation_y(1.1)),
        Transform::from_scale(Vec3::splat(0.25)),
        Transform {
            translation: Vec3::new(-5.0, 7.0, 11.0),
            rotation: Quat::from_rotation_y(-2.0),
            scale: Vec3::splat(3.0),
        },
    ];
    // The parent of a terrain moves it too.
    let parent = game.spawn(Transform::IDENTITY);
    game.entity(terrain).insert(ChildOf(parent));
    for outer in poses {
        game.entity(parent).insert(outer);
        for pose in poses {
            game.entity(terrain).insert(pose);
            game.app.update();
            let in_world = outer.compute_affine() * pose.compute_affine();
            for (column, row) in [(1, 1), (32, 16), (63, 31), (5, 28)] {
                let height = field.at(column, row);
                let corner = grid.extent() * -0.5;
                let place = Vec3::new(corner.x + 10.0 * column as f32, height, corner.y + 10.0 * row as f32);
                let expected = in_world.transform_point3(place);
                let scale = outer.scale.x * pose.scale.x;
                let found = game.ask(move |terrains| terrains.ground(expected).unwrap());
                assert!(found.position.distance(expected) < 2e-3 * scale.max(1.0), "{found:?} {expected}");
                assert!((found.spacing - 10.0 * scale).abs() < 1e-3 * scale);
                let met = game.ask(move |terrains| {
                    let from = expected + 50.0 * scale * Vec3::Y;
                    terrains.cast_ray(Ray3d::new(from, Dir3::NEG_Y), 100.0 * scale).unwrap()
                });
                assert!(met.position.distance(expected) < 2e-3 * scale.max(1.0), "{met:?}");
            }
        }
    }
}

/// The plugin's own threads, where they can be counted: those of the task pools and of the tests are others.
fn threads() -> usize {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0 };
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|name| name.trim() == "upland").count()
}

/// Memory that is held, but for what is remembered for later builds, which has a budget of its own.
fn bytes_held(world: &World) -> usize {
    world.resource::<TerrainCache>().0.clear();
    ALLOCATOR.current_usage()
}

/// How many assets of a kind there are.
fn assets<A: Asset>(world: &World) -> usize {
    world.get_resource::<Assets<A>>().map_or(0, Assets::len)
}

/// What a game holds, by name: entities, the assets of every kind that there is without a renderer, colliders
/// and their bytes, and where it can be counted threads.
fn held(world: &mut World) -> [(&'static str, usize); 9] {
    let entities = world.query::<Entity>().iter(world).count();
    let colliders = *world.resource::<ColliderStatistics>();
    [
        ("entities", entities),
        ("images", assets::<Image>(world)),
        ("meshes", assets::<Mesh>(world)),
        ("materials", assets::<StandardMaterial>(world)),
        ("shaders", assets::<Shader>(world)),
        ("recipes", assets::<RecipeAsset>(world)),
        ("colliders", colliders.tiles),
        ("bytes of colliders", colliders.bytes),
        ("threads", threads()),
    ]
}

/// A game with all that can be added without a renderer. Meshes, materials and shaders, which a renderer
/// would bring, are there to be counted.
fn full() -> Server {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
        TransformPlugin,
        AssetPlugin::default(),
    ))
    .init_asset::<Mesh>()
    .init_asset::<StandardMaterial>()
    .init_asset::<Shader>()
    .add_plugins((TerrainPlugin, TerrainColliderPlugin, ScatterPlugin, WaterPlugin, SkyPlugin::default()))
    .add_plugins((PlanetPlugin, DisplacementPlugin, FloatingOriginPlugin));
    app.finish();
    app.cleanup();
    Server { app }
}

/// A land of one height with a sea and a rule that scatters spruces.
fn wet(height: f32) -> Recipe {
    let texture = r##"custom(types: [(name: "moss", colour: "#305020")], resolution: 64)"##;
    let text = format!(
        r#"(version: 1, name: "Land", size: (33, 33), cell: 10, steps: [flat(height: {height:?})],
            water: (sea: true, sea_level: 2.0), texture: {texture},
            scatter: [(name: "spruces", object: "spruce", density: 300.0, spacing: 3.0, radius: 1.0)])"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}

/// Threads that have been told to stop, and memory that is given back in the background, take a moment.
fn rest(game: &mut Server) {
    for _ in 0..100 {
        game.app.update();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// All that a terrain can have on a server is on each: every life is short, since its land is small and of
/// one height. What is drawn of terrains leaves nothing either, which `tests/render/scatter.rs` counts.
#[test]
fn a_thousand_lives_leave_no_trace() {
    if !in_own_process("lives::a_thousand_lives_leave_no_trace") {
        return;
    }
    let mut game = full();
    let cache = Cache::new(0);
    let cycle = |game: &mut Server, number: usize| {
        let height = number as f32;
        let terrain = match number % 5 {
            0 => ready(height),
            1 => Terrain::from_recipe(
                recipe(33, &format!("flat(height: {height:?}), fbm(blend: add)")),
                &cache,
            ),
            2 => {
                let asset = RecipeAsset(wet(height));
                Terrain::recipe(game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().add(asset))
            }
            3 => Terrain::build(|_| Err(Error::parameter("gain", "at most 4"))),
            _ => Terrain::build(move |_| Ok(flat(height))),
        };
        let mut strokes = TerrainStrokes::default();
        strokes.make(Stroke::at(Tool::Raise { by: 50.0 }, [40.0, 40.0], 25.0)).unwrap();
        let of_game = (TerrainTileEvents::default(), TerrainScatter::default(), strokes);
        let anchor = TerrainAnchor { reach: 20.0, spacing: 5.0 };
        let terrain = game.spawn((terrain, of_game));
        let body = game.spawn((Transform::from_xyz(1.0, 2.0 * height, 3.0), ColliderNeed::default(), anchor));
        let sky = game.spawn(Sky::default());
        // Every other one goes while it is built.
        if number.is_multiple_of(2) {
            game.settle(terrain);
            // Its strokes and its colliders are there in the next frame.
            game.app.update();
        } else {
            game.app.update();
        }
        let mut last = vec![terrain, body, sky];
        // Bodies go before their land and after it.
        last.rotate_left(number % 3);
        for entity in last {
            game.app.world_mut().despawn(entity);
            if number.is_multiple_of(7) {
                game.app.update();
            }
        }
        game.app.update();
    };
    // What is only made once is there.
    for number in 0..50 {
        cycle(&mut game, number);
    }
    rest(&mut game);
    let before = held(game.app.world_mut());
    assert_eq!(before[6].1, 0, "nobody needs colliders any more");
    let (bytes, made) =
        (bytes_held(game.app.world()), game.app.world().resource::<ColliderStatistics>().made);
    for number in 0..1000 {
        cycle(&mut game, number);
    }
    rest(&mut game);
    game.update_until(|app| held(app.world_mut())[8].1 <= before[8].1);
    assert_eq!(held(game.app.world_mut()), before);
    let made = game.app.world().resource::<ColliderStatistics>().made - made;
    assert!(made > 300, "{made} colliders were made");
    let more = bytes_held(game.app.world()).saturating_sub(bytes);
    assert!(more < 1 << 20, "{more} bytes are left of 1000 terrains");
}
