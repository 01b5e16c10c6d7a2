//! The status line: what is being built, how much is drawn, how fast.

use bevy::diagnostic::{DiagnosticsStore, FrameTimeDiagnosticsPlugin};
use bevy_egui::egui;

use super::super::document::Document;
use super::super::fly::Pilot;
use super::style;
use crate::plugin::{TerrainGround, TerrainStatus};

/// Draws the line.
pub(super) fn show<'a>(
    ui: &mut egui::Ui,
    documents: impl Iterator<Item = (&'a Document, &'a TerrainStatus, Option<&'a TerrainGround>)>,
    diagnostics: &DiagnosticsStore,
    pilot: &Pilot,
) {
    ui.horizontal(|ui| {
        for (document, status, ground) in documents {
            state(ui, document, status, ground);
            ui.separator();
        }
        let place = pilot.place;
        let text = format!("{:.0} m up, {}/s", place.y, metres(pilot.speed));
        ui.label(egui::RichText::new(text).color(style::QUIET))
            .on_hover_text("Height and speed of flight; the wheel sets the speed");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let fps = diagnostics.get(&FrameTimeDiagnosticsPlugin::FPS).and_then(|fps| fps.smoothed());
            ui.label(format!("{:.0} fps", fps.unwrap_or(0.0)));
        });
    });
}

fn state(ui: &mut egui::Ui, document: &Document, status: &TerrainStatus, ground: Option<&TerrainGround>) {
    ui.label(egui::RichText::new(&document.recipe.name).strong());
    match status {
        TerrainStatus::Waiting => drop(ui.label("waiting")),
        TerrainStatus::Building { stage, fraction } => {
            let bar = egui::ProgressBar::new(*fraction).desired_width(140.0).text(stage.as_str());
            ui.add(bar);
        }
        TerrainStatus::Failed(_) => {
            drop(ui.label(egui::RichText::new("failed; the land before stays").color(style::ERROR)))
        }
        TerrainStatus::Ready => {}
    }
    if let Some(ground) = ground {
        let grid = ground.landscape.heightfield.grid();
        ui.label(format!("{} samples", count(grid.count())))
            .on_hover_text(format!("{} × {}", grid.width, grid.depth));
    }
}

/// A count in a few letters: 1.05 M.
pub(super) fn count(number: usize) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{:.0} k", number as f64 / 1e3),
        _ => format!("{:.2} M", number as f64 / 1e6),
    }
}

fn metres(length: f32) -> String {
    if length < 1000.0 { format!("{length:.0} m") } else { format!("{:.1} km", length / 1000.0) }
}
