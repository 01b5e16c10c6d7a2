//! What the tiles of terrains may take.

use bevy::prelude::*;

use super::pool::TilePool;
use crate::plugin::device::DeviceLimits;
use crate::stream::TILE_TEXELS;

/// What the tiles of each terrain may take. A resource; insert another one at any time.
///
/// With less, or on a device that has less, the ground is coarser: texels are as much larger as is necessary, and
/// there is never a hole. A terrain always has at least 64 tiles, about 20 MiB on the device, whatever is set.
///
/// ```
/// # use bevy::prelude::*;
/// # use upland::plugin::TerrainBudget;
/// # let mut app = App::new();
/// app.insert_resource(TerrainBudget { device_bytes: 128 << 20, ..default() });
/// ```
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub struct TerrainBudget {
    /// Bytes on the graphics device, for tiles. On a software device, which takes them from the program's own memory,
    /// at most 160 MiB are taken. A terrain has what was set when its tiles were first made. Default 384 MiB.
    pub device_bytes: usize,
    /// Bytes of memory for heights and splat weights of the same tiles, which queries are answered from. As `device_bytes`.
    /// Default 256 MiB.
    pub memory_bytes: usize,
    /// Bytes that are uploaded in a frame, and at most one tile more. Default 6 MiB.
    pub upload_bytes: usize,
    /// Milliseconds of the main thread in a frame after which no further tile is taken in; one always is.
    /// Default 0.5.
    pub main_thread_ms: f32,
}

impl Default for TerrainBudget {
    fn default() -> Self {
        Self { device_bytes: 384 << 20, memory_bytes: 256 << 20, upload_bytes: 6 << 20, main_thread_ms: 0.5 }
    }
}

impl TerrainBudget {
    /// How many tiles fit, with so many layers of splat weights.
    pub(super) fn slots(&self, weight_layers: usize, limits: DeviceLimits) -> usize {
        let on_device = TilePool::slots(self.device_bytes.min(limits.tile_bytes), weight_layers, limits);
        on_device.min(self.memory_bytes / (4 * (1 + weight_layers) * TILE_TEXELS * TILE_TEXELS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: DeviceLimits =
        DeviceLimits { array_layers: 256, anisotropy: 1, tile_side: 512, tile_bytes: usize::MAX };

    #[test]
    fn the_least_of_all_limits_counts() {
        let budget = TerrainBudget::default();
        let tile = 12 * TILE_TEXELS * TILE_TEXELS;
        assert_eq!(budget.slots(0, LIMITS), (384 << 20) / tile);
        assert_eq!(budget.slots(2, LIMITS), (384 << 20) / (20 * TILE_TEXELS * TILE_TEXELS));
        let software = DeviceLimits { tile_bytes: 9 * tile, ..LIMITS };
        assert_eq!(budget.slots(0, software), 9);
        assert_eq!(TerrainBudget { memory_bytes: 5 * tile / 3 + 1, ..budget }.slots(0, LIMITS), 5);
        let huge = TerrainBudget { device_bytes: usize::MAX, memory_bytes: usize::MAX, ..budget };
        assert_eq!(huge.slots(0, LIMITS), 256 * 64, "as many as the device has layers for");
        assert_eq!(huge.slots(3, LIMITS), 85 * 64);
        let little = TerrainBudget { memory_bytes: 5 * tile + 1, ..budget };
        assert_eq!(little.slots(2, LIMITS), 5, "heights, and two layers of weights");
        let none = TerrainBudget { device_bytes: 0, memory_bytes: 0, ..budget };
        assert_eq!(none.slots(1, LIMITS), 0);
    }
}
