//! A walker with the physics engine rapier: a capsule that its character controller moves. `examples/character.rs` moves
//! it by hand, and a test of colliders by itself.

use bevy::prelude::*;
use bevy_rapier3d::prelude::*;

/// Metres: half of the length between the middles of the capsule's ends, and its radius.
pub const HALF: f32 = 0.55;
pub const RADIUS: f32 = 0.35;

/// Metres a second: on foot, and upwards at a jump; and downwards after a second's fall.
pub const WALK: f32 = 3.0;
const JUMP: f32 = 5.0;
const GRAVITY: f32 = 9.81;

/// A walker, beside the components of [`body`].
#[derive(Component, Default)]
pub struct Walker {
    /// Metres a second, up.
    fall: f32,
}

/// What makes a walker of an entity with a place. Ground it needs beside: a `ColliderNeed`.
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
    /// Where it wants to be after so many seconds, from where it is: along `way`, in metres a second, and falling unless
    /// it stands on the ground. What the controller's last output says of that is `grounded`.
    pub fn step(&mut self, way: Vec3, grounded: bool, jumps: bool, seconds: f32) -> Vec3 {
        if grounded {
            self.fall = if jumps { JUMP } else { 0.0 };
        }
        self.fall -= GRAVITY * seconds;
        (way + self.fall * Vec3::Y) * seconds
    }
}
