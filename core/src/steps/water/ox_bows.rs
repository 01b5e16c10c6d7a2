//! Ox-bow lakes: water that stands in the loops that meanders have cut off.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec2;
use rayon::prelude::*;

use super::floodplain::each_within;
use super::meanders::{Node, OxBow};
use super::{Course, Lake, Marks};
use crate::compute::work::Work;
use crate::drainage::{Lake as Hollow, each_neighbour};
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::math::smoothstep::smoothstep;

/// Years in which an ox-bow lake fills with mud to about a third of its depth.
const SILTED: f64 = 100.0;
/// Widths over which it becomes shallower towards its ends.
const TAPERED: f64 = 1.5;
/// A loop of fewer widths leaves nothing.
const SHORTEST: f64 = 3.0;
/// A shallower one has no water, metres.
const SHALLOWEST: f32 = 0.2;

/// Digs the loops that were cut off as far as they are `bank` metres away from rivers, and returns the
/// lakes in them. A loop is level, as deep as the river was or, where it is old, shallower; its water stands
/// as high as the lowest ground around it. No height is raised. Loops that younger ones, lakes or rivers
/// have cut are dug where they are longest.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn flood(
    field: &mut Heightfield,
    ox_bows: &[OxBow],
    rivers: &[Course],
    lakes: &[Lake],
    (bank, fill): (f32, f32),
    work: &Work,
) -> Result<Vec<Lake>> {
    if ox_bows.is_empty() {
        return Ok(Vec::new());
    }
    let grid = field.grid();
    let widest =
        ox_bows.iter().flat_map(|bow| &bow.nodes).fold(0.0, |widest: f64, node| widest.max(node.width));
    // So far from rivers that a rim remains between, which isn't dug.
    let beyond = bank + 0.5 * widest as f32 + 2.0 * grid.cell;
    let mut is_taken = vec![false; grid.count()];
    for river in rivers.iter().filter(|river| river.has_water()) {
        river.each_row_near(is_taken.par_chunks_mut(grid.width), beyond, work, |row, (column, _), _| {
            row[column] = true;
        })?;
    }
    let apart = 0.5 * widest + 2.0 * f64::from(grid.cell);
    for lake in lakes {
        for here in lake.samples() {
            let here = *here as usize;
            let at =
                DVec2::new((here % grid.width) as f64, (here / grid.width) as f64) * f64::from(grid.cell);
            each_within(grid, [at, at], apart, |there, _| is_taken[there] = true);
        }
    }
    let mut order: Vec<&OxBow> = ox_bows.iter().collect();
    // The youngest first: it has cut the others. A stable sort, so that the order is always the same.
    order.sort_by(|one, other| one.age.total_cmp(&other.age));
    let mut hollows = Vec::new();
    for bow in order {
        work.check()?;
        let line = free_part(&bow.nodes, &is_taken, grid);
        let loop_length = super::meanders::length(&line);
        if line.len() < 2 || loop_length < SHORTEST * line[0].width {
            continue;
        }
        let hollow = Footprint::of(&line, loop_length, grid);
        let depth = hollow.depth / f64::from(fill) * libm::exp(-bow.age / SILTED);
        let Some(level) = hollow.dig(field, depth as f32) else { continue };
        // The next ones leave its rim as it is.
        for pair in line.windows(2) {
            let away = hollow.reach + apart;
            each_within(grid, [pair[0].at, pair[1].at], away, |there, _| is_taken[there] = true);
        }
        hollows.push((hollow, level));
    }
    // When all are dug: the shore of a lake must not change any more.
    let mut marks = Marks::new(grid);
    Ok(hollows.iter().filter_map(|(hollow, level)| hollow.lake(field, *level, &mut marks)).collect())
}

/// The longest part of a line on ground that isn't taken.
fn free_part(nodes: &[Node], is_taken: &[bool], grid: Grid) -> Vec<Node> {
    let cell = f64::from(grid.cell);
    let far = DVec2::new((grid.width - 1) as f64, (grid.depth - 1) as f64);
    let is_free = |node: &Node| {
        let place = (node.at / cell).round();
        // Water at the border would run off over it.
        let margin = (0.5 * node.width / cell).ceil() + 3.0;
        let to_border = place.min(far - place).min_element();
        to_border >= margin && !is_taken[place.y as usize * grid.width + place.x as usize]
    };
    let parts = nodes.chunk_by(|one, other| is_free(one) == is_free(other)).filter(|part| is_free(&part[0]));
    // Of equally long ones the first.
    let longest = parts.reduce(|longest, part| if part.len() > longest.len() { part } else { longest });
    longest.unwrap_or_default().to_vec()
}

/// The samples in and around a loop.
struct Footprint {
    /// For each its distance from the middle line, in half widths, and how deep the loop is next to it as a
    /// share of its depth. Row by row.
    samples: BTreeMap<usize, (f64, f64)>,
    /// Depth of the river's water, metres.
    depth: f64,
    /// How far the rim reaches from the middle line, in metres and in half widths.
    reach: f64,
    rim: f64,
    grid: Grid,
}

impl Footprint {
    fn of(line: &[Node], length: f64, grid: Grid) -> Self {
        let cell = f64::from(grid.cell);
        let half = 0.5 * line.iter().fold(0.0, |widest: f64, node| widest.max(node.width)).max(1.5 * cell);
        let reach = half + 1.5 * cell;
        let mut samples: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut along = 0.0;
        for pair in line.windows(2) {
            let (from, to) = (pair[0].at, pair[1].at);
            let middle = along + 0.5 * from.distance(to);
            along += from.distance(to);
            let to_end = middle.min(length - middle) / (2.0 * half * TAPERED);
            let share = f64::from(smoothstep(to_end.min(1.0) as f32));
            each_within(grid, [from, to], reach, |here, away| {
                let near = samples.entry(here).or_insert((f64::INFINITY, 0.0));
                if away / half < near.0 {
                    *near = (away / half, share);
                }
            });
        }
        let depth = line.iter().fold(0.0, |deepest: f64, node| deepest.max(node.depth));
        Self { samples, depth, reach, rim: reach / half, grid }
    }

    /// Digs it, level with the lowest ground of its rim, whose height is returned.
    fn dig(&self, field: &mut Heightfield, depth: f32) -> Option<f32> {
        let heights = field.heights_mut();
        let rim = self.samples.iter().filter(|(_, (away, _))| *away >= 1.0);
        let level = rim.map(|(here, _)| heights[*here]).reduce(f32::min)?;
        for (&here, &(away, share)) in &self.samples {
            let dug = if away < 1.0 {
                level - depth * share as f32 * (1.0 - smoothstep(away as f32))
            } else {
                let outside = ((away - 1.0) / (self.rim - 1.0)).min(1.0) as f32;
                level + (heights[here] - level) * smoothstep(outside)
            };
            heights[here] = heights[here].min(dug);
        }
        Some(level)
    }

    /// The lake in it, if it is deep enough.
    fn lake(&self, field: &Heightfield, level: f32, marks: &mut Marks) -> Option<Lake> {
        let heights = field.heights();
        let is_wet = |here: usize| heights[here] < level;
        let deepest =
            *self.samples.keys().min_by(|one, other| heights[**one].total_cmp(&heights[**other]))?;
        if level - heights[deepest] < SHALLOWEST {
            return None;
        }
        // Around the deepest sample; the rim is nowhere lower than the level.
        let mut wet = vec![deepest as u32];
        let mut seen: BTreeSet<u32> = wet.iter().copied().collect();
        let (mut next, mut spill) = (0, None);
        while let Some(&here) = wet.get(next) {
            next += 1;
            each_neighbour(self.grid, here as usize, |there| {
                if is_wet(there) && self.samples.contains_key(&there) {
                    if seen.insert(there as u32) {
                        wet.push(there as u32);
                    }
                } else if spill.is_none_or(|spill| (heights[there], there) < (heights[spill], spill)) {
                    spill = Some(there);
                }
            });
        }
        wet.sort_unstable();
        let spill = spill?;
        // No sample of the shore is lower than the rim, but all may be a little higher.
        let level = heights[spill];
        let cell = f64::from(self.grid.cell);
        let depths = wet.iter().map(|here| f64::from(level) - f64::from(heights[*here as usize]));
        let volume = depths.sum::<f64>() * cell * cell;
        let (samples, depth) = (wet.len() as u32, level - heights[deepest]);
        let hollow = Hollow { level, sill: level, spill, deepest, samples, area: samples, volume };
        Some(Lake::new(field, &hollow, &wet, depth, marks))
    }
}
