//! The result of the probe: each step's part in the height of a sample.

use bevy_egui::egui::{self, RichText};

use crate::Probe;
use crate::grid::LayerInfo;
use crate::recipe::titles::numbered;
use crate::shown::shown_in_line;
use crate::texture::TypeThere;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::tools::probe::Probing;

/// The maximum number of letters of a name.
const MOST_LETTERS: usize = 30;
/// The maximum number of letters of a mask's equation, which may name a file.
const MOST_OF_MASK: usize = 160;
/// The maximum number of terrain types shown.
const MOST_TYPES: usize = 8;

/// Draws the result.
pub(crate) fn show(ui: &mut egui::Ui, probing: &mut Probing) {
    let Some(place) = probing.place() else {
        ui.label(
            RichText::new("Click on the land to see what each step did there; Esc finishes")
                .color(style::quiet(ui)),
        );
        return;
    };
    match probing.found() {
        None => drop(ui.spinner()),
        Some(Err(reason)) => drop(ui.label(RichText::new(reason).color(style::error(ui)))),
        Some(Ok(probe)) => {
            ui.add_enabled_ui(probing.is_current(), |ui| {
                let [column, row] = probe.sample;
                let text = format!("{:.2} m", probe.height());
                ui.horizontal(|ui| {
                    ui.label(RichText::new(text).strong().size(style::points(ui, 18.0)));
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

/// The columns of a step's line, from left to right: heading, tooltip, and width.
const COLUMNS: [(&str, &str, f32); 3] = [
    ("height after it", "The height after the step, metres", 92.0),
    ("amount", "The share of the step's result that is used", 56.0),
    ("mask", "The share that its mask lets through at this sample", 48.0),
];

/// A line for each step, and below it its equation with the numbers of this sample, which wraps.
fn steps(ui: &mut egui::Ui, probe: &Probe) {
    let quiet = style::quiet(ui);
    let size = style::points(ui, 11.0);
    let heading = |text: &str| RichText::new(text.to_owned()).color(quiet).size(size);
    line(ui, heading("step"), "In the order in which they run", COLUMNS.map(|(title, ..)| heading(title)));
    for step in &probe.steps {
        ui.separator();
        let title = numbered(step.index, &shown_in_line(step.title, MOST_LETTERS));
        let mask = step.mask_equation.as_ref().map_or("–".to_owned(), |_| percent(step.mask));
        let cells = [format!("{:.2} m", step.after), percent(step.amount), mask];
        line(ui, RichText::new(title), step.title, cells.map(RichText::new));
        let below = |ui: &mut egui::Ui, text: &str, tip: &str, is_quiet: bool| {
            let text = RichText::new(text).monospace().size(style::points(ui, 11.0));
            let text = if is_quiet { text.color(style::quiet(ui)) } else { text };
            ui.add(egui::Label::new(text).wrap()).tip(tip);
        };
        ui.indent(("equations", step.index), |ui| {
            below(
                ui,
                &step.equation,
                "How the step's own height is blended into the previous land, metres",
                false,
            );
            if let Some(mask) = &step.mask_equation {
                let mask = format!("mask: {}", shown_in_line(mask, MOST_OF_MASK));
                below(ui, &mask, "The value that the mask depends on, at this sample", false);
            }
            if let Some(formula) = &step.formula {
                below(ui, formula, "What the step computes", true);
            }
        });
    }
    if probe.steps.is_empty() {
        ui.label(RichText::new("no step is enabled; the land is level").color(style::quiet(ui)));
    }
}

fn percent(share: f32) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A title, and texts to its right.
fn line(ui: &mut egui::Ui, title: RichText, tip: &str, cells: [RichText; 3]) {
    ui.horizontal(|ui| {
        let widths: f32 = COLUMNS.iter().map(|(.., width)| width + ui.spacing().item_spacing.x).sum();
        let rest = (ui.available_width() - widths).max(80.0);
        let height = ui.spacing().interact_size.y;
        let left = egui::Layout::left_to_right(egui::Align::Center);
        ui.allocate_ui_with_layout(egui::vec2(rest, height), left, |ui| {
            ui.set_min_width(rest);
            ui.add(egui::Label::new(title).truncate()).tip(tip);
        });
        for (text, (_, tip, width)) in cells.into_iter().zip(COLUMNS) {
            let right = egui::Layout::right_to_left(egui::Align::Center);
            ui.allocate_ui_with_layout(egui::vec2(width, height), right, |ui| {
                ui.set_min_width(width);
                ui.label(text).tip(tip);
            });
        }
    });
}

/// The terrain types there with the reasons for them, and the layers.
fn rest(ui: &mut egui::Ui, probe: &Probe) {
    if !probe.types.is_empty() {
        ui.separator();
        egui::Grid::new("types").num_columns(3).striped(true).spacing([14.0, 4.0]).show(ui, |ui| {
            for (title, tip) in [
                ("ground", "Terrain types, those with the largest share first"),
                (
                    "covers",
                    "The share of the ground: its weight divided by the sum of all weights; for a layer, how strongly it \
                     covers the ground",
                ),
                ("weight", "The product of the influences of its limits; influences of 1 are left out"),
            ] {
                ui.label(RichText::new(title).color(style::quiet(ui)).size(style::points(ui, 11.0))).tip(tip);
            }
            ui.end_row();
            for kind in probe.types.iter().take(MOST_TYPES) {
                ui.label(shown_in_line(&kind.name, MOST_LETTERS));
                // A layer takes no share of the ground: the shares of the others add up to 100 % without it.
                let over = if kind.is_layer { "on top, " } else { "" };
                ui.label(format!("{over}{:.0} %", kind.share * 100.0));
                let equation = RichText::new(kind.equation()).monospace().size(style::points(ui, 11.0));
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

/// All limits of a type, with the values of the ground there.
fn limits(ui: &mut egui::Ui, kind: &TypeThere) {
    for limit in &kind.limits {
        let value = match limit.name.as_str() {
            "elevation" => format!("{:.1} m", limit.value),
            "slope" => format!("{:.1}°", limit.value),
            _ => format!("{:.2}", limit.value),
        };
        ui.label(format!("{}: {value} here, influence {}", limit.name.replace('_', " "), limit.equation()));
    }
}
