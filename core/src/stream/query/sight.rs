//! Whether one place is visible from another over the known ground.

use std::cmp::Ordering;

use glam::DVec3;

use super::ground::KnownGround;
use crate::stream::residency::Drawn;

/// An end that lies at most this far under the ground counts as lying on it, metres: positions of objects on
/// the ground are rounded.
const SUNK: f64 = 0.05;

/// The height above the ground from which such an end looks, metres.
const ABOVE: f64 = 1e-3;

impl KnownGround<'_> {
    /// Where ground, as it is `drawn`, first hides `to` from `from`; `None` if nothing does. Neither water
    /// nor unknown ground hides anything. The result is symmetric: the line between two places is always
    /// followed from the same end first.
    ///
    /// An end under the ground sees nothing, and is invisible, unless it is within 5 cm of the surface. Ends
    /// that are not finite are hidden at their own position.
    pub fn hidden_at(&self, from: DVec3, to: DVec3, drawn: Drawn) -> Option<DVec3> {
        if !from.is_finite() {
            return Some(from);
        }
        if !to.is_finite() {
            return Some(to);
        }
        let (Some(a), Some(b)) = (self.unburied(from, drawn), self.unburied(to, drawn)) else {
            // Which of the two is in the ground.
            return Some(if self.unburied(from, drawn).is_none() { from } else { to });
        };
        let is_in_order = in_order(from, to);
        let (first, second) = if is_in_order { (a, b) } else { (b, a) };
        let met = self.entered(first, second, drawn)?.0;
        if is_in_order {
            return Some(met);
        }
        // From the other end something else may come first.
        Some(self.entered(a, b, drawn).map_or(met, |(met, _)| met))
    }

    /// An end of a line of sight, lifted onto the ground if it lies just below it; `None` deep in the ground.
    fn unburied(&self, end: DVec3, drawn: Drawn) -> Option<DVec3> {
        let height = |height: f32| f64::from(height) * drawn.scale + drawn.bias;
        if !self.may_overhang() {
            let Some(ground) = self.at(end.x, end.z) else { return Some(end) };
            let ground = height(ground.height);
            return lifted(end, ground);
        }
        // The nearest surface above decides: below one that faces up there is ground.
        let upright = drawn.scale.signum();
        let surfaces = self.all_at(end.x, end.z).into_iter();
        let seen = surfaces.map(|ground| (height(ground.height), f64::from(ground.normal.y) * upright));
        let above = seen.filter(|(height, _)| *height > end.y).min_by(|a, b| a.0.total_cmp(&b.0));
        match above {
            Some((height, faces_up)) if faces_up > 0.0 => lifted(end, height),
            _ => Some(end),
        }
    }
}

/// A place under ground of a height, lifted onto it; `None` if it is too deep.
fn lifted(end: DVec3, ground: f64) -> Option<DVec3> {
    match ground - end.y {
        under if under > SUNK => None,
        under if under > -ABOVE => Some(end.with_y(ground + ABOVE)),
        _ => Some(end),
    }
}

/// Whether to follow the line from `a` to `b` and not from `b` to `a`.
fn in_order(a: DVec3, b: DVec3) -> bool {
    let of = |p: DVec3| [p.x, p.z, p.y];
    let orders = of(a).into_iter().zip(of(b)).map(|(a, b)| a.total_cmp(&b));
    orders.fold(Ordering::Equal, Ordering::then).is_le()
}
