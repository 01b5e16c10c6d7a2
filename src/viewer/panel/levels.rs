//! The comparison of levels of detail: its switch, and the errors of the meshes.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use super::controls::action_button::ActionButtons as _;
use super::controls::style;
use super::controls::{parameters, section};
use crate::viewer::actions::{Action, ActionQueue, Switch};
use crate::viewer::views::levels_panes::Comparison;

/// Draws the switch and the errors; `document` is the edited one, and `pixel_error` that of its quality.
pub(super) fn show(
    ui: &mut egui::Ui,
    comparison: &mut Comparison,
    (document, pixel_error): (Entity, f32),
    actions: &mut ActionQueue,
) {
    section::show(ui, "Levels of detail", false, |ui| {
        let is_on = comparison.is_of(document);
        let tip = "Shows this land as wireframes of four methods, with the cost and the accuracy of each (L)";
        ui.horizontal(|ui| {
            let button = egui::Button::new("Compare").selected(is_on);
            actions.add(ui, button, tip, Action::Levels(Switch::from(!is_on)));
            if let Some(progress) = comparison.progress() {
                ui.add(style::progress(ui, progress, "making meshes").desired_width(120.0));
            }
        });
        if !is_on {
            return;
        }
        let about = "How far the meshes of CDLOD and ROAM may visibly deviate from the ground, in pixels.";
        parameters::named(ui, "pixel error", about, |ui| {
            let mut error = comparison.pixel_error.unwrap_or(pixel_error);
            let slider = egui::Slider::new(&mut error, 0.5..=20.0).logarithmic(true).suffix(" px");
            if style::called(ui.add(slider.max_decimals(1)), "pixel error").changed() {
                comparison.pixel_error = Some(error);
            }
        });
        let about = "How far any sample may be from the TIN, in metres. Changing it rebuilds the TIN.";
        parameters::named(ui, "TIN", about, |ui| {
            let mut error = comparison.tin_error.or(comparison.made_tin_error()).unwrap_or(1.0);
            let slider = egui::Slider::new(&mut error, 0.05..=200.0).logarithmic(true).suffix(" m");
            let moved = style::called(ui.add(slider.max_decimals(2)), "TIN");
            // Making a mesh for every step of a drag would take long.
            if moved.drag_stopped() || (moved.changed() && !moved.dragged()) {
                comparison.tin_error = Some(error);
            }
        });
        if let Some(about) = comparison.about_samples() {
            ui.label(RichText::new(about).color(style::quiet(ui)));
        }
    });
}
