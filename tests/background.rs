//! Threads that build landscapes give way to those that draw. One test: a program has rayon's threads once.
#![cfg(feature = "bevy")]

use upland::give_way_to_frames;

/// How far the system puts a thread back, from -20 to 19.
fn niceness() -> Option<i32> {
    let told = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let (_, after) = told.rsplit_once(')')?;
    after.split_whitespace().nth(16)?.parse().ok()
}

#[test]
fn rayons_threads_give_way_if_they_are_not_there_yet() {
    let before = niceness();
    assert!(give_way_to_frames());
    let of_rayon = rayon::broadcast(|_| niceness());
    for niceness in &of_rayon {
        assert!(*niceness > before || niceness.is_none(), "{niceness:?} is not behind {before:?}");
    }
    assert_eq!(niceness(), before, "the thread that draws keeps its place");
    assert!(!give_way_to_frames(), "the threads are there");
}
