//! The table of resident tiles in a form that shaders can read: a hash table from tiles to slots, and the
//! errors of each slot's chunks. Vertices and fragments find every height and colour through it. Twin of
//! `shaders/land.wgsl`.

use std::ops::Range;

use super::chunk::CHUNKS_OF_ROOT;
use crate::stream::tile::LandTile;

/// Entries in a row of the texture that the table is uploaded to.
pub const TABLE_WIDTH: usize = 64;

/// The neighbour to the west is not resident.
pub const OPEN_WEST: u32 = 1;
/// The neighbour to the north is not resident.
pub const OPEN_NORTH: u32 = 2;
/// The neighbour to the north-west is not resident.
pub const OPEN_NORTH_WEST: u32 = 4;

/// Added to a level where it is stored, so that an entry in use is never 0.
const LEVEL_BIAS: i32 = 64;

/// A resident tile's entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// The tile.
    pub tile: LandTile,
    /// Its slot, below 2¹⁶.
    pub slot: u32,
    /// [`OPEN_WEST`], [`OPEN_NORTH`], [`OPEN_NORTH_WEST`].
    pub open: u32,
    /// From 0, just arrived and drawn like its parent, to 1, drawn as itself.
    pub fade: f32,
}

impl Entry {
    fn pack(self) -> [u32; 4] {
        let level = (self.tile.level + LEVEL_BIAS) as u32;
        let packed = (level << 24) | (self.open << 16) | self.slot;
        [self.tile.column as u32, self.tile.row as u32, packed, self.fade.to_bits()]
    }

    fn unpack([column, row, packed, fade]: [u32; 4]) -> Self {
        Self {
            tile: LandTile {
                level: (packed >> 24) as i32 - LEVEL_BIAS,
                column: column as i32,
                row: row as i32,
            },
            slot: packed & 0xffff,
            open: (packed >> 16) & 7,
            fade: f32::from_bits(fade),
        }
    }
}

/// An entry without a tile.
const EMPTY: [u32; 4] = [0; 4];

/// The table of resident tiles. It has at least twice as many entries as there are slots, so that searches
/// are short.
#[derive(Clone, Debug)]
pub struct Table {
    entries: Vec<[u32; 4]>,
    errors: Vec<f32>,
    changed_entries: ChangedRange,
    changed_errors: ChangedRange,
}

impl Table {
    /// A table for this many slots, at most 2¹⁶.
    pub fn new(slots: usize) -> Self {
        let count = (2 * slots).next_power_of_two().max(TABLE_WIDTH);
        Self {
            entries: vec![EMPTY; count],
            errors: vec![0.0; slots * CHUNKS_OF_ROOT],
            changed_entries: ChangedRange::default(),
            changed_errors: ChangedRange::default(),
        }
    }

    /// The entries as they are uploaded, [`TABLE_WIDTH`] a row: columns, rows, levels with slots, fades.
    pub fn entries(&self) -> &[[u32; 4]] {
        &self.entries
    }

    /// Its bytes on the device.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.errors)
    }

    /// The errors of the chunks of each slot, [`CHUNKS_OF_ROOT`] each, metres; only slots of coarsest tiles
    /// have errors for chunks that are coarser than their tile.
    pub fn errors(&self) -> &[f32] {
        &self.errors
    }

    /// The rows of entries, of [`TABLE_WIDTH`], and the slots whose errors have changed since the last call.
    pub fn take_changes(&mut self) -> (Range<usize>, Range<usize>) {
        (self.changed_entries.take(), self.changed_errors.take())
    }

    fn hash(&self, tile: LandTile) -> usize {
        // The primes of xxHash32. The shader computes the same hash, so it uses 32 bits only.
        let mut hash = (tile.column as u32).wrapping_mul(0x9E37_79B1)
            ^ (tile.row as u32).wrapping_mul(0x85EB_CA77)
            ^ (tile.level as u32).wrapping_mul(0xC2B2_AE3D);
        hash = (hash ^ (hash >> 15)).wrapping_mul(0x2C1B_3C6D);
        (hash ^ (hash >> 13)) as usize & (self.entries.len() - 1)
    }

    /// The index of a tile's entry, or else where it would be put.
    fn place(&self, tile: LandTile) -> Result<usize, usize> {
        let mut place = self.hash(tile);
        // There is always an empty entry.
        loop {
            let entry = self.entries[place];
            if entry == EMPTY {
                return Err(place);
            }
            if Entry::unpack(entry).tile == tile {
                return Ok(place);
            }
            place = (place + 1) & (self.entries.len() - 1);
        }
    }

    /// A resident tile's entry.
    pub fn resident(&self, tile: LandTile) -> Option<Entry> {
        self.place(tile).ok().map(|place| Entry::unpack(self.entries[place]))
    }

    /// Inserts an entry, replacing that of the same tile.
    pub fn put(&mut self, entry: Entry) {
        let (Ok(place) | Err(place)) = self.place(entry.tile);
        self.write(place, entry.pack());
    }

    /// Removes a tile's entry.
    pub fn remove(&mut self, tile: LandTile) {
        let Ok(mut hole) = self.place(tile) else { return };
        let mask = self.entries.len() - 1;
        // Entries after the hole that would not be found across it are moved into it.
        let mut next = hole;
        loop {
            next = (next + 1) & mask;
            let entry = self.entries[next];
            if entry == EMPTY {
                break;
            }
            let home = self.hash(Entry::unpack(entry).tile);
            let past_home = next.wrapping_sub(home) & mask;
            // The hole lies between the entry's home and its place: a search from its home would end there.
            if past_home >= next.wrapping_sub(hole) & mask {
                self.write(hole, entry);
                hole = next;
            }
        }
        self.write(hole, EMPTY);
    }

    fn write(&mut self, place: usize, entry: [u32; 4]) {
        // Only real changes are uploaded.
        if self.entries[place] != entry {
            self.entries[place] = entry;
            self.changed_entries.add(place / TABLE_WIDTH);
        }
    }

    /// The error of a chunk of a slot, metres.
    pub fn error(&self, slot: u32, chunk: usize) -> f32 {
        self.errors[slot as usize * CHUNKS_OF_ROOT + chunk]
    }

    /// Sets the error of a chunk of a slot.
    pub fn set_error(&mut self, slot: u32, chunk: usize, error: f32) {
        let place = slot as usize * CHUNKS_OF_ROOT + chunk;
        if self.errors[place] != error {
            self.errors[place] = error;
            self.changed_errors.add(slot as usize);
        }
    }
}

/// The changed range: one that contains all changes.
#[derive(Clone, Debug, Default)]
struct ChangedRange(Option<Range<usize>>);

impl ChangedRange {
    fn add(&mut self, place: usize) {
        let range = self.0.get_or_insert(place..place + 1);
        *range = range.start.min(place)..range.end.max(place + 1);
    }

    fn take(&mut self) -> Range<usize> {
        self.0.take().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_table_holds_the_inserted_tiles_and_no_removed_ones(
            steps in prop::collection::vec((any::<bool>(), -2i32..3, -4i32..4, -4i32..4), 1..400),
        ) {
            let mut table = Table::new(100);
            let mut expected = HashMap::new();
            let mut uploaded = table.entries().to_vec();
            for (number, (is_put, level, column, row)) in steps.into_iter().enumerate() {
                let tile = LandTile { level, column, row };
                if is_put && expected.len() < 100 {
                    let entry = Entry { tile, slot: number as u32, open: number as u32 % 8, fade: 0.25 };
                    table.put(entry);
                    expected.insert(tile, entry);
                } else {
                    table.remove(tile);
                    expected.remove(&tile);
                }
                let (rows, _) = table.take_changes();
                let places = rows.start * TABLE_WIDTH..rows.end * TABLE_WIDTH;
                uploaded[places.clone()].copy_from_slice(&table.entries()[places]);
                prop_assert_eq!(&uploaded, table.entries());
            }
            for level in -2..3 {
                for (column, row) in (-4..4).flat_map(|row| (-4..4).map(move |column| (column, row))) {
                    let tile = LandTile { level, column, row };
                    prop_assert_eq!(table.resident(tile), expected.get(&tile).copied());
                }
            }
        }
    }

    #[test]
    fn the_farthest_tiles_keep_their_places() {
        let mut table = Table::new(4);
        for (level, column, row) in [(-20, i32::MAX, i32::MIN), (20, -1, 0), (-20, 0, 0)] {
            let entry = Entry { tile: LandTile { level, column, row }, slot: 0xffff, open: 7, fade: 1.0 };
            table.put(entry);
            assert_eq!(table.resident(entry.tile), Some(entry));
        }
    }

    #[test]
    fn changed_errors_are_reported_once() {
        let mut table = Table::new(8);
        table.set_error(3, 15, 2.5);
        table.set_error(5, 0, 1.0);
        assert_eq!((table.error(3, 15), table.error(3, 14)), (2.5, 0.0));
        assert_eq!(table.take_changes().1, 3..6);
        table.set_error(5, 0, 1.0);
        assert_eq!(table.take_changes().1, 0..0);
    }
}
