//! What the probe found: each step's part in the height of a sample.

use bevy_egui::egui::{self, RichText};

use super::super::probe::Probing;
use super::style;
use crate::grid::LayerInfo;
use crate::recipe::Probe;
use crate::shown::shown_in_line;

/// The most letters of a name.
const MOST_LETTERS: usize = 30;

/// Draws the window while it is open.
pub(super) fn show(context: &egui::Context, probing: &mut Probing) {
    if !probing.open {
        return;
    }
    let mut open = true;
    let place = context.content_rect().right_top() + egui::vec2(-520.0, 24.0);
    let window = egui::Window::new("Probe").open(&mut open).default_pos(place).default_width(480.0);
    window.show(context, |ui| {
        let Some(place) = probing.place() else {
            ui.label(
                RichText::new("Click on the land to see what each step made of it there; Esc ends")
                    .color(style::QUIET),
            );
            return;
        };
        match probing.found() {
            None => drop(ui.spinner()),
            Some(Err(reason)) => drop(ui.label(RichText::new(reason).color(style::ERROR))),
            Some(Ok(probe)) => {
                ui.add_enabled_ui(!probing.is_busy(), |ui| {
                    let [column, row] = probe.sample;
                    let text = format!("{:.2} m", probe.height());
                    ui.horizontal(|ui| {
                        ui.label(RichText::new(text).strong().size(18.0));
                        let away = |metres: f64, [back, ahead]: [&str; 2]| {
                            format!("{:.0} m {}", metres.abs(), if metres < 0.0 { back } else { ahead })
                        };
                        let (east, south) =
                            (away(place.x, ["west", "east"]), away(place.y, ["north", "south"]));
                        let where_ = format!("sample {column}, {row};  {east}, {south} of the middle");
                        ui.label(RichText::new(where_).color(style::QUIET));
                    });
                    steps(ui, probe);
                    rest(ui, probe, &probing.types);
                });
            }
        }
    });
    probing.open = open;
}

/// A row for each step.
fn steps(ui: &mut egui::Ui, probe: &Probe) {
    egui::Grid::new("probed").num_columns(4).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
        for (title, tip) in [
            ("step", "In the order in which they run"),
            ("height after it", "Metres"),
            ("acts", "Its amount times its mask at this sample"),
            ("how it is blended", "The equation with its numbers, metres"),
        ] {
            ui.label(RichText::new(title).color(style::QUIET).size(11.0)).on_hover_text(tip);
        }
        ui.end_row();
        for step in &probe.steps {
            ui.label(format!("{}  {}", step.index + 1, shown_in_line(step.title, MOST_LETTERS)));
            ui.label(format!("{:.2} m", step.after));
            ui.label(format!("{:.0} %", step.share * 100.0));
            ui.label(RichText::new(&step.equation).monospace().size(11.0));
            ui.end_row();
        }
        if probe.steps.is_empty() {
            ui.label(RichText::new("no step runs; the land is level").color(style::QUIET));
            ui.end_row();
        }
    });
}

/// Layers and terrain types there.
fn rest(ui: &mut egui::Ui, probe: &Probe, types: &[(String, f32)]) {
    if !types.is_empty() {
        ui.separator();
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new("ground").color(style::QUIET));
            for (name, share) in types.iter().take(6) {
                ui.label(format!("{} {:.0} %", shown_in_line(name, MOST_LETTERS), share * 100.0));
            }
        });
    }
    if !probe.layers.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new("layers").color(style::QUIET));
            for (name, value) in &probe.layers {
                let unit = LayerInfo::of(name).map_or("", |layer| layer.unit);
                ui.label(format!("{name} {value:.3} {unit}"));
            }
        });
    }
}
