//! Commands of the plugin to entities that a game may have despawned: what a game queued before them in the
//! same stage is done first, and a command that insists on its entity would then end the game. An entity that
//! is spawned for one that is gone would stay for ever.

use super::imports::{code, is_test, sources};

/// Commands that insist on their entity.
const STRICT: [&str; 9] = [
    ".insert(",
    ".insert_if_new(",
    ".remove::<",
    ".remove_with_requires::<",
    ".despawn()",
    ".add_child(",
    ".add_children(",
    ".observe(",
    ".queue(",
];

/// What spawns entities without looking whether their owner still exists.
const UNOWNED: [&str; 7] = [
    "commands.spawn(",
    "commands.spawn_empty(",
    "commands.spawn_batch(",
    ".with_child(",
    ".with_children(",
    ".with_related",
    "children![",
];

/// What is found in the code of the plugin, with the path.
fn in_plugin(find: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let sources = sources("src/plugin");
    let code_of = sources.iter().filter(|(path, _)| !is_test(path));
    code_of
        .flat_map(|(path, text)| find(&code(text)).into_iter().map(move |found| format!("{path}: {found}")))
        .collect()
}

#[test]
fn the_plugin_leaves_entities_that_are_gone_alone() {
    let strict = in_plugin(strict);
    assert!(strict.is_empty(), "use try_insert, try_remove or try_despawn: {strict:#?}");
}

#[test]
fn the_plugin_spawns_nothing_for_entities_that_are_gone() {
    let mut unowned = in_plugin(unowned);
    // The functions that look.
    unowned.retain(|found| !found.starts_with("owned.rs: "));
    assert!(unowned.is_empty(), "use spawn_owned of src/plugin/owned.rs: {unowned:#?}");
}

#[test]
fn spawns_without_an_owner_are_found() {
    let found = |text: &str| unowned(&code(text)).len();
    assert_eq!(
        found("fn a() {\n    let b = commands\n        .spawn((A, ChildOf(one)))\n        .id();\n}"),
        1
    );
    assert_eq!(found("fn a() {\n    commands.entity(one).with_child(B);\n}"), 1);
    assert_eq!(found("fn a() {\n    spawn_owned::<A>(commands, one, (B, ChildOf(one)));\n}"), 0);
    assert_eq!(found("fn a() {\n    workers().spawn(async move { drop(one) });\n}"), 0);
    assert_eq!(in_plugin(unowned).len(), 2, "the functions of src/plugin/owned.rs");
}

#[test]
fn commands_that_insist_on_their_entity_are_found() {
    let found = |text: &str| strict(&code(text)).len();
    assert_eq!(
        found("fn a() {\n    commands\n        .entity(one)\n        .remove::<A>()\n        .insert(B);\n}"),
        1
    );
    assert_eq!(found("fn a() {\n    let mut one = commands.entity(one);\n    one.insert(B);\n}"), 1);
    assert_eq!(found("fn a() {\n    let one = &mut commands.entity(one);\n    one.insert(B);\n}"), 1);
    assert_eq!(found("fn a() {\n    commands.entity(one).add_child(two);\n}"), 1);
    assert_eq!(found("fn a(one: &mut EntityCommands, b: B) {\n    one.insert(b);\n}"), 1);
    assert_eq!(found("fn a(one: &mut EntityCommands, b: B) {\n    one.try_insert(b);\n}"), 0);
    assert_eq!(found("fn a() {\n    commands.entity(one).try_insert(B);\n    known.insert(one);\n}"), 0);
    assert_eq!(found("fn a() {\n    let mut one = commands.spawn(A);\n    one.insert(B);\n}"), 0);
    assert_eq!(found("fn a() {\n    let mut one = spawn_owned::<A>(c, b, B);\n    one.insert(C);\n}"), 1);
    assert_eq!(found("fn a() {\n    spawn_owned::<A>(c, b, B).insert(C);\n}"), 1);
    assert_eq!(found("fn a() {\n    let mut one = spawn_owned::<A>(c, b, B);\n    one.try_insert(C);\n}"), 0);
}

/// Code on one line, with each chain of calls in one piece.
fn compact(code: &str) -> String {
    let compact: String = code.split_whitespace().flat_map(|word| [word, " "]).collect();
    compact.replace(" .", ".")
}

/// The statements that spawn without an owner.
fn unowned(code: &str) -> Vec<String> {
    let compact = compact(code);
    let calls = UNOWNED.iter().flat_map(|call| compact.match_indices(call));
    calls.map(|(at, _)| compact[at..].split(';').next().unwrap_or_default().to_owned()).collect()
}

/// The statements with commands that insist on their entity.
fn strict(code: &str) -> Vec<String> {
    let compact = compact(code);
    // A name is followed to the end of its function.
    let is_strict_by = |name: &str, rest: &str| {
        let own = rest.split(" fn ").next().unwrap_or(rest);
        STRICT.iter().any(|strict| own.contains(&format!(" {name}{strict}")))
    };
    let mut found = Vec::new();
    let entities = ["commands.entity(", "spawn_owned::<"];
    for (at, call) in entities.iter().flat_map(|call| compact.match_indices(call)) {
        let rest = &compact[at + call.len()..];
        let statement = rest.split(';').next().unwrap_or(rest);
        let before = compact[..at].rsplit([';', '{']).next().unwrap_or_default().trim();
        let name = before.strip_prefix("let ");
        let name = name.and_then(|name| name.trim_end_matches(" &mut").strip_suffix(" ="));
        let name = name.map(|name| name.trim_start_matches("mut "));
        let is_strict = STRICT.iter().any(|strict| statement.contains(strict));
        if is_strict || name.is_some_and(|name| is_strict_by(name, rest)) {
            found.push(format!("{before} {call}{statement}"));
        }
    }
    for (at, kind) in compact.match_indices(": &mut EntityCommands") {
        let name = compact[..at].rsplit([' ', '(', '|']).next().unwrap_or_default();
        if is_strict_by(name, &compact[at + kind.len()..]) {
            found.push(format!("{name}{kind}"));
        }
    }
    found
}
