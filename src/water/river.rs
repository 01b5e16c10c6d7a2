//! A river across the land: a spline whose nodes stand in a row, moved sideways at random.
//!
//! After "Spectral synthesis and water": a spline through colinear nodes, two of them on the land's
//! edges and two outside, is bent at random, and the land is dug away along it. The meanders in
//! metres, the nodes between, the cross-section and the bed that never rises are ours.

use glam::Vec2;

use super::{Carve, Channel, Course};
use crate::error::Result;
use crate::heightfield::{Grid, Heightfield};
use crate::noise::{hash, signed_unit};
use crate::params::{choice, params};
use crate::work::Work;

choice! {
    /// Which way a river flows.
    pub enum Flow {
        /// Towards the end of its course where the land is lower.
        Downhill = "downhill",
        /// Towards its bearing, even if it must dig a canyon for that.
        Bearing = "bearing",
    }
}

params! {
    /// A river that winds across the land and digs a bed that never rises downstream. What later
    /// steps lay over it, it doesn't dig again; let rivers come last. Where its course misses the
    /// land, nothing changes.
    pub struct River {
        /// From edge to edge.
        pub width: f32 = 60.0, "m" in 0.0..=5000.0;
        /// From the edge down to the middle of the bed.
        pub depth: f32 = 8.0, "m" in 0.0..=1000.0;
        /// How deep the water stands, as a share of the depth.
        pub fill: f32 = 0.7, "" in 0.0..=1.0;
        /// From the edge to where the sides of its valley have risen to the land as it was.
        pub bank: f32 = 60.0, "m" in 0.0..=5000.0;
        /// The compass bearing along which it crosses the land.
        pub bearing: f32 = 180.0, "°" in 0.0..=360.0;
        /// Which way it flows.
        pub flow: Flow = Flow::Downhill;
        /// Where it crosses: −1 and 1 are the sides of the land to the left and right of the bearing.
        pub offset: f32 = 0.0, "" in -1.0..=1.0;
        /// How far the course strays to either side.
        pub meander: f32 = 150.0, "m" in 0.0..=20000.0;
        /// How many nodes bend the course between the land's edges.
        pub bends: u32 = 6, "" in 0.0..=40.0;
    }
}

impl River {
    /// The nodes of its spline in metres from the north-west corner: one on either edge of the land,
    /// `bends` between, and two beyond each edge, because the curve begins at the second.
    fn nodes(&self, grid: Grid, seed: u64) -> Vec<Vec2> {
        let (sin, cos) = libm::sincosf(self.bearing.to_radians());
        let (along, right) = (Vec2::new(sin, -cos), Vec2::new(cos, sin));
        let half = grid.extent() / 2.0;
        let (half_length, half_across) = (half.dot(along.abs()), half.dot(right.abs()));
        let spacing = 2.0 * half_length / (self.bends + 1) as f32;
        let middle = half + right * (self.offset * half_across);
        (-1..=i64::from(self.bends) + 2)
            .map(|number| {
                let sideways = signed_unit(hash(seed, number, 0)) * self.meander;
                middle + along * (number as f32 * spacing - half_length) + right * sideways
            })
            .collect()
    }
}

impl Carve for River {
    fn carve(&self, field: &mut Heightfield, seed: u64, work: &Work) -> Result<Course> {
        work.stage("river", 2);
        let Self { width, depth, bank, fill, .. } = *self;
        let grid = field.grid();
        let channel = Channel { width, depth, bank, fill };
        let mut course = Course::through(&self.nodes(grid, seed), channel, grid, work)?;
        work.advance(1);
        let ends = (course.bed().next(), course.bed().last());
        if let (Flow::Downhill, (Some(first), Some(last))) = (self.flow, ends)
            && field.at(first.0, first.1) < field.at(last.0, last.1)
        {
            course = course.reversed();
        }
        course.carve(field, work)?;
        work.advance(1);
        Ok(course)
    }
}
