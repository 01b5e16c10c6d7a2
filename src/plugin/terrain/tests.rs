//! Terrains that change, fail and go while something is under way. None of it takes a graphics card.

mod ahead;

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use bevy::asset::AssetLoadFailedEvent;
use bevy::prelude::*;

use super::BuildPlugin;
use super::components::Terrain;
use super::events::{TerrainFailed, TerrainReady, TerrainRepainted};
use super::ground::TerrainGround;
use super::lifecycle::Lifecycle;
use super::skin::TerrainSkin;
use super::source::{RecipeAsset, TerrainSource};
use super::status::TerrainStatus;
use crate::plugin::device::TexelUploadPlugin;
use crate::texture::{TerrainType, Texture};
use crate::{Error, Grid, Heightfield, Landscape, Recipe, Skin, Work};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A game that draws nothing.
struct Game {
    app: App,
    /// The terrains' reports, in order.
    log: Arc<Mutex<Vec<String>>>,
}

impl Game {
    fn new() -> Self {
        let mut app = App::new();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default(), TexelUploadPlugin))
            .init_asset::<Image>()
            .init_asset::<Mesh>()
            .init_asset::<StandardMaterial>()
            .add_plugins(BuildPlugin);
        let log = Arc::new(Mutex::new(Vec::new()));
        let [ready, failed, painted] = [(); 3].map(|()| log.clone());
        app.add_observer(move |_: On<TerrainReady>| ready.lock().unwrap().push("ready".to_owned()))
            .add_observer(move |event: On<TerrainFailed>| failed.lock().unwrap().push(event.error.clone()))
            .add_observer(move |_: On<TerrainRepainted>| painted.lock().unwrap().push("painted".to_owned()));
        Self { app, log }
    }

    fn spawn(&mut self, terrain: Terrain) -> Entity {
        self.app.world_mut().spawn(terrain).id()
    }

    fn entity(&mut self, terrain: Entity) -> EntityWorldMut<'_> {
        self.app.world_mut().entity_mut(terrain)
    }

    fn status(&self, terrain: Entity) -> Option<TerrainStatus> {
        self.app.world().get(terrain).cloned()
    }

    fn height(&self, terrain: Entity) -> Option<f32> {
        let ground = self.app.world().get::<TerrainGround>(terrain)?;
        Some(ground.landscape.heightfield.at(0, 0))
    }

    fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn update_until(&mut self, mut done: impl FnMut(&Self) -> bool) {
        let start = Instant::now();
        while !done(self) {
            assert!(start.elapsed() < PATIENCE, "it takes too long: {:?}", self.log());
            self.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn settle(&mut self, terrain: Entity) -> TerrainStatus {
        // A change by the test is noticed in the next frame.
        self.app.update();
        self.update_until(|game| game.status(terrain).unwrap().is_settled());
        self.status(terrain).unwrap()
    }

    /// Begins to paint a terrain again and returns the work that has begun, which is not finished.
    fn begin_to_paint(&mut self, terrain: Entity) -> Work {
        // More than can be painted within a frame.
        self.entity(terrain).insert(moss(4096));
        self.app.update();
        let work = self.app.world().get::<Lifecycle>(terrain).unwrap().work().expect("it is painted");
        assert!(!work.is_cancelled());
        work
    }
}

/// A skin of one colour and no tiles, `resolution` texels long.
fn moss(resolution: u32) -> TerrainSkin {
    let types = vec![TerrainType::new("moss", [0.1, 0.2, 0.1])];
    TerrainSkin { skin: Skin::Custom(Texture { types, resolution, ..Texture::default() }), seed: 0 }
}

fn land(height: f32) -> Landscape {
    let field = Heightfield::flat(Grid::new(9, 9, 10.0).unwrap(), height);
    Arc::unwrap_or_clone(TerrainGround::bare(field).landscape)
}

fn flat(height: f32) -> Terrain {
    Terrain::build(move |_| Ok(land(height)))
}

fn failing(reason: &'static str) -> Terrain {
    Terrain::build(move |_| Err(Error::parameter("gain", reason)))
}

fn failed(reason: &str) -> TerrainStatus {
    TerrainStatus::Failed(format!("gain: {reason}"))
}

/// A build that goes on until `end` is sent, or until it is cancelled.
struct Slow {
    terrain: Terrain,
    begun: Receiver<Work>,
    end: Sender<()>,
}

impl Slow {
    fn new(height: f32) -> Self {
        let ((begin, begun), (end, ended)) = (channel(), channel());
        let (begin, ended) = (Mutex::new(begin), Mutex::new(ended));
        let terrain = Terrain::build(move |work| {
            let _ = begin.lock().unwrap().send(work.clone());
            while ended.lock().unwrap().try_recv().is_err() {
                work.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(land(height))
        });
        Self { terrain, begun, end }
    }

    /// Spawns it, and waits until it has begun.
    fn spawn(&self, game: &mut Game) -> (Entity, Work) {
        let terrain = game.spawn(self.terrain.clone());
        (terrain, self.wait(game))
    }

    /// Waits until it has begun.
    fn wait(&self, game: &mut Game) -> Work {
        let mut begun = None;
        game.update_until(|_| {
            begun = self.begun.try_recv().ok();
            begun.is_some()
        });
        begun.unwrap()
    }
}

#[test]
fn a_source_that_changes_while_it_is_built_is_built_anew() {
    let mut game = Game::new();
    let slow = Slow::new(1.0);
    let (terrain, work) = slow.spawn(&mut game);
    assert!(matches!(game.status(terrain), Some(TerrainStatus::Building { .. })));
    game.entity(terrain).insert(flat(2.0));
    game.app.update();
    assert!(work.is_cancelled());
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!((game.height(terrain), game.log()), (Some(2.0), vec!["ready".to_owned()]));
}

/// Lets a build end while the frame's systems run, and the terrain have another source after that.
#[derive(Resource)]
struct InFrame(Mutex<Option<Sender<()>>>, Option<Terrain>);

fn end_in_frame(mut in_frame: ResMut<InFrame>, mut commands: Commands, lives: Query<(Entity, &Lifecycle)>) {
    let Some(end) = in_frame.0.lock().unwrap().take() else { return };
    end.send(()).unwrap();
    let (terrain, life) = lives.single().unwrap();
    let start = Instant::now();
    while !life.is_built() {
        assert!(start.elapsed() < PATIENCE, "it is never built");
        std::thread::sleep(Duration::from_millis(1));
    }
    if let Some(other) = in_frame.1.take() {
        commands.entity(terrain).insert(other);
    }
}

#[test]
fn land_that_is_made_while_a_frame_runs_is_there_in_it_unless_it_was_changed_in_it() {
    let mut game = Game::new();
    let slow = Slow::new(1.0);
    let (terrain, _) = slow.spawn(&mut game);
    game.app.insert_resource(InFrame(Mutex::new(Some(slow.end)), None)).add_systems(Update, end_in_frame);
    game.app.update();
    assert_eq!((game.status(terrain), game.height(terrain)), (Some(TerrainStatus::Ready), Some(1.0)));

    let slow = Slow::new(2.0);
    game.entity(terrain).insert(slow.terrain.clone());
    slow.wait(&mut game);
    game.app.insert_resource(InFrame(Mutex::new(Some(slow.end)), Some(flat(3.0))));
    game.app.update();
    assert_eq!((game.height(terrain), game.log()), (Some(1.0), vec!["ready".to_owned()]));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!((game.height(terrain), game.log().len()), (Some(3.0), 2));
}

#[test]
fn a_failed_terrain_that_changes_is_built_and_keeps_its_land_till_then() {
    let mut game = Game::new();
    let terrain = game.spawn(failing("at most 4"));
    assert_eq!(game.settle(terrain), failed("at most 4"));
    assert_eq!(game.height(terrain), None);
    game.entity(terrain).insert(flat(2.0));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.entity(terrain).insert(failing("at least 1"));
    assert_eq!(game.settle(terrain), failed("at least 1"));
    assert_eq!(game.height(terrain), Some(2.0));
    game.entity(terrain).insert(flat(3.0));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.height(terrain), Some(3.0));
    assert_eq!(game.log(), ["gain: at most 4", "ready", "gain: at least 1", "ready"]);
}

#[test]
fn a_build_that_panics_costs_its_terrain_alone() {
    let mut game = Game::new();
    let broken = game.spawn(Terrain::build(|_| panic!("out of eggs")));
    let other = game.spawn(flat(1.0));
    let TerrainStatus::Failed(error) = game.settle(broken) else { panic!("it was built") };
    assert_eq!(error, "work: has failed because of a bug in it: out of eggs");
    assert_eq!(game.settle(other), TerrainStatus::Ready);
}

#[test]
fn a_terrain_that_is_despawned_ends_its_build_and_its_repaint() {
    let mut game = Game::new();
    let (terrain, build) = Slow::new(1.0).spawn(&mut game);
    game.app.world_mut().despawn(terrain);
    assert!(build.is_cancelled());

    let terrain = game.spawn(flat(1.0));
    game.settle(terrain);
    let paint = game.begin_to_paint(terrain);
    game.app.world_mut().despawn(terrain);
    assert!(paint.is_cancelled());
    game.app.update();
}

#[test]
fn what_is_a_terrain_no_longer_ends_its_build_and_has_no_ground() {
    let mut game = Game::new();
    let slow = Slow::new(1.0);
    let (terrain, build) = slow.spawn(&mut game);
    game.entity(terrain).remove::<Terrain>();
    assert!(build.is_cancelled());
    assert_eq!(game.status(terrain), None);

    game.entity(terrain).insert(flat(2.0));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    let paint = game.begin_to_paint(terrain);
    game.entity(terrain).remove::<Terrain>();
    assert!(paint.is_cancelled());
    game.app.update();
    assert_eq!((game.height(terrain), game.status(terrain)), (None, None));

    // It may be one again, and is painted as its skin says then.
    game.entity(terrain).insert((flat(3.0), moss(64)));
    game.update_until(|game| game.log().last().is_some_and(|last| last == "painted"));
    assert_eq!(game.height(terrain), Some(3.0));
}

#[test]
fn a_skin_that_is_taken_away_ends_its_repaint() {
    let mut game = Game::new();
    let terrain = game.spawn(flat(1.0));
    game.settle(terrain);
    let work = game.begin_to_paint(terrain);
    game.entity(terrain).remove::<TerrainSkin>();
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert!(work.is_cancelled());
    assert_eq!(game.log(), ["ready"]);
}

#[test]
fn a_source_that_changes_while_its_land_is_painted_is_built_and_painted_once() {
    let mut game = Game::new();
    let terrain = game.spawn(flat(1.0));
    game.settle(terrain);
    let paint = game.begin_to_paint(terrain);
    let slow = Slow::new(2.0);
    game.entity(terrain).insert(slow.terrain.clone());
    slow.wait(&mut game);
    assert!(paint.is_cancelled());
    // The skin changes while another land is built: the old one is not painted any more.
    game.entity(terrain).insert(moss(64));
    for _ in 0..3 {
        game.app.update();
    }
    slow.end.send(()).unwrap();
    game.update_until(|game| game.log().len() == 3);
    assert_eq!(game.log(), ["ready", "ready", "painted"]);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
}

#[test]
fn a_ground_that_a_game_puts_in_place_of_the_painted_one_gets_paint_of_its_own() {
    let mut game = Game::new();
    let terrain = game.spawn(flat(1.0));
    game.settle(terrain);
    let paint = game.begin_to_paint(terrain);
    let other = TerrainGround::bare(Heightfield::flat(Grid::new(5, 5, 10.0).unwrap(), 5.0));
    game.entity(terrain).insert((other, moss(64)));
    game.app.update();
    assert!(paint.is_cancelled());
    game.update_until(|game| game.log().len() == 2);
    assert_eq!(game.log(), ["ready", "painted"]);
    assert_eq!((game.settle(terrain), game.height(terrain)), (TerrainStatus::Ready, Some(5.0)));

    // One that is taken away is painted no more, and the terrain is not waited for.
    let paint = game.begin_to_paint(terrain);
    game.entity(terrain).remove::<TerrainGround>();
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert!(paint.is_cancelled());
}

fn recipe(height: f32) -> RecipeAsset {
    let steps = format!("[flat(height: {height:?})]");
    let texture = r##"custom(types: [(name: "moss", colour: "#305020")], resolution: 64)"##;
    let text =
        format!(r#"(version: 1, name: "Land", size: (2, 2), cell: 10, steps: {steps}, texture: {texture})"#);
    RecipeAsset(Recipe::from_ron(&text, "land.ron").unwrap())
}

#[test]
fn a_recipe_that_fails_while_it_is_built_or_painted_fails_afterwards() {
    let mut game = Game::new();
    let handle = game.app.world_mut().resource_mut::<Assets<RecipeAsset>>().add(recipe(1.0));
    let fail = |game: &mut Game| {
        game.app.world_mut().write_message(AssetLoadFailedEvent::<RecipeAsset> {
            id: handle.id(),
            path: "land.ron".into(),
            error: bevy::asset::AssetLoadError::EmptyPath("land.ron".into()),
        });
    };
    let terrain = game.spawn(Terrain::recipe(handle.clone()));
    // It is built, and built again when the message that the recipe is loaded arrives.
    game.app.update();
    game.app.update();
    fail(&mut game);
    let is_failed = |status: &TerrainStatus| matches!(status, TerrainStatus::Failed(_));
    assert!(is_failed(&game.settle(terrain)));
    // The land as it was before is there all the same.
    game.update_until(|game| game.height(terrain) == Some(1.0));
    assert!(is_failed(&game.settle(terrain)));

    game.entity(terrain).insert(moss(64));
    assert!(is_failed(&game.settle(terrain)), "it is painted, and the recipe is still wrong");
    assert_eq!(game.log().last().unwrap(), "painted");

    let mut recipes = game.app.world_mut().resource_mut::<Assets<RecipeAsset>>();
    recipes.insert(handle.id(), recipe(2.0)).unwrap();
    game.update_until(|game| game.height(terrain) == Some(2.0));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
}

#[test]
fn a_terrain_whose_recipe_is_not_there_waits_and_ends_what_was_under_way() {
    let mut game = Game::new();
    let (terrain, build) = Slow::new(1.0).spawn(&mut game);
    let handle = game.app.world().resource::<Assets<RecipeAsset>>().reserve_handle();
    game.entity(terrain).insert(Terrain { source: TerrainSource::Asset(handle.clone()) });
    game.app.update();
    assert!(build.is_cancelled());
    assert_eq!(game.status(terrain), Some(TerrainStatus::Waiting));
    let mut recipes = game.app.world_mut().resource_mut::<Assets<RecipeAsset>>();
    recipes.insert(handle.id(), recipe(4.0)).unwrap();
    game.update_until(|game| game.status(terrain) == Some(TerrainStatus::Ready));
    assert_eq!(game.height(terrain), Some(4.0));
}

#[test]
fn each_build_runs_once() {
    let mut game = Game::new();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let terrain = game.spawn(Terrain::build(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(land(1.0))
    }));
    game.settle(terrain);
    for _ in 0..5 {
        game.app.update();
    }
    assert_eq!((count.load(Ordering::SeqCst), game.log().len()), (1, 1));
}
