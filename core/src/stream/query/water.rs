//! The water of a land at a place: the sea, a lake, or a river and its current.

use glam::{DVec2, Vec2};

use crate::grid::{Grid, Heightfield};
use crate::steps::water::{RiverAt, RiverSheet};

/// The sea, the rivers and the lakes of a land, for water queries.
#[derive(Clone, Copy, Debug)]
pub struct LandWater<'a> {
    sea_level: Option<f32>,
    /// The surface of the rivers and lakes, and the grid of the land for which they were made.
    rivers: Option<(&'a RiverSheet, Grid)>,
}

/// Water over a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterAt {
    /// Height of its surface, metres.
    pub level: f32,
    /// Metres down to the ground, above 0.
    pub depth: f32,
    /// How fast it flows east and south, metres per second; 0 in the sea and in lakes.
    pub velocity: Vec2,
}

impl<'a> LandWater<'a> {
    /// The water of a land with a sea of this height, if it has one, without rivers and lakes.
    pub fn new(sea_level: Option<f32>) -> Self {
        // A sea level of infinity would cover the whole land.
        Self { sea_level: sea_level.filter(|level| level.is_finite()), rivers: None }
    }

    /// With the rivers and lakes of a land whose samples of level 0 are those of `field`.
    pub fn with_rivers(self, rivers: &'a RiverSheet, field: &Heightfield) -> Self {
        Self { rivers: (!rivers.is_empty()).then_some((rivers, field.grid())), ..self }
    }

    /// Height of the sea, metres.
    pub fn sea_level(&self) -> Option<f32> {
        self.sea_level
    }

    pub(in crate::stream) fn rivers(&self) -> Option<(&'a RiverSheet, Grid)> {
        self.rivers
    }

    /// The surface of a river or a lake at a place, in metres from the land's sample (0, 0), even where it
    /// lies below the ground next to the water.
    pub fn river_at(&self, place: DVec2) -> Option<RiverAt> {
        let (rivers, grid) = self.rivers?;
        rivers.at(grid, (place - grid.extent().as_dvec2() * 0.5).as_vec2())
    }

    /// The water over ground of a height at a place, in metres from the land's sample (0, 0): the highest of
    /// sea, river and lake. `None` where it is dry.
    pub fn at(&self, place: DVec2, ground: f32) -> Option<WaterAt> {
        let sea = self.sea_level.map(|level| (level, Vec2::ZERO));
        let river = self.river_at(place).map(|river| (river.level, river.velocity));
        let waters = sea.into_iter().chain(river).filter(|(level, _)| *level > ground);
        // Where a river meets the sea, the higher of the two surfaces is seen.
        let (level, velocity) = waters.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(WaterAt { level, depth: level - ground, velocity })
    }
}
