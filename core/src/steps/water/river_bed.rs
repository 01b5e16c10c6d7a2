//! The beds of rivers, for steps that must leave them open whatever window is made.

use glam::Vec2;

use super::Course;

/// What is known of the bed of a river from its course alone.
#[derive(Clone, Debug, PartialEq)]
pub struct RiverBed {
    /// Points of its line, in metres east and south of the north-west corner, source first; at most half a
    /// cell apart on the land.
    pub line: Vec<Vec2>,
    /// The largest distance from the line to a sample of the bed, metres, above 0.
    pub half: f32,
    /// Distance from the edge of the bed to the end of its bank, metres, at least 0.
    pub bank: f32,
}

impl Course {
    /// Its bed, if water flows in it. A dry valley has none that must be left open.
    pub(crate) fn river_bed(&self) -> Option<RiverBed> {
        self.has_water().then(|| RiverBed {
            line: self.points().collect(),
            // The samples of a bed may lie half a cell from its line, and their neighbours belong to its
            // sides.
            half: self.farthest_edge().max(self.grid().cell),
            bank: self.channel().bank,
        })
    }
}

impl RiverBed {
    /// Approximate memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.line.len() * size_of::<Vec2>()) as u64
    }
}
