//! What the command line writes, and what it leaves behind when it is ended.
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn upland() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("upland"))
}

/// A folder with a recipe, its heights, a recipe that imports these, and two pictures.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let land = r#"version: 1, name: "Hills", size: (33, 17), cell: 30.0"#;
    write("hills.ron", &format!("({land}, steps: [fbm(height: 400.0)], texture: arid)"));
    write("copy.ron", &format!(r#"({land}, steps: [import(file: "heights.tif")])"#));
    upland()
        .current_dir(folder.path())
        .args(["generate", "hills.ron", "-o", "heights.tif"])
        .assert()
        .success();
    for name in ["sand.png", "rock.png"] {
        let colour = image::Rgb([90, 80, 70]);
        image::RgbImage::from_pixel(4, 4, colour).save(folder.path().join(name)).unwrap();
    }
    folder
}

/// The names of all files in a folder, with what they hold.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().is_file());
    let name = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut all: Vec<_> =
        files.map(|entry| (name(&entry), std::fs::read(entry.path()).unwrap_or_default())).collect();
    all.sort();
    all
}

#[test]
fn two_outputs_of_one_name_are_refused_before_anything_is_written() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let before = contents(folder.path());
    for (given, message) in [
        (
            "-o a.png --ids a.png",
            "a.png: --output and --ids cannot both be written there; give each its own name",
        ),
        ("-o a.png --normals ./a.png", "./a.png is the same file as a.png"),
        ("-o a.png --wetness below/../a.png", "--output and --wetness cannot both"),
        ("-o a.png --ids i.png --normals i.png", "--ids and --normals cannot both"),
        ("-o a-0.png --weights a.png", "a-0.png: --output and --weights cannot both"),
        ("-o a.png --weights w.png --ids w-1.png", "w-1.png: --weights and --ids cannot both"),
        ("-o a.png --ids a.png --patches 2", "a-c0-r0.png: --output and --ids cannot both"),
        ("-o a.png --ids a.PNG --patches 2", "a-c0-r0.png: --output and --ids cannot both"),
    ] {
        let mut command = upland();
        command.current_dir(folder.path()).args(["bake", "hills.ron", "--texels", "32"]);
        command.args(given.split(' ')).assert().code(2).stdout("").stderr(contains(message));
        assert_eq!(contents(folder.path()), before, "{given}");
    }
    for given in ["-o a.png --weights w.png --ids w-2.png", "-o a.png --ids a-c0-r0.png --patches 1"] {
        let mut command = upland();
        command.current_dir(folder.path()).args(["bake", "hills.ron", "--texels", "32"]);
        command.args(given.split(' ')).assert().success();
    }
}

#[cfg(unix)]
#[test]
fn two_links_to_one_file_are_one_output() {
    let folder = folder();
    for name in ["colour.png", "ids.png"] {
        std::os::unix::fs::symlink("same.png", folder.path().join(name)).unwrap();
    }
    let mut command = upland();
    command.current_dir(folder.path()).args(["bake", "hills.ron", "-o", "colour.png", "--ids", "ids.png"]);
    command.assert().code(2).stderr(contains("ids.png is the same file as colour.png"));
    assert!(!folder.path().join("same.png").exists());
}

#[test]
fn what_a_command_reads_it_does_not_replace() {
    let folder = folder();
    std::fs::copy(folder.path().join("sand.png"), folder.path().join("heights.png")).unwrap();
    let before = contents(folder.path());
    for arguments in [
        "generate copy.ron -o heights.tif",
        "generate heights.tif -o ./heights.tif",
        "bake heights.png -o heights.png",
        "blend heights.png sand.png rock.png -o rock.png",
        "blend heights.png sand.png rock.png -o heights.png",
        "convert heights.tif heights.tif",
    ] {
        let mut command = upland();
        command.current_dir(folder.path()).args(arguments.split(' '));
        command.assert().code(2).stdout("").stderr(contains("would replace a file that is read for it"));
        assert_eq!(contents(folder.path()), before, "{arguments}");
    }
}

/// What is found in a folder and those in it, by its path there.
fn all_names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.strip_prefix(folder).unwrap().display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names.sort();
    names
}

/// A limit on the size of files stands in for a full disk: some of a command's files fit, one doesn't.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_cannot_write_one_of_its_files_writes_none() {
    let folder = tempfile::tempdir().unwrap();
    let land = r##"version: 1, name: "Plain", cell: 10.0, texture: custom(types: [(name: "grey", colour: "#808080")])"##;
    let write = |name: &str, more: &str| {
        std::fs::write(folder.path().join(name), format!("({land}, {more})")).unwrap();
    };
    write("plain.ron", "size: (129, 65), steps: [flat(height: 7)]");
    write("rises.ron", "size: (33, 17), steps: [flat(height: 0), fbm(height: 90)]");
    std::fs::write(folder.path().join("a.png"), "old").unwrap();
    let before = all_names(folder.path());
    // A block has 512 bytes.
    for (arguments, blocks, too_large) in [
        ("mesh rises.ron --grid --texture 16 -o a.obj", 16, "a.obj"),
        ("bake plain.ron --texels 128 -o a.png --ids b.png --normals c.bmp", 16, "c.bmp"),
        ("bake plain.ron --texels 128 -o a.png --normals c.bmp --patches 4", 2, "c-c0-r0.bmp"),
        ("costs plain.ron --from=-600,-300 --to=600,300 --map a.png --pixels 128 -o b.bmp", 16, "b.bmp"),
        ("generate rises.ron -o a.asc --frames deep/frames --frames-of flat", 6, "a.asc"),
        ("plot rises.ron --what all --format svg -o deep/plots", 12, "deep/plots/"),
    ] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}");
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(assert_cmd::cargo::cargo_bin!("upland"));
        if arguments.contains("deep/plots") {
            std::fs::create_dir(folder.path().join("deep")).unwrap();
        }
        let said = contains(too_large).and(contains("cannot write: ")).and(contains("wrote").not());
        command.current_dir(folder.path()).assert().code(1).stderr(said);
        if arguments.contains("deep/plots") {
            std::fs::remove_dir(folder.path().join("deep")).unwrap();
        }
        assert_eq!(all_names(folder.path()), before, "{arguments}");
        assert_eq!(std::fs::read(folder.path().join("a.png")).unwrap(), b"old", "{arguments}");
        // With room for all of them they are written.
        let mut command = upland();
        command
            .current_dir(folder.path())
            .args(arguments.split(' ').map(|word| word.replace("deep/", "deep-")));
        let made = command.assert().success().get_output().stderr.clone();
        assert!(String::from_utf8_lossy(&made).contains("wrote "));
        for name in all_names(folder.path()).iter().rev().filter(|name| !before.contains(name)) {
            let path = folder.path().join(name);
            if path.is_dir() {
                std::fs::remove_dir(path).unwrap()
            } else {
                std::fs::remove_file(path).unwrap()
            }
        }
        std::fs::write(folder.path().join("a.png"), "old").unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_command_whose_results_cannot_be_printed_writes_nothing() {
    let folder = folder();
    let before = contents(folder.path());
    for arguments in [
        "costs hills.ron -o a.png",
        "mesh hills.ron --error 9 -o a.stl",
        "viewshed hills.ron --from 0,0,9 -o a.png",
        "plot hills.ron --what heights -o a.svg",
        "scatter hills.ron --bare -o a.csv",
        "bake hills.ron --texels 32 -o a.png --ids b.png",
    ] {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec \"$0\" {arguments} > /dev/full"));
        command.arg(assert_cmd::cargo::cargo_bin!("upland")).current_dir(folder.path());
        command.assert().code(1).stderr(contains("standard output: cannot write"));
        assert_eq!(contents(folder.path()), before, "{arguments}");
    }
}

#[test]
fn what_cannot_be_replaced_is_refused_before_anything_is_built() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("taken.png")).unwrap();
    std::fs::create_dir(folder.path().join("taken.tif")).unwrap();
    std::fs::create_dir(folder.path().join("taken.csv")).unwrap();
    let before = contents(folder.path());
    for arguments in [
        "generate hills.ron -o taken.tif",
        "bake hills.ron -o a.png --ids taken.png",
        "costs hills.ron -o a.png --from 0,0 --to 9,9 --path taken.csv",
        "costs hills.ron -o a.png --map taken.png",
        "scatter hills.ron --bare -o taken.csv",
    ] {
        let mut command = upland();
        command.current_dir(folder.path()).args(arguments.split(' '));
        let said = contains("taken.").and(contains("this is not a regular file"));
        command.assert().code(1).stdout("").stderr(said);
        assert_eq!(contents(folder.path()), before, "{arguments}");
    }
}

#[test]
fn names_of_strangers_do_not_command_the_terminal() {
    let folder = folder();
    let path = folder.path().join("evil.ron");
    let land = r#"(version: 1, name: "Red\u{1b}[31m\u{0}\u{9b}2J", size: (9, 9), cell: 30.0, steps: []"#;
    let types = r##"texture: custom(types: [(name: "\u{1b}]0;owned\u{7}", colour: "#808080")])"##;
    std::fs::write(&path, format!("{land}, {types})")).unwrap();
    let harmless = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n'), "{text:?}");
        text
    };
    let mut info = upland();
    info.current_dir(folder.path()).args(["info", "evil.ron"]);
    let output = info.assert().success().get_output().stdout.clone();
    assert!(harmless(&output).contains("Red\u{fffd}[31m"));
    let mut bake = upland();
    bake.current_dir(folder.path()).args(["bake", "evil.ron", "-o", "a.png", "--ids", "i.png"]);
    let output = bake.assert().success().get_output().stdout.clone();
    assert!(harmless(&output).contains("\u{fffd}]0;owned\u{fffd}"));
    for arguments in [["info", "\u{1b}[31mred.tif"], ["info", "--\u{1b}[31mred"], ["presets", "\u{1b}cred"]] {
        let assert = upland().args(arguments).assert().failure();
        assert!(harmless(&assert.get_output().stderr).contains("red"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn arguments_do_not_command_the_terminal_that_bad_usage_is_told_on() {
    let program = assert_cmd::cargo::cargo_bin!("upland").display();
    let command = format!("'{program}' info --size '\u{1b}]0;owned\u{7}' land.tif");
    // `script` gives it a terminal, on which colours and what looks like them are not left out.
    let output = std::process::Command::new("script").args(["-qec", &command, "/dev/null"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(2) && text.contains("1 to 65536"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
}

#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, ExitStatus};
    use std::time::{Duration, Instant};

    /// Begins to write heights that take a while, with `before` done by the shell first, and sends `signal`
    /// once they are being written. Gives how the program ended, and what is in the folder then.
    fn sent(signal: &str, before: &str, side: u32) -> (ExitStatus, Vec<String>) {
        let folder = folder();
        let program = assert_cmd::cargo::cargo_bin!("upland");
        std::fs::write(folder.path().join("out.asc"), "old").unwrap();
        let here = |name: &str| {
            std::fs::read_dir(folder.path())
                .unwrap()
                .any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with(name))
        };
        let command = format!("{before} exec \"$0\" generate hills.ron --size {side} -o out.asc");
        let mut child = std::process::Command::new("sh")
            .args(["-c", &command])
            .arg(program)
            .current_dir(folder.path())
            .spawn()
            .unwrap();
        // Only to give up at last.
        let late = Instant::now() + Duration::from_secs(300);
        while !here(".upland-") {
            assert!(child.try_wait().unwrap().is_none() && Instant::now() < late, "it was never written");
            std::thread::sleep(Duration::from_millis(1));
        }
        kill(&child, signal);
        let status = child.wait().unwrap();
        let known = ["hills.ron", "copy.ron", "heights.tif", "sand.png", "rock.png"];
        let names = contents(folder.path()).into_iter().filter(|(name, _)| !known.contains(&name.as_str()));
        let told = names.map(|(name, bytes)| format!("{name} {}", bytes == b"old"));
        (status, told.collect())
    }

    fn kill(child: &Child, signal: &str) {
        let kill = format!("kill -{signal} {}", child.id());
        assert!(std::process::Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    /// Whether this process, and so every program that it starts, ignores a signal; on Linux alone.
    fn ignores(number: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0);
        ignored >> (number - 1) & 1 == 1
    }

    #[test]
    fn a_signal_ends_the_program_and_leaves_no_half_written_file() {
        for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
            // What `nohup` or a shell's `&` have the tests ignore, the program must ignore too: the next
            // test asks for that.
            if ignores(number) {
                continue;
            }
            let (status, left) = sent(signal, "", 4096);
            assert_eq!(status.signal(), Some(number), "SIG{signal}: {status}");
            assert_eq!(left, ["out.asc true"], "SIG{signal}");
        }
    }

    /// A fake video program: it reads pictures until none comes, and then writes its file again.
    #[cfg(all(feature = "viewer", target_os = "linux"))]
    const FFMPEG: &str = r#"#!/bin/sh
for film; do :; done
: > "$film"
echo $$ > started
/bin/cat > /dev/null
: > "$film"
"#;

    #[cfg(all(feature = "viewer", target_os = "linux"))]
    #[test]
    fn a_signal_that_ends_a_film_leaves_nothing_of_it() {
        use std::os::unix::fs::PermissionsExt;
        for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
            if ignores(number) {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name);
            let place =
                |name: &str, x: u32| format!(r#"(name: "{name}", from: ({x}, 500, 0), look: (1, 1, 1))"#);
            let land = r#"version: 1, name: "Tour", size: (33, 33), cell: 30.0, steps: [fbm(height: 300.0)]"#;
            let places = [place("a", 0), place("b", 100)].join(", ");
            std::fs::write(path("tour.ron"), format!("({land}, bookmarks: [{places}])")).unwrap();
            std::fs::create_dir(path("programs")).unwrap();
            std::fs::write(path("programs/ffmpeg"), FFMPEG).unwrap();
            std::fs::set_permissions(path("programs/ffmpeg"), std::fs::Permissions::from_mode(0o755))
                .unwrap();
            let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("upland"))
                .args(["tour", "tour.ron", "-o", "film.mp4", "--size", "64x36", "--quality", "low"])
                .current_dir(&folder)
                .env("PATH", path("programs"))
                .spawn()
                .unwrap();
            // Only to give up at last.
            let late = Instant::now() + Duration::from_secs(300);
            let started = loop {
                let text = std::fs::read_to_string(path("started")).unwrap_or_default();
                if text.ends_with('\n') {
                    break text;
                }
                assert!(child.try_wait().unwrap().is_none() && Instant::now() < late, "it was never started");
                std::thread::sleep(Duration::from_millis(1));
            };
            kill(&child, signal);
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(number), "SIG{signal}: {status}");
            // It writes its file before it ends.
            let ffmpeg = Path::new("/proc").join(started.trim());
            while ffmpeg.exists() && Instant::now() < late {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(all_names(folder.path()), ["programs", "programs/ffmpeg", "started", "tour.ron"]);
        }
    }

    #[test]
    fn a_signal_that_is_to_be_ignored_ends_nothing() {
        let (status, left) = sent("HUP", "trap '' HUP;", 1024);
        assert!(status.success(), "{status}");
        assert_eq!(left, ["out.asc false"]);
    }
}
