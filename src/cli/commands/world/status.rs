//! `upland status`: what is done of a plan, what is missing and what is damaged.

use comfy_table::{ContentArrangement, Table, presets};
use upland_world::{PassKind, PassStatus, Status, status};

use super::{count, open};
use crate::cli::arguments::StatusArguments;
use crate::cli::outputs::in_bytes;
use crate::cli::progress;
use crate::cli::report::{Outcome, print, say};
use crate::error::Error;

/// Damaged objects that are named; `--json` has them all.
const NAMED: usize = 10;

pub(in crate::cli) fn run(arguments: &StatusArguments) -> Outcome {
    // Files are not compared here, which may take minutes: `upland work` does that.
    let worker = open(&arguments.plan, true)?;
    let tiles = 0..worker.plan().tile_count();
    let found = progress::with_bar(|work| status(&worker, &PassKind::ALL, tiles, work))?;
    if arguments.json {
        return Ok(print(&json(&found)?)?);
    }
    print(&table(&found))?;
    found.passes.iter().for_each(say_damage);
    if found.is_complete() {
        say("all of it is there");
    } else {
        say(&format!("the rest is made by: upland work --plan {}", worker.store().in_shell()));
    }
    Ok(())
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value);
    text.map(|text| text + "\n")
        .map_err(|error| Error::parameter("json", format!("cannot be written: {error}")))
}

fn table(status: &Status) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["pass", "tiles", "done", "missing", "damaged", "size"]);
    for pass in &status.passes {
        let damaged = pass.to_make().len() - pass.missing.len();
        table.add_row([
            pass.pass.name().to_owned(),
            pass.tiles.to_string(),
            pass.done.to_string(),
            pass.missing.len().to_string(),
            damaged.to_string(),
            in_bytes(pass.bytes),
        ]);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Names the first objects that are damaged.
pub(super) fn say_damage(pass: &PassStatus) {
    for damage in pass.damaged.iter().take(NAMED) {
        say(&format!("damaged: {}: {}", damage.key, damage.reason));
    }
    let more = pass.damaged.len().saturating_sub(NAMED);
    if more > 0 {
        say(&format!("and {} more; --json names them", count(more, "object", "objects")));
    }
}
