//! How far what is drawn is from the land, and how large that looks to an eye.

use bevy::math::DVec3;
use rayon::prelude::*;

use crate::mesh::RoamEye;

/// The bounding box of something that is drawn, and how far that is from the land.
#[derive(Clone, Copy)]
pub(crate) struct ErrorBounds {
    /// The box around it.
    pub low: DVec3,
    pub high: DVec3,
    /// Metres.
    pub error: f64,
}

/// The largest errors that are in view, in metres and in pixels.
pub(crate) fn seen_errors(eye: &RoamEye, all: &[ErrorBounds]) -> (f64, f64) {
    let larger = |a: (f64, f64), b: (f64, f64)| (a.0.max(b.0), a.1.max(b.1));
    all.par_iter().map(|one| one.looks_to(eye)).reduce(|| (0.0, 0.0), larger)
}

impl ErrorBounds {
    /// Its error in metres and in pixels, as from its nearest point; zeros where it is out of sight.
    fn looks_to(&self, eye: &RoamEye) -> (f64, f64) {
        let is_seen = eye.sides.iter().all(|side| {
            let normal = side.truncate();
            // The corner of the box that lies farthest along the normal: if it is outside, all of the box is.
            let farthest = DVec3::select(normal.cmpge(DVec3::ZERO), self.high, self.low);
            normal.dot(farthest) + side.w >= 0.0
        });
        if !is_seen {
            return (0.0, 0.0);
        }
        // Nearer than this nothing is drawn.
        const NEAR: f64 = 0.5;
        let away = eye.position.distance(eye.position.clamp(self.low, self.high)).max(NEAR);
        (self.error, self.error * eye.pixels / away)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearer_looks_larger_and_what_is_out_of_sight_does_not_count() {
        let eye = RoamEye {
            position: DVec3::new(0.0, 10.0, 0.0),
            pixels: 100.0,
            pixel_error: 1.0,
            sides: vec![DVec3::X.extend(0.0)],
        };
        let at = |x: f64| ErrorBounds {
            low: DVec3::new(x, 0.0, -5.0),
            high: DVec3::new(x + 10.0, 10.0, 5.0),
            error: 2.0,
        };
        assert_eq!(seen_errors(&eye, &[at(50.0), at(20.0)]), (2.0, 10.0));
        assert_eq!(seen_errors(&eye, &[at(-30.0)]), (0.0, 0.0));
        assert_eq!(seen_errors(&eye, &[at(-5.0)]), (2.0, 400.0));
    }
}
