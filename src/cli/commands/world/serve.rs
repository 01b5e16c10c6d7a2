//! A worker process of `upland work --jobs`: makes the tiles whose numbers it reads, one after the other.
//!
//! It reads a number from each line of its input and answers with a line: `done BYTES`, or `failed` and the
//! reason. When its input ends, which it also does when the process that started it has been killed, it ends
//! at once: what it was writing is removed.

use std::io::{BufRead, Write};
use std::sync::mpsc;

use upland_world::PassKind;

use super::open;
use crate::cli::report::Outcome;
use crate::compute::work::Work;
use crate::error::Error;

/// The first word of an answer.
pub(super) const DONE: &str = "done";
pub(super) const FAILED: &str = "failed";

pub(super) fn run(place: &str, pass: PassKind) -> Outcome {
    let (send, numbers) = mpsc::channel();
    // A thread of its own, so that the end of the input ends a tile that is being made.
    let read = move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            let Ok(number) = line.trim().parse::<u32>() else { break };
            if send.send(number).is_err() {
                break;
            }
        }
        upland_world::remove_unfinished();
        std::process::exit(0);
    };
    let started = std::thread::Builder::new().name("numbers".into()).spawn(read);
    started.map_err(|error| Error::io("standard input", "start a thread to read", error))?;
    // The process that starts this one has compared the plan's files.
    let worker = open(place, true)?;
    for number in numbers {
        let answer = match worker.run(pass, number, &Work::new()) {
            Ok(bytes) => format!("{DONE} {bytes}"),
            Err(error) => format!("{FAILED} {}", error.to_string().replace('\n', " ")),
        };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    Ok(())
}
