//! How the window looks: the quality of the land, dark or light panels, and where panels are.

use bevy::prelude::*;
use bevy::window::WindowTheme;
use bevy_egui::egui;

use super::controls::action_button::ActionButtons as _;
use super::controls::quality::QUALITIES;
use super::controls::section;
use super::controls::style::{self, Tip as _};
use super::tools::Tools;
use crate::plugin::Quality;
use crate::viewer::actions::Action;
use crate::viewer::session::settings::Theme;

/// Themes, with their names and what they are for.
const THEMES: [(Theme, &str, &str); 3] = [
    (Theme::Dark, "Dark", "Dark panels: the land is the brightest thing on the screen"),
    (Theme::Light, "Light", "Light panels: for bright rooms, projectors and print"),
    (Theme::System, "System", "Follows the system's own setting"),
];

/// Draws the settings.
pub(super) fn show(ui: &mut egui::Ui, tools: &mut Tools) {
    section::show(ui, "Quality", false, |ui| quality(ui, tools));
    section::show(ui, "Panels", false, |ui| {
        let before = tools.settings.kept().theme;
        let mut theme = before;
        for (other, name, tip) in THEMES {
            ui.radio_value(&mut theme, other, name).tip(tip);
        }
        if theme != before {
            tools.actions.send(Action::Theme(theme));
        }
        let tip = "Panels can be dragged by their titles to any side of the land, over it, or behind one \
                   another. This returns all of them to their initial places.";
        tools.actions.button(ui, "Reset panel layout", tip, Action::Tidy);
    });
}

fn quality(ui: &mut egui::Ui, tools: &mut Tools) {
    let before = tools.scene.chosen.quality();
    let mut quality = before;
    for (level, name, tip) in QUALITIES {
        ui.radio_value(&mut quality, level, name).tip(tip);
    }
    if tools.scene.chosen.is_tried() {
        ui.label(egui::RichText::new("testing what this device can draw").color(style::quiet(ui)));
    }
    if quality != before {
        tools.actions.send(Action::Quality(quality));
    }
}

impl Tools<'_, '_> {
    /// Switches to a quality, also for the next start.
    pub fn choose_quality(&mut self, quality: Quality) {
        if let Err(error) = self.scene.chosen.choose(quality, &mut self.settings) {
            self.message.error(format!("The quality cannot be saved for the next start: {error}"));
        }
    }

    /// Makes panels dark or light, also at the next start.
    pub fn choose_theme(&mut self, theme: Theme) {
        if let Err(error) = self.settings.change(|kept| kept.theme = theme) {
            self.message.error(format!("The theme cannot be saved for the next start: {error}"));
        }
    }

    /// Gives the panels their colours; `of_window` is the theme of the window when it was opened, if known.
    pub fn dress(&mut self, context: &egui::Context, of_window: Option<WindowTheme>) {
        if let Some(changed) = self.themes.read().last() {
            self.state.system_theme = Some(changed.theme);
        }
        let of_system = self.state.system_theme.or(of_window);
        context.set_theme(match (self.settings.kept().theme, of_system) {
            (Theme::Light, _) | (Theme::System, Some(WindowTheme::Light)) => egui::Theme::Light,
            (Theme::Dark | Theme::System, _) => egui::Theme::Dark,
        });
    }
}
