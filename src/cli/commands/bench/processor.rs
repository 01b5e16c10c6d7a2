//! The time that a thread takes for a task, and how much of that it spends on the processor.

use std::time::{Duration, Instant};

/// The duration of a task, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    /// By the wall clock.
    pub(super) passed: f64,
    /// The part of it in which the thread ran on a processor; `None` where the system doesn't report it. The
    /// rest of the time it waited: for a lock, for memory, or because the system had given its core to
    /// another thread. The work of other threads in the meantime is not counted, even if they did it for this
    /// one.
    pub(super) processor: Option<f64>,
}

/// A running measurement of the thread that started it.
pub(super) struct Stopwatch {
    begun: Instant,
    processor: Option<Duration>,
}

impl Stopwatch {
    pub(super) fn start() -> Self {
        let begun = Instant::now();
        // Started after the wall clock, so that it is never longer.
        Self { begun, processor: on_processor() }
    }

    /// The times since the start, which must have been on the same thread.
    pub(super) fn stop(self) -> Times {
        let now = on_processor();
        let passed = milliseconds(self.begun.elapsed());
        let spent = now.zip(self.processor).map(|(now, then)| milliseconds(now.saturating_sub(then)));
        Times { passed, processor: spent }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// How long this thread has run on processors since it began.
#[cfg(all(
    unix,
    not(any(target_os = "solaris", target_os = "illumos", target_os = "netbsd", target_os = "redox"))
))]
fn on_processor() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};

    clock_gettime(ClockId::ThreadCPUTime).try_into().ok()
}

/// Not available on these systems.
#[cfg(not(all(
    unix,
    not(any(target_os = "solaris", target_os = "illumos", target_os = "netbsd", target_os = "redox"))
)))]
fn on_processor() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::thread::sleep;

    use super::*;

    #[test]
    fn sleep_takes_time_but_not_on_the_processor() {
        let watch = Stopwatch::start();
        sleep(Duration::from_millis(30));
        let times = watch.stop();
        assert!(times.passed >= 30.0, "{times:?}");
        assert_eq!(times.processor.is_some(), cfg!(unix));
        assert!(times.processor.is_none_or(|processor| processor < 15.0), "{times:?}");
    }

    #[test]
    fn work_is_done_on_the_processor() {
        let (watch, began) = (Stopwatch::start(), Instant::now());
        // Far more than any clock's tick; how much of it is work depends on what else runs on the machine.
        while began.elapsed() < Duration::from_millis(50) {
            black_box((0..10_000).map(|number| black_box(number) * 3).sum::<u64>());
        }
        let times = watch.stop();
        assert!(times.processor.is_none_or(|processor| processor > 1.0), "{times:?}");
        assert!(times.processor.is_none_or(|processor| processor <= times.passed + 1.0), "{times:?}");
    }
}
