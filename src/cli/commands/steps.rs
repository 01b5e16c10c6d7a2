//! `upland steps`: lists the steps of recipes with their parameters.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::{Map, json};

use crate::cli::arguments::StepsArguments;
use crate::cli::report::{Failure, Outcome, print};
use crate::error::Result;
use crate::grid::{Domain, Grid};
use crate::params::{self, Param, Params, Reading};
use crate::recipe::{Mask, Mixing, Step};
use crate::steps::{self, Operation, Reach};

/// Width of a table in columns, if the terminal doesn't say.
const COLUMNS: u16 = 110;

pub(in crate::cli) fn run(asked: &StepsArguments) -> Outcome {
    let all = steps::all();
    for name in &asked.names {
        if !all.iter().any(|step| step.name() == name) {
            let known = steps::names().join(", ");
            return Err(Failure::Usage(format!("there is no step `{name}`; there are {known}")));
        }
    }
    let is_asked = |name: &str| asked.names.is_empty() || asked.names.iter().any(|asked| asked == name);
    let chosen: Vec<_> = all.iter().filter(|step| is_asked(step.name())).collect();
    let grid = example()?;
    let text = if asked.json {
        let steps: Vec<_> = chosen.iter().map(|step| step_json(&***step, grid)).collect();
        let common = [parameters_json(&Mixing::default()), parameters_json(&Mask::default())].concat();
        let whole = json!({
            "reach_on": { "width": grid.width, "depth": grid.depth, "cell": grid.cell },
            "steps": steps,
            "common": common,
        });
        format!("{whole:#}\n")
    } else {
        let mut text: String = chosen.iter().map(|step| step_text(&***step, grid)).collect();
        text += "All steps also have these, except that filters have no `blend`, waterways have only `on` and `variant`, and `end` has none:\n";
        text += &table(&[&Mixing::default(), &Mask::default()]);
        text += &format!(
            "\nReach: how much of the land a step must know to compute a sample; here with default parameters, on \
             {}×{} samples, {} m apart.\n",
            grid.width, grid.depth, grid.cell
        );
        text
    };
    Ok(print(&text)?)
}

/// The land for which reaches are listed.
fn example() -> Result<Grid> {
    Grid::new(1025, 1025, 10.0)
}

fn step_text(step: &dyn Operation, grid: Grid) -> String {
    let heading = format!(
        "{}: {}, a {}; reach: {}",
        step.name(),
        step.title(),
        step.kind(),
        step.reach(Domain::of(grid))
    );
    let formula = step.formula().map_or_else(String::new, |formula| set_off(&formula));
    let layers = |names: Vec<&str>, verb: &str| match names.as_slice() {
        [] => String::new(),
        names => wrapped(&format!("{verb} the layers: {}.", names.join(", "))),
    };
    let layers = layers(step.reads(), "Reads") + &layers(step.writes(), "Writes");
    format!("{heading}\n{}{formula}{layers}{}\n", wrapped(step.doc()), table(&[step]))
}

/// The lines of a formula, indented more than the text.
fn set_off(formula: &str) -> String {
    formula.lines().map(|line| format!("      {line}\n")).collect()
}

/// The lines of a doc comment as one.
fn one_line(doc: &str) -> String {
    doc.replace("\n ", " ")
}

/// Text wrapped and indented by two columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::from(" ")];
    for word in text.split_whitespace() {
        if lines
            .last()
            .is_some_and(|line| line.chars().count() + word.chars().count() >= usize::from(COLUMNS))
        {
            lines.push(" ".into());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

/// A line for every parameter: name, default, unit, range, explanation.
fn table(of: &[&dyn Params]) -> String {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(COLUMNS);
    for part in of {
        params::each(*part, &mut |name, param, value| {
            let default = format!("{}{}", written(value), if param.unit.is_empty() { "" } else { " " });
            let accepted = param.accepted(value);
            let accepted = accepted.strip_prefix("a number from ").unwrap_or(&accepted).to_owned();
            table.add_row([
                format!("  {name}"),
                format!("{default}{}", param.unit),
                accepted,
                one_line(param.doc),
            ]);
        });
    }
    if table.row_count() == 0 {
        return "    no parameters\n".into();
    }
    let text = table.trim_fmt();
    text + "\n"
}

/// A value as written in a recipe.
fn written(value: Reading<'_>) -> String {
    ron::to_string(&value).unwrap_or_default()
}

fn step_json(step: &dyn Operation, grid: Grid) -> serde_json::Value {
    let reach = match step.reach(Domain::of(grid)) {
        Reach::Point => json!({ "kind": "point" }),
        Reach::Near(metres) => json!({ "kind": "near", "metres": metres }),
        Reach::Range => json!({ "kind": "range" }),
        Reach::Whole => json!({ "kind": "whole" }),
    };
    let whole = Step::new(step.boxed());
    let own = params::names(step);
    let common: Vec<_> = params::names(&whole).into_iter().filter(|name| !own.contains(name)).collect();
    json!({
        "name": step.name(),
        "title": step.title(),
        "kind": step.kind().to_string(),
        "about": one_line(step.doc()),
        "formula": step.formula(),
        "reach": reach,
        "reads": step.reads(),
        "writes": step.writes(),
        "parameters": parameters_json(step),
        "common": common,
    })
}

fn parameters_json(of: &dyn Params) -> Vec<serde_json::Value> {
    let mut parameters = Vec::new();
    params::each(of, &mut |name, param, value| parameters.push(parameter_json(name, param, value)));
    parameters
}

fn parameter_json(name: &str, param: &Param, value: Reading<'_>) -> serde_json::Value {
    let mut json = Map::new();
    let mut add = |key: &str, value: serde_json::Value| drop(json.insert(key.into(), value));
    add("name", name.into());
    add("about", one_line(param.doc).into());
    let number = |number: f64| serde_json::Value::from(number);
    if matches!(
        value,
        Reading::Float(_) | Reading::Int(_) | Reading::Size(_) | Reading::Points(_) | Reading::Place(_)
    ) {
        add("unit", param.unit.into());
        add("minimum", number(*param.range.start()));
        add("maximum", number(*param.range.end()));
        add("logarithmic", param.logarithmic.into());
    }
    let (kind, default) = match value {
        // By way of its shortest text, so that 0.1 does not become 0.10000000149011612.
        Reading::Float(value) => ("number", number(value.to_string().parse().unwrap_or(f64::from(value)))),
        Reading::Int(value) => ("integer", value.into()),
        Reading::Seed(value) => ("seed", value.into()),
        Reading::Size((width, depth)) => ("size", vec![width, depth].into()),
        Reading::Flag(value) => ("flag", value.into()),
        Reading::File(file) => ("file", file.text().into()),
        Reading::Name(name) => ("name", name.as_str().into()),
        Reading::Points(points) => {
            ("points", points.iter().map(|point| point.to_array().to_vec()).collect::<Vec<_>>().into())
        }
        Reading::Text(text) => ("text", text.into()),
        Reading::Colour(_) => ("colour", written(value).trim_matches('"').into()),
        Reading::Colours(_) => ("colours", written(value).into()),
        Reading::Place((x, y, z)) => ("place", vec![x, y, z].into()),
        Reading::Group(_) | Reading::List(_) => ("group", written(value).into()),
        Reading::Optional(_) => ("optional", serde_json::Value::Null),
        Reading::Choice(choice) => {
            let choices = choice.names().iter().zip(choice.docs());
            let choices = choices.map(|(name, about)| json!({ "name": name, "about": about }));
            add("choices", choices.collect::<Vec<_>>().into());
            ("choice", choice.names()[choice.index()].into())
        }
    };
    add("type", kind.into());
    add("default", default);
    json.into()
}
