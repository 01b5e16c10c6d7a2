//! Limits for the tiles of terrains.

use std::time::Instant;

use bevy::prelude::*;

use super::pool::{TileKind, TilePool};
use crate::plugin::device::DeviceLimits;
use crate::plugin::jobs::FrameBudget;
use crate::stream::TILE_TEXELS;

/// Limits of memory and time for the tiles of each terrain. A resource; insert another one at any time.
///
/// With less, or on a device that has less, the ground is coarser: texels are as much larger as is necessary,
/// and there is never a hole. A terrain always has at least 64 tiles, about 20 MiB on the device, whatever is
/// set.
///
/// ```
/// # use bevy::prelude::*;
/// # use upland::plugin::TerrainBudget;
/// # let mut app = App::new();
/// app.insert_resource(TerrainBudget { device_bytes: 128 << 20, ..default() });
/// ```
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug, PartialEq)]
pub struct TerrainBudget {
    /// Bytes on the graphics device, for tiles. On a software device, which takes them from the program's own
    /// memory, at most 160 MiB are taken. A terrain has what was set when its tiles were first made. Default
    /// 384 MiB.
    pub device_bytes: usize,
    /// Bytes of memory for heights and splat weights of the same tiles, which queries are answered from. As
    /// `device_bytes`. Default 256 MiB.
    pub memory_bytes: usize,
    /// Bytes that are uploaded in a frame for all terrains together, and at most one tile more of each.
    /// Default 6 MiB.
    pub upload_bytes: usize,
    /// Milliseconds of the main thread in a frame after which no further tile is taken in; one of each
    /// terrain always is. Default 0.5.
    pub main_thread_ms: f32,
}

impl Default for TerrainBudget {
    fn default() -> Self {
        Self { device_bytes: 384 << 20, memory_bytes: 256 << 20, upload_bytes: 6 << 20, main_thread_ms: 0.5 }
    }
}

impl TerrainBudget {
    /// The budget of a frame that begins now, for all terrains.
    pub(crate) fn frame(&self) -> FrameBudget {
        FrameBudget::new(Instant::now(), self.main_thread_ms, self.upload_bytes)
    }

    /// How many tiles of a kind fit.
    pub(super) fn slots(&self, kind: TileKind, limits: DeviceLimits) -> usize {
        let on_device = TilePool::slots(self.device_bytes.min(limits.tile_bytes), kind, limits);
        let planes = 1 + usize::from(kind.is_shifted) + kind.weight_layers;
        let of_texel = 4 * planes + if kind.has_holes { 2 } else { 0 };
        on_device.min(self.memory_bytes / (of_texel * TILE_TEXELS * TILE_TEXELS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: DeviceLimits =
        DeviceLimits { array_layers: 256, anisotropy: 1, tile_side: 512, tile_bytes: usize::MAX };

    fn tiles(weight_layers: usize) -> TileKind {
        TileKind { weight_layers, is_shifted: false, has_holes: false }
    }

    #[test]
    fn the_least_of_all_limits_counts() {
        let budget = TerrainBudget::default();
        let tile = 12 * TILE_TEXELS * TILE_TEXELS;
        assert_eq!(budget.slots(tiles(0), LIMITS), (384 << 20) / tile);
        assert_eq!(budget.slots(tiles(2), LIMITS), (384 << 20) / (20 * TILE_TEXELS * TILE_TEXELS));
        let software = DeviceLimits { tile_bytes: 9 * tile, ..LIMITS };
        assert_eq!(budget.slots(tiles(0), software), 9);
        assert_eq!(TerrainBudget { memory_bytes: 5 * tile / 3 + 1, ..budget }.slots(tiles(0), LIMITS), 5);
        let huge = TerrainBudget { device_bytes: usize::MAX, memory_bytes: usize::MAX, ..budget };
        assert_eq!(huge.slots(tiles(0), LIMITS), 256 * 64, "as many as the device has layers for");
        assert_eq!(huge.slots(tiles(3), LIMITS), 85 * 64);
        let little = TerrainBudget { memory_bytes: 5 * tile + 1, ..budget };
        assert_eq!(little.slots(tiles(2), LIMITS), 5, "heights, and two layers of weights");
        let none = TerrainBudget { device_bytes: 0, memory_bytes: 0, ..budget };
        assert_eq!(none.slots(tiles(1), LIMITS), 0);
        // Places in four floats and normals in four halves.
        let shifted = TileKind { is_shifted: true, ..tiles(1) };
        assert_eq!(budget.slots(shifted, LIMITS), (384 << 20) / (32 * TILE_TEXELS * TILE_TEXELS));
        assert_eq!(little.slots(shifted, LIMITS), 5, "heights, shifts and a layer of weights");
        // Holes take a float next to the height, and two bytes in memory.
        let holed = TileKind { has_holes: true, ..tiles(0) };
        assert_eq!(budget.slots(holed, LIMITS), (384 << 20) / (16 * TILE_TEXELS * TILE_TEXELS));
        assert_eq!(TerrainBudget { memory_bytes: tile / 2, ..budget }.slots(holed, LIMITS), 1);
    }
}
