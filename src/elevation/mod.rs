//! Measured elevation: rasters and file formats.

pub mod formats;
pub(crate) mod raster;
