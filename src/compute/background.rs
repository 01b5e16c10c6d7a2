//! Threads of the background, which give way to those that draw.
//!
//! Where there are fewer cores than threads with work, the system shares the cores out in slices of some milliseconds.
//! A frame that has to wait for a slice comes late. A thread of low priority leaves its core as soon as a frame's
//! thread has something to do, and gets all that is left over.

use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};

/// From 0, the lowest, to 99; a thread begins in the middle. On Linux it is a nice value of 9: where both have work, a
/// thread of the background gets an eighth of the time.
const LOW: u8 = 25;

/// Lowers the priority of the thread that calls it, for good. A system that refuses leaves it as it is: nothing but
/// the rhythm of frames depends on it.
pub(crate) fn give_way() {
    if let Ok(low) = ThreadPriorityValue::try_from(LOW) {
        let _ = set_current_thread_priority(ThreadPriority::Crossplatform(low));
    }
}

#[cfg(feature = "bevy")]
pub(crate) use of_plugin::{give_way_if_wanted, want_threads_to_give_way};

#[cfg(feature = "bevy")]
mod of_plugin {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};

    static WANTED: AtomicBool = AtomicBool::new(false);

    /// From now on threads that make tiles give way. Where a graphics card draws, they get what frames leave over of the
    /// cores. Where the cores themselves draw, they would get next to nothing, and tiles come late.
    pub(crate) fn want_threads_to_give_way() {
        WANTED.store(true, Ordering::Relaxed);
    }

    /// To be called at the beginning of each piece of work.
    pub(crate) fn give_way_if_wanted() {
        thread_local! {
            static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
        }
        if WANTED.load(Ordering::Relaxed) && !GIVES_WAY.replace(true) {
            super::give_way();
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The nice value of the thread that calls it, which the system tells as the seventeenth word after a name in
    /// brackets.
    fn niceness() -> i32 {
        let told = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, after) = told.rsplit_once(')').unwrap();
        after.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[test]
    fn only_the_thread_that_asks_for_it_gives_way() {
        let before = niceness();
        let of_thread = std::thread::spawn(|| {
            give_way();
            niceness()
        });
        assert_eq!(of_thread.join().unwrap(), before.max(9));
        assert_eq!(niceness(), before);
    }
}
