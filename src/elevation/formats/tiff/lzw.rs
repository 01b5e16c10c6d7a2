//! LZW as TIFF uses it, by TIFF 6.0, section 13.
//!
//! The `tiff` crate (0.11) gives up on many tiled files, among them GDAL's, because it insists on
//! seeing the end code (its issue 395). Here a strip or tile ends when its pixels are complete, as in
//! libtiff. Predictor and byte order are left to the crate: each strip or tile, unpacked, is dressed
//! up as a small TIFF of its own.

use std::io::{Cursor, Read, Seek, SeekFrom};

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder, DecodingResult, Limits};
use tiff::tags::{ByteOrder, CompressionMethod, Tag};

use super::TiffDecoder;

/// More bytes than this in one strip or tile would not fit into the small TIFF's 32-bit numbers.
const LARGEST: usize = 3 << 30;

/// The strips or tiles of a TIFF that is packed with LZW.
pub(super) struct LzwChunks {
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    order: ByteOrder,
    bits: u16,
    /// Samples that follow each other in a pixel.
    samples: u16,
    format: u16,
    predictor: u16,
    photometric: u16,
    /// Rows of a last strip end with the image; tiles are always whole.
    tiled: bool,
}

impl LzwChunks {
    /// `None` when the TIFF is not packed with LZW.
    pub(super) fn find(decoder: &mut TiffDecoder, planar: bool) -> Result<Option<Self>, TiffError> {
        let mut number = |tag| decoder.find_tag_unsigned_vec::<u16>(tag).map(|all| all?.first().copied());
        if number(Tag::Compression)? != Some(CompressionMethod::LZW.to_u16()) {
            return Ok(None);
        }
        let bits = number(Tag::BitsPerSample)?.unwrap_or(1);
        let samples = if planar { 1 } else { number(Tag::SamplesPerPixel)?.unwrap_or(1) };
        let format = number(Tag::SampleFormat)?.unwrap_or(1);
        let predictor = number(Tag::Predictor)?.unwrap_or(1);
        // White may be 0, which turns the numbers round; any other meaning of them is not needed here.
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

    /// How many rows a strip or tile of `depth` has when `rows` of them lie within the image.
    pub(super) fn rows(&self, depth: usize, rows: usize) -> usize {
        if self.tiled { depth } else { rows }
    }

    /// Unpacks one strip or tile of `width × depth` pixels.
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

    /// A TIFF of one strip that holds these pixels unpacked.
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

const CLEAR: usize = 256;
const END: usize = 257;
const FIRST: usize = 258;
const MOST: usize = 4096;

/// Unpacks up to `size` bytes; fewer when the data end or make no sense before.
fn unpack(packed: &[u8], size: usize) -> Vec<u8> {
    // A string in the table is where it was last written: the bytes from `start`, `length` of them.
    let mut table = [(0usize, 0usize); MOST];
    let mut out: Vec<u8> = Vec::with_capacity(size.min(packed.len().saturating_mul(MOST)));
    let mut next = FIRST;
    let mut bits = 9;
    let mut last: Option<(usize, usize)> = None;
    let (mut buffer, mut filled) = (0u32, 0);
    let mut bytes = packed.iter();
    while out.len() < size {
        while filled < bits {
            let Some(&byte) = bytes.next() else { return out };
            buffer = buffer << 8 | u32::from(byte);
            filled += 8;
        }
        filled -= bits;
        let code = (buffer >> filled) as usize & ((1 << bits) - 1);
        match code {
            END => return out,
            CLEAR => (next, bits, last) = (FIRST, 9, None),
            _ => {
                let start = out.len();
                // The new entry is the last string and one byte more, which is what comes next: in
                // the output the two lie side by side.
                if let Some((last_start, last_length)) = last
                    && next < MOST
                {
                    table[next] = (last_start, last_length + 1);
                    next += 1;
                }
                match code {
                    0..CLEAR => out.push(code as u8),
                    FIRST.. if code < next => {
                        let (from, length) = table[code];
                        for at in from..from + length {
                            out.push(out[at]);
                        }
                    }
                    _ => return out,
                }
                last = Some((start, out.len() - start));
                // Codes grow one entry early, as TIFF has always had it.
                bits = match next {
                    ..511 => 9,
                    511..1023 => 10,
                    1023..2047 => 11,
                    _ => 12,
                };
            }
        }
    }
    out.truncate(size);
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
        assert_eq!(unpack(&[0xFF; 20], 9), [], "nonsense ends it");
    }
}
