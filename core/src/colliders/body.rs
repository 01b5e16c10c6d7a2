//! A body that needs ground, and how much of it.

use glam::DVec2;

use super::place::{COLLIDER_CELLS, ColliderPlace};
use crate::stream::{LandShape, TileSource};

/// The most tiles from a body to the farthest that it can have, along its radius, and ahead: with a larger
/// radius the spacing is coarser.
const MOST_TILES: f64 = 24.0;

/// The share of the radius within which ground must never be missing.
const TOUCHED: f64 = 0.25;

/// How much farther than needed ground is kept, in tiles, so that a body that moves to and fro over a border
/// causes no work.
const KEPT: f64 = 0.5;

/// The highest speed along an axis, metres per second; higher ones count as this.
const FASTEST: DVec2 = DVec2::splat(1e6);

/// A body that needs ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its place, in metres east and south of the land's sample (0, 0).
    pub place: DVec2,
    /// Metres per second.
    pub velocity: DVec2,
    /// The distance around it within which there must be ground, metres.
    pub radius: f64,
    /// Metres between samples that are fine enough; 0: as fine as the land is.
    pub spacing: f64,
    /// How far ahead of it ground is made, seconds.
    pub ahead: f64,
    /// Seconds until the next plan.
    pub until: f64,
}

/// The land under bodies, as far as they need to know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Under {
    pub(super) shape: LandShape,
    /// The finest level that differs from coarser ones.
    finest: i32,
    /// How far ground may lie from its samples, metres.
    spread: f64,
}

/// A body's request for a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    pub(super) place: ColliderPlace,
    /// How urgent it is: metres; more of them are less urgent.
    pub(super) cost: f64,
    /// Whether it is to be made, or only kept.
    pub(super) is_needed: bool,
    /// Whether the body may touch it before the next plan.
    pub(super) is_touched: bool,
}

impl Under {
    pub(super) fn new(source: &dyn TileSource) -> Self {
        let shape = source.shape();
        let finest = source.finest_ground().clamp(shape.finest, shape.coarsest);
        Self { shape, finest, spread: f64::from(source.most_shifted()) }
    }

    fn side(&self, level: i32) -> f64 {
        f64::from(self.shape.cell_at(level)) * COLLIDER_CELLS as f64
    }
}

/// A length or a time: 0 if it is negative or NaN, and limited rather than infinite.
fn length(metres: f64) -> f64 {
    if metres > 0.0 { metres.min(1e9) } else { 0.0 }
}

impl Body {
    /// Whether its place is valid.
    fn is_somewhere(&self) -> bool {
        self.place.is_finite() && self.place.abs().max_element() < 1e12
    }

    /// The level of its ground: the coarsest that is fine enough, or a coarser one if its radius is very
    /// large.
    fn level(&self, under: &Under) -> i32 {
        let shape = &under.shape;
        let mut level = under.finest;
        while level < shape.coarsest
            && (f64::from(shape.cell_at(level + 1)) <= self.spacing
                || length(self.radius) > MOST_TILES * under.side(level))
        {
            level += 1;
        }
        level
    }

    /// The tiles that it needs; none if its place is invalid.
    pub(super) fn wishes(&self, under: &Under) -> Vec<Wish> {
        if !self.is_somewhere() {
            return Vec::new();
        }
        let level = self.level(under);
        let side = under.side(level);
        let radius = length(self.radius).min(MOST_TILES * side) + under.spread;
        let touched = TOUCHED * length(self.radius).min(MOST_TILES * side) + under.spread;
        let velocity =
            if self.velocity.is_finite() { self.velocity.clamp(-FASTEST, FASTEST) } else { DVec2::ZERO };
        let way = (velocity * length(self.ahead)).clamp_length_max(MOST_TILES * side);
        // Twice the present speed: it may speed up before the next plan.
        let soon = (velocity * 2.0 * length(self.until)).clamp_length_max(way.length().max(side));
        let keep = radius + KEPT * side;
        let (low, high) = (self.place.min(self.place + way) - keep, self.place.max(self.place + way) + keep);
        let first = ColliderPlace::at(&under.shape, level, low.x, low.y);
        let last = ColliderPlace::at(&under.shape, level, high.x, high.y);
        let mut wishes = Vec::new();
        for row in first.row..=last.row {
            for column in first.column..=last.column {
                let place = ColliderPlace { level, column, row };
                let rectangle = place.rectangle(&under.shape);
                let (away, along) = away_from_way(rectangle, self.place, way, 0.5 * side);
                if away <= keep && place.has_land(&under.shape) {
                    wishes.push(Wish {
                        place,
                        // Ground ahead is needed later, so its distance along the way counts half.
                        cost: away + 0.5 * along,
                        is_needed: away <= radius,
                        is_touched: away_from_way(rectangle, self.place, soon, 0.5 * side).0 <= touched,
                    });
                }
            }
        }
        wishes
    }
}

/// The distance of a rectangle from a line, metres, and how far along the line it is nearest; exact to about
/// the `step` at which the line is sampled.
fn away_from_way((low, high): (DVec2, DVec2), from: DVec2, way: DVec2, step: f64) -> (f64, f64) {
    let length = way.length();
    let steps = (length / step).ceil();
    let at = |number: f64| {
        let along = if steps > 0.0 { number / steps } else { 0.0 };
        let p = from + way * along;
        (p.distance(p.clamp(low, high)), along * length)
    };
    let all = (0..=steps as usize).map(|number| at(number as f64));
    all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: Body = Body {
        place: DVec2::new(1000.0, -700.0),
        velocity: DVec2::ZERO,
        radius: 20.0,
        spacing: 0.0,
        ahead: 1.0,
        until: 1.0 / 60.0,
    };

    fn endless() -> Under {
        Under { shape: LandShape::endless(16.0, -6, 1e5), finest: -6, spread: 0.0 }
    }

    fn has(wishes: &[Wish], p: DVec2, is_touched: bool) -> bool {
        let shape = endless().shape;
        wishes.iter().any(|wish| {
            let (low, high) = wish.place.rectangle(&shape);
            wish.is_needed && (wish.is_touched || !is_touched) && p.clamp(low, high) == p
        })
    }

    #[test]
    fn a_body_has_ground_all_around_it_and_ahead_and_not_behind() {
        let resting = BODY.wishes(&endless());
        let driving = Body { velocity: DVec2::new(50.0, 20.0), ..BODY }.wishes(&endless());
        for angle in (0..40).map(|step| f64::from(step) * 0.157) {
            let away = DVec2::from_angle(angle);
            assert!(has(&resting, BODY.place + away * 20.0, false));
            assert!(has(&resting, BODY.place + away * 5.0, true));
            assert!(has(&driving, BODY.place + DVec2::new(50.0, 20.0) + away * 19.0, false));
        }
        assert!(!has(&resting, BODY.place + DVec2::new(50.0, 20.0), false));
        assert!(!has(&driving, BODY.place - DVec2::new(50.0, 20.0), false));
        assert!(!has(&resting, BODY.place + DVec2::X * 20.0, true), "far ground is not touched");
        let least = resting.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        assert_eq!(least.place, ColliderPlace::at(&endless().shape, -6, BODY.place.x, BODY.place.y));
    }

    #[test]
    fn spacing_and_radius_choose_the_level() {
        let level = |spacing: f64, radius: f64| Body { spacing, radius, ..BODY }.level(&endless());
        for (spacing, expected) in
            [(0.0, -6), (0.3, -6), (0.5, -5), (1.99, -4), (2.0, -3), (f64::NAN, -6), (-4.0, -6)]
        {
            assert_eq!(level(spacing, 20.0), expected, "{spacing}");
        }
        // 24 tiles of 16 m.
        assert_eq!((level(0.0, 384.0), level(0.0, 385.0), level(0.0, f64::NAN)), (-6, -5, -6));
        assert_eq!(level(1e9, 20.0), endless().shape.coarsest);
    }

    #[test]
    fn the_number_of_tiles_of_a_body_is_limited() {
        let most = (2.0 * (2.0 * MOST_TILES + 2.0) * (2.0 * MOST_TILES + 4.0)) as usize;
        for value in [0.0, 1e5, 1e30, f64::INFINITY, f64::NAN, -1.0] {
            let velocity = DVec2::new(value, -value);
            for body in [
                Body { radius: value, ..BODY },
                Body { velocity, ..BODY },
                Body { ahead: value, velocity: DVec2::X, ..BODY },
                Body { spacing: value, ..BODY },
                Body { until: value, velocity: DVec2::X, ..BODY },
                Body { radius: value, velocity, ahead: value, spacing: value, until: value, ..BODY },
            ] {
                let count = body.wishes(&endless()).len();
                assert!((1..=most).contains(&count), "{body:?}: {count}");
            }
            let nowhere = Body { place: DVec2::new(value, f64::NAN), ..BODY };
            assert!(nowhere.wishes(&endless()).is_empty());
        }
    }
}
