//! The graphics device: adapter and limits, images with their mip levels, uploads into existing textures, and how passes
//! are recorded.

mod adapter;
mod images;
mod limits;
mod lost;
mod mips;
mod recording;
mod texel_upload;

pub use adapter::{is_software_device, require_graphics_device};
pub(crate) use images::{array_image, empty_array, empty_plane, land_sampler, mip_levels, sampler};
pub(crate) use limits::DeviceLimits;
pub(crate) use lost::{DeviceFailure, note_failure};
pub(crate) use mips::{Plane, linear_from_srgb, srgb_from_linear};
pub(crate) use recording::record_on_one_thread;
pub(crate) use texel_upload::{TexelPatch, TexelPatches, TexelUploadPlugin};
