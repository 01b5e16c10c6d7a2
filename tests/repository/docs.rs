//! The pages: what they show as Rust is compiled by doc tests, and links from the README lead to all of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use upland::scatter::Rule;
use upland::texture::factors;
use upland::{Lesson, Recipe, Work};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn text(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The pages in docs, and the README.
fn pages() -> Vec<String> {
    let folder = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
    let names = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.push("README.md".to_owned());
    pages.sort();
    pages
}

#[test]
fn every_page_with_rust_is_among_the_doc_tests() {
    let listed = text("src/doc_tests.rs");
    let mut with_rust = 0;
    for page in pages() {
        let has_rust = text(&page).lines().any(|line| line.starts_with("```rust"));
        let is_listed = listed.contains(&format!("\"../{page}\""));
        assert_eq!(has_rust, is_listed, "{page}");
        with_rust += usize::from(has_rust);
    }
    assert!(with_rust > 10, "{with_rust}");
    assert!(text("src/lib.rs").contains("#[cfg(doctest)]\nmod doc_tests;"));
}

/// rustdoc takes blocks without a language, and indented ones, for Rust.
#[test]
fn blocks_that_are_no_rust_say_what_they_are() {
    for page in pages() {
        let (mut is_inside, mut is_after_blank) = (false, false);
        for (number, line) in text(&page).lines().enumerate() {
            let place = format!("{page}:{}", number + 1);
            if let Some(language) = line.trim_start().strip_prefix("```") {
                assert!(is_inside || !language.is_empty(), "{place}: a block without a language");
                is_inside = !is_inside;
            } else if !is_inside {
                assert!(!(is_after_blank && line.starts_with("    ")), "{place}: an indented block");
            }
            is_after_blank = line.trim().is_empty();
        }
        assert!(!is_inside, "{page} ends within a block");
    }
}

/// Snippets that cannot stand alone, by a word in each: they need what upland does not depend on.
const IGNORED: [&str; 2] = ["rerecast::TriMesh", "DynamicWorldBuilder"];

#[test]
fn only_what_needs_other_crates_is_left_uncompiled() {
    let mut ignored = 0;
    for page in pages() {
        for block in text(&page).split("```rust,ignore").skip(1) {
            let block = block.split("```").next().unwrap_or_default();
            assert!(IGNORED.iter().any(|word| block.contains(word)), "{page}: {block}");
            ignored += 1;
        }
    }
    assert_eq!(ignored, IGNORED.len());
}

#[test]
fn every_page_is_linked_from_the_readme_or_from_a_page_that_is() {
    let pages = pages();
    let mut found = BTreeSet::from(["README.md".to_owned()]);
    let mut pending = vec!["README.md".to_owned()];
    while let Some(page) = pending.pop() {
        let text = text(&page);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let link = match page.strip_prefix("docs/") {
                Some(_) => format!("docs/{link}"),
                None => link.to_owned(),
            };
            if pages.contains(&link) && found.insert(link.clone()) {
                pending.push(link);
            }
        }
    }
    let lost: Vec<&String> = pages.iter().filter(|page| !found.contains(*page)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(text("README.md").contains("(docs/window.md)"));
}

/// Users of other engines search the documentation for the terms that they know.
#[test]
fn words_of_other_engines_lead_to_what_does_the_same() {
    for (word, file) in [
        ("raycast", "src/plugin/query/ground.rs"),
        ("height_at", "src/plugin/query/ground.rs"),
        ("heights_at", "src/plugin/query/many.rs"),
        ("screenshot", "src/plugin/capture/headless.rs"),
        ("origin_shift", "src/plugin/floating_origin/own.rs"),
    ] {
        let text = text(file);
        let mut aliases = text.lines().filter(|line| line.contains("doc(alias("));
        assert!(aliases.any(|line| line.contains(&format!("\"{word}\""))), "{word}");
    }
}

/// Without its entry in Cargo.toml a benchmark is run by the test harness, which knows none of its arguments.
#[test]
fn every_benchmark_is_listed_with_its_own_way_of_running() {
    let mut count = 0;
    for package in ["", "core/"] {
        // Where this crate is taken from a registry, the core does not lie in it.
        let Ok(files) = fs::read_dir(Path::new(ROOT).join(format!("{package}benches"))) else { continue };
        let manifest = text(&format!("{package}Cargo.toml"));
        let entries: Vec<&str> = manifest.split("[[bench]]").skip(1).collect();
        for file in files {
            let path = file.unwrap().path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".rs")) else {
                continue;
            };
            let name = format!("name = \"{name}\"\n");
            let entry = entries.iter().find(|entry| entry.contains(&name));
            assert!(entry.is_some_and(|entry| entry.contains("harness = false")), "{name} is not listed");
            count += 1;
        }
    }
    assert!(count > 1, "{count} benchmarks");
}

#[test]
fn the_page_on_factors_has_a_row_for_every_factor() {
    let page = text("docs/factors.md");
    for factor in factors::all() {
        let scale = factor.scale.map_or_else(String::new, |scale| {
            format!("{} to {} {} ", scale.at_0, scale.at_1, scale.unit).replace('-', "−")
        });
        let looks = match factor.reach.metres {
            0.0 => format!("{} sample", factor.reach.samples),
            metres => format!("{metres} m"),
        };
        let row = format!("| `{}` | {} | {scale}| {looks} |", factor.name, factor.doc);
        assert!(page.contains(&row), "docs/factors.md lacks a row: {row}");
    }
}

#[test]
fn the_page_on_scatter_tells_of_every_parameter() {
    let page = text("docs/scatter.md");
    for name in upland::params::names(&Rule::default()) {
        assert!(page.contains(&format!("\n| `{name}` |")), "{name}");
    }
    assert!(page.contains("5812"), "the most objects on a hectare");
}

/// What the lesson says is measured by a test of the core, which has a copy of it.
#[test]
fn the_worked_example_of_the_guide_for_teachers_is_the_file() {
    let (guide, worked) = (text("docs/lessons.md"), text("examples/ridged-lesson.ron"));
    assert!(
        guide.contains(&format!("```ron\n{worked}```\n")),
        "docs/lessons.md and examples/ridged-lesson.ron differ"
    );
    let measured = Path::new(ROOT).join("core/tests/data/ridged-lesson.ron");
    if let Ok(measured) = fs::read_to_string(measured) {
        assert_eq!(measured, worked, "core/tests/data/ridged-lesson.ron and examples/ridged-lesson.ron");
    }
    // The recipe that the guide begins with is the land of the lesson.
    let lesson = Lesson::from_ron(&worked, "ridged-lesson.ron").unwrap();
    let (_, rest) = guide.split_once("```text\n").unwrap();
    let (recipe, _) = rest.split_once("```").unwrap();
    let recipe = Recipe::from_ron(recipe, "ridges.ron").unwrap();
    assert_eq!(
        recipe.build_heightfield(&Work::new()).unwrap().heights(),
        lesson.recipe.build_heightfield(&Work::new()).unwrap().heights()
    );
}

#[test]
fn the_first_example_of_the_guide_for_teachers_is_a_lesson() {
    let guide = text("docs/lessons.md");
    let (_, rest) = guide.split_once("```ron\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let lesson = Lesson::from_ron(example, "docs/lessons.md").unwrap();
    assert!(lesson.sliders().count() > 0 && lesson.questions().count() > 0 && lesson.plots().count() > 0);
    assert!(lesson.locked_sliders().count() > 0);
    for question in lesson.questions() {
        lesson.shown(question).unwrap().preview(33).build(&Work::new()).unwrap();
    }
}
