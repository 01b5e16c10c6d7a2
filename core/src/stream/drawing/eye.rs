//! A camera's position and view, from which the tiles that it needs follow.

use glam::{DVec2, DVec3, DVec4};

use super::ranges::Ranges;
use crate::stream::shape::LandShape;
use crate::stream::tile::LandTile;

/// A camera over a land. Places are in metres east of the land's sample (0, 0), upwards, and south of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Eye {
    /// Where it is.
    pub position: DVec3,
    /// Metres per second.
    pub velocity: DVec3,
    /// How large a metre looks, in pixels: a metre away, or anywhere in an orthographic projection.
    pub pixels: f64,
    /// Whether the projection is orthographic.
    pub is_orthographic: bool,
    /// The sides of its view: planes whose normals, in x, y and z, point inwards. Without planes it sees
    /// everything.
    pub sides: Vec<DVec4>,
    /// How far it sees, metres.
    pub far: f64,
    /// The largest apparent size of a texel, pixels.
    pub texel_pixels: f64,
    /// Apparent sizes of errors and quads.
    pub ranges: Ranges,
}

/// Seconds ahead of the eye's flight for which tiles are requested.
const AHEAD: f64 = 1.0;

/// A tile that is needed only after that time counts this much less than one that is needed now.
const SOON: f64 = 0.95;

/// The least time, in seconds, for which a tile must be useful: one that is passed sooner is not requested.
const USE: f64 = 0.5;

/// Outside the picture texels may be this many times as large.
const UNSEEN: f64 = 2.0;

/// How urgently a tile is needed: above 1 if it is needed, and higher the coarser the ground that would be
/// drawn instead; 0 if it won't be needed soon either.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Need {
    /// From the eye's present position.
    pub now: f64,
    /// From there, or from where it will soon have flown: tiles are requested that early.
    pub soon: f64,
}

impl Need {
    /// The greater urgency of two eyes.
    pub fn max(self, other: Self) -> Self {
        Self { now: self.now.max(other.now), soon: self.soon.max(other.soon) }
    }
}

impl Eye {
    /// Whether the eye's position is one from which land can be drawn.
    pub fn is_somewhere(&self) -> bool {
        self.position.is_finite() && self.velocity.is_finite() && self.pixels.is_normal()
    }

    /// How urgently a tile is needed. `heights` are the lowest and highest at which any of it is drawn, and
    /// `spread` is the farthest from its sample that ground is drawn, metres. `pressure`, from 1 on, is how
    /// many times larger than usual texels may be.
    pub fn need(
        &self,
        shape: &LandShape,
        tile: LandTile,
        (heights, spread): ((f64, f64), f64),
        pressure: f64,
    ) -> Need {
        // The coarser tile that would be drawn instead has texels twice as large.
        let reach = 2.0 * f64::from(shape.cell_at(tile.level)) * self.pixels / (self.texel_pixels * pressure);
        // By the time such a tile is made, a fast eye has passed it.
        if !self.is_orthographic && reach < USE * self.velocity.length() {
            return Need::default();
        }
        let (north_west, south_east) = tile.rectangle(shape.cell);
        let (low, high) = corners(north_west - spread, south_east + spread, heights);
        if self.is_orthographic {
            let is_seen = self.sees(low, high);
            return if is_seen { Need { now: reach, soon: reach } } else { Need::default() };
        }
        let ahead = self.position + self.velocity * AHEAD;
        let [here, soon] = [self.position, ahead].map(|place| place.distance_squared(place.clamp(low, high)));
        // Checked first, because most tiles are too far away, visible or not.
        if here >= reach * reach && soon >= (SOON * reach).powi(2) {
            return Need::default();
        }
        let reach = if self.sees(low, high) { reach } else { reach / UNSEEN };
        if reach < USE * self.velocity.length() {
            return Need::default();
        }
        // An eye inside the box has distance 0: urgency ends at 100.
        let least = 0.01 * reach;
        let now = reach / here.sqrt().max(least);
        let soon = SOON * reach / soon.sqrt().max(least);
        let need = Need { now, soon: now.max(soon) };
        if need.soon > 1.0 { need } else { Need::default() }
    }

    /// Whether any part of a box may be in the picture.
    pub fn sees(&self, low: DVec3, high: DVec3) -> bool {
        self.sides.iter().all(|side| {
            // The corner farthest along the plane's normal: if even that lies outside, all of the box does.
            let farthest = DVec3::select(side.truncate().cmpge(DVec3::ZERO), high, low);
            side.truncate().dot(farthest) + side.w >= 0.0
        })
    }
}

/// The corners of the box above a rectangle.
pub(in crate::stream) fn corners(
    north_west: DVec2,
    south_east: DVec2,
    (low, high): (f64, f64),
) -> (DVec3, DVec3) {
    (DVec3::new(north_west.x, low, north_west.y), DVec3::new(south_east.x, high, south_east.y))
}

/// An eye that looks everywhere, for tests.
#[doc(hidden)]
pub fn eye_at(position: DVec3) -> Eye {
    Eye {
        position,
        velocity: DVec3::ZERO,
        pixels: 1000.0,
        is_orthographic: false,
        sides: Vec::new(),
        far: 1e6,
        texel_pixels: 4.0,
        ranges: Ranges::new(1000.0, 1.5, 5.0, 40.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: LandShape = LandShape { cell: 10.0, size: None, finest: -5, coarsest: 8 };

    #[test]
    fn a_tile_is_needed_where_its_parent_would_look_too_coarse() {
        let tile = LandTile { level: 0, column: 0, row: 0 };
        let need = |height: f64| {
            eye_at(DVec3::new(600.0, height, 600.0)).need(&SHAPE, tile, ((0.0, 0.0), 0.0), 1.0).now
        };
        // The parent's cells of 20 m are 4 pixels large at 5000 m.
        assert!((need(5000.0 - 1e-6) - 1.0).abs() < 1e-9, "{}", need(5000.0 - 1e-6));
        assert!(need(4900.0) > 1.0);
        assert_eq!(need(5100.0), 0.0);
        let pressed = eye_at(DVec3::new(600.0, 4900.0, 600.0)).need(&SHAPE, tile, ((0.0, 0.0), 0.0), 1.5);
        assert!(pressed.soon < 1.0);
    }

    #[test]
    fn tiles_ahead_are_needed_sooner_and_those_soon_passed_never() {
        let tile = |level, column| LandTile { level, column, row: 0 };
        let mut eye = eye_at(DVec3::new(0.0, 50.0, 40.0));
        eye.velocity.x = 600.0;
        let need = |tile| eye.need(&SHAPE, tile, ((0.0, 0.0), 0.0), 1.0).soon;
        assert!(need(tile(0, 4)) > need(tile(0, -5)));
        let ahead = eye.need(&SHAPE, tile(0, 4), ((0.0, 0.0), 0.0), 1.0);
        assert!(ahead.now < ahead.soon, "it is requested before it is needed");
        assert!(need(tile(-4, 0)) > 1.0, "its reach is 312 m, half a second's flight");
        assert_eq!(need(tile(-5, 0)), 0.0);
    }

    #[test]
    fn tiles_behind_the_eye_may_be_coarser() {
        let mut eye = eye_at(DVec3::new(0.0, 100.0, 0.0));
        eye.sides = vec![DVec4::new(1.0, 0.0, 0.0, 0.0)];
        // Both are equally far away, 1280 m: one to the east, one to the west.
        let need =
            |column| eye.need(&SHAPE, LandTile { level: 0, column, row: -1 }, ((0.0, 0.0), 0.0), 1.0).now;
        assert_eq!(need(1), 2.0 * need(-2));
    }
}
