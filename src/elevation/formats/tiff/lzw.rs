//! TIFFs compressed with LZW (TIFF 6.0, section 13).
//!
//! The `tiff` crate (0.11) fails on many tiled files, among them GDAL's, because it requires the end code
//! (its issue 395). Here a strip or tile ends when its pixels are complete, as in libtiff: the decoder,
//! `weezl`, is the same, but is asked for no more than that. Predictor and byte order are left to `tiff`:
//! each strip or tile, decompressed, is wrapped in a small TIFF of its own.

use std::io::{Cursor, Read, Seek, SeekFrom};

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::{ByteOrder, CompressionMethod, Tag};
use weezl::decode::Configuration;
use weezl::{BitOrder, LzwStatus};

use super::TiffDecoder;

/// A larger strip or tile would not fit into the small TIFF's 32-bit offsets.
const LARGEST: usize = 3 << 30;

/// The strips or tiles of a TIFF that is compressed with LZW.
pub(super) struct LzwChunks {
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    order: ByteOrder,
    bits: u16,
    /// Samples of a pixel that are stored together.
    samples: u16,
    format: u16,
    predictor: u16,
    photometric: u16,
    /// The last strip ends with the image; tiles are always whole.
    tiled: bool,
}

impl LzwChunks {
    /// `None` when the TIFF uses another compression.
    pub(super) fn find(decoder: &mut TiffDecoder, planar: bool) -> Result<Option<Self>, TiffError> {
        let mut number = |tag| decoder.find_tag_unsigned_vec::<u16>(tag).map(|all| all?.first().copied());
        if number(Tag::Compression)? != Some(CompressionMethod::LZW.to_u16()) {
            return Ok(None);
        }
        let bits = number(Tag::BitsPerSample)?.unwrap_or(1);
        let samples = if planar { 1 } else { number(Tag::SamplesPerPixel)?.unwrap_or(1) };
        let format = number(Tag::SampleFormat)?.unwrap_or(1);
        let predictor = number(Tag::Predictor)?.unwrap_or(1);
        // White may be 0, which inverts the values; no other photometric interpretation matters here.
        let photometric = number(Tag::PhotometricInterpretation)?.unwrap_or(1).min(1);
        let tiled = decoder.get_chunk_type() == ChunkType::Tile;
        let (offsets, lengths) = match tiled {
            true => (Tag::TileOffsets, Tag::TileByteCounts),
            false => (Tag::StripOffsets, Tag::StripByteCounts),
        };
        let offsets = decoder.get_tag_u64_vec(offsets)?;
        let lengths = decoder.get_tag_u64_vec(lengths)?;
        let order = decoder.byte_order();
        Ok(Some(Self { offsets, lengths, order, bits, samples, format, predictor, photometric, tiled }))
    }

    /// Rows of a strip or tile of `depth` rows of which `rows` lie within the image.
    pub(super) fn rows(&self, depth: usize, rows: usize) -> usize {
        if self.tiled { depth } else { rows }
    }

    /// Decompresses one strip or tile of `width × depth` pixels.
    pub(super) fn read(
        &self,
        decoder: &mut TiffDecoder,
        index: usize,
        width: usize,
        depth: usize,
    ) -> Result<DecodingResult, TiffError> {
        let cut_short = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let place = self.offsets.get(index).zip(self.lengths.get(index));
        let (&offset, &length) = place.ok_or_else(cut_short)?;
        let mut packed = Vec::new();
        let input = decoder.inner();
        input.seek(SeekFrom::Start(offset))?;
        input.take(length).read_to_end(&mut packed)?;

        let size = usize::from(self.bits) / 8 * usize::from(self.samples) * width * depth;
        if size > LARGEST {
            return Err(TiffError::LimitsExceeded);
        }
        let pixels = unpack(&packed, size);
        if pixels.len() < size {
            return Err(cut_short().into());
        }
        let mut limits = Limits::default();
        limits.decoding_buffer_size = size.max(limits.decoding_buffer_size);
        limits.intermediate_buffer_size = size.max(limits.intermediate_buffer_size);
        let file = Cursor::new(self.dressed_up(width as u32, depth as u32, &pixels));
        Decoder::new(file)?.with_limits(limits).read_chunk(0)
    }

    /// A TIFF of one strip that holds these pixels uncompressed.
    fn dressed_up(&self, width: u32, depth: u32, pixels: &[u8]) -> Vec<u8> {
        const SHORT: u16 = 3;
        const LONG: u16 = 4;
        const TAGS: usize = 12;
        const START: usize = 8 + 2 + 12 * TAGS + 4;
        let tags: [(Tag, u16, u32); TAGS] = [
            (Tag::ImageWidth, LONG, width),
            (Tag::ImageLength, LONG, depth),
            (Tag::BitsPerSample, SHORT, self.bits.into()),
            (Tag::Compression, SHORT, 1),
            (Tag::PhotometricInterpretation, SHORT, self.photometric.into()),
            (Tag::StripOffsets, LONG, START as u32),
            (Tag::SamplesPerPixel, SHORT, self.samples.into()),
            (Tag::RowsPerStrip, LONG, depth),
            (Tag::StripByteCounts, LONG, pixels.len() as u32),
            (Tag::PlanarConfiguration, SHORT, 1),
            (Tag::Predictor, SHORT, self.predictor.into()),
            (Tag::SampleFormat, SHORT, self.format.into()),
        ];
        let little = self.order == ByteOrder::LittleEndian;
        let short = |n: u16| if little { n.to_le_bytes() } else { n.to_be_bytes() };
        let long = |n: u32| if little { n.to_le_bytes() } else { n.to_be_bytes() };
        let mut file = Vec::with_capacity(START + pixels.len());
        file.extend(if little { b"II" } else { b"MM" });
        file.extend(short(42));
        file.extend(long(8));
        file.extend(short(TAGS as u16));
        for (tag, kind, value) in tags {
            file.extend(short(tag.to_u16()));
            file.extend(short(kind));
            file.extend(long(1));
            match kind {
                SHORT => file.extend([short(value as u16), [0; 2]].as_flattened()),
                _ => file.extend(long(value)),
            }
        }
        file.extend(long(0));
        file.extend(pixels);
        file
    }
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
        assert_eq!(unpack(&packed[..4], 9), [7, 7, 7], "what there is of a stream cut short");
        assert_eq!(unpack(&[0xFF; 20], 9), Vec::<u8>::new(), "nonsense ends it");
    }

    #[test]
    fn codes_that_clear_the_table_give_nothing_and_do_not_end_it() {
        // Nine codes of 9 bits at a time: 256 again and again, then 7 and 8.
        let codes: Vec<u16> = [[256; 9]; 9].concat().into_iter().chain([7, 8]).collect();
        let bits = codes.iter().flat_map(|code| (0..9).rev().map(move |bit| code >> bit & 1));
        let bits: Vec<u16> = bits.collect();
        let packed: Vec<u8> = bits
            .chunks(8)
            .map(|bits| bits.iter().enumerate().map(|(place, bit)| (bit << (7 - place)) as u8).sum())
            .collect();
        assert_eq!(unpack(&packed, 2), [7, 8]);
        assert_eq!(unpack(&packed, 3), [7, 8], "what is short stays short");
    }
}
