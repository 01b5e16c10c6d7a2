//! The arguments of `upland mistakes`.

use std::path::PathBuf;

use clap::Args;

#[cfg(feature = "render")]
use super::shared::TimeLimit;
#[cfg(feature = "render")]
use super::values::picture_size;
#[cfg(feature = "render")]
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct MistakesArguments {
    /// The mistake to show; all are listed if omitted
    #[arg(value_name = "NAME")]
    pub(in crate::cli) name: Option<String>,
    /// Write both recipes, wrong.ron and right.ron, into this folder
    #[arg(long, value_name = "FOLDER", requires = "name")]
    pub(in crate::cli) recipes: Option<PathBuf>,
    /// The picture to write, .png or .bmp: wrong next to right
    #[cfg(feature = "render")]
    #[arg(short, long, value_name = "OUT.png", requires = "name")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Size of the picture in pixels
    #[cfg(feature = "render")]
    #[arg(long, value_name = "WxH", default_value = "1600x900", value_parser = picture_size, requires = "output")]
    pub(in crate::cli) size: (u32, u32),
    /// How much is drawn: low, medium, high or ultra
    #[cfg(feature = "render")]
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High, requires = "output")]
    pub(in crate::cli) quality: Quality,
    #[cfg(feature = "render")]
    #[command(flatten)]
    pub(in crate::cli) time_limit: TimeLimit,
}
