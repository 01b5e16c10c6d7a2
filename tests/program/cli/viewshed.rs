//! What towers see, as pictures.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::str::contains;

/// A folder with a land of level ground, 640 m × 320 m.
fn folder_with_recipe() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("level.ron");
    let text = r#"(version: 1, name: "Level", size: (65, 33), cell: 10.0, steps: [flat(height: 12.0)])"#;
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

/// `upland viewshed` of the recipe, with some arguments.
fn look(recipe: &Path, arguments: &[&str], picture: &Path) -> assert_cmd::assert::Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("upland"));
    command.arg("viewshed").arg(recipe).args(arguments).arg("-o").arg(picture).assert()
}

#[test]
fn what_several_towers_see_is_drawn_and_counted() {
    let (folder, recipe) = folder_with_recipe();
    let picture = folder.path().join("seen.png");
    // Each sees the 13 samples within 20 m; that at the corner 6 of them. They have none in common.
    let towers = ["--from", "0,0,3", "--from", "-320,-160,3", "--radius", "20"];
    let said = contains("seen.png: 65 × 33 samples 10 m apart, ");
    let said = look(&recipe, &towers, &picture).success().stderr(said).get_output().stdout.clone();
    let said = String::from_utf8(said).unwrap();
    let share = |samples: f64| 100.0 * samples / (65.0 * 33.0);
    let expected: Vec<String> = [
        ("0,0,3      ", 13.0, "0.00124"),
        ("-320,-160,3", 6.0, "0.000573"),
        ("together   ", 19.0, "0.00181"),
    ]
    .map(|(name, samples, area)| format!("{name}  {:6.2} %  {area} km²", share(samples)))
    .into();
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    let picture = image::open(&picture).unwrap().into_luma8();
    assert_eq!(picture.dimensions(), (65, 33));
    let white = |(x, z): (u32, u32)| picture.get_pixel(x, z).0[0] == 255;
    assert_eq!(picture.pixels().filter(|pixel| pixel.0[0] == 255).count(), 19);
    assert!([(32, 16), (34, 16), (32, 14), (0, 0), (2, 0), (0, 2)].into_iter().all(white));
}

#[test]
fn the_methods_agree_on_level_ground_and_a_small_planet_hides_some_of_it() {
    let (folder, recipe) = folder_with_recipe();
    let seen = |more: &[&str]| {
        let picture = folder.path().join("seen.png");
        look(&recipe, &[&["--from", "0,0,3", "--to", "1.5"], more].concat(), &picture).success();
        let picture = image::open(&picture).unwrap().into_luma8();
        picture.pixels().filter(|pixel| pixel.0[0] == 255).count()
    };
    for method in ["exact", "fast"] {
        assert_eq!(seen(&["--method", method]), 65 * 33);
        assert_eq!(seen(&["--method", method, "--curvature"]), 65 * 33, "on the Earth");
        let small = seen(&["--method", method, "--curvature=2000", "--refraction", "0"]);
        // 3 m are seen √(2 · 2000 · 3) = 110 m far, and 1.5 m another 77 m: a circle of 187 m, cut off at 160
        // m.
        assert!((900..1100).contains(&small), "{small}");
    }
}

#[test]
fn a_tower_outside_the_land_is_told_and_nothing_is_written() {
    let (folder, recipe) = folder_with_recipe();
    let picture = folder.path().join("seen.png");
    std::fs::write(&picture, "as it was").unwrap();
    let said = "--from: 326,0,3: the tower stands outside the land, which reaches from -320 to 320 m east (x) and \
                from -160 to 160 m south (z) of its middle";
    look(&recipe, &["--from", "0,0,3", "--from", "326,0,3"], &picture).code(1).stderr(contains(said));
    assert_eq!(std::fs::read(&picture).unwrap(), b"as it was");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "the recipe and the old picture");
}

#[test]
fn arguments_that_make_no_sense_are_refused() {
    let (folder, recipe) = folder_with_recipe();
    let picture = folder.path().join("seen.png");
    for (arguments, said) in [
        (&["--from", "0,0"][..], "give x, z and height in metres"),
        (&["--from", "0,0,NaN"], "give x, z and height in metres"),
        (&["--from", "0,0,-1"], "the height -1 is below the ground"),
        (&["--from", "0,0,3", "--to", "-2"], "-2 is below 0"),
        (&["--from", "0,0,3", "--radius", "-2"], "-2 is below 0"),
        (&["--from", "0,0,3", "--curvature=0"], "give the planet's radius in metres"),
        (&["--from", "0,0,3", "--curvature", "--refraction", "1"], "give a share from 0 to below 1"),
        (&["--from", "0,0,3", "--refraction", "0.1"], "--curvature"),
        (&["--from", "0,0,3", "--method", "guess"], "exact, fast"),
        (&[], "--from"),
    ] {
        look(&recipe, arguments, &picture).code(2).stderr(contains(said));
    }
    let text = folder.path().join("seen.txt");
    look(&recipe, &["--from", "0,0,3"], &text).code(1).stderr(contains("a picture is written as .png"));
    assert!(!picture.exists() && !text.exists());
}
