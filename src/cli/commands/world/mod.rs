//! The commands about planned worlds, which many machines make.

mod jobs;
pub(in crate::cli) mod plan;
mod serve;
pub(in crate::cli) mod status;
mod tile_bar;
pub(in crate::cli) mod verify;
pub(in crate::cli) mod work;

use std::sync::Arc;

use upland_world::{PLAN, Plan, Store, Worker};

use crate::compute::work::Work;
use crate::error::Result;

/// Opens the plan of a place for work; the plan's own address will do, too.
fn open(place: &str, checked: bool) -> Result<Worker> {
    let place = match place.strip_suffix(PLAN).map(|folder| (folder, folder.strip_suffix('/'))) {
        Some((_, Some(folder))) => folder,
        Some(("", None)) => ".",
        _ => place,
    };
    let store = Arc::new(Store::open(place)?);
    let plan = Plan::read(&store)?;
    Worker::open(store, plan, checked, &Work::new())
}

/// A number of things, with their name in singular or plural.
fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
