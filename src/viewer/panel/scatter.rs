//! The rules by which plants, rocks and objects stand on the land.

use bevy_egui::egui::{self, RichText};

use super::{MOST_LETTERS, parameters, style};
use crate::plugin::ScatterStatistics;
use crate::recipe::Recipe;
use crate::scatter::{MOST_RULES, Rule};
use crate::shown::shown_in_line;

/// Draws the switch for all rules, and each rule with its parameters.
pub(super) fn show(ui: &mut egui::Ui, recipe: &mut Recipe, statistics: &ScatterStatistics) {
    let mut is_worn = !recipe.bare;
    let tip = "Whether what the rules say stands on the land";
    if ui.checkbox(&mut is_worn, "Plants and rocks").on_hover_text(tip).changed() {
        recipe.bare = !is_worn;
    }
    let quiet = style::quiet(ui);
    if statistics.objects > 0 {
        let text = format!(
            "{} objects around, {} of them drawn",
            super::status::count(statistics.objects),
            super::status::count(statistics.drawn)
        );
        let tip = format!(
            "{} cells, {} batches, {:.0} MB on the device; {:.2} ms of a frame, {:.1} ms a cell{}",
            statistics.cells,
            statistics.batches,
            statistics.device_bytes as f64 / 1e6,
            statistics.systems_ms,
            statistics.cell_ms,
            if statistics.missing > 0 {
                format!("; {} cells to be placed", statistics.missing)
            } else {
                String::new()
            },
        );
        ui.label(RichText::new(text).color(quiet)).on_hover_text(tip);
    }
    if recipe.scatter.is_empty() {
        ui.label(RichText::new("The recipe has no rules.").color(quiet));
    }
    let mut gone = None;
    for (number, rule) in recipe.scatter.iter_mut().enumerate() {
        ui.push_id(number, |ui| {
            if one(ui, rule) {
                gone = Some(number);
            }
        });
    }
    if let Some(number) = gone {
        recipe.scatter.remove(number);
    }
    let tip = "Another rule at the end of the list: objects of earlier rules have their places first";
    let add = ui.add_enabled(recipe.scatter.len() < MOST_RULES, egui::Button::new("Add a rule"));
    let full = format!("A recipe has at most {MOST_RULES} rules; remove one first");
    if add.on_hover_text(tip).on_disabled_hover_text(full).clicked() {
        recipe.scatter.push(Rule::new("spruce", 100.0, 4.0));
    }
}

/// A rule; whether it is to be removed.
fn one(ui: &mut egui::Ui, rule: &mut Rule) -> bool {
    let mut is_gone = false;
    let id = ui.make_persistent_id("rule");
    let header = egui::collapsing_header::CollapsingState::load_with_default_open(ui.ctx(), id, false);
    let unfold = format!("Unfold {}", shown_in_line(&rule.name, MOST_LETTERS));
    let (toggle_button, ..) = header
        .show_header(ui, |ui| {
            let tick = ui.checkbox(&mut rule.on, "").on_hover_text("Whether the rule is followed");
            style::called(tick, &format!("{} is followed", shown_in_line(&rule.name, MOST_LETTERS)));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                is_gone = style::sign(ui.small_button("✖"), "Remove this rule").clicked();
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                    let title = RichText::new(shown_in_line(&rule.name, MOST_LETTERS));
                    let title = if rule.on { title } else { title.strikethrough().color(style::quiet(ui)) };
                    let label = egui::Label::new(title).truncate().selectable(false);
                    ui.add(label).on_hover_text(format!("Objects: {}", rule.object));
                });
            });
        })
        .body(|ui| parameters::show(ui, rule, |name| name != "on"));
    style::unfolds(toggle_button, &unfold);
    is_gone
}
