//! Tests that need a process of their own: they count its memory, or keep all of its threads busy.

use std::process::Command;

/// Set in the process that is started for one test.
const ALONE: &str = "UPLAND_TEST_ALONE";

/// Runs a test, named by its path in its program, in a process of its own. Call it first in the test: it
/// returns true in that process, where the test goes on; elsewhere it waits for that process, fails if the
/// test failed in it, and returns false.
///
/// ```ignore
/// if !in_own_process("busy::frames_go_on") {
///     return;
/// }
/// ```
pub(crate) fn in_own_process(test: &str) -> bool {
    in_own_process_with(test, &[])
}

/// As [`in_own_process`], with these variables of the environment.
pub(crate) fn in_own_process_with(test: &str, variables: &[(&str, &str)]) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads", "1"])
        .env(ALONE, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} in a process of its own:\n{text}");
    assert!(text.contains("1 passed"), "{test} is not the path of a test");
    false
}
