//! The text of a page.

use std::fmt::Write as _;

use upland::params::{self, Params, Reading};
use upland::steps::{Kind, Operation, Reach};
use upland::{Domain, Grid, Mask, Mixing};

use super::examples::Example;

/// The page of a step.
pub fn of(step: &dyn Operation, example: &Example) -> String {
    let mut page = format!("# {}\n\n", step.title());
    let reach = reach(step);
    writeln!(page, "`{}`, a {}; it must know {reach}.\n\n{}\n", step.name(), step.kind(), plain(step.doc()))
        .unwrap();
    writeln!(page, "![{}](../pictures/{})\n", example.caption(step), example.picture(step)).unwrap();
    if let Some(steps) = example.steps() {
        writeln!(page, "```ron\n{steps}\n```\n").unwrap();
    }
    if let Some(formula) = step.formula() {
        writeln!(page, "## Formula\n\nWith the default parameters:\n\n```text\n{formula}\n```\n").unwrap();
    } else if step.name() == "strokes" {
        page += "## Formula\n\nEach tool has its own: see [sculpting](../sculpting.md#tools).\n\n";
    }
    let layers =
        |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (reads, writes) = (layers(step.reads()), layers(step.writes()));
    if !reads.is_empty() || !writes.is_empty() {
        page += "## Layers\n\n";
        if !reads.is_empty() {
            writeln!(page, "Reads {reads}, where they are there.").unwrap();
        }
        if !writes.is_empty() {
            writeln!(page, "Writes {writes}.").unwrap();
        }
        page += "[Layers](../layers.md) go with the land from step to step.\n\n";
    }
    page += "## Parameters\n\n";
    let table = table(step);
    page += if table.is_empty() { "It has none of its own.\n" } else { &table };
    // Its blend and its mask are those of the step that begins the group.
    if step.name() != "end" {
        page += "\nAnd those that [all steps have](README.md#parameters-of-all-steps).\n";
    }
    page
}

/// The list of all pages.
pub fn index(all: &[Box<dyn Operation>]) -> String {
    let mut page = String::from(
        "# Steps\n\nA recipe is a list of steps: generators make land, filters change it, waterways dig into it, and groups hold other steps. \
         `upland steps` prints these pages' tables, and [a game can add its own](../../examples/custom_step.rs).\n",
    );
    for (kind, title) in [
        (Kind::Generator, "Generators"),
        (Kind::Group, "Groups"),
        (Kind::Filter, "Filters"),
        (Kind::Waterway, "Waterways"),
    ] {
        writeln!(page, "\n## {title}\n\n| step | what it does |\n|---|---|").unwrap();
        for step in all.iter().filter(|step| step.kind() == kind) {
            let doc = plain(step.doc());
            let first = doc.split_inclusive(". ").next().unwrap_or(&doc).trim();
            let first = first.split(": ").next().unwrap_or(first).trim_end_matches('.');
            writeln!(page, "| [{}]({}.md) | {first} |", step.title(), step.name()).unwrap();
        }
    }
    page += "\n## Parameters of all steps\n\nFilters have no `blend`, waterways only `on` and `variant`, and `end` none.\n\n";
    page += &rows(&[&Mixing::default(), &Mask::default()]);
    page += "\n## Reach\n\nHow much of the land a step must know to compute a sample. Those that need a sample alone, or \
             a neighbourhood, make land in windows and tiles, without end and at any level; those that need all of \
             it run once, at the recipe's own spacing.\n";
    page
}

fn reach(step: &dyn Operation) -> String {
    let grid = Grid::new(1025, 1025, 10.0).unwrap();
    match step.reach(Domain::of(grid)) {
        Reach::Point => match step.name() {
            "road" | "platform" => {
                "the position and height of a sample, and the ground at its own points".into()
            }
            "hole" | "stamp" => {
                "the position and height of a sample, and the ground at its own points where they lie on it"
                    .into()
            }
            "strokes" => "the position and height of a sample, and the ground that its strokes lie on".into(),
            _ => "only the position and height of a sample".into(),
        },
        Reach::Near(metres) => {
            format!("what lies within {metres} m of a sample, of land with 10 m between samples")
        }
        Reach::Range => "the lowest and the highest height of all the land".into(),
        Reach::Whole => "all of the land".into(),
    }
}

/// The lines of a doc comment as one.
fn plain(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn table(of: &dyn Params) -> String {
    rows(&[of])
}

/// A row for every parameter.
fn rows(of: &[&dyn Params]) -> String {
    let mut rows = String::new();
    for part in of {
        params::each(*part, &mut |name, param, value| {
            let unit = if param.unit.is_empty() { "" } else { " " };
            let default = format!("`{}`{unit}{}", ron::to_string(&value).unwrap_or_default(), param.unit);
            let accepted = param.accepted(value);
            let accepted = accepted.strip_prefix("a number from ").unwrap_or(&accepted);
            let accepted = accepted.replace('|', "\\|");
            writeln!(rows, "| `{name}` | {default} | {accepted} | {} |", explained(param.doc, value))
                .unwrap();
        });
    }
    if rows.is_empty() {
        rows
    } else {
        format!("| name | default | accepted | what it does |\n|---|---|---|---|\n{rows}")
    }
}

/// What a parameter does, and what each of its choices is.
fn explained(doc: &str, value: Reading<'_>) -> String {
    let mut text = plain(doc);
    if let Reading::Choice(choice) = value {
        for (name, doc) in choice.names().iter().zip(choice.docs()) {
            write!(text, "<br>`{name}`: {}", plain(doc)).unwrap();
        }
    }
    text.replace('|', "\\|")
}
