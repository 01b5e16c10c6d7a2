//! Arguments that several commands have.

use std::path::PathBuf;
#[cfg(feature = "viewer")]
use std::time::Duration;

use clap::Args;

#[cfg(feature = "viewer")]
use super::values::time_limit;
use super::values::{assignment, channel, range, seed, side};
use crate::elevation::formats::HeightChannel;

/// Changes to a recipe.
#[derive(Args, Clone, Default)]
pub(in crate::cli) struct Changes {
    /// Replace the seed
    #[arg(long, value_name = "SEED", value_parser = seed, allow_negative_numbers = true)]
    pub(in crate::cli) seed: Option<u64>,
    /// Metres between samples
    #[arg(long, value_name = "METRES")]
    pub(in crate::cli) cell: Option<f32>,
    /// Replace any value of the recipe, such as steps.0.octaves=6, sun.elevation=12 or
    /// texture.types.2.elevation.min=300
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(in crate::cli) set: Vec<(String, String)>,
}

/// How to read an elevation file that doesn't say.
#[derive(Args)]
pub(in crate::cli) struct ReadingArguments {
    /// Samples of a recipe's land, or columns and rows of a .r16 file, which is square by default
    #[arg(long, value_name = "WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// The channel of a picture that is the height: luma (the default), red, green, blue or alpha
    #[arg(long, value_name = "NAME", value_parser = channel)]
    pub(in crate::cli) channel: Option<HeightChannel>,
    /// The heights in metres of 0 and 65535 in the 16-bit file that is read
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(in crate::cli) range: Option<(f32, f32)>,
}

#[derive(Args)]
pub(in crate::cli) struct FramesArguments {
    /// Write the intermediate results of steps (octaves, levels, faults, passes) as numbered files of
    /// FIELD's format into this folder, which must be new or empty
    #[arg(long = "frames", value_name = "FOLDER")]
    pub(in crate::cli) folder: Option<PathBuf>,
    /// Only those of one step, given by its index in the recipe, from 0, or by its name
    #[arg(long = "frames-of", value_name = "STEP", requires = "folder")]
    pub(in crate::cli) of: Option<String>,
}

/// How long drawing may take.
#[cfg(feature = "viewer")]
#[derive(Args)]
pub(in crate::cli) struct TimeLimit {
    /// Fail, and write nothing, if a picture is not complete after this many seconds; by default it takes as
    /// long as it needs
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, requires = "output")]
    #[arg(allow_negative_numbers = true)]
    time_limit: Option<Duration>,
}

#[cfg(feature = "viewer")]
impl TimeLimit {
    /// How long a picture may take.
    pub(in crate::cli) fn duration(&self) -> Duration {
        self.time_limit.unwrap_or(Duration::MAX)
    }
}

/// The number of samples of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::cli) enum FieldSize {
    /// This many along the longer side.
    Longer(u32),
    /// Columns and rows.
    Both(u32, u32),
}

impl std::str::FromStr for FieldSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(['x', '×']) {
            None => Ok(Self::Longer(side(text)?)),
            Some((width, depth)) => Ok(Self::Both(side(width)?, side(depth)?)),
        }
    }
}
