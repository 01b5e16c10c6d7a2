//! What a graphics device can do.

use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::is_software_device;

/// What the graphics device can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits {
    /// The longest side of a texture.
    pub(crate) texture_side: u32,
    /// Samples of the anisotropic filter, 1 for none: it costs too much on a software device.
    pub(crate) anisotropy: u16,
    /// Texels along the side of a tile at most.
    pub(crate) tile_side: u32,
}

impl DeviceLimits {
    /// Those of a device; without one, what most can.
    pub(crate) fn new(device: Option<&RenderDevice>, adapter: Option<&RenderAdapterInfo>) -> Self {
        let is_software = adapter.is_some_and(is_software_device);
        Self {
            texture_side: device.map_or(8192, |device| device.limits().max_texture_dimension_2d),
            anisotropy: if is_software { 1 } else { 16 },
            tile_side: if is_software { 512 } else { 1024 },
        }
    }
}
