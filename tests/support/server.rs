//! A game without a renderer: what a server has.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bevy::app::{ScheduleRunnerPlugin, TaskPoolPlugin};
use bevy::ecs::event::EntityEvent;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use upland::plugin::{Terrain, TerrainPlugin, TerrainQuery, TerrainStatus};
use upland::texture::ColourMap;
use upland::{Grid, Heightfield, Landscape, Recipe};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(180);

pub struct Server {
    pub app: App,
}

impl Server {
    pub fn new() -> Self {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
            TransformPlugin,
            AssetPlugin::default(),
            TerrainPlugin,
        ));
        assert!(app.is_plugin_added::<TaskPoolPlugin>());
        app.finish();
        app.cleanup();
        Self { app }
    }

    pub fn spawn(&mut self, bundle: impl Bundle) -> Entity {
        self.app.world_mut().spawn(bundle).id()
    }

    pub fn entity(&mut self, entity: Entity) -> EntityWorldMut<'_> {
        self.app.world_mut().entity_mut(entity)
    }

    pub fn status(&self, terrain: Entity) -> TerrainStatus {
        self.app.world().get(terrain).cloned().unwrap()
    }

    pub fn update_until(&mut self, mut done: impl FnMut(&mut App) -> bool) {
        let start = Instant::now();
        while !done(&mut self.app) {
            assert!(start.elapsed() < PATIENCE, "it takes too long");
            self.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until a terrain is ready or has failed.
    pub fn settle(&mut self, terrain: Entity) -> TerrainStatus {
        // What has just been changed is noticed in the next frame.
        self.app.update();
        self.update_until(|app| app.world().get::<TerrainStatus>(terrain).unwrap().is_settled());
        self.status(terrain)
    }

    /// What a query answers.
    pub fn ask<T: 'static>(&mut self, ask: impl Fn(&TerrainQuery) -> T + Send + Sync + 'static) -> T {
        self.app.world_mut().run_system_once(move |terrains: TerrainQuery| ask(&terrains)).unwrap()
    }

    pub fn height(&mut self, place: Vec3) -> Option<f32> {
        self.ask(move |terrains| terrains.ground(place).map(|ground| ground.position.y))
    }

    /// A log of all events of a type, as messages would be.
    pub fn log<E>(&mut self) -> Arc<Mutex<Vec<E>>>
    where
        E: EntityEvent + Clone + Send + Sync + 'static,
    {
        let log = Arc::new(Mutex::new(Vec::new()));
        let to = log.clone();
        self.app.add_observer(move |event: On<E>| to.lock().unwrap().push(E::clone(&event)));
        log
    }
}

/// A landscape of one height, 80 m wide.
pub fn flat(height: f32) -> Landscape {
    bare(Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), height))
}

/// A landscape without textures.
pub fn bare(heightfield: Heightfield) -> Landscape {
    Landscape::new(heightfield, ColourMap { width: 1, depth: 1, texels: vec![[128; 4]] })
}

pub fn ready(height: f32) -> Terrain {
    Terrain::ready(Arc::new(flat(height)))
}

/// A recipe of so many samples a side, 10 m apart, of one colour.
pub fn recipe(side: u32, steps: &str) -> Recipe {
    let texture = r##"custom(types: [(name: "moss", colour: "#305020")], resolution: 64)"##;
    let text = format!(
        r#"(version: 1, name: "Land", size: ({side}, {side}), cell: 10, steps: [{steps}], texture: {texture})"#
    );
    Recipe::from_ron(&text, "land.ron").unwrap()
}
