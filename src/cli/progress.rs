//! A progress bar on a terminal, and nothing when standard error goes elsewhere.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::work::Work;

/// Does `task` while a bar shows its progress.
pub(super) fn with_bar<T>(task: impl FnOnce(&Work) -> T) -> T {
    let work = Work::new();
    if !std::io::stderr().is_terminal() {
        return task(&work);
    }
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("{msg:16} {wide_bar} {percent:>3} %  {elapsed}") {
        bar.set_style(style);
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let progress = work.progress();
                bar.set_message(progress.stage);
                bar.set_position((progress.fraction * 1000.0) as u64);
                std::thread::park_timeout(Duration::from_millis(50));
            }
        });
        let result = task(&work);
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        bar.finish_and_clear();
        result
    })
}
