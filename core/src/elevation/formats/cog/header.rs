//! All of a COG that comes before its blocks: the signature, the lines by which GDAL knows its layout, and
//! the directories of the image and its overviews.
//!
//! The layout is that of GDAL's COG driver: the directories with the values of their tags, the image's first
//! and then the overviews' from the largest on, and behind them the tables of where blocks lie.

use crate::elevation::formats::tiff::tag::{self, TagValues};

/// The tags of an image with their values, in ascending order.
pub(super) type Directory = Vec<(u16, TagValues)>;

/// What programs that know the layout may rely on, a line each. The blank at the end is room for `YES`: a
/// program that changes the file without keeping its layout writes that over `NO`.
const LAYOUT: &str = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n\
                      BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ";

/// The bytes of the header. How many they are only depends on the number of the tags and of their values, and
/// on whether it is a BigTIFF.
pub(super) fn header(directories: &[Directory], big: bool) -> Vec<u8> {
    let mut header = Header { big, bytes: Vec::new(), tables: Vec::new() };
    header.bytes.extend(b"II");
    header.bytes.extend(if big { 43u16 } else { 42 }.to_le_bytes());
    if big {
        // Bytes of an offset, and two that are always 0.
        header.bytes.extend([8, 0, 0, 0]);
    }
    let mut link = header.bytes.len();
    header.push_offset(0);
    header.bytes.extend(format!("GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n{LAYOUT}", LAYOUT.len()).bytes());
    for directory in directories {
        let place = header.aligned();
        header.set_offset(link, place);
        link = header.push_directory(directory);
    }
    for (field, values) in std::mem::take(&mut header.tables) {
        let place = header.aligned();
        header.set_offset(field, place);
        header.bytes.extend(values);
    }
    header.bytes
}

struct Header {
    big: bool,
    bytes: Vec<u8>,
    /// Values that come last, and the places of their offsets.
    tables: Vec<(usize, Vec<u8>)>,
}

impl Header {
    /// The end, at an even place, as TIFF requires it.
    fn aligned(&mut self) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(2), 0);
        self.bytes.len()
    }

    /// Bytes of an offset.
    fn offset_bytes(&self) -> usize {
        if self.big { 8 } else { 4 }
    }

    /// Appends an offset or a count, which have as many bits as an offset.
    fn push_offset(&mut self, offset: usize) {
        self.bytes.extend(&(offset as u64).to_le_bytes()[..self.offset_bytes()]);
    }

    /// Writes an offset over the one at `field`.
    fn set_offset(&mut self, field: usize, offset: usize) {
        let bytes = self.offset_bytes();
        self.bytes[field..field + bytes].copy_from_slice(&(offset as u64).to_le_bytes()[..bytes]);
    }

    /// Appends a directory and the values of its tags. Returns the place of the offset of the next one.
    fn push_directory(&mut self, directory: &Directory) -> usize {
        // As many bytes of values as an offset has stand in place of the offset.
        let inside = self.offset_bytes();
        let count_bytes = if self.big { 8 } else { 2 };
        self.bytes.extend(&(directory.len() as u64).to_le_bytes()[..count_bytes]);
        let mut outside = Vec::new();
        for (tag, values) in directory {
            let (kind, count, values) = encoded(values, self.big);
            self.bytes.extend(tag.to_le_bytes());
            self.bytes.extend(u16::to_le_bytes(kind));
            self.push_offset(count);
            let field = self.bytes.len();
            if values.len() <= inside {
                self.bytes.extend(&values);
                self.bytes.resize(field + inside, 0);
                continue;
            }
            self.push_offset(0);
            match *tag {
                tag::TILE_OFFSETS | tag::TILE_LENGTHS => self.tables.push((field, values)),
                _ => outside.push((field, values)),
            }
        }
        let link = self.bytes.len();
        self.push_offset(0);
        for (field, values) in outside {
            let place = self.aligned();
            self.set_offset(field, place);
            self.bytes.extend(values);
        }
        link
    }
}

/// The type of some values by its number, how many they are, and their bytes.
fn encoded(values: &TagValues, big: bool) -> (u16, usize, Vec<u8>) {
    match values {
        TagValues::Shorts(values) => (3, values.len(), values.iter().flat_map(|n| n.to_le_bytes()).collect()),
        TagValues::Longs(values) => (4, values.len(), values.iter().flat_map(|n| n.to_le_bytes()).collect()),
        TagValues::Offsets(values) if big => {
            (16, values.len(), values.iter().flat_map(|n| n.to_le_bytes()).collect())
        }
        TagValues::Offsets(values) => {
            (4, values.len(), values.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect())
        }
        TagValues::Floats(values) => {
            (12, values.len(), values.iter().flat_map(|n| n.to_le_bytes()).collect())
        }
        TagValues::Text(text) => (2, text.len() + 1, text.bytes().chain([0]).collect()),
    }
}
