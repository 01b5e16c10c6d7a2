//! Writing tiles as small PNG files: with a palette when 256 colours are enough.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

use crate::elevation::formats::png_chunk;
use crate::error::{Error, Result};
use crate::files::{replace_file, replace_together};

use super::tiling::{Tile, part_path};

/// Bytes of a PNG: its colour type, the data of its header chunk, and the end of that chunk.
const COLOUR_TYPE: usize = 25;
const HEADER_DATA: std::ops::Range<usize> = 16..29;
const HEADER_END: usize = 33;
/// A PNG's number for colours from a palette.
const INDEXED: u8 = 3;

impl Tile {
    /// Writes the colours to `path` (a `.png`), and the normals and the roughness, if it has them, to files
    /// next to it whose names end in `_normal` and `_roughness`: the files that [`Tile::read`] reads. All are
    /// replaced together: after a failure existing files are unchanged.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let write = |path: &Path, bytes: Vec<u8>| {
            replace_file(path, |file| file.write_all(&bytes).map_err(|error| Error::io(path, "write", error)))
        };
        // All parts or none: colours and normals of two different tiles don't belong together.
        let write_all = || {
            write(path, self.coloured(path, &self.colours)?)?;
            if !self.normals.is_empty() {
                let normals: Vec<[u8; 3]> = self.normals.iter().map(|&normal| with_up(normal)).collect();
                write(&part_path(path, "_normal"), self.coloured(path, &normals)?)?;
            }
            if !self.roughness.is_empty() {
                let roughness = self.smallest(path, &self.roughness, ExtendedColorType::L8)?;
                write(&part_path(path, "_roughness"), roughness)?;
            }
            Ok(())
        };
        replace_together(write_all).map(|((), _)| ())
    }

    fn coloured(&self, path: &Path, colours: &[[u8; 3]]) -> Result<Vec<u8>> {
        let distinct: BTreeSet<[u8; 3]> = colours.iter().copied().collect();
        // A palette has at most 256 colours; with one, a texel takes a byte and not three.
        if distinct.len() > 256 {
            return self.smallest(path, colours.as_flattened(), ExtendedColorType::Rgb8);
        }
        // From dark to light, so that neighbouring texels have similar numbers, which compress better.
        let mut palette: Vec<[u8; 3]> = distinct.into_iter().collect();
        palette.sort_by_key(|&[r, g, b]| (2 * u32::from(r) + 5 * u32::from(g) + u32::from(b), r, b));
        let index = |colour: &[u8; 3]| palette.iter().position(|known| known == colour).unwrap_or(0) as u8;
        let indices: Vec<u8> = colours.iter().map(index).collect();
        // A picture with a palette has the rows of a grey one, and only its header differs.
        let grey = self.smallest(path, &indices, ExtendedColorType::L8)?;
        let (header, rest) = grey.split_at(HEADER_END);
        let mut header = header.to_vec();
        header[COLOUR_TYPE] = INDEXED;
        let header = [&header[..8], &png_chunk(*b"IHDR", &header[HEADER_DATA])].concat();
        Ok([&header, &png_chunk(*b"PLTE", palette.as_flattened()), rest].concat())
    }

    /// The smallest PNG of a picture that any of several filters gives.
    fn smallest(&self, path: &Path, bytes: &[u8], colour: ExtendedColorType) -> Result<Vec<u8>> {
        let mut smallest = None::<Vec<u8>>;
        // No rule says which filter compresses better, so both are tried.
        for filter in [FilterType::NoFilter, FilterType::Adaptive] {
            let mut png = Vec::new();
            PngEncoder::new_with_quality(&mut png, CompressionType::Best, filter)
                .write_image(bytes, self.width as u32, self.depth as u32, colour)
                .map_err(|error| Error::file(path, format!("cannot be written as PNG ({error})")))?;
            if smallest.as_ref().is_none_or(|smallest| png.len() < smallest.len()) {
                smallest = Some(png);
            }
        }
        Ok(smallest.unwrap_or_default())
    }
}

/// A normal with its upward part, which follows from the other two; they are written as they are.
fn with_up([east, south]: [u8; 2]) -> [u8; 3] {
    let [x, z] = [east, south].map(|value| (f32::from(value) - 128.0) / 127.0);
    // A normal has the length 1, so its third part follows from the other two. Rounded levels may exceed it
    // slightly.
    let up = libm::sqrtf((1.0 - x * x - z * z).max(0.0));
    [east, south, (128.0 + 127.0 * up + 0.5) as u8]
}
