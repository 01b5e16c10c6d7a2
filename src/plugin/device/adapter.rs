//! The graphics adapter.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderInstance, WgpuWrapper};
use bevy::render::settings::{Backends, WgpuSettings};
use bevy::tasks::block_on;

use crate::{Error, Result};

/// Checks that there is any graphics adapter: without one, Bevy panics.
///
/// # Errors
/// When there is none, not even a software one; the message says what to install.
pub fn require_graphics_device() -> Result<()> {
    // An instance of its own, before Bevy's, which would panic in the middle of starting the app.
    let instance = RenderInstance(Arc::new(WgpuWrapper::new(default())));
    let backends = WgpuSettings::default().backends.unwrap_or(Backends::all());
    if block_on(instance.enumerate_adapters(backends)).is_empty() {
        let remedy = if cfg!(target_os = "linux") {
            "on Debian or Ubuntu, `apt install mesa-vulkan-drivers` brings drivers and a software device"
        } else {
            "install your graphics card's driver"
        };
        return Err(Error::parameter("renderer", format!("no Vulkan device found; {remedy}")));
    }
    Ok(())
}

/// Whether an adapter is a CPU renderer, which is slow: [`Shading::Simple`] is meant for these.
///
/// [`Shading::Simple`]: crate::plugin::Shading::Simple
pub fn is_software_device(adapter: &RenderAdapterInfo) -> bool {
    // Bevy does not re-export the type.
    format!("{:?}", adapter.device_type) == "Cpu"
}
