//! The path of least cost from one place to another.
//!
//! A* over the samples, each with eight neighbours (Hart, Nilsson and Raphael, "A formal basis for the
//! heuristic determination of minimum cost paths", 1968), on flat arrays: a map has millions of samples, for
//! which a general library's hash tables would take several times as long. Afterwards steps of 45° are
//! replaced by straight lines wherever these cost no more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec2, DVec3};

use super::map::{CostMap, OffLimits};
use crate::compute::work::Work;
use crate::error::Error;
use crate::grid::memory;

/// The steps to the neighbours of a sample: columns and rows.
const STEPS: [[i64; 2]; 8] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];

/// No step leads to a sample.
const NONE: u8 = u8::MAX;

/// Bytes of a search per sample.
const BYTES: u64 = 9;

/// Samples between two checks for cancellation.
const CHECKED: usize = 4096;

/// A path over the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The places at which it begins, bends and ends, in metres east of the land's sample (0, 0), up, and
    /// south of it.
    pub points: Vec<DVec3>,
    /// What it costs, in metres of level, firm, dry ground.
    pub cost: f64,
    /// Its length on the map, metres.
    pub length: f64,
    /// Its time at the rules' speed, seconds.
    pub seconds: f64,
}

/// Why there is no path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoPath {
    /// An end lies outside the map.
    #[error("{end}: ({}, {}) m is not on the map; use a map that contains both ends", place.x, place.y)]
    Beside {
        /// `from` or `to`.
        end: &'static str,
        /// The place, metres from the land's sample (0, 0).
        place: DVec2,
    },
    /// An end is off-limits.
    #[error("{end}: the ground at ({}, {}) m is {reasons}; choose another place, or other rules", place.x, place.y)]
    OffLimits {
        /// `from` or `to`.
        end: &'static str,
        /// The place, metres from the land's sample (0, 0).
        place: DVec2,
        /// The reasons.
        reasons: OffLimits,
    },
    /// Ground that is off-limits lies between the ends, as far as the map shows.
    #[error("no path leads from one end to the other on this map; use a larger map, or allow more ground")]
    Apart,
    /// There is too little memory, or the search was cancelled.
    #[error(transparent)]
    Error(#[from] Error),
}

impl CostMap {
    /// The path of least cost from one place to another, in metres from the land's sample (0, 0). It leads
    /// from sample to sample, or in a straight line where that costs no more, never through the square of a
    /// sample that is off-limits, nor between two such squares that touch at a corner. It costs no more than
    /// the straight line.
    ///
    /// # Errors
    /// When there is none, with the reason.
    pub fn path(&self, from: DVec2, to: DVec2, work: &Work) -> Result<Path, NoPath> {
        let [start, goal] = [self.end("from", from)?, self.end("to", to)?];
        let samples = self.search(start, goal, work)?;
        let cell = f64::from(self.grid().cell);
        let origin = self.origin();
        let [from, to] = [from, to].map(|place| (place - origin) / cell);
        // Within the squares of the first and the last sample it begins and ends exactly at the given places.
        let mut places: Vec<DVec2> = samples.iter().map(|sample| self.in_samples(*sample)).collect();
        if places.len() == 1 {
            places = vec![from, to];
        } else {
            places.insert(0, from);
            places.push(to);
            places.dedup();
        }
        let places = self.straightened(&places, work)?;
        let pairs = || places.iter().zip(&places[1..]);
        let cost = pairs().map(|(a, b)| self.cost_in_samples(*a, *b).unwrap_or(0.0)).sum();
        let length = pairs().map(|(a, b)| a.distance(*b) * cell).sum();
        let point = |place: &DVec2| {
            let p = origin + *place * cell;
            DVec3::new(p.x, f64::from(self.heights().sample((*place * cell).as_vec2())), p.y)
        };
        let points = places.iter().map(point).collect();
        Ok(Path { points, cost, length, seconds: self.seconds(cost) })
    }

    /// The sample at an end of a path.
    fn end(&self, end: &'static str, place: DVec2) -> Result<usize, NoPath> {
        let [column, row] = self.sample_at(place).ok_or(NoPath::Beside { end, place })?;
        let reasons = self.off_limits(column, row);
        if !reasons.is_none() {
            return Err(NoPath::OffLimits { end, place, reasons });
        }
        Ok(row * self.grid().width + column)
    }

    fn in_samples(&self, index: usize) -> DVec2 {
        let width = self.grid().width;
        DVec2::new((index % width) as f64, (index / width) as f64)
    }

    /// The samples of the path of least cost.
    fn search(&self, start: usize, goal: usize, work: &Work) -> Result<Vec<usize>, NoPath> {
        let grid = self.grid();
        memory::require(grid, BYTES * grid.count() as u64)?;
        let least = self.least() * f64::from(grid.cell);
        let to = self.in_samples(goal);
        // No path in steps of 45° is shorter than this.
        let ahead = |index: usize| {
            // The octile distance times the least cost of a metre: never more than the true cost, so the
            // first path found is the cheapest.
            let away = (self.in_samples(index) - to).abs();
            least * (away.max_element() + (std::f64::consts::SQRT_2 - 1.0) * away.min_element())
        };
        let mut costs = vec![f32::INFINITY; grid.count()];
        let mut steps = vec![NONE; grid.count()];
        // Costs are never below 0, and the bits of such numbers are ordered like the numbers. Among equals
        // the first sample comes first.
        let mut open = BinaryHeap::new();
        let entry = |cost: f32, index: usize| Reverse(((cost + ahead(index) as f32).to_bits(), index as u32));
        costs[start] = 0.0;
        open.push((entry(0.0, start), 0.0f32.to_bits()));
        let mut seen = 0;
        while let Some((Reverse((_, index)), bits)) = open.pop() {
            let index = index as usize;
            // A cheaper path to it has been found since.
            if costs[index].to_bits() != bits {
                continue;
            }
            if index == goal {
                return Ok(self.walked(start, goal, &steps));
            }
            seen += 1;
            if seen % CHECKED == 0 {
                work.check()?;
            }
            for (number, [columns, rows]) in STEPS.into_iter().enumerate() {
                let Some((next, cost)) = self.step(index, columns, rows) else { continue };
                // In f32, which halves the memory of millions of samples; the final cost is summed again in
                // f64.
                let cost = costs[index] + cost as f32;
                if cost < costs[next] {
                    (costs[next], steps[next]) = (cost, number as u8);
                    open.push((entry(cost, next), cost.to_bits()));
                }
            }
        }
        Err(NoPath::Apart)
    }

    /// The neighbour of a sample, and the cost of the step to it; `None` where it is off-limits.
    fn step(&self, index: usize, columns: i64, rows: i64) -> Option<(usize, f64)> {
        let grid = self.grid();
        let (column, row) = ((index % grid.width) as i64 + columns, (index / grid.width) as i64 + rows);
        if !((0..grid.width as i64).contains(&column) && (0..grid.depth as i64).contains(&row)) {
            return None;
        }
        let next = row as usize * grid.width + column as usize;
        if !self.is_open(next) {
            return None;
        }
        let height = |index: usize| f64::from(self.heights().heights()[index]);
        let cell = f64::from(grid.cell);
        if columns == 0 || rows == 0 {
            let rise = (height(next) - height(index)) / cell;
            // Half of the step lies in each sample's square.
            let factor = 0.5 * (self.factor(index) + self.factor(next));
            return Some((next, cell * factor * self.pace().cost(rise)));
        }
        // Both samples next to the corner must be open, too, and the middle of the step lies between all
        // four.
        let beside = [index as i64 + columns, index as i64 + rows * grid.width as i64];
        let [east, south] = beside.map(|index| index as usize);
        if !(self.is_open(east) && self.is_open(south)) {
            return None;
        }
        let middle = 0.25 * (height(index) + height(next) + height(east) + height(south));
        let half = cell * std::f64::consts::FRAC_1_SQRT_2;
        let cost = |index: usize, rise: f64| half * self.factor(index) * self.pace().cost(rise / half);
        Some((next, cost(index, middle - height(index)) + cost(next, height(next) - middle)))
    }

    /// The samples of the path that has been found.
    fn walked(&self, start: usize, goal: usize, steps: &[u8]) -> Vec<usize> {
        let mut samples = vec![goal];
        let mut index = goal;
        while index != start {
            let [columns, rows] = STEPS[usize::from(steps[index])];
            index = (index as i64 - columns - rows * self.grid().width as i64) as usize;
            samples.push(index);
        }
        samples.reverse();
        samples
    }

    /// The same path with straight lines wherever they cost no more: from each place to the farthest of those
    /// that are tried, which are all the rest, half of it, a quarter of it and so on.
    fn straightened(&self, places: &[DVec2], work: &Work) -> Result<Vec<DVec2>, Error> {
        // The cost from the start to each place.
        let mut sums = vec![0.0];
        for (a, b) in places.iter().zip(&places[1..]) {
            let before = sums.last().copied().unwrap_or(0.0);
            sums.push(before + self.cost_in_samples(*a, *b).unwrap_or(0.0));
        }
        let mut straight = vec![places[0]];
        let mut here = 0;
        while here + 1 < places.len() {
            work.check()?;
            // From the far end on, halving the distance: few lines are tried, and long ones first.
            let mut ahead = places.len() - 1 - here;
            while ahead > 1 {
                let there = here + ahead;
                let is_cheaper = |cost: f64| cost <= sums[there] - sums[here];
                if self.cost_in_samples(places[here], places[there]).is_some_and(is_cheaper) {
                    break;
                }
                ahead /= 2;
            }
            here += ahead;
            straight.push(places[here]);
        }
        Ok(straight)
    }
}
