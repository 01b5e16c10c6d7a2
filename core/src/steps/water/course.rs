//! The course of a river: its curve over the land, and what is known along it.
//!
//! The files next to this one work with it: `trace` finds the samples that it passes, `beside` those near it,
//! `profile` the height of its bed, which `carve` digs; `hydraulics` lets water flow in it, and `reach` bends
//! it into another.

use glam::{DVec2, Vec2};

use super::banks::Banks;
pub(super) use super::carve::drain_along;
pub use super::channel::Channel;
pub(super) use super::channel::Section;
use super::stretch::CurveSegment;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// The course of a river from source to mouth, for a given grid.
///
/// ```
/// # use upland_core as upland;
/// use glam::vec2;
/// use upland::water::{Channel, Course};
/// use upland::{Grid, Heightfield, Work};
///
/// let mut land = Heightfield::flat(Grid::new(50, 50, 10.0)?, 100.0);
/// let channel = Channel { width: 60.0, depth: 8.0, bank: 20.0, fill: 0.5 };
/// let drawn_by_hand = [vec2(0.0, 100.0), vec2(200.0, 300.0), vec2(490.0, 250.0)];
/// let course = Course::through(&drawn_by_hand, channel, land.grid(), &Work::new())?;
/// course.carve(&mut land, &Work::new())?;
/// assert_eq!(land.at(20, 30), 92.0);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    pub(super) grid: Grid,
    pub(super) channel: Channel,
    /// In samples from the north-west corner, source first; at most half a sample apart on the land, with
    /// growing distances outside.
    pub(super) points: Vec<Vec2>,
    /// Distance of each point along the curve, in metres, the same at every resolution.
    pub(super) along: Vec<f32>,
    /// The banks' deviations; `None` for smooth ones.
    pub(super) banks: Option<Banks>,
    /// The samples that the curve passes.
    pub(super) passed: Vec<Passed>,
    /// Where the curve crosses itself, inner loops first.
    pub(super) loops: Vec<RiverLoop>,
    /// The cross-section at every point; empty if it is the channel's everywhere.
    pub(super) sections: Vec<Section>,
    /// The cross-section by the distance along the curve in metres, where it grows with the river's
    /// discharge; empty if it is the channel's everywhere.
    pub(super) grows: Vec<(f32, Section)>,
    /// If it begins in another river: the sample of that river's bed.
    pub(super) source: Option<usize>,
    /// If it ends in another river: the sample of that river's bed.
    pub(super) mouth: Option<usize>,
    /// Whether it may be reversed to flow downhill.
    pub(super) flows_downhill: bool,
    /// Index of the point from which it runs outside the edges of the river that it leaves.
    pub(super) parts: usize,
    /// Index of the point from which it runs within the edges of the river that it ends in.
    pub(super) meets: usize,
    /// Index of the point from which it has left its own curve and bends into the river that it ends in.
    pub(super) joins: usize,
    /// Its rank in the network that it was carved in, the main river first.
    pub(super) rank: usize,
}

/// A sample that the curve passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passed {
    pub(super) index: usize,
    /// Index of the point where the curve first reaches it.
    pub(super) point: usize,
    /// Whether it is on the river's own bed: not on a loop of the curve, not in rivers that it begins in, and
    /// not below the end of a valley.
    pub(super) bed: bool,
}

/// A part of a curve that ends on the sample where it began. The water takes the short way; in the loop it
/// stands as high as where the loop closes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RiverLoop {
    /// The points where the loop begins and where it closes.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The samples on it, in order, the closing one last.
    pub(super) samples: Vec<usize>,
}

impl Course {
    /// The centripetal Catmull-Rom curve through `nodes`, in metres east and south of the north-west
    /// corner, source first. It has no loop between two nodes, however they lie (Yuksel, Schaefer and
    /// Keyser 2011). Nodes that are not finite, or equal to the one before, are skipped. With fewer than
    /// two nodes there is no course, and nothing is carved.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn through(nodes: &[Vec2], channel: Channel, grid: Grid, work: &Work) -> Result<Self> {
        let mut nodes: Vec<Vec2> = nodes.iter().copied().filter(|node| node.is_finite()).collect();
        // Equal neighbours make a segment without length, at which the centripetal curve would divide by 0.
        nodes.dedup();
        Self::along(&nodes, CurveSegment::centripetal, channel, grid, work)
    }

    /// The uniform Catmull-Rom curve, for nodes at roughly equal distances.
    pub(super) fn through_even(nodes: &[Vec2], channel: Channel, grid: Grid, work: &Work) -> Result<Self> {
        Self::along(nodes, CurveSegment, channel, grid, work)
    }

    /// Builds the course along a curve; `stretch` makes the part between the middle two of four consecutive
    /// nodes.
    fn along(
        nodes: &[Vec2],
        stretch: impl Fn([DVec2; 4]) -> CurveSegment,
        channel: Channel,
        grid: Grid,
        work: &Work,
    ) -> Result<Self> {
        // In f64, since the curve is divided until its points are half a sample apart, also on large land.
        let nodes: Vec<DVec2> = nodes.iter().map(|node| node.as_dvec2() / f64::from(grid.cell)).collect();
        let (mut points, mut along) = (Vec::new(), Vec::new());
        if let (2.., Some(first), Some(last)) = (nodes.len(), nodes.first(), nodes.last()) {
            points.push(first.as_vec2());
            along.push(0.0);
            let mut far = 0.0;
            // Extrapolate the curve at both ends.
            let before = 2.0 * first - nodes[1];
            let after = 2.0 * last - nodes[nodes.len() - 2];
            let around: Vec<_> = [before].into_iter().chain(nodes.iter().copied()).chain([after]).collect();
            for nodes in around.array_windows() {
                work.check()?;
                let stretch = stretch(*nodes);
                let lengths = stretch.lengths();
                stretch.walk(0.0, 1.0, 40, grid, &mut |t, point| {
                    points.push(point.as_vec2());
                    along.push(((far + lengths.to(t)) * f64::from(grid.cell)) as f32);
                });
                far += lengths.to(1.0);
            }
        }
        Self { channel, points, along, ..Self::none(grid) }.traced(work)
    }

    /// An empty course.
    pub(super) fn none(grid: Grid) -> Self {
        Self {
            grid,
            channel: Channel { width: 0.0, depth: 0.0, bank: 0.0, fill: 0.0 },
            points: Vec::new(),
            along: Vec::new(),
            banks: None,
            passed: Vec::new(),
            loops: Vec::new(),
            sections: Vec::new(),
            grows: Vec::new(),
            source: None,
            mouth: None,
            flows_downhill: false,
            parts: 0,
            meets: usize::MAX,
            joins: usize::MAX,
            rank: 0,
        }
    }

    /// The same course with banks that deviate by up to `share` of the width, in \[0, 0.5\], to either side
    /// of their smooth line; `seed` decides how. 0 leaves them smooth.
    pub fn with_rough_banks(mut self, share: f32, seed: u64) -> Self {
        let width = self.channel.width;
        let ends = [self.along.first(), self.along.last()];
        let length = ends.into_iter().flatten().fold(0.0, |length: f32, end| length.max(*end));
        // At most half of the width, or both banks could meet.
        self.banks = (share > 0.0 && width > 0.0).then(|| Banks::new(width, length, share.min(0.5), seed));
        self
    }

    /// The same course with a cross-section that changes along it, given at growing distances in metres.
    pub(super) fn growing(mut self, grows: Vec<(f32, Section)>) -> Self {
        self.grows = grows;
        self
    }

    /// Whether it is a stream that was found by the land's drainage, one of many of a step.
    pub(crate) fn is_stream(&self) -> bool {
        !self.grows.is_empty()
    }

    /// The cross-section at a point, far from other rivers.
    pub(super) fn own_section(&self, point: usize) -> Section {
        let along = self.along.get(point).copied().unwrap_or(0.0);
        let next = self.grows.partition_point(|(from, _)| *from <= along);
        match (next.checked_sub(1).map(|last| self.grows[last]), self.grows.get(next)) {
            (Some((from, here)), Some((to, there))) => here.lerp(*there, (along - from) / (to - from)),
            (Some((_, end)), None) => end,
            (None, Some((_, first))) => *first,
            (None, None) => self.channel.section(),
        }
    }

    /// Approximate memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let points = self.points.len() * (size_of::<Vec2>() + size_of::<f32>());
        let sections =
            self.sections.len() * size_of::<Section>() + self.grows.len() * size_of::<(f32, Section)>();
        (points + sections + self.passed.len() * size_of::<Passed>()) as u64
    }

    /// The grid that the course was made for.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Refuses land of another grid.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub(super) fn check_grid(&self, land: Grid) -> Result<()> {
        if self.grid == land {
            return Ok(());
        }
        let Grid { width, depth, cell } = self.grid;
        let reason = format!(
            "the river was made for {width}×{depth} samples, {cell} m apart, not for {}×{}, {} m apart; make \
             it again for this land",
            land.width, land.depth, land.cell,
        );
        Err(Error::parameter("rivers", reason))
    }

    /// The cross-section of the river; of a stream, that at its mouth.
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Width from edge to edge at each of its points, metres.
    pub fn widths(&self) -> impl Iterator<Item = f32> {
        let width =
            |point: usize| self.sections.get(point).map_or(self.channel.width, |section| 2.0 * section.half);
        (0..self.points.len()).map(width)
    }

    /// The largest distance from its line to the edge of its bed, metres.
    pub(crate) fn farthest_edge(&self) -> f32 {
        let strays = self.banks.as_ref().map_or(0.0, |banks| banks.farthest());
        self.channel.width / 2.0 + strays
    }

    /// Whether water flows in it. Without water it is a dry valley.
    pub(crate) fn has_water(&self) -> bool {
        self.channel.water() > 0.0
    }

    /// Points of the curve, in metres east and south of the north-west corner, source first; at most half a
    /// cell apart on the land.
    pub fn points(&self) -> impl Iterator<Item = Vec2> {
        self.points.iter().map(|point| point * self.grid.cell)
    }

    /// The samples of the bed, as (column, row), source first; their heights never rise. Consecutive ones
    /// are neighbours, unless the course left the land between them; none comes twice.
    pub fn bed(&self) -> impl Iterator<Item = (usize, usize)> {
        let sample = |index| (index % self.grid.width, index / self.grid.width);
        self.passed.iter().filter(|passed| passed.bed).map(move |passed| sample(passed.index))
    }

    /// The course in the opposite direction.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn reversed(mut self, work: &Work) -> Result<Self> {
        self.points.reverse();
        self.along.reverse();
        self.traced(work)
    }

    /// Reverses a course that may flow downhill, if its source is lower than its mouth. `height` is called
    /// with a sample, as column and row, and the point of the curve there.
    pub(super) fn turned_downhill(
        self,
        work: &Work,
        height: impl Fn(usize, usize, Vec2) -> f32,
    ) -> Result<Self> {
        // Its own bed alone: in another river the water is that river's.
        let mut bed = self.passed.iter().filter(|passed| passed.bed);
        let ends = (bed.next(), bed.next_back());
        let (true, Some(first), Some(last)) = (self.flows_downhill, ends.0, ends.1) else {
            return Ok(self);
        };
        let width = self.grid.width;
        let height = |end: &Passed| height(end.index % width, end.index / width, self.points[end.point]);
        if height(first) < height(last) { self.reversed(work) } else { Ok(self) }
    }
}
