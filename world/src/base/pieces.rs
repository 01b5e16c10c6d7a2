//! Parts of a base's fields, read from its pieces.

use std::sync::Arc;

use glam::Vec2;
use sha2::{Digest, Sha256};
use upland_core::build::{StoredField, StoredGround};
use upland_core::compute::recently_used::RecentlyUsed;
use upland_core::water::RiverBed;
use upland_core::{Error, Result, Work};

use super::list::{
    BASE, BaseList, FieldList, GroundList, PIECE, RiverBedList, damaged, piece_key, river_key,
};
use crate::plan::hex;
use crate::store::Store;

/// Bytes of pieces that are kept: of twenty, of 4 MiB each. A block of a tile with its surroundings lies on
/// nine or fewer, and shares half of them with the next one.
const KEPT_BYTES: usize = 81 << 20;

/// A piece: of which field, its column and its row.
type Place = (usize, [u32; 2]);

/// The grounds of a base, each after how many groups of steps, to be read from their objects.
pub(crate) fn grounds_of(list: BaseList, store: &Arc<Store>) -> Vec<(usize, Arc<dyn StoredGround>)> {
    let grounds = list.grounds.into_iter().enumerate().map(|(number, ground)| {
        let groups = ground.groups;
        (groups, Arc::new(Pieces::new(number, ground, store.clone())) as Arc<dyn StoredGround>)
    });
    grounds.collect()
}

/// All of a land after some of its steps, in pieces.
struct Pieces {
    number: usize,
    list: GroundList,
    store: Arc<Store>,
    kept: RecentlyUsed<Place, Vec<f32>>,
}

impl Pieces {
    fn new(number: usize, list: GroundList, store: Arc<Store>) -> Self {
        Self { number, list, store, kept: RecentlyUsed::new(KEPT_BYTES) }
    }

    fn piece(&self, field: usize, place: [u32; 2]) -> Result<Arc<Vec<f32>>> {
        if let Some(known) = self.kept.get(&(field, place)) {
            return Ok(known);
        }
        // Read without a lock: two threads may read the same piece, and neither waits for the other.
        let read = Arc::new(self.read(field, place)?);
        self.kept.put((field, place), &read, 4 * read.len());
        Ok(read)
    }

    fn read(&self, number: usize, place: [u32; 2]) -> Result<Vec<f32>> {
        let field = &self.list.fields[number];
        let key = piece_key(self.number, number, place);
        let [width, depth] = field.size_of(place).map(u64::from);
        let [columns, _] = field.counts();
        let expected = field.pieces.get((place[1] * columns + place[0]) as usize);
        self.floats(&key, 4 * width * depth, expected)
    }

    /// All numbers of an object of this many bytes and with this SHA-256.
    fn floats(&self, key: &str, length: u64, expected: Option<&String>) -> Result<Vec<f32>> {
        let Some(bytes) = self.store.get_range(key, 0, length)? else {
            return Err(self.store.error(key, "is missing; run `upland work --pass base` again"));
        };
        if bytes.len() as u64 != length || Some(&hex(&Sha256::digest(&bytes))) != expected {
            return Err(self.store.error(key, damaged("its bytes are not those that were written")));
        }
        let values =
            bytes.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        Ok(values.collect())
    }

    fn river_bed(&self, river: usize, list: &RiverBedList) -> Result<RiverBed> {
        let key = river_key(self.list.groups, river);
        let values = self.floats(&key, list.bytes(), Some(&list.line))?;
        if !values.iter().all(|value| value.is_finite()) {
            return Err(self.store.error(&key, damaged("a point is not finite")));
        }
        let line = values.chunks_exact(2).map(|point| Vec2::new(point[0], point[1])).collect();
        Ok(RiverBed { line, half: list.half, bank: list.bank })
    }
}

impl StoredGround for Pieces {
    fn part(&self, field: &StoredField, first: [u32; 2], size: [u32; 2], work: &Work) -> Result<Vec<f32>> {
        let name = field.to_string();
        let Some((number, list)) = self.list.fields.iter().enumerate().find(|(_, field)| field.name == name)
        else {
            return Err(self.store.error(BASE, damaged(&format!("it has no {name}"))));
        };
        check(list, first, size)?;
        let [width, depth] = size.map(|side| side as usize);
        let mut part = vec![0.0; width * depth];
        let last = [0, 1].map(|axis| (first[axis] + size[axis] - 1) / PIECE);
        for row in first[1] / PIECE..=last[1] {
            for column in first[0] / PIECE..=last[0] {
                work.check()?;
                let piece = self.piece(number, [column, row])?;
                copy(&piece, list, [column, row], (&mut part, first, size));
            }
        }
        Ok(part)
    }

    fn river_beds(&self, work: &Work) -> Result<Option<Vec<RiverBed>>> {
        let Some(beds) = &self.list.river_beds else { return Ok(None) };
        let beds = beds.iter().enumerate().map(|(river, list)| {
            work.check()?;
            self.river_bed(river, list)
        });
        beds.collect::<Result<_>>().map(Some)
    }

    fn range(&self) -> (f32, f32) {
        (self.list.lowest, self.list.highest)
    }
}

fn check(list: &FieldList, first: [u32; 2], size: [u32; 2]) -> Result<()> {
    let is_inside = |axis: usize| {
        let end = u64::from(first[axis]) + u64::from(size[axis]);
        size[axis] > 0 && end <= u64::from(list.size[axis])
    };
    if is_inside(0) && is_inside(1) {
        return Ok(());
    }
    let reason = format!("{first:?} to {size:?} more are not within the {:?} values of the base", list.size);
    Err(Error::parameter("window", reason))
}

/// Copies what a piece has of a part.
fn copy(
    piece: &[f32],
    list: &FieldList,
    place: [u32; 2],
    (part, first, size): (&mut [f32], [u32; 2], [u32; 2]),
) {
    let own = list.size_of(place);
    let corner = place.map(|number| number * PIECE);
    let from = [0, 1].map(|axis| first[axis].max(corner[axis]));
    let end = [0, 1].map(|axis| (first[axis] + size[axis]).min(corner[axis] + own[axis]));
    let width = (end[0] - from[0]) as usize;
    for row in from[1]..end[1] {
        let source = (row - corner[1]) as usize * own[0] as usize + (from[0] - corner[0]) as usize;
        let target = (row - first[1]) as usize * size[0] as usize + (from[0] - first[0]) as usize;
        part[target..][..width].copy_from_slice(&piece[source..][..width]);
    }
}
