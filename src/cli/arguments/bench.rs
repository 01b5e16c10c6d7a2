//! The arguments of `upland bench`.

use std::path::PathBuf;

use clap::Args;

#[cfg(feature = "render")]
use super::values::picture_size;
#[cfg(feature = "render")]
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct BenchArguments {
    /// A recipe, preset or elevation file of any size to fly over, instead of the fixed landscapes
    #[arg(value_name = "LAND")]
    pub(in crate::cli) land: Option<String>,
    /// Measure only the terrain's own systems, without a graphics device
    #[arg(long)]
    pub(in crate::cli) no_draw: bool,
    /// Also write the measurements as JSON into this file
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) json: Option<PathBuf>,
    /// Fly only paths whose names contain this, such as `endless` or `near`; may be given several times
    #[arg(long, value_name = "WORD")]
    pub(in crate::cli) only: Vec<String>,
    /// Seconds that each path is flown
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    pub(in crate::cli) seconds: f64,
    /// The most frames of each path; by default as many as there are in that time, on a software device 10
    #[cfg(feature = "render")]
    #[arg(long, value_name = "N", conflicts_with = "no_draw")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) frames: Option<u32>,
    /// Size of the picture in pixels; by default 1920x1080, on a software device 640x360
    #[cfg(feature = "render")]
    #[arg(long, value_name = "WxH", conflicts_with = "no_draw", value_parser = picture_size)]
    pub(in crate::cli) size: Option<(u32, u32)>,
    /// How much is drawn: low, medium, high or ultra; by default a guess for the device
    #[cfg(feature = "render")]
    #[arg(long, value_name = "LEVEL", conflicts_with = "no_draw")]
    pub(in crate::cli) quality: Option<Quality>,
}

/// Parses the duration of a flight.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if !(0.1..=86_400.0).contains(&seconds) {
        return Err(format!("{text} is outside 0.1 to 86400 seconds"));
    }
    Ok(seconds)
}
