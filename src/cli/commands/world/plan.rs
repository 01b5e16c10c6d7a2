//! `upland plan`: writes what will be made of a land, in passes and tiles.

use comfy_table::{ContentArrangement, Table, presets};
use upland_world::{NewPlan, PLAN, Plan, Store};

use crate::cli::arguments::PlanArguments;
use crate::cli::land;
use crate::cli::outputs::in_bytes;
use crate::cli::report::{Outcome, note, print, say};
use crate::compute::work::Work;
use crate::recipe::length_of_time;

pub(in crate::cli) fn run(arguments: &PlanArguments) -> Outcome {
    let store = Store::open(&arguments.into)?;
    let recipe = land::recipe(&arguments.recipe, arguments.size, &arguments.changes)?;
    land::tell_notes(&recipe);
    let new = NewPlan {
        window: arguments.window,
        tile: arguments.tile,
        colours: arguments.colours,
        weights: arguments.weights,
        layers: arguments.layer.clone(),
    };
    let drawing = new.draw(&recipe, &Work::new())?;
    drawing.notes.iter().for_each(|said| note(said));
    let is_new = drawing.write(&store)?;
    let plan = &drawing.plan;
    let place = store.shown();
    let [columns, rows] = plan.tiles();
    let [width, depth] = plan.land.size;
    if is_new {
        let files = match plan.files.len() {
            0 => String::new(),
            _ => format!(", with files of {}", in_bytes(drawing.file_bytes())),
        };
        say(&format!("wrote {place}/{PLAN}: {width} × {depth} samples in {columns} × {rows} tiles{files}"));
    } else {
        note(&format!("{place}/{PLAN} is there already, and is the same"));
    }
    print(&table(plan))?;
    say(&format!("make it with: upland work --plan {}", store.in_shell()));
    Ok(())
}

/// The passes, and what they are estimated to take.
fn table(plan: &Plan) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["pass", "tiles", "of", "about", "one core", "memory"]);
    for pass in &plan.passes {
        let outputs: Vec<String> = pass.outputs.iter().map(|output| output.folder()).collect();
        table.add_row([
            pass.kind.name().to_owned(),
            plan.tiles_with_objects(pass).to_string(),
            outputs.join(", "),
            in_bytes(pass.bytes),
            length_of_time(pass.seconds),
            in_bytes(pass.memory),
        ]);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}
