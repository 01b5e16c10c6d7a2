//! Plots, as files.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use upland::plots::PlotKind;

/// A folder with a recipe of hills, 640 m × 320 m, in it.
fn folder_with(steps: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let text =
        format!("(version: 1, name: \"Hills & <dales>\", size: (65, 33), cell: 10.0, steps: [{steps}])");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn plot(recipe: &Path, arguments: &[&str], output: &Path) -> assert_cmd::assert::Assert {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("upland"));
    command.arg("plot").arg(recipe).args(arguments).arg("-o").arg(output).assert()
}

const HILLS: &str = "fbm(height: 200.0, hurst: 0.7)";

#[test]
fn each_plot_is_written_as_a_picture_and_as_a_table_and_its_numbers_are_told() {
    let (folder, recipe) = folder_with(HILLS);
    for kind in PlotKind::ALL {
        let mut arguments = vec!["--what", kind.name()];
        if kind == PlotKind::Profile {
            arguments.extend(["--from", "-300,0", "--to", "300,120"]);
        }
        let told = |ending: &str| {
            let path = folder.path().join(format!("{kind}.{ending}"));
            let wrote = contains("wrote ").and(contains("note:").not());
            let told = plot(&recipe, &arguments, &path).success().stderr(wrote).get_output().stdout.clone();
            (String::from_utf8(told).unwrap(), std::fs::read_to_string(path).unwrap())
        };
        let ((numbers, picture), (same, table)) = (told("svg"), told("CSV"));
        assert_eq!(numbers, same);
        assert!(numbers.lines().count() >= 1, "{numbers}");
        let document = roxmltree::Document::parse(&picture).unwrap();
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert!(title.text().unwrap().ends_with(": Hills & <dales>"));
        assert!(table.starts_with("series,") && table.lines().count() > 5, "{table}");
    }
}

#[test]
fn the_numbers_are_those_that_info_tells() {
    let (folder, recipe) = folder_with(HILLS);
    let output = plot(&recipe, &["--what", "heights"], &folder.path().join("h.svg")).success();
    let told = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let number = |name: &str| {
        let line = told.lines().find(|line| line.starts_with(name)).unwrap();
        let value = line[name.len()..].trim().trim_end_matches(" m");
        value.parse::<f64>().unwrap_or_else(|_| panic!("{line}"))
    };
    let land = upland::Recipe::read(&recipe).unwrap().build_heightfield(&upland::Work::new()).unwrap();
    let known = land.statistics(1);
    assert!((number("mean") - known.mean).abs() < 0.01);
    assert!((number("standard deviation") - known.deviation).abs() < 0.01);
    let output = plot(&recipe, &["--what", "spectrum"], &folder.path().join("s.svg")).success();
    output.stdout(contains("H in theory         0.7\n"));
}

#[test]
fn all_plots_go_into_a_folder_and_those_that_make_no_sense_are_told() {
    let (folder, recipe) = folder_with(HILLS);
    let plots = folder.path().join("plots");
    let wrote = contains("heights.csv … ").and(contains("(15 files): ")).and(contains("note:").not());
    let told = plot(&recipe, &["--what", "all", "--format", "csv"], &plots).success().stderr(wrote);
    told.stdout(contains("Heights\n").and(contains("\n\nPower spectrum\n")));
    let mut names: Vec<_> = std::fs::read_dir(&plots)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected = PlotKind::ALL.map(|kind| format!("{kind}.csv"));
    expected.sort();
    assert_eq!(names, expected);

    let (folder, level) = folder_with("flat(height: 12.0)");
    let plots = folder.path().join("plots");
    let told = plot(&level, &["--what", "all"], &plots).success();
    told.stderr(contains("without spectrum: heights: the land has no relief, all of it is at 12 m"));
    assert!(plots.join("heights.svg").exists() && !plots.join("spectrum.svg").exists());
}

#[test]
fn a_line_of_samples_and_one_that_midpoint_displacement_made_are_profiles_themselves() {
    let (folder, recipe) = folder_with("midpoint(levels: 6)");
    let table = folder.path().join("line.csv");
    plot(&recipe, &["--what", "profile"], &table).success().stdout(contains("length    715.54 m"));
    let lines = std::fs::read_to_string(&table).unwrap();
    assert_eq!(lines.lines().count(), 1 + 65);
    // With places it is a line over the land.
    let across = ["--what", "profile", "--from", "-320,0", "--to", "320,0"];
    plot(&recipe, &across, &table).success().stdout(contains("length    640 m"));
    let narrow = folder.path().join("narrow.asc");
    let text = "ncols 1\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n4\n3\n5\n1\n";
    std::fs::write(&narrow, text).unwrap();
    plot(&narrow, &["--what", "profile"], &table).success().stdout(contains("climb     2 m\ndescent   5 m"));
}

#[test]
fn a_profile_needs_places_on_the_land() {
    let (folder, recipe) = folder_with(HILLS);
    let picture = folder.path().join("p.svg");
    std::fs::write(&picture, "as it was").unwrap();
    plot(&recipe, &["--what", "profile"], &picture)
        .code(2)
        .stderr(contains("--what profile needs two places; give --from X,Z and --to X,Z"));
    let outside = ["--what", "profile", "--from", "0,0", "--to", "0,-166"];
    let said = "--to: 0,-166: the place lies outside the land, which reaches from -320 to 320 m east (x) and from \
                -160 to 160 m south (z) of its middle";
    plot(&recipe, &outside, &picture).code(1).stderr(contains(said));
    let same = ["--what", "profile", "--from", "5,5", "--to", "5,5"];
    plot(&recipe, &same, &picture).code(2).stderr(contains("one place"));
    assert_eq!(std::fs::read(&picture).unwrap(), b"as it was");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the recipe and the old picture");
}

#[test]
fn arguments_that_make_no_sense_are_refused_and_nothing_is_written() {
    let (folder, recipe) = folder_with(HILLS);
    let picture = folder.path().join("p.svg");
    for (arguments, said) in [
        (&["--what", "spektrum"][..], "there is no plot `spektrum`; there are heights, hypsometry"),
        (&[], "--what"),
        (&["--what", "profile", "--from", "1,2"], "--to"),
        (&["--what", "profile", "--from", "1", "--to", "2,3"], "give x and z in metres"),
        (
            &["--what", "slopes", "--from", "1,2", "--to", "2,3"],
            "--from and --to: only --what profile and --what all",
        ),
        (
            &["--what", "slopes", "--bearings", "16"],
            "--bearings: only --what aspects, --what slope-rose and --what all",
        ),
        (&["--what", "slope-rose", "--bearings", "361"], "`361` is not a number of bearings from 4 to 360"),
        (&["--what", "aspects", "--bearings", "3"], "`3` is not a number of bearings from 4 to 360"),
        (&["--what", "slopes", "--format", "csv"], "--format is for --what all"),
        (&["--what", "all", "--format", "png"], "there are csv and svg"),
    ] {
        plot(&recipe, arguments, &picture).code(2).stderr(contains(said));
    }
    let text = folder.path().join("p.txt");
    let said = "a plot is written as .csv or .svg; give it one of these extensions";
    plot(&recipe, &["--what", "slopes"], &text).code(1).stderr(contains(said));
    plot(&recipe, &["--what", "all"], &recipe)
        .code(1)
        .stderr(contains("is a file; --what all writes one for each"));
    let nowhere = folder.path().join("none").join("p.svg");
    plot(&recipe, &["--what", "slopes"], &nowhere).code(1).stderr(contains("does not exist; make it first"));
    let (level_folder, level) = folder_with("flat(height: 12.0)");
    let spectrum = level_folder.path().join("s.svg");
    plot(&level, &["--what", "spectrum"], &spectrum).code(1).stderr(contains("give land with hills"));
    assert!(!picture.exists() && !text.exists() && !spectrum.exists());
}
