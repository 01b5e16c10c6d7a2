//! The components that a game gives its bodies, and those of the ground that it finds.

use std::sync::Arc;

use bevy::prelude::*;

use crate::Error;
use crate::colliders::ColliderTile;
use crate::plugin::events::{Failure, unknown_error};
use crate::plugin::setup::needs;

/// An entity that needs ground to stand on: terrains have colliders round it, which follow it as it moves.
///
/// It is usually on the same entity as a rigid body. Lengths are in metres of the world. Numbers that are not
/// finite or below 0 count as 0. For an entity at a position that is not finite no ground is made.
///
/// ```
/// # use bevy::prelude::*;
/// use upland::plugin::ColliderNeed;
///
/// # fn setup(mut commands: Commands) {
/// // Beside a rigid body and its shape.
/// commands.spawn((Transform::from_xyz(0.0, 500.0, 0.0), ColliderNeed { radius: 12.0, ..default() }));
/// # }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[component(on_add = needs("TerrainColliderPlugin", "ColliderNeed"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
#[require(Transform)]
pub struct ColliderNeed {
    /// How far around it there is ground, metres. In a quarter of it ground is never missing: it should be
    /// larger than four times the body. A very large one has coarser ground, so that there are never more
    /// than 24 tiles of 64² cells along it. Default 16.
    pub radius: f32,
    /// Metres between samples that are fine enough. Ground of 0, the default, is as fine as it is drawn right
    /// before the eye, and as [`GroundProbe`](crate::plugin::GroundProbe) knows it; of a recipe about 0.2 m.
    pub spacing: f32,
    /// How far ahead of it ground is made, seconds at its present velocity. Default 1.
    pub ahead: f32,
    /// Whether the body is held where it is while ground that it may touch is not there: because it has been
    /// put somewhere else all of a sudden, or because any terrain is still being built and none that is there
    /// lies above or below it: where land is going to be is not known before. It has [`AwaitsGround`]
    /// meanwhile. Default true.
    pub is_held: bool,
}

impl Default for ColliderNeed {
    fn default() -> Self {
        Self { radius: 16.0, spacing: 0.0, ahead: 1.0, is_held: true }
    }
}

/// Is there while ground under a body with a [`ColliderNeed`] is missing: rigid bodies of avian and rapier
/// are disabled until it is there. A game with another engine should do the same.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct AwaitsGround;

/// A square of a terrain's ground, for physics. It lies on an entity of its own without a parent, whose
/// [`Transform`] has no scale and is where the tile's middle is; it goes with its terrain, wherever that is
/// moved, and disappears with it.
///
/// When ground changes, a new tile takes its place here: [`Changed`] finds it. To give all ground of a
/// terrain a friction or layers of its own, put them on the terrain: those of avian and rapier are copied.
/// For anything else observe `On<Add, TerrainCollider>`.
#[derive(Component, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
#[require(Transform)]
pub struct TerrainCollider {
    /// The ground.
    pub tile: Arc<ColliderTile>,
    /// Metres of the world for each metre of the tile along its x, y and z axes; y is below 0 where land is
    /// drawn upside down.
    pub scale: Vec3,
}

impl TerrainCollider {
    /// Heights as they stand in the world, metres above the entity: one more along each side than the tile
    /// has cells, row by row from the north-west.
    pub fn heights(&self) -> impl Iterator<Item = f32> {
        self.tile.heights().iter().map(|height| height * self.scale.y)
    }

    /// Metres of the world along x and z.
    pub fn size(&self) -> Vec2 {
        let [x, z] = self.tile.size().to_array();
        Vec2::new((x * f64::from(self.scale.x)) as f32, (z * f64::from(self.scale.z)) as f32)
    }

    /// Vertices as they stand in the world, relative to the entity, and triangles of them, anticlockwise as
    /// seen from above.
    pub fn triangles(&self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut mesh = self.tile.mesh();
        if self.scale.y < 0.0 {
            // Turned upside down its underside is up, so the order of corners is reversed.
            mesh.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        }
        (mesh.vertices.into_iter().map(|p| Vec3::from(p) * self.scale).collect(), mesh.triangles)
    }
}

/// The terrain that a [`TerrainCollider`] is of.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug, PartialEq)]
#[relationship(relationship_target = TerrainColliders)]
pub struct TerrainColliderOf(pub Entity);

/// The colliders of a terrain. They are despawned with it.
#[derive(Component, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Debug)]
#[relationship_target(relationship = TerrainColliderOf, linked_spawn)]
pub struct TerrainColliders(Vec<Entity>);

/// Sent when a collider of a terrain cannot be made: once, until its ground changes. What was there stays;
/// bodies that are held go on waiting. Also sent when the terrain cannot be placed where it is, once until
/// that is mended: it has no colliders then, and is not drawn. An event and a message.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct TerrainCollidersFailed {
    /// The terrain.
    pub entity: Entity,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl TerrainCollidersFailed {
    pub(super) fn new(entity: Entity, cause: Error) -> Self {
        Self { entity, error: cause.to_string(), cause: Arc::new(cause) }
    }
}

impl Failure for TerrainCollidersFailed {
    fn describe(&self) -> String {
        format!("colliders of terrain {}: {}", self.entity, self.error)
    }
}

/// Counts, memory and time of terrain colliders. A resource, brought up to date in each frame.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct ColliderStatistics {
    /// Tiles that are there.
    pub tiles: usize,
    /// Memory of their heights, bytes. A physics engine has about as much again.
    pub bytes: usize,
    /// Tiles that are being made.
    pub ordered: usize,
    /// Tiles that have been made since the start, without those that came when no body needed them any more.
    pub made: u64,
    /// Milliseconds that a tile takes to make: a running mean.
    pub tile_ms: f32,
    /// Bodies that are waiting for ground.
    pub waiting: usize,
}
