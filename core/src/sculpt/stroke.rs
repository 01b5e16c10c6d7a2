//! A stroke of a brush: the data that is saved, sent to other players and applied to land.

use std::ops::RangeInclusive;

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The most points of a stroke's path.
pub const MAX_PATH: usize = 1000;

/// Accepted radii of a stroke, metres.
pub const STROKE_RADII: RangeInclusive<f32> = 0.05..=50_000.0;

/// Accepted heights, metres. Differences of heights are accepted from 0 to the upper end.
pub const STROKE_HEIGHTS: RangeInclusive<f32> = -100_000.0..=100_000.0;

/// The farthest that a stroke's path may lie from the land's sample (0, 0) along either axis, metres. At that
/// distance positions are still exact to less than a micrometre.
pub const STROKE_PLACES: f64 = 1e9;

/// How many radii the path of a tool that looks around may span along either axis: the tool's lattice has to
/// cover the whole path.
pub(super) const LONGEST: f64 = 16.0;

/// The most letters of a terrain type's name.
const LONGEST_NAME: usize = 256;

/// A stroke of a brush over land.
///
/// It is plain data: the same stroke on the same land has the same bits on every machine, so that a networked
/// game can send strokes instead of heights. [`check`](Self::check) refuses strokes that cannot be applied;
/// everything that applies strokes checks them first.
///
/// ```
/// # use upland_core as upland;
/// use upland::sculpt::{Stroke, Tool};
///
/// // A hill of 4 m, 50 m wide to all sides, 300 m east and 120 m south of the land's north-west corner.
/// let hill = Stroke::at(Tool::Raise { by: 4.0 }, [300.0, 120.0], 50.0);
/// let text = serde_json::to_string(&hill).unwrap();
/// assert_eq!(serde_json::from_str::<Stroke>(&text).unwrap(), hill);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stroke {
    /// What it does.
    pub tool: Tool,
    /// Its path: metres east and south of the land's sample (0, 0), from 1 to [`MAX_PATH`] points joined by
    /// straight lines.
    pub path: Vec<[f64; 2]>,
    /// How far from the path it reaches, metres, in [`STROKE_RADII`].
    pub radius: f32,
    /// The share of the radius over which its effect falls to nothing, in \[0, 1\]: 0 is a hard edge, 1 falls
    /// off from the path on.
    #[serde(default = "whole")]
    pub falloff: f32,
    /// The share of the tool's full effect, in \[0, 1\].
    #[serde(default = "whole")]
    pub strength: f32,
    /// Its author, as a networked game numbers its players; 0, the default, for no author. It has no effect
    /// on the land.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub author: u64,
    /// Its number, by which it is found for undoing: unique among the strokes of its author. 0, the default,
    /// for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub id: u64,
}

/// The effect of a stroke. Heights are in metres, as in the recipe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Tool {
    /// Raises the ground.
    Raise {
        /// Metres, from 0 to 100 000.
        by: f32,
    },
    /// Lowers the ground.
    Lower {
        /// Metres, from 0 to 100 000.
        by: f32,
    },
    /// Makes the ground level.
    Flatten {
        /// The height, metres, in [`STROKE_HEIGHTS`].
        to: f32,
    },
    /// Smooths the ground: it is replaced by a mean over about half of the radius.
    Smooth {},
    /// Makes a ramp along the path.
    Ramp {
        /// The height where the path begins, metres, in [`STROKE_HEIGHTS`].
        from: f32,
        /// The height where the path ends.
        to: f32,
    },
    /// Lets rain run off the ground: it is eroded where water gathers, and grows where water slows down.
    Erode {
        /// Drops of water for each cell of the tool's lattice, in (0, 4\].
        drops: f32,
    },
    /// Makes a crater: a bowl half as wide as the brush, a rim, and ejecta around it. It has no falloff.
    Crater {
        /// Metres from the ground to the bottom, from 0 to 100 000. Fresh craters are about a fifth as deep
        /// as wide.
        depth: f32,
        /// Metres from the ground to the top of the rim, from 0 to 100 000.
        rim: f32,
    },
    /// Paints a terrain type.
    Paint {
        /// The type's name in the recipe's texture; a name that the texture doesn't have changes nothing.
        kind: String,
    },
    /// Cuts a hole through the ground, as wide as the brush. It has neither falloff nor strength.
    Hole {},
    /// Closes holes under the brush, also those of the original land. It has neither falloff nor strength.
    Close {},
    /// Removes plants and other objects that the land's rules have scattered; a weaker brush removes fewer of
    /// them.
    Clear {},
}

fn whole() -> f32 {
    1.0
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Tool {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Raise { .. } => "raise",
            Self::Lower { .. } => "lower",
            Self::Flatten { .. } => "flatten",
            Self::Smooth {} => "smooth",
            Self::Ramp { .. } => "ramp",
            Self::Erode { .. } => "erode",
            Self::Crater { .. } => "crater",
            Self::Paint { .. } => "paint",
            Self::Hole {} => "hole",
            Self::Close {} => "close",
            Self::Clear {} => "clear",
        }
    }

    /// Whether it changes heights.
    pub fn changes_heights(&self) -> bool {
        !matches!(self, Self::Paint { .. } | Self::Hole {} | Self::Close {} | Self::Clear {})
    }

    /// Whether it makes or closes holes.
    pub fn changes_holes(&self) -> bool {
        matches!(self, Self::Hole {} | Self::Close {})
    }

    /// Whether it removes objects where its brush is strong, as craters and holes do, too.
    pub fn clears(&self) -> bool {
        matches!(self, Self::Crater { .. } | Self::Hole {} | Self::Clear {})
    }

    /// Whether it changes anything in a tile: the ground or its colours.
    pub(crate) fn changes_tiles(&self) -> bool {
        !matches!(self, Self::Clear {})
    }

    /// Whether it needs the ground around a place, and not only the height there.
    pub fn looks_around(&self) -> bool {
        matches!(self, Self::Smooth {} | Self::Erode { .. })
    }
}

impl Stroke {
    /// A stroke at one place, metres from the land's sample (0, 0), that falls off from its middle on.
    pub fn at(tool: Tool, place: [f64; 2], radius: f32) -> Self {
        Self::along(tool, vec![place], radius)
    }

    /// A stroke along a path, metres from the land's sample (0, 0), that falls off from its middle line on.
    pub fn along(tool: Tool, path: Vec<[f64; 2]>, radius: f32) -> Self {
        Self { tool, path, radius, falloff: 1.0, strength: 1.0, author: 0, id: 0 }
    }

    /// The same with another falloff, a share of the radius.
    pub fn with_falloff(self, falloff: f32) -> Self {
        Self { falloff, ..self }
    }

    /// The same with another strength.
    pub fn with_strength(self, strength: f32) -> Self {
        Self { strength, ..self }
    }

    /// The same stroke with this author and this number.
    pub fn by(self, author: u64, id: u64) -> Self {
        Self { author, id, ..self }
    }

    /// Whether both are the same stroke: by author and number, or, for strokes without a number, by all
    /// fields.
    pub fn is_same(&self, other: &Self) -> bool {
        // Strokes without numbers are the same if all of their contents are.
        let is_numbered = (self.id, other.id) != (0, 0);
        if is_numbered { (self.author, self.id) == (other.author, other.id) } else { self == other }
    }

    /// Refuses strokes that cannot be applied.
    ///
    /// # Errors
    /// [`Error::Parameter`] with the field, its value and what is accepted: numbers that are out of range or
    /// not finite, a path without or with too many points, and one that is too long for a tool that looks
    /// around.
    pub fn check(&self) -> Result<()> {
        let Self { tool, path, radius, falloff, strength, .. } = self;
        if path.is_empty() || path.len() > MAX_PATH {
            return Err(wrong("path", format!("has {} points; give 1 to {MAX_PATH}", path.len())));
        }
        for (number, place) in path.iter().enumerate() {
            // Negated, so that NaN fails as well.
            if !place.iter().all(|place| place.abs() <= STROKE_PLACES) {
                let reason = format!(
                    "point {} is ({}, {}); give metres from -{STROKE_PLACES} to {STROKE_PLACES}",
                    number + 1,
                    place[0],
                    place[1]
                );
                return Err(wrong("path", reason));
            }
        }
        within("radius", *radius, &STROKE_RADII, " m")?;
        within("falloff", *falloff, &(0.0..=1.0), "")?;
        within("strength", *strength, &(0.0..=1.0), "")?;
        let lengths = 0.0..=*STROKE_HEIGHTS.end();
        match tool {
            Tool::Raise { by } | Tool::Lower { by } => within("tool.by", *by, &lengths, " m")?,
            Tool::Flatten { to } => within("tool.to", *to, &STROKE_HEIGHTS, " m")?,
            Tool::Ramp { from, to } => {
                within("tool.from", *from, &STROKE_HEIGHTS, " m")?;
                within("tool.to", *to, &STROKE_HEIGHTS, " m")?;
            }
            Tool::Crater { depth, rim } => {
                within("tool.depth", *depth, &lengths, " m")?;
                within("tool.rim", *rim, &lengths, " m")?;
            }
            // Negated, so that NaN fails as well.
            Tool::Erode { drops } if !(*drops > 0.0 && *drops <= 4.0) => {
                return Err(wrong("tool.drops", format!("{drops} is outside the range above 0 to 4")));
            }
            Tool::Paint { kind } if kind.is_empty() || kind.chars().count() > LONGEST_NAME => {
                let reason = format!("names no terrain type; give 1 to {LONGEST_NAME} letters");
                return Err(wrong("tool.kind", reason));
            }
            Tool::Erode { .. } | Tool::Paint { .. } | Tool::Smooth {} => {}
            Tool::Hole {} | Tool::Close {} | Tool::Clear {} => {}
        }
        // Its lattice is as fine as the radius demands over the whole path, and must fit in memory.
        if tool.looks_around() {
            let [low, high] = self.span();
            let (span, most) = ((high - low).max_element(), LONGEST * f64::from(*radius));
            if span > most {
                let reason = format!(
                    "spans {span} m, and `{}` with a radius of {radius} m can span {most} m; make several strokes of it",
                    tool.name()
                );
                return Err(wrong("path", reason));
            }
        }
        Ok(())
    }

    /// The rectangle that its path spans, metres: north-west and south-east corner.
    pub(super) fn span(&self) -> [DVec2; 2] {
        let none = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        self.path.iter().fold(none, |[low, high], place| {
            let place = DVec2::from(*place);
            [low.min(place), high.max(place)]
        })
    }

    /// How far from its path it changes anything, metres. The edge of a hole lies at the radius, between
    /// samples on both sides of it, so the samples beyond the edge change, too.
    pub(super) fn reach(&self) -> f64 {
        let radius = f64::from(self.radius);
        if self.tool.changes_holes() { 2.0 * radius } else { radius }
    }

    /// The rectangle that it changes, metres from the land's sample (0, 0): north-west and south-east corner.
    pub fn bounds(&self) -> [DVec2; 2] {
        let [low, high] = self.span();
        let reach = self.reach();
        [low - reach, high + reach]
    }
}

fn within(name: &str, value: f32, range: &RangeInclusive<f32>, unit: &str) -> Result<()> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(wrong(name, format!("{value} is outside {} to {}{unit}", range.start(), range.end())))
}

fn wrong(name: &str, reason: String) -> Error {
    Error::parameter(format!("stroke.{name}"), reason)
}
