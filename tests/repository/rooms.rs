//! The rooms of the house: folders of `core/src` and of `src`, each of which uses only those above it. A
//! large room has rooms of its own, for which the same holds.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{exports, is_test, named, sources};

/// A folder with rooms: the sources it is among, its path there, the names in it that are not rooms, and its
/// rooms from the foundation upwards. A room lower in the list may use those higher up, and never the other
/// way round.
struct House {
    source: &'static str,
    folder: &'static str,
    not_rooms: &'static [&'static str],
    rooms: &'static [&'static str],
}

const CORE: House = House {
    source: "core/src",
    folder: "",
    // The crate's root, and what Bevy wants of its types.
    not_rooms: &["lib", "reflected"],
    rooms: &[
        "error",
        "math",
        "compute",
        "files",
        "params",
        "grid",
        "noise",
        "resize",
        "drainage",
        "elevation",
        "sculpt",
        "steps",
        "sky",
        "analysis",
        "texture",
        "mesh",
        "rules",
        "plants",
        "recipe",
        "build",
        "fit",
        "lessons",
        "stream",
        "colliders",
        "scatter",
        "agents",
        "planet",
        "thumbnail",
    ],
};

const CRATE: House = House {
    source: "src",
    folder: "",
    // The crate's root, the program's, tests of the whole crate and of its pages, and the crate that it
    // stands on.
    not_rooms: &["lib", "main", "lazy_statics", "doc_tests", "upland_core"],
    rooms: &["background", "shown", "picture", "plugin", "render", "viewer", "cli"],
};

const TEXTURE: House = House {
    source: "core/src",
    folder: "texture",
    not_rooms: &["mod"],
    rooms: &[
        "colour",
        "tile",
        "painted",
        "types",
        "sets",
        "texels",
        "blend",
        "bake",
        "fade",
        "outputs",
        "tile_layer",
    ],
};

const PLUGIN: House = House {
    source: "src",
    folder: "plugin",
    not_rooms: &["mod"],
    rooms: &[
        "setup",
        "events",
        "owned",
        "shaders",
        "device",
        "visible",
        "displacement",
        "floating_origin",
        "ground_textures",
        "jobs",
        "stream",
        "material",
        "terrain",
        "chunks",
        "query",
        "sculpt",
        "colliders",
        "sky",
        "water",
        "planet",
        "scatter",
        "quality",
        "capture",
    ],
};

const VIEWER: House = House {
    source: "src",
    folder: "viewer",
    // The root, and tests of the whole window.
    not_rooms: &["mod", "ui_tests"],
    rooms: &[
        "session",
        "document",
        "build",
        "camera",
        "tools",
        "views",
        "files",
        "actions",
        "panel",
        "ui_screenshots",
        "app",
    ],
};

const WORLD: House = House {
    source: "world/src",
    folder: "",
    not_rooms: &["lib", "upland_core"],
    rooms: &["store", "outputs", "plan", "base", "worker", "check", "land"],
};

const HOUSES: [House; 6] = [CORE, TEXTURE, CRATE, PLUGIN, VIEWER, WORLD];

#[test]
fn rooms_use_only_what_stands_above_them() {
    let wrong: Vec<String> = HOUSES.iter().flat_map(|house| house.wrong(&sources(house.source))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_search_finds_what_is_there() {
    let uses = |house: &House, from: &str, to: &str| {
        house.uses(&sources(house.source)).contains_key(&(from.to_owned(), to.to_owned()))
    };
    for (from, to) in [("recipe", "steps"), ("steps", "grid"), ("stream", "texture"), ("lessons", "recipe")] {
        assert!(uses(&CORE, from, to), "{from} uses {to}");
    }
    for (from, to) in [
        ("viewer", "plugin"),
        ("viewer", "render"),
        ("cli", "render"),
        ("cli", "picture"),
        ("plugin", "upland_core"),
    ] {
        assert!(uses(&CRATE, from, to), "{from} uses {to}");
    }
    for (from, to) in [("types", "tile"), ("blend", "texels"), ("bake", "blend"), ("outputs", "fade")] {
        assert!(uses(&TEXTURE, from, to), "{from} uses {to}");
    }
    for (from, to) in
        [("material", "shaders"), ("terrain", "material"), ("water", "sky"), ("capture", "device")]
    {
        assert!(uses(&PLUGIN, from, to), "{from} uses {to}");
    }
    for (from, to) in [("build", "document"), ("tools", "camera"), ("panel", "actions"), ("app", "panel")] {
        assert!(uses(&VIEWER, from, to), "{from} uses {to}");
    }
    for (from, to) in [("plan", "store"), ("base", "plan"), ("worker", "base"), ("check", "worker")] {
        assert!(uses(&WORLD, from, to), "{from} uses {to}");
    }
}

/// The window is one way to look at a land among others: everything else on the command line works in a
/// program without it, on a server too.
#[test]
fn only_commands_that_open_the_window_use_it() {
    let uses = CRATE.uses(&sources(CRATE.source));
    let files = &uses[&("cli".to_owned(), "viewer".to_owned())];
    let opening = ["cli/commands/lesson.rs", "cli/commands/view.rs"];
    let others: Vec<&String> = files.iter().filter(|file| !opening.contains(&file.as_str())).collect();
    assert!(others.is_empty() && files.contains("cli/commands/view.rs"), "{others:?} use the window");
}

#[test]
fn every_room_says_what_is_in_it() {
    for house in HOUSES {
        for (path, text) in sources(house.source) {
            let is_room = house.room(&path).is_some_and(|room| {
                [format!("{room}.rs"), format!("{room}/mod.rs")].contains(&house.inside(&path))
            });
            assert!(
                !is_room || text.starts_with("//! "),
                "the first line of {path} should say what is in the room"
            );
        }
    }
}

/// `CONTRIBUTING.md` has a table of the rooms of each house, from the foundation upwards.
#[test]
fn newcomers_find_every_room_in_a_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/CONTRIBUTING.md");
    let guide = std::fs::read_to_string(path).unwrap();
    for house in HOUSES {
        let name = if house.folder.is_empty() { house.source } else { house.folder };
        let (_, table) = guide.split_once(&format!("| room of `{name}` | holds |\n|---|---|\n")).unwrap();
        let rows = table.lines().map_while(|line| line.strip_prefix("| ")?.split(" | ").next());
        let rooms: Vec<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
        assert_eq!(rooms, house.rooms, "the table of the rooms of {name} in CONTRIBUTING.md");
    }
}

/// A house of three rooms, and what is wrong with it if these are its files.
fn wrong_with(files: &[(&str, &str)]) -> Vec<String> {
    let house =
        House { source: "", folder: "house", not_rooms: &["mod"], rooms: &["cellar", "kitchen", "attic"] };
    let mut all = BTreeMap::from(
        ["cellar", "kitchen", "attic"].map(|room| (format!("house/{room}/mod.rs"), String::new())),
    );
    all.extend(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    house.wrong(&all)
}

#[test]
fn what_uses_a_room_below_is_told_however_it_is_written() {
    let told = vec!["house: kitchen uses attic, which stands below it, in house/kitchen/stove.rs".to_owned()];
    for text in [
        "use crate::house::attic::Chest;",
        "use crate::{error, house::{cellar, attic::{self, Chest}}};",
        "use super::super::attic::Chest;",
        "use super::super::{\n    cellar::Wine,\n    attic::Chest,\n};",
        "fn open(chest: &crate::house::attic::Chest) {}",
        "use crate::house::Chest;",
        "use crate::house::{Bottle, Trunk as Box};",
        "macro_rules! opened { () => { $crate::house::attic::Chest } }",
    ] {
        let root = "mod attic;\npub use attic::{Chest, Box as Trunk};\npub use cellar::Bottle;\n";
        assert_eq!(wrong_with(&[("house/mod.rs", root), ("house/kitchen/stove.rs", text)]), told, "{text}");
    }
    let of_room = wrong_with(&[("house/kitchen/mod.rs", "use super::attic::Chest;")]);
    assert_eq!(of_room, [told[0].replace("stove", "mod")]);
}

#[test]
fn a_circle_of_two_rooms_is_told() {
    let wrong = wrong_with(&[
        ("house/attic/mod.rs", "use super::kitchen::Stove;"),
        ("house/kitchen/mod.rs", "use super::attic::Chest;"),
    ]);
    assert_eq!(wrong, ["house: kitchen uses attic, which stands below it, in house/kitchen/mod.rs"]);
}

#[test]
fn what_lies_above_or_within_a_room_or_is_a_test_may_be_used() {
    let wrong = wrong_with(&[
        ("house/mod.rs", "mod attic;\nuse attic::Chest;\nuse cellar::Wine;"),
        ("house/attic/mod.rs", "use super::{cellar::Wine, kitchen};\nuse self::chest::Chest;"),
        ("house/attic/chest.rs", "use super::Lid;\nuse crate::grid::Grid;\nuse super::super::cellar;"),
        (
            "house/kitchen/mod.rs",
            "// use super::attic::Chest;\n#[cfg(test)]\nmod tests {\n    use crate::house::attic;\n}",
        ),
        ("house/kitchen/tests/mod.rs", "use crate::house::attic;"),
        ("garden/mod.rs", "use crate::house::attic;"),
    ]);
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn rooms_that_nobody_listed_and_those_that_are_not_there_are_told() {
    let wrong = wrong_with(&[("house/shed.rs", "")]);
    assert_eq!(wrong, ["house: the room shed is there and stands in no list"]);
    let house = House { source: "", folder: "house", not_rooms: &["mod"], rooms: &["cellar"] };
    assert_eq!(house.wrong(&BTreeMap::new()), ["house: the room cellar is listed and not there"]);
    for all in ["use super::*;", "use crate::house::*;"] {
        let wrong = wrong_with(&[("house/attic/mod.rs", all)]);
        assert_eq!(wrong, ["house: attic uses *, which is no room, in house/attic/mod.rs"]);
    }
    let wrong = wrong_with(&[("house/attic/mod.rs", "use super::Roof;")]);
    assert_eq!(wrong, ["house: attic uses Roof, which is no room, in house/attic/mod.rs"]);
}

impl House {
    /// A file's path from the folder of the house on; all of it for a file elsewhere.
    fn inside(&self, path: &str) -> String {
        let within = path.strip_prefix(self.folder).unwrap_or(path);
        within.trim_start_matches('/').to_owned()
    }

    /// The room that a file is in.
    fn room(&self, path: &str) -> Option<String> {
        if !self.folder.is_empty() && !path.starts_with(&format!("{}/", self.folder)) {
            return None;
        }
        let inside = self.inside(path);
        let room = inside.split(['/', '.']).next()?.to_owned();
        (!self.not_rooms.contains(&room.as_str())).then_some(room)
    }

    /// The file that holds the house's own names.
    fn root(&self) -> String {
        if self.folder.is_empty() { "lib.rs".into() } else { format!("{}/mod.rs", self.folder) }
    }

    fn wrong(&self, files: &BTreeMap<String, String>) -> Vec<String> {
        let name = if self.folder.is_empty() { self.source } else { self.folder };
        let place = |room: &str| self.rooms.iter().position(|listed| *listed == room);
        let there: BTreeSet<String> = files.keys().filter_map(|path| self.room(path)).collect();
        let unlisted = there.iter().filter(|room| place(room).is_none());
        let unlisted = unlisted.map(|room| format!("{name}: the room {room} is there and stands in no list"));
        let missing = self.rooms.iter().filter(|room| !there.contains(**room));
        let missing = missing.map(|room| format!("{name}: the room {room} is listed and not there"));
        let mut wrong: Vec<String> = unlisted.chain(missing).collect();
        for ((from, to), files) in self.uses(files) {
            let files = Vec::from_iter(files).join(", ");
            match (place(&from), place(&to)) {
                (_, None) if self.not_rooms.contains(&to.as_str()) => {}
                (_, None) => wrong.push(format!("{name}: {from} uses {to}, which is no room, in {files}")),
                (Some(from_place), Some(to_place)) if to_place > from_place => {
                    wrong.push(format!("{name}: {from} uses {to}, which stands below it, in {files}"));
                }
                _ => {}
            }
        }
        wrong
    }

    /// Which rooms name which others, and in which files.
    fn uses(&self, files: &BTreeMap<String, String>) -> BTreeMap<(String, String), BTreeSet<String>> {
        let exported = files.get(&self.root()).map(|root| exports(root)).unwrap_or_default();
        let house: Vec<&str> = self.folder.split('/').filter(|part| !part.is_empty()).collect();
        let mut uses: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for (path, text) in files.iter().filter(|(path, _)| !is_test(path)) {
            let Some(from) = self.room(path) else { continue };
            for named in named(path, text) {
                let within =
                    named.strip_prefix(&*house.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
                let Some(first) = within.and_then(<[String]>::first) else { continue };
                let to = exported.get(first).unwrap_or(first);
                if *to != from {
                    uses.entry((from.clone(), to.clone())).or_default().insert(path.clone());
                }
            }
        }
        uses
    }
}
