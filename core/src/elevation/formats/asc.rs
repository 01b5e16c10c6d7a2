//! ESRI ASCII grid: a few header lines, then the heights as text, north to south.
//!
//! ```text
//! ncols 3
//! nrows 2
//! xllcorner -84.41375      (or xllcenter)
//! yllcorner 36.7329166     (or yllcenter)
//! cellsize 0.00083333      (or dx and dy)
//! NODATA_value -9999       (may be left out: −9999)
//! 483 487 491
//! 471 480 -9999
//! ```
//!
//! The format does not give the unit of its coordinates: it follows from a `.prj` next to the file, or else
//! is guessed to be degrees or metres from the position of the grid. Commas and semicolons also separate
//! numbers.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::elevation::formats::companions::StatedPlace;
use crate::elevation::formats::format::{Format, Stored, WriteOptions};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::meaning::Band;
use crate::elevation::formats::nodata::{self, Nodata, Numbers};
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::source::{Input, ReaderOutput, Source};
use crate::elevation::map::{MapPlace, geographic};
use crate::elevation::raster::{CellSize, Origin, Raster};
use crate::error::{Error, Result};
use crate::grid::Grid;

pub(super) const FORMAT: Format = Format {
    name: "ESRI ASCII grid",
    extensions: &["asc"],
    about: "heights as text, with cell size and place",
    reader: Some(read),
    writer: Some(write),
};

/// The NODATA value when the header gives none.
const USUAL_NODATA: f64 = -9999.0;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let mut words = Words::new(&mut *source.input);
    let header = Header::read(label, &mut words)?;
    let Header { width, depth, .. } = header;
    let is_said = source.companions.band.nodata.is_some();
    let nodata = header.nodata.unwrap_or_else(|| (!is_said).then_some(USUAL_NODATA));
    let hole = nodata.map(|nodata| Nodata::of(nodata, Numbers::F32));
    Grid::new(width, depth, 1.0).map_err(|error| label.error(error.to_string()))?;

    let expected = width * depth;
    // A number and its separator take at least two bytes, so a header cannot ask for more memory than its
    // file justifies.
    let at_most = expected.min(label.len as usize / 2 + 1);
    label.require(width, depth, 4 * at_most as u64)?;
    let mut values = Vec::with_capacity(at_most);
    let mut found = 0usize;
    let mut first_extra_line = 0;
    while !words.word.is_empty() {
        if found < expected {
            let value = value(&words.word).ok_or_else(|| {
                let reason = format!("line {}: `{}` is not a number", words.line, words.shown());
                label.error(reason + "; heights are written like 12 or -3.5")
            })?;
            let is_hole = value.is_nan() || hole.is_some_and(|hole| hole.is(value.into()));
            if !is_hole && !value.is_finite() {
                return Err(label.error(format!("line {}: the height {value} is not finite", words.line)));
            }
            values.push(if is_hole { f32::NAN } else { value });
        } else if found == expected {
            first_extra_line = words.line;
        }
        found += 1;
        words.next().map_err(|error| label.io_error(error))?;
    }
    if found != expected {
        let reason = format!("its header promises {width}×{depth} = {expected} heights, but it has {found}");
        let place = if found < expected {
            format!("it ends at line {}", words.line)
        } else {
            format!("the extra ones begin on line {first_extra_line}")
        };
        return Err(label.error(format!("{reason}; {place}")));
    }
    source.companions.notes.extend(header.note);
    let band = Band { nodata, ..Band::default() };
    let found = ReaderOutput::new([width, depth], values, header.given);
    source.raster(ReaderOutput { band, numbers: Numbers::F32, ..found }, options)
}

struct Header {
    width: usize,
    depth: usize,
    given: StatedPlace,
    /// The number that marks holes; `Some(None)` where the header says that only NaN does.
    nodata: Option<Option<f64>>,
    note: Option<String>,
}

/// The fields of the header as written.
#[derive(Default)]
struct HeaderFields {
    columns: Option<f64>,
    rows: Option<f64>,
    west: Option<f64>,
    west_centre: Option<f64>,
    south: Option<f64>,
    south_centre: Option<f64>,
    cell: Option<f64>,
    x: Option<f64>,
    z: Option<f64>,
    nodata: Option<f64>,
}

impl Header {
    /// Reads up to the first line without a key, which is left in `words`.
    fn read(label: Label, words: &mut Words) -> Result<Self> {
        let failed = |error| label.io_error(error);
        let mut lines = HeaderFields::default();
        let mut no_nodata = None;
        words.next().map_err(failed)?;
        if words.word.starts_with(b"\xEF\xBB\xBF") {
            words.word.drain(..3);
        }
        while words.word.first().is_some_and(u8::is_ascii_alphabetic)
            && (value(&words.word).is_none() || lines.slot(&words.shown().to_ascii_lowercase()).is_some())
        {
            let line = words.line;
            let key = words.shown();
            let Some(slot) = lines.slot(&key.to_ascii_lowercase()) else {
                let reason =
                    format!("line {line}: `{key}` is not a key of an ASCII grid; the keys are ncols, nrows");
                let rest = "xllcorner, xllcenter, yllcorner, yllcenter, cellsize, dx, dy, NODATA_value";
                return Err(label.error(format!("{reason}, {rest}")));
            };
            words.next().map_err(failed)?;
            // The whole word: `shown` would cut it, and GDAL writes NODATA values of up to 26 letters.
            let text = String::from_utf8_lossy(&words.word).into_owned();
            // An unreadable NODATA value doesn't make the heights unreadable. NaN means "only NaN marks
            // holes".
            let is_nodata = key.to_ascii_lowercase().starts_with("nodata");
            let value = if is_nodata {
                nodata::parse(&text).map(|value| value.unwrap_or(f64::NAN)).or_else(|()| {
                    no_nodata = Some(format!("its {key} `{}` is not a number and is ignored", words.shown()));
                    Ok::<_, ()>(f64::NAN)
                })
            } else {
                text.parse().or_else(|_| text.replace(['d', 'D'], "e").parse()).map_err(|_| ())
            };
            let Ok(value) = value else {
                let reason = format!("line {line}: {key} needs a number, not `{}`", words.shown());
                return Err(label.error(reason));
            };
            if slot.replace(value).is_some() {
                return Err(label.error(format!("line {line}: {key} is given twice")));
            }
            words.next().map_err(failed)?;
        }
        let header = lines.header().map_err(|reason| label.error(reason))?;
        Ok(Self { note: no_nodata, ..header })
    }
}

impl HeaderFields {
    fn slot(&mut self, key: &str) -> Option<&mut Option<f64>> {
        Some(match key {
            "ncols" => &mut self.columns,
            "nrows" => &mut self.rows,
            "xllcorner" => &mut self.west,
            "xllcenter" => &mut self.west_centre,
            "yllcorner" => &mut self.south,
            "yllcenter" => &mut self.south_centre,
            "cellsize" => &mut self.cell,
            "dx" => &mut self.x,
            "dy" => &mut self.z,
            "nodata_value" | "nodata" => &mut self.nodata,
            _ => return None,
        })
    }

    fn header(&self) -> Result<Header, String> {
        let count = |key: &str, value: Option<f64>| match value {
            // Larger counts are refused below, with a message about memory.
            Some(value) if value >= 0.0 && value.fract() == 0.0 && value < 1e15 => Ok(value as usize),
            Some(value) => Err(format!("{key} is {value}; it must be a whole number above 0")),
            None => Err(format!("{key} is missing; this may not be an ASCII grid")),
        };
        let (width, depth) = (count("ncols", self.columns)?, count("nrows", self.rows)?);
        let size = |key: &str, value: Option<f64>| match value.or(self.cell) {
            Some(size) if size.is_finite() && size > 0.0 => Ok(size),
            Some(size) => Err(format!("{key} is {size}; it must be a number above 0")),
            None => Err("cellsize is missing; give it, or dx and dy".to_string()),
        };
        let (x, z) = (size("cellsize or dx", self.x)?, size("cellsize or dy", self.z)?);
        let edge = |key: &str, corner: Option<f64>, centre: Option<f64>, size: f64| {
            let edge = corner.or(centre.map(|centre| centre - size / 2.0));
            match edge {
                Some(edge) if edge.is_finite() => Ok(edge),
                Some(edge) => Err(format!("{key} is {edge}; it must be finite")),
                None => Err(format!("{key} is missing; give it, or the same of the centre")),
            }
        };
        let origin = Origin {
            west: edge("xllcorner", self.west, self.west_centre, x)?,
            south: edge("yllcorner", self.south, self.south_centre, z)?,
        };
        let given = StatedPlace::Numbers { x, z, origin };
        let nodata = self.nodata.map(|nodata| Some(nodata).filter(|nodata| !nodata.is_nan()));
        Ok(Header { width, depth, given, nodata, note: None })
    }
}

/// Splits a text into words, each with its line number. It never holds a whole line or an overlong word.
struct Words<'a> {
    input: &'a mut dyn Input,
    /// The current word; empty at the end of the file.
    word: Vec<u8>,
    /// The current line, from 1.
    line: usize,
}

impl<'a> Words<'a> {
    /// Longer words are cut here: numbers are never longer.
    const LONGEST: usize = 400;

    fn new(input: &'a mut dyn Input) -> Self {
        Self { input, word: Vec::new(), line: 1 }
    }

    fn next(&mut self) -> std::io::Result<()> {
        self.word.clear();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let mut start = 0;
            if self.word.is_empty() {
                while start < buffer.len() && is_separator(buffer[start]) {
                    self.line += usize::from(buffer[start] == b'\n');
                    start += 1;
                }
            }
            let mut end = start;
            while end < buffer.len() && !is_separator(buffer[end]) {
                end += 1;
            }
            let room = Self::LONGEST - self.word.len();
            self.word.extend_from_slice(&buffer[start..end.min(start + room)]);
            let ended = end < buffer.len() && !self.word.is_empty();
            self.input.consume(end);
            if ended || self.word.len() == Self::LONGEST {
                return Ok(());
            }
        }
    }

    /// The word for a message: its beginning, with control characters removed.
    fn shown(&self) -> String {
        let text: String = String::from_utf8_lossy(&self.word).chars().take(24).collect();
        text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
    }
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | 0x0b)
}

/// The height that a word stands for; NaN for a hole in any spelling.
fn value(word: &[u8]) -> Option<f32> {
    if let Some(value) = number(word) {
        return Some(value);
    }
    if nodata::is_nan_word(word) {
        return Some(f32::NAN);
    }
    let text = std::str::from_utf8(word).ok()?;
    // Fortran writes 1.5D+02.
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'd' | 'D');
    text.chars().all(is_plain).then(|| text.replace(['d', 'D'], "e").parse().ok()).flatten()
}

/// Parses a number, with a fast path for integers, which most elevation models hold.
fn number(word: &[u8]) -> Option<f32> {
    let (sign, digits) = match word {
        [b'-', digits @ ..] => (-1.0, digits),
        digits => (1.0, digits),
    };
    if (1..=7).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let whole = digits.iter().fold(0u32, |whole, digit| whole * 10 + u32::from(digit - b'0'));
        return Some(sign * whole as f32);
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    _options: &WriteOptions,
) -> Result<Stored> {
    write_text(file, raster).map_err(|error| Error::io(path, "write", error))?;
    Ok(Stored::AsTheyAre)
}

fn write_text(file: &mut impl Write, raster: &Raster) -> std::io::Result<()> {
    let (width, depth) = (raster.width(), raster.depth());
    let ([x, z], place) = numbers(raster);
    writeln!(file, "ncols {width}\nnrows {depth}\nxllcorner {}\nyllcorner {}", place.west, place.south)?;
    if x == z {
        writeln!(file, "cellsize {x}")?;
    } else {
        writeln!(file, "dx {x}\ndy {z}")?;
    }
    writeln!(file, "NODATA_value {}", unused(raster.values()))?;
    for row in raster.values().chunks(width) {
        for (column, value) in row.iter().enumerate() {
            let separator = if column == 0 { "" } else { " " };
            write!(file, "{separator}{value}")?;
        }
        writeln!(file)?;
    }
    Ok(())
}

/// Cell sizes and the south-western corner. They are in the map's units if a file next to this one will name
/// the map.
fn numbers(raster: &Raster) -> ([f64; 2], Origin) {
    let place = raster.place();
    let on_map =
        place.and_then(|place| place.definition().and_then(|_| Some((place.cell()?, place.origin()?))));
    if let Some(on_map) = on_map {
        return on_map;
    }
    let (width, depth, cell) = (raster.width(), raster.depth(), raster.cell());
    // The format requires a size; unknown ones are written as 1.
    let size = match cell {
        CellSize::Unknown => [1.0, 1.0],
        CellSize::Metres { x, z } | CellSize::Degrees { x, z, .. } => [x, z],
    };
    let own = place.filter(|place| place.definition().is_none()).and_then(MapPlace::origin);
    (size, own.unwrap_or(geographic::place_for(cell, width, depth)))
}

/// A NODATA value that is not close to one of `values`: the format requires one, although there are no holes.
fn unused(values: &[f32]) -> f32 {
    let mut candidates = [USUAL_NODATA as f32, -32768.0, -99999.0, f32::MIN].into_iter();
    let is_height = |candidate: f32| {
        let nodata = Nodata::of(f64::from(candidate), Numbers::F32);
        values.iter().any(|value| nodata.is(f64::from(*value)))
    };
    candidates.find(|candidate| !is_height(*candidate)).unwrap_or(f32::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_standard_library_reads_them() {
        for word in
            ["0", "-0", "7", "-12", "1234567", "12345678", "+5", "1e3", "-3.25", ".5", "nan", "x", "-", ""]
        {
            let expected = word.parse::<f32>().ok().map(f32::to_bits);
            assert_eq!(number(word.as_bytes()).map(f32::to_bits), expected, "{word}");
        }
    }

    #[test]
    fn the_number_for_holes_differs_from_all_heights() {
        assert_eq!(unused(&[1.0]), -9999.0);
        assert_eq!(unused(&[-9999.0]), -32768.0);
        assert!(unused(&[-9999.0, -32768.0, -99999.0, f32::MIN]).is_nan());
    }
}
