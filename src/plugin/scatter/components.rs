//! Components and resources that a game sets and reads: settings of a terrain, budgets, statistics,
//! failures.

use std::sync::Arc;

use bevy::prelude::*;

use super::season::PlantSeason;
use crate::Error;
use crate::plugin::events::{Failure, unknown_error};
use crate::plugin::setup::needs;

/// How what is scattered on a terrain is drawn. With [`ScatterPlugin`](super::ScatterPlugin) every
/// [`Terrain`](crate::plugin::Terrain) has it; change it at any time.
///
/// Objects stand on terrains whose recipe has rules, see [`Rule`](crate::scatter::Rule), on the terrain's
/// render layers.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{Terrain, TerrainScatter};
///
/// fn setup(mut commands: Commands) {
///     // Half as far as usual, without shadows.
///     let scatter = TerrainScatter { distance: 0.5, shadows: 0.0, ..default() };
///     commands.spawn((Terrain::from_file("island.ron"), scatter));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[component(on_add = needs("ScatterPlugin", "TerrainScatter"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct TerrainScatter {
    /// Whether anything is drawn. Default true.
    pub on: bool,
    /// Distances at which objects are drawn and become coarser, as multiples of their own; at least 0, where
    /// nothing is drawn. Default 1.
    pub distance: f32,
    /// The share of objects that are drawn, in \[0, 1\]: the others are left out, the same ones always.
    /// Default 1.
    pub density: f32,
    /// Distance up to which objects cast shadows, metres. Default 400.
    pub shadows: f32,
    /// How far wind moves plants, as a multiple of what [`Wind`](crate::plugin::Wind) does. 0: not at all.
    /// Default 1.
    pub sway: f32,
    /// The season that plants show. Default: that of the land's colours.
    pub season: PlantSeason,
}

impl Default for TerrainScatter {
    fn default() -> Self {
        Self { on: true, distance: 1.0, density: 1.0, shadows: 400.0, sway: 1.0, season: PlantSeason::OfLand }
    }
}

impl TerrainScatter {
    /// Nothing is drawn.
    pub const OFF: Self = Self {
        on: false,
        distance: 1.0,
        density: 1.0,
        shadows: 400.0,
        sway: 1.0,
        season: PlantSeason::OfLand,
    };
}

/// Limits of the time and memory for scattered objects. A resource; insert another one at any time.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default)]
pub struct ScatterBudget {
    /// Bytes of the graphics device for places of objects, 16 for each, of every terrain. Where they don't
    /// suffice, distant cells stay empty. A terrain has what was set when its first objects were placed.
    /// Default 48 MiB: three million objects.
    pub device_bytes: usize,
    /// Bytes that are uploaded in a frame for all terrains together, and at most one cell more of each.
    /// Default 2 MiB.
    pub upload_bytes: usize,
    /// Milliseconds of the main thread in a frame after which no further cell is taken in and none drawn
    /// again; one always is. Default 0.4.
    pub main_thread_ms: f32,
}

impl Default for ScatterBudget {
    fn default() -> Self {
        Self { device_bytes: 48 << 20, upload_bytes: 2 << 20, main_thread_ms: 0.4 }
    }
}

/// What is scattered on all terrains together, in the last frame. A resource, to be read; for one of the
/// terrains read its [`TerrainScatterStatistics`].
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default)]
pub struct ScatterStatistics {
    /// Milliseconds of the main thread in the scatter's own systems.
    pub systems_ms: f32,
    /// Cells whose objects are in memory.
    pub cells: usize,
    /// Objects in them.
    pub objects: usize,
    /// Objects, of all cameras, that are handed to the device: near ones may count twice where one level of
    /// detail fades into the next; those outside the picture count too.
    pub drawn: usize,
    /// Entities that draw them.
    pub batches: usize,
    /// Cells that are still to be placed, as far as is known: at least 1 while rules or objects are being
    /// prepared.
    pub missing: usize,
    /// Bytes that are reserved on the graphics device for places.
    pub device_bytes: usize,
    /// Milliseconds in which a cell is placed in the background: a running mean, of the slowest terrain.
    pub cell_ms: f32,
    /// Cells that have been placed since the start.
    pub placed: u64,
}

impl ScatterStatistics {
    /// Adds what is scattered on one of the terrains.
    pub(super) fn add(&mut self, of_terrain: &TerrainScatterStatistics) {
        self.cells += of_terrain.cells;
        self.objects += of_terrain.objects;
        self.drawn += of_terrain.drawn;
        self.batches += of_terrain.batches;
        self.missing += of_terrain.missing;
        self.device_bytes += of_terrain.device_bytes;
        self.cell_ms = self.cell_ms.max(of_terrain.cell_ms);
        self.placed += of_terrain.placed;
    }
}

/// What is scattered on one terrain, in the last frame. With [`ScatterPlugin`](super::ScatterPlugin) every
/// [`Terrain`](crate::plugin::Terrain) has it, to be read; [`ScatterStatistics`] is of all terrains together.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::TerrainScatterStatistics;
///
/// #[derive(Component)]
/// struct Island;
///
/// fn show(island: Single<&TerrainScatterStatistics, With<Island>>) {
///     info!("{} plants around, {} still to come", island.objects, island.missing);
/// }
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default)]
pub struct TerrainScatterStatistics {
    /// Cells whose objects are in memory.
    pub cells: usize,
    /// Objects in them.
    pub objects: usize,
    /// Objects, of all cameras, that are handed to the device, as in [`ScatterStatistics::drawn`].
    pub drawn: usize,
    /// Entities that draw them.
    pub batches: usize,
    /// Cells that are still to be placed, as far as is known: at least 1 while rules or objects are being
    /// prepared.
    pub missing: usize,
    /// Bytes that are reserved on the graphics device for places.
    pub device_bytes: usize,
    /// Milliseconds in which a cell is placed in the background: a running mean.
    pub cell_ms: f32,
    /// Cells that have been placed since the start.
    pub placed: u64,
}

/// Sent when something of what is scattered on a terrain cannot be drawn: an object is unknown, or has looks
/// that could not be made, what a game spawns in its place panicked, or its rules cannot be followed. Once
/// for each object of a terrain, and again when another recipe fails; the rest is drawn. An event and a
/// message.
#[derive(EntityEvent, Message, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct ScatterFailed {
    /// The terrain.
    pub entity: Entity,
    /// The name of the object; empty if it is about all rules.
    pub object: String,
    /// The error, for people.
    pub error: String,
    /// The error, for programs: what went wrong, with its values.
    #[reflect(ignore, default = "unknown_error")]
    pub cause: Arc<Error>,
}

impl ScatterFailed {
    pub(super) fn new(entity: Entity, object: impl Into<String>, cause: Arc<Error>) -> Self {
        Self { entity, object: object.into(), error: cause.to_string(), cause }
    }
}

impl Failure for ScatterFailed {
    fn describe(&self) -> String {
        let of = if self.object.is_empty() { String::new() } else { format!(" of `{}`", self.object) };
        format!("scatter{of} on terrain {}: {}", self.entity, self.error)
    }
}
