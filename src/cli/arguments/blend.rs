//! The arguments of `upland blend`.

use std::path::PathBuf;

use clap::Args;

use super::shared::ReadingArguments;
use super::values::metres;

#[derive(Args)]
pub(in crate::cli) struct BlendArguments {
    /// Elevation file
    #[arg(value_name = "HEIGHT")]
    pub(in crate::cli) height: PathBuf,
    /// Two or more bitmaps, PNG or BMP, or names of built-in tiles, the one for the lowest land first
    #[arg(value_name = "TEXTURE")]
    pub(in crate::cli) textures: Vec<String>,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "OUT.png")]
    pub(in crate::cli) output: PathBuf,
    /// The height in metres at which each bitmap is alone, lowest first; evenly spaced by default
    #[arg(long, value_name = "H,H,…", value_delimiter = ',', value_parser = metres)]
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) bands: Vec<f32>,
    /// Spread the bands upwards from this height, such as that of the sea, in metres
    #[arg(long, value_name = "METRES", conflicts_with = "bands", value_parser = metres)]
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) sea: Option<f32>,
    /// Metres along the longer side of a bitmap, one for all or one for each; by default one texel of a
    /// bitmap is one texel of the picture
    #[arg(long, value_name = "METRES,…", value_delimiter = ',', value_parser = metres)]
    pub(in crate::cli) tile: Vec<f32>,
    /// Mirror every other repeat, so that bitmaps that don't tile have no seams
    #[arg(long)]
    pub(in crate::cli) mirror: bool,
    /// Texels of the picture along its longer side; by default one for each sample of the land
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(in crate::cli) texels: Option<u32>,
    #[command(flatten)]
    pub(in crate::cli) reading: ReadingArguments,
}
