//! Heights as integers of the same order, for heaps and histograms: integers compare faster than `total_cmp`.

/// Maps a height to an integer: the higher, the larger. The order is that of [`f32::total_cmp`], so −0.0
/// comes before 0.0, and a NaN before or after all numbers, by its sign.
pub(crate) fn ordered(height: f32) -> u32 {
    let bits = height.to_bits();
    // Positive floats sort by their bits, negative ones in reverse.
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The height that [`ordered`] maps to `ordered`.
pub(crate) fn height_of(ordered: u32) -> f32 {
    f32::from_bits(if ordered >> 31 == 1 { ordered & !(1 << 31) } else { !ordered })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_order_of_the_heights() {
        let heights = [
            -f32::NAN,
            f32::NEG_INFINITY,
            -1e30,
            -2.5,
            -1e-40,
            -0.0,
            0.0,
            1e-40,
            0.1,
            7.0,
            1e30,
            f32::INFINITY,
            f32::NAN,
        ];
        for pair in heights.windows(2) {
            assert!(pair[0].total_cmp(&pair[1]).is_lt());
            assert!(ordered(pair[0]) < ordered(pair[1]), "{pair:?}");
        }
        for height in heights {
            assert_eq!(height_of(ordered(height)).to_bits(), height.to_bits());
        }
    }
}
