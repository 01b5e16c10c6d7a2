//! The limits of a graphics device.

use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::is_software_device;

/// The limits of a graphics device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits {
    /// The most layers of a texture.
    pub(crate) array_layers: u32,
    /// Anisotropic filtering samples, 1 for none: it is too slow on software devices.
    pub(crate) anisotropy: u16,
    /// The most texels along the side of a tiling picture.
    pub(crate) tile_side: u32,
    /// Bytes for the tiles of a terrain. A software device takes them from the memory of the program.
    pub(crate) tile_bytes: usize,
}

impl DeviceLimits {
    /// The limits of a device; without one those that most devices meet, and pictures no larger than is
    /// needed to know their mean colours.
    pub(crate) fn new(device: Option<&RenderDevice>, adapter: Option<&RenderAdapterInfo>) -> Self {
        let is_software = adapter.is_some_and(is_software_device);
        Self {
            // 256 is WebGPU's least limit.
            array_layers: device.map_or(256, |device| device.limits().max_texture_array_layers),
            anisotropy: if is_software { 1 } else { 16 },
            tile_side: match device {
                None => 16,
                Some(_) if is_software => 512,
                Some(_) => 1024,
            },
            tile_bytes: if is_software { 160 << 20 } else { 384 << 20 },
        }
    }
}
