//! Memory and time that terrains take.

use bevy::prelude::*;

/// Memory and time that all terrains together took in the last frame. A resource, to be read.
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct TerrainStatistics {
    /// Milliseconds of the main thread in the terrain's own systems: taking in tiles, ordering others,
    /// choosing chunks.
    pub systems_ms: f32,
    /// Tiles that are resident.
    pub tiles: usize,
    /// Bytes that are reserved for tiles on the graphics device.
    pub device_bytes: usize,
    /// Bytes of memory that resident tiles take.
    pub memory_bytes: usize,
    /// How many times larger texels are than asked for, because there is not enough memory or time; 1 at
    /// best.
    pub texel_factor: f64,
    /// Milliseconds since it was first needed, for each tile that was first drawn in this frame; 0 for one
    /// that arrived before it was.
    pub latencies_ms: Vec<f32>,
}
