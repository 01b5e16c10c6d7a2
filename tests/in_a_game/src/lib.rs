//! Tests of upland in a game that has more of Bevy than upland takes: its scenes and its states.
#![cfg(test)]

mod scenes;
mod states;

use std::path::Path;
use std::time::{Duration, Instant};

use bevy::app::ScheduleRunnerPlugin;
use bevy::prelude::*;
use bevy::state::app::StatesPlugin;
use bevy::world_serialization::WorldSerializationPlugin;
use upland::Recipe;
use upland::plugin::{
    ScatterPlugin, SkyPlugin, TerrainColliderPlugin, TerrainPlugin, TerrainStatus, WaterPlugin,
};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(180);

/// A game without a renderer, whose assets lie in a folder.
struct Game(App);

impl Game {
    fn new(assets: &Path) -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
            TransformPlugin,
            AssetPlugin { file_path: assets.display().to_string(), ..default() },
            (WorldSerializationPlugin, StatesPlugin),
            (TerrainPlugin, SkyPlugin::default(), ScatterPlugin, WaterPlugin, TerrainColliderPlugin),
        ));
        Self(app)
    }

    fn start(mut self) -> Self {
        self.0.finish();
        self.0.cleanup();
        self
    }

    fn spawn(&mut self, bundle: impl Bundle) -> Entity {
        self.0.world_mut().spawn(bundle).id()
    }

    fn update_until(&mut self, mut done: impl FnMut(&mut App) -> bool) {
        let start = Instant::now();
        while !done(&mut self.0) {
            assert!(start.elapsed() < PATIENCE, "it takes too long");
            self.0.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until a terrain is ready or has failed.
    fn settle(&mut self, terrain: Entity) -> TerrainStatus {
        self.0.update();
        self.update_until(|app| app.world().get::<TerrainStatus>(terrain).unwrap().is_settled());
        self.0.world().get::<TerrainStatus>(terrain).unwrap().clone()
    }
}

/// A recipe of 33 samples a side, 10 m apart, of one colour.
fn recipe(steps: &str) -> Recipe {
    let texture = r##"custom(types: [(name: "moss", colour: "#305020")], resolution: 64)"##;
    let text = format!(
        r#"(version: 1, name: "Land", size: (33, 33), cell: 10, steps: [{steps}], texture: {texture})"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}
