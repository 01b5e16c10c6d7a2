//! Reading the heights of a COG block by block, from the image or from one of its overviews.
//!
//! Only files of the layout that this room writes are accepted: others have overviews with other samples.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::block::MOST_PACKED;
use super::pyramid::{SIDE, sizes};
use super::{CogImage, Table, block, directories, header};
use crate::elevation::formats::tiff::blocks::TiffBlocks;
use crate::error::{Error, Result};
use crate::files::{self, ReadAt};

/// An open COG of heights or of a layer, as [`encode`](super::encode) writes it.
pub struct CogHeights {
    path: PathBuf,
    /// The size of the image and where its blocks lie, and those of its overviews from the largest on.
    levels: Vec<([usize; 2], Table)>,
}

impl CogHeights {
    /// Samples along the side of a block. The last of a row or a column may have fewer.
    pub const SIDE: usize = SIDE;

    /// Reads the header of a file that should be that of `expected`, apart from its heights, which are not
    /// looked at. `name` is used in messages.
    ///
    /// All of the header is compared with what is written for such an image, so that no damage in it can move
    /// or scale heights without being noticed.
    ///
    /// # Errors
    /// When the bytes are not those of such a file, or cannot be read.
    pub fn open(name: &Path, bytes: &dyn ReadAt, expected: &CogImage) -> Result<Self> {
        let wrong = |what: &str| Error::file(name, format!("{what}; make it again"));
        let sizes = sizes(expected.width, expected.depth);
        let mut levels = Vec::new();
        for (number, size) in sizes.iter().enumerate() {
            let level = TiffBlocks::open_image(name, bytes, number)?;
            if level.size != *size {
                return Err(wrong("its image or an overview has another size"));
            }
            levels.push(level);
        }
        let tables: Option<Vec<Table>> = levels.iter().zip(&sizes).map(table_of).collect();
        let tables = tables.ok_or_else(|| wrong("its tables of blocks are damaged"))?;
        let mut magic = [0; 4];
        bytes.read_exact_at(0, &mut magic).map_err(|error| files::failed(name, error))?;
        let header = header::header(&directories(expected, &sizes, &tables), magic[2] == 43);
        let mut found = vec![0; header.len()];
        bytes.read_exact_at(0, &mut found).map_err(|_| wrong("it ends within its header"))?;
        if found != header {
            return Err(wrong("its header is damaged, or that of another image"));
        }
        // Blocks lie one after the other, those of the smallest overview first.
        let mut end = header.len() as u64;
        for table in tables.iter().rev() {
            for (offset, length) in table.offsets.iter().zip(&table.lengths) {
                if *offset != end + 4 {
                    return Err(wrong("its tables of blocks are damaged"));
                }
                end = offset + u64::from(*length) + 4;
            }
        }
        // So the lengths in the tables are right too, that of the last block included.
        if bytes.len() != end {
            return Err(wrong("it is cut short, or longer than its blocks"));
        }
        Ok(Self { path: name.to_owned(), levels: sizes.into_iter().zip(tables).collect() })
    }

    /// How many levels there are: the image is level 0, and overview k is level k.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Samples of a level along x and z.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn size(&self, level: usize) -> [usize; 2] {
        self.levels[level].0
    }

    /// The heights of a block of a level, row by row: by its column and row among the level's blocks.
    ///
    /// # Errors
    /// When there is no such block, it is damaged or has holes, or cannot be read.
    pub fn block(&self, level: usize, place: [usize; 2], bytes: &dyn ReadAt) -> Result<Vec<f32>> {
        let [column, row] = place;
        let wrong = |what: &str| {
            let reason =
                format!("the block in column {column}, row {row} of level {level} {what}; make it again");
            Error::file(&self.path, reason)
        };
        let is_there = |(_, table): &&([usize; 2], Table)| column < table.count[0] && row < table.count[1];
        let (size, table) = self.levels.get(level).filter(is_there).ok_or_else(|| wrong("is not there"))?;
        let index = row * table.count[0] + column;
        let length = table.lengths[index] as usize;
        if length > MOST_PACKED {
            return Err(wrong("is damaged"));
        }
        let mut packed = vec![0; length];
        bytes.read_exact_at(table.offsets[index], &mut packed).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => wrong("is cut short"),
            _ => files::failed(&self.path, error),
        })?;
        let own = [0, 1].map(|axis| SIDE.min(size[axis] - place[axis] * SIDE));
        let heights = block::heights(&packed, own);
        heights
            .filter(|heights| heights.iter().all(|height| height.is_finite()))
            .ok_or_else(|| wrong("is damaged"))
    }
}

/// Where the blocks of a level lie; `None` if there are not as many as there should be.
fn table_of((level, size): (&TiffBlocks, &[usize; 2])) -> Option<Table> {
    let mut table = Table::of(*size);
    let (offsets, lengths) = level.places();
    let is_whole = [offsets.len(), lengths.len()] == [table.offsets.len(); 2];
    // Offsets of more would overflow where they are added up.
    let fits = offsets.iter().all(|offset| *offset < 1 << 60);
    if !is_whole || !fits {
        return None;
    }
    table.offsets.copy_from_slice(offsets);
    for (own, length) in table.lengths.iter_mut().zip(lengths) {
        *own = u32::try_from(*length).ok()?;
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::super::{CogSamples, encode};
    use super::*;
    use crate::compute::work::Work;

    fn image(width: usize, depth: usize, heights: &[f32]) -> CogImage<'_> {
        let samples = CogSamples::Heights(heights);
        CogImage { width, depth, samples, place: None, nodata: None, metadata: &[] }
    }

    fn encoded(width: usize, depth: usize, heights: &[f32]) -> Vec<u8> {
        let samples = CogSamples::Heights(heights);
        encode(&CogImage { width, depth, samples, place: None, nodata: None, metadata: &[] }, &Work::new())
            .unwrap()
    }

    fn hills(width: usize, depth: usize) -> Vec<f32> {
        let height = |index: usize| libm::sinf(index as f32 * 0.013) * 400.0 + (index % 977) as f32;
        (0..width * depth).map(height).collect()
    }

    #[test]
    fn blocks_of_all_levels_have_every_second_sample_of_the_one_before() {
        let (width, depth) = (1100, 700);
        let heights = hills(width, depth);
        let bytes = encoded(width, depth, &heights);
        let bytes = &bytes[..];
        let cog = CogHeights::open(Path::new("x.tif"), &bytes, &image(width, depth, &[])).unwrap();
        assert_eq!((cog.levels(), cog.size(2)), (3, [275, 175]));
        for level in 0..cog.levels() {
            let size = cog.size(level);
            for (column, row) in [(0, 0), ((size[0] - 1) / 512, (size[1] - 1) / 512)] {
                let block = cog.block(level, [column, row], &bytes).unwrap();
                let own = (size[0] - column * 512).min(512);
                for (index, height) in block.iter().enumerate() {
                    let (x, z) = ((column * 512 + index % own) << level, (row * 512 + index / own) << level);
                    assert_eq!(height.to_bits(), heights[z * width + x].to_bits());
                }
            }
            assert!(cog.block(level, [9, 0], &bytes).is_err());
        }
    }

    #[test]
    fn damage_within_a_block_is_an_error() {
        let heights = hills(300, 200);
        let whole = encoded(300, 200, &heights);
        let read = |bytes: &[u8]| {
            CogHeights::open(Path::new("x.tif"), &bytes, &image(300, 200, &[]))?.block(0, [0, 0], &bytes)
        };
        assert_eq!(read(&whole).unwrap(), heights);
        let mut silent = 0;
        let opened = CogHeights::open(Path::new("x.tif"), &&whole[..], &image(300, 200, &[])).unwrap();
        // The block ends four bytes before the file does, with its checksum. Before it there are four bytes
        // with its length, which only other programs read.
        let (from, end) = (opened.levels[0].1.offsets[0] as usize, whole.len() - 4);
        let mut changed = whole.clone();
        for at in (from..end).step_by(131).chain(end - 4..end) {
            changed[at] ^= 1 << (at % 8);
            silent += usize::from(read(&changed).is_ok_and(|block| block != heights));
            changed[at] = whole[at];
        }
        assert_eq!(silent, 0, "damage is not noticed");
        // Nor is any in the header missed, whichever byte it is in.
        for at in 0..from - 4 {
            changed[at] ^= 1 << (at % 8);
            assert!(read(&changed).is_err(), "byte {at}");
            changed[at] = whole[at];
        }
        assert!(read(&whole[..whole.len() / 2]).is_err());
    }
}
