//! Conversion between sRGB and linear light.
//!
//! No crate gives these bits: `fast-srgb8` (1.0) decodes 119 of the 256 levels differently and encodes one in
//! 1800 values of light as another level; for `palette` (0.7) it is 231 levels and one in 2600 values. They
//! also take three and four times as long to encode.

use std::sync::LazyLock;

/// Linear light of every 8-bit sRGB level.
#[doc(hidden)]
pub static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|level| linear_from_srgb(level as f32 / 255.0)));

/// Linear light of an sRGB-encoded channel, both in [0, 1].
pub(crate) fn linear_from_srgb(encoded: f32) -> f32 {
    // IEC 61966-2-1: linear near black, because the slope of a pure power would be infinite there.
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::powf((encoded + 0.055) / 1.055, 2.4) }
}

/// The sRGB encoding of linear light, both in [0, 1].
pub(crate) fn srgb_from_linear(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}

/// The 8-bit sRGB level nearest to linear light: the rounded result of [`srgb_from_linear`], without
/// computing its power. Light beyond [0, 1] has the level of the nearer end.
#[doc(hidden)]
#[inline]
pub fn level_from_linear(linear: f32) -> u8 {
    static LEVELS: LazyLock<Levels> = LazyLock::new(Levels::new);
    LEVELS.of(linear)
}

/// The light at which each level begins.
struct Levels {
    /// The least light of each level, and one more entry after the last that is never reached.
    from: [f32; 257],
    /// The level at the beginning of each of [`Levels::PARTS`] equal parts of the light.
    at: [u8; Levels::PARTS + 1],
}

impl Levels {
    /// Enough that no part contains more than a few levels.
    const PARTS: usize = 4096;

    fn new() -> Self {
        let level = |linear: f32| (srgb_from_linear(linear) * 255.0 + 0.5) as u8;
        // The entry after the last level is infinite, so the search below ends without a test of bounds.
        let mut from = [f32::INFINITY; 257];
        from[0] = 0.0;
        for (number, from) in from.iter_mut().enumerate().take(256).skip(1) {
            // The bits of floats from 0 to 1 are ordered like the floats.
            let (mut below, mut least) = (0.0f32.to_bits(), 1.0f32.to_bits());
            // The least float that reaches a level, found by bisection: 30 steps for each of 255 levels.
            while below + 1 < least {
                let middle = below + (least - below) / 2;
                let is_there = usize::from(level(f32::from_bits(middle))) >= number;
                *(if is_there { &mut least } else { &mut below }) = middle;
            }
            *from = f32::from_bits(least);
        }
        Self { from, at: std::array::from_fn(|part| level(part as f32 / Self::PARTS as f32)) }
    }

    #[inline]
    fn of(&self, linear: f32) -> u8 {
        // NaN gets the level of 0.
        let linear = if linear > 0.0 { linear.min(1.0) } else { 0.0 };
        let mut level = self.at[(linear * Self::PARTS as f32) as usize];
        // A part of the table spans less than a level even near black, where levels are closest (12.92 · 255
        // / 4096), so the loop runs once at most.
        while linear >= self.from[usize::from(level) + 1] {
            level += 1;
        }
        level
    }
}

/// Entries of the encoding table. Where sRGB is steepest, entries are 0.4 of an 8-bit level apart, so that
/// the entry nearest to a decoded level encodes to that very level.
const STEPS: usize = 8192;

/// Converts blended values to 8-bit sRGB by a table.
pub(crate) struct Encoder {
    table: Box<[u8; STEPS]>,
}

impl Encoder {
    /// For values in linear light, or else for values that are already sRGB-encoded.
    pub(crate) fn new(linear: bool) -> Self {
        let mut table = Box::new([0; STEPS]);
        for (index, entry) in table.iter_mut().enumerate() {
            let value = index as f32 / (STEPS - 1) as f32;
            let encoded = if linear { srgb_from_linear(value) } else { value };
            *entry = (encoded * 255.0 + 0.5) as u8;
        }
        Self { table }
    }

    /// The table's entry nearest to a value, at most 1.
    #[inline(always)]
    pub(crate) fn step(value: f32) -> u16 {
        // Adding 2²³ rounds to a whole number and leaves it in the lowest bits, as in `byte_from_share`. NaN
        // fails the comparison first and becomes 1.
        let value = if value < 1.0 { value } else { 1.0 };
        let rounded = value * (STEPS - 1) as f32 + 8_388_608.0;
        rounded.to_bits() as u16
    }

    /// The 8-bit level of a table's entry.
    #[inline(always)]
    pub(crate) fn level(&self, step: u16) -> u8 {
        // The mask shows the compiler that the index is in bounds: STEPS is a power of two.
        self.table[usize::from(step) & (STEPS - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_rounded_results_of_the_formula() {
        let expected = |linear: f32| (srgb_from_linear(linear) * 255.0 + 0.5) as u8;
        let levels = Levels::new();
        let edges = levels.from[1..256]
            .iter()
            .flat_map(|from| (0..5).map(|ulp| f32::from_bits(from.to_bits() + ulp - 2)));
        let even = (0..=1 << 20).map(|index| index as f32 / (1 << 20) as f32);
        for linear in edges.chain(even).chain([-1.0, 1.5, f32::NAN, f32::MIN_POSITIVE]) {
            assert_eq!(level_from_linear(linear), expected(linear.clamp(0.0, 1.0)), "{linear}");
        }
        assert_eq!(level_from_linear(f32::INFINITY), 255);
    }

    #[test]
    fn every_level_survives_decoding_and_encoding() {
        for linear in [true, false] {
            let encoder = Encoder::new(linear);
            for level in 0..=255u8 {
                let encoded = f32::from(level) / 255.0;
                let value = if linear { linear_from_srgb(encoded) } else { encoded };
                assert_eq!(encoder.level(Encoder::step(value)), level);
            }
        }
    }
}
