//! The way of a river down the valleys of a land.
//!
//! The land is flooded from the sea and the border inwards, always at the lowest place that has been reached
//! (Barnes, Lehman and Mulla, "Priority-flood", 2014); every place drains to the one it was flooded from. The
//! river of a mouth is the longest way down to it, where ways that would have to be cut deep through sills
//! count as shorter. Of several the one is larger that is longer and drains more. Heights are looked at on a
//! lattice of its own, so that a land has the same rivers at every resolution.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use glam::Vec2;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// Places of the lattice along the longer side.
const PLACES: usize = 129;
/// Depth of the cuts through sills, as a share of the land's height above the sea, for which a way counts
/// half.
const SPARE: f32 = 0.05;
/// Places from one node of the river to the next.
const APART: usize = 3;

/// Nodes of the river of a rank, 1 for the largest, in metres from the north-west corner, source first. It
/// ends in the sea, beyond the border, or in a lake. Ground that is not above `sea` is sea if it is connected
/// with the border, and otherwise a lake. Rivers that end in lakes come after all others. If all of the
/// border lies above `sea`, lakes count as sea. Empty if the land has no such river.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn nodes(field: &Heightfield, sea: f32, rank: u32, work: &Work) -> Result<Vec<Vec2>> {
    let valleys = Valleys::of(field, sea, work)?;
    let sources = valleys.sources();
    let source = (rank as usize).checked_sub(1).and_then(|place| sources.get(place));
    Ok(source.map_or(Vec::new(), |source| valleys.nodes_from(*source)))
}

/// Where every place of a lattice drains to.
struct Valleys {
    lattice: Lattice,
    heights: Vec<f32>,
    sea: f32,
    is_sea: Vec<bool>,
    ways: Vec<Way>,
}

/// The way down from a place.
#[derive(Clone, Copy)]
struct Way {
    /// The next place; itself at an outlet.
    next: usize,
    /// The last place.
    outlet: usize,
    /// Its length, metres.
    length: f32,
    /// The highest ground on it, metres.
    peak: f32,
    /// The greatest depth to which ground on it must be cut lest the bed rises, metres.
    cut: f32,
}

impl Way {
    /// That of a place of this height where water leaves the land.
    fn ending(place: usize, height: f32) -> Self {
        Self { next: place, outlet: place, length: 0.0, peak: height, cut: 0.0 }
    }
}

impl Valleys {
    fn of(field: &Heightfield, sea: f32, work: &Work) -> Result<Self> {
        work.check()?;
        let lattice = Lattice::over(field.grid());
        let heights: Vec<f32> = (0..lattice.count()).map(|place| field.sample(lattice.at(place))).collect();
        let mut ways: Vec<Option<Way>> = vec![None; lattice.count()];
        let mut queue = BinaryHeap::new();
        // Where water leaves the land: the sea and the border. The flood starts from all of them together.
        let is_sea = lattice.sea(&heights, sea);
        for (place, &height) in heights.iter().enumerate() {
            if is_sea[place] || lattice.is_border(place) {
                ways[place] = Some(Way::ending(place, height));
                queue.push(Reverse(Reached { level: height, place }));
            }
        }
        // The priority flood of Barnes, Lehman and Mulla (2014): the lowest edge of the flooded part grows
        // first, so each place is reached over its lowest sill.
        while let Some(Reverse(Reached { level, place: next })) = queue.pop() {
            // Every queued place has a way: it got one before it was pushed.
            let Some(way) = ways[next] else { continue };
            for (place, away) in lattice.around(next) {
                if ways[place].is_some() {
                    continue;
                }
                let height = heights[place];
                if height <= sea {
                    // A lake. A bed that ran on through it would be as deep as its floor down to the sea.
                    ways[place] = Some(Way::ending(place, height));
                    queue.push(Reverse(Reached { level: level.max(height), place }));
                    continue;
                }
                let peak = way.peak.max(height);
                // How much lower the place is than a sill downstream: as deep a cut lets its water out.
                let (length, cut) = (way.length + away, way.cut.max(peak - height));
                ways[place] = Some(Way { next, outlet: way.outlet, length, peak, cut });
                queue.push(Reverse(Reached { level: level.max(height), place }));
            }
        }
        // The border is an outlet and all places are connected, so every place has a way by now; the other
        // case only completes the types.
        let alone =
            |(place, way): (usize, Option<Way>)| way.unwrap_or_else(|| Way::ending(place, heights[place]));
        let ways = ways.into_iter().enumerate().map(alone).collect();
        Ok(Self { lattice, heights, sea, is_sea, ways })
    }

    /// The sources of the rivers, the largest river first and those into lakes last: of all places that drain
    /// to one outlet the best.
    fn sources(&self) -> Vec<usize> {
        let highest = self.heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let lowest = self.heights.iter().copied().fold(f32::INFINITY, f32::min);
        let spare = SPARE * (highest - lowest.max(self.sea));
        // The number of nodes that drain to each outlet.
        let mut drained = vec![0.0f32; self.ways.len()];
        self.ways.iter().for_each(|way| drained[way.outlet] += 1.0);
        let mut best: BTreeMap<usize, (f32, usize)> = BTreeMap::new();
        for (place, way) in self.ways.iter().enumerate() {
            // Higher than all that follows, and than where it ends: water runs.
            let falls = self.heights[place] >= way.peak && self.heights[place] > self.heights[way.outlet];
            if !falls || spare <= 0.0 {
                continue;
            }
            // The root of the area, so that a long way counts more than a large basin.
            let worth = way.length * drained[way.outlet].sqrt() / (1.0 + way.cut / spare);
            let known = best.entry(way.outlet).or_insert((worth, place));
            if worth > known.0 {
                *known = (worth, place);
            }
        }
        let is_in_lake = |outlet: usize| self.heights[outlet] <= self.sea && !self.is_sea[outlet];
        let sources = best.into_iter().map(|(outlet, (worth, place))| (is_in_lake(outlet), worth, place));
        let mut sources: Vec<(bool, f32, usize)> = sources.collect();
        // By place among equals, so that a rank means the same valley on every machine.
        sources.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
        sources.into_iter().map(|(_, _, place)| place).collect()
    }

    /// A smooth line along the way from a source.
    fn nodes_from(&self, source: usize) -> Vec<Vec2> {
        let mut places = vec![source];
        while let Some(&here) = places.last()
            && self.ways[here].next != here
        {
            places.push(self.ways[here].next);
        }
        let mut line: Vec<Vec2> = places.iter().map(|place| self.lattice.at(*place)).collect();
        // The lattice knows eight directions, a river all.
        for _ in 0..2 {
            let means: Vec<Vec2> = line
                .array_windows()
                .map(|[before, here, after]| (before + 2.0 * here + after) / 4.0)
                .collect();
            line.iter_mut().skip(1).zip(means).for_each(|(here, mean)| *here = mean);
        }
        let mut nodes: Vec<Vec2> = line.iter().copied().step_by(APART).collect();
        // `line` has a point at least, the source.
        let rest = (line.len() - 1) % APART;
        // The last node would crowd the one before it.
        if rest == 1 && nodes.len() > 1 {
            nodes.pop();
        }
        if rest > 0 {
            nodes.extend(line.last());
        }
        // Water that leaves the land does not stop at its border.
        if let [.., before, last] = nodes[..]
            && self.heights[self.ways[source].outlet] > self.sea
        {
            nodes.push(2.0 * last - before);
        }
        nodes
    }
}

/// Places at even distances over a land, of which it has the same at every resolution.
struct Lattice {
    columns: usize,
    rows: usize,
    extent: Vec2,
}

impl Lattice {
    fn over(grid: Grid) -> Self {
        let extent = grid.extent();
        let longer = extent.max_element();
        let along = |side: f32| match longer {
            0.0 => 1,
            _ => 1 + (side / longer * (PLACES - 1) as f32).round() as usize,
        };
        Self { columns: along(extent.x), rows: along(extent.y), extent }
    }

    fn count(&self) -> usize {
        self.columns * self.rows
    }

    /// A place in metres.
    fn at(&self, place: usize) -> Vec2 {
        // A lattice of one row has no second: `max(2)` keeps the divisor at 1.
        let share = |index: usize, count: usize| index as f32 / (count.max(2) - 1) as f32;
        let (column, row) = (place % self.columns, place / self.columns);
        self.extent * Vec2::new(share(column, self.columns), share(row, self.rows))
    }

    fn is_border(&self, place: usize) -> bool {
        let (column, row) = (place % self.columns, place / self.columns);
        column == 0 || row == 0 || column + 1 == self.columns || row + 1 == self.rows
    }

    /// For every place, whether it lies in the sea.
    fn sea(&self, heights: &[f32], sea: f32) -> Vec<bool> {
        let is_low = |place: usize| heights[place] <= sea;
        let mut is_sea = vec![false; heights.len()];
        let mut reached: Vec<usize> =
            (0..heights.len()).filter(|place| self.is_border(*place) && is_low(*place)).collect();
        if reached.is_empty() {
            return (0..heights.len()).map(is_low).collect();
        }
        while let Some(place) = reached.pop() {
            if !std::mem::replace(&mut is_sea[place], true) {
                let low = self.around(place).map(|(other, _)| other).filter(|other| is_low(*other));
                reached.extend(low.filter(|other| !is_sea[*other]));
            }
        }
        is_sea
    }

    /// The neighbours of a place, and their distances in metres.
    fn around(&self, place: usize) -> impl Iterator<Item = (usize, f32)> + use<'_> {
        let (column, row) = (place % self.columns, place / self.columns);
        let rows = row.saturating_sub(1)..=(row + 1).min(self.rows - 1);
        let columns = column.saturating_sub(1)..=(column + 1).min(self.columns - 1);
        let all = rows.flat_map(move |row| columns.clone().map(move |column| row * self.columns + column));
        let here = self.at(place);
        all.filter(move |other| *other != place).map(move |other| (other, self.at(other).distance(here)))
    }
}

/// A place that the flood has reached.
struct Reached {
    level: f32,
    place: usize,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        // By place among equal levels: the order in which flat ground is flooded must not depend on the heap.
        self.level.total_cmp(&other.level).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reached {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cone on the floor of a sea, with a valley that winds down its eastern side.
    fn island(side: usize) -> Heightfield {
        let cell = 12_800.0 / (side - 1) as f32;
        Heightfield::from_fn(Grid::new(side, side, cell).unwrap(), |column, row| {
            let (x, z) = (column as f32 * cell - 6400.0, row as f32 * cell - 6400.0);
            let valley = (x > 0.0).then(|| (z - 600.0 * libm::sinf(x / 900.0)).abs());
            900.0 - 0.2 * x.hypot(z) - valley.map_or(0.0, |away| (150.0 - 0.3 * away).max(0.0))
        })
    }

    fn river(field: &Heightfield, sea: f32, rank: u32) -> Vec<Vec2> {
        nodes(field, sea, rank, &Work::new()).unwrap()
    }

    #[test]
    fn a_river_comes_from_high_ground_and_ends_in_the_sea() {
        let field = island(257);
        let nodes = river(&field, 0.0, 1);
        let heights: Vec<f32> = nodes.iter().map(|node| field.sample(*node)).collect();
        assert!(heights[0] > 500.0, "{heights:?}");
        let (mouth, above) = heights.split_last().unwrap();
        assert!(*mouth <= 0.0 && *mouth > -60.0, "{heights:?}");
        assert!(above.iter().rev().skip(1).all(|height| *height > 0.0), "{heights:?}");
        // It keeps to the valley: no part of it lies much higher than ground before.
        assert!(heights.windows(2).all(|pair| pair[1] < pair[0] + 15.0), "{heights:?}");
        let mouth = nodes[nodes.len() - 1] - 6400.0;
        assert!(mouth.x > 3000.0 && (mouth.y - 600.0 * libm::sinf(mouth.x / 900.0)).abs() < 400.0, "{mouth}");
    }

    /// Ground of 300 m that falls into a hollow in its middle, and 200 m to the south, where there may be a
    /// sea.
    fn basin(side: usize, shore: f32) -> Heightfield {
        let cell = 12_800.0 / (side - 1) as f32;
        Heightfield::from_fn(Grid::new(side, side, cell).unwrap(), |column, row| {
            let (x, z) = (column as f32 * cell - 6400.0, row as f32 * cell - 6400.0);
            let (slope, edge) = (300.0 - (z + 6400.0) / 64.0, ((z - 5800.0) / 600.0).max(0.0));
            let hollow = (400.0 - x.hypot(z + 1500.0) / 8.0).max(0.0);
            slope - hollow - edge * (100.0 - shore)
        })
    }

    #[test]
    fn rivers_into_lakes_come_after_those_into_the_sea_and_end_there() {
        // The hollow is as low as −160 m, the shore −50 m.
        let open = basin(257, -50.0);
        let valleys = Valleys::of(&open, 0.0, &Work::new()).unwrap();
        let mouth = |source| *valleys.nodes_from(source).last().unwrap();
        let mouths: Vec<Vec2> = valleys.sources().into_iter().map(mouth).collect();
        let leaves = |mouth: &Vec2| mouth.y > 12_000.0 || mouth.x < 0.0 || mouth.x > 12_800.0;
        let lakes = mouths.iter().skip_while(|mouth| leaves(mouth)).collect::<Vec<_>>();
        assert!((1..mouths.len()).contains(&lakes.len()), "{mouths:?}");
        assert!(lakes.iter().all(|mouth| mouth.distance(Vec2::new(6400.0, 4900.0)) < 1700.0), "{mouths:?}");
    }

    #[test]
    fn a_land_without_a_shore_has_rivers_into_its_lakes() {
        let closed = basin(257, 50.0);
        let mouths: Vec<Vec2> =
            (1..=100).filter_map(|rank| river(&closed, 0.0, rank).last().copied()).collect();
        let lake = Vec2::new(6400.0, 4900.0);
        assert!(mouths.iter().any(|mouth| mouth.distance(lake) < 3000.0), "{mouths:?}");
    }

    #[test]
    fn rivers_of_other_ranks_end_elsewhere() {
        let field = island(129);
        let [first, second, last] = [1, 2, 1000].map(|rank| river(&field, 0.0, rank));
        assert!(second.len() > 2);
        assert_ne!(first.last(), second.last());
        assert!(last.is_empty(), "there are not so many");
    }

    #[test]
    fn a_land_has_the_same_river_at_every_resolution() {
        let [coarse, fine] = [129, 513].map(|side| river(&island(side), 0.0, 1));
        assert_eq!(coarse, fine);
    }

    #[test]
    fn without_a_sea_it_leaves_the_land() {
        let slope = Heightfield::from_fn(Grid::new(65, 33, 20.0).unwrap(), |column, row| {
            300.0 - column as f32 + (row as f32 - 16.0).abs()
        });
        let nodes = river(&slope, -12_000.0, 1);
        let last = nodes.last().unwrap();
        assert!(last.x > slope.grid().extent().x, "{nodes:?}");
        // Once it has come down the sides of the valley.
        assert!(nodes.iter().filter(|node| node.x > 400.0).all(|node| node.y == 320.0), "{nodes:?}");
    }

    #[test]
    fn where_nothing_falls_there_is_no_river() {
        for (width, depth) in [(1, 1), (1, 40), (40, 1), (2, 2), (40, 30)] {
            let flat = Heightfield::flat(Grid::new(width, depth, 20.0).unwrap(), 100.0);
            assert!(river(&flat, 0.0, 1).is_empty(), "flat");
            assert!(river(&flat, 100.0, 1).is_empty(), "all sea");
        }
        assert!(river(&island(65), 2000.0, 1).is_empty(), "drowned");
        assert!(river(&island(65), 0.0, 0).is_empty());
    }

    #[test]
    fn a_way_around_a_hollow_is_worth_more_than_one_through_it() {
        // The western half of a ridge drains through a deep hollow behind a high sill, the eastern over even
        // ground.
        let field = Heightfield::from_fn(Grid::new(129, 129, 20.0).unwrap(), |column, row| {
            let (x, z) = (column as f32, row as f32);
            let even = 900.0 - 3.0 * z;
            let wall = if (60.0..=66.0).contains(&x) { 400.0 } else { 0.0 };
            if x < 60.0 && (40.0..90.0).contains(&z) { even - 100.0 } else { even + wall }
        });
        let nodes = river(&field, 530.0, 1);
        assert!(nodes.iter().all(|node| node.x > 60.0 * 20.0), "{nodes:?}");
    }
}
