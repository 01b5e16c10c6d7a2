//! Finds an easy route for a road: one that climbs little and stays dry.
//!
//! Dijkstra's algorithm ("A note on two problems in connexion with graphs", 1959) on a coarse grid, then the
//! line with fewer points of Douglas and Peucker ("Algorithms for the reduction of the number of points",
//! 1973).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Vec2;

use crate::grid::Heightfield;

/// Nodes along the longer side of the grid on which a route is found.
const NODES: usize = 65;
/// The fewest nodes that a useful route has.
const FEWEST: usize = 5;
/// What a metre through water costs, in metres over level ground.
const WET: f64 = 40.0;
/// What a metre along the land's border costs more than one through its middle, in metres.
const OFF_MIDDLE: f64 = 0.3;
/// How far above the sea ground is dry, metres.
const DRY: f32 = 1.0;
/// How far a point that is left out may be from the simplified line, in nodes.
const TOLERANCE: f32 = 0.7;

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

/// Points of the easiest route along the longer side of a land for a road with this grade (rise per metre),
/// as shares of the land's sides. It leads from border to border, or on an island from shore to shore. `None`
/// if the land is too small, or too little of it lies above the sea.
pub(super) fn easiest(land: &Heightfield, sea_level: Option<f32>, grade: f32) -> Option<Vec<Vec2>> {
    let nodes = Nodes::new(land, sea_level, grade)?;
    let (first, last) = nodes.dry_ends()?;
    let route = nodes.cheapest(first, last)?;
    let points = simplified(&route);
    let shares = points.into_iter().map(|point| nodes.share(point));
    Some(shares.collect())
}

/// Nodes on a land: `along` counts on its longer side, `across` on the other.
struct Nodes<'a> {
    land: &'a Heightfield,
    along: usize,
    across: usize,
    /// Whether the longer side runs from the north to the south.
    is_turned: bool,
    /// Metres between two nodes along and across.
    apart: Vec2,
    /// Ground up to here is wet, metres.
    wet_up_to: f32,
    grade: f64,
}

impl<'a> Nodes<'a> {
    fn new(land: &'a Heightfield, sea_level: Option<f32>, grade: f32) -> Option<Self> {
        let (grid, extent) = (land.grid(), land.grid().extent());
        let is_turned = extent.y > extent.x;
        let turned = |of: Vec2| if is_turned { Vec2::new(of.y, of.x) } else { of };
        let (samples_along, samples_across) =
            if is_turned { (grid.depth, grid.width) } else { (grid.width, grid.depth) };
        let extent = turned(extent);
        let along = samples_along.min(NODES);
        let across = ((along as f32 * extent.y / extent.x).round() as usize).clamp(2, samples_across.max(2));
        if along < FEWEST || samples_across < 2 || grade <= 0.0 {
            return None;
        }
        let apart = extent / Vec2::new((along - 1) as f32, (across - 1) as f32);
        let wet_up_to = sea_level.map_or(f32::NEG_INFINITY, |sea| sea + DRY);
        Some(Self { land, along, across, is_turned, apart, wet_up_to, grade: grade.into() })
    }

    fn height(&self, along: usize, across: usize) -> f32 {
        self.land.sample(self.share(Vec2::new(along as f32, across as f32)) * self.land.grid().extent())
    }

    fn share(&self, node: Vec2) -> Vec2 {
        let share = node / Vec2::new((self.along - 1) as f32, (self.across - 1) as f32);
        if self.is_turned { Vec2::new(share.y, share.x) } else { share }
    }

    fn is_dry(&self, along: usize, across: usize) -> bool {
        self.height(along, across) > self.wet_up_to
    }

    /// Where the road begins and ends along the land: at its borders, or where there is dry ground.
    fn dry_ends(&self) -> Option<(usize, usize)> {
        let is_dry = |along: &usize| (0..self.across).any(|across| self.is_dry(*along, across));
        let first = (0..self.along).find(is_dry)?;
        let last = (0..self.along).rfind(is_dry)?;
        (last >= first + FEWEST - 1).then_some((first, last))
    }

    /// What it costs to go from a node to another, in metres over level ground.
    fn cost(&self, from: (usize, usize), to: (usize, usize)) -> f64 {
        let way = self.apart * Vec2::new(to.0 as f32 - from.0 as f32, to.1 as f32 - from.1 as f32);
        let length = f64::from(way.length());
        let [below, above] = [from, to].map(|(along, across)| self.height(along, across));
        // 1 is as steep as the road may be without a cut or an embankment.
        let steep = f64::from((above - below).abs()) / length / self.grade;
        let beside = self.slope(to.0, to.1) / self.grade;
        let wet = if above <= self.wet_up_to { WET } else { 0.0 };
        // Of equally easy routes take the one nearest to the middle: a road along the land's border looks out
        // of place.
        let off_middle = 2.0 * to.1 as f64 / (self.across - 1) as f64 - 1.0;
        let slopes = 8.0 * (steep - 0.5).max(0.0).powi(2) + 0.1 * beside * beside;
        length * (1.0 + slopes + wet + OFF_MIDDLE * off_middle * off_middle)
    }

    /// How steep the ground is at a node, rise per metre.
    fn slope(&self, along: usize, across: usize) -> f64 {
        let rise = |low: f32, high: f32, apart: f32, nodes: usize| {
            if nodes == 0 { 0.0 } else { (high - low) / (apart * nodes as f32) }
        };
        let [before, after] = [along.saturating_sub(1), (along + 1).min(self.along - 1)];
        let lengthwise =
            rise(self.height(before, across), self.height(after, across), self.apart.x, after - before);
        let [before, after] = [across.saturating_sub(1), (across + 1).min(self.across - 1)];
        let crosswise =
            rise(self.height(along, before), self.height(along, after), self.apart.y, after - before);
        f64::from(Vec2::new(lengthwise, crosswise).length())
    }

    /// The nodes of the cheapest way from any dry node at `first` along the land to any at `last`.
    fn cheapest(&self, first: usize, last: usize) -> Option<Vec<Vec2>> {
        let index = |along: usize, across: usize| along * self.across + across;
        let mut costs = vec![f64::INFINITY; self.along * self.across];
        let mut came_from = vec![usize::MAX; costs.len()];
        let mut heap = BinaryHeap::new();
        // Costs are in whole millimetres, because integers can be ordered.
        let whole = |cost: f64| (cost * 1000.0) as u64;
        for across in (0..self.across).filter(|across| self.is_dry(first, *across)) {
            costs[index(first, across)] = 0.0;
            heap.push(Reverse((0, index(first, across))));
        }
        while let Some(Reverse((cost, here))) = heap.pop() {
            if cost > whole(costs[here]) {
                continue;
            }
            let (along, across) = (here / self.across, here % self.across);
            if along == last && self.is_dry(along, across) {
                return Some(self.traced(here, &came_from));
            }
            for (by_along, by_across) in MOVES {
                let moved = |from: usize, by: i32, nodes: usize| {
                    from.checked_add_signed(by as isize).filter(|to| *to < nodes)
                };
                let (Some(to_along), Some(to_across)) =
                    (moved(along, by_along, self.along), moved(across, by_across, self.across))
                else {
                    continue;
                };
                let there = index(to_along, to_across);
                let cost = costs[here] + self.cost((along, across), (to_along, to_across));
                if cost < costs[there] {
                    costs[there] = cost;
                    came_from[there] = here;
                    heap.push(Reverse((whole(cost), there)));
                }
            }
        }
        None
    }

    fn traced(&self, end: usize, came_from: &[usize]) -> Vec<Vec2> {
        let mut route = Vec::new();
        let mut here = end;
        while here != usize::MAX {
            route.push(Vec2::new((here / self.across) as f32, (here % self.across) as f32));
            here = came_from[here];
        }
        route.reverse();
        route
    }
}

/// The same line with as few points as possible, keeping the others near it.
fn simplified(line: &[Vec2]) -> Vec<Vec2> {
    let (Some(first), Some(last)) = (line.first(), line.last()) else { return Vec::new() };
    let along = (*last - *first).normalize_or_zero();
    let beside = |point: &Vec2| (*point - *first).perp_dot(along).abs();
    let farthest =
        (1..line.len().saturating_sub(1)).max_by(|a, b| beside(&line[*a]).total_cmp(&beside(&line[*b])));
    match farthest {
        Some(middle) if beside(&line[middle]) > TOLERANCE => {
            let mut points = simplified(&line[..=middle]);
            points.pop();
            points.extend(simplified(&line[middle..]));
            points
        }
        Some(_) => vec![*first, *last],
        None => line.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

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
        let points = easiest(&cone, None, 0.08).unwrap();
        assert!(points[0].x == 0.0 && points.last().unwrap().x == 1.0, "{points:?}");
        assert!(highest(&cone, &points) < 60.0, "{points:?}");
        assert!(points.len() < 20, "{points:?}");
    }

    #[test]
    fn on_an_island_a_road_stays_dry() {
        let island = land(|x, y| 80.0 - 300.0 * Vec2::new(x - 0.5, y - 0.5).length());
        let points = easiest(&island, Some(0.0), 0.08).unwrap();
        let extent = island.grid().extent();
        assert!(points.iter().all(|point| island.sample(point * extent) > 0.0), "{points:?}");
        assert!(points.last().unwrap().x - points[0].x > 0.3, "{points:?}");
    }

    #[test]
    fn a_long_land_has_its_road_along_it_and_none_leads_through_the_sea() {
        let grid = Grid::new(17, 65, 20.0).unwrap();
        let long = Heightfield::flat(grid, 10.0);
        let points = easiest(&long, None, 0.08).unwrap();
        assert!(points[0].y == 0.0 && points.last().unwrap().y == 1.0, "{points:?}");
        assert!(points.iter().all(|point| (point.x - 0.5).abs() < 0.05), "through its middle: {points:?}");
        assert_eq!(easiest(&long, Some(50.0), 0.08), None);
        assert_eq!(easiest(&Heightfield::flat(Grid::new(2, 2, 1.0).unwrap(), 0.0), None, 0.08), None);
    }
}
