//! `upland verify`: makes some of a plan's tiles again and compares them.

use upland_world::verify;

use super::status::json;
use super::{count, open};
use crate::cli::arguments::VerifyArguments;
use crate::cli::progress;
use crate::cli::report::{Outcome, note, print, say};

/// A number of percent with no more digits than it was given.
fn brief(percent: f64) -> f64 {
    (percent * 1e9).round() / 1e9
}

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
            "{}: upland work --plan {}",
            count(found.missing as usize, "tile is missing; to make it", "tiles are missing; to make them"),
            worker.store().in_shell()
        ));
    }
    if found.is_right() {
        return Ok(());
    }
    let damaged = count(found.damaged.len(), "object is", "objects are");
    // What differs only in the middle is found by making it again, so the sample must be the same.
    let reason = format!(
        "{damaged} damaged; to write them again: upland verify --plan {} --sample {}% --repair",
        worker.store().in_shell(),
        brief(100.0 * arguments.sample)
    );
    Err(worker.store().error("", reason).into())
}
