//! How bright a colour is, by the primaries of Rec. 709 and sRGB.

use glam::Vec3;

/// Weights of red, green and blue.
const SHARES: [f64; 3] = [0.2126, 0.7152, 0.0722];

/// Luma of encoded values. For three equal values it is exactly that value.
pub(crate) fn luma(red: f32, green: f32, blue: f32) -> f32 {
    if red == green && green == blue {
        return red;
    }
    // In f64, so that the sum is rounded only once, at the end.
    let [of_red, of_green, of_blue] = SHARES;
    (of_red * f64::from(red) + of_green * f64::from(green) + of_blue * f64::from(blue)) as f32
}

/// Luminance of a colour in linear light.
pub fn luminance(light: Vec3) -> f32 {
    light.dot(Vec3::from(SHARES.map(|share| share as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grey_is_as_bright_as_its_channels_and_green_the_brightest() {
        for level in [0.0, 0.1, 1.0, 65535.0] {
            assert_eq!(luma(level, level, level), level);
        }
        assert_eq!(luminance(Vec3::X), 0.2126);
        assert_eq!(luminance(Vec3::Y), 0.7152);
        assert_eq!(luminance(Vec3::Z), 0.0722);
    }
}
