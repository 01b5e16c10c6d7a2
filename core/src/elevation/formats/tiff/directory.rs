//! The directories of a TIFF (TIFF 6.0, section 2; BigTIFF): their tags and values. Values are read only when
//! they are needed, so that a broken tag that isn't needed does no harm.

use super::error::cut_short;
use super::tag;
use super::tag::MASK;
use crate::elevation::formats::label::Label;
use crate::error::Result;
use crate::files::ReadAt;

/// The most bytes that the values of a tag may have.
const MOST_BYTES: u64 = 256 << 20;
/// The most directories that are read: the image, its mask and their overviews come first.
const MOST_DIRECTORIES: usize = 64;

/// The tag for the places of directories inside one.
const SUB_DIRECTORIES: u16 = 330;

/// A directory: the tags of one image.
pub(super) struct Directory<'a> {
    label: Label<'a>,
    bytes: &'a dyn ReadAt,
    pub(super) little: bool,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    tag: u16,
    kind: u16,
    count: u64,
    /// Where the values lie in the file.
    place: u64,
}

impl Entry {
    /// The entry of a directory whose bytes lie at `place` of the file.
    fn parse((little, big): (bool, bool), bytes: &[u8], place: u64) -> Self {
        let (count, value) = bytes[4..].split_at(if big { 8 } else { 4 });
        let count = number(little, count);
        let mut found = Self {
            tag: number(little, &bytes[..2]) as u16,
            kind: number(little, &bytes[2..4]) as u16,
            count,
            place: 0,
        };
        // Values that fit stand in the entry itself, in place of their offset.
        let inside = found.size().saturating_mul(count) <= value.len() as u64;
        found.place = if inside {
            place.saturating_add((bytes.len() - value.len()) as u64)
        } else {
            number(little, value)
        };
        found
    }

    /// Bytes of a value.
    fn size(self) -> u64 {
        match self.kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            _ => 8,
        }
    }
}

impl<'a> Directory<'a> {
    /// All directories of a file, the main image first, those inside it (SubIFDs) last, and a line on the
    /// first that cannot be read: it ends the list, but the image can still be read.
    ///
    /// # Errors
    /// When it is not a TIFF, when its first directory cannot be read, or when one that claims to be a mask
    /// cannot be read.
    pub(super) fn all(label: Label<'a>, bytes: &'a dyn ReadAt) -> Result<(Vec<Self>, Option<String>)> {
        let mut head = [0; 16];
        let count = label.len.min(16) as usize;
        read(label, bytes, 0, &mut head[..count])?;
        let little = match &head[..2] {
            b"II" => true,
            b"MM" => false,
            _ => return Err(no_tiff(label)),
        };
        let big = match number(little, &head[2..4]) {
            // 42 is TIFF 6.0, 43 BigTIFF.
            42 => false,
            43 => true,
            _ => return Err(no_tiff(label)),
        };
        let mut next = if big { number(little, &head[8..16]) } else { number(little, &head[4..8]) };
        let mut seen = Vec::new();
        let mut all = Vec::new();
        let mut note = None;
        // A chain may lead back to itself in a made-up file.
        while next != 0 && !seen.contains(&next) && all.len() < MOST_DIRECTORIES {
            seen.push(next);
            match Self::read(label, bytes, (little, big), next) {
                Ok((directory, behind)) => {
                    all.push(directory);
                    next = behind;
                }
                // Without its mask, what has no data would become ground.
                Err(error) if all.is_empty() || begins_as_mask(bytes, (little, big), next) => {
                    return Err(error);
                }
                Err(_) => {
                    note = Some(format!(
                        "its image {} (a mask, a smaller copy or another image) is damaged and ignored",
                        all.len() + 1
                    ));
                    break;
                }
            }
        }
        let Some(first) = all.first() else { return Err(cut_short(label, "it has no directory")) };
        // Some programs store masks inside the image that they belong to.
        for place in first.numbers(SUB_DIRECTORIES).ok().flatten().unwrap_or_default() {
            if all.len() >= MOST_DIRECTORIES || seen.contains(&place) {
                break;
            }
            seen.push(place);
            match Self::read(label, bytes, (little, big), place) {
                Ok((directory, _)) => all.push(directory),
                Err(_) => {
                    note.get_or_insert(
                        "an image inside its own (a SubIFD) is damaged and ignored".to_owned(),
                    );
                }
            }
        }
        Ok((all, note))
    }

    /// The directory at `place`, and where the next one is.
    fn read(
        label: Label<'a>,
        bytes: &'a dyn ReadAt,
        (little, big): (bool, bool),
        place: u64,
    ) -> Result<(Self, u64)> {
        let (count_bytes, entry_bytes, next_bytes) = if big { (8, 20, 8) } else { (2, 12, 4) };
        let mut count = [0; 8];
        read(label, bytes, place, &mut count[..count_bytes])?;
        let count = number(little, &count[..count_bytes]);
        if count > 65_535 {
            return Err(cut_short(label, &format!("a directory of {count} tags")));
        }
        let mut table = vec![0; count as usize * entry_bytes + next_bytes];
        let first = place.saturating_add(count_bytes as u64);
        read(label, bytes, first, &mut table)?;
        let (table, next) = table.split_at(count as usize * entry_bytes);
        let entries = table.chunks_exact(entry_bytes).enumerate();
        let entries = entries
            .map(|(index, entry)| Entry::parse((little, big), entry, first + (index * entry_bytes) as u64));
        let entries = entries.collect();
        Ok((Self { label, bytes, little, entries }, number(little, next)))
    }

    /// Whether it has a tag.
    pub(super) fn has(&self, tag: u16) -> bool {
        self.entries.iter().any(|entry| entry.tag == tag)
    }

    fn values(&self, tag: u16) -> Result<Option<(Entry, Vec<u8>)>> {
        let Some(&entry) = self.entries.iter().find(|entry| entry.tag == tag) else { return Ok(None) };
        let size = entry.size().saturating_mul(entry.count);
        // Before memory is taken for them.
        if size > MOST_BYTES.min(self.label.len.saturating_sub(entry.place)) {
            return Err(cut_short(self.label, &format!("the values of tag {tag} are not in the file")));
        }
        let mut values = vec![0; size as usize];
        read(self.label, self.bytes, entry.place, &mut values)?;
        Ok(Some((entry, values)))
    }

    /// The whole numbers of a tag.
    ///
    /// # Errors
    /// When they are not in the file or not whole numbers.
    pub(super) fn numbers(&self, tag: u16) -> Result<Option<Vec<u64>>> {
        let Some((entry, values)) = self.values(tag)? else { return Ok(None) };
        match entry.kind {
            1 | 3 | 4 | 13 | 16 | 18 => {
                let size = entry.size() as usize;
                Ok(Some(values.chunks_exact(size).map(|value| number(self.little, value)).collect()))
            }
            // Some programs write signed numbers for values that are never negative.
            6 | 8 | 9 | 17 => {
                let size = entry.size() as usize;
                let is_negative = |value: &[u8]| {
                    let last = if self.little { value.last() } else { value.first() };
                    last.is_some_and(|byte| byte & 0x80 != 0)
                };
                if values.chunks_exact(size).any(is_negative) {
                    return Err(cut_short(self.label, &format!("tag {tag} has a number below 0")));
                }
                Ok(Some(values.chunks_exact(size).map(|value| number(self.little, value)).collect()))
            }
            kind => Err(cut_short(self.label, &format!("tag {tag} has values of type {kind}"))),
        }
    }

    /// The first whole number of a tag.
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers).
    pub(super) fn first(&self, tag: u16) -> Result<Option<u64>> {
        Ok(self.numbers(tag)?.and_then(|numbers| numbers.first().copied()))
    }

    /// The numbers of a tag that holds floats, or whole numbers instead; none if it holds anything else.
    ///
    /// # Errors
    /// When they are not in the file.
    pub(super) fn floats(&self, tag: u16) -> Result<Option<Vec<f64>>> {
        let Some((entry, values)) = self.values(tag)? else { return Ok(None) };
        Ok(match entry.kind {
            11 => {
                let bits = |value| f32::from_bits(number(self.little, value) as u32);
                Some(values.chunks_exact(4).map(|value| f64::from(bits(value))).collect())
            }
            12 => {
                Some(values.chunks_exact(8).map(|value| f64::from_bits(number(self.little, value))).collect())
            }
            // Some programs write whole values as integers.
            3 | 4 | 16 => {
                let size = entry.size() as usize;
                Some(values.chunks_exact(size).map(|value| number(self.little, value) as f64).collect())
            }
            _ => None,
        })
    }

    /// The bytes of a tag.
    ///
    /// # Errors
    /// When they are not in the file.
    pub(super) fn raw(&self, tag: u16) -> Result<Option<Vec<u8>>> {
        Ok(self.values(tag)?.map(|(_, values)| values))
    }

    /// The text of a tag, up to its first NUL.
    ///
    /// # Errors
    /// When it is not in the file.
    pub(super) fn text(&self, tag: u16) -> Result<Option<String>> {
        let text = |bytes: Vec<u8>| {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        Ok(self.raw(tag)?.map(text))
    }
}

/// Whether the first tag of a truncated directory says that it is a mask.
fn begins_as_mask(bytes: &dyn ReadAt, (little, big): (bool, bool), place: u64) -> bool {
    let (count_bytes, entry_bytes) = if big { (8, 20) } else { (2, 12) };
    let place = place.saturating_add(count_bytes);
    let mut entry = vec![0; entry_bytes];
    if bytes.read_exact_at(place, &mut entry).is_err() {
        return false;
    }
    let entry = Entry::parse((little, big), &entry, place);
    // By its type: a number of 16 bits lies in the first half of the four bytes, also in a big-endian file.
    let mut value = vec![0; entry.size() as usize];
    entry.tag == tag::SUBFILE
        && bytes.read_exact_at(entry.place, &mut value).is_ok()
        && number(little, &value) & MASK != 0
}

/// An unsigned number of up to 8 bytes.
fn number(little: bool, bytes: &[u8]) -> u64 {
    let join = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) }
}

fn read(label: Label, bytes: &dyn ReadAt, place: u64, out: &mut [u8]) -> Result<()> {
    bytes.read_exact_at(place, out).map_err(|error| label.io_error(error))
}

fn no_tiff(label: Label) -> crate::error::Error {
    label.error("this is not a TIFF, although its extension says so")
}
