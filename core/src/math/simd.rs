//! Arithmetic without branches, which the compiler turns into instructions for several numbers together.

/// The larger of two numbers neither of which is NaN: one instruction where `f32::max` takes several.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of two numbers neither of which is NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// A share in [0, 1] as 0 to 255, rounded.
#[inline(always)]
pub(crate) fn byte_from_share(share: f32) -> u8 {
    // Adding 2²³ rounds to a whole number and leaves it in the lowest bits. This is cheaper than a
    // conversion, which also has to handle NaN and overflow.
    (share * 255.0 + 8_388_608.0).to_bits() as u8
}

/// The arc tangent of a number that is 0 or more, in radians, to 3e-7: polynomial 4.4.49 of Abramowitz and
/// Stegun, "Handbook of Mathematical Functions" (1964).
#[inline(always)]
pub(crate) fn arc_tangent(x: f32) -> f32 {
    // The polynomial holds up to 1; beyond, arctan x = π/2 − arctan(1/x).
    let steep = x > 1.0;
    let y = if steep { 1.0 / x } else { x };
    let t = y * y;
    // Horner's scheme with separate multiplications and additions: `mul_add` would round differently on
    // machines without it.
    let mut sum = 0.002_866_225_7;
    sum = sum * t - 0.016_165_737;
    sum = sum * t + 0.042_909_614;
    sum = sum * t - 0.075_289_64;
    sum = sum * t + 0.106_562_64;
    sum = sum * t - 0.142_089;
    sum = sum * t + 0.199_935_51;
    sum = sum * t - 0.333_331_45;
    let angle = sum * t * y + y;
    if steep { std::f32::consts::FRAC_PI_2 - angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arc_tangent_agrees_with_libm() {
        for step in 0..200_000 {
            let x = step as f32 * 1e-3;
            assert!((arc_tangent(x) - libm::atanf(x)).abs() < 3e-7, "at {x}");
        }
        assert_eq!(arc_tangent(0.0), 0.0);
        assert_eq!(arc_tangent(f32::INFINITY), std::f32::consts::FRAC_PI_2);
    }

    #[test]
    fn shares_become_the_nearest_bytes() {
        for byte in 0..=255u8 {
            assert_eq!(byte_from_share(f32::from(byte) / 255.0), byte);
            assert_eq!(byte_from_share((f32::from(byte) + 0.4).min(255.0) / 255.0), byte);
        }
    }
}
