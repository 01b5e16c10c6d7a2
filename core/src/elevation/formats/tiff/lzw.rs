//! TIFFs compressed with LZW (TIFF 6.0, section 13).
//!
//! A workaround: the `tiff` crate (0.11) fails on many tiled files, among them GDAL's, because it requires
//! the end code (image-tiff issue 395). Here a strip or tile ends when its pixels are complete, as in
//! libtiff. The decoder, `weezl`, is the same, but is asked for no more bytes than that. Predictor and byte
//! order are left to `tiff`: each decompressed strip or tile is wrapped in a small TIFF of its own
//! (`small.rs`).
//!
//! This file can go, and `chunks.rs` can leave LZW to `tiff`, once a release of `tiff` contains image-tiff
//! pull request 391. `NONE` and the size check are also used by `zstd.rs`.

use tiff::TiffError;
use tiff::decoder::DecodingResult;
use weezl::decode::Configuration;
use weezl::{BitOrder, LzwStatus};

use super::small::{LARGEST, PixelKind};

/// The number of this compression.
pub(super) const LZW: u16 = 5;
/// The number of no compression.
pub(super) const NONE: u16 = 1;

/// Decompresses a strip or tile of `width × depth` pixels.
pub(super) fn decode(
    pixels: &PixelKind,
    [width, depth]: [usize; 2],
    packed: &[u8],
) -> Result<DecodingResult, TiffError> {
    let size = pixels.bytes(width.saturating_mul(depth));
    if size > LARGEST {
        return Err(TiffError::LimitsExceeded);
    }
    let unpacked = unpack(packed, size);
    if unpacked.len() < size {
        return Err(cut_short().into());
    }
    pixels.decode([width, depth], NONE, &[], &unpacked)
}

fn cut_short() -> std::io::Error {
    std::io::ErrorKind::UnexpectedEof.into()
}

/// The longest string of one code.
const LONGEST: usize = 4096;
/// After this many calls in a row without output the data have ended: the decoder holds back 64 bits, which
/// can't contain more codes that only clear its table.
const IDLE: usize = 8;

/// Decompresses up to `size` bytes; fewer when the data end or are invalid before.
fn unpack(mut packed: &[u8], size: usize) -> Vec<u8> {
    let as_libtiff = Configuration::with_tiff_size_switch(BitOrder::Msb, 8).with_yield_on_full_buffer(true);
    let mut decoder = as_libtiff.build();
    // No code stands for more than LONGEST bytes, so a short input can't ask for much memory.
    let mut out = vec![0; size.min(packed.len().saturating_mul(LONGEST))];
    let (mut filled, mut idle) = (0, 0);
    while filled < out.len() && idle <= IDLE {
        let step = decoder.decode_bytes(packed, &mut out[filled..]);
        packed = &packed[step.consumed_in..];
        filled += step.consumed_out;
        // The end code, or an invalid one.
        if matches!(step.status, Ok(LzwStatus::Done) | Err(_)) {
            break;
        }
        // A decoder may need a few calls without progress, but must not go on for ever.
        idle = if step.consumed_in + step.consumed_out == 0 { idle + 1 } else { 0 };
    }
    out.truncate(filled);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_own_example_is_unpacked() {
        // TIFF 6.0, section 13: 7 7 7 8 8 7 7 6 6 as the codes 256 7 258 8 8 258 6 6 257.
        let codes = [256u64, 7, 258, 8, 8, 258, 6, 6, 257];
        let mut packed = Vec::new();
        let all = codes.iter().fold(0u128, |all, &code| all << 9 | u128::from(code)) << 7;
        packed.extend(&all.to_be_bytes()[16 - 11..]);
        assert_eq!(unpack(&packed, 9), [7, 7, 7, 8, 8, 7, 7, 6, 6]);
        assert_eq!(unpack(&packed, 4), [7, 7, 7, 8], "it stops when it has enough");
        assert_eq!(unpack(&packed, 99).len(), 9);
        assert_eq!(unpack(&packed[..4], 9), [7, 7, 7], "the beginning of a truncated stream");
        assert_eq!(unpack(&[0xFF; 20], 9), Vec::<u8>::new(), "invalid codes end it");
    }

    #[test]
    fn codes_that_clear_the_table_give_no_output_and_do_not_end_it() {
        // Nine codes of 9 bits at a time: 256 again and again, then 7 and 8.
        let codes: Vec<u16> = [[256; 9]; 9].concat().into_iter().chain([7, 8]).collect();
        let bits = codes.iter().flat_map(|code| (0..9).rev().map(move |bit| code >> bit & 1));
        let bits: Vec<u16> = bits.collect();
        let packed: Vec<u8> = bits
            .chunks(8)
            .map(|bits| bits.iter().enumerate().map(|(place, bit)| (bit << (7 - place)) as u8).sum())
            .collect();
        assert_eq!(unpack(&packed, 2), [7, 8]);
        assert_eq!(unpack(&packed, 3), [7, 8], "missing bytes stay missing");
    }
}
