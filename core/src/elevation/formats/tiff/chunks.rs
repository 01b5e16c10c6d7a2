//! The strips or tiles of one image of a TIFF: where they lie, how they are packed, and their content.

use tiff::decoder::DecodingResult;

use super::directory::Directory;
use super::error::{CONVERT, cut_short, damaged, incomplete};
use super::small::{LARGEST, PixelKind};
use super::{jpeg, lzw, tag, zstd};
use crate::elevation::formats::guard::guarded;
use crate::elevation::formats::label::Label;
use crate::error::{Error, Result};
use crate::files::{self, ReadAt};

/// Uncompressed strips are read in pieces of about this many bytes.
const PIECE: u64 = 1 << 20;
/// A strip or tile may always have this many packed bytes; beyond that, up to [`MOST_PACKED`] times its
/// unpacked bytes.
const ALWAYS_PACKED: u64 = 16 << 20;
/// See [`ALWAYS_PACKED`].
const MOST_PACKED: u64 = 4;

const JPEG: u16 = 7;
const PACK_BITS: u16 = 32_773;

/// See the module.
pub(super) struct Chunks {
    /// Pixels along x and z.
    pub(super) size: [usize; 2],
    /// Pixels of a strip or tile; a strip is as wide as the image.
    pub(super) chunk: [usize; 2],
    /// Rows of a block: those of a strip or tile, or of a piece of it.
    pub(super) piece: usize,
    pub(super) tiled: bool,
    pub(super) pixels: PixelKind,
    offsets: Vec<u64>,
    /// Bytes, packed.
    lengths: Vec<u64>,
    compression: u16,
    tables: Vec<u8>,
    /// Whether the bits of each byte are stored from the lowest on.
    reversed: bool,
}

impl Chunks {
    /// How an image of this size is divided.
    ///
    /// # Errors
    /// When its compression isn't supported, or its strips or tiles are empty.
    pub(super) fn shape(
        label: Label,
        directory: &Directory,
        size: [usize; 2],
        mut pixels: PixelKind,
    ) -> Result<Self> {
        let compression = directory.first(tag::COMPRESSION)?.unwrap_or(1);
        let compression = check_compression(label, compression)?;
        if matches!(compression, lzw::NONE | PACK_BITS | JPEG) {
            // These compressions have no predictor, and other programs ignore the tag, too.
            pixels.predictor = 1;
        }
        let tiled = directory.has(tag::TILE_WIDTH);
        let chunk = if tiled {
            [directory.first(tag::TILE_WIDTH)?, directory.first(tag::TILE_DEPTH)?]
                .map(Option::unwrap_or_default)
        } else {
            [size[0] as u64, directory.first(tag::ROWS_PER_STRIP)?.unwrap_or(u64::MAX).min(size[1] as u64)]
        };
        // The file gives the sides: limited to 32 bits, so that products with them can be checked.
        let chunk = chunk.map(|side| side.min(u64::from(u32::MAX)) as usize);
        if chunk.contains(&0) {
            return Err(label.error("the TIFF is damaged (its strips or tiles are empty)"));
        }
        let chunk = [chunk[0], if tiled { chunk[1] } else { chunk[1].min(size[1]) }];
        // As they are stored, or as heights, whichever takes more.
        let row_bytes = (pixels.bytes(chunk[0]) as u64).max(4 * chunk[0] as u64);
        // Only unpacked rows can be found without unpacking those before them.
        let piece = match compression {
            lzw::NONE => (PIECE / row_bytes.max(1)).clamp(1, chunk[1] as u64) as usize,
            _ => chunk[1],
        };
        // JPEG has its own order of bits, whatever the tag says.
        let reversed = directory.first(tag::FILL_ORDER)? == Some(2) && compression != JPEG;
        let (offsets, lengths, tables) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { size, chunk, piece, tiled, pixels, offsets, lengths, compression, tables, reversed })
    }

    /// Finds where the strips or tiles of these planes lie.
    ///
    /// # Errors
    /// When the file doesn't give the place of each.
    pub(super) fn locate(&mut self, label: Label, directory: &Directory, planes: &[usize]) -> Result<()> {
        let table = |tags: [u16; 2]| match directory.numbers(tags[usize::from(!self.tiled)])? {
            // Some programs store tiles under the tags of strips.
            None => directory.numbers(tags[usize::from(self.tiled)]),
            found => Ok(found),
        };
        let offsets = table([tag::TILE_OFFSETS, tag::STRIP_OFFSETS])?.unwrap_or_default();
        let lengths = table([tag::TILE_LENGTHS, tag::STRIP_LENGTHS])?;
        let needed = planes.iter().max().map_or(0, |plane| (plane + 1).saturating_mul(self.in_plane()));
        if offsets.len() < needed {
            return Err(incomplete(label));
        }
        let known = lengths.filter(|lengths| {
            // All are 0, although there are strips or tiles: the program that wrote the file didn't know
            // their lengths.
            lengths.len() >= needed
                && (lengths.iter().any(|&length| length > 0) || offsets.iter().all(|&offset| offset == 0))
        });
        self.lengths = match known {
            Some(lengths) => lengths,
            None => self.supposed_lengths(label, &offsets),
        };
        self.offsets = offsets;
        if self.compression == JPEG {
            self.tables = directory.raw(tag::JPEG_TABLES)?.map_or(Vec::new(), |tables| jpeg::tables(&tables));
        }
        Ok(())
    }

    /// The lengths of strips or tiles where the file doesn't give them: known where nothing is packed, or
    /// else the distance to whatever comes next.
    fn supposed_lengths(&self, label: Label, offsets: &[u64]) -> Vec<u64> {
        // Unpacked, the length follows from the size; packed, a strip ends where the next begins at the
        // latest.
        if self.compression == lzw::NONE {
            let whole = self.pixels.bytes(self.chunk[0].saturating_mul(self.chunk[1])) as u64;
            return offsets.iter().map(|&offset| if offset == 0 { 0 } else { whole }).collect();
        }
        let mut ascending = offsets.to_vec();
        ascending.sort_unstable();
        let length = |&offset: &u64| {
            let next = ascending.get(ascending.partition_point(|&other| other <= offset));
            next.map_or(label.len, |&next| next.min(label.len)).saturating_sub(offset)
        };
        offsets.iter().map(|offset| if *offset == 0 { 0 } else { length(offset) }).collect()
    }

    /// Strips or tiles along x and z.
    pub(super) fn count(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.size[axis].div_ceil(self.chunk[axis]))
    }

    /// Strips or tiles of a plane.
    fn in_plane(&self) -> usize {
        let [across, down] = self.count();
        across.saturating_mul(down)
    }

    /// Bytes of the strips or tiles of a plane that are there, packed.
    pub(super) fn lengths_of(&self, plane: usize) -> &[u64] {
        let count = self.in_plane();
        self.lengths.get(plane.saturating_mul(count)..).and_then(|rest| rest.get(..count)).unwrap_or_default()
    }

    /// Where all strips or tiles lie, and their bytes, packed.
    pub(super) fn places(&self) -> (&[u64], &[u64]) {
        (&self.offsets, &self.lengths)
    }

    /// Bytes of a block, unpacked or as heights.
    pub(super) fn block_bytes(&self) -> u64 {
        let row_bytes = (self.pixels.bytes(self.chunk[0]) as u64).max(4 * self.chunk[0] as u64);
        row_bytes.saturating_mul(self.piece as u64)
    }

    /// The samples of a block: of the strip or tile (across, down) of a plane, `rows` rows starting with a
    /// piece. `None` where the file has no bytes for it.
    ///
    /// # Errors
    /// When the file has ended, its system fails to read it, or what it holds isn't valid.
    pub(super) fn read(
        &self,
        label: Label,
        bytes: &dyn ReadAt,
        (plane, across, down): (usize, usize, usize),
        (piece, rows): (usize, usize),
    ) -> Result<Option<DecodingResult>> {
        let chunk = plane * self.in_plane() + down * self.count()[0] + across;
        let place = self.offsets.get(chunk).zip(self.lengths.get(chunk));
        let (&offset, &length) = place.ok_or_else(|| incomplete(label))?;
        if offset == 0 || length == 0 {
            return Ok(None);
        }
        let packed = self.packed(label, bytes, (offset, length), (piece, rows))?;
        guarded(label.path, || self.decode(label, [self.chunk[0], rows], &packed)).map(Some)
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
            // Unpacked lengths follow from the size, and other programs ignore the tag, too.
            lzw::NONE => {
                (offset.saturating_add((piece * self.piece) as u64 * row_bytes), rows as u64 * row_bytes)
            }
            // The decoder would invent the missing parts of a truncated JPEG, so the whole length is read,
            // which fails beyond the end of the file. Other decoders may succeed without the missing bytes.
            JPEG => (offset, length),
            _ => (offset, length.min(label.len.saturating_sub(offset))),
        };
        let most =
            ALWAYS_PACKED.max(MOST_PACKED.saturating_mul(row_bytes).saturating_mul(self.chunk[1] as u64));
        if length > most {
            let (is, most) = (files::amount(length), files::amount(most));
            let reason =
                format!("the TIFF is damaged (a strip or tile has {is}; at most {most} are plausible)");
            return Err(label.error(reason));
        }
        // Before memory is taken: a made-up length must not fill it.
        if length > label.len.saturating_sub(offset) {
            return Err(label.error("the file ends too early; it is cut short"));
        }
        let mut packed = vec![0; length as usize];
        bytes.read_exact_at(offset, &mut packed).map_err(|error| label.io_error(error))?;
        if self.reversed {
            packed.iter_mut().for_each(|byte| *byte = byte.reverse_bits());
        }
        Ok(packed)
    }

    fn decode(&self, label: Label, size: [usize; 2], packed: &[u8]) -> Result<DecodingResult> {
        if self.pixels.bytes(size[0].saturating_mul(size[1])) > LARGEST {
            let (is, most) = (files::amount(self.block_bytes()), files::amount(LARGEST as u64));
            let reason = format!("its strips or tiles have {is} each, and at most {most} are read");
            return Err(label.error(reason + "; write it in tiles of 256×256 samples"));
        }
        let decoded = match self.compression {
            lzw::LZW => lzw::decode(&self.pixels, size, packed),
            zstd::ZSTD => zstd::decode(&self.pixels, size, packed),
            JPEG => {
                // JPEG pads images to whole blocks of up to 16 pixels.
                let most = self.chunk.map(|side| side.next_multiple_of(16));
                jpeg::check(label, packed, most.into())?;
                self.pixels.decode(size, JPEG, &self.tables, packed)
            }
            compression => self.pixels.decode(size, compression, &[], packed),
        };
        decoded.map_err(|error| damaged(label, error))
    }
}

/// Refuses compressions that would be refused for every block.
fn check_compression(label: Label, compression: u64) -> Result<u16, Error> {
    let name = match compression {
        1 | 5 | 7 | 8 | 32_773 | 32_946 | 50_000 => return Ok(compression as u16),
        2..=4 | 32_771 => "a fax code (CCITT)",
        6 => "JPEG in its old form",
        34_712 => "JPEG 2000",
        34_887 => "LERC",
        34_925 => "LZMA",
        50_001 => "WebP",
        50_002 | 52_546 => "JPEG XL",
        _ => {
            let reason = format!("it is compressed by a method of number {compression}, which isn't read");
            return Err(label.error(format!("{reason}; convert it: {CONVERT}")));
        }
    };
    Err(label.error(format!("it is compressed with {name}, which isn't read; convert it: {CONVERT}")))
}

/// The sizes of a directory's image.
///
/// # Errors
/// When it has none.
pub(super) fn size_of(label: Label, directory: &Directory) -> Result<[usize; 2]> {
    let side = |tag| {
        let side = directory.first(tag)?.ok_or_else(|| cut_short(label, "it doesn't give its size"))?;
        Ok::<_, Error>(side.min(u64::from(u32::MAX)) as usize)
    };
    Ok([side(tag::WIDTH)?, side(tag::DEPTH)?])
}
