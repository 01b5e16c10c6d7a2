//! The tags of TIFF 6.0 that say where the pixels are.

pub(super) const SUBFILE: u16 = 254;
pub(super) const WIDTH: u16 = 256;
pub(super) const DEPTH: u16 = 257;
pub(super) const BITS: u16 = 258;
pub(super) const COMPRESSION: u16 = 259;
pub(super) const PHOTOMETRIC: u16 = 262;
pub(super) const FILL_ORDER: u16 = 266;
pub(super) const STRIP_OFFSETS: u16 = 273;
pub(super) const ORIENTATION: u16 = 274;
pub(super) const SAMPLES: u16 = 277;
pub(super) const ROWS_PER_STRIP: u16 = 278;
pub(super) const STRIP_LENGTHS: u16 = 279;
pub(super) const PLANAR: u16 = 284;
pub(super) const PREDICTOR: u16 = 317;
pub(super) const TILE_WIDTH: u16 = 322;
pub(super) const TILE_DEPTH: u16 = 323;
pub(super) const TILE_OFFSETS: u16 = 324;
pub(super) const TILE_LENGTHS: u16 = 325;
pub(super) const EXTRA_SAMPLES: u16 = 338;
pub(super) const SAMPLE_FORMAT: u16 = 339;
pub(super) const JPEG_TABLES: u16 = 347;

/// The bit of `SUBFILE` that says that an image is a mask.
pub(super) const MASK: u64 = 4;
