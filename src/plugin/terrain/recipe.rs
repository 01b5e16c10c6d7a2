//! Recipes as assets: loaded with all files that they name through Bevy's asset sources, and rebuilt when
//! one of these changes.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bevy::asset::io::{AssetReaderError, Reader};
use bevy::asset::{
    AssetLoadError, AssetLoadFailedEvent, AssetLoader, AssetPath, AsyncReadExt, LoadContext, LoadState,
    ReadAssetBytesError,
};
use bevy::prelude::*;

use super::components::Terrain;
use super::events::{TerrainFailed, report, report_failure};
use super::ground::TerrainGround;
use super::lifecycle::{Event, Living};
use super::source::{RecipeAsset, TerrainSource};
use crate::files::{FileKind, HeldFile};
use crate::{Error, Recipe, Result};

/// The longest recipe, in bytes.
const LONGEST: u64 = FileKind::Recipe.limit();

/// Loads recipes.
#[derive(Default, TypePath)]
pub(crate) struct RecipeLoader;

impl AssetLoader for RecipeLoader {
    type Asset = RecipeAsset;
    type Settings = ();
    type Error = Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        _settings: &(),
        context: &mut LoadContext<'_>,
    ) -> Result<RecipeAsset> {
        let path = context.path().path().to_owned();
        let text = read_text(reader, &path).await?;
        let mut recipe = Recipe::from_ron(&text, &path.display().to_string())?;
        recipe.set_folder(path.parent().unwrap_or(Path::new("")));

        let mut read = BTreeMap::new();
        // Read here and not when the land is built: only the loader has access to the asset source, which may
        // be the web, and Bevy then reloads the recipe when one of the files changes.
        for path in recipe.files() {
            if let Some(file) = read_file(&path, context).await {
                read.insert(path, file);
            }
        }
        recipe.hold_files(|path| read.get(path).cloned());
        Ok(RecipeAsset(recipe))
    }

    fn extensions(&self) -> &[&str] {
        &["upland.ron"]
    }
}

async fn read_text(reader: &mut dyn Reader, path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    // One byte more than is allowed is enough to know that there are too many.
    let read = reader.take(LONGEST + 1).read_to_end(&mut bytes).await;
    read.map_err(|error| Error::io(path, "read", error))?;
    if bytes.len() as u64 > LONGEST {
        let reason = format!("has more than the {} MiB that a recipe has at most", LONGEST >> 20);
        return Err(Error::file(path, reason));
    }
    String::from_utf8(bytes).map_err(|_| Error::file(path, "is not text in UTF-8; a recipe is a RON file"))
}

/// Reads a file through the recipe's asset source, which registers it as a dependency; `None` if there is
/// none. Read errors are kept and reported when the file is used.
async fn read_file(path: &Path, context: &mut LoadContext<'_>) -> Option<HeldFile> {
    let Some(path) = within_source(path) else {
        let reason = "leads out of the asset source; put the file into it and name it by a path from the recipe's folder";
        return Some(Err(reason.into()));
    };
    let asset = AssetPath::from_path_buf(path).with_source(context.path().source().clone_owned());
    match context.read_asset_bytes(asset).await {
        Ok(bytes) => Some(Ok(Arc::from(bytes))),
        Err(ReadAssetBytesError::AssetReaderError(AssetReaderError::NotFound(_))) => None,
        Err(error) => Some(Err(format!("cannot be read: {error}"))),
    }
}

/// The path without `.` and `..`; `None` if it leads out of the source.
fn within_source(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        // Without the file system: an asset source may have none, and a path must not lead to files outside.
        match part {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

/// Recipes that could not be loaded, or were removed from the assets, with the reason: a terrain may be
/// spawned with one of them at any later time.
#[derive(Resource, Default)]
pub(super) struct FailedRecipes(HashMap<AssetId<RecipeAsset>, Arc<Error>>);

impl FailedRecipes {
    /// Why there is no recipe with this id, or why it is not up to date; `None` while it is being loaded
    /// again.
    pub(super) fn reason(&self, id: AssetId<RecipeAsset>, server: &AssetServer) -> Option<Arc<Error>> {
        let reason = self.0.get(&id)?;
        (!matches!(server.get_load_state(id), Some(LoadState::Loading))).then(|| reason.clone())
    }

    fn forget(&mut self, id: AssetId<RecipeAsset>) {
        self.0.remove(&id);
    }
}

/// Why a recipe could not be loaded: its loader's own error, with line and column, if it comes from there.
fn load_error(path: &AssetPath, error: &AssetLoadError) -> Error {
    let of_loader = match error {
        AssetLoadError::AssetLoaderError(error) => error.error().downcast_ref::<Error>(),
        _ => None,
    };
    of_loader.cloned().unwrap_or_else(|| {
        let said = error.to_string();
        Error::file(path.to_string(), without_backtrace(&said))
    })
}

/// The text of a Bevy error, without the backtrace that follows it if the environment enables backtraces.
fn without_backtrace(said: &str) -> &str {
    let is_first_call = |line: &str| line.trim_start().starts_with("0: ");
    let mut lines = said.split_inclusive('\n');
    let message: usize = lines.by_ref().take_while(|line| !is_first_call(line)).map(str::len).sum();
    said[..message].trim_end()
}

/// Builds a terrain when its recipe has loaded or reloaded, and reports when it could not be, or was removed
/// before.
pub(crate) fn follow_recipes(
    mut events: MessageReader<AssetEvent<RecipeAsset>>,
    mut failures: MessageReader<AssetLoadFailedEvent<RecipeAsset>>,
    mut terrains: Query<(Entity, &mut Terrain, Living, Has<TerrainGround>)>,
    recipes: Res<Assets<RecipeAsset>>,
    mut failed: ResMut<FailedRecipes>,
    mut commands: Commands,
) {
    let shows = |terrain: &Terrain, id: AssetId<RecipeAsset>| matches!(&terrain.source, TerrainSource::Asset(handle) if handle.id() == id);
    let (mut unused, mut news) = (Vec::new(), Vec::new());
    for event in events.read() {
        match event {
            // Messages are a frame old: an asset that was added may have been removed since.
            AssetEvent::Added { id } | AssetEvent::Modified { id } if recipes.contains(*id) => {
                failed.forget(*id);
                for (_, mut terrain, ..) in &mut terrains {
                    if shows(&terrain, *id) {
                        // The start of builds, later in this frame, notices changed terrains only.
                        terrain.set_changed();
                    }
                }
            }
            AssetEvent::Removed { id } if !recipes.contains(*id) => {
                let reason = "was removed from the game's assets before its land was built; load it again";
                news.push((*id, Error::parameter("recipe", reason), true));
            }
            AssetEvent::Unused { id } => unused.push(*id),
            _ => {}
        }
    }
    for failure in failures.read() {
        news.push((failure.id, load_error(&failure.path, &failure.error), false));
    }
    for (id, error, is_removed) in news {
        let error = Arc::new(error);
        failed.0.insert(id, error.clone());
        for (entity, mut terrain, mut living, has_ground) in &mut terrains {
            // Landscapes built from a recipe outlive it.
            if !shows(&terrain, id) || (is_removed && (has_ground || living.life.is_building())) {
                continue;
            }
            if terrain.is_changed() {
                // The start of builds, which follows, reports it. It must notice the terrain even if that was
                // changed between these two systems in the last frame.
                terrain.set_changed();
                continue;
            }
            living.on(Event::SourceFailed(error.to_string()));
            let event = TerrainFailed::of(entity, error.clone());
            // Bevy has written to the log what it could not load.
            if is_removed { report_failure(&mut commands, event) } else { report(&mut commands, event) }
        }
    }
    // No handle to these recipes is left, so no terrain can use them, and the list does not grow.
    unused.into_iter().for_each(|id| failed.forget(id));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, Instant};

    use bevy::asset::AssetPlugin;
    use bevy::asset::io::embedded::EmbeddedAssetRegistry;
    use bevy::asset::io::memory::{Dir, MemoryAssetReader};
    use bevy::asset::io::{AssetSourceBuilder, AssetSourceEvent, AssetSourceId, AssetWatcher};

    use super::super::build::{finish_builds, start_builds};
    use super::super::source::TerrainCache;
    use super::super::status::TerrainStatus;
    use super::*;
    use crate::plugin::device::TexelPatches;
    use crate::plugin::ground_textures::TextureArrays;
    use crate::plugin::stream::TerrainBudget;

    /// When to give up.
    const PATIENCE: Duration = Duration::from_secs(120);

    /// Reports changes to the asset server.
    type Tell = Arc<Mutex<Option<Box<dyn Fn(AssetSourceEvent) + Send>>>>;

    struct Watcher;
    impl AssetWatcher for Watcher {}

    /// A game whose assets lie in memory.
    struct Game {
        app: App,
        files: Dir,
        tell: Tell,
    }

    impl Game {
        fn new(source: AssetSourceId<'static>) -> Self {
            let (files, tell) = (Dir::default(), Tell::default());
            let (root, to_tell) = (files.clone(), tell.clone());
            let memory = AssetSourceBuilder::new(move || Box::new(MemoryAssetReader { root: root.clone() }))
                .with_watcher(move |sender| {
                    let tell = move |event| sender.try_send(event).unwrap();
                    *to_tell.lock().unwrap() = Some(Box::new(tell));
                    Some(Box::new(Watcher))
                });
            let mut app = App::new();
            app.register_asset_source(source, memory)
                .add_plugins((
                    bevy::app::TaskPoolPlugin::default(),
                    AssetPlugin { watch_for_changes_override: Some(true), ..default() },
                ))
                .init_asset::<Image>()
                .init_asset::<RecipeAsset>()
                .init_asset_loader::<RecipeLoader>()
                .init_resource::<TextureArrays>()
                .init_resource::<TerrainCache>()
                .init_resource::<TexelPatches>()
                .init_resource::<TerrainBudget>()
                .init_resource::<FailedRecipes>()
                .add_systems(PreUpdate, finish_builds::<false>)
                .add_systems(PostUpdate, (follow_recipes, start_builds).chain());
            super::super::add_messages(&mut app);
            Self { app, files, tell }
        }

        fn write(&self, path: &str, bytes: impl Into<Vec<u8>>) {
            self.files.insert_asset(Path::new(path), bytes.into());
        }

        fn changed(&self, path: &str) {
            let tell = self.tell.lock().unwrap();
            tell.as_ref().unwrap()(AssetSourceEvent::ModifiedAsset(path.into()));
        }

        fn spawn(&mut self, path: &'static str) -> Entity {
            let recipe = self.app.world().resource::<AssetServer>().load(path);
            self.app.world_mut().spawn(Terrain::recipe(recipe)).id()
        }

        fn update_until(&mut self, mut done: impl FnMut(&App) -> bool) {
            let start = Instant::now();
            while !done(&self.app) {
                assert!(start.elapsed() < PATIENCE, "it takes too long");
                self.app.update();
                std::thread::sleep(Duration::from_millis(1));
            }
        }

        /// Waits until the terrain's north-west corner is so high.
        fn wait_for_height(&mut self, terrain: Entity, height: f32) {
            self.update_until(|app| {
                let ground = app.world().get::<TerrainGround>(terrain);
                if let Some(TerrainStatus::Failed(error)) = app.world().get(terrain) {
                    panic!("{error}");
                }
                ground.is_some_and(|ground| ground.landscape.heightfield.at(0, 0) == height)
            });
        }

        fn wait_for_ready(&mut self, terrain: Entity) {
            self.update_until(|app| app.world().get(terrain) == Some(&TerrainStatus::Ready));
        }

        fn wait_for_failure(&mut self, terrain: Entity) -> String {
            let mut failure = None;
            self.update_until(|app| {
                if let Some(TerrainStatus::Failed(error)) = app.world().get(terrain) {
                    failure = Some(error.clone());
                }
                failure.is_some()
            });
            failure.unwrap()
        }
    }

    fn recipe(step: &str) -> String {
        format!(r#"(version: 1, name: "Land", size: (2, 2), cell: 10, steps: [{step}])"#)
    }

    fn grid(height: f32) -> String {
        format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n{height} 2\n3 4\n")
    }

    #[test]
    fn a_terrain_is_built_from_a_recipe_of_any_name_where_the_type_is_known() {
        let mut game = Game::new(AssetSourceId::Default);
        for path in ["lands/flat.ron", "lands/flat.upland.ron", "lands/flat.recipe"] {
            game.write(path, recipe("flat(height: 7)"));
            let terrain = game.spawn(path);
            game.wait_for_height(terrain, 7.0);
        }
    }

    #[test]
    fn files_that_a_recipe_names_come_from_its_own_source() {
        let mut game = Game::new(AssetSourceId::from("archive"));
        for (path, text) in [
            ("game/elevation/dem.asc", grid(31.0)),
            ("game/recipes/land.ron", recipe(r#"import(file: "../elevation/dem.asc")"#)),
        ] {
            let embedded = game.app.world().resource::<EmbeddedAssetRegistry>();
            embedded.insert_asset(path.into(), Path::new(path), text.clone().into_bytes());
            game.write(path, text.replace("31", "32"));
        }
        let terrain = game.spawn("embedded://game/recipes/land.ron");
        game.wait_for_height(terrain, 31.0);
        let terrain = game.spawn("archive://game/recipes/land.ron");
        game.wait_for_height(terrain, 32.0);
    }

    #[test]
    fn tiles_and_their_normals_are_read_with_the_recipe() {
        let mut game = Game::new(AssetSourceId::Default);
        let png = |side: u32| {
            let mut bytes = std::io::Cursor::new(Vec::new());
            image::RgbImage::from_pixel(side, side, image::Rgb([90, 80, 70]))
                .write_to(&mut bytes, image::ImageFormat::Png)
                .unwrap();
            bytes.into_inner()
        };
        let types = r##"types: [(name: "moss", colour: "#305020", tile: (image: "tiles/moss.png"))]"##;
        let text = recipe("").replace("steps: []", &format!("steps: [], texture: custom({types})"));
        game.write("land.ron", text);
        game.write("tiles/moss.png", png(4));
        game.write("tiles/moss_normal.png", png(8));
        let terrain = game.spawn("land.ron");
        let error = game.wait_for_failure(terrain);
        assert!(error.contains("moss_normal.png") && error.contains("8×8"), "{error}");
        game.write("tiles/moss_normal.png", png(4));
        game.changed("tiles/moss_normal.png");
        game.update_until(|app| app.world().get(terrain) == Some(&TerrainStatus::Ready));
    }

    #[test]
    fn the_terrain_follows_its_recipe_and_the_files_that_this_names() {
        let mut game = Game::new(AssetSourceId::Default);
        game.write("recipes/land.ron", recipe("flat(height: 1)"));
        let terrain = game.spawn("recipes/land.ron");
        game.wait_for_height(terrain, 1.0);
        game.write("recipes/dem.asc", grid(2.0));
        game.write("recipes/land.ron", recipe(r#"import(file: "dem.asc")"#));
        game.changed("recipes/land.ron");
        game.wait_for_height(terrain, 2.0);
        game.write("recipes/dem.asc", grid(3.0));
        game.changed("recipes/dem.asc");
        game.wait_for_height(terrain, 3.0);

        game.write("recipes/land.ron", "(version: 1, name: oops");
        game.changed("recipes/land.ron");
        let error = game.wait_for_failure(terrain);
        assert!(error.contains("land.ron:1:"), "{error}");
        let ground = game.app.world().get::<TerrainGround>(terrain).unwrap();
        assert_eq!(ground.landscape.heightfield.at(0, 0), 3.0, "the landscape stays");
        game.write("recipes/land.ron", recipe("flat(height: 4)"));
        game.changed("recipes/land.ron");
        game.update_until(|app| app.world().get(terrain) == Some(&TerrainStatus::Ready));
        game.wait_for_height(terrain, 4.0);
    }

    #[test]
    fn a_backtrace_behind_a_message_is_left_out() {
        let said = "Failed to load 'a.ron': two\nlines\n\n   0: std::backtrace::Backtrace::create\n   1: main\nnote: filtered";
        assert_eq!(without_backtrace(said), "Failed to load 'a.ron': two\nlines");
        assert_eq!(without_backtrace("a.ron: 0 is outside\n"), "a.ron: 0 is outside");
        assert_eq!(without_backtrace(""), "");
    }

    /// The reports of failures and the terrain's status, once nothing changes any more.
    fn ends(game: &mut Game, spawn: impl FnOnce(&mut Game) -> Entity) -> (Vec<TerrainFailed>, TerrainStatus) {
        let failed = Arc::new(Mutex::new(Vec::new()));
        let log = failed.clone();
        game.app.add_observer(move |event: On<TerrainFailed>| log.lock().unwrap().push(event.clone()));
        let terrain = spawn(game);
        game.app.update();
        game.update_until(|app| app.world().get::<TerrainStatus>(terrain).unwrap().is_settled());
        // A report that comes again comes soon.
        (0..3).for_each(|_| game.app.update());
        let failed = failed.lock().unwrap().clone();
        assert!(failed.iter().all(|failed| failed.entity == terrain));
        (failed, game.app.world().get::<TerrainStatus>(terrain).unwrap().clone())
    }

    /// A game that has loaded a recipe which cannot be read.
    fn with_broken_recipe() -> (Game, Handle<RecipeAsset>) {
        let game = Game::new(AssetSourceId::Default);
        game.write("land.ron", "(version: 1, name: oops");
        let handle = game.app.world().resource::<AssetServer>().load("land.ron");
        (game, handle)
    }

    fn load_state(app: &App, handle: &Handle<RecipeAsset>) -> LoadState {
        app.world().resource::<AssetServer>().load_state(handle)
    }

    #[test]
    fn a_recipe_that_has_failed_to_load_before_its_terrain_is_spawned_is_reported_once() {
        for frames in [0, 1, 5] {
            let (mut game, handle) = with_broken_recipe();
            game.update_until(|app| load_state(app, &handle).is_failed());
            (0..frames).for_each(|_| game.app.update());
            let (failed, status) =
                ends(&mut game, |game| game.app.world_mut().spawn(Terrain::recipe(handle)).id());
            assert_eq!(failed.len(), 1, "after {frames} frames: {failed:?}");
            assert_eq!(status, TerrainStatus::Failed(failed[0].error.clone()), "after {frames} frames");
            // It is built once it is mended.
            game.write("land.ron", recipe("flat(height: 4)"));
            game.changed("land.ron");
            let terrain = failed[0].entity;
            game.wait_for_ready(terrain);
            game.wait_for_height(terrain, 4.0);
        }
    }

    #[test]
    fn a_terrain_that_is_spawned_in_the_frame_in_which_its_recipe_fails_is_reported_once() {
        /// Spawns the terrain when the failure is known, and its build has not started.
        fn spawn(
            mut failures: MessageReader<AssetLoadFailedEvent<RecipeAsset>>,
            wanted: Res<Wanted>,
            mut commands: Commands,
        ) {
            if failures.read().count() > 0 {
                commands.spawn(Terrain::recipe(wanted.0.clone()));
            }
        }
        #[derive(Resource)]
        struct Wanted(Handle<RecipeAsset>);

        let (mut game, handle) = with_broken_recipe();
        game.app.insert_resource(Wanted(handle)).add_systems(Update, spawn);
        let (failed, status) = ends(&mut game, |game| {
            let terrain = |app: &mut App| {
                app.world_mut().query_filtered::<Entity, With<Terrain>>().iter(app.world()).next()
            };
            while terrain(&mut game.app).is_none() {
                game.app.update();
                std::thread::sleep(Duration::from_millis(1));
            }
            terrain(&mut game.app).unwrap()
        });
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(status, TerrainStatus::Failed(failed[0].error.clone()));
    }

    #[test]
    fn a_recipe_that_has_failed_to_reload_shows_its_land_as_it_was_and_fails() {
        let mut game = Game::new(AssetSourceId::Default);
        game.write("land.ron", recipe("flat(height: 1)"));
        let handle: Handle<RecipeAsset> = game.app.world().resource::<AssetServer>().load("land.ron");
        game.update_until(|app| load_state(app, &handle).is_loaded());
        game.write("land.ron", "(version: 1, name: oops");
        game.changed("land.ron");
        game.update_until(|app| load_state(app, &handle).is_failed());
        game.app.update();
        let (failed, status) =
            ends(&mut game, |game| game.app.world_mut().spawn(Terrain::recipe(handle)).id());
        assert_eq!(failed.len(), 1, "{failed:?}");
        assert_eq!(status, TerrainStatus::Failed(failed[0].error.clone()));
        let ground = game.app.world().get::<TerrainGround>(failed[0].entity).unwrap();
        assert_eq!(ground.landscape.heightfield.at(0, 0), 1.0);
    }

    #[test]
    fn a_recipe_that_is_no_longer_among_the_assets_is_reported_to_who_spawns_it() {
        let mut game = Game::new(AssetSourceId::Default);
        let mut recipes = game.app.world_mut().resource_mut::<Assets<RecipeAsset>>();
        let land = Recipe::from_ron(&recipe("flat(height: 3)"), "land.ron").unwrap();
        let handle = recipes.add(RecipeAsset(land.clone()));
        game.app.update();
        game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().remove(&handle);
        (0..3).for_each(|_| game.app.update());
        let shown = handle.clone();
        let (failed, _) = ends(&mut game, |game| game.app.world_mut().spawn(Terrain::recipe(shown)).id());
        assert!(failed.len() == 1 && failed[0].error.contains("load it again"), "{failed:?}");
        // The land is built when the asset exists again, and nothing is kept for unused assets.
        game.app
            .world_mut()
            .resource_mut::<Assets<RecipeAsset>>()
            .insert(&handle, RecipeAsset(land))
            .unwrap();
        game.wait_for_ready(failed[0].entity);
        assert!(game.app.world().resource::<FailedRecipes>().0.is_empty());
        game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().remove(&handle);
        (0..3).for_each(|_| game.app.update());
        assert_eq!(game.app.world().resource::<FailedRecipes>().0.len(), 1);
        game.app.world_mut().despawn(failed[0].entity);
        drop(handle);
        (0..3).for_each(|_| game.app.update());
        assert!(game.app.world().resource::<FailedRecipes>().0.is_empty());
    }

    #[test]
    fn what_a_recipe_names_outside_of_its_source_is_not_read() {
        let mut game = Game::new(AssetSourceId::Default);
        for (path, file) in [("a.ron", "../Cargo.toml"), ("b.ron", "/dev/zero"), ("c.ron", "x/../../y")] {
            game.write(path, recipe(&format!(r#"import(file: "{file}")"#)));
            let terrain = game.spawn(path);
            let error = game.wait_for_failure(terrain);
            assert!(error.contains(file) && error.contains("out of the asset source"), "{error}");
        }
        game.write("missing.ron", recipe(r#"import(file: "nowhere.asc")"#));
        let terrain = game.spawn("missing.ron");
        let error = game.wait_for_failure(terrain);
        assert!(error.contains("nowhere.asc") && error.contains("does not exist"), "{error}");
    }

    #[test]
    fn a_text_that_is_too_long_to_be_a_recipe_is_refused() {
        let mut game = Game::new(AssetSourceId::Default);
        game.write("long.ron", vec![b' '; LONGEST as usize + 1]);
        let terrain = game.spawn("long.ron");
        let error = game.wait_for_failure(terrain);
        assert!(error.contains("long.ron") && error.contains("16 MiB"), "{error}");
    }

    /// Something of a game's own.
    #[derive(Asset, TypePath)]
    struct Level(Vec<u8>);

    #[derive(Default, TypePath)]
    struct LevelLoader;

    impl AssetLoader for LevelLoader {
        type Asset = Level;
        type Settings = ();
        type Error = std::io::Error;

        async fn load(
            &self,
            reader: &mut dyn Reader,
            _: &(),
            _: &mut LoadContext<'_>,
        ) -> std::io::Result<Level> {
            let mut bytes = Vec::new();
            reader.read_to_end(&mut bytes).await?;
            Ok(Level(bytes))
        }

        fn extensions(&self) -> &[&str] {
            &["ron"]
        }
    }

    #[test]
    fn a_games_own_ron_files_stay_its_own() {
        let mut game = Game::new(AssetSourceId::Default);
        // Whichever loader comes last has the first word about an extension that both claim.
        game.app.init_asset::<Level>().init_asset_loader::<LevelLoader>().init_asset_loader::<RecipeLoader>();
        game.write("level.ron", "enemies");
        game.write("land.upland.ron", recipe("flat(height: 7)"));
        let server = game.app.world().resource::<AssetServer>().clone();
        let untyped = ["level.ron", "land.upland.ron"].map(|path| server.load_builder().load_untyped(path));
        game.update_until(|app| {
            let loaded = app.world().resource::<Assets<bevy::asset::LoadedUntypedAsset>>();
            untyped.iter().all(|handle| loaded.contains(handle))
        });
        let types = untyped.map(|handle| {
            let loaded = game.app.world().resource::<Assets<bevy::asset::LoadedUntypedAsset>>();
            loaded.get(&handle).unwrap().handle.type_id()
        });
        let expected = [std::any::TypeId::of::<Level>(), std::any::TypeId::of::<RecipeAsset>()];
        assert_eq!(types, expected);
        let level: Handle<Level> = server.load("level.ron");
        game.update_until(|app| app.world().resource::<Assets<Level>>().contains(&level));
        assert_eq!(game.app.world().resource::<Assets<Level>>().get(&level).unwrap().0, b"enemies");
    }
}
