//! A walker with the physics engine rapier: a capsule that its character controller moves.
//! `examples/character.rs` moves it by keys, and a test of colliders automatically.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;

/// Metres: half of the length between the centres of the capsule's ends, and its radius.
pub const HALF: f32 = 0.55;
pub const RADIUS: f32 = 0.35;

/// Metres per second: on foot, upwards at a jump, and downwards after a second's fall.
pub const WALK: f32 = 3.0;
const JUMP: f32 = 5.0;
const GRAVITY: f32 = 9.81;

/// A walker; its entity also needs the components of [`body`].
#[derive(Component, Default)]
pub struct Walker {
    /// Upward speed, metres per second.
    fall: f32,
}

/// Turns an entity with a place into a walker. It also needs ground: a `ColliderNeed`.
pub fn body() -> impl Bundle {
    (
        Walker::default(),
        (RigidBody::KinematicPositionBased, Collider::capsule_y(HALF, RADIUS)),
        KinematicCharacterController {
            max_slope_climb_angle: 45f32.to_radians(),
            min_slope_slide_angle: 45f32.to_radians(),
            snap_to_ground: Some(CharacterLength::Absolute(0.4)),
            ..default()
        },
    )
}

impl Walker {
    /// Its intended movement in this many seconds: along `way`, in metres per second, and falling unless it
    /// stands on the ground. `grounded` comes from the controller's last output.
    pub fn step(&mut self, way: Vec3, grounded: bool, jumps: bool, seconds: f32) -> Vec3 {
        if grounded {
            self.fall = if jumps { JUMP } else { 0.0 };
        }
        self.fall -= GRAVITY * seconds;
        (way + self.fall * Vec3::Y) * seconds
    }
}
