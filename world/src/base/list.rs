//! The list of a base's pieces.

use serde::{Deserialize, Serialize};
use upland_core::build::{STORED_OVERVIEW, StoredField};
use upland_core::{Recipe, Result};

use crate::plan::Plan;
use crate::store::Store;

/// The name of the list.
pub(crate) const BASE: &str = "base/base.json";

/// The folder of a base.
pub(crate) const FOLDER: &str = "base";

/// Values along the side of a piece.
pub(super) const PIECE: u32 = 1024;

/// The most points of a river: along one that winds over all of the largest base there are a tenth of these.
const MOST_POINTS: u32 = 1 << 24;

/// The most bytes of the list: 65 fields of 289 pieces take a fifth of this.
const MOST_BYTES: u64 = 8 << 20;

/// The list of a base's pieces.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseList {
    /// The hash of the plan.
    pub(super) plan: String,
    pub(super) grounds: Vec<GroundList>,
}

/// All of the land after some groups of steps.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroundList {
    pub(super) groups: usize,
    pub(super) lowest: f32,
    pub(super) highest: f32,
    pub(super) fields: Vec<FieldList>,
    /// The beds of its rivers, if they are needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) river_beds: Option<Vec<RiverBedList>>,
}

/// The bed of a river, whose line is an object.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RiverBedList {
    pub(super) half: f32,
    pub(super) bank: f32,
    /// Points of the line.
    pub(super) points: u32,
    /// The SHA-256 of the line.
    pub(super) line: String,
}

/// A field, cut into pieces.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FieldList {
    /// As [`StoredField`] is written.
    pub(super) name: String,
    pub(super) size: [u32; 2],
    /// The SHA-256 of each piece, row by row.
    pub(super) pieces: Vec<String>,
}

impl FieldList {
    pub(super) fn counts(&self) -> [u32; 2] {
        self.size.map(|side| side.div_ceil(PIECE))
    }

    /// The columns and rows of a piece.
    pub(super) fn size_of(&self, [column, row]: [u32; 2]) -> [u32; 2] {
        let side = |axis: usize, number: u32| PIECE.min(self.size[axis] - number * PIECE);
        [side(0, column), side(1, row)]
    }
}

/// The object of a piece: of the ground with this number, and of its field with this number.
pub(super) fn piece_key(ground: usize, field: usize, [column, row]: [u32; 2]) -> String {
    format!("{FOLDER}/{ground}-{field}/x{column:04}_y{row:04}.f32")
}

/// The object with the line of a river that the first `groups` groups of steps have dug.
pub(super) fn river_key(groups: usize, river: usize) -> String {
    format!("{FOLDER}/rivers-{groups}/{river:04}.f32")
}

impl RiverBedList {
    /// Bytes of its line.
    pub(super) fn bytes(&self) -> u64 {
        8 * u64::from(self.points)
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        // A bed without width has no samples.
        let is_bed = self.half.is_finite() && self.half > 0.0 && self.bank.is_finite() && self.bank >= 0.0;
        match self.points {
            ..=MOST_POINTS if is_bed => Ok(()),
            _ => Err(format!(
                "a river of {} points, {} and {} m to either side",
                self.points, self.half, self.bank
            )),
        }
    }
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
        let needs = recipe.stored_needs(layers, plan.base_level())?;
        let whole = [recipe.size.0, recipe.size.1];
        let mut expected: Vec<_> = needs
            .into_iter()
            .map(|need| {
                let fields = need.fields.iter().map(|field| (field.to_string(), size_of(field, whole)));
                (need.groups, fields.collect(), need.river_beds)
            })
            .collect();
        let mut found: Vec<(usize, Vec<_>, bool)> = Vec::new();
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
            if let Err(reason) = ground.river_beds.iter().flatten().try_for_each(RiverBedList::check) {
                return Ok(Err(reason));
            }
            let fields = ground.fields.iter().map(|field| (field.name.clone(), field.size));
            found.push((ground.groups, fields.collect(), ground.river_beds.is_some()));
        }
        expected.sort();
        found.sort();
        Ok(if expected == found { Ok(()) } else { Err("it has other fields than are needed".into()) })
    }

    /// Its objects, with their lengths.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (String, u64)> + '_ {
        let rivers = self.grounds.iter().flat_map(|ground| {
            let beds = ground.river_beds.iter().flatten().enumerate();
            beds.map(|(river, bed)| (river_key(ground.groups, river), bed.bytes()))
        });
        let pieces = self.grounds.iter().enumerate().flat_map(|(ground, list)| {
            list.fields.iter().enumerate().flat_map(move |(number, field)| {
                let [columns, rows] = field.counts();
                let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]));
                places.map(move |place| {
                    let [width, depth] = field.size_of(place).map(u64::from);
                    (piece_key(ground, number, place), 4 * width * depth)
                })
            })
        });
        pieces.chain(rivers)
    }
}

/// Values along x and z of a field of a land of this size.
fn size_of(field: &StoredField, whole: [u32; 2]) -> [u32; 2] {
    match field {
        StoredField::Overview => whole.map(|side| ((side - 1) >> STORED_OVERVIEW) + 1),
        _ => whole,
    }
}

pub(super) fn damaged(reason: &str) -> String {
    format!("is damaged ({reason}); remove it, and run `upland work` again")
}
