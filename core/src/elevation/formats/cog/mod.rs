//! Cloud Optimized GeoTIFF (COG): GeoTIFFs of which programs read any part, at any scale, by a few ranges of
//! bytes. And the list of many of them, so that they are opened as one (VRT).
//!
//! The layout is the one that GDAL's COG driver writes (<https://gdal.org/drivers/raster/cog.html>): all
//! directories come first, then the blocks of the smallest overview, of the next, and so on to those of the
//! image itself. Each block stands between its length and a repetition of its last four bytes. Heights are
//! compressed with predictor 3 (floats), bytes with predictor 2.
//!
//! An overview of heights has every second column and row of the one before, from the first on: it is the
//! land at a coarser level, bit for bit, where that level has samples of the same land. Colours and weights
//! are averaged.
//!
//! The same image gives the same bytes at any number of threads and on every machine.

mod block;
mod header;
mod image;
mod metadata;
mod pyramid;
mod reader;
#[cfg(test)]
mod tests;
mod vrt;

use rayon::prelude::*;

pub use image::{CogImage, CogSamples, MOST_CHANNELS};
#[doc(hidden)]
pub use reader::CogHeights;
pub use vrt::{Vrt, VrtSamples, VrtTile, vrt};

use crate::compute::work::Work;
use crate::elevation::formats::tiff::geo;
use crate::elevation::formats::tiff::tag::{self, TagValues};
use crate::elevation::map::Definition;
use crate::elevation::raster::{CellSize, Raster};
use crate::error::Result;
use crate::grid::memory;
use block::Scratch;
use header::Directory;
use pyramid::{Pyramid, SIDE};

/// Blocks that each thread compresses between two points at which all wait for the slowest.
const AT_ONCE: usize = 16;
/// The most bytes that these blocks may have before they are compressed, unless there are as many threads.
const MOST_AT_ONCE: u64 = 64 << 20;

/// The numbers of TIFF for deflate, for floats, and for whole numbers.
const DEFLATE: u16 = 8;
const FLOATS: u16 = 3;
const WHOLE: u16 = 1;

/// The code of EPSG for longitude and latitude.
const WGS_84: u16 = 4326;

/// The bytes of a COG of an image. In addition to them and to the image, this holds the overviews of bytes (a
/// third of the image) and a few blocks for each thread.
///
/// ```
/// # use upland_core as upland;
/// use upland::Work;
/// use upland::formats::cog::{self, CogImage, CogSamples};
/// let heights: Vec<f32> = (0..600 * 400).map(|n| (n % 600) as f32 * 0.25).collect();
/// let image = CogImage {
///     width: 600,
///     depth: 400,
///     samples: CogSamples::Heights(&heights),
///     place: None,
///     nodata: None,
///     metadata: &[("UNITTYPE".to_owned(), "m".to_owned())],
/// };
/// let bytes = cog::encode(&image, &Work::new())?;
/// let back = upland::formats::read_bytes("x.tif", &bytes, &Default::default())?;
/// assert_eq!(back.values(), heights);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a side is 0, or there are too many samples or not as many as the sides say; when a height is
/// infinite, or NaN without a NODATA value; when XML cannot hold an item of the metadata; when there is too
/// little memory; [`Error::Cancelled`](crate::Error::Cancelled).
pub fn encode(image: &CogImage, work: &Work) -> Result<Vec<u8>> {
    encode_within(u32::MAX.into(), image, work)
}

/// As [`encode`]; a file of more than `largest_plain` bytes becomes a BigTIFF.
fn encode_within(largest_plain: u64, image: &CogImage, work: &Work) -> Result<Vec<u8>> {
    let grid = image.check()?;
    let sizes = pyramid::sizes(image.width, image.depth);
    let tables: Vec<Table> = sizes.iter().map(|size| Table::of(*size)).collect();
    let pixel_bytes = (image.samples.channels() * image.samples.sample_bytes()) as u64;
    let block_bytes = (SIDE * SIDE) as u64 * pixel_bytes;
    // The samples as they are, and a little for each block: what is repeated beyond the borders takes
    // nothing.
    let most = sizes.iter().zip(&tables).map(|(size, table)| {
        (size[0] * size[1]) as u64 * pixel_bytes + (table.lengths.len() as u64) * block_bytes / 16
    });
    let most = most.sum::<u64>();
    let threads = rayon::current_num_threads();
    let at_once = (AT_ONCE * threads).min((MOST_AT_ONCE / block_bytes) as usize).max(threads);
    let working = (at_once + 2 * threads) as u64 * block_bytes;
    memory::require(grid, most + Pyramid::bytes(image, &sizes) + working)?;
    let blocks: Vec<Place> =
        tables.iter().enumerate().rev().flat_map(|(level, table)| table.places(level)).collect();
    work.stage("write COG", blocks.len());
    let pyramid = Pyramid::of(image, &sizes, work)?;

    let directories = |tables: &[Table]| directories(image, &sizes, tables);
    let reserved = header::header(&directories(&tables), false).len();
    let mut file = vec![0; reserved];
    let (mut tables, mut left) = (tables, blocks.len());
    for places in blocks.chunks(at_once) {
        let packed = places.par_iter().map_init(Scratch::default, |scratch, place| {
            work.check()?;
            let size = (sizes[place.level], sizes[0]);
            let packed = pyramid.block(place.level, size, [place.column, place.row], scratch);
            work.advance(1);
            packed
        });
        let packed: Vec<Result<Vec<u8>>> = packed.collect();
        left -= places.len();
        reserve(&mut file, &packed, left);
        for (place, packed) in places.iter().zip(packed) {
            tables[place.level].push_block(place, &packed?, &mut file);
        }
    }
    let big = file.len() as u64 > largest_plain;
    if big {
        // Offsets of 64 bits need a longer header. That the file is so long is only known now, and rare.
        let longer = header::header(&directories(&tables), true).len() - reserved;
        file.reserve_exact(longer);
        file.splice(0..0, std::iter::repeat_n(0, longer));
        tables.iter_mut().flat_map(|table| &mut table.offsets).for_each(|offset| *offset += longer as u64);
    }
    let header = header::header(&directories(&tables), big);
    file[..header.len()].copy_from_slice(&header);
    Ok(file)
}

/// Makes room for some blocks, and for `left` more that are as long on average. A vector that grows by itself
/// would end up to twice as large as the file.
fn reserve(file: &mut Vec<u8>, packed: &[Result<Vec<u8>>], left: usize) {
    let bytes = packed.iter().flatten().map(|packed| packed.len() + 8).sum::<usize>();
    if file.capacity() - file.len() < bytes {
        file.reserve_exact(bytes + bytes * left / packed.len());
    }
}

/// As [`encode`], for a raster. Cells in degrees whose coordinate system is unknown are on WGS 84, as in
/// other formats.
pub(super) fn encode_raster(raster: &Raster, work: &Work) -> Result<Vec<u8>> {
    let mut place = geo::place_of(raster);
    if matches!(raster.cell(), CellSize::Degrees { .. }) {
        place = place.map(|place| match place.definition() {
            None => place.in_system(Definition::Code(WGS_84)),
            Some(_) => place,
        });
    }
    let (width, depth) = (raster.width(), raster.depth());
    let samples = CogSamples::Heights(raster.values());
    encode(&CogImage { width, depth, samples, place: place.as_ref(), nodata: None, metadata: &[] }, work)
}

/// A block, by its column and row among those of its level.
struct Place {
    level: usize,
    column: usize,
    row: usize,
}

/// Where the blocks of a level lie in the file, row by row.
struct Table {
    /// Blocks along x and z.
    count: [usize; 2],
    offsets: Vec<u64>,
    /// Bytes.
    lengths: Vec<u32>,
}

impl Table {
    fn of(size: [usize; 2]) -> Self {
        let count = size.map(|side| side.div_ceil(SIDE));
        let blocks = count[0] * count[1];
        Self { count, offsets: vec![0; blocks], lengths: vec![0; blocks] }
    }

    fn places(&self, level: usize) -> impl Iterator<Item = Place> + use<> {
        let [across, down] = self.count;
        (0..down).flat_map(move |row| (0..across).map(move |column| Place { level, column, row }))
    }

    /// Appends a block to the file, between its length and its last bytes.
    fn push_block(&mut self, place: &Place, packed: &[u8], file: &mut Vec<u8>) {
        file.extend((packed.len() as u32).to_le_bytes());
        let index = place.row * self.count[0] + place.column;
        (self.offsets[index], self.lengths[index]) = (file.len() as u64, packed.len() as u32);
        file.extend(packed);
        file.extend(&packed[packed.len() - 4..]);
    }
}

/// The directories of an image and its overviews, of these sizes.
fn directories(image: &CogImage, sizes: &[[usize; 2]], tables: &[Table]) -> Vec<Directory> {
    let levels = sizes.iter().zip(tables).enumerate();
    levels.map(|(level, (size, table))| directory(image, level, *size, table)).collect()
}

/// The directory of the image (level 0) or of an overview.
fn directory(image: &CogImage, level: usize, size: [usize; 2], table: &Table) -> Directory {
    let channels = image.samples.channels();
    let (bits, format, predictor) = match image.samples {
        CogSamples::Heights(_) => (32, FLOATS, 3),
        CogSamples::Bytes { .. } => (8, WHOLE, 2),
    };
    // Red, green and blue; or 0 is black.
    let is_rgb = matches!(image.samples, CogSamples::Bytes { channels: 3, .. });
    let (photometric, extra) = if is_rgb { (2, 0) } else { (1, channels - 1) };
    let short = |value: u16| TagValues::Shorts(vec![value]);
    let mut tags = Vec::new();
    if level > 0 {
        tags.push((tag::SUBFILE, TagValues::Longs(vec![tag::REDUCED as u32])));
    }
    tags.extend([
        (tag::WIDTH, TagValues::Longs(vec![size[0] as u32])),
        (tag::DEPTH, TagValues::Longs(vec![size[1] as u32])),
        (tag::BITS, TagValues::Shorts(vec![bits; channels])),
        (tag::COMPRESSION, short(DEFLATE)),
        (tag::PHOTOMETRIC, short(photometric)),
        (tag::SAMPLES, short(channels as u16)),
        // The channels of a pixel lie together.
        (tag::PLANAR, short(1)),
        (tag::PREDICTOR, short(predictor)),
        (tag::TILE_WIDTH, short(SIDE as u16)),
        (tag::TILE_DEPTH, short(SIDE as u16)),
        (tag::TILE_OFFSETS, TagValues::Offsets(table.offsets.clone())),
        (tag::TILE_LENGTHS, TagValues::Longs(table.lengths.clone())),
    ]);
    if extra > 0 {
        // Neither colours nor transparency.
        tags.push((tag::EXTRA_SAMPLES, TagValues::Shorts(vec![0; extra])));
    }
    tags.push((tag::SAMPLE_FORMAT, TagValues::Shorts(vec![format; channels])));
    if level == 0 {
        tags.extend(image.place.into_iter().flat_map(|place| geo::tags(place, image.depth, false)));
        let metadata = metadata::text(image.metadata, channels);
        tags.extend(metadata.map(|text| (tag::METADATA, TagValues::Text(text))));
    }
    tags.extend(image.nodata.map(|nodata| (tag::NODATA, TagValues::Text(metadata::nodata(nodata)))));
    tags
}
