//! Georeferencing of TIFFs (GeoTIFF 1.1, OGC 19-008r4): the tags for the place of a raster and its coordinate
//! system.

use std::io::{Seek, Write};

use tiff::TiffError;
use tiff::encoder::{DirectoryEncoder, TiffKind};
use tiff::tags::Tag;

use super::directory::Directory;
use super::tag::TagValues;
use crate::elevation::formats::companions::StatedPlace;
use crate::elevation::map::{Affine, Keys, MapPlace, System, geographic, keys};
use crate::elevation::raster::{CellSize, Origin, Raster};
use crate::error::Result;

/// The tags of GeoTIFF.
const PIXEL_SCALE: u16 = 33_550;
const TIE_POINTS: u16 = 33_922;
const TRANSFORMATION: u16 = 34_264;
const KEYS: u16 = 34_735;

/// What the tags say of the place of a raster. Invalid values are ignored and reported in `notes`.
///
/// # Errors
/// When the values of a tag are not in the file.
pub(super) fn read(directory: &Directory, notes: &mut Vec<String>) -> Result<StatedPlace> {
    let keys = read_keys(directory)?;
    let mut affine = affine(directory, notes)?;
    if keys.are_points() {
        affine = affine.map(Affine::moved_by_half_a_cell);
    }
    let system = if keys.entries.is_empty() { None } else { Some(System::of_keys(&keys)) };
    Ok(StatedPlace::Somewhere { affine, system })
}

fn read_keys(directory: &Directory) -> Result<Keys> {
    let entries = directory.numbers(KEYS)?.unwrap_or_default();
    let entries = entries.as_chunks::<4>().0.iter().skip(1).map(|entry| entry.map(|number| number as u16));
    let floats = directory.floats(keys::FLOATS)?.unwrap_or_default();
    let texts = directory.raw(keys::TEXTS)?.unwrap_or_default();
    Ok(Keys { entries: entries.collect(), floats, texts })
}

fn affine(directory: &Directory, notes: &mut Vec<String>) -> Result<Option<Affine>> {
    let scale = directory.floats(PIXEL_SCALE)?.unwrap_or_default();
    let ties = directory.floats(TIE_POINTS)?.unwrap_or_default();
    let usable = |size: f64| size.is_finite() && size != 0.0;
    if let [x, z, ..] = *scale.as_slice()
        && usable(x)
        && usable(z)
    {
        if z < 0.0 {
            // By the standard this would be south-up. But programs that write it don't mean that, and GDAL
            // ignores the sign, too.
            notes.push(format!("its cells are {z} deep; the sign is ignored, as GDAL does"));
        }
        let (along_row, along_column) = ([x, 0.0], [0.0, -z.abs()]);
        // A tie point says that raster position (i, j) lies at map position (east, north).
        let corner = match *ties.as_slice() {
            [i, j, _, east, north, ..] => Some([east - i * x, north + j * z.abs()]),
            _ => None,
        };
        let corner = corner.filter(|corner| corner.iter().all(|place| place.is_finite()));
        return Ok(Some(Affine { corner, along_row, along_column }));
    }
    let matrix = directory.floats(TRANSFORMATION)?.unwrap_or_default();
    if let [b, c, _, a, e, f, _, d, ..] = *matrix.as_slice() {
        if [a, b, c, d, e, f].iter().all(|number| number.is_finite()) {
            return Ok(Some(Affine { corner: Some([a, d]), along_row: [b, e], along_column: [c, f] }));
        }
        notes.push("its tag for the map transformation makes no sense and is ignored".to_owned());
        return Ok(None);
    }
    if !scale.is_empty() || !matrix.is_empty() {
        notes.push("its tag for the cell size makes no sense and is ignored; give one".to_owned());
    } else if ties.len() == 6 {
        notes.push(
            "its place is given by one control point without a size of its cells, and is ignored; give a cell size"
                .to_owned(),
        );
    } else if ties.len() > 6 {
        let count = ties.len() / 6;
        notes.push(format!(
            "its place is given by {count} control points alone, and is ignored; `gdalwarp in.tif out.tif` \
             applies them"
        ));
    }
    Ok(None)
}

/// Writes the georeferencing of a raster whose cell size is known.
pub(super) fn write<W: Write + Seek, K: TiffKind>(
    directory: &mut DirectoryEncoder<'_, W, K>,
    raster: &Raster,
) -> Result<(), TiffError> {
    let Some(place) = place_of(raster) else { return Ok(()) };
    let in_degrees = matches!(raster.cell(), CellSize::Degrees { .. });
    for (tag, values) in tags(&place, raster.depth(), in_degrees) {
        let tag = Tag::from_u16_exhaustive(tag);
        match values {
            TagValues::Shorts(values) => directory.write_tag(tag, &values[..])?,
            TagValues::Longs(values) => directory.write_tag(tag, &values[..])?,
            TagValues::Offsets(values) => directory.write_tag(tag, &values[..])?,
            TagValues::Floats(values) => directory.write_tag(tag, &values[..])?,
            TagValues::Text(text) => directory.write_tag(tag, text.as_str())?,
        }
    }
    Ok(())
}

/// The place that is written for a raster: its own, or one that gives the size of its cells; `None` where
/// that is unknown.
pub(in crate::elevation::formats) fn place_of(raster: &Raster) -> Option<MapPlace> {
    match (raster.place(), raster.cell()) {
        (Some(place), _) if place.definition().is_some() => Some(place.clone()),
        (_, CellSize::Unknown) => None,
        (Some(place), _) => Some(place.clone()),
        (None, CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. }) => {
            let origin = geographic::place_for(raster.cell(), raster.width(), raster.depth());
            Some(MapPlace::at(origin, [x, z]))
        }
    }
}

/// The tags of a place, in ascending order, for a raster of `depth` rows. On a map of an unknown coordinate
/// system, cells are in degrees or otherwise in metres.
pub(in crate::elevation::formats) fn tags(
    place: &MapPlace,
    depth: usize,
    in_degrees: bool,
) -> Vec<(u16, TagValues)> {
    let mut tags = Vec::new();
    match (place.cell(), place.origin()) {
        (Some([x, z]), Some(Origin { west, south })) => {
            let north = south + depth as f64 * z;
            tags.push((PIXEL_SCALE, TagValues::Floats(vec![x, z, 0.0])));
            tags.push((TIE_POINTS, TagValues::Floats(vec![0.0, 0.0, 0.0, west, north, 0.0])));
        }
        _ => {
            let [a, b, c, d, e, f] = place.transform(depth);
            let matrix = vec![b, c, 0.0, a, e, f, 0.0, d, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            tags.push((TRANSFORMATION, TagValues::Floats(matrix)));
        }
    }
    let keys = place.definition().map_or_else(|| Keys::unknown(in_degrees), Keys::defining);
    // Version 1, revision 1.0, and the number of keys.
    let mut entries = vec![[1, 1, 0, keys.entries.len() as u16]];
    entries.extend(&keys.entries);
    tags.push((KEYS, TagValues::Shorts(entries.as_flattened().to_vec())));
    if !keys.floats.is_empty() {
        tags.push((keys::FLOATS, TagValues::Floats(keys.floats)));
    }
    if !keys.texts.is_empty() {
        // GeoTIFF's texts are ASCII.
        let ascii = |&byte: &u8| if byte.is_ascii() && byte > 0 { char::from(byte) } else { '?' };
        let text: String = keys.texts.iter().map(ascii).collect();
        tags.push((keys::TEXTS, TagValues::Text(text.trim_end_matches('?').to_owned())));
    }
    tags
}
