//! The water levels of several rivers: where they meet, the larger one decides.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Course;
use crate::grid::Heightfield;

impl Course {
    /// Orders rivers so that main rivers come before their tributaries: by the cross-sectional area of
    /// their water, or of the channel, then by everything else in which they differ. Equal ones are the
    /// same river.
    pub(super) fn by_size(&self, other: &Self) -> Ordering {
        let size = |course: &Self| {
            let channel = course.channel;
            let wet = channel.width * channel.water();
            [wet, channel.width * channel.depth, channel.width, channel.depth, channel.bank]
        };
        let banks = |course: &Self| course.banks.as_ref().map_or([0.0; 3], |banks| banks.key());
        let compare = |a: &[f32], b: &[f32]| {
            let mut pairs = a.iter().zip(b).map(|(a, b)| b.total_cmp(a));
            pairs.find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
        };
        let flat =
            |course: &Self| course.points.iter().flat_map(|point| point.to_array()).collect::<Vec<_>>();
        compare(&size(self), &size(other))
            .then_with(|| self.rank.cmp(&other.rank))
            .then_with(|| other.points.len().cmp(&self.points.len()))
            .then_with(|| compare(&flat(self), &flat(other)))
            .then_with(|| compare(&banks(self), &banks(other)))
    }
}

/// The water levels at the points of all wet rivers, with each river's index in the list, the largest
/// first. A river that ends in another is there at least as high as that one, and one that leaves another
/// at most as high.
pub(super) fn surfaces(field: &Heightfield, rivers: &[Course]) -> Vec<(usize, Vec<f32>)> {
    let mut surfaces: Vec<_> = rivers
        .iter()
        .enumerate()
        .filter_map(|(river, course)| Some((river, course.surface(field)?)))
        .collect();
    surfaces.sort_by(|a, b| rivers[a.0].by_size(&rivers[b.0]));
    if rivers.iter().all(|river| river.mouth.is_none() && river.source.is_none()) {
        return surfaces;
    }
    // The river that passes each sample without beginning or ending on it.
    let mut passed_by: HashMap<usize, (usize, usize)> = HashMap::new();
    for (place, (river, _)) in surfaces.iter().enumerate() {
        let course = &rivers[*river];
        for passed in &course.passed {
            if ![course.mouth, course.source].contains(&Some(passed.index)) {
                passed_by.entry(passed.index).or_insert((place, passed.point));
            }
        }
    }
    let other_of = |sample: Option<usize>| passed_by.get(&sample?).copied();
    // The levels of a river must be known before those of its tributaries and branches.
    let mut waiting: Vec<usize> = (0..surfaces.len()).collect();
    while !waiting.is_empty() {
        let is_ready = |place: &usize| {
            let course = &rivers[surfaces[*place].0];
            let mut others = [course.source, course.mouth].into_iter().filter_map(other_of);
            !others.any(|(other, _)| waiting.contains(&other))
        };
        // No river ends in one that ends in it; if the data say otherwise, the largest comes first.
        let ready = waiting.iter().position(is_ready).unwrap_or(0);
        let place = waiting.remove(ready);
        let course = &rivers[surfaces[place].0];
        let level = |sample: Option<usize>| other_of(sample).map(|(other, point)| surfaces[other].1[point]);
        let (above, below) = (level(course.source), level(course.mouth));
        let surface = &mut surfaces[place].1;
        for water in surface.iter_mut() {
            *water = water.min(above.unwrap_or(f32::INFINITY)).max(below.unwrap_or(f32::NEG_INFINITY));
        }
        // From the other's edge to its middle, linearly to its level.
        let first = course.meets.saturating_sub(1);
        if let (Some(below), Some(&from)) = (below, surface.get(first)) {
            let along = &course.along[first..];
            let far = |to: &f32| (to - along[0]).abs();
            let length = along.last().map_or(0.0, far).max(f32::MIN_POSITIVE);
            for (water, to) in surface[first..].iter_mut().zip(along) {
                *water = from + (below - from) * (far(to) / length);
            }
        }
    }
    surfaces
}
