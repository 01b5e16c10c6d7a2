//! Bevy's own scenes: saved from one game, loaded into another as an asset.

use std::path::Path;

use bevy::asset::AssetLoadFailedEvent;
use bevy::ecs::message::Messages;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy::world_serialization::{DynamicWorld, DynamicWorldBuilder, DynamicWorldRoot};
use upland::plugin::{
    ColliderNeed, ColliderStatistics, HeightMapping, Sky, Terrain, TerrainAnchor, TerrainQuery,
    TerrainScatter, TerrainStatus, TerrainStrokes,
};
use upland::sculpt::{Stroke, Tool};

use super::{Game, recipe};

/// The name of a scene's file, and how it is loaded.
const SCENE: &str = "saved.scn.ron";

fn saved(game: &Game, entities: &[Entity]) -> String {
    let world = game.0.world();
    let registry = world.resource::<AppTypeRegistry>().read();
    let scene = DynamicWorldBuilder::from_world(world, &registry).extract_entities(entities.iter().copied());
    scene.build().serialize(&registry).unwrap()
}

/// Spawns what is in the scene's file; whether it could be loaded, or why not.
fn load(game: &mut Game) -> Result<(), String> {
    let scene: Handle<DynamicWorld> = game.0.world().resource::<AssetServer>().load(SCENE);
    let id = scene.id();
    game.spawn(DynamicWorldRoot(scene));
    let mut failure = None;
    game.update_until(|app| {
        let failures = app.world().resource::<Messages<AssetLoadFailedEvent<DynamicWorld>>>();
        let of_scene = failures.iter_current_update_messages().find(|failed| failed.id == id);
        failure = of_scene.map(|failed| failed.error.to_string());
        failure.is_some() || app.world().resource::<Assets<DynamicWorld>>().contains(id)
    });
    (0..3).for_each(|_| game.0.update());
    failure.map_or(Ok(()), Err)
}

fn only<F: bevy::ecs::query::QueryFilter>(game: &mut Game) -> Entity {
    let world = game.0.world_mut();
    world.query_filtered::<Entity, F>().single(world).unwrap()
}

/// Heights all over the land, which is 320 m wide, once it is known to five metres everywhere.
fn heights(game: &mut Game, around: Vec3) -> Vec<u32> {
    let ask = move |terrains: TerrainQuery| {
        let places =
            (0..81).map(|number| Vec3::new((number % 9) as f32, 0.0, (number / 9) as f32) * 35.0 - 140.0);
        let grounds = places.map(|place| terrains.ground(around + place.with_y(0.0)));
        let fine = grounds.map(|ground| ground.filter(|ground| ground.spacing <= 5.0));
        fine.map(|ground| Some(ground?.position.y.to_bits())).collect::<Option<Vec<u32>>>()
    };
    let mut found = None;
    game.update_until(|app| {
        found = app.world_mut().run_system_once(ask).unwrap();
        found.is_some()
    });
    found.unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_terrain_with_all_that_belongs_to_it_comes_out_of_a_scene_as_the_same_land() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "land.ron", &recipe("fbm(height: 100, frequency: 4)").to_ron().unwrap());
    let mut first = Game::new(folder.path()).start();
    let place = Vec3::new(70.0, -5.0, 210.0);
    let mut strokes = TerrainStrokes::default();
    strokes.make(Stroke::at(Tool::Raise { by: 30.0 }, [120.0, 200.0], 60.0)).unwrap();
    let scatter = TerrainScatter { distance: 0.5, shadows: 0.0, ..default() };
    let mapping = HeightMapping { scale: 1.5, bias: 4.0 };
    let source = Terrain::recipe(first.0.world().resource::<AssetServer>().load("land.ron"));
    let terrain = first.spawn((source, strokes, scatter, mapping, Transform::from_translation(place)));
    let need = ColliderNeed { radius: 12.0, ..default() };
    let anchor = TerrainAnchor { reach: 200.0, spacing: 5.0 };
    let body = first.spawn((need, anchor, Transform::from_translation(place)));
    let sky = first.spawn(Sky { clouds: 0.7, shadow_cascades: 2, ..default() });
    assert_eq!(first.settle(terrain), TerrainStatus::Ready);
    let before = heights(&mut first, place);
    write(folder.path(), SCENE, &saved(&first, &[terrain, body, sky]));
    drop(first);

    let mut second = Game::new(folder.path()).start();
    load(&mut second).unwrap();
    let terrain = only::<With<Terrain>>(&mut second);
    assert_eq!(second.settle(terrain), TerrainStatus::Ready);
    assert_eq!(heights(&mut second, place), before, "the same land, bit for bit");
    second.update_until(|app| app.world().resource::<ColliderStatistics>().tiles > 0);
    let body = only::<With<ColliderNeed>>(&mut second);
    let sky = only::<With<Sky>>(&mut second);
    let world = second.0.world();
    assert_eq!(world.get::<TerrainScatter>(terrain), Some(&scatter));
    assert_eq!(world.get::<HeightMapping>(terrain), Some(&mapping));
    assert_eq!(world.get::<ColliderNeed>(body), Some(&need));
    assert_eq!(world.get::<Sky>(sky), Some(&Sky { clouds: 0.7, shadow_cascades: 2, ..default() }));
}

#[test]
fn a_scene_that_lacks_fields_has_their_defaults_and_a_broken_one_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let scene =
        |components: &str| format!("(resources: {{}}, entities: {{1: (components: {{{components}}})}})");
    for (components, told) in [
        (r#""upland::plugin::Volcano": ()"#, "upland::plugin::Volcano"),
        (r#""upland::plugin::Terrain": (source: Moon("a"))"#, "Moon"),
        (r#""upland::plugin::Terrain": (source: File())"#, ""),
        (r#""upland::plugin::TerrainStrokes": (strokes: [(path: [(1, 2)], radius: 3)])"#, "tool"),
        (r#""upland::plugin::ColliderNeed": (radius: "wide")"#, ""),
    ] {
        write(folder.path(), SCENE, &scene(components));
        let mut game = Game::new(folder.path()).start();
        let error = load(&mut game).expect_err(components);
        assert!(error.contains(told), "{components}: {error}");
        assert_eq!(game.0.world_mut().query::<&Terrain>().iter(game.0.world()).count(), 0);
    }
    let components = r#""upland::plugin::Terrain": (), "upland::plugin::ColliderNeed": (radius: 30.0)"#;
    write(folder.path(), SCENE, &scene(components));
    let mut game = Game::new(folder.path()).start();
    load(&mut game).unwrap();
    let terrain = only::<With<Terrain>>(&mut game);
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it has no source") };
    assert!(said.contains("has no source"), "{said}");
    let need = ColliderNeed { radius: 30.0, ..default() };
    assert_eq!(game.0.world().get::<ColliderNeed>(terrain), Some(&need));
}
