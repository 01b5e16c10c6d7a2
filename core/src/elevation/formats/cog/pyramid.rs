//! An image and its overviews, each half as large as the one before.

use rayon::prelude::*;

use super::image::{CogImage, CogSamples};
use crate::compute::work::Work;
use crate::error::Result;

/// Pixels along the sides of a block.
pub(super) const SIDE: usize = 512;

/// Overviews end with the first whose sides are both at most this.
const SMALLEST: usize = SIDE;

/// The sizes of an image and of its overviews along x and z, the largest first.
pub(super) fn sizes(width: usize, depth: usize) -> Vec<[usize; 2]> {
    let mut sizes = vec![[width, depth]];
    let mut last = [width, depth];
    while last.into_iter().any(|side| side > SMALLEST) {
        // The samples whose column and row are multiples of two, as at the coarser levels of land.
        last = last.map(|side| side.div_ceil(2));
        sizes.push(last);
    }
    sizes
}

/// The samples of an image and of all its overviews.
pub(super) enum Pyramid<'a> {
    /// Overviews are samples of the image itself: nothing is copied.
    Heights {
        heights: &'a [f32],
        /// What is written in place of NaN.
        hole: Option<f32>,
    },
    Bytes {
        channels: usize,
        image: &'a [u8],
        /// Those of the overviews, the largest first.
        overviews: Vec<Vec<u8>>,
    },
}

impl<'a> Pyramid<'a> {
    /// The pyramid of a checked image whose levels have these sizes.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn of(image: &CogImage<'a>, sizes: &[[usize; 2]], work: &Work) -> Result<Self> {
        match image.samples {
            CogSamples::Heights(heights) => {
                Ok(Self::Heights { heights, hole: image.nodata.filter(|nodata| !nodata.is_nan()) })
            }
            CogSamples::Bytes { channels, values } => {
                let mut overviews: Vec<Vec<u8>> = Vec::new();
                for pair in sizes.windows(2) {
                    let finer = overviews.last().map_or(values, Vec::as_slice);
                    overviews.push(halved(finer, pair[0], pair[1], channels, work)?);
                }
                Ok(Self::Bytes { channels, image: values, overviews })
            }
        }
    }

    /// The bytes of all overviews that [`of`](Self::of) makes.
    pub(super) fn bytes(image: &CogImage, sizes: &[[usize; 2]]) -> u64 {
        match image.samples {
            CogSamples::Heights(_) => 0,
            CogSamples::Bytes { channels, .. } => {
                sizes[1..].iter().map(|[width, depth]| (width * depth * channels) as u64).sum()
            }
        }
    }
}

/// An image of half the size: each pixel is the average of 2 × 2, or of those that there are at the eastern
/// and southern borders.
fn halved(
    finer: &[u8],
    [width, depth]: [usize; 2],
    size: [usize; 2],
    channels: usize,
    work: &Work,
) -> Result<Vec<u8>> {
    let mut coarse = vec![0; size[0] * size[1] * channels];
    coarse.par_chunks_mut(size[0] * channels).enumerate().try_for_each(|(row, line)| {
        work.check()?;
        let rows = 2 * row..(2 * row + 2).min(depth);
        for (column, out) in line.chunks_exact_mut(channels).enumerate() {
            let columns = 2 * column..(2 * column + 2).min(width);
            let mut sums = [0u16; super::image::MOST_CHANNELS];
            for row in rows.clone() {
                let pixels =
                    &finer[(row * width + columns.start) * channels..(row * width + columns.end) * channels];
                for pixel in pixels.chunks_exact(channels) {
                    sums.iter_mut().zip(pixel).for_each(|(sum, &value)| *sum += u16::from(value));
                }
            }
            average(&sums[..channels], (rows.len() * columns.len()) as u16, out);
        }
        Ok(())
    })?;
    Ok(coarse)
}

/// Divides sums by the number of pixels, rounded. If the channels of these pixels sum to 255, as weights do,
/// so do the quotients: those with the largest remainders are rounded up.
fn average(sums: &[u16], count: u16, out: &mut [u8]) {
    let total: u16 = sums.iter().sum();
    if sums.len() == 1 || total != 255 * count {
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = ((sum + count / 2) / count) as u8;
        }
        return;
    }
    let mut missing = 255;
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = (sum / count) as u8;
        missing -= u16::from(*out);
    }
    // From the largest remainder down, since fewer are missing than there are channels with a remainder.
    for remainder in (1..count).rev() {
        for (out, _) in out.iter_mut().zip(sums).filter(|(_, sum)| *sum % count == remainder) {
            if missing == 0 {
                return;
            }
            *out += 1;
            missing -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overviews_end_when_one_block_holds_them() {
        assert_eq!(sizes(1, 1), [[1, 1]]);
        assert_eq!(sizes(512, 512), [[512, 512]]);
        assert_eq!(sizes(513, 2), [[513, 2], [257, 1]]);
        assert_eq!(sizes(8192, 8192).len(), 5);
        assert_eq!(sizes(3001, 1), [[3001, 1], [1501, 1], [751, 1], [376, 1]]);
        // As many samples as at the levels of land: those whose index is a multiple of 2ᵏ.
        for (level, [width, depth]) in sizes(5003, 2049).into_iter().enumerate() {
            assert_eq!([width, depth], [5003, 2049].map(|side: usize| ((side - 1) >> level) + 1));
        }
    }

    #[test]
    fn averages_of_weights_keep_their_sum_and_are_off_by_less_than_one() {
        let mut seed = 1u32;
        let mut random = move |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        for channels in [2usize, 3, 4, 5, 17] {
            for count in [1u16, 2, 4] {
                for _ in 0..500 {
                    let mut sums = vec![0u16; channels];
                    for _ in 0..count {
                        let mut left = 255;
                        for sum in &mut sums[1..] {
                            let share = random(left + 1);
                            *sum += share as u16;
                            left -= share;
                        }
                        sums[0] += left as u16;
                    }
                    let mut out = vec![0; channels];
                    average(&sums, count, &mut out);
                    assert_eq!(out.iter().map(|&weight| u32::from(weight)).sum::<u32>(), 255);
                    for (out, sum) in out.iter().zip(&sums) {
                        let exact = f32::from(*sum) / f32::from(count);
                        assert!((f32::from(*out) - exact).abs() < 1.0, "{sums:?} {count} {out}");
                    }
                }
            }
        }
    }

    #[test]
    fn other_averages_are_rounded_to_the_nearest() {
        let mut out = [0; 3];
        average(&[1, 2, 1020], 4, &mut out);
        assert_eq!(out, [0, 1, 255]);
        let mut grey = [0];
        average(&[254 * 2 + 1], 2, &mut grey);
        assert_eq!(grey, [255]);
        let work = Work::new();
        let odd = halved(&[0, 10, 20, 100, 110, 120], [3, 2], [2, 1], 1, &work).unwrap();
        assert_eq!(odd, [55, 70]);
        work.cancel();
        assert!(halved(&[0; 4], [2, 2], [1, 1], 1, &work).is_err());
    }
}
