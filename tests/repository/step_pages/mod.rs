//! The pages on steps in `docs/steps`: what a step does, its formula, its parameters and a picture, all from
//! the program itself. `scripts/step_pages` rewrites them.

mod examples;
mod page;
mod picture;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use upland::steps;

use examples::Example;

/// The largest picture, in bytes, and all of them together: every version of them stays in the repository's
/// history.
const LARGEST: usize = 60_000;
const ALL: usize = 2_500_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

/// Whether pages are to be written and not compared.
fn writes() -> bool {
    env::var_os("UPLAND_WRITE_STEPS").is_some()
}

/// All pages, by file name.
fn pages() -> Vec<(String, String)> {
    let all = steps::all();
    let mut pages: Vec<_> = all
        .iter()
        .map(|step| (format!("{}.md", step.name()), page::of(&**step, &Example::of(&**step))))
        .collect();
    pages.push(("README.md".into(), page::index(&all)));
    pages
}

#[test]
fn the_pages_say_what_the_steps_do_now() {
    let folder = folder("steps");
    let pages = pages();
    if writes() {
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in &pages {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let told = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let old: Vec<&str> = pages
        .iter()
        .filter(|(name, text)| told(&folder.join(name)) != *text)
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(old.is_empty(), "not as the steps are now: {old:?}; run scripts/step_pages");

    let there: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected: BTreeSet<String> = pages.into_iter().map(|(name, _)| name).collect();
    assert_eq!(there, expected, "a page of a step that is no more");
}

#[test]
fn every_picture_shows_what_its_step_makes_now() {
    let folder = folder("pictures/steps");
    if writes() {
        fs::create_dir_all(&folder).unwrap();
    }
    let mut expected = BTreeSet::new();
    let mut bytes = 0;
    for step in steps::all() {
        let Some(drawn) = Example::of(&*step).draw() else { continue };
        let name = format!("{}.png", step.name());
        let path = folder.join(&name);
        if writes() {
            fs::write(&path, picture::png(&drawn)).unwrap();
        }
        let there = fs::read(&path).unwrap_or_default();
        assert!(there.len() <= LARGEST, "{name} has {} bytes", there.len());
        bytes += there.len();
        let is_same =
            image::load_from_memory(&there).is_ok_and(|there| there.to_rgb8() == picture::shown(&drawn));
        assert!(is_same, "{name} shows something else; run scripts/step_pages");
        expected.insert(name);
    }
    assert!(bytes <= ALL, "{bytes} bytes in all");
    let there: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(there, expected, "a picture of a step that is no more");
}
