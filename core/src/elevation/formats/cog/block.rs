//! Blocks of 512 × 512 pixels: cut out, prepared for compression, compressed.

use zlib_rs::{
    DeflateConfig, InflateConfig, ReturnCode, Strategy, compress_bound, compress_slice, decompress_slice,
};

use super::pyramid::{Pyramid, SIDE};
use crate::error::{Error, Result};

/// A block that runs alone shrink to less than this share is also searched for repetitions.
const SEARCHED: (usize, usize) = (3, 10);

/// The memory that a thread works in.
#[derive(Default)]
pub(super) struct Scratch {
    raw: Vec<u8>,
    packed: Vec<u8>,
}

impl Pyramid<'_> {
    /// The compressed block at a column and row of the blocks of a level, whose size is `size` and that of
    /// the image `whole`. Beyond the borders of the image its last column and row are repeated, which takes
    /// the fewest bytes.
    ///
    /// # Errors
    /// When the memory for compressing isn't there.
    pub(super) fn block(
        &self,
        level: usize,
        (size, whole): ([usize; 2], [usize; 2]),
        [column, row]: [usize; 2],
        scratch: &mut Scratch,
    ) -> Result<Vec<u8>> {
        let Scratch { raw, packed } = scratch;
        raw.clear();
        let columns = column * SIDE..(column * SIDE + SIDE).min(size[0]);
        let rows = row * SIDE..(row * SIDE + SIDE).min(size[1]);
        let missing = SIDE - rows.len();
        for row in rows {
            match self {
                Self::Heights { heights, hole } => {
                    let from = (row << level) * whole[0];
                    let line = &heights[from + (columns.start << level)..from + whole[0]];
                    let line = line.iter().step_by(1 << level).take(columns.len()).copied();
                    push_heights(line, *hole, raw);
                }
                Self::Bytes { channels, image, overviews } => {
                    let image = level.checked_sub(1).map_or(*image, |level| &overviews[level]);
                    let from = row * size[0];
                    let line = &image[(from + columns.start) * channels..(from + columns.end) * channels];
                    push_bytes(line, *channels, raw);
                }
            }
        }
        let row_bytes = raw.len() / (SIDE - missing);
        for _ in 0..missing {
            raw.extend_from_within(raw.len() - row_bytes..);
        }
        compressed(raw, packed)
    }
}

/// The shorter of two ways to compress these bytes. `packed` is room to work in.
///
/// Differences of rough land hold runs, but hardly any longer repetitions: finding only runs takes a third of
/// the time that deflate's usual level takes, and 2 to 3.5 % more bytes. Blocks that shrink much, such as
/// heights in whole metres or colours of few kinds, hold more of them, and are quickly searched.
///
/// # Errors
/// As [`Pyramid::block`].
fn compressed(raw: &[u8], packed: &mut Vec<u8>) -> Result<Vec<u8>> {
    packed.resize(compress_bound(raw.len()), 0);
    let mut deflated = |level: i32, strategy: Strategy| {
        // The most memory for symbols: one table of codes for more of them.
        let config = DeflateConfig { level, strategy, mem_level: 9, ..DeflateConfig::default() };
        match compress_slice(packed, raw, config) {
            (packed, ReturnCode::Ok) => Ok(packed.to_vec()),
            // Its only possible cause: there is room for the longest output.
            (_, code) => {
                Err(Error::parameter("memory", format!("is too little to compress a block ({code:?})")))
            }
        }
    };
    let runs = deflated(1, Strategy::Rle)?;
    if runs.len() * SEARCHED.1 >= raw.len() * SEARCHED.0 {
        return Ok(runs);
    }
    let searched = deflated(6, Strategy::Default)?;
    Ok(if searched.len() < runs.len() { searched } else { runs })
}

/// Appends a row of heights in the form of the predictor of floats (3; Adobe Photoshop TIFF Technical Note 3,
/// 2005): first the highest bytes of all, then the next ones, and of these bytes the differences.
fn push_heights(heights: impl Iterator<Item = f32>, hole: Option<f32>, raw: &mut Vec<u8>) {
    let start = raw.len();
    raw.resize(start + 4 * SIDE, 0);
    let line = &mut raw[start..];
    let mut last = 0.0;
    let mut heights = heights.map(|height| match hole {
        Some(hole) if height.is_nan() => hole,
        _ => height,
    });
    for place in 0..SIDE {
        last = heights.next().unwrap_or(last);
        for (plane, byte) in f32::to_be_bytes(last).into_iter().enumerate() {
            line[plane * SIDE + place] = byte;
        }
    }
    for place in (1..line.len()).rev() {
        line[place] = line[place].wrapping_sub(line[place - 1]);
    }
}

/// Appends a row of pixels in the form of the predictor of whole numbers (2; TIFF 6.0, section 14): the
/// differences between neighbouring pixels.
fn push_bytes(pixels: &[u8], channels: usize, raw: &mut Vec<u8>) {
    raw.extend_from_slice(&pixels[..channels]);
    raw.extend(pixels[channels..].iter().zip(pixels).map(|(next, value)| next.wrapping_sub(*value)));
    // Repeated pixels differ by nothing.
    let missing = SIDE * channels - pixels.len();
    raw.resize(raw.len() + missing, 0);
}

/// The most bytes that a compressed block of heights has.
pub(super) const MOST_PACKED: usize = 2 * 4 * SIDE * SIDE;

/// The heights of a compressed block, as many columns and rows of it as lie within the image; `None` if it is
/// damaged, by the checksum (Adler-32) at its end.
pub(super) fn heights(packed: &[u8], [columns, rows]: [usize; 2]) -> Option<Vec<f32>> {
    let mut raw = vec![0; 4 * SIDE * SIDE];
    let whole = raw.len();
    let (unpacked, code) = decompress_slice(&mut raw, packed, InflateConfig::default());
    if code != ReturnCode::Ok || unpacked.len() != whole {
        return None;
    }
    let mut heights = Vec::with_capacity(columns * rows);
    for line in raw.chunks_exact_mut(4 * SIDE).take(rows) {
        // The predictor undone: differences of bytes, and first the highest bytes of all heights.
        for place in 1..line.len() {
            line[place] = line[place].wrapping_add(line[place - 1]);
        }
        let byte = |plane: usize, column: usize| line[plane * SIDE + column];
        heights.extend(
            (0..columns).map(|column| f32::from_be_bytes([0, 1, 2, 3].map(|plane| byte(plane, column)))),
        );
    }
    Some(heights)
}
