//! Threads that make land in the background give way to those that draw it.
//!
//! Where more threads have work than there are cores, the system lets them take turns of some milliseconds,
//! and a frame that waits for its turn comes late. Threads of low priority get shorter turns than those of a
//! frame, and use the time that these leave.

use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};

/// From 0, the lowest, to 99; a thread begins in the middle. On Linux this value means a nice value of 9:
/// where both have work, a background thread gets an eighth of the time.
const LOW: u8 = 25;

/// Permanently lowers the priority of the calling thread. If the system refuses, the priority stays: only the
/// rhythm of frames depends on it.
pub(crate) fn give_way() {
    if let Ok(low) = ThreadPriorityValue::try_from(LOW) {
        let _ = set_current_thread_priority(ThreadPriority::Crossplatform(low));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The nice value of the calling thread. The system reports it as the seventeenth word after a name in
    /// parentheses.
    fn niceness() -> i32 {
        let told = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let (_, after) = told.rsplit_once(')').unwrap();
        after.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[test]
    fn only_the_calling_thread_gives_way() {
        let before = niceness();
        let of_thread = std::thread::spawn(|| {
            give_way();
            niceness()
        });
        assert_eq!(of_thread.join().unwrap(), before.max(9));
        assert_eq!(niceness(), before);
    }
}
