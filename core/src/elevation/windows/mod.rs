//! Windows of elevation files that are larger than memory: only the parts that a window needs are read.

mod coarse;
mod samples;
mod together;

use std::path::Path;
use std::sync::Arc;

use coarse::{Coarse, size_at};
use samples::{Bytes, Keep, Samples};

use crate::compute::recently_used::RecentlyUsed;
use crate::compute::work::Work;
use crate::elevation::formats::companions::{Companions, Ground};
use crate::elevation::formats::raw::r16::Layout;
use crate::elevation::formats::sixteen_bit::Stretch;
use crate::elevation::formats::tiff::blocks::{BlocksError, TiffBlocks};
use crate::elevation::formats::{self, InParts, ReadOptions};
use crate::elevation::map::MapPlace;
use crate::elevation::raster::{CellSize, Origin, Raster, Square};
use crate::error::{Error, Result, harmless_line};
use crate::files::{FileAt, FileKind, ReadAt};
use crate::grid::{Domain, Grid, Heightfield, MAX_SAMPLES, Window, memory};
use crate::resize::{Places, limited_at};

/// Options for [`ElevationFile`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElevationFileOptions {
    /// How the file is read, where its format leaves a choice.
    pub reading: ReadOptions,
    /// Metres between samples where the file doesn't say; 1 by default. Above 0.
    pub default_cell: f32,
    /// Bytes of decoded strips and tiles that are cached for the next windows; 64 MiB by default. 0 caches
    /// none.
    pub cache_bytes: usize,
    /// The most samples of a TIFF's coarse field, which is held in memory; 2048² by default, 16 MiB.
    pub coarse_samples: usize,
}

impl Default for ElevationFileOptions {
    fn default() -> Self {
        let reading = ReadOptions::default();
        Self { reading, default_cell: 1.0, cache_bytes: 64 << 20, coarse_samples: 1 << 22 }
    }
}

/// An open elevation file of any size, of which windows can be read. Threads may share it and read from it in
/// parallel.
///
/// Opening reads the header. **TIFFs** (GeoTIFF, BigTIFF; whatever [`formats::read`] accepts) are decoded
/// strip by strip or tile by tile, and **raw** files are read where the samples lie; both may have up to 64
/// GiB, and far more samples than [`MAX_SAMPLES`]. All other formats (PNG, EXR, ASC, HGT, BMP) can only be
/// read from the beginning to the end, as can TIFFs whose compressed strips exceed 64 MiB: these are loaded
/// when they are opened, if they fit into memory.
///
/// # Levels
/// Sample i of level L is the file's sample i·2^L, so that coarse windows are subsets of fine ones. Overviews
/// in a TIFF are averages, and are therefore not used. Instead, the first coarse window of a TIFF decodes the
/// whole file once, and keeps every n-th sample ([`ElevationFileOptions::coarse_samples`]). In a TIFF of
/// 65536² that is every 32nd: windows from level 5 on come from memory, others decode the strips and tiles
/// that they touch.
///
/// # Holes
/// Holes (NaN, NODATA, tiles that a sparse TIFF leaves out) are filled by bilinear interpolation from that
/// coarse field, whose own holes are filled as by [`Raster::with_holes`]. So a sample has the same height in
/// every window, at every level. Files of up to `coarse_samples` are filled exactly as by [`formats::read`].
///
/// # Changes
/// If a file becomes shorter or longer, is written to, replaced, renamed or removed while it is open, its
/// length, time of modification or identity show this, and from then on every read fails with an error that
/// says so. A change that keeps all three, such as a second one within the clock's tick (some milliseconds),
/// isn't noticed. A file that is open stays readable when the permission to read it is withdrawn. Formats
/// that were loaded don't look at the file again.
///
/// ```no_run
/// # use upland_core as upland;
/// use upland::{ElevationFile, Window, Work};
/// let work = Work::new();
/// let file = ElevationFile::open("alps.tif", &Default::default(), &work)?;
/// // 257 × 257 samples, eight of the file's apart.
/// let field = file.read(Window { level: 3, first: [400, 100], size: [257, 257] }, &work)?;
/// assert_eq!(field.grid().cell, 8.0 * file.grid().cell);
/// # Ok::<(), upland::Error>(())
/// ```
pub struct ElevationFile {
    bytes: Bytes,
    samples: Samples,
    format: &'static str,
    known: FileProperties,
    /// The grid of all the land, with square cells.
    grid: Grid,
    /// Every n-th sample of the file.
    coarse: Coarse,
    /// Every n-th sample of the land; `None` where these are the file's.
    coarse_land: Option<Coarse>,
}

/// Properties of a file other than its samples.
struct FileProperties {
    cell: CellSize,
    place: Option<MapPlace>,
    nodata: Option<f32>,
    filled: usize,
    notes: Vec<String>,
}

impl FileProperties {
    fn of(ground: &Ground, nodata: Option<f32>, notes: Vec<String>) -> Self {
        // Notes may quote the file.
        let notes = notes.iter().map(|note| harmless_line(note).into_owned()).collect();
        Self { cell: ground.cell, place: ground.place.clone(), nodata, filled: 0, notes }
    }
}

impl std::fmt::Debug for ElevationFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, depth] = self.samples.size();
        let path = self.bytes.path.display();
        write!(formatter, "ElevationFile({path}, {width}×{depth})")
    }
}

impl ElevationFile {
    /// The coarsest level of a window.
    pub const COARSEST: i32 = 16;

    /// Opens a file; its extension decides the format.
    ///
    /// # Errors
    /// When it cannot be opened, its extension is none of [`formats::formats`], its header isn't valid, or
    /// the file must be loaded and doesn't fit into memory. The message names the file.
    pub fn open(path: impl AsRef<Path>, options: &ElevationFileOptions, work: &Work) -> Result<Self> {
        let path = path.as_ref();
        let load = || formats::read(path, &options.reading);
        let open = || Ok(Box::new(FileAt::open(path, FileKind::Elevation)?) as Box<dyn ReadAt>);
        Self::new(path, open, || formats::companions_of(path), load, options, work)
    }

    /// As [`open`](Self::open), for a file in memory. `name` is used in messages, and its extension decides
    /// the format.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(
        name: impl AsRef<Path>,
        bytes: impl Into<Arc<[u8]>>,
        options: &ElevationFileOptions,
        work: &Work,
    ) -> Result<Self> {
        let (name, bytes) = (name.as_ref(), bytes.into());
        let load = || formats::read_bytes(name, &bytes, &options.reading);
        let open = || Ok(Box::new(Arc::clone(&bytes)) as Box<dyn ReadAt>);
        Self::new(name, open, || Ok(Companions::default()), load, options, work)
    }

    /// The same file, with its samples stretched over land of this size; the first and the last stay in
    /// place.
    pub(crate) fn stretched_over(self, [width, depth]: [u32; 2], options: &ElevationFileOptions) -> Self {
        let land = [width as usize, depth as usize];
        let grid = Grid { width: land[0], depth: land[1], ..self.grid };
        let coarse_land = (land != self.samples.size()).then(|| Coarse::new(land, options.coarse_samples, 1));
        Self { grid, coarse_land, ..self }
    }

    /// The most bytes that it may hold in addition to the places of its samples.
    pub(crate) fn bytes(&self, options: &ElevationFileOptions) -> u64 {
        let held = match &self.samples {
            Samples::Blocks { .. } => options.cache_bytes,
            Samples::Raw(_) => 0,
            Samples::Held { heights, .. } => 4 * heights.len(),
        };
        (held + 4 * options.coarse_samples) as u64
    }

    fn new(
        path: &Path,
        open: impl FnOnce() -> Result<Box<dyn ReadAt>>,
        companions: impl FnOnce() -> Result<Companions>,
        load: impl FnOnce() -> Result<Raster>,
        options: &ElevationFileOptions,
        work: &Work,
    ) -> Result<Self> {
        // Checks the cell before anything is read.
        Grid::new(1, 1, options.default_cell)?;
        options.reading.check()?;
        work.check()?;
        let (format, parts) = formats::in_parts(path)?;
        let mut bytes = Bytes { path: path.to_owned(), at: Box::new(Arc::<[u8]>::default()) };
        let held = |raster: Raster| {
            let known = FileProperties {
                cell: raster.cell(),
                place: raster.place().cloned(),
                nodata: None,
                filled: raster.filled(),
                notes: raster.notes().to_vec(),
            };
            let size = [raster.width(), raster.depth()];
            (Samples::Held { size, heights: raster.into_values() }, known)
        };
        let (samples, known) = match parts {
            InParts::Raw => {
                bytes.at = open()?;
                let mut companions = companions()?;
                let layout = Layout::of(path, bytes.at.len(), &options.reading, &mut companions)?;
                let mut notes = companions.notes;
                notes.extend(layout.order_note_of(&*bytes.at));
                let known = FileProperties::of(&layout.ground, None, notes);
                (Samples::Raw(Box::new(layout)), known)
            }
            InParts::Tiff => {
                bytes.at = open()?;
                match TiffBlocks::open(path, &*bytes.at, companions()?, &options.reading) {
                    Ok(mut blocks) => {
                        let notes = std::mem::take(&mut blocks.notes);
                        let known = FileProperties::of(&blocks.ground, blocks.nodata(), notes);
                        let cache = RecentlyUsed::new(options.cache_bytes);
                        (Samples::Blocks { blocks: Box::new(blocks), cache }, known)
                    }
                    Err(BlocksError::Unreadable(error)) => return Err(error),
                    Err(BlocksError::Blocks { size, error }) => {
                        // Blocks that can't be read one by one may still be readable as a whole, if that
                        // fits.
                        if size[0].saturating_mul(size[1]) > MAX_SAMPLES {
                            return Err(error);
                        }
                        held(load()?)
                    }
                }
            }
            InParts::No => held(load()?),
        };
        let size = samples.size();
        let named = |error: Error| match error {
            Error::Parameter { reason, .. } => Error::file(path, reason),
            other => other,
        };
        let Square { width, depth, cell: side } =
            Square::of(size, known.cell, options.default_cell).map_err(named)?;
        let longest = u32::MAX as usize;
        if width > longest || depth > longest {
            let reason = format!("{width}×{depth} samples are too many; each side may have {longest}");
            return Err(Error::file(path, reason));
        }
        let grid = Grid { width, depth, cell: side };
        let coarse = Coarse::new(size, options.coarse_samples, samples.band());
        let coarse_land =
            ([width, depth] != size).then(|| Coarse::new([width, depth], options.coarse_samples, 1));
        let format = format.name;
        Ok(Self { bytes, samples, format, known, grid, coarse, coarse_land })
    }

    /// Columns in the file.
    pub fn width(&self) -> usize {
        self.samples.size()[0]
    }

    /// Rows in the file.
    pub fn depth(&self) -> usize {
        self.samples.size()[1]
    }

    /// The spacing of the file's samples.
    pub fn cell(&self) -> CellSize {
        self.known.cell
    }

    /// Its place on the map, if the file gives one.
    pub fn place(&self) -> Option<&MapPlace> {
        self.known.place.as_ref()
    }

    /// Its position on the map, if the file gives one and rows run from north to south there.
    pub fn origin(&self) -> Option<Origin> {
        self.known.place.as_ref().and_then(MapPlace::origin)
    }

    /// How many holes were filled when it was loaded; 0 for a file that is read in parts, where they aren't
    /// counted.
    pub fn filled(&self) -> usize {
        self.known.filled
    }

    /// The number that marks holes in the file (TIFF only). NaN marks them, too.
    pub fn nodata(&self) -> Option<f32> {
        self.known.nodata
    }

    /// What had to be guessed when it was opened, as [`Raster::notes`].
    pub fn notes(&self) -> &[String] {
        &self.known.notes
    }

    /// The name of its format.
    pub fn format(&self) -> &'static str {
        self.format
    }

    /// Whether the whole file had to be loaded, because its format can't be read in parts.
    pub fn is_loaded(&self) -> bool {
        matches!(self.samples, Samples::Held { .. })
    }

    /// All the land of the file, with square cells in metres: what [`Raster::to_heightfield`] would make. It
    /// may have more samples than [`MAX_SAMPLES`]; then only windows of it can be held.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The domain of the file's land, which gives the number of samples at each level.
    pub fn domain(&self) -> Domain {
        Domain::of(self.grid)
    }

    /// The window of all the land at the finest level at which it has at most `samples`.
    pub fn overview(&self, samples: usize) -> Window {
        overview([self.grid.width, self.grid.depth], samples)
    }

    /// As [`overview`](Self::overview), for [`raster`](Self::raster).
    pub fn raster_overview(&self, samples: usize) -> Window {
        overview(self.samples.size(), samples)
    }

    /// Reads a window of the land, whose cells are square. Samples beyond the border have the height of the
    /// nearest one at that level.
    ///
    /// # Errors
    /// When the level is outside 0 to [`COARSEST`](Self::COARSEST), the window is empty or too large, or
    /// needs more memory than is free; when the file has changed, can't be read, is damaged, or has an
    /// infinite height there; [`Error::Cancelled`].
    pub fn read(&self, window: Window, work: &Work) -> Result<Heightfield> {
        let grid = self.grid_of(window)?;
        let Some(coarse) = &self.coarse_land else {
            return Heightfield::new(grid, self.heights(window, work)?);
        };
        let land = [self.grid.width, self.grid.depth];
        let [columns, rows] = Lines::of(window, land);
        let heights = self.while_unchanged(work, || {
            // Coarse windows of packed files would unpack every block for a few samples each, so these are
            // surveyed once.
            if self.samples.are_packed() && window.level as u32 >= coarse.level {
                let stretched =
                    |columns: &[usize], rows: &[usize]| self.stretched(columns, rows, land, Keep::No, work);
                let name = self.bytes.path.file_name().unwrap_or_default().to_string_lossy();
                let bytes = self.samples.working_bytes();
                let all = coarse.heights(
                    &format!("survey {name}"),
                    bytes,
                    stretched,
                    |_, heights| Ok(heights),
                    work,
                )?;
                return Ok(picked(coarse, all, &columns.places, &rows.places));
            }
            self.stretched(&columns.places, &rows.places, land, Keep::Yes, work)
        })?;
        Heightfield::new(grid, columns.repeat(&rows, heights))
    }

    /// The heights of a window of any level, within the land. Below level 0 they lie on limited Catmull-Rom
    /// curves through the file's samples, like those of stretched land at level 0: so a place has the same
    /// height at every level.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_within(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        if window.level >= 0 {
            // At levels beyond the coarsest, only the land's first sample is left.
            let level = window.level.min(Self::COARSEST);
            return Ok(self.read(Window { level, ..window }, work)?.into_heights());
        }
        let finer = -window.level;
        let land = [self.grid.width, self.grid.depth].map(|side| ((side - 1) << finer) + 1);
        let [columns, rows] = [0, 1].map(|axis| {
            let first = window.first[axis] as usize;
            (first..first + window.size[axis] as usize).collect::<Vec<_>>()
        });
        self.while_unchanged(work, || self.stretched(&columns, &rows, land, Keep::Yes, work))
    }

    /// Reads a window of the file's own samples, without resampling cells that aren't square. Samples beyond
    /// the border have the height of the nearest one at that level.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn raster(&self, window: Window, work: &Work) -> Result<Raster> {
        let Grid { width, depth, .. } = self.grid_of(window)?;
        let heights = self.heights(window, work)?;
        let (cell, place) = self.place_of(window);
        Ok(Raster::new(width, depth, heights, cell)?.with_place(place))
    }

    /// The heights that 0 and 65535 stand for where the file, or a window of it, is stored in 16 bits and no
    /// range is given: the lowest and the highest of all its samples. `None` where all are whole numbers that
    /// 16 bits hold, which are stored as they are. Reads all of the file.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when the file has only holes.
    pub fn stretch(&self, work: &Work) -> Result<Option<(f32, f32)>> {
        const AT_ONCE: usize = 1 << 22;
        let [width, depth] = self.samples.size();
        let columns: Vec<usize> = (0..width).collect();
        let band = self.samples.band();
        // As many whole rows of blocks as have about four million samples.
        let rows = band * (AT_ONCE / width.max(1)).div_ceil(band).max(1);
        let name = self.bytes.path.file_name().unwrap_or_default().to_string_lossy();
        let parts = depth.div_ceil(rows);
        work.stage(format!("range of {name}"), parts);
        self.while_unchanged(work, || {
            let mut all = Stretch::NOTHING;
            for part in 0..parts {
                let rows: Vec<usize> = (part * rows..depth.min((part + 1) * rows)).collect();
                let grid = Grid { width, depth: rows.len(), cell: 1.0 };
                memory::require(grid, 4 * grid.count() as u64 + self.samples.working_bytes())?;
                all = all.and(Stretch::of(&self.samples.gather(
                    &self.bytes,
                    &columns,
                    &rows,
                    Keep::No,
                    work,
                )?));
                work.advance(1);
            }
            if all.is_nothing() {
                return Err(Error::file(
                    &self.bytes.path,
                    "has only holes; at least one cell needs a height",
                ));
            }
            Ok(all.range())
        })
    }

    /// The grid of a window, after its checks.
    fn grid_of(&self, window: Window) -> Result<Grid> {
        let Window { level, size, .. } = window;
        let refused = |reason: String| Err(Error::parameter("window", reason));
        if !(0..=Self::COARSEST).contains(&level) {
            let reason = "windows of a file are not finer than its samples";
            return refused(format!("level {level} is outside 0 to {}; {reason}", Self::COARSEST));
        }
        if size.contains(&0) {
            return refused(format!("{}×{} samples hold nothing; give at least 1×1", size[0], size[1]));
        }
        let cell = libm::ldexp(f64::from(self.grid.cell), level) as f32;
        let grid = Grid::new(size[0] as usize, size[1] as usize, cell)?;
        let lines = 128 * (u64::from(size[0]) + u64::from(size[1]));
        memory::require(grid, 8 * grid.count() as u64 + lines)?;
        Ok(grid)
    }

    /// The heights in a window of the file's own samples.
    fn heights(&self, window: Window, work: &Work) -> Result<Vec<f32>> {
        let [columns, rows] = Lines::of(window, self.samples.size());
        let heights = self.while_unchanged(work, || {
            if self.samples.are_packed() && window.level as u32 >= self.coarse.level {
                let all = self.coarse.filled(&self.samples, &self.bytes, work)?;
                if !all.is_empty() {
                    return Ok(picked(&self.coarse, all, &columns.places, &rows.places));
                }
            }
            self.gathered(&columns.places, &rows.places, Keep::Yes, work)
        })?;
        Ok(columns.repeat(&rows, heights))
    }

    /// The heights at all pairs of these columns and rows of `land`, over which the file is stretched.
    fn stretched(
        &self,
        columns: &[usize],
        rows: &[usize],
        land: [usize; 2],
        keep: Keep,
        work: &Work,
    ) -> Result<Vec<f32>> {
        if columns.is_empty() || rows.is_empty() {
            return Ok(Vec::new());
        }
        let [width, depth] = self.samples.size();
        let columns = Places::new(columns, width, land[0]);
        let rows = Places::new(rows, depth, land[1]);
        let samples = self.gathered(columns.samples(), rows.samples(), keep, work)?;
        limited_at(&samples, &columns, &rows, work)
    }

    /// The heights at all pairs of these columns and rows of the file, with holes filled.
    fn gathered(&self, columns: &[usize], rows: &[usize], keep: Keep, work: &Work) -> Result<Vec<f32>> {
        let grid = Grid { width: columns.len(), depth: rows.len(), cell: 1.0 };
        memory::require(grid, 8 * grid.count() as u64 + self.samples.working_bytes())?;
        let mut heights = self.samples.gather(&self.bytes, columns, rows, keep, work)?;
        if heights.iter().any(|height| height.is_nan()) {
            let filled = self.coarse.filled(&self.samples, &self.bytes, work)?;
            self.coarse.fill(filled, columns, rows, &mut heights, &self.bytes)?;
        }
        Ok(heights)
    }

    /// Reads, and checks before and after that the file is still the one that was opened.
    fn while_unchanged<T>(&self, work: &Work, read: impl FnOnce() -> Result<T>) -> Result<T> {
        work.check()?;
        // Before and after: what lies between was read from one state of the file.
        self.bytes.at.unchanged()?;
        let read = read();
        if !matches!(read, Err(Error::Cancelled)) {
            // A change of the file is reported before any error that it may have caused.
            self.bytes.at.unchanged()?;
        }
        read
    }

    /// Cell size and place of a window of the file's own samples.
    fn place_of(&self, window: Window) -> (CellSize, Option<MapPlace>) {
        let times = |size: f64| libm::ldexp(size, window.level);
        // The centres of the western and southern samples stay in place; the cells around them grow.
        let last = window.first[1].saturating_add(i64::from(window.size[1]) - 1);
        let first = [times(window.first[0] as f64), self.depth() as f64 - 1.0 - times(last as f64)];
        let place = self.known.place.as_ref().map(|place| place.of_samples(first, [times(1.0); 2]));
        let cell = match self.known.cell {
            CellSize::Unknown => CellSize::Unknown,
            CellSize::Metres { x, z } => CellSize::Metres { x: times(x), z: times(z) },
            CellSize::Degrees { x, z, latitude } => {
                // The latitude of the window's middle.
                let north = (first[1] + times(f64::from(window.size[1]) - 1.0) / 2.0)
                    - (self.depth() as f64 - 1.0) / 2.0;
                let latitude = if self.known.place.is_some() { latitude + north * z } else { latitude };
                CellSize::Degrees { x: times(x), z: times(z), latitude: latitude.clamp(-90.0, 90.0) }
            }
        };
        (cell, place)
    }
}

fn overview(size: [usize; 2], samples: usize) -> Window {
    let count = |level: u32| size_at(size, level).into_iter().fold(1, usize::saturating_mul);
    let coarsest = ElevationFile::COARSEST as u32;
    let level = (0..coarsest).find(|&level| count(level) <= samples).unwrap_or(coarsest);
    let size = size_at(size, level).map(|side| side as u32);
    Window { level: level as i32, first: [0, 0], size }
}

/// The heights of a coarse field at all pairs of these columns and rows.
fn picked(coarse: &Coarse, heights: &[f32], columns: &[usize], rows: &[usize]) -> Vec<f32> {
    let row = |&row: &usize| columns.iter().map(move |&column| coarse.at(heights, column, row));
    rows.iter().flat_map(row).collect()
}

/// The columns or rows of a window.
struct Lines {
    /// Those within the border, each once, ascending, counted at level 0.
    places: Vec<usize>,
    /// For each of the window's columns or rows, the index of its place.
    which: Vec<usize>,
}

impl Lines {
    fn of(window: Window, size: [usize; 2]) -> [Self; 2] {
        [0, 1].map(|axis| {
            let last = (size[axis] - 1) >> window.level;
            let first = window.first[axis];
            // Beyond the border its samples are repeated, as everywhere.
            let index = |offset| first.saturating_add(i64::from(offset)).clamp(0, last as i64) as usize;
            let from = index(0);
            let to = window.size[axis] - 1;
            Self {
                // Each line of the file once, however often it is repeated.
                places: (from..=index(to)).map(|index| index << window.level).collect(),
                which: (0..=to).map(|offset| index(offset) - from).collect(),
            }
        })
    }

    /// The heights of a window, from the heights within the border.
    fn repeat(&self, rows: &Self, heights: Vec<f32>) -> Vec<f32> {
        let width = self.places.len();
        if width == self.which.len() && rows.places.len() == rows.which.len() {
            return heights;
        }
        let row = |&row: &usize| self.which.iter().map(move |column| row * width + column);
        rows.which.iter().flat_map(row).map(|index| heights[index]).collect()
    }
}
