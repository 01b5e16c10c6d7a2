//! Every example runs, some frames each, and nothing in its output is an error. They are those that cargo has built
//! beside this test: `cargo test --examples` builds them, and so does `cargo test`.
#![cfg(feature = "viewer")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Frames that an example draws once its land is there.
const FRAMES: u32 = 4;

/// Examples with a physics engine, which the features `avian` and `rapier` bring.
const PHYSICS: &[&str] = &["car", "character", "physics"];

/// The frames that these draw: so many that bodies have ground and move.
#[cfg(any(feature = "avian", feature = "rapier"))]
const PHYSICS_FRAMES: u32 = 40;

/// How an example runs that has no window, by its arguments: what it prints is looked for then.
const WITHOUT_WINDOW: &[(&str, &[&str], &[&str])] = &[
    ("custom_step", &["steps", "waves"], &["Where they run to, as a compass bearing."]),
    ("patches", &["downs", "64", "32", "OUT", "--size", "33"], &["patch_1_1.png"]),
    ("sight", &["OUT/sight.png"], &[]),
    ("strokes", &["OUT"], &[]),
    ("headless_server", &["--ticks", "60"], &["exactly, it was", "collider tiles have come"]),
];

/// Examples that another test takes in as modules, and runs.
const ELSEWHERE: &[&str] = &["holes", "roads"];

/// The examples of the repository, and the source of each.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = entries.filter_map(|path| {
        let main = if path.is_dir() { path.join("main.rs") } else { path.clone() };
        let is_source = main.extension().is_some_and(|extension| extension == "rs") && main.exists();
        is_source.then(|| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(main).unwrap())
        })
    });
    let mut examples: Vec<_> = sources.collect();
    examples.sort();
    examples
}

/// Where cargo puts examples: beside the folder that this test lies in.
fn built(name: &str) -> PathBuf {
    let profile = env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned();
    profile.join("examples").join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// Whether the features that this test was built with are those that the example needs.
fn is_built(name: &str) -> bool {
    match name {
        "big_space" => cfg!(feature = "big_space"),
        "car" | "physics" => cfg!(feature = "avian"),
        "character" => cfg!(feature = "rapier"),
        _ => true,
    }
}

/// Runs an example, for so many frames if it has a window; what it has said.
fn run(name: &str, arguments: &[&str], frames: u32) -> String {
    let program = built(name);
    assert!(program.exists(), "{} is not there; `cargo build --examples` builds it", program.display());
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().to_str().unwrap();
    let arguments = arguments.iter().map(|argument| argument.replace("OUT", folder));
    let output = Command::new(program)
        .args(arguments)
        .env("UPLAND_EXAMPLE_FRAMES", frames.to_string())
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} ended with {}:\n{said}", output.status);
    // The system's own library says so of a folder that is not there.
    let is_wrong = |line: &&str| {
        (line.contains("ERROR") || line.contains("panicked") || line.contains("WARN upland"))
            && !line.contains("XDG_RUNTIME_DIR")
    };
    let wrong: Vec<&str> = said.lines().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{name} says:\n{}", wrong.join("\n"));
    said.into_owned()
}

#[test]
fn every_example_with_a_window_draws_its_land_without_one() {
    let mut count = 0;
    for (name, source) in examples() {
        let has_physics = PHYSICS.contains(&name.as_str());
        if source.contains("mod common;") && !has_physics && is_built(&name) {
            run(&name, &[], FRAMES);
            count += 1;
        }
    }
    assert!(count >= 10, "{count} examples have run");
}

#[test]
fn every_example_without_a_window_says_what_it_is_to_say() {
    for (name, arguments, told) in WITHOUT_WINDOW {
        let said = run(name, arguments, FRAMES);
        assert!(told.iter().all(|told| said.contains(told)), "{name} says:\n{said}");
    }
}

/// In a test of its own: `scripts/games` builds these examples, and runs it.
#[cfg(any(feature = "avian", feature = "rapier"))]
#[test]
fn every_example_with_physics_runs_without_a_window() {
    for name in PHYSICS.iter().filter(|name| is_built(name)) {
        run(name, &[], PHYSICS_FRAMES);
    }
}

#[test]
fn it_is_known_of_every_example_how_it_runs() {
    let run_here: BTreeSet<&str> = WITHOUT_WINDOW.iter().map(|(name, ..)| *name).collect();
    for (name, source) in examples() {
        let has_window = source.contains("mod common;");
        if ELSEWHERE.contains(&name.as_str()) {
            continue;
        }
        assert!(
            has_window != run_here.contains(name.as_str()),
            "{name}: take its plugins from examples/common, or say here how it runs"
        );
    }
}

#[test]
fn every_example_is_short_and_says_what_it_shows_and_how_it_is_started() {
    for (name, source) in examples() {
        let head: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(head.contains("cargo run") && head.contains(&format!("--example {name}")), "{name}: {head}");
        // A game of several files is longer than what shows one thing.
        assert!(source.lines().count() <= 200, "{name} has {} lines", source.lines().count());
    }
}
