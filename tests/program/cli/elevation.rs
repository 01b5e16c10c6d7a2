//! Elevation files on the command line: what is guessed and how to override it, where land lies, and heights
//! in 16 bits.

use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::contains;
use upland::Raster;
use upland::formats::{self, ReadOptions};

use super::{folder_with_recipe, upland};

/// A copy of a file of odd elevation in a folder.
fn case(name: &str, folder: &Path) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("core/tests/data/cases");
    std::fs::copy(cases.join(name), folder.join(name)).unwrap();
    folder.join(name)
}

fn read(path: impl AsRef<Path>) -> Raster {
    formats::read(path, &ReadOptions::default()).unwrap()
}

/// What a command writes to stderr.
fn said(arguments: &[&str], folder: &Path) -> String {
    let output = upland().args(arguments).current_dir(folder).assert().success().get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn guesses_are_reported_in_one_line_and_can_be_overruled() {
    let folder = tempfile::tempdir().unwrap();
    case("local_metres.asc", folder.path());
    let guess = said(&["info", "local_metres.asc"], folder.path());
    assert!(guess.contains("degrees are assumed") && guess.lines().count() == 1, "{guess}");
    for given in [["--map-unit", "m"], ["--map-unit", "degrees"], ["--cell", "0.1"]] {
        upland()
            .args(["info", "local_metres.asc"])
            .args(given)
            .current_dir(&folder)
            .assert()
            .success()
            .stderr("");
    }
    // Land of it says the same, from a recipe, too.
    let recipe =
        r#"(version: 1, name: "x", size: (37, 29), cell: 0.1, steps: [import(file: "local_metres.asc")])"#;
    std::fs::write(folder.path().join("x.ron"), recipe).unwrap();
    for land in ["local_metres.asc", "x.ron"] {
        let guess = said(&["generate", land, "-o", "x.tif"], folder.path());
        assert!(guess.contains("degrees are assumed"), "{guess}");
    }
    upland().args(["info", "local_metres.asc", "--map-unit", "cubits"]).current_dir(&folder).assert().code(2);
    upland().args(["info", "x.ron", "--map-unit", "m"]).current_dir(&folder).assert().code(2);
}

#[test]
fn a_plane_is_chosen_reported_and_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    case("names2.exr", folder.path());
    let choice = said(&["convert", "names2.exr", "x.tif"], folder.path());
    let notes = choice.lines().filter(|line| line.starts_with("note:"));
    assert!(choice.contains("`height`") && notes.count() == 1, "{choice}");
    let water = ["convert", "names2.exr", "y.tif", "--channel", "debris"];
    upland().args(water).current_dir(&folder).assert().success().stderr(contains("note:").not());
    assert_eq!(read(folder.path().join("y.tif")).range(), (0.0, 0.0));
    // As land, by the parameters of the step that reads it.
    let land = ["generate", "names2.exr", "--set", "steps.0.plane=debris", "-o", "z.tif"];
    upland().args(land).current_dir(&folder).assert().success();
    assert_eq!(read(folder.path().join("z.tif")).range(), (0.0, 0.0));
}

#[test]
fn the_command_that_a_refusal_of_a_raw_file_names_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = case("big_endian.r16", folder.path());
    // A square is read without a size; what its order must be is said.
    upland()
        .args(["info", "big_endian.r16"])
        .current_dir(&folder)
        .assert()
        .success()
        .stderr(contains("--byte-order big"));
    // 29 of its 37 rows are no square.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..37 * 29 * 2]).unwrap();
    let refused = upland().args(["info", "big_endian.r16"]).current_dir(&folder).assert().code(1);
    let message = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
    let command = message.split('`').nth(1).unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "upland", "{message}");
    let read_as_little = said(&words[1..], folder.path());
    assert!(read_as_little.contains("--byte-order big"), "{read_as_little}");
    let mut known = words[1..].to_vec();
    known.extend(["--byte-order", "big", "--range", "100,244"]);
    upland().args(&known).current_dir(&folder).assert().success().stderr(contains("note:").not());
    let raster = read(folder.path().join("OTHER.tif"));
    assert!(raster.range().0 >= 100.0 && raster.range().1 <= 244.0);
    // Its land, too.
    let file = path.display().to_string();
    let set = ["steps.0.columns=37", "steps.0.rows=29", "steps.0.order=big"];
    let set = set.iter().flat_map(|set| ["--set", *set]);
    upland().args(["generate", &file, "-o", "land.tif"]).args(set).current_dir(&folder).assert().success();
    assert_eq!(read(folder.path().join("land.tif")).width(), 37);
}

#[test]
fn land_of_a_file_is_written_where_the_file_lies() {
    let folder = tempfile::tempdir().unwrap();
    let file = read(case("mercator_60n.tif", folder.path()));
    said(&["generate", "mercator_60n.tif", "-o", "land.tif"], folder.path());
    let land = read(folder.path().join("land.tif"));
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * b.abs().max(1.0);
    let place = |raster: &Raster| raster.place().unwrap().transform(raster.depth());
    assert!(place(&land).into_iter().zip(place(&file)).all(|(a, b)| near(a, b)), "{:?}", land.place());
    assert_eq!(land.place().unwrap().system_name().as_deref(), Some("EPSG:3857"));
    said(&["generate", "mercator_60n.tif", "--window", "0:10,8,9x7", "-o", "part.tif"], folder.path());
    said(&["convert", "mercator_60n.tif", "cut.tif", "--window", "0:10,8,9x7"], folder.path());
    let (part, cut) = ["part.tif", "cut.tif"].map(|name| read(folder.path().join(name))).into();
    assert!(place(&part).into_iter().zip(place(&cut)).all(|(a, b)| near(a, b)), "{:?}", part.place());
    // Pictures of it have a world file and the coordinate system beside them.
    let bake =
        ["bake", "mercator_60n.tif", "--texels", "36", "-o", "colours.png", "--heights", "heights.png"];
    upland().args(bake).current_dir(&folder).assert().success();
    let world = std::fs::read_to_string(folder.path().join("colours.pgw")).unwrap();
    let numbers: Vec<f64> = world.lines().map(|line| line.parse().unwrap()).collect();
    assert!(near(numbers[0], 50.0) && near(numbers[4], place(&file)[0] + 50.0), "{world}");
    let xml = std::fs::read_to_string(folder.path().join("colours.png.aux.xml")).unwrap();
    assert!(xml.contains("EPSG:3857"), "{xml}");
    let heights = read(folder.path().join("heights.png"));
    assert!(place(&heights).into_iter().zip(place(&file)).all(|(a, b)| near(a, b)));
    // Land that was made larger lies nowhere.
    let larger = said(&["generate", "mercator_60n.tif", "--cell", "100", "-o", "larger.tif"], folder.path());
    assert!(larger.contains("is not kept"), "{larger}");
}

#[test]
fn a_cloud_optimized_geotiff_has_the_same_land() {
    let folder = tempfile::tempdir().unwrap();
    case("mercator_60n.tif", folder.path());
    for command in [&["generate", "mercator_60n.tif", "-o"][..], &["convert", "mercator_60n.tif"]] {
        for (name, more) in [("plain.tif", None), ("cog.tif", Some("--cog"))] {
            said(&[command, &[name], more.as_slice()].concat(), folder.path());
        }
        let [plain, cog] = ["plain.tif", "cog.tif"].map(|name| folder.path().join(name));
        assert_eq!(read(&plain), read(&cog), "{command:?}");
        let layout = b"LAYOUT=IFDS_BEFORE_DATA";
        let has_layout =
            |path: &Path| std::fs::read(path).unwrap().windows(layout.len()).any(|own| own == layout);
        assert!(has_layout(&cog) && !has_layout(&plain), "{command:?}");
        let picture = [command, &["x.png", "--cog"]].concat();
        let refused = upland().args(picture).current_dir(&folder).assert().code(1);
        refused.stderr(contains("x.png: PNG cannot be a Cloud Optimized GeoTIFF; give the extension .tif"));
        assert!(!folder.path().join("x.png").exists());
    }
}

#[test]
fn windows_of_one_land_are_stretched_alike() {
    let (folder, _) = folder_with_recipe();
    let range = |arguments: &[&str]| {
        let told = said(arguments, folder.path());
        let line = told.lines().find(|line| line.contains("were mapped to 0–65535")).unwrap_or_default();
        line.split_once("heights ").map(|(_, rest)| rest.to_owned()).unwrap_or_else(|| panic!("{told}"))
    };
    let whole = range(&["generate", "hills.ron", "-o", "all.png"]);
    for (window, name) in [("0:0,0,20x20", "a.png"), ("0:30,10,20x20", "b.png"), ("1:2,2,9x9", "c.png")] {
        assert_eq!(range(&["generate", "hills.ron", "--window", window, "-o", name]), whole, "{window}");
        assert_eq!(
            range(&["bake", "hills.ron", "--window", window, "-o", "x.png", "--heights", name]),
            whole,
            "{window}"
        );
    }
    // Of a file, too.
    said(&["generate", "hills.ron", "-o", "all.tif"], folder.path());
    for window in ["0:0,0,20x20", "2:1,1,9x5"] {
        assert_eq!(range(&["convert", "all.tif", "a.png", "--window", window]), whole, "{window}");
    }
    let (part, all) = (read(folder.path().join("a.png")), read(folder.path().join("all.tif")));
    let (low, high) = all.range();
    assert!((part.at(0, 0) - all.at(4, 4)).abs() <= (high - low) / 65535.0);
    // A range that is given comes first.
    let given = ["generate", "hills.ron", "--window", "0:0,0,20x20", "--to-range=-1000,1000", "-o", "a.png"];
    assert!(range(&given).starts_with("-1000 to 1000 m"));
    let given = ["bake", "hills.ron", "-o", "x.png", "--heights", "a.png", "--to-range=-1000,1000"];
    assert!(range(&given).starts_with("-1000 to 1000 m"));
    let narrow = ["generate", "hills.ron", "--to-range=0,1", "-o", "a.png"];
    upland().args(narrow).current_dir(&folder).assert().code(1).stderr(contains("widen it"));
    let whole_file = ["generate", "hills.ron", "--to-range=0,1", "-o", "a.tif"];
    upland().args(whole_file).current_dir(&folder).assert().code(2).stderr(contains("files of 16 bits"));
    // Finer windows have detail that the range of the land may not hold: it is cut off, and that is reported.
    let fine = ["generate", "hills.ron", "--window=-2:0,0,129x129", "-o", "f.png"];
    upland().args(fine).current_dir(&folder).assert().success();
    let endless = r#"(version: 1, name: "x", size: endless, unit: 900.0, cell: 30.0, steps: [fbm()])"#;
    std::fs::write(folder.path().join("endless.ron"), endless).unwrap();
    let window = ["generate", "endless.ron", "--window=0:0,0,9x9", "-o", "e.png"];
    upland().args(window).current_dir(&folder).assert().success().stderr(contains("give --to-range"));
    let window = [window.as_slice(), &["--to-range=-5000,5000"]].concat();
    upland()
        .args(window)
        .current_dir(&folder)
        .assert()
        .success()
        .stderr(contains("-5000 to 5000 m").and(contains("give --to-range").not()));
}
