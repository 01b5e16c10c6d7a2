//! The list of modules that are tested on many threads, `tests/threads.txt`, and that of slow tests,
//! `tests/slow.txt`: that nothing is missing in the first, and that nothing in either has gone.

use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The lines of a list, without comments: a program of tests and a path in it.
fn list(name: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(Path::new(ROOT).join("tests").join(name)).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let split = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        words.next().zip(words.next()).unwrap_or_else(|| panic!("{name}: {line}"))
    };
    lines.map(split).collect()
}

/// The sources of a program of tests.
fn folder(program: &str) -> PathBuf {
    Path::new(ROOT).join(match program {
        "upland_core" => "core/src".into(),
        "upland" => "src".into(),
        "upland_world" => "world/src".into(),
        "worlds" => "world/tests/worlds".into(),
        "laws" | "memory" | "own_steps" => format!("core/tests/{program}"),
        _ => format!("tests/{program}"),
    })
}

/// All Rust files below a folder: module path and text.
fn modules(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let relative = path.strip_prefix(folder).unwrap().with_extension("");
                let parts = relative.iter().map(|part| part.to_str().unwrap()).filter(|part| *part != "mod");
                found.push((parts.collect::<Vec<_>>().join("::"), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

fn uses_rayon(text: &str) -> bool {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let marks = ["rayon::", "par_iter", "par_chunks", "par_bridge", "par_sort", "par_extend"];
    code.into_iter().any(|line| marks.iter().any(|mark| line.contains(mark)))
}

#[test]
fn every_module_that_uses_rayon_is_tested_on_many_threads() {
    let listed = list("threads.txt");
    let mut count = 0;
    for program in ["upland_core", "upland_world", "upland"] {
        let prefixes: Vec<&str> =
            listed.iter().filter(|(of, _)| of == program).map(|(_, module)| module.as_str()).collect();
        for (module, text) in modules(&folder(program)) {
            if uses_rayon(&text) {
                let path = format!("{module}::");
                let is_listed = prefixes.iter().any(|prefix| *prefix == "*" || path.starts_with(prefix));
                assert!(is_listed, "{module} of {program} uses rayon: add it to tests/threads.txt");
                count += 1;
            }
        }
    }
    assert!(count > 50, "only {count} modules use rayon");
}

#[test]
fn every_module_in_the_list_for_many_threads_exists() {
    for (program, module) in list("threads.txt") {
        let path = module.trim_end_matches("::");
        let mut modules = modules(&folder(&program)).into_iter();
        assert!(module == "*" || modules.any(|(other, _)| other == path), "{program} has no module {path}");
    }
}

#[test]
fn every_test_in_the_list_of_slow_ones_exists() {
    for (program, test) in list("slow.txt") {
        if program == "examples" {
            continue;
        }
        let (module, name) = test.rsplit_once("::").unwrap_or_else(|| panic!("{test}: the path of a test"));
        // Tests inside a file are in a module `tests` of it.
        let file = module.strip_suffix("::tests").unwrap_or(module);
        let of_test = format!("fn {name}(");
        let is_there = modules(&folder(&program))
            .iter()
            .any(|(other, text)| (other == module || other == file) && text.contains(&of_test));
        assert!(is_there, "{program} has no test {test}: it is in tests/slow.txt");
    }
}
