//! The tags of TIFF 6.0 that say where the pixels are, those that GDAL added, and the values of tags that are
//! written.

pub(in crate::elevation::formats) const SUBFILE: u16 = 254;
pub(in crate::elevation::formats) const WIDTH: u16 = 256;
pub(in crate::elevation::formats) const DEPTH: u16 = 257;
pub(in crate::elevation::formats) const BITS: u16 = 258;
pub(in crate::elevation::formats) const COMPRESSION: u16 = 259;
pub(in crate::elevation::formats) const PHOTOMETRIC: u16 = 262;
pub(in crate::elevation::formats) const FILL_ORDER: u16 = 266;
pub(in crate::elevation::formats) const STRIP_OFFSETS: u16 = 273;
pub(in crate::elevation::formats) const ORIENTATION: u16 = 274;
pub(in crate::elevation::formats) const SAMPLES: u16 = 277;
pub(in crate::elevation::formats) const ROWS_PER_STRIP: u16 = 278;
pub(in crate::elevation::formats) const STRIP_LENGTHS: u16 = 279;
pub(in crate::elevation::formats) const PLANAR: u16 = 284;
pub(in crate::elevation::formats) const PREDICTOR: u16 = 317;
pub(in crate::elevation::formats) const TILE_WIDTH: u16 = 322;
pub(in crate::elevation::formats) const TILE_DEPTH: u16 = 323;
pub(in crate::elevation::formats) const TILE_OFFSETS: u16 = 324;
pub(in crate::elevation::formats) const TILE_LENGTHS: u16 = 325;
pub(in crate::elevation::formats) const EXTRA_SAMPLES: u16 = 338;
pub(in crate::elevation::formats) const SAMPLE_FORMAT: u16 = 339;
pub(in crate::elevation::formats) const JPEG_TABLES: u16 = 347;

/// GDAL's metadata, as XML.
pub(in crate::elevation::formats) const METADATA: u16 = 42_112;
/// GDAL's NODATA value, as text.
pub(in crate::elevation::formats) const NODATA: u16 = 42_113;

/// The bit of `SUBFILE` that says that an image is a smaller copy of another.
pub(in crate::elevation::formats) const REDUCED: u64 = 1;
/// The bit of `SUBFILE` that says that an image is a mask.
pub(in crate::elevation::formats) const MASK: u64 = 4;

/// The values of a tag.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::elevation::formats) enum TagValues {
    /// Unsigned numbers of 16 bits.
    Shorts(Vec<u16>),
    /// Unsigned numbers of 32 bits.
    Longs(Vec<u32>),
    /// Offsets in the file: 32 bits in a plain TIFF, 64 bits in a BigTIFF.
    Offsets(Vec<u64>),
    /// Floats of 64 bits.
    Floats(Vec<f64>),
    /// A text without NUL, which is appended when it is written.
    Text(String),
}
