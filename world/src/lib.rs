//! Worlds that outgrow one machine: plans that list what will be made, the tiles of a plan in object stores,
//! and land that is read from them.
//!
//! A [`Plan`] is a document: a recipe with its files, the rectangle of land to be made, and the passes that
//! make it. A [`Worker`] makes one tile of one pass: a pure function of the plan, the pass and the tile,
//! whose results are whole objects in a [`Store`]. So tiles can be made anywhere and in any order, by any
//! program that starts processes, and made again with the same bits.

mod base;
mod check;
mod land;
mod outputs;
mod plan;
mod store;
mod worker;

pub use check::{Damage, PassStatus, Status, Verification, status, verify};
pub use land::{
    DiskCacheSettings, MissingTiles, Planned, is_plan, open, register, set_disk_cache, take_notes,
};
pub use outputs::Output;
pub use plan::{Drawing, Land, NewPlan, PLAN, Pass, PassKind, Plan, PlanFile, Tile};
pub use store::{ObjectInfo, Store, remove_unfinished};
pub use worker::{Made, Worker};
