//! The command line, as a user meets it.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn upland() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("upland"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command
}

fn asset(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(path)
}

/// A folder with a small recipe in it.
fn folder_with_recipe() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hills.ron");
    let text = r#"(version: 1, name: "Hills", seed: 5, size: (65, 33), cell: 30.0,
        steps: [fbm(height: 400.0, octaves: 5.0)])"#;
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn presets_are_listed_and_printed_so_that_they_can_be_read_back() {
    let output = upland().arg("presets").assert().success().stderr("").get_output().stdout.clone();
    let list = String::from_utf8(output).unwrap();
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() >= 2);
    for name in names {
        let output = upland().args(["presets", name]).assert().success().get_output().stdout.clone();
        upland::Recipe::from_ron(&String::from_utf8(output).unwrap(), name).unwrap();
    }
}

#[test]
fn a_recipe_becomes_a_field_a_picture_and_numbers() {
    let (folder, recipe) = folder_with_recipe();
    let (field, picture) = (folder.path().join("hills.tif"), folder.path().join("hills.png"));
    upland().arg("generate").arg(&recipe).arg("-o").arg(&field).assert().success().stdout("").stderr("");
    upland()
        .arg("bake")
        .arg(&recipe)
        .args(["--texels", "128", "-o"])
        .arg(&picture)
        .assert()
        .success()
        .stdout("");
    assert_eq!(image::image_dimensions(&picture).unwrap(), (128, 64));
    upland()
        .arg("info")
        .arg(&field)
        .assert()
        .success()
        .stdout(contains("65 × 33 samples").and(contains("1.92 km × 0.96 km")).and(contains("mean slope")));
}

#[test]
fn overrides_change_what_they_name_and_nothing_else() {
    let (folder, recipe) = folder_with_recipe();
    let generate = |name: &str, arguments: &[&str]| {
        let path = folder.path().join(name);
        upland().arg("generate").arg(&recipe).args(arguments).arg("-o").arg(&path).assert().success();
        upland::formats::read(&path, &Default::default()).unwrap()
    };
    let plain = generate("a.tif", &[]);
    assert_eq!(plain, generate("b.tif", &["--seed", "5"]));
    assert_ne!(plain.values(), generate("c.tif", &["--seed", "6"]).values());
    assert_ne!(plain.values(), generate("d.tif", &["--set", "steps.0.octaves=2"]).values());
    let fine = generate("e.tif", &["--size", "129"]);
    assert_eq!((fine.width(), fine.depth()), (129, 65));
    assert_eq!(fine.at(2, 4), plain.at(1, 2));
    let wide = generate("f.tif", &["--size", "40x20", "--cell", "7.5"]);
    assert_eq!((wide.width(), wide.depth()), (40, 20));
    assert_eq!(wide.cell(), upland::CellSize::Metres { x: 7.5, z: 7.5 });
}

#[test]
fn real_elevation_keeps_its_grid_and_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let (source, png) = (asset("elevation/jacksboro_fault.asc"), folder.path().join("fault.png"));
    upland().arg("convert").arg(&source).arg(&png).assert().success();
    upland()
        .arg("info")
        .arg(&source)
        .assert()
        .success()
        .stdout(contains("403 × 344 samples").and(contains("29.8")).and(contains("236 to 1076 m")));
    let read = |path: &Path| upland::formats::read(path, &Default::default()).unwrap();
    assert_eq!(read(&source).values(), read(&png).values());
}

#[test]
fn negative_heights_survive_sixteen_bits_and_the_range_is_told() {
    let (folder, recipe) = folder_with_recipe();
    let png = folder.path().join("hills.png");
    upland().arg("generate").arg(&recipe).arg("-o").arg(&png).assert().success().stderr(contains("65535"));
    let (low, high) = upland::formats::read(&png, &Default::default()).unwrap().range();
    assert!(low < -50.0 && high > 50.0);
}

#[test]
fn bad_usage_is_told_with_exit_code_2() {
    let (_folder, recipe) = folder_with_recipe();
    let cases: [(&[&str], &str); 6] = [
        (&["--seed", "many"], "invalid value 'many'"),
        (&["--size", "0"], "1 to 32768"),
        (&["--set", "steps.0.octaves=99"], "steps.0.octaves: 99 is outside 1 to 16"),
        (&["--set", "steps.7.octaves=9"], "there is no step 7"),
        (&["--set", "steps.0.wings=2"], "there are height, frequency"),
        (&["--cell=-3"], "is not metres above 0"),
    ];
    for (arguments, message) in cases {
        let mut command = upland();
        command.arg("generate").arg(&recipe).args(arguments).args(["-o", "never.tif"]);
        command.assert().code(2).stdout("").stderr(contains(message));
    }
    upland().args(["presets", "atlantis"]).assert().code(2).stderr(contains("there is no preset `atlantis`"));
    upland().arg("fly").arg("--now").assert().code(2);
}

#[test]
fn failures_are_told_with_exit_code_1_and_leave_no_file() {
    let (folder, recipe) = folder_with_recipe();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let recipe = recipe.display().to_string();
    std::fs::write(
        path("broken.ron"),
        "(version: 1,\n  name: \"x\", size: (9, 9), cell: 1,\n  steps: [fbm(octave: 3)])",
    )
    .unwrap();
    std::fs::write(path("short.png"), [0x89, b'P', b'N', b'G']).unwrap();
    std::fs::write(path("noise.r16"), [0; 7]).unwrap();
    std::fs::write(path("land.xyz"), "").unwrap();
    let out = path("out.tif");
    let cases: [(&[&str], &str); 8] = [
        (&["generate", &recipe, "-o", "/no/such/folder/a.tif"], "does not exist"),
        (&["generate", &recipe, "-o", &path("a.doc")], ".tif"),
        (&["generate", &path("missing.ron"), "-o", &out], "no such file"),
        (&["generate", "no-such-preset", "-o", &out], "no such preset; there are"),
        (&["generate", &path("broken.ron"), "-o", &out], "broken.ron:3:"),
        (&["convert", &path("short.png"), &out], "short.png"),
        (&["convert", &path("noise.r16"), &out], "noise.r16"),
        (&["info", &path("land.xyz")], ".asc"),
    ];
    for (arguments, message) in cases {
        let assert = upland().args(arguments).assert().code(1).stdout("").stderr(contains(message));
        let stderr = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_failed_write_leaves_the_old_file_whole() {
    let (folder, _) = folder_with_recipe();
    let out = folder.path().join("old.tif");
    std::fs::write(&out, "precious").unwrap();
    upland().args(["convert", "missing.asc"]).arg(&out).assert().code(1);
    assert_eq!(std::fs::read(&out).unwrap(), b"precious");
}

#[test]
fn nothing_but_messages_goes_to_standard_error_when_piped() {
    upland().args(["info", "high-range"]).assert().success().stderr("");
}

#[cfg(feature = "viewer")]
#[test]
fn a_landscape_is_drawn_into_a_picture() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("shot.png");
    let size = ["--size", "160x90", "--from", "-900,700,900", "--look=0,0,0"];
    upland().arg("render").arg(&recipe).args(size).arg("-o").arg(&out).assert().success().stdout("");
    let picture = image::open(&out).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (160, 90));
    let distinct: std::collections::HashSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(distinct.len() > 500, "{} colours", distinct.len());
}

#[cfg(feature = "viewer")]
#[test]
fn without_a_display_the_window_becomes_a_picture_and_that_is_said() {
    let (folder, recipe) = folder_with_recipe();
    let mut command = upland();
    command.current_dir(folder.path()).arg("view").arg(&recipe);
    command
        .assert()
        .success()
        .stderr(contains("there is no display to open a window on; drawing hills.png instead"));
    assert_eq!(image::image_dimensions(folder.path().join("hills.png")).unwrap(), (1280, 720));
}

#[cfg(feature = "viewer")]
#[test]
fn without_a_graphics_device_it_says_what_to_install() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("never.png");
    let mut command = upland();
    command
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_DRIVER_FILES", "/nowhere")
        .env("VK_ICD_FILENAMES", "/nowhere");
    let message = contains("no Vulkan device found").and(contains("install"));
    command.arg("render").arg(&recipe).arg("-o").arg(&out).assert().code(1).stdout("").stderr(message);
    assert!(!out.exists());
}

#[cfg(feature = "viewer")]
#[test]
fn bad_pictures_are_refused_before_anything_is_drawn() {
    for (arguments, code, message) in [
        (&["render", "-o", "a.jpg"] as &[&str], 1, "is written as .png"),
        (&["render", "-o", "/no/such/folder/a.png"], 1, "does not exist"),
        (&["render", "-o", "a.png", "--size", "0x9"], 2, "1 to 8192"),
        (&["render", "-o", "a.png", "--from", "1,2"], 2, "three numbers"),
        (&["view", "a", "b", "c", "d", "e"], 2, "at most 4"),
    ] {
        upland().args(arguments).assert().code(code).stdout("").stderr(contains(message));
    }
}

#[test]
fn holes_in_the_data_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("holes.asc");
    let grid = "ncols 3\nnrows 2\nxllcorner 1000\nyllcorner 1000\ncellsize 10\nNODATA_value -9999\n";
    std::fs::write(&path, format!("{grid}1 2 3\n4 -9999 -9999\n")).unwrap();
    let told = contains("2 of 6 cells without data were filled");
    upland().arg("info").arg(&path).assert().success().stderr(told.clone());
    upland()
        .arg("generate")
        .arg(&path)
        .arg("-o")
        .arg(folder.path().join("a.tif"))
        .assert()
        .success()
        .stderr(told);
}
