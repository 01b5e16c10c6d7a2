//! Inspectors can look at everything that a game spawns and reads, and scenes can hold it.
use std::collections::BTreeSet;
use std::path::Path;

use crate::server::{Server, flat, ready, recipe};
use bevy::asset::{EphemeralHandleBehavior, HandleDeserializeProcessor, HandleSerializeProcessor};
use bevy::prelude::*;
use bevy::reflect::serde::{ReflectDeserializer, ReflectSerializer};
use bevy::reflect::structs::DynamicStruct;
use bevy::reflect::{FromReflect, PartialReflect, TypeRegistry};
use serde::de::DeserializeSeed;
use upland::Skin;
use upland::plugin::{
    DisplacementPlugin, FloatingOriginPlugin, HeightMapping, PlanetPlugin, PlantSeason, RecipeAsset,
    ScatterFailed, ScatterPlugin, SkyPlugin, Terrain, TerrainAnchor, TerrainBudget, TerrainColliderPlugin,
    TerrainFailed, TerrainPlugin, TerrainScatter, TerrainSides, TerrainSkin, TerrainSource, TerrainStatus,
    WaterPlugin,
};

/// Types that follow from others, or hold what cannot be written down: no part of scenes.
const NOT_IN_SCENES: &[&str] = &[
    "CostArea",
    "GroundProbe",
    "GroundProbes",
    "Planet",
    "PlanetStatus",
    "RiverSurface",
    "TerrainChunk",
    "TerrainCollider",
    "TerrainColliderOf",
    "TerrainColliders",
    "TerrainCosts",
    "TerrainGround",
    "TerrainViewshed",
];

/// Types that nothing can be looked at of: functions.
const NOT_REFLECTED: &[&str] = &["ScatterObjects"];

/// The public types with this derive in the plugin's sources, and the line of their derives.
fn public(derive: &str) -> Vec<(String, String)> {
    fn visit(folder: &Path, found: &mut Vec<(String, String)>, derive: &str) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found, derive);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let lines: Vec<&str> = text.lines().take_while(|line| *line != "#[cfg(test)]").collect();
                for (number, line) in lines.iter().enumerate() {
                    let name = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "));
                    let Some(name) = name else { continue };
                    let above = lines[..number]
                        .iter()
                        .rev()
                        .take_while(|line| line.starts_with('#') || line.starts_with("///"));
                    let derives: String =
                        above.filter(|line| line.starts_with("#[derive(")).copied().collect();
                    let words: Vec<&str> = derives.split(|c: char| !c.is_alphanumeric()).collect();
                    if words.contains(&derive) {
                        let name = name.split(|c: char| !c.is_alphanumeric()).next().unwrap();
                        found.push((name.to_owned(), derives));
                    }
                }
            }
        }
    }
    let mut found = Vec::new();
    visit(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/plugin"), &mut found, derive);
    found.sort();
    assert!(!found.is_empty());
    found
}

#[test]
fn whatever_a_game_can_spawn_read_and_hear_can_be_looked_at() {
    for derive in ["Component", "Resource", "EntityEvent", "Message", "Asset"] {
        for (name, derives) in public(derive) {
            if NOT_REFLECTED.contains(&name.as_str()) {
                continue;
            }
            assert!(
                derives.contains("Reflect"),
                "{name} is a {derive}; derive `Reflect`, and register it in its plugin"
            );
        }
    }
}

/// A game with all plugins.
fn everything() -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), TerrainPlugin));
    app.add_plugins((
        SkyPlugin::default(),
        WaterPlugin,
        ScatterPlugin,
        PlanetPlugin,
        DisplacementPlugin,
        FloatingOriginPlugin,
        TerrainColliderPlugin,
    ));
    app
}

#[test]
fn whatever_can_be_looked_at_is_registered_by_its_plugin() {
    let app = everything();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let derives = ["Component", "Resource", "EntityEvent", "Message", "Asset"];
    let names: BTreeSet<String> =
        derives.iter().flat_map(|derive| public(derive)).map(|(name, _)| name).collect();
    let missing = names.iter().filter(|name| registry.get_with_short_type_path(name).is_none());
    assert_eq!(missing.collect::<Vec<_>>(), NOT_REFLECTED);
}

#[test]
fn a_failure_that_was_reflected_says_that_it_lacks_its_cause() {
    let terrain = Entity::from_raw_u32(7).unwrap();
    let mut failed = DynamicStruct::default();
    failed.insert("entity", terrain);
    failed.insert("object", String::from("hut"));
    failed.insert("error", String::from("no roof"));
    let failed = ScatterFailed::from_reflect(&failed).unwrap();
    assert_eq!((failed.entity, &*failed.object, &*failed.error), (terrain, "hut", "no roof"));
    assert!(failed.cause.to_string().contains("unknown"), "{}", failed.cause);
}

#[test]
fn what_scenes_hold_is_registered_with_all_that_they_need() {
    let app = everything();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let mut found = BTreeSet::new();
    for (name, _) in public("Component").into_iter().chain(public("Resource")) {
        let Some(registration) = registry.get_with_short_type_path(&name) else { continue };
        let is_held = registration.data::<ReflectComponent>().is_some()
            || registration.data::<ReflectResource>().is_some();
        assert_eq!(is_held, !NOT_IN_SCENES.contains(&name.as_str()), "{name}");
        found.insert(name);
    }
    for name in [
        "CostArea",
        "GroundProbe",
        "GroundProbes",
        "HeightMapping",
        "PrecisePlace",
        "Submersion",
        "Terrain",
        "TerrainAnchor",
        "TerrainBudget",
        "TerrainCache",
        "TerrainCollider",
        "TerrainColliderOf",
        "TerrainColliders",
        "TerrainCosts",
        "TerrainGround",
        "TerrainScatter",
        "TerrainSides",
        "TerrainSkin",
        "TerrainStatistics",
        "TerrainStatus",
        "TerrainTileEvents",
        "TerrainView",
        "TerrainViewshed",
    ] {
        assert!(found.contains(name), "{name} is not registered");
    }
}

/// A component as a scene has it.
fn written(value: &dyn PartialReflect, registry: &TypeRegistry) -> std::result::Result<String, ron::Error> {
    let processor = HandleSerializeProcessor { ephemeral_handle_behavior: EphemeralHandleBehavior::Error };
    ron::to_string(&ReflectSerializer::with_processor(value, registry, &processor))
}

/// A component out of a scene.
fn read<T: Component + Reflect>(text: &str, game: &mut Server) -> Entity {
    let registry = game.app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let mut server = game.app.world().resource::<AssetServer>().clone();
    let mut processor = HandleDeserializeProcessor { load_from_path: &mut server };
    let mut text = ron::Deserializer::from_str(text).unwrap();
    let value =
        ReflectDeserializer::with_processor(&registry, &mut processor).deserialize(&mut text).unwrap();
    let reflected = registry.get_type_data::<ReflectComponent>(std::any::TypeId::of::<T>()).unwrap().clone();
    let mut entity = game.app.world_mut().spawn_empty();
    reflected.insert(&mut entity, &*value, &registry);
    entity.id()
}

#[test]
fn terrains_of_files_and_assets_come_out_of_a_scene_as_they_went_in() {
    let mut game = Server::new();
    let registry = game.app.world().resource::<AppTypeRegistry>().clone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.ron");
    std::fs::write(&path, recipe(33, "flat(height: 12)").to_ron().unwrap()).unwrap();

    let text = written(&Terrain::from_file(&path), &registry.read()).unwrap();
    let terrain = read::<Terrain>(&text, &mut game);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.height(Vec3::ZERO), Some(12.0));

    let handle: Handle<RecipeAsset> = game.app.world().resource::<AssetServer>().load("recipes/land.ron");
    let text = written(&Terrain::recipe(handle), &registry.read()).unwrap();
    assert!(text.contains("recipes/land.ron"), "{text}");
    let terrain = read::<Terrain>(&text, &mut game);
    let TerrainSource::Asset(handle) = &game.app.world().get::<Terrain>(terrain).unwrap().source else {
        panic!("{text}")
    };
    assert_eq!(handle.path().unwrap().to_string(), "recipes/land.ron");

    let skin = TerrainSkin { skin: Skin::Temperate.in_season(0.5), seed: 3 };
    let text = written(&skin, &registry.read()).unwrap();
    let entity = read::<TerrainSkin>(&text, &mut game);
    assert_eq!(game.app.world().get::<TerrainSkin>(entity), Some(&skin));
    let scatter = TerrainScatter { season: PlantSeason::Winter, ..default() };
    game.app.register_type::<TerrainScatter>();
    let text = written(&scatter, &registry.read()).unwrap();
    let entity = read::<TerrainScatter>(&text, &mut game);
    assert_eq!(game.app.world().get::<TerrainScatter>(entity), Some(&scatter), "the season too: {text}");
    let mapping = HeightMapping { scale: 2.0, bias: -3.0 };
    let text = written(&mapping, &registry.read()).unwrap();
    let entity = read::<HeightMapping>(&text, &mut game);
    assert_eq!(game.app.world().get::<HeightMapping>(entity), Some(&mapping));
}

#[test]
fn what_cannot_be_written_down_is_refused_with_its_name() {
    let game = Server::new();
    let registry = game.app.world().resource::<AppTypeRegistry>().read();
    for (terrain, named) in [
        (ready(1.0), "Landscape"),
        (Terrain::build(|_| Ok(flat(1.0))), "TerrainBuild"),
        (Terrain::from(recipe(33, "flat()")), "Recipe"),
    ] {
        let error = written(&terrain, &registry).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn a_scene_that_lacks_fields_has_their_defaults_and_a_terrain_without_a_source_says_so() {
    let mut game = Server::new();
    let log = game.log::<TerrainFailed>();
    let terrain = read::<Terrain>(r#"{"upland::plugin::Terrain":()}"#, &mut game);
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it was built") };
    assert!(said.contains("has no source") && log.lock().unwrap().len() == 1, "{said}");
    let sides = read::<TerrainSides>(r#"{"upland::plugin::TerrainSides":(depth: 0.5)}"#, &mut game);
    let sides = *game.app.world().get::<TerrainSides>(sides).unwrap();
    assert_eq!(sides, TerrainSides { depth: 0.5, ..default() });
    let anchor = read::<TerrainAnchor>(r#"{"upland::plugin::TerrainAnchor":(spacing: 4.0)}"#, &mut game);
    assert_eq!(
        game.app.world().get::<TerrainAnchor>(anchor),
        Some(&TerrainAnchor { spacing: 4.0, ..default() })
    );
}

#[test]
fn an_inspector_can_change_what_it_shows() {
    let mut game = Server::new();
    let registry = game.app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let reflected = registry.get_type_data::<ReflectResource>(std::any::TypeId::of::<TerrainBudget>());
    assert!(reflected.is_some());
    let terrain = game.spawn(ready(1.0));
    game.settle(terrain);
    let component =
        registry.get_type_data::<ReflectComponent>(std::any::TypeId::of::<HeightMapping>()).unwrap();
    {
        let mut entity = game.app.world_mut().entity_mut(terrain);
        let mut mapping = component.reflect_mut(&mut entity).unwrap();
        mapping.reflect_mut().as_struct().unwrap().field_mut("bias").unwrap().apply(&5.0f32);
    }
    game.app.update();
    assert_eq!(game.height(Vec3::ZERO), Some(6.0));
}
