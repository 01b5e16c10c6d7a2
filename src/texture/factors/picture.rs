//! A user's picture as a factor: how bright it is where.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::error::Result;
use crate::file_path::FilePath;
use crate::files::{self, Kind};
use crate::formats::{self, ReadOptions, picture};
use crate::heightfield::{Grid, Heightfield};
use crate::resize::bilinear;
use crate::work::Work;

use crate::texture::surroundings::Layer;

use super::measured::layer_from_rows;

/// A picture whose brightness, from 0 (black) to 1 (white), says where something lies. Its outermost
/// pixels lie on the land's border; a picture of another size than the land's samples is resampled.
///
/// PNG, BMP and TIFF. The values of a TIFF of numbers above 1 are shares of 255 where none is larger
/// than that, of 65535 where none is larger than that, and else of the largest.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The file.
    pub file: FilePath,
}

impl Picture {
    /// The picture in `file`.
    pub fn new(file: FilePath) -> Self {
        Self { file }
    }

    /// What its layer is called.
    pub(in crate::texture) fn layer(&self) -> String {
        format!("mask {}", self.file.on_disk().display())
    }

    /// When the file was last changed; `None` for one that is built in.
    pub(in crate::texture) fn changed(&self) -> Option<SystemTime> {
        files::changed(self.file.on_disk())
    }

    /// The picture over a land, and, where it had to be resampled, a note that says so.
    ///
    /// # Errors
    /// When it cannot be read, and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn over(&self, grid: Grid, work: &Work) -> Result<(Layer, Option<String>)> {
        let picture = self.file.read_with(|path| read(path, &files::read(path, Kind::Picture)?), read)?;
        let Grid { width, depth, .. } = picture.grid();
        work.stage("mask", 2 * grid.depth);
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
        let field = layer_from_rows(grid, work, |row, out| {
            out.copy_from_slice(values.row(row));
            Ok(())
        })?;
        Ok((field, note))
    }
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
    let (_, high) = raster.range();
    let white = [1.0, 255.0, 65535.0].into_iter().find(|&white| high <= white).unwrap_or(high);
    Heightfield::new(grid, raster.into_values().iter().map(|value| value / white).collect())
}

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.file.text())
    }
}

impl<'de> Deserialize<'de> for Picture {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Err(D::Error::custom("the mask names no file; give the path of a picture"));
        }
        Ok(Self::new(FilePath::new(text)))
    }
}
