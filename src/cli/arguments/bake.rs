//! The arguments of `upland bake`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use super::values::{deepest, light, light_at, patches, range, season};
use crate::grid::Window;
use crate::texture::Light;

#[derive(Args)]
pub(in crate::cli) struct BakeArguments {
    /// Recipe
    pub(in crate::cli) recipe: String,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "COLOUR.png")]
    pub(in crate::cli) output: PathBuf,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// Bake only the ground between these samples: LEVEL:X,Z,WxD, such as -1:600,0,257x257; level 0 has the
    /// recipe's own spacing, -1 is twice as fine. Two texels per cell unless --texels is given
    #[arg(long, value_name = "LEVEL:X,Z,WxD", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["patches", "patch_texels"])]
    pub(in crate::cli) window: Option<Window>,
    /// Texels of the whole picture along its longer side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(in crate::cli) texels: Option<u32>,
    /// Cut every picture into P×P patches, or C×R; -c0-r0 and so on is appended to their names
    #[arg(long, value_name = "P|CxR", value_parser = patches)]
    pub(in crate::cli) patches: Option<(usize, usize)>,
    /// Texels of each patch along its longer side
    #[arg(long, value_name = "N", requires = "patches", conflicts_with = "texels")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=16384))]
    pub(in crate::cli) patch_texels: Option<u32>,
    /// Write splat maps: the weights of four terrain types each in red, green, blue and alpha; -0, -1 and
    /// so on is appended to the name
    #[arg(long, value_name = "WEIGHTS.png")]
    pub(in crate::cli) weights: Option<PathBuf>,
    /// Write the terrain type with the largest weight as grey level 0, 1, 2 and so on
    #[arg(long, value_name = "IDS.png")]
    pub(in crate::cli) ids: Option<PathBuf>,
    /// Write a normal map: red to the east, green to the north, blue upwards
    #[arg(long, value_name = "NORMALS.png")]
    pub(in crate::cli) normals: Option<PathBuf>,
    /// Green points south in the normal map, as in DirectX
    #[arg(long, requires = "normals")]
    pub(in crate::cli) green_down: bool,
    /// Write the wetness of the ground, in grey
    #[arg(long, value_name = "WETNESS.png")]
    pub(in crate::cli) wetness: Option<PathBuf>,
    /// Write the ambient occlusion of the ground, in grey: the visible share of the sky, white where all of
    /// it is visible
    #[arg(long, value_name = "AO.png")]
    pub(in crate::cli) occlusion: Option<PathBuf>,
    /// Write the depth of the sea and the rivers, in grey: black is dry, white the deepest water of the land
    #[arg(long, value_name = "WATER.png")]
    pub(in crate::cli) water_depth: Option<PathBuf>,
    /// Write the heights of the ground that is baked, always in one file, even with patches; its extension
    /// chooses the format
    #[arg(long, value_name = "HEIGHTS.png")]
    pub(in crate::cli) heights: Option<PathBuf>,
    /// The heights in metres that become 0 and 65535 in --heights of 16 bits (.png, .r16). By default the
    /// lowest and the highest of the land, even if only a window of it is baked
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true, requires = "heights")]
    pub(in crate::cli) to_range: Option<(f32, f32)>,
    /// The depth in metres that is white in --water-depth
    #[arg(long, value_name = "METRES", requires = "water_depth", value_parser = deepest)]
    #[arg(allow_negative_numbers = true)]
    pub(in crate::cli) deepest: Option<f32>,
    /// Mirror the pictures of patches with an odd column from east to west, and those with an odd row from
    /// north to south, for programs that repeat textures mirrored
    #[arg(long, requires = "patches")]
    pub(in crate::cli) mirror_odd: bool,
    /// Bake sunlight and its shadows into the colours, with the sun at this compass bearing and elevation
    /// in degrees
    #[arg(long, value_name = "BEARING,ELEVATION", value_parser = light, allow_hyphen_values = true)]
    pub(in crate::cli) light: Option<Light>,
    /// The same, with the sun's position at this latitude (positive in the north), on this day of the year
    /// (81 is the equinox in March) and at this hour of solar time
    #[arg(long, value_name = "LATITUDE,DAY,HOUR", value_parser = light_at, allow_hyphen_values = true)]
    #[arg(conflicts_with = "light")]
    pub(in crate::cli) light_at: Option<Light>,
    /// The texture in a season: 0 spring, 0.25 summer, 0.5 autumn, 0.75 winter, 1 spring
    #[arg(long, value_name = "S", value_parser = season, allow_hyphen_values = true)]
    pub(in crate::cli) season: Option<f32>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}
