//! Pictures that lie over the land: how bright they are at every sample.

use std::io::Cursor;
use std::path::Path;

use tiff::decoder::Decoder;
use tiff::tags::Tag;

use crate::compute::work::Work;
use crate::elevation::formats::pictures::picture;
use crate::elevation::formats::{self, ReadOptions, guarded};
use crate::error::Result;
use crate::files::{self, FileKind};
use crate::files::{FilePath, Stamp};
use crate::grid::{Grid, Heightfield, Region};
use crate::params::{Parameter, Reading, Value};
use crate::resize::{bilinear, bilinear_over};

use super::share_map::ShareMap;

/// A picture whose brightness, from 0 (black) to 1 (white), says where something lies: the mask of a terrain
/// type, of sets or of a step ([`Mask`](crate::Mask)). Its outermost pixels lie on the land's border; a
/// picture of another size than the land's samples is resampled.
///
/// Brightness is absolute, whatever else is in the picture. In PNG and BMP it is the stored level (of colours
/// their luma) over 255 or 65535. In elevation files unsigned whole numbers of 8 or 16 bits (`.tif`, `.r16`)
/// are such levels too; other numbers are the brightness itself, cut off at 0 and 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// The file.
    pub file: FilePath,
}

impl Picture {
    /// The picture in `file`.
    pub fn new(file: FilePath) -> Self {
        Self { file }
    }

    /// The name of its layer in the [`TerrainAnalysis`](super::TerrainAnalysis).
    pub(crate) fn layer(&self) -> String {
        format!("mask {}", self.file.on_disk().display())
    }

    /// The brightness of every pixel, in [0, 1].
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn brightness(&self) -> Result<Heightfield> {
        self.file.read_with(|path| read(path, &files::read(path, FileKind::Picture)?), read)
    }

    /// The stamp by which a change of the file is noticed; `None` for one that is built in.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.file.stamp(&self.file.on_disk())
    }

    /// The picture over a land, and, where it had to be resampled, a note that says so.
    ///
    /// # Errors
    /// When it cannot be read, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn over(&self, grid: Grid, work: &Work) -> Result<(ShareMap, Option<String>)> {
        let picture = self.brightness()?;
        let Grid { width, depth, .. } = picture.grid();
        work.stage("mask", 2 * grid.depth);
        // A picture of the land's size is not resampled, so that its levels stay exact.
        let same = (width, depth) == (grid.width, grid.depth);
        let note = (!same).then(|| {
            format!(
                "{}: the mask has {width}×{depth} pixels, the land {}×{} samples; it was resampled",
                self.file.text(),
                grid.width,
                grid.depth
            )
        });
        let values = if same { picture } else { bilinear(&picture, grid, work)? };
        Ok((layer(&values, grid, work)?, note))
    }

    /// The picture over a region of a land.
    ///
    /// # Errors
    /// When it cannot be read, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub(crate) fn over_region(&self, region: &Region, work: &Work) -> Result<ShareMap> {
        layer(&bilinear_over(&self.brightness()?, region, work)?, region.grid(), work)
    }
}

/// The layer over `grid` of brightness that has as many samples.
fn layer(brightness: &Heightfield, grid: Grid, work: &Work) -> Result<ShareMap> {
    ShareMap::from_rows(grid, work, |row, out| {
        out.copy_from_slice(brightness.row(row));
        Ok(())
    })
}

/// Brightness in [0, 1].
fn read(path: &Path, bytes: &[u8]) -> Result<Heightfield> {
    if let Some(picture) = picture::decode(path, bytes, |_, _| Ok(()))? {
        let picture = picture.into_luma16();
        let grid = Grid::new(picture.width() as usize, picture.height() as usize, 1.0)?;
        return Heightfield::new(
            grid,
            picture.into_raw().iter().map(|&level| f32::from(level) / 65535.0).collect(),
        );
    }
    let raster = formats::read_bytes(path, bytes, &ReadOptions::default())?;
    let grid = Grid::new(raster.width(), raster.depth(), 1.0)?;
    let white = white(path, bytes);
    let brightness = |value: &f32| (value / white).clamp(0.0, 1.0);
    Heightfield::new(grid, raster.into_values().iter().map(brightness).collect())
}

/// The number that stands for white in an elevation file.
fn white(path: &Path, bytes: &[u8]) -> f32 {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "r16" | "raw" => 65535.0,
        "tif" | "tiff" => match guarded(path, || Ok(unsigned_bits(bytes))).ok().flatten() {
            Some(8) => 255.0,
            Some(16) => 65535.0,
            _ => 1.0,
        },
        _ => 1.0,
    }
}

/// The bits of a TIFF's samples, if they are unsigned whole numbers.
fn unsigned_bits(bytes: &[u8]) -> Option<u8> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).ok()?;
    // One number a channel; where there is none, samples are unsigned.
    let formats = decoder.find_tag_unsigned_vec::<u16>(Tag::SampleFormat).ok()?;
    let unsigned = formats.is_none_or(|formats| formats.first() == Some(&1));
    unsigned.then(|| decoder.colortype().map(|colour| colour.bit_depth()).ok()).flatten()
}

impl Parameter for Picture {
    fn reading(&self) -> Reading<'_> {
        Reading::File(&self.file)
    }

    fn value(&mut self) -> Value<'_> {
        Value::File(&mut self.file)
    }
}
