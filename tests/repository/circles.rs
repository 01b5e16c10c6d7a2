//! Files that import each other, directly or through others: there are none.
//!
//! The file that an import leads to is the one that declares the name, whichever modules re-export it.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{code, is_test, named, paths, sources};

type Path = Vec<String>;

/// The folders of sources that are checked, and how many of their files import others at least.
const CHECKED: [(&str, usize); 3] = [("core/src", 100), ("src", 100), ("world/src", 15)];

/// The files of a folder of sources, without tests.
struct Files {
    /// The code of each file, by its path.
    code: BTreeMap<String, String>,
    /// The file of each module.
    modules: BTreeMap<Path, String>,
    /// What a module re-exports under a name: the path from the crate's root.
    reexports: BTreeMap<Path, BTreeMap<String, Path>>,
}

#[test]
fn no_files_import_each_other() {
    for (source, least) in CHECKED {
        let files = Files::of(&sources(source));
        let importing = files.imports().len();
        assert!(importing > least, "only {importing} files of {source} were seen to import others");
        let circles = files.circles().into_iter();
        let circles: Vec<String> = circles.map(|files| files.join("\n  ")).collect();
        assert!(
            circles.is_empty(),
            "files of {source} import each other; move what both need to a file that imports neither:\n  {}",
            circles.join("\nand\n  ")
        );
    }
}

#[test]
fn imports_lead_to_the_file_that_declares_the_name() {
    let files = [
        ("lib.rs", "mod room;\nmod user;\npub use room::Chest;\n"),
        ("room/mod.rs", "mod chest;\npub use chest::Chest;\npub struct Key;\n"),
        ("room/chest.rs", "pub struct Chest;\n"),
        ("user.rs", "use crate::Chest;\nuse crate::room::Key;\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let files = Files::of(&files.into_iter().collect());
    let expected = BTreeMap::from([("user.rs", BTreeSet::from(["room/chest.rs", "room/mod.rs"]))]);
    assert_eq!(files.imports(), expected);
    // And in the sources themselves, in which most imports lead through re-exports.
    let core = Files::of(&sources("core/src"));
    let imports = core.imports();
    assert!(imports["grid/window.rs"].contains("grid/domain.rs"));
    assert!(imports["mesh/triangulate.rs"].contains("grid/heightfield.rs"));
}

/// The circles among these files.
fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Files::of(&files).circles()
}

#[test]
fn circles_are_found_however_they_are_written() {
    let root = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;\n");
    let a = ("a.rs", "use crate::B;\npub struct A(B);\n");
    for b in [
        "use crate::a::A;\npub struct B;\n",
        "use crate::A;\npub struct B;\n",
        "use super::a;\npub struct B;\n",
        "pub struct B;\nfn take(_: crate::a::A) {}\n",
        "use super::{a::A as Other};\npub struct B;\n",
    ] {
        assert_eq!(circles_of(&[root, a, ("b.rs", b)]), [["a.rs", "b.rs"]], "{b}");
    }
    let table = ("lib.rs", "mod a;\nmod b;\nbuilt_in! {\n    a::A,\n    b::B,\n}\n");
    let b = ("b.rs", "use crate::A;\npub struct B;\n");
    assert_eq!(circles_of(&[table, a, b]), [["a.rs", "b.rs"]]);
    let of_three = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "use super::b::f;"),
        ("b.rs", "use super::c::g;"),
        ("c.rs", "use super::a::h;"),
    ];
    assert_eq!(circles_of(&of_three), [["a.rs", "b.rs", "c.rs"]]);
    let parent_and_child = [
        ("lib.rs", "mod room;"),
        ("room/mod.rs", "mod chest;\nuse chest::Lid;\npub struct Key;\n"),
        ("room/chest.rs", "use super::Key;\npub struct Lid;\n"),
    ];
    assert_eq!(circles_of(&parent_and_child), [["room/chest.rs", "room/mod.rs"]]);
}

#[test]
fn files_that_only_meet_in_a_re_export_or_a_test_are_no_circle() {
    let none: [&[(&str, &str)]; 4] = [
        &[
            ("lib.rs", "mod room;"),
            ("room/mod.rs", "mod chest;\nmod lid;\npub use chest::Chest;\npub use lid::Lid;\n"),
            ("room/chest.rs", "use super::Lid;\npub struct Chest(Lid);\n"),
            ("room/lid.rs", "pub struct Lid;\n"),
        ],
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use super::b::B;"),
            ("b.rs", "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
        ],
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use super::b::B;"),
            ("b.rs", "//! See [`a`](super::a).\npub struct B;\n"),
        ],
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use super::b::B;"),
            ("b.rs", "pub(in crate::a) struct B;\n"),
        ],
    ];
    for files in none {
        assert_eq!(circles_of(files), Vec::<Vec<String>>::new(), "{files:?}");
    }
}

impl Files {
    fn of(sources: &BTreeMap<String, String>) -> Self {
        let sources = sources.iter().filter(|(path, _)| !is_test(path));
        let code: BTreeMap<String, String> =
            sources.map(|(path, text)| (path.clone(), with_tables(&without_scopes(&code(text))))).collect();
        let modules = code.keys().map(|path| (module(path), path.clone())).collect();
        let mut files = Self { code, modules, reexports: BTreeMap::new() };
        for (path, text) in &files.code {
            let module = module(path);
            let mut names = BTreeMap::new();
            for statement in text.split(';') {
                let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
                let is_public = before
                    .trim_end()
                    .rsplit(['\n', '}'])
                    .next()
                    .is_some_and(|word| word.trim().starts_with("pub"));
                if !is_public {
                    continue;
                }
                for (name, path) in files.exported(&module, tree) {
                    names.insert(name, path);
                }
            }
            files.reexports.insert(module, names);
        }
        files
    }

    /// The names that `use` of a tree gives a module, each with the path from the crate's root.
    fn exported(&self, module: &[String], tree: &str) -> Vec<(String, Path)> {
        let (mut from, mut rest) = (module.to_vec(), tree.trim_start());
        loop {
            if let Some(after) = rest.strip_prefix("crate::") {
                (from, rest) = (Vec::new(), after);
            } else if let Some(after) = rest.strip_prefix("super::") {
                from.pop();
                rest = after;
            } else if let Some(after) = rest.strip_prefix("self::") {
                rest = after;
            } else {
                break;
            }
        }
        let own = |path: &Path| self.modules.contains_key(&[&from[..], &path[..1]].concat());
        let paths = paths(rest).into_iter().filter(|path| from.len() < module.len() || own(path));
        // The last part is the name; of one that is renamed, the part before it is what it was.
        let named =
            paths.map(|path| (path.last().cloned().unwrap_or_default(), [&from[..], &path[..]].concat()));
        named.collect()
    }

    /// The file that declares what a path from the crate's root leads to.
    fn file_of(&self, path: &[String], depth: usize) -> Option<&String> {
        // More re-exports of re-exports than there ever are would be a circle of them.
        if depth > 16 {
            return None;
        }
        for length in (0..=path.len()).rev() {
            let (module, rest) = path.split_at(length);
            let Some(file) = self.modules.get(module) else { continue };
            let names = self.reexports.get(module);
            let reexported = rest.first().and_then(|name| names?.get(name)).filter(|other| *other != path);
            return match reexported {
                Some(other) => self.file_of(&[other, &rest[1..]].concat(), depth + 1).or(Some(file)),
                None => Some(file),
            };
        }
        None
    }

    /// The files that each file imports from.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (path, text) in &self.code {
            let text = without_reexports(text);
            let own = module(path);
            for named in named(path, &text).into_iter().chain(self.of_children(&own, &text)) {
                if let Some(file) = self.file_of(&named, 0).filter(|file| *file != path) {
                    imports.entry(path).or_default().insert(file);
                }
            }
        }
        imports
    }

    /// The paths in a module's text that begin with the name of one of its own modules.
    fn of_children(&self, module: &[String], text: &str) -> Vec<Path> {
        let mut named = Vec::new();
        for (start, _) in text.match_indices("::") {
            let before = &text[..start];
            let name = before.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
            let is_first = !before[..before.len() - name.len()].ends_with([':', '.']);
            let child = [module, &[name.to_owned()]].concat();
            if is_first && !name.is_empty() && self.modules.contains_key(&child) {
                let paths = paths(&text[start + 2..]).into_iter();
                named.extend(paths.map(|path| [&child[..], &path[..]].concat()));
            }
        }
        named
    }

    /// The sets of files that reach each other: every file of a set imports from another of it.
    fn circles(&self) -> Vec<Vec<String>> {
        let imports = self.imports();
        let reached = |from: &str| -> BTreeSet<&str> {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(file) = open.pop() {
                for next in imports.get(file).into_iter().flatten() {
                    if reached.insert(*next) {
                        open.push(next);
                    }
                }
            }
            reached
        };
        let all: BTreeMap<&str, BTreeSet<&str>> = imports.keys().map(|file| (*file, reached(file))).collect();
        let mut circles = BTreeSet::new();
        for (file, reached) in all.iter().filter(|(file, reached)| reached.contains(*file)) {
            let with = reached.iter().filter(|other| all.get(*other).is_some_and(|back| back.contains(file)));
            circles.insert(with.map(|file| (*file).to_owned()).collect::<Vec<_>>());
        }
        circles.into_iter().collect()
    }
}

/// The module that a file is.
fn module(path: &str) -> Path {
    let mut module: Path = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    module.pop_if(|last| last == "mod" || last == "lib");
    module
}

/// A text without the paths of scopes, as in `pub(in crate::room)`: they import nothing.
fn without_scopes(text: &str) -> String {
    let mut parts = text.split("pub(in ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + "pub" + part.split_once(')').map_or(part, |(_, after)| after))
}

/// A text in which tables of built-in steps are what they export, a name a row.
fn with_tables(text: &str) -> String {
    let mut parts = text.split("built_in! {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let (rows, rest) = part.split_once('}').unwrap_or((part, ""));
        let rows = rows.split(',').map(str::trim).filter(|row| !row.is_empty());
        all + &rows.map(|row| format!("pub use {row};\n")).collect::<String>() + rest
    })
}

/// A text without what it only hands on to others.
fn without_reexports(text: &str) -> String {
    let statements = text.split_inclusive(';').map(|statement| {
        let is_reexport = statement
            .rfind("use ")
            .map(|at| statement[..at].trim_end().rsplit(['\n', '}', ';']).next().unwrap_or_default().trim())
            .is_some_and(|before| before.starts_with("pub"));
        if is_reexport { &statement[..statement.rfind("pub").unwrap_or(0)] } else { statement }
    });
    statements.collect()
}
