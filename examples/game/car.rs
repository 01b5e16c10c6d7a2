//! The car: an arcade car whose four wheels query the ground. The points under them give its height and its
//! tilt, the layer `road` gives its grip.

use bevy::prelude::*;
use upland::plugin::TerrainQuery;

use super::trees::Trunk;
use super::walker::{WADED, Walker};
use super::{GRAVITY, LONGEST_FRAME, Seat};

/// Its initial place, metres: in the yard, its bonnet towards the road in the west.
const PARKED: Vec3 = Vec3::new(108.0, 24.0, -486.0);

/// From its middle to the wheels, east, up and north while it faces north, metres; and the wheels' radius.
const HALF: Vec2 = Vec2::new(0.85, 1.35);
const WHEEL: f32 = 0.36;

/// Metres from its middle to the bumpers.
const BUMPER: f32 = 1.9;

/// Top speed on level ground, on the road and off it, metres per second.
const ON_ROAD: f32 = 32.0;
const OFF_ROAD: f32 = 12.0;

/// Acceleration from a standstill, metres per second squared; the share of its speed that the brakes remove
/// in a second.
const ENGINE: f32 = 7.0;
const BRAKES: f32 = 3.0;

/// The wheels' angle at full lock and at a standstill, radians, and the share of it that is lost with each
/// metre per second.
const LOCK: f32 = 0.5;
const STIFFER: f32 = 0.25;

/// The share of its speed with which it bounces off obstacles.
const BOUNCE: f32 = -0.3;

/// How far wheels follow ground that falls away, before they lift off, metres.
const SPRING: f32 = 0.05;

/// The car. Its transform is that of the middle between the wheels, on the ground.
#[derive(Component)]
pub struct Car {
    /// Forward speed, metres per second.
    pub speed: f32,
    /// Heading, radians: anticlockwise from north as seen from above.
    pub turn: f32,
    /// Upward speed, metres per second.
    rise: f32,
    /// From -1, right, to 1, left.
    steering: f32,
}

pub fn park(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let [paint, glass, rubber] = [(0.75, 0.12, 0.06), (0.1, 0.14, 0.18), (0.02, 0.02, 0.02)]
        .map(|(red, green, blue)| materials.add(Color::srgb(red, green, blue)));
    let body = meshes.add(Cuboid::new(1.8, 0.6, 4.0));
    let cabin = meshes.add(Cuboid::new(1.5, 0.55, 1.9));
    let wheel = meshes.add(Cylinder::new(WHEEL, 0.25));
    let car = Car { speed: 0.0, turn: std::f32::consts::FRAC_PI_2, rise: 0.0, steering: 0.0 };
    let pose = Transform::from_translation(PARKED).with_rotation(Quat::from_rotation_y(car.turn));
    commands.spawn((car, pose, Visibility::default())).with_children(|car| {
        car.spawn((Mesh3d(body), MeshMaterial3d(paint), Transform::from_xyz(0.0, 0.65, 0.0)));
        car.spawn((Mesh3d(cabin), MeshMaterial3d(glass), Transform::from_xyz(0.0, 1.2, 0.2)));
        for place in wheels() {
            // Bevy's cylinders are upright.
            let axle = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
            let pose = Transform::from_translation(place + WHEEL * Vec3::Y).with_rotation(axle);
            car.spawn((Mesh3d(wheel.clone()), MeshMaterial3d(rubber.clone()), pose));
        }
    });
}

/// The positions of the wheels while it faces north: front left, front right, rear left, rear right.
fn wheels() -> [Vec3; 4] {
    let Vec2 { x, y } = HALF;
    [(-x, -y), (x, -y), (-x, y), (x, y)].map(|(x, z)| Vec3::new(x, 0.0, z))
}

pub fn drive(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    seat: Res<Seat>,
    terrains: TerrainQuery,
    trunks: Query<(&Trunk, &GlobalTransform)>,
    car: Single<(&mut Car, &mut Transform)>,
) {
    let (mut car, mut pose) = car.into_inner();
    let seconds = time.delta_secs().min(LONGEST_FRAME);
    // Heights are divided by it.
    if seconds <= 0.0 {
        return;
    }
    let is_driven = *seat == Seat::AtTheWheel;
    let pressed = |key| is_driven && keys.pressed(key);
    let axis = |more, less| f32::from(pressed(more)) - f32::from(pressed(less));
    let is_braked = !is_driven || keys.pressed(KeyCode::Space);
    let push = if is_braked {
        -BRAKES * car.speed
    } else {
        let top = OFF_ROAD + (ON_ROAD - OFF_ROAD) * road_at(&terrains, pose.translation);
        // Top speed is where the engine and the drag are equal; on a slope the component of gravity along the
        // car is added.
        ENGINE * (axis(KeyCode::KeyW, KeyCode::KeyS) - car.speed / top) - GRAVITY * pose.forward().y
    };
    car.speed += push * seconds;
    car.steering += (axis(KeyCode::KeyA, KeyCode::KeyD) - car.steering) * (6.0 * seconds).min(1.0);
    // Less lock at high speed, or a touch of a key would throw the car round.
    let angle = LOCK * car.steering / (1.0 + STIFFER * car.speed.abs());
    // The bicycle model: speed · tan(angle) / wheelbase, with the angle in place of its tangent.
    car.turn += car.speed * angle / (2.0 * HALF.y) * seconds;

    let turn = Quat::from_rotation_y(car.turn);
    let place = pose.translation + turn * Vec3::NEG_Z * car.speed * seconds;
    let bumper = place + turn * Vec3::NEG_Z * BUMPER * car.speed.signum();
    let hits_trunk = trunks.iter().any(|(trunk, at)| trunk.push(at, bumper, HALF.x) != Vec3::ZERO);
    // It doesn't cross holes and borders, deep water and trees.
    let corners = wheels().map(|wheel| {
        let ground = terrains.ground(place + turn * wheel)?;
        (!hits_trunk && ground.depth() < WADED).then_some(ground.position)
    });
    let [Some(front_left), Some(front_right), Some(rear_left), Some(rear_right)] = corners else {
        car.speed *= BOUNCE;
        return;
    };
    let ahead = front_left + front_right - rear_left - rear_right;
    let across = front_right + rear_right - front_left - rear_left;
    let height = (front_left + front_right + rear_left + rear_right).y / 4.0;

    // Over a crest it takes off, with the upward speed that it had on the slope.
    let flown = pose.translation.y + car.rise * seconds;
    if height >= flown - SPRING {
        // Ground that becomes finer within a frame must not throw the car up.
        car.rise = ((height - pose.translation.y) / seconds).min(0.5 * car.speed.abs());
        pose.translation = place.with_y(height);
        let lies = Transform::default().looking_to(ahead, across.cross(ahead)).rotation;
        // The share of the way that is left after a time, whatever the frame rate is.
        pose.rotation = pose.rotation.slerp(lies, 1.0 - (-12.0 * seconds).exp());
    } else {
        car.rise -= GRAVITY * seconds;
        pose.translation = place.with_y(flown);
    }
}

/// The share of road in the ground at a place.
fn road_at(terrains: &TerrainQuery, place: Vec3) -> f32 {
    let road = terrains.ground(place).and_then(|ground| terrains.layer(ground.terrain, "road", place));
    road.unwrap_or(0.0)
}

/// The camera follows the car, and stays over the ground.
pub fn follow(
    time: Res<Time>,
    terrains: TerrainQuery,
    car: Single<&Transform, With<Car>>,
    mut camera: Single<&mut Transform, (With<Walker>, Without<Car>)>,
) {
    let behind = car.translation - 8.0 * car.forward() + 3.0 * Vec3::Y;
    let share = 1.0 - (-5.0 * time.delta_secs()).exp();
    camera.translation = camera.translation.lerp(behind, share);
    if let Some(ground) = terrains.ground(camera.translation) {
        camera.translation.y = camera.translation.y.max(ground.position.y + 1.0);
    }
    camera.look_at(car.translation + 1.5 * Vec3::Y, Vec3::Y);
}
