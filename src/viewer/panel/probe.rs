//! What the probe found: each step's part in the height of a sample.

use bevy_egui::egui::{self, RichText};

use super::super::probe::Probing;
use super::style;
use crate::grid::LayerInfo;
use crate::recipe::Probe;
use crate::shown::shown_in_line;
use crate::texture::TypeThere;

/// The most letters of a name.
const MOST_LETTERS: usize = 30;
/// The most letters of a mask's equation, which may name a file.
const MOST_OF_MASK: usize = 160;
/// The most terrain types that are shown.
const MOST_TYPES: usize = 8;

/// Draws it.
pub(super) fn show(ui: &mut egui::Ui, probing: &mut Probing) {
    let Some(place) = probing.place() else {
        ui.label(
            RichText::new("Click on the land to see what each step made of it there; Esc ends")
                .color(style::quiet(ui)),
        );
        return;
    };
    match probing.found() {
        None => drop(ui.spinner()),
        Some(Err(reason)) => drop(ui.label(RichText::new(reason).color(style::error(ui)))),
        Some(Ok(probe)) => {
            ui.add_enabled_ui(!probing.is_busy(), |ui| {
                let [column, row] = probe.sample;
                let text = format!("{:.2} m", probe.height());
                ui.horizontal(|ui| {
                    ui.label(RichText::new(text).strong().size(18.0));
                    let away = |metres: f64, [back, ahead]: [&str; 2]| {
                        format!("{:.0} m {}", metres.abs(), if metres < 0.0 { back } else { ahead })
                    };
                    let (east, south) = (away(place.x, ["west", "east"]), away(place.y, ["north", "south"]));
                    let where_ = format!("sample {column}, {row};  {east}, {south} of the middle");
                    ui.label(RichText::new(where_).color(style::quiet(ui)));
                });
                steps(ui, probe);
                rest(ui, probe);
            });
        }
    }
}

/// A row for each step.
fn steps(ui: &mut egui::Ui, probe: &Probe) {
    egui::Grid::new("probed").num_columns(5).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
        for (title, tip) in [
            ("step", "In the order in which they run"),
            ("height after it", "Metres"),
            ("amount", "The share of its result that is used"),
            ("mask", "The share that its mask lets through at this sample"),
            (
                "how it is blended",
                "The equation with its numbers, metres, and below it its mask's; the pointer over it shows what the step \
                 computes",
            ),
        ] {
            ui.label(RichText::new(title).color(style::quiet(ui)).size(11.0)).on_hover_text(tip);
        }
        ui.end_row();
        for step in &probe.steps {
            ui.label(format!("{}  {}", step.index + 1, shown_in_line(step.title, MOST_LETTERS)));
            ui.label(format!("{:.2} m", step.after));
            ui.label(format!("{:.0} %", step.amount * 100.0));
            ui.label(
                step.mask_equation
                    .as_ref()
                    .map_or("–".to_owned(), |_| format!("{:.0} %", step.mask * 100.0)),
            );
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                // Nothing wraps: the panel scrolls to what is wider than it.
                let line = |text: String| egui::Label::new(RichText::new(text).monospace().size(11.0)).extend();
                let equation = ui.add(line(step.equation.clone()));
                if let Some(formula) = &step.formula {
                    let formula = style::written(ui, &egui::FontId::monospace(12.0), formula);
                    equation.on_hover_text(RichText::new(formula).monospace().size(12.0));
                }
                if let Some(mask) = &step.mask_equation {
                    ui.add(line(format!("mask: {}", shown_in_line(mask, MOST_OF_MASK))));
                }
            });
            ui.end_row();
        }
        if probe.steps.is_empty() {
            ui.label(RichText::new("no step runs; the land is level").color(style::quiet(ui)));
            ui.end_row();
        }
    });
}

/// Terrain types there, with what makes them lie there, and layers.
fn rest(ui: &mut egui::Ui, probe: &Probe) {
    if !probe.types.is_empty() {
        ui.separator();
        egui::Grid::new("types").num_columns(3).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
            for (title, tip) in [
                ("ground", "Terrain types, those that cover most first"),
                ("covers", "The share of the ground: its weight divided by the sum of all"),
                ("weight", "The product of the influences of its limits; those of 1 are left out"),
            ] {
                ui.label(RichText::new(title).color(style::quiet(ui)).size(11.0)).on_hover_text(tip);
            }
            ui.end_row();
            for kind in probe.types.iter().take(MOST_TYPES) {
                ui.label(shown_in_line(&kind.name, MOST_LETTERS));
                ui.label(format!("{:.0} %", kind.share * 100.0));
                let equation = RichText::new(kind.equation()).monospace().size(11.0);
                ui.label(equation).on_hover_ui(|ui| limits(ui, kind));
                ui.end_row();
            }
        });
    }
    if !probe.layers.is_empty() {
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new("layers").color(style::quiet(ui)));
            for (name, value) in &probe.layers {
                let unit = LayerInfo::of(name).map_or("", |layer| layer.unit);
                ui.label(format!("{name} {value:.3} {unit}"));
            }
        });
    }
}

/// All limits of a type, with what the ground is there.
fn limits(ui: &mut egui::Ui, kind: &TypeThere) {
    for limit in &kind.limits {
        let value = match limit.name.as_str() {
            "elevation" => format!("{:.1} m", limit.value),
            "slope" => format!("{:.1}°", limit.value),
            _ => format!("{:.2}", limit.value),
        };
        ui.label(format!(
            "{}: {value} there, influence {:.2}",
            limit.name.replace('_', " "),
            limit.influence
        ));
    }
}
