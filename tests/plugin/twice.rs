//! Plugins that are added twice: by a game and by a library that it uses. The second does nothing.
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin, TerminalCtrlCHandlerPlugin};
use bevy::ecs::observer::Observer;
use bevy::ecs::schedule::Schedules;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::settings::WgpuSettings;
use bevy::render::sync_world::SyncWorldPlugin;
use bevy::time::TimeUpdateStrategy;
use upland::plugin::{
    DisplacementPlugin, FloatingOriginPlugin, LeanViewsPlugin, PlanetPlugin, ScatterPlugin, SkyPlugin,
    TerrainColliderPlugin, TerrainPlugin, WaterPlugin,
};

/// Adds a plugin to an app.
type Add = fn(&mut App);

/// The plugins that a game can add, by name.
fn plugins() -> Vec<(&'static str, Add)> {
    #[allow(unused_mut)]
    let mut all: Vec<(&'static str, Add)> = vec![
        ("TerrainPlugin", |app| _ = app.add_plugins(TerrainPlugin)),
        ("ScatterPlugin", |app| _ = app.add_plugins(ScatterPlugin)),
        ("WaterPlugin", |app| _ = app.add_plugins(WaterPlugin)),
        ("SkyPlugin", |app| _ = app.add_plugins(SkyPlugin::default())),
        ("PlanetPlugin", |app| _ = app.add_plugins(PlanetPlugin)),
        ("DisplacementPlugin", |app| _ = app.add_plugins(DisplacementPlugin)),
        ("FloatingOriginPlugin", |app| _ = app.add_plugins(FloatingOriginPlugin)),
        ("TerrainColliderPlugin", |app| _ = app.add_plugins(TerrainColliderPlugin)),
        ("LeanViewsPlugin", |app| _ = app.add_plugins(LeanViewsPlugin)),
    ];
    #[cfg(feature = "avian")]
    all.push(("AvianTerrainPlugin", |app| _ = app.add_plugins(upland::plugin::AvianTerrainPlugin)));
    #[cfg(feature = "rapier")]
    all.push(("RapierTerrainPlugin", |app| _ = app.add_plugins(upland::plugin::RapierTerrainPlugin)));
    all
}

/// A server.
fn without_renderer() -> App {
    let mut app = App::new();
    app.add_plugins((
        MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
        TransformPlugin,
        AssetPlugin::default(),
    ));
    app
}

/// All of Bevy but the window system and the graphics device.
fn default_plugins() -> PluginGroupBuilder {
    let settings = WgpuSettings { backends: None, ..default() };
    DefaultPlugins
        .set(RenderPlugin { render_creation: settings.into(), ..default() })
        .disable::<PipelinedRenderingPlugin>()
        .disable::<TerminalCtrlCHandlerPlugin>()
        .disable::<bevy::winit::WinitPlugin>()
        .disable::<bevy::log::LogPlugin>()
}

/// A game with a renderer.
fn with_renderer() -> App {
    let mut app = App::new();
    // What is despawned is put into a list of its, which is not there without a graphics device.
    app.add_plugins(default_plugins()).add_plugins(SyncWorldPlugin);
    app
}

/// A physics engine, which the plugins for it need.
fn with_engines(mut app: App) -> App {
    #[cfg(feature = "avian")]
    app.add_plugins(avian3d::prelude::PhysicsPlugins::default());
    #[cfg(feature = "rapier")]
    app.add_plugins(
        bevy_rapier3d::prelude::RapierPhysicsPlugin::<bevy_rapier3d::prelude::NoUserData>::default(),
    );
    // So that it is used without them.
    app.init_resource::<Time>();
    app
}

/// The systems of each schedule, by name, and the observers, of a game that has run for some frames.
fn counted(mut app: App, add: Add, times: usize) -> Vec<(String, usize)> {
    // Whatever is added beside it counts on it.
    app.add_plugins(TerrainPlugin);
    // Fixed schedules run in every frame, whatever the clock says: what has not run has not been put
    // together.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(50)));
    (0..times).for_each(|_| add(&mut app));
    app.finish();
    app.cleanup();
    (0..3).for_each(|_| app.update());
    let schedules = app.world().resource::<Schedules>();
    let mut counts: Vec<(String, usize)> = schedules
        .iter()
        .map(|(label, schedule)| (format!("systems of {label:?}"), schedule.systems_len()))
        .collect();
    counts.sort();
    let observers = app.world_mut().query::<&Observer>().iter(app.world()).count();
    counts.push(("observers".to_owned(), observers));
    counts
}

#[test]
fn a_plugin_that_is_added_twice_is_there_once() {
    for (place, game) in [("a server", without_renderer as fn() -> App), ("a game", with_renderer)] {
        for (name, add) in plugins() {
            // Those for engines need theirs, and land whose colliders they take.
            let is_for_engine = name.starts_with("Avian") || name.starts_with("Rapier");
            // On a server engines lack assets of meshes that they look at.
            if is_for_engine && place == "a server" {
                continue;
            }
            let app = || if is_for_engine { with_engines(game()) } else { game() };
            assert_eq!(counted(app(), add, 1), counted(app(), add, 2), "{name} in {place}");
        }
    }
}

#[test]
fn all_of_them_twice_are_there_once() {
    let all: Add = |app| plugins().iter().for_each(|(_, add)| add(app));
    let game = || with_engines(with_renderer());
    assert_eq!(counted(game(), all, 1), counted(game(), all, 2));
}

#[test]
fn what_draws_and_is_added_before_the_renderer_says_so() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let of_land =
        plugins().into_iter().filter(|(name, _)| !name.contains("TerrainPlugin") || *name == "TerrainPlugin");
    for (name, add) in of_land {
        let started = catch_unwind(AssertUnwindSafe(|| {
            let mut app = App::new();
            add(&mut app);
            app.add_plugins(default_plugins()).add_plugins(SyncWorldPlugin);
            app.finish();
        }));
        let draws = !["FloatingOriginPlugin", "TerrainColliderPlugin"].contains(&name);
        let said = started.err().map(|said| match said.downcast::<String>() {
            Ok(said) => *said,
            Err(said) => said.downcast::<&str>().unwrap().to_string(),
        });
        assert_eq!(said.is_some(), draws, "{name}: {said:?}");
        assert!(said.is_none_or(|said| said.contains("after Bevy's DefaultPlugins")), "{name}");
    }
}

#[test]
fn every_plugin_that_a_game_can_add_is_tried() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("src/plugin/mod.rs")).unwrap();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    // What is brought out of the rooms of the plugin, and `TerrainPlugin`, which stands in the file itself.
    let exported: BTreeSet<&str> = words.filter(|word| word.ends_with("Plugin") && word.len() > 6).collect();
    let mut known: BTreeSet<&str> = plugins().iter().map(|(name, _)| *name).collect();
    known.extend(["AvianTerrainPlugin", "RapierTerrainPlugin"]);
    for name in &known {
        assert!(exported.contains(name), "{name} is not brought out");
    }
    // Bevy's own, and parts of `TerrainPlugin`.
    let others = [
        "AssetPlugin",
        "BuildPlugin",
        "ChunksPlugin",
        "MaterialPlugin",
        "PbrPlugin",
        "SculptPlugin",
        "TaskPoolPlugin",
        "TexelUploadPlugin",
        "TransformPlugin",
        "HeadlessTerrainPlugin",
    ];
    let new: Vec<&&str> =
        exported.iter().filter(|name| !known.contains(*name) && !others.contains(name)).collect();
    assert!(new.is_empty(), "{new:?}: put them into the list of plugins here");
}
