//! A TIFF read block by block: its header once, then any strip or tile, in any order, by several threads at
//! once. Strips that aren't compressed are read in pieces, so that one huge strip is no hindrance.
//!
//! Tiles without bytes (offset and length 0), which GDAL leaves out of sparse files, are holes where the file
//! names a NODATA value, and 0 elsewhere.

use std::path::Path;

use tiff::TiffError;
use tiff::decoder::{ChunkType, Decoder, DecodingResult};
use tiff::tags::{CompressionMethod, Tag};

use super::small::PixelKind;
use super::{
    Meaning, Picking, Scratch, TiffDecoder, check_shared, damaged, geo, incomplete, is_grey_16, jpeg, layout,
    lzw, planes,
};
use crate::elevation::formats::ReadOptions;
use crate::elevation::formats::channel::wanted;
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::source::{Input, Label};
use crate::elevation::raster::{CellSize, Origin};
use crate::error::{Error, Result};
use crate::files::{self, ReadAt};

/// The most bytes that a strip or tile may have, unpacked, or its heights.
pub(in crate::elevation) const LARGEST_BLOCK: u64 = 64 << 20;
/// Uncompressed strips are read in pieces of about this many bytes.
const PIECE: u64 = 1 << 20;
/// A strip or tile may always have this many bytes, packed; beyond, up to [`MOST_PACKED`] times what it is
/// unpacked.
const ALWAYS_PACKED: u64 = 16 << 20;
/// See [`ALWAYS_PACKED`].
const MOST_PACKED: u64 = 4;

/// What the header of a TIFF says, checked.
pub(in crate::elevation) struct TiffBlocks {
    /// Samples along x and z.
    pub(in crate::elevation) size: [usize; 2],
    pub(in crate::elevation) cell: CellSize,
    pub(in crate::elevation) origin: Option<Origin>,
    /// The number that marks a hole in the file.
    pub(in crate::elevation) nodata: Option<f32>,
    /// Pixels of a strip or tile; a strip is as wide as the image.
    chunk: [usize; 2],
    /// Rows of a block: those of a strip or tile, or of a piece of it.
    piece: usize,
    offsets: Vec<u64>,
    lengths: Vec<u64>,
    compression: u16,
    tables: Vec<u8>,
    pixels: PixelKind,
    planes: Vec<usize>,
    picking: Picking,
    meaning: Meaning,
}

/// Decoded heights in metres, NaN where there is a hole.
pub(in crate::elevation) enum Block {
    /// All are the same: the file has no bytes for them.
    Flat(f32),
    /// Row by row.
    Heights { width: usize, heights: Vec<f32> },
}

impl Block {
    /// Bytes that it takes.
    pub(in crate::elevation) fn bytes(&self) -> usize {
        match self {
            Self::Flat(_) => 0,
            Self::Heights { heights, .. } => 4 * heights.len(),
        }
    }
}

/// Why a TIFF isn't read block by block.
pub(in crate::elevation) enum Refused {
    /// It is damaged, or of a kind that isn't read at all.
    Unreadable(Error),
    /// Its strips or tiles are larger than [`LARGEST_BLOCK`].
    Blocks {
        /// Samples along x and z.
        size: [usize; 2],
        /// Says so.
        error: Error,
    },
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Unreadable(error)
    }
}

impl TiffBlocks {
    /// Reads the header.
    pub(in crate::elevation) fn open(
        path: &Path,
        bytes: &dyn ReadAt,
        options: &ReadOptions,
    ) -> Result<Self, Refused> {
        let label = Label { path, len: bytes.len() };
        let mut input = std::io::BufReader::new(files::Walker::new(bytes));
        guarded(path, || Ok(Self::read(label, &mut input, options)))?
    }

    fn read(label: Label, input: &mut dyn Input, options: &ReadOptions) -> Result<Self, Refused> {
        let failed = |error| damaged(label, error);
        let mut decoder: TiffDecoder = Decoder::new(input).map_err(failed)?;
        let (width, depth) = decoder.dimensions().map_err(failed)?;
        let size = [width as usize, depth as usize];
        let colour = decoder.colortype().map_err(failed)?;
        let layout = layout(label, colour)?;
        let planar = decoder.find_tag_unsigned::<u16>(Tag::PlanarConfiguration).map_err(failed)? == Some(2);
        let wanted = wanted(label, layout, options.channel)?;
        let pixels = PixelKind::find(&mut decoder, planar).map_err(failed)?;
        let compression =
            decoder.find_tag_unsigned::<u16>(Tag::Compression).map_err(failed)?.unwrap_or(lzw::NONE);
        check_compression(compression).map_err(failed)?;

        let chunk = decoder.chunk_dimensions();
        let chunk = [chunk.0 as usize, (chunk.1 as usize).min(size[1])];
        if chunk.contains(&0) {
            return Err(label.error("the TIFF is damaged (its strips or tiles are empty)").into());
        }
        let tiled = decoder.get_chunk_type() == ChunkType::Tile;
        // Stored, or as heights.
        let row_bytes = (pixels.bytes(chunk[0]) as u64).max(4 * chunk[0] as u64);
        let piece = match compression {
            lzw::NONE => (PIECE / row_bytes.max(1)).clamp(1, chunk[1] as u64) as usize,
            _ => chunk[1],
        };
        let block_bytes = row_bytes.saturating_mul(piece as u64);
        if block_bytes > LARGEST_BLOCK {
            let (is, most) = (files::amount(block_bytes), files::amount(LARGEST_BLOCK));
            let what = if tiled { "tiles" } else { "strips" };
            let reason = format!("its {what} have {is} each, and windows are read from at most {most}");
            let remedy = "write it in tiles of 256×256 samples";
            let error = label.error(format!("{reason}; {remedy}"));
            return Err(Refused::Blocks { size, error });
        }
        let (offsets, lengths) = match tiled {
            true => (Tag::TileOffsets, Tag::TileByteCounts),
            false => (Tag::StripOffsets, Tag::StripByteCounts),
        };
        let offsets = decoder.get_tag_u64_vec(offsets).map_err(failed)?;
        let lengths = decoder.get_tag_u64_vec(lengths).map_err(failed)?;
        let planes = planes(planar, wanted);
        let chunks = size[0].div_ceil(chunk[0]).saturating_mul(size[1].div_ceil(chunk[1]));
        let needed = planes.iter().max().map_or(0, |plane| (plane + 1).saturating_mul(chunks));
        if offsets.len() < needed || lengths.len() < needed {
            return Err(incomplete(label).into());
        }
        check_shared(label, &lengths, &planes, chunks)?;
        let tables = match compression {
            JPEG => decoder.find_tag(Tag::JPEGTables).map_err(failed)?,
            _ => None,
        };
        let tables = tables.map(|tables| tables.into_u8_vec()).transpose().map_err(failed)?;
        let is_grey_16 = is_grey_16(&mut decoder, colour).map_err(failed)?;
        let nodata = geo::nodata(&mut decoder).map_err(|error| error.named(label))?;
        let place = geo::read(&mut decoder, size[0], size[1]).map_err(|error| error.named(label))?;
        let stride = pixels.samples();
        Ok(Self {
            size,
            cell: place.cell,
            origin: place.origin,
            nodata,
            chunk,
            piece,
            offsets,
            lengths,
            compression,
            tables: tables.unwrap_or_default(),
            pixels,
            planes,
            picking: Picking::new(planar, wanted, stride),
            meaning: Meaning::new(nodata, is_grey_16, options, &place)?,
        })
    }

    /// Rows of samples after which a new row of strips or tiles begins.
    pub(in crate::elevation) fn band(&self) -> usize {
        self.chunk[1]
    }

    /// Bytes that decoding a block takes, at most.
    pub(in crate::elevation) fn working_bytes(&self) -> u64 {
        let pixels = self.chunk[0].saturating_mul(self.piece);
        let unpacked = self.pixels.bytes(pixels) as u64;
        // Packed and in its small TIFF, unpacked and decoded, and heights.
        (3 + self.planes.len() as u64) * unpacked + 4 * pixels as u64
    }

    /// The block that sample (column, row) lies in, and the sample that this block begins with.
    pub(in crate::elevation) fn block_of(&self, [column, row]: [usize; 2]) -> (BlockIndex, [usize; 2]) {
        let (across, down) = (column / self.chunk[0], row / self.chunk[1]);
        let piece = row % self.chunk[1] / self.piece;
        let first = [across * self.chunk[0], down * self.chunk[1] + piece * self.piece];
        (BlockIndex { across, down, piece }, first)
    }

    /// The samples of a block along x and z, from its first on, that lie within the image.
    pub(in crate::elevation) fn size_of(&self, index: BlockIndex) -> [usize; 2] {
        let BlockIndex { across, down, piece } = index;
        let first = [across * self.chunk[0], down * self.chunk[1] + piece * self.piece];
        let rows = self.piece.min(self.chunk[1] - piece * self.piece);
        [self.chunk[0].min(self.size[0] - first[0]), rows.min(self.size[1] - first[1])]
    }

    /// Reads and decodes a block.
    ///
    /// # Errors
    /// When the file has ended, its system fails to read it, or what it holds isn't valid.
    pub(in crate::elevation) fn read_block(
        &self,
        path: &Path,
        bytes: &dyn ReadAt,
        index: BlockIndex,
    ) -> Result<Block> {
        let label = Label { path, len: bytes.len() };
        let [columns, rows] = self.size_of(index);
        let (across, down) = (self.size[0].div_ceil(self.chunk[0]), self.size[1].div_ceil(self.chunk[1]));
        let mut decoded = Vec::with_capacity(self.planes.len());
        for plane in &self.planes {
            let chunk = plane * across * down + index.down * across + index.across;
            let place = self.offsets.get(chunk).zip(self.lengths.get(chunk));
            let (&offset, &length) = place.ok_or_else(|| incomplete(label))?;
            if (offset, length) == (0, 0) {
                let mut missing = [if self.nodata.is_some() { f32::NAN } else { 0.0 }];
                self.meaning.apply(&mut missing);
                return Ok(Block::Flat(missing[0]));
            }
            let packed = self.packed(label, bytes, (offset, length), (index.piece, rows))?;
            let samples = guarded(path, || self.decode(label, [self.chunk[0], rows], &packed))?;
            decoded.push(samples);
        }
        let mut heights = vec![0.0; columns * rows];
        let mut scratch = Scratch::default();
        for (row, out) in heights.chunks_exact_mut(columns).enumerate() {
            let picked = self.picking.row(&decoded, row * self.chunk[0], &mut scratch, out);
            picked.ok_or_else(|| incomplete(label))?;
        }
        self.meaning.apply(&mut heights);
        Ok(Block::Heights { width: columns, heights })
    }

    /// The packed bytes of a strip or tile; of a piece of `rows` rows if it isn't packed.
    fn packed(
        &self,
        label: Label,
        bytes: &dyn ReadAt,
        (offset, length): (u64, u64),
        (piece, rows): (usize, usize),
    ) -> Result<Vec<u8>> {
        let row_bytes = self.pixels.bytes(self.chunk[0]) as u64;
        let (offset, length) = match self.compression {
            // Lengths of what isn't packed are known, and other programs don't look at them either.
            lzw::NONE => {
                (offset.saturating_add((piece * self.piece) as u64 * row_bytes), rows as u64 * row_bytes)
            }
            // What is beyond the end may be of no use; JPEGs are invented where they are missing.
            JPEG => (offset, length),
            _ => (offset, length.min(label.len.saturating_sub(offset))),
        };
        let most = ALWAYS_PACKED.max(MOST_PACKED * row_bytes * self.chunk[1] as u64);
        if length > most {
            let (is, most) = (files::amount(length), files::amount(most));
            let reason = format!("the TIFF is damaged (a strip or tile of {is}; {most} would be much)");
            return Err(label.error(reason));
        }
        if length > label.len.saturating_sub(offset) {
            return Err(label.error("the file ends too early; it is cut short"));
        }
        let mut packed = vec![0; length as usize];
        bytes.read_exact_at(offset, &mut packed).map_err(|error| label.io_error(error))?;
        Ok(packed)
    }

    fn decode(&self, label: Label, size: [usize; 2], packed: &[u8]) -> Result<DecodingResult> {
        let decoded = match self.compression {
            lzw::LZW => lzw::decode(&self.pixels, size, packed),
            JPEG => {
                let most = self.chunk.map(|side| side.next_multiple_of(16));
                jpeg::check(label, &[&self.tables, packed].concat(), most.into())?;
                self.pixels.decode(size, JPEG, &self.tables, packed)
            }
            compression => self.pixels.decode(size, compression, &[], packed),
        };
        decoded.map_err(|error| damaged(label, error))
    }
}

/// A block of a TIFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::elevation) struct BlockIndex {
    /// The strip's or tile's number along x.
    pub(in crate::elevation) across: usize,
    /// Its number along z.
    pub(in crate::elevation) down: usize,
    /// The piece of it, from its first row.
    pub(in crate::elevation) piece: usize,
}

/// The number of this compression.
const JPEG: u16 = 7;

/// Refuses what would be refused for every block.
fn check_compression(compression: u16) -> Result<(), TiffError> {
    use CompressionMethod as Known;
    match CompressionMethod::from_u16_exhaustive(compression) {
        Known::None
        | Known::LZW
        | Known::Deflate
        | Known::OldDeflate
        | Known::PackBits
        | Known::ModernJPEG => Ok(()),
        other => {
            Err(TiffError::UnsupportedError(tiff::TiffUnsupportedError::UnsupportedCompressionMethod(other)))
        }
    }
}
