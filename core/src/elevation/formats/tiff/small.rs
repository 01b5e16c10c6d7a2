//! Wraps one strip or tile as a small TIFF of its own, in memory, for the decoder. So strips and tiles can be
//! decoded one by one, in any order and by several threads.

use std::io::Cursor;

use tiff::TiffError;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use crate::elevation::formats::nodata::Numbers;

/// A larger strip or tile would not fit into the small TIFF's 32-bit offsets.
pub(super) const LARGEST: usize = 3 << 30;

const SHORT: u16 = 3;
const LONG: u16 = 4;
const UNDEFINED: u16 = 7;
/// BlackIsZero: the stored numbers are the heights, even where they are meant to be shown inverted.
const AS_STORED: u32 = 1;

/// How the pixels of a TIFF's strips and tiles are stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct PixelKind {
    /// Whether the lowest byte comes first.
    pub(super) little: bool,
    /// Bits of a sample: 8, 16, 32 or 64.
    pub(super) bits: u16,
    /// Samples of a pixel that are stored together.
    pub(super) samples: u16,
    /// 1 for unsigned numbers, 2 for signed ones, 3 for floats.
    pub(super) format: u16,
    /// 1 for none, 2 for differences, 3 for differences of the bytes of floats.
    pub(super) predictor: u16,
}

impl PixelKind {
    /// Samples of a pixel that are stored together.
    pub(super) fn samples(&self) -> usize {
        usize::from(self.samples)
    }

    /// What the samples are.
    pub(super) fn numbers(&self) -> Numbers {
        match (self.format, self.bits) {
            (3, 16) => Numbers::F16,
            (3, 32) => Numbers::F32,
            (3, _) => Numbers::F64,
            _ => Numbers::Whole,
        }
    }

    /// Bytes of this many pixels, unpacked.
    pub(super) fn bytes(&self, pixels: usize) -> usize {
        (usize::from(self.bits) / 8 * self.samples()).saturating_mul(pixels)
    }

    /// Decodes a strip or tile of `width × depth` pixels that are packed by `compression`; a JPEG may need
    /// `tables`.
    pub(super) fn decode(
        &self,
        [width, depth]: [usize; 2],
        compression: u16,
        tables: &[u8],
        packed: &[u8],
    ) -> Result<DecodingResult, TiffError> {
        let size = self.bytes(width.saturating_mul(depth));
        if size > LARGEST || packed.len() > LARGEST || tables.len() > 1 << 20 {
            return Err(TiffError::LimitsExceeded);
        }
        // The decoder's own limits are for whole images in memory; sizes have been checked here.
        let mut limits = Limits::default();
        limits.decoding_buffer_size = size.max(limits.decoding_buffer_size);
        limits.intermediate_buffer_size = size.max(packed.len()).max(limits.intermediate_buffer_size);
        let file = Cursor::new(self.dressed_up([width as u32, depth as u32], compression, tables, packed));
        Decoder::new(file)?.with_limits(limits).read_chunk(0)
    }

    /// A TIFF of one strip that holds these pixels.
    fn dressed_up(&self, size: [u32; 2], compression: u16, tables: &[u8], packed: &[u8]) -> Vec<u8> {
        // Values of more than four bytes follow the directory. Shorter ones would be stored inside it, but
        // JPEG tables are always longer, because they have markers for their beginning and end.
        let has_tables = tables.len() > 4;
        let count = if has_tables { 13 } else { 12 };
        let behind = 8 + 2 + 12 * count + 4;
        let start = behind + if has_tables { tables.len() } else { 0 };
        let mut tags = vec![
            (Tag::ImageWidth, LONG, 1, size[0]),
            (Tag::ImageLength, LONG, 1, size[1]),
            (Tag::BitsPerSample, SHORT, 1, self.bits.into()),
            (Tag::Compression, SHORT, 1, compression.into()),
            (Tag::PhotometricInterpretation, SHORT, 1, AS_STORED),
            (Tag::StripOffsets, LONG, 1, start as u32),
            (Tag::SamplesPerPixel, SHORT, 1, self.samples.into()),
            (Tag::RowsPerStrip, LONG, 1, size[1]),
            (Tag::StripByteCounts, LONG, 1, packed.len() as u32),
            (Tag::PlanarConfiguration, SHORT, 1, 1),
            (Tag::Predictor, SHORT, 1, self.predictor.into()),
            (Tag::SampleFormat, SHORT, 1, self.format.into()),
        ];
        if has_tables {
            tags.push((Tag::JPEGTables, UNDEFINED, tables.len() as u32, behind as u32));
        }
        let little = self.little;
        let short = |n: u16| if little { n.to_le_bytes() } else { n.to_be_bytes() };
        let long = |n: u32| if little { n.to_le_bytes() } else { n.to_be_bytes() };
        let mut file = Vec::with_capacity(start + packed.len());
        file.extend(if little { b"II" } else { b"MM" });
        file.extend(short(42));
        file.extend(long(8));
        file.extend(short(tags.len() as u16));
        for (tag, kind, count, value) in tags {
            file.extend(short(tag.to_u16()));
            file.extend(short(kind));
            file.extend(long(count));
            match kind {
                SHORT => file.extend([short(value as u16), [0; 2]].as_flattened()),
                _ => file.extend(long(value)),
            }
        }
        file.extend(long(0));
        if has_tables {
            file.extend(tables);
        }
        file.extend(packed);
        file
    }
}
