//! Import: an elevation file or a bitmap becomes the land, height = value·scale + bias.

use std::hash::Hash;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::elevation::formats::{
    self, ByteOrder, ChannelName, HeightChannel, MapUnit, RawLayout, ReadOptions, SampleType,
};
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::error::{Error, Result};
use crate::files::FilePath;
use crate::grid::layer::HOLE;
use crate::grid::{Domain, Grid, Heightfield, MAX_SAMPLES, Region};
use crate::params::{choice, params};
use crate::resize::Resize;
use crate::steps::generate::Generate;
use crate::steps::number::sum;
use crate::steps::{Ground, Operation, Reach, step};

choice! {
    /// Which channel of a picture is the height.
    pub enum ImportChannel {
        /// By what the file is: a plane called height, heights in colours, or luma.
        Auto = "auto",
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
        /// Heights in 8-bit colours as Mapbox has them.
        Mapbox = "mapbox",
        /// Heights in 8-bit colours as Terrarium tiles have them.
        Terrarium = "terrarium",
    }
}

choice! {
    /// The type of raw numbers.
    pub enum ImportSample {
        /// As a .hdr next to the file says, or else u16.
        Auto = "auto",
        /// Unsigned, 8 bits.
        U8 = "u8",
        /// Unsigned, 16 bits.
        U16 = "u16",
        /// Signed, 16 bits.
        I16 = "i16",
        /// Unsigned, 32 bits.
        U32 = "u32",
        /// Signed, 32 bits.
        I32 = "i32",
        /// Floating point, 32 bits.
        F32 = "f32",
        /// Floating point, 64 bits.
        F64 = "f64",
    }
}

choice! {
    /// The order of the bytes of raw numbers.
    pub enum ImportOrder {
        /// As a .hdr next to the file says, or else little.
        Auto = "auto",
        /// The lowest byte first.
        Little = "little",
        /// The highest byte first.
        Big = "big",
    }
}

choice! {
    /// What becomes of cells without data.
    pub enum ImportHoles {
        /// They are filled smoothly from the heights around them.
        Fill = "fill",
        /// They stay open: there is no ground in the layer `hole`.
        Keep = "keep",
    }
}

choice! {
    /// The unit of the heights in a file.
    pub enum ImportUnit {
        /// As the file or one next to it says, or else metres.
        Auto = "auto",
        /// Metres.
        Metre = "m",
        /// International feet, of 0.3048 m.
        Foot = "ft",
        /// US survey feet, of 1200/3937 m.
        SurveyFoot = "us_ft",
    }
}

choice! {
    /// What the coordinates of a file are in.
    pub enum ImportMap {
        /// As the file or one next to it says, or else what is likely.
        Auto = "auto",
        /// Degrees of longitude and latitude.
        Degrees = "degrees",
        /// Metres.
        Metre = "m",
        /// International feet, of 0.3048 m.
        Foot = "ft",
        /// US survey feet, of 1200/3937 m.
        SurveyFoot = "us_ft",
    }
}

params! {
    /// The land of an elevation file or a picture, stretched over the whole grid. The same land at every
    /// resolution; `resize` chooses the interpolation between the file's samples. A file that is larger than
    /// memory is read only where the land is shown.
    pub struct Import {
        /// The file: PNG, BMP, TIFF, GeoTIFF, EXR, ESRI ASCII grid, SRTM tile (HGT) or raw 16-bit.
        pub file: FilePath = FilePath::default();
        /// Which channel of a picture holds the heights.
        pub channel: ImportChannel = ImportChannel::Auto;
        /// The name of the EXR plane that holds the heights, or the number of a TIFF band, counted from 1. It
        /// takes the place of the channel; empty for none.
        pub plane: String = String::new();
        /// The unit of the heights in the file. They are converted to metres.
        pub unit: ImportUnit = ImportUnit::Auto;
        /// The unit of the file's coordinates, from which its place on the map follows.
        pub map: ImportMap = ImportMap::Auto;
        /// Metres on the ground between the file's samples, from which its place on the map follows; 0 for
        /// the spacing that the file gives.
        pub spacing: f32 = 0.0, "m" in 0.0..=100_000.0;
        /// What becomes of cells without data. They stay open in land of at most 8193² samples only.
        pub holes: ImportHoles = ImportHoles::Fill;
        /// Columns of a raw file; 0 if it is a square.
        pub columns: u32 = 0, "" in 0.0..=1_000_000.0;
        /// Rows of a raw file; 0 if it is a square.
        pub rows: u32 = 0, "" in 0.0..=1_000_000.0;
        /// The type of the numbers in a raw file.
        pub sample: ImportSample = ImportSample::Auto;
        /// The byte order of a raw file.
        pub order: ImportOrder = ImportOrder::Auto;
        /// Bytes before the first number of a raw file.
        pub skip: u32 = 0, "" in 0.0..=1_000_000_000.0;
        /// Whether the first row of a raw file is the southern one.
        pub flip_rows: bool = false;
        /// Whether the first column of a raw file is the eastern one.
        pub flip_columns: bool = false;
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
    reading: ReadOptions,
    /// Samples along x and z of the land at level 0.
    size: [u32; 2],
    bytes: u64,
}

impl OpenImport {
    /// A file that was opened as [`Import`] opens it, for land of the file's own size.
    pub(crate) fn new(file: ElevationFile, options: &ElevationFileOptions) -> Self {
        let (size, bytes) = (file.domain().size().unwrap_or([1, 1]), file.bytes(options));
        Self { file, reading: options.reading, size, bytes }
    }

    /// Memory that it may come to take, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Import {
    /// The same for this file.
    #[doc(hidden)]
    pub fn of_file(&self, path: &std::path::Path) -> Self {
        Self { file: FilePath::new(path.to_string_lossy()), ..self.clone() }
    }

    /// The name of the parameter that names the file.
    pub(crate) const FILE: &'static str = "file";

    /// How the file is read.
    ///
    /// # Errors
    /// When no plane can have the name that is given, or only one of columns and rows is given.
    #[doc(hidden)]
    pub fn reading(&self) -> Result<ReadOptions> {
        let channel = if self.plane.is_empty() {
            self.channel.into()
        } else {
            let name = ChannelName::new(&self.plane).ok_or_else(|| {
                let longest = ChannelName::LONGEST;
                Error::parameter(
                    "plane",
                    format!("is not the name of a plane; give at most {longest} bytes of text"),
                )
            })?;
            HeightChannel::Named(name)
        };
        let size = match (self.columns as usize, self.rows as usize) {
            (0, 0) => None,
            (columns, rows) if columns > 0 && rows > 0 => Some((columns, rows)),
            _ => {
                return Err(Error::parameter(
                    "columns",
                    "goes with rows; give both, or neither for a square",
                ));
            }
        };
        let raw = RawLayout {
            sample: self.sample.into(),
            order: match self.order {
                ImportOrder::Auto => None,
                ImportOrder::Little => Some(ByteOrder::Little),
                ImportOrder::Big => Some(ByteOrder::Big),
            },
            skip: Some(u64::from(self.skip)).filter(|skip| *skip > 0),
            flip_rows: self.flip_rows,
            flip_columns: self.flip_columns,
        };
        let height_unit = match self.unit {
            ImportUnit::Auto => None,
            ImportUnit::Metre => Some(1.0),
            ImportUnit::Foot => Some(0.3048),
            // The US survey foot is defined as this fraction of a metre, without a finite decimal.
            ImportUnit::SurveyFoot => Some(1200.0 / 3937.0),
        };
        let map_unit = match self.map {
            ImportMap::Auto => None,
            ImportMap::Degrees => Some(MapUnit::Degrees),
            ImportMap::Metre => Some(MapUnit::Metres(1.0)),
            ImportMap::Foot => Some(MapUnit::Metres(0.3048)),
            ImportMap::SurveyFoot => Some(MapUnit::Metres(1200.0 / 3937.0)),
        };
        let cell = Some(f64::from(self.spacing)).filter(|cell| *cell > 0.0);
        Ok(ReadOptions { channel, size, raw, map_unit, height_unit, cell, ..ReadOptions::default() })
    }

    /// Whether windows of this land are read from the file without all of it.
    // Only Catmull-Rom has a form that reads windows; the other kinds need the whole file.
    pub(crate) fn reads_windows(&self, domain: Domain) -> bool {
        domain.is_large() && self.resize == Resize::CatmullRom
    }

    /// Everything that follows from the file depends on the file and on this.
    // An import that can't be read has no key of its own: the error appears when it runs.
    pub(crate) fn opened_for(&self, domain: Domain) -> impl Hash + use<> {
        let reading = self.reading().ok();
        let units = (self.unit as u8, self.map as u8, self.spacing.to_bits());
        let reading = reading.map(|reading| (reading.channel, reading.size, reading.raw, units));
        (reading, domain.size())
    }

    /// Opens the file, to read windows of a bounded land; up to `cache_bytes` of what is decoded are kept.
    ///
    /// # Errors
    /// When no file is named, or the one that is cannot be opened; [`Error::Cancelled`].
    pub(crate) fn open(&self, domain: Domain, cache_bytes: usize, work: &Work) -> Result<OpenImport> {
        if self.file.text().is_empty() {
            return Err(no_file());
        }
        let reading = self.reading()?;
        let options = ElevationFileOptions { reading, cache_bytes, ..ElevationFileOptions::default() };
        let file = self.file.open_with(
            |path| ElevationFile::open(path, &options, work),
            |path, bytes| ElevationFile::from_bytes(path, bytes, &options, work),
        )?;
        let size = domain.size().unwrap_or([1, 1]);
        let file = file.stretched_over(size, &options);
        Ok(OpenImport::new(file, &options))
    }

    /// Opens the file for what it says of itself.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn open_alone(&self, work: &Work) -> Result<ElevationFile> {
        let options = ElevationFileOptions { reading: self.reading()?, ..ElevationFileOptions::default() };
        self.file.open_with(
            |path| ElevationFile::open(path, &options, work),
            |path, bytes| ElevationFile::from_bytes(path, bytes, &options, work),
        )
    }

    /// Whether the file has so many samples that it cannot be loaded.
    fn is_too_large(&self, work: &Work) -> bool {
        self.resize == Resize::CatmullRom
            && formats::is_read_in_parts(&self.file.on_disk())
            // On a land of one sample, since only the file's own size is wanted. Any error is reported when
            // the file is loaded.
            && self.open(Domain::of(Grid { width: 1, depth: 1, cell: 1.0 }), 0, work).is_ok_and(|open| {
                open.file.width().saturating_mul(open.file.depth()) > MAX_SAMPLES
            })
    }

    /// A window of land that is large, or whose file is.
    fn window(&self, region: &Region, work: &Work) -> Result<Heightfield> {
        let domain = region.domain();
        let reading = self.reading()?;
        // The open file may be from before a change of a parameter or of the land's size.
        let fits = |open: &Arc<OpenImport>| open.reading == reading && Some(open.size) == domain.size();
        let open = match self.file.opened().filter(fits) {
            Some(open) => open,
            None => Arc::new(self.open(domain, ElevationFileOptions::default().cache_bytes, work)?),
        };
        let mut heights = open.file.read_within(region.window(), work)?;
        // Scaled after resampling here and before it below: both are linear, and only rounding differs.
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
    /// # Errors
    /// When no file is named, or the one that is cannot be read or has changed since it was opened; when
    /// heights become infinite.
    fn make(&self, region: &Region, _seed: u64, work: &Work) -> Result<Heightfield> {
        Ok(self.read(region, false, work)?.0)
    }
}

impl Operation for Import {
    step!("import", "Elevation file or bitmap", Generator);

    fn formula(&self) -> Option<String> {
        let heights = sum(&[(self.scale, " · ", "v(x)"), (self.bias, "", "")]);
        Some(format!("h(x) = {heights},  v: the file's values"))
    }

    /// Windows of a large land (more than 8193² samples) are read from the file where it is interpolated by
    /// Catmull-Rom curves; of smaller land, and otherwise, all is made at level 0.
    fn reach(&self, domain: Domain) -> Reach {
        if self.reads_windows(domain) { Reach::Point } else { Reach::Whole }
    }

    fn writes(&self) -> Vec<&str> {
        if self.holes == ImportHoles::Keep { vec![HOLE] } else { Vec::new() }
    }

    /// # Errors
    /// As [`make`](Generate::make).
    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let (heights, holes) = self.read(ground.region(), ground.wants(HOLE), work)?;
        ground.heights = heights;
        if let Some(holes) = holes {
            ground.write_layer(HOLE, holes);
        }
        Ok(())
    }
}

impl Import {
    /// The heights of a region, and the layer of holes if it is wanted and holes are kept.
    fn read(
        &self,
        region: &Region,
        wants_holes: bool,
        work: &Work,
    ) -> Result<(Heightfield, Option<Heightfield>)> {
        let is_kept = self.holes == ImportHoles::Keep;
        // A large land is made by windows, and a large file does not fit a field: neither may load the file
        // as a whole.
        if self.reads_windows(region.domain()) || self.is_too_large(work) {
            if is_kept {
                let reason = "`keep` needs all of the file, which is too large for that; fill them, or cut a part out \
                              by `upland convert --window`";
                return Err(Error::parameter("holes", reason));
            }
            return Ok((self.window(region, work)?, None));
        }
        let grid = region.grid();
        if self.file.text().is_empty() {
            return Err(no_file());
        }
        work.stage("read file", 1);
        let options = self.reading()?;
        let raster = self.file.read_with(
            |path| formats::read(path, &options),
            |path, bytes| formats::read_bytes(path, bytes, &options),
        )?;
        work.check()?;
        let read = Grid::new(raster.width(), raster.depth(), grid.cell)?;
        let fits = (read.width, read.depth) == (grid.width, grid.depth);
        let mut kept = None;
        if is_kept && wants_holes {
            let share = |column, row| f32::from(u8::from(raster.was_hole(column, row)));
            let holes = Heightfield::from_fn(read, share);
            // Linear, so that the edge, where the share is a half, lies in the middle between samples.
            let holes = if fits { holes } else { Resize::Bilinear.apply(&holes, grid, work)? };
            kept = Some(holes);
        }
        let mut values = raster.into_values();
        // By rows, so that a cancelled build stops within one.
        values.par_chunks_mut(read.width).try_for_each(|values| {
            work.check()?;
            values.iter_mut().for_each(|value| *value = *value * self.scale + self.bias);
            Ok(())
        })?;
        let field = Heightfield::new(read, values)?;
        let field = if fits { field } else { self.resize.apply(&field, grid, work)? };
        work.frame("file", 1, 1, || Ok(&field))?;
        Ok((field, kept))
    }
}

impl From<ImportSample> for Option<SampleType> {
    fn from(sample: ImportSample) -> Self {
        match sample {
            ImportSample::Auto => None,
            ImportSample::U8 => Some(SampleType::U8),
            ImportSample::U16 => Some(SampleType::U16),
            ImportSample::I16 => Some(SampleType::I16),
            ImportSample::U32 => Some(SampleType::U32),
            ImportSample::I32 => Some(SampleType::I32),
            ImportSample::F32 => Some(SampleType::F32),
            ImportSample::F64 => Some(SampleType::F64),
        }
    }
}

impl From<ImportChannel> for HeightChannel {
    fn from(source: ImportChannel) -> Self {
        match source {
            ImportChannel::Auto => Self::Auto,
            ImportChannel::Luma => Self::Luma,
            ImportChannel::Red => Self::Red,
            ImportChannel::Green => Self::Green,
            ImportChannel::Blue => Self::Blue,
            ImportChannel::Alpha => Self::Alpha,
            ImportChannel::Mapbox => Self::Mapbox,
            ImportChannel::Terrarium => Self::Terrarium,
        }
    }
}
