//! How strongly a brush acts at a place: by its distance from the path.

use glam::DVec2;

use super::stroke::{Stroke, Tool};
use crate::math::smoothstep::smootherstep;

/// A stroke's path, prepared for distance queries.
pub(super) struct Brush<'a> {
    path: &'a [[f64; 2]],
    /// How far from the path it acts, metres.
    radius: f64,
    /// For each point of the path, metres along it from the first; only for tools that need it.
    along: Vec<f64>,
}

/// Where a place lies relative to a brush.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// Distance from the path as a share of the brush's reach, in [0, 1].
    pub(super) apart: f32,
    /// How far along the path its nearest point lies, in [0, 1]; 0 for a path without length, and for tools
    /// that don't need it.
    pub(super) along: f32,
}

/// The parts of a path that can touch a row of places.
pub(super) struct BrushRow {
    z: f64,
    /// Indices of the points at which the parts begin.
    parts: Vec<usize>,
}

impl BrushRow {
    /// Whether the brush touches nothing in the row.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

impl<'a> Brush<'a> {
    pub(super) fn new(stroke: &'a Stroke) -> Self {
        let mut along = Vec::new();
        // Only a ramp needs to know how far along its path a place lies.
        if matches!(stroke.tool, Tool::Ramp { .. }) {
            let mut length = 0.0;
            along.push(length);
            for pair in stroke.path.windows(2) {
                length += DVec2::from(pair[0]).distance(DVec2::from(pair[1]));
                along.push(length);
            }
        }
        Self { path: &stroke.path, radius: stroke.reach(), along }
    }

    /// The row of places at this z.
    pub(super) fn row(&self, z: f64) -> BrushRow {
        let reaches =
            |a: [f64; 2], b: [f64; 2]| a[1].min(b[1]) - self.radius <= z && z <= a[1].max(b[1]) + self.radius;
        let parts = match self.path {
            [only] => (0..usize::from(reaches(*only, *only))).collect(),
            path => (0..path.len() - 1).filter(|&part| reaches(path[part], path[part + 1])).collect(),
        };
        BrushRow { z, parts }
    }

    /// The brush's touch at this x in a row, if there is any.
    // In f64: positions are up to 10⁹ m from the origin, where f32 steps by 64 m.
    #[inline]
    pub(super) fn touch(&self, row: &BrushRow, x: f64) -> Option<Touch> {
        let p = DVec2::new(x, row.z);
        let mut nearest = self.radius * self.radius;
        let mut found = None;
        for &part in &row.parts {
            let a = DVec2::from(self.path[part]);
            let b = self.path.get(part + 1).map_or(a, |b| DVec2::from(*b));
            let (way, to) = (b - a, p - a);
            // A path may contain the same point twice.
            let squared = way.length_squared();
            let share = if squared > 0.0 { (to.dot(way) / squared).clamp(0.0, 1.0) } else { 0.0 };
            let away = (to - way * share).length_squared();
            // Among equally near parts the first counts.
            if away < nearest || (away == nearest && found.is_none()) {
                (nearest, found) = (away, Some((part, share)));
            }
        }
        let (part, share) = found?;
        Some(Touch {
            apart: ((nearest.sqrt() / self.radius) as f32).min(1.0),
            along: self.along(part, share),
        })
    }

    fn along(&self, part: usize, share: f64) -> f32 {
        let ends = self.along.get(part).zip(self.along.get(part + 1)).zip(self.along.last());
        let Some(((before, after), whole)) = ends.filter(|(_, whole)| **whole > 0.0) else { return 0.0 };
        ((before + (after - before) * share) / whole) as f32
    }
}

impl Stroke {
    /// The share of its effect at a distance of `apart` radii from its path.
    #[inline]
    pub(super) fn share(&self, apart: f32) -> f32 {
        // With a falloff of 0 this is never above 0, so nothing is divided by 0.
        let edge = apart - (1.0 - self.falloff);
        if edge <= 0.0 {
            return self.strength;
        }
        // Below 1, because `apart` is at most 1.
        self.strength * (1.0 - smootherstep((edge / self.falloff).min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(stroke: &Stroke, x: f64, z: f64) -> Option<Touch> {
        let brush = Brush::new(stroke);
        brush.touch(&brush.row(z), x)
    }

    #[test]
    fn a_place_is_as_far_as_the_nearest_part_of_the_path() {
        let path = vec![[0.0, 0.0], [30.0, 0.0], [30.0, 10.0]];
        let stroke = Stroke::along(Tool::Ramp { from: 0.0, to: 1.0 }, path, 10.0);
        assert_eq!(touch(&stroke, 15.0, -5.0), Some(Touch { apart: 0.5, along: 0.375 }));
        assert_eq!(touch(&stroke, 35.0, 10.0), Some(Touch { apart: 0.5, along: 1.0 }));
        assert_eq!(
            touch(&stroke, -10.0, 0.0),
            Some(Touch { apart: 1.0, along: 0.0 }),
            "its edge belongs to it"
        );
        assert_eq!(touch(&stroke, -10.1, 0.0), None);
        assert_eq!(touch(&stroke, 15.0, f64::NAN), None);
        let dab = Stroke::at(Tool::Raise { by: 1.0 }, [1.0, 2.0], 4.0);
        assert_eq!(touch(&dab, 3.0, 2.0), Some(Touch { apart: 0.5, along: 0.0 }));
        let twice = Stroke::along(Tool::Raise { by: 1.0 }, vec![[1.0, 2.0]; 3], 4.0);
        assert_eq!(touch(&twice, 3.0, 2.0), touch(&dab, 3.0, 2.0), "a path without length is a place");
    }

    #[test]
    fn the_effect_falls_from_all_to_nothing_over_the_falloff() {
        let stroke = Stroke::at(Tool::Raise { by: 1.0 }, [0.0; 2], 1.0);
        assert_eq!([0.0, 0.5, 1.0].map(|apart| stroke.share(apart)), [1.0, 0.5, 0.0]);
        let hard = stroke.clone().with_falloff(0.0);
        assert_eq!([0.0, 0.5, 1.0].map(|apart| hard.share(apart)), [1.0; 3]);
        let half = stroke.with_falloff(0.5).with_strength(0.5);
        assert_eq!([0.0, 0.5, 0.75, 1.0].map(|apart| half.share(apart)), [0.5, 0.5, 0.25, 0.0]);
    }
}
