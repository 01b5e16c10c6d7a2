//! The base of a plan: all of its land after the last step that must know all of it, as objects.
//!
//! A field is cut into pieces of 1024² values, which are little-endian floats of 32 bits, row by row. The
//! list of all pieces, `base/base.json`, has the SHA-256 of each and is written last, so that a base is there as
//! a whole or not at all. Workers read the pieces that lie under their tiles.

mod pieces;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use upland_core::build::{STORED_OVERVIEW, StoredField, StoredGround};
use upland_core::{Heightfield, Recipe, Result, Work};

use crate::plan::{Plan, hex};
use crate::store::Store;
use pieces::Pieces;

/// The name of the list.
pub(crate) const BASE: &str = "base/base.json";

/// The folder of a base.
pub(crate) const FOLDER: &str = "base";

/// Values along the side of a piece.
const PIECE: u32 = 1024;

/// The most bytes of the list: 65 fields of 289 pieces take a fifth of this.
const MOST_BYTES: u64 = 8 << 20;

/// The list of a base's pieces.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseList {
    /// The hash of the plan.
    plan: String,
    grounds: Vec<GroundList>,
}

/// All of the land after some groups of steps.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroundList {
    groups: usize,
    lowest: f32,
    highest: f32,
    fields: Vec<FieldList>,
}

/// A field, cut into pieces.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldList {
    /// As [`StoredField`] is written.
    name: String,
    size: [u32; 2],
    /// The SHA-256 of each piece, row by row.
    pieces: Vec<String>,
}

impl FieldList {
    fn counts(&self) -> [u32; 2] {
        self.size.map(|side| side.div_ceil(PIECE))
    }

    /// The columns and rows of a piece.
    fn size_of(&self, [column, row]: [u32; 2]) -> [u32; 2] {
        let side = |axis: usize, number: u32| PIECE.min(self.size[axis] - number * PIECE);
        [side(0, column), side(1, row)]
    }
}

/// The object of a piece: of the ground with this number, and of its field with this number.
fn piece_key(ground: usize, field: usize, [column, row]: [u32; 2]) -> String {
    format!("{FOLDER}/{ground}-{field}/x{column:04}_y{row:04}.f32")
}

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
    let ranges = recipe.store_grounds(layers, plan.land.level, work, &mut put)?;
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

impl BaseList {
    /// Reads the list of a plan's base; `None` where there is none.
    ///
    /// # Errors
    /// When the store fails, or the list is damaged or of another plan.
    pub(crate) fn read(plan: &Plan, recipe: &Recipe, layers: &[&str], store: &Store) -> Result<Option<Self>> {
        let Some(bytes) = store.get(BASE, MOST_BYTES)? else { return Ok(None) };
        let list: Self =
            serde_json::from_slice(&bytes).map_err(|error| store.error(BASE, damaged(&error.to_string())))?;
        if list.plan != plan.hash {
            let reason = "belongs to another plan; remove the folder, and run `upland work` again";
            return Err(store.error(BASE, reason));
        }
        list.check(plan, recipe, layers)?.map_err(|reason| store.error(BASE, damaged(&reason)))?;
        Ok(Some(list))
    }

    /// Compares it with what the plan needs.
    fn check(&self, plan: &Plan, recipe: &Recipe, layers: &[&str]) -> Result<Result<(), String>> {
        let needs = recipe.stored_needs(layers, plan.land.level)?;
        let whole = [recipe.size.0, recipe.size.1];
        let mut expected: Vec<_> = needs
            .into_iter()
            .map(|need| {
                (
                    need.groups,
                    need.fields.iter().map(|field| (field.to_string(), size_of(field, whole))).collect(),
                )
            })
            .collect();
        let mut found: Vec<(usize, Vec<_>)> = Vec::new();
        for ground in &self.grounds {
            if !(ground.lowest.is_finite() && ground.highest >= ground.lowest && ground.highest.is_finite()) {
                return Ok(Err(format!("heights from {} to {}", ground.lowest, ground.highest)));
            }
            for field in &ground.fields {
                let [columns, rows] = field.counts().map(|count| count as usize);
                if field.pieces.len() != columns.saturating_mul(rows) {
                    return Ok(Err(format!("{} pieces of {}", field.pieces.len(), field.name)));
                }
            }
            found.push((
                ground.groups,
                ground.fields.iter().map(|field| (field.name.clone(), field.size)).collect(),
            ));
        }
        expected.sort();
        found.sort();
        Ok(if expected == found { Ok(()) } else { Err("it has other fields than are needed".into()) })
    }

    /// Its objects, with their lengths.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        self.grounds.iter().enumerate().flat_map(|(ground, list)| {
            list.fields.iter().enumerate().flat_map(move |(number, field)| {
                let [columns, rows] = field.counts();
                let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]));
                places.map(move |place| {
                    let [width, depth] = field.size_of(place).map(u64::from);
                    (piece_key(ground, number, place), 4 * width * depth)
                })
            })
        })
    }

    /// The grounds, to be read from their objects.
    pub(crate) fn into_grounds(self, store: &Arc<Store>) -> Vec<(usize, Arc<dyn StoredGround>)> {
        let grounds = self.grounds.into_iter().enumerate().map(|(number, ground)| {
            let groups = ground.groups;
            (groups, Arc::new(Pieces::new(number, ground, store.clone())) as Arc<dyn StoredGround>)
        });
        grounds.collect()
    }
}

/// Values along x and z of a field of a land of this size.
fn size_of(field: &StoredField, whole: [u32; 2]) -> [u32; 2] {
    match field {
        StoredField::Overview => whole.map(|side| ((side - 1) >> STORED_OVERVIEW) + 1),
        _ => whole,
    }
}

fn damaged(reason: &str) -> String {
    format!("is damaged ({reason}); remove it, and run `upland work` again")
}
