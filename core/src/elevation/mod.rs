//! Measured elevation: rasters, file formats, and windows of files that are larger than memory.

pub mod formats;
pub(in crate::elevation) mod map;
pub mod raster;
pub mod windows;
