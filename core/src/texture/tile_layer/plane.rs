//! Grids of texels, halved for mip levels and resampled.

use rayon::prelude::*;

/// A grid of texels with `N` channels, row by row.
pub(super) struct Plane<const N: usize> {
    pub(super) width: usize,
    pub(super) depth: usize,
    pub(super) texels: Vec<[f32; N]>,
}

impl<const N: usize> Plane<N> {
    pub(super) fn from_fn(
        width: usize,
        depth: usize,
        texel: impl Fn(usize, usize) -> [f32; N] + Sync,
    ) -> Self {
        let mut texels = vec![[0.0; N]; width * depth];
        texels.par_chunks_mut(width).enumerate().for_each(|(row, texels)| {
            for (column, out) in texels.iter_mut().enumerate() {
                *out = texel(column, row);
            }
        });
        Self { width, depth, texels }
    }

    /// The next mip level: each texel is the mean of the area that it covers. On odd sides that is two texels
    /// and part of a third, so the picture does not shift.
    pub(super) fn halved(&self) -> Self {
        let (columns, rows) = (covered(self.width), covered(self.depth));
        Self::from_fn(columns.len(), rows.len(), |column, row| {
            let mut mean = [0.0; N];
            for (source_row, row_share) in rows[row].taps() {
                for (source_column, column_share) in columns[column].taps() {
                    let texel = self.texels[source_row * self.width + source_column];
                    for (mean, channel) in mean.iter_mut().zip(texel) {
                        *mean += channel * row_share * column_share;
                    }
                }
            }
            mean
        })
    }

    /// The mean texel.
    pub(super) fn mean(&self) -> [f32; N] {
        // In f64: millions of texels would lose digits of the sum in f32.
        let mut sums = [0.0f64; N];
        for texel in &self.texels {
            for (sum, &channel) in sums.iter_mut().zip(texel) {
                *sum += f64::from(channel);
            }
        }
        sums.map(|sum| (sum / self.texels.len().max(1) as f64) as f32)
    }

    /// A tiling plane resampled to `side²` texels, with a tent filter as wide as a source or target texel,
    /// whichever is larger.
    pub(super) fn wrapped_to(self, side: usize) -> Self {
        if (self.width, self.depth) == (side, side) {
            return self;
        }
        let (columns, rows) = (tents(self.width, side), tents(self.depth, side));
        Self::from_fn(side, side, |column, row| {
            let mut mean = [0.0; N];
            for (source_row, row_share) in &rows[row] {
                for (source_column, column_share) in &columns[column] {
                    let texel = self.texels[source_row * self.width + source_column];
                    for (mean, channel) in mean.iter_mut().zip(texel) {
                        *mean += channel * row_share * column_share;
                    }
                }
            }
            mean
        })
    }
}

/// For each of `to` positions along a periodic side of `from` texels: the texels around it and their
/// weights, a tent that sums to 1.
fn tents(from: usize, to: usize) -> Vec<Vec<(usize, f32)>> {
    let step = from as f64 / to as f64;
    // Enlarging interpolates between two texels, shrinking averages all texels below.
    let reach = step.max(1.0);
    let tent = |index: usize| {
        let middle = (index as f64 + 0.5) * step - 0.5;
        let taps = (middle - reach).ceil() as i64..=(middle + reach).floor() as i64;
        let share = |tap: i64| (1.0 - (tap as f64 - middle).abs() / reach).max(0.0);
        let total: f64 = taps.clone().map(share).sum();
        taps.map(|tap| (tap.rem_euclid(from as i64) as usize, (share(tap) / total) as f32)).collect()
    };
    (0..to).map(tent).collect()
}

/// The texels that one texel of the next level covers along a side, and their shares of it.
struct CoveredTexels {
    first: usize,
    shares: [f32; 4],
}

impl CoveredTexels {
    fn taps(&self) -> impl Iterator<Item = (usize, f32)> {
        let taps = self.shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        taps.map(|(index, share)| (self.first + index, *share))
    }
}

fn covered(side: usize) -> Vec<CoveredTexels> {
    let halved = (side / 2).max(1);
    let ratio = side as f64 / halved as f64;
    let cover = |index: usize| {
        let (start, end) = (index as f64 * ratio, (index + 1) as f64 * ratio);
        let first = start.floor() as usize;
        let share = |tap: usize| {
            let texel = (first + tap) as f64;
            // A share below a millionth is a rounding error, and its texel may lie outside.
            let overlap = (end.min(texel + 1.0) - start.max(texel)) / ratio;
            if overlap > 1e-6 { overlap as f32 } else { 0.0 }
        };
        CoveredTexels { first, shares: [share(0), share(1), share(2), share(3)] }
    };
    (0..halved).map(cover).collect()
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::*;

    #[test]
    fn a_tiling_plane_keeps_its_mean_and_its_place_at_any_size() {
        let wave = |place: usize, side: usize| (TAU * (place as f32 + 0.5) / side as f32).sin();
        let plane =
            |side: usize| Plane::from_fn(side, side, |column, row| [wave(column, side), wave(row, side)]);
        for (from, to) in [(64, 32), (48, 64), (100, 64), (1, 4)] {
            let resized = plane(from).wrapped_to(to);
            let mean = resized.mean();
            assert!(mean[0].abs() < 1e-4 && mean[1].abs() < 1e-4, "{from} to {to}: {mean:?}");
            for (found, right) in resized.texels.iter().zip(plane(to).texels) {
                let error = (found[0] - right[0]).abs().max((found[1] - right[1]).abs());
                assert!(from == 1 || error < 0.03, "{from} to {to}: {error}");
            }
        }
    }

    #[test]
    fn a_smaller_copy_keeps_the_mean_and_shifts_nothing() {
        for side in [2, 3, 5, 8, 129] {
            let ramp = Plane::from_fn(side, side, |column, row| [column as f32, row as f32]);
            let halved = ramp.halved();
            let mean = |plane: &Plane<2>, channel: usize| {
                let sum: f64 = plane.texels.iter().map(|texel| f64::from(texel[channel])).sum();
                sum / plane.texels.len() as f64
            };
            for channel in 0..2 {
                assert!((mean(&ramp, channel) - mean(&halved, channel)).abs() < 1e-3, "{side}");
            }
            // Each texel is the mean of the area under it.
            let step = side as f32 / halved.width as f32;
            for (index, texel) in halved.texels.iter().enumerate() {
                let place = [index % halved.width, index / halved.width];
                for (found, place) in texel.iter().zip(place) {
                    let expected = (place as f32 + 0.5) * step - 0.5;
                    assert!((found - expected).abs() < 0.06, "{side}: {found} instead of {expected}");
                }
            }
        }
    }
}
