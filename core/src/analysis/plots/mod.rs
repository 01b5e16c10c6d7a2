//! Lands in numbers: histograms, roses, spectra and the like, as plots that can be drawn and written.
//!
//! Each plot is a pure function of a [`Heightfield`](crate::Heightfield) and gives a [`Plot`]: axes, series
//! of points, numbers with their names. [`PlotKind`] lists them all. [`csv`] and [`svg`] turn a plot into
//! text, [`write`](write()) into a file.
//!
//! A plot has the same bits at any number of threads.

mod aspects;
mod bearings;
mod csv;
mod file;
mod fit;
mod heights;
mod hypsometry;
mod kind;
mod number;
mod par_rows;
mod plot;
mod profile;
mod slope_area;
mod slope_rose;
mod slopes;
mod spectrum;
mod svg;
mod variogram;

pub use aspects::aspects;
pub use csv::csv;
pub use file::{PlotFormat, write};
pub use heights::heights;
pub use hypsometry::hypsometry;
pub use kind::{PlotKind, PlotOptions};
pub use plot::{Axis, Note, Plot, Scale, Series, SeriesKind};
pub use profile::{line_profile, profile};
pub use slope_area::slope_area;
pub use slope_rose::slope_rose;
pub use slopes::slopes;
pub use spectrum::{MAX_TRANSFORMED, spectrum};
pub use svg::svg;
pub use variogram::variogram;
