//! What is written as a COG, and the limits of that.

use rayon::prelude::*;

use super::metadata;
use crate::elevation::map::MapPlace;
use crate::error::{Error, Result};
use crate::grid::Grid;

/// The most channels of a pixel: a block of 512 × 512 of them has 16 MiB.
pub const MOST_CHANNELS: usize = 64;
/// The longest side: a row of one sample is stored in blocks of 512 × 512 all the same.
const LONGEST_SIDE: usize = 1 << 20;
/// Heights that a thread checks at once.
const SCANNED_AT_ONCE: usize = 1 << 14;

/// One image that is written as a COG. Rows run from north to south, columns from west to east.
#[derive(Clone, Copy, Debug)]
pub struct CogImage<'a> {
    /// Columns, 1 to 1,048,576.
    pub width: usize,
    /// Rows, 1 to 1,048,576.
    pub depth: usize,
    /// Its samples; there are at most [`MAX_SAMPLES`](crate::MAX_SAMPLES) for each channel.
    pub samples: CogSamples<'a>,
    /// Where it lies on its map. On a map of an unknown coordinate system lengths are in metres.
    pub place: Option<&'a MapPlace>,
    /// The height that marks holes, NaN or finite. Heights that are NaN are written as this value. Without
    /// one, all heights must be finite. Images of bytes have none.
    pub nodata: Option<f32>,
    /// Names and texts that other programs show as metadata, such as the hash of a plan.
    ///
    /// `UNITTYPE` is the unit of all channels, such as `m`, and `DESCRIPTION` what they are; with the number
    /// of a channel from 1, as in `DESCRIPTION_2`, that of one channel. GDAL shows both as properties of
    /// bands. All other names are shown as they are.
    pub metadata: &'a [(String, String)],
}

/// The samples of a [`CogImage`], row by row from the north-west.
#[derive(Clone, Copy, Debug)]
pub enum CogSamples<'a> {
    /// Floats of 32 bits: heights in metres, or the values of a layer. Overviews keep every 2ᵏ-th column and
    /// row, as the coarser levels of land do.
    Heights(&'a [f32]),
    /// Bytes, the channels of a pixel one after the other. Overviews average 2 × 2 pixels.
    Bytes {
        /// Channels of a pixel, 1 to [`MOST_CHANNELS`]: 3 are the colours red, green and blue, any other
        /// number are shades or weights.
        channels: usize,
        /// The bytes.
        values: &'a [u8],
    },
}

impl CogSamples<'_> {
    /// Channels of a pixel.
    pub(super) fn channels(&self) -> usize {
        match *self {
            Self::Heights(_) => 1,
            Self::Bytes { channels, .. } => channels,
        }
    }

    /// Bytes of a channel.
    pub(super) fn sample_bytes(&self) -> usize {
        match self {
            Self::Heights(_) => 4,
            Self::Bytes { .. } => 1,
        }
    }
}

impl CogImage<'_> {
    /// # Errors
    /// When a side is 0 or too long, when the number of samples or channels is wrong, when a height is
    /// neither finite nor marks a hole, and those of [`metadata::check`].
    pub(super) fn check(&self) -> Result<Grid> {
        let grid = Grid::new(self.width, self.depth, 1.0)?;
        let wrong_size = |reason: String| Err(Error::Size { width: self.width, depth: self.depth, reason });
        if self.width.max(self.depth) > LONGEST_SIDE {
            return wrong_size(format!(
                "are too long for one GeoTIFF, whose sides may have {LONGEST_SIDE}; write tiles and a VRT of them"
            ));
        }
        metadata::check_nodata(self.nodata, matches!(self.samples, CogSamples::Bytes { .. }))?;
        match self.samples {
            CogSamples::Heights(heights) => {
                if heights.len() != grid.count() {
                    return wrong_size(format!("do not match the {} heights given", heights.len()));
                }
                self.check_heights(heights)?;
            }
            CogSamples::Bytes { channels, values } => {
                if !(1..=MOST_CHANNELS).contains(&channels) {
                    let reason =
                        format!("{channels} channels a pixel are not written; give 1 to {MOST_CHANNELS}");
                    return Err(Error::parameter("channels", reason));
                }
                // Cannot overflow: both factors have been checked.
                let expected = grid.count() * channels;
                if values.len() != expected {
                    return wrong_size(format!(
                        "with {channels} channels are {expected} bytes, and {} are given",
                        values.len()
                    ));
                }
            }
        }
        metadata::check(self.metadata)?;
        Ok(grid)
    }

    fn check_heights(&self, heights: &[f32]) -> Result<()> {
        let with_holes = self.nodata.is_some();
        let is_right = |height: &f32| height.is_finite() || (with_holes && height.is_nan());
        // First in parallel whether any is wrong, then which: the second search only runs in the rare case.
        if heights.par_chunks(SCANNED_AT_ONCE).all(|heights| heights.iter().all(is_right)) {
            return Ok(());
        }
        let Some(index) = heights.iter().position(|height| !is_right(height)) else { return Ok(()) };
        let (row, column, height) = (index / self.width, index % self.width, heights[index]);
        let remedy = if height.is_nan() { "a hole needs a NODATA value" } else { "heights must be finite" };
        Err(Error::parameter(
            "heights",
            format!("the height at column {column}, row {row} is {height}; {remedy}"),
        ))
    }
}
