//! Lands compared with real ones, and recipes fitted to them.

use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;

use super::{asset, folder_with_recipe, upland};

/// What the program prints on standard output.
fn printed(arguments: &[&str]) -> String {
    let output = upland().args(arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

/// What it says when it refuses them.
fn refused(arguments: &[&str], folder: &Path) -> String {
    let output =
        upland().args(arguments).current_dir(folder).assert().failure().stdout("").get_output().clone();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("bug in upland"), "{said}");
    said
}

#[test]
fn a_land_is_compared_with_a_real_one_as_a_table_for_programs_and_as_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let real = asset("jacksboro_fault.asc", folder.path());
    let real = real.to_str().unwrap();
    let page = folder.path().join("page.svg");
    let land = ["compare", "foothills", "--field-size", "129", "--with", real];
    let table = printed(&[&land[..], &["-o", page.to_str().unwrap()]].concat());
    for measure in ["slope", "geomorphons", "spectrum", "hypsometry", "drainage density"] {
        assert!(table.lines().any(|line| line.starts_with(measure)), "{measure}: {table}");
    }
    assert!(table.contains("within") && table.contains("Foothills"), "{table}");
    let page = std::fs::read_to_string(page).unwrap();
    roxmltree::Document::parse(&page).unwrap();
    let json: serde_json::Value = serde_json::from_str(&printed(&[&land[..], &["--json"]].concat())).unwrap();
    let measures = json["measures"].as_array().unwrap();
    assert!(measures.len() >= 8, "{json:#}");
    assert!(
        measures.iter().all(|measure| measure["distance"].as_f64().is_some_and(|away| away > 0.0)),
        "{json:#}"
    );
    // A land is like itself.
    let same = printed(&["compare", real, "--with", real, "--json"]);
    let same: serde_json::Value = serde_json::from_str(&same).unwrap();
    let measures = same["measures"].as_array().unwrap();
    assert!(measures.iter().all(|measure| measure["distance"].as_f64() == Some(0.0)), "{same:#}");
}

#[test]
fn a_recipe_is_fitted_to_a_real_land_and_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let real = asset("jacksboro_fault.asc", folder.path());
    let recipe = folder.path().join("fit.ron");
    let [real, out] = [&real, &recipe].map(|path| path.to_str().unwrap());
    let table = printed(&["fit", real, "-o", out, "--samples", "65", "--rounds", "0"]);
    assert!(table.contains("All distances, as multiples of `within`: "), "{table}");
    let fitted = upland::Recipe::from_ron(&std::fs::read_to_string(&recipe).unwrap(), out).unwrap();
    // A whole number of the model's samples is averaged to one.
    let longer = fitted.size.0.max(fitted.size.1);
    assert!((50..=65).contains(&longer), "{longer}");
    upland().args(["info", out]).assert().success().stdout(contains(longer.to_string()));
}

#[test]
fn what_cannot_be_compared_or_fitted_is_refused_with_its_reason() {
    let (folder, recipe) = folder_with_recipe();
    let recipe = recipe.to_str().unwrap();
    let said = |arguments: &[&str]| refused(arguments, folder.path());
    // Under water there is no land to measure.
    let sunk = folder.path().join("sunk.ron");
    let text = "(version: 1, name: \"Sunk\", size: (65, 65), cell: 30, steps: [flat(height: -50)], water: (sea: true))";
    std::fs::write(&sunk, text).unwrap();
    let small = folder.path().join("small.ron");
    std::fs::write(&small, text.replace("(65, 65)", "(9, 9)").replace("-50", "50")).unwrap();
    let [sunk, small] = [&sunk, &small].map(|path| path.to_str().unwrap());
    for (arguments, reason) in [
        (&["compare", recipe, "--with", sunk][..], "Sunk: heights: all of it lies under the sea"),
        (&["compare", recipe, "--with", small], "9×9 samples of Sunk are too few"),
        (&["compare", recipe, "--with", "nothing.tif"], "nothing.tif"),
        (&["compare", recipe, recipe, "--with", recipe], "one"),
        (&["fit", sunk, "-o", "out.ron"], "Sunk: heights: all of it lies under the sea"),
        (&["fit", small, "-o", "out.ron"], "9×9 samples"),
        (&["fit", recipe, "-o", "out.tif"], "a recipe is written as .ron"),
        (&["fit", recipe, "-o", recipe], "hills.ron"),
        (&["fit", recipe, "-o", "out.ron", "--samples", "9"], "65"),
    ] {
        let said = said(arguments);
        assert!(contains(reason).eval(&said), "{arguments:?}: {said}");
    }
    assert!(!folder.path().join("out.ron").exists(), "nothing is written");
}
