//! The canvas of a card: shapes filled in samples that are finer than texels.

use glam::{Vec2, Vec3, vec2};

/// Leaves are drawn with this many samples along a side of a texel.
pub(super) const SAMPLES: usize = 3;

/// A card in progress, in samples: larger than its patch by [`SAMPLES`].
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) samples: Vec<Option<Vec3>>,
}

impl Canvas {
    /// Fills the area for which `inside` returns a colour. It is called with places from (0, 0) at the lower
    /// middle up to (±half width, 1), as shares of the height, within a box around `from` and `to` that is
    /// wider by `margin`.
    pub(super) fn fill(
        &mut self,
        (from, to, margin): (Vec2, Vec2, f32),
        inside: impl Fn(Vec2) -> Option<Vec3>,
    ) {
        let height = self.height as f32;
        let middle = self.width as f32 / 2.0;
        let low = from.min(to) - margin;
        let high = from.max(to) + margin;
        let column = |x: f32| (middle + x * height).clamp(0.0, self.width as f32) as usize;
        let row = |y: f32| ((1.0 - y) * height).clamp(0.0, height) as usize;
        let (columns, rows) = (column(low.x)..column(high.x), row(high.y)..row(low.y));
        for y in rows {
            for x in columns.clone() {
                let p = vec2((x as f32 + 0.5 - middle) / height, 1.0 - (y as f32 + 0.5) / height);
                if let Some(colour) = inside(p) {
                    self.samples[y * self.width + x] = Some(colour);
                }
            }
        }
    }

    /// A line that gets thinner from `from` to `to`.
    pub(super) fn line(&mut self, from: Vec2, to: Vec2, (thick, thin): (f32, f32), colour: Vec3) {
        let along = to - from;
        // Lines of no length are dots.
        let length = along.length_squared().max(1e-9);
        self.fill((from, to, thick), |p| {
            let t = ((p - from).dot(along) / length).clamp(0.0, 1.0);
            let radius = thick + (thin - thick) * t;
            ((p - from - along * t).length_squared() < radius * radius).then_some(colour)
        });
    }

    /// A leaf from its stalk to its tip; `outline` returns half its width at a share of its length, both as
    /// shares of the length.
    pub(super) fn leaf(
        &mut self,
        foot: Vec2,
        tip: Vec2,
        outline: impl Fn(f32) -> f32,
        light: f32,
        veins: f32,
    ) {
        let along = tip - foot;
        let length = along.length().max(1e-6);
        let (along, side) = (along / length, along.perp() / length);
        self.fill((foot, tip, 0.6 * length), |p| {
            let t = (p - foot).dot(along) / length;
            let away = (p - foot).dot(side) / length;
            if !(0.0..=1.0).contains(&t) {
                return None;
            }
            let half = outline(t);
            if away.abs() > half {
                return None;
            }
            // A pale midrib, veins that leave it slantwise, and one half in more light than the other.
            let vein = ((t - 0.9 * away.abs()) * veins).rem_euclid(1.0);
            let mut shade = light * (0.92 + 0.08 * away.signum() + if vein < 0.22 { 0.07 } else { 0.0 });
            if away.abs() < 0.025 {
                shade *= 1.18;
            }
            // Darker towards the edge and the stalk.
            shade *= 1.0 - 0.18 * (away.abs() / half.max(1e-4)) - 0.12 * (1.0 - t);
            Some(Vec3::new(shade, shade, shade * 0.92))
        });
    }
}
