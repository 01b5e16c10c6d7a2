//! Brush: leaves, flat on the ground or curled, with a midrib.

use glam::{Vec2, Vec3};

use super::canvas::{Canvas, Spot};
use super::colour::{mix, smooth};

/// One leaf. It lies along `along`, its stalk at the near end.
pub(super) struct Leaf {
    pub(super) centre: Vec2,
    /// Unit vector from stalk to tip.
    pub(super) along: Vec2,
    /// Metres.
    pub(super) length: f32,
    /// Share of the length.
    pub(super) width: f32,
    /// How many lobes its edge has on either side, and how deep they are, 0 to 1.
    pub(super) lobes: f32,
    pub(super) lobe_depth: f32,
    /// Height of its middle, metres, and how far its sides are bent up (or down, if negative).
    pub(super) height: f32,
    pub(super) curl: f32,
    /// How it leans: metres of rise per metre, east and south.
    pub(super) lean: Vec2,
    /// Of the blade and of the ribs.
    pub(super) colour: Vec3,
    pub(super) rib: Vec3,
    pub(super) roughness: f32,
}

impl Leaf {
    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let half = self.length / 2.0;
        canvas.stamp(self.centre, half, |offset| {
            let t = offset.dot(self.along) / half;
            let s = offset.dot(self.along.perp()) / (half * self.width);
            // From a round foot to a pointed tip.
            let outline = (1.0 - t * t) * (1.0 - 0.35 * t);
            let wave = libm::sinf((t + 1.0) * self.lobes * std::f32::consts::PI);
            let edge = outline.max(0.0) * (1.0 - self.lobe_depth * wave * wave);
            if s.abs() > edge || edge <= 0.0 {
                return None;
            }
            let across = s.abs() / edge;
            let rib = smooth(0.16, 0.0, s.abs()) + 0.35 * self.side_rib(t, s.abs());
            let margin = smooth(0.75, 1.0, across);
            Some(Spot {
                height: self.height
                    + self.curl * (across * across - 0.4)
                    + offset.dot(self.lean)
                    + 0.0006 * smooth(0.3, 0.0, s.abs()),
                colour: self.colour.lerp(self.rib, rib.min(1.0) * 0.6) * mix(1.0, 0.78, margin),
                roughness: self.roughness,
            })
        });
    }

    /// Ribs that run from the midrib forward to the edge.
    fn side_rib(&self, t: f32, s: f32) -> f32 {
        let phase = (t - 0.45 * s) * 4.0;
        let near = (phase - (phase + 0.5).floor()).abs();
        smooth(0.22, 0.05, near)
    }
}
