//! The progress of many tiles: a bar on a terminal, and elsewhere a line every now and then.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::report::note;
use crate::recipe::length_of_time;

/// The time between two lines.
const PAUSE: Duration = Duration::from_secs(20);

/// How often the bar shows the time that has passed.
const TICK: Duration = Duration::from_millis(200);

pub(super) struct TileBar {
    name: &'static str,
    bar: Option<ProgressBar>,
    begun: Instant,
    next_line: Instant,
    all: usize,
    done: usize,
    failed: usize,
}

impl TileBar {
    /// The progress of this many tiles of a pass.
    pub(super) fn begin(name: &'static str, all: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(all as u64);
            if let Ok(style) = ProgressStyle::with_template("{prefix:8} {wide_bar} {pos}/{len}  {msg}") {
                bar.set_style(style);
            }
            bar.set_prefix(name);
            bar.enable_steady_tick(TICK);
            bar
        });
        let begun = Instant::now();
        Self { name, bar, begun, next_line: begun + PAUSE, all, done: 0, failed: 0 }
    }

    /// Counts a tile that is done.
    pub(super) fn done(&mut self) {
        self.done += 1;
        self.show();
    }

    /// Counts an attempt that failed.
    pub(super) fn failed(&mut self) {
        self.failed += 1;
        self.show();
    }

    /// Prints a line above the bar.
    pub(super) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| note(line)),
            None => note(line),
        }
    }

    fn show(&mut self) {
        let message = message(self.begun.elapsed().as_secs_f64(), self.done, self.all, self.failed);
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done as u64);
                bar.set_message(message);
            }
            None if Instant::now() >= self.next_line => {
                self.next_line = Instant::now() + PAUSE;
                note(&format!("{}: {} of {} tiles, {message}", self.name, self.done, self.all));
            }
            None => {}
        }
    }
}

impl Drop for TileBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The rate, the time that is left, and the attempts that failed.
fn message(seconds: f64, done: usize, all: usize, failed: usize) -> String {
    let failures = match failed {
        0 => String::new(),
        1 => ", 1 failure".to_owned(),
        _ => format!(", {failed} failures"),
    };
    if done == 0 {
        return format!("{} so far{failures}", length_of_time(seconds));
    }
    let a_tile = seconds / done as f64;
    let rate = if a_tile < 1.0 {
        format!("{:.1} a second", 1.0 / a_tile.max(1e-6))
    } else {
        format!("{:.1} a minute", 60.0 / a_tile)
    };
    format!("{rate}, {} left{failures}", length_of_time(a_tile * (all - done.min(all)) as f64))
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn rate_and_time_left_follow_from_the_tiles_that_are_done() {
        assert_eq!(message(10.0, 0, 64, 0), "10 s so far");
        assert_eq!(message(8.0, 16, 64, 0), "2.0 a second, 24 s left");
        assert_eq!(message(600.0, 10, 60, 1), "1.0 a minute, 50 min left, 1 failure");
        assert_eq!(message(1.0, 64, 64, 3), "64.0 a second, 0.0 s left, 3 failures");
    }
}
