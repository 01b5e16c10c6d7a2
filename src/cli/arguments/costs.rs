//! The arguments of `upland costs`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use super::values::place;
use crate::grid::Window;

#[derive(Args)]
pub(in crate::cli) struct CostsArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(in crate::cli) recipe: String,
    /// The file to write: a picture, black where the ground is off-limits and otherwise brighter where it
    /// costs less, or an elevation file (.tif .exr .asc …) of costs, -1 where the ground is off-limits
    #[arg(short, long, value_name = "COSTS.png|COSTS.tif")]
    pub(in crate::cli) output: PathBuf,
    /// Rules from a RON file, instead of the default ones. Single values are set by --set costs.NAME=VALUE,
    /// such as costs.max_slope=30
    #[arg(long, value_name = "RULES.ron")]
    pub(in crate::cli) rules: Option<PathBuf>,
    /// A picture over all of the land: where it is brighter than half grey, the ground is off-limits. May be
    /// given several times
    #[arg(long, value_name = "MASK.png")]
    pub(in crate::cli) off_limits: Vec<PathBuf>,
    /// Only these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    pub(in crate::cli) window: Option<Window>,
    /// Where a path begins: metres east (x) and south (z) of the middle of the land
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "to")]
    pub(in crate::cli) from: Option<[f32; 2]>,
    /// Where the path ends
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "from")]
    pub(in crate::cli) to: Option<[f32; 2]>,
    /// A picture of the land in colours of its costs, with the path
    #[arg(long, value_name = "MAP.png")]
    pub(in crate::cli) map: Option<PathBuf>,
    /// The points of the path as lines x,z,height
    #[arg(long, value_name = "WAY.csv", requires = "from")]
    pub(in crate::cli) path: Option<PathBuf>,
    /// Pixels along the longer side of the map
    #[arg(long, value_name = "N", default_value_t = 1024, allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(in crate::cli) pixels: u32,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}
