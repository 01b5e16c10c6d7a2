//! Floodplains: where streams meander, and the ground on which they may move.

use std::ops::Range;

use glam::DVec2;

use super::meanders::{Node, OxBow, meander};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::noise::hash;

/// Streams meander where they fall less than this, metres a metre.
const STEEPEST: f64 = 0.005;
/// Distance to either side over which the slope is measured, in widths.
const MEASURED: f64 = 10.0;
/// Distance that smaller streams keep from the middle of larger ones as they move, in widths.
const APART: f64 = 1.5;

/// Water may not move here.
const AVOIDED: u8 = 1;
/// Within the edges of a stream.
const BED: u8 = 2;
/// A stream ran here before it moved.
const LEFT: u8 = 4;
/// Within the edges of a stream that has moved.
const MOVED: u8 = 8;

/// The ground on which streams may move.
pub(super) struct Floodplain<'a> {
    field: &'a Heightfield,
    marks: Vec<u8>,
}

impl<'a> Floodplain<'a> {
    /// The ground without the samples that `is_water`.
    pub(super) fn new(field: &'a Heightfield, is_water: impl Fn(usize) -> bool, work: &Work) -> Result<Self> {
        let grid = field.grid();
        let mut marks = vec![0; grid.count()];
        for (row, marks) in marks.chunks_mut(grid.width).enumerate() {
            work.check()?;
            for (column, mark) in marks.iter_mut().enumerate() {
                *mark = if is_water(row * grid.width + column) { AVOIDED } else { 0 };
            }
        }
        Ok(Self { field, marks })
    }

    /// The grid of the land.
    pub(super) fn grid(&self) -> Grid {
        self.field.grid()
    }

    /// Whether a stream ran through a sample that has moved away from it.
    pub(super) fn is_left(&self, sample: usize) -> bool {
        self.marks[sample] & (LEFT | BED) == LEFT
    }

    /// The part of a way that remains a stream's own: from where it is outside larger streams that have moved
    /// to where it first meets one.
    pub(super) fn own_part(&self, samples: &[usize]) -> Range<usize> {
        let is_moved = |sample: &usize| self.marks[*sample] & MOVED != 0;
        let from = samples.iter().position(|sample| !is_moved(sample)).unwrap_or(samples.len());
        let to = samples[from..].iter().position(is_moved);
        from..to.map_or(samples.len(), |number| from + number)
    }

    /// Lets a stream meander for some years on the flat stretches of its course. Returns the loops that it
    /// cuts off, or `None` if there are no such stretches: then the course stays as it is.
    pub(super) fn wind(
        &self,
        nodes: &mut Vec<Node>,
        years: f64,
        seed: u64,
        work: &Work,
    ) -> Result<Option<Vec<OxBow>>> {
        let ground = |at: DVec2| self.ground(at);
        let is_flat = self.flat(nodes);
        let (mut all, mut ox_bows) = (Vec::with_capacity(nodes.len()), Vec::new());
        let mut has_moved = false;
        let mut from = 0;
        for run in is_flat.chunk_by(|one, other| one == other) {
            let stretch = &nodes[from..from + run.len()];
            from += run.len();
            if !run[0] {
                all.extend_from_slice(stretch);
                continue;
            }
            let first = stretch[0].at / f64::from(self.field.grid().cell);
            let seed = hash(seed, first.x.round() as i64, first.y.round() as i64);
            let moved = meander(stretch, years, seed, &ground, work)?;
            has_moved |= moved.nodes != stretch;
            all.extend(moved.nodes);
            ox_bows.extend(moved.ox_bows);
        }
        *nodes = all;
        Ok(has_moved.then_some(ox_bows))
    }

    /// Marks the bed of a stream, and the samples on which it ran before if it has `left` them.
    pub(super) fn take(&mut self, nodes: &[Node], left: &[usize]) {
        left.iter().for_each(|sample| self.marks[*sample] |= LEFT);
        let grid = self.field.grid();
        let bed = if left.is_empty() { BED } else { BED | MOVED };
        for pair in nodes.windows(2) {
            let width = pair[0].width.max(pair[1].width);
            let least = f64::from(grid.cell);
            let mut mark = |away: f64, bits: u8| {
                each_within(grid, [pair[0].at, pair[1].at], away, |here, _| self.marks[here] |= bits);
            };
            mark((APART * width).max(least), AVOIDED);
            mark((0.5 * width).max(0.75 * least), bed);
        }
    }

    /// Height of the ground; infinite beyond the border and where streams may not move.
    fn ground(&self, at: DVec2) -> f64 {
        let grid = self.field.grid();
        let p_in_grid = at / f64::from(grid.cell);
        let far = DVec2::new((grid.width - 1) as f64, (grid.depth - 1) as f64);
        if p_in_grid.clamp(DVec2::ZERO, far) != p_in_grid {
            return f64::INFINITY;
        }
        let nearest = p_in_grid.round();
        let sample = nearest.y as usize * grid.width + nearest.x as usize;
        if self.marks[sample] & AVOIDED != 0 {
            return f64::INFINITY;
        }
        f64::from(self.field.sample(at.as_vec2()))
    }

    /// At which nodes a stream falls so little that it meanders.
    fn flat(&self, nodes: &[Node]) -> Vec<bool> {
        let mut lowest = f64::INFINITY;
        let mut levels = Vec::with_capacity(nodes.len());
        for node in nodes {
            lowest = lowest.min(self.ground(node.at));
            levels.push(lowest);
        }
        let (mut begin, mut end) = (0, 0);
        let is_flat = |(here, node): (usize, &Node)| {
            let over = MEASURED * node.width;
            while node.from - nodes[begin].from > over {
                begin += 1;
            }
            end = end.max(here);
            while end + 1 < nodes.len() && nodes[end].from - node.from < over {
                end += 1;
            }
            // Beyond the border and in larger streams there is no ground.
            let fall = levels[begin] - levels[end];
            let is_own = self.ground(node.at).is_finite() && fall.is_finite();
            is_own && fall < STEEPEST * (nodes[end].from - nodes[begin].from)
        };
        nodes.iter().enumerate().map(is_flat).collect()
    }
}

/// Passes all samples within `away` metres of the line between two points to `visit`, with their distance.
pub(super) fn each_within(grid: Grid, [from, to]: [DVec2; 2], away: f64, mut visit: impl FnMut(usize, f64)) {
    let cell = f64::from(grid.cell);
    let along = to - from;
    let limit = |at: f64, count: usize| (at / cell).clamp(0.0, (count - 1) as f64) as usize;
    let (low, high) = (from.min(to) - away, from.max(to) + away);
    for row in limit(low.y, grid.depth)..=limit(high.y, grid.depth) {
        for column in limit(low.x, grid.width)..=limit(high.x, grid.width) {
            let at = DVec2::new(column as f64, row as f64) * cell;
            let share = (at - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            let apart = at.distance(from + along * share.clamp(0.0, 1.0));
            if apart <= away {
                visit(row * grid.width + column, apart);
            }
        }
    }
}
