//! Brush: cracks. They run straight for a hand's breadth, turn a little, taper and branch. They are drawn on
//! a canvas of their own whose heights give their depth, 0 to 1, from which the ground reads them.

use glam::{Vec2, Vec3};

use super::SIZE;
use super::canvas::{Canvas, Path, Spot};
use super::noise::{Dice, direction};

/// A crack to come.
#[derive(Clone, Copy)]
pub(super) struct Crack {
    pub(super) root: Vec2,
    /// Radians from east towards south.
    pub(super) heading: f32,
    /// Metres.
    pub(super) length: f32,
    pub(super) width: f32,
    /// How far it turns at every joint, radians.
    pub(super) jag: f32,
    /// How deep, 0 to 1.
    pub(super) depth: f32,
    /// Branches per metre.
    pub(super) branches: f32,
}

/// A canvas without cracks.
pub(super) fn none() -> Canvas {
    Canvas::new(|_| spot(0.0))
}

/// How deep a crack there is at a place in tiles, 0 to 1.
pub(super) fn at(cracks: &Canvas, p: Vec2) -> f32 {
    cracks.between(p * SIZE)
}

impl Crack {
    /// Draws it with its branches.
    pub(super) fn draw(self, canvas: &mut Canvas, dice: &mut Dice) {
        const JOINT: f32 = 0.07;
        let joints = (self.length / JOINT) as usize + 1;
        let (mut place, mut turned) = (self.root, 0.0);
        for joint in 0..joints {
            // The main direction pulls it back.
            turned = 0.7 * turned + self.jag * dice.signed();
            let heading = self.heading + turned;
            let (from, to) = (joint as f32 / joints as f32, (joint + 1) as f32 / joints as f32);
            let share = |along: f32| {
                let t = from + (to - from) * along;
                libm::sqrtf((4.0 * t * (1.0 - t)).max(0.0))
            };
            let half_width = |along: f32| 0.5 * self.width * share(along) + 0.001;
            let path = Path { heading, bend: 0.0, length: JOINT };
            canvas.stroke(place, path, half_width, |along, across| {
                spot(self.depth * (0.35 + 0.65 * share(along)) * (1.0 - 0.6 * across * across))
            });
            place += direction(heading) * JOINT;
            if self.length > 0.2 && dice.chance(self.branches * JOINT) {
                let side = if dice.chance(0.5) { 1.0 } else { -1.0 };
                let heading = heading + side * dice.within(0.4, 1.2);
                let length = self.length * dice.within(0.15, 0.5);
                let branch = Self { root: place, heading, length, width: 0.7 * self.width, ..self };
                branch.draw(canvas, dice);
            }
        }
    }
}

fn spot(depth: f32) -> Spot {
    Spot { height: depth, colour: Vec3::ZERO, roughness: 1.0 }
}
