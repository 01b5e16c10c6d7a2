//! How much of the land a step must know to compute a sample, or a window of samples.

use std::fmt;

use crate::error::Result;
use crate::grid::Region;

/// Samples that are added to a reach at levels coarser than 0. A step that looks around looks at two samples
/// at least, even where they are farther apart than its reach.
const MORE_IF_COARSE: u32 = 2;

/// How much of the land a step must know to compute one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// The sample's position, and its own height.
    Point,
    /// Everything within this distance in metres along both axes; at levels coarser than 0, two samples
    /// more.
    Near(f32),
    /// As `Point`, and the lowest and highest height of all the land:
    /// [`Region::range_of`](crate::Region::range_of).
    Range,
    /// All of the land: the step runs once, at level 0.
    Whole,
}

impl Reach {
    /// The number of samples around a window that the reach covers.
    pub(in crate::steps) fn halo(self, window: &Region) -> u32 {
        match self {
            Self::Near(metres) if metres > 0.0 => {
                let coarse = if window.level() > 0 { MORE_IF_COARSE } else { 0 };
                window.samples_within(metres).saturating_add(coarse)
            }
            _ => 0,
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point => formatter.write_str("point"),
            Self::Near(metres) => write!(formatter, "within {metres} m"),
            Self::Range => formatter.write_str("point and range"),
            Self::Whole => formatter.write_str("whole"),
        }
    }
}

/// The land before a step that it looks at to change one window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Needs {
    /// The window and this many samples around it.
    Halo(u32),
    /// Another region in place of a halo, which the step finds in
    /// [`Ground::context`](super::Ground::context): the window with its surroundings at a coarser level, or a
    /// region that the window's heights are fetched from.
    Context {
        /// The region.
        region: Region,
        /// Whether the step's heights follow from this region alone, as those of a smoothing filter do. Then
        /// the heights before it need not be made in the window itself: if it has no mask and an amount of 1,
        /// and no layer is needed there, it finds level ground in place of them.
        alone: bool,
    },
}

impl Needs {
    /// A halo around a window as wide as a reach.
    pub fn within(reach: Reach, window: &Region) -> Self {
        Self::Halo(reach.halo(window))
    }

    /// The window with a halo of `samples` samples of level 0, at this level. `None` if the window is not
    /// finer.
    pub(in crate::steps) fn coarser(
        window: &Region,
        level: i32,
        samples: f32,
        alone: bool,
    ) -> Result<Option<Self>> {
        // The window is as coarse already.
        if window.level() >= level {
            return Ok(None);
        }
        // Two samples more, for the curves between them.
        let around = window.at_coarser(level, 2)?;
        // In cells of level 0, as `samples` counts them, whatever the level of the context.
        let region = around.grown(samples * window.domain().cell())?;
        Ok(Some(Self::Context { region, alone }))
    }

    /// The region that it looks at in place of a halo.
    pub(crate) fn context(&self) -> Option<Region> {
        match self {
            Self::Halo(_) => None,
            Self::Context { region, .. } => Some(*region),
        }
    }
}
