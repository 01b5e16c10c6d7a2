//! All kinds of plots, by name.

use std::fmt;
use std::str::FromStr;

use glam::Vec2;

use super::plot::Plot;
use super::{
    aspects, basins, chi, geomorphons, hack, heights, hypsometry, ksn, long_profile, profile, slope_area,
    slope_rose, slopes, spectrum, variogram,
};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Heightfield;

/// A kind of plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlotKind {
    /// The histogram of heights: [`heights`](heights()).
    Heights,
    /// The hypsometric curve: [`hypsometry`](hypsometry()).
    Hypsometry,
    /// The histogram of slopes: [`slopes`](slopes()).
    Slopes,
    /// The rose of aspects: [`aspects`](aspects()).
    Aspects,
    /// The rose of slopes: [`slope_rose`](slope_rose()).
    SlopeRose,
    /// The power spectrum: [`spectrum`](spectrum()).
    Spectrum,
    /// The variogram: [`variogram`](variogram()).
    Variogram,
    /// Slope over drainage area: [`slope_area`](slope_area()).
    SlopeArea,
    /// The heights along a line: [`profile`](profile()).
    Profile,
    /// The shares of ten forms of ground: [`geomorphons`](geomorphons()).
    Geomorphons,
    /// The long profile of the largest river: [`long_profile`](long_profile()).
    LongProfile,
    /// The heights of rivers over χ: [`chi`](chi()).
    Chi,
    /// The channel steepness along rivers: [`ksn`](ksn()).
    Ksn,
    /// The lengths of rivers over their drainage areas: [`hack`](hack()).
    Hack,
    /// The areas of basins: [`basins`](basins()).
    Basins,
}

/// Settings of plots; each kind uses those that concern it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotOptions {
    /// Bars of the histogram of heights, 1 to 10000.
    pub bars: usize,
    /// Bearings of the roses of aspects and slopes, 4 to 360.
    pub bearings: usize,
    /// The Hurst exponent that theory gives the land, such as
    /// [`Recipe::hurst_in_theory`](crate::Recipe::hurst_in_theory), to be drawn next to the measured one.
    pub hurst: Option<f64>,
    /// The height of the sea in metres, if there is one: rivers end there.
    pub sea_level: Option<f32>,
    /// The ends of the profile in metres east (x) and south (y) of the north-west corner. Without them it
    /// runs from west to east across the middle, on land one sample wide from north to south.
    pub line: Option<[Vec2; 2]>,
    /// The reference concavity θ of χ and of channel steepness, 0 to 1. 0.45 is usual, and makes lands
    /// comparable.
    pub concavity: f64,
}

impl Default for PlotOptions {
    fn default() -> Self {
        Self { bars: 50, bearings: 16, hurst: None, sea_level: None, line: None, concavity: 0.45 }
    }
}

impl PlotKind {
    /// All kinds.
    pub const ALL: [Self; 15] = [
        Self::Heights,
        Self::Hypsometry,
        Self::Slopes,
        Self::Aspects,
        Self::SlopeRose,
        Self::Spectrum,
        Self::Variogram,
        Self::SlopeArea,
        Self::Profile,
        Self::Geomorphons,
        Self::LongProfile,
        Self::Chi,
        Self::Ksn,
        Self::Hack,
        Self::Basins,
    ];

    /// Its name on the command line and in names of files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Heights => "heights",
            Self::Hypsometry => "hypsometry",
            Self::Slopes => "slopes",
            Self::Aspects => "aspects",
            Self::SlopeRose => "slope-rose",
            Self::Spectrum => "spectrum",
            Self::Variogram => "variogram",
            Self::SlopeArea => "slope-area",
            Self::Profile => "profile",
            Self::Geomorphons => "geomorphons",
            Self::LongProfile => "long-profile",
            Self::Chi => "chi",
            Self::Ksn => "ksn",
            Self::Hack => "hack",
            Self::Basins => "basins",
        }
    }

    /// Makes the plot of a land.
    ///
    /// # Errors
    /// Those of the function of that kind.
    pub fn plot(self, field: &Heightfield, options: &PlotOptions, work: &Work) -> Result<Plot> {
        match self {
            Self::Heights => heights(field, options.bars, work),
            Self::Hypsometry => hypsometry(field, work),
            Self::Slopes => slopes(field, work),
            Self::Aspects => aspects(field, options.bearings, work),
            Self::SlopeRose => slope_rose(field, options.bearings, work),
            Self::Spectrum => spectrum(field, options.hurst, work),
            Self::Variogram => variogram(field, options.hurst, work),
            Self::SlopeArea => slope_area(field, options.sea_level, work),
            Self::Profile => profile(field, options.line.unwrap_or_else(|| across(field)), work),
            Self::Geomorphons => geomorphons(field, work),
            Self::LongProfile => long_profile(field, options.sea_level, work),
            Self::Chi => chi(field, options.concavity, options.sea_level, work),
            Self::Ksn => ksn(field, options.concavity, options.sea_level, work),
            Self::Hack => hack(field, options.sea_level, work),
            Self::Basins => basins(field, options.sea_level, work),
        }
    }
}

/// The line across the middle of a land.
fn across(field: &Heightfield) -> [Vec2; 2] {
    let extent = field.grid().extent();
    let axis = if extent.x > 0.0 { Vec2::X } else { Vec2::Y };
    let middle = extent / 2.0 * (Vec2::ONE - axis);
    [middle, middle + extent * axis]
}

impl fmt::Display for PlotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PlotKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::parameter("plot", format!("there is no `{text}`; there are {names}"))
        })
    }
}
