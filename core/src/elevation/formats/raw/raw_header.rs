//! The `.hdr` next to raw numbers: lines of a key and a value in ESRI's form, as for `.flt` and `.bil`, or in
//! ENVI's.

use crate::elevation::formats::nodata;
use crate::elevation::formats::raw::raw_layout::{ByteOrder, SampleType};
use crate::elevation::map::{Affine, Plane, System, units};

/// The content of a `.hdr`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::elevation::formats) struct RawHeader {
    pub(in crate::elevation::formats) columns: Option<usize>,
    pub(in crate::elevation::formats) rows: Option<usize>,
    pub(in crate::elevation::formats) sample: Option<SampleType>,
    pub(in crate::elevation::formats) order: Option<ByteOrder>,
    /// Bytes before the first sample.
    pub(in crate::elevation::formats) skip: Option<u64>,
    /// Bytes from one sample to the next, if samples are not adjacent.
    pub(in crate::elevation::formats) pixel_bytes: Option<u64>,
    /// Bytes from one row to the next, if rows have more bytes than their samples.
    pub(in crate::elevation::formats) row_bytes: Option<u64>,
    /// The number of bands, and bytes from the first sample of one to that of the next.
    pub(in crate::elevation::formats) bands: (usize, u64),
    pub(in crate::elevation::formats) nodata: Option<f64>,
    /// Where the samples lie.
    pub(in crate::elevation::formats) affine: Option<Affine>,
    /// The coordinate system of the map.
    pub(in crate::elevation::formats) system: Option<System>,
}

/// The longest side and the most bytes that are accepted; larger numbers are mistakes.
const MOST: u64 = 1 << 40;

impl RawHeader {
    /// Reads the text. The error is the message.
    pub(in crate::elevation::formats) fn read(text: &str, is_float: bool) -> Result<Self, String> {
        if text.trim_start().starts_with("ENVI") { Self::envi(text) } else { Self::esri(text, is_float) }
    }

    fn esri(text: &str, is_float: bool) -> Result<Self, String> {
        let pairs: Vec<(String, &str)> = text
            .lines()
            .take(1000)
            .filter_map(|line| {
                let (key, value) = line.trim().split_once([' ', '\t', '=', ':'])?;
                Some((key.to_ascii_lowercase(), value.trim_matches([' ', '\t', '=', ':', '\r'])))
            })
            .collect();
        let find = |keys: &[&str]| {
            pairs.iter().find(|(key, _)| keys.contains(&key.as_str())).map(|(_, value)| *value)
        };
        let count = |keys: &[&str]| whole(keys[0], find(keys));
        let number = |keys: &[&str]| real(keys[0], find(keys));
        let (columns, rows) = (count(&["ncols"])?, count(&["nrows"])?);
        let bits = count(&["nbits"])?;
        let kind = find(&["pixeltype"]).unwrap_or_default().to_ascii_uppercase();
        let sample = match (bits, kind.as_str()) {
            (None, _) if is_float => Some(SampleType::F32),
            (None, "FLOAT") => Some(SampleType::F32),
            (None, _) => None,
            (Some(bits), kind) => Some(SampleType::of(bits, kind, is_float).ok_or_else(|| {
                let kind = if kind.is_empty() { String::new() } else { format!(" of the kind `{kind:.24}`") };
                format!(
                    "its .hdr gives numbers of {bits} bits{kind}; read are 8, 16 and 32 bits of whole numbers, and 32 \
                     and 64 of the kind FLOAT"
                )
            })?),
        };
        let order = match find(&["byteorder"]).map(str::to_ascii_uppercase).as_deref() {
            Some("I" | "LSBFIRST" | "LSB" | "INTEL" | "VMS_FFLOAT" | "0") => Some(ByteOrder::Little),
            Some("M" | "MSBFIRST" | "MSB" | "MOTOROLA" | "1") => Some(ByteOrder::Big),
            None => None,
            Some(other) => {
                return Err(format!(
                    "its .hdr has byteorder `{other:.24}`; it must be I, M, LSBFIRST or MSBFIRST"
                ));
            }
        };
        let bands = count(&["nbands"])?.unwrap_or(1).max(1);
        let layout = find(&["layout"]).unwrap_or("BIL").to_ascii_uppercase();
        let bytes = sample.map_or(1, SampleType::bytes);
        let (mut pixel_bytes, mut row_bytes) = (None, None);
        if let Some(columns) = columns {
            match layout.as_str() {
                // Interleaved by pixel, the numbers of all bands of a sample follow each other; by line,
                // those of a row.
                "BIP" => pixel_bytes = Some(bytes.saturating_mul(bands)),
                "BIL" if bands > 1 => row_bytes = Some(columns.saturating_mul(bytes).saturating_mul(bands)),
                _ => {}
            }
            if let Some(total) = count(&["totalrowbytes"])?.filter(|_| layout != "BSQ" || bands == 1) {
                row_bytes = Some(total);
            } else if layout == "BIP" {
                row_bytes = Some(columns.saturating_mul(bytes).saturating_mul(bands));
            }
        }
        let nodata = find(&["nodata_value", "nodata"]).and_then(|text| nodata::parse(text).ok().flatten());
        let affine = Self::esri_place(&number, rows)?;
        Ok(Self {
            columns: columns.map(|count| count as usize),
            rows: rows.map(|count| count as usize),
            sample,
            order,
            skip: count(&["skipbytes"])?,
            pixel_bytes,
            row_bytes,
            bands: (bands as usize, band_bytes(&layout, [columns, rows], bytes)),
            nodata,
            affine,
            system: None,
        })
    }

    fn esri_place(
        number: &impl Fn(&[&str]) -> Result<Option<f64>, String>,
        rows: Option<u64>,
    ) -> Result<Option<Affine>, String> {
        let size = number(&["cellsize"])?;
        let x = number(&["xdim", "dx"])?.or(size);
        let z = number(&["ydim", "dy"])?.or(size);
        let (Some(x), Some(z)) = (x, z) else { return Ok(None) };
        let depth = rows.unwrap_or(0) as f64 * z;
        // The middle of the north-western sample, or the corner or middle of the south-western one.
        let west = match (number(&["ulxmap"])?, number(&["xllcorner"])?, number(&["xllcenter"])?) {
            (Some(middle), _, _) | (None, None, Some(middle)) => middle - x / 2.0,
            (None, Some(corner), _) => corner,
            (None, None, None) => return Ok(Some(without_place([x, z]))),
        };
        let north = match (number(&["ulymap"])?, number(&["yllcorner"])?, number(&["yllcenter"])?) {
            (Some(middle), _, _) => middle + z / 2.0,
            (None, Some(corner), _) => corner + depth,
            (None, None, Some(middle)) => middle - z / 2.0 + depth,
            (None, None, None) => return Ok(Some(without_place([x, z]))),
        };
        Ok(Some(Affine { corner: Some([west, north]), along_row: [x, 0.0], along_column: [0.0, -z] }))
    }

    fn envi(text: &str) -> Result<Self, String> {
        let find = |wanted: &str| {
            text.lines().take(1000).find_map(|line| {
                let (key, value) = line.split_once('=')?;
                key.trim().eq_ignore_ascii_case(wanted).then(|| value.trim())
            })
        };
        let count = |key: &str| whole(key, find(key));
        let sample = match count("data type")? {
            None => None,
            Some(code) => Some(match code {
                1 => SampleType::U8,
                2 => SampleType::I16,
                3 => SampleType::I32,
                4 => SampleType::F32,
                5 => SampleType::F64,
                12 => SampleType::U16,
                13 => SampleType::U32,
                other => {
                    return Err(format!("its .hdr has data type {other}; 1, 2, 3, 4, 5, 12 and 13 are read"));
                }
            }),
        };
        let order = match count("byte order")? {
            Some(0) => Some(ByteOrder::Little),
            Some(1) => Some(ByteOrder::Big),
            _ => None,
        };
        let columns = count("samples")?;
        let bands = count("bands")?.unwrap_or(1).max(1);
        let bytes = sample.map_or(1, SampleType::bytes);
        let interleave = find("interleave").unwrap_or("bsq").to_ascii_lowercase();
        let row = columns.map(|columns| columns.saturating_mul(bytes).saturating_mul(bands));
        let row_bytes = row.filter(|_| bands > 1 && interleave != "bsq");
        let pixel_bytes = (bands > 1 && interleave == "bip").then(|| bytes.saturating_mul(bands));
        // map info = {projection, column, row, east, north, x, y, …}: the place of a corner, counted from 1.
        let info = find("map info").map(|info| info.trim_matches(['{', '}', ' ']));
        let numbers: Option<Vec<f64>> = info.and_then(|info| {
            let numbers = info.split(',').skip(1).take(6).map(|number| number.trim().parse::<f64>().ok());
            numbers.collect::<Option<_>>()
        });
        let affine = numbers.as_deref().and_then(|numbers| {
            let &[column, row, east, north, x, z] = numbers else { return None };
            let is_usable = numbers.iter().all(|number| number.is_finite()) && x > 0.0 && z > 0.0;
            let corner = [east - (column - 1.0) * x, north + (row - 1.0) * z];
            // In degrees clockwise, as GDAL reads it.
            let angle = info.and_then(|info| info_item(info, "rotation")).and_then(|text| text.parse().ok());
            let angle = angle.filter(|angle: &f64| angle.is_finite()).unwrap_or(0.0);
            // Exactly 0 and ±1 for a half turn, where sines of π would leave 10⁻¹⁶.
            let (sin, cos) = match angle.rem_euclid(360.0) {
                0.0 => (0.0, 1.0),
                180.0 => (0.0, -1.0),
                angle => (libm::sin(angle.to_radians()), libm::cos(angle.to_radians())),
            };
            is_usable.then_some(Affine {
                corner: Some(corner),
                along_row: [cos * x, sin * z],
                along_column: [sin * x, -cos * z],
            })
        });
        let text = find("coordinate system string").map(|text| text.trim_matches(['{', '}', ' ']));
        Ok(Self {
            columns: columns.map(|count| count as usize),
            rows: count("lines")?.map(|count| count as usize),
            sample,
            order,
            skip: count("header offset")?,
            pixel_bytes,
            row_bytes,
            bands: (bands as usize, band_bytes(&interleave, [columns, count("lines")?], bytes)),
            nodata: find("data ignore value").and_then(|text| nodata::parse(text).ok().flatten()),
            affine,
            system: text.and_then(System::of_text).or_else(|| info.and_then(envi_unit)),
        })
    }
}

/// The value of an item of a `map info` such as `units=Meters`.
fn info_item<'a>(info: &'a str, wanted: &str) -> Option<&'a str> {
    info.split(',').find_map(|part| {
        let (key, value) = part.split_once('=')?;
        key.trim().eq_ignore_ascii_case(wanted).then(|| value.trim())
    })
}

/// A system of which only the unit is known: by the `units=` of a `map info`, or by the projection it begins
/// with.
fn envi_unit(info: &str) -> Option<System> {
    let by_projection = || {
        let name = info.split(',').next()?.trim().to_ascii_lowercase();
        match name.as_str() {
            _ if name.starts_with("geographic") => Some(Plane::Degrees(1.0)),
            _ if name.starts_with("utm") => Some(Plane::Lengths(units::METRE)),
            _ => None,
        }
    };
    let by_unit = |unit: &str| {
        let lengths = || units::length_by_name(unit).map(Plane::Lengths);
        units::degrees_by_name(unit).map(Plane::Degrees).or_else(lengths)
    };
    let plane = info_item(info, "units").and_then(by_unit).or_else(by_projection)?;
    Some(System { plane: Some(plane), ..System::default() })
}

/// Cells of this size without a place.
fn without_place([x, z]: [f64; 2]) -> Affine {
    Affine { corner: None, along_row: [x, 0.0], along_column: [0.0, -z] }
}

/// Bytes from the first sample of a band to that of the next.
fn band_bytes(layout: &str, [columns, rows]: [Option<u64>; 2], bytes: u64) -> u64 {
    let (columns, rows) = (columns.unwrap_or(0), rows.unwrap_or(0));
    match layout.to_ascii_lowercase().as_str() {
        "bip" => bytes,
        "bsq" => columns.saturating_mul(rows).saturating_mul(bytes),
        _ => columns.saturating_mul(bytes),
    }
}

fn whole(key: &str, text: Option<&str>) -> Result<Option<u64>, String> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse().ok().filter(|number| *number <= MOST);
    number.map(Some).ok_or_else(|| format!("its .hdr has {key} `{text:.24}`; it must be a whole number"))
}

fn real(key: &str, text: Option<&str>) -> Result<Option<f64>, String> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.map(Some).ok_or_else(|| format!("its .hdr has {key} `{text:.24}`; it must be a number"))
}
