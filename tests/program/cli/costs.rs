//! Costs of ways, as files.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn upland() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("upland"))
}

/// A recipe of hills in a folder.
fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let text = "(version: 1, name: \"Hills\", size: (65, 49), cell: 20, steps: [fbm(height: 80), erode()])";
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn costs_are_written_as_a_picture_as_numbers_and_as_a_map_with_the_way() {
    let (folder, recipe) = folder();
    let out = |name: &str| folder.path().join(name);
    let told = contains("may be walked on").and(contains("the way")).and(contains("m up, costs"));
    upland()
        .args(["costs"])
        .arg(&recipe)
        .args([
            "--set",
            "costs.max_slope=18",
            "--set",
            "costs.layers=[(name: \"flow\", min: 0.1, factor: 0.5)]",
        ])
        .args(["--from", "-400,-300", "--to=500,350", "--pixels", "130", "-o"])
        .arg(out("costs.png"))
        .arg("--map")
        .arg(out("map.png"))
        .arg("--path")
        .arg(out("way.csv"))
        .assert()
        .success()
        .stdout(told);
    assert_eq!(image::image_dimensions(out("costs.png")).unwrap(), (65, 49));
    assert_eq!(image::image_dimensions(out("map.png")).unwrap(), (130, 98));
    let way = std::fs::read_to_string(out("way.csv")).unwrap();
    let lines: Vec<&str> = way.lines().collect();
    assert!(lines[0] == "x,z,height" && lines[1].starts_with("-400.000,-300.000,"), "{way}");
    assert!(lines.last().unwrap().starts_with("500.000,350.000,"), "{way}");
    upland().args(["costs"]).arg(&recipe).arg("-o").arg(out("costs.tif")).assert().success();
    let costs = upland::formats::read(out("costs.tif"), &upland::formats::ReadOptions::default()).unwrap();
    let grey = image::open(out("costs.png")).unwrap().to_luma8();
    assert!(costs.values().iter().all(|cost| *cost == -1.0 || *cost >= 1.0));
    assert!(grey.pixels().any(|level| level.0[0] == 0) && grey.pixels().any(|level| level.0[0] == 255));
}

#[test]
fn a_mask_makes_ground_off_limits_and_rules_are_read_from_a_file() {
    let (folder, recipe) = folder();
    let (mask, rules) = (folder.path().join("mask.png"), folder.path().join("rules.ron"));
    image::GrayImage::from_pixel(65, 49, image::Luma([255])).save(&mask).unwrap();
    std::fs::write(&rules, "(max_slope: 90, pace: even)").unwrap();
    let run = |arguments: &[&std::ffi::OsStr]| {
        let mut command = upland();
        command.args(["costs"]).arg(&recipe).args(arguments).arg("-o").arg(folder.path().join("a.png"));
        command.assert()
    };
    run(&["--off-limits".as_ref(), mask.as_ref()])
        .success()
        .stdout(contains("off-limits: painted          100.00 %"));
    run(&["--rules".as_ref(), rules.as_ref()])
        .success()
        .stdout(contains("may be walked on             100.00 %"));
    std::fs::write(&rules, "(max_slope: 91)").unwrap();
    run(&["--rules".as_ref(), rules.as_ref()]).failure().stderr(contains("91 is outside 0 to 90"));
}

#[test]
fn what_is_not_possible_is_refused_with_what_would_be() {
    let (folder, recipe) = folder();
    for (arguments, code, message) in [
        (&["-o", "a.jpg"] as &[&str], 1, "a.jpg"),
        (&["-o", "a.png", "--from", "1,2"], 2, "--to"),
        (&["-o", "a.png", "--from", "1,x", "--to", "3,4"], 2, "x and z in metres"),
        (&["-o", "a.png", "--from", "1,2", "--to", "9999,4"], 1, "is not on the map"),
        (&["-o", "a.png", "--set", "costs.max_slope=99"], 2, "99 is outside 0 to 90"),
        (&["-o", "a.png", "--set", "costs.steep=9"], 2, "max_slope"),
        (&["-o", "a.png", "--set", "steps.0.height=NaN"], 2, "height"),
        (&["-o", "a.png", "--off-limits", "no.png"], 1, "no.png"),
        (&["-o", "a.png", "--map", "a.png"], 2, "cannot both be written there"),
        (&["-o", "a.png", "--path", "w.csv"], 2, "--from"),
        (&["-o", "a.png", "--window", "0:60,0,9x9"], 1, "window"),
    ] {
        let mut command = upland();
        command.current_dir(folder.path()).arg("costs").arg(&recipe).args(arguments);
        command.assert().code(code).stdout("").stderr(contains(message));
    }
    assert!(!folder.path().join("a.png").exists());
}
