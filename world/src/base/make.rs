//! Makes a base and writes it.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use upland_core::build::{StoredField, StoredSummary};
use upland_core::water::RiverBed;
use upland_core::{Heightfield, Recipe, Result, Work};

use super::list::{BASE, BaseList, FieldList, GroundList, PIECE, RiverBedList, piece_key, river_key};
use crate::plan::{Plan, hex};
use crate::store::Store;

/// Makes the base of a plan and writes it. Returns the bytes of its objects.
///
/// # Errors
/// Those of the steps and of the store.
pub(crate) fn make(plan: &Plan, recipe: &Recipe, layers: &[&str], store: &Store, work: &Work) -> Result<u64> {
    let mut grounds: BTreeMap<usize, Vec<FieldList>> = BTreeMap::new();
    let mut written = 0;
    let mut put = |groups: usize, field: &StoredField, values: &Heightfield| {
        let ground = grounds.len() - usize::from(grounds.contains_key(&groups));
        let fields = grounds.entry(groups).or_default();
        let grid = values.grid();
        let size = [grid.width as u32, grid.depth as u32];
        let mut list = FieldList { name: field.to_string(), size, pieces: Vec::new() };
        let [columns, rows] = list.counts();
        for place in (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row])) {
            work.check()?;
            let bytes = bytes_of(values, &list, place);
            list.pieces.push(hex(&Sha256::digest(&bytes)));
            written += bytes.len() as u64;
            store.put(&piece_key(ground, fields.len(), place), bytes)?;
        }
        fields.push(list);
        Ok(())
    };
    let summaries = recipe.store_grounds(layers, plan.base_level(), work, &mut put)?;
    let mut list = BaseList { plan: plan.hash.clone(), grounds: Vec::new() };
    for (groups, StoredSummary { range: (lowest, highest), river_beds }) in summaries {
        // Where only the range is needed, there are no fields.
        let fields = grounds.remove(&groups).unwrap_or_default();
        let mut beds = Vec::new();
        for (river, bed) in river_beds.iter().flatten().enumerate() {
            let bytes = line_of(bed);
            let points = u32::try_from(bed.line.len())
                .map_err(|_| store.error(&river_key(groups, river), "has too many points"))?;
            let line = hex(&Sha256::digest(&bytes));
            beds.push(RiverBedList { half: bed.half, bank: bed.bank, points, line });
            written += bytes.len() as u64;
            store.put(&river_key(groups, river), bytes)?;
        }
        let river_beds = river_beds.is_some().then_some(beds);
        list.grounds.push(GroundList { groups, lowest, highest, fields, river_beds });
    }
    let list = renumbered(list);
    let bytes = serde_json::to_vec_pretty(&list)
        .map_err(|error| store.error(BASE, format!("cannot be written: {error}")))?;
    written += bytes.len() as u64;
    store.put(BASE, bytes)?;
    Ok(written)
}

/// The list with grounds that have fields first, in the order in which their pieces are numbered.
fn renumbered(mut list: BaseList) -> BaseList {
    list.grounds.sort_by_key(|ground| (ground.fields.is_empty(), ground.groups));
    list
}

fn line_of(bed: &RiverBed) -> Vec<u8> {
    bed.line.iter().flat_map(|point| point.to_array()).flat_map(f32::to_le_bytes).collect()
}

fn bytes_of(values: &Heightfield, list: &FieldList, place: [u32; 2]) -> Vec<u8> {
    let [width, depth] = list.size_of(place).map(|side| side as usize);
    let [column, row] = place.map(|number| (number * PIECE) as usize);
    let rows = (row..row + depth).map(|row| &values.row(row)[column..column + width]);
    rows.flatten().flat_map(|value| value.to_le_bytes()).collect()
}
