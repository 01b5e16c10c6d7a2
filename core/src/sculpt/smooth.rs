//! Smoothing: the land on a stroke's lattice under a Gaussian, as wide as a quarter of the radius.

use super::stroke::Stroke;

/// Samples to each side that the Gaussian reaches at most: three times its standard deviation, which is 4 samples at
/// most, since the radius has 16.
pub(super) const REACH: usize = 12;

/// The smooth land; what lies beyond the lattice's border is as the border.
pub(super) fn smooth(stroke: &Stroke, heights: &[f32], [width, depth]: [usize; 2], cell: f64) -> Vec<f32> {
    let sigma = f64::from(stroke.radius) / cell / 4.0;
    let reach = (libm::ceil(3.0 * sigma) as usize).min(REACH);
    let weight = |away: usize| {
        let away = away as f64 / sigma;
        libm::exp(-0.5 * away * away)
    };
    let weights: Vec<f64> = (0..=reach).map(weight).collect();
    let mean = |count: usize, at: usize, value: &dyn Fn(usize) -> f64| {
        let (mut sum, mut total) = (weights[0] * value(at), weights[0]);
        for (away, weight) in weights.iter().enumerate().skip(1) {
            sum += weight * (value(at.saturating_sub(away)) + value((at + away).min(count - 1)));
            total += 2.0 * weight;
        }
        sum / total
    };
    let mut across = Vec::with_capacity(heights.len());
    for row in heights.chunks_exact(width) {
        across.extend((0..width).map(|column| mean(width, column, &|column| f64::from(row[column]))));
    }
    let mut out = Vec::with_capacity(heights.len());
    for row in 0..depth {
        out.extend((0..width).map(|column| mean(depth, row, &|row| across[row * width + column]) as f32));
    }
    out
}
