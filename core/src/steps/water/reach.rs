//! Distances to a river's curve, and the curve that leads from one river into another.

use glam::Vec2;

use super::course::Course;

/// Points that share one bounding box.
const BLOCK: usize = 64;

/// A course with bounding boxes, for fast distance queries.
pub(super) struct DistanceIndex {
    /// The bounding box of every block of points.
    bounds: Vec<(Vec2, Vec2)>,
}

impl DistanceIndex {
    pub(super) fn new(points: &[Vec2]) -> Self {
        let bounds = points.chunks(BLOCK).map(|block| {
            block.iter().fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), point| {
                (low.min(*point), high.max(*point))
            })
        });
        Self { bounds: bounds.collect() }
    }

    /// Index of the nearest of `points`, which it was built from, and the distance in samples.
    pub(super) fn nearest(&self, points: &[Vec2], from: Vec2) -> (usize, f32) {
        let mut best = (0, f32::INFINITY);
        // Points at the end may have been removed since.
        for (block, (low, high)) in self.bounds.iter().enumerate().take(points.len().div_ceil(BLOCK)) {
            // No point of the block is nearer than its box.
            if from.distance_squared(from.clamp(*low, *high)) >= best.1 {
                continue;
            }
            let first = block * BLOCK;
            let last = points.len().min(first + BLOCK);
            for (index, point) in points.iter().enumerate().take(last).skip(first) {
                let away = point.distance_squared(from);
                if away < best.1 {
                    best = (index, away);
                }
            }
        }
        (best.0, best.1.sqrt())
    }
}

impl Course {
    /// The course that leaves its own curve after point `leaves` and bends into `main` near its point
    /// `beside`, running along with it for a short distance: rivers join at acute angles. Only the curve is
    /// valid afterwards. Also returns the point of `main` where it ends.
    pub(super) fn bent_into(&mut self, leaves: usize, main: &Self, beside: usize) -> usize {
        let way = if self.along.first() <= self.along.last() { 1.0 } else { -1.0 };
        let cut = |values: &mut Vec<f32>| values.truncate(leaves + 1);
        self.points.truncate(leaves + 1);
        cut(&mut self.along);
        self.joins = leaves + 1;
        let from = self.points[leaves];
        let away = from.distance(main.points[beside]);
        let mut ends = beside;
        let mut ahead = 0.0;
        while ends + 1 < main.points.len() && ahead < ALONG * away {
            ahead += main.points[ends].distance(main.points[ends + 1]);
            ends += 1;
        }
        let to = main.points[ends];
        let direction = |points: &[Vec2], last: usize| {
            (points[last] - points[last.saturating_sub(1)]).normalize_or_zero()
        };
        let bend = from.distance(to) / 3.0;
        // A Bézier curve with the tangent of each river at its end.
        let first = from + direction(&self.points, leaves) * bend;
        let second = to - direction(&main.points, ends) * bend;
        let count = (6.0 * bend * 2.0).ceil() as usize;
        let mut far = self.along[leaves];
        let mut before = from;
        for number in 1..=count {
            let t = number as f32 / count as f32;
            let [a, b, c] = [from.lerp(first, t), first.lerp(second, t), second.lerp(to, t)];
            let point = a.lerp(b, t).lerp(b.lerp(c, t), t);
            far += way * before.distance(point) * self.grid.cell;
            self.points.push(point);
            self.along.push(far);
            before = point;
        }
        ends
    }

    /// Removes the points before `head`. Only the curve is valid afterwards.
    pub(super) fn behead(&mut self, head: usize) {
        let head = head.min(self.points.len());
        self.points.drain(..head);
        self.along.drain(..head);
        self.joins = self.joins.saturating_sub(head);
    }

    /// An empty course with the same channel.
    pub(super) fn emptied(self) -> Self {
        Self { channel: self.channel, ..Self::none(self.grid) }
    }

    /// Makes the water at least `water` metres deep from a point on, with a transition over the `over`
    /// metres before it.
    pub(super) fn deepen(&mut self, point: usize, water: f32, over: f32) {
        let at = self.along[point];
        for number in 0..self.sections.len() {
            let own = self.own_section(number).water;
            let section = &mut self.sections[number];
            let before = if number < point { (self.along[number] - at).abs() / over } else { 0.0 };
            section.water = section.water.max(water + (own - water) * before.min(1.0));
        }
    }
}

/// How far downstream a river reaches the middle of another, relative to their distance.
const ALONG: f32 = 1.2;
