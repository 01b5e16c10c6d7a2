//! On foot: the ground, steep slopes, water, walls and trunks.

use bevy::input::mouse::AccumulatedMouseMotion;
use bevy::prelude::*;
use upland::plugin::TerrainQuery;

use super::trees::Trunk;
use super::{GRAVITY, LONGEST_FRAME, cave};

/// Metres from the feet to the eyes.
pub const EYES: f32 = 1.7;

/// Metres from the middle of the body to its sides.
const BODY: f32 = 0.35;

/// Metres per second: on foot, running, swimming, and upwards at a jump.
const WALK: f32 = 4.0;
const RUN: f32 = 10.0;
const SWIM: f32 = 2.0;
const JUMP: f32 = 5.0;

/// The steepest slope on which feet hold, degrees.
const STEEPEST: f32 = 42.0;

/// The highest step, metres, besides the rise of the ground over the way ahead; anything higher is a wall.
const STEP: f32 = 0.6;

/// The deepest water for wading, metres; in deeper water the castaway swims.
pub const WADED: f32 = 1.2;

/// Radians per count of the mouse, and radians per second by the arrows.
const MOUSE: f32 = 0.002;
const ARROWS: f32 = 1.5;

/// The walker. Its transform is that of the eyes.
#[derive(Component, Default)]
pub struct Walker {
    /// Horizontal speed, metres per second.
    pub speed: f32,
    /// Upward speed, metres per second.
    rise: f32,
    /// The direction of the eyes, radians: anticlockwise from north as seen from above, and up.
    turn: f32,
    tilt: f32,
}

impl Walker {
    /// A walker who stands and looks straight ahead.
    pub fn looking(turn: f32) -> Self {
        Self { turn, ..default() }
    }
}

/// The surface under the feet: the ground, or the floor of the cave below it.
struct Floor {
    height: f32,
    normal: Vec3,
    /// Depth of the water above it, metres.
    depth: f32,
}

impl Floor {
    /// The floor for feet at a place; `None` where there is none, as beyond the land's border.
    fn under(terrains: &TerrainQuery, feet: Vec3) -> Option<Self> {
        let ground = match terrains.ground_below(feet + STEP * Vec3::Y) {
            None => match cave::floor(feet) {
                // There is a hill above it.
                Some(height) => return Some(Self { height, normal: Vec3::Y, depth: 0.0 }),
                // A wall.
                None => terrains.ground(feet)?,
            },
            Some(ground) => ground,
        };
        Some(Self { height: ground.position.y, normal: ground.normal, depth: ground.depth() })
    }

    /// The lowest height of the feet: on the floor, or as deep as a swimmer's.
    fn lowest(&self) -> f32 {
        self.height + (self.depth - WADED).max(0.0)
    }

    /// Degrees from horizontal.
    fn slope(&self) -> f32 {
        self.normal.y.clamp(-1.0, 1.0).acos().to_degrees()
    }
}

pub fn look(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    mouse: Res<AccumulatedMouseMotion>,
    walker: Single<(&mut Walker, &mut Transform)>,
) {
    let (mut walker, mut eyes) = walker.into_inner();
    let axis = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    let arrows =
        Vec2::new(axis(KeyCode::ArrowRight, KeyCode::ArrowLeft), axis(KeyCode::ArrowDown, KeyCode::ArrowUp));
    let by = mouse.delta * MOUSE + arrows * ARROWS * time.delta_secs();
    walker.turn -= by.x;
    walker.tilt = (walker.tilt - by.y).clamp(-1.5, 1.5);
    eyes.rotation = Quat::from_euler(EulerRot::YXZ, walker.turn, walker.tilt, 0.0);
}

pub fn walk(
    time: Res<Time>,
    keys: Res<ButtonInput<KeyCode>>,
    terrains: TerrainQuery,
    trunks: Query<(&Trunk, &GlobalTransform)>,
    walker: Single<(&mut Walker, &mut Transform)>,
) {
    let (mut walker, mut eyes) = walker.into_inner();
    let seconds = time.delta_secs().min(LONGEST_FRAME);
    let feet = eyes.translation - EYES * Vec3::Y;
    let Some(here) = Floor::under(&terrains, feet) else { return };
    let is_swimming = here.depth > WADED && feet.y <= here.lowest();
    let speed = if is_swimming {
        SWIM
    } else if keys.pressed(KeyCode::ShiftLeft) {
        RUN
    } else {
        WALK
    };
    let axis = |more, less| f32::from(keys.pressed(more)) - f32::from(keys.pressed(less));
    let way = Vec3::new(axis(KeyCode::KeyD, KeyCode::KeyA), 0.0, axis(KeyCode::KeyS, KeyCode::KeyW));
    let mut step = Quat::from_rotation_y(walker.turn) * way.normalize_or_zero() * speed * seconds;

    // Where the ground rises too steeply, the castaway moves along it or down.
    if !is_swimming
        && let Some(ahead) = Floor::under(&terrains, feet + step)
        && ahead.slope() > STEEPEST
    {
        let down = ahead.normal.with_y(0.0).normalize_or_zero();
        // At least as fast downhill as on foot, so that feet do not hold there.
        step += down * (WALK * seconds - step.dot(down)).max(0.0);
    }
    let mut next = feet + step;
    for (trunk, place) in &trunks {
        next += trunk.push(place, next, BODY);
    }

    // The castaway stops at walls, such as those of the cave, and at the land's border.
    let highest = feet.y + STEP + step.length();
    let (mut next, floor) = match Floor::under(&terrains, next) {
        Some(floor) if floor.lowest() <= highest => (next, floor),
        _ => (feet, here),
    };
    walker.speed = (next - feet).with_y(0.0).length() / seconds.max(1e-3);
    walker.rise -= GRAVITY * seconds;
    next.y += walker.rise * seconds;
    if next.y <= floor.lowest() {
        next.y = floor.lowest();
        walker.rise = if keys.pressed(KeyCode::Space) && !is_swimming { JUMP } else { 0.0 };
    }
    eyes.translation = next + EYES * Vec3::Y;
}
