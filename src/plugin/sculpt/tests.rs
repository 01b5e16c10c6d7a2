//! Sculpting while playing. None of it takes a graphics card.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::ecs::system::RunSystemOnce;
use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::*;
use crate::plugin::device::{TexelPatches, TexelUploadPlugin};
use crate::plugin::query::TerrainQuery;
use crate::plugin::stream::{Stream, TerrainBudget};
use crate::plugin::terrain::{
    BuildPlugin, Terrain, TerrainChanged, TerrainSettled, TerrainStatus, TerrainSystems,
};
use crate::sculpt::{Sculpture, Stroke, Strokes, Tool};
use crate::stream::{Drawn, Eye, LandTile, SculptedSource, TileSource, eye_at};
use crate::texture::{TerrainType, Texture};
use crate::{Cache, Recipe, Skin, Step, Work};

/// When to give up.
const PATIENCE: Duration = Duration::from_secs(120);

/// The place of the eye, metres from the land's sample (0, 0).
const MIDDLE: [f64; 2] = [640.0, 640.0];

/// The ground's messages in a frame.
#[derive(Resource, Default)]
struct Heard {
    changed: Vec<TerrainChanged>,
    settled: Vec<TerrainSettled>,
    applied: Vec<StrokeApplied>,
}

fn hear(
    mut heard: ResMut<Heard>,
    mut changed: MessageReader<TerrainChanged>,
    mut settled: MessageReader<TerrainSettled>,
    mut applied: MessageReader<StrokeApplied>,
) {
    heard.changed.extend(changed.read());
    heard.settled.extend(settled.read());
    heard.applied.extend(applied.read().cloned());
}

#[derive(Resource)]
struct Watcher(Eye);

/// As cameras do it.
fn watch(
    mut terrains: Query<&mut Stream>,
    watcher: Res<Watcher>,
    budget: Res<TerrainBudget>,
    mut patches: ResMut<TexelPatches>,
) {
    for mut stream in &mut terrains {
        assert!(stream.receive(&mut budget.frame(), &mut patches).is_none());
        stream.plan(std::slice::from_ref(&watcher.0), Drawn::TRUE, &mut patches);
    }
}

struct Game {
    app: App,
    terrain: Entity,
}

fn recipe() -> Recipe {
    let mut recipe = Recipe::new("Land", (129, 129), 10.0);
    recipe.steps.push(Step::from_name("fbm").unwrap());
    recipe
}

impl Game {
    fn new(recipe: Recipe) -> Self {
        let mut app = App::new();
        app.add_plugins((bevy::app::TaskPoolPlugin::default(), AssetPlugin::default(), TexelUploadPlugin))
            .add_plugins(TransformPlugin)
            .init_asset::<Image>()
            .init_asset::<Mesh>()
            .init_asset::<StandardMaterial>()
            .add_plugins((BuildPlugin, SculptPlugin))
            .init_resource::<Heard>()
            .insert_resource(Watcher(eye_at(DVec3::new(MIDDLE[0], 300.0, MIDDLE[1]))))
            .add_systems(PostUpdate, watch.in_set(TerrainSystems::Choose))
            .add_systems(Last, hear);
        let terrain = Terrain::from_recipe(recipe, &Cache::default());
        let terrain = app.world_mut().spawn((terrain, TerrainStrokes::default())).id();
        let mut game = Self { app, terrain };
        game.settle();
        game
    }

    fn settle(&mut self) {
        self.app.update();
        let start = Instant::now();
        while !(self.app.world().get(self.terrain) == Some(&TerrainStatus::Ready)
            && self.stream().is_settled())
        {
            assert!(start.elapsed() < PATIENCE);
            self.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn stream(&self) -> &Stream {
        self.app.world().get(self.terrain).unwrap()
    }

    fn strokes(&mut self) -> Mut<'_, TerrainStrokes> {
        self.app.world_mut().get_mut(self.terrain).unwrap()
    }

    fn make(&mut self, stroke: Stroke) {
        self.strokes().make(stroke).unwrap();
    }

    /// The heights of all tiles in memory around the eye.
    fn heights(&self) -> Vec<(LandTile, Arc<[f32]>)> {
        let (shape, residency) = (self.stream().shape(), self.stream().residency());
        let tiles = (shape.finest..=shape.coarsest).flat_map(|level| {
            let middle = shape.tile_at(level, MIDDLE[0], MIDDLE[1]);
            (-2..=2).flat_map(move |row| (-2..=2).map(move |column| middle.beside(column, row)))
        });
        tiles.filter_map(|tile| Some((tile, residency.heights(tile)?.clone()))).collect()
    }

    /// The height of the ground at a place of the land, as a game asks for it.
    fn height(&mut self, x: f64, z: f64) -> f32 {
        let terrain = self.terrain;
        let ask = move |terrains: TerrainQuery| {
            // The land is centred on its entity.
            let position = Vec3::new((x - 640.0) as f32, 0.0, (z - 640.0) as f32);
            let point = terrains.ground_of(terrain, position).unwrap();
            let place = terrains.on_land(terrain, point.position).unwrap();
            assert!(DVec2::new(place.x, place.z).distance(DVec2::new(x, z)) < 1e-3);
            assert!((place.y - f64::from(point.position.y)).abs() < 1e-3);
            assert!(terrains.from_land(terrain, place).unwrap().distance(point.position) < 1e-3);
            point.position.y
        };
        self.app.world_mut().run_system_once(ask).unwrap()
    }

    fn heard(&mut self) -> Heard {
        std::mem::take(&mut *self.app.world_mut().resource_mut::<Heard>())
    }

    /// Checks that every tile in memory has the bits that its source makes.
    fn assert_made(&self, strokes: &Strokes) {
        let bare = Recipe::clone(&recipe());
        let cache = Cache::default();
        let source = crate::stream::RecipeSource::new(bare, &cache, 0.25, Vec::new(), &Work::new()).unwrap();
        let sculpture = Arc::new(Sculpture::new(source.shape().domain(), strokes));
        let source = SculptedSource::new(Arc::new(source), sculpture);
        for (tile, heights) in self.heights() {
            assert!(source.make(tile, &Work::new()).unwrap().heights == heights, "{tile:?}");
        }
    }
}

fn raise(by: f32) -> Stroke {
    Stroke::at(Tool::Raise { by }, MIDDLE, 50.0)
}

fn list(strokes: &[Stroke]) -> Strokes {
    Strokes::of(strokes.to_vec()).unwrap()
}

#[test]
fn a_stroke_is_uploaded_and_known_to_queries_in_the_frame_in_which_it_is_made() {
    let mut game = Game::new(recipe());
    let (before, ground) = (game.heights(), game.height(MIDDLE[0], MIDDLE[1]));
    assert!(before.iter().any(|(tile, _)| tile.level < -3), "the eye sees fine tiles");
    game.app.world_mut().resource_mut::<TexelPatches>().collect();
    game.heard();
    game.make(raise(20.0));
    game.app.update();
    assert_eq!(game.height(MIDDLE[0], MIDDLE[1]), ground + 20.0);
    let after = game.heights();
    let (mut touched, mut kept) = (0, 0);
    for ((tile, before), (same, after)) in before.iter().zip(&after) {
        assert_eq!(tile, same);
        let (low, high) = tile.rectangle(10.0);
        let near = DVec2::from(MIDDLE).clamp(low, high).distance(DVec2::from(MIDDLE)) < 49.0;
        touched += usize::from(near);
        kept += usize::from(Arc::ptr_eq(before, after));
        // Those that it doesn't touch are not even copied.
        assert_eq!(near, before != after, "{tile:?}");
    }
    assert!(touched > 10 && kept > 3, "{touched} {kept}");
    let patches = game.app.world().resource::<TexelPatches>().waiting();
    let textures = game.stream().textures();
    let uploaded = patches.iter().filter(|patch| patch.image == textures.heights.id());
    let texels: Vec<u32> = uploaded.map(|patch| patch.size.element_product()).collect();
    assert!(texels.len() >= touched && texels.iter().any(|count| *count < 136 * 136 / 4), "{texels:?}");
    let heard = game.heard();
    let area = [DVec2::from(MIDDLE) - 50.0, DVec2::from(MIDDLE) + 50.0];
    assert_eq!(heard.changed, [TerrainChanged { terrain: game.terrain, area: Some(area) }]);
    let applied = &heard.applied[0];
    assert_eq!(
        (applied.terrain, &*applied.stroke, applied.change),
        (game.terrain, &raise(20.0), StrokeChange::Made)
    );
    assert_eq!(heard.applied.len(), 1);
    // The tiles that have been made again since, with colours, have the same heights.
    game.settle();
    for ((tile, at_once), (_, settled)) in after.iter().zip(game.heights()) {
        assert!(**at_once == *settled, "{tile:?}");
    }
    game.assert_made(&list(&[raise(20.0)]));
    assert!(game.heard().applied.is_empty());
}

#[test]
fn undoing_leads_back_to_the_bit_and_redoing_forth() {
    let mut game = Game::new(recipe());
    let before = game.heights();
    let strokes = [raise(20.0), Stroke::at(Tool::Crater { depth: 9.0, rim: 2.0 }, [650.0, 630.0], 40.0)];
    let mut states = Vec::new();
    for stroke in &strokes {
        game.make(stroke.clone());
        game.settle();
        states.push(game.heights());
    }
    game.heard();
    assert_eq!(game.strokes().undo().as_deref(), Some(&strokes[1]));
    game.settle();
    assert!(game.heights() == states[0]);
    let heard = game.heard();
    assert_eq!(heard.applied[0].change, StrokeChange::Undone);
    assert_eq!(heard.changed[0].area, Some(strokes[1].bounds()));
    // Both remaining changes in one frame, and then one of them again.
    game.strokes().undo();
    game.settle();
    assert!(game.heights() == before);
    assert!(game.strokes().redo().is_some() && game.strokes().redo().is_some());
    game.settle();
    assert!(game.heights() == states[1]);
    assert_eq!(game.strokes().redo(), None);
}

/// Takes some seconds: all tiles around the eye are made three times.
#[test]
fn queries_know_the_ground_when_it_is_settled_and_not_before_that_is_reported() {
    let mut game = Game::new(recipe());
    let ground = game.height(MIDDLE[0], MIDDLE[1]);
    game.app.update();
    game.heard();
    let is_settled = |game: &mut Game| {
        let terrain = game.terrain;
        game.app
            .world_mut()
            .run_system_once(move |terrains: TerrainQuery| terrains.is_settled(terrain))
            .unwrap()
    };
    assert!(is_settled(&mut game));
    let area = Some(raise(20.0).bounds());
    let message = TerrainSettled { terrain: game.terrain, area };
    // A stroke drawn in its own frame is settled in that frame.
    game.make(raise(20.0));
    game.app.update();
    assert_eq!(game.heard().settled, [message]);
    assert!(is_settled(&mut game) && game.height(MIDDLE[0], MIDDLE[1]) == ground + 20.0);
    game.settle();

    // After an undo the tiles are rebuilt in the background.
    game.strokes().undo();
    game.app.update();
    let heard = game.heard();
    assert_eq!((heard.changed.len(), heard.settled.len()), (1, 0));
    let start = Instant::now();
    loop {
        let (is_known, height) = (is_settled(&mut game), game.height(MIDDLE[0], MIDDLE[1]));
        let heard = game.heard().settled;
        assert_eq!(heard.is_empty(), !is_known, "they say the same");
        if is_known {
            assert_eq!((height, heard), (ground, vec![message]));
            break;
        }
        assert!(start.elapsed() < PATIENCE);
        game.app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    // It is reported once.
    game.settle();
    assert!(game.heard().settled.is_empty());

    // Another recipe is known when it has been built.
    let mut higher = recipe();
    higher.steps.push(Step::from_name("scale").unwrap());
    crate::params::set_from_text(&mut higher.steps[1], "bias", "10").unwrap();
    let terrain = game.terrain;
    game.app.world_mut().entity_mut(terrain).insert(Terrain::from_recipe(higher, &Cache::default()));
    game.settle();
    let everywhere = TerrainSettled { terrain, area: None };
    let settled = game.heard().settled;
    assert!(!settled.is_empty() && settled.iter().all(|settled| *settled == everywhere), "{settled:?}");
    assert!(is_settled(&mut game) && (game.height(MIDDLE[0], MIDDLE[1]) - ground - 10.0).abs() < 1e-3);
}

/// Takes some seconds: all tiles around the eye are made.
#[test]
fn a_tool_that_looks_around_is_settled_when_its_ground_is_known() {
    let mut game = Game::new(recipe());
    game.app.update();
    game.heard();
    for _ in 0..8 {
        game.make(Stroke::at(Tool::Erode { drops: 0.5 }, [630.0, 640.0], 45.0));
    }
    game.app.update();
    let mut settled = game.heard().settled;
    let start = Instant::now();
    while settled.is_empty() {
        assert!(start.elapsed() < PATIENCE);
        game.app.update();
        settled = game.heard().settled;
        std::thread::sleep(Duration::from_millis(1));
    }
    let at_once = game.height(630.0, 640.0);
    game.settle();
    assert_eq!(game.height(630.0, 640.0), at_once, "nothing comes after it");
}

/// Takes some seconds: all tiles around the eye are made several times.
#[test]
fn players_take_back_their_own_strokes_and_have_the_same_land() {
    let mut players = [1, 2].map(|author| {
        let mut game = Game::new(recipe());
        game.strokes().set_author(author);
        game
    });
    // Each player's changes reach the other as text, and are sent back to their author too.
    let exchange = |players: &mut [Game; 2]| {
        let mut sent = Vec::new();
        for game in players.iter_mut() {
            game.app.update();
            let own = game.heard().applied.into_iter().filter(|applied| applied.is_own);
            sent.extend(own.map(|applied| serde_json::to_string(&applied).unwrap()));
        }
        for game in players.iter_mut() {
            for text in &sent {
                let StrokeApplied { stroke, change, .. } = serde_json::from_str(text).unwrap();
                game.strokes().receive_change(Stroke::clone(&stroke), change).unwrap();
            }
            game.app.update();
            assert!(game.heard().applied.iter().all(|applied| !applied.is_own), "nothing echoes");
        }
    };
    let ids = |game: &mut Game| {
        game.strokes().strokes().iter().map(|stroke| (stroke.author, stroke.id)).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        for player in 0..2 {
            players[player].make(Stroke::at(
                Tool::Raise { by: 5.0 },
                [640.0 + 10.0 * player as f64, 640.0],
                40.0,
            ));
            exchange(&mut players);
        }
    }
    let [one, two] = &mut players;
    assert_eq!(ids(one), [(1, 1), (2, 1), (1, 2), (2, 2)]);
    assert_eq!(ids(two), ids(one));
    assert_eq!(one.strokes().undo().map(|stroke| stroke.id), Some(2));
    exchange(&mut players);
    let [one, two] = &mut players;
    assert_eq!(ids(one), [(1, 1), (2, 1), (2, 2)]);
    assert_eq!(ids(two), ids(one));
    // The other player has nothing to redo.
    assert_eq!(two.strokes().redo(), None);
    assert_eq!(one.strokes().redo().map(|stroke| stroke.id), Some(2));
    exchange(&mut players);
    let [one, two] = &mut players;
    assert_eq!(ids(two), [(1, 1), (2, 1), (2, 2), (1, 2)]);
    one.settle();
    two.settle();
    assert!(one.heights() == two.heights());
    // Numbers are never reused.
    one.strokes().undo();
    one.make(raise(1.0));
    assert_eq!(ids(one).last(), Some(&(1, 3)));
}

#[test]
fn tools_that_look_around_show_soon_and_have_the_bits_of_the_saved_strokes() {
    let mut game = Game::new(recipe());
    let strokes = [
        raise(12.0),
        Stroke::at(Tool::Smooth {}, [650.0, 650.0], 40.0),
        Stroke::at(Tool::Lower { by: 3.0 }, [660.0, 640.0], 30.0),
        Stroke::at(Tool::Erode { drops: 0.5 }, [630.0, 640.0], 45.0),
    ];
    // All in one frame, though some have to look at what others have made.
    for stroke in &strokes {
        game.make(stroke.clone());
    }
    game.settle();
    game.assert_made(&list(&strokes));
    // The same, a stroke a frame, received by another player.
    let mut other = Game::new(recipe());
    for stroke in &strokes {
        other.strokes().receive(stroke.clone()).unwrap();
        other.app.update();
    }
    other.settle();
    assert!(other.heights() == game.heights());
    assert!(other.heard().applied.iter().all(|applied| applied.change == StrokeChange::Received));
}

#[test]
fn a_tool_that_looks_around_shows_at_once_where_tiles_know_what_it_has_to_see() {
    for tool in [Tool::Smooth {}, Tool::Erode { drops: 0.5 }] {
        let mut game = Game::new(recipe());
        let stroke = Stroke::at(tool, [640.0, 650.0], 45.0);
        let before = game.heights();
        // It sees what a stroke of the same frame has made.
        game.make(raise(9.0));
        game.make(stroke.clone());
        game.app.update();
        let at_once = game.heights();
        assert!(at_once != before);
        game.settle();
        assert!(game.heights() == at_once, "{stroke:?}");
        game.assert_made(&list(&[raise(9.0), stroke]));
    }
}

/// Checks that the tiles had the same ground at two times. While one land replaces another, tiles may be made
/// that only one of them needs, so these are in memory at one of the times only.
fn assert_same_ground(now: &[(LandTile, Arc<[f32]>)], before: &[(LandTile, Arc<[f32]>)]) {
    let mut common = 0;
    for (tile, heights) in now {
        let Some((_, before)) = before.iter().find(|(other, _)| other == tile) else { continue };
        assert!(heights == before, "{tile:?}");
        common += 1;
    }
    assert!(2 * common > before.len(), "{common} of {} tiles, {} now", before.len(), now.len());
}

#[test]
fn strokes_outlive_the_land_that_they_were_made_on_and_go_with_their_component() {
    let mut game = Game::new(recipe());
    let bare = game.heights();
    game.make(raise(20.0));
    game.settle();
    let ground = game.height(MIDDLE[0], MIDDLE[1]);
    // The same recipe, ten metres higher; and one of another size, whose tiles are others.
    let mut higher = recipe();
    higher.steps.push(Step::from_name("scale").unwrap());
    crate::params::set_from_text(&mut higher.steps[1], "bias", "10").unwrap();
    let terrain = game.terrain;
    game.app.world_mut().entity_mut(terrain).insert(Terrain::from_recipe(higher, &Cache::default()));
    game.settle();
    assert!((game.height(MIDDLE[0], MIDDLE[1]) - ground - 10.0).abs() < 1e-3);
    game.app.world_mut().entity_mut(terrain).insert(Terrain::from_recipe(recipe(), &Cache::default()));
    game.settle();
    assert_eq!(game.height(MIDDLE[0], MIDDLE[1]), ground);
    game.heard();
    game.app.world_mut().entity_mut(terrain).remove::<TerrainStrokes>();
    game.settle();
    assert_same_ground(&game.heights(), &bare);
    assert_eq!(game.heard().changed[0].area, Some(raise(20.0).bounds()));
}

#[test]
fn saved_strokes_are_loaded_as_they_were_and_bad_ones_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("land.strokes.ron");
    let mut game = Game::new(recipe());
    game.make(raise(20.0));
    game.make(Stroke::at(Tool::Paint { kind: "rock".into() }, MIDDLE, 30.0));
    game.settle();
    game.strokes().save(&path).unwrap();
    let heights = game.heights();
    let mut other = Game::new(recipe());
    other.strokes().load(&path).unwrap();
    other.settle();
    assert!(other.heights() == heights);
    std::fs::write(&path, "(version: 1, strokes: [").unwrap();
    assert!(other.strokes().load(&path).is_err() && other.strokes().load(folder.path()).is_err());
    assert!(other.strokes().make(Stroke { radius: f32::NAN, ..raise(1.0) }).is_err());
    assert_eq!(other.strokes().strokes().len(), 2);
    // Outside the land a stroke is no error, and changes nothing.
    other.strokes().make(Stroke::at(Tool::Raise { by: 5.0 }, [-1e6, 40.0], 50.0)).unwrap();
    other.settle();
    assert!(other.heights() == heights);
}

/// Takes some seconds: all tiles around the eye are made several times.
#[test]
fn paint_of_a_type_that_the_land_does_not_have_is_reported_once() {
    let mut game = Game::new(recipe());
    let failed = Arc::new(std::sync::Mutex::new(Vec::<StrokeFailed>::new()));
    let log = failed.clone();
    game.app.add_observer(move |event: On<StrokeFailed>| log.lock().unwrap().push(event.clone()));
    let take = || std::mem::take(&mut *failed.lock().unwrap());
    let paint = |kind: &str| Stroke::at(Tool::Paint { kind: kind.into() }, MIDDLE, 30.0);
    game.make(paint("rock"));
    game.app.update();
    assert!(take().is_empty());
    for _ in 0..3 {
        game.make(paint("lava"));
        game.app.update();
    }
    let errors = take();
    assert_eq!((errors.len(), errors[0].entity), (1, game.terrain));
    assert!(errors[0].error.contains("`lava`") && errors[0].error.contains("rock"), "{}", errors[0].error);
    game.strokes().undo();
    game.app.update();
    game.make(paint("lava"));
    game.make(paint("ice"));
    game.app.update();
    let errors = take();
    assert!(errors.len() == 1 && errors[0].error.contains("`ice`"), "{errors:?}");

    // With a texture that has it all is well, and with another one it is not.
    let lava = |name: &str| {
        let types = vec![TerrainType::new(name, [0.9, 0.2, 0.0]), TerrainType::new("ice", [0.9; 3])];
        let texture = Texture { types, resolution: 64, ..Texture::default() };
        Recipe { texture: Skin::Custom(texture), ..recipe() }
    };
    let terrain = game.terrain;
    for (name, expected) in [("lava", vec!["`rock`"]), ("moss", vec!["`lava`"])] {
        game.app.world_mut().entity_mut(terrain).insert(Terrain::from_recipe(lava(name), &Cache::default()));
        game.settle();
        let errors = take();
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
        assert!(errors.iter().zip(expected).all(|(failed, kind)| failed.error.contains(kind)), "{errors:?}");
    }
    // A finished landscape has no types to paint with.
    let field = crate::Heightfield::flat(crate::Grid::new(129, 129, 10.0).unwrap(), 5.0);
    let landscape = crate::plugin::terrain::TerrainGround::bare(field).landscape;
    game.app.world_mut().entity_mut(terrain).insert(Terrain::ready(landscape));
    game.settle();
    let errors = take();
    assert!(errors.iter().any(|failed| failed.error.contains("finished landscape")), "{errors:?}");
    // Without strokes nothing is kept.
    game.app.world_mut().entity_mut(terrain).remove::<TerrainStrokes>();
    game.app.update();
    assert!(game.app.world().get::<paint::PaintChecked>(terrain).is_none());
}

#[test]
fn hundreds_of_strokes_while_tiles_are_on_their_way_end_as_if_made_at_once() {
    let mut game = Game::new(recipe());
    let mut strokes = Vec::new();
    for number in 0..200 {
        let angle = f64::from(number) * 0.7;
        let place = [MIDDLE[0] + 60.0 * libm::cos(angle), MIDDLE[1] + 60.0 * libm::sin(angle)];
        strokes.push(Stroke::at(Tool::Raise { by: 0.3 }, place, 20.0));
    }
    for (number, stroke) in strokes.iter().enumerate() {
        game.make(stroke.clone());
        if number % 50 == 49 {
            game.strokes().undo();
            game.app.update();
            game.strokes().redo();
        }
        game.app.update();
    }
    game.settle();
    game.assert_made(&list(&strokes));
}

#[test]
fn a_hole_is_uploaded_and_known_to_queries_in_the_frame_in_which_it_is_cut() {
    let mut game = Game::new(recipe());
    let before = game.stream().textures().clone();
    assert!(!before.has_holes);
    let is_hole = |game: &mut Game| {
        let terrain = game.terrain;
        let ask = move |terrains: TerrainQuery| terrains.ground_of(terrain, Vec3::ZERO).is_none();
        game.app.world_mut().run_system_once(ask).unwrap()
    };
    assert!(!is_hole(&mut game));
    game.app.world_mut().resource_mut::<TexelPatches>().collect();
    game.heard();
    let shaft = Stroke::at(Tool::Hole {}, MIDDLE, 25.0);
    game.make(shaft.clone());
    game.app.update();
    assert!(is_hole(&mut game));
    assert_eq!(game.heard().changed[0].area, Some(shaft.bounds()));
    // All heights lie in a texture that has room for holes now.
    let after = game.stream().textures().clone();
    assert!(after.has_holes && after.heights != before.heights && after.gradients == before.gradients);
    let resident = game.stream().residency().resident();
    let patches = game.app.world().resource::<TexelPatches>().waiting();
    let whole = UVec2::splat(crate::stream::TILE_TEXELS as u32);
    let uploaded = patches.iter().filter(|patch| patch.image == after.heights.id() && patch.size == whole);
    assert!(uploaded.count() >= resident);
    game.settle();
    assert!(is_hole(&mut game));
    game.assert_made(&list(&[shaft]));
    game.strokes().undo();
    game.settle();
    assert!(!is_hole(&mut game));
    assert_eq!(game.stream().textures().heights, after.heights, "the room stays");
}

#[test]
fn no_number_of_a_stroke_comes_again_when_the_author_changes() {
    let mut strokes = TerrainStrokes::of_author(3);
    let make = |strokes: &mut TerrainStrokes| {
        strokes.make(Stroke::at(Tool::Raise { by: 1.0 }, [0.0, 0.0], 5.0)).unwrap().id
    };
    let first = make(&mut strokes);
    strokes.undo();
    strokes.set_author(4);
    // The first is gone now, and cannot be redone.
    let second = make(&mut strokes);
    strokes.set_author(3);
    let third = make(&mut strokes);
    assert!(first < second && second < third, "{first} {second} {third}");
}
