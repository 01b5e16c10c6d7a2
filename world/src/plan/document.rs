//! The document of a plan, `plan.json`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use upland_core::grid::{FARTHEST, LEVELS};
use upland_core::{Error, Recipe, Result, Window};

use crate::outputs::Output;
use crate::store::Store;

/// The name of a plan's object.
pub const PLAN: &str = "plan.json";

/// The version of the format.
const VERSION: u32 = 1;

/// The version of the program. Other versions may make other bits.
pub(super) const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The most bytes of a plan. A recipe takes at most 16 MiB, and twice that with its quotes escaped.
const MOST_BYTES: u64 = 48 << 20;

/// The most tiles along a side: their numbers, row by row, stay within 32 bits.
pub(super) const MOST_TILES: u32 = 1 << 15;

/// Accepted samples along a tile's side.
pub(super) const TILES: std::ops::RangeInclusive<u32> = 64..=16_384;

/// What will be made of a land, by whom it may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version of this format.
    pub upland_plan: u32,
    /// The version of the program that makes the tiles. Another one may make other bits.
    pub program: String,
    /// The name of the land.
    pub name: String,
    /// The recipe in RON. Its files are named as the plan's objects are.
    pub recipe: String,
    /// The files that the recipe reads, which are objects of the plan.
    pub files: Vec<PlanFile>,
    /// The rectangle that is made.
    pub land: Land,
    /// Samples along the side of a tile; the last tiles of rows and columns may have fewer.
    pub tile: u32,
    /// What is made, in this order.
    pub passes: Vec<Pass>,
    /// The SHA-256 of all else. Tiles contain it, so that they belong to one plan.
    pub hash: String,
}

/// A file that a plan's recipe reads, or that belongs to one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// Its object.
    pub key: String,
    /// Its length.
    pub bytes: u64,
    /// The SHA-256 of its bytes.
    pub sha256: String,
}

/// The rectangle of land that a plan makes: samples of one level of its recipe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Land {
    /// The level, as a window has it: 0 for the recipe's own samples, −1 for samples half as far apart.
    pub level: i32,
    /// The north-western sample at that level.
    pub first: [i64; 2],
    /// Samples along x and z.
    pub size: [u32; 2],
}

/// A step of the work; a pass begins when those that it needs have ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// What it makes.
    pub kind: PassKind,
    /// The passes that it needs.
    pub needs: Vec<PassKind>,
    /// Tiles along x and z.
    pub tiles: [u32; 2],
    /// How far around a tile it looks, in metres.
    pub halo: f32,
    /// What each of its tiles holds.
    pub outputs: Vec<Output>,
    /// Bytes of all its objects, estimated.
    pub bytes: u64,
    /// Seconds of one processor core for all of it, estimated.
    pub seconds: f64,
    /// Bytes of memory that a worker needs, estimated.
    pub memory: u64,
}

/// What a pass makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassKind {
    /// The land up to the last step that must know all of it, at the recipe's own spacing.
    Base,
    /// Tiles of heights and layers.
    Heights,
    /// Tiles of colours and weights.
    Colours,
    /// Lists of all tiles.
    Index,
}

impl PassKind {
    /// All of them, in their order.
    pub const ALL: [Self; 4] = [Self::Base, Self::Heights, Self::Colours, Self::Index];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Heights => "heights",
            Self::Colours => "colours",
            Self::Index => "index",
        }
    }

    /// The pass with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it makes tiles, in any number of processes.
    pub fn is_tiled(self) -> bool {
        matches!(self, Self::Heights | Self::Colours)
    }
}

impl Plan {
    /// Reads the plan of a place, and checks that this program makes its tiles.
    ///
    /// # Errors
    /// When there is none, it is damaged or has been changed, or it was made by another version.
    pub fn read(store: &Store) -> Result<Self> {
        let Some(bytes) = store.get(PLAN, MOST_BYTES)? else {
            return Err(store.error(
                PLAN,
                "does not exist; `upland plan RECIPE --into PLACE` makes it, or correct the address",
            ));
        };
        Self::from_json(&bytes).map_err(|reason| store.error(PLAN, reason))
    }

    /// Reads a plan from the bytes of its document.
    ///
    /// # Errors
    /// As [`read`](Self::read), as the message.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        /// The fields that are read first, since others may have changed.
        #[derive(Deserialize)]
        struct Head {
            upland_plan: u32,
            program: String,
        }
        let wrong = |error: serde_json::Error| {
            format!(
                "is not a plan, or not all of one ({error}); if it is being written, try again, or else remove it and \
                 plan again"
            )
        };
        let head: Head = serde_json::from_slice(bytes).map_err(wrong)?;
        if head.upland_plan != VERSION || head.program != PROGRAM {
            return Err(format!(
                "was made by upland {} (format {}), and this is upland {PROGRAM} (format {VERSION}), whose tiles may \
                 differ; use that version, or plan again into another place",
                head.program, head.upland_plan
            ));
        }
        let plan: Self = serde_json::from_slice(bytes).map_err(wrong)?;
        if plan.hash != plan.computed_hash()? {
            return Err(
                "has been changed since it was made, so that its tiles would not fit together; restore it, \
                        or remove it and plan again"
                    .into(),
            );
        }
        plan.check()?;
        Ok(plan)
    }

    /// The document's bytes.
    ///
    /// # Errors
    /// When a number in it is not finite.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(unwritable)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// The hash that this plan must have.
    pub(super) fn computed_hash(&self) -> Result<String, String> {
        let bytes = serde_json::to_vec(&Self { hash: String::new(), ..self.clone() });
        Ok(hex(&Sha256::digest(bytes.map_err(|error| unwritable(error).to_string())?)))
    }

    /// Refuses what no plan of this program has.
    fn check(&self) -> Result<(), String> {
        let refused = |what: &str| Err(format!("{what}; plan again"));
        if !TILES.contains(&self.tile) {
            return refused("has tiles of a size that is not possible");
        }
        let Land { first, size, .. } = self.land;
        let is_far = |axis: usize| first[axis].unsigned_abs() > FARTHEST as u64;
        if !LEVELS.contains(&self.land.level) {
            return refused("has land at a level that is not possible");
        }
        if size.contains(&0) || is_far(0) || is_far(1) {
            return refused("has land without samples, or too far from the origin");
        }
        let tiles = self.tiles();
        if tiles.iter().any(|count| *count > MOST_TILES) {
            return refused("has too many tiles");
        }
        let kinds: BTreeSet<PassKind> = self.passes.iter().map(|pass| pass.kind).collect();
        if kinds.len() != self.passes.len() || !self.passes.iter().is_sorted_by_key(|pass| pass.kind) {
            return refused("has a pass twice, or passes in another order");
        }
        for pass in &self.passes {
            let expected = if pass.kind.is_tiled() { tiles } else { [1, 1] };
            if pass.tiles != expected || pass.outputs.len() > 256 {
                return refused("has a pass whose tiles are not those of its land");
            }
        }
        for file in &self.files {
            let is_plain = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\\');
            if !file.key.starts_with("files/") || !file.key.split('/').all(is_plain) {
                return refused("names a file outside its own");
            }
        }
        Ok(())
    }

    /// Tiles along x and z.
    pub fn tiles(&self) -> [u32; 2] {
        self.land.size.map(|side| side.div_ceil(self.tile))
    }

    /// The pass of a kind, if the plan has it.
    pub fn pass(&self, kind: PassKind) -> Option<&Pass> {
        self.passes.iter().find(|pass| pass.kind == kind)
    }

    /// The rectangle as a window of the recipe's land.
    pub fn window(&self) -> Window {
        let Land { level, first, size } = self.land;
        Window { level, first, size }
    }

    /// The level that the base is made for: finer than 0, because land is looked at closer than its tiles
    /// are.
    pub(crate) fn base_level(&self) -> i32 {
        self.land.level.min(-1)
    }

    /// The recipe, without its files.
    ///
    /// # Errors
    /// When the text is not a recipe.
    pub fn parsed_recipe(&self) -> Result<Recipe> {
        Recipe::from_ron(&self.recipe, "the recipe in plan.json")
    }
}

fn unwritable(error: serde_json::Error) -> Error {
    Error::parameter("plan", format!("cannot be written: {error}; report this as a mistake of the program"))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}
