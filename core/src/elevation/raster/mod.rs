//! The raster: the contents of an elevation file, before it becomes land.
//!
//! A file may have cells that are not square, or in degrees, or of unknown size. A [`Raster`] keeps that, so
//! that converting one file into another loses nothing; [`Raster::to_heightfield`] converts it to square
//! cells in metres.

pub(in crate::elevation) mod holes;
mod square;

pub(in crate::elevation) use square::Square;

use rayon::prelude::*;

pub use crate::elevation::map::MapPlace;
use crate::error::{Error, Result, harmless_line};
use crate::grid::memory;
use crate::grid::{Grid, Heightfield};

/// The contents of an elevation file. Rows run from north to south, columns from west to east; every value
/// is finite.
///
/// ```
/// # use upland_core as upland;
/// use upland::{CellSize, Raster};
/// let cell = CellSize::Metres { x: 10.0, z: 20.0 };
/// let raster = Raster::new(3, 2, vec![0.0, 1.0, 2.0, 4.0, 5.0, 6.0], cell)?;
/// // Cells become square: the rows, 20 m apart, get one between them.
/// let field = raster.to_heightfield(1.0)?;
/// assert_eq!((field.grid().width, field.grid().depth, field.grid().cell), (3, 3, 10.0));
/// assert_eq!(field.at(0, 2), 4.0);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Raster {
    width: usize,
    depth: usize,
    values: Vec<f32>,
    cell: CellSize,
    place: Option<MapPlace>,
    filled: usize,
    /// A bit for each cell, from the lowest bit of each number on: whether the cell was filled. Empty if none
    /// was.
    holes: Vec<u64>,
    notes: Vec<String>,
}

/// The spacing of the samples of a [`Raster`]. All sizes are above 0 and at most [`LARGEST`](Self::LARGEST).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CellSize {
    /// The file does not give it.
    #[default]
    Unknown,
    /// In metres.
    Metres {
        /// Metres between columns.
        x: f64,
        /// Metres between rows.
        z: f64,
    },
    /// Degrees of longitude (x) and of latitude (z).
    Degrees {
        /// Degrees of longitude between columns.
        x: f64,
        /// Degrees of latitude between rows.
        z: f64,
        /// Latitude of the middle of the grid, in [−90, 90].
        latitude: f64,
    },
}

/// The position of a raster on its map: the outer corner of its south-western cell, half a cell west and
/// south of that cell's sample, in the map's own units (degrees, metres, feet).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Easting or longitude of the western edge.
    pub west: f64,
    /// Northing or latitude of the southern edge.
    pub south: f64,
}

impl Raster {
    /// A raster of `width × depth` values, row by row from the north-west.
    ///
    /// # Errors
    /// When a side is 0 or there are too many samples, when the number of values differs, when one is NaN
    /// or infinite, or when the sizes in `cell` are not accepted.
    pub fn new(width: usize, depth: usize, values: Vec<f32>, cell: CellSize) -> Result<Self> {
        cell.check()?;
        let grid = Grid::new(width, depth, 1.0)?;
        let values = Heightfield::new(grid, values)?.into_heights();
        Ok(Self { width, depth, values, cell, place: None, filled: 0, holes: Vec::new(), notes: Vec::new() })
    }

    /// As [`new`](Self::new), from values in which NaN marks a hole. Holes are filled smoothly from the
    /// values around them, within their range, and counted in [`filled`](Self::filled).
    ///
    /// # Errors
    /// As [`new`](Self::new), and when every value is a hole.
    pub fn with_holes(width: usize, depth: usize, mut values: Vec<f32>, cell: CellSize) -> Result<Self> {
        let grid = Grid::new(width, depth, 1.0)?;
        if values.len() != grid.count() {
            // `new` reports the wrong count.
            return Self::new(width, depth, values, cell);
        }
        let holes = values.par_iter().filter(|value| value.is_nan()).count();
        if holes == values.len() {
            return Err(Error::parameter("heights", "every cell is NODATA; at least one needs a height"));
        }
        // Checked before filling: an infinite height would spread into every hole.
        if let Some(index) = values.par_iter().position_first(|value| value.is_infinite()) {
            let (row, column) = (index / width, index % width);
            let reason = format!("the height at column {column}, row {row} is {}", values[index]);
            return Err(Error::parameter("heights", reason));
        }
        let mut bits = Vec::new();
        if holes > 0 {
            // Memory for the positions of the holes, their values, and the coarser grids.
            memory::require(grid, 12 * holes as u64 + 2 * grid.count() as u64)?;
            // A bit for each cell, and only if there are holes: files are large and mostly whole.
            let bit = |(place, value): (usize, &f32)| u64::from(value.is_nan()) << place;
            let word = |values: &[f32]| values.iter().enumerate().map(bit).fold(0, |word, bit| word | bit);
            bits = values.par_chunks(64).map(word).collect();
            holes::fill(width, depth, &mut values);
        }
        Ok(Self { filled: holes, holes: bits, ..Self::new(width, depth, values, cell)? })
    }

    /// A raster with the heights of a heightfield, with square cells in metres.
    pub fn from_heightfield(field: &Heightfield) -> Self {
        Self::from(field.clone())
    }

    /// The raster at this position on a map of an unknown coordinate system, whose cells are as large on the
    /// map as on the ground.
    pub fn with_origin(self, origin: Option<Origin>) -> Self {
        let cell = match self.cell {
            CellSize::Unknown => [1.0, 1.0],
            CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. } => [x, z],
        };
        self.with_place(origin.map(|origin| MapPlace::at(origin, cell)))
    }

    /// The raster at this place on its map.
    pub fn with_place(self, place: Option<MapPlace>) -> Self {
        Self { place, ..self }
    }

    /// The raster with these lines appended to its [`notes`](Self::notes).
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        // Notes may quote the file.
        self.notes.extend(notes.into_iter().map(|note| harmless_line(&note).into_owned()));
        self
    }

    /// Guesses that were made while reading, and what was ignored, for people: one line each, without the
    /// file's name.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// All values, row by row from the north-west: metres, or the stored numbers of an image.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The values alone.
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }

    /// The value of one sample.
    ///
    /// # Panics
    /// When there is no such sample.
    pub fn at(&self, column: usize, row: usize) -> f32 {
        self.values[row * self.width + column]
    }

    /// The spacing of the samples.
    pub fn cell(&self) -> CellSize {
        self.cell
    }

    /// Its place on the map, if the file gives one.
    pub fn place(&self) -> Option<&MapPlace> {
        self.place.as_ref()
    }

    /// Its position on the map, if the file gives one and rows run from north to south there.
    pub fn origin(&self) -> Option<Origin> {
        self.place.as_ref().and_then(MapPlace::origin)
    }

    /// The number of cells that were NODATA in the file and have been filled.
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// Whether a cell was NODATA in the file and has been filled.
    ///
    /// # Panics
    /// When there is no such cell.
    pub fn was_hole(&self, column: usize, row: usize) -> bool {
        assert!(column < self.width && row < self.depth, "there is no cell ({column}, {row})");
        let place = row * self.width + column;
        self.holes.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    /// The lowest and the highest value.
    pub fn range(&self) -> (f32, f32) {
        let none = || (f32::INFINITY, f32::NEG_INFINITY);
        let wider = |a: (f32, f32), b: (f32, f32)| (a.0.min(b.0), a.1.max(b.1));
        self.values.par_iter().fold(none, |range, &value| wider(range, (value, value))).reduce(none, wider)
    }

    /// Metres from the first to the last sample along x and z; `None` where the spacing is unknown.
    pub fn extent_in_metres(&self) -> Option<(f64, f64)> {
        let (x, z) = self.cell.in_metres()?;
        Some(((self.width - 1) as f64 * x, (self.depth - 1) as f64 * z))
    }
}

/// Equal land at an equal place. Notes are ignored: they are about how it was read.
impl PartialEq for Raster {
    fn eq(&self, other: &Self) -> bool {
        let all = |raster: &Self| (raster.width, raster.depth, raster.cell, raster.filled);
        all(self) == all(other) && self.place == other.place && self.values == other.values
    }
}

/// The raster of a heightfield, whose cells are square and in metres.
impl From<Heightfield> for Raster {
    fn from(field: Heightfield) -> Self {
        let Grid { width, depth, cell } = field.grid();
        let cell = f64_as_written(cell);
        let cell = CellSize::Metres { x: cell, z: cell };
        Self {
            width,
            depth,
            values: field.into_heights(),
            cell,
            place: None,
            filled: 0,
            holes: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl CellSize {
    /// The largest distance between samples, in metres or degrees. With it, sizes and positions of all
    /// rasters stay finite, in memory and in files.
    pub const LARGEST: f64 = 1e12;

    /// Metres between columns and between rows, or `None` when unknown. Degrees are converted on the WGS 84
    /// ellipsoid at the grid's middle latitude.
    pub fn in_metres(&self) -> Option<(f64, f64)> {
        match *self {
            Self::Unknown => None,
            Self::Metres { x, z } => Some((x, z)),
            Self::Degrees { x, z, latitude } => {
                let (metres_x, metres_z) = metres_per_degree(latitude);
                Some((x * metres_x, z * metres_z))
            }
        }
    }

    /// Whether all its numbers are valid.
    pub(in crate::elevation) fn is_usable(&self) -> bool {
        self.check().is_ok()
    }

    fn check(&self) -> Result<()> {
        let (x, z, latitude) = match *self {
            Self::Unknown => return Ok(()),
            Self::Metres { x, z } => (x, z, 0.0),
            Self::Degrees { x, z, latitude } => (x, z, latitude),
        };
        let possible = |size: f64| size.is_finite() && size > 0.0;
        if !(possible(x) && possible(z)) {
            let reason = format!("{x} × {z} is not a distance between samples; give numbers above 0");
            return Err(Error::parameter("cell", reason));
        }
        if x.max(z) > Self::LARGEST {
            let reason = format!(
                "{x:e} × {z:e} is not a distance between samples; give at most {:e}, or other units",
                Self::LARGEST
            );
            return Err(Error::parameter("cell", reason));
        }
        if !(-90.0..=90.0).contains(&latitude) {
            let reason = format!("{latitude}° is not a latitude; give −90° to 90°");
            return Err(Error::parameter("cell", reason));
        }
        Ok(())
    }
}

impl std::fmt::Display for CellSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Unknown => write!(f, "unknown"),
            Self::Metres { x, z } if x == z => write!(f, "{x} m"),
            Self::Metres { x, z } => write!(f, "{x} × {z} m"),
            Self::Degrees { x, z, .. } => {
                let (metres_x, metres_z) = self.in_metres().unwrap_or_default();
                let (x, z) = (x * 3600.0, z * 3600.0);
                write!(f, "{x:.4}″ × {z:.4}″, about {metres_x:.1} × {metres_z:.1} m")
            }
        }
    }
}

/// Metres in one degree of longitude and of latitude at a latitude in degrees, on WGS 84, by the usual
/// series, which is good to a centimetre.
fn metres_per_degree(latitude: f64) -> (f64, f64) {
    let cos = |multiple: f64| libm::cos(multiple * latitude.to_radians());
    let longitude = 111_412.84 * cos(1.0) - 93.5 * cos(3.0) + 0.118 * cos(5.0);
    let latitude = 111_132.92 - 559.82 * cos(2.0) + 1.175 * cos(4.0) - 0.0023 * cos(6.0);
    (longitude, latitude)
}

/// The decimal that was rounded to this `f32`: 0.1 for 0.1f32, not 0.10000000149.
fn f64_as_written(value: f32) -> f64 {
    // 0.1 as f32 is 0.10000000149 as f64; the shortest text that means the f32 is the number that was given.
    value.to_string().parse().unwrap_or(f64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degree_is_as_long_as_the_tables_say() {
        // WGS 84: latitude, metres per degree of longitude, metres per degree of latitude.
        for (latitude, x, z) in
            [(0.0, 111_319.5, 110_574.3), (45.0, 78_846.8, 111_131.8), (60.0, 55_800.0, 111_412.3)]
        {
            let (longitude, latitude) = metres_per_degree(latitude);
            assert!((longitude - x).abs() < 0.5, "{longitude} {x}");
            assert!((latitude - z).abs() < 0.5, "{latitude} {z}");
        }
    }

    #[test]
    fn a_heightfield_survives_conversion_to_a_raster_and_back() {
        let grid = Grid::new(7, 5, 29.8).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| (column * row) as f32 - 3.5);
        assert_eq!(Raster::from_heightfield(&field).to_heightfield(1.0).unwrap(), field);
    }

    #[test]
    fn impossible_rasters_are_refused() {
        let unknown = CellSize::Unknown;
        assert!(Raster::new(0, 2, vec![], unknown).is_err());
        assert!(Raster::new(2, 1, vec![1.0], unknown).is_err());
        assert!(Raster::new(1, 1, vec![f32::NAN], unknown).is_err());
        assert!(Raster::with_holes(2, 1, vec![f32::NAN, f32::INFINITY], unknown).is_err());
        assert!(Raster::with_holes(2, 1, vec![f32::NAN; 2], unknown).is_err());
        assert!(Raster::with_holes(2, 1, vec![f32::NAN; 3], unknown).is_err());
        for x in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Raster::new(1, 1, vec![0.0], CellSize::Metres { x, z: 1.0 }).is_err());
        }
        let pole = CellSize::Degrees { x: 0.1, z: 0.1, latitude: 91.0 };
        assert!(Raster::new(1, 1, vec![0.0], pole).is_err());
    }
}
