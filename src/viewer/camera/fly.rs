//! Flying: mouse and keys move the pilot, and cameras follow it.

use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit};
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::time::Real;
use bevy::window::{CursorGrabMode, CursorOptions, PrimaryWindow};
use bevy_egui::input::EguiWantsInput;

use super::cursor::Sight;
use super::pilot::{EYES, FollowsPilot, Mode, Pilot, STEEPEST};
use super::pilots::{Pilots, change_seats};
use crate::plugin::{FloatingOrigin, TerrainGround, TerrainQuery, WorldOrigin};
use crate::recipe::Flight;
use crate::viewer::build::playback::Player;
use crate::viewer::document::links::Links;
use crate::viewer::session::status_message::Message;
use crate::viewer::session::{Place, PointerOwner, ViewOf};

/// Two clicks are a double click if they are at most this many seconds and pixels apart.
const DOUBLE: f32 = 0.45;
const STILL: f32 = 6.0;

/// The height that the pilot keeps above ground and water, metres.
const CLEARANCE: f32 = 2.5;
/// The angle by which the view turns for each pixel that the mouse moves, radians.
const RADIANS_PER_PIXEL: f32 = 0.0028;
/// A frame counts as no longer than this, seconds: on a slow device the pilot slows down instead of jumping.
const LONGEST_FRAME: f32 = 0.25;

/// Moves the pilot and the cameras that follow it.
pub(crate) struct FlyPlugin;

impl Plugin for FlyPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pilot>()
            .init_resource::<PointerOwner>()
            .init_resource::<WorldOrigin>()
            .add_systems(Startup, seat)
            .init_resource::<Pilots>()
            .add_systems(
                Update,
                (change_seats, look, go_there, fly, land, travel, stay_above_ground, record, follow).chain(),
            );
    }
}

/// Keeps the world's origin near the pilot.
fn seat(mut commands: Commands) {
    commands.spawn((FollowsPilot, FloatingOrigin, Transform::default()));
}

/// Holding a mouse button over the land turns the view; the wheel sets the speed.
pub(crate) fn look(
    mut pilot: ResMut<Pilot>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    egui: Res<EguiWantsInput>,
    owner: Res<PointerOwner>,
    (terrains, origin): (TerrainQuery, Res<WorldOrigin>),
    mut target: Local<Option<DVec3>>,
    places: Query<&Place>,
    mut window: Single<(&Window, &mut CursorOptions), With<PrimaryWindow>>,
) {
    let (window, cursor) = &mut *window;
    // egui doesn't always claim the pointer over a panel, so check that it is over the land.
    let over_land =
        window.cursor_position().is_some_and(|cursor| places.iter().any(|place| place.contains(cursor)));
    let free = over_land && !egui.wants_any_pointer_input();
    // The buttons that no tool uses.
    let held: &[MouseButton] = match *owner {
        PointerOwner::Points => &[MouseButton::Middle],
        PointerOwner::Brush => &[MouseButton::Middle, MouseButton::Right],
        PointerOwner::Camera | PointerOwner::Probe => {
            &[MouseButton::Middle, MouseButton::Left, MouseButton::Right]
        }
    };
    let held = held.iter().copied();
    if free && buttons.any_just_pressed(held.clone()) {
        pilot.looking = true;
        (pilot.journey, pilot.tour) = (None, None);
        *target = None;
        cursor.visible = false;
        cursor.grab_mode = CursorGrabMode::Confined;
    }
    if pilot.looking && !buttons.any_pressed(held) {
        pilot.looking = false;
        cursor.visible = true;
        cursor.grab_mode = CursorGrabMode::None;
    }
    if pilot.mode == Mode::Orbit {
        let turned = pilot.looking && motion.delta != Vec2::ZERO;
        let wheel = if free { notches(&scroll) } else { 0.0 };
        if !turned && wheel == 0.0 {
            return;
        }
        let around = *target.get_or_insert_with(|| middle_of_view(&pilot, &terrains, &origin));
        let turn =
            if turned { Vec2::new(motion.delta.x, -motion.delta.y) * RADIANS_PER_PIXEL } else { Vec2::ZERO };
        pilot.orbit(around, turn, 0.85f32.powf(wheel));
        return;
    }
    if pilot.looking && motion.delta != Vec2::ZERO {
        pilot.bearing = (pilot.bearing + motion.delta.x * RADIANS_PER_PIXEL) % std::f32::consts::TAU;
        pilot.pitch = (pilot.pitch - motion.delta.y * RADIANS_PER_PIXEL).clamp(-STEEPEST, STEEPEST);
    }
    if (free || pilot.looking) && scroll.delta.y != 0.0 {
        pilot.speed = (pilot.moving_speed() * 1.2f32.powf(notches(&scroll))).clamp(1.0, 50_000.0);
    }
}

/// How far the wheel was turned, in notches.
fn notches(scroll: &AccumulatedMouseScroll) -> f32 {
    match scroll.unit {
        MouseScrollUnit::Line => scroll.delta.y,
        MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
    }
}

/// The ground in the middle of the view, or a point ahead if there is none.
fn middle_of_view(pilot: &Pilot, terrains: &TerrainQuery, origin: &WorldOrigin) -> DVec3 {
    let eye = (pilot.place - origin.0).as_vec3();
    let ahead = Dir3::new(pilot.rotation() * Vec3::NEG_Z).unwrap_or(Dir3::NEG_Z);
    match terrains.cast_ray(Ray3d::new(eye, ahead), 100_000.0) {
        Some(ground) => ground.position.as_dvec3() + origin.0,
        None => pilot.place + ahead.as_vec3().as_dvec3() * f64::from(pilot.speed) * 10.0,
    }
}

/// A double click on the ground starts a journey to it.
fn go_there(
    mut pilot: ResMut<Pilot>,
    sight: Sight,
    origin: Res<WorldOrigin>,
    buttons: Res<ButtonInput<MouseButton>>,
    owner: Res<PointerOwner>,
    time: Res<Time<Real>>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut before: Local<Option<(f32, Vec2)>>,
) {
    let is_free = *owner == PointerOwner::Camera;
    let Some(cursor) = window.cursor_position().filter(|_| is_free) else { return };
    if !buttons.just_pressed(MouseButton::Left) {
        return;
    }
    let now = time.elapsed_secs();
    let is_double = before.is_some_and(|(then, place)| now - then < DOUBLE && place.distance(cursor) < STILL);
    *before = Some((now, cursor)).filter(|_| !is_double);
    if is_double && let Some(ground) = sight.on_any_land() {
        pilot.go_to(ground.position.as_dvec3() + origin.0);
    }
}

/// Lets a walker's journey end on the ground, or on the sea.
fn land(
    mut pilot: ResMut<Pilot>,
    origin: Res<WorldOrigin>,
    terrains: TerrainQuery,
    grounds: Query<&TerrainGround>,
) {
    if pilot.mode != Mode::Walk || pilot.journey.is_none() {
        return;
    }
    let sea = grounds.iter().filter_map(|ground| ground.landscape.sea_level).fold(f32::MIN, f32::max);
    pilot.end_on_ground(|place| {
        let ground = terrains.ground((place - origin.0).as_vec3())?;
        Some(f64::from(ground.position.y.max(sea)))
    });
}

/// Continues the journey to a place, or the tour.
fn travel(mut pilot: ResMut<Pilot>, time: Res<Time>) {
    if pilot.journey.is_some() || pilot.tour.is_some() {
        pilot.travel(time.delta_secs().min(LONGEST_FRAME));
    }
}

/// Continues the recording of a flight.
fn record(mut pilot: ResMut<Pilot>, time: Res<Time>, mut message: ResMut<Message>) {
    let sight = pilot.sight();
    let recording = pilot.bypass_change_detection().recording.as_mut();
    let Some(recording) = recording.filter(|of| of.waypoints.len() < Flight::MOST_WAYPOINTS) else { return };
    if !recording.go_on(time.delta_secs(), sight) {
        message.report("The flight has reached its maximum length; stop recording to keep it");
    }
}

/// WASD moves along the view, E up, Q down; Shift is faster.
fn fly(
    mut pilot: ResMut<Pilot>,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    player: Res<Player>,
    time: Res<Time>,
) {
    let commanding = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if egui.wants_any_keyboard_input() || commanding {
        return;
    }
    // While the player of a build is open, the arrow keys step through its frames instead.
    let pressed =
        |[letter, arrow]: [KeyCode; 2]| keys.pressed(letter) || (!player.open && keys.pressed(arrow));
    let along = |ahead: [KeyCode; 2], back: [KeyCode; 2]| {
        f32::from(u8::from(pressed(ahead))) - f32::from(u8::from(pressed(back)))
    };
    let right = along([KeyCode::KeyD, KeyCode::ArrowRight], [KeyCode::KeyA, KeyCode::ArrowLeft]);
    let ahead = along([KeyCode::KeyW, KeyCode::ArrowUp], [KeyCode::KeyS, KeyCode::ArrowDown]);
    let up = along([KeyCode::KeyE, KeyCode::PageUp], [KeyCode::KeyQ, KeyCode::PageDown]);
    let mut way = pilot.rotation() * Vec3::new(right, 0.0, -ahead) + Vec3::Y * up;
    if pilot.mode == Mode::Walk {
        way = Quat::from_rotation_y(-pilot.bearing) * Vec3::new(right, 0.0, -ahead);
    }
    if way == Vec3::ZERO {
        return;
    }
    (pilot.journey, pilot.tour) = (None, None);
    let hurry = if keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]) { 4.0 } else { 1.0 };
    let step = pilot.moving_speed() * hurry * time.delta_secs().min(LONGEST_FRAME);
    pilot.place += (way.normalize() * step).as_dvec3();
}

fn stay_above_ground(
    mut pilot: ResMut<Pilot>,
    origin: Res<WorldOrigin>,
    terrains: TerrainQuery,
    grounds: Query<&TerrainGround>,
) {
    let land = terrains.ground((pilot.place - origin.0).as_vec3()).map(|ground| ground.position.y);
    let seas = grounds.iter().filter_map(|ground| ground.landscape.sea_level);
    if pilot.mode == Mode::Walk
        && pilot.journey.is_none()
        && pilot.tour.is_none()
        && let Some(ground) = land
    {
        let sea = grounds.iter().filter_map(|ground| ground.landscape.sea_level).fold(f32::MIN, f32::max);
        pilot.place.y = f64::from(ground.max(sea)) + EYES;
        return;
    }
    // A walker on a journey is no higher at its end than afterwards.
    let clearance = if pilot.mode == Mode::Walk { EYES } else { f64::from(CLEARANCE) };
    let lowest = f64::from(land.into_iter().chain(seas).fold(f32::NEG_INFINITY, f32::max)) + clearance;
    if pilot.place.y < lowest {
        pilot.place.y = lowest;
    }
}

fn follow(
    (pilot, pilots): (Res<Pilot>, Res<Pilots>),
    origin: Res<WorldOrigin>,
    documents: Query<&Links>,
    mut cameras: Query<(&mut Transform, Option<&ViewOf>), With<FollowsPilot>>,
) {
    for (mut camera, view) in &mut cameras {
        let linked = view.and_then(|view| Some((view.0, documents.get(view.0).ok()?)));
        let waiting = linked.and_then(|(document, links)| pilots.waiting(document, links));
        let pilot = waiting.unwrap_or(&pilot);
        let place = (pilot.place - origin.0).as_vec3();
        camera.set_if_neq(Transform::from_translation(place).with_rotation(pilot.rotation()));
    }
}
