//! A car on four springs, with the physics engine avian. `examples/car.rs` drives it by keys, and a test of
//! colliders automatically.

use avian3d::prelude::*;
use bevy::prelude::*;

/// Half of the car's width, height and length, metres; its mass, kilograms.
pub const HALF: Vec3 = Vec3::new(0.9, 0.35, 2.0);
const MASS: f32 = 1200.0;

/// Metres per second.
pub const TOP_SPEED: f32 = 200.0 / 3.6;

/// Metres that a wheel hangs below the body without load, stiffness and damping of its spring (N/m, N s/m),
/// and the share of its load that becomes friction.
const HANG: f32 = 0.9;
const STIFFNESS: f32 = 30_000.0;
const DAMPING: f32 = 4000.0;
const GRIP: f32 = 1.4;

/// A car; its entity also needs the components of [`body`].
#[derive(Component, Default)]
pub struct Car {
    /// From -1 to 1.
    steering: f32,
}

/// Turns an entity with a place into a car. It also needs ground: a `ColliderNeed` of 24 m, 1.5 s ahead.
pub fn body() -> impl Bundle {
    (
        Car::default(),
        (RigidBody::Dynamic, Collider::cuboid(2.0 * HALF.x, 2.0 * HALF.y, 2.0 * HALF.z), Mass(MASS)),
        // Heavy parts lie low.
        (CenterOfMass::new(0.0, -0.3, 0.0), AngularDamping(1.0), Friction::new(0.3)),
    )
}

/// Four springs on rays carry the car; their load gives the wheels their grip.
pub fn drive(
    space: SpatialQuery,
    keys: Option<Res<ButtonInput<KeyCode>>>,
    car: Single<(Entity, &mut Car, Forces), Without<RigidBodyDisabled>>,
    time: Res<Time>,
) {
    let (entity, mut car, mut body) = car.into_inner();
    let pressed = |key: KeyCode| keys.as_ref().is_some_and(|keys| keys.pressed(key));
    let axis = |more: KeyCode, less: KeyCode| f32::from(pressed(more)) - f32::from(pressed(less));
    let is_driven = [KeyCode::KeyW, KeyCode::KeyS, KeyCode::KeyA, KeyCode::KeyD].into_iter().any(pressed);
    // Without keys it drives straight on.
    let pedal = if is_driven { axis(KeyCode::KeyW, KeyCode::KeyS) } else { 1.0 };
    let wanted = axis(KeyCode::KeyA, KeyCode::KeyD);
    car.steering += (wanted - car.steering) * (6.0 * time.delta_secs()).min(1.0);

    // The physics engine's own position: the ground that rays hit is there, too, even when the world has just
    // been moved.
    let (place, turn) = (body.position().0, body.rotation().0);
    let (up, ahead) = (turn * Vec3::Y, turn * Vec3::NEG_Z);
    let speed = body.linear_velocity().dot(ahead);
    let filter = SpatialQueryFilter::from_excluded_entities([entity]);
    for (side, end) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        let wheel = place + turn * (HALF * Vec3::new(side, 0.0, 0.8 * end));
        let Ok(down) = Dir3::new(-up) else { return };
        let Some(hit) = space.cast_ray(wheel, down, HANG, true, &filter) else { continue };
        let velocity = body.velocity_at_point(wheel);
        let load = (STIFFNESS * (HANG - hit.distance) - DAMPING * velocity.dot(up)).clamp(0.0, 10.0 * MASS);
        // Front wheels turn, less at high speed.
        let angle = if end < 0.0 { 0.5 * car.steering / (1.0 + 0.05 * speed.abs()) } else { 0.0 };
        let along = Quat::from_axis_angle(up, angle) * ahead;
        let across = along.cross(up);
        let brake = if pressed(KeyCode::Space) { -velocity.dot(along) * 0.5 * MASS } else { 0.0 };
        let drive = pedal * 4.0 * MASS * (1.0 - (speed * pedal / TOP_SPEED).max(0.0));
        let grip = GRIP * load;
        let force = along * (drive + brake).clamp(-grip, grip)
            + across * (-velocity.dot(across) * 2.0 * MASS).clamp(-grip, grip);
        body.apply_force_at_point(load * up + force, wheel + down * hit.distance * 0.5);
    }
}
