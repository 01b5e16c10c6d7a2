//! What a naive version gets wrong: a switch between wrong and right, and why.

use bevy_egui::egui::{self, RichText};

use super::style;
use crate::lessons::Mistake;
use crate::recipe::Recipe;

/// Width of the window, logical pixels.
const WIDTH: f32 = 430.0;

/// The mistake that is shown, if one is, with the land as it makes it and the right one.
#[derive(Default)]
pub(super) struct MistakeWindow(Option<(&'static Mistake, [Recipe; 2])>);

impl MistakeWindow {
    /// Shows a mistake. Returns the land as it makes it.
    ///
    /// # Errors
    /// When one of its lands cannot be read.
    pub fn open(&mut self, mistake: &'static Mistake) -> crate::Result<Recipe> {
        let wrong = mistake.wrong()?;
        self.0 = Some((mistake, [wrong.clone(), mistake.right()?]));
        Ok(wrong)
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Closes it. The land stays.
    pub fn close(&mut self) {
        self.0 = None;
    }
}

/// What was asked for.
pub(super) enum Asked {
    /// To show this land in place of the edited one.
    Show(Recipe),
    /// To show it beside the edited one.
    Beside(Recipe),
}

/// Draws the window while a mistake is shown.
pub(super) fn show(
    context: &egui::Context,
    window: &mut MistakeWindow,
    edited: &Recipe,
    has_place: bool,
) -> Option<Asked> {
    let (mistake, [wrong, right]) = window.0.as_ref()?;
    let (mut open, mut asked) = (true, None);
    let corner = context.content_rect().right_bottom() - egui::vec2(24.0, 60.0);
    let frame = egui::Window::new(mistake.title).id(egui::Id::new("mistake")).open(&mut open);
    let frame = frame.resizable(false).pivot(egui::Align2::RIGHT_BOTTOM).default_pos(corner);
    frame.default_width(WIDTH).show(context, |ui| {
        ui.set_max_width(WIDTH);
        ui.horizontal(|ui| {
            for (name, recipe, tip) in [
                ("✖ Wrong", wrong, "The land as the naive version makes it"),
                ("✔ Right", right, "The land as upland makes it"),
            ] {
                let is_shown = edited.steps == recipe.steps && edited.texture == recipe.texture;
                let text = RichText::new(name).size(15.0);
                if ui.selectable_label(is_shown, text).on_hover_text(tip).clicked() {
                    asked = Some(Asked::Show(recipe.clone()));
                }
            }
            let beside = ui.add_enabled(has_place, egui::Button::new("Right one beside"));
            if beside.on_hover_text("Show both; the swipe goes from one to the other").clicked() {
                asked = Some(Asked::Beside(right.clone()));
            }
        });
        ui.separator();
        ui.label(mistake.why);
        ui.add_space(4.0);
        ui.label(RichText::new("The cure").strong());
        ui.label(mistake.cure);
        ui.add_space(4.0);
        ui.label(RichText::new("What makes it wrong").color(style::quiet(ui)));
        for (path, value) in mistake.spoils {
            ui.label(RichText::new(format!("{path} = {value}")).monospace().size(12.0));
        }
    });
    if !open {
        window.close();
    }
    asked
}
