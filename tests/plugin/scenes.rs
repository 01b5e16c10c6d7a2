//! Terrains in scenes: saved with everything that a game adds to them, loaded into another game, and mistakes
//! in a file.
//!
//! Bevy's own `DynamicWorld` is not among the features of Bevy that upland takes. A scene is written and read
//! here as that does it: every component that is registered with `ReflectComponent`, through Bevy's
//! serialisers with their processors for handles of assets.
use std::fmt;

use crate::server::{Server, recipe};
use bevy::app::ScheduleRunnerPlugin;
use bevy::asset::{EphemeralHandleBehavior, HandleDeserializeProcessor, HandleSerializeProcessor};
use bevy::prelude::*;
use bevy::reflect::serde::{ReflectDeserializer, ReflectSerializer};
use bevy::reflect::{PartialReflect, TypeRegistry};
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};
use upland::plugin::{
    ColliderNeed, ColliderStatistics, HeightMapping, ScatterPlugin, Sky, SkyPlugin, Terrain, TerrainAnchor,
    TerrainColliderPlugin, TerrainFailed, TerrainPlugin, TerrainScatter, TerrainStatus, TerrainStrokes,
    WaterPlugin,
};
use upland::sculpt::{Stroke, Tool};

/// A game of which much may stand in a scene.
fn game() -> Server {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
        TransformPlugin,
        AssetPlugin::default(),
    ))
    .add_plugins((TerrainPlugin, SkyPlugin::default(), ScatterPlugin, WaterPlugin, TerrainColliderPlugin))
    // Bevy's own, of which a game's default plugins know.
    .register_type::<Transform>();
    app.finish();
    app.cleanup();
    Server { app }
}

/// Entities as a scene has them: a list of lists of components.
fn saved(game: &Server, entities: &[Entity]) -> Result<String, ron::Error> {
    let world = game.app.world();
    let registry = world.resource::<AppTypeRegistry>().read();
    let processor = HandleSerializeProcessor { ephemeral_handle_behavior: EphemeralHandleBehavior::Error };
    let mut all = Vec::new();
    for entity in entities {
        let mut components = Vec::new();
        for registration in registry.iter() {
            let Some(reflected) = registration.data::<ReflectComponent>() else { continue };
            if let Some(component) = reflected.reflect(world.entity(*entity)) {
                let value = component.as_partial_reflect();
                let written = ReflectSerializer::with_processor(value, &registry, &processor);
                components.push(ron::to_string(&written)?);
            }
        }
        components.sort();
        all.push(format!("[{}]", components.join(",\n")));
    }
    Ok(format!("[{}]", all.join(",\n")))
}

/// The components of an entity out of a scene.
type Components = Vec<Box<dyn PartialReflect>>;

/// Reads a list, each item of it by a seed.
struct List<F>(F);

impl<'de, F, S> DeserializeSeed<'de> for List<F>
where
    F: FnMut() -> S,
    S: DeserializeSeed<'de>,
{
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F, S> Visitor<'de> for List<F>
where
    F: FnMut() -> S,
    S: DeserializeSeed<'de>,
{
    type Value = Vec<S::Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = list.next_element_seed((self.0)())? {
            all.push(item);
        }
        Ok(all)
    }
}

/// A component out of a scene.
struct OneComponent<'a> {
    registry: &'a TypeRegistry,
    server: AssetServer,
}

impl<'de> DeserializeSeed<'de> for OneComponent<'_> {
    type Value = Box<dyn PartialReflect>;

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<Self::Value, D::Error> {
        let mut processor = HandleDeserializeProcessor { load_from_path: &mut self.server };
        ReflectDeserializer::with_processor(self.registry, &mut processor).deserialize(deserializer)
    }
}

/// Spawns what a scene has, or says what is wrong in it.
fn loaded(game: &mut Server, scene: &str) -> Result<Vec<Entity>, String> {
    let registry = game.app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let server = game.app.world().resource::<AssetServer>().clone();
    let component = || OneComponent { registry: &registry, server: server.clone() };
    let entity = || List(component);
    let mut text = ron::Deserializer::from_str(scene).map_err(|error| error.to_string())?;
    let read: Vec<Components> = List(entity).deserialize(&mut text).map_err(|error| error.to_string())?;
    // All is read before anything is spawned.
    let spawned = read.into_iter().map(|components| {
        let mut entity = game.app.world_mut().spawn_empty();
        for value in components {
            let info = value.get_represented_type_info().expect("a registered type");
            let reflected = registry.get_type_data::<ReflectComponent>(info.type_id());
            reflected.expect("a component").insert(&mut entity, &*value, &registry);
        }
        entity.id()
    });
    Ok(spawned.collect())
}

/// Places all over the land, which is 320 m wide.
fn places() -> impl Iterator<Item = Vec3> {
    (0..81)
        .map(|number| Vec3::new((number % 9) as f32 * 35.0 - 140.0, 0.0, (number / 9) as f32 * 35.0 - 140.0))
}

/// The heights of the land at all places, once it is known to five metres everywhere.
fn heights(game: &mut Server, around: Vec3) -> Vec<u32> {
    let mut found = Vec::new();
    let ask = move |terrains: upland::plugin::TerrainQuery| {
        let grounds = places().map(|place| terrains.ground(around + place));
        let fine = grounds.map(|ground| ground.filter(|ground| ground.spacing <= 5.0));
        fine.map(|ground| Some(ground?.position.y.to_bits())).collect::<Option<Vec<u32>>>()
    };
    game.update_until(|app| {
        use bevy::ecs::system::RunSystemOnce;
        found = app.world_mut().run_system_once(ask).unwrap().unwrap_or_default();
        !found.is_empty()
    });
    found
}

/// Waits until bodies have all their ground.
fn wait_for_colliders(game: &mut Server) {
    game.update_until(|app| {
        let colliders = app.world().resource::<ColliderStatistics>();
        colliders.tiles > 0 && colliders.ordered == 0 && colliders.waiting == 0
    });
}

#[test]
fn a_terrain_with_all_that_belongs_to_it_comes_out_of_a_scene_as_the_same_land() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    std::fs::write(&path, recipe(33, "fbm(height: 100, frequency: 4)").to_ron().unwrap()).unwrap();
    let mut strokes = TerrainStrokes::default();
    strokes.make(Stroke::at(Tool::Raise { by: 30.0 }, [120.0, 200.0], 60.0)).unwrap();
    strokes.make(Stroke::at(Tool::Flatten { to: 20.0 }, [220.0, 90.0], 50.0)).unwrap();

    let mut first = game();
    let place = Vec3::new(70.0, -5.0, 210.0);
    let scatter = TerrainScatter { distance: 0.5, shadows: 0.0, ..default() };
    let mapping = HeightMapping { scale: 1.5, bias: 4.0 };
    let land = (Terrain::from_file(&path), strokes.clone(), scatter, mapping);
    let terrain = first.spawn((land, Transform::from_translation(place)));
    let need = ColliderNeed { radius: 12.0, ..default() };
    let anchor = TerrainAnchor { reach: 200.0, spacing: 5.0 };
    let body = first.spawn((need, anchor, Transform::from_translation(place)));
    let sky = first.spawn(Sky { clouds: 0.7, shadow_cascades: 2, ..default() });
    assert_eq!(first.settle(terrain), TerrainStatus::Ready);
    wait_for_colliders(&mut first);
    let before = heights(&mut first, place);
    let scene = saved(&first, &[terrain, body, sky]).unwrap();

    let mut second = game();
    let spawned = loaded(&mut second, &scene).unwrap();
    let [terrain, body, sky] = spawned[..] else { panic!("{} entities", spawned.len()) };
    assert_eq!(second.settle(terrain), TerrainStatus::Ready);
    assert_eq!(heights(&mut second, place), before, "the same land, bit for bit");
    wait_for_colliders(&mut second);
    let entity = second.entity(terrain);
    assert_eq!(entity.get::<TerrainScatter>(), Some(&scatter));
    assert_eq!(entity.get::<HeightMapping>(), Some(&mapping));
    assert_eq!(second.entity(body).get::<ColliderNeed>(), Some(&need));
    let expected = Sky { clouds: 0.7, shadow_cascades: 2, ..default() };
    assert_eq!(second.entity(sky).get::<Sky>(), Some(&expected));

    // What has come out of a scene goes into the next.
    assert_eq!(saved(&second, &[terrain, body, sky]).unwrap(), scene);
    // The strokes have come with it, and not as part of the ground.
    second.entity(terrain).remove::<TerrainStrokes>();
    second.app.update();
    second.update_until(|app| app.world().resource::<ColliderStatistics>().ordered == 0);
    let mut frames = 0;
    while heights(&mut second, place) == before {
        second.app.update();
        frames += 1;
        assert!(frames < 10_000, "the strokes are still there");
    }
}

#[test]
fn a_scene_whose_fields_are_lacking_or_unknown_is_an_error_and_nothing_is_spawned() {
    let mut game = game();
    let count = |game: &mut Server| game.app.world_mut().query::<Entity>().iter(game.app.world()).count();
    let before = count(&mut game);
    for (scene, told) in [
        // Types that no game has, or not this one.
        (r#"[[{"upland::plugin::Volcano": ()}]]"#, "upland::plugin::Volcano"),
        (r#"[[{"upland::plugin::Terrain": (source: Moon("a"))}]]"#, "Moon"),
        // A variant and a stroke lack what they are made of, and a number is none.
        (r#"[[{"upland::plugin::Terrain": (source: File())}]]"#, ""),
        (r#"[[{"upland::plugin::TerrainStrokes": (strokes: [(path: [(1, 2)], radius: 3)])}]]"#, "tool"),
        (r#"[[{"upland::plugin::ColliderNeed": (radius: "wide")}]]"#, ""),
        // Strokes out of range: refused as they are when they are made.
        (
            r#"[[{"upland::plugin::TerrainStrokes": (strokes: [(tool: raise(by: -1), path: [(1, 2)], radius: 3,
                falloff: 1, strength: 1)])}]]"#,
            "by",
        ),
        // Half a file.
        (r#"[[{"upland::plugin::Terrain": (source: File("land.ron"#, ""),
        ("", ""),
    ] {
        let error = loaded(&mut game, scene).expect_err(scene);
        assert!(!error.is_empty() && error.contains(told), "{scene}: {error}");
    }
    game.app.update();
    assert_eq!(count(&mut game), before);

    // What has a default has it.
    let scene = r#"[[{"upland::plugin::ColliderNeed": (radius: 30.0)}, {"upland::plugin::TerrainStrokes": ()},
        {"upland::plugin::Sky": (clouds: 0.1)}]]"#;
    let entity = loaded(&mut game, scene).unwrap()[0];
    let need = ColliderNeed { radius: 30.0, ..default() };
    assert_eq!(game.entity(entity).get::<ColliderNeed>(), Some(&need));
    assert_eq!(game.entity(entity).get::<Sky>(), Some(&Sky { clouds: 0.1, ..default() }));
    game.app.update();
}

#[test]
fn a_scene_of_files_that_are_gone_fails_by_an_event() {
    let mut game = game();
    let failed = game.log::<TerrainFailed>();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    std::fs::write(&path, recipe(33, "flat()").to_ron().unwrap()).unwrap();
    let terrain = game.spawn(Terrain::from_file(&path));
    let scene = saved(&game, &[terrain]).unwrap();
    game.app.world_mut().despawn(terrain);
    std::fs::remove_file(&path).unwrap();
    let terrain = loaded(&mut game, &scene).unwrap()[0];
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it was built") };
    assert!(said.contains("land.ron"), "{said}");
    let failed = failed.lock().unwrap();
    assert!(failed.iter().any(|failed| failed.entity == terrain), "{failed:?}");
}
