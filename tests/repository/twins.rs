//! Twins: code in Rust and in WGSL that has to stay the same. A comment on each of the two says "Twin of
//! `name` in `path`", or "Twin of `path`" where that holds for a whole file, with the path from the root of
//! the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where twins live.
const FOLDERS: [&str; 3] = ["shaders", "src/plugin", "core/src"];

/// In these, whatever is called a twin has to be one of two files; elsewhere a mesh may have twins, too.
const STRICT: [&str; 2] = ["shaders/", "src/plugin/"];

#[test]
fn twins_name_each_other_and_what_they_name_exists() {
    let (files, mut count) = (sources(), 0);
    let wrong = wrong(&files, &mut count);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 90, "only {count} comments name twins: are all of them still found?");
}

#[test]
fn a_twin_that_is_not_there_is_found() {
    let check = |shader: &str, rust: &str| {
        let files = [("shaders/a.wgsl", shader), ("src/plugin/a.rs", rust)];
        wrong(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into(), &mut 0)
    };
    let rust = "/// A side. Twin of `SIDE` in\n/// `shaders/a.wgsl`.\npub const SIDE: u32 = 8;\n";
    let shader = "// Twin of `SIDE` in `src/plugin/a.rs`.\nconst SIDE: u32 = 8u;\n";
    assert!(check(shader, rust).is_empty());
    for shader in [
        shader.replace("plugin/a.rs", "a.rs"),
        shader.replace("`SIDE`", "`SIDES`"),
        shader.replace(" in `src/plugin/a.rs`", ""),
        shader.replace("Twin of", "Twin:"),
        shader.replace("Twin of", "Same as"),
    ] {
        assert!(!check(&shader, rust).is_empty(), "{shader}");
    }
}

/// What is wrong with the twins of these files, by their paths; and how many comments name twins.
fn wrong(files: &BTreeMap<String, String>, count: &mut usize) -> Vec<String> {
    let (mut wrong, mut named) = (Vec::new(), BTreeSet::new());
    for (path, text) in files {
        for comment in comments(text) {
            for rest in after_twin(&comment) {
                let Some(rest) = rest.strip_prefix(" of ") else {
                    if STRICT.iter().any(|folder| path.starts_with(folder)) {
                        wrong.push(format!("{path}: write \"Twin of `name` in `path`\": {comment}"));
                    }
                    continue;
                };
                let quoted: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
                let place = quoted.iter().position(|part| part.contains('/'));
                if place.is_none() && !STRICT.iter().any(|folder| path.starts_with(folder)) {
                    continue;
                }
                *count += 1;
                let twin = place.and_then(|place| Some((quoted[place], files.get(quoted[place])?)));
                let Some((twin, other)) = twin else {
                    wrong.push(format!("{path}: the file of the twin does not exist: {comment}"));
                    continue;
                };
                named.insert((path.as_str(), twin.to_owned()));
                for name in quoted.iter().take_while(|part| !part.contains('/')) {
                    if !declares(other, name) {
                        wrong.push(format!("{path}: {twin} has no `{name}`"));
                    }
                }
            }
        }
    }
    for (path, twin) in &named {
        if !named.contains(&(twin.as_str(), (*path).to_owned())) {
            wrong.push(format!("{twin} is the twin of {path}, and does not name it"));
        }
    }
    wrong
}

/// Comments of several lines as one each.
fn comments(text: &str) -> Vec<String> {
    let (mut comments, mut is_inside) = (Vec::<String>::new(), false);
    for line in text.lines() {
        let comment =
            line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim());
        match comment {
            Some(comment) if is_inside => {
                let all = comments.last_mut().expect("it has begun");
                *all += " ";
                *all += comment;
            }
            Some(comment) => comments.push(comment.to_owned()),
            None => {}
        }
        is_inside = comment.is_some();
    }
    comments
}

/// What follows each word "twin" or "twins".
fn after_twin(comment: &str) -> impl Iterator<Item = &str> {
    comment.match_indices("win").filter_map(move |(at, _)| {
        let before = comment[..at].strip_suffix(['t', 'T'])?;
        let rest = &comment[at + "win".len()..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let is_word = !before.ends_with(char::is_alphanumeric) && !rest.starts_with(char::is_alphanumeric);
        is_word.then_some(rest)
    })
}

/// Whether a file declares a name.
fn declares(text: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "const"].iter().any(|kind| {
        let declaration = format!("{kind} {name}");
        let is_end = |c: char| !c.is_alphanumeric() && c != '_';
        text.split(&declaration).skip(1).any(|rest| rest.starts_with(is_end))
    })
}

/// The texts of all files with twins, by their paths.
fn sources() -> BTreeMap<String, String> {
    fn collect(folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "wgsl") {
                let name = path.strip_prefix(ROOT).unwrap().to_string_lossy().replace('\\', "/");
                // The tests of shaders speak of twins without being any.
                if !name.starts_with("src/plugin/shaders/tests/") {
                    files.insert(name, fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    let mut files = BTreeMap::new();
    FOLDERS.iter().for_each(|folder| collect(&Path::new(ROOT).join(folder), &mut files));
    files
}
