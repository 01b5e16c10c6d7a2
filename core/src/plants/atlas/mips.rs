//! Smaller levels of the atlas: pictures half as large, whose cards keep their coverage.

use super::patch::{ALPHA_CUT, Patch, Picture};

/// Scales a card's opacity until the share `covered` of it is opaque.
pub(super) fn keep_coverage(picture: &mut Picture, patch: Patch, shrink: usize, covered: f32) {
    // Coverage grows with the scale, so bisection finds it: 16 steps leave an error of 8/2¹⁶.
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..16 {
        let middle = (low + high) / 2.0;
        if coverage(picture, patch, shrink, middle) < covered { low = middle } else { high = middle }
    }
    for index in texels_of(picture, patch, shrink) {
        let alpha = &mut picture.texels[index][3];
        *alpha = (f32::from(*alpha) * high).clamp(0.0, 255.0) as u8;
    }
}

/// The share of a card that is opaque, when its opacity is multiplied by `scale`.
pub(super) fn coverage(picture: &Picture, patch: Patch, shrink: usize, scale: f32) -> f32 {
    let (mut opaque, mut all) = (0, 0);
    for index in texels_of(picture, patch, shrink) {
        all += 1;
        opaque += usize::from(f32::from(picture.texels[index][3]) / 255.0 * scale >= ALPHA_CUT);
    }
    opaque as f32 / all.max(1) as f32
}

/// The texels of a card in a picture that is `shrink` times smaller.
fn texels_of(picture: &Picture, patch: Patch, shrink: usize) -> impl Iterator<Item = usize> + use<> {
    let [x, y, width, height] = patch.place().map(|texels| texels / shrink);
    let stride = picture.width;
    (y..y + height).flat_map(move |row| (x..x + width).map(move |column| row * stride + column))
}

/// Half as large: means of four texels.
pub(super) fn halved(picture: &Picture) -> Picture {
    let (width, height) = (picture.width / 2, picture.height / 2);
    let texel = |index: usize| {
        let (x, y) = (2 * (index % width), 2 * (index / width));
        let at = |dx, dy| picture.texels[(y + dy) * picture.width + x + dx];
        let four = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
        std::array::from_fn(|channel| {
            let sum: u32 = four.iter().map(|texel| u32::from(texel[channel])).sum();
            // Plus half of the divisor: rounded and not cut off, or each level would be darker.
            ((sum + 2) / 4) as u8
        })
    };
    Picture { width, height, texels: (0..width * height).map(texel).collect() }
}
