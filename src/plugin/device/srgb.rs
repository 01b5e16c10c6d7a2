//! The number format of colours in textures.

use crate::texture::{self, LINEAR};

/// Linear value of an 8-bit sRGB value.
pub(crate) fn linear_from_srgb(value: u8) -> f32 {
    LINEAR[usize::from(value)]
}

/// The nearest 8-bit sRGB value of a linear value in [0, 1].
pub(crate) fn srgb_from_linear(light: f32) -> u8 {
    texture::level_from_linear(light)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_value_survives() {
        for value in 0..=255 {
            assert_eq!(srgb_from_linear(linear_from_srgb(value)), value);
        }
    }
}
