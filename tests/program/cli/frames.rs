//! Frames of steps, as files.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::contains;
use upland::formats::{self, ReadOptions};

const RECIPE: &str = r#"(version: 1, name: "Hills", seed: 5, size: (65, 33), cell: 30.0, steps: [
    fbm(height: 400, octaves: 5), mean(on: false), gaussian(), diamond_square(blend: add, amount: 0.1),
])"#;

/// What `generate` makes of the recipe in a folder, as EXR, with frames in another.
fn generate(folder: &Path, frames: &Path, further: &[&str]) -> assert_cmd::assert::Assert {
    let recipe = folder.join("hills.ron");
    fs::write(&recipe, RECIPE).unwrap();
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("upland"));
    command.arg("generate").arg(recipe).arg("-o").arg(folder.join("land.exr"));
    command.arg("--frames").arg(frames).args(further).assert()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn frames_are_numbered_files_like_the_output() {
    let folder = tempfile::tempdir().unwrap();
    let frames = folder.path().join("all/of/them");
    let said = contains("00001-0-fbm-octave-1.exr … ").and(contains("(16 files): frames, "));
    generate(folder.path(), &frames, &[]).success().stderr(said);
    let names = names(&frames);
    // Five octaves, two passes, six levels, and three results.
    assert_eq!(names.len(), 16, "{names:?}");
    assert_eq!(names[0], "00001-0-fbm-octave-1.exr");
    assert_eq!(names[5], "00006-0-fbm-result-1.exr");
    assert_eq!(names[6], "00007-2-gaussian-pass-1.exr");
    assert_eq!(names[9], "00010-3-diamond-square-level-1.exr");
    let read = |path: PathBuf| formats::read(path, &ReadOptions::default()).unwrap().into_values();
    assert_eq!(read(frames.join(&names[15])), read(folder.path().join("land.exr")));
}

#[test]
fn frames_of_one_step_are_chosen_by_its_number_or_its_name() {
    let folder = tempfile::tempdir().unwrap();
    for of in ["2", "gaussian"] {
        let frames = folder.path().join(of);
        generate(folder.path(), &frames, &["--frames-of", of]).success();
        let expected = ["pass-1", "pass-2", "result-1"];
        let expected = (1..=3).zip(expected).map(|(count, what)| format!("{count:05}-2-gaussian-{what}.exr"));
        assert!(names(&frames).into_iter().eq(expected), "{:?}", names(&frames));
    }
    let refused = generate(folder.path(), &folder.path().join("none"), &["--frames-of", "mean"]);
    let there = "--frames-of: no step `mean` runs; there are 0 (fbm), 2 (gaussian), 3 (diamond_square)";
    refused.code(2).stderr(contains(there));
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), folder.path(), &[])
        .code(1)
        .stderr(contains("is not empty; frames need an empty folder"));
    assert_eq!(names(folder.path()), ["hills.ron"]);
    let file = folder.path().join("hills.ron");
    generate(folder.path(), &file, &[]).code(1).stderr(contains("hills.ron: cannot create"));
}
