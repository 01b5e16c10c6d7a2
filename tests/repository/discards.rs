//! Shaders discard pixels after their last derivative: where a device ends a discarded pixel immediately, the
//! derivatives of the other pixels of its quad are undefined from there on.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Functions that need the other pixels of a quad: WGSL's own, and one of Bevy's that samples textures.
const DERIVATIVES: [&str; 13] = [
    "dpdx",
    "dpdxCoarse",
    "dpdxFine",
    "dpdy",
    "dpdyCoarse",
    "dpdyFine",
    "fwidth",
    "fwidthCoarse",
    "fwidthFine",
    "textureSample",
    "textureSampleBias",
    "textureSampleCompare",
    "pbr_input_from_standard_material",
];

#[test]
fn shaders_discard_after_the_last_derivative() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let shaders = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all: String = shaders.map(|path| fs::read_to_string(path).unwrap() + "\n").collect();
    assert!(all.matches("discard;").count() > 5, "are all shaders read?");
    assert_eq!(late_derivatives(&all), Vec::<String>::new());
}

#[test]
fn a_derivative_after_a_discard_is_found() {
    let library = "fn slope(p: f32) -> f32 {\n    return dpdx(p);\n}\n";
    let found = |body: &str| late_derivatives(&format!("{library}fn fragment() {{\n{body}\n}}\n"));
    assert_eq!(found("    if gone {\n        discard;\n    }\n    let a = slope(p);"), ["fragment: slope"]);
    assert_eq!(found("    if gone { discard; }\n    let a = slope(p);"), ["fragment: slope"]);
    assert_eq!(
        found("discard;\n    let a = textureSampleBias(t, s, p, 1.0);"),
        ["fragment: textureSampleBias"]
    );
    assert_eq!(found("let a = slope(p);\n    if gone {\n        discard;\n    }"), [""; 0]);
    assert_eq!(found("#ifdef A\ndiscard;\n#else\nlet a = slope(p);\n#endif"), [""; 0]);
    let helper = "fn leave() {\n    discard;\n}\n";
    let own = "fn fragment() {\n    leave();\n    let a = dpdx(p);\n}\n";
    assert_eq!(late_derivatives(&format!("{helper}{own}")), ["fragment: dpdx"]);
    assert_eq!(found("#ifdef A\ndiscard;\n#endif\nlet a = slope(p);"), ["fragment: slope"]);
}

/// The functions that need derivatives after something is discarded, and what they call for it.
fn late_derivatives(shaders: &str) -> Vec<String> {
    let functions = functions(shaders);
    let deriving = with_callers(&functions, &DERIVATIVES);
    let own = functions
        .iter()
        .filter(|(_, body)| body.iter().any(|line| line.contains("discard;")))
        .map(|(name, _)| *name);
    let bevys = ["alpha_discard", "prepass_alpha_discard"];
    let discarding = with_callers(&functions, &own.chain(bevys).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (name, body) in &functions {
        // Each branch of a definition begins with what was discarded before it.
        let (mut is_discarded, mut branches) = (false, Vec::new());
        for line in body {
            match line.split(' ').next() {
                Some("#ifdef" | "#ifndef" | "#if") => branches.push((is_discarded, is_discarded)),
                Some("#else") => {
                    if let Some((before, other)) = branches.last_mut() {
                        *other |= is_discarded;
                        is_discarded = *before;
                    }
                }
                Some("#endif") => is_discarded |= branches.pop().is_some_and(|(_, other)| other),
                _ => {
                    let call = calls(line, &deriving).filter(|_| is_discarded);
                    found.extend(call.map(|call| format!("{name}: {call}")));
                    is_discarded |= line.contains("discard;") || calls(line, &discarding).is_some();
                }
            }
        }
    }
    found
}

/// Some functions, and all that call them, directly or not.
fn with_callers<'a>(functions: &[(&'a str, Vec<&str>)], called: &[&'a str]) -> BTreeSet<&'a str> {
    let mut all: BTreeSet<&str> = called.iter().copied().collect();
    loop {
        let callers =
            functions.iter().filter(|(_, body)| body.iter().any(|line| calls(line, &all).is_some()));
        let callers: Vec<&str> = callers.map(|(name, _)| *name).filter(|name| !all.contains(name)).collect();
        if callers.is_empty() {
            return all;
        }
        all.extend(callers);
    }
}

/// All functions, with the lines of their bodies.
fn functions(shaders: &str) -> Vec<(&str, Vec<&str>)> {
    let mut functions: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_inside = false;
    for line in shaders.lines() {
        let code = line.split("//").next().unwrap_or_default();
        if let Some(head) = code.strip_prefix("fn ") {
            functions.push((head.split('(').next().unwrap_or_default(), Vec::new()));
            is_inside = true;
        } else if code == "}" {
            is_inside = false;
        } else if let Some((_, body)) = functions.last_mut().filter(|_| is_inside) {
            body.push(code.trim());
        }
    }
    functions
}

/// The first of some functions that a line calls.
fn calls<'a>(line: &str, functions: &BTreeSet<&'a str>) -> Option<&'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let ends = line.match_indices('(').map(|(end, _)| &line[..end]);
    let called = ends.map(|before| &before[before.trim_end_matches(is_part).len()..]);
    called.filter_map(|name| functions.get(name).copied()).next()
}
