//! A program that is killed while it has unsaved changes. It is a separate process: this test program,
//! running another of its tests.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::tests::{land, walk};
use super::{Driven, PATIENCE};

/// The environment variable with the folder in which the killed program keeps its changes.
const FOLDER: &str = "UPLAND_TEST_KILLED_IN";

/// A process that is killed at the end of the test, however that ends.
struct Doomed(Child);

impl Doomed {
    /// Starts the program with the test that never ends.
    fn start(folder: &Path) -> Self {
        let (_, module) = module_path!().split_once("::").unwrap();
        let test = format!("{module}::a_window_that_another_test_kills_changes_something");
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        command.args([&test, "--exact", "--test-threads", "1"]).env(FOLDER, folder);
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Kills it, as `kill -9` does.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        let status = self.0.wait().unwrap();
        assert!(!status.success(), "it had not ended by itself: {status}");
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The seed in the changes kept below a folder; `None` if there are none.
fn kept_seed(folder: &Path) -> Option<u64> {
    let texts = walk(folder).into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let seed = |text: String| {
        let (_, rest) = text.split_once("seed: ")?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    texts.filter_map(seed).next()
}

/// The other test starts this. By itself it does nothing.
#[test]
fn a_window_that_another_test_kills_changes_something() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut driven = Driven::open(vec![land("Hills", 1)], Path::new(&folder));
    driven.settle();
    driven.click("A new random seed");
    // Waits to be killed, and gives up if it isn't.
    driven.until("it is killed", |_| false);
}

#[test]
fn a_change_survives_kill_9_and_is_restored_by_the_next_window() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let mut other = Doomed::start(folder.path());
    let begun = Instant::now();
    let seed = loop {
        if let Some(seed) = kept_seed(&kept) {
            break seed;
        }
        assert!(begun.elapsed() < PATIENCE, "nothing is kept");
        assert!(other.0.try_wait().unwrap().is_none(), "it has ended before it was killed");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_ne!(seed, 1, "what is kept has been changed");

    // While the process lives, its changes are not offered to others.
    let mut beside = Driven::open(vec![land("Hills", 1)], folder.path());
    assert!(beside.named("Restore").is_none(), "{:?}", beside.names());
    drop(beside);

    other.kill();
    let mut driven = Driven::open(vec![land("Hills", 1)], folder.path());
    assert_eq!(driven.document(0).recipe.seed, 1);
    driven.click("Restore");
    driven.frames(4);
    // The changes have no file, and replace a document without changes.
    assert_eq!((driven.landscapes(), driven.document(0).recipe.seed), (1, seed));
    assert!(driven.document(0).is_unsaved(), "it is still unsaved");
    // The restored changes are kept again, as this window's.
    driven.settle();
    driven.until("it is kept", |_| kept_seed(&kept) == Some(seed));
}
