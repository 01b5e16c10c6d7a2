//! TIFFs compressed with ZSTD (code 50000, as GDAL and libtiff write them): one frame a strip or tile.
//! Predictor and byte order are left to `tiff`, as with LZW.

use std::io::Read;

use ruzstd::decoding::StreamingDecoder;
use tiff::TiffError;
use tiff::decoder::DecodingResult;

use super::lzw;
use super::small::{LARGEST, PixelKind};

/// The number of this compression.
pub(super) const ZSTD: u16 = 50_000;

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
    let invalid = |error: ruzstd::decoding::errors::FrameDecoderError| {
        std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
    };
    let decoder = StreamingDecoder::new(packed).map_err(invalid)?;
    let mut unpacked = Vec::new();
    decoder.take(size as u64).read_to_end(&mut unpacked)?;
    if unpacked.len() < size {
        return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
    }
    pixels.decode([width, depth], lzw::NONE, &[], &unpacked)
}
