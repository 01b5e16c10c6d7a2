//! An elevation file being read: its bytes, and checks of what its header claims.

use std::io::{BufRead, Cursor, Seek};
use std::path::Path;

use rayon::prelude::*;

use crate::elevation::formats::ReadOptions;
use crate::elevation::formats::companions::{Companions, Given};
use crate::elevation::formats::meaning::{Band, Meaning};
use crate::elevation::formats::nodata::Numbers;
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::grid::Grid;
use crate::grid::memory;

/// Said of a range that was given in vain.
pub(super) const NO_RANGE: &str = "the range is ignored: it is for raw whole numbers, grey PNGs, and TIFFs of unsigned \
                                   16-bit numbers";

/// The bytes of a file, and its name.
pub(super) struct Source<'a> {
    pub(super) label: Label<'a>,
    pub(super) input: Box<dyn Input + 'a>,
    /// All bytes, where they are in memory.
    pub(super) memory: Option<&'a [u8]>,
    /// What the files beside it say; nothing for bytes in memory.
    pub(super) companions: Companions,
}

/// The name and length of a file; for messages and for checking its claims.
#[derive(Clone, Copy)]
pub(super) struct Label<'a> {
    pub(super) path: &'a Path,
    /// Bytes in all.
    pub(super) len: u64,
}

/// What a reader found in a file.
pub(super) struct Found {
    pub(super) width: usize,
    pub(super) depth: usize,
    /// The stored numbers, row by row; NaN where there is a hole.
    pub(super) values: Vec<f32>,
    pub(super) given: Given,
    /// What the file says of the numbers.
    pub(super) band: Band,
    /// What the numbers were in the file.
    pub(super) numbers: Numbers,
    /// Whether the numbers were mapped to heights already: a companion's scale is not for them.
    pub(super) are_heights: bool,
    /// Whether they were mapped to a range that was given.
    pub(super) is_in_range: bool,
}

impl Found {
    /// Of a file that has these numbers, and says this much of its place.
    pub(super) fn new([width, depth]: [usize; 2], values: Vec<f32>, given: Given) -> Self {
        let (band, numbers) = (Band::default(), Numbers::Whole);
        Self { width, depth, values, given, band, numbers, are_heights: false, is_in_range: false }
    }
}

/// What readers need of the bytes.
pub(super) trait Input: BufRead + Seek {}
impl<T: BufRead + Seek> Input for T {}

/// The most bytes that one byte of a file can unpack to: deflate reaches 1032, a full LZW table about 2600.
const MOST_COMPRESSED: u64 = 4096;

impl<'a> Source<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self> {
        let file = files::open(path, FileKind::Elevation)?;
        let label = Label { path, len: file.len() };
        Ok(Self { label, input: Box::new(file), memory: None, companions: Companions::default() })
    }

    pub(super) fn from_bytes(path: &'a Path, bytes: &'a [u8]) -> Self {
        let label = Label { path, len: bytes.len() as u64 };
        Self {
            label,
            input: Box::new(Cursor::new(bytes)),
            memory: Some(bytes),
            companions: Companions::default(),
        }
    }

    /// Makes a raster of what a reader found, and of what the files beside it say.
    pub(super) fn raster(&mut self, found: Found, options: &ReadOptions) -> Result<Raster> {
        let Found { width, depth, mut values, given, band, numbers, are_heights, is_in_range } = found;
        if options.range.is_some() && !is_in_range {
            self.companions.notes.push(NO_RANGE.to_owned());
        }
        let (ground, up) = self.companions.ground([width, depth], given, options);
        let band = self.companions.band.or(band);
        let notes = &mut self.companions.notes;
        let meaning = if are_heights {
            Meaning::of(Band { nodata: band.nodata, ..Band::default() }, numbers, (None, None), notes)
        } else {
            Meaning::of(band, numbers, (up, options.height_unit), notes)
        };
        if !meaning.is_none() {
            values.par_iter_mut().for_each(|value| *value = meaning.height(f64::from(*value)));
        }
        let [width, depth] = ground.turn.land_size([width, depth]);
        let values = ground.turn.undone([found.width, found.depth], values);
        let raster = self.label.named(Raster::with_holes(width, depth, values, ground.cell))?;
        Ok(raster.with_place(ground.place).with_notes(std::mem::take(&mut self.companions.notes)))
    }
}

impl Label<'_> {
    /// An error about this file.
    pub(super) fn error(self, reason: impl Into<String>) -> Error {
        Error::file(self.path, reason)
    }

    /// The system's error while reading this file.
    pub(super) fn io_error(self, error: std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::UnexpectedEof {
            return self.error("the file ends too early; it is cut short");
        }
        files::failed(self.path, error)
    }

    /// Refuses a size that is 0, too large, or impossible for a file this short, before memory is
    /// allocated. `bits` are those of one sample in the file, uncompressed.
    pub(super) fn check_size(self, width: usize, depth: usize, bits: usize) -> Result<()> {
        let grid = Grid::new(width, depth, 1.0).map_err(|error| self.error(error.to_string()))?;
        let needed = (width as u64 * depth as u64).saturating_mul(bits as u64) / 8;
        if needed / MOST_COMPRESSED > self.len {
            let len = self.len;
            let reason =
                format!("its header promises {width}×{depth} samples, which {len} bytes cannot hold");
            return Err(self.error(reason + "; the file is cut short or damaged"));
        }
        // The heights are built while the decoded bytes are still held.
        let heights = 4 * grid.count() as u64;
        memory::require(grid, needed.saturating_add(heights)).map_err(|error| self.error(error.to_string()))
    }

    /// Refuses to read `width × depth` samples when the `bytes` that this takes are not free. Call
    /// [`check_size`](Self::check_size) first.
    pub(super) fn require(self, width: usize, depth: usize, bytes: u64) -> Result<()> {
        let grid = Grid { width, depth, cell: 1.0 };
        memory::require(grid, bytes).map_err(|error| self.error(error.to_string()))
    }

    /// The raster's own errors, with this file's name.
    pub(super) fn named(self, raster: Result<Raster>) -> Result<Raster> {
        raster.map_err(|error| match error {
            Error::File { .. } | Error::Io { .. } => error,
            other => self.error(other.to_string()),
        })
    }
}
