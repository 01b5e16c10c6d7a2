//! Smoothing: the land on a stroke's lattice, filtered by a Gaussian as wide as a quarter of the radius.

use super::stroke::Stroke;

/// The most samples that the Gaussian reaches to each side: three times its standard deviation, which is at
/// most 4 samples, since the radius has at most 16.
pub(super) const REACH: usize = 12;

/// The smoothed land; beyond the lattice's border its values continue.
pub(super) fn smooth(stroke: &Stroke, heights: &[f32], [width, depth]: [usize; 2], cell: f64) -> Vec<f32> {
    // The lattice has at most 16 samples to a radius, so σ is at most 4.
    let sigma = f64::from(stroke.radius) / cell / 4.0;
    let reach = (libm::ceil(3.0 * sigma) as usize).min(REACH);
    let weight = |away: usize| {
        let away = away as f64 / sigma;
        libm::exp(-0.5 * away * away)
    };
    let weights: Vec<f64> = (0..=reach).map(weight).collect();
    let mean = |count: usize, at: usize, value: &dyn Fn(usize) -> f64| {
        // In f64, and divided by the weights' sum: level ground must keep its height to the last bit.
        let (mut sum, mut total) = (weights[0] * value(at), weights[0]);
        for (away, weight) in weights.iter().enumerate().skip(1) {
            sum += weight * (value(at.saturating_sub(away)) + value((at + away).min(count - 1)));
            total += 2.0 * weight;
        }
        sum / total
    };
    // A Gaussian is separable: rows, then columns.
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
