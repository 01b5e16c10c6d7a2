//! The course of a river: its curve over the land, the bed along it and the water in it.

use std::collections::HashMap;

use glam::{DVec2, Vec2};
use rayon::prelude::*;

use super::banks::Banks;
use super::nearest::{NO_ROW, Nearest};
use super::profile::descending;
use super::sheet::Flowing;
use super::stretch::CurveSegment;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};
use crate::math::smoothstep::smoothstep;

/// The lowest and highest speed of flow, metres per second; estimates are clamped to these.
const SLOWEST: f32 = 0.2;
const FASTEST: f32 = 7.0;

/// The shortest loop, in samples. A curve that returns to a sample sooner only runs along the border
/// between two samples.
const LOOP: f32 = 2.0;

/// The cross-section of a river.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Width from edge to edge, metres, at least 0.
    pub width: f32,
    /// Depth of the bed's middle below the edges, metres, at least 0.
    pub depth: f32,
    /// Distance from the edge to where the valley's side reaches the original land, metres, at least 0.
    pub bank: f32,
    /// Depth of the water as a share of `depth`.
    pub fill: f32,
}

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
    /// Index of the point from which it runs over the bed of the river that it ends in.
    pub(super) joins: usize,
    /// Its rank in the network that it was carved in, the main river first.
    pub(super) rank: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passed {
    pub(super) index: usize,
    /// Index of the point where the curve first reaches it.
    pub(super) point: usize,
    /// Whether it is on the bed, and not on a loop of the curve.
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

/// The cross-section of a river at a point, where other rivers make it differ from the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Section {
    /// Distance from the curve to the edge, metres.
    pub(super) half: f32,
    /// Height of the edge above the water, metres.
    pub(super) rim: f32,
    /// Depth of the water over the middle of the bed, metres.
    pub(super) water: f32,
}

impl Section {
    /// Linear interpolation towards `other`.
    pub(super) fn lerp(self, other: Self, share: f32) -> Self {
        let between = |here: f32, there: f32| here + (there - here) * share;
        Self {
            half: between(self.half, other.half),
            rim: between(self.rim, other.rim),
            water: between(self.water, other.water),
        }
    }
}

impl Channel {
    /// Depth of the water over the middle of the bed, metres.
    pub(super) fn water(self) -> f32 {
        self.fill * self.depth
    }

    /// The cross-section far from other rivers.
    pub(super) fn section(self) -> Section {
        Section { half: self.width / 2.0, rim: self.depth - self.water(), water: self.water() }
    }
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
        self.banks = (share > 0.0 && width > 0.0).then(|| Banks::new(width, length, share.min(0.5), seed));
        self
    }

    /// Approximate memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let points = self.points.len() * (size_of::<Vec2>() + size_of::<f32>());
        let sections = self.sections.len() * size_of::<Section>();
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
             it anew for this land",
            land.width, land.depth, land.cell,
        );
        Err(Error::parameter("rivers", reason))
    }

    /// The cross-section of the river.
    pub fn channel(&self) -> Channel {
        self.channel
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
        let mut bed = self.passed.iter().filter(|passed| passed.bed);
        let ends = (bed.next(), bed.next_back());
        let (true, Some(first), Some(last)) = (self.flows_downhill, ends.0, ends.1) else {
            return Ok(self);
        };
        let width = self.grid.width;
        let height = |end: &Passed| height(end.index % width, end.index / width, self.points[end.point]);
        if height(first) < height(last) { self.reversed(work) } else { Ok(self) }
    }

    /// Lowers `field`, which must have the grid that the course was made for, to the bed: full depth along
    /// the middle, rising smoothly to 0 at the edge; where the river cuts through higher land, its banks
    /// rise from there to the original land. The bed never rises downstream, no height is raised, and
    /// waterfalls are eased to slopes. A river narrower than a cell is one sample wide. For rivers that
    /// meet use [`carve_together`](super::carve_together).
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn carve(&self, field: &mut Heightfield, work: &Work) -> Result<()> {
        let bed = self.eased(&self.descending_bed(field, &[], &[]), None, None);
        self.dig(field, None, &bed, work)?;
        self.drain(field);
        Ok(())
    }

    /// Digs along `bed`, a descending height for every point. The banks rise to the land of `before`, if
    /// that is given, or else to the present one.
    pub(super) fn dig(
        &self,
        field: &mut Heightfield,
        before: Option<&[f32]>,
        bed: &[f32],
        work: &Work,
    ) -> Result<()> {
        let Channel { depth, bank, .. } = self.channel;
        self.each_near(field.heights_mut(), bank, work, |index, height, near| {
            let bed = near.place.of(bed);
            let depth = near.section.map_or(depth, |section| section.rim + section.water);
            let dug = if near.away < near.half {
                bed + depth * smoothstep(near.away / near.half)
            } else {
                let edge = bed + depth;
                let land = before.map_or(*height, |before| before[index]);
                edge + (land - edge) * smoothstep((near.away - near.half) / bank)
            };
            *height = height.min(dug);
        })?;
        let heights = field.heights_mut();
        for passed in &self.passed {
            let height = &mut heights[passed.index];
            *height = height.min(bed[passed.point]);
        }
        Ok(())
    }

    /// Lowers the samples of the bed so that none is higher than one upstream: digging further down can
    /// have lowered the bed above, at a waterfall for example. Returns the lowest height.
    pub(super) fn drain(&self, field: &mut Heightfield) -> f32 {
        let heights = field.heights_mut();
        for ring in &self.loops {
            drain_along(heights, ring.samples.iter().copied(), f32::INFINITY);
        }
        let bed = self.passed.iter().filter(|passed| passed.bed);
        drain_along(heights, bed.map(|passed| passed.index), f32::INFINITY)
    }

    /// The same below `sample` of its bed, where the bed is higher than `lowest`.
    pub(super) fn drain_from(&self, field: &mut Heightfield, sample: Option<usize>, lowest: f32) -> f32 {
        let heights = field.heights_mut();
        let in_loop = self.loops.iter().find_map(|ring| {
            let place = ring.samples.iter().position(|on_loop| Some(*on_loop) == sample)?;
            Some(&ring.samples[place..])
        });
        let lowest = drain_along(heights, in_loop.unwrap_or_default().iter().copied(), lowest);
        let from = in_loop.and_then(|samples| samples.last().copied()).or(sample);
        let bed = self.passed.iter().filter(|passed| passed.bed).map(|passed| passed.index);
        drain_along(heights, bed.skip_while(|index| Some(*index) != from), lowest)
    }

    /// Raises `depths`, metres of water on the samples of `field`, to the river's water, whose `surface` is
    /// given at its points. Samples in `taken` belong to a larger river and are skipped; the samples within
    /// this river's edges are added to it.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn fill(
        &self,
        field: &Heightfield,
        surface: &[f32],
        depths: &mut [f32],
        taken: Option<&mut [bool]>,
        work: &Work,
    ) -> Result<()> {
        let (heights, width) = (field.heights(), self.grid.width);
        let raise =
            |water: &mut f32, index: usize, surface: f32| *water = water.max(surface - heights[index]);
        let Some(taken) = taken else {
            self.each_near(depths, 0.0, work, |index, water, near| {
                raise(water, index, near.place.of(surface));
            })?;
            for passed in &self.passed {
                raise(&mut depths[passed.index], passed.index, surface[passed.point]);
            }
            return Ok(());
        };
        let passed = self.passed.iter().filter(|passed| !taken[passed.index]);
        let passed: Vec<Passed> = passed.copied().collect();
        let rows = depths.par_chunks_mut(width).zip(taken.par_chunks_mut(width));
        self.each_row_near(rows, 0.0, work, |(depths, taken), (column, row), near| {
            if !taken[column] {
                raise(&mut depths[column], row * width + column, near.place.of(surface));
                taken[column] = true;
            }
        })?;
        for Passed { index, point, .. } in passed {
            raise(&mut depths[index], index, surface[point]);
            taken[index] = true;
        }
        Ok(())
    }

    /// The water on all samples less than `beyond` metres outside the river's edges, whether the ground
    /// there is lower or not, with `surface` given at the river's points.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn flowing(&self, surface: &[f32], beyond: f32, work: &Work) -> Result<Vec<Flowing>> {
        let speeds = self.speeds(surface);
        let Channel { depth: bed_depth, fill, .. } = self.channel;
        let wave_speed = (9.81 * fill * bed_depth).sqrt();
        let Grid { width, depth, cell } = self.grid;
        let mut rows: Vec<Vec<Flowing>> = vec![Vec::new(); depth];
        self.each_row_near(rows.par_iter_mut(), beyond, work, |waters, (column, row), near| {
            let index = near.place.index.min(self.points.len() - 2);
            let ahead = self.points[index + 1] - self.points[index];
            // Friction slows the water along the banks.
            let from_middle = (near.away / near.half.max(cell)).min(1.0);
            let speed = near.place.of(&speeds);
            let slowed = 1.0 - 0.8 * from_middle * from_middle;
            waters.push(Flowing {
                sample: row * width + column,
                level: near.place.of(surface),
                velocity: ahead.normalize_or_zero() * (speed * slowed),
                froude: speed / wave_speed,
                is_inside: near.away < near.half.max(0.75 * cell),
            });
        })?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// The height of the water at every point, `fill` of the depth above the lowest ground of the bed so
    /// far; `None` if the river is dry. Ignores other rivers.
    pub(super) fn surface(&self, field: &Heightfield) -> Option<Vec<f32>> {
        let water = self.channel.water();
        if water <= 0.0 || self.points.len() < 2 {
            return None;
        }
        let mut ground = vec![None; self.points.len()];
        // Within the edges of another river the ground is that river's bed.
        let own = self.parts..self.meets.max(self.parts + 1);
        for passed in self.passed.iter().filter(|passed| passed.bed && own.contains(&passed.point)) {
            let water = self.sections.get(passed.point).map_or(water, |section| section.water);
            ground[passed.point] = Some(field.heights()[passed.index] + water);
        }
        Some(descending(ground.into_iter()))
    }

    /// The greatest depth of the bed under the edges, metres.
    pub(super) fn deepest(&self) -> f32 {
        let depths = self.sections.iter().map(|section| section.rim + section.water);
        depths.fold(self.channel.depth, f32::max)
    }

    /// The speed of the water in the middle of the river at every point, metres per second: Manning's
    /// formula for a stony bed, with the slope averaged over about the river's width.
    fn speeds(&self, surface: &[f32]) -> Vec<f32> {
        const ROUGHNESS: f32 = 0.045;
        let Channel { width, depth, fill, .. } = self.channel;
        let over = width.max(6.0 * self.grid.cell);
        // The hydraulic radius of a wide channel with a smooth hollow as its bed.
        let radius = 0.6 * fill * depth;
        let radius = libm::cbrtf(radius * radius);
        let far = |from: usize, to: usize| (self.along[to] - self.along[from]).abs();
        let (mut begin, mut end) = (0, 0);
        (0..surface.len())
            .map(|here| {
                while far(begin, here) > 0.5 * over {
                    begin += 1;
                }
                while end + 1 < surface.len() && (end <= here || far(here, end) < 0.5 * over) {
                    end += 1;
                }
                let slope = (surface[begin] - surface[end]).max(0.0) / far(begin, end).max(1e-3);
                (radius * slope.sqrt() / ROUGHNESS).clamp(SLOWEST, FASTEST)
            })
            .collect()
    }

    /// Changes the values of all samples less than `beyond` metres outside the river's edges. `change` gets
    /// the sample's index and value.
    fn each_near(
        &self,
        values: &mut [f32],
        beyond: f32,
        work: &Work,
        change: impl Fn(usize, &mut f32, Near) + Sync,
    ) -> Result<()> {
        let width = self.grid.width;
        self.each_row_near(values.par_chunks_mut(width), beyond, work, |row_values, (column, row), near| {
            change(row * width + column, &mut row_values[column], near);
        })
    }

    /// Visits all samples less than `beyond` metres outside the river's edges, row by row in parallel.
    /// `visit` gets the row's entry of `rows`, and the sample's column and row.
    fn each_row_near<Row: Send>(
        &self,
        rows: impl IndexedParallelIterator<Item = Row>,
        beyond: f32,
        work: &Work,
        visit: impl Fn(&mut Row, (usize, usize), Near) + Sync,
    ) -> Result<()> {
        let half = self.channel.width / 2.0;
        let reach = half + self.banks.as_ref().map_or(0.0, Banks::farthest) + beyond;
        if self.passed.is_empty() || reach <= 0.0 {
            return Ok(());
        }
        let Grid { width, cell, .. } = self.grid;
        let mut seeds = vec![0; self.grid.count()];
        seeds.par_chunks_mut(width).try_for_each(|seeds| {
            work.check()?;
            seeds.fill(NO_ROW);
            Ok(())
        })?;
        let mut point_of = HashMap::with_capacity(self.passed.len());
        for passed in &self.passed {
            seeds[passed.index] = (passed.index / width) as u32;
            point_of.entry(passed.index).or_insert(passed.point);
        }
        // The curve is up to √½ of a sample away from the samples that it passes; corners add a little.
        let nearest = Nearest::new(self.grid, seeds, reach / cell + 1.5, work)?;
        let memory = || (Vec::new(), Vec::new());
        rows.enumerate().try_for_each_init(memory, |(hull, pieces), (row, mut values)| {
            work.check()?;
            nearest.row(row, hull, pieces);
            for piece in pieces {
                let (seed_column, seed_row) = piece.seed;
                let Some(&point) = point_of.get(&(seed_row * width + seed_column)) else { continue };
                for column in piece.columns.clone() {
                    let from = Vec2::new(column as f32, row as f32);
                    let (away, place) = self.nearest_place(from, point);
                    let strays = self
                        .banks
                        .as_ref()
                        .map_or(0.0, |banks| banks.strays(place.of(&self.along), self.is_left(from, place)));
                    let section = self.section(place);
                    let half = section.map_or(half, |section| section.half);
                    let near = Near { away: away * cell, half: half + strays, place, section };
                    if near.away < near.half + beyond {
                        visit(&mut values, (column, row), near);
                    }
                }
            }
            Ok(())
        })
    }

    /// The cross-section at a position; `None` if it is the channel's everywhere.
    fn section(&self, place: CurvePosition) -> Option<Section> {
        let here = *self.sections.get(place.index)?;
        let next = self.sections.get(place.index + 1).copied().unwrap_or(here);
        Some(here.lerp(next, place.share))
    }

    /// The nearest position on the curve and its distance, in samples; searched from `start`, the index of
    /// a point near it.
    fn nearest_place(&self, from: Vec2, start: usize) -> (f32, CurvePosition) {
        let squared = |index: usize| self.points[index].distance_squared(from);
        let (mut index, last) = (start, self.points.len() - 1);
        while index < last && squared(index + 1) < squared(index) {
            index += 1;
        }
        while index > 0 && squared(index - 1) < squared(index) {
            index -= 1;
        }
        let mut best = (squared(index), CurvePosition { index, share: 0.0 });
        for index in [index.saturating_sub(1), index] {
            let (a, b) = (self.points[index], self.points[(index + 1).min(last)]);
            let along = (from - a).dot(b - a) / (b - a).length_squared();
            // A segment of length 0 gives NaN here, which fails the comparisons.
            if (0.0..1.0).contains(&along) {
                let away = a.lerp(b, along).distance_squared(from);
                if away < best.0 {
                    best = (away, CurvePosition { index, share: along });
                }
            }
        }
        (best.0.sqrt(), best.1)
    }

    /// Whether a sample lies to the left of the curve in the direction of its nodes, seen from above.
    fn is_left(&self, from: Vec2, place: CurvePosition) -> bool {
        let index = place.index.min(self.points.len().saturating_sub(2));
        let ahead = self.points[index + 1] - self.points[index];
        let is_left = ahead.perp_dot(from - self.points[index]) < 0.0;
        is_left == (self.along[index] <= self.along[index + 1])
    }

    /// The sample nearest to a point, if the point is on the land.
    pub(super) fn sample_at(&self, point: Vec2) -> Option<(usize, usize)> {
        let (column, row) = ((point.x + 0.5).floor(), (point.y + 0.5).floor());
        let within =
            (0.0..self.grid.width as f32).contains(&column) && (0.0..self.grid.depth as f32).contains(&row);
        within.then_some((column as usize, row as usize))
    }

    /// Finds the samples that the course passes.
    pub(super) fn traced(mut self, work: &Work) -> Result<Self> {
        let mut passed: Vec<Passed> = Vec::new();
        let mut loops = Vec::new();
        // Position of a sample in the present bed.
        let mut bed: Vec<usize> = Vec::new();
        let mut place_on_bed: HashMap<usize, usize> = HashMap::new();
        let mut before: Option<(usize, usize)> = None;
        for (point, p_in_grid) in self.points.iter().enumerate() {
            if point % 1024 == 0 {
                work.check()?;
            }
            let here = self.sample_at(*p_in_grid);
            // Only neighbours along a row or column share an edge of the rendered surface.
            let corner = match (before, here) {
                (Some(before), Some(here)) if before.0 != here.0 && before.1 != here.1 => {
                    Some((here.0, before.1))
                }
                _ => None,
            };
            if here.is_some() && here == before {
                continue;
            }
            for (column, row) in corner.into_iter().chain(here) {
                let index = row * self.grid.width + column;
                if let Some(&place) = place_on_bed.get(&index) {
                    // A loop: it is dug, but the water takes the short way.
                    let from = passed[bed[place]].point;
                    let mut samples = Vec::new();
                    for cut in bed.drain(place + 1..) {
                        passed[cut].bed = false;
                        samples.push(passed[cut].index);
                        place_on_bed.remove(&passed[cut].index);
                    }
                    let farthest = self.points[from..=point].iter().fold(0.0, |farthest: f32, point| {
                        farthest.max(point.distance_squared(self.points[from]))
                    });
                    if farthest > LOOP * LOOP {
                        samples.push(index);
                        loops.push(RiverLoop { from, to: point, samples });
                    }
                } else {
                    place_on_bed.insert(index, bed.len());
                    bed.push(passed.len());
                    passed.push(Passed { index, point, bed: true });
                }
            }
            before = here;
        }
        (self.passed, self.loops) = (passed, loops);
        Ok(self)
    }
}

/// Position of a sample relative to a river.
#[derive(Clone, Copy)]
struct Near {
    /// Distance from the curve, metres.
    away: f32,
    /// Distance from the curve to the edge on the sample's side, metres.
    half: f32,
    /// The nearest position on the curve.
    place: CurvePosition,
    /// The cross-section there; `None` if it is the channel's everywhere.
    section: Option<Section>,
}

/// A position on the curve: the index of a point, and the fraction of the way to the next.
#[derive(Clone, Copy)]
struct CurvePosition {
    index: usize,
    share: f32,
}

impl CurvePosition {
    /// Interpolates `values`, one for each point.
    fn of(self, values: &[f32]) -> f32 {
        let (here, next) = (values[self.index], values[(self.index + 1).min(values.len() - 1)]);
        here + (next - here) * self.share
    }
}

/// Lowers the heights of `samples`, in order, to the lowest so far; returns the lowest.
pub(super) fn drain_along(heights: &mut [f32], samples: impl Iterator<Item = usize>, lowest: f32) -> f32 {
    samples.fold(lowest, |lowest, sample| {
        heights[sample] = heights[sample].min(lowest);
        heights[sample]
    })
}
