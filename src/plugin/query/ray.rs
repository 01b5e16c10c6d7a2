//! Intersection of a line segment with the surface of a heightfield.

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use crate::Grid;

/// The first point at which the segment from `from` to `to` passes down through the surface, in metres from
/// the north-west corner of `grid`, y up. `height` is the surface's height at a position; it must be planar
/// within each of the two triangles of a cell, which share the diagonal from its north-east to its
/// south-west corner. Hits from below are ignored.
pub(super) fn first_meeting(grid: Grid, from: Vec3, to: Vec3, height: impl Fn(Vec2) -> f32) -> Option<Vec3> {
    let (from, way) = (from.as_dvec3(), to.as_dvec3() - from.as_dvec3());
    let (start, mut end) = within(grid, from, way)?;
    // Between two grid lines or diagonals the surface is planar, so the distance to it is linear.
    let cell = f64::from(grid.cell);
    let p_in_grid = |p: DVec3| DVec2::new(p.x, p.z) / cell;
    let (first, step) = (p_in_grid(from), p_in_grid(way));
    let mut lines = [
        Crossings::new(first.x, step.x, start),
        Crossings::new(first.y, step.y, start),
        Crossings::new(first.x + first.y, step.x + step.y, start),
    ];
    let gap_at = |t: f64| {
        let p = from + way * t;
        p.y - f64::from(height(Vec2::new(p.x as f32, p.z as f32)))
    };
    let (mut t, mut gap) = (start, gap_at(start));
    end = end.min(1.0);
    while t < end {
        let next = lines.iter().map(Crossings::next).fold(end, f64::min);
        lines.iter_mut().for_each(|crossings| crossings.pass(next));
        let next_gap = gap_at(next);
        if gap >= 0.0 && next_gap < 0.0 {
            let meeting = t + (next - t) * gap / (gap - next_gap);
            return Some((from + way * meeting).as_vec3());
        }
        (t, gap) = (next, next_gap);
    }
    None
}

/// The range of parameters for which a segment is above or below the land.
fn within(grid: Grid, from: DVec3, way: DVec3) -> Option<(f64, f64)> {
    let (mut start, mut end) = (0.0f64, 1.0f64);
    let extent = grid.extent().as_dvec2();
    for (from, way, extent) in [(from.x, way.x, extent.x), (from.z, way.z, extent.y)] {
        if way == 0.0 {
            if !(0.0..=extent).contains(&from) {
                return None;
            }
            continue;
        }
        let (a, b) = (-from / way, (extent - from) / way);
        (start, end) = (start.max(a.min(b)), end.min(a.max(b)));
    }
    (start <= end).then_some((start, end))
}

/// The parameters at which a segment crosses grid lines of one direction.
struct Crossings {
    first: f64,
    step: f64,
    /// The number of the next line.
    line: f64,
}

impl Crossings {
    fn new(first: f64, step: f64, start: f64) -> Self {
        let here = first + step * start;
        let line = if step > 0.0 { here.floor() + 1.0 } else { here.ceil() - 1.0 };
        Self { first, step, line }
    }

    fn next(&self) -> f64 {
        if self.step == 0.0 { f64::INFINITY } else { (self.line - self.first) / self.step }
    }

    /// Advances to the first line after `t`.
    fn pass(&mut self, t: f64) {
        while self.next() <= t {
            self.line += self.step.signum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Heightfield;

    /// Steep land, 40 × 30 samples 10 m apart.
    fn land() -> Heightfield {
        let height = |column: usize, row: usize| ((column * 7 + row * 13) % 11) as f32 * 9.0;
        Heightfield::from_fn(Grid::new(40, 30, 10.0).unwrap(), height)
    }

    #[test]
    fn a_meeting_lies_on_the_surface_and_none_is_passed_by() {
        let field = land();
        let height = |p: Vec2| field.sample_surface(p);
        let mut met = 0;
        for index in 0..400 {
            let turn = index as f32 * 2.4;
            let from =
                Vec3::new(200.0 + 300.0 * turn.cos(), 150.0 + index as f32, 150.0 + 300.0 * turn.sin());
            let to = Vec3::new((index * 37 % 500) as f32 - 50.0, -60.0, (index * 53 % 400) as f32 - 50.0);
            let meeting = first_meeting(field.grid(), from, to, height);
            let end = meeting.unwrap_or(to);
            if let Some(meeting) = meeting {
                met += 1;
                assert!((meeting.y - height(meeting.xz())).abs() < 0.05, "{meeting}");
            }
            // Before it the way does not go below ground where it was above.
            let mut was_above = false;
            for step in 0..5000 {
                let p = from.lerp(end, step as f32 / 5000.0);
                if p.xz().clamp(Vec2::ZERO, field.grid().extent()) == p.xz() {
                    let gap = p.y - height(p.xz());
                    assert!(!was_above || gap > -0.05, "{from} to {to} passes {p} by");
                    was_above |= gap > 0.05;
                }
            }
        }
        assert!(met > 150, "{met}");
    }

    #[test]
    fn straight_down_meets_the_ground_below_and_straight_up_nothing() {
        let field = land();
        let height = |p: Vec2| field.sample_surface(p);
        let (high, low) = (Vec3::new(123.0, 500.0, 77.0), Vec3::new(123.0, -500.0, 77.0));
        let met = first_meeting(field.grid(), high, low, height).unwrap();
        assert!((met.y - height(met.xz())).abs() < 1e-3);
        assert_eq!(first_meeting(field.grid(), low, high, height), None);
        let beside = Vec3::X * 1000.0;
        assert_eq!(first_meeting(field.grid(), high + beside, low + beside, height), None);
    }
}
