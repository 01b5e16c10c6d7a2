//! Measured elevation: rasters, file formats, and windows of files that are larger than memory.

pub mod formats;
pub(crate) mod raster;
pub(crate) mod windows;
