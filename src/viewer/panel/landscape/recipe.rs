//! The recipe's panel: file, name, seed, size, sun, weather, water, texture, steps.

use bevy::math::Vec3;
use bevy::prelude::Entity;
use bevy_egui::egui;
use rand::RngExt;

use super::{scatter, steps, sun, tours};
use crate::error::{Error, Result};
use crate::params;
use crate::plugin::{Quality, TerrainGround};
use crate::recipe::{CELLS, Step, View};
use crate::render::texture_view::TextureView;
use crate::shown::shown_in_line;
use crate::viewer::actions::{Action, ActionQueue, Switch};
use crate::viewer::build::step_stack::StackView;
use crate::viewer::document::Document;
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::controls::{parameters, section};
use crate::viewer::panel::texture;
use crate::viewer::session::Tab;
use crate::viewer::session::status_message::Message;
use crate::viewer::views::gallery::Shelf;

/// Sizes to choose from, samples along the longer side.
const SIZES: [u32; 5] = [257, 513, 1025, 2049, 4097];

/// The maximum number of letters of an entry in the history, which may name two steps.
const MOST_OF_LABEL: usize = 80;

/// Draws the panel of the document of this entity, whose land is `ground`; `drawn` is the step whose points
/// the user sets by clicks on the land.
pub(crate) fn show(
    ui: &mut egui::Ui,
    (entity, document, ground): (Entity, &mut Document, Option<&TerrainGround>),
    (view, stack): (&mut TextureView, &mut StackView),
    (histogram, scattered, quality): (Option<&texture::GroundHistogram>, scatter::Scattered, Quality),
    drawn: &mut Option<usize>,
    flown: tours::Flown,
    (actions, message): (&mut ActionQueue, &mut Message),
) {
    let docs = ["name", "seed"].map(|name| params::declared(&document.recipe, name));
    let [name_doc, seed_doc] = docs.map(|param| param.map_or("", |param| param.doc));
    let recipe = &mut document.recipe;
    parameters::named(ui, "name", name_doc, |ui| {
        let field = egui::TextEdit::singleline(&mut recipe.name).desired_width(f32::INFINITY);
        style::called(ui.add(field), "name");
    });
    parameters::named(ui, "seed", seed_doc, |ui| {
        style::called(ui.add(egui::DragValue::new(&mut recipe.seed).speed(1.0)), "seed");
        let dice = actions.button(ui, "🎲", "", Action::NewSeed);
        style::sign(dice, "A new random seed, for another land of the same kind");
        let tip = "The land that each generator makes from this seed; click one to open it";
        actions.button(ui, "All generators", tip, Action::Shelf(Shelf::Generators));
    });
    size(ui, document, message);
    if !document.recipe.about.is_empty() {
        ui.label(egui::RichText::new(&document.recipe.about).color(style::quiet(ui)).italics());
    }

    section::show(ui, "Sun", true, |ui| sun::show(ui, entity, &mut document.recipe.sun));
    section::show(ui, "Weather", false, |ui| {
        parameters::show(ui, &mut document.recipe.weather, |_| true);
    });
    section::show(ui, "Water", true, |ui| {
        let (sea, before) = (document.recipe.water.sea, document.recipe.sea_level());
        parameters::show(ui, &mut document.recipe.water, |name| sea || name == "sea");
        if document.recipe.sea_level() != before {
            document.recipe.move_mouths(before);
        }
    });
    section::show(ui, "Texture", false, |ui| match texture::show(ui, document, view, histogram, quality) {
        Ok(Some(better)) => actions.send(Action::Quality(better)),
        Ok(None) => {}
        Err(refused) => message.error(refused),
    });
    section::show(ui, "Steps", true, |ui| {
        ui.horizontal_wrapped(|ui| {
            for (text, tip, tab) in [
                ("Watch it work", "See how the steps build the land, frame by frame (F5)", Tab::Watch),
                ("Look inside", "Plots of the land: heights, slopes, spectrum … (F4)", Tab::Inside),
                ("Probe", "Click on the land to see what each step did there (F6)", Tab::Probe),
                ("Sculpt", "Raise, lower, smooth and paint the land by hand (F7)", Tab::Sculpt),
            ] {
                actions.button(ui, text, tip, Action::Panel(tab, Switch::On));
            }
        });
        steps::show(ui, (document, ground), stack, drawn, actions);
    });
    section::show(ui, "Plants and rocks", false, |ui| {
        let heights = ground.map(TerrainGround::height_range);
        let known = scatter::ScatterContext { scattered, quality, heights };
        scatter::show(ui, &mut document.recipe, &known, actions);
    });
    section::show(ui, "View", true, |ui| {
        ui.horizontal(|ui| {
            let tip = "Return to the view that the landscape opens with";
            actions.button(ui, "Opening view", tip, Action::LookAgain);
            let tip = "The landscape will open with the present view";
            actions.button(ui, "Save as opening view", tip, Action::KeepView);
        });
        if let Some(view) = &mut document.recipe.view {
            parameters::show(ui, view, |_| true);
        }
        tours::bookmarks(ui, &mut document.recipe.bookmarks, flown, actions);
        ui.add_space(4.0);
        tours::flights(ui, &mut document.recipe.flights, flown, actions);
    });
}

/// Inserts steps from the clipboard into the recipe, at an index of the stack.
///
/// # Errors
/// When the clipboard contains none, or more than the recipe has room for.
pub(crate) fn paste(
    document: &mut Document,
    stack: &mut StackView,
    place: usize,
    text: Option<String>,
) -> Result<()> {
    let nothing = || Error::parameter("clipboard", "contains no text; copy a step first");
    let steps = Step::list_from_ron(&text.ok_or_else(nothing)?)?;
    document.recipe.check_room(steps.len())?;
    document.settle();
    let place = place.min(document.recipe.steps.len());
    for (number, step) in steps.into_iter().enumerate() {
        stack.inserted(place + number, &step);
        document.recipe.steps.insert(place + number, step);
    }
    Ok(())
}

/// Stores a view in the recipe, which opens with it from then on.
///
/// # Errors
/// When the view is not valid.
pub(crate) fn keep_view(document: &mut Document, from: Vec3, look: Vec3) -> Result<()> {
    let view = View { from: from.into(), look: look.into() };
    // Only the view is checked, because something else in the recipe may be half typed.
    params::check(&view, "view")?;
    document.recipe.view = Some(view);
    Ok(())
}

/// A random seed.
pub(crate) fn new_seed() -> u64 {
    rand::rng().random_range(0..1_000_000)
}

/// Draws the bar of the gallery, files, undo, redo and history, which stays where it is while the panel below
/// scrolls.
pub(crate) fn bar(ui: &mut egui::Ui, document: &mut Document, actions: &mut ActionQueue) {
    ui.horizontal(|ui| {
        let tip = "Landscapes, generators, lessons, and variants of this land to choose from (F2)";
        actions.button(ui, "Gallery", tip, Action::Gallery(Switch::On));
        let label = if document.is_unsaved() { "File *" } else { "File" };
        let menu = ui.menu_button(label, |ui| file(ui, document, actions));
        menu.response.tip("Open, save, draw pictures, export");
        style::sign(actions.button(ui, "⮪", "", Action::Undo), "Undo (Ctrl Z)");
        style::sign(actions.button(ui, "⮫", "", Action::Redo), "Redo (Ctrl Shift Z)");
        ui.menu_button("History", |ui| history(ui, document))
            .response
            .tip("All changes; click one to return to it");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.label(egui::RichText::new("F1 keys").color(style::quiet(ui)));
        });
    });
}

fn file(ui: &mut egui::Ui, document: &Document, actions: &mut ActionQueue) {
    let place = document.path().map_or("a new file in this folder".into(), |path| path.display().to_string());
    let tip = "Start a simple landscape in place of this one; undo brings this one back";
    actions.button(ui, "New   Ctrl N", tip, Action::New);
    actions.button(ui, "Open …   Ctrl O", "", Action::OpenFile);
    actions.button(ui, "Save   Ctrl S", &format!("Save the recipe to {place}"), Action::Save);
    actions.button(ui, "Save as …   Ctrl Shift S", "", Action::SaveAs);
    let tip = "A picture of the present view at any size, or a film of a flight";
    actions.button(ui, "Picture or film …", tip, Action::Export);
    let tip = "Heights, a mesh, colours, splat maps or objects, in files for other programs";
    actions.button(ui, "Export …", tip, Action::Output);
    ui.separator();
    let tip = "Open a copy next to it; change one of them to see the effect";
    actions.button(ui, "Compare with a copy", tip, Action::Copy);
    let tip = "Open the same steps with the next seed next to it, for another land of the same kind";
    actions.button(ui, "Compare with another seed", tip, Action::OtherSeed);
}

/// The list of changes, the latest at the bottom; undone ones are grey.
fn history(ui: &mut egui::Ui, document: &mut Document) {
    let mut chosen = None;
    ui.set_min_width(280.0);
    egui::ScrollArea::vertical().max_height(360.0).stick_to_bottom(true).show(ui, |ui| {
        let (labels, now) = document.history();
        for (index, label) in labels.into_iter().enumerate() {
            let label = shown_in_line(label, MOST_OF_LABEL);
            let text = egui::RichText::new(label);
            let text = if index > now { text.color(style::quiet(ui)) } else { text };
            if ui.selectable_label(index == now, text).clicked() {
                chosen = Some(index);
            }
        }
    });
    if let Some(index) = chosen {
        document.go_to(index);
    }
}

fn size(ui: &mut egui::Ui, document: &mut Document, message: &mut Message) {
    let recipe = &mut document.recipe;
    let (width, depth) = recipe.size;
    let longer = width.max(depth);
    let (selected, doc) = match recipe.unit {
        None => (
            format!("{width} × {depth}"),
            "Samples along X and Z. The land stays the same, with more or less detail.".to_owned(),
        ),
        Some(unit) => (
            format!("endless, {width} × {depth} shown"),
            format!(
                "The land is endless; this many samples around its origin are shown. Frequencies are per unit \
                 of {unit} m."
            ),
        ),
    };
    parameters::named(ui, "size", &doc, |ui| {
        let mut chosen = longer;
        let combo = egui::ComboBox::from_id_salt("size").selected_text(selected).show_ui(ui, |ui| {
            for samples in SIZES {
                ui.selectable_value(&mut chosen, samples, format!("{samples} along the longer side"));
            }
        });
        style::called(combo.response, "size");
        if chosen != longer {
            match recipe.resized(chosen) {
                Ok(resized) => *recipe = resized,
                Err(error) => message.error(error.to_string()),
            }
        }
    });
    let steps = (recipe.size.0.max(recipe.size.1) - 1).max(1) as f32;
    let kilometres_of = |cell: f32| cell * steps / 1000.0;
    let mut kilometres = kilometres_of(recipe.cell);
    parameters::named(ui, "extent", "Length of the longer side.", |ui| {
        let drag = egui::DragValue::new(&mut kilometres)
            .range(kilometres_of(*CELLS.start())..=kilometres_of(*CELLS.end()))
            .speed(0.1)
            .max_decimals(2)
            .suffix(" km");
        if style::called(ui.add(drag), "extent").changed() {
            // Rounding must not leave the accepted range.
            recipe.cell = (kilometres * 1000.0 / steps).clamp(*CELLS.start(), *CELLS.end());
        }
        let cell = format!("{:.1} m between samples", recipe.cell);
        ui.label(egui::RichText::new(cell).color(style::quiet(ui)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;

    #[test]
    fn steps_are_only_pasted_if_there_is_room_for_all_of_them() {
        let mut document = Document::new(Recipe::new("Land", (9, 9), 1.0), None);
        let mut stack = StackView::default();
        let text = |count| Step::list_to_ron(&vec![Step::from_name("invert").unwrap(); count]).ok();
        paste(&mut document, &mut stack, 0, text(999)).unwrap();
        let said = paste(&mut document, &mut stack, 5, text(2)).unwrap_err().to_string();
        assert!(said.contains("1001 steps") && said.contains("at most 1000"), "{said}");
        assert_eq!(document.recipe.steps.len(), 999);
        paste(&mut document, &mut stack, 5, text(1)).unwrap();
        document.recipe.check().unwrap();
    }
}
