//! The arguments of `upland render`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize, TimeLimit};
use super::values::{ends, picture_size, planet_to_draw, point, season, tower};
use super::viewshed::SightArguments;
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct RenderArguments {
    /// Recipe or elevation file; the default landscape if omitted
    #[arg(value_name = "RECIPE|FIELD")]
    pub(in crate::cli) recipe: Option<String>,
    /// The picture to write, .png or .bmp
    #[arg(short, long, value_name = "SHOT.png")]
    pub(in crate::cli) output: PathBuf,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = picture_size)]
    pub(in crate::cli) size: (u32, u32),
    /// Lay the land around a planet of this radius, in metres: 10000 to 20000000; the land must be endless,
    /// without steps such as erosion that need to know all of it
    #[arg(long, value_name = "RADIUS", value_parser = planet_to_draw, allow_negative_numbers = true)]
    pub(in crate::cli) planet: Option<f64>,
    /// Position of the camera, in metres: X east, Y up and Z south of the centre of the land. For a planet:
    /// degrees north and east, and metres above the ground; in orbit by default
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(in crate::cli) from: Option<[f32; 3]>,
    /// The point in the centre of the picture, in the same coordinates
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(in crate::cli) look: Option<[f32; 3]>,
    /// Look from one of the recipe's bookmarks, by its name; the first if several have that name
    #[arg(long, value_name = "BOOKMARK", conflicts_with_all = ["planet", "from", "look"])]
    pub(in crate::cli) at: Option<String>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) field_size: Option<FieldSize>,
    /// The texture, and plants, in a season: 0 spring, 0.25 summer, 0.5 autumn, 0.75 winter, 1 spring
    #[arg(long, value_name = "S", value_parser = season, allow_hyphen_values = true)]
    pub(in crate::cli) season: Option<f32>,
    /// How much is drawn: low, medium, high or ultra. The picture has all its pixels at any quality
    #[arg(long, value_name = "LEVEL", default_value_t = Quality::High)]
    pub(in crate::cli) quality: Quality,
    /// Show something other than the landscape: wireframe, levels, chunks, residency, slope, aspect,
    /// contours, normals, types, viewshed, overdraw, or a layer of the land by its name, such as flow or
    /// water_depth
    #[arg(long, value_name = "NAME", conflicts_with = "planet")]
    pub(in crate::cli) view: Option<String>,
    /// Draw the land as a wireframe in four ways, each with its triangles, its error and its time: CDLOD,
    /// ROAM, a TIN, and all samples
    #[arg(long, conflicts_with_all = ["planet", "view"])]
    pub(in crate::cli) compare_levels: bool,
    /// How far CDLOD and ROAM may appear from the land in --compare-levels, in pixels; by default the value
    /// of --quality
    #[arg(long, value_name = "PIXELS", requires = "compare_levels", allow_negative_numbers = true)]
    pub(in crate::cli) pixel_error: Option<f32>,
    /// How far a sample may be from the TIN in --compare-levels, in metres; by default a 400th of the land's
    /// range of heights
    #[arg(long, value_name = "METRES", requires = "compare_levels", allow_negative_numbers = true)]
    pub(in crate::cli) tin_error: Option<f32>,
    /// The values at both ends of a layer's colour scale; by default most of the layer's values lie between
    /// them
    #[arg(long, value_name = "LOW,HIGH", value_parser = ends, allow_hyphen_values = true, requires = "view")]
    pub(in crate::cli) scale: Option<(f32, f32)>,
    /// A tower of --view viewshed: metres east (x) and south (z) of the middle of the land, and its height
    /// above the ground; may be given several times
    #[arg(long, value_name = "x,z,height", value_parser = tower, allow_hyphen_values = true, requires = "view")]
    pub(in crate::cli) tower: Vec<[f32; 3]>,
    #[command(flatten)]
    pub(in crate::cli) sight: SightArguments,
    /// Leave out the legend of --view
    #[arg(long, requires = "view")]
    pub(in crate::cli) no_legend: bool,
    #[command(flatten)]
    pub(in crate::cli) time_limit: TimeLimit,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}
