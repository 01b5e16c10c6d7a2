//! Moving: through a recorded build, on foot, and to a point that was double-clicked.

use bevy::ecs::system::RunSystemOnce;
use bevy::input::ButtonState;
use bevy::input::keyboard::Key;
use bevy::prelude::*;

use super::Driven;
use super::tests::{land, place};
use crate::plugin::{GroundPoint, TerrainGround, TerrainQuery};
use crate::viewer::build::playback::Player;
use crate::viewer::camera::pilot::{Mode, Pilot};

fn pilot(driven: &Driven) -> &Pilot {
    driven.app.world().resource::<Pilot>()
}

fn put(driven: &mut Driven, from: Vec3, look: Vec3) {
    driven.app.world_mut().resource_mut::<Pilot>().put(from, look);
    driven.frames(3);
}

/// Waits until the eyes are at a walker's height above the ground, because arriving tiles refine the ground.
fn stand(driven: &mut Driven) {
    /// Metres.
    const EYES: f64 = 1.7;
    driven.until("the eyes are at their height", |driven| {
        // The world's origin has not moved, so this is also the position in the world.
        let place = pilot(driven).place;
        let ask = move |terrains: TerrainQuery| terrains.ground(place.as_vec3()).unwrap().position.y;
        let ground = driven.app.world_mut().run_system_once(ask).unwrap();
        (place.y - f64::from(ground) - EYES).abs() < 1e-3
    });
}

/// The ground in the middle of the view, if there is any.
fn ground_ahead(driven: &mut Driven) -> Option<GroundPoint> {
    let (from, look) = pilot(driven).sight();
    let ray = Ray3d::new(from, Dir3::new(look - from).unwrap());
    let ask = move |terrains: TerrainQuery| terrains.cast_ray(ray, 1e5);
    driven.app.world_mut().run_system_once(ask).unwrap()
}

/// Double-clicks in the middle of the land's view, and waits until the journey ends.
fn double_click(driven: &mut Driven) {
    let middle = place(driven).center();
    driven.click_at(middle);
    driven.click_at(middle);
    let mut before = pilot(driven).place;
    driven.frames(2);
    assert_ne!(pilot(driven).place, before, "the journey begins");
    for _ in 0..1000 {
        before = pilot(driven).place;
        driven.frames(1);
        if pilot(driven).place == before {
            return;
        }
    }
    panic!("the journey does not end");
}

#[test]
fn dragging_the_timeline_scrubs_through_a_recorded_build() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    driven.press(&[(KeyCode::F5, Key::F5)]);
    driven.until("it is recorded", |driven| {
        let player = driven.app.world().resource::<Player>();
        !player.is_recording() && player.recording().frames().len() > 4
    });
    driven.frames(4);
    let count = driven.app.world().resource::<Player>().recording().frames().len();
    let timeline = driven.named("Frame of the build").unwrap_or_else(|| panic!("{:?}", driven.names()));
    let at = |share: f32| Vec2::new(timeline.min.x + share * timeline.width(), timeline.center().y);
    driven.point(at(0.9));
    driven.button(ButtonState::Pressed);
    for share in [0.9, 0.7, 0.5, 0.3, 0.1, 0.45] {
        driven.point(at(share));
        let player = driven.app.world().resource::<Player>();
        let expected = share * count as f32;
        // A pixel may belong to the next frame of the build.
        let is_there = (player.at() as f32 - expected.floor()).abs() <= 1.0;
        assert!(is_there && !player.is_playing, "frame {} in place of {expected}", player.at());
    }
    driven.button(ButtonState::Released);
    let frame = driven.app.world().resource::<Player>().at();
    driven.frames(30);
    assert_eq!(driven.app.world().resource::<Player>().at(), frame, "it stays where it was released");
    // And the land shows the frame.
    driven.until("the land shows the frame", |driven| {
        let world = driven.app.world_mut();
        let mut grounds = world.query::<&TerrainGround>();
        let shown = grounds.single(world).unwrap().landscape.heightfield.clone();
        shown == *world.resource::<Player>().frame().unwrap().heights
    });
}

#[test]
fn walking_stays_on_the_ground() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    put(&mut driven, Vec3::new(-200.0, 700.0, 200.0), Vec3::new(0.0, 700.0, 0.0));
    driven.order("Walk");
    assert_eq!(pilot(&driven).mode, Mode::Walk);
    let start = pilot(&driven).place;
    for _ in 0..6 {
        let before = pilot(&driven).place;
        driven.hold_key(KeyCode::KeyW, Key::Character("w".into()), 20);
        let now = pilot(&driven).place;
        assert!(now.xz().distance(before.xz()) > 1.0, "{before} {now}");
        stand(&mut driven);
    }
    let way = pilot(&driven).place - start;
    assert!(way.x > 0.0 && way.z < 0.0, "north-east, where it looks: {way}");
    // Looking up doesn't lift the walker.
    driven.app.world_mut().resource_mut::<Pilot>().pitch = 1.0;
    driven.hold_key(KeyCode::KeyW, Key::Character("w".into()), 20);
    stand(&mut driven);
    driven.order("Fly");
    assert_eq!(pilot(&driven).mode, Mode::Fly);
}

#[test]
fn the_status_line_shows_the_speed() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    // The initial view, and the speed with it, is set once the land is built.
    driven.frames(4);
    driven.app.world_mut().resource_mut::<Pilot>().speed = 113.0;
    driven.frames(3);
    let tells = |driven: &mut Driven, speed: &str| driven.names().iter().any(|name| name.ends_with(speed));
    assert!(tells(&mut driven, " m, 113 m/s"), "{:?}", driven.names());
    driven.order("Walk");
    assert!(tells(&mut driven, " m, 40 m/s"), "{:?}", driven.names());
    // The wheel changes the speed that is shown.
    let land = place(&mut driven).center();
    driven.scroll(land, 1.0);
    assert!(tells(&mut driven, " m, 33 m/s"), "{:?}", driven.names());
    driven.order("Fly");
    assert!(tells(&mut driven, " m, 33 m/s"), "{:?}", driven.names());
}

#[test]
fn a_double_click_on_the_ground_flies_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    driven.settle();
    let (from, look) = (Vec3::new(0.0, 1500.0, 900.0), Vec3::new(0.0, 100.0, 0.0));
    put(&mut driven, from, look);
    let target = ground_ahead(&mut driven).unwrap().position;
    let way = from.distance(target);

    // A single click goes nowhere.
    let middle = place(&mut driven).center();
    driven.click_at(middle);
    driven.frames(120);
    assert!(pilot(&driven).place.as_vec3().distance(from) < 0.01);

    double_click(&mut driven);
    let near = pilot(&driven).place.as_vec3();
    assert!(near.distance(target) < 0.2 * way, "{near} is far from {target}");
    let seen = ground_ahead(&mut driven).unwrap().position;
    assert!(seen.distance(target) < 0.1 * way, "the camera looks at it: {seen}, {target}");

    // On foot, the walker stands there.
    driven.order("Walk");
    put(&mut driven, Vec3::new(-300.0, 700.0, 300.0), Vec3::new(0.0, 100.0, 0.0));
    stand(&mut driven);
    // A direction in which there is ground a little ahead.
    let ahead = (0..16).find_map(|turn| {
        let mut pilot = driven.app.world_mut().resource_mut::<Pilot>();
        (pilot.bearing, pilot.pitch) = (turn as f32 * 0.4, -0.2);
        let place = pilot.place.as_vec3();
        let ground = ground_ahead(&mut driven)?.position;
        (4.0..80.0).contains(&ground.distance(place)).then_some(ground)
    });
    let target = ahead.expect("ground that is visible on foot");
    driven.frames(3);
    double_click(&mut driven);
    let stands = pilot(&driven).place.as_vec3();
    assert!(stands.xz().distance(target.xz()) < 2.0, "{stands} is not at {target}");
    stand(&mut driven);
}
