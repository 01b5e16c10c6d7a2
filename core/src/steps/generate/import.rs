//! Import: an elevation file or a bitmap becomes the land, height = value·scale + bias.

use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::elevation::formats::{self, HeightChannel, ReadOptions};
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::grid::{Domain, Grid, Heightfield, MAX_SAMPLES, Region};
use crate::params::{choice, params};
use crate::resize::Resize;
use crate::steps::Reach;
use crate::steps::generate::Generate;
use crate::steps::number::sum;

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
    /// resolution; `resize` chooses the interpolation between the file's samples. A file that is larger than
    /// memory is read only where the land is shown.
    pub struct Import {
        /// The file: PNG, BMP, TIFF, GeoTIFF, EXR, ESRI ASCII grid, SRTM tile (HGT) or raw 16-bit.
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

/// An elevation file that stays open while windows of a land are made, and what it was opened for.
pub(crate) struct OpenImport {
    file: ElevationFile,
    channel: ImportChannel,
    /// Samples along x and z of the land at level 0.
    size: [u32; 2],
    bytes: u64,
}

impl OpenImport {
    /// A file that was opened as [`Import`] opens it, for land of the file's own size.
    pub(crate) fn new(file: ElevationFile, options: &ElevationFileOptions) -> Self {
        let (size, bytes) = (file.domain().size().unwrap_or([1, 1]), file.bytes(options));
        Self { file, channel: ImportChannel::Luma, size, bytes }
    }

    /// Memory that it may come to take, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Import {
    /// The name of the parameter that names the file.
    pub(crate) const FILE: &'static str = "file";

    /// Whether windows of this land are read from the file without all of it.
    pub(crate) fn reads_windows(&self, domain: Domain) -> bool {
        domain.is_large() && self.resize == Resize::CatmullRom
    }

    /// What follows from the file alone depends on this beside the file.
    pub(crate) fn opened_for(&self, domain: Domain) -> impl Hash + use<> {
        (self.channel as u8, domain.size())
    }

    /// Opens the file, to read windows of a bounded land; up to `cache_bytes` of what is decoded are kept.
    ///
    /// # Errors
    /// When no file is named, or the one that is cannot be opened; [`Error::Cancelled`].
    pub(crate) fn open(&self, domain: Domain, cache_bytes: usize, work: &Work) -> Result<OpenImport> {
        if self.file.text().is_empty() {
            return Err(no_file());
        }
        let reading = ReadOptions { channel: self.channel.into(), ..ReadOptions::default() };
        let options = ElevationFileOptions { reading, cache_bytes, ..ElevationFileOptions::default() };
        let file = self.file.open_with(
            |path| ElevationFile::open(path, &options, work),
            |path, bytes| ElevationFile::from_bytes(path, bytes, &options, work),
        )?;
        let size = domain.size().unwrap_or([1, 1]);
        let file = file.stretched_over(size, &options);
        Ok(OpenImport { channel: self.channel, ..OpenImport::new(file, &options) })
    }

    /// Whether the file has so many samples that it cannot be loaded.
    fn is_too_large(&self, work: &Work) -> bool {
        self.resize == Resize::CatmullRom
            && formats::is_read_in_parts(&self.file.on_disk())
            // Any error is told when the file is loaded.
            && self.open(Domain::of(Grid { width: 1, depth: 1, cell: 1.0 }), 0, work).is_ok_and(|open| {
                open.file.width().saturating_mul(open.file.depth()) > MAX_SAMPLES
            })
    }

    /// A window of land that is large, or whose file is.
    fn window(&self, region: &Region, work: &Work) -> Result<Heightfield> {
        let domain = region.domain();
        let fits = |open: &Arc<OpenImport>| open.channel == self.channel && Some(open.size) == domain.size();
        let open = match self.file.opened().filter(fits) {
            Some(open) => open,
            None => Arc::new(self.open(domain, ElevationFileOptions::default().cache_bytes, work)?),
        };
        let mut heights = open.file.read_within(region.window(), work)?;
        heights.iter_mut().for_each(|height| *height = *height * self.scale + self.bias);
        let field = Heightfield::new(region.grid(), heights)?;
        work.frame("file", 1, 1, || Ok(&field))?;
        Ok(field)
    }
}

fn no_file() -> Error {
    Error::parameter("file", "names no file; give the path of an elevation file")
}

impl Generate for Import {
    fn formula(&self) -> Option<String> {
        let heights = sum(&[(self.scale, " · ", "v(x)"), (self.bias, "", "")]);
        Some(format!("h(x) = {heights},  v: the file's values"))
    }

    /// Windows of a large land (more than 8193² samples) are read from the file where it is interpolated by
    /// Catmull-Rom curves; of smaller land, and otherwise, all is made at level 0.
    fn reach(&self, domain: Domain) -> Reach {
        if self.reads_windows(domain) { Reach::Point } else { Reach::Whole }
    }

    /// # Errors
    /// When no file is named, or the one that is cannot be read or has changed since it was opened; when
    /// heights become infinite.
    fn make(&self, region: &Region, _seed: u64, work: &Work) -> Result<Heightfield> {
        if self.reads_windows(region.domain()) || self.is_too_large(work) {
            return self.window(region, work);
        }
        let grid = region.grid();
        if self.file.text().is_empty() {
            return Err(no_file());
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
