//! Every example runs, a few frames each, and nothing that it prints is an error. All of them are modules of
//! this one program, so that Bevy is linked once and not twenty times; each runs in a process of its own,
//! which is this program again. `cargo test --features big_space --test examples planet` runs one.

// Each example has what they share as a module of its own, as a program does.
#![allow(clippy::duplicate_mod)]

use std::path::Path;
use std::process::{Command, ExitCode, Termination};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};

/// Names the example that this process runs, in place of its tests.
const EXAMPLE: &str = "UPLAND_TEST_EXAMPLE";

/// Frames that an example draws once its land is there.
const FRAMES: u32 = 4;

/// The frames that examples with a physics engine draw: enough for bodies to find ground and move.
#[cfg(any(feature = "avian", feature = "rapier"))]
const PHYSICS_FRAMES: u32 = 40;

/// How an example is run.
enum Run {
    /// For some frames, without the window that it has otherwise.
    Frames(u32),
    /// With arguments, in which OUT is a new folder; what it then prints.
    Prints(&'static [&'static str], &'static [&'static str]),
    /// By another test, which has its parts as modules.
    Elsewhere,
}
use Run::{Elsewhere, Frames, Prints};

type Program = (&'static str, Run, fn() -> ExitCode);

macro_rules! programs {
    ($($(#[$condition:meta])* $name:ident at $path:literal: $run:expr;)*) => {
        // A program of its own uses all that it has; the test of it calls `main` alone.
        $($(#[$condition])* #[allow(dead_code)] #[path = $path] mod $name;)*
        const PROGRAMS: &[Program] = &[
            $($(#[$condition])* (stringify!($name), $run, || $name::main().report())),*
        ];
    };
}

programs! {
    agents at "../../examples/agents.rs": Frames(FRAMES);
    #[cfg(feature = "big_space")]
    big_space at "../../examples/big_space.rs": Frames(FRAMES);
    #[cfg(feature = "avian")]
    car at "../../examples/car.rs": Frames(PHYSICS_FRAMES);
    #[cfg(feature = "rapier")]
    character at "../../examples/character.rs": Frames(PHYSICS_FRAMES);
    custom_material at "../../examples/custom_material.rs": Frames(FRAMES);
    custom_step at "../../examples/custom_step.rs":
        Prints(&["steps", "waves"], &["Where they run to, as a compass bearing."]);
    embed at "../../examples/embed.rs": Frames(FRAMES);
    endless at "../../examples/endless.rs": Frames(FRAMES);
    first_person at "../../examples/first_person.rs": Frames(FRAMES);
    game at "../../examples/game/main.rs": Frames(FRAMES);
    headless_server at "../../examples/headless_server.rs":
        Prints(&["--ticks", "60"], &["exactly, it was", "collider tiles have come"]);
    holes at "../../examples/holes.rs": Elsewhere;
    hot_reload at "../../examples/hot_reload.rs": Frames(FRAMES);
    loading at "../../examples/loading.rs": Frames(FRAMES);
    minimal at "../../examples/minimal.rs": Frames(FRAMES);
    overhangs at "../../examples/overhangs.rs": Frames(FRAMES);
    patches at "../../examples/patches.rs":
        Prints(&["downs", "64", "32", "OUT", "--size", "33"], &["patch_1_1.png"]);
    #[cfg(feature = "avian")]
    physics at "../../examples/physics.rs": Frames(PHYSICS_FRAMES);
    planet at "../../examples/planet.rs": Frames(FRAMES);
    roads at "../../examples/roads.rs": Elsewhere;
    scatter at "../../examples/scatter.rs": Frames(FRAMES);
    sculpt at "../../examples/sculpt.rs": Frames(FRAMES);
    sight at "../../examples/sight.rs": Prints(&["OUT/sight.png"], &[]);
    split_screen at "../../examples/split_screen.rs": Frames(FRAMES);
    strokes at "../../examples/strokes.rs": Prints(&["OUT"], &[]);
}

/// Examples with a physics engine: `scripts/games` runs them, with the features `avian` and `rapier`.
const PHYSICS: &[&str] = &["car", "character", "physics"];

fn main() -> ExitCode {
    if let Ok(name) = env::var(EXAMPLE) {
        let (.., main) =
            PROGRAMS.iter().find(|(program, ..)| *program == name).expect("the name of an example");
        return main();
    }
    let runs = PROGRAMS.iter().filter(|(_, run, _)| !matches!(run, Elsewhere));
    let mut trials: Vec<Trial> =
        runs.map(|(name, run, _)| Trial::test(*name, || try_out(name, run))).collect();
    trials.push(Trial::test("all_of_them_are_here", all_of_them_are_here));
    trials.push(Trial::test("each_is_short_and_says_what_it_shows", each_is_short_and_says_what_it_shows));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Runs an example to its end, and looks for errors in what it prints.
fn try_out(name: &str, run: &Run) -> Result<(), Failed> {
    let (frames, arguments, expected) = match run {
        Frames(frames) => (*frames, [].as_slice(), [].as_slice()),
        Prints(arguments, expected) => (FRAMES, *arguments, *expected),
        Elsewhere => return Ok(()),
    };
    let out = tempfile::tempdir()?;
    let folder = out.path().to_str().ok_or("a temporary folder whose name is text")?;
    let output = Command::new(env::current_exe()?)
        .args(arguments.iter().map(|argument| argument.replace("OUT", folder)))
        .env(EXAMPLE, name)
        .env("UPLAND_EXAMPLE_FRAMES", frames.to_string())
        .env("NO_COLOR", "1")
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{name} ended with {}:\n{text}", output.status).into());
    }
    // Libraries complain about XDG_RUNTIME_DIR where that folder is missing.
    let is_wrong = |line: &&str| {
        (line.contains("ERROR") || line.contains("panicked") || line.contains("WARN upland"))
            && !line.contains("XDG_RUNTIME_DIR")
    };
    let wrong: Vec<&str> = text.lines().filter(is_wrong).collect();
    if !wrong.is_empty() {
        return Err(format!("{name} prints:\n{}", wrong.join("\n")).into());
    }
    match expected.iter().find(|expected| !text.contains(**expected)) {
        Some(missing) => Err(format!("{name} doesn't print {missing:?}:\n{text}").into()),
        None => Ok(()),
    }
}

/// The examples of the repository, and the source of each.
fn sources() -> Result<Vec<(String, String)>, Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let main = if path.is_dir() { path.join("main.rs") } else { path.clone() };
        if main.extension().is_some_and(|extension| extension == "rs") && main.exists() {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            sources.push((name, fs::read_to_string(main)?));
        }
    }
    sources.sort();
    Ok(sources)
}

fn all_of_them_are_here() -> Result<(), Failed> {
    let mut windows = 0;
    for (name, source) in sources()? {
        // Without the feature that it needs it is not in the list.
        let Some((_, run, _)) = PROGRAMS.iter().find(|(program, ..)| *program == name) else {
            if PHYSICS.contains(&name.as_str()) || name == "big_space" {
                continue;
            }
            return Err(format!("{name}: add it to the list in tests/examples").into());
        };
        let has_window = source.contains("mod common;");
        windows += usize::from(has_window);
        if has_window != matches!(run, Frames(_)) && !matches!(run, Elsewhere) {
            return Err(
                format!("{name}: take its plugins from examples/common, or run it with arguments").into()
            );
        }
    }
    if windows < 10 { Err(format!("{windows} examples have a window").into()) } else { Ok(()) }
}

fn each_is_short_and_says_what_it_shows() -> Result<(), Failed> {
    for (name, source) in sources()? {
        let head: String = source.lines().take_while(|line| line.starts_with("//!")).collect();
        if !head.contains("cargo run") || !head.contains(&format!("--example {name}")) {
            return Err(format!("{name} doesn't say how it is started: {head}").into());
        }
        // A game of several files is longer than what shows one thing.
        if source.lines().count() > 200 {
            return Err(format!("{name} has {} lines", source.lines().count()).into());
        }
    }
    Ok(())
}
