//! The arguments of `upland convert`.

use std::path::PathBuf;

use clap::Args;

use super::shared::ReadingArguments;
use super::values::range;
use crate::grid::Window;

#[derive(Args)]
pub(in crate::cli) struct ConvertArguments {
    /// The elevation file to read
    #[arg(value_name = "FIELD")]
    pub(in crate::cli) input: PathBuf,
    /// The elevation file to write
    #[arg(value_name = "FIELD")]
    pub(in crate::cli) output: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) reading: ReadingArguments,
    /// The heights in metres that become 0 and 65535 in the 16-bit file that is written
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(in crate::cli) to_range: Option<(f32, f32)>,
    /// Write a .tif as a Cloud Optimized GeoTIFF: compressed blocks of 512×512 samples and overviews, of which
    /// other programs read parts over a network
    #[arg(long)]
    pub(in crate::cli) cog: bool,
    /// For maps of terrain types: every cell becomes the most frequent type of the N×N around it, N odd. A
    /// palette image keeps its palette in a PNG; in other formats the indices of its colours are the values
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=255))]
    #[arg(conflicts_with = "window")]
    pub(in crate::cli) majority: Option<u32>,
    /// Only these samples: LEVEL:X,Z,WxD, such as 3:600,0,257x257. Level 0 has every sample, 1 every second,
    /// 3 every eighth; X and Z are the first sample at that level, east and south. For a TIFF or .r16 nothing
    /// else is held in memory
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
}
