//! Bevy's states: a game that shows a loading screen until its land is there.

use bevy::prelude::*;
use upland::plugin::{Terrain, TerrainQuery, TerrainReady, TerrainStatus, terrains_ready};
use upland::{Cache, Error};

use super::{Game, recipe};

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Screen {
    #[default]
    Loading,
    Playing,
}

/// What a game did.
#[derive(Resource, Default)]
struct Done {
    /// Heights of the ground as it began to play, each time.
    began_at: Vec<f32>,
    loading: u32,
    playing: u32,
}

/// A game with states, and with what brings it from one to the other.
fn game(change: impl FnOnce(&mut App)) -> Game {
    let mut game = Game::new(std::env::temp_dir().as_path());
    let begin = |terrains: TerrainQuery, mut done: ResMut<Done>| {
        done.began_at.push(terrains.ground(Vec3::ZERO).map_or(f32::NAN, |ground| ground.position.y));
    };
    game.0
        .init_state::<Screen>()
        .init_resource::<Done>()
        .add_systems(OnEnter(Screen::Playing), begin)
        .add_systems(
            Update,
            (
                (|mut done: ResMut<Done>| done.loading += 1).run_if(in_state(Screen::Loading)),
                (|mut done: ResMut<Done>| done.playing += 1).run_if(in_state(Screen::Playing)),
            ),
        );
    change(&mut game.0);
    game.start()
}

fn screen(game: &Game) -> Screen {
    *game.0.world().resource::<State<Screen>>().get()
}

/// A land of 12 m, or one that cannot be built.
fn lands(game: &mut Game) -> [Entity; 2] {
    let good = Terrain::from_recipe(recipe("flat(height: 12)"), &Cache::default());
    [good, Terrain::build(|_| Err(Error::parameter("land", "there is none")))].map(|land| game.spawn(land))
}

fn plays_once_ready(mut game: Game) {
    (0..3).for_each(|_| game.0.update());
    assert_eq!(screen(&game), Screen::Loading, "there is no land");
    let land = Terrain::from_recipe(recipe("flat(height: 12)"), &Cache::default());
    let terrain = game.spawn(land);
    assert_eq!(game.settle(terrain), TerrainStatus::Ready);
    game.update_until(|app| *app.world().resource::<State<Screen>>().get() == Screen::Playing);
    game.0.update();
    let done = game.0.world().resource::<Done>();
    assert_eq!(done.began_at, [12.0], "once, with ground");
    assert!(done.loading >= 3 && done.playing >= 1);
    // Going back to loading takes a wish of the game's own.
    (0..5).for_each(|_| game.0.update());
    assert_eq!(screen(&game), Screen::Playing);
}

#[test]
fn an_observer_sets_the_state_in_which_there_is_ground() {
    plays_once_ready(game(|app| {
        app.add_observer(|_: On<TerrainReady>, mut next: ResMut<NextState<Screen>>| {
            next.set(Screen::Playing)
        });
    }));
}

#[test]
fn a_run_condition_sets_the_state_in_which_there_is_ground() {
    plays_once_ready(game(|app| {
        let begin = |mut next: ResMut<NextState<Screen>>| next.set(Screen::Playing);
        app.add_systems(Update, begin.run_if(in_state(Screen::Loading).and_then(terrains_ready)));
    }));
}

#[test]
fn a_game_that_waits_for_all_lands_waits_for_one_that_fails() {
    let mut game = game(|app| {
        let begin = |mut next: ResMut<NextState<Screen>>| next.set(Screen::Playing);
        app.add_systems(Update, begin.run_if(in_state(Screen::Loading).and_then(terrains_ready)));
    });
    let [good, bad] = lands(&mut game);
    assert_eq!(game.settle(good), TerrainStatus::Ready);
    assert!(matches!(game.settle(bad), TerrainStatus::Failed(_)));
    (0..5).for_each(|_| game.0.update());
    assert_eq!(screen(&game), Screen::Loading);
    // Without it there is nothing to wait for.
    game.0.world_mut().despawn(bad);
    game.update_until(|app| *app.world().resource::<State<Screen>>().get() == Screen::Playing);
}
