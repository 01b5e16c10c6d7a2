//! How alike two landscapes are: a table of measures, and plots of both.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::plots;
use crate::analysis::likeness::{Comparison, Measure};
use crate::analysis::plots::{Plot, PlotFormat};
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::panel::split_view::land_of_pair;
use crate::viewer::views::likeness::LikenessView;

/// A distance that is larger than this many times the distance between the quarters of the second land is
/// seen at a glance.
const FAR_APART: f64 = 2.0;

/// Width of a number with its unit, points.
const NUMBER: f32 = 80.0;

/// Draws the panel. Returns the plot to write to a file, and its format.
pub(crate) fn show(
    ui: &mut egui::Ui,
    view: &mut LikenessView,
    lands: &[(Entity, String)],
) -> Option<(Plot, PlotFormat)> {
    if let Some(pair) = &mut view.pair {
        ui.horizontal_wrapped(|ui| {
            land_of_pair(ui, pair, 0, lands, "Land");
            ui.label("measured against");
            land_of_pair(ui, pair, 1, lands, "Land that it is measured against");
            if style::sign(ui.button("↔"), "Exchange both").clicked() {
                pair.swap(0, 1);
            }
        });
    }
    let mut shown = view.plot;
    let mut kept = None;
    match view.found() {
        None => drop(ui.horizontal(|ui| (ui.spinner(), ui.label("measuring both lands")))),
        Some(Err(reason)) => drop(ui.label(RichText::new(reason).color(style::error(ui)))),
        Some(Ok(found)) => {
            table(ui, &found.comparison);
            for remark in &found.remarks {
                let size = style::points(ui, 12.0);
                ui.label(RichText::new(remark).color(style::quiet(ui)).italics().size(size));
            }
            ui.separator();
            ui.horizontal_wrapped(|ui| {
                for (index, plot) in found.plots.iter().enumerate() {
                    ui.selectable_value(&mut shown, index, &plot.title);
                }
            });
            if let Some(plot) = found.plots.get(shown) {
                kept = plots::chart(ui, plot, ("likeness", shown), view.is_current());
            }
        }
    }
    view.plot = shown;
    kept
}

fn table(ui: &mut egui::Ui, comparison: &Comparison) {
    let head = ["", &comparison.names[0], &comparison.names[1], "distance", "within"];
    let tips = [
        "",
        "",
        "",
        "How far apart both lands are in this: 0 if they are alike",
        "How far apart the quarters of the second land are on average. A distance of about that size is no more than two parts of that land differ; one of several times that is seen at a glance",
    ];
    // Long names are broken, so that all columns fit into a narrow panel.
    let gap = 8.0;
    let width = style::points(ui, NUMBER);
    let first = (ui.available_width() - 4.0 * (width + gap)).clamp(0.6 * width, 2.5 * width);
    let cell = |ui: &mut egui::Ui, width: f32, text: RichText| {
        let label = |ui: &mut egui::Ui| {
            ui.set_max_width(width);
            ui.add(egui::Label::new(text).wrap())
        };
        ui.scope(label).inner
    };
    let grid = egui::Grid::new("likeness").num_columns(5).min_col_width(0.0).spacing([gap, 4.0]);
    grid.striped(true).show(ui, |ui| {
        for (column, (text, tip)) in head.into_iter().zip(tips).enumerate() {
            let width = if column == 0 { first } else { width };
            let label = cell(ui, width, RichText::new(text).color(style::quiet(ui)));
            if !tip.is_empty() {
                label.tip(tip);
            }
        }
        ui.end_row();
        for measure in comparison.measures() {
            let [name, one, other, distance, within] = measure.in_words().map(RichText::new);
            let distance = if is_far(&measure) { distance.strong() } else { distance };
            cell(ui, first, name);
            for text in [one, other, distance, within.color(style::quiet(ui))] {
                cell(ui, width, text);
            }
            ui.end_row();
        }
    });
}

/// Whether the lands differ in this by much more than parts of the second land do.
fn is_far(measure: &Measure) -> bool {
    measure.distance.zip(measure.within).is_some_and(|(distance, within)| distance > FAR_APART * within)
}
