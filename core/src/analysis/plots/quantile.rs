//! Quantiles of sorted values.

/// The quantile of sorted values at a share, interpolated linearly between two of them.
pub(super) fn quantile(sorted: &[f32], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, along) = (place as usize, place.fract());
    let [low, high] = [below, (below + 1).min(sorted.len() - 1)].map(|index| f64::from(sorted[index]));
    low + (high - low) * along
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.25, 0.5, 0.75].map(|share| quantile(&values, share)), [2.0, 4.0, 8.0]);
        assert_eq!([0.0, 0.125, 1.0].map(|share| quantile(&values, share)), [1.0, 1.5, 16.0]);
        assert_eq!(quantile(&[3.0], 0.75), 3.0);
    }
}
