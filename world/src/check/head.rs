//! The head of a tile: enough of a TIFF to know to which plan it belongs, and whether it is there to its end.
//!
//! Anything may be in an object of a tile's name, so that every number is checked before it is used.

/// Tags of a TIFF's directory.
const WIDTH: u16 = 256;
const DEPTH: u16 = 257;
const TILE_OFFSETS: u16 = 324;
const TILE_LENGTHS: u16 = 325;
const METADATA: u16 = 42_112;

/// Bytes after the last block, which repeat its last ones.
const TRAILER: u64 = 4;

/// What the head of a tile says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TileHead {
    /// Columns and rows.
    pub(crate) size: [u64; 2],
    /// Items of text, as XML.
    pub(crate) metadata: String,
    /// The length of the whole object.
    pub(crate) length: u64,
}

/// The bytes of a tile's head, with this many values along its longer side.
pub(crate) fn head_bytes(side: u32) -> u64 {
    let blocks = u64::from(side.div_ceil(512)).pow(2);
    // Offsets and lengths of blocks, and those of overviews; directories and metadata.
    8192 + 12 * (blocks + blocks / 3 + 16)
}

/// Bytes with the numbers of a TIFF in them.
struct Bytes<'a> {
    bytes: &'a [u8],
    big: bool,
}

/// A field of a directory.
struct Field {
    tag: u16,
    kind: u16,
    count: u64,
    /// Where its value stands, or where the offset of its values does.
    value: u64,
}

impl TileHead {
    /// Reads the first bytes of an object.
    ///
    /// # Errors
    /// When they are not those of a tile, as the message.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, &'static str> {
        let big = match bytes.get(..4) {
            Some(b"II\x2a\x00") => false,
            Some(b"II\x2b\x00") => true,
            Some(_) => return Err("it is not a TIFF"),
            None => return Err("it is empty, or nearly so"),
        };
        let bytes = Bytes { bytes, big };
        let directory = bytes.offset(if big { 8 } else { 4 }).ok_or("it ends within its head")?;
        bytes.read(directory).ok_or("its head is damaged, or it ends there")
    }
}

impl Bytes<'_> {
    fn read(&self, directory: u64) -> Option<TileHead> {
        let (count, mut at) = match self.big {
            false => (u64::from(self.short(directory)?), directory.checked_add(2)?),
            true => (self.long(directory)?, directory.checked_add(8)?),
        };
        let mut head = TileHead { size: [0; 2], metadata: String::new(), length: 0 };
        let (mut offsets, mut lengths) = (None, None);
        // A tile's directory has about twenty fields.
        for _ in 0..count.min(64) {
            let field = self.field(at)?;
            at = at.checked_add(if self.big { 20 } else { 12 })?;
            match field.tag {
                WIDTH => head.size[0] = self.number(&field, 0)?,
                DEPTH => head.size[1] = self.number(&field, 0)?,
                TILE_OFFSETS => offsets = Some(field),
                TILE_LENGTHS => lengths = Some(field),
                METADATA => {
                    let from = self.values(&field)?;
                    let text = self.bytes.get(usize::try_from(from).ok()?..)?;
                    head.metadata =
                        String::from_utf8_lossy(text.get(..usize::try_from(field.count).ok()?)?).into();
                }
                _ => {}
            }
        }
        let (offsets, lengths) = (offsets?, lengths?);
        let last = offsets.count.min(lengths.count).checked_sub(1)?;
        // Blocks lie row by row, and those of the image come after those of all overviews.
        let end = self.number(&offsets, last)?.checked_add(self.number(&lengths, last)?)?;
        head.length = end.checked_add(TRAILER)?;
        Some(head)
    }

    fn field(&self, at: u64) -> Option<Field> {
        let (tag, kind) = (self.short(at)?, self.short(at.checked_add(2)?)?);
        let count = self.offset(at.checked_add(4)?)?;
        let value = at.checked_add(if self.big { 12 } else { 8 })?;
        Some(Field { tag, kind, count, value })
    }

    /// Where a field's values stand.
    fn values(&self, field: &Field) -> Option<u64> {
        let bytes = match field.kind {
            2 => 1,
            3 => 2,
            4 => 4,
            16 => 8,
            _ => return None,
        };
        let is_inside = field.count.checked_mul(bytes)? <= if self.big { 8 } else { 4 };
        if is_inside { Some(field.value) } else { self.offset(field.value) }
    }

    /// One of a field's values.
    fn number(&self, field: &Field, index: u64) -> Option<u64> {
        let from = self.values(field)?;
        (index < field.count).then_some(())?;
        match field.kind {
            3 => self.short(from.checked_add(index.checked_mul(2)?)?).map(u64::from),
            4 => self.word(from.checked_add(index.checked_mul(4)?)?),
            16 => self.long(from.checked_add(index.checked_mul(8)?)?),
            _ => None,
        }
    }

    fn offset(&self, at: u64) -> Option<u64> {
        if self.big { self.long(at) } else { self.word(at) }
    }

    fn short(&self, at: u64) -> Option<u16> {
        self.at(at).map(u16::from_le_bytes)
    }

    fn word(&self, at: u64) -> Option<u64> {
        self.at(at).map(|bytes| u64::from(u32::from_le_bytes(bytes)))
    }

    fn long(&self, at: u64) -> Option<u64> {
        self.at(at).map(u64::from_le_bytes)
    }

    fn at<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        let at = usize::try_from(at).ok()?;
        self.bytes.get(at..at.checked_add(N)?)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upland_core::Work;
    use upland_core::formats::cog::{CogImage, CogSamples, encode};

    fn tile(side: usize, hash: &str) -> Vec<u8> {
        let heights: Vec<f32> = (0..side * side).map(|index| (index % 977) as f32).collect();
        let samples = CogSamples::Heights(&heights);
        let metadata = [("UPLAND_PLAN".to_owned(), hash.to_owned())];
        let image =
            CogImage { width: side, depth: side, samples, place: None, nodata: None, metadata: &metadata };
        encode(&image, &Work::new()).unwrap()
    }

    #[test]
    fn the_head_of_a_tile_says_how_long_it_is() {
        for side in [64, 512, 1100] {
            let tile = tile(side, "abc123");
            let beginning = &tile[..tile.len().min(head_bytes(side as u32) as usize)];
            let head = TileHead::read(beginning).unwrap();
            assert_eq!((head.size, head.length), ([side as u64; 2], tile.len() as u64));
            assert!(head.metadata.contains("abc123"), "{}", head.metadata);
        }
    }

    #[test]
    fn damaged_heads_are_refused_and_none_panics() {
        let tile = tile(600, "abc");
        assert_eq!(TileHead::read(b""), Err("it is empty, or nearly so"));
        assert_eq!(TileHead::read(b"<html></html>"), Err("it is not a TIFF"));
        let whole = TileHead::read(&tile).unwrap();
        for end in 0..2000 {
            // A head that is cut off is refused, or has nothing wrong in what is left.
            if let Ok(head) = TileHead::read(&tile[..end]) {
                assert_eq!(head.length, whole.length);
            }
        }
        let mut changed = tile.clone();
        for at in 0..1500 {
            for byte in [0, 1, 0x7f, 0xff] {
                let before = std::mem::replace(&mut changed[at], byte);
                _ = TileHead::read(&changed);
                changed[at] = before;
            }
        }
    }
}
