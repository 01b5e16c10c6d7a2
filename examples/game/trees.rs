//! The forest: rules of the recipe say where trees stand, `ScatterPlugin` draws them, and near the camera
//! each is an entity too, so that nobody walks or drives through it.

use bevy::prelude::*;
use upland::plants::{Kind, Season};
use upland::plugin::{ScatterLooks, ScatterObjects};

/// Metres from the camera within which trees are entities: farther than the car comes in a second.
const NEAR: f32 = 50.0;

/// Objects that stop whoever comes.
const SOLID: [Kind; 4] = [Kind::Spruce, Kind::Beech, Kind::Palm, Kind::Boulder];

/// How high above their feet they are as wide as matters to someone who walks, metres.
const BREAST: f32 = 1.3;

/// How far a trunk's foot may lie above one's own, metres: higher ones stand on the hill over the cave.
const OVERHEAD: f32 = 2.0;

/// What stops whoever comes.
#[derive(Component)]
pub struct Trunk {
    /// Metres.
    radius: f32,
}

impl Trunk {
    /// How far what is so wide, metres, must move away from this trunk.
    pub fn push(&self, trunk: &GlobalTransform, place: Vec3, width: f32) -> Vec3 {
        let away = place - trunk.translation();
        if away.y < -OVERHEAD {
            return Vec3::ZERO;
        }
        let away = away.with_y(0.0);
        away.normalize_or_zero() * (self.radius + width - away.length()).max(0.0)
    }
}

/// The plants keep their looks, and get entities beside them.
pub fn grow(mut objects: ResMut<ScatterObjects>) {
    for kind in SOLID {
        let radius = kind.grow(0, Season::Summer).solid_radius(BREAST);
        let looks = ScatterLooks::plant(kind).with_spawner(NEAR, move |tree, scattered| {
            tree.insert(Trunk { radius: radius * scattered.object.size });
        });
        objects.insert(kind.name(), looks);
    }
}
