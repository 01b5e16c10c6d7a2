//! Colours of ground: linear light, mixed on ramps, and its way to sRGB and back.

use glam::Vec3;

/// Linear light of an sRGB-encoded channel, both in [0, 1].
fn linear_from_srgb(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::powf((encoded + 0.055) / 1.055, 2.4) }
}

/// The sRGB encoding of linear light, both in [0, 1].
pub(super) fn srgb_from_linear(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}

/// Linear light of an sRGB colour 0xRRGGBB.
pub(super) fn rgb(hex: u32) -> Vec3 {
    let channel = |shift: u32| linear_from_srgb((hex >> shift & 255) as f32 / 255.0);
    Vec3::new(channel(16), channel(8), channel(0))
}

/// Linear light of several.
pub(super) fn rgbs<const N: usize>(hexes: [u32; N]) -> [Vec3; N] {
    hexes.map(rgb)
}

/// The colour at `t`, from 0 (the first) to 1 (the last), of colours at even distances.
pub(super) fn ramp(colours: &[Vec3], t: f32) -> Vec3 {
    let place = t.clamp(0.0, 1.0) * (colours.len() - 1) as f32;
    let first = (place as usize).min(colours.len().saturating_sub(2));
    colours[first].lerp(colours[(first + 1).min(colours.len() - 1)], place - first as f32)
}

/// From `a` to `b`.
pub(super) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `from`, 1 above `to`, smooth between; `from` may be the larger one.
pub(super) fn smooth(from: f32, to: f32, value: f32) -> f32 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
