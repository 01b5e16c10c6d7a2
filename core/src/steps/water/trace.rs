//! The samples that a river's curve passes, and the loops in which it comes back to one of them.

use std::collections::HashMap;

use glam::Vec2;

use super::course::{Course, Passed, RiverLoop};
use crate::compute::work::Work;
use crate::error::Result;

/// The shortest loop, in samples. A curve that returns to a sample sooner only runs along the border
/// between two samples.
const LOOP: f32 = 2.0;

impl Course {
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

    /// The course as far as the sample that it passes as number `end`. In other rivers it still has no bed,
    /// but where a loop closed behind that sample the water takes the long way again.
    pub(super) fn ended_at(self, end: usize, work: &Work) -> Result<Self> {
        let Passed { index, point, .. } = self.passed[end];
        // What tracing alone leaves on the bed, and the network took from it, is in another river.
        let (was, parts) = (self.passed.clone(), self.parts);
        let mut course = self.traced(work)?;
        let all = std::mem::take(&mut course.passed);
        course.points.truncate(point + 1);
        course.along.truncate(point + 1);
        course.sections.truncate(point + 1);
        let mut course = course.traced(work)?;
        while course.passed.pop_if(|passed| passed.index != index).is_some() {}
        for (passed, (was, alone)) in course.passed.iter_mut().zip(was.iter().zip(all)) {
            passed.bed &= passed.point >= parts && (was.bed || !alone.bed);
        }
        Ok(course)
    }

    /// The sample nearest to a point, if the point is on the land.
    pub(super) fn sample_at(&self, point: Vec2) -> Option<(usize, usize)> {
        let (column, row) = ((point.x + 0.5).floor(), (point.y + 0.5).floor());
        let within =
            (0.0..self.grid.width as f32).contains(&column) && (0.0..self.grid.depth as f32).contains(&row);
        within.then_some((column as usize, row as usize))
    }
}
