//! Where a road crosses rivers, and the bridges that carry it there.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::line::CentreLine;
use crate::steps::water::Bridge;

/// Where a road crosses rivers.
pub(super) struct Crossings {
    /// For each the points of its line on either side of the bed.
    ends: Vec<[usize; 2]>,
}

impl Crossings {
    /// Of a road that lies in beds with these points of its line. A road that begins or ends in one doesn't cross
    /// it.
    pub(super) fn of(beds: Vec<RangeInclusive<usize>>, line: &CentreLine) -> Self {
        let ends = beds.into_iter().map(|bed| [bed.start().checked_sub(1), bed.end().checked_add(1)]);
        let ends = ends.filter_map(|[from, to]| Some([from?, to.filter(|to| *to < line.points.len())?]));
        Self { ends: ends.collect() }
    }

    /// Replaces the heights of the land in the beds by those of a straight line from bank to bank: a profile would
    /// follow the land down to the bed. Returns the points on the banks, and their heights.
    pub(super) fn level(&self, line: &CentreLine, land: &mut [f64]) -> Vec<(usize, f64)> {
        for &[from, to] in &self.ends {
            let (low, high) = (land[from], land[to]);
            let length = line.along[to] - line.along[from];
            let within = from + 1..to;
            for (height, along) in land[within.clone()].iter_mut().zip(&line.along[within]) {
                *height = low + (high - low) * (along - line.along[from]) / length;
            }
        }
        self.ends.iter().flatten().map(|point| (*point, land[*point])).collect()
    }

    /// The bridges of a road with this profile and width.
    pub(super) fn bridges(&self, line: &CentreLine, profile: &[f64], width: f32) -> Vec<Bridge> {
        let at = |point: usize| {
            let place = line.points[point];
            DVec3::new(place.x, profile[point], place.y).as_vec3()
        };
        self.ends.iter().map(|&[from, to]| Bridge { line: (from..=to).map(at).collect(), width }).collect()
    }
}
