//! An elevation file being read: its bytes, and the raster that is made of what a reader found in them.

use std::io::{BufRead, Cursor, Seek};
use std::path::Path;

use rayon::prelude::*;

use crate::elevation::formats::companions::{Companions, StatedPlace};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::meaning::{Band, Meaning};
use crate::elevation::formats::nodata::Numbers;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::raster::Raster;
use crate::error::Result;
use crate::files::{self, FileKind};

/// The note for a range that has no effect.
pub(super) const NO_RANGE: &str = "the range is ignored: it is for raw whole numbers, grey PNGs, and TIFFs of unsigned \
                                   16-bit numbers";

/// The bytes of a file, and its name.
pub(super) struct Source<'a> {
    pub(super) label: Label<'a>,
    pub(super) input: Box<dyn Input + 'a>,
    /// All bytes, if they are in memory.
    pub(super) memory: Option<&'a [u8]>,
    /// What the files next to it say; nothing for bytes in memory.
    pub(super) companions: Companions,
}

/// The result of a reader.
pub(super) struct ReaderOutput {
    pub(super) width: usize,
    pub(super) depth: usize,
    /// The stored numbers, row by row; NaN where there is a hole.
    pub(super) values: Vec<f32>,
    pub(super) given: StatedPlace,
    /// What the file says of the numbers.
    pub(super) band: Band,
    /// The type of the numbers in the file.
    pub(super) numbers: Numbers,
    /// Whether the numbers were already converted to heights, so that a companion's scale doesn't apply.
    pub(super) are_heights: bool,
    /// Whether they were mapped to a range that was given.
    pub(super) is_in_range: bool,
}

impl ReaderOutput {
    /// For a file with these numbers, which says this much of its place.
    pub(super) fn new([width, depth]: [usize; 2], values: Vec<f32>, given: StatedPlace) -> Self {
        let (band, numbers) = (Band::default(), Numbers::Whole);
        Self { width, depth, values, given, band, numbers, are_heights: false, is_in_range: false }
    }
}

/// The traits that readers need of the bytes.
pub(super) trait Input: BufRead + Seek {}
impl<T: BufRead + Seek> Input for T {}

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

    /// Makes a raster of a reader's result and of what the files next to it say.
    pub(super) fn raster(&mut self, found: ReaderOutput, options: &ReadOptions) -> Result<Raster> {
        let ReaderOutput { width, depth, mut values, given, band, numbers, are_heights, is_in_range } = found;
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
