//! Planned worlds: `plan`, `work`, `status` and `verify`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use super::upland;

/// A recipe whose steps must know all of it, and its plan in a folder with a name as people give it.
fn planned(folder: &Path, steps: &str) -> PathBuf {
    let recipe = folder.join("hills.ron");
    let text =
        format!(r#"(version: 1, name: "Hills", seed: 5, size: (300, 200), cell: 30, steps: [{steps}])"#);
    fs::write(&recipe, text).unwrap();
    let into = folder.join("große Welt");
    let mut command = upland();
    command.arg("plan").arg(&recipe).args(["--tile", "64", "--into"]).arg(&into);
    command.assert().success().stdout(contains("heights  20")).stderr(contains("wrote"));
    into
}

fn work(place: &Path, more: &[&str]) -> assert_cmd::assert::Assert {
    upland().arg("work").arg("--plan").arg(place).args(more).assert()
}

fn status(place: &Path) -> Value {
    let output = upland()
        .args(["status", "--json", "--plan"])
        .arg(place)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    serde_json::from_slice(&output).unwrap()
}

/// All files below a folder with their bytes, by their names.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

#[test]
fn one_process_and_several_make_the_same_bytes_and_a_second_run_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = planned(folder.path(), "fbm(), erode(), gullies()");
    work(&place, &["--jobs", "2"])
        .success()
        .stderr(contains("heights: 20 tiles made").and(contains("base: made")));
    let made = files(&place);
    work(&place, &["--jobs", "2"]).success().stderr(contains("heights: all of it is there"));
    assert!(files(&place) == made);
    fs::remove_dir_all(place.join("heights")).unwrap();
    // Ranges and shares, as the tasks of an engine are started.
    for tiles in [["--tiles", "0..7"], ["--tiles", "7"], ["--share", "1/2"], ["--share", "0/2"]] {
        work(&place, &tiles).success();
    }
    work(&place, &["--pass", "index"]).success();
    assert!(files(&place) == made);
    let found = status(&place);
    assert!(found["passes"].as_array().unwrap().iter().all(|pass| pass["done"] == pass["tiles"]), "{found}");
    upland().args(["status", "--plan"]).arg(&place).assert().success().stderr("all of it is there\n");
}

#[test]
fn damage_is_named_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let place = planned(folder.path(), "fbm()");
    work(&place, &[]).success();
    let made = files(&place);
    let (short, changed) = (place.join("heights/x0002_y0001.tif"), place.join("heights/x0003_y0001.tif"));
    let mut bytes = fs::read(&changed).unwrap();
    let middle = bytes.len() - 50;
    bytes[middle] ^= 1;
    fs::write(&changed, bytes).unwrap();
    fs::write(&short, &made["heights/x0002_y0001.tif"][..1500]).unwrap();
    fs::remove_file(place.join("heights/x0000_y0000.tif")).unwrap();
    let heights = &status(&place)["passes"][0];
    assert_eq!((&heights["missing"], &heights["done"]), (&serde_json::json!([0]), &serde_json::json!(18)));
    assert_eq!(heights["damaged"][0]["key"], "heights/x0002_y0001.tif");
    let verify = |more: &[&str]| {
        upland().args(["verify", "--sample", "100%", "--plan"]).arg(&place).args(more).assert()
    };
    verify(&[]).code(1).stderr(
        contains("damaged: heights/x0003_y0001.tif: differs from what the plan makes")
            .and(contains("1 tile is missing; to make it: upland work --plan"))
            .and(contains("2 objects are damaged; to write them again: upland verify --plan"))
            .and(contains("--sample 100% --repair")),
    );
    verify(&["--repair"]).success().stderr(contains("2 objects were written again"));
    work(&place, &[]).success();
    assert!(files(&place) == made);
    verify(&["--json"]).success().stdout(contains("\"compared\": 20"));
}

#[test]
fn wrong_arguments_and_places_are_refused_with_what_would_do() {
    let folder = tempfile::tempdir().unwrap();
    let place = planned(folder.path(), "fbm()");
    work(&place, &["--tiles", "19..21"]).code(2).stderr(contains("this plan has tiles 0 to 19"));
    work(&place, &["--tiles", "4..4"]).code(2).stderr(contains("such as 0..16"));
    work(&place, &["--pass", "base"]).code(2).stderr(contains("this plan has the passes heights, index"));
    work(&place, &["--pass", "index"]).code(1).stderr(contains("0 of 20 are done; make it first"));
    work(&folder.path().join("none"), &[])
        .code(1)
        .stderr(contains("plan.json: does not exist; `upland plan"));
    // The plan's own address will do, too; a share has its sign.
    let status = |place: &Path| upland().args(["status", "--plan"]).arg(place).assert();
    status(&place.join("plan.json")).success().stderr(contains("the rest is made by: upland work --plan"));
    let verify = |sample: &str| upland().args(["verify", "--sample", sample, "--plan"]).arg(&place).assert();
    verify("1").code(2).stderr(contains("not a share in percent; give 0% to 100%"));
    let plan = |into: &str| upland().args(["plan", "downs", "--into", into]).assert();
    plan("ftp://host/land")
        .code(1)
        .stderr(contains("is not an address of a store").and(contains("s3://BUCKET")));
    plan("s3://key:secret-word@bucket/land").code(1).stderr(contains("secret-word").not());
    plan(place.to_str().unwrap()).code(1).stderr(contains("another plan (of `Hills`)"));
    upland()
        .args(["plan", "endless-highlands", "--into", "x"])
        .current_dir(folder.path())
        .assert()
        .code(1)
        .stderr(contains("give --window LEVEL:X,Z,WxD"));
    assert!(!folder.path().join("x").exists());
}

#[test]
fn a_store_that_refuses_or_is_not_there_is_reported_without_the_keys() {
    let plan = |endpoint: &str| {
        let mut command = upland();
        command
            .args(["plan", "downs", "--into", "s3://land/here"])
            .env("AWS_ENDPOINT", endpoint)
            .env("AWS_ACCESS_KEY_ID", "AKIA-OWN-KEY")
            .env("AWS_SECRET_ACCESS_KEY", "own-secret")
            .env("AWS_REGION", "us-east-1");
        command.assert().code(1).stderr(contains("AKIA-OWN-KEY").not()).stderr(contains("own-secret").not())
    };
    let answers = |answer: &'static str| {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", server.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in server.incoming() {
                use std::io::{Read, Write};
                let Ok(mut stream) = stream else { break };
                _ = stream.read(&mut [0; 4096]);
                _ = stream.write_all(answer.as_bytes());
            }
        });
        address
    };
    let refused = "HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: 107\r\n\r\n\
                   <Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>AKIA-OWN-KEY</AWSAccessKeyId><X>own-secret</X></Error>";
    plan(&answers(refused)).stderr(contains("refuses access").and(contains("set AWS_ACCESS_KEY_ID")));
    let expired = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 40\r\n\r\n\
                   <Error><Code>ExpiredToken</Code></Error>";
    plan(&answers(expired)).stderr(contains("(ExpiredToken)").and(contains("AWS_SESSION_TOKEN")));
}

/// What a killed process leaves.
#[cfg(target_os = "linux")]
mod killed {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::*;

    /// The worker processes of a process.
    fn children(parent: u32) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // "ID (NAME) STATE PARENT …"
            let after = stat.rsplit_once(") ").map(|(_, after)| after).unwrap_or_default();
            if after.split(' ').nth(1) == Some(&parent.to_string()) {
                found.push(entry.file_name().into_string().unwrap());
            }
        }
        found
    }

    fn start(place: &Path) -> std::process::Child {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("upland"));
        command.args(["work", "--jobs", "2", "--plan"]).arg(place).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn signal(name: &str, process: &str) {
        _ = Command::new("kill").args([name, process]).stderr(Stdio::null()).status();
    }

    /// Nothing but whole objects: each is one of those that an undisturbed run makes.
    fn check_whole(place: &Path, expected: &BTreeMap<String, Vec<u8>>) {
        for (name, bytes) in files(place) {
            assert!(expected.get(&name).is_some_and(|expected| *expected == bytes), "{name}");
        }
    }

    #[test]
    fn a_worker_that_is_killed_costs_its_tile_and_a_run_that_is_ended_resumes() {
        let folder = tempfile::tempdir().unwrap();
        let undisturbed = folder.path().join("undisturbed");
        fs::create_dir(&undisturbed).unwrap();
        let steps = "fbm(octaves: 12), ridged(octaves: 12), gullies(), gullies(size: 300)";
        let undisturbed = planned(&undisturbed, steps);
        work(&undisturbed, &["--jobs", "2"]).success();
        let expected = files(&undisturbed);
        let place = planned(folder.path(), steps);

        let run = start(&place);
        let mut killed = 0;
        // Workers live for as long as there are tiles, which is for many of these looks.
        for _ in 0..10_000 {
            if let Some(child) = children(run.id()).first() {
                signal("-KILL", child);
                killed += 1;
                if killed == 4 {
                    break;
                }
            }
            std::thread::sleep(Duration::from_millis(3));
        }
        let output = run.wait_with_output().unwrap();
        assert!(killed > 0);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{said}");
        work(&place, &["--jobs", "2"]).success();
        assert!(files(&place) == expected, "killed {killed}: {said}");

        // The process that starts the others, by each signal: they end with it.
        for name in ["-TERM", "-INT", "-KILL"] {
            // An earlier round may have ended before the first tile.
            _ = fs::remove_dir_all(place.join("heights"));
            let mut run = start(&place);
            let mut workers = Vec::new();
            for _ in 0..10_000 {
                workers = children(run.id());
                if workers.len() == 2 && place.join("heights/x0000_y0000.tif").exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
            signal(name, &run.id().to_string());
            run.wait().unwrap();
            let has_ended = |worker: &String| {
                let stat = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
                stat.is_empty() || stat.contains(") Z ")
            };
            let mut looks = 0;
            while !workers.iter().all(has_ended) {
                looks += 1;
                assert!(looks < 10_000, "a worker still runs after {name}");
                std::thread::sleep(Duration::from_millis(3));
            }
            check_whole(&place, &expected);
        }
        work(&place, &["--jobs", "2"]).success();
        assert!(files(&place) == expected);
    }
}

/// Commands that take a recipe take a plan: by its document, its folder, and as a step of a recipe.
#[test]
fn commands_read_a_plans_land_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let place = planned(folder.path(), "fbm(), erode(), gullies()");
    work(&place, &[]).success();
    // One tile is missing, and one is damaged.
    fs::remove_file(place.join("heights/x0000_y0001.tif")).unwrap();
    let damaged = place.join("heights/x0001_y0001.tif");
    fs::write(&damaged, &fs::read(&damaged).unwrap()[..3000]).unwrap();
    let own = folder.path().join("own.ron");
    let text = r#"(version: 1, name: "Hills", seed: 5, size: (300, 200), cell: 30,
        steps: [planned(plan: "große Welt/plan.json")])"#;
    fs::write(&own, text).unwrap();
    let recipe = folder.path().join("hills.ron");
    let info =
        |land: &Path| upland().arg("info").arg(land).args(["--window", "0:20,30,150x100"]).assert().success();
    let expected = info(&recipe).stderr("").get_output().stdout.clone();
    for land in [&place.join("plan.json"), &place, &own] {
        let found = info(land).stderr(contains("x0001_y0001.tif").and(contains("counts as missing")));
        assert_eq!(found.get_output().stdout, expected, "{}", land.display());
    }
    let generate = |land: &Path, more: &[&str], name: &str| {
        let out = folder.path().join(name);
        upland().arg("generate").arg(land).args(more).arg("-o").arg(&out).assert().success();
        fs::read(out).unwrap()
    };
    for (more, name) in [(&[][..], "whole.r16"), (&["--window", "-1:100,90,120x99"], "window.exr")] {
        assert!(generate(&place.join("plan.json"), more, name) == generate(&recipe, more, name), "{name}");
    }
    let coarse = ["--set", "steps.0.missing=coarse", "--window", "0:64,64,30x30"];
    assert!(generate(&place, &coarse, "coarse.exr") != generate(&recipe, &coarse[2..], "fine.exr"));
    let mesh = |land: &Path, name: &str| {
        let out = folder.path().join(name);
        let window = ["--grid", "--window", "0:10,20,65x65"];
        upland().arg("mesh").arg(land).args(window).arg("-o").arg(&out).assert().success();
        fs::read(out).unwrap()
    };
    assert!(mesh(&place, "a.stl") == mesh(&recipe, "a.stl"));
}

#[test]
fn what_is_no_plan_is_refused_by_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let document = folder.path().join("plan.json");
    let info = |land: &str| upland().arg("info").arg(land).assert().code(1);
    info(document.to_str().unwrap()).stderr(contains("plan.json: does not exist; `upland plan"));
    fs::write(&document, r#"{"upland_plan": 7, "program": "8.0.0"}"#).unwrap();
    info(document.to_str().unwrap()).stderr(contains("made by upland 8.0.0").and(contains("plan again")));
    info("ftp://host/plan.json").stderr(contains("s3://BUCKET/FOLDER"));
    let own = folder.path().join("own.ron");
    fs::write(
        &own,
        r#"(version: 1, name: "Own", size: (9, 9), cell: 30, steps: [planned(plan: "no.json")])"#,
    )
    .unwrap();
    info(own.to_str().unwrap()).stderr(contains("no.json/plan.json: does not exist"));
}
