//! Makes a base and writes it.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use upland_core::build::StoredField;
use upland_core::{Heightfield, Recipe, Result, Work};

use super::list::{BASE, BaseList, FieldList, GroundList, PIECE, piece_key};
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
    let ranges = recipe.store_grounds(layers, plan.base_level(), work, &mut put)?;
    // A ground of which only the range is needed has no fields.
    let grounds = ranges.into_iter().map(|(groups, (lowest, highest))| {
        let fields = grounds.remove(&groups).unwrap_or_default();
        GroundList { groups, lowest, highest, fields }
    });
    let list = BaseList { plan: plan.hash.clone(), grounds: grounds.collect() };
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

fn bytes_of(values: &Heightfield, list: &FieldList, place: [u32; 2]) -> Vec<u8> {
    let [width, depth] = list.size_of(place).map(|side| side as usize);
    let [column, row] = place.map(|number| (number * PIECE) as usize);
    let rows = (row..row + depth).map(|row| &values.row(row)[column..column + width]);
    rows.flatten().flat_map(|value| value.to_le_bytes()).collect()
}
