//! Ground of all of a land that lies outside of memory and is read in parts, such as in files or in a store.
//!
//! Windows of land with a step that must know all of it are made from all of the land after that step. For
//! programs that make windows in many processes it is made once, stored, and read in parts by each of them.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::water::RiverBed;

/// The level of [`StoredField::Overview`].
pub const STORED_OVERVIEW: i32 = 5;

/// All of a land at level 0 after some of a recipe's steps, read in parts.
pub trait StoredGround: Send + Sync {
    /// The values of a field in a rectangle of its samples, row by row: `first` is its first column and row,
    /// `size` its columns and rows. All values are finite.
    ///
    /// # Errors
    /// When the values cannot be read or are damaged; [`Error::Cancelled`](crate::Error::Cancelled).
    fn part(&self, field: &StoredField, first: [u32; 2], size: [u32; 2], work: &Work) -> Result<Vec<f32>>;

    /// The beds of all rivers with water that the steps so far have dug, in their order; `None` if they are
    /// not stored with this ground. All numbers are finite.
    ///
    /// # Errors
    /// As [`part`](Self::part).
    fn river_beds(&self, work: &Work) -> Result<Option<Vec<RiverBed>>>;

    /// The lowest and the highest height.
    fn range(&self) -> (f32, f32);
}

/// A field of a stored ground.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoredField {
    /// The heights.
    Heights,
    /// Every 32nd height along x and z, for windows of level 5 and coarser.
    Overview,
    /// For windows finer than level 0: the control points of the spline through the heights. After rivers it
    /// is the spline through the depths that they dig.
    Spline,
    /// The layer with this name.
    Layer(String),
    /// The depth of the rivers' water, without the sea's.
    RiverWater,
}

impl fmt::Display for StoredField {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Heights => formatter.write_str("heights"),
            Self::Overview => formatter.write_str("overview"),
            Self::Spline => formatter.write_str("spline"),
            Self::Layer(name) => write!(formatter, "layer {name}"),
            Self::RiverWater => formatter.write_str("river water"),
        }
    }
}

impl FromStr for StoredField {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "heights" => Ok(Self::Heights),
            "overview" => Ok(Self::Overview),
            "spline" => Ok(Self::Spline),
            "river water" => Ok(Self::RiverWater),
            _ => text.strip_prefix("layer ").map(|name| Self::Layer(name.to_owned())).ok_or(()),
        }
    }
}

/// What windows need of all the land after some of a recipe's steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredNeed {
    /// The number of groups of steps after which it is needed: a step, or consecutive rivers.
    pub groups: usize,
    /// The index in the recipe of the first step of the last of these groups.
    pub step: usize,
    /// The fields that are read; empty if only the range of heights is.
    pub fields: BTreeSet<StoredField>,
    /// Whether the beds of its rivers are.
    pub river_beds: bool,
}

impl StoredNeed {
    /// Whether only the depth of rivers is needed, on which no height depends.
    pub fn is_river_water(&self) -> bool {
        self.fields.iter().eq([&StoredField::RiverWater])
    }
}

/// What is known of all the land after some of a recipe's steps, in addition to its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSummary {
    /// The lowest and the highest height.
    pub range: (f32, f32),
    /// The beds of its rivers, if they are needed.
    pub river_beds: Option<Vec<RiverBed>>,
}
