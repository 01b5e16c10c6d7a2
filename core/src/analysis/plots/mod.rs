//! Lands in numbers: histograms, roses, spectra and the like, as plots that can be drawn and written.
//!
//! Each plot is a pure function of a [`Heightfield`](crate::Heightfield) and gives a [`Plot`]: axes, series
//! of points, numbers with their names. [`PlotKind`] lists them all. [`csv`] and [`svg`] turn a plot into
//! text, [`write`](write()) into a file.
//!
//! A plot has the same bits at any number of threads.

mod aspects;
mod basins;
mod bearings;
mod chi;
mod csv;
mod file;
mod fit;
mod hack;
mod heights;
mod hypsometry;
mod kind;
mod ksn;
mod landforms;
mod long_profile;
mod number;
mod par_rows;
mod plot;
mod profile;
mod quantile;
mod river_network;
mod slope_area;
mod slope_rose;
mod slopes;
mod spectrum;
mod svg;
mod thinned;
mod variogram;

pub use aspects::aspects;
pub use basins::basins;
pub use chi::chi;
pub use csv::csv;
pub use file::{PlotFormat, write};
pub use hack::hack;
pub use heights::heights;
pub use hypsometry::hypsometry;
pub use kind::{PlotKind, PlotOptions};
pub use ksn::ksn;
pub use landforms::geomorphons;
pub use long_profile::long_profile;
pub use plot::{Axis, Note, Plot, Scale, Series, SeriesKind};
pub use profile::{line_profile, profile};
pub use slope_area::slope_area;
pub use slope_rose::slope_rose;
pub use slopes::slopes;
pub use spectrum::{MAX_TRANSFORMED, spectrum};
pub use svg::{sheet, svg};
pub use variogram::variogram;
