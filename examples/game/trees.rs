//! The forest: rules of the recipe place trees, `ScatterPlugin` draws them, and near the camera each is also
//! an entity, so that the castaway and the car don't pass through it.

use bevy::prelude::*;
use upland::plants::{Kind, Season};
use upland::plugin::{ScatterLooks, ScatterObjects};

/// Distance from the camera within which trees are entities, metres: more than the car drives in a second.
const NEAR: f32 = 50.0;

/// Objects that are obstacles.
const SOLID: [Kind; 4] = [Kind::Spruce, Kind::Beech, Kind::Palm, Kind::Boulder];

/// The height above their feet at which their width matters to a walker, metres.
const BREAST: f32 = 1.3;

/// How far a trunk's foot may be above one's own, metres: higher ones stand on the hill over the cave.
const OVERHEAD: f32 = 2.0;

/// An obstacle.
#[derive(Component)]
pub struct Trunk {
    /// Radius, metres.
    radius: f32,
}

impl Trunk {
    /// The movement that takes something of this width, metres, out of this trunk.
    pub fn push(&self, trunk: &GlobalTransform, place: Vec3, width: f32) -> Vec3 {
        let away = place - trunk.translation();
        if away.y < -OVERHEAD {
            return Vec3::ZERO;
        }
        let away = away.with_y(0.0);
        away.normalize_or_zero() * (self.radius + width - away.length()).max(0.0)
    }
}

/// The plants keep their looks, and also get entities.
pub fn grow(mut objects: ResMut<ScatterObjects>) {
    for kind in SOLID {
        // Grown once: all trees of a kind have trunks of about the same width.
        let radius = kind.grow(0, Season::Summer).solid_radius(BREAST);
        let looks = ScatterLooks::plant(kind).with_spawner(NEAR, move |tree, scattered| {
            tree.insert(Trunk { radius: radius * scattered.object.size });
        });
        objects.insert(kind.name(), looks);
    }
}
