//! The centre line of a road: a curve through points, and which place of it is nearest.

use std::ops::RangeInclusive;

use glam::DVec2;

use crate::steps::water::CurveSegment;

/// Segments that share a bounding box.
const BLOCK: usize = 32;

/// The most points of a line: a longer line has them farther apart.
const MOST: f64 = 200_000.0;

/// A curve as straight segments, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CentreLine {
    pub(super) points: Vec<DVec2>,
    /// The distance of each point from the first, along the line.
    pub(super) along: Vec<f64>,
}

/// The nearest place of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub(super) distance: f64,
    /// The point before it.
    pub(super) index: usize,
    /// How far it lies on the way to the next.
    pub(super) share: f64,
}

impl CentreLine {
    /// The centripetal Catmull-Rom curve through some nodes, as segments of about `spacing` metres, and which
    /// of its points each node is. It has no loop between two nodes (Yuksel, Schaefer and Keyser 2011). Nodes
    /// that are equal to the one before are skipped; through fewer than two there is no curve.
    pub(super) fn through(mut nodes: Vec<DVec2>, spacing: f64) -> (Self, Vec<usize>) {
        nodes.retain(|node| node.is_finite());
        // Equal neighbours would make a curve's segment without length, which divides by 0.
        nodes.dedup();
        let (2.., Some(first), Some(last)) = (nodes.len(), nodes.first(), nodes.last()) else {
            return Default::default();
        };
        // The curve needs a node beyond each end: the second one, mirrored.
        let before = 2.0 * first - nodes[1];
        let after = 2.0 * last - nodes[nodes.len() - 2];
        let chords: f64 = nodes.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        // A bound on the number of points, whatever the width: memory and time stay within limits.
        let spacing = spacing.max(chords / MOST);
        let around: Vec<DVec2> = [before].into_iter().chain(nodes.iter().copied()).chain([after]).collect();
        let mut line = Self { points: vec![*first], along: vec![0.0] };
        let mut knots = vec![0];
        for nodes in around.array_windows() {
            let segment = CurveSegment::centripetal(*nodes);
            // By the segment's greatest speed, so that no part is longer than `spacing`.
            let parts = (segment.speed() / spacing).ceil().max(1.0) as usize;
            for part in 1..=parts {
                line.add(segment.at(part as f64 / parts as f64));
            }
            knots.push(line.points.len() - 1);
        }
        (line, knots)
    }

    /// The line through the points of another line, bit for bit the same.
    pub(super) fn of_points(points: &[DVec2]) -> Self {
        let Some((first, others)) = points.split_first() else { return Self::default() };
        let mut line = Self { points: vec![*first], along: vec![0.0] };
        others.iter().for_each(|point| line.add(*point));
        line
    }

    /// Straight lines from node to node, as segments of at most `spacing` metres.
    pub(super) fn straight(nodes: &[DVec2], spacing: f64) -> Self {
        let mut line = Self::of_points(&nodes[..nodes.len().min(1)]);
        for pair in nodes.windows(2) {
            let parts = (pair[0].distance(pair[1]) / spacing).ceil().clamp(1.0, MOST) as usize;
            (1..=parts).for_each(|part| line.add(pair[0].lerp(pair[1], part as f64 / parts as f64)));
        }
        line
    }

    /// The length of parts of it, each between two of its points, metres.
    pub(super) fn length_of(&self, parts: &[RangeInclusive<usize>]) -> f64 {
        parts.iter().map(|part| self.along[*part.end()] - self.along[*part.start()]).sum()
    }

    /// The segments that cross or touch others, each pair by the indices of the points before them.
    pub(super) fn crossings(&self) -> Vec<(usize, usize)> {
        let segment = |index: usize| [self.points[index], self.points[index + 1]];
        let blocks: Vec<Block> = self.blocks().collect();
        let mut crossings = Vec::new();
        for (number, one) in blocks.iter().enumerate() {
            let meets = |other: &&Block| one.low.cmple(other.high).all() && other.low.cmple(one.high).all();
            // From the block itself on: each pair once, and crossings within a block too.
            for other in blocks[number..].iter().filter(meets) {
                for first in one.first..one.last {
                    // Neighbours share a point.
                    let seconds = other.first.max(first + 2)..other.last;
                    let crossed = seconds.filter(|second| is_crossed(segment(first), segment(*second)));
                    crossings.extend(crossed.map(|second| (first, second)));
                }
            }
        }
        crossings
    }

    fn add(&mut self, point: DVec2) {
        let (Some(before), Some(along)) = (self.points.last(), self.along.last()) else { return };
        let step = before.distance(point);
        // Segments of no length have no direction.
        if step > 0.0 {
            self.along.push(along + step);
            self.points.push(point);
        }
    }

    /// All of it in blocks.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> {
        let segments = self.points.len().saturating_sub(1);
        (0..segments).step_by(BLOCK).map(move |first| {
            let last = (first + BLOCK).min(segments);
            let bounds = (DVec2::INFINITY, DVec2::NEG_INFINITY);
            let (low, high) = self.points[first..=last]
                .iter()
                .fold(bounds, |(low, high), point| (low.min(*point), high.max(*point)));
            Block { first, last, low, high }
        })
    }

    /// The parts of it that lie within `reach` metres of a rectangle.
    pub(super) fn near(&self, low: DVec2, high: DVec2, reach: f64) -> NearLine<'_> {
        self.near_of(self.blocks(), low, high, reach)
    }

    /// The same, of these blocks alone.
    pub(super) fn near_of(
        &self,
        blocks: impl Iterator<Item = Block>,
        low: DVec2,
        high: DVec2,
        reach: f64,
    ) -> NearLine<'_> {
        let is_near =
            // Boxes, grown by the reach: may keep a block too many, but never loses one.
            |block: &Block| (block.low - reach).cmple(high).all() && (block.high + reach).cmpge(low).all();
        NearLine { line: self, reach, blocks: blocks.filter(is_near).collect() }
    }
}

/// Segments `first..last`, and the box around them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    first: usize,
    last: usize,
    low: DVec2,
    high: DVec2,
}

/// A line as far as it lies near some rectangle.
pub(super) struct NearLine<'a> {
    line: &'a CentreLine,
    reach: f64,
    blocks: Vec<Block>,
}

impl Block {
    /// The corners of the box around it.
    pub(super) fn corners(&self) -> (DVec2, DVec2) {
        (self.low, self.high)
    }

    /// The points of its segments.
    pub(super) fn points(&self) -> RangeInclusive<usize> {
        self.first..=self.last
    }
}

impl NearLine<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The part of it that may lie within `reach` of a row.
    pub(super) fn in_row(&self, z: f64) -> Self {
        let is_near = |block: &&Block| block.low.y - self.reach <= z && block.high.y + self.reach >= z;
        Self { blocks: self.blocks.iter().filter(is_near).copied().collect(), ..*self }
    }

    /// The segments of those of its blocks that `is_wanted` accepts.
    pub(super) fn segments(&self, is_wanted: impl Fn(&Block) -> bool) -> impl Iterator<Item = [DVec2; 2]> {
        let blocks = self.blocks.iter().filter(move |block| is_wanted(block));
        let points = &self.line.points;
        blocks.flat_map(|block| (block.first..block.last).map(|index| [points[index], points[index + 1]]))
    }

    /// The nearest place of the line, if it is within reach; of several the first.
    pub(super) fn nearest(&self, p: DVec2) -> Option<Nearest> {
        let points = &self.line.points;
        let mut nearest: Option<Nearest> = None;
        // Squared, so that the root is taken once, of the nearest.
        let mut best = self.reach * self.reach;
        for block in &self.blocks {
            if p.distance_squared(p.clamp(block.low, block.high)) > best {
                continue;
            }
            for index in block.first..block.last {
                let along = points[index + 1] - points[index];
                let away = p - points[index];
                let share = (away.dot(along) / along.length_squared()).clamp(0.0, 1.0);
                let squared = away.distance_squared(along * share);
                // At exactly the reach a first hit counts; of equally near segments the first one stays.
                if squared < best || (nearest.is_none() && squared == best) {
                    best = squared;
                    nearest = Some(Nearest { distance: squared, index, share });
                }
            }
        }
        nearest.map(|nearest| Nearest { distance: nearest.distance.sqrt(), ..nearest })
    }
}

/// Whether two segments cross or touch.
pub(super) fn is_crossed(one: [DVec2; 2], other: [DVec2; 2]) -> bool {
    // Without this test, parallel segments on one line would count as crossed.
    let is_beside = one[0].max(one[1]).cmplt(other[0].min(other[1])).any()
        || other[0].max(other[1]).cmplt(one[0].min(one[1])).any();
    let parts = |line: [DVec2; 2], points: [DVec2; 2]| {
        let [first, second] = points.map(|point| (line[1] - line[0]).perp_dot(point - line[0]));
        // With equality: segments that only touch cross too.
        first.min(second) <= 0.0 && first.max(second) >= 0.0
    };
    !is_beside && parts(one, other) && parts(other, one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn winding() -> CentreLine {
        let nodes = [(0.0, 0.0), (300.0, 40.0), (300.0, 40.0), (320.0, 300.0), (-50.0, 350.0)];
        CentreLine::through(nodes.map(DVec2::from).to_vec(), 2.0).0
    }

    #[test]
    fn the_line_goes_through_its_nodes_in_short_segments() {
        let line = winding();
        for node in [(0.0, 0.0), (300.0, 40.0), (320.0, 300.0), (-50.0, 350.0)] {
            let nearest =
                line.points.iter().map(|point| point.distance(node.into())).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-9, "{node:?}: {nearest}");
        }
        for (points, along) in line.points.windows(2).zip(line.along.windows(2)) {
            let length = points[0].distance(points[1]);
            assert!(length <= 2.0 && (along[1] - along[0] - length).abs() < 1e-9);
        }
        let nowhere = [vec![], vec![DVec2::ONE], vec![DVec2::ONE; 3], vec![DVec2::NAN, DVec2::ONE]];
        assert!(nowhere.into_iter().all(|nodes| CentreLine::through(nodes, 1.0).0.points.is_empty()));
        let far = CentreLine::through(vec![DVec2::ZERO, DVec2::new(1e7, 0.0)], 0.1).0;
        assert!(far.points.len() <= 400_000);
    }

    #[test]
    fn crossings_are_those_of_all_pairs_of_segments() {
        assert_eq!(winding().crossings(), []);
        let line = winding();
        assert_eq!(CentreLine::of_points(&line.points), line);
        let nodes =
            [(0.0, 0.0), (500.0, 0.0), (500.0, 300.0), (200.0, 300.0), (220.0, -200.0), (30.0, 100.0)];
        let crossed = CentreLine::through(nodes.map(DVec2::from).to_vec(), 3.0).0;
        let crossings = crossed.crossings();
        let at: Vec<DVec2> = crossings.iter().map(|(first, _)| crossed.points[*first]).collect();
        assert_eq!(crossings.len(), 2, "{at:?}");
        assert!(at.iter().all(|place| place.y.abs() < 60.0), "where it comes back to its beginning: {at:?}");
    }

    #[test]
    fn the_nearest_place_is_the_nearest_of_all() {
        let line = winding();
        for index in 0..500 {
            let p = DVec2::new(f64::from(index * 37 % 700) - 150.0, f64::from(index * 53 % 600) - 100.0);
            let least = (0..line.points.len() - 1)
                .map(|index| {
                    let along = line.points[index + 1] - line.points[index];
                    let away = p - line.points[index];
                    away.distance(along * (away.dot(along) / along.length_squared()).clamp(0.0, 1.0))
                })
                .fold(f64::INFINITY, f64::min);
            let found = line.near(p - 5.0, p + 5.0, 60.0).in_row(p.y).nearest(p);
            match found {
                Some(found) => assert!((found.distance - least).abs() < 1e-9, "{p}"),
                None => assert!(least > 60.0, "{p}: {least}"),
            }
        }
    }
}
