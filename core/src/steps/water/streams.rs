//! Streams and rivers where the drainage of a land carries enough water.
//!
//! Width and depth grow with the discharge Q as Q^0.5 and Q^0.4, after Leopold and Maddock, "The hydraulic
//! geometry of stream channels and some physiographic implications" (1953). The beds are dug by the
//! [network](super::dig) of rivers, so that none rises downstream.

use std::collections::HashMap;

use glam::Vec2;

use super::network::carve_with;
use super::{Channel, Course, River};
use crate::compute::work::Work;
use crate::drainage::{Drainage, DrainageRules, Hollows};
use crate::error::Result;
use crate::grid::layer::HOLE;
use crate::grid::{Grid, Heightfield};
use crate::params::params;
use crate::steps::number::brief;
use crate::steps::{Ground, Operation, Site, estimate, step};

/// Depth of the water as a share of that of the bed.
const FILL: f32 = 0.7;
/// Seconds in a year.
const YEAR: f64 = 31_557_600.0;
/// A stream that is shorter, in samples, is left out: it is the beginning of one that the land is too coarse
/// for.
const SHORTEST: usize = 4;
/// Samples on either side over which the course is averaged: ways between samples have only eight directions.
const AVERAGED: usize = 3;
/// Samples from one node of a course to the next.
const APART: usize = 3;

params! {
    /// Streams and rivers wherever enough water comes together, each as wide and as deep as its discharge
    /// makes it. They join on their way, end in lakes, in the sea or at the land's border, and leave full
    /// lakes where these flow over. Let `lakes` come before them: hollows without a lake are cut through.
    pub struct Streams {
        /// Discharge from which there is a stream.
        pub from: f32 = 0.1, "m³/s" in 0.0..=100000.0, log;
        /// Water that runs off the land in a year.
        pub runoff: f32 = 400.0, "mm" in 0.0..=10000.0;
        /// Width at a discharge of 1 m³/s.
        pub width: f32 = 3.5, "m" in 0.1..=100.0;
        /// Depth of the water at a discharge of 1 m³/s.
        pub depth: f32 = 0.35, "m" in 0.01..=10.0;
        /// Width of those that would be narrower. They get the depth that belongs to it. A stream of less
        /// than two samples has rough edges.
        pub narrowest: f32 = 15.0, "m" in 0.0..=5000.0;
        /// Distance from the edge to where the sides of the valley reach the original land.
        pub bank: f32 = 30.0, "m" in 0.0..=5000.0;
        /// Height of the sea. Ground below it is sea bed if the sea reaches it from the land's border. At the
        /// lowest value there is no sea.
        pub sea: f32 = 0.0, "m" in -12000.0..=12000.0, unlimited below;
        /// Whether water leaves the land over its border.
        pub open_border: bool = true;
    }
}

impl Streams {
    /// The courses of all streams, before they join.
    fn courses(&self, ground: &Ground, work: &Work) -> Result<Vec<Course>> {
        let grid = ground.grid();
        let (mut in_lake, mut sinks) = (vec![false; grid.count()], Vec::new());
        for lake in &ground.lakes {
            for (column, row) in lake.bed(&ground.heights) {
                in_lake[row * grid.width + column] = true;
            }
            sinks.extend(lake.outlet().is_none().then(|| lake.deepest()));
        }
        let rules = DrainageRules {
            sea: if self.sea > River::NO_SEA { self.sea } else { f32::NEG_INFINITY },
            open_border: self.open_border,
            hollows: Hollows::Breach,
            ..DrainageRules::default()
        };
        let sinks = with_sinks(ground, &sinks);
        let drainage = Drainage::with_holes(&ground.heights, sinks.as_ref(), &rules, work)?;
        let per_sample = f64::from(self.runoff) * 1e-3 * f64::from(grid.cell) * f64::from(grid.cell) / YEAR;
        let areas = drainage.areas();
        let is_stream = |here: usize| {
            f64::from(areas[here]) * per_sample >= f64::from(self.from)
                && !in_lake[here]
                && !drainage.is_sea(here)
        };
        // The largest stream that drains into each; of equal ones the first.
        let mut main: HashMap<usize, usize> = HashMap::new();
        let mut streams = Vec::new();
        for here in 0..grid.count() {
            if here % grid.width == 0 {
                work.check()?;
            }
            if !is_stream(here) {
                continue;
            }
            streams.push(here);
            if let Some(there) = drainage.receiver(here) {
                let largest = main.entry(there).or_insert(here);
                if areas[here] > areas[*largest] {
                    *largest = here;
                }
            }
        }
        let mut courses = Vec::new();
        for last in streams {
            let next = drainage.receiver(last);
            if next.is_some_and(|next| is_stream(next) && main.get(&next) == Some(&last)) {
                continue;
            }
            work.check()?;
            // From the mouth up, always along the largest.
            let mut way = vec![last];
            while let Some(before) = main.get(&way[way.len() - 1]) {
                way.push(*before);
            }
            way.reverse();
            if way.len() < SHORTEST {
                continue;
            }
            let discharges: Vec<f64> = way.iter().map(|here| f64::from(areas[*here]) * per_sample).collect();
            courses.push(self.course(&way, next, &discharges, grid, work)?);
        }
        Ok(courses)
    }

    /// The course along the samples of a way, to the sample `next` in which it ends, or beyond the border.
    fn course(
        &self,
        way: &[usize],
        next: Option<usize>,
        discharges: &[f64],
        grid: Grid,
        work: &Work,
    ) -> Result<Course> {
        let at = |sample: usize| Vec2::new((sample % grid.width) as f32, (sample / grid.width) as f32);
        let mut places: Vec<Vec2> = way.iter().map(|here| at(*here)).collect();
        let (before, last) = (places[places.len() - 2], places[places.len() - 1]);
        places.push(next.map_or(last + 2.0 * (last - before), at));
        let end = places.len() - 1;
        // Symmetric, so that it is drawn to neither end; both stay where they are.
        let smooth = |here: usize| {
            let far = AVERAGED.min(here).min(end - here);
            let around = &places[here - far..=here + far];
            around.iter().sum::<Vec2>() / around.len() as f32 * grid.cell
        };
        let mut chosen: Vec<usize> = (0..end).step_by(APART).collect();
        // No node close before the last.
        chosen.pop_if(|here| *here > 0 && *here + 1 >= end);
        chosen.push(end);
        let nodes: Vec<Vec2> = chosen.iter().map(|here| smooth(*here)).collect();
        let mut along = 0.0;
        let mut grows = Vec::with_capacity(nodes.len());
        for (number, here) in chosen.iter().enumerate() {
            along += number.checked_sub(1).map_or(0.0, |before| nodes[before].distance(nodes[number]));
            let discharge = discharges[(*here).min(discharges.len() - 1)];
            grows.push((along, self.channel(discharge).section()));
        }
        let channel = self.channel(discharges[discharges.len() - 1]);
        Ok(Course::through(&nodes, channel, grid, work)?.growing(grows))
    }

    /// The cross-section at a discharge.
    fn channel(&self, discharge: f64) -> Channel {
        let least = f64::from(self.narrowest / self.width);
        let discharge = discharge.max(least * least);
        let width = f64::from(self.width) * discharge.sqrt();
        let water = f64::from(self.depth) * libm::pow(discharge, 0.4);
        // As wide and as deep as a river can be.
        let (width, water) = (width.min(5000.0) as f32, water.min(700.0) as f32);
        Channel { width, depth: water / FILL, bank: self.bank, fill: FILL }
    }
}

/// The layer of holes with further samples where water ends.
fn with_sinks(ground: &Ground, sinks: &[(usize, usize)]) -> Option<Heightfield> {
    let holes = ground.layers().get(HOLE);
    if sinks.is_empty() {
        return holes.cloned();
    }
    let mut holes = holes.cloned().unwrap_or_else(|| Heightfield::flat(ground.grid(), 0.0));
    let width = ground.grid().width;
    sinks.iter().for_each(|(column, row)| holes.heights_mut()[row * width + column] = 1.0);
    Some(holes)
}

impl Operation for Streams {
    step!("streams", "Streams", Waterway);

    /// They end in the sea, if there is one, and are no narrower than samples can show.
    fn suit(&mut self, site: &Site) {
        self.sea = site.sea_level.map_or(River::NO_SEA, |level| level.clamp(River::NO_SEA, 12_000.0));
        self.narrowest = (2.0 * site.cell).clamp(1.0, 5000.0);
        self.bank = (2.0 * site.cell).clamp(1.0, 5000.0);
    }

    fn reads(&self) -> Vec<&str> {
        vec![HOLE]
    }

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let courses = self.courses(ground, work)?;
        let Ground { heights, rivers, .. } = ground;
        let dug = carve_with(heights, courses, rivers, work)?;
        rivers.extend(dug.into_iter().filter(|course| course.points().next().is_some()));
        Ok(())
    }

    fn formula(&self) -> Option<String> {
        let Self { from, runoff, width, depth, narrowest, .. } = *self;
        let [from, runoff, width, depth, narrowest] = [from, runoff, width, depth, narrowest].map(brief);
        Some(format!(
            "Q = {runoff} mm · A / year;  streams where Q ≥ {from} m³/s\n\
             width = {width} Q^0.5 ≥ {narrowest} m;  depth of the water = {depth} Q^0.4\n\
             A = own ground + Σ A of the neighbours whose steepest way leads here"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 450.0)
    }
}
