//! Which names the sources of the repository import, read from their text.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The text of every file in a folder of sources, by its path there.
pub(super) fn sources(source: &str) -> BTreeMap<String, String> {
    fn collect(folder: &Path, source: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, source, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(source).unwrap().to_string_lossy().replace('\\', "/");
                files.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let mut files = BTreeMap::new();
    collect(&source, &source, &mut files);
    files
}

/// Whether a file holds tests alone.
pub(super) fn is_test(path: &str) -> bool {
    path.split(['/', '.']).any(|part| part == "tests")
}

/// Which room each name comes from that a root hands on, to others or to its own rooms alone.
pub(super) fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for statement in code(root).split(';') {
        let Some((_, tree)) = statement.split_once("use ") else { continue };
        for path in paths(tree) {
            exported.insert(path.last().unwrap().clone(), path[0].clone());
        }
    }
    exported
}

/// A text without tests and comments.
pub(super) fn code(text: &str) -> String {
    let is_inline =
        |start: &(usize, &str)| text[start.0..].lines().nth(1).is_some_and(|line| line.ends_with('{'));
    let tests = text.match_indices("#[cfg(test)]\nmod ").find(is_inline).map(|(start, _)| start);
    let lines =
        text[..tests.unwrap_or(text.len())].lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Every path behind `crate::` and `super::` in a file, from the crate's root on.
pub(super) fn named(path: &str, text: &str) -> Vec<Vec<String>> {
    let mut module: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    module.pop_if(|last| last == "mod");
    let code = code(text);
    let mut named = Vec::new();
    for (start, word) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = &code[..start];
        if before.ends_with(|c: char| c.is_alphanumeric() || ['_', ':'].contains(&c)) {
            continue;
        }
        let from = module.iter().cloned().chain(modules_within(before));
        let (mut rest, mut from) = (&code[start..], Vec::from_iter(from));
        if word == "crate::" {
            (rest, from) = (&rest[word.len()..], Vec::new());
        }
        while let Some(after) = rest.strip_prefix("super::") {
            rest = after;
            from.pop();
        }
        for path in paths(rest).into_iter().filter(|path| path != &["!"]) {
            named.push(from.iter().cloned().chain(path).collect());
        }
    }
    named
}

/// The modules within a file that begin in a text and do not end there.
fn modules_within(before: &str) -> Vec<String> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    for line in before.lines() {
        let indent = line.len() - line.trim_start().len();
        match line.strip_suffix(" {").and_then(|line| line.rsplit_once("mod ")) {
            Some((_, name)) => open.push((indent, name)),
            None if line.trim() == "}" => drop(open.pop_if(|(opened, _)| *opened == indent)),
            None => {}
        }
    }
    open.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// The paths of a tree as `use` has it: `a::{b, c::d}` are `a::b` and `a::c::d`. What has another name from
/// there on ends with that; all names of a module are `*`; of a macro there is `!`.
pub(super) fn paths(tree: &str) -> Vec<Vec<String>> {
    let mut path = Vec::new();
    let mut rest = tree.trim_start();
    loop {
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        rest = &rest[name.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let branches = branches(group).into_iter().flat_map(paths);
            return branches.map(|branch| path.iter().cloned().chain(branch).collect()).collect();
        }
        if rest.starts_with('!') && path.is_empty() {
            return vec![vec!["!".into()]];
        }
        if rest.starts_with('*') {
            path.push("*".into());
        } else if !name.is_empty() && name != "self" {
            path.push(name);
        }
        match rest.strip_prefix("::") {
            Some(after) => rest = after,
            None => break,
        }
    }
    if let Some(other) = rest.strip_prefix(" as ") {
        let other = other.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        path.push(other);
    }
    if path.is_empty() { Vec::new() } else { vec![path] }
}

/// What stands between the commas of a group, up to its closing brace.
fn branches(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut branches) = (0, 0, Vec::new());
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                branches.push(&group[start..index]);
                start = index + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    branches.retain(|branch| !branch.trim().is_empty());
    branches
}
