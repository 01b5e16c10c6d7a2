//! Planets, as far as they need no renderer.

use bevy::app::TaskPoolPlugin;
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::time::TimePlugin;

use super::streamed::Streamed;
use super::*;
use crate::Recipe;
use crate::plugin::chunks::tests::{camera, update_until};
use crate::plugin::owned::{losses, run_and_lose};

/// A game with a camera above a planet whose land is known, and nothing to draw it with.
fn game() -> (App, Entity) {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default()))
        .init_asset::<Image>()
        .init_asset::<Mesh>()
        .init_asset::<PlanetMaterial>()
        .init_asset::<AirMaterial>()
        .init_resource::<PlanetBudget>()
        .init_resource::<TextureArrays>()
        .add_observer(streamed::clear)
        .add_observer(air::clear)
        .add_systems(PostUpdate, streamed::begin);
    let eye = camera(&mut app, Transform::default());
    app.world_mut().entity_mut(eye).insert(PlanetCamera::at(DVec3::Y * 30_000.0));
    let planet = app.world_mut().spawn(Planet::new(Recipe::endless(10_000.0), 10_000.0)).id();
    app.update();
    (app, planet)
}

fn drawn(app: &mut App) -> usize {
    app.world_mut().query::<&Mesh3d>().iter(app.world()).count()
}

#[test]
fn a_planet_that_is_taken_away_leaves_nothing() {
    for lose in losses::<Planet>() {
        let (mut app, planet) = game();
        app.add_systems(PostUpdate, (streamed::stream, air::follow).chain().after(streamed::begin));
        update_until(&mut app, |app| drawn(app) > 1);
        lose(app.world_mut().entity_mut(planet));
        assert_eq!(drawn(&mut app), 0);
        assert!(app.world().get::<PlanetStatus>(planet).is_none());
        app.update();
        assert_eq!(drawn(&mut app), 0);
    }
}

#[test]
fn nothing_is_spawned_for_a_planet_that_is_gone() {
    for lose in losses::<Planet>() {
        let (mut app, planet) = game();
        let mut is_lost = false;
        update_until(&mut app, |app| {
            // In the first frame that has a node, and air.
            run_and_lose(app.world_mut(), streamed::stream, planet, |planet| {
                is_lost = planet.get::<Streamed>().is_some_and(Streamed::has_drawn_nodes);
                if is_lost {
                    lose(planet);
                }
            });
            is_lost
        });
        assert_eq!(drawn(&mut app), 0);

        let (mut app, planet) = game();
        let is_known = |app: &mut App| {
            app.world_mut().run_system_cached(streamed::stream).unwrap();
            matches!(app.world().get(planet), Some(PlanetStatus::Drawn { .. }))
        };
        update_until(&mut app, is_known);
        run_and_lose(app.world_mut(), air::follow, planet, lose);
        assert_eq!(drawn(&mut app), 0);
    }
}
