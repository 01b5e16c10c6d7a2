//! The barks and the stone of the atlas, texel by texel from noise that repeats from top to bottom.

use glam::{Vec2, Vec3, vec2};

use super::patch::{Patch, Picture, SIDE, byte};
use crate::noise::{hash, signed_unit};

/// Paints a strip of bark; a card is left as it is.
pub(super) fn paint_bark(picture: &mut Picture, patch: Patch) {
    let [left, _, width, height] = patch.place();
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let (px, py) = (x as f32, y as f32);
        let colour = match patch {
            Patch::Birch => birch_bark(px, py),
            Patch::Palm => palm_bark(px, py),
            Patch::Smooth => {
                let spots = octaves(px, py, 24, 0.6, 11);
                Vec3::splat(0.62 + 0.3 * spots) + Vec3::new(0.0, 0.01, 0.0)
            }
            Patch::Stone => {
                let grain = octaves(px, py, 16, 1.0, 31);
                let speck = octaves(px, py, 128, 1.0, 37);
                Vec3::splat(0.62 + 0.26 * grain + 0.34 * (speck - 0.5))
            }
            Patch::Rough => {
                // Ridges run along the stem, broken by cracks across it.
                let ridge = octaves(px, py, 32, 3.6, 1);
                let crack = octaves(px, py, 40, 1.0, 5);
                let depth = ((ridge - 0.30) * 3.0).clamp(0.0, 1.0) * ((crack - 0.22) * 4.0).clamp(0.35, 1.0);
                Vec3::splat(0.36 + 0.56 * depth) + 0.12 * (octaves(px, py, 64, 1.0, 9) - 0.5)
            }
            Patch::Spruce
            | Patch::BeechTwig
            | Patch::BirchTwig
            | Patch::HazelTwig
            | Patch::BareTwig
            | Patch::Blade
            | Patch::Ear
            | Patch::Juniper
            | Patch::Frond
            | Patch::Daisy
            | Patch::Poppy
            | Patch::Bell
            | Patch::Herb => return,
        };
        picture.texels[y * SIDE + left + x] = [byte(colour.x), byte(colour.y), byte(colour.z), 255];
    }
}

/// White with dark lenticels across, and black scars here and there.
fn birch_bark(x: f32, y: f32) -> Vec3 {
    let paper = 0.86 + 0.14 * octaves(x, y, 32, 0.3, 21);
    let line = octaves(x, y, 128, 0.10, 23);
    let scar = octaves(x, y, 14, 0.45, 25);
    let dark = ((line - 0.70) * 14.0).clamp(0.0, 0.6).max(((scar - 0.70) * 14.0).clamp(0.0, 0.95));
    let warm = Vec3::new(1.0, 0.985, 0.95) * paper;
    warm.lerp(Vec3::new(0.14, 0.12, 0.11), dark)
}

/// Scars of fallen leaves: rings.
fn palm_bark(x: f32, y: f32) -> Vec3 {
    let wobble = 10.0 * octaves(x, y, 16, 1.0, 41);
    let ring = ((y + wobble) / 32.0).rem_euclid(1.0);
    let groove = if ring < 0.16 { 0.45 } else { 0.75 + 0.25 * ring };
    Vec3::splat(groove * (0.75 + 0.3 * octaves(x, y, 48, 2.5, 43)))
}

/// Octaves of `noise`, with `cells` of the first from top to bottom of the atlas, longer than wide by
/// `stretch`.
fn octaves(x: f32, y: f32, cells: i64, stretch: f32, seed: u64) -> f32 {
    let (mut sum, mut weight) = (0.0, 0.5);
    for octave in 0..4u32 {
        let cells = cells << octave;
        let scale = cells as f32 / SIDE as f32;
        sum += weight * noise(vec2(x * scale * stretch, y * scale), cells, seed + u64::from(octave));
        weight *= 0.5;
    }
    // ½ + ¼ + ⅛ + 1/16: the sum of the weights.
    sum / 0.9375
}

/// Value noise that repeats after `period` cells along y, in [0, 1].
fn noise(p: Vec2, period: i64, seed: u64) -> f32 {
    let cell = p.floor();
    let t = p - cell;
    // Smoothstep, so that slopes are 0 at lattice points and cells don't show.
    let t = t * t * (Vec2::splat(3.0) - 2.0 * t);
    let value = |dx: i64, dy: i64| {
        // Periodic along the stem alone, where the picture repeats.
        let (x, y) = (cell.x as i64 + dx, (cell.y as i64 + dy).rem_euclid(period));
        0.5 * (signed_unit(hash(seed, x, y)) + 1.0)
    };
    let top = value(0, 0) + (value(1, 0) - value(0, 0)) * t.x;
    let bottom = value(0, 1) + (value(1, 1) - value(0, 1)) * t.x;
    top + (bottom - top) * t.y
}
