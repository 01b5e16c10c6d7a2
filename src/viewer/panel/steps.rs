//! The stack of steps: each can be opened, switched off, moved, duplicated and removed.

use bevy_egui::egui;

use super::{parameters, style};
use crate::params::{Params, Reading};
use crate::recipe::Step;
use crate::steps::{self, Kind};

/// A change of the stack.
enum Change {
    Up(usize),
    Down(usize),
    Double(usize),
    Remove(usize),
}

/// Draws the stack; `drawn` is the step whose points are set by clicks on the land.
pub(super) fn show(ui: &mut egui::Ui, steps: &mut Vec<Step>, drawn: &mut Option<usize>) {
    let mut change = None;
    let count = steps.len();
    for (index, step) in steps.iter_mut().enumerate() {
        ui.push_id(index, |ui| {
            egui::Frame::group(ui.style()).inner_margin(6.0).show(ui, |ui| {
                ui.set_width(ui.available_width());
                one(ui, step, index, count, &mut change, drawn);
            });
        });
    }
    if change.is_some() {
        // Its index may now be another step's.
        *drawn = None;
    }
    match change {
        Some(Change::Up(index)) => steps.swap(index, index - 1),
        Some(Change::Down(index)) => steps.swap(index, index + 1),
        Some(Change::Double(index)) => {
            let mut double = steps[index].clone();
            double.mixing.variant = free_variant(steps, &double);
            steps.insert(index + 1, double);
        }
        Some(Change::Remove(index)) => drop(steps.remove(index)),
        None => {}
    }
    ui.horizontal(|ui| {
        add(ui, steps, "Add land", Kind::Generator);
        add(ui, steps, "Add filter", Kind::Filter);
        add(ui, steps, "Add water", Kind::Waterway);
    });
}

fn one(
    ui: &mut egui::Ui,
    step: &mut Step,
    index: usize,
    count: usize,
    change: &mut Option<Change>,
    drawn: &mut Option<usize>,
) {
    let id = ui.make_persistent_id("step");
    let header = egui::collapsing_header::CollapsingState::load_with_default_open(ui.ctx(), id, index == 0);
    header
        .show_header(ui, |ui| {
            ui.checkbox(&mut step.mixing.on, "").on_hover_text("Whether the step runs");
            let title = egui::RichText::new(step.title());
            let title = if step.mixing.on { title } else { title.strikethrough().color(style::QUIET) };
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.menu_button("☰", |ui| {
                    let mut item = |enabled, text, asked| {
                        if ui.add_enabled(enabled, egui::Button::new(text)).clicked() {
                            *change = Some(asked);
                        }
                    };
                    item(index > 0, "⏶  Do it earlier", Change::Up(index));
                    item(index + 1 < count, "⏷  Do it later", Change::Down(index));
                    item(true, "➕  Duplicate", Change::Double(index));
                    item(true, "✖  Remove", Change::Remove(index));
                })
                .response
                .on_hover_text("Move, duplicate or remove this step");
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    ui.add(egui::Label::new(title).truncate().selectable(false)).on_hover_text(step.doc());
                });
            });
        })
        .body_unindented(|ui| {
            draw_on_land(ui, step, index, drawn);
            let now = step.clone();
            parameters::show(ui, step, |name| name != "on" && now.uses(name));
        });
}

/// The drawing button of a step with points.
fn draw_on_land(ui: &mut egui::Ui, step: &Step, index: usize, drawn: &mut Option<usize>) {
    let mut has_places = false;
    step.read(&mut |_, value| has_places |= matches!(value, Reading::Points(_)));
    if !has_places {
        return;
    }
    let mut on = *drawn == Some(index);
    let tip = "Click on the land to set the points that it goes through";
    if ui.toggle_value(&mut on, "✏  Draw on the land").on_hover_text(tip).changed() {
        *drawn = on.then_some(index);
    }
    if on {
        let hint = "Click on the land for the next place. Right click or Backspace takes the last one back, \
                    Enter or Esc ends. The middle button looks around.";
        ui.label(egui::RichText::new(hint).color(style::QUIET));
    }
}

fn add(ui: &mut egui::Ui, steps: &mut Vec<Step>, label: &str, kind: Kind) {
    ui.menu_button(label, |ui| {
        for mut step in steps::of_kind(kind).map(Step::new) {
            if ui.button(step.title()).on_hover_text(step.doc()).clicked() {
                step.mixing.variant = free_variant(steps, &step);
                steps.push(step);
                ui.close();
            }
        }
    });
}

/// A variant that no other step of this kind has, so that the new land differs.
fn free_variant(steps: &[Step], new: &Step) -> u32 {
    let taken =
        |variant| steps.iter().any(|step| step.name() == new.name() && step.mixing.variant == variant);
    (0..).find(|variant| !taken(*variant)).unwrap_or(0)
}
