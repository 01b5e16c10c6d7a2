//! PNG: reads 8- and 16-bit grey, colour and palette images; writes 16-bit grey.
//!
//! Cell size, origin and range are stored in `tEXt` chunks (see the table in `notes.rs`), so that a PNG
//! written by upland is read back in metres; other programs ignore them.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use image::codecs::png::PngDecoder;
use png::{BitDepth, ColorType, Encoder};

use crate::elevation::formats::format::{Format, Stored, WriteOptions};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::notes::Notes;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::pictures::pixels;
use crate::elevation::formats::sixteen_bit::Quantization;
use crate::elevation::formats::source::{Input, ReaderOutput, Source};
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::write_png_rows;

pub(in crate::elevation::formats) const FORMAT: Format = Format {
    name: "PNG",
    extensions: &["png"],
    about: "8- and 16-bit image; written in 16 bits, with the range and the cell size as texts",
    reader: Some(read),
    writer: Some(write),
};

/// The eight bytes that a PNG begins with.
pub(in crate::elevation::formats) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
/// Where the header chunk (IHDR), always the first, ends.
const HEADER_END: usize = 33;
/// Longer texts are not upland's.
const LONGEST_NOTE: u32 = 1 << 16;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let header = Header::read(label, &mut *source.input)?;
    header.check(label)?;
    let notes = header.notes.map_err(|reason| label.error(reason))?;
    source.input.rewind().map_err(|error| label.io_error(error))?;
    let input = &mut *source.input;
    let open = move || PngDecoder::with_limits(input, limits(header.width));
    let pixels = pixels::decode(label, open, options.channel)?;
    let mut values = pixels.values;
    let mut are_heights = pixels.are_heights;
    // The range in the file's own texts is for 16 bits.
    let own = notes.range.filter(|_| pixels.white == Some(65_535.0));
    if let (Some(white), Some(range)) = (pixels.white, options.range.or(own)) {
        are_heights = true;
        pixels::map_to_range(&mut values, white, range)?;
    }
    source.companions.notes.extend(pixels.note);
    let found = ReaderOutput::new([header.width, header.depth], values, notes.given());
    let is_in_range = pixels.white.is_some();
    source.raster(ReaderOutput { are_heights, is_in_range, ..found }, options)
}

/// The decoder's limit for memory in addition to the picture, which this module allocates: a few rows, texts
/// and profiles.
pub(in crate::elevation::formats) fn limits(width: usize) -> image::Limits {
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some((64 << 20) + 64 * width as u64);
    limits
}

/// What precedes the pixels of a PNG.
pub(in crate::elevation::formats) struct Header {
    pub(in crate::elevation::formats) width: usize,
    pub(in crate::elevation::formats) depth: usize,
    bits: u8,
    colour_type: u8,
    /// Length of the palette in bytes.
    palette: Option<u32>,
    /// Upland's own texts; an error if one is malformed.
    notes: Result<Notes, String>,
}

/// The colour type of palette images.
const INDEXED: u8 = 3;

impl Header {
    pub(in crate::elevation::formats) fn read(label: Label, input: &mut dyn Input) -> Result<Self> {
        let failed = |error| label.io_error(error);
        let mut start = [0; HEADER_END];
        let length = read_up_to(input, &mut start).map_err(failed)?;
        if length < SIGNATURE.len() || start[..8] != SIGNATURE {
            return Err(label.error("this is not a PNG, although its extension says so"));
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
            palette: None,
            notes: Ok(Notes::default()),
        };
        header.read_chunks(input).map_err(failed)?;
        Ok(header)
    }

    /// Reads the chunks before the pixels.
    fn read_chunks(&mut self, input: &mut dyn Input) -> std::io::Result<()> {
        loop {
            let mut start = [0; 8];
            if read_up_to(input, &mut start)? < 8 {
                return Ok(());
            }
            let [a, b, c, d, kind @ ..] = start;
            let length = u32::from_be_bytes([a, b, c, d]);
            let mut rest = i64::from(length) + 4;
            match &kind {
                b"IDAT" | b"IEND" => return Ok(()),
                b"PLTE" => self.palette = Some(length),
                // Longer texts are not ours, and are skipped without taking memory for them.
                b"tEXt" if length <= LONGEST_NOTE => {
                    let mut text = vec![0; length as usize];
                    input.read_exact(&mut text)?;
                    // PNG's texts are Latin-1, whose bytes are the first 256 characters of Unicode.
                    let text: String = text.into_iter().map(char::from).collect();
                    let (key, text) = text.split_once('\0').unwrap_or_default();
                    if let Ok(notes) = &mut self.notes
                        && let Err(reason) = notes.take(key, text)
                    {
                        self.notes = Err(reason);
                    }
                    rest = 4;
                }
                _ => {}
            }
            input.seek_relative(rest)?;
        }
    }

    /// Refuses sizes that a file of this length cannot hold, and input that would crash the decoder.
    pub(in crate::elevation::formats) fn check(&self, label: Label) -> Result<()> {
        label.check_size(self.width, self.depth, self.stored_bits())?;
        match self.palette {
            Some(bytes) if self.colour_type == INDEXED && (bytes % 3 != 0 || !(3..=768).contains(&bytes)) => {
                let reason = format!("the PNG is damaged (its palette has {bytes} bytes");
                Err(label.error(reason + "; it needs three for each of 1 to 256 colours)"))
            }
            _ => Ok(()),
        }
    }

    /// Bits of a pixel in the file, unpacked.
    fn stored_bits(&self) -> usize {
        let channels = match self.colour_type {
            2 => 3,
            4 => 2,
            6 => 4,
            _ => 1,
        };
        channels * usize::from(self.bits)
    }
}

/// Fills `buffer` as far as the input goes.
fn read_up_to(input: &mut dyn Input, buffer: &mut [u8]) -> std::io::Result<usize> {
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
    let steps = Quantization::fitting(raster, options.range).map_err(|reason| Error::file(path, reason))?;
    // No overflow: a raster has at most 2^30 samples.
    let mut encoder = Encoder::new(file, raster.width() as u32, raster.depth() as u32);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Sixteen);
    let rows = raster.values().chunks(raster.width());
    let rows = rows.map(|row| steps.of(row).flat_map(u16::to_be_bytes).collect::<Vec<u8>>());
    let texts = Notes::of(raster, steps.range).texts();
    write_png_rows(path, encoder, texts, rows)?;
    Ok(Stored::in_16_bits(steps.range, true))
}

/// A chunk with its length and checksum.
pub(crate) fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut chunk = (data.len() as u32).to_be_bytes().to_vec();
    chunk.extend(kind);
    chunk.extend(data);
    let checksum = crc32(&chunk[4..]);
    chunk.extend(checksum.to_be_bytes());
    chunk
}

/// CRC-32 as PNG defines it, bit by bit: it is used only for short chunks.
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
