//! Recipes from text and from files, and elevation files as recipes.

use std::path::Path;
use std::sync::Arc;

use super::{DEFAULT_CELL, Recipe, Skin, Step};
use crate::compute::work::Work;
use crate::elevation::formats::{self, ReadOptions};
use crate::elevation::raster::Raster;
use crate::elevation::windows::{ElevationFile, ElevationFileOptions};
use crate::error::{Error, Result};
use crate::files::{self, FileKind};
use crate::grid::Grid;
use crate::params::{self, ron_options};
use crate::steps::generate::{Import, OpenImport};

/// Elevation files whose highest point is lower than this, in metres, are shown without snow.
const SNOW_LINE: f32 = 1800.0;

/// Samples, at most, from which the range of a large file's heights is measured.
const SURVEYED: usize = 1 << 18;

impl Recipe {
    /// Parses a recipe; `origin` is its name in errors.
    ///
    /// # Errors
    /// [`Error::Recipe`] with line and column.
    pub fn from_ron(text: &str, origin: &str) -> Result<Self> {
        let wrong = |error: ron::error::SpannedError| Error::Recipe {
            origin: origin.to_owned(),
            line: error.span.end.line,
            column: error.span.end.col,
            reason: params::reason_in(text, error),
        };
        formats::guarded(Path::new(origin), || ron_options().from_str(text).map_err(wrong))
    }

    /// The recipe as text. [`from_ron`](Self::from_ron) reads it as an equal recipe, apart from data already
    /// read from files.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and when the text would exceed the 16 MiB limit of a recipe file: a
    /// recipe that cannot be read again is not written.
    pub fn to_ron(&self) -> Result<String> {
        self.check()?;
        let text = self.to_ron_unchecked()?;
        let (bytes, most) = (text.len() as u64, FileKind::Recipe.limit());
        if bytes > most {
            let reason = format!(
                "takes {} MiB as text, and a recipe's file has at most {}; leave out some steps, points or flights",
                bytes.div_ceil(1 << 20),
                most >> 20
            );
            return Err(Error::parameter("recipe", reason));
        }
        Ok(text)
    }

    /// As [`to_ron`](Self::to_ron), but for any recipe: it may not be possible to read it again.
    ///
    /// # Errors
    /// When RON cannot write it; this is not expected for any recipe.
    #[doc(hidden)]
    pub fn to_ron_unchecked(&self) -> Result<String> {
        let style = ron::ser::PrettyConfig::new().depth_limit(2).separate_tuple_members(false);
        ron_options()
            .to_string_pretty(self, style)
            .map(|text| text + "\n")
            .map_err(|error| Error::parameter("recipe", format!("cannot be written: {error}")))
    }

    /// Reads a recipe from a file. Relative paths in it start from its folder.
    ///
    /// # Errors
    /// When the file cannot be read, or is not a recipe.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_file(files::read(path, FileKind::Recipe)?, path)
    }

    /// Parses the recipe in `bytes`, the content of the file at `path`.
    #[doc(hidden)]
    pub fn from_file(bytes: Vec<u8>, path: &Path) -> Result<Self> {
        let text = String::from_utf8(bytes).map_err(|_| {
            Error::file(path, "is not text in UTF-8; a recipe is a RON file, as `upland presets` lists")
        })?;
        let mut recipe = Self::from_ron(&text, &path.display().to_string())?;
        recipe.set_folder(path.parent().unwrap_or(Path::new("")));
        Ok(recipe)
    }

    /// Opens a recipe, or makes one that shows an elevation file, depending on the extension.
    ///
    /// # Errors
    /// When the file cannot be read, or is neither.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ron")) {
            Self::read(path)
        } else {
            Self::from_elevation(path)
        }
    }

    /// A recipe that shows an elevation file, resampled to square cells in metres. A file without a cell
    /// size gets [`DEFAULT_CELL`]; one with heights below 0 m gets a sea. A GeoTIFF or raw file of more than
    /// 8193² samples is read in part, whatever its size.
    ///
    /// # Errors
    /// When the file cannot be read as elevation.
    pub fn from_elevation(path: impl AsRef<Path>) -> Result<Self> {
        let import = Import::default();
        if let Some(recipe) = Self::from_large_elevation(path.as_ref(), &import)? {
            return Ok(recipe);
        }
        Self::from_raster(&path, &formats::read(&path, &ReadOptions::default())?)
    }

    /// A recipe that shows a large elevation file, read with the parameters of `import`, and only as far as
    /// needed. `None` if the file is not large, or cannot be read in parts, or at all.
    ///
    /// # Errors
    /// When the file cannot be made square, its size or cell is not accepted for recipes, or it is damaged.
    #[doc(hidden)]
    pub fn from_large_elevation(path: &Path, import: &Import) -> Result<Option<Self>> {
        let reading = import.reading()?;
        let (work, options) =
            (Work::new(), ElevationFileOptions { reading, default_cell: DEFAULT_CELL, ..Default::default() });
        if !formats::is_read_in_parts(path) {
            return Ok(None);
        }
        let file = match ElevationFile::open(path, &options, &work) {
            Ok(file) if file.domain().is_large() => file,
            // Whatever is wrong is reported when it is loaded.
            _ => return Ok(None),
        };
        let mut recipe = Self::showing(path, file.grid(), import)?;
        recipe.dress(file.read(file.overview(SURVEYED), &work)?.range());
        recipe.keep_open(0, &(Arc::new(OpenImport::new(file, &options)) as _));
        Ok(Some(recipe))
    }

    /// As [`from_elevation`](Self::from_elevation), for a raster that was read from `path`.
    ///
    /// # Errors
    /// When the raster cannot be made square, or its size or cell is not accepted for recipes.
    pub fn from_raster(path: impl AsRef<Path>, raster: &Raster) -> Result<Self> {
        Self::from_raster_as(path.as_ref(), raster, &Import::default())
    }

    /// As [`from_raster`](Self::from_raster), for a file that was read with the parameters of this import.
    ///
    /// # Errors
    /// As [`from_raster`](Self::from_raster).
    #[doc(hidden)]
    pub fn from_raster_as(path: &Path, raster: &Raster, import: &Import) -> Result<Self> {
        let field = raster.to_heightfield(DEFAULT_CELL);
        let field = field.map_err(|error| Error::file(path, error.to_string()))?;
        let mut recipe = Self::showing(path, field.grid(), import)?;
        recipe.dress(field.range());
        Ok(recipe)
    }

    /// As [`from_elevation`](Self::from_elevation), for a look at a file of unknown units: where heights
    /// differ by more than the land is long they are multiplied by a tenth, a hundredth … until they differ
    /// by at most a quarter of that. A picture of 16 bits has heights of up to 65,535, whatever they stand
    /// for.
    ///
    /// # Errors
    /// As [`from_elevation`](Self::from_elevation).
    #[doc(hidden)]
    pub fn from_elevation_in_proportion(path: &Path) -> Result<Self> {
        if let Some(recipe) = Self::from_large_elevation(path, &Import::default())? {
            return Ok(recipe);
        }
        let raster = formats::read(path, &ReadOptions::default())?;
        let mut recipe = Self::from_raster(path, &raster)?;
        let (low, high) = raster.range();
        let (width, depth) = recipe.size;
        let long = (width.max(depth) - 1) as f32 * recipe.cell;
        if high - low > long {
            const SCALES: [f32; 6] = [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6];
            // Bitmaps hold numbers and not metres, so their heights may be far too large for their width.
            let is_small = |scale: &f32| (high - low) * scale <= 0.25 * long;
            let scale = SCALES.into_iter().find(is_small).unwrap_or(1e-6);
            let import = Import { scale, ..Import::default() }.of_file(path);
            recipe.steps = vec![Step::new(import)];
            recipe.dress((low * scale, high * scale));
        }
        Ok(recipe)
    }

    /// A recipe that shows the elevation file at `path`, read with the parameters of `import`, on this grid.
    fn showing(path: &Path, grid: Grid, import: &Import) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut recipe = Self::new(name, (grid.width as u32, grid.depth as u32), grid.cell);
        recipe.steps.push(Step::new(import.of_file(path)));
        recipe.check().map_err(|error| Error::file(path, error.to_string()))?;
        Ok(recipe)
    }

    /// Chooses sea and colours for land between these heights.
    fn dress(&mut self, (low, high): (f32, f32)) {
        // Heights below 0 are usually the sea's floor.
        self.water.sea = low < 0.0;
        if high < SNOW_LINE {
            self.texture = Skin::Woodland;
        }
    }
}
