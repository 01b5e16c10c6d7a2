//! Buttons that perform actions. A button whose action would be refused is disabled, and gives the reason.

use bevy_egui::egui;

use super::style::Tip as _;
use crate::viewer::actions::{Action, ActionQueue};

/// Draws buttons.
pub(crate) trait ActionButtons {
    /// A button with a text.
    fn button<'a>(
        &mut self,
        ui: &mut egui::Ui,
        text: impl egui::IntoAtoms<'a>,
        tip: &str,
        action: Action,
    ) -> egui::Response {
        self.add(ui, egui::Button::new(text), tip, action)
    }

    /// Any button.
    fn add(
        &mut self,
        ui: &mut egui::Ui,
        button: impl egui::Widget,
        tip: &str,
        action: Action,
    ) -> egui::Response;
}

impl ActionButtons for ActionQueue {
    fn add(
        &mut self,
        ui: &mut egui::Ui,
        button: impl egui::Widget,
        tip: &str,
        action: Action,
    ) -> egui::Response {
        let reason = self.refused(&action);
        let mut response = ui.add_enabled(reason.is_none(), button);
        if !tip.is_empty() {
            response = response.tip(tip);
        }
        if let Some(reason) = reason {
            response = response.on_disabled_hover_text(reason);
        }
        if response.clicked() {
            self.send(action);
        }
        response
    }
}
