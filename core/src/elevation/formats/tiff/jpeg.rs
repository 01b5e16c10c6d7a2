//! Checks the JPEGs in a TIFF: each states its own size, and the decoder allocates for that, whatever the
//! TIFF says.

use std::io::{Read, Seek, SeekFrom};

use tiff::TiffError;
use tiff::decoder::ChunkType;
use tiff::tags::{CompressionMethod, Tag};

use crate::elevation::formats::source::Label;
use crate::error::Error;

use super::TiffDecoder;

/// What is needed to check any of a TIFF's JPEGs.
pub(super) struct Jpegs {
    /// The shared tables, to be put before each.
    tables: Vec<u8>,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    /// Pixels of a strip or tile, rounded up to whole blocks.
    width: usize,
    depth: usize,
}

impl Jpegs {
    /// `None` when the TIFF uses another compression. Strips or tiles have `width × depth` pixels and the
    /// lengths `lengths`, in bytes.
    pub(super) fn find(
        decoder: &mut TiffDecoder,
        (width, depth): (usize, usize),
        lengths: Vec<u64>,
    ) -> Result<Option<Self>, TiffError> {
        let compression = decoder.find_tag_unsigned::<u16>(Tag::Compression)?;
        if compression != Some(CompressionMethod::ModernJPEG.to_u16()) {
            return Ok(None);
        }
        let tables = decoder.find_tag(Tag::JPEGTables)?.map(|tables| tables.into_u8_vec());
        let tables = tables.transpose()?.unwrap_or_default();
        let offsets = decoder.get_tag_u64_vec(match decoder.get_chunk_type() {
            ChunkType::Tile => Tag::TileOffsets,
            ChunkType::Strip => Tag::StripOffsets,
        })?;
        let (width, depth) = (width.next_multiple_of(16), depth.next_multiple_of(16));
        Ok(Some(Self { tables, offsets, lengths, width, depth }))
    }

    /// Refuses strip or tile `index` when it reaches beyond the end of the file, or claims more pixels than
    /// it may have.
    pub(super) fn check(&self, label: Label, decoder: &mut TiffDecoder, index: usize) -> Result<(), Error> {
        let place = self.offsets.get(index).zip(self.lengths.get(index));
        let (&offset, &length) = place.ok_or_else(|| label.error("the TIFF is cut short or damaged"))?;
        let mut bytes = self.tables.clone();
        let input = decoder.inner();
        let read =
            input.seek(SeekFrom::Start(offset)).and_then(|_| input.take(length).read_to_end(&mut bytes));
        let read = read.map_err(|error| label.io_error(error))?;
        // The decoder would invent what is missing.
        if (read as u64) < length {
            return Err(label.error("the file ends too early; it is cut short"));
        }
        check(label, &bytes, (self.width, self.depth))
    }
}

/// Refuses JPEGs that claim more than `most` pixels each way.
pub(super) fn check(label: Label, bytes: &[u8], most: (usize, usize)) -> Result<(), Error> {
    match largest(bytes) {
        Some((width, depth)) if width > most.0 || depth > most.1 => {
            let most = format!("{}×{}", most.0, most.1);
            let reason = format!("the TIFF is damaged (a strip or tile of at most {most} pixels");
            Err(label.error(format!("{reason} is a JPEG of {width}×{depth})")))
        }
        _ => Ok(()),
    }
}

/// The largest width and depth in the frame headers of a JPEG. These markers can't occur by chance: in
/// compressed data, 0xFF is never followed by these bytes.
fn largest(bytes: &[u8]) -> Option<(usize, usize)> {
    let frames = bytes.windows(9).filter_map(|window| match *window {
        [0xFF, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF, _, _, _, a, b, c, d] => {
            Some((usize::from(u16::from_be_bytes([c, d])), usize::from(u16::from_be_bytes([a, b]))))
        }
        _ => None,
    });
    frames.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_says_how_large_a_jpeg_is() {
        let start = b"\xFF\xD8\xFF\xDB\0\x04\x01\x02";
        let frame = b"\xFF\xC0\0\x0B\x08\x00\x20\x01\x02\x01\x01\x11\0\xFF\xDA";
        assert_eq!(largest(&[start.as_slice(), frame].concat()), Some((258, 32)));
        assert_eq!(
            largest(&[frame.as_slice(), b"\xFF\xC2\0\x0B\x08\x40\0\x40\0"].concat()),
            Some((16384, 16384))
        );
        assert_eq!(largest(start), None);
    }
}
