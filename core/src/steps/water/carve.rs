//! Digging a river's bed into the land.

use super::channel::Channel;
use super::course::Course;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;
use crate::math::smoothstep::smoothstep;

impl Course {
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
                // From the bed in the middle to the edge, smooth at both, so that no kink shows along either.
                bed + depth * smoothstep(near.away / near.half)
            } else {
                let edge = bed + depth;
                // The land before any river: otherwise a river's banks would rise from the valley that
                // another has just dug.
                let land = before.map_or(*height, |before| before[index]);
                edge + (land - edge) * smoothstep((near.away - near.half) / bank)
            };
            *height = height.min(dug);
        })?;
        // A river narrower than a cell may lie between samples; those that it passes are lowered in any case,
        // so that its bed is connected.
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
}

/// Lowers the heights of `samples`, in order, to the lowest so far; returns the lowest.
pub(super) fn drain_along(heights: &mut [f32], samples: impl Iterator<Item = usize>, lowest: f32) -> f32 {
    samples.fold(lowest, |lowest, sample| {
        heights[sample] = heights[sample].min(lowest);
        heights[sample]
    })
}
