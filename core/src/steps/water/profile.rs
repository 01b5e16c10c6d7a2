//! The longitudinal profile of a river's bed: it never rises, and its waterfalls are eased to slopes.

use super::course::{Channel, Course};
use crate::grid::Heightfield;

impl Course {
    /// The bed at every point, at its depth below the land, or lower so that it never rises. `caps` are
    /// further upper bounds, by point. At the first points it is dug no deeper than `floors` for the sake
    /// of its depth.
    pub(super) fn descending_bed(
        &self,
        field: &Heightfield,
        caps: &[(usize, f32)],
        floors: &[f32],
    ) -> Vec<f32> {
        let depth = self.channel.depth;
        let on_land = |point: usize| point < self.joins && self.sample_at(self.points[point]).is_some();
        let floor = |point: usize| floors.get(point).copied().unwrap_or(f32::NEG_INFINITY);
        let under =
            |point: usize| (field.sample(self.points[point] * self.grid.cell) - depth).max(floor(point));
        let bed = (0..self.points.len()).map(|point| on_land(point).then(|| under(point)));
        if caps.is_empty() && self.loops.is_empty() {
            return descending(bed);
        }
        let mut bed: Vec<Option<f32>> = bed.collect();
        let lower = |bed: &mut Option<f32>, cap: f32| *bed = Some(bed.map_or(cap, |bed| bed.min(cap)));
        for &(point, cap) in caps {
            lower(&mut bed[point], cap);
        }
        for ring in &self.loops {
            let lowest = bed[ring.from..=ring.to].iter().flatten().copied().reduce(f32::min);
            if let Some(lowest) = lowest {
                lower(&mut bed[ring.from], lowest);
            }
        }
        descending(bed.into_iter())
    }

    /// The bed with waterfalls eased to slopes: at every point the mean of the following metres, as many as
    /// the valley is wide, which is never higher than the point. Otherwise the valley's sides would show
    /// every step of the bed.
    ///
    /// Up to the point `own_from` and from the point `own_to` on, the bed stays as it is, because there it
    /// is at the level of another river. After `own_from` the mean covers no more metres than have passed
    /// since.
    pub(super) fn eased(&self, bed: &[f32], own_from: Option<usize>, own_to: Option<usize>) -> Vec<f32> {
        let (bed, joined) = bed.split_at(own_to.map_or(bed.len(), |point| bed.len().min(point + 1)));
        let Channel { width, bank, .. } = self.channel;
        let length = f64::from((width + 2.0 * bank) / self.grid.cell);
        let mouth = bed.last().copied().unwrap_or(0.0);
        if length < 0.01 {
            return [bed, joined].concat();
        }
        // Cumulative along the curve: the distance, and the area between the bed and the mouth's height.
        let (mut far, mut area) = (0.0, 0.0);
        let mut sums = vec![(far, area)];
        let mut in_loops = vec![false; bed.len()];
        for ring in &self.loops {
            in_loops[ring.from.min(bed.len())..ring.to.min(bed.len())].fill(true);
        }
        for ((points, bed), in_loop) in self.points[..bed.len()].windows(2).zip(bed).zip(in_loops) {
            // The water takes the short way.
            let step = if in_loop { 0.0 } else { f64::from(points[0].distance(points[1])) };
            far += step;
            // Above the mouth's height, so that sums of small differences keep their digits at great heights.
            area += step * (f64::from(*bed) - f64::from(mouth));
            sums.push((far, area));
        }
        let begins = own_from.map_or(f64::NEG_INFINITY, |point| sums[point.min(sums.len() - 1)].0);
        let mut ahead = 0;
        let mean_from = |(index, here): (usize, &f32)| {
            let (from, before) = sums[index];
            let length = length.min(from - begins);
            if length < 0.01 {
                return *here;
            }
            while ahead + 1 < sums.len() && sums[ahead + 1].0 <= from + length {
                ahead += 1;
            }
            let (to, after) = sums[ahead];
            // The rest is part of one segment; beyond the mouth there is nothing to add.
            let rest = (from + length - to) * (f64::from(bed[ahead]) - f64::from(mouth));
            let mean = f64::from(mouth) + (after - before + rest) / length;
            here.min(mean as f32)
        };
        bed.iter().enumerate().map(mean_from).chain(joined.iter().copied()).collect()
    }
}

/// The running minimum; before the first value, the first.
pub(super) fn descending(values: impl Iterator<Item = Option<f32>> + Clone) -> Vec<f32> {
    let mut lowest = values.clone().flatten().next().unwrap_or(0.0);
    values
        .map(|value| {
            lowest = lowest.min(value.unwrap_or(lowest));
            lowest
        })
        .collect()
}
