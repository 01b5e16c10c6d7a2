//! A progress bar on a terminal; nothing if standard error goes elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::compute::work::Work;
use crate::shown::shown;

/// Runs `task` and shows its progress in a bar.
pub(super) fn with_bar<T>(task: impl FnOnce(&Work) -> T) -> T {
    if std::io::stderr().is_terminal() { watched(&ProgressBar::new(1000), task) } else { task(&Work::new()) }
}

/// Runs `task` and shows its progress in `bar`, which is removed however the task ends, also by a panic.
fn watched<T>(bar: &ProgressBar, task: impl FnOnce(&Work) -> T) -> T {
    if let Ok(style) = ProgressStyle::with_template("{msg:16} {wide_bar} {percent:>3} %  {elapsed}") {
        bar.set_style(style);
    }
    let work = Work::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let progress = work.progress();
                bar.set_message(shown(&progress.stage).into_owned());
                bar.set_position((progress.fraction * 1000.0) as u64);
                std::thread::park_timeout(Duration::from_millis(50));
            }
            bar.finish_and_clear();
        });
        let _ends = EndSignal { done: &done, watcher: watcher.thread() };
        task(&work)
    })
}

/// Tells the watching thread, when dropped, that the task has ended. The scope waits for that thread, so a
/// panic must tell it too.
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
                watched(&bar, |work| {
                    work.stage("fall", 1);
                    panic!("the task fell");
                })
            }));
            let _ = tell.send((ended.is_err(), bar.is_finished()));
        });
        // A bar that nobody ends is waited for without end.
        let ended = told.recv_timeout(Duration::from_secs(120)).expect("the bar never ended");
        assert_eq!(ended, (true, true));
    }

    #[test]
    fn a_task_that_ends_gives_its_result() {
        assert_eq!(watched(&ProgressBar::hidden(), |work| work.progress().fraction), 0.0);
    }
}
