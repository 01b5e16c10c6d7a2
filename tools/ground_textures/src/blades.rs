//! Brush: blades of grass and straw, each a bent stroke that rises from its root and nods at the tip.

use glam::{Vec2, Vec3};

use super::canvas::{Canvas, Path, Spot};
use super::colour::{mix, smooth};
use super::noise::Dice;

/// One blade.
pub(super) struct Blade {
    pub(super) root: Vec2,
    pub(super) path: Path,
    /// Metres at the widest.
    pub(super) width: f32,
    /// How high it stands, metres: at the root, at the highest, at the tip.
    pub(super) rise: [f32; 3],
    /// At the root and at the tip.
    pub(super) colours: [Vec3; 2],
    pub(super) roughness: f32,
}

impl Blade {
    /// Draws it.
    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let [root, top, tip] = self.rise;
        let half_width = |along: f32| 0.5 * self.width * (1.0 - along * along);
        let paint = |along: f32, across: f32| {
            let nod = smooth(0.55, 1.0, along);
            let up = along * (2.0 - along);
            // A fold along the middle: one half of the blade faces the sky a little more.
            let fold = 1.0 + 0.12 * across;
            Spot {
                height: mix(mix(root, top, up), tip, nod) - 0.001 * across.abs(),
                colour: self.colours[0].lerp(self.colours[1], smooth(0.0, 0.8, along)) * fold,
                roughness: self.roughness,
            }
        };
        canvas.stroke(self.root, self.path, half_width, paint);
    }
}

/// A place for shape number `index` of `count` on a tile of `side` metres, evenly distributed with some
/// jitter (after Martin Roberts, "The Unreasonable Effectiveness of Quasirandom Sequences", 2018).
pub(super) fn spread(count: usize, side: f32, index: usize, dice: &mut Dice) -> Vec2 {
    // Multiples of 1/g and 1/g², g³ = g + 1, in 2⁻³²: they wrap by themselves.
    let along = |step: u32| (step.wrapping_mul(index as u32) >> 8) as f32 / (1u32 << 24) as f32;
    let jitter = Vec2::new(dice.signed(), dice.signed()) * 0.7 / libm::sqrtf(count as f32);
    (Vec2::new(along(3_242_174_889), along(2_447_445_414)) + jitter) * side
}
