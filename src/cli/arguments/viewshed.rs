//! The arguments of `upland viewshed`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::{Changes, FieldSize};
use super::values::{length, planet, refraction, tower};
use crate::analysis::viewshed::REFRACTION;

#[derive(Args)]
pub(in crate::cli) struct ViewshedArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(in crate::cli) recipe: String,
    /// A tower: metres east (x) and south (z) of the middle of the land, and its height above the ground. It
    /// stands on the nearest sample. Give several for the ground that at least one of them sees
    #[arg(long, value_name = "x,z,height", value_parser = tower, allow_hyphen_values = true, required = true)]
    pub(in crate::cli) from: Vec<[f32; 3]>,
    /// The PNG to write: a pixel for each sample, white where it is visible
    #[arg(short, long, value_name = "SEEN.png")]
    pub(in crate::cli) output: PathBuf,
    #[command(flatten)]
    pub(in crate::cli) sight: SightArguments,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}

/// How a viewshed is computed.
#[derive(Clone, Copy, ValueEnum)]
pub(in crate::cli) enum ViewshedMethod {
    Exact,
    Fast,
}

/// The sight of towers.
#[derive(Args)]
pub(in crate::cli) struct SightArguments {
    /// Height above the ground of the objects to be seen, in metres
    #[arg(long, value_name = "METRES", default_value_t = 0.0, value_parser = length)]
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) to: f32,
    /// How far a tower sees, in metres; by default to the end of the land
    #[arg(long, value_name = "METRES", value_parser = length, allow_hyphen_values = true)]
    pub(in crate::cli) radius: Option<f32>,
    /// The land lies on a round planet, the Earth unless a radius in metres is given
    #[arg(long, value_name = "RADIUS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "6371000", value_parser = planet)]
    pub(in crate::cli) curvature: Option<f64>,
    /// The share of the planet's curvature for which the air compensates by bending light: 0 without air,
    /// below 1
    #[arg(long, value_name = "SHARE", requires = "curvature", default_value_t = REFRACTION)]
    #[arg(value_parser = refraction, allow_hyphen_values = true)]
    pub(in crate::cli) refraction: f64,
    /// Test every sample's line of sight, or carry reference planes outwards, which is faster and wrong for a
    /// few samples; by default exact up to 4 million samples
    #[arg(long, value_name = "METHOD")]
    pub(in crate::cli) method: Option<ViewshedMethod>,
}
