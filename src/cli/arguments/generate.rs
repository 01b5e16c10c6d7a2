//! The arguments of `upland generate`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize, FramesArguments};
use super::values::{range, up_channel};
use crate::elevation::formats::UpChannel;
use crate::grid::Window;

#[derive(Args)]
pub(in crate::cli) struct GenerateArguments {
    /// Recipe
    pub(in crate::cli) recipe: String,
    /// The elevation file to write; its extension chooses the format
    #[arg(short, long, value_name = "FIELD")]
    pub(in crate::cli) output: PathBuf,
    /// Write a layer of the finished land instead of its heights: `flow` in km², `wear` and `deposit` in m
    /// after an erosion, `water_depth` in m, `hardness`, or any that the recipe paints
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) layer: Option<String>,
    /// Write a vector displacement map instead (.exr), which moves level ground at 0 m to land that
    /// overhangs: red is east, green up and blue south, in metres; with `blue`, blue is up and green north
    #[arg(long, value_name = "UP", num_args = 0..=1, require_equals = true, conflicts_with = "layer")]
    #[arg(default_missing_value = "green", value_parser = up_channel)]
    pub(in crate::cli) vectors: Option<UpChannel>,
    /// Samples: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// Build only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257. Level 0 has the recipe's own
    /// spacing, -1 is twice as fine, 1 twice as coarse; X and Z are the first sample at that level, east
    /// and south
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    /// The heights in metres, or values of the layer, that become 0 and 65535 in a file of 16 bits (.png,
    /// .r16). By default the lowest and the highest of the land, even if only a window of it is written
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    #[arg(conflicts_with = "vectors")]
    pub(in crate::cli) to_range: Option<(f32, f32)>,
    /// Write a .tif as a Cloud Optimized GeoTIFF: compressed blocks of 512×512 samples and overviews, of which
    /// other programs read parts over a network
    #[arg(long, conflicts_with = "vectors")]
    pub(in crate::cli) cog: bool,
    #[command(flatten)]
    pub(in crate::cli) frames: FramesArguments,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}
