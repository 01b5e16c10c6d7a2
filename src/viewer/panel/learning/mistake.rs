//! A mistake of a naive version: a switch between wrong and right, and the reason.

use bevy::prelude::Entity;
use bevy_egui::egui::{self, RichText};

use crate::lessons::Mistake;
use crate::recipe::Recipe;
use crate::viewer::actions::{Action, ActionQueue};
use crate::viewer::panel::controls::action_button::ActionButtons as _;
use crate::viewer::panel::controls::style::{self, Tip as _};
use crate::viewer::session::DocumentRequest;

/// Width of the window, logical pixels.
const WIDTH: f32 = 430.0;

/// An open landscape: its document, the number of the landscape shown in it, and its recipe.
pub(crate) type OpenLand<'a> = (Entity, usize, &'a Recipe);

/// The mistake that is explained, if any. Its window is shown while one of its lands is edited.
#[derive(Default)]
pub(crate) struct MistakeWindow(Option<ExplainedMistake>);

/// A mistake with its lands.
struct ExplainedMistake {
    mistake: &'static Mistake,
    /// The land of the naive version, and the right one.
    recipes: [Recipe; 2],
    /// Where its lands are open. Empty until one of them has been opened, because a question may come first.
    lands: Vec<(Entity, usize)>,
    /// Whether one of its lands is the edited one.
    is_edited: bool,
}

impl MistakeWindow {
    /// Explains a mistake as soon as one of its lands is open. Returns the land of the naive version.
    ///
    /// # Errors
    /// When one of its lands cannot be read.
    pub fn open(&mut self, mistake: &'static Mistake) -> crate::Result<Recipe> {
        let wrong = mistake.wrong()?;
        let recipes = [wrong.clone(), mistake.right()?];
        self.0 = Some(ExplainedMistake { mistake, recipes, lands: Vec::new(), is_edited: false });
        Ok(wrong)
    }

    /// Follows the open landscapes, of which `edited` is being edited. The window is hidden while that is not
    /// one of the mistake's lands, and closes once none of these is open.
    pub fn follow<'a>(&mut self, open: impl Iterator<Item = OpenLand<'a>> + Clone, edited: Option<Entity>) {
        let Some(explained) = &mut self.0 else { return };
        let is_open =
            |place: &(Entity, usize)| open.clone().any(|(entity, number, _)| (entity, number) == *place);
        let was_there = !explained.lands.is_empty();
        explained.lands.retain(is_open);
        for (entity, number, recipe) in open.clone() {
            let place = (entity, number);
            // The place is remembered, so that the land still counts after it has been edited.
            if !explained.lands.contains(&place) && explained.recipes.contains(recipe) {
                explained.lands.push(place);
            }
        }
        explained.is_edited = explained.lands.iter().any(|(entity, _)| Some(*entity) == edited);
        if was_there && explained.lands.is_empty() {
            self.0 = None;
        }
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.0.as_ref().is_some_and(|explained| explained.is_edited)
    }

    /// Closes it. The land stays.
    pub fn close(&mut self) {
        self.0 = None;
    }
}

/// Draws the window while a mistake is shown.
pub(crate) fn show(
    context: &egui::Context,
    window: &mut MistakeWindow,
    (document, edited): (Entity, &Recipe),
    actions: &mut ActionQueue,
) {
    let Some(explained) = window.0.as_ref().filter(|explained| explained.is_edited) else { return };
    let (mistake, [wrong, right]) = (explained.mistake, &explained.recipes);
    let mut open = true;
    let corner = context.content_rect().right_bottom() - egui::vec2(24.0, 60.0);
    let frame = egui::Window::new(mistake.title).id(egui::Id::new("mistake")).open(&mut open);
    let frame = frame.resizable(false).pivot(egui::Align2::RIGHT_BOTTOM).default_pos(corner);
    frame.default_width(WIDTH).show(context, |ui| {
        ui.set_max_width(WIDTH);
        ui.horizontal(|ui| {
            for (name, recipe, tip) in [
                ("✖ Wrong", wrong, "The land of the naive version"),
                ("✔ Right", right, "The land of upland's version"),
            ] {
                let is_shown = edited.steps == recipe.steps && edited.texture == recipe.texture;
                let text = RichText::new(name).size(style::points(ui, 15.0));
                if ui.selectable_label(is_shown, text).tip(tip).clicked() {
                    let recipe = Box::new(recipe.clone());
                    actions.send(Action::Document(DocumentRequest::Show { document, recipe, path: None }));
                }
            }
            let tip = "Opens the right land next to this one; “Swipe” moves between them";
            let beside = DocumentRequest::Beside(Box::new(right.clone()));
            actions.button(ui, "Show both", tip, Action::Document(beside));
        });
        ui.separator();
        ui.label(mistake.why);
        ui.add_space(4.0);
        ui.label(RichText::new("The fix").strong());
        ui.label(mistake.cure);
        ui.add_space(4.0);
        ui.label(RichText::new("The cause").color(style::quiet(ui)));
        for (path, value) in mistake.spoils {
            ui.label(RichText::new(format!("{path} = {value}")).monospace().size(style::points(ui, 12.0)));
        }
    });
    if !open {
        window.close();
    }
}
