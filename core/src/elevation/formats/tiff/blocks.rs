//! A TIFF read block by block: its header once, then any strip or tile, in any order, by several threads in
//! parallel. Strips that aren't compressed are read in pieces, so that even one huge strip can be read in
//! parts.
//!
//! Strips and tiles without bytes (offset or length 0), which GDAL leaves out of sparse files, are holes
//! where the file names a NODATA value, and the number 0 elsewhere.

use std::path::Path;

use rayon::prelude::*;

use tiff::decoder::DecodingResult;

use super::chunks::{Chunks, size_of};
use super::directory::Directory;
use super::error::{MOST_COMPRESSED, MOST_SHARED, cut_short, incomplete};
use super::kind::{BRIGHTNESS, Kind};
use super::mask::Mask;
use super::small::LARGEST;
use super::{band, geo, tag};
use crate::elevation::formats::channel::{HeightChannel, Layout, PixelValue, wanted};
use crate::elevation::formats::companions::{Companions, Ground};
use crate::elevation::formats::label::Label;
use crate::elevation::formats::meaning::{Band, Meaning};
use crate::elevation::formats::options::ReadOptions;
use crate::elevation::formats::pictures::terrain_rgb::{self, Encoding, Guess};
use crate::elevation::formats::sixteen_bit;
use crate::elevation::formats::source::NO_RANGE;
use crate::elevation::map::units::Length;
use crate::error::{Error, Result};
use crate::files::{self, ReadAt};
use crate::grid::Grid;
use crate::math::luminance::luma;

/// The most bytes that a strip or tile may have, unpacked, or its heights.
pub(in crate::elevation) const LARGEST_BLOCK: u64 = 64 << 20;
/// Blocks that are decoded together take at most this many bytes, unless a single one needs more.
const TOGETHER: u64 = 64 << 20;

/// The fewest rows whose colours are examined to decide whether they encode heights.
const GUESSED: usize = 64;

/// What the header of a TIFF says, checked.
pub(in crate::elevation) struct TiffBlocks {
    /// Samples of the file along its rows and columns, before they are turned.
    pub(in crate::elevation) size: [usize; 2],
    /// Where the land lies, and how its rows and columns lie in the file.
    pub(in crate::elevation) ground: Ground,
    /// Guesses and conversions, a line each.
    pub(in crate::elevation) notes: Vec<String>,
    chunks: Chunks,
    /// The planes that are decoded.
    planes: Vec<usize>,
    /// Where the one channel, or the three colours, come from.
    picks: Vec<Pick>,
    /// Where the alpha channel comes from, if it marks holes.
    alpha: Option<Pick>,
    mask: Option<Mask>,
    meaning: Meaning,
    /// How its colours encode heights, if they do.
    encoding: Option<Encoding>,
}

/// A channel of a decoded plane.
#[derive(Clone, Copy)]
struct Pick {
    /// Which of the decoded planes.
    plane: usize,
    /// Which sample of a pixel.
    channel: usize,
}

/// Decoded heights in metres, NaN where there is a hole.
pub(in crate::elevation) enum Block {
    /// All heights are the same: the file has no bytes for them.
    Flat(f32),
    /// Row by row.
    Heights { width: usize, heights: Vec<f32> },
}

impl Block {
    /// Bytes that it takes in memory.
    pub(in crate::elevation) fn bytes(&self) -> usize {
        match self {
            Self::Flat(_) => 0,
            Self::Heights { heights, .. } => 4 * heights.len(),
        }
    }
}

/// Why a TIFF isn't read block by block.
pub(in crate::elevation) enum BlocksError {
    /// It is damaged, or of a kind that isn't supported at all.
    Unreadable(Error),
    /// Its strips or tiles are larger than [`LARGEST_BLOCK`].
    Blocks {
        /// Samples along x and z.
        size: [usize; 2],
        /// The error that says so.
        error: Error,
    },
}

impl From<Error> for BlocksError {
    fn from(error: Error) -> Self {
        Self::Unreadable(error)
    }
}

/// The planes that are decoded, and where in them the channels are.
struct Picked {
    planes: Vec<usize>,
    picks: Vec<Pick>,
    alpha: Option<Pick>,
}

impl Picked {
    /// For these channels, and for an alpha channel that marks holes.
    fn of(kind: &Kind, channels: &[usize]) -> Self {
        // An alpha channel that is read as height doesn't mark holes.
        let alpha = kind.alpha.filter(|alpha| !channels.contains(alpha));
        // Without separate planes all channels of a pixel stand together, in plane 0.
        let of_planes = |channel: usize| if kind.planar { channel } else { 0 };
        let mut planes: Vec<usize> = channels.iter().copied().chain(alpha).map(of_planes).collect();
        // Each plane is unpacked once, however many channels are taken from it.
        planes.sort_unstable();
        planes.dedup();
        let pick = |channel: usize| Pick {
            plane: planes.partition_point(|&plane| plane < of_planes(channel)),
            channel: if kind.planar { 0 } else { channel },
        };
        let picks = channels.iter().map(|&channel| pick(channel)).collect();
        let alpha = alpha.map(pick);
        Self { planes, picks, alpha }
    }
}

/// The samples along the rows and columns. Refuses sides of 0, and too many samples for a file that is read
/// as a whole.
fn checked_size(label: Label, directory: &Directory, largest: Option<u64>) -> Result<[usize; 2]> {
    let size = size_of(label, directory)?;
    if size.contains(&0) {
        let reason = format!("{}×{} samples hold nothing; each side needs at least 1", size[0], size[1]);
        return Err(label.error(reason));
    }
    if largest.is_none() {
        Grid::new(size[0], size[1], 1.0).map_err(|error| label.error(error.to_string()))?;
    }
    Ok(size)
}

/// How the colours shall be read as heights, if the options say so.
fn asked_encoding(label: Label, kind: &Kind, channel: HeightChannel) -> Result<Option<Encoding>> {
    let asked = match channel {
        HeightChannel::Mapbox => Some(Encoding::Mapbox),
        HeightChannel::Terrarium => Some(Encoding::Terrarium),
        _ => None,
    };
    match asked.filter(|_| !kind.is_rgb_8) {
        Some(encoding) => Err(label
            .error(format!("heights as {encoding} need 8-bit red, green and blue; read its luma instead"))),
        None => Ok(asked),
    }
}

/// Refuses strips and tiles that are too large.
fn check_block_bytes(
    label: Label,
    chunks: &Chunks,
    size: [usize; 2],
    largest: Option<u64>,
) -> Result<(), BlocksError> {
    let block_bytes = chunks.block_bytes();
    let most = largest.unwrap_or(LARGEST as u64);
    if block_bytes <= most {
        return Ok(());
    }
    let (is, most) = (files::amount(block_bytes), files::amount(most));
    let what = if chunks.tiled { "tiles" } else { "strips" };
    let reads = if largest.is_some() { "windows are read from" } else { "can be read with" };
    let reason = format!("its {what} have {is} each, and {reads} at most {most}");
    let remedy = "write it in tiles of 256×256 samples";
    Err(BlocksError::Blocks { size, error: label.error(format!("{reason}; {remedy}")) })
}

/// The note on further images of the same size that are not read.
fn note_on_images(label: Label, others: &[Directory], size: [usize; 2]) -> Option<String> {
    let is_another = |other: &&Directory| {
        matches!(other.first(tag::SUBFILE), Ok(None | Some(0)))
            && !matches!(other.first(tag::PHOTOMETRIC), Ok(Some(4)))
            && size_of(label, other).is_ok_and(|own| own == size)
    };
    let count = others.iter().filter(is_another).count();
    (count > 0).then(|| format!("it holds {} images of this size; the first is read", count + 1))
}

/// What the stored numbers mean. Only unsigned 16-bit grey is mapped to a range.
fn meaning_of(
    kind: &Kind,
    band: Band,
    up: Option<Length>,
    options: &ReadOptions,
    notes: &mut Vec<String>,
) -> Result<Meaning> {
    match options.range {
        Some((low, high)) if kind.is_grey_16 => {
            sixteen_bit::check_range(low, high).map_err(|reason| Error::parameter("range", reason))?;
            Ok(Meaning::of_range(band, (low, high), [0.0, 65535.0]))
        }
        range => {
            if range.is_some() {
                notes.push(NO_RANGE.to_owned());
            }
            Ok(Meaning::of(band, kind.pixels.numbers(), (up, options.height_unit), notes))
        }
    }
}

impl TiffBlocks {
    /// Reads the header.
    pub(in crate::elevation) fn open(
        path: &Path,
        bytes: &dyn ReadAt,
        companions: Companions,
        options: &ReadOptions,
    ) -> Result<Self, BlocksError> {
        Self::read(Label { path, len: bytes.len() }, bytes, 0, companions, options, Some(LARGEST_BLOCK))
    }

    /// As [`open`](Self::open), for the image with this number: 0 is the file's own, and overviews follow.
    ///
    /// # Errors
    /// When it is damaged, its blocks are too large, or there is no such image.
    pub(in crate::elevation) fn open_image(path: &Path, bytes: &dyn ReadAt, number: usize) -> Result<Self> {
        let label = Label { path, len: bytes.len() };
        let (none, options) = (Companions::default(), ReadOptions::default());
        match Self::read(label, bytes, number, none, &options, Some(LARGEST_BLOCK)) {
            Ok(blocks) => Ok(blocks),
            Err(BlocksError::Unreadable(error) | BlocksError::Blocks { error, .. }) => Err(error),
        }
    }

    /// As [`open`](Self::open), for a file that will be read as a whole: strips and tiles of any size are
    /// accepted, if they fit into memory.
    pub(super) fn open_whole(
        label: Label,
        bytes: &dyn ReadAt,
        companions: Companions,
        options: &ReadOptions,
    ) -> Result<Self> {
        match Self::read(label, bytes, 0, companions, options, None) {
            Ok(blocks) => Ok(blocks),
            Err(BlocksError::Unreadable(error) | BlocksError::Blocks { error, .. }) => Err(error),
        }
    }

    fn read(
        label: Label,
        bytes: &dyn ReadAt,
        number: usize,
        mut companions: Companions,
        options: &ReadOptions,
        largest: Option<u64>,
    ) -> Result<Self, BlocksError> {
        let (directories, damage) = Directory::all(label, bytes)?;
        let rest = directories.get(number..).unwrap_or_default();
        let Some((directory, others)) = rest.split_first() else {
            return Err(cut_short(label, &format!("it has no directory {number}")).into());
        };
        let size = checked_size(label, directory, largest)?;
        let mut kind = Kind::find(label, directory)?;
        let wanted = wanted(label, kind.layout, options.channel)?;
        let asked = asked_encoding(label, &kind, options.channel)?;
        let mut chunks = Chunks::shape(label, directory, size, kind.pixels)?;
        check_block_bytes(label, &chunks, size, largest)?;
        let channels = match wanted {
            PixelValue::One(channel) => vec![channel],
            PixelValue::Luma => vec![0, 1, 2],
        };
        let Picked { planes, picks, alpha } = Picked::of(&kind, &channels);
        chunks.locate(label, directory, &planes)?;
        check_shared(label, &chunks, &planes)?;
        if largest.is_none() {
            check_there(label, &chunks, &planes)?;
        }
        let is_guess = matches!(options.channel, HeightChannel::Auto | HeightChannel::Luma);
        let mut notes = if is_guess { std::mem::take(&mut kind.notes) } else { Vec::new() };
        notes.extend(damage);
        let mask = match Mask::find(label, others, size, largest, &mut notes)? {
            None => Mask::beside(companions.mask.as_deref(), channels[0], size, largest, &mut notes)?,
            found => found,
        };
        notes.extend(note_on_images(label, others, size));
        let given = geo::read(directory, &mut notes)?;
        companions.choose_band(channels[0]);
        companions.band = companions.band.or(band::read(directory, channels[0], &mut notes)?);
        let (ground, up) = companions.ground(size, given, options);
        let meaning = meaning_of(&kind, companions.band, up, options, &mut notes)?;
        notes.append(&mut companions.notes);
        let mut blocks =
            Self { size, ground, notes, chunks, planes, picks, alpha, mask, meaning, encoding: None };
        let may_be_coded = kind.is_rgb_8
            && options.channel == HeightChannel::Auto
            && matches!(kind.layout, Layout::Rgb | Layout::Rgba);
        let guess = match asked {
            Some(encoding) => Guess::Asked(encoding),
            None if may_be_coded => blocks.guess(label, bytes),
            None => Guess::Picture,
        };
        blocks.decode_as(guess, &kind);
        Ok(blocks)
    }

    /// Reads colours as the heights that they encode.
    fn decode_as(&mut self, guess: Guess, kind: &Kind) {
        if let Some(note) = guess.note() {
            // This note says more than the one on brightness.
            self.notes.retain(|note| !note.starts_with(BRIGHTNESS));
            self.notes.insert(0, note);
        }
        if let Some(encoding) = guess.decoded() {
            // Heights from colours are already in metres and have no scale; black marks holes.
            self.meaning = Meaning::of(
                Band { nodata: self.meaning.nodata(), ..Band::default() },
                kind.pixels.numbers(),
                (None, None),
                &mut Vec::new(),
            );
            self.encoding = Some(encoding);
        }
    }

    /// What the colours probably encode, from a part in the middle. It is the same part whether the whole
    /// file is read or a window.
    fn guess(&self, label: Label, bytes: &dyn ReadAt) -> Guess {
        let [width, depth] = self.size;
        let mut pixels = Vec::new();
        // From the middle, where a border without data is least likely.
        let (column, mut row) = (width / 2, (depth / 2).saturating_sub(GUESSED / 2));
        let mut columns = 0;
        let mut rows = 0;
        while rows < GUESSED && row < depth {
            let (index, _) = self.block_of([column, row]);
            let (first, [own, count]) = self.rectangle(index);
            // Bytes that cannot be read are reported where they are needed.
            let Ok(Some(colours)) = self.colours(label, bytes, index, [own, count]) else { break };
            columns = own;
            pixels.extend(colours);
            rows += count;
            row = first[1] + count;
        }
        terrain_rgb::guess(&pixels, 4, columns.max(1))
    }

    /// Red, green, blue and 255 of the pixels of a block, or four zeros where they are transparent; `None`
    /// where the file has no bytes for the block.
    fn colours(
        &self,
        label: Label,
        bytes: &dyn ReadAt,
        index: BlockIndex,
        [columns, rows]: [usize; 2],
    ) -> Result<Option<Vec<u8>>> {
        let mut decoded = Vec::with_capacity(self.planes.len());
        for &plane in &self.planes {
            let place = (plane, index.across, index.down);
            let Some(plane) = self.chunks.read(label, bytes, place, (index.piece, rows))? else {
                return Ok(None);
            };
            decoded.push(plane);
        }
        let (width, stride) = (self.chunks.chunk[0], self.chunks.pixels.samples());
        // Opaque unless there is an alpha channel.
        let mut pixels = vec![255; 4 * columns * rows];
        let mut line = vec![0.0; columns];
        for (row, out) in pixels.chunks_exact_mut(4 * columns).enumerate() {
            for (place, pick) in self.picks.iter().chain(&self.alpha).enumerate() {
                let first = row * width * stride + pick.channel;
                take_row(&decoded[pick.plane], first, stride, &mut line).ok_or_else(|| incomplete(label))?;
                for (pixel, &sample) in out.chunks_exact_mut(4).zip(&line) {
                    match place {
                        3 if sample == 0.0 => pixel.fill(0),
                        3 => {}
                        place => pixel[place] = sample as u8,
                    }
                }
            }
        }
        Ok(Some(pixels))
    }

    /// Samples of the land along x and z.
    pub(in crate::elevation) fn land_size(&self) -> [usize; 2] {
        self.ground.turn.land_size(self.size)
    }

    /// Where all strips or tiles lie, and their bytes, packed.
    pub(in crate::elevation) fn places(&self) -> (&[u64], &[u64]) {
        self.chunks.places()
    }

    /// The number that marks a hole in the file.
    pub(in crate::elevation) fn nodata(&self) -> Option<f32> {
        self.meaning.nodata().map(|nodata| nodata as f32)
    }

    /// The number of rows of samples in a row of strips or tiles.
    pub(in crate::elevation) fn band(&self) -> usize {
        let axis = usize::from(!self.ground.turn.transposed);
        // Where rows of the land are columns of strips, every row needs all of the file, so there are no
        // bands.
        self.chunks.chunk[axis].min(self.size[axis])
    }

    /// The most bytes that decoding a block takes.
    pub(in crate::elevation) fn working_bytes(&self) -> u64 {
        let pixels = self.chunks.chunk[0].saturating_mul(self.chunks.piece);
        let unpacked = self.chunks.pixels.bytes(pixels) as u64;
        let mask = self.mask.as_ref().map_or(0, Mask::working_bytes);
        // Packed, and packed again in its small TIFF; unpacked; decoded for each plane; and as heights.
        (3 + self.planes.len() as u64)
            .saturating_mul(unpacked)
            .saturating_add(4u64.saturating_mul(pixels as u64))
            .saturating_add(mask)
    }

    /// The block that contains sample (column, row) of the file, and the first sample of this block.
    pub(in crate::elevation) fn block_of(&self, [column, row]: [usize; 2]) -> (BlockIndex, [usize; 2]) {
        let Chunks { chunk, piece: rows, .. } = self.chunks;
        let (across, down) = (column / chunk[0], row / chunk[1]);
        let piece = row % chunk[1] / rows;
        (BlockIndex { across, down, piece }, [across * chunk[0], down * chunk[1] + piece * rows])
    }

    /// The first sample of a block in the file, and its samples along x and z that lie within the image.
    fn rectangle(&self, index: BlockIndex) -> ([usize; 2], [usize; 2]) {
        let Chunks { chunk, piece: rows, .. } = self.chunks;
        let BlockIndex { across, down, piece } = index;
        let first = [across * chunk[0], down * chunk[1] + piece * rows];
        let rows = rows.min(chunk[1] - piece * rows);
        (first, [chunk[0].min(self.size[0] - first[0]), rows.min(self.size[1] - first[1])])
    }

    /// Reads and decodes a block.
    ///
    /// # Errors
    /// When the file has ended, the system fails to read it, or its content is invalid.
    pub(in crate::elevation) fn read_block(
        &self,
        path: &Path,
        bytes: &dyn ReadAt,
        index: BlockIndex,
    ) -> Result<Block> {
        let label = Label { path, len: bytes.len() };
        let (first, [columns, rows]) = self.rectangle(index);
        let mut decoded = Vec::with_capacity(self.planes.len());
        for &plane in &self.planes {
            let place = (plane, index.across, index.down);
            decoded.push(self.chunks.read(label, bytes, place, (index.piece, rows))?);
        }
        let mut block = if self.picks.iter().all(|pick| decoded[pick.plane].is_some()) {
            self.heights(label, &decoded, [columns, rows])?
        } else if self.alpha.is_some() || self.encoding.is_some() {
            // Alpha that was never written is 0, and such colours are black: both mark a hole.
            Block::Flat(f32::NAN)
        } else {
            Block::Flat(self.meaning.of_nothing())
        };
        if let Some(mask) = &self.mask {
            // A mask may hide some of its samples.
            if let Block::Flat(height) = block {
                block = Block::Heights { width: columns, heights: vec![height; columns * rows] };
            }
            if let Block::Heights { heights, .. } = &mut block {
                mask.apply(label, bytes, first, columns, heights)?;
            }
        }
        Ok(block)
    }

    /// The heights of a block that the file has.
    fn heights(
        &self,
        label: Label,
        decoded: &[Option<tiff::decoder::DecodingResult>],
        [columns, rows]: [usize; 2],
    ) -> Result<Block> {
        let (width, stride) = (self.chunks.chunk[0], self.chunks.pixels.samples());
        let line = |pick: Pick, row: usize, out: &mut Vec<f64>| {
            // In f64, which holds every whole number of 32 bits; heights become f32 after scaling.
            out.resize(columns, 0.0);
            let plane = decoded[pick.plane].as_ref();
            plane.and_then(|plane| take_row(plane, row * width * stride + pick.channel, stride, out))
        };
        let mut heights = vec![0.0; columns * rows];
        let mut lines = vec![Vec::new(); self.picks.len()];
        let mut opacity = Vec::new();
        for (row, out) in heights.chunks_exact_mut(columns).enumerate() {
            for (&pick, stored) in self.picks.iter().zip(&mut lines) {
                line(pick, row, stored).ok_or_else(|| incomplete(label))?;
            }
            match lines.as_slice() {
                [red, green, blue] => {
                    for (((out, &red), &green), &blue) in out.iter_mut().zip(red).zip(green).zip(blue) {
                        let is_hole = [red, green, blue].iter().all(|&sample| self.meaning.is_hole(sample));
                        if let Some(encoding) = self.encoding {
                            // The samples are whole numbers of 8 bits.
                            let pixel = [red, green, blue].map(|sample| sample as u8);
                            *out = if is_hole { f32::NAN } else { encoding.of_pixel(pixel) };
                            continue;
                        }
                        let luma = luma(red as f32, green as f32, blue as f32);
                        *out = if is_hole { f32::NAN } else { self.meaning.mapped(luma.into()) };
                    }
                }
                lines => {
                    for (out, &stored) in out.iter_mut().zip(lines.iter().flatten()) {
                        *out = self.meaning.height(stored);
                    }
                }
            }
            if let Some(alpha) = self.alpha {
                if decoded[alpha.plane].is_none() {
                    out.fill(f32::NAN);
                    continue;
                }
                line(alpha, row, &mut opacity).ok_or_else(|| incomplete(label))?;
                let clear = out.iter_mut().zip(&opacity).filter(|(_, opacity)| **opacity == 0.0);
                clear.for_each(|(out, _)| *out = f32::NAN);
            }
        }
        Ok(Block::Heights { width: columns, heights })
    }

    /// All heights of the land, row by row, NaN where there are holes.
    ///
    /// # Errors
    /// As [`read_block`](Self::read_block), and when memory is short.
    pub(super) fn read_all(&self, label: Label, bytes: &dyn ReadAt) -> Result<Vec<f32>> {
        let [width, depth] = self.size;
        let [across, down] = self.chunks.count();
        let working = self.working_bytes();
        // As many blocks at a time as fit in memory together with the field.
        let at_once = (TOGETHER / working.max(1)).clamp(1, rayon::current_num_threads() as u64);
        let copies = if self.ground.turn.is_none() { 1 } else { 2 };
        let needed = (4 * copies * width as u64).saturating_mul(depth as u64);
        label.require(width, depth, needed.saturating_add(working.saturating_mul(at_once)))?;
        let mut values = vec![0.0; width * depth];
        let (band, rows) = (self.chunks.chunk[1], self.chunks.piece);
        let pieces = |down: usize| band.min(depth - down * band).div_ceil(rows);
        let mut indices = (0..down)
            .flat_map(|down| (0..pieces(down)).map(move |piece| (down, piece)))
            .flat_map(|(down, piece)| (0..across).map(move |across| BlockIndex { across, down, piece }));
        loop {
            let group: Vec<BlockIndex> = indices.by_ref().take(at_once as usize).collect();
            if group.is_empty() {
                break;
            }
            let read = |&index: &BlockIndex| self.read_block(label.path, bytes, index);
            let blocks: Vec<Block> = group.par_iter().map(read).collect::<Result<_>>()?;
            for (&index, block) in group.iter().zip(blocks) {
                let (first, [columns, rows]) = self.rectangle(index);
                for row in 0..rows {
                    let out = &mut values[(first[1] + row) * width + first[0]..][..columns];
                    match &block {
                        Block::Flat(height) => out.fill(*height),
                        Block::Heights { width, heights } => {
                            out.copy_from_slice(&heights[row * width..][..columns]);
                        }
                    }
                }
            }
        }
        Ok(self.ground.turn.undone(self.size, values))
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

/// Refuses a file whose strips or tiles share their bytes too often: a short file could otherwise unpack to
/// any size.
fn check_shared(label: Label, chunks: &Chunks, planes: &[usize]) -> Result<()> {
    let lengths = planes.iter().flat_map(|&plane| chunks.lengths_of(plane));
    let read = lengths.fold(0u64, |sum, &length| sum.saturating_add(length.min(label.len)));
    // Strips may be shared, but a small file whose strips claim terabytes would take hours.
    if read / MOST_SHARED > label.len {
        let reason = format!("the TIFF is damaged (its strips or tiles have {read} bytes in all");
        return Err(label.error(format!("{reason}; the file has {})", label.len)));
    }
    Ok(())
}

/// Refuses a file that is too short for the strips and tiles that it claims to have.
fn check_there(label: Label, chunks: &Chunks, planes: &[usize]) -> Result<()> {
    let there = planes.iter().flat_map(|&plane| chunks.lengths_of(plane)).filter(|&&length| length > 0);
    let [width, depth] = chunks.chunk;
    // Tiles are decoded in full, even where they extend beyond the image.
    let pixels = there.count().saturating_mul(width.saturating_mul(depth.min(chunks.size[1])));
    let needed = chunks.pixels.bytes(pixels) as u64;
    if needed / MOST_COMPRESSED > label.len {
        let ([width, depth], len) = (chunks.size, label.len);
        let reason = format!("its header promises {width}×{depth} samples, which {len} bytes cannot hold");
        return Err(label.error(reason + "; the file is cut short or damaged"));
    }
    Ok(())
}

/// Fills a row with every `stride`-th sample, starting at `first`; `None` when there are too few.
fn take_row(samples: &DecodingResult, first: usize, stride: usize, out: &mut [f64]) -> Option<()> {
    fn take<T: Copy>(
        samples: &[T],
        first: usize,
        stride: usize,
        out: &mut [f64],
        number: impl Fn(T) -> f64,
    ) -> Option<()> {
        let samples = samples.get(first..)?;
        // Checked first, because `step_by` and `zip` would end silently on a short row.
        if samples.len() <= (out.len() - 1) * stride {
            return None;
        }
        let samples = samples.iter().step_by(stride);
        out.iter_mut().zip(samples).for_each(|(out, &sample)| *out = number(sample));
        Some(())
    }
    match samples {
        DecodingResult::U8(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U16(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::U64(samples) => take(samples, first, stride, out, |sample| sample as f64),
        DecodingResult::I8(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I16(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::I64(samples) => take(samples, first, stride, out, |sample| sample as f64),
        DecodingResult::F16(samples) => take(samples, first, stride, out, |sample| sample.to_f64()),
        DecodingResult::F32(samples) => take(samples, first, stride, out, f64::from),
        DecodingResult::F64(samples) => take(samples, first, stride, out, |sample| sample),
    }
}
