//! The command line, as a user meets it.
mod costs;
mod elevation;
mod frames;
mod likeness;
mod plots;
mod viewshed;
#[cfg(feature = "world")]
mod world;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use upland::formats::HeightChannel;

fn upland() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("upland"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command
}

/// A file of the core's assets, as a file in a folder.
fn asset(name: &str, folder: &Path) -> PathBuf {
    let bytes = upland_core::files::embedded::file(&format!("../elevation/{name}")).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
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
fn lessons_are_listed_and_printed_without_their_answers_unless_these_are_asked_for() {
    let printed = |arguments: &[&str]| {
        let output =
            upland().arg("lesson").args(arguments).assert().success().stderr("").get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    let list = printed(&[]);
    assert_eq!(list.lines().count(), upland::ShippedLesson::all().len());
    for (line, shipped) in list.lines().zip(upland::ShippedLesson::all()) {
        let lesson = shipped.lesson().unwrap();
        assert!(
            line.starts_with(shipped.name) && line.contains(&*lesson.title) && line.contains(&*lesson.family)
        );
        let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines = printed(&[shipped.name, "--print"]);
        assert!(lines.lines().all(|line| line.chars().count() <= 80), "{lines}");
        let (hidden, told) = (flat(lines), flat(printed(&[shipped.name, "--print", "--answers"])));
        for question in lesson.questions() {
            assert!(hidden.contains(&*question.ask) && told.contains(&*question.ask), "{}", shipped.name);
            let reveal = flat(question.reveal.clone());
            assert!(!hidden.contains(&reveal) && told.contains(&reveal), "{}: {reveal}", shipped.name);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, upland::ShippedLesson::all()[0].text.replace("version: 1,", "version: 9,"))
        .unwrap();
    upland().arg("lesson").arg(&path).arg("--print").assert().code(1).stderr(contains("mine.ron:2:"));
    // An error in a page has its line, not that of the next.
    let text = "(version: 1, title: \"A\", family: \"B\", recipe: preset(\"downs\"),\npages: [\ntext(\"one\"),\n\
                slider(path: \"seed\", label: \"\", low: 0, high: 9),\n\ntext(\"two\"),\n])";
    std::fs::write(&path, text).unwrap();
    upland().arg("lesson").arg(&path).arg("--print").assert().code(1).stderr(contains("mine.ron:4:"));
    // The commands that a printed lesson names are there: its land is taken where a recipe is.
    let shipped = upland::ShippedLesson::find("spectral").unwrap();
    std::fs::write(&path, shipped.text).unwrap();
    let told = printed(&["spectral", "--print"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("(upland plot spectral --what spectrum -o spectrum.svg)"), "{told}");
    let file = path.display().to_string();
    let numbers = ["spectral", &file].map(|land| {
        let plot = ["plot", land, "--what", "spectrum", "--size", "65", "-o", "spectrum.svg"];
        let output = upland().args(plot).current_dir(&folder).assert().success().get_output().stdout.clone();
        assert!(folder.path().join("spectrum.svg").exists());
        output
    });
    assert!(!numbers[0].is_empty() && numbers[0] == numbers[1], "the shipped lesson and its text are one");
    upland().args(["lesson", "alchemy"]).assert().code(1).stderr(contains("there are brownian"));
    upland().args(["lesson", "--print"]).assert().code(2);
}

#[test]
fn mistakes_are_listed_told_and_written_as_two_recipes() {
    let list = upland().arg("mistakes").assert().success().stderr("").get_output().stdout.clone();
    let list = String::from_utf8(list).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for mistake in upland::Mistake::all() {
        assert!(list.contains(mistake.name) && list.contains(mistake.title), "{list}");
        let (path, value) = mistake.spoils[0];
        let setting = format!("{path}={value}");
        upland().args(["mistakes", mistake.name]).assert().success().stdout(contains(setting));
        let inside = folder.path().join(mistake.name);
        upland()
            .args(["mistakes", mistake.name, "--recipes"])
            .arg(&inside)
            .assert()
            .success()
            .stdout("")
            .stderr(contains("wrong.ron").and(contains("right.ron")));
        let read = |name| upland::Recipe::read(inside.join(name)).unwrap();
        assert_eq!(read("wrong.ron").name, mistake.wrong().unwrap().name);
        upland().arg("info").arg(inside.join("wrong.ron")).args(["--size", "33"]).assert().success();
        read("right.ron").preview(33).build(&upland::Work::new()).unwrap();
    }
    let file = folder.path().join("file");
    std::fs::write(&file, "kept").unwrap();
    let refused = upland().args(["mistakes", "seams", "--recipes"]).arg(&file).assert();
    refused.code(1).stderr(contains("give a folder's name"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    upland().args(["mistakes", "hubris"]).assert().code(2).stderr(contains("there is no mistake `hubris`"));
    upland().args(["mistakes", "--recipes", "x"]).assert().code(2);
}

#[test]
fn a_flight_without_drawing_is_measured_for_people_and_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, path) = (folder.path().join("land.ron"), folder.path().join("runs.json"));
    let text = "(version: 1, name: \"Land\", seed: 3, size: (65, 65), cell: 30, steps: [fbm(height: 300)])";
    std::fs::write(&recipe, text).unwrap();
    let arguments = ["--no-draw", "--only", "land-mid-10", "--seconds", "0.2", "--json"];
    let output = upland()
        .arg("bench")
        .arg(&recipe)
        .args(arguments)
        .arg(&path)
        .assert()
        .success()
        .stderr(contains("runs.json: measurements, "))
        .get_output()
        .clone();
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("land-mid-10") && table.contains("holes"), "{table}");
    let runs: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let run = &runs[0];
    assert_eq!((run["name"].as_str(), run["device"].as_str()), (Some("land-mid-10"), Some("none")));
    assert_eq!(run["holes"], 0);
    for key in ["frames", "triangles_max", "draws_max", "gpu_bytes_max", "cpu_bytes_max", "tiles_max"] {
        assert!(run[key].as_u64().unwrap() > 0, "{key}: {run}");
    }
    for key in ["systems_ms", "frame_ms"] {
        let [median, p99, worst] = ["median", "p99", "worst"].map(|part| run[key][part].as_f64().unwrap());
        assert!(0.0 < median && median <= p99 && p99 <= worst, "{key}: {run}");
    }
    // The systems may have waited, but not run for longer than has passed; two clocks differ by a little.
    assert_eq!(run["systems_cpu_ms"].is_object(), cfg!(unix), "{run}");
    for part in ["median", "p99", "worst"] {
        let [all, cpu] = ["systems_ms", "systems_cpu_ms"].map(|key| run[key][part].as_f64());
        assert!(cpu.is_none_or(|cpu| 0.0 <= cpu && Some(cpu) < all.map(|all| all + 0.5)), "{run}");
    }
    assert_eq!(table.contains("of which on the processor"), cfg!(unix), "{table}");
    assert!(run["tile_latency_ms"]["median"].is_number() && run["tile_latency_ms"]["p95"].is_number());

    let refused = |arguments: &[&str], said: &str| {
        upland().arg("bench").args(arguments).assert().code(2).stderr(contains(said));
    };
    #[cfg(feature = "viewer")]
    refused(&["--no-draw", "--frames", "3"], "cannot be used with");
    #[cfg(not(feature = "viewer"))]
    refused(&[], "add --no-draw");
    refused(
        &["--no-draw", "--only", "moon"],
        "no flight has all of these words in its name: moon; there are 1025-near-10",
    );
    refused(&["--no-draw", "--seconds", "0"], "0 is outside 0.1 to 86400 seconds");
    refused(&["--no-draw", "--seconds", "NaN"], "NaN is outside 0.1 to 86400 seconds");
}

#[test]
#[cfg(feature = "viewer")]
fn which_of_two_flights_with_one_name_is_filmed_is_told_before() {
    let (folder, path) = folder_with_recipe();
    let mut recipe = upland::Recipe::read(&path).unwrap();
    let place = |x: f32| upland::Waypoint { after: 1.0, from: (x, 900.0, 0.0), look: (x, 0.0, -500.0) };
    let flight = |name: &str| upland::Flight { name: name.into(), waypoints: vec![place(0.0), place(9.0)] };
    recipe.flights = ["Twice", "Once", "Twice"].map(flight).to_vec();
    std::fs::write(&path, recipe.to_ron().unwrap()).unwrap();
    // Nothing is drawn: there are no films of this kind.
    let film = |name: &str| {
        let mut command = upland();
        command.arg("tour").arg(&path).args(["--flight", name, "-o"]).arg(folder.path().join("film.gif"));
        command.assert().failure()
    };
    film("Twice").stderr(contains("2 flights are called `Twice`, and the first is used"));
    film("Once").stderr(contains("is used").not());
}

#[test]
#[cfg(feature = "viewer")]
fn a_flight_that_is_drawn_is_measured_pass_by_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, path) = (folder.path().join("land.ron"), folder.path().join("bench.json"));
    let text = "(version: 1, name: \"Land\", seed: 3, size: (65, 65), cell: 30, steps: [fbm(height: 300)])";
    std::fs::write(&recipe, text).unwrap();
    let mut command = upland();
    command.arg("bench").arg(&recipe).args(["--only", "land-mid-10", "--frames", "2", "--size", "64x36"]);
    command.args(["--seconds", "600", "--quality", "low", "--json"]).arg(&path);
    command.assert().success().stdout(contains("land-mid-10").and(contains("main_opaque_pass_3d")));
    let runs: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let run = &runs[0];
    assert_eq!((run["frames"].as_u64(), run["holes"].as_u64()), (Some(2), Some(0)), "{run}");
    assert_eq!((run["quality"].as_str(), &run["size"]), (Some("low"), &serde_json::json!([64, 36])));
    assert!(run["device"].as_str().is_some_and(|device| !["", "none"].contains(&device)), "{run}");
    assert_eq!(run["draws_max"], 1, "all chunks are one draw: {run}");
    for key in ["triangles_max", "gpu_bytes_max", "cpu_bytes_max", "tiles_max"] {
        assert!(run[key].as_u64().unwrap() > 0, "{key}: {run}");
    }
    for key in ["systems_ms", "frame_ms", "cpu_ms"] {
        let [median, p99, worst] = ["median", "p99", "worst"].map(|part| run[key][part].as_f64().unwrap());
        assert!(0.0 < median && median <= p99 && p99 <= worst, "{key}: {run}");
    }
    assert!(run["tile_latency_ms"]["median"].is_number() && run["tile_latency_ms"]["p95"].is_number());
    assert!(run["gpu_passes_ms"].is_object());
}

#[test]
fn steps_are_listed_with_their_parameters_for_people_and_for_programs() {
    let said = |arguments: &[&str]| {
        let output = upland().arg("steps").args(arguments).assert().success().stderr("").get_output().clone();
        String::from_utf8(output.stdout).unwrap()
    };
    let all = said(&[]);
    for step in upland::steps::all() {
        let heading = format!("{}: {}, a {}; reach: ", step.name(), step.title(), step.kind());
        assert!(all.contains(&heading), "{heading}");
    }
    assert!(all.lines().all(|line| line.chars().count() <= 140), "{all}");
    let mean = said(&["mean"]);
    assert!(mean.contains("reach: within 20 m") && !mean.contains("fbm:"), "{mean}");
    assert!(mean.contains("\n      h′(x, z) = Σ h(x + i, z + j) / 5²,  |i|, |j| ≤ 2 samples\n"), "{mean}");
    let json: serde_json::Value = serde_json::from_str(&said(&["--json", "fbm", "river", "mean"])).unwrap();
    let names: Vec<_> = json["steps"].as_array().unwrap().iter().map(|step| &step["name"]).collect();
    assert_eq!(names, ["fbm", "mean", "river"]);
    assert_eq!(json["steps"][1]["reach"], serde_json::json!({ "kind": "near", "metres": 20.0 }));
    let hurst = json["steps"][0]["parameters"].as_array().unwrap();
    let hurst = hurst.iter().find(|parameter| parameter["name"] == "hurst").unwrap();
    assert_eq!((&hurst["default"], &hurst["maximum"]), (&serde_json::json!(0.9), &serde_json::json!(2.0)));
    assert_eq!(json["steps"][2]["common"], serde_json::json!(["on", "variant"]));
    let fbm = json["steps"][0]["formula"].as_str().unwrap();
    assert!(fbm.starts_with("h(x) = 1000 · Σ wᵢ Nᵢ(4 x · 2ⁱ) / Σ wᵢ\n"), "{fbm}");
    let json: serde_json::Value = serde_json::from_str(&said(&["--json", "stones"])).unwrap();
    let stones = json["steps"][0]["formula"].as_str().unwrap();
    assert!(stones.starts_with("h′ = h + Σ"), "{stones}");
    upland()
        .args(["steps", "fmb"])
        .assert()
        .code(2)
        .stderr(contains("there is no step `fmb`; there are flat, fbm"));
}

#[test]
fn a_recipe_becomes_a_field_a_picture_and_numbers() {
    let (folder, recipe) = folder_with_recipe();
    let (field, picture) = (folder.path().join("hills.tif"), folder.path().join("hills.png"));
    let said = contains("hills.tif: 65 × 33 samples 30 m apart, heights from ").and(contains(" kB\n"));
    upland().arg("generate").arg(&recipe).arg("-o").arg(&field).assert().success().stdout("").stderr(said);
    upland()
        .arg("bake")
        .arg(&recipe)
        .args(["--texels", "128", "-o"])
        .arg(&picture)
        .assert()
        .success()
        .stdout("")
        .stderr(contains("hills.png: 128 × 64 texels, heights from "));
    assert_eq!(image::image_dimensions(&picture).unwrap(), (128, 64));
    upland()
        .arg("info")
        .arg(&field)
        .assert()
        .success()
        .stdout(contains("65 × 33 samples").and(contains("1.92 km × 0.96 km")).and(contains("mean slope")));
}

#[test]
fn what_is_written_of_endless_land_is_reported_as_a_window() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("endless.ron");
    let text = "(version: 1, name: \"Endless\", size: endless, unit: 1000, cell: 10, steps: [fbm()])";
    std::fs::write(&recipe, text).unwrap();
    for (command, more) in [("generate", &[][..]), ("bake", &["--texels", "32"]), ("mesh", &["--grid"])] {
        let out = folder.path().join(match command {
            "generate" => "a.tif",
            "bake" => "a.png",
            _ => "a.stl",
        });
        let mut upland = upland();
        upland.arg(command).arg(&recipe).args(["--size", "33x17"]).args(more).arg("-o").arg(&out);
        upland.assert().success().stderr(contains("window 0:-16,-8,33x17 of endless land"));
    }
    upland()
        .arg("info")
        .arg(&recipe)
        .args(["--size", "33x17"])
        .assert()
        .success()
        .stdout(contains("window      0:-16,-8,33x17 of endless"));
    // The same window again.
    let read = |name: &str| upland::formats::read(folder.path().join(name), &Default::default()).unwrap();
    let mut part = upland();
    part.arg("generate")
        .arg(&recipe)
        .args(["--size", "33x17", "--window=0:-16,-8,33x17", "-o"])
        .arg(folder.path().join("b.tif"));
    part.assert().success();
    assert_eq!(read("a.tif").values(), read("b.tif").values());
}

#[test]
fn heights_near_the_end_of_f32_are_described_in_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.asc");
    let text = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n-3e38 0 3e38\n3e38 1 2\n";
    std::fs::write(&path, text).unwrap();
    let output = upland().arg("info").arg(&path).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
    assert_eq!(text.matches('█').count(), 14 + 40 + 27, "{text}");
}

#[test]
fn all_that_fails_is_reported_as_an_error() {
    for arguments in [&["generate"][..], &["info", "missing.tif"], &["presets", "atlantis"]] {
        let assert = upland().args(arguments).assert().failure();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.starts_with("error: "), "{said}");
    }
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
fn a_layer_is_written_as_heights_are() {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("worn.ron");
    let text =
        "(version: 1, name: \"Worn\", size: (65, 33), cell: 100, steps: [fbm(), erode(base_level: -12000)])";
    std::fs::write(&recipe, text).unwrap();
    let generate = |layer: &str, name: &str| {
        let mut command = upland();
        command.arg("generate").arg(&recipe).args(["--layer", layer, "-o"]).arg(folder.path().join(name));
        command.assert()
    };
    let read = |name: &str| upland::formats::read(folder.path().join(name), &Default::default()).unwrap();
    for name in ["flow.tif", "flow.exr", "flow.asc"] {
        generate("flow", name).success().stdout("").stderr(contains("`flow` from 0.01 to "));
        let flow = read(name);
        assert_eq!((flow.width(), flow.depth()), (65, 33));
        let (low, high) = flow.range();
        assert!((low - 0.01).abs() < 1e-6 && (0.2..=21.46).contains(&high), "{name}: {low} {high}");
        assert_eq!(flow.values(), read("flow.tif").values(), "{name}");
    }
    let told = "`flow` from 0.01 to ";
    generate("flow", "flow.png")
        .success()
        .stderr(contains(told).and(contains(" km² were mapped to 0–65535")));
    let (low, high) = read("flow.png").range();
    assert_eq!((low, high), read("flow.tif").range());
    generate("water_depth", "water.tif").success();
    assert_eq!(read("water.tif").range(), (0.0, 0.0));
    let said = "layer: no step has written a layer `snow`; there are deposit, flow, water_depth, wear";
    generate("snow", "snow.tif").code(1).stderr(contains(said));
    assert!(!folder.path().join("snow.tif").exists());
}

#[test]
fn land_that_overhangs_is_written_as_a_vector_map_and_read_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let land = "fbm(height: 60), undercut(depth: 7, level: -20, height: 40, slope_min: 10)";
    let recipe = |name: &str, steps: &str| {
        let text = format!("(version: 1, name: \"Wall\", size: (65, 33), cell: 2, steps: [{steps}])");
        std::fs::write(at(name), text).unwrap();
    };
    recipe("land.ron", land);
    recipe("plain.ron", "fbm(height: 60)");
    recipe("green.ron", "flat(height: 0), sculpt_vector(file: \"green.exr\")");
    recipe("blue.ron", "flat(height: 0), sculpt_vector(file: \"blue.exr\", up: blue)");
    let generate = |recipe: &str, arguments: &[&str], out: &str| {
        upland().arg("generate").arg(at(recipe)).args(arguments).arg("-o").arg(at(out)).assert()
    };
    let said = contains("green.exr: 65 × 33 samples 2 m apart, heights from ");
    generate("land.ron", &["--vectors"], "green.exr").success().stdout("").stderr(said);
    generate("land.ron", &["--vectors=blue"], "blue.exr").success();
    let values = |recipe: &str, arguments: &[&str]| {
        generate(recipe, arguments, "out.tif").success();
        upland::formats::read(at("out.tif"), &Default::default()).unwrap().values().to_vec()
    };
    for arguments in [&[][..], &["--layer", "shift_east"], &["--layer", "shift_south"]] {
        let written = values("land.ron", arguments);
        assert!(written.iter().any(|value| value.abs() > 1.0), "{arguments:?}");
        for read in ["green.ron", "blue.ron"] {
            assert_eq!(values(read, arguments), written, "{read} {arguments:?}");
        }
    }
    // A window is the same part of it.
    generate("land.ron", &["--vectors", "--window=0:10,4,9x5"], "part.exr").success();
    let read = |name: &str, channel| {
        let options = upland::formats::ReadOptions { channel, ..Default::default() };
        upland::formats::read(at(name), &options).unwrap()
    };
    for channel in [HeightChannel::Red, HeightChannel::Green, HeightChannel::Blue] {
        let (part, all) = (read("part.exr", channel), read("green.exr", channel));
        assert_eq!((part.width(), part.depth()), (9, 5));
        assert_eq!(part.values()[..9], all.values()[4 * 65 + 10..][..9]);
    }
    generate("plain.ron", &["--vectors"], "none.exr")
        .code(2)
        .stderr(contains("no step of this recipe moves ground sideways"));
    generate("land.ron", &["--vectors"], "none.tif").code(1).stderr(contains("give a name in .exr"));
    generate("land.ron", &["--vectors", "--layer=flow"], "none.exr").code(2);
    generate("land.ron", &["--vectors=red"], "none.exr").code(2).stderr(contains("green or blue"));
    assert!(!at("none.exr").exists() && !at("none.tif").exists());
}

#[test]
fn real_elevation_keeps_its_grid_and_its_shape() {
    let folder = tempfile::tempdir().unwrap();
    let (source, png) = (asset("jacksboro_fault.asc", folder.path()), folder.path().join("fault.png"));
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
fn windows_and_flights_need_no_memory_for_all_of_a_large_file() {
    let folder = tempfile::tempdir().unwrap();
    let (raw, recipe) = (folder.path().join("country.r16"), folder.path().join("country.ron"));
    // 65,536² samples of height 0.
    std::fs::File::create(&raw).unwrap().set_len(2 << 32).unwrap();
    let text = r#"(version: 1, name: "Country", size: (65536, 65536), cell: 30, steps: [
        import(file: "country.r16", bias: 7), fbm(height: 90, frequency: 900, blend: add)])"#;
    std::fs::write(&recipe, text).unwrap();
    for (land, level, low) in [(&raw, "0", 0.0), (&recipe, "-2", -90.0), (&recipe, "9", -90.0)] {
        let window = if level == "9" { "9:0,0,128x128".into() } else { format!("{level}:9000,8000,65x33") };
        let out = folder.path().join("window.tif");
        let mut command = upland();
        command.arg("generate").arg(land).args([&format!("--window={window}"), "-o"]).arg(&out);
        command.assert().success();
        let range = upland::formats::read(&out, &Default::default()).unwrap().range();
        assert!(range.0 >= low && range.1 <= 97.0, "{range:?}");
        let mut command = upland();
        command.arg("bake").arg(land).args([&format!("--window={window}"), "-o"]);
        command.arg(out.with_extension("png")).assert().success();
    }
    let mut command = upland();
    command.arg("bench").arg(&recipe).args(["--no-draw", "--only", "land-far-10", "--seconds", "0.2"]);
    command.assert().success().stdout(contains("land-far-10"));
    // What cannot be had says what can.
    let mut command = upland();
    command.arg("generate").arg(&recipe).args(["-o", "never.tif"]);
    command
        .assert()
        .code(1)
        .stderr(contains("65536×65536 samples need 16.0 GiB").and(contains("ask for windows")));
    let mut command = upland();
    command.arg("bench").arg(&recipe).args(["--no-draw"]);
    std::fs::write(&recipe, text.replace("bias: 7),", "bias: 7), normalize(),")).unwrap();
    command
        .assert()
        .code(1)
        .stderr(contains("steps.1 (normalize)").and(contains("needs to know all of the land")));
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
    let cases: [(&[&str], &str); 10] = [
        (&["--seed", "many"], "invalid value 'many'"),
        (&["--size", "0"], "1 to 65536"),
        (&["--set", "steps.0.octaves=99"], "steps.0.octaves: 99 is outside 1 to 16"),
        (&["--set", "steps.7.octaves=9"], "there is no step 7"),
        (&["--set", "steps.0.wings=2"], "there is no `wings`; `steps.0` has height, frequency"),
        (&["--cell=-3"], "cell: -3 is outside 0.001 to 1000000 m between samples"),
        (&["--set", "cell=1e-30"], "is outside 0.001 to 1000000 m between samples"),
        (&["--set", "cell=wide"], "cell: `wide` is not a number from 0.001 to 1000000 m between"),
        (&["--set", "size=65537x1"], "65537×1 is outside 1 to 65536 samples a side"),
        (&["--set", "cell=0.01", "--set", "steps.0.octaves=x"], "`x` is not a number from 1 to 16"),
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
fn a_size_that_would_leave_the_range_of_cells_is_refused_unless_a_cell_comes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (recipe, out) = (folder.path().join("tiny.ron"), folder.path().join("tiny.tif"));
    std::fs::write(&recipe, r#"(version: 1, name: "Tiny", size: (65, 33), cell: 0.002, steps: [])"#).unwrap();
    let generate = |arguments: &[&str]| {
        let mut command = upland();
        command.arg("generate").arg(&recipe).args(arguments).arg("-o").arg(&out);
        command.assert()
    };
    let told = contains("at 257×129 samples, cell: 0.0005 is outside 0.001 to 1000000 m between samples");
    generate(&["--size", "257"]).code(2).stderr(told);
    assert!(!out.exists());
    generate(&["--size", "257", "--cell", "0.002"]).success();
    generate(&["--size", "1"]).success();
    let field = upland::formats::read(&out, &Default::default()).unwrap();
    assert_eq!((field.width(), field.depth()), (1, 1));
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_the_process_are_kept_to_and_told() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("large.png");
    let wide = folder.path().join("wide.ron");
    let text = r#"(version: 1, name: "Wide", size: (13001, 13001), cell: 1.0,
        steps: [fbm(), gullies(size: 24000.0)])"#;
    std::fs::write(&wide, text).unwrap();
    let limited = |mebibytes: usize, arguments: &str| {
        let mut command = Command::new("sh");
        let limit = mebibytes << 10;
        command.arg("-c").arg(format!("ulimit -v {limit}; RAYON_NUM_THREADS=2 exec \"$@\" {arguments}"));
        command.arg("sh").arg(assert_cmd::cargo::cargo_bin!("upland"));
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.timeout(std::time::Duration::from_secs(300));
        command
    };
    let (recipe, out_name) = (recipe.display(), out.display());
    for arguments in [
        format!("generate {recipe} -o {out_name} --size 16385"),
        format!("info {recipe} --size 16385"),
        format!("bake {recipe} -o {out_name} --size 16385"),
        format!("bake {recipe} -o {out_name} --texels 16384"),
        // One sample, but the slope around it is that of 12,000 samples to the east and to the south.
        format!("generate {} -o {out_name} --window=-2:0,0,1x1", wide.display()),
    ] {
        let assert = limited(450, &arguments).assert().code(1).stdout("");
        let told = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(told.contains("of memory to be made, and this process may take"), "{arguments}: {told}");
        assert_eq!(told.lines().count(), 1, "{arguments}: {told}");
        assert!(!out.exists());
    }
    // What there is room for is made.
    limited(600, &format!("generate {recipe} -o {out_name} --size 4097")).assert().success();
    assert!(out.exists());
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let (folder, recipe) = folder_with_recipe();
    let heights = folder.path().join("land.asc");
    upland().arg("generate").arg(&recipe).arg("-o").arg(&heights).assert().success();
    let told = contains("--size is for files that don't say their size (.r16, .raw)");
    upland().arg("info").arg(&heights).args(["--size", "3"]).assert().code(2).stderr(told);
    let told = contains("--channel is for elevation files");
    upland().arg("info").arg(&recipe).args(["--channel", "red"]).assert().code(2).stderr(told);
    upland()
        .arg("info")
        .arg(&recipe)
        .args(["--size", "9"])
        .assert()
        .success()
        .stdout(contains("9 × 5 samples"));
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
fn an_srtm_tile_says_where_it_is_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let tile = folder.path().join("N46E007.hgt");
    let heights = (0..1201 * 1201).map(|sample| (400 + sample % 1201) as i16);
    std::fs::write(&tile, heights.flat_map(i16::to_be_bytes).collect::<Vec<_>>()).unwrap();
    let told = contains("1201 × 1201 samples").and(contains("0.00083333° south; at latitude 46.500°"));
    upland().arg("info").arg(&tile).assert().success().stdout(told).stderr("");
    std::fs::write(&tile, [0; 100]).unwrap();
    let told = contains("N46E007.hgt").and(contains("1201×1201 (2884802 bytes)"));
    upland().arg("info").arg(&tile).assert().code(1).stdout("").stderr(told);
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
    let (_folder, recipe) = folder_with_recipe();
    upland().arg("info").arg(recipe).assert().success().stderr("");
}

#[cfg(feature = "viewer")]
/// Takes some seconds, as everything that draws without a graphics card: shaders have to be compiled.
#[test]
fn a_landscape_is_drawn_into_a_picture() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("shot.png");
    let size = ["--size", "160x90", "--from", "-900,700,900", "--look=0,0,0", "--quality", "low"];
    upland().arg("render").arg(&recipe).args(size).arg("-o").arg(&out).assert().success().stdout("");
    let picture = image::open(&out).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (160, 90));
    let distinct: std::collections::HashSet<_> = picture.pixels().map(|pixel| pixel.0).collect();
    assert!(distinct.len() > 500, "{} colours", distinct.len());
}

#[cfg(feature = "viewer")]
#[test]
fn views_of_a_landscape_are_drawn_with_their_legends() {
    let (folder, recipe) = folder_with_recipe();
    let draw = |arguments: &[&str]| {
        let out = folder.path().join("view.png");
        let size = ["--size", "320x180", "--from", "-900,700,900", "--look=0,0,0", "--quality", "low"];
        upland().arg("render").arg(&recipe).args(size).args(arguments).arg("-o").arg(&out).assert().success();
        image::open(&out).unwrap().to_rgb8()
    };
    let seen = ["--view", "viewshed", "--tower", "0,0,40", "--no-legend"];
    let depth = ["--view", "water_depth"];
    let bare = draw(&[&depth[..], &["--no-legend"]].concat());
    let pictures = [draw(&[]), draw(&seen), draw(&depth), bare];
    for (index, picture) in pictures.iter().enumerate() {
        assert!(!pictures[..index].contains(picture), "{index}");
    }
    // A legend is all that differs: in the corner.
    let [.., with, without] = &pictures;
    let changed = with.enumerate_pixels().filter(|(x, y, pixel)| without.get_pixel(*x, *y) != *pixel);
    let corners: Vec<_> = changed.map(|(x, y, _)| (x, y)).collect();
    assert!(corners.len() > 500 && corners.iter().all(|(x, y)| *x < 200 && *y > 100), "{}", corners.len());
    // Ground that is seen is green as nothing else is.
    let green = pictures[1].pixels().filter(|pixel| pixel.0[1] > pixel.0[2].saturating_add(60)).count();
    assert!(green > 100, "{green}");
}

#[cfg(feature = "viewer")]
#[test]
fn without_a_display_the_window_becomes_a_picture_and_that_is_said() {
    let (folder, recipe) = folder_with_recipe();
    let mut command = upland();
    // Low, as everything that is drawn by a software device and not looked at.
    command.current_dir(folder.path()).args(["view", "--quality", "low"]).arg(&recipe);
    command
        .assert()
        .success()
        .stderr(contains("there is no display to open a window on; drawing hills.png instead"));
    assert_eq!(image::image_dimensions(folder.path().join("hills.png")).unwrap(), (1280, 720));
}

#[cfg(all(feature = "viewer", target_os = "linux"))]
#[test]
fn a_lesson_file_opens_as_a_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.ron");
    std::fs::write(&path, upland::ShippedLesson::find("faults").unwrap().text).unwrap();
    for command in [&[][..], &["view"]] {
        let mut upland = upland();
        upland.current_dir(folder.path()).args(command).arg(&path);
        // Without a display the lesson is printed, as by `upland lesson`; a land would be drawn into a
        // picture.
        upland.assert().success().stdout(contains("Broken ground")).stderr(contains("printing the lesson"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no picture of its land");
}

#[cfg(all(feature = "viewer", target_os = "linux"))]
#[test]
fn a_display_that_does_not_answer_is_as_good_as_none() {
    let (folder, recipe) = folder_with_recipe();
    let picture = folder.path().join("hills.png");
    for (name, value) in [("DISPLAY", ":77"), ("WAYLAND_DISPLAY", "wayland-77")] {
        let stale = || {
            let mut command = upland();
            command.current_dir(folder.path()).env("XDG_RUNTIME_DIR", folder.path()).env(name, value);
            command
        };
        let said = format!("note: the display {name}={value} does not answer; drawing hills.png instead");
        stale()
            .args(["view", "--quality", "low"])
            .arg(&recipe)
            .assert()
            .success()
            .stdout("")
            .stderr(contains(said));
        assert_eq!(image::image_dimensions(&picture).unwrap(), (1280, 720));
        std::fs::remove_file(&picture).unwrap();

        // Nobody opens a window to draw a picture.
        let size = ["--size", "64x36", "--quality", "low", "-o", "shot.png"];
        let said = contains("display").not().and(contains("panicked").not());
        stale().arg("render").arg(&recipe).args(size).assert().success().stdout("").stderr(said);
        assert_eq!(image::image_dimensions(folder.path().join("shot.png")).unwrap(), (64, 36));
    }
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
        (&["render", "-o", "a.jpg"] as &[&str], 1, "is written as .png or .bmp"),
        (&["render", "-o", "/no/such/folder/a.png"], 1, "does not exist"),
        (&["render", "-o", "a.png", "--size", "0x9"], 2, "1 to 8192"),
        (&["render", "-o", "a.png", "--from", "1,2"], 2, "three numbers"),
        (&["render", "-o", "a.png", "--from", "NaN,2,3"], 2, "three numbers"),
        (&["render", "-o", "a.png", "--look", "1,inf,3"], 2, "three numbers"),
        (&["render", "-o", "a.png", "--look", "1,1e30,3"], 2, "1e30 is outside"),
        (
            &["render", "-o", "a.png", "--view", "wire"],
            2,
            "there is no view `wire`; there are landscape, wireframe",
        ),
        (&["render", "-o", "a.png", "--view", "wire"], 2, "the layers deposit, flow, water_depth, wear"),
        (&["render", "-o", "a.png", "--view", "viewshed"], 2, "give --tower x,z,height"),
        (&["render", "-o", "a.png", "--view", "flow", "--scale", "3,1"], 2, "the lower and the higher value"),
        (&["render", "-o", "a.png", "--planet", "20000", "--view", "slope"], 2, "cannot be used with"),
        (&["render", "-o", "a.png", "--planet", "0"], 2, "from 10000 to 20000000"),
        (&["render", "-o", "a.png", "--planet", "-200000"], 2, "from 10000 to 20000000"),
        (&["render", "-o", "a.png", "--planet", "NaN"], 2, "from 10000 to 20000000"),
        (&["render", "-o", "a.png", "--planet", "1e9"], 2, "from 10000 to 20000000"),
        (
            &["render", "-o", "a.png", "--planet", "200000", "--from", "95,0,100"],
            1,
            "give degrees north, -90 to 90",
        ),
        (
            &["render", "-o", "a.png", "--planet", "200000", "--from", "9,30,-5"],
            1,
            "is not a possible height",
        ),
        (
            &["render", "-o", "a.png", "--planet", "200000", "--look", "91,0,0"],
            1,
            "give degrees north, -90 to 90",
        ),
        (&["render", "high-range", "-o", "a.png", "--planet", "200000"], 1, "a planet's has no border"),
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

/// A picture's pixels, four bytes each.
fn pixels(path: &Path) -> image::RgbaImage {
    image::open(path).unwrap().to_rgba8()
}

#[test]
fn a_bake_is_written_in_every_way_that_an_engine_may_want() {
    let (folder, recipe) = folder_with_recipe();
    let path = |name: &str| folder.path().join(name);
    let mut command = upland();
    command.arg("bake").arg(&recipe).args(["--texels", "128", "--season", "0.5"]);
    for (option, name) in [
        ("-o", "colour.png"),
        ("--weights", "weights.png"),
        ("--ids", "ids.png"),
        ("--normals", "normals.png"),
        ("--wetness", "wetness.png"),
    ] {
        command.arg(option).arg(path(name));
    }
    let told = contains("weights-0.png: red bed, green shore").and(contains("ids.png: 0 bed, 1 shore"));
    command.assert().success().stdout(told);
    let maps = [0, 1, 2].map(|number| pixels(&path(&format!("weights-{number}.png"))));
    assert!(!path("weights-3.png").exists());
    let ids = image::open(path("ids.png")).unwrap().to_luma8();
    for (x, y, id) in ids.enumerate_pixels() {
        let shares: Vec<u8> = maps.iter().flat_map(|map| map.get_pixel(x, y).0).collect();
        let sum: u32 = shares.iter().map(|&share| u32::from(share)).sum();
        assert!(sum.abs_diff(255) <= 12, "{shares:?}");
        assert_eq!(shares[usize::from(id[0])], *shares.iter().max().unwrap());
    }
    for name in ["colour.png", "normals.png", "wetness.png"] {
        assert_eq!(image::image_dimensions(path(name)).unwrap(), (128, 64), "{name}");
    }
    // Green up and green down are each other's mirror about 128.
    let down = path("down.png");
    upland()
        .arg("bake")
        .arg(&recipe)
        .args(["--texels", "128", "--green-down", "-o"])
        .arg(path("again.png"))
        .arg("--normals")
        .arg(&down)
        .assert()
        .success();
    for (up, down) in pixels(&path("normals.png")).pixels().zip(pixels(&down).pixels()) {
        assert_eq!((up[0], up[2]), (down[0], down[2]));
        assert!((i32::from(up[1]) + i32::from(down[1]) - 256).abs() <= 1);
        assert!(up[2] > 128);
    }
}

#[test]
fn patches_are_named_by_column_and_row_and_joined_they_are_the_whole() {
    let (folder, recipe) = folder_with_recipe();
    let path = |name: &str| folder.path().join(name);
    let bake = |arguments: &[&str], name: &str| {
        let mut command = upland();
        command.arg("bake").arg(&recipe).args(arguments).arg("-o").arg(path(name));
        command.arg("--normals").arg(path(&format!("normals-of-{name}")));
        command.arg("--weights").arg(path(&format!("weights-of-{name}"))).assert().success();
    };
    bake(&["--texels", "130"], "whole.png");
    bake(&["--texels", "130", "--patches", "3x2"], "part.png");
    for kind in ["", "normals-of-"] {
        let whole = pixels(&path(&format!("{kind}whole.png")));
        let mut x = 0;
        for column in 0..3 {
            let mut y = 0;
            let mut width = 0;
            for row in 0..2 {
                let part = pixels(&path(&format!("{kind}part-c{column}-r{row}.png")));
                let same = image::imageops::crop_imm(&whole, x, y, part.width(), part.height()).to_image();
                assert!(part == same, "{kind} column {column}, row {row}");
                (y, width) = (y + part.height(), part.width());
            }
            assert_eq!(y, whole.height());
            x += width;
        }
        assert_eq!(x, whole.width());
    }
    assert!(path("weights-of-part-0-c2-r1.png").exists());
    assert!(!path("part.png").exists());
    bake(&["--patches", "2", "--patch-texels", "40"], "small.png");
    assert_eq!(image::image_dimensions(path("small-c1-r1.png")).unwrap(), (40, 20));
}

#[test]
fn occlusion_is_dark_in_hollows_and_white_on_summits() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // A square pit, as deep as it is wide, in a plain.
    let height = |x: u32, y: u32| if (24..40).contains(&x) && (24..40).contains(&y) { 0u8 } else { 160 };
    image::GrayImage::from_fn(64, 64, |x, y| image::Luma([height(x, y)])).save(path("pit.png")).unwrap();
    let recipe = "(version: 1, name: \"Pit\", size: (64, 64), cell: 10, steps: [import(file: \"pit.png\")])";
    std::fs::write(path("pit.ron"), recipe).unwrap();
    let mut command = upland();
    command.arg("bake").arg(path("pit.ron")).args(["--texels", "64", "-o"]).arg(path("colour.png"));
    command.arg("--occlusion").arg(path("ao.png")).assert().success();
    let seen = image::open(path("ao.png")).unwrap().to_luma8();
    let at = |x: u32, y: u32| seen.get_pixel(x, y).0[0];
    assert!(at(5, 5) >= 250 && at(60, 32) >= 250, "{} {}", at(5, 5), at(60, 32));
    assert!((20..200).contains(&at(32, 32)), "{}", at(32, 32));
    assert!(at(25, 25) < at(32, 32), "darker in a corner");
}

#[test]
fn water_depth_is_black_on_land_and_white_where_it_is_deepest() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // A ramp from 60 m below the sea to 40 m above it.
    let ramp = image::GrayImage::from_fn(101, 21, |x, _| image::Luma([x as u8]));
    ramp.save(path("ramp.png")).unwrap();
    let recipe = "(version: 1, name: \"Coast\", size: (101, 21), cell: 10, water: (sea: true, sea_level: 60), steps: [import(file: \"ramp.png\")])";
    std::fs::write(path("coast.ron"), recipe).unwrap();
    let bake = |more: &[&str]| {
        let mut command = upland();
        command.arg("bake").arg(path("coast.ron")).arg("-o").arg(path("colour.png"));
        command.arg("--water-depth").arg(path("water.png")).args(more).assert().success()
    };
    let picture = || image::open(path("water.png")).unwrap().to_luma8();
    bake(&["--texels", "100"]).stdout(contains("white 60 m of water"));
    let whole = picture();
    // The middle of texel 0 is half a metre up the ramp.
    for (x, metres) in [(0, 59.5), (20, 39.5), (59, 0.5), (60, 0.0), (99, 0.0)] {
        let (level, expected) = (f32::from(whole.get_pixel(x, 10).0[0]), 255.0 * metres / 60.0f32);
        assert!((level - expected).abs() <= 1.0, "{x}: {level} instead of {expected}");
    }
    bake(&["--texels", "100", "--deepest", "20"]);
    let shallow = picture();
    assert_eq!([0, 30, 39].map(|x| shallow.get_pixel(x, 10).0[0]), [255; 3]);
    assert!((shallow.get_pixel(50, 10).0[0] as f32 - 255.0 * 9.5 / 20.0).abs() <= 1.0);
    // Of a window it is the same part of the picture.
    bake(&["--window", "0:20,5,31x11", "--texels", "30", "--deepest", "60"]);
    let part = picture();
    assert_eq!(part.dimensions(), (30, 10));
    for x in 0..30 {
        let off = part.get_pixel(x, 5).0[0].abs_diff(whole.get_pixel(20 + x, 10).0[0]);
        assert!(off <= 1, "{x}: {off}");
    }
}

#[test]
fn patches_with_odd_numbers_are_mirrored_if_asked() {
    let (folder, recipe) = folder_with_recipe();
    let bake = |name: &str, more: &[&str]| {
        let path = |kind: &str| folder.path().join(format!("{name}-{kind}.png"));
        let mut command = upland();
        command.arg("bake").arg(&recipe).args(["--texels", "62", "--patches", "2x2"]).args(more);
        for (option, kind) in [("-o", "colour"), ("--ids", "ids"), ("--normals", "normals")] {
            command.arg(option).arg(path(kind));
        }
        command.assert().success();
        ["colour", "ids", "normals"].map(|kind| {
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(column, row)| {
                let path = folder.path().join(format!("{name}-{kind}-c{column}-r{row}.png"));
                image::open(path).unwrap().to_rgb8()
            })
        })
    };
    let (plain, mirrored) = (bake("plain", &[]), bake("mirrored", &["--mirror-odd"]));
    for (kind, (plain, mirrored)) in plain.iter().zip(&mirrored).enumerate() {
        assert!(plain[0] == mirrored[0]);
        let mut across = image::imageops::flip_horizontal(&plain[1]);
        let mut down = image::imageops::flip_vertical(&plain[2]);
        let mut both = image::imageops::rotate180(&plain[3]);
        if kind == 2 {
            // What pointed along the picture's axis points the other way: 128 stands for 0.
            let turn = |picture: &mut image::RgbImage, axis: usize| {
                picture.pixels_mut().for_each(|pixel| pixel.0[axis] = (256 - u16::from(pixel.0[axis])) as u8);
            };
            turn(&mut across, 0);
            turn(&mut down, 1);
            turn(&mut both, 0);
            turn(&mut both, 1);
        }
        assert!(across == mirrored[1] && down == mirrored[2] && both == mirrored[3], "{kind}");
    }
}

#[test]
fn light_follows_latitude_day_and_hour() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let ridge = image::GrayImage::from_fn(64, 64, |x, _| image::Luma([100 - 3 * x.abs_diff(32) as u8]));
    ridge.save(path("ridge.png")).unwrap();
    let recipe = "(version: 1, name: \"Ridge\", size: (64, 64), cell: 2, steps: [import(file: \"ridge.png\")], \
                  texture: custom(types: [(name: \"grey\", colour: \"#808080\")]))";
    std::fs::write(path("ridge.ron"), recipe).unwrap();
    let brightness = |light: &str| {
        let mut command = upland();
        command.arg("bake").arg(path("ridge.ron")).args(["--texels", "64", "--light-at", light, "-o"]);
        command.arg(path("colour.png")).assert().success();
        let picture = image::open(path("colour.png")).unwrap().to_luma8();
        [16, 48].map(|x| picture.get_pixel(x, 32).0[0])
    };
    let [west, east] = brightness("45,81,9");
    assert!(east > west, "in the morning the east is bright: {west} {east}");
    let [west, east] = brightness("45,81,15");
    assert!(east < west, "in the afternoon the west is: {west} {east}");
    let [west, east] = brightness("45,355,0");
    assert!(west.abs_diff(east) <= 2, "at night there is ambient light alone: {west} {east}");
    let mut command = upland();
    command.arg("bake").arg(path("ridge.ron")).args(["--light-at", "45,400,3", "-o"]).arg(path("a.png"));
    command.assert().code(2).stderr(contains("day (a whole number from 1 to 366)"));
}

#[test]
fn convert_rounds_a_map_of_types_and_keeps_its_palette() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let map = &asset("world_types_64.png", folder.path());
    upland().arg("convert").arg(map).arg(path("map.png")).args(["--majority", "5"]).assert().success();
    let work = upland::Work::new();
    let before = upland::formats::read_indices(map).unwrap();
    let after = upland::formats::read_indices(path("map.png")).unwrap();
    let expected =
        upland::filter::majority(&before.ids, 64, 64, 5, upland::filter::Border::Clamp, &work).unwrap();
    assert!(after.ids == expected && after.palette == before.palette && after.ids != before.ids);
    // As numbers in another format, and those filtered.
    for (input, output, size) in [("world_types_64.png", "map.tif", "1"), ("map.tif", "round.tif", "5")] {
        let mut command = upland();
        command.current_dir(folder.path()).arg("convert").arg(input).arg(output);
        command.args(["--majority", size]).assert().success();
    }
    let options = upland::formats::ReadOptions::default();
    let values = upland::formats::read(path("round.tif"), &options).unwrap().into_values();
    assert!(values.into_iter().eq(expected.into_iter().map(f32::from)));
    let mut command = upland();
    command.arg("convert").arg(map).arg(path("map.png")).args(["--majority", "4"]);
    command.assert().code(2).stderr(contains("give 3 or 5"));
}

#[test]
fn what_is_written_as_bmp_has_the_same_pixels_as_png() {
    let (folder, recipe) = folder_with_recipe();
    let bake = |extension: &str| {
        let path = |name: &str| folder.path().join(format!("{name}.{extension}"));
        let mut command = upland();
        command.arg("bake").arg(&recipe).args(["--texels", "61", "--patches", "2x1"]);
        for (option, name) in
            [("-o", "colour"), ("--weights", "weights"), ("--ids", "ids"), ("--wetness", "wet")]
        {
            command.arg(option).arg(path(name));
        }
        command.assert().success();
        ["colour-c1-r0", "weights-0-c1-r0", "ids-c0-r0", "wet-c1-r0"].map(|name| {
            let picture = image::open(path(name)).unwrap();
            assert_eq!(picture.color().has_alpha(), name.starts_with("weights"), "{name}.{extension}");
            picture.to_rgba8()
        })
    };
    assert!(bake("png") == bake("bmp"));
}

#[test]
fn bad_bakes_are_refused_with_what_would_be_accepted() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("never.png").display().to_string();
    let cases: [(&[&str], i32, &str); 11] = [
        (&["--light", "300"], 2, "such as 300,35"),
        (&["--light", "300,95"], 2, "elevation (a number from 0 to 90 °)"),
        (&["--season", "1.5"], 2, "season: 1.5 is outside 0 to 1"),
        (&["--season=-0.5"], 2, "0.75 winter"),
        (&["--patches", "0"], 2, "from 1 to 1024"),
        (&["--patches", "4x"], 2, "such as 4 or 4x2"),
        (&["--patch-texels", "64"], 2, "--patches"),
        (&["--texels", "8", "--patches", "9"], 1, "cannot be cut into 9×9 patches"),
        (&["--texels", "20000"], 1, "patches"),
        (&["--normals", "normals.jpg"], 1, "is written as .png or .bmp"),
        (&["--weights", "/no/such/folder/w.png"], 1, "does not exist"),
    ];
    for (arguments, code, message) in cases {
        let mut command = upland();
        command.arg("bake").arg(&recipe).args(["-o", &out]).args(arguments);
        command.assert().code(code).stdout("").stderr(contains(message));
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn light_is_painted_where_it_is_asked_for() {
    let (folder, recipe) = folder_with_recipe();
    let bake = |arguments: &[&str], name: &str| {
        let path = folder.path().join(name);
        upland()
            .arg("bake")
            .arg(&recipe)
            .args(["--texels", "64"])
            .args(arguments)
            .arg("-o")
            .arg(&path)
            .assert()
            .success();
        pixels(&path)
    };
    let [plain, west, east] =
        [&[][..], &["--light", "270,20"], &["--light", "90,20"]].map(|light| bake(light, "a.png"));
    assert!(plain != west && west != east);
}

#[test]
fn masks_of_another_size_are_told() {
    let (folder, _) = folder_with_recipe();
    let path = |name: &str| folder.path().join(name);
    image::GrayImage::from_pixel(7, 5, image::Luma([128])).save(path("climate.png")).unwrap();
    let text = r#"(version: 1, name: "x", size: (65, 33), cell: 30, steps: [fbm(height: 400)],
        texture: sets(sets: [temperate, arid], mask: "climate.png"))"#;
    std::fs::write(path("x.ron"), text).unwrap();
    upland()
        .arg("bake")
        .arg(path("x.ron"))
        .args(["--texels", "64", "-o"])
        .arg(path("x.png"))
        .assert()
        .success()
        .stderr(contains("climate.png: the mask has 7×5 pixels, the land 65×33 samples; it was resampled"));
}

/// A folder with a ramp that rises eastward from 0 to 256 m, and pictures of one colour that tile.
fn folder_with_ramp() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let grid = upland::Grid::new(257, 33, 10.0).unwrap();
    let ramp = upland::Heightfield::from_fn(grid, |column, _| column as f32);
    let raster = upland::Raster::from_heightfield(&ramp);
    upland::formats::write(folder.path().join("ramp.tif"), &raster, &Default::default()).unwrap();
    for (name, colour) in [
        ("sand", [200, 180, 120]),
        ("grass", [60, 120, 40]),
        ("rock", [120, 110, 100]),
        ("snow", [250, 250, 255]),
    ] {
        let picture = image::RgbImage::from_pixel(4, 4, image::Rgb(colour));
        picture.save(folder.path().join(format!("{name}.png"))).unwrap();
    }
    folder
}

#[test]
fn bitmaps_are_blended_by_height_as_bands() {
    let folder = folder_with_ramp();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("out.png");
    let blend = |arguments: &[&str]| {
        let mut command = upland();
        command.arg("blend").arg(path("ramp.tif"));
        for name in ["sand.png", "grass.png", "rock.png", "snow.png"] {
            command.arg(path(name));
        }
        command
            .args(arguments)
            .args(["-o", &out])
            .assert()
            .success()
            .stdout("")
            .stderr(contains("out.png: ").and(contains("× 32 texels, heights from 0 to 256 m")));
        image::open(&out).unwrap().to_rgb8()
    };
    let picture = blend(&["--texels", "256"]);
    assert_eq!(picture.dimensions(), (256, 32));
    // Texel n lies at a height of n + 1/2: pure at the centres 64, 128, 192 and 256, and sand below.
    let near = |x: u32, expected: [u8; 3]| {
        let found = picture.get_pixel(x, 16).0;
        assert!(found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 3), "{found:?} at {x}");
    };
    near(0, [200, 180, 120]);
    near(63, [200, 180, 120]);
    near(127, [60, 120, 40]);
    near(191, [120, 110, 100]);
    near(255, [250, 250, 255]);
    let between = picture.get_pixel(96, 16).0;
    assert!(between[0] > 120 && between[0] < 180, "{between:?}");
    let low = blend(&["--bands", "0,10,20,30"]);
    assert_eq!(low.get_pixel(100, 5).0, [250, 250, 255]);
    let above_the_sea = blend(&["--sea", "128"]);
    assert_eq!(above_the_sea.get_pixel(120, 5).0, [200, 180, 120]);
}

#[test]
fn what_cannot_be_blended_is_told() {
    let folder = folder_with_ramp();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ramp, sand, grass, out) = (path("ramp.tif"), path("sand.png"), path("grass.png"), path("out.png"));
    image::RgbImage::from_pixel(1, 1, image::Rgb([9, 9, 9])).save(path("dot.png")).unwrap();
    image::RgbImage::from_fn(64, 64, |x, _| image::Rgb([4 * x as u8; 3])).save(path("ramp.png")).unwrap();
    std::fs::write(path("no.png"), "no picture").unwrap();
    let cases: [(&[&str], i32, &str); 14] = [
        (&[&ramp, &sand, &grass, "--bands", "10,NaN"], 2, "`NaN` is not a number of metres"),
        (&[&ramp, &sand, &grass, "--sea", "inf"], 2, "`inf` is not a number of metres"),
        (&[&ramp, &sand, &grass, "--tile", "wide"], 2, "`wide` is not a number of metres"),
        (&[&ramp, &sand], 2, "at least two bitmaps, 1 given; name another"),
        (&[&ramp], 2, "at least two bitmaps, 0 given"),
        (
            &[&ramp, &sand, &path("moss.png")],
            1,
            "moss.png: is neither an existing picture nor a built-in tile",
        ),
        (&[&ramp, &sand, &path("no.png")], 1, "is neither a PNG nor a BMP"),
        (&[&path("nowhere.tif"), &sand, &grass], 1, "nowhere.tif: cannot read: no such file"),
        (&[&ramp, &sand, &grass, "--bands", "10"], 2, "--bands gives 1 numbers for 2 bitmaps"),
        (&[&ramp, &sand, &grass, "--bands", "20,10"], 2, "20 is not below 10; give rising heights"),
        (&[&ramp, &sand, &grass, "--tile", "1,2,3"], 2, "--tile gives 3 numbers for 2 bitmaps"),
        (&[&ramp, &sand, &grass, "--tile", "0"], 2, "0 is outside 0.01 to 100000 m"),
        (&[&ramp, &sand, &grass, "--sea", "3", "--bands", "1,2"], 2, "cannot be used with"),
        (&[&ramp, &sand, &grass, "--texels", "0"], 2, "--texels"),
    ];
    for (arguments, code, message) in cases {
        let mut command = upland();
        command.arg("blend").args(arguments).args(["-o", &out]);
        command.assert().code(code).stdout("").stderr(contains(message));
    }
    assert!(!Path::new(&out).exists());
    for (bitmap, doubt) in
        [("dot.png", "is a single texel"), ("ramp.png", "does not tile: across its east and west border")]
    {
        let mut command = upland();
        command.args(["blend", &ramp, &sand, &path(bitmap), "-o", &out]);
        command.assert().success().stderr(contains(doubt));
    }
    let mut command = upland();
    command.args(["blend", &ramp, &sand, &path("ramp.png"), "--mirror", "-o", &out]);
    command.assert().success().stderr(contains("note:").not());
}

#[test]
fn a_window_of_a_land_is_written_told_and_painted() {
    let (folder, recipe) = folder_with_recipe();
    let at = |name: &str| folder.path().join(name);
    upland().arg("generate").arg(&recipe).arg("-o").arg(at("all.asc")).assert().success();
    let window = |command: &str, window: &str| {
        let mut upland = upland();
        upland.arg(command).arg(&recipe).args(["--window", window]);
        upland
    };
    window("generate", "0:40,10,5x3").arg("-o").arg(at("part.asc")).assert().success();
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(at(name)).unwrap();
        let heights = text.lines().filter(|line| !line.starts_with(|letter: char| letter.is_alphabetic()));
        heights.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let (all, part) = (rows("all.asc"), rows("part.asc"));
    assert_eq!(part.len(), 3);
    for (row, heights) in part.iter().enumerate() {
        assert_eq!(all[10 + row][40..45], heights[..]);
    }
    window("info", "-2:0,0,17x9")
        .assert()
        .success()
        .stdout(contains("17 × 9 samples").and(contains("7.5 m")).and(contains("window      -2:0,0,17x9")));
    let mut bake = window("bake", "-1:20,10,33x17");
    bake.arg("-o").arg(at("colour.png")).arg("--normals").arg(at("n.png")).arg("--ids").arg(at("ids.png"));
    bake.arg("--wetness").arg(at("wet.png")).assert().success();
    for name in ["colour.png", "n.png", "ids.png", "wet.png"] {
        assert_eq!(image::image_dimensions(at(name)).unwrap(), (64, 32), "{name}");
    }
    let mut bake = window("bake", "0:40,10,5x3");
    bake.arg("-o").arg(at("colour.png")).arg("--heights").arg(at("baked.asc"));
    bake.arg("--water-depth").arg(at("water.png")).assert().success();
    assert_eq!(rows("baked.asc"), part, "without the land around it, which the colours need");
    assert_eq!(image::image_dimensions(at("water.png")).unwrap(), (8, 4));
    window("bake", "-1:20,10,33x17")
        .arg("-o")
        .arg(at("colour.png"))
        .args(["--texels", "50"])
        .assert()
        .code(1)
        .stderr(contains("50 texels don't lie evenly over a window of 32 cells").and(contains("give 64")));
    window("generate", "0:64,0,2x2")
        .arg("-o")
        .arg(at("no.asc"))
        .assert()
        .code(1)
        .stderr(contains("at level 0 has 65×33 samples"));
    window("info", "0;64").assert().code(2).stderr(contains("LEVEL:X,Z,WxD"));
}

#[test]
fn a_window_of_a_file_is_cut_out_of_it_and_told() {
    let (folder, recipe) = folder_with_recipe();
    let at = |name: &str| folder.path().join(name);
    upland().arg("generate").arg(&recipe).arg("-o").arg(at("all.tif")).assert().success();
    let cut = |window: &str, output: &str| {
        let mut upland = upland();
        upland.arg("convert").arg(at("all.tif")).arg(at(output)).args(["--window", window]);
        upland
    };
    cut("2:3,1,9x5", "part.tif").assert().success().stdout("").stderr(contains("part.tif: 9 × 5 samples, "));
    let [all, part] = ["all.tif", "part.tif"]
        .map(|name| upland::formats::read(at(name), &upland::formats::ReadOptions::default()).unwrap());
    for row in 0..5 {
        for column in 0..9 {
            assert_eq!(part.at(column, row), all.at(4 * (3 + column), 4 * (1 + row)));
        }
    }
    let told = contains("window      2:3,1,9x5 of 65 × 33 samples").and(contains("9 × 5 samples"));
    upland().arg("info").arg(at("all.tif")).args(["--window", "2:3,1,9x5"]).assert().success().stdout(told);
    cut("0:64,0,2x2", "no.tif").assert().code(1).stderr(contains("at level 0 has 65×33 samples"));
    cut("-1:0,0,2x2", "no.tif").assert().code(1).stderr(contains("not finer than its samples"));
    assert!(!at("no.tif").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn files_larger_than_memory_are_surveyed_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // 8 GiB that take up no place on the disk.
    let file = std::fs::File::create(at("large.r16")).unwrap();
    file.set_len(2 * 65_536 * 65_536).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &7777u16.to_le_bytes(), 2 * (65_536 * 640 + 320))
        .unwrap();
    let limited = |arguments: &str| {
        let mut command = Command::new("sh");
        let limit = 450 << 10;
        command.arg("-c").arg(format!("ulimit -v {limit}; RAYON_NUM_THREADS=2 exec \"$@\" {arguments}"));
        command.arg("sh").arg(assert_cmd::cargo::cargo_bin!("upland")).current_dir(&folder);
        command
    };
    let told = contains("65536 × 65536 samples")
        .and(contains("one in 32 columns and rows, 2048 × 2048 samples"))
        .and(contains("extent      65.54 km × 65.54 km"))
        .and(contains("heights     0 to 7777 m"));
    limited("info large.r16").assert().success().stdout(told);
    limited("convert large.r16 part.asc --window 5:8,18,5x4").assert().success();
    let part = upland::formats::read(at("part.asc"), &upland::formats::ReadOptions::default()).unwrap();
    assert_eq!((part.at(2, 2), part.range()), (7777.0, (0.0, 7777.0)));
    let too_much = limited("convert large.r16 no.asc --window 0:0,0,20000x20000").assert().code(1);
    let told = String::from_utf8_lossy(&too_much.get_output().stderr).into_owned();
    assert!(told.contains("of memory to be made, and this process may take"), "{told}");
}

#[test]
fn a_mesh_is_written_in_every_format_and_told_of() {
    let (folder, recipe) = folder_with_recipe();
    let counts = |name: &str, arguments: &[&str]| {
        let path = folder.path().join(name);
        let mut command = upland();
        command.arg("mesh").arg(&recipe).arg("-o").arg(&path).args(arguments);
        let output = command.assert().success().stderr(contains(name)).get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        let number = |word: &str| -> f64 {
            let line = text.lines().find_map(|line| line.strip_prefix(word)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        assert!(std::fs::metadata(&path).unwrap().len() > 80, "{name}");
        (number("triangles"), number("vertices"), number("error"))
    };
    for name in ["land.glb", "land.obj", "land.stl", "land.ply"] {
        let (triangles, vertices, error) = counts(name, &["--error", "2.5"]);
        assert!(
            error <= 2.5 && (20.0..4096.0).contains(&triangles) && vertices < triangles,
            "{name}: {error}"
        );
    }
    for method in ["tin", "rtin", "grid"] {
        let (triangles, _, error) = counts("few.glb", &["--triangles", "500", "--method", method]);
        assert!(triangles <= 500.0 && error > 0.0, "{method}: {triangles}");
    }
    assert_eq!(counts("all.stl", &["--grid"]), (4096.0, 2145.0, 0.0));
    // 192 edges along the border: two triangles of a wall and one of the floor for each, six vertices, and
    // one in the middle of the floor.
    assert_eq!(counts("solid.stl", &["--grid", "--skirt=30"]), (4096.0 + 576.0, 2145.0 + 1153.0, 0.0));
    assert_eq!(counts("solid.stl", &["--grid", "--skirt"]).0, 4096.0 + 576.0);
    assert_eq!(counts("part.glb", &["--grid", "--window", "1:2,3,9x5"]).0, 64.0);
}

#[test]
fn a_mesh_wears_the_colours_that_are_baked() {
    let (folder, recipe) = folder_with_recipe();
    let picture = folder.path().join("colour.png");
    upland().arg("bake").arg(&recipe).arg("-o").arg(&picture).args(["--texels", "128"]).assert().success();
    let path = folder.path().join("land.obj");
    let mut command = upland();
    command.arg("mesh").arg(&recipe).arg("-o").arg(&path).args(["--triangles", "100", "--texture", "128"]);
    let said = contains("land.png, ")
        .and(contains("land.mtl, "))
        .and(contains("land.obj: "))
        .and(contains(" in all"));
    command.assert().success().stderr(said);
    let pixels = |path: &Path| image::open(path).unwrap().into_rgb8();
    assert_eq!(pixels(&path.with_extension("png")), pixels(&picture));
    let glb = folder.path().join("part.glb");
    let mut command = upland();
    command.arg("mesh").arg(&recipe).arg("-o").arg(&glb).args(["--error", "1", "--texture", "64"]);
    command.args(["--window", "-1:10,10,17x17"]).assert().success();
}

#[test]
fn a_mesh_in_tiles_has_a_file_each_that_meet() {
    let (folder, recipe) = folder_with_recipe();
    let path = |name: &str| folder.path().join(name);
    let mesh = |more: &[&str]| {
        let mut command = upland();
        command.arg("mesh").arg(&recipe).args(["--error", "4"]).args(more);
        command.arg("-o").arg(path("land.obj")).assert().success()
    };
    mesh(&["--tiles", "3x2", "--texture", "100"])
        .stdout(contains("m at most"))
        .stderr(contains("land-c0-r0.png … ").and(contains("land-c2-r1.obj (18 files): ")));
    let vertices = |name: &str| -> Vec<String> {
        let text = std::fs::read_to_string(path(name)).unwrap();
        text.lines().filter(|line| line.starts_with("v ")).map(str::to_owned).collect()
    };
    assert!(path("land-c1-r1.png").exists() && !path("land.obj").exists());
    // The eastern border of one tile is the western of the next, to the last digit.
    let (west, east) = (vertices("land-c0-r0.obj"), vertices("land-c1-r0.obj"));
    let x = |line: &&String| line.split(' ').nth(1).unwrap().to_owned();
    let shared: Vec<_> = west.iter().filter(|line| east.contains(line)).collect();
    assert!(shared.len() >= 2, "{shared:?}");
    let seam = x(&shared[0]);
    assert!(shared.iter().all(|line| x(line) == seam));
    let of_seam = |all: &[String]| all.iter().filter(|line| x(line) == seam).count();
    assert_eq!([of_seam(&west), of_seam(&east)], [shared.len(); 2]);
    // A window in tiles lies where the window does, and its inner borders are those of its own halves.
    mesh(&["--tiles", "2x1", "--window", "0:8,4,33x17", "--texture", "64"]);
    let (west, east) = (vertices("land-c0-r0.obj"), vertices("land-c1-r0.obj"));
    assert!(west.iter().filter(|line| east.contains(line)).count() >= 2);
    let said = upland()
        .arg("mesh")
        .arg(&recipe)
        .args(["--error", "4", "--tiles", "100", "-o"])
        .arg(path("many.obj"))
        .assert()
        .code(1);
    said.stderr(contains("cannot be cut into 100 tiles"));
}

#[test]
fn a_mesh_that_cannot_be_leaves_no_file() {
    let (folder, recipe) = folder_with_recipe();
    let refused = |name: &str, arguments: &[&str], code: i32, said: &str| {
        let mut command = upland();
        command.arg("mesh").arg(&recipe).arg("-o").arg(folder.path().join(name)).args(arguments);
        command.assert().code(code).stderr(contains(said));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{name} {arguments:?}");
    };
    for error in ["0", "-1", "NaN", "inf"] {
        refused("land.glb", &["--error", error], 2, "--error");
    }
    refused("land.glb", &["--error", "0"], 2, "give metres above 0, or --grid for every sample");
    refused("land.glb", &["--triangles", "1"], 2, "give 2 or more");
    refused("land.glb", &["--error", "1", "--triangles", "9"], 2, "cannot be used with");
    refused("land.glb", &["--error", "1", "--skirt=0"], 2, "give metres above 0");
    refused("land.glb", &[], 2, "Give --error METRES or --triangles N, or --grid");
    refused("land.stl", &["--error", "1", "--texture", "64"], 2, "STL holds no texture");
    refused("land.stl", &["--triangles", "4294967296"], 1, "at most 4294967295 triangles");
    refused("land.glb", &["--triangles", "4294967296"], 1, "at most 4 GiB");
    refused("land.fbx", &["--error", "1"], 1, "there is .glb, .obj, .stl, .ply");
    refused("land.glb", &["--error", "1", "--method", "lod"], 2, "the methods are tin, rtin and grid");
    refused("land.glb", &["--error", "1", "--size", "1x5"], 1, "at least 2 along either side");
    refused("hills.ron", &["--error", "1"], 1, ".ron");
}

#[cfg(feature = "viewer")]
#[test]
fn comparing_says_what_it_needs_before_anything_is_built() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("out.png");
    let refused = |arguments: &[&str], reason: &str| {
        let mut command = upland();
        command.arg("compare").args(arguments).arg("-o").arg(&out);
        command.assert().failure().code(2).stdout("").stderr(contains(reason));
        assert!(!out.exists());
    };
    let hills = recipe.to_str().unwrap();
    refused(&[], "2 to 4 landscapes are compared, not 0");
    refused(&[hills], "not 1");
    refused(&[hills; 5], "not 5");
    refused(&[hills, hills, "--generators"], "--generators takes one recipe or none, not 2");
    refused(&[hills, hills, "--vary", "seed=1..3"], "--vary takes one recipe, not 2");
    refused(&[hills, "--vary", "seed"], "NAME=VALUE");
    refused(&[hills, "--vary", "seed=7"], "is one value");
    refused(&[hills, "--vary", "seed=a..b"], "`a` is not a number");
    refused(&[hills, "--vary", "seed=1..9", "--values", "1"], "--values");
    refused(&[hills, "--vary", "steps.0.hurst=0.5..90"], "steps.0.hurst");
    refused(&[hills, "--vary", "steps.7.hurst=0.5..0.9"], "steps.7.hurst");
    let mut onto_itself = upland();
    onto_itself
        .args(["compare", hills, hills, "-o", hills])
        .assert()
        .failure()
        .stderr(contains(".png or .bmp"));
}

#[cfg(feature = "viewer")]
#[test]
fn where_a_file_cannot_be_read_nothing_is_drawn() {
    let (folder, recipe) = folder_with_recipe();
    let damaged = folder.path().join("damaged.ron");
    std::fs::write(&damaged, "(version: 1, name:").unwrap();
    let missing = folder.path().join("missing.ron");
    let said = || contains("error: ").and(contains("damaged.ron:1:")).and(contains("drawing").not());
    for lands in [[&damaged, &recipe], [&recipe, &damaged], [&damaged, &damaged]] {
        for (command, more) in [("compare", &["-o", "out.png"][..]), ("view", &[])] {
            let mut upland = upland();
            upland.current_dir(folder.path()).arg(command).args(lands).args(more);
            upland.assert().code(1).stdout("").stderr(said());
        }
    }
    let mut compare = upland();
    compare
        .current_dir(folder.path())
        .arg("compare")
        .args([&recipe, &missing, &damaged])
        .args(["-o", "out.png"]);
    compare.assert().code(1).stdout("").stderr(contains("missing.ron: ").and(contains("damaged.ron:1:")));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "the recipe and what is damaged");
}

#[cfg(feature = "viewer")]
#[test]
fn a_picture_takes_as_long_as_it_needs_unless_a_limit_is_given() {
    let (folder, recipe) = folder_with_recipe();
    let out = folder.path().join("never.png");
    let render = |limit: &str| {
        let mut command = upland();
        command.arg("render").arg(&recipe).args(["--size", "64x36", "--quality", "low"]).arg("-o").arg(&out);
        command.args(["--time-limit", limit]).assert()
    };
    render("0.001")
        .code(1)
        .stdout("")
        .stderr(contains("not complete").and(contains("give more with --time-limit")));
    render("0").code(2).stderr(contains("is not a number of seconds above 0"));
    assert!(!out.exists());
}

/// A folder with a small recipe that has rules.
fn folder_with_rules() -> (tempfile::TempDir, PathBuf) {
    let (folder, path) = folder_with_recipe();
    let text = std::fs::read_to_string(&path).unwrap();
    let rules = r#"scatter: [
        (name: "wood", object: "spruce", density: 20, spacing: 4, slope: (max: 30, release: 5)),
        (name: "rocks", object: "boulder", density: 2, spacing: 8, lean: 0.7)],
        steps:"#;
    std::fs::write(&path, text.replace("steps:", rules)).unwrap();
    (folder, path)
}

#[test]
fn objects_are_written_in_every_format_and_told_of() {
    let (folder, recipe) = folder_with_rules();
    let told = |name: &str, arguments: &[&str]| {
        let path = folder.path().join(name);
        let mut command = upland();
        command.arg("scatter").arg(&recipe).arg("-o").arg(&path).args(arguments);
        let output =
            command.assert().success().stderr(contains(" objects on window ")).get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        let count = |word: &str| -> usize {
            let line = text.lines().find(|line| line.starts_with(word)).unwrap();
            let cells: Vec<&str> = line.split_whitespace().collect();
            cells[cells.len() - 2].parse().unwrap()
        };
        (count("together"), std::fs::read(path).unwrap())
    };
    let (all, csv) = told("a.csv", &[]);
    let lines = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().lines().count() - 1;
    assert!(all > 1000 && lines(&csv) == all);
    for name in ["a.json", "a.gltf", "a.glb", "a.png", "a.bmp"] {
        let (count, bytes) = told(name, &["--pixels", "64"]);
        assert!(count == all && bytes.len() > 1000, "{name}");
    }
    let picture = image::open(folder.path().join("a.png")).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (64, 32));
    let bare = told("bare.png", &["--pixels", "64", "--bare"]);
    assert_eq!(bare.0, 0);
    assert_ne!(image::open(folder.path().join("bare.png")).unwrap().to_rgb8(), picture);
    let rocks = told("rocks.csv", &["--only", "rocks"]).0;
    assert!(rocks > 50 && rocks < all / 4);
    let (part, _) = told("part.csv", &["--window", "0:10,4,17x9"]);
    assert!(part > 10 && part < all / 8);
    assert_eq!(told("tile.csv", &["--tile", "0,0"]).1, csv);
    assert!(told("fine.csv", &["--tile", "-2:0,0"]).0 < all / 3);
    assert_eq!(told("none.glb", &["--set", "bare=true"]).0, 0);
    assert!(told("more.csv", &["--set", "scatter.wood.density=40"]).0 > all);
}

#[test]
fn objects_that_cannot_be_placed_leave_no_file() {
    let (folder, recipe) = folder_with_rules();
    let refused = |name: &str, arguments: &[&str], code: i32, expected: &str| {
        let path = folder.path().join(name);
        let mut command = upland();
        command.arg("scatter").arg(&recipe).arg("-o").arg(&path).args(arguments);
        command.assert().code(code).stderr(contains(expected));
        assert!(!path.exists());
    };
    refused("a.xyz", &[], 1, "there is .csv, .json, .gltf, .glb");
    refused("a", &[], 1, "no extension");
    refused("a.csv", &["--limit", "100"], 1, "more than 100 objects");
    refused("a.csv", &["--limit", "0"], 2, "--limit");
    refused("a.csv", &["--tile", "9,9"], 1, "is not on the land");
    refused("a.csv", &["--tile", "x"], 2, "is not a tile");
    refused("a.csv", &["--tile", "0:2147483647,-2147483648"], 1, "is not on the land");
    refused("a.csv", &["--window", "0:60,0,30x30"], 1, "beyond the land");
    refused("a.csv", &["--only", "palms"], 2, "there are wood, rocks");
    refused("a.csv", &["--set", "scatter.wood.density=4000"], 2, "at most 363 objects");
    refused("a.csv", &["--set", "scatter=[]"], 1, "has no rules");
    refused("a.png", &["--pixels", "9000"], 2, "--pixels");
    refused("nowhere/a.csv", &[], 1, "nowhere");
}

#[test]
fn plants_are_drawn_and_written_and_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let plant = |kind: &str, name: &str, arguments: &[&str]| {
        let path = folder.path().join(name);
        let mut command = upland();
        command.args(["plant", kind, "-o"]).arg(&path).args(arguments);
        let written = contains("wrote ").and(contains(name));
        let output = command.assert().success().stderr(written).get_output().stdout.clone();
        (path, String::from_utf8(output).unwrap())
    };
    let (path, said) = plant("grass", "grass.png", &["--count", "2", "--size", "120x70"]);
    assert!(said.contains("triangles") && said.contains("height"), "{said}");
    let picture = image::open(path).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (120, 70));
    assert!(
        picture.pixels().any(|pixel| pixel[1].saturating_sub(pixel[0].max(pixel[2])) > 15),
        "nothing green"
    );
    let (path, said) = plant("all", "all.png", &["--size", "160x120"]);
    assert_eq!(image::open(path).unwrap().into_rgb8().dimensions(), (160, 120));
    assert_eq!(said.lines().next().unwrap().matches(',').count() + 1, 11, "{said}");
    let four = |option: &str| plant("birch", "row.bmp", &[option, "--size", "64x32"]).1;
    let counts = |said: &str| said.lines().next().unwrap().matches(',').count() + 1;
    assert_eq!((counts(&four("--seasons")), counts(&four("--levels"))), (4, 3));
    let (path, _) = plant("stone", "stone.png", &["--impostor", "--level", "2"]);
    for path in [path, folder.path().join("stone-normal.png")] {
        assert_eq!(image::open(path).unwrap().into_rgba8().dimensions(), (512, 512));
    }
    let (path, said) = plant("spruce", "spruce.glb", &["--seed", "7", "--level", "1", "--season", "winter"]);
    // This reader takes attributes of one's own, as glTF allows them, for wrong ones.
    let read = gltf::Gltf::from_slice_without_validation(&std::fs::read(path).unwrap()).unwrap();
    let primitive = read.meshes().next().unwrap().primitives().next().unwrap();
    let material = primitive.material();
    assert!(material.double_sided() && material.alpha_cutoff() == Some(0.5));
    let triangles = primitive.indices().unwrap().count() / 3;
    assert!(said.contains(&format!("triangles   {triangles}\n")) && triangles <= 1500, "{said}");
    let (path, _) = plant("hazel", "hazel.obj", &[]);
    let (models, materials) = tobj::load_obj(path, &tobj::GPU_LOAD_OPTIONS).unwrap();
    assert_eq!(materials.unwrap()[0].diffuse_texture.as_deref(), Some("hazel.png"));
    let (low, high) = models[0]
        .mesh
        .positions
        .chunks(3)
        .fold((f32::MAX, f32::MIN), |(low, high), p| (low.min(p[1]), high.max(p[1])));
    assert!(low > -0.3 && (3.0..5.5).contains(&high), "{low} {high}");
    assert!(
        image::open(folder.path().join("hazel.png"))
            .unwrap()
            .into_rgba8()
            .pixels()
            .any(|pixel| pixel[3] == 0)
    );
}

#[test]
fn the_same_plant_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        let mut command = upland();
        command.args(["plant", "juniper", "--seed", seed, "-o"]).arg(&path).assert().success();
        std::fs::read(path).unwrap()
    };
    assert!(written("a.glb", "3") == written("b.glb", "3"));
    assert!(written("a.glb", "3") != written("c.glb", "4"));
}

#[test]
fn plants_that_cannot_be_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |kind: &str, name: &str, arguments: &[&str], code: i32, said: &str| {
        let mut command = upland();
        command.args(["plant", kind, "-o"]).arg(folder.path().join(name)).args(arguments);
        command.assert().code(code).stdout("").stderr(contains(said));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name} {arguments:?}");
    };
    refused("oak", "oak.png", &[], 2, "there are spruce, beech");
    refused("beech", "beech.fbx", &[], 1, ".glb or .obj");
    refused("beech", "beech", &[], 1, ".glb or .obj");
    refused("beech", "beech.png", &["--season", "monsoon"], 2, "there are spring, summer, autumn, winter");
    refused("beech", "beech.png", &["--level", "3"], 2, "0..=2");
    refused("beech", "beech.png", &["--seed", "-1"], 2, "--seed");
    refused("beech", "beech.png", &["--count", "0"], 2, "1..=12");
    refused("beech", "beech.png", &["--seasons", "--levels"], 2, "cannot be used with");
    refused("beech", "beech.png", &["--size", "0x5"], 2, "each from 1 to 8192");
    refused("beech", "beech.png", &["--size", "8192x8192"], 2, "a portrait has at most");
    refused("beech", "beech.glb", &["--size", "64x64"], 2, "is for pictures");
    refused("beech", "beech.glb", &["--seasons"], 2, "a mesh has one season");
    refused("beech", "beech.glb", &["--impostor"], 1, ".png or .bmp");
    refused("beech", "beech.png", &["--impostor", "--count", "2"], 2, "of one plant");
    refused("beech", "nowhere/beech.png", &[], 1, "make it first");
    refused("all", "all.glb", &[], 1, ".png or .bmp");
    refused("all", "all.png", &["--levels"], 2, "is for one kind");
    refused("all", "all.png", &["--size", "2x2"], 2, "too small for all kinds");
    refused("beech", "nowhere/beech.glb", &[], 1, "make it first");
}
