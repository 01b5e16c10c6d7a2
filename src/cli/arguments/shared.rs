//! Arguments that several commands have.

use std::path::PathBuf;
#[cfg(feature = "render")]
use std::time::Duration;

use clap::Args;

#[cfg(feature = "render")]
use super::values::time_limit;
use super::values::{
    assignment, byte_order, cell, channel, height_unit, map_unit, range, sample, seed, side,
};
use crate::elevation::formats::{ByteOrder, HeightChannel, MapUnit, RawLayout, SampleType};

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

/// How to read an elevation file that lacks information.
#[derive(Args)]
pub(in crate::cli) struct ReadingArguments {
    /// Samples of a recipe's land, or columns and rows of a .r16 file, which is square by default
    #[arg(long, value_name = "WxD", allow_negative_numbers = true)]
    pub(in crate::cli) size: Option<FieldSize>,
    /// The channel that is the height: auto (the default), luma, red, green, blue, alpha, mapbox or terrarium
    /// (heights in 8-bit colours), the plane of an EXR by its name, or the band of a TIFF by its number,
    /// counted from 1
    #[arg(long, value_name = "NAME", value_parser = channel)]
    pub(in crate::cli) channel: Option<HeightChannel>,
    /// The heights in metres of 0 and 65535 in the 16-bit file that is read
    #[arg(long, value_name = "LOW,HIGH", value_parser = range, allow_hyphen_values = true)]
    pub(in crate::cli) range: Option<(f32, f32)>,
    /// Metres between samples, instead of what the file says
    #[arg(long, value_name = "METRES", value_parser = cell, allow_negative_numbers = true)]
    pub(in crate::cli) cell: Option<f64>,
    /// The unit of the file's coordinates, instead of what it says or what is guessed: degrees, m, ft, us-ft
    /// and so on
    #[arg(long, value_name = "UNIT", value_parser = map_unit)]
    pub(in crate::cli) map_unit: Option<MapUnit>,
    /// The unit of the file's heights, instead of what it says: m, ft, us-ft, cm and so on
    #[arg(long, value_name = "UNIT", value_parser = height_unit)]
    pub(in crate::cli) height_unit: Option<f64>,
    /// The type of the numbers of a raw file: u8, u16 (the default), i16, u32, i32, f32 or f64
    #[arg(long, value_name = "TYPE", value_parser = sample)]
    pub(in crate::cli) sample: Option<SampleType>,
    /// The byte order of a raw file: little (the default) or big
    #[arg(long, value_name = "ORDER", value_parser = byte_order)]
    pub(in crate::cli) byte_order: Option<ByteOrder>,
    /// Bytes before the first number of a raw file
    #[arg(long, value_name = "BYTES")]
    pub(in crate::cli) skip: Option<u64>,
    /// The first row of a raw file is the southern one
    #[arg(long)]
    pub(in crate::cli) flip_rows: bool,
    /// The first column of a raw file is the eastern one
    #[arg(long)]
    pub(in crate::cli) flip_columns: bool,
}

impl ReadingArguments {
    /// The layout of raw numbers in the file.
    pub(in crate::cli) fn raw(&self) -> RawLayout {
        RawLayout {
            sample: self.sample,
            order: self.byte_order,
            skip: self.skip,
            flip_rows: self.flip_rows,
            flip_columns: self.flip_columns,
        }
    }

    /// The first given option that is only for elevation files, with its name.
    pub(in crate::cli) fn of_files_alone(&self) -> Option<&'static str> {
        let given = [
            ("--channel", self.channel.is_some()),
            ("--range", self.range.is_some()),
            ("--map-unit", self.map_unit.is_some()),
            ("--height-unit", self.height_unit.is_some()),
            ("--sample", self.sample.is_some()),
            ("--byte-order", self.byte_order.is_some()),
            ("--skip", self.skip.is_some()),
            ("--flip-rows", self.flip_rows),
            ("--flip-columns", self.flip_columns),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
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

/// The time limit of drawing.
#[cfg(feature = "render")]
#[derive(Args)]
pub(in crate::cli) struct TimeLimit {
    /// Fail, and write nothing, if a picture is not complete after this many seconds; by default it takes as
    /// long as it needs
    #[arg(long, value_name = "SECONDS", value_parser = time_limit, requires = "output")]
    #[arg(allow_negative_numbers = true)]
    time_limit: Option<Duration>,
}

#[cfg(feature = "render")]
impl TimeLimit {
    /// The longest time that a picture may take.
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
