//! Raw 16-bit heights, little-endian, without a header, as engines and terrain tools exchange them.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use crate::elevation::formats::sixteen_bit::Quantization;
use crate::elevation::formats::source::{Label, Source};
use crate::elevation::formats::{Format, ReadOptions, Stored, WriteOptions, sixteen_bit};
use crate::elevation::raster::{CellSize, Raster};
use crate::error::{Error, Result};

pub(super) const FORMAT: Format = Format {
    name: "raw 16-bit",
    extensions: &["r16", "raw"],
    about: "unsigned 16-bit numbers, little-endian, square unless a size is given",
    reader: Some(read),
    writer: Some(write),
};

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let (width, depth) = asked_size(label, options)?;
    label.check_size(width, depth, 16)?;
    check(label, (width, depth), options)?;
    label.require(width, depth, 4 * width as u64 * depth as u64)?;
    let mut values = Vec::with_capacity(width * depth);
    let mut row = vec![0; 2 * width];
    for _ in 0..depth {
        source.input.read_exact(&mut row).map_err(|error| label.io_error(error))?;
        values.extend(row.chunks_exact(2).map(|bytes| f32::from(u16::from_le_bytes([bytes[0], bytes[1]]))));
    }
    if let Some(range) = options.range {
        values.iter_mut().for_each(|value| *value = sixteen_bit::height_from_step(*value, range));
    }
    label.named(Raster::new(width, depth, values, CellSize::Unknown))
}

/// Columns and rows: those asked for, or those of a square.
fn asked_size(label: Label, options: &ReadOptions) -> Result<(usize, usize)> {
    options.size.map_or_else(|| square_side(label), Ok)
}

/// Checks that the file has as many bytes as this size needs, and that the range is one.
fn check(label: Label, (width, depth): (usize, usize), options: &ReadOptions) -> Result<()> {
    let expected = (2 * width as u128).saturating_mul(depth as u128);
    if u128::from(label.len) != expected {
        let len = label.len;
        let reason = format!("{width}×{depth} samples of 16 bits are {expected} bytes, but it has {len}");
        return Err(label.error(reason + "; give the size it has"));
    }
    if let Some((low, high)) = options.range {
        sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
    }
    Ok(())
}

/// Columns and rows of a file of `len` bytes that isn't read as a whole, at least 1 each.
///
/// # Errors
/// As [`FORMAT`]'s reader, except for what is too large to hold.
pub(in crate::elevation) fn size(path: &Path, len: u64, options: &ReadOptions) -> Result<[usize; 2]> {
    let label = Label { path, len };
    let (width, depth) = asked_size(label, options)?;
    if width == 0 || depth == 0 {
        return Err(label.error(format!("{width}×{depth} samples hold nothing; each side needs at least 1")));
    }
    check(label, (width, depth), options)?;
    Ok([width, depth])
}

/// The height of a stored number.
pub(in crate::elevation) fn height(number: u16, range: Option<(f32, f32)>) -> f32 {
    let number = f32::from(number);
    range.map_or(number, |range| sixteen_bit::height_from_step(number, range))
}

fn square_side(label: Label) -> Result<(usize, usize)> {
    let samples = label.len / 2;
    let side = samples.isqrt();
    if label.len == 0 || label.len % 2 == 1 || side * side != samples {
        let len = label.len;
        let reason = format!(
            "{len} bytes are not a square of 16-bit samples; give its size: `upland convert FILE --size WIDTHxDEPTH -o \
             OTHER.tif` makes a file of it that says its own"
        );
        return Err(label.error(reason));
    }
    Ok((side as usize, side as usize))
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
