//! The arguments of `upland tour`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize, TimeLimit};
use super::values::picture_size;
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct TourArguments {
    /// The recipe, with two bookmarks or more, or with a flight
    #[arg(value_name = "RECIPE")]
    pub(in crate::cli) recipe: String,
    /// A new folder for numbered pictures, given by a name without an extension, or a video: .mp4, .mkv,
    /// .webm or .mov, which requires ffmpeg
    #[arg(short, long, value_name = "FOLDER|VIDEO")]
    pub(in crate::cli) output: PathBuf,
    /// Film one of the recipe's flights, by its name, the first if several have that name; by default a tour
    /// of its bookmarks
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) flight: Option<String>,
    /// Size of the pictures in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub(in crate::cli) size: (u32, u32),
    /// Frames per second; a tour takes seven seconds from each bookmark to the next
    #[arg(long, value_name = "N", default_value_t = 30.0, allow_negative_numbers = true)]
    pub(in crate::cli) rate: f32,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) field_size: Option<FieldSize>,
    /// How much is drawn: low, medium, high or ultra
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High)]
    pub(in crate::cli) quality: Quality,
    #[command(flatten)]
    pub(in crate::cli) time_limit: TimeLimit,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}
