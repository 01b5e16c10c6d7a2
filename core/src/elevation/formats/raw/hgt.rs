//! HGT: tiles of one degree, as the Shuttle Radar Topography Mission (SRTM) publishes them. Heights in metres
//! above the EGM96 geoid as signed 16-bit numbers, big-endian, north to south, without a header.
//!
//! The length of the file gives the number of samples, and the name their place: `N46E007.hgt` has its
//! south-western sample at 46° north, 7° east. Samples lie on the degree lines, so that the last row and
//! column of a tile are the first of the next.

use std::path::Path;

use crate::elevation::formats::companions::StatedPlace;
use crate::elevation::formats::format::Format;
use crate::elevation::formats::label::Label;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::source::{ReaderOutput, Source};
use crate::elevation::map::{Definition, MapPlace, geographic};
use crate::elevation::raster::{CellSize, Origin, Raster};
use crate::error::Result;

pub(in crate::elevation::formats) const FORMAT: Format = Format {
    name: "SRTM tile",
    extensions: &["hgt"],
    about: "heights of one degree by one, with their place by the file's name; read only",
    reader: Some(read),
    writer: None,
};

/// Columns and rows of published tiles: 3 arc-seconds, 1 arc-second, and, beyond 50° of latitude, 1 from
/// north to south by 2 from west to east.
const SIZES: [(usize, usize); 3] = [(1201, 1201), (3601, 3601), (1801, 3601)];

/// The code of the coordinate system.
const WGS_84: u16 = 4326;

/// The number of a sample without a height.
const VOID: i16 = -32768;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let (width, depth) = size(label)?;
    label.check_size(width, depth, 16)?;
    label.require(width, depth, 4 * width as u64 * depth as u64)?;
    let mut values = Vec::with_capacity(width * depth);
    let mut row = vec![0; 2 * width];
    for _ in 0..depth {
        source.input.read_exact(&mut row).map_err(|error| label.io_error(error))?;
        values.extend(row.chunks_exact(2).map(|bytes| height(i16::from_be_bytes([bytes[0], bytes[1]]))));
    }
    let (cell, place) = match south_west(label.path) {
        Some([east, north]) => {
            let (x, z) = (1.0 / (width - 1) as f64, 1.0 / (depth - 1) as f64);
            let origin = Origin { west: east - x / 2.0, south: north - z / 2.0 };
            // Its degrees are those of WGS 84.
            let cell = geographic::degrees(origin, depth, x, z);
            (cell, Some(MapPlace::at(origin, [x, z]).in_system(Definition::Code(WGS_84))))
        }
        // How long a degree is depends on where it is.
        None => (CellSize::Unknown, None),
    };
    source.raster(ReaderOutput::new([width, depth], values, StatedPlace::Sure(cell, place)), options)
}

fn height(number: i16) -> f32 {
    if number == VOID { f32::NAN } else { f32::from(number) }
}

/// Columns and rows of a file of this length.
fn size(label: Label) -> Result<(usize, usize)> {
    let bytes = |(width, depth): (usize, usize)| 2 * width as u64 * depth as u64;
    if let Some(size) = SIZES.into_iter().find(|size| bytes(*size) == label.len) {
        return Ok(size);
    }
    let known = SIZES.map(|(width, depth)| format!("{width}×{depth} ({} bytes)", bytes((width, depth))));
    let reason =
        format!("an SRTM tile has {} samples of 16 bits, but it has {} bytes", or(&known), label.len);
    Err(label.error(reason + "; it is cut short, compressed or not such a tile"))
}

/// A list for people: “a, b or c”.
fn or(choices: &[String; 3]) -> String {
    let [first, second, third] = choices;
    format!("{first}, {second} or {third}")
}

/// Degrees east and north of the south-western sample by a name like `N46E007.hgt`; `None` if it isn't one.
fn south_west(path: &Path) -> Option<[f64; 2]> {
    let name = path.file_name()?.to_string_lossy();
    let (place, rest) = name.split_at_checked(7)?;
    // Some names continue: `N46E007.SRTMGL1.hgt`, `N46E007 (1).hgt`.
    if rest.starts_with(char::is_alphanumeric) {
        return None;
    }
    let (latitude, longitude) = place.split_at_checked(3)?;
    let north = degrees(latitude, ['N', 'S'])?;
    let east = degrees(longitude, ['E', 'W'])?;
    let is_on_globe = (-90..90).contains(&north) && (-180..180).contains(&east);
    is_on_globe.then_some([f64::from(east), f64::from(north)])
}

/// Whole degrees after a letter in either case: positive after the first letter, negative after the second.
fn degrees(text: &str, [up, down]: [char; 2]) -> Option<i32> {
    let (letter, digits) = text.split_at_checked(1)?;
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count: i32 = digits.parse().ok()?;
    match letter.chars().next()?.to_ascii_uppercase() {
        letter if letter == up => Some(count),
        letter if letter == down => Some(-count),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_read_from_the_name_on_all_sides_of_equator_and_meridian() {
        for (name, place) in [
            ("N46E007.hgt", [7.0, 46.0]),
            ("N37W085.hgt", [-85.0, 37.0]),
            ("S23W043.hgt", [-43.0, -23.0]),
            ("S01E036.hgt", [36.0, -1.0]),
            ("N00E000.hgt", [0.0, 0.0]),
            ("S90W180.hgt", [-180.0, -90.0]),
            ("N89E179.hgt", [179.0, 89.0]),
            ("s23w043.HGT", [-43.0, -23.0]),
            ("/data/N10E010/n46e007.hgt", [7.0, 46.0]),
            ("N46E007.SRTMGL1.hgt", [7.0, 46.0]),
            ("N46E007 (1).hgt", [7.0, 46.0]),
        ] {
            assert_eq!(south_west(Path::new(name)), Some(place), "{name}");
        }
    }

    #[test]
    fn another_name_gives_no_place() {
        for name in [
            "",
            ".hgt",
            "alps.hgt",
            "N46E07.hgt",
            "N46E0071.hgt",
            "N46E007a.hgt",
            "N4+E007.hgt",
            "N+6E007.hgt",
            "N46E0-7.hgt",
            "46N007E.hgt",
            "E007N46.hgt",
            "X46E007.hgt",
            "N90E007.hgt",
            "S91E007.hgt",
            "N46E180.hgt",
            "N46W181.hgt",
            "N４E007.hgt",
            "Ñ46E007.hgt",
            "N46é007.hgt",
        ] {
            assert_eq!(south_west(Path::new(name)), None, "{name}");
        }
    }
}
