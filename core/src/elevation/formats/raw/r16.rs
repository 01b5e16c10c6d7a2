//! Raw numbers without a header, as engines and terrain tools exchange them: 16-bit, unsigned and
//! little-endian unless [`RawLayout`](crate::formats::RawLayout) or a `.hdr` next to the file says otherwise.

use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::elevation::formats::channel::HeightChannel;
use crate::elevation::formats::companions::{Companions, Ground, StatedPlace};
use crate::elevation::formats::format::{Format, Stored, WriteOptions};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::meaning::{Band, Meaning};
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::raw::raw_header::RawHeader;
use crate::elevation::formats::raw::raw_layout::{ByteOrder, SampleType};
use crate::elevation::formats::sixteen_bit;
use crate::elevation::formats::sixteen_bit::Quantization;
use crate::elevation::formats::source::Source;
use crate::elevation::map::Turn;
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::ReadAt;

pub(in crate::elevation::formats) const FORMAT: Format = Format {
    name: "raw 16-bit",
    extensions: &["r16", "raw"],
    about: "unsigned 16-bit numbers, little-endian, square unless a size is given",
    reader: Some(read),
    writer: Some(write),
};

/// Where the numbers of a file lie, and what they mean.
#[derive(Clone, Debug)]
pub(in crate::elevation) struct Layout {
    /// Columns and rows of the file, at least 1 each when it comes from [`of`](Self::of).
    pub(in crate::elevation) size: [usize; 2],
    sample: SampleType,
    order: ByteOrder,
    is_order_given: bool,
    skip: u64,
    /// Bytes from one number to the next, and from one row to the next.
    strides: [u64; 2],
    meaning: Meaning,
    /// Where the land lies, and how its rows and columns lie in the file.
    pub(in crate::elevation) ground: Ground,
}

impl Layout {
    /// The layout of a file of `len` bytes that isn't read as a whole.
    ///
    /// # Errors
    /// As [`FORMAT`]'s reader, except that sizes beyond memory are accepted.
    pub(in crate::elevation) fn of(
        path: &Path,
        len: u64,
        options: &ReadOptions,
        companions: &mut Companions,
    ) -> Result<Self> {
        let label = Label { path, len };
        let layout = Self::resolved(label, options, companions)?;
        let [width, depth] = layout.size;
        if width == 0 || depth == 0 {
            let reason = format!("{width}×{depth} samples hold nothing; each side needs at least 1");
            return Err(label.error(reason));
        }
        layout.check(label, companions.header().is_some())?;
        Ok(layout)
    }

    /// The layout by the options, a `.hdr` and the length of the file.
    fn resolved(label: Label, options: &ReadOptions, companions: &mut Companions) -> Result<Self> {
        let is_float = label.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("flt"));
        let header = companions.header().map(|text| RawHeader::read(text, is_float)).transpose();
        let header = header.map_err(|reason| label.error(reason))?.unwrap_or_default();
        let raw = options.raw;
        let usual = if is_float { SampleType::F32 } else { SampleType::U16 };
        let sample = raw.sample.or(header.sample).or_else(|| by_length(label, &header, raw.skip, is_float));
        let sample = sample.unwrap_or(usual);
        let order = raw.order.or(header.order);
        let band = match options.channel {
            HeightChannel::Named(name) => name.band(header.bands.0.max(1)).ok_or_else(|| {
                let (name, count) = (name.as_str(), header.bands.0.max(1));
                label.error(format!("it has no band `{name}`; its bands are numbered from 1 to {count}"))
            })?,
            _ => 0,
        };
        if header.bands.0 > 1 && matches!(options.channel, HeightChannel::Auto | HeightChannel::Luma) {
            companions.notes.push(format!(
                "the first of its {} bands is read as height; give the channel by its number to read another",
                header.bands.0
            ));
        }
        let of_band = (band as u64).saturating_mul(header.bands.1);
        let skip = raw.skip.or(header.skip).unwrap_or(0).saturating_add(of_band);
        let of_header = header.columns.zip(header.rows);
        let (width, depth) = match options.size.or(of_header) {
            Some(size) => size,
            None => square_side(label, sample, skip)?,
        };
        let mut strides = [sample.bytes(), (width as u64).saturating_mul(sample.bytes())];
        // Strides of the header hold for its own size and type alone.
        if of_header == Some((width, depth)) && header.sample.is_none_or(|of_header| of_header == sample) {
            strides[0] = header.pixel_bytes.unwrap_or(strides[0]);
            strides[1] = header.row_bytes.unwrap_or(strides[1]);
        }
        companions.choose_band(band);
        let given = StatedPlace::Somewhere { affine: header.affine, system: header.system };
        let (mut ground, up) = companions.ground([width, depth], given, options);
        // Options or a header that say that the first row is the southern one are trusted: the land keeps its
        // place.
        let [columns, rows] = &mut ground.turn.backwards;
        (*columns, *rows) = (*columns || raw.flip_columns, *rows || raw.flip_rows);
        let band = companions.band.or(Band { nodata: header.nodata, ..Band::default() });
        let meaning = match (options.range, sample.range()) {
            (None, _) => {
                Meaning::of(band, sample.numbers(), (up, options.height_unit), &mut companions.notes)
            }
            (Some((low, high)), Some((least, most))) => {
                sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
                Meaning::of_range(band, (low, high), [least, most])
            }
            (Some(_), None) => {
                let reason = format!(
                    "is for whole numbers, and those of the file are {}, which are heights; leave it out",
                    sample.name()
                );
                return Err(Error::parameter("range", reason));
            }
        };
        Ok(Self {
            size: [width, depth],
            sample,
            order: order.unwrap_or(ByteOrder::Little),
            is_order_given: order.is_some() || sample == SampleType::U8,
            skip,
            strides,
            meaning,
            ground,
        })
    }

    /// How the rows and columns of the land lie in the file.
    pub(in crate::elevation) fn turn(&self) -> Turn {
        self.ground.turn
    }

    /// Checks that the file has the bytes that this needs.
    fn check(&self, label: Label, has_header: bool) -> Result<()> {
        // In u128, where products of sizes from a file can't overflow.
        let [width, depth] = self.size.map(|side| side as u128);
        let (bytes, [pixel, row]) = (u128::from(self.sample.bytes()), self.strides.map(u128::from));
        let needed = width.saturating_sub(1).saturating_mul(pixel).saturating_add(bytes);
        if has_header && (pixel < bytes || row < needed) {
            let reason = format!("its .hdr has rows of {row} bytes, too few for {width} samples; correct it");
            return Err(label.error(reason));
        }
        let skip = u128::from(self.skip);
        let last = depth.saturating_sub(1).saturating_mul(row);
        let end = last.saturating_add((width.saturating_sub(1)).saturating_mul(pixel)).saturating_add(bytes);
        let (is_right, expected) = if has_header {
            (u128::from(label.len) >= end.saturating_add(skip), end)
        } else {
            let expected = width.saturating_mul(depth).saturating_mul(bytes);
            (u128::from(label.len) == expected.saturating_add(skip), expected)
        };
        if is_right {
            return Ok(());
        }
        let (len, bits) = (label.len, 8 * bytes);
        let behind = if self.skip > 0 { format!(" after {skip} that are skipped") } else { String::new() };
        let reason =
            format!("{width}×{depth} samples of {bits} bits are {expected} bytes{behind}, but it has {len}");
        Err(label.error(format!("{reason}; give the size it has{}", hint(label, self.sample))))
    }

    /// The offset of the number of a column and row of the file.
    pub(in crate::elevation) fn place(&self, column: usize, row: usize) -> u64 {
        self.skip + column as u64 * self.strides[0] + row as u64 * self.strides[1]
    }

    /// Bytes of a number.
    pub(in crate::elevation) fn bytes(&self) -> usize {
        self.sample.bytes() as usize
    }

    /// Bytes from the beginning of the first number of a row to that of the second.
    pub(in crate::elevation) fn pixel_bytes(&self) -> usize {
        self.strides[0] as usize
    }

    /// The height of the number at the beginning of these bytes; NaN where there is a hole.
    pub(in crate::elevation) fn height(&self, bytes: &[u8]) -> f32 {
        self.meaning.height(self.sample.number(bytes, self.order))
    }

    /// A note when the bytes of these rows would be far smoother in the other byte order.
    fn order_note(&self, rows: &[Vec<u8>]) -> Option<String> {
        if self.is_order_given {
            return None;
        }
        // Steps between neighbours in standard deviations: read in the wrong order, land looks like noise,
        // whose steps are large.
        let rough = |order: ByteOrder| {
            let (mut count, mut sum, mut squares, mut steps) = (0.0, 0.0, 0.0, 0.0);
            for row in rows {
                let mut last = None;
                for bytes in row.chunks(self.pixel_bytes().max(1)) {
                    let number = self.sample.number(bytes, order);
                    if !number.is_finite() || number.abs() > 1e30 {
                        return f64::INFINITY;
                    }
                    steps += last.map_or(0.0, |last: f64| (number - last).abs());
                    last = Some(number);
                    count += 1.0;
                    sum += number;
                    squares += number * number;
                }
            }
            let variance: f64 = squares / count - (sum / count) * (sum / count);
            if variance > 1e-9 { steps / count / variance.sqrt() } else { f64::INFINITY }
        };
        let (as_read, other) = (rough(ByteOrder::Little), rough(ByteOrder::Big));
        (other * 4.0 < as_read).then(|| {
            "its numbers are read with the lowest byte first, but are far smoother with the highest first; \
             if this land is noise, give the byte order: --byte-order big"
                .to_owned()
        })
    }
}

impl Layout {
    /// As [`order_note`](Self::order_note), for a file that isn't read as a whole.
    pub(in crate::elevation) fn order_note_of(&self, bytes: &dyn ReadAt) -> Option<String> {
        if self.is_order_given {
            return None;
        }
        let [width, depth] = self.size;
        // The first 1,024 samples of 64 rows tell land from noise.
        let row_bytes = (width.min(1024) - 1).saturating_mul(self.pixel_bytes()).saturating_add(self.bytes());
        if row_bytes > 1 << 20 {
            return None;
        }
        let rows = (0..depth).step_by(depth.div_ceil(LOOKED_AT)).map(|row| {
            let mut read = vec![0; row_bytes];
            // Bytes that cannot be read are reported where they are needed.
            bytes.read_exact_at(self.place(0, row), &mut read).ok().map(|()| read)
        });
        self.order_note(&rows.collect::<Option<Vec<_>>>()?)
    }
}

/// The type of the numbers where a `.hdr` gives their count but not their bits, by GDAL's rule.
fn by_length(label: Label, header: &RawHeader, skip: Option<u64>, is_float: bool) -> Option<SampleType> {
    let (columns, rows) = header.columns.zip(header.rows).filter(|_| header.bands.0 <= 1)?;
    let count = (columns as u64).checked_mul(rows as u64).filter(|count| *count > 0)?;
    let bytes = label.len.saturating_sub(skip.or(header.skip).unwrap_or(0));
    if bytes.is_multiple_of(count) { SampleType::of(8 * (bytes / count), "", is_float) } else { None }
}

/// The most rows that are compared to find the byte order.
const LOOKED_AT: usize = 64;

pub(in crate::elevation::formats) fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let layout = Layout::resolved(label, options, &mut source.companions)?;
    let [width, depth] = layout.size;
    label.check_size(width, depth, 8 * layout.bytes())?;
    layout.check(label, source.companions.header().is_some())?;
    label.require(width, depth, 4 * width as u64 * depth as u64)?;
    let mut values = Vec::with_capacity(width * depth);
    let row_bytes = (width - 1) * layout.pixel_bytes() + layout.bytes();
    let mut looked_at = Vec::new();
    let mut at = None;
    for row in 0..depth {
        let start = layout.place(0, row);
        // Rows mostly follow each other; seeking would empty the buffer.
        if at != Some(start) {
            source.input.seek(SeekFrom::Start(start)).map_err(|error| label.io_error(error))?;
        }
        let mut bytes = vec![0; row_bytes];
        source.input.read_exact(&mut bytes).map_err(|error| label.io_error(error))?;
        at = Some(start + row_bytes as u64);
        values.extend(bytes.chunks(layout.pixel_bytes().max(1)).map(|number| layout.height(number)));
        if row % depth.div_ceil(LOOKED_AT) == 0 {
            bytes.truncate(1024 * layout.pixel_bytes());
            looked_at.push(bytes);
        }
    }
    let note = layout.order_note(&looked_at);
    let turn = layout.turn();
    let values = turn.undone([width, depth], values);
    let [width, depth] = turn.land_size([width, depth]);
    let raster = label.named(Raster::with_holes(width, depth, values, layout.ground.cell))?;
    let notes = std::mem::take(&mut source.companions.notes);
    Ok(raster.with_place(layout.ground.place).with_notes(notes).with_notes(note))
}

fn square_side(label: Label, sample: SampleType, skip: u64) -> Result<(usize, usize)> {
    let bytes = sample.bytes();
    let len = label.len.saturating_sub(skip);
    let samples = len / bytes;
    let side = samples.isqrt();
    if len == 0 || !len.is_multiple_of(bytes) || side * side != samples {
        let behind = if skip > 0 { format!(" after {skip} that are skipped") } else { String::new() };
        let bits = 8 * bytes;
        let reason = format!("{len} bytes{behind} are not a square of {bits}-bit samples; give its size");
        return Err(label.error(reason + &hint(label, sample)));
    }
    Ok((side as usize, side as usize))
}

/// Options with which the file can be read, though perhaps wrongly: as the rectangle nearest to a square that
/// its numbers fill, or as a square after the surplus bytes.
fn hint(label: Label, sample: SampleType) -> String {
    let (len, bytes) = (label.len, sample.bytes());
    let samples = len / bytes;
    let side = samples.isqrt();
    if side == 0 {
        return String::new();
    }
    let longest = side.saturating_mul(8);
    // Files of more than 2^40 bytes are not read, so this loop is short.
    let depth =
        (1..=side).rev().take(1 << 20).find(|depth| samples % depth == 0 && samples / depth <= longest);
    let arguments = match depth.filter(|_| len % bytes == 0) {
        Some(depth) => format!("--size {}x{depth}", samples / depth),
        None => format!("--skip {} --size {side}x{side}", len - side * side * bytes),
    };
    let name = label.path.to_string_lossy();
    let is_plain =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-' | '/' | '\\' | ':');
    let name = if name.chars().all(is_plain) { name.into_owned() } else { format!("\"{name}\"") };
    format!(
        ", and --sample, --byte-order and --skip if need be: `upland convert {name} OTHER.tif {arguments}`, for example, \
         makes a file of it that says its own"
    )
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    options: &WriteOptions,
) -> Result<Stored> {
    let steps = Quantization::fitting(raster, options.range).map_err(|reason| Error::file(path, reason))?;
    for row in raster.values().chunks(raster.width()) {
        let bytes: Vec<u8> = steps.of(row).flat_map(u16::to_le_bytes).collect();
        file.write_all(&bytes).map_err(|error| Error::io(path, "write", error))?;
    }
    Ok(Stored::in_16_bits(steps.range, false))
}
