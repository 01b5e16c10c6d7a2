//! What happens to terrains whose recipe, or a file of it, goes while it is being loaded. A source of assets
//! waits in the middle of reading until the test has done its worst.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::own_process::in_own_process_with;
use crate::server::{self, Server};
use bevy::app::ScheduleRunnerPlugin;
use bevy::asset::io::{AssetReader, AssetReaderError, AssetSourceBuilder, PathStream, Reader, VecReader};
use bevy::prelude::*;
use upland::Error;
use upland::plugin::{RecipeAsset, Terrain, TerrainFailed, TerrainPlugin, TerrainStatus};

/// After which a reader that nobody lets go on goes on by itself, so that a failed test ends.
const PATIENCE: Duration = Duration::from_secs(120);

/// A folder whose files are read only when they are let through.
#[derive(Clone)]
struct Slow {
    folder: PathBuf,
    gate: Arc<(Mutex<Gate>, Condvar)>,
}

#[derive(Default)]
struct Gate {
    /// The file that is held up.
    holds_up: Option<PathBuf>,
    /// Whether somebody is reading it, and whether that is done.
    is_reading: bool,
    has_read: bool,
}

impl Slow {
    fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), gate: Arc::default() }
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.join(name), text).unwrap();
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.folder.join(name)).unwrap();
    }

    /// Holds up whoever reads a file from now on.
    fn hold_up(&self, name: &str) {
        *self.gate.0.lock().unwrap() = Gate { holds_up: Some(name.into()), ..default() };
    }

    fn is_reading(&self) -> bool {
        self.gate.0.lock().unwrap().is_reading
    }

    fn has_read(&self) -> bool {
        self.gate.0.lock().unwrap().has_read
    }

    fn let_through(&self) {
        self.gate.0.lock().unwrap().holds_up = None;
        self.gate.1.notify_all();
    }
}

impl AssetReader for Slow {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        {
            let mut gate = self.gate.0.lock().unwrap();
            if gate.holds_up.as_deref() == Some(path) {
                gate.is_reading = true;
                let holds_up = |gate: &mut Gate| gate.holds_up.as_deref() == Some(path);
                let (mut gate, _) = self.gate.1.wait_timeout_while(gate, PATIENCE, holds_up).unwrap();
                gate.has_read = true;
            }
        }
        match std::fs::read(self.folder.join(path)) {
            Ok(bytes) => Ok(VecReader::new(bytes)),
            Err(_) => Err(AssetReaderError::NotFound(path.to_owned())),
        }
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Err::<VecReader, _>(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        Err(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn is_directory<'a>(&'a self, _: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(false)
    }
}

fn game(files: &Slow) -> Server {
    let reader = files.clone();
    let mut app = App::new();
    app.register_asset_source("slow", AssetSourceBuilder::new(move || Box::new(reader.clone()))).add_plugins(
        (
            MinimalPlugins.build().disable::<ScheduleRunnerPlugin>(),
            TransformPlugin,
            AssetPlugin::default(),
            TerrainPlugin,
        ),
    );
    app.finish();
    app.cleanup();
    Server { app }
}

fn spawn(game: &mut Server, path: &'static str) -> Entity {
    let recipe = game.app.world().resource::<AssetServer>().load(path);
    game.spawn(Terrain::recipe(recipe))
}

fn recipe(step: &str) -> String {
    server::recipe(33, step).to_ron().unwrap()
}

/// Heights all alike, as a file.
fn grid(height: f32) -> String {
    let rows = format!("{height} {height}\n").repeat(2);
    format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 320\n{rows}")
}

#[test]
fn a_recipe_that_is_deleted_while_it_is_read_fails_and_is_built_when_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let files = Slow::new(folder.path());
    let mut game = game(&files);
    let failed = game.log::<TerrainFailed>();
    files.write("land.ron", &recipe("flat(height: 7)"));
    files.hold_up("land.ron");
    let terrain = spawn(&mut game, "slow://land.ron");
    game.update_until(|_| files.is_reading());
    (0..5).for_each(|_| game.app.update());
    assert!(!game.status(terrain).is_settled(), "it is being loaded");
    files.remove("land.ron");
    files.let_through();
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("there is no recipe") };
    assert!(said.contains("land.ron"), "{said}");
    assert_eq!(failed.lock().unwrap().len(), 1, "told once");

    files.write("land.ron", &recipe("flat(height: 9)"));
    game.app.world().resource::<AssetServer>().reload("slow://land.ron");
    game.update_until(|app| app.world().get(terrain) == Some(&TerrainStatus::Ready));
    assert_eq!(game.height(Vec3::ZERO), Some(9.0));
}

#[test]
fn a_file_of_a_recipe_that_is_deleted_while_it_is_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let files = Slow::new(folder.path());
    let mut game = game(&files);
    files.write("land.ron", &recipe(r#"import(file: "heights.asc")"#));
    files.write("heights.asc", &grid(30.0));
    files.hold_up("heights.asc");
    let terrain = spawn(&mut game, "slow://land.ron");
    game.update_until(|_| files.is_reading());
    files.remove("heights.asc");
    files.let_through();
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("there are no heights") };
    assert!(said.contains("heights.asc"), "{said}");

    files.write("heights.asc", &grid(40.0));
    game.app.world().resource::<AssetServer>().reload("slow://land.ron");
    game.update_until(|app| app.world().get(terrain) == Some(&TerrainStatus::Ready));
    let height = game.height(Vec3::ZERO).unwrap();
    assert!((height - 40.0).abs() < 1e-3, "{height}");
}

#[test]
fn a_recipe_that_nobody_wants_any_more_while_it_is_read_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let files = Slow::new(folder.path());
    let mut game = game(&files);
    files.write("land.ron", &recipe("flat(height: 7)"));
    let count = |game: &mut Server| game.app.world_mut().query::<Entity>().iter(game.app.world()).count();
    game.app.update();
    let before = count(&mut game);
    files.hold_up("land.ron");
    let terrain = spawn(&mut game, "slow://land.ron");
    game.update_until(|_| files.is_reading());
    // With it goes the only handle.
    game.app.world_mut().despawn(terrain);
    (0..5).for_each(|_| game.app.update());
    files.let_through();
    // What comes in now is nobody's.
    game.update_until(|_| files.has_read());
    for _ in 0..50 {
        game.app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(game.app.world().resource::<Assets<RecipeAsset>>().is_empty());
    assert_eq!(count(&mut game), before);

    // Whoever wants it again gets it.
    let terrain = spawn(&mut game, "slow://land.ron");
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.height(Vec3::ZERO), Some(7.0));
}

#[test]
fn a_recipe_that_is_removed_from_the_assets_while_it_is_read_is_built_when_it_has_come() {
    let folder = tempfile::tempdir().unwrap();
    let files = Slow::new(folder.path());
    let mut game = game(&files);
    files.write("land.ron", &recipe("flat(height: 7)"));
    files.hold_up("land.ron");
    let handle: Handle<RecipeAsset> = game.app.world().resource::<AssetServer>().load("slow://land.ron");
    let terrain = game.spawn(Terrain::recipe(handle.clone()));
    game.update_until(|_| files.is_reading());
    assert!(game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().remove(&handle).is_none());
    (0..5).for_each(|_| game.app.update());
    assert!(!game.status(terrain).is_settled(), "it is still being loaded");
    files.let_through();
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.height(Vec3::ZERO), Some(7.0));
}

#[test]
fn a_broken_recipe_is_reported_by_line_and_column_without_a_backtrace() {
    let test = "asset_while_loading::a_broken_recipe_is_reported_by_line_and_column_without_a_backtrace";
    if !in_own_process_with(test, &[("RUST_BACKTRACE", "1")]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = Slow::new(folder.path());
    let mut game = game(&files);
    let failed = game.log::<TerrainFailed>();
    files.write("land.ron", "(\n    version: 1,\n    name: oops,\n)");
    let terrain = spawn(&mut game, "slow://land.ron");
    let TerrainStatus::Failed(said) = game.settle(terrain) else { panic!("it is no recipe") };
    let missing = spawn(&mut game, "slow://nowhere.ron");
    assert!(matches!(game.settle(missing), TerrainStatus::Failed(_)));
    let failed = failed.lock().unwrap();
    let [broken, missing] = &failed[..] else { panic!("{failed:?}") };
    assert!(
        matches!(&*broken.cause, Error::Recipe { line: 3, origin, .. } if origin == "land.ron"),
        "{broken:?}"
    );
    assert!(said.starts_with("land.ron:3:") && said.lines().count() == 1, "{said}");
    assert!(missing.error.contains("nowhere.ron") && missing.error.lines().count() == 1, "{}", missing.error);
    for failed in [broken, missing] {
        assert_eq!(failed.cause.to_string(), failed.error);
    }
}
