//! Tiles made by several processes at the same time, or by this one.
//!
//! A process that dies costs the tile that it was making: another is started and makes it again. A tile is
//! tried a few times; what fails then is reported at the end.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use upland_world::{PassKind, Store, Worker};

use super::serve::{DONE, FAILED};
use super::tile_bar::TileBar;
use crate::compute::work::Work;
use crate::error::{Error, Result};

/// How often a tile is tried.
const ATTEMPTS: u32 = 3;

/// After this many tiles in a row have failed, the others would too.
const FAILURES: usize = 5;

/// The most of a process's messages that is quoted when it dies, bytes.
const QUOTED: usize = 2000;

/// What has become of the tiles.
#[derive(Default)]
pub(super) struct Outcome {
    /// How many were made.
    pub(super) made: usize,
    /// Bytes of their objects.
    pub(super) bytes: u64,
    /// Those that failed, with the last reason.
    pub(super) failed: Vec<(u32, String)>,
    /// Whether the rest was left because too many failed.
    pub(super) gave_up: bool,
}

/// How tiles are made.
pub(super) struct Jobs<'a> {
    /// The plan's place, as it was given.
    pub(super) place: &'a str,
    pub(super) pass: PassKind,
    /// Processes at the same time.
    pub(super) jobs: usize,
    /// Threads of each.
    pub(super) threads: usize,
}

/// What all jobs share.
struct Shared {
    /// Tiles in a row for each job, since neighbouring tiles share what is measured of the land around them.
    tiles: Vec<VecDeque<u32>>,
    outcome: Outcome,
    /// Tiles that have failed since the last that was made.
    in_a_row: usize,
    bar: TileBar,
}

impl Jobs<'_> {
    /// Makes these tiles.
    ///
    /// # Errors
    /// When no process can be started.
    pub(super) fn run(&self, worker: &Worker, tiles: Vec<u32>) -> Result<Outcome> {
        let bar = TileBar::begin(self.pass.name(), tiles.len());
        let tiles = tiles.chunks(tiles.len().div_ceil(self.jobs).max(1)).map(|some| some.to_vec().into());
        let shared =
            Mutex::new(Shared { tiles: tiles.collect(), outcome: Outcome::default(), in_a_row: 0, bar });
        if self.jobs <= 1 {
            make_all(&shared, 0, || {}, &mut |tile| {
                worker.run(self.pass, tile, &Work::new()).map_err(|error| error.to_string())
            });
        } else {
            let job = |number: usize| -> Result<()> {
                let mut process: Option<Process> = None;
                // Before the first tile: if one cannot be started, none can.
                process.replace(self.start()?);
                make_all(&shared, number, || worker.store().sweep(), &mut |tile| {
                    let own = match process.take() {
                        Some(process) => process,
                        None => self.start().map_err(|error| error.to_string())?,
                    };
                    let (own, answer) = own.make(tile);
                    process = own;
                    answer
                });
                Ok(())
            };
            std::thread::scope(|scope| {
                let job = &job;
                let jobs: Vec<_> = (0..self.jobs).map(|number| scope.spawn(move || job(number))).collect();
                let ended = jobs.into_iter().map(|job| {
                    job.join().unwrap_or_else(|_| {
                        Err(Error::parameter("jobs", "a thread has failed; run it again"))
                    })
                });
                ended.collect::<Vec<_>>().into_iter().collect::<Result<()>>()
            })?;
        }
        let Shared { mut outcome, tiles, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.gave_up = tiles.iter().any(|tiles| !tiles.is_empty());
        outcome.failed.sort();
        Ok(outcome)
    }

    fn start(&self) -> Result<Process> {
        let program =
            std::env::current_exe().map_err(|error| Error::io("upland", "find the program", error))?;
        let mut command = Command::new(&program);
        command
            .args(["work", "--serve", "--pass", self.pass.name(), "--plan", self.place])
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| Error::io(&program, "start", error))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => {
                Ok(Process { child: Some(child), input: Some(input), output: BufReader::new(output) })
            }
            _ => Err(Error::parameter("jobs", "a process has no input or output; run the command again")),
        }
    }
}

impl Shared {
    /// The next tile for a job: of its own, or the last of the job that has most left.
    fn next(&mut self, job: usize) -> Option<u32> {
        if self.in_a_row >= FAILURES {
            return None;
        }
        let own = self.tiles.get_mut(job).and_then(VecDeque::pop_front);
        own.or_else(|| self.tiles.iter_mut().max_by_key(|tiles| tiles.len())?.pop_back())
    }
}

/// Makes the tiles of a job, and then those of others, until there are no more, or too many have failed.
/// `after_failure` is called after each attempt that fails.
fn make_all(
    shared: &Mutex<Shared>,
    job: usize,
    after_failure: impl Fn(),
    make: &mut dyn FnMut(u32) -> Result<u64, String>,
) {
    loop {
        let next = lock(shared).next(job);
        let Some(tile) = next else { return };
        let mut attempt = 1;
        loop {
            let made = make(tile);
            if made.is_err() {
                after_failure();
            }
            let mut shared = lock(shared);
            match made {
                Ok(bytes) => {
                    shared.outcome.made += 1;
                    shared.outcome.bytes += bytes;
                    shared.in_a_row = 0;
                    shared.bar.done();
                    break;
                }
                Err(reason) if attempt >= ATTEMPTS => {
                    shared.in_a_row += 1;
                    shared.bar.failed();
                    shared.outcome.failed.push((tile, reason));
                    break;
                }
                Err(reason) => {
                    shared.bar.failed();
                    shared.bar.say(&format!("tile {tile} is tried again: {reason}"));
                    attempt += 1;
                }
            }
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that makes tiles. Dropped, it ends.
struct Process {
    child: Option<Child>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Makes a tile, and returns its bytes or the reason why it failed; and the process, unless it has died.
    fn make(mut self, tile: u32) -> (Option<Self>, Result<u64, String>) {
        let asked = self
            .input
            .as_mut()
            .is_some_and(|input| writeln!(input, "{tile}").and_then(|()| input.flush()).is_ok());
        let mut answer = String::new();
        if asked && self.output.read_line(&mut answer).is_ok() {
            if let Some(bytes) = answer.trim().strip_prefix(DONE) {
                return (Some(self), Ok(bytes.trim().parse().unwrap_or(0)));
            }
            if let Some(reason) = answer.trim().strip_prefix(FAILED) {
                let reason = reason.trim().to_owned();
                return (Some(self), Err(reason));
            }
        }
        (None, Err(self.last_words()))
    }

    /// Why a process has died.
    fn last_words(&mut self) -> String {
        let Some(mut child) = self.child.take() else { return "the process that made it has ended".into() };
        drop(self.input.take());
        let mut said = String::new();
        if let Some(errors) = child.stderr.take() {
            _ = errors.take(QUOTED as u64).read_to_string(&mut said);
        }
        let status = child.wait().map(|status| status.to_string()).unwrap_or_default();
        let said = said.trim().trim_start_matches("error: ").replace('\n', " ");
        if said.is_empty() {
            format!("the process that made it has ended ({status})")
        } else {
            format!("the process that made it has ended ({status}): {said}")
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends it.
        drop(self.input.take());
        if let Some(mut child) = self.child.take() {
            _ = child.wait();
        }
    }
}

/// Processes and threads of each, for a pass whose workers need this much memory: as many processes as there
/// are cores and memory for.
pub(super) fn sensible(memory: u64, tiles: usize) -> usize {
    let cores = rayon::current_num_threads();
    let fitting = crate::grid::memory::free().map_or(usize::MAX, |free| (free / memory.max(1)) as usize);
    cores.min(fitting).min(tiles).max(1)
}

/// Sweeps a store; for the beginning of a run.
pub(super) fn sweep(store: &Store) {
    store.sweep();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(tiles: &[&[u32]]) -> Mutex<Shared> {
        let tiles = tiles.iter().map(|tiles| tiles.to_vec().into()).collect();
        let bar = TileBar::begin("test", 0);
        Mutex::new(Shared { tiles, outcome: Outcome::default(), in_a_row: 0, bar })
    }

    #[test]
    fn a_job_makes_its_own_tiles_first_and_then_the_last_of_others() {
        let shared = shared(&[&[0, 1], &[2, 3, 4], &[]]);
        let next = |job| lock(&shared).next(job);
        let order = [next(2), next(0), next(0), next(0), next(1), next(1)];
        assert_eq!(order, [Some(4), Some(0), Some(1), Some(3), Some(2), None]);
    }

    #[test]
    fn a_tile_is_tried_three_times_and_many_failures_in_a_row_end_the_run() {
        let all = shared(&[&[0, 1, 2, 3, 4, 5, 6, 7]]);
        let mut tried = Vec::new();
        make_all(&all, 0, || {}, &mut |tile| {
            tried.push(tile);
            if tile == 1 || tried.len() % 2 == 0 { Ok(10) } else { Err("busy".to_owned()) }
        });
        let all = all.into_inner().unwrap();
        assert_eq!((all.outcome.made, all.outcome.bytes, all.outcome.failed.len()), (8, 80, 0));

        let all = shared(&[&[0, 1, 2, 3, 4, 5, 6, 7]]);
        let mut attempts = 0;
        make_all(&all, 0, || {}, &mut |_| {
            attempts += 1;
            Err("refused".to_owned())
        });
        let all = all.into_inner().unwrap();
        assert_eq!((attempts, all.outcome.failed.len(), all.tiles[0].len()), (15, 5, 3));
    }
}
