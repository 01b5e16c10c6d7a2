//! The arguments of `upland plot`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Changes, FieldSize};
use super::values::{bearings, concavity, place, plot_format};
use crate::analysis::plots::{PlotFormat, PlotKind};

#[derive(Args)]
pub(in crate::cli) struct PlotArguments {
    /// Recipe or elevation file
    #[arg(value_name = "RECIPE|FIELD")]
    pub(in crate::cli) recipe: String,
    /// The plot: heights, hypsometry, slopes, aspects, slope-rose, spectrum, variogram, slope-area, profile,
    /// geomorphons, long-profile, chi, ksn, hack or basins; or all, a file for each
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) what: PlotChoice,
    /// The file to write, .svg or .csv; for all plots a folder, which is created if it does not exist
    #[arg(short, long, value_name = "PLOT.svg|FOLDER")]
    pub(in crate::cli) output: PathBuf,
    /// One end of the profile: metres east (x) and south (z) of the middle of the land
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "to")]
    pub(in crate::cli) from: Option<[f32; 2]>,
    /// Its other end
    #[arg(long, value_name = "x,z", value_parser = place, allow_hyphen_values = true, requires = "from")]
    pub(in crate::cli) to: Option<[f32; 2]>,
    /// Bearings of the roses of aspects and slopes, 4 to 360; 16 by default
    #[arg(long, value_name = "N", value_parser = bearings, allow_negative_numbers = true)]
    pub(in crate::cli) bearings: Option<usize>,
    /// The reference concavity θ of chi and ksn, 0 to 1; 0.45 by default
    #[arg(long, value_name = "THETA", value_parser = concavity, allow_negative_numbers = true)]
    pub(in crate::cli) concavity: Option<f64>,
    /// The format of all plots: svg, the default, or csv
    #[arg(long, value_name = "NAME", value_parser = plot_format)]
    pub(in crate::cli) format: Option<PlotFormat>,
    /// Samples of the field: N along the longer side, or WxD
    #[arg(long, value_name = "N|WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    #[command(flatten)]
    pub(in crate::cli) changes: Changes,
}

/// The plots to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum PlotChoice {
    /// Each kind, in a file of its own.
    All,
    /// One kind.
    One(PlotKind),
}

impl std::str::FromStr for PlotChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse().map(Self::One).map_err(|_| {
            let names = PlotKind::ALL.map(PlotKind::name).join(", ");
            format!("there is no plot `{text}`; there are {names}, and all")
        })
    }
}
