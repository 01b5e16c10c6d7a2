//! A river as it runs in a network of rivers.

use glam::Vec2;

use crate::grid::Heightfield;
use crate::steps::water::course::Course;
use crate::steps::water::reach::DistanceIndex;

/// A position on a river of the network: the river's index in `Network::strands`, in which those of earlier
/// steps come first, and the index of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub(super) strand: usize,
    pub(super) point: usize,
}

/// A river as it runs in the network.
pub(super) struct Strand {
    pub(super) course: Course,
    /// Its index in the list of new rivers, or in that of earlier ones.
    pub(super) number: usize,
    /// Whether it was dug by an earlier step.
    pub(super) is_fixed: bool,
    pub(super) reach: DistanceIndex,
    /// Where it leaves another river.
    pub(super) source: Option<Link>,
    /// Where it ends in another river.
    pub(super) mouth: Option<Link>,
    /// Index of its first point next to the river that it ends in.
    pub(super) enters: usize,
    /// Index of that river's point from which on that river's water is no higher.
    pub(super) rules: usize,
    /// Height of its water at every point, metres.
    pub(super) level: Vec<f32>,
    /// Upper bounds of its water level, by point.
    pub(super) caps: Vec<(usize, f32)>,
}

impl Strand {
    pub(super) fn new(course: Course, number: usize) -> Self {
        let reach = DistanceIndex::new(&course.points);
        let (level, caps) = (Vec::new(), Vec::new());
        let enters = course.points.len();
        Self {
            course,
            number,
            is_fixed: false,
            reach,
            source: None,
            mouth: None,
            enters,
            rules: 0,
            level,
            caps,
        }
    }

    /// Computes the height of its water at every point, ignoring other rivers except for the caps.
    pub(super) fn find_level(&mut self, field: &Heightfield) {
        let water = self.course.channel.water();
        let bed = self.course.descending_bed(field, &self.bed_caps(), &[]);
        self.level = bed.iter().map(|bed| bed + water).collect();
    }

    /// The nearest of its points, and the distance in samples.
    pub(super) fn nearest(&self, from: Vec2) -> (usize, f32) {
        self.reach.nearest(&self.course.points, from)
    }

    /// The caps of the water level as caps of the bed.
    pub(super) fn bed_caps(&self) -> Vec<(usize, f32)> {
        let water = self.course.channel.water();
        self.caps.iter().map(|(point, level)| (*point, level - water)).collect()
    }

    /// Largest distance from the curve to its edge, in samples.
    pub(super) fn edge(&self) -> f32 {
        edge(&self.course)
    }

    /// The sample of its bed at a point.
    pub(super) fn sample(&self, point: usize) -> Option<usize> {
        let before = self.course.passed.iter().rev().find(|passed| passed.point <= point);
        before.or(self.course.passed.first()).map(|passed| passed.index)
    }
}

/// Largest distance from a course to its river's edge, in samples.
pub(super) fn edge(course: &Course) -> f32 {
    course.farthest_edge() / course.grid.cell
}
