//! Palette images read as indices: maps of terrain types.
//!
//! The decoders return only colours. So the palette of each image is replaced by one in which colour n is (n,
//! n, n), and the decoded colours are the indices.

use std::io::Cursor;
use std::path::Path;

use image::codecs::bmp::BmpDecoder;
use image::codecs::png::PngDecoder;
use image::{ImageDecoder, ImageResult};

use crate::elevation::formats::label::Label;
use crate::elevation::formats::pictures::picture::{self, PictureFormat};
use crate::elevation::formats::pictures::pixels::{self, DecodedPicture};
use crate::elevation::formats::pictures::png;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};

/// A palette image.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Indexed {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub depth: usize,
    /// The index of every pixel, row by row from the north-west; each is within the palette.
    pub ids: Vec<u8>,
    /// Red, green and blue of every index.
    pub palette: Vec<[u8; 3]>,
}

/// Reads a palette image, PNG or BMP, as indices.
///
/// # Errors
/// When the file cannot be read, is neither PNG nor BMP, has no palette, or uses an index that its
/// palette lacks.
pub fn read_indices(path: impl AsRef<Path>) -> Result<Indexed> {
    let path = path.as_ref();
    read_indices_from_bytes(path, &files::read(path, FileKind::Picture)?)
}

/// Reads a palette image in memory; `name` is used in messages.
///
/// # Errors
/// As [`read_indices`].
pub fn read_indices_from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Indexed> {
    indices(Label { path: name.as_ref(), len: bytes.len() as u64 }, bytes)
}

/// The levels of a picture.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Levels {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub depth: usize,
    /// The number of every pixel, row by row from the north-west.
    pub levels: Vec<u16>,
}

/// Reads a palette image as indices, or a 16-bit grey PNG as its levels, for maps of more types than a
/// palette can hold.
///
/// # Errors
/// As [`read_indices`].
pub fn read_levels(path: impl AsRef<Path>) -> Result<Levels> {
    let path = path.as_ref();
    read_levels_from_bytes(path, &files::read(path, FileKind::Picture)?)
}

/// As [`read_levels`], from bytes in memory; `name` is used in messages.
///
/// # Errors
/// As [`read_indices`].
pub fn read_levels_from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Levels> {
    const GREY: u8 = 0;
    let label = Label { path: name.as_ref(), len: bytes.len() as u64 };
    // The header gives the bits per channel and the kind of colour.
    let is_grey = bytes.starts_with(&png::SIGNATURE) && bytes.get(24..26) == Some(&[16, GREY]);
    if is_grey && let Some((PictureFormat::Png, (width, _))) = picture::check(label, bytes)? {
        let decoded =
            pixels::decode_bytes(label, || PngDecoder::with_limits(Cursor::new(bytes), png::limits(width)))?;
        let DecodedPicture { width, depth, colour, bytes } = decoded;
        // With transparency, the decoder adds a second channel.
        let channels = usize::from(colour.channel_count());
        let pixels = bytes.chunks_exact(2 * channels);
        let levels = pixels.map(|pixel| u16::from_ne_bytes([pixel[0], pixel[1]])).collect();
        return Ok(Levels { width, depth, levels });
    }
    let Indexed { width, depth, ids, .. } = indices(label, bytes)?;
    Ok(Levels { width, depth, levels: ids.into_iter().map(u16::from).collect() })
}

fn indices(label: Label, bytes: &[u8]) -> Result<Indexed> {
    match picture::check(label, bytes)? {
        Some((PictureFormat::Png, (width, _))) => {
            let (palette, bytes) = png_with_numbers_for_colours(label, bytes)?;
            decode(label, || PngDecoder::with_limits(Cursor::new(bytes), png::limits(width)), palette)
        }
        Some((PictureFormat::Bmp, _)) => {
            let (palette, bytes) = bmp_with_numbers_for_colours(label, bytes)?;
            decode(label, || BmpDecoder::new(Cursor::new(bytes)), palette)
        }
        None => Err(label.error("this is not a palette image; use PNG or BMP")),
    }
}

fn decode<D: ImageDecoder>(
    label: Label,
    open: impl FnOnce() -> ImageResult<D>,
    palette: Vec<[u8; 3]>,
) -> Result<Indexed> {
    let DecodedPicture { width, depth, colour, bytes } = pixels::decode_bytes(label, open)?;
    let channels = usize::from(colour.channel_count());
    let ids: Vec<u8> = bytes.chunks_exact(channels).map(|pixel| pixel[0]).collect();
    if let Some(id) = ids.iter().find(|&&id| usize::from(id) >= palette.len()) {
        let reason = format!("a pixel has the index {id}, but the palette ends at {}", palette.len() - 1);
        return Err(label.error(reason));
    }
    Ok(Indexed { width, depth, ids, palette })
}

fn no_palette(label: Label) -> Error {
    label.error("this image has no palette; save it with indexed colours")
}

fn png_with_numbers_for_colours(label: Label, bytes: &[u8]) -> Result<(Vec<[u8; 3]>, Vec<u8>)> {
    const INDEXED: u8 = 3;
    let bits = *bytes.get(24).unwrap_or(&0);
    if bytes.get(25) != Some(&INDEXED) || !matches!(bits, 1 | 2 | 4 | 8) {
        return Err(no_palette(label));
    }
    let mut palette = Vec::new();
    let mut rewritten = png::SIGNATURE.to_vec();
    let mut rest = &bytes[png::SIGNATURE.len()..];
    while let Some((&[a, b, c, d], _)) = rest.split_first_chunk() {
        // A chunk is length, type, data, checksum.
        let length = (u32::from_be_bytes([a, b, c, d]) as usize).saturating_add(12);
        let (chunk, after) = rest.split_at(length.min(rest.len()));
        match chunk.get(4..8) {
            Some(b"PLTE") => {
                let data = chunk.get(8..chunk.len().saturating_sub(4)).unwrap_or_default();
                palette = data.as_chunks::<3>().0.to_vec();
                let numbers: Vec<u8> = (0..1u32 << bits).flat_map(|n| [n as u8; 3]).collect();
                rewritten.extend(png::chunk(*b"PLTE", &numbers));
            }
            // Leave out transparency: the decoder would only add a channel.
            Some(b"tRNS") => {}
            _ => rewritten.extend(chunk),
        }
        rest = after;
    }
    if palette.is_empty() { Err(no_palette(label)) } else { Ok((palette, rewritten)) }
}

fn bmp_with_numbers_for_colours(label: Label, bytes: &[u8]) -> Result<(Vec<[u8; 3]>, Vec<u8>)> {
    let short = |at: usize| bytes.get(at..at + 2).map_or(0, |b| u16::from_le_bytes([b[0], b[1]]));
    let long = |at: usize| bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let header = long(14) as usize;
    let old = header == 12;
    let bits = short(if old { 24 } else { 28 });
    if !matches!(bits, 1 | 2 | 4 | 8) {
        return Err(no_palette(label));
    }
    let entry = if old { 3 } else { 4 };
    let used = if old { 0 } else { long(46) as usize };
    let count = if used == 0 { 1 << bits } else { used };
    let start = header.saturating_add(14);
    let cut_short = || label.error("the BMP is cut short or damaged (its palette is incomplete)");
    let colours =
        bytes.get(start..start.saturating_add(count.saturating_mul(entry))).ok_or_else(cut_short)?;
    let palette: Vec<[u8; 3]> = colours.chunks_exact(entry).map(|c| [c[2], c[1], c[0]]).collect();
    let pixels = bytes.get(long(10) as usize..).ok_or_else(cut_short)?;

    let mut rewritten = bytes[..start].to_vec();
    for number in 0..1u32 << bits {
        rewritten.extend(&[number as u8, number as u8, number as u8, 0][..entry]);
    }
    let offset = rewritten.len() as u32;
    rewritten.extend(pixels);
    rewritten[10..14].copy_from_slice(&offset.to_le_bytes());
    if !old {
        // All 256 entries are used.
        rewritten.get_mut(46..50).ok_or_else(cut_short)?.fill(0);
    }
    Ok((palette, rewritten))
}
