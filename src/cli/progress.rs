//! A progress bar on a terminal. If standard error goes elsewhere: nothing, or an occasional line where work
//! takes minutes.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;
#[cfg(feature = "render")]
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};

use crate::compute::work::{Progress, Work};
use crate::shown::shown;

/// Runs `task` and shows its progress in a bar.
pub(super) fn with_bar<T>(task: impl FnOnce(&Work) -> T) -> T {
    with_bar_of(&Work::new(), task)
}

/// Runs `task`, which is a piece of `work`, and shows its progress in a bar.
pub(super) fn with_bar_of<T>(work: &Work, task: impl FnOnce(&Work) -> T) -> T {
    if std::io::stderr().is_terminal() { watched(&ProgressBar::new(1000), work, task) } else { task(work) }
}

/// As [`with_bar`], for work that may take minutes: if standard error is not a terminal, an occasional line
/// reports the progress.
#[cfg(feature = "render")]
pub(super) fn with_bar_or_lines<T>(task: impl FnOnce(&Work) -> T) -> T {
    if std::io::stderr().is_terminal() {
        with_bar(task)
    } else {
        with_lines(PAUSE, super::report::note, task)
    }
}

/// The time between two lines.
#[cfg(feature = "render")]
const PAUSE: Duration = Duration::from_secs(20);

/// Runs `task` and reports its progress after each pause.
#[cfg(feature = "render")]
fn with_lines<T>(pause: Duration, mut report: impl FnMut(&str) + Send, task: impl FnOnce(&Work) -> T) -> T {
    let work = Work::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let begun = Instant::now();
            let mut next = pause;
            while !done.load(Ordering::Relaxed) {
                if begun.elapsed() >= next {
                    let Progress { stage, fraction } = work.progress();
                    let (seconds, percent) = (begun.elapsed().as_secs_f32(), 100.0 * fraction);
                    report(&format!("after {seconds:.0} s: {}, {percent:.0} %", named(&stage)));
                    next += pause;
                }
                // Parked and not asleep, so that the end of the task wakes it immediately.
                std::thread::park_timeout(next.saturating_sub(begun.elapsed()));
            }
        });
        // A guard, since a task may end by a panic.
        let _ends = EndSignal { done: &done, watcher: watcher.thread() };
        task(&work)
    })
}

/// Runs `task` and shows its progress in `bar`, which is removed however the task ends, even by a panic.
fn watched<T>(bar: &ProgressBar, work: &Work, task: impl FnOnce(&Work) -> T) -> T {
    if let Ok(style) = ProgressStyle::with_template("{msg:16} {wide_bar} {percent:>3} %  {elapsed}") {
        bar.set_style(style);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let Progress { stage, fraction } = work.progress();
                bar.set_message(shown(named(&stage)).into_owned());
                bar.set_position((fraction * 1000.0) as u64);
                std::thread::park_timeout(Duration::from_millis(50));
            }
            bar.finish_and_clear();
        });
        let _ends = EndSignal { done: &done, watcher: watcher.thread() };
        task(work)
    })
}

/// The name of a stage, also before the first one has begun.
fn named(stage: &str) -> &str {
    if stage.is_empty() { "preparing" } else { stage }
}

/// When dropped, signals to the watching thread that the task has ended. The scope waits for that thread, so
/// a panic must end it too.
struct EndSignal<'a> {
    done: &'a AtomicBool,
    watcher: &'a Thread,
}

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.watcher.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;

    #[test]
    fn a_task_that_panics_ends_its_bar() {
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || {
            let bar = ProgressBar::hidden();
            let ended = catch_unwind(AssertUnwindSafe(|| {
                watched(&bar, &Work::new(), |work| {
                    work.stage("fall", 1);
                    panic!("the task fell");
                })
            }));
            let _ = tell.send((ended.is_err(), bar.is_finished()));
        });
        // Without the signal the scope would wait for ever.
        let ended = told.recv_timeout(Duration::from_secs(120)).expect("the bar never ended");
        assert_eq!(ended, (true, true));
    }

    #[cfg(feature = "render")]
    #[test]
    fn long_work_reports_its_progress_without_a_terminal() {
        let (report, reported) = mpsc::channel();
        let report = move |line: &str| drop(report.send(line.to_owned()));
        let result = with_lines(Duration::from_millis(1), report, |work| {
            work.stage("draw: 10 of 40 tiles", 4);
            work.advance(1);
            // Lines from before the stage began may come first.
            reported.iter().any(|line| line.ends_with(": draw: 10 of 40 tiles, 25 %"))
        });
        assert!(result);
    }

    #[test]
    fn a_task_that_ends_gives_its_result() {
        assert_eq!(watched(&ProgressBar::hidden(), &Work::new(), |work| work.progress().fraction), 0.0);
    }
}
