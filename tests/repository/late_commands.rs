//! Commands of the plugin to entities that a game may have despawned: what a game queued before them in the
//! same stage is done first, and a command that insists on its entity would then end the game.

use super::imports::{code, is_test, sources};

/// Commands that insist on their entity.
const STRICT: [&str; 4] = [".insert(", ".insert_if_new(", ".remove::<", ".despawn()"];

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
    assert_eq!(found("fn a() {\n    commands.entity(one).try_insert(B);\n    known.insert(one);\n}"), 0);
    assert_eq!(found("fn a() {\n    let mut one = commands.spawn(A);\n    one.insert(B);\n}"), 0);
}

/// The statements with such commands.
fn strict(code: &str) -> Vec<String> {
    let compact: String = code.split_whitespace().flat_map(|word| [word, " "]).collect();
    let compact = compact.replace(" .", ".");
    let mut found = Vec::new();
    for (at, call) in compact.match_indices("commands.entity(") {
        let rest = &compact[at + call.len()..];
        let statement = rest.split(';').next().unwrap_or(rest);
        let before = compact[..at].rsplit([';', '{']).next().unwrap_or_default().trim();
        // Commands by a name that the entity gets are followed to the end of the function.
        let name = before.strip_prefix("let mut ").and_then(|name| name.strip_suffix(" ="));
        let own = rest.split(" fn ").next().unwrap_or(rest);
        let by_name = |name: &str| STRICT.iter().any(|strict| own.contains(&format!(" {name}{strict}")));
        if STRICT.iter().any(|strict| statement.contains(strict)) || name.is_some_and(by_name) {
            found.push(format!("{before} {call}{statement}"));
        }
    }
    found
}
