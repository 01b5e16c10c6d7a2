//! PNG: 8- and 16-bit grey, colour and palette images; written as 16-bit grey.
//!
//! Cell size, place and range travel in `tEXt` chunks (see the notes' table), so that a PNG of ours
//! comes back in metres; other programs pass them over.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use image::codecs::png::PngDecoder;
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use crate::error::{Error, Result};
use crate::formats::notes::Notes;
use crate::formats::pixels;
use crate::formats::sixteen_bit::Steps;
use crate::formats::source::{Label, Source};
use crate::formats::{Format, ReadOptions, Stored, WriteOptions};
use crate::raster::Raster;

pub(super) const FORMAT: Format = Format {
    name: "PNG",
    extensions: &["png"],
    about: "8- and 16-bit image; written in 16 bits, with the range and the cell size as texts",
    reader: Some(read),
    writer: Some(write),
};

/// The eight bytes that a PNG begins with.
pub(super) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Where the header chunk, always the first, ends.
const HEADER_END: usize = 33;
/// Bytes of compressed pixels that are written at once.
const CHUNK: usize = 1 << 16;
/// Longer texts than this are none of ours.
const LONGEST_NOTE: u32 = 1024;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let header = Header::read(source)?;
    label.check_size(header.width, header.depth, header.pixel_bytes())?;
    source.input.rewind().map_err(|error| label.io_error(error))?;

    let mut limits = image::Limits::no_limits();
    // The picture itself is ours; the decoder needs a few rows, texts and profiles beside it.
    limits.max_alloc = Some((64 << 20) + 64 * header.width as u64);
    let decoder =
        PngDecoder::with_limits(&mut *source.input, limits).map_err(|error| damaged(label, &error))?;
    let pixels = pixels::decode(label, decoder, options.channel, |error| damaged(label, error))?;
    let mut values = pixels.values;
    if pixels.is_grey_16 {
        pixels::map_to_range(&mut values, options.range.or(header.notes.range))?;
    }
    let raster = Raster::new(header.width, header.depth, values, header.notes.cell);
    label.named(raster.map(|raster| raster.with_origin(header.notes.origin)))
}

fn damaged(label: Label, error: &image::ImageError) -> Error {
    label.error(format!("the PNG is cut short or damaged ({error})"))
}

/// What stands before the pixels of a PNG.
struct Header {
    width: usize,
    depth: usize,
    bits: u8,
    colour_type: u8,
    notes: Notes,
}

impl Header {
    fn read(source: &mut Source) -> Result<Self> {
        let label = source.label;
        let failed = |error| label.io_error(error);
        let mut start = [0; HEADER_END];
        let length = read_up_to(&mut source.input, &mut start).map_err(failed)?;
        if length < SIGNATURE.len() || start[..8] != SIGNATURE {
            return Err(label.error("this is no PNG, although its extension says so"));
        }
        if length < HEADER_END || &start[12..16] != b"IHDR" {
            return Err(label.error("the PNG is cut short or damaged (it has no header)"));
        }
        let number = |at: usize| u32::from_be_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
        let mut header = Self {
            width: number(16) as usize,
            depth: number(20) as usize,
            bits: start[24],
            colour_type: start[25],
            notes: Notes::default(),
        };
        header.read_notes(source)?;
        Ok(header)
    }

    /// Reads the texts that stand before the pixels.
    fn read_notes(&mut self, source: &mut Source) -> Result<()> {
        let label = source.label;
        let failed = |error| label.io_error(error);
        loop {
            let mut start = [0; 8];
            if read_up_to(&mut source.input, &mut start).map_err(failed)? < 8 {
                return Ok(());
            }
            let [a, b, c, d, kind @ ..] = start;
            let length = u32::from_be_bytes([a, b, c, d]);
            if &kind == b"IDAT" || &kind == b"IEND" {
                return Ok(());
            }
            let skipped = if &kind == b"tEXt" && length <= LONGEST_NOTE {
                let mut text = vec![0; length as usize];
                source.input.read_exact(&mut text).map_err(failed)?;
                let text: String = text.into_iter().map(char::from).collect();
                let (key, text) = text.split_once('\0').unwrap_or_default();
                self.notes.take(key, text).map_err(|reason| label.error(reason))?;
                4
            } else {
                i64::from(length) + 4
            };
            source.input.seek(SeekFrom::Current(skipped)).map_err(failed)?;
        }
    }

    /// Bytes that one decoded pixel takes, at most.
    fn pixel_bytes(&self) -> usize {
        let channels = match self.colour_type {
            0 => 1,
            4 => 2,
            _ => 4,
        };
        // A transparent colour gives even grey and palette images an alpha channel.
        (channels + 1) * if self.bits == 16 { 2 } else { 1 }
    }
}

/// Fills `buffer` as far as there are bytes.
fn read_up_to(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    options: &WriteOptions,
) -> Result<Stored> {
    let steps = Steps::fitting(raster, options.range).map_err(|reason| Error::file(path, reason))?;
    // Both fit: a raster has at most 2^30 samples.
    let mut encoder = Encoder::new(file, raster.width() as u32, raster.depth() as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Sixteen);
    let rows = raster.values().chunks(raster.width());
    let rows = rows.map(|row| steps.of(row).flat_map(u16::to_be_bytes).collect::<Vec<u8>>());
    let texts = Notes::of(raster, steps.range).texts();
    write_rows(path, encoder, texts, rows)?;
    Ok(Stored::in_16_bits(steps.range, true))
}

/// Writes a picture row by row, so that it takes no memory to speak of: filtered and compressed at once it
/// would take as much again as it has pixels, and more.
///
/// # Errors
/// [`Error`] naming `path` when the file cannot be written.
pub(crate) fn write_rows<W: Write, Row: AsRef<[u8]>>(
    path: &Path,
    mut encoder: Encoder<W>,
    texts: Vec<(String, String)>,
    rows: impl Iterator<Item = Row>,
) -> Result<()> {
    // Others take twice as long and more for a tenth less: noise hardly shrinks.
    encoder.set_deflate_compression(DeflateCompression::FdeflateUltraFast);
    encoder.set_filter(Filter::Adaptive);
    let write = || {
        for (key, text) in texts {
            encoder.add_text_chunk(key, text)?;
        }
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer_with_size(CHUNK)?;
        for row in rows {
            stream.write_all(row.as_ref())?;
        }
        stream.finish()?;
        writer.finish()
    };
    write().map_err(|error| match error {
        EncodingError::IoError(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as PNG ({error})")),
    })
}

/// A chunk with its length before and its checksum behind it.
pub(crate) fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut chunk = (data.len() as u32).to_be_bytes().to_vec();
    chunk.extend(kind);
    chunk.extend(data);
    let checksum = crc32(&chunk[4..]);
    chunk.extend(checksum.to_be_bytes());
    chunk
}

/// CRC-32 as PNG defines it, bit by bit: texts and palettes are short.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_standard_one() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(chunk(*b"IEND", b""), b"\0\0\0\0IEND\xAE\x42\x60\x82");
    }
}
