//! Georeferencing of TIFFs (GeoTIFF 1.1, OGC 19-008r4), and GDAL's tags for NODATA and units.

use std::io::{Seek, Write};

use tiff::TiffError;
use tiff::encoder::{DirectoryEncoder, TiffKind};
use tiff::tags::Tag;

use crate::elevation::formats::geographic;
use crate::elevation::formats::source::Label;
use crate::elevation::raster::{CellSize, Origin, Raster};
use crate::error::Error;

use super::{TiffDecoder, damaged};

/// The georeferencing of a TIFF: cell size and origin.
pub(super) struct Georeference {
    pub(super) cell: CellSize,
    pub(super) origin: Option<Origin>,
    /// Metres in a unit of its heights.
    pub(super) metres_up: f64,
}

/// What can be wrong with the tags.
pub(super) enum TagError {
    Tiff(TiffError),
    Senseless(String),
}

impl TagError {
    pub(super) fn named(self, label: Label) -> Error {
        match self {
            Self::Tiff(error) => damaged(label, error),
            Self::Senseless(reason) => label.error(reason),
        }
    }
}

impl From<TiffError> for TagError {
    fn from(error: TiffError) -> Self {
        Self::Tiff(error)
    }
}

/// Key and code numbers of the GeoTIFF standard.
mod key {
    pub(super) const MODEL_TYPE: u16 = 1024;
    pub(super) const MODEL_PROJECTED: u16 = 1;
    pub(super) const MODEL_GEOGRAPHIC: u16 = 2;
    pub(super) const RASTER_TYPE: u16 = 1025;
    pub(super) const RASTER_IS_AREA: u16 = 1;
    pub(super) const RASTER_IS_POINT: u16 = 2;
    pub(super) const GEOGRAPHIC_TYPE: u16 = 2048;
    pub(super) const WGS_84: u16 = 4326;
    pub(super) const ANGULAR_UNITS: u16 = 2054;
    pub(super) const DEGREE: u16 = 9102;
    pub(super) const PROJECTED_TYPE: u16 = 3072;
    pub(super) const USER_DEFINED: u16 = 32767;
    pub(super) const LINEAR_UNITS: u16 = 3076;
    pub(super) const VERTICAL_TYPE: u16 = 4096;
    pub(super) const VERTICAL_UNITS: u16 = 4099;
    pub(super) const METRE: u16 = 9001;
    pub(super) const FOOT: u16 = 9002;
    pub(super) const US_SURVEY_FOOT: u16 = 9003;
    /// Vertical reference systems in feet: NAVD88, and the older NGVD29.
    pub(super) const NAVD88_FEET: u16 = 8228;
    pub(super) const NAVD88_US_FEET: u16 = 6360;
    pub(super) const NGVD29_US_FEET: u16 = 5702;
}

const FOOT: f64 = 0.3048;
const US_SURVEY_FOOT: f64 = 1200.0 / 3937.0;

/// Metres in a unit of length by its code; unknown units are taken for metres.
fn metres_in(unit: Option<u16>) -> f64 {
    match unit {
        Some(key::FOOT) => FOOT,
        Some(key::US_SURVEY_FOOT) => US_SURVEY_FOOT,
        _ => 1.0,
    }
}

/// Reads the georeferencing of a TIFF of `width × depth` samples. Without such tags there is none.
pub(super) fn read(decoder: &mut TiffDecoder, width: usize, depth: usize) -> Result<Georeference, TagError> {
    let keys = Keys::read(decoder)?;
    let metres_up = metres_up(decoder, &keys)?;
    let Some((mut x, mut z, corner)) = scale_and_corner(decoder)? else {
        return Ok(Georeference { cell: CellSize::Unknown, origin: None, metres_up });
    };
    let possible = |size: f64| size.is_finite() && size > 0.0;
    let finite = corner.is_none_or(|(west, north)| west.is_finite() && north.is_finite());
    if !(possible(x) && possible(z) && finite) {
        return Err(TagError::Senseless(format!("its cell size of {x} × {z} makes no sense")));
    }

    let half_cell = if keys.get(key::RASTER_TYPE) == Some(key::RASTER_IS_POINT) { 0.5 } else { 0.0 };
    let mut origin = corner.map(|(west, north)| Origin {
        west: west - half_cell * x,
        south: north + half_cell * z - depth as f64 * z,
    });
    let cell = match keys.get(key::MODEL_TYPE) {
        Some(key::MODEL_GEOGRAPHIC) => {
            let origin = origin.unwrap_or(Origin { west: 0.0, south: 0.0 });
            geographic::degrees(origin, depth, x, z)
        }
        Some(key::MODEL_PROJECTED) => {
            let metres = metres_in(keys.get(key::LINEAR_UNITS));
            (x, z) = (x * metres, z * metres);
            origin = origin.map(|at| Origin { west: at.west * metres, south: at.south * metres });
            CellSize::Metres { x, z }
        }
        _ => match origin {
            Some(origin) => geographic::cell_from_place(origin, width, depth, x, z),
            None => CellSize::Metres { x, z },
        },
    };
    Ok(Georeference { cell, origin, metres_up })
}

/// Metres in a unit of the heights: from the vertical keys, or else from GDAL's metadata of the bands.
fn metres_up(decoder: &mut TiffDecoder, keys: &Keys) -> Result<f64, TiffError> {
    if let Some(unit) = keys.get(key::VERTICAL_UNITS) {
        return Ok(metres_in(Some(unit)));
    }
    match keys.get(key::VERTICAL_TYPE) {
        Some(key::NAVD88_FEET) => return Ok(FOOT),
        Some(key::NAVD88_US_FEET | key::NGVD29_US_FEET) => return Ok(US_SURVEY_FOOT),
        _ => {}
    }
    // <Item name="UNITTYPE" sample="0" role="unittype">ft</Item>
    let Some(Ok(text)) = decoder.find_tag(Tag::Unknown(GDAL_METADATA))?.map(|value| value.into_string())
    else {
        return Ok(1.0);
    };
    let item = text.split("<Item ").find(|item| item.contains("\"unittype\""));
    let unit = item.and_then(|item| item.split_once('>')?.1.split_once('<')).map(|(unit, _)| unit.trim());
    Ok(match unit.unwrap_or_default().to_ascii_lowercase().as_str() {
        "ft" | "foot" | "feet" | "international foot" => FOOT,
        "us survey foot" | "us survey feet" | "ftus" | "us-ft" => US_SURVEY_FOOT,
        _ => 1.0,
    })
}

/// The tag in which GDAL keeps, as XML, metadata that has no tag of its own.
const GDAL_METADATA: u16 = 42112;

/// Cell width and depth, and the map coordinates of raster position (0, 0).
type ScaleAndCorner = (f64, f64, Option<(f64, f64)>);

fn scale_and_corner(decoder: &mut TiffDecoder) -> Result<Option<ScaleAndCorner>, TagError> {
    if let Some(scale) = numbers(decoder, Tag::ModelPixelScaleTag)? {
        let &[x, z, ..] = scale.as_slice() else {
            return Err(TagError::Senseless("its tag for the cell size is incomplete".into()));
        };
        // A tie point says that raster position (i, j) lies at map position (east, north).
        let tie = numbers(decoder, Tag::ModelTiepointTag)?.unwrap_or_default();
        let corner = match *tie.as_slice() {
            [i, j, _, east, north, ..] => Some((east - i * x, north + j * z)),
            _ => None,
        };
        return Ok(Some((x, z, corner)));
    }
    let Some(matrix) = numbers(decoder, Tag::ModelTransformationTag)? else { return Ok(None) };
    let &[xx, xy, _, west, yx, yy, _, north, ..] = matrix.as_slice() else {
        return Err(TagError::Senseless("its tag for the map transformation is incomplete".into()));
    };
    // Rotated grids keep the size of their cells and lose their direction.
    let upright = xy == 0.0 && yx == 0.0;
    Ok(Some((xx.hypot(yx), xy.hypot(yy), upright.then_some((west, north)))))
}

fn numbers(decoder: &mut TiffDecoder, tag: Tag) -> Result<Option<Vec<f64>>, TiffError> {
    decoder.find_tag(tag)?.map(|value| value.into_f64_vec()).transpose()
}

/// The key directory: entries of four numbers, the first of which is the header.
struct Keys(Vec<u16>);

impl Keys {
    fn read(decoder: &mut TiffDecoder) -> Result<Self, TiffError> {
        let keys =
            decoder.find_tag(Tag::GeoKeyDirectoryTag)?.map(|value| value.into_u16_vec()).transpose()?;
        Ok(Self(keys.unwrap_or_default()))
    }

    /// The value of a key that is stored in the directory itself.
    fn get(&self, wanted: u16) -> Option<u16> {
        let keys = self.0.as_chunks::<4>().0.iter().skip(1);
        keys.into_iter().find(|[key, place, ..]| *key == wanted && *place == 0).map(|key| key[3])
    }
}

/// The NODATA value, if the file has one.
pub(super) fn nodata(decoder: &mut TiffDecoder) -> Result<Option<f32>, TagError> {
    let Some(value) = decoder.find_tag(Tag::GdalNodata)? else { return Ok(None) };
    let text = value.into_string()?;
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    match text.parse::<f64>() {
        Ok(nodata) => Ok(Some(nodata as f32)),
        Err(_) => {
            let shown: String = text.chars().filter(|c| !c.is_control()).take(24).collect();
            Err(TagError::Senseless(format!("its NODATA value `{shown}` is not a number")))
        }
    }
}

/// Writes the georeferencing of a raster whose cell size is known.
pub(super) fn write<W: Write + Seek, K: TiffKind>(
    directory: &mut DirectoryEncoder<'_, W, K>,
    raster: &Raster,
) -> Result<(), TiffError> {
    let (x, z, model, unit) = match raster.cell() {
        CellSize::Unknown => return Ok(()),
        CellSize::Metres { x, z } => {
            let system = [key::PROJECTED_TYPE, 0, 1, key::USER_DEFINED];
            (x, z, key::MODEL_PROJECTED, [system, [key::LINEAR_UNITS, 0, 1, key::METRE]])
        }
        CellSize::Degrees { x, z, .. } => {
            let system = [key::GEOGRAPHIC_TYPE, 0, 1, key::WGS_84];
            (x, z, key::MODEL_GEOGRAPHIC, [system, [key::ANGULAR_UNITS, 0, 1, key::DEGREE]])
        }
    };
    let place = geographic::place_for(raster.cell(), raster.width(), raster.depth());
    let Origin { west, south } = raster.origin().unwrap_or(place);
    let north = south + raster.depth() as f64 * z;
    directory.write_tag(Tag::ModelPixelScaleTag, &[x, z, 0.0][..])?;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, west, north, 0.0][..])?;
    let keys = [
        // Version 1, revision 1.0, four keys, which must be in order.
        [1, 1, 0, 4],
        [key::MODEL_TYPE, 0, 1, model],
        [key::RASTER_TYPE, 0, 1, key::RASTER_IS_AREA],
        unit[0],
        unit[1],
    ];
    directory.write_tag(Tag::GeoKeyDirectoryTag, keys.as_flattened())
}
