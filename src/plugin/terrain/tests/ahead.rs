//! Land that is drawn before all of it has been built, and land of which nothing is built as a whole.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::math::DVec3;

use super::*;
use crate::params;
use crate::plugin::device::TexelPatches;
use crate::plugin::stream::{Stream, TerrainBudget};
use crate::plugin::terrain::{TerrainSystems, report_failure};
use crate::steps::{Ground, Kind, Operation, Reach};
use crate::stream::{Drawn, Eye, LandTile, eye_at};
use crate::{Cache, Domain, Result, Step};

/// Samples a side of a land that is built as a whole; the coarsest tile has half as many.
const SIDE: u32 = 257;

params! {
    /// Raises the land. Where it is asked for all of it at once, it waits until a gate is open.
    pub struct Gated {
        /// By how much.
        pub height: f32 = 1.0, "m" in -1000.0..=1000.0;
        /// Which gate.
        pub gate: u32 = 0, "" in 0.0..=9.0;
        /// Whether it fails then.
        pub fails: bool = false;
    }
}

// A gate for each test, since tests run at the same time.
static OPEN: [AtomicBool; 10] = [const { AtomicBool::new(false) }; 10];

impl Operation for Gated {
    fn name(&self) -> &'static str {
        "gated"
    }

    fn title(&self) -> &'static str {
        "Gated"
    }

    fn kind(&self) -> Kind {
        Kind::Filter
    }

    fn reach(&self, _domain: Domain) -> Reach {
        Reach::Point
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        // Only the build of the whole land has this size; the tiles that are drawn ahead are not held up.
        if (ground.grid().width, ground.grid().depth) == (SIDE as usize, SIDE as usize) {
            while !OPEN[self.gate as usize].load(Ordering::SeqCst) {
                work.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
            if self.fails {
                return Err(Error::parameter("height", "all of it is too much"));
            }
        }
        ground.heights.heights_mut().iter_mut().for_each(|height| *height += self.height);
        Ok(())
    }
}

/// Moss whose colours ask for nothing around them: so no block of land as large as all of it is made for a
/// tile.
fn moss_alone() -> Skin {
    let Skin::Custom(texture) = moss(64).skin else { panic!("it is custom") };
    Skin::Custom(Texture { occlusion: 0.0, ..texture })
}

fn gated(gate: u32, height: f32, fails: bool) -> Recipe {
    let mut recipe = Recipe::new("Gated", (SIDE, SIDE), 20.0);
    recipe.texture = moss_alone();
    recipe.steps.push(Step::from_name("fbm").unwrap());
    recipe.steps.push(Step::new(Gated { height, gate, fails }));
    recipe
}

/// The only eye.
#[derive(Resource)]
struct Watcher(Eye);

/// As cameras do it.
fn watch(
    mut commands: Commands,
    mut terrains: Query<(Entity, &mut Stream)>,
    watcher: Res<Watcher>,
    budget: Res<TerrainBudget>,
    mut patches: ResMut<TexelPatches>,
) {
    for (entity, mut stream) in &mut terrains {
        if let Some(error) = stream.receive(&mut budget.frame(), &mut patches) {
            report_failure(&mut commands, TerrainFailed::new(entity, error));
        }
        stream.plan(std::slice::from_ref(&watcher.0), Drawn::TRUE, &mut patches);
    }
}

impl Game {
    /// A game with an eye above the middle of the gated land.
    fn watched() -> Self {
        let mut game = Self::new();
        game.app
            .insert_resource(Watcher(eye_at(DVec3::new(2560.0, 6000.0, 2560.0))))
            .add_systems(PostUpdate, watch.after(TerrainSystems::Build));
        game
    }

    fn ground(&self, terrain: Entity) -> &TerrainGround {
        self.app.world().get(terrain).unwrap()
    }

    fn stream(&self, terrain: Entity) -> Option<&Stream> {
        self.app.world().get(terrain)
    }

    fn wait_for_tiles(&mut self, terrain: Entity) {
        self.app.update();
        self.update_until(|game| game.stream(terrain).is_some_and(Stream::is_settled));
    }

    /// The heights of the coarsest tile.
    fn root(&self, terrain: Entity) -> Arc<[f32]> {
        let stream = self.stream(terrain).unwrap();
        let root = LandTile { level: stream.shape().coarsest, column: 0, row: 0 };
        stream.residency().heights(root).unwrap().clone()
    }

    fn is_building(&self, terrain: Entity) -> bool {
        matches!(self.status(terrain), Some(TerrainStatus::Building { .. }))
    }

    /// A gated terrain, all there.
    fn with_gated(gate: u32) -> (Self, Entity, Cache) {
        OPEN[gate as usize].store(true, Ordering::SeqCst);
        let (mut game, cache) = (Self::watched(), Cache::default());
        let terrain = game.spawn(Terrain::from_recipe(gated(gate, 1.0, false), &cache));
        assert_eq!(game.settle(terrain), TerrainStatus::Ready);
        game.wait_for_tiles(terrain);
        OPEN[gate as usize].store(false, Ordering::SeqCst);
        (game, terrain, cache)
    }

    fn edit(&mut self, terrain: Entity, recipe: Recipe, cache: &Cache) {
        self.entity(terrain).insert(Terrain::from_recipe(recipe, cache));
        self.app.update();
    }
}

#[test]
fn an_edit_reaches_the_tiles_in_its_frame_and_is_drawn_long_before_all_land_is_built() {
    let (mut game, terrain, cache) = Game::with_gated(0);
    let (old, before) = (game.root(terrain), game.ground(terrain).landscape.clone());
    let edits = game.stream(terrain).unwrap().residency().edits();

    game.edit(terrain, gated(0, 5.0, false), &cache);
    let residency = game.stream(terrain).unwrap().residency();
    assert_eq!(residency.edits(), edits + 1, "in its own frame");
    assert!(!residency.shows_present() && residency.resident() > 0, "what is drawn stays");
    game.update_until(|game| game.stream(terrain).unwrap().residency().shows_present());
    assert_eq!(game.stream(terrain).unwrap().residency().stale(), 0, "the first tile is seen at once");
    game.wait_for_tiles(terrain);
    let new = game.root(terrain);
    // But for how f32 rounds.
    assert!(old.iter().zip(&*new).all(|(old, new)| (new - (old - 1.0 + 5.0)).abs() < 1e-3));
    assert!(game.is_building(terrain) && Arc::ptr_eq(&game.ground(terrain).landscape, &before));
    assert_eq!(game.log(), ["ready"]);

    OPEN[0].store(true, Ordering::SeqCst);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.wait_for_tiles(terrain);
    assert_eq!(game.log(), ["ready", "ready"]);
    assert_eq!(game.root(terrain), new, "the whole has the same heights to the bit");
    let field = &game.ground(terrain).landscape.heightfield;
    assert_eq!(field, &gated(0, 5.0, false).build_heightfield(&Work::new()).unwrap());
}

#[test]
fn a_new_terrain_is_drawn_before_all_land_is_built() {
    let mut game = Game::watched();
    let terrain = game.spawn(Terrain::from(gated(1, 2.0, false)));
    game.wait_for_tiles(terrain);
    assert!(game.is_building(terrain));
    let (ground, tiles) = (game.ground(terrain), game.root(terrain));
    assert_eq!((ground.samples(), ground.landscape.heightfield.grid().width), ([SIDE; 2], 129));
    assert_eq!(ground.extent(), Vec2::splat(5120.0));
    assert_eq!(game.log(), [""; 0]);

    OPEN[1].store(true, Ordering::SeqCst);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.wait_for_tiles(terrain);
    let ground = game.ground(terrain);
    assert_eq!((ground.samples(), ground.landscape.heightfield.grid().width), ([SIDE; 2], SIDE as usize));
    assert_eq!((game.log(), game.root(terrain)), (vec!["ready".to_owned()], tiles));
}

#[test]
fn an_edit_while_the_last_one_is_built_takes_its_place() {
    let (mut game, terrain, cache) = Game::with_gated(2);
    let old = game.root(terrain);
    let work = |game: &Game| game.app.world().get::<Lifecycle>(terrain).unwrap().work().unwrap();
    let mut before: Option<Work> = None;
    for height in [3.0, 4.0, 5.0, 6.0] {
        game.edit(terrain, gated(2, height, false), &cache);
        assert!(before.is_none_or(|work| work.is_cancelled()));
        before = Some(work(&game));
    }
    game.update_until(|game| game.root(terrain)[0] == old[0] - 1.0 + 6.0);
    assert!(game.is_building(terrain));
    OPEN[2].store(true, Ordering::SeqCst);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.log(), ["ready", "ready"]);
    assert_eq!(game.height(terrain), Some(old[4 * 136 + 4] - 1.0 + 6.0));
}

#[test]
fn what_was_drawn_comes_back_if_the_land_cannot_be_built_after_all() {
    let (mut game, terrain, cache) = Game::with_gated(3);
    let (old, before) = (game.root(terrain), game.ground(terrain).landscape.clone());
    game.edit(terrain, gated(3, 7.0, true), &cache);
    game.update_until(|game| game.root(terrain) != old);
    OPEN[3].store(true, Ordering::SeqCst);
    assert!(matches!(game.settle(terrain), TerrainStatus::Failed(_)));
    game.wait_for_tiles(terrain);
    assert!(Arc::ptr_eq(&game.ground(terrain).landscape, &before));
    assert_eq!(game.root(terrain), old);
    let log = game.log();
    assert!(log.len() == 2 && log[1].contains("all of it is too much"), "{log:?}");

    // Where nothing was drawn before, nothing is.
    OPEN[4].store(false, Ordering::SeqCst);
    let terrain = game.spawn(Terrain::from(gated(4, 7.0, true)));
    game.wait_for_tiles(terrain);
    OPEN[4].store(true, Ordering::SeqCst);
    assert!(matches!(game.settle(terrain), TerrainStatus::Failed(_)));
    game.app.update();
    assert!(game.height(terrain).is_none() && game.stream(terrain).is_none());
}

#[test]
fn a_terrain_that_goes_while_it_is_drawn_ahead_takes_all_with_it() {
    let (mut game, terrain, cache) = Game::with_gated(5);
    game.edit(terrain, gated(5, 8.0, false), &cache);
    let work = game.app.world().get::<Lifecycle>(terrain).unwrap().work().unwrap();
    game.entity(terrain).remove::<Terrain>();
    assert!(work.is_cancelled());
    game.app.update();
    assert!(game.stream(terrain).is_none() && game.height(terrain).is_none());
}

/// A raw file of more than 8193² samples without any content: it takes up nothing.
fn large_file(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("large.r16");
    File::create(&path).unwrap().set_len(2 * 8300 * 8300).unwrap();
    path
}

#[test]
fn a_file_of_any_size_is_read_where_it_is_looked_at_and_what_happens_to_it_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    for end in ["shorter", "gone"] {
        let path = large_file(folder.path());
        let mut recipe = Recipe::from_elevation(&path).unwrap();
        recipe.texture = moss_alone();
        let mut game = Game::watched();
        game.app.insert_resource(Watcher(eye_at(DVec3::new(60e3, 20e3, 60e3))));
        let terrain = game.spawn(Terrain::from(recipe));
        assert_eq!(game.settle(terrain), TerrainStatus::Ready);
        game.wait_for_tiles(terrain);
        let ground = game.ground(terrain);
        assert_eq!((ground.samples(), ground.extent()), ([8300; 2], Vec2::splat(8299.0 * 30.0)));
        assert!(ground.landscape.heightfield.grid().count() < 1025 * 1025);
        assert_eq!(game.log(), ["ready"]);

        match end {
            "shorter" => File::options().write(true).open(&path).unwrap().set_len(99).unwrap(),
            _ => std::fs::remove_file(&path).unwrap(),
        }
        let before = game.stream(terrain).unwrap().residency().resident();
        for place in [180e3, 120e3, 200e3] {
            game.app.insert_resource(Watcher(eye_at(DVec3::new(place, 5e3, 180e3))));
            game.wait_for_tiles(terrain);
        }
        let log = game.log();
        assert!(log.len() == 2 && log[1].contains("large.r16"), "{log:?}");
        assert!(game.stream(terrain).unwrap().residency().resident() >= before, "coarser tiles stay");
    }
}

#[test]
fn a_terrain_is_made_from_a_file_and_says_what_is_wrong_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.asc");
    std::fs::write(&path, "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n7 2\n3 4\n").unwrap();
    let mut game = Game::new();
    let terrain = game.spawn(Terrain::from_file(&path));
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    assert_eq!(game.height(terrain), Some(7.0));
    let terrain = game.spawn(Terrain::from_file(folder.path().join("nowhere.tif")));
    let TerrainStatus::Failed(error) = game.settle(terrain) else { panic!("it was built") };
    assert!(error.contains("nowhere.tif"), "{error}");
}
