//! Paths in backticks, on pages and in comments, lead to files that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Folders that hold no sources and no pages.
const LEFT_OUT: [&str; 4] = ["target", ".git", "corpus", "artifacts"];

/// Files that programs write, and the name for a file that a reader adds.
const NOT_IN_THE_REPOSITORY: [&str; 3] = ["fuzz/corpus", "fuzz/artifacts/TARGET", "yours.rs"];

#[test]
fn every_path_in_backticks_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = BTreeSet::new();
    collect(root, root, &mut files);
    let known = known(&files);
    let (mut missing, mut count) = (Vec::new(), 0);
    for file in files.iter().filter(|file| *file != "CHANGELOG.md") {
        let Some(text) = prose(root, file) else { continue };
        for (line, path) in paths(&text) {
            count += 1;
            if !NOT_IN_THE_REPOSITORY.contains(&path.as_str()) && !exists(&known, file, &path) {
                missing.push(format!("{file}:{line} names `{path}`, which doesn't exist"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(count > 100, "only {count} paths were found; have pages or the marks of paths changed?");
}

#[test]
fn missing_paths_are_found_in_pages_and_comments() {
    let known = known(&BTreeSet::from(["src/room/chest.rs".to_owned(), "docs/keys.md".to_owned()]));
    let text = "See `room/chest.rs`, `chest.rs`, `src/room`, `keys.md` and `lid.rs`.\nNot `a/b`, `cargo test`, `1/2`";
    let missing: Vec<_> =
        paths(text).into_iter().filter(|(_, path)| !exists(&known, "docs/keys.md", path)).collect();
    assert_eq!(missing, [(1, "lid.rs".to_owned()), (2, "a/b".to_owned())]);
}

#[test]
fn paths_in_strings_are_not_those_of_comments() {
    assert_eq!(comments("let a = 1; // `b.rs`\nlet c = \"`d.rs`\";\n/// `e.rs`"), " `b.rs`\n\n/ `e.rs`\n");
    assert_eq!(comments("let text = \"// `a.rs`\"; // `b.rs`"), " `b.rs`\n");
    assert_eq!(comments("let text = \"\\\" // `a.rs`\";"), "\n");
    assert_eq!(comments("let quote = '\"'; // `b.rs`"), " `b.rs`\n");
}

/// The files below a folder, as paths from the root.
fn collect(root: &Path, folder: &Path, files: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !LEFT_OUT.contains(&name.as_str()) {
                collect(root, &path, files);
            }
        } else {
            files.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The files and the folders that they lie in.
fn known(files: &BTreeSet<String>) -> BTreeSet<String> {
    let mut known = files.clone();
    for file in files {
        let folders = file.match_indices('/').map(|(end, _)| file[..end].to_owned());
        known.extend(folders);
    }
    known
}

/// The text of a page, or the comments of a source; `None` for other files.
fn prose(root: &Path, file: &str) -> Option<String> {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    let read = || fs::read_to_string(root.join(file)).ok();
    match extension {
        "md" => read(),
        "rs" | "wgsl" => read().map(|text| comments(&text)),
        _ => None,
    }
}

/// What follows `//` in each line, unless that is within a string.
fn comments(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", comment(line))).collect()
}

fn comment(line: &str) -> &str {
    let in_string = |start: &usize| {
        let before = line[..*start].replace("\\\"", "").replace("'\"'", "");
        before.matches('"').count() % 2 == 1
    };
    let start = line.match_indices("//").map(|(start, _)| start).find(|start| !in_string(start));
    start.map_or("", |start| &line[start + 2..])
}

/// The words in backticks that look like paths, each with its line.
fn paths(text: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in line.split('`').skip(1).step_by(2) {
            let word = word.trim_end_matches('/');
            let is_path = |c: char| c.is_alphanumeric() || "_-./".contains(c);
            let is_source = [".rs", ".wgsl", ".md", ".py"].iter().any(|end| word.ends_with(end));
            let has_folder = word.contains('/') && !word.starts_with('/');
            let is_number = word.chars().all(|c| c.is_ascii_digit() || "./".contains(c));
            if word.chars().all(is_path) && (is_source || has_folder) && !is_number {
                paths.push((number + 1, word.to_owned()));
            }
        }
    }
    paths
}

/// Whether there is such a file or folder: from the root, from the folder of the file that names it, or as
/// the end of a path.
fn exists(known: &BTreeSet<String>, file: &str, path: &str) -> bool {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    let end = format!("/{path}");
    known.contains(path)
        || known.contains(&parts.join("/"))
        || known.iter().any(|known| known.ends_with(&end))
}
