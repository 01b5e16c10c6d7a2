//! Finds an easy route for a road: one that climbs little, stays dry and never crosses itself.
//!
//! Dijkstra's algorithm ("A note on two problems in connexion with graphs", 1959) on a coarse grid, without
//! the loops of what it finds, then the line with fewer points of Douglas and Peucker ("Algorithms for the
//! reduction of the number of points", 1973). Both may make a line cross itself: the first because an edge
//! knows the ground at its ends alone, the second because it brings hairpins nearer to each other. So does
//! the curve through few points; where it would, points are taken back.
//!
//! The coarse grid doesn't show inlets narrower than its cells. Where the road found on it would lie too low,
//! the route is searched again among nodes that are nearer to each other, in a corridor around the first.
//! So it is where it runs along a river.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::{DVec2, Vec2};

use super::line::{CentreLine, is_crossed};
use super::rivers::Rivers;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Domain;
use crate::steps::HeightsAt;

/// Nodes along the longer side of the grid on which a route is found.
const NODES: usize = 65;
/// The fewest nodes that a useful route has.
const FEWEST: usize = 5;
/// The additional cost of a metre along the land's border over one through its middle, in metres.
const OFF_MIDDLE: f64 = 0.3;
/// The additional cost of a metre on a river's bank, in metres.
const ON_BANK: f64 = 3.0;
/// The additional cost of a metre in a river's bed: a road that only touches one would stand on a bridge there.
const IN_BED: f64 = 30.0;
/// The additional cost of crossing a river, in nodes of the coarse grid: a road makes a detour of as much as an
/// eighth of the land's longer side for it.
const CROSSING: f64 = 8.0;
/// A road may lie in beds for this many times the shortest way through them before its route is refined.
const ALONG_BED: f64 = 2.0;
/// The curve may lie in beds for this many times the length that the route does.
const MORE_IN_BEDS: f64 = 1.5;
/// How far a point that is left out may be from the simplified line, in nodes of the coarse grid.
const TOLERANCE: f64 = 0.7;
/// Nodes are at most this many times nearer to each other after each refinement.
const FINER: usize = 4;
/// The most times that a route is refined.
const REFINEMENTS: usize = 2;
/// How far the corridor in which a route is refined reaches beyond it at first, in nodes of the lattice
/// before.
const CORRIDOR: usize = 3;
/// A corridor with more nodes than this is not searched. All of the first finer lattice has fewer.
const MOST_NODES: usize = 80_000;
/// Points that are nearer to each other than this count as one, in nodes.
const NEAR: f64 = 0.01;
/// Points of the fullest line for each edge between nodes.
const PARTS: usize = 4;
/// The most points of a refined line that are taken back in a span at a time.
const MOST_TAKEN: usize = 8;
/// Times that the line is changed so that it neither crosses itself nor leaves the land, at most.
const MOST_CHANGES: usize = 200;

/// Steps from a node to others: to its eight neighbours and, so that routes can turn by less than 45°, to
/// those that a knight at chess reaches.
const MOVES: [(i32, i32); 16] = [
    (1, 0),
    (-1, 0),
    (0, 1),
    (0, -1),
    (1, 1),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (2, 1),
    (2, -1),
    (-2, 1),
    (-2, -1),
    (1, 2),
    (1, -2),
    (-1, 2),
    (-1, -2),
];

/// The places of a land whose heights decide where the easiest route runs, metres. None on endless land, and
/// on land that is too small for a route.
pub(super) fn places(domain: &Domain) -> Vec<DVec2> {
    Lattice::over(domain).map_or(Vec::new(), |lattice| lattice.places().collect())
}

/// The limits of a road whose route is to be found.
#[derive(Clone, Copy)]
pub(super) struct RouteLimits {
    /// Lower ground is no place for the road, metres.
    pub lowest: f64,
    /// The steepest rise along the road, per metre.
    pub grade: f64,
    /// Half its width with its shoulders, metres.
    pub edge: f64,
}

/// The land on which a route is found, as its road sees it.
pub(super) struct RouteLand<'a> {
    pub domain: &'a Domain,
    /// The heights at [`places`], metres.
    pub heights: &'a [f32],
    /// The heights at other places.
    pub heights_at: &'a HeightsAt<'a>,
    pub rivers: &'a Rivers,
}

/// Points of the easiest route for a road along the longer side of a land, as shares of the land's sides. It
/// leads from border to border, or on an island from shore to shore, and crosses as few rivers as a short
/// detour allows. `curve` makes the road's curve through points, and says which of its
/// points each of them is. `None` if the land is too small, or too little of it is high enough for the road.
///
/// # Errors
/// Those of `heights_at`, and [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn easiest(
    limits: RouteLimits,
    land: &RouteLand,
    curve: impl Fn(&[Vec2]) -> (CentreLine, Vec<usize>),
    work: &Work,
) -> Result<Option<Vec<Vec2>>> {
    // Another count of heights means that they belong to another land.
    let lattice = Lattice::over(land.domain).filter(|lattice| lattice.count() == land.heights.len());
    let Some(lattice) = lattice else { return Ok(None) };
    let (heights, relief) = (land.heights.to_vec(), land.heights.to_vec());
    let riverside = (0..lattice.count()).map(|index| lattice.is_riverside(index, land.rivers)).collect();
    let mut nodes = Nodes { lattice, heights, relief, limits, rivers: land.rivers, riverside, finer: 1 };
    let Some(mut route) = nodes.cheapest(&nodes.mainland()) else { return Ok(None) };
    let mut points = Line::of(&without_loops(&route), 1).settled(&nodes, &curve, work)?;
    for _ in 0..REFINEMENTS {
        let line = curve(&points).0;
        let is_low = |height: f32| f64::from(height) < limits.lowest;
        let is_limited = limits.lowest > f64::NEG_INFINITY;
        let is_wet = is_limited && (land.heights_at)(&line.points)?.into_iter().any(is_low);
        if !is_wet && !nodes.runs_along_river(&line) {
            break;
        }
        let Some(finer) = nodes.refined(&route, land, work)? else { break };
        (nodes, route) = finer;
        points = Line::of(&without_loops(&route), nodes.finer).settled(&nodes, &curve, work)?;
    }
    Ok(Some(points))
}

/// Nodes over a land: `along` counts on its longer side, `across` on the other.
#[derive(Clone, Copy)]
struct Lattice {
    along: usize,
    across: usize,
    /// Whether the longer side runs from the north to the south.
    is_turned: bool,
    /// Metres between two nodes along and across.
    apart: DVec2,
}

impl Lattice {
    fn over(domain: &Domain) -> Option<Self> {
        let size = domain.size()?;
        // Roads lead along the longer side, and all that follows has it first.
        let is_turned = size[1] > size[0];
        let (longer, shorter) = if is_turned { (size[1], size[0]) } else { (size[0], size[1]) };
        let extent = DVec2::new(f64::from(longer - 1), f64::from(shorter - 1)) * f64::from(domain.cell());
        let along = (longer as usize).min(NODES);
        if along < FEWEST || shorter < 2 {
            return None;
        }
        // At least 2, since slopes and bilinear heights need a neighbour.
        let across = (along as f64 * extent.y / extent.x).round().max(2.0) as usize;
        let across = across.min(shorter as usize);
        let apart = extent / DVec2::new((along - 1) as f64, (across - 1) as f64);
        Some(Self { along, across, is_turned, apart })
    }

    fn count(&self) -> usize {
        self.along * self.across
    }

    fn index(&self, (along, across): (usize, usize)) -> usize {
        along * self.across + across
    }

    fn node(&self, index: usize) -> (usize, usize) {
        (index / self.across, index % self.across)
    }

    fn places(&self) -> impl Iterator<Item = DVec2> {
        (0..self.count()).map(|index| self.place(index))
    }

    /// The place of a node, metres.
    fn place(&self, index: usize) -> DVec2 {
        let (along, across) = self.node(index);
        self.turned(DVec2::new(along as f64, across as f64) * self.apart)
    }

    /// Which nodes lie at most `reach` nodes from those of a route, along and across.
    fn near(&self, route: &[DVec2], reach: usize) -> Vec<bool> {
        let mut near = vec![false; self.count()];
        for node in route {
            let around = |at: f64, nodes: usize| {
                let at = at as usize;
                at.saturating_sub(reach)..(at + reach + 1).min(nodes)
            };
            for along in around(node.x, self.along) {
                let from = self.index((along, 0));
                let across = around(node.y, self.across);
                near[from + across.start..from + across.end].fill(true);
            }
        }
        near
    }

    /// Whether an edge from a node may meet a river's bank.
    fn is_riverside(&self, index: usize, rivers: &Rivers) -> bool {
        // The longest edges are those of a knight.
        let reach = 2.0 * self.apart.max_element() + self.apart.min_element();
        let place = self.place(index);
        rivers.near(place, place, reach).is_on_bank(place, reach)
    }

    /// From along and across to east and south, or back.
    // The swap is its own inverse, so it serves both ways.
    fn turned(&self, of: DVec2) -> DVec2 {
        if self.is_turned { DVec2::new(of.y, of.x) } else { of }
    }

    /// The lattice that has `times - 1` more nodes between each two.
    fn finer(&self, times: usize) -> Self {
        let [along, across] = [self.along, self.across].map(|nodes| (nodes - 1) * times + 1);
        Self { along, across, apart: self.apart / times as f64, ..*self }
    }

    /// A place between nodes as shares of the land's sides.
    fn share(&self, at: DVec2) -> Vec2 {
        let last = DVec2::new((self.along - 1) as f64, (self.across - 1) as f64);
        self.turned(at / last).as_vec2()
    }
}

/// Heights at the nodes, the rivers between them, and the limits of the road.
struct Nodes<'a> {
    lattice: Lattice,
    /// Not a number outside the corridor that is searched.
    heights: Vec<f32>,
    /// The heights by which the costs are counted: those of the coarse grid, so that a refined route doesn't
    /// turn for small bumps, which a road cuts through.
    relief: Vec<f32>,
    limits: RouteLimits,
    rivers: &'a Rivers,
    /// Which nodes of those that are searched have an edge that may meet a river's bank.
    riverside: Vec<bool>,
    /// How many times nearer to each other the nodes are than those of the coarse grid.
    finer: usize,
}

impl Nodes<'_> {
    /// The height at a place between nodes, interpolated from theirs.
    fn between(&self, heights: &[f32], at: DVec2) -> f64 {
        let cell = |at: f64, nodes: usize| {
            let first = (at.max(0.0) as usize).min(nodes - 2);
            (first, at - first as f64)
        };
        let height = |along: usize, across: usize| f64::from(heights[self.lattice.index((along, across))]);
        let (along, x) = cell(at.x, self.lattice.along);
        let (across, y) = cell(at.y, self.lattice.across);
        let row = |along: usize| {
            let [from, to] = [height(along, across), height(along, across + 1)];
            from + (to - from) * y
        };
        let [from, to] = [row(along), row(along + 1)];
        from + (to - from) * x
    }

    /// Whether ground between nodes is known to be high enough.
    fn is_dry(&self, at: DVec2) -> bool {
        self.between(&self.heights, at) >= self.limits.lowest
    }

    /// The height by which costs are counted.
    fn relief(&self, along: usize, across: usize) -> f64 {
        self.relief[self.lattice.index((along, across))].into()
    }

    /// The route among nodes that are nearer to each other, in a corridor around a `route` between these. The
    /// corridor becomes wider while no way leads from end to end. `None` if the nodes are as near as the
    /// land's samples, or if no corridor has a way.
    fn refined(&self, route: &[DVec2], land: &RouteLand, work: &Work) -> Result<Option<(Self, Vec<DVec2>)>> {
        let samples = (self.lattice.apart.max_element() / f64::from(land.domain.cell())).ceil();
        let times = (samples as usize).min(FINER);
        let (Some(&first), Some(&last), 2..) = (route.first(), route.last(), times) else { return Ok(None) };
        let lattice = self.lattice.finer(times);
        let place = |index: usize| {
            let (along, across) = lattice.node(index);
            DVec2::new(along as f64, across as f64) / times as f64
        };
        let relief = (0..lattice.count()).map(|index| self.between(&self.relief, place(index)) as f32);
        let heights = vec![f32::NAN; lattice.count()];
        let (relief, finer) = (relief.collect(), self.finer * times);
        let riverside = vec![false; lattice.count()];
        let (limits, rivers) = (self.limits, self.rivers);
        let mut nodes = Self { lattice, heights, relief, limits, rivers, riverside, finer };
        let ends = [first, last].map(|end| {
            let end = end * times as f64;
            lattice.index((end.x as usize, end.y as usize))
        });
        let mut reach = CORRIDOR;
        loop {
            work.check()?;
            let near = self.lattice.near(route, reach);
            let (half, before) = (times / 2, &self.lattice);
            let is_within = |index: &usize| {
                let (along, across) = lattice.node(*index);
                near[before.index(((along + half) / times, (across + half) / times))]
            };
            let corridor: Vec<usize> = (0..lattice.count()).filter(is_within).collect();
            if corridor.len() > MOST_NODES {
                return Ok(None);
            }
            let unknown: Vec<usize> =
                corridor.iter().copied().filter(|index| nodes.heights[*index].is_nan()).collect();
            let places: Vec<DVec2> = unknown.iter().map(|index| lattice.place(*index)).collect();
            let found = (land.heights_at)(&places)?;
            for index in &unknown {
                nodes.riverside[*index] = lattice.is_riverside(*index, self.rivers);
            }
            unknown.into_iter().zip(found).for_each(|(index, height)| nodes.heights[index] = height);
            let lands = nodes.lands();
            let [start, end] = ends.map(|end| lands[end]);
            let is_whole = corridor.len() == lattice.count();
            let land = match (start, is_whole) {
                (Some(start), _) if Some(start) == end => {
                    lands.iter().map(|land| *land == Some(start)).collect()
                }
                (_, false) => {
                    reach *= 2;
                    continue;
                }
                // The ends lie on two islands that the coarse grid shows as one.
                (_, true) => nodes.mainland(),
            };
            return Ok(nodes.cheapest(&land).map(|route| (nodes, route)));
        }
    }

    /// The nodes to which the road can go from a node.
    fn around(&self, here: usize) -> impl Iterator<Item = usize> {
        let (along, across) = self.lattice.node(here);
        MOVES.into_iter().filter_map(move |(by_along, by_across)| {
            let moved = |from: usize, by: i32, nodes: usize| {
                from.checked_add_signed(by as isize).filter(|to| *to < nodes)
            };
            let to =
                (moved(along, by_along, self.lattice.along)?, moved(across, by_across, self.lattice.across)?);
            let from = DVec2::new(along as f64, across as f64);
            let way = DVec2::new(by_along.into(), by_across.into());
            let mut parts = (1..=PARTS).map(|part| from + way * (part as f64 / PARTS as f64));
            // An edge may cross a bay between two dry nodes.
            parts.all(|at| self.is_dry(at)).then(|| self.lattice.index(to))
        })
    }

    /// The land that each node belongs to, if it is high enough. All nodes of a land can be reached from each
    /// other.
    fn lands(&self) -> Vec<Option<usize>> {
        let is_dry = |node: usize| f64::from(self.heights[node]) >= self.limits.lowest;
        let mut lands: Vec<Option<usize>> = vec![None; self.lattice.count()];
        // Flood fill without recursion: a land of one component would overflow the stack.
        let mut count = 0;
        for first in 0..lands.len() {
            if lands[first].is_some() || !is_dry(first) {
                continue;
            }
            lands[first] = Some(count);
            let mut rest = vec![first];
            while let Some(here) = rest.pop() {
                for there in self.around(here) {
                    if lands[there].is_none() {
                        lands[there] = Some(count);
                        rest.push(there);
                    }
                }
            }
            count += 1;
        }
        lands
    }

    /// Which of the nodes belong to the largest land that is high enough.
    fn mainland(&self) -> Vec<bool> {
        let lands = self.lands();
        let mut sizes = vec![0; lands.iter().flatten().max().map_or(0, |last| last + 1)];
        lands.iter().flatten().for_each(|land| sizes[*land] += 1);
        // Of equally large ones the first.
        let largest = (0..sizes.len()).rev().max_by_key(|number| sizes[*number]);
        lands.into_iter().map(|land| land.is_some() && land == largest).collect()
    }

    /// The cost of going from one node to another, in metres over level ground.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let [from, to] = [from, to].map(|node| self.lattice.node(node));
        let way = self.lattice.apart * DVec2::new(to.0 as f64 - from.0 as f64, to.1 as f64 - from.1 as f64);
        let length = way.length();
        let rise = self.relief(to.0, to.1) - self.relief(from.0, from.1);
        // 1 is as steep as the road may be without a cut or an embankment.
        let steep = rise.abs() / length / self.limits.grade;
        let beside = self.slope(to.0, to.1) / self.limits.grade;
        // Of equally easy routes take the one nearest to the middle: a road along the land's border looks out
        // of place.
        let off_middle = 2.0 * to.1 as f64 / (self.lattice.across - 1) as f64 - 1.0;
        // Up to half the grade climbing is free; beyond that costs grow with the square, so that one steep
        // place counts more than several gentle ones.
        let slopes = 8.0 * (steep - 0.5).max(0.0).powi(2) + 0.1 * beside * beside;
        length * (1.0 + slopes + OFF_MIDDLE * off_middle * off_middle)
    }

    /// The additional cost of going from one node to another for the rivers there, in metres.
    fn cost_of_rivers(&self, from: usize, to: usize) -> f64 {
        let is_near = |node: usize| self.riverside[node];
        if !is_near(from) || !is_near(to) {
            return 0.0;
        }
        let way = [from, to].map(|node| self.lattice.place(node));
        let near = self.rivers.near(way[0].min(way[1]), way[0].max(way[1]), self.limits.edge);
        let crossing = CROSSING * self.lattice.apart.max_element() * self.finer as f64;
        let metre = if near.is_in_bed(way[1], self.limits.edge) {
            IN_BED
        } else if near.is_on_bank(way[1], self.limits.edge) {
            ON_BANK
        } else {
            0.0
        };
        crossing * near.crossed(way) as f64 + metre * way[0].distance(way[1])
    }

    /// Whether a road lies in the beds of rivers for much longer than it takes to cross them.
    fn runs_along_river(&self, line: &CentreLine) -> bool {
        let beds = self.rivers.beds_along(line, self.limits.edge);
        beds.into_iter().any(|bed| {
            let (from, to) = (line.points[*bed.start()], line.points[*bed.end()]);
            let near = self.rivers.near(from.min(to), from.max(to), self.limits.edge);
            line.length_of(std::slice::from_ref(&bed)) > ALONG_BED * 2.0 * (near.widest() + self.limits.edge)
        })
    }

    /// How steep the ground is at a node, rise per metre.
    fn slope(&self, along: usize, across: usize) -> f64 {
        let Lattice { along: nodes_along, across: nodes_across, apart, .. } = self.lattice;
        let [before, after] = [along.saturating_sub(1), (along + 1).min(nodes_along - 1)];
        let lengthwise =
            (self.relief(after, across) - self.relief(before, across)) / (apart.x * (after - before) as f64);
        let [before, after] = [across.saturating_sub(1), (across + 1).min(nodes_across - 1)];
        let crosswise =
            (self.relief(along, after) - self.relief(along, before)) / (apart.y * (after - before) as f64);
        DVec2::new(lengthwise, crosswise).length()
    }

    /// The nodes of the cheapest way along a land, the largest or another, from one of its ends to the other.
    fn cheapest(&self, mainland: &[bool]) -> Option<Vec<DVec2>> {
        let lattice = self.lattice;
        let first = mainland.iter().position(|is_there| *is_there).map(|node| lattice.node(node).0)?;
        let last = mainland.iter().rposition(|is_there| *is_there).map(|node| lattice.node(node).0)?;
        if last < first + (FEWEST - 1) * self.finer {
            return None;
        }
        let mut costs = vec![f64::INFINITY; lattice.count()];
        let mut came_from = vec![usize::MAX; costs.len()];
        let mut heap = BinaryHeap::new();
        // Costs are in whole millimetres, because integers can be ordered.
        let whole = |cost: f64| (cost * 1000.0) as u64;
        for across in 0..lattice.across {
            let node = lattice.index((first, across));
            if mainland[node] {
                costs[node] = 0.0;
                heap.push(Reverse((0, node)));
            }
        }
        while let Some(Reverse((cost, here))) = heap.pop() {
            // An entry from before a cheaper way was found; the heap can't remove entries.
            if cost > whole(costs[here]) {
                continue;
            }
            if lattice.node(here).0 == last {
                return Some(self.traced(here, &came_from));
            }
            for there in self.around(here) {
                let cost = costs[here] + self.cost(here, there) + self.cost_of_rivers(here, there);
                if cost < costs[there] {
                    costs[there] = cost;
                    came_from[there] = here;
                    heap.push(Reverse((whole(cost), there)));
                }
            }
        }
        None
    }

    /// The nodes from a start of the search to `end`.
    fn traced(&self, end: usize, came_from: &[usize]) -> Vec<DVec2> {
        let mut route = Vec::new();
        let mut here = end;
        while here != usize::MAX {
            let (along, across) = self.lattice.node(here);
            route.push(DVec2::new(along as f64, across as f64));
            here = came_from[here];
        }
        route.reverse();
        route
    }
}

/// The same line without its loops: where it comes back to where it was, it goes on from there.
fn without_loops(line: &[DVec2]) -> Vec<DVec2> {
    let mut done: Vec<DVec2> = Vec::with_capacity(line.len());
    for &next in line {
        // Of several earlier segments that it crosses the first, which cuts all loops off.
        let crossed = done.last().and_then(|&last| {
            (0..done.len().saturating_sub(2)).find_map(|segment| {
                let place = crossing([done[segment], done[segment + 1]], [last, next])?;
                Some((segment, place))
            })
        });
        let is_apart =
            // Points at the same place make segments without a direction.
            |done: &[DVec2], from: DVec2| done.last().is_none_or(|last| last.distance(from) > NEAR);
        if let Some((segment, place)) = crossed {
            done.truncate(segment + 1);
            if is_apart(&done, place) && place.distance(next) > NEAR {
                done.push(place);
            }
        }
        if is_apart(&done, next) {
            done.push(next);
        }
    }
    done
}

/// Where two segments cross or touch.
fn crossing(one: [DVec2; 2], other: [DVec2; 2]) -> Option<DVec2> {
    if !is_crossed(one, other) {
        return None;
    }
    let [along, across] = [one[1] - one[0], other[1] - other[0]];
    let turn = along.perp_dot(across);
    // Parallel lines that touch: any common point will do.
    let share = if turn == 0.0 { 0.0 } else { (other[0] - one[0]).perp_dot(across) / turn };
    Some(one[0] + along * share.clamp(0.0, 1.0))
}

/// A line between nodes, and which of its points the road's curve goes through.
struct Line {
    points: Vec<LinePoint>,
    /// The most points that are taken back in a span at a time.
    most_taken: usize,
}

#[derive(Clone, Copy)]
struct LinePoint {
    /// In nodes, along and across.
    at: DVec2,
    /// 1 for the ends of edges; others are points within them, the larger the finer.
    rank: usize,
    is_kept: bool,
}

impl Line {
    /// The line with as few kept points as possible that is nowhere far from the others: between nodes that
    /// are `finer` times nearer to each other than those of the coarse grid.
    fn of(route: &[DVec2], finer: usize) -> Self {
        let mut points = Vec::new();
        for pair in route.windows(2) {
            for part in 0..PARTS {
                let at = pair[0].lerp(pair[1], part as f64 / PARTS as f64);
                let rank = if part == 0 {
                    1
                } else if part % 2 == 0 {
                    2
                } else {
                    3
                };
                // Whole nodes come back first, then halves, then quarters, so that few points are added.
                points.push(LinePoint { at, rank, is_kept: false });
            }
        }
        points.extend(route.last().map(|&at| LinePoint { at, rank: 1, is_kept: false }));
        keep_few(&mut points, TOLERANCE * finer as f64);
        // Nodes of a finer lattice are so near to each other that few of them suffice.
        Self { points, most_taken: if finer > 1 { MOST_TAKEN } else { usize::MAX } }
    }

    /// The points of a curve that doesn't cross itself, and that neither leaves dry ground nor enters a river
    /// where the line doesn't. `curve` makes the curve through points, and says which of its points each of them
    /// is.
    fn settled(
        mut self,
        nodes: &Nodes,
        curve: impl Fn(&[Vec2]) -> (CentreLine, Vec<usize>),
        work: &Work,
    ) -> Result<Vec<Vec2>> {
        // The route crosses rivers where it has to, and nowhere else.
        let route = self.points.iter().map(|point| nodes.lattice.turned(point.at * nodes.lattice.apart));
        let route_line = CentreLine::straight(&route.collect::<Vec<_>>(), nodes.limits.edge);
        let route_beds = nodes.rivers.beds_along(&route_line, nodes.limits.edge);
        for _ in 0..MOST_CHANGES {
            work.check()?;
            let (line, knots) = curve(&self.shares(nodes));
            // Knots ascend: the last one that isn't beyond the point begins its span.
            let span_of = |point: usize| knots.partition_point(|knot| *knot <= point).saturating_sub(1);
            let at = |point: usize| nodes.lattice.turned(line.points[point]) / nodes.lattice.apart;
            let crossings = line.crossings();
            let wet = (0..line.points.len()).filter(|point| !nodes.is_dry(at(*point)));
            let beds = nodes.rivers.beds_along(&line, nodes.limits.edge);
            let is_worse = beds.len() > route_beds.len()
                || line.length_of(&beds) > MORE_IN_BEDS * route_line.length_of(&route_beds);
            let in_beds = beds.into_iter().filter(|_| is_worse).flatten();
            let mut bad: Vec<usize> =
                crossings.iter().flat_map(|(one, other)| [*one, *other]).chain(wet).chain(in_beds).collect();
            bad.iter_mut().for_each(|point| *point = span_of(*point));
            bad.sort_unstable();
            bad.dedup();
            // Points taken back bring the curve nearer to the route, which is dry and has no loops.
            if self.take_back(&bad) {
                continue;
            }
            match crossings.first() {
                // Nothing is left to take back: the loop itself is cut off.
                Some((one, other)) => self.cut(span_of(*one), span_of(*other), at(*one)),
                None => break,
            }
        }
        Ok(self.shares(nodes))
    }

    /// The kept points as shares of the land's sides.
    fn shares(&self, nodes: &Nodes) -> Vec<Vec2> {
        let kept = self.points.iter().filter(|point| point.is_kept);
        kept.map(|point| nodes.lattice.share(point.at)).collect()
    }

    /// The indices of kept points.
    fn kept(&self) -> Vec<usize> {
        (0..self.points.len()).filter(|index| self.points[*index].is_kept).collect()
    }

    /// Keeps more points in the spans with these numbers, each from a kept point to the next, and in their
    /// neighbours: the ends of edges, or where none are left, finer points. Returns whether there were any.
    fn take_back(&mut self, spans: &[usize]) -> bool {
        let kept = self.kept();
        let mut taken = Vec::new();
        for &span in spans {
            // The curve depends on the spans before and after as well.
            let last = (span + 2).min(kept.len() - 1);
            let within = kept[span.saturating_sub(1)]..kept[last];
            let left: Vec<usize> = within.filter(|index| !self.points[*index].is_kept).collect();
            let coarsest = left.iter().map(|index| self.points[*index].rank).min();
            let left: Vec<usize> =
                left.into_iter().filter(|index| Some(self.points[*index].rank) == coarsest).collect();
            let every = left.len().div_ceil(self.most_taken).max(1);
            taken.extend(left.into_iter().skip(every / 2).step_by(every));
        }
        taken.iter().for_each(|index| self.points[*index].is_kept = true);
        !taken.is_empty()
    }

    /// Replaces all points within the spans from `first` to `last` by one place, where the curve crosses
    /// itself.
    fn cut(&mut self, first: usize, last: usize, at: DVec2) {
        let kept = self.kept();
        let (from, to) = (kept[first], kept[(last + 1).min(kept.len() - 1)]);
        let ends = [self.points[from].at, self.points[to].at];
        let is_apart = ends.iter().all(|end| end.distance(at) > NEAR);
        let place = is_apart.then_some(LinePoint { at, rank: 1, is_kept: true });
        self.points.splice(from + 1..to, place);
    }
}

/// Keeps both ends of a line, and the point farthest from the straight line between them if that lies beyond
/// the tolerance; then does the same on either side of it.
fn keep_few(points: &mut [LinePoint], tolerance: f64) {
    let [first, .., last] = points else { return };
    (first.is_kept, last.is_kept) = (true, true);
    let (first, along) = (first.at, (last.at - first.at).normalize_or_zero());
    let beside = |point: &LinePoint| (point.at - first).perp_dot(along).abs();
    let farthest = (1..points.len() - 1)
        .filter(|index| points[*index].rank == 1)
        .max_by(|a, b| beside(&points[*a]).total_cmp(&beside(&points[*b])));
    if let Some(middle) = farthest.filter(|middle| beside(&points[*middle]) > tolerance) {
        keep_few(&mut points[..=middle], tolerance);
        keep_few(&mut points[middle..], tolerance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Heightfield};
    use crate::steps::filter::Road;

    /// The easiest route for a road of at most 8 % that stays above `lowest`.
    fn easiest(land: &Heightfield, lowest: Option<f32>) -> Option<Vec<Vec2>> {
        let domain = Domain::of(land.grid());
        let heights_at = |places: &[DVec2]| -> Result<Vec<f32>> {
            Ok(places.iter().map(|place| land.sample(place.as_vec2())).collect())
        };
        let heights = heights_at(&places(&domain)).unwrap();
        let road = Road { lowest: lowest.unwrap_or(Road::default().lowest), ..Road::default() };
        let curve = |points: &[Vec2]| road.through(points, &domain);
        let rivers = Rivers::default();
        let land = RouteLand { domain: &domain, heights: &heights, heights_at: &heights_at, rivers: &rivers };
        super::easiest(road.route_limits(), &land, curve, &Work::new()).unwrap()
    }

    fn land(height: impl Fn(f32, f32) -> f32 + Sync) -> Heightfield {
        let grid = Grid::new(97, 65, 20.0).unwrap();
        Heightfield::from_fn(grid, |column, row| height(column as f32 / 96.0, row as f32 / 64.0))
    }

    /// The highest ground under straight lines between points.
    fn highest(land: &Heightfield, points: &[Vec2]) -> f32 {
        let along = points.windows(2).flat_map(|pair| {
            (0..=20).map(move |part| pair[0].lerp(pair[1], part as f32 / 20.0) * land.grid().extent())
        });
        along.map(|place| land.sample(place)).fold(f32::MIN, f32::max)
    }

    #[test]
    fn a_road_goes_round_a_summit_from_border_to_border() {
        let cone = land(|x, y| 600.0 * (1.0 - 3.0 * Vec2::new(x - 0.5, y - 0.5).length()).max(0.0));
        let points = easiest(&cone, None).unwrap();
        assert!(points[0].x == 0.0 && points.last().unwrap().x == 1.0, "{points:?}");
        assert!(highest(&cone, &points) < 60.0, "{points:?}");
        assert!(points.len() < 20, "{points:?}");
    }

    #[test]
    fn on_an_island_a_road_stays_dry() {
        let island = land(|x, y| 80.0 - 300.0 * Vec2::new(x - 0.5, y - 0.5).length());
        let points = easiest(&island, Some(0.0)).unwrap();
        let extent = island.grid().extent();
        assert!(points.iter().all(|point| island.sample(point * extent) > 0.0), "{points:?}");
        assert!(points.last().unwrap().x - points[0].x > 0.3, "{points:?}");
    }

    #[test]
    fn a_long_land_has_its_road_along_it_and_none_leads_through_the_sea() {
        let grid = Grid::new(17, 65, 20.0).unwrap();
        let long = Heightfield::flat(grid, 10.0);
        let points = easiest(&long, None).unwrap();
        assert!(points[0].y == 0.0 && points.last().unwrap().y == 1.0, "{points:?}");
        assert!(points.iter().all(|point| (point.x - 0.5).abs() < 0.05), "through its middle: {points:?}");
        assert_eq!(easiest(&long, Some(50.0)), None);
        assert_eq!(easiest(&Heightfield::flat(Grid::new(2, 2, 1.0).unwrap(), 0.0), None), None);
    }
}
