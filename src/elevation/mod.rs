//! Elevation that is measured: rasters, and the files that they come from and go to.

pub mod formats;
pub(crate) mod raster;
