//! Terrain-type maps: pictures that say which type lies where.
//!
//! Such a picture is either a palette image, whose indices are the types' ids, or it comes with a table of
//! colours, one for each id. After "Import of Bitmaps".

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::compute::work::Work;
use crate::elevation::formats::{self, Coloured, Levels};
use crate::error::{Error, Result};
use crate::grid::Grid;
use crate::grid::memory;
use crate::resize::duplicate_ids;
use crate::steps::filter::{Border, majority_of_many};

/// The number of possible ids: 0 to 65535.
const MOST_IDS: usize = 1 << 16;

/// The most unknown colours that an error names.
const NAMED: usize = 8;

/// The id of a terrain type for every pixel of a map.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TypeMap {
    width: usize,
    depth: usize,
    ids: Vec<u16>,
}

impl TypeMap {
    /// A map of `width × depth` ids, row by row from the north-west.
    ///
    /// # Errors
    /// When the number of ids is different, or 0.
    pub fn new(width: usize, depth: usize, ids: Vec<u16>) -> Result<Self> {
        if ids.is_empty() || width.checked_mul(depth) != Some(ids.len()) {
            let reason = format!("do not match the {} ids given", ids.len());
            return Err(Error::Size { width, depth, reason });
        }
        Ok(Self { width, depth, ids })
    }

    /// Reads a PNG or a BMP. Where `table` is empty it must be a palette image, whose indices are the ids, or
    /// a grey PNG of 16 bits, whose levels are the ids; otherwise id n is the n-th colour (red, green, blue)
    /// of the table.
    ///
    /// # Errors
    /// When the file cannot be read, or has colours that are not in the table: the message names them
    /// and how many pixels have each.
    pub fn read(path: impl AsRef<Path>, table: &[[u8; 3]]) -> Result<Self> {
        Self::read_painted(path, &[table])
    }

    /// As [`read`](Self::read), from bytes in memory; messages call them `name`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_bytes(name: impl AsRef<Path>, bytes: &[u8], table: &[[u8; 3]]) -> Result<Self> {
        Self::read_painted_bytes(name, bytes, &[table])
    }

    /// As [`read`](Self::read), for a picture that was painted with several palettes: id n is the n-th colour
    /// of any of the tables.
    ///
    /// # Errors
    /// As [`read`](Self::read), and when two tables have a colour for different ids.
    pub fn read_painted(path: impl AsRef<Path>, tables: &[&[[u8; 3]]]) -> Result<Self> {
        let path = path.as_ref();
        if tables.iter().all(|table| table.is_empty()) {
            return Self::from_levels(path, formats::read_levels(path)?);
        }
        Self::from_colours(path, &formats::read_colours(path)?, tables)
    }

    /// As [`read_painted`](Self::read_painted), from bytes in memory; messages call them `name`.
    ///
    /// # Errors
    /// As [`read_painted`](Self::read_painted).
    pub fn read_painted_bytes(name: impl AsRef<Path>, bytes: &[u8], tables: &[&[[u8; 3]]]) -> Result<Self> {
        let name = name.as_ref();
        if tables.iter().all(|table| table.is_empty()) {
            return Self::from_levels(name, formats::read_levels_from_bytes(name, bytes)?);
        }
        Self::from_colours(name, &formats::read_colours_from_bytes(name, bytes)?, tables)
    }

    fn from_levels(name: &Path, levels: Levels) -> Result<Self> {
        let Levels { width, depth, levels } = levels;
        Self::new(width, depth, levels).map_err(|error| Error::file(name, error.to_string()))
    }

    fn from_colours(name: &Path, image: &Coloured, tables: &[&[[u8; 3]]]) -> Result<Self> {
        let mut id_of: HashMap<[u8; 3], u16> = HashMap::new();
        for table in tables {
            if table.len() > MOST_IDS {
                let reason = format!("has {} colours; give at most {MOST_IDS}", table.len());
                return Err(Error::parameter("colours", reason));
            }
            let mut of_table = HashMap::new();
            for (id, &colour) in table.iter().enumerate() {
                // Where a palette lists a colour twice, its first id counts.
                of_table.entry(colour).or_insert(id as u16);
            }
            // Compared only when the table is complete, as repeated colours have their first id.
            for (id, &[red, green, blue]) in table.iter().enumerate() {
                let colour = [red, green, blue];
                let id_here = of_table.get(&colour).copied().unwrap_or(id as u16);
                let known = *id_of.entry(colour).or_insert(id_here);
                if known != id_here {
                    let reason = format!(
                        "#{red:02x}{green:02x}{blue:02x} is id {known} in one palette and id {id_here} in another; \
                         give it the same place in both, or repaint one"
                    );
                    return Err(Error::parameter("palettes", reason));
                }
            }
        }
        // All are collected, since a message that names one at a time is tedious.
        let mut strangers = HashMap::new();
        let mut ids = Vec::with_capacity(image.colours.len());
        for &colour in &image.colours {
            match id_of.get(&colour) {
                Some(&id) => ids.push(id),
                None => *strangers.entry(colour).or_insert(0usize) += 1,
            }
        }
        if !strangers.is_empty() {
            let reason = format!("{}; add them to the table, or repaint them", list_strangers(strangers));
            return Err(Error::file(name, reason));
        }
        Self::new(image.width, image.depth, ids)
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The ids, row by row from the north-west.
    pub fn ids(&self) -> &[u16] {
        &self.ids
    }

    /// The ids that occur, ascending, and how many pixels have each.
    pub fn counts(&self) -> BTreeMap<u16, usize> {
        // An array of all ids: indexing it is many times as fast as a map for each pixel.
        let mut counts = vec![0usize; MOST_IDS];
        self.ids.iter().for_each(|&id| counts[usize::from(id)] += 1);
        (0..=u16::MAX).zip(counts).filter(|(_, count)| *count > 0).collect()
    }

    /// The map with every pixel as a block of `scale × scale` cells, whose corners a majority filter then
    /// rounds. The filter's window has `window` cells a side, an odd number; 1 leaves the corners.
    ///
    /// # Errors
    /// When it would be too large, when `window` is even or outside 1 to 255, and
    /// [`Error::Cancelled`].
    pub fn enlarged(&self, scale: u32, window: u32, work: &Work) -> Result<Self> {
        let [width, depth] = [self.width, self.depth].map(|side| side.saturating_mul(scale as usize));
        let grid = Grid::new(width, depth, 1.0)?;
        memory::require(grid, 2 * if window == 1 { 1 } else { 2 } * grid.count() as u64)?;
        let ids = duplicate_ids(&self.ids, [self.width, self.depth], [width, depth], work)?;
        let ids = if window == 1 {
            ids
        } else {
            majority_of_many(&ids, width, depth, window, Border::Clamp, work)?
        };
        Self::new(width, depth, ids)
    }
}

/// Describes colours and how many pixels have each, the most frequent first.
fn list_strangers(strangers: HashMap<[u8; 3], usize>) -> String {
    let mut strangers: Vec<_> = strangers.into_iter().collect();
    // The commonest first, then by colour: a hash map has no order of its own.
    strangers.sort_by_key(|&(colour, count)| (std::cmp::Reverse(count), colour));
    let name = |&([red, green, blue], count): &([u8; 3], usize)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("#{red:02x}{green:02x}{blue:02x} ({count} pixel{plural})")
    };
    let named: Vec<String> = strangers.iter().take(NAMED).map(name).collect();
    let more = match strangers.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let fact =
        if strangers.len() == 1 { "1 colour is".into() } else { format!("{} colours are", strangers.len()) };
    format!("{fact} not in the table of terrain types: {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/world_types_64");

    #[test]
    fn indices_and_the_table_of_their_colours_give_one_map() {
        let palette = formats::read_indices(format!("{WORLD}.png")).unwrap().palette;
        for extension in ["png", "bmp"] {
            let path = format!("{WORLD}.{extension}");
            let by_index = TypeMap::read(&path, &[]).unwrap();
            let by_colour = TypeMap::read(&path, &palette).unwrap();
            assert_eq!(by_index, by_colour);
            assert_eq!(by_index.counts().values().sum::<usize>(), 64 * 64);
        }
    }

    #[test]
    fn colours_that_are_not_in_the_table_are_named_and_counted() {
        let image = Coloured { width: 3, depth: 1, colours: vec![[255, 0, 0], [1, 2, 3], [255, 0, 0]] };
        let say = |table: &[[u8; 3]]| {
            TypeMap::from_colours(Path::new("map.png"), &image, &[table]).unwrap_err().to_string()
        };
        assert_eq!(
            say(&[[0, 0, 0]]),
            "map.png: 2 colours are not in the table of terrain types: #ff0000 (2 pixels), \
             #010203 (1 pixel); add them to the table, or repaint them"
        );
        assert!(
            say(&[[255, 0, 0]]).contains("1 colour is not in the table of terrain types: #010203 (1 pixel)")
        );
        let many = Coloured { width: 20, depth: 1, colours: (0..20).map(|n| [n, 0, 0]).collect() };
        let error =
            TypeMap::from_colours(Path::new("map.png"), &many, &[&[[0, 9, 0]]]).unwrap_err().to_string();
        assert!(error.contains("and 12 more"), "{error}");
    }

    #[test]
    fn a_colour_of_any_palette_stands_for_its_id_there() {
        let image =
            Coloured { width: 4, depth: 1, colours: vec![[9, 0, 0], [0, 9, 0], [7, 7, 7], [0, 0, 5]] };
        let read = |tables: &[&[[u8; 3]]]| TypeMap::from_colours(Path::new("map.png"), &image, tables);
        let (summer, winter): ([[u8; 3]; 2], [[u8; 3]; 3]) =
            ([[9, 0, 0], [0, 9, 0]], [[7, 7, 7], [0, 9, 0], [0, 0, 5]]);
        assert_eq!(read(&[&summer, &winter]).unwrap().ids(), [0, 1, 0, 2]);
        let said = read(&[&summer, &winter, &[[0, 9, 0]]]).unwrap_err().to_string();
        assert_eq!(
            said,
            "palettes: #00ff00 is id 1 in one palette and id 0 in another; give it the same place in both, or repaint \
             one"
                .replace("00ff00", "000900")
        );
        assert!(read(&[&summer]).unwrap_err().to_string().contains("2 colours are not in the table"));
    }

    #[test]
    fn an_enlarged_map_has_the_same_types_and_rounder_corners() {
        let map = TypeMap::read(format!("{WORLD}.png"), &[]).unwrap();
        let blocks = map.enlarged(4, 1, &Work::new()).unwrap();
        let times_16: BTreeMap<_, _> = map.counts().into_iter().map(|(id, count)| (id, 16 * count)).collect();
        assert_eq!(blocks.counts(), times_16);
        let rounded = map.enlarged(4, 5, &Work::new()).unwrap();
        assert_ne!(rounded, blocks);
        assert!(rounded.counts().keys().all(|id| map.counts().contains_key(id)));
    }

    #[test]
    fn a_grey_picture_of_16_bits_has_as_many_types_as_levels() {
        let levels: Vec<u16> = vec![0, 1, 255, 256, 40_000, 65_535];
        let mut bytes = Vec::new();
        let picture = image::ImageBuffer::<image::Luma<u16>, _>::from_raw(3, 2, levels.clone()).unwrap();
        picture.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
        let map = TypeMap::read_bytes("map.png", &bytes, &[]).unwrap();
        assert_eq!((map.width(), map.depth(), map.ids()), (3, 2, &levels[..]));
        assert_eq!(
            map.counts().into_iter().collect::<Vec<_>>(),
            levels.iter().map(|&id| (id, 1)).collect::<Vec<_>>()
        );
        assert_eq!(map.enlarged(3, 3, &Work::new()).unwrap().counts().len(), 6);
        // A grey picture of 8 bits is refused: it might be one of heights, or of colours.
        let grey = image::GrayImage::from_pixel(2, 2, image::Luma([7]));
        let mut bytes = Vec::new();
        grey.write_to(&mut std::io::Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
        assert!(TypeMap::read_bytes("map.png", &bytes, &[]).unwrap_err().to_string().contains("palette"));
    }

    #[test]
    fn impossible_maps_are_refused() {
        assert!(TypeMap::new(2, 2, vec![0; 3]).is_err());
        assert!(TypeMap::new(0, 0, vec![]).is_err());
        let map = TypeMap::new(2, 2, vec![0; 4]).unwrap();
        assert!(map.enlarged(2, 4, &Work::new()).is_err());
        assert!(map.enlarged(0, 1, &Work::new()).is_err());
        assert!(map.enlarged(u32::MAX, 1, &Work::new()).is_err());
    }
}
