//! The arguments of `upland compare`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize, TimeLimit};
use super::values::{assignment, picture_size, point};
use crate::plugin::Quality;

#[derive(Args)]
pub(in crate::cli) struct CompareArguments {
    /// Recipes or elevation files; one is enough with --vary, and none with --generators
    #[arg(value_name = "RECIPE|FIELD")]
    pub(in crate::cli) recipes: Vec<String>,
    /// The picture to write, .png or .bmp; with --with a page of plots, .svg, which may be left out
    #[arg(short, long, value_name = "OUT.png", required_unless_present = "with")]
    pub(in crate::cli) output: Option<PathBuf>,
    /// Measure how much one landscape is like this real land, or any other: print both lands' slopes,
    /// curvatures, geomorphons, spectra, hypsometries and drainage densities, with a distance for each
    #[arg(long, value_name = "DEM", conflicts_with_all = ["vary", "generators", "difference", "from", "look", "own_views"])]
    pub(in crate::cli) with: Option<String>,
    /// Print the result of --with as JSON
    #[arg(long, requires = "with")]
    pub(in crate::cli) json: bool,
    /// Compare one recipe with itself at several values of a parameter: NAME=LOW..HIGH, such as
    /// steps.0.hurst=0.2..1, or NAME=A,B,C, such as texture=temperate,arid; NAME as in --set
    #[arg(long, value_name = "NAME=VALUES", value_parser = assignment, conflicts_with = "generators")]
    pub(in crate::cli) vary: Option<(String, String)>,
    /// How many values --vary takes from LOW to HIGH
    #[arg(long, value_name = "N", requires = "vary", default_value_t = 9)]
    #[arg(value_parser = clap::value_parser!(u8).range(2..=64))]
    pub(in crate::cli) values: u8,
    /// Compare all generators instead of a recipe's steps
    #[arg(long)]
    pub(in crate::cli) generators: bool,
    /// Add a map of the second land's heights above the first's, with statistics
    #[arg(long)]
    pub(in crate::cli) difference: bool,
    /// Size of the whole picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x900", value_parser = picture_size)]
    pub(in crate::cli) size: (u32, u32),
    /// Position of the camera for all landscapes, in metres: X east, Y up and Z south of the centre of the
    /// land; by default that of the first recipe, for lands as long and wide as it
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(in crate::cli) from: Option<[f32; 3]>,
    /// The point in the centre of each landscape's picture, in the same coordinates
    #[arg(long, value_name = "x,y,z", value_parser = point, allow_hyphen_values = true)]
    pub(in crate::cli) look: Option<[f32; 3]>,
    /// Show each land from its own recipe's view and not from one place
    #[arg(long)]
    pub(in crate::cli) own_views: bool,
    /// Samples of the fields: N along the longer side, or WxD
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
