//! Streams and rivers where the drainage of a land carries enough water.
//!
//! Width and depth grow with the discharge Q as Q^0.5 and Q^0.4, after Leopold and Maddock, "The hydraulic
//! geometry of stream channels and some physiographic implications" (1953). The beds are dug by the
//! [network](super::dig) of rivers, so that none rises downstream. On flat ground they meander: `floodplain`
//! says where, `meanders` how, and `ox_bows` fills the loops that they cut off.

use std::collections::HashMap;

use glam::Vec2;

use super::channel::Section;
use super::floodplain::Floodplain;
use super::meanders::{Node, OxBow};
use super::network::carve_with;
use super::ox_bows::flood;
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
    /// lakes where these flow over. Let `lakes` come before them: hollows without a lake are cut through. On
    /// flat ground they can meander.
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
        /// Years for which streams have moved sideways where they fall less than 0.5 %: bends grow, move
        /// downstream and are cut off, and ox-bow lakes remain. Streams of less than two samples move as if
        /// they were so wide. At 0 none has moved.
        pub meander_years: f32 = 0.0, "years" in 0.0..=1000.0;
    }
}

/// The samples along which a stream runs, from its source.
struct Way {
    samples: Vec<usize>,
    /// The discharge at each of them, m³/s.
    discharges: Vec<f64>,
    /// The sample in which it ends; `None` beyond the border.
    next: Option<usize>,
}

impl Way {
    /// The discharge at its mouth.
    fn mouth(&self) -> f64 {
        self.discharges[self.discharges.len() - 1]
    }
}

/// The line of a stream, metres, and the discharge at each of its points.
struct Line {
    nodes: Vec<Vec2>,
    discharges: Vec<f64>,
}

impl Streams {
    /// The courses of all streams, before they join, and the loops that they have cut off.
    fn courses(&self, ground: &Ground, seed: u64, work: &Work) -> Result<(Vec<Course>, Vec<OxBow>)> {
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
        let mut ways = Vec::new();
        for last in streams {
            let next = drainage.receiver(last);
            if next.is_some_and(|next| is_stream(next) && main.get(&next) == Some(&last)) {
                continue;
            }
            work.check()?;
            // From the mouth up, always along the largest.
            let mut samples = vec![last];
            while let Some(before) = main.get(&samples[samples.len() - 1]) {
                samples.push(*before);
            }
            samples.reverse();
            if samples.len() >= SHORTEST {
                let discharges = samples.iter().map(|here| f64::from(areas[*here]) * per_sample).collect();
                ways.push(Way { samples, discharges, next });
            }
        }
        if self.meander_years > 0.0 {
            let is_water = |here: usize| in_lake[here] || drainage.is_sea(here);
            let plain = Floodplain::new(&ground.heights, is_water, work)?;
            return self.meandering(ways, plain, |here| drainage.receiver(here), seed, work);
        }
        let course = |way: &Way| self.course(&line(way, grid), None, grid, work);
        Ok((ways.iter().map(course).collect::<Result<_>>()?, Vec::new()))
    }

    /// The same courses after they have moved, and the loops that they have cut off.
    fn meandering(
        &self,
        mut ways: Vec<Way>,
        mut plain: Floodplain,
        receiver: impl Fn(usize) -> Option<usize>,
        seed: u64,
        work: &Work,
    ) -> Result<(Vec<Course>, Vec<OxBow>)> {
        let grid = plain.grid();
        // From the largest to the smallest: each stays out of the way of those before it.
        let mut order: Vec<usize> = (0..ways.len()).collect();
        order.sort_by(|one, other| ways[*other].mouth().total_cmp(&ways[*one].mouth()));
        work.stage("meander", ways.len());
        let mut courses = vec![Course::none(grid); ways.len()];
        let (mut ox_bows, mut has_moved) = (Vec::new(), false);
        for &number in &order {
            let way = &mut ways[number];
            let left = way.samples.clone();
            let own = plain.own_part(&left);
            let is_cut = own.len() < left.len();
            if is_cut {
                way.next = left.get(own.end).copied().or(way.next);
                way.samples = left[own.clone()].to_vec();
                way.discharges = way.discharges[own].to_vec();
            }
            if way.samples.len() < SHORTEST {
                plain.take(&[], &left);
                work.advance(1);
                continue;
            }
            // Where a larger stream has moved away, the water runs on in its old bed until it meets it.
            let discharge = way.mouth();
            while let Some(here) = way.next.filter(|here| plain.is_left(*here)) {
                way.samples.push(here);
                way.discharges.push(discharge);
                way.next = receiver(here);
            }
            let line = line(way, grid);
            let mut nodes = self.nodes(&line, grid);
            let cut_off = plain.wind(&mut nodes, f64::from(self.meander_years), seed, work)?;
            plain.take(&nodes, if cut_off.is_some() || is_cut { &left } else { &[] });
            let moved = cut_off.is_some().then_some(&nodes[..]);
            courses[number] = self.course(&line, moved, grid, work)?;
            has_moved |= cut_off.is_some();
            ox_bows.extend(cut_off.unwrap_or_default());
            work.advance(1);
        }
        // Of equally wide ones the longest would count as the largest, and meanders make streams longer.
        for (rank, number) in order.into_iter().enumerate().filter(|_| has_moved) {
            courses[number].rank = rank;
        }
        Ok((courses, ox_bows))
    }

    /// The nodes of a line for meandering: no narrower than samples can show.
    fn nodes(&self, line: &Line, grid: Grid) -> Vec<Node> {
        let narrowest = self.narrowest.max(2.0 * grid.cell);
        let mut from = 0.0;
        let mut before = line.nodes[0];
        let node = |(at, discharge): (&Vec2, &f64)| {
            from += f64::from(at.distance(before));
            before = *at;
            let channel = self.channel(*discharge, narrowest);
            let (width, depth) = (f64::from(channel.width), f64::from(channel.water()));
            Node { at: at.as_dvec2(), width, depth, from }
        };
        line.nodes.iter().zip(&line.discharges).map(node).collect()
    }

    /// The course along a line, or where its nodes have moved to.
    fn course(&self, line: &Line, moved: Option<&[Node]>, grid: Grid, work: &Work) -> Result<Course> {
        let section = |discharge: f64| self.channel(discharge, self.narrowest).section();
        let mut sections: Vec<Section> =
            line.discharges.iter().map(|discharge| section(*discharge)).collect();
        let mut nodes = line.nodes.clone();
        if let Some(moved) = moved {
            nodes = moved.iter().map(|node| node.at.as_vec2()).collect();
            let places: Vec<f64> = self.nodes(line, grid).iter().map(|node| node.from).collect();
            let own = |node: &Node| {
                let next = places.partition_point(|from| *from <= node.from).clamp(1, places.len() - 1);
                let (from, to) = (places[next - 1], places[next]);
                let share = ((node.from - from) / (to - from).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                sections[next - 1].lerp(sections[next], share as f32)
            };
            sections = moved.iter().map(own).collect();
        }
        let mut along = 0.0;
        let mut grows = Vec::with_capacity(nodes.len());
        for (number, section) in sections.into_iter().enumerate() {
            along += number.checked_sub(1).map_or(0.0, |before| nodes[before].distance(nodes[number]));
            grows.push((along, section));
        }
        let channel = self.channel(line.discharges[line.discharges.len() - 1], self.narrowest);
        Ok(Course::through(&nodes, channel, grid, work)?.growing(grows))
    }

    /// The cross-section at a discharge, at least so wide.
    fn channel(&self, discharge: f64, narrowest: f32) -> Channel {
        let least = f64::from(narrowest / self.width);
        let discharge = discharge.max(least * least);
        let width = f64::from(self.width) * discharge.sqrt();
        let water = f64::from(self.depth) * libm::pow(discharge, 0.4);
        // As wide and as deep as a river can be.
        let (width, water) = (width.min(5000.0) as f32, water.min(700.0) as f32);
        Channel { width, depth: water / FILL, bank: self.bank, fill: FILL }
    }
}

/// The line along the samples of a way, to the sample in which it ends, or beyond the border.
fn line(way: &Way, grid: Grid) -> Line {
    let at = |sample: usize| Vec2::new((sample % grid.width) as f32, (sample / grid.width) as f32);
    let mut places: Vec<Vec2> = way.samples.iter().map(|here| at(*here)).collect();
    let (before, last) = (places[places.len() - 2], places[places.len() - 1]);
    places.push(way.next.map_or(last + 2.0 * (last - before), at));
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
    let discharges = chosen.iter().map(|here| way.discharges[(*here).min(end - 1)]).collect();
    Line { nodes: chosen.into_iter().map(smooth).collect(), discharges }
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

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        let (courses, ox_bows) = self.courses(ground, seed, work)?;
        let Ground { heights, rivers, lakes, .. } = ground;
        let dug = carve_with(heights, courses, rivers, work)?;
        rivers.extend(dug.into_iter().filter(|course| course.points().next().is_some()));
        let flooded = flood(heights, &ox_bows, rivers, lakes, (self.bank, FILL), work)?;
        lakes.extend(flooded);
        Ok(())
    }

    fn formula(&self) -> Option<String> {
        let Self { from, runoff, width, depth, narrowest, .. } = *self;
        let [from, runoff, width, depth, narrowest] = [from, runoff, width, depth, narrowest].map(brief);
        let last = match self.meander_years {
            0.0 => "A = own ground + Σ A of the neighbours whose steepest way leads here".to_owned(),
            years => {
                let years = brief(years);
                format!("banks move 60 width (2.5 ⟨κ⟩ − κ) / S^(2/3) m a year for {years} years")
            }
        };
        Some(format!(
            "Q = {runoff} mm · A / year;  streams where Q ≥ {from} m³/s\n\
             width = {width} Q^0.5 ≥ {narrowest} m;  depth of the water = {depth} Q^0.4\n\
             {last}"
        ))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // Years of meandering take as long as there is flat ground: about this on a land of hills and plains.
        estimate::of_samples(grid, 450.0 + 10.0 * f64::from(self.meander_years))
    }
}
