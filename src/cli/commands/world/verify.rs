//! `upland verify`: makes some of a plan's tiles again and compares them.

use upland_world::verify;

use super::status::json;
use super::{count, open};
use crate::cli::arguments::VerifyArguments;
use crate::cli::progress;
use crate::cli::report::{Outcome, note, print, say};

pub(in crate::cli) fn run(arguments: &VerifyArguments) -> Outcome {
    let worker = open(&arguments.plan, false)?;
    let found = progress::with_bar(|work| verify(&worker, arguments.sample / 100.0, arguments.repair, work))?;
    if arguments.json {
        print(&json(&found)?)?;
    } else {
        let compared = count(found.compared as usize, "tile was", "tiles were");
        let verdict = if found.damaged.is_empty() { "; all bytes are the same" } else { "" };
        say(&format!("{compared} made again and compared{verdict}"));
        for damage in &found.damaged {
            say(&format!("damaged: {}: {}", damage.key, damage.reason));
        }
        if found.repaired > 0 {
            say(&format!("{} written again", count(found.repaired as usize, "object was", "objects were")));
        }
    }
    if found.missing > 0 {
        note(&format!(
            "{}: upland work --plan {}",
            count(found.missing as usize, "tile is missing; to make it", "tiles are missing; to make them"),
            worker.store().in_shell()
        ));
    }
    if found.is_right() {
        return Ok(());
    }
    let damaged = count(
        found.damaged.len(),
        "object is damaged; to write it again",
        "objects are damaged; to write them again",
    );
    // A byte that has changed in the middle is found again only in the same sample.
    let reason = format!(
        "{damaged}: upland verify --plan {} --sample {}% --repair",
        worker.store().in_shell(),
        arguments.sample
    );
    Err(worker.store().error("", reason).into())
}
