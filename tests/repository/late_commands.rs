//! Commands of the plugin to entities that a game may have despawned: what a game queued before them in the
//! same stage is done first, and a command that insists on its entity would then end the game.

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

#[test]
fn the_plugin_leaves_entities_that_are_gone_alone() {
    let strict: Vec<String> = sources("src/plugin")
        .iter()
        .filter(|(path, _)| !is_test(path))
        .flat_map(|(path, text)| {
            strict(&code(text)).into_iter().map(move |command| format!("{path}: {command}"))
        })
        .collect();
    assert!(strict.is_empty(), "use try_insert, try_remove or try_despawn: {strict:#?}");
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
}

/// The statements with such commands.
fn strict(code: &str) -> Vec<String> {
    let compact: String = code.split_whitespace().flat_map(|word| [word, " "]).collect();
    let compact = compact.replace(" .", ".");
    // A name is followed to the end of its function.
    let is_strict_by = |name: &str, rest: &str| {
        let own = rest.split(" fn ").next().unwrap_or(rest);
        STRICT.iter().any(|strict| own.contains(&format!(" {name}{strict}")))
    };
    let mut found = Vec::new();
    for (at, call) in compact.match_indices("commands.entity(") {
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
