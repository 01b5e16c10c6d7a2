//! TIFF and GeoTIFF: reads integers of 8 to 64 bits, signed and unsigned, and floats of 16 to 64 bits, in
//! strips or tiles, in either byte order, compressed by deflate, LZW, ZSTD, PackBits or JPEG, with
//! predictors. Writes deflated 32-bit floats. NaN, GDAL's NODATA value, masks and alpha channels mark holes.
//!
//! Whole files are read block by block, like windows. The header is read here (`directory.rs`); of the crate
//! `tiff` only the decoders of single strips and tiles are used (`small.rs`).

mod band;
pub(in crate::elevation) mod blocks;
mod chunks;
mod directory;
mod error;
pub(in crate::elevation::formats) mod geo;
mod jpeg;
mod kind;
mod lzw;
mod mask;
mod small;
pub(in crate::elevation::formats) mod tag;
mod zstd;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use tiff::TiffError;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind, colortype};

use crate::compute::work::Work;
use crate::elevation::formats::cog;
use crate::elevation::formats::format::{Format, Stored, WriteOptions};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::source::Source;
use crate::elevation::raster::Raster;
use crate::error::{Error, Result};
use crate::files::{FileAt, FileKind, ReadAt};
use blocks::TiffBlocks;

pub(super) const FORMAT: Format = Format {
    name: "TIFF",
    extensions: &["tif", "tiff"],
    about: "GeoTIFF too, whole numbers and floats; written as GeoTIFF, 32-bit floats with cell size and place",
    reader: Some(read),
    writer: Some(write),
};

/// Beyond this many bytes of heights, offsets need 64 bits (BigTIFF).
const LARGEST_PLAIN: usize = 3 << 30;

fn read(source: &mut Source, options: &ReadOptions) -> Result<Raster> {
    let label = source.label;
    let bytes: Box<dyn ReadAt + '_> = match source.memory {
        Some(bytes) => Box::new(bytes),
        None => Box::new(FileAt::open(label.path, FileKind::Elevation)?),
    };
    let label = Label { len: bytes.len(), ..label };
    let companions = std::mem::take(&mut source.companions);
    let blocks = TiffBlocks::open_whole(label, &*bytes, companions, options)?;
    let values = blocks.read_all(label, &*bytes)?;
    let [width, depth] = blocks.land_size();
    let raster = label.named(Raster::with_holes(width, depth, values, blocks.ground.cell))?;
    Ok(raster.with_place(blocks.ground.place).with_notes(blocks.notes))
}

fn write(
    path: &Path,
    file: &mut BufWriter<&mut File>,
    raster: &Raster,
    options: &WriteOptions,
) -> Result<Stored> {
    if options.cog {
        let bytes = cog::encode_raster(raster, &Work::new())?;
        file.write_all(&bytes).map_err(|error| Error::io(path, "write", error))?;
        return Ok(Stored::AsTheyAre);
    }
    let result = if raster.values().len() * 4 < LARGEST_PLAIN {
        TiffEncoder::new(file).and_then(|encoder| encode(encoder, raster))
    } else {
        TiffEncoder::new_big(file).and_then(|encoder| encode(encoder, raster))
    };
    result.map_err(|error| match error {
        TiffError::IoError(error) => Error::io(path, "write", error),
        error => Error::file(path, format!("cannot be written as TIFF ({error})")),
    })?;
    Ok(Stored::AsTheyAre)
}

fn encode<W: std::io::Write + std::io::Seek, K: TiffKind>(
    encoder: TiffEncoder<W, K>,
    raster: &Raster,
) -> Result<(), TiffError> {
    // Higher levels take three times as long and save a few percent: noise hardly compresses.
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let (width, depth) = (raster.width() as u32, raster.depth() as u32);
    let mut image = encoder.new_image::<colortype::Gray32Float>(width, depth)?;
    geo::write(image.encoder(), raster)?;
    image.write_data(raster.values())
}
