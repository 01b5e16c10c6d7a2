//! The rooms of the house: folders of `src`, each of which uses only those above it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// From the foundation upwards: what stands lower in this list may use what stands higher, and never the
/// other way round. Rooms with features come last.
const ROOMS: [&str; 18] = [
    "error",
    "math",
    "shown",
    "compute",
    "files",
    "params",
    "grid",
    "noise",
    "resize",
    "elevation",
    "steps",
    "sky",
    "texture",
    "recipe",
    "lod",
    "plugin",
    "viewer",
    "cli",
];

#[test]
fn rooms_use_only_what_stands_above_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut there = Vec::new();
    let mut uses: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let exported = exports(&fs::read_to_string(source.join("lib.rs")).unwrap());
    for entry in fs::read_dir(&source).unwrap() {
        let path = entry.unwrap().path();
        let room = path.file_stem().unwrap().to_string_lossy().into_owned();
        // The crate's root, the program's, and a test of the whole crate.
        if !["lib", "main", "lazy_statics"].contains(&room.as_str()) {
            there.push(room.clone());
            collect(&path, &room, &exported, &mut uses);
        }
    }
    there.sort();
    let mut listed = ROOMS.map(String::from);
    listed.sort();
    assert_eq!(there, listed, "every file and folder of src is a room; name it in ROOMS where it stands");
    let place = |room: &str| ROOMS.iter().position(|listed| *listed == room);
    let mut wrong = Vec::new();
    for ((from, to), files) in &uses {
        let (Some(from_place), Some(to_place)) = (place(from), place(to)) else {
            wrong.push(format!("{from} uses {to}, which is no room, in {files:?}"));
            continue;
        };
        if to_place > from_place {
            wrong.push(format!("{from} uses {to}, which stands below it, in {}", files.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The search finds what is there.
    assert!(uses.contains_key(&("recipe".into(), "steps".into())), "{uses:?}");
    assert!(uses.contains_key(&("steps".into(), "grid".into())), "{uses:?}");
}

/// Which room a name of the crate's root comes from.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let mut exported = BTreeMap::new();
    for statement in lib.split(';').filter_map(|statement| statement.split_once("pub use ")) {
        let path: String = statement.1.chars().filter(|character| !character.is_whitespace()).collect();
        let (room, names) = path.split_once("::").unwrap();
        let names = names.rsplit("::").next().unwrap().trim_matches(['{', '}']);
        let names =
            if path.contains('{') { &path[path.find('{').unwrap() + 1..path.len() - 1] } else { names };
        for name in names.split(',').filter(|name| !name.is_empty()) {
            exported.insert(name.to_owned(), room.to_owned());
        }
    }
    exported
}

/// Notes which rooms the files of one name: everything behind `crate::` outside of tests and comments.
fn collect(
    path: &Path,
    room: &str,
    exported: &BTreeMap<String, String>,
    uses: &mut BTreeMap<(String, String), Vec<String>>,
) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), room, exported, uses);
        }
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    for after in code.split("crate::").skip(1) {
        for name in first_names(after) {
            let to = exported.get(&name).cloned().unwrap_or(name);
            if to != room {
                let files = uses.entry((room.to_owned(), to)).or_default();
                let file = path.file_name().unwrap().to_string_lossy().into_owned();
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
    }
}

/// The first names of a path or of a group of paths.
fn first_names(after: &str) -> Vec<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(group) = after.strip_prefix('{') else {
        let first = name(after);
        // Macros are the crate's.
        return if after[first.len()..].starts_with('!') { Vec::new() } else { vec![first] };
    };
    let (mut depth, mut names, mut begins) = (0, Vec::new(), true);
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            character if begins && !character.is_whitespace() => {
                names.push(name(&group[index..]));
                begins = false;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}
