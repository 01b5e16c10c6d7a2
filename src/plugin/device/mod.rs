//! The graphics device: adapter and limits, images with their mip levels, uploads into existing textures, and
//! what each camera costs.

mod adapter;
mod images;
mod lean_views;
mod limits;
mod lost;
mod srgb;
mod texel_upload;

pub use adapter::{is_software_device, require_graphics_device};
pub(crate) use images::{array_image, empty_array, empty_plane, land_sampler, mip_levels, sampler};
pub use lean_views::LeanViewsPlugin;
pub(crate) use limits::DeviceLimits;
pub(crate) use lost::{DeviceFailure, note_failure};
pub(crate) use srgb::{linear_from_srgb, srgb_from_linear};
pub(crate) use texel_upload::{TexelPatch, TexelPatches, TexelUploadPlugin};
