//! The examples of roads and holes run, and show what they are about. These tests need a Vulkan device, a
//! software one will do.
#[path = "../../examples/holes.rs"]
#[expect(dead_code, reason = "its `main` opens a window")]
mod holes;
#[path = "../../examples/roads.rs"]
#[expect(dead_code, reason = "its `main` opens a window")]
mod roads;

use std::time::Duration;

use crate::scene::TIME_LIMIT;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use upland::plugin::{Headless, Terrain, TerrainQuery, TerrainStatus};

/// Runs a game without a window until its land is drawn; every frame lasts so many milliseconds.
fn started(game: fn(&mut App), frame: u64) -> Headless {
    let mut headless = Headless::new(160, 90).unwrap();
    game(headless.app_mut());
    let frame = TimeUpdateStrategy::ManualDuration(Duration::from_millis(frame));
    headless.app_mut().insert_resource(frame);
    headless.update();
    let target = headless.target();
    let world = headless.app_mut().world_mut();
    let cameras: Vec<Entity> = world.query_filtered::<Entity, With<Camera3d>>().iter(world).collect();
    assert_eq!(cameras.len(), 1);
    world.entity_mut(cameras[0]).insert((target, Msaa::Off));
    for _ in 0..100_000 {
        headless.update();
        let world = headless.app_mut().world_mut();
        let mut terrains = world.query_filtered::<&TerrainStatus, With<Terrain>>();
        match terrains.iter(world).next() {
            Some(TerrainStatus::Ready) => return headless,
            Some(TerrainStatus::Failed(error)) => panic!("{error}"),
            _ => {}
        }
    }
    panic!("there is no land");
}

fn ask<T: Send + 'static>(
    headless: &mut Headless,
    question: impl FnOnce(TerrainQuery) -> T + Send + Sync + 'static,
) -> T {
    let mut question = Some(question);
    let ask = move |terrains: TerrainQuery| question.take().map(|question| question(terrains));
    bevy::ecs::system::RunSystemOnce::run_system_once(headless.app_mut().world_mut(), ask).unwrap().unwrap()
}

#[test]
fn roads_are_drawn_and_moved() {
    let mut headless = started(roads::game, 1);
    let picture = headless.capture(TIME_LIMIT).unwrap();
    let colours: std::collections::HashSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(colours.len() > 300, "{} colours", colours.len());
    // The yard is level: made ground.
    let slope = ask(&mut headless, |terrains| {
        let yard = Vec3::new((0.12 - 0.5) * 2048.0, 0.0, (0.58 - 0.5) * 2048.0);
        [Vec3::ZERO, Vec3::X * 10.0, Vec3::Z * 8.0].map(|by| terrains.ground(yard + by).unwrap().position.y)
    });
    assert!(slope.iter().all(|height| (height - slope[0]).abs() < 0.01), "{slope:?}");

    // Where the moved point was, and where it goes: in between the land is another, and then the same again.
    let heights = |headless: &mut Headless| {
        ask(headless, |terrains| {
            [(0.3, 0.45), (0.36, 0.62)].map(|(x, z)| {
                let place = Vec3::new((x - 0.5) * 2048.0, 0.0, (z - 0.5) * 2048.0);
                terrains.ground(place).unwrap().position.y
            })
        })
    };
    let before = heights(&mut headless);
    let mut after = Vec::new();
    for _ in 0..2 {
        for state in [ButtonState::Pressed, ButtonState::Released] {
            headless.app_mut().world_mut().write_message(KeyboardInput {
                key_code: KeyCode::Space,
                logical_key: Key::Space,
                state,
                text: None,
                repeat: false,
                window: Entity::PLACEHOLDER,
            });
            headless.update();
        }
        headless.settle(TIME_LIMIT).unwrap();
        after.push(heights(&mut headless));
    }
    for place in [0, 1] {
        assert!((after[0][place] - before[place]).abs() > 0.1, "{before:?} and {after:?}");
        assert!((after[1][place] - before[place]).abs() < 0.01, "{before:?} and {after:?}");
    }
}

#[test]
fn the_ball_falls_into_the_shaft() {
    let mut headless = started(holes::game, 25);
    headless.capture(TIME_LIMIT).unwrap();
    assert!(ask(&mut headless, |terrains| terrains.ground(Vec3::ZERO).is_none()));
    assert!(ask(&mut headless, |terrains| terrains.ground(Vec3::new(0.0, 0.0, 12.0)).is_some()));
    // Over the shaft already, at rest.
    let world = headless.app_mut().world_mut();
    let ball = world.query_filtered::<Entity, With<holes::Ball>>().single(world).unwrap();
    let rim = ask(&mut headless, |terrains| terrains.ground(Vec3::new(0.0, 0.0, 12.0)).unwrap().position.y);
    headless.app_mut().world_mut().get_mut::<Transform>(ball).unwrap().translation =
        Vec3::new(-2.0, rim + 3.0, 0.0);
    for _ in 0..100_000 {
        headless.update();
        let at = headless.app().world().get::<Transform>(ball).unwrap().translation;
        assert!(at.x < 20.0, "it has rolled over the shaft: {at}");
        if at.y < rim - 8.0 {
            return;
        }
    }
    panic!("it has not fallen");
}
