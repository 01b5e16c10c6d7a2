//! The fly camera: one pilot, whom all cameras of the window follow.

use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit};
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy::window::{CursorGrabMode, CursorOptions, PrimaryWindow};
use bevy_egui::input::EguiWantsInput;

use super::draw::Drawing;
use super::layout::Place;
use super::towers::Putting;
use crate::plugin::{FloatingOrigin, TerrainGround, TerrainQuery, WorldOrigin};

/// Metres the pilot keeps above ground and water.
const CLEARANCE: f32 = 2.5;
/// Radians the view turns for each pixel the mouse moves.
const RADIANS_PER_PIXEL: f32 = 0.0028;
/// Steepest look up or down, radians.
const STEEPEST: f32 = 1.54;
/// The longest duration of a frame, seconds: on a slow device the pilot slows down instead of jumping.
const LONGEST_FRAME: f32 = 0.25;

/// Moves the pilot and the cameras that follow.
pub(super) struct FlyPlugin;

impl Plugin for FlyPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pilot>()
            .init_resource::<WorldOrigin>()
            .add_systems(Startup, seat)
            .add_systems(Update, (look, fly, stay_above_ground, follow).chain());
    }
}

/// The pilot's position, direction and speed.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub(super) struct Pilot {
    /// Metres from where the world's origin was at first: precise a thousand kilometres away as well.
    pub place: DVec3,
    /// Compass bearing of the view, radians clockwise from north.
    pub bearing: f32,
    /// Angle of the view above the horizon, radians.
    pub pitch: f32,
    /// Metres per second.
    pub speed: f32,
    /// Whether the mouse turns the view now.
    looking: bool,
}

impl Default for Pilot {
    fn default() -> Self {
        Self { place: DVec3::Y * 1000.0, bearing: 0.0, pitch: 0.0, speed: 400.0, looking: false }
    }
}

impl Pilot {
    /// Puts the pilot at `from`, looking towards `at`.
    pub fn put(&mut self, from: Vec3, at: Vec3) {
        let way = at - from;
        self.place = from.as_dvec3();
        self.bearing = way.x.atan2(-way.z);
        self.pitch = way.y.atan2(way.xz().length()).clamp(-STEEPEST, STEEPEST);
        self.speed = (way.length() / 25.0).clamp(5.0, 20_000.0);
    }

    /// The pilot's position, and a point in view.
    pub fn sight(&self) -> (Vec3, Vec3) {
        let place = self.place.as_vec3();
        (place, place + self.rotation() * Vec3::NEG_Z * self.speed * 25.0)
    }

    fn rotation(&self) -> Quat {
        Quat::from_euler(EulerRot::YXZ, -self.bearing, self.pitch, 0.0)
    }
}

/// A camera that the pilot looks through.
#[derive(Component, Default)]
pub(super) struct FollowsPilot;

/// The world's origin is kept near the pilot.
fn seat(mut commands: Commands) {
    commands.spawn((FollowsPilot, FloatingOrigin, Transform::default()));
}

/// Holding a mouse button over the land turns the view; the wheel sets the speed.
pub(super) fn look(
    mut pilot: ResMut<Pilot>,
    buttons: Res<ButtonInput<MouseButton>>,
    motion: Res<AccumulatedMouseMotion>,
    scroll: Res<AccumulatedMouseScroll>,
    egui: Res<EguiWantsInput>,
    (drawing, putting): (Res<Drawing>, Res<Putting>),
    places: Query<&Place>,
    mut window: Single<(&Window, &mut CursorOptions), With<PrimaryWindow>>,
) {
    let (window, cursor) = &mut *window;
    // The panel doesn't always claim the pointer, so check that it is over the land.
    let over_land =
        window.cursor_position().is_some_and(|cursor| places.iter().any(|place| place.contains(cursor)));
    let free = over_land && !egui.wants_any_pointer_input();
    // While drawing, the other two buttons are in use.
    let all = [MouseButton::Middle, MouseButton::Left, MouseButton::Right];
    let held = if drawing.is_on() || putting.is_on { &all[..1] } else { &all[..] }.iter().copied();
    if free && buttons.any_just_pressed(held.clone()) {
        pilot.looking = true;
        cursor.visible = false;
        cursor.grab_mode = CursorGrabMode::Confined;
    }
    if pilot.looking && !buttons.any_pressed(held) {
        pilot.looking = false;
        cursor.visible = true;
        cursor.grab_mode = CursorGrabMode::None;
    }
    if pilot.looking && motion.delta != Vec2::ZERO {
        pilot.bearing = (pilot.bearing + motion.delta.x * RADIANS_PER_PIXEL) % std::f32::consts::TAU;
        pilot.pitch = (pilot.pitch - motion.delta.y * RADIANS_PER_PIXEL).clamp(-STEEPEST, STEEPEST);
    }
    if (free || pilot.looking) && scroll.delta.y != 0.0 {
        let notches = match scroll.unit {
            MouseScrollUnit::Line => scroll.delta.y,
            MouseScrollUnit::Pixel => scroll.delta.y / 40.0,
        };
        pilot.speed = (pilot.speed * 1.2f32.powf(notches)).clamp(1.0, 50_000.0);
    }
}

/// WASD along the view, E up, Q down, shift quicker.
fn fly(
    mut pilot: ResMut<Pilot>,
    keys: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    time: Res<Time>,
) {
    let commanding = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if egui.wants_any_keyboard_input() || commanding {
        return;
    }
    let along = |ahead: [KeyCode; 2], back: [KeyCode; 2]| {
        f32::from(u8::from(keys.any_pressed(ahead))) - f32::from(u8::from(keys.any_pressed(back)))
    };
    let right = along([KeyCode::KeyD, KeyCode::ArrowRight], [KeyCode::KeyA, KeyCode::ArrowLeft]);
    let ahead = along([KeyCode::KeyW, KeyCode::ArrowUp], [KeyCode::KeyS, KeyCode::ArrowDown]);
    let up = along([KeyCode::KeyE, KeyCode::PageUp], [KeyCode::KeyQ, KeyCode::PageDown]);
    let way = pilot.rotation() * Vec3::new(right, 0.0, -ahead) + Vec3::Y * up;
    if way == Vec3::ZERO {
        return;
    }
    let hurry = if keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]) { 4.0 } else { 1.0 };
    let step = pilot.speed * hurry * time.delta_secs().min(LONGEST_FRAME);
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
    let lowest = land.into_iter().chain(seas).fold(f32::NEG_INFINITY, f32::max) + CLEARANCE;
    if pilot.place.y < f64::from(lowest) {
        pilot.place.y = lowest.into();
    }
}

fn follow(
    pilot: Res<Pilot>,
    origin: Res<WorldOrigin>,
    mut cameras: Query<&mut Transform, With<FollowsPilot>>,
) {
    let place = (pilot.place - origin.0).as_vec3();
    let transform = Transform::from_translation(place).with_rotation(pilot.rotation());
    for mut camera in &mut cameras {
        camera.set_if_neq(transform);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pilot_looks_where_he_is_told_to() {
        let mut pilot = Pilot::default();
        for at in [Vec3::new(0.0, 0.0, -9.0), Vec3::new(7.0, 2.0, 1.0), Vec3::new(-3.0, 5.0, 8.0)] {
            pilot.put(Vec3::ZERO, at);
            assert!((pilot.rotation() * Vec3::NEG_Z).abs_diff_eq(at.normalize(), 1e-5));
        }
    }
}
