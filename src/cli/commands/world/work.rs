//! `upland work`: makes what is missing of a plan.

use std::ops::Range;
use std::time::Instant;

use upland_world::{PassKind, PassStatus, Worker, status};

use super::jobs::{Jobs, sensible, sweep};
use super::status::say_damage;
use super::{count, open, serve};
use crate::cli::arguments::WorkArguments;
use crate::cli::outputs::in_bytes;
use crate::cli::progress;
use crate::cli::report::{Failure, Outcome, say};
use crate::error::Result;
use crate::recipe::length_of_time;

/// Failed tiles that are named.
const NAMED: usize = 10;

pub(in crate::cli) fn run(arguments: &WorkArguments) -> Outcome {
    if let (true, Some(pass)) = (arguments.serve, arguments.pass) {
        return serve::run(&arguments.plan, pass);
    }
    let worker = open(&arguments.plan, false)?;
    sweep(worker.store());
    let plan = worker.plan();
    let part = arguments.tiles.clone().or(arguments.share.map(|share| share.of(plan.tile_count())));
    if let Some(part) = part.as_ref().filter(|part| part.end > plan.tile_count()) {
        let last = plan.tile_count() - 1;
        return Err(Failure::Usage(format!(
            "--tiles {}..{}: this plan has tiles 0 to {last}",
            part.start, part.end
        )));
    }
    let is_chosen = |kind: PassKind| match arguments.pass {
        Some(pass) => kind == pass,
        None => part.is_none() || kind.is_tiled(),
    };
    let passes: Vec<PassKind> =
        plan.passes.iter().map(|pass| pass.kind).filter(|kind| is_chosen(*kind)).collect();
    if let Some(pass) = arguments.pass.filter(|_| passes.is_empty()) {
        let names: Vec<&str> = plan.passes.iter().map(|pass| pass.kind.name()).collect();
        let reason = format!("--pass {}: this plan has the passes {}", pass.name(), names.join(", "));
        return Err(Failure::Usage(reason));
    }
    let tiles = part.unwrap_or(0..plan.tile_count());
    for pass in passes {
        make(&worker, arguments, pass, &tiles)?;
    }
    Ok(())
}

/// Makes what is missing of a pass.
fn make(worker: &Worker, arguments: &WorkArguments, pass: PassKind, tiles: &Range<u32>) -> Outcome {
    let begun = Instant::now();
    let before = look(worker, pass, tiles)?;
    say_damage(&before);
    let todo = before.to_make();
    if todo.is_empty() {
        say(&format!("{}: all of it is there", described(worker, &before, tiles)));
        return Ok(());
    }
    check_needs(worker, pass, tiles)?;
    if !pass.is_tiled() {
        let bytes = progress::with_bar(|work| worker.run(pass, 0, work))?;
        let seconds = length_of_time(begun.elapsed().as_secs_f64());
        say(&format!("{}: made, {} in {seconds}", pass.name(), in_bytes(bytes)));
        return Ok(());
    }
    let memory = worker.plan().pass(pass).map_or(0, |pass| pass.memory);
    let is_task = arguments.tiles.is_some() || arguments.share.is_some();
    let jobs = match arguments.jobs {
        Some(jobs) => (jobs as usize).min(todo.len()),
        // The process of an engine's task is the worker itself.
        None if is_task => 1,
        None => sensible(memory, todo.len()),
    };
    let threads = (rayon::current_num_threads() / jobs).max(1);
    let outcome = Jobs { place: &arguments.plan, pass, jobs, threads }.run(worker, todo)?;
    let seconds = length_of_time(begun.elapsed().as_secs_f64());
    say(&format!(
        "{}: {} made in {seconds}, {}, {} there before",
        pass.name(),
        count(outcome.made, "tile", "tiles"),
        in_bytes(outcome.bytes),
        count(before.done as usize, "was", "were").replace("was", "tile was").replace("were", "tiles were"),
    ));
    for (tile, reason) in outcome.failed.iter().take(NAMED) {
        say(&format!("failed: tile {tile}: {reason}"));
    }
    if outcome.failed.is_empty() && !outcome.gave_up {
        return Ok(());
    }
    let left = tiles.len() - outcome.made - before.done as usize;
    let why = if outcome.gave_up {
        "several in a row have failed, so that no more were tried"
    } else {
        "others were made"
    };
    let reason = format!(
        "{} of {} missing in pass {}; {why}; run the same command again, which resumes",
        left,
        count(tiles.len(), "tile is", "tiles are"),
        pass.name()
    );
    Err(worker.store().error("", reason).into())
}

fn look(worker: &Worker, pass: PassKind, tiles: &Range<u32>) -> Result<PassStatus> {
    let found = progress::with_bar(|work| status(worker, &[pass], tiles.clone(), work))?;
    let none = || worker.store().error("plan.json", format!("has no pass {}; plan again", pass.name()));
    found.passes.into_iter().next().ok_or_else(none)
}

/// Refuses a pass before those that it needs are complete.
fn check_needs(worker: &Worker, pass: PassKind, tiles: &Range<u32>) -> Outcome {
    let needs = worker.plan().pass(pass).map(|pass| pass.needs.clone()).unwrap_or_default();
    // A list of tiles names all of them.
    let all = 0..worker.plan().tile_count();
    let tiles = if pass.is_tiled() { tiles } else { &all };
    for need in needs {
        let found = look(worker, need, tiles)?;
        if !found.is_complete() {
            let reason = format!(
                "the pass {} needs the pass {}, of which {} of {} are done; make it first: upland work --plan {} --pass \
                 {}",
                pass.name(),
                need.name(),
                found.done,
                found.tiles,
                worker.store().in_shell(),
                need.name()
            );
            return Err(worker.store().error("", reason).into());
        }
    }
    Ok(())
}

fn described(worker: &Worker, status: &PassStatus, tiles: &Range<u32>) -> String {
    let name = status.pass.name();
    let is_all = (tiles.start == 0 && tiles.end >= worker.plan().tile_count()) || !status.pass.is_tiled();
    if is_all {
        name.to_owned()
    } else {
        format!("{name}, {}", count(status.tiles as usize, "tile", "tiles"))
    }
}
