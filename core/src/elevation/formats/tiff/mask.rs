//! The mask of a TIFF: a second image of the same size, 0 where there is no data, in the same file or in a
//! `.msk` next to it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tiff::decoder::DecodingResult;

use super::chunks::{Chunks, size_of};
use super::directory::Directory;
use super::error::{CONVERT, MOST_SHARED, incomplete};
use super::small::{LARGEST, PixelKind};
use super::tag;
use crate::elevation::formats::label::Label;
use crate::error::{Error, Result};
use crate::files::{self, FileAt, FileKind, ReadAt};

/// Strips or tiles of the mask that are cached, since they may be larger than the image's.
const KEPT: usize = 8;

/// See the module.
pub(super) struct Mask {
    /// Its pixels are bytes, which hold one sample or eight.
    chunks: Chunks,
    size: [usize; 2],
    /// Pixels of a strip or tile.
    chunk: [usize; 2],
    bits: usize,
    /// The plane of the mask, and which of how many samples of a pixel it is.
    plane: usize,
    channel: usize,
    samples: usize,
    kept: Mutex<Vec<CachedChunk>>,
    /// The file with the mask, if it is not the image's.
    own: Option<(PathBuf, FileAt)>,
}

/// A strip or tile, by its number along x and z; `None` where the file has no bytes for it.
type CachedChunk = ([usize; 2], Option<Arc<Vec<u8>>>);

impl Mask {
    /// The mask of the image: a directory after the first, of a mask of the same size, if there is one.
    ///
    /// # Errors
    /// When it cannot be read: without the mask, areas without data would become ground.
    pub(super) fn find(
        label: Label,
        directories: &[Directory],
        size: [usize; 2],
        largest: Option<u64>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Self>> {
        for directory in directories {
            let kind = directory.first(tag::SUBFILE)?.unwrap_or(0);
            let is_mask = kind & tag::MASK != 0 || directory.first(tag::PHOTOMETRIC)? == Some(4);
            if !is_mask || kind & tag::REDUCED != 0 {
                continue;
            }
            let own = size_of(label, directory)?;
            if own != size {
                notes.push(format!(
                    "its mask of {}×{} samples is ignored: the image has another size",
                    own[0], own[1]
                ));
                continue;
            }
            return Self::open(label, directory, 0, size, largest).map(Some);
        }
        Ok(None)
    }

    /// The mask in a file next to the image. One of several bands has a mask for each band of the image.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(super) fn beside(
        path: Option<&Path>,
        band: usize,
        size: [usize; 2],
        largest: Option<u64>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Self>> {
        let Some(path) = path else { return Ok(None) };
        let bytes = FileAt::open(path, FileKind::Elevation)?;
        let label = Label { path, len: bytes.len() };
        let (directories, _) = Directory::all(label, &bytes)?;
        let Some(directory) = directories.first() else { return Ok(None) };
        let own = size_of(label, directory)?;
        if own != size {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            notes.push(format!(
                "{name} of {}×{} samples is ignored: the image has another size",
                own[0], own[1]
            ));
            return Ok(None);
        }
        let mask = Self::open(label, directory, band, size, largest)?;
        drop(directories);
        Ok(Some(Self { own: Some((path.to_owned(), bytes)), ..mask }))
    }

    fn open(
        label: Label,
        directory: &Directory,
        band: usize,
        size: [usize; 2],
        largest: Option<u64>,
    ) -> Result<Self> {
        let bits = directory.first(tag::BITS)?.unwrap_or(1);
        let samples = directory.first(tag::SAMPLES)?.unwrap_or(1);
        if !matches!((bits, samples), (1, 1) | (8, 1..=65_535)) {
            let reason = format!(
                "its mask has {samples} samples of {bits} bits a pixel; one of 1 bit, or any number of 8 bits, is read"
            );
            return Err(label.error(format!("{reason}; convert it: {}", CONVERT)));
        }
        // A mask with one band applies to all.
        let band = if (band as u64) < samples { band } else { 0 };
        let is_planar = samples > 1 && directory.first(tag::PLANAR)? == Some(2);
        let (plane, channel, samples) = if is_planar { (band, 0, 1) } else { (0, band, samples as usize) };
        // Differences of single bits don't exist.
        let predictor = if bits == 8 { directory.first(tag::PREDICTOR)?.unwrap_or(1) as u16 } else { 1 };
        let pixels =
            PixelKind { little: directory.little, bits: 8, samples: samples as u16, format: 1, predictor };
        let mut chunks = Chunks::shape(label, directory, size, pixels)?;
        let chunk = chunks.chunk;
        if bits == 1 {
            // Eight pixels are a byte; each row of a strip or tile begins with a new byte. The numbers of
            // strips and tiles are unchanged, because the bytes are divided into as many parts.
            let across = chunks.count()[0];
            chunks.chunk[0] = chunk[0].div_ceil(8);
            chunks.size[0] = chunks.chunk[0] * across;
        }
        // A mask isn't read in pieces.
        chunks.piece = chunks.chunk[1];
        let most = largest.unwrap_or(LARGEST as u64);
        if chunks.block_bytes() > most {
            let (is, most) = (files::amount(chunks.block_bytes()), files::amount(most));
            let reason = format!("the strips or tiles of its mask have {is} each; at most {most} are read");
            return Err(label.error(reason + "; write it in tiles of 256×256 samples"));
        }
        chunks.locate(label, directory, &[plane])?;
        let read = chunks
            .lengths_of(plane)
            .iter()
            .fold(0u64, |sum, &length| sum.saturating_add(length.min(label.len)));
        if read / MOST_SHARED > label.len {
            return Err(label.error(format!("the TIFF is damaged (its mask has {read} bytes in all)")));
        }
        let (bits, kept) = (bits as usize, Mutex::default());
        Ok(Self { chunks, size, chunk, bits, plane, channel, samples, kept, own: None })
    }

    /// The most bytes that it takes in memory.
    pub(super) fn working_bytes(&self) -> u64 {
        let chunk = self.chunks.pixels.bytes(self.chunks.chunk[0].saturating_mul(self.chunks.chunk[1]));
        4 * chunk as u64
    }

    /// Replaces masked heights by holes; there are `width` to a row, and the first is at this sample.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn apply(
        &self,
        label: Label,
        bytes: &dyn ReadAt,
        first: [usize; 2],
        width: usize,
        heights: &mut [f32],
    ) -> Result<()> {
        let (label, bytes) = match &self.own {
            Some((path, own)) => (Label { path, len: own.len() }, own as &dyn ReadAt),
            None => (label, bytes),
        };
        for (row, line) in heights.chunks_exact_mut(width).enumerate() {
            let row = first[1] + row;
            let down = row / self.chunk[1];
            let mut column = first[0];
            while column < first[0] + width {
                let across = column / self.chunk[0];
                let end = ((across + 1) * self.chunk[0]).min(first[0] + width);
                let out = &mut line[column - first[0]..end - first[0]];
                match self.strip_or_tile(label, bytes, [across, down])? {
                    None => out.fill(f32::NAN),
                    Some(mask) => {
                        let within = &mask[(row % self.chunk[1]) * self.chunks.chunk[0] * self.samples..];
                        for (out, place) in out.iter_mut().zip(column - across * self.chunk[0]..) {
                            let shows = match self.bits {
                                1 => {
                                    within.get(place / 8).is_some_and(|byte| byte >> (7 - place % 8) & 1 == 1)
                                }
                                _ => within
                                    .get(place * self.samples + self.channel)
                                    .is_some_and(|&byte| byte != 0),
                            };
                            if !shows {
                                *out = f32::NAN;
                            }
                        }
                    }
                }
                column = end;
            }
        }
        Ok(())
    }

    fn strip_or_tile(
        &self,
        label: Label,
        bytes: &dyn ReadAt,
        index: [usize; 2],
    ) -> Result<Option<Arc<Vec<u8>>>, Error> {
        // Locked for the look-up and for the entry only: reading takes long, and two threads may read the
        // same.
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = kept().iter().find(|(other, _)| *other == index) {
            return Ok(found.clone());
        }
        let rows = if self.chunks.tiled {
            self.chunk[1]
        } else {
            self.chunk[1].min(self.size[1] - index[1] * self.chunk[1])
        };
        let read = match self.chunks.read(label, bytes, (self.plane, index[0], index[1]), (0, rows))? {
            None => None,
            Some(DecodingResult::U8(mask)) if mask.len() >= rows * self.chunks.chunk[0] * self.samples => {
                Some(Arc::new(mask))
            }
            Some(_) => return Err(incomplete(label)),
        };
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((index, read.clone()));
        Ok(read)
    }
}
