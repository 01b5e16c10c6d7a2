//! Import: an elevation file or a bitmap becomes the land, height = value·scale + bias.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::elevation::formats::{self, HeightChannel, ReadOptions};
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::grid::{Grid, Heightfield, Region};
use crate::params::{choice, params};
use crate::resize::Resize;
use crate::steps::generate::Generate;

choice! {
    /// Which channel of a picture is the height.
    pub enum ImportChannel {
        /// Luma.
        Luma = "luma",
        /// Red alone.
        Red = "red",
        /// Green alone.
        Green = "green",
        /// Blue alone.
        Blue = "blue",
        /// Alpha alone.
        Alpha = "alpha",
    }
}

params! {
    /// The land of an elevation file or a picture, stretched over the whole grid. The same land at every
    /// resolution; `resize` chooses the interpolation between the file's samples.
    pub struct Import {
        /// The file: PNG, BMP, TIFF, GeoTIFF, EXR, ESRI ASCII grid or raw 16-bit.
        pub file: FilePath = FilePath::default();
        /// Which channel of a picture is the height.
        pub channel: ImportChannel = ImportChannel::Luma;
        /// Heights are the file's values times this.
        pub scale: f32 = 1.0, "m" in -1000.0..=1000.0;
        /// Added to all heights after scaling.
        pub bias: f32 = 0.0, "m" in -12000.0..=12000.0;
        /// How the file is resampled to the grid.
        pub resize: Resize = Resize::CatmullRom;
    }
}

impl Generate for Import {
    /// # Errors
    /// When no file is named, or the one that is cannot be read; when heights become infinite.
    fn make(&self, region: &Region, _seed: u64, work: &Work) -> Result<Heightfield> {
        let grid = region.grid();
        if self.file.text().is_empty() {
            return Err(Error::parameter("file", "names no file; give the path of an elevation file"));
        }
        work.stage("read file", 1);
        let options = ReadOptions { channel: self.channel.into(), ..ReadOptions::default() };
        let raster = self.file.read_with(
            |path| formats::read(path, &options),
            |path, bytes| formats::read_bytes(path, bytes, &options),
        )?;
        work.check()?;
        let read = Grid::new(raster.width(), raster.depth(), grid.cell)?;
        let mut values = raster.into_values();
        values.par_chunks_mut(read.width).try_for_each(|values| {
            work.check()?;
            values.iter_mut().for_each(|value| *value = *value * self.scale + self.bias);
            Ok(())
        })?;
        let field = Heightfield::new(read, values)?;
        let fits = (read.width, read.depth) == (grid.width, grid.depth);
        let field = if fits { field } else { self.resize.apply(&field, grid, work)? };
        work.frame("file", 1, 1, || Ok(&field))?;
        Ok(field)
    }
}

impl From<ImportChannel> for HeightChannel {
    fn from(source: ImportChannel) -> Self {
        match source {
            ImportChannel::Luma => Self::Luma,
            ImportChannel::Red => Self::Red,
            ImportChannel::Green => Self::Green,
            ImportChannel::Blue => Self::Blue,
            ImportChannel::Alpha => Self::Alpha,
        }
    }
}
