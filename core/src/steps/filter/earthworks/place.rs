//! Points of steps as places on a land.

use glam::{DVec2, Vec2};

use crate::grid::Domain;

/// The place of a point that a recipe gives as shares of a bounded land's sides, or in units of endless land,
/// in metres from sample (0, 0).
pub(in crate::steps) fn in_metres(domain: &Domain, point: Vec2) -> DVec2 {
    let cell = f64::from(domain.cell());
    let sides = match domain.size() {
        Some(size) => DVec2::from(size.map(|side| f64::from(side - 1) * cell)),
        None => DVec2::splat(f64::from(domain.unit())),
    };
    point.as_dvec2() * sides
}
