//! `upland verify`: makes some of a plan's tiles again and compares them.

use upland_world::verify;

use super::status::json;
use super::{count, open};
use crate::cli::arguments::VerifyArguments;
use crate::cli::progress;
use crate::cli::report::{Outcome, note, print, say};

pub(in crate::cli) fn run(arguments: &VerifyArguments) -> Outcome {
    let worker = open(&arguments.plan, false)?;
    let found = progress::with_bar(|work| verify(&worker, arguments.sample, arguments.repair, work))?;
    if arguments.json {
        print(&json(&found)?)?;
    } else {
        let compared = count(found.compared as usize, "tile was", "tiles were");
        say(&format!("{compared} made again and compared"));
        for damage in &found.damaged {
            say(&format!("damaged: {}: {}", damage.key, damage.reason));
        }
        if found.repaired > 0 {
            say(&format!("{} written again", count(found.repaired as usize, "object was", "objects were")));
        }
    }
    if found.missing > 0 {
        note(&format!(
            "{} missing; `upland work` makes them",
            count(found.missing as usize, "tile is", "tiles are")
        ));
    }
    if found.is_right() {
        return Ok(());
    }
    let damaged = count(found.damaged.len(), "object is", "objects are");
    let reason =
        format!("{damaged} damaged; run `upland verify --repair` or `upland work`, which make them again");
    Err(worker.store().error("", reason).into())
}
