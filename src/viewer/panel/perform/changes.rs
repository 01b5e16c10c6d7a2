//! Changes of the edited landscape.

use crate::recipe::Step;
use crate::viewer::panel::edited::EditedItem;
use crate::viewer::panel::landscape::{add_step, recipe};
use crate::viewer::panel::tools::Tools;
use crate::viewer::tools::point_editor::{Target, has_points};

impl Tools<'_, '_> {
    /// While towers are being set, this undoes the last change of the towers.
    pub(super) fn undo(&mut self, of: &mut EditedItem) {
        if !(self.scene.tower_tool.is_on && of.towers.undo()) {
            of.document.undo();
        }
    }

    pub(super) fn add_step(&mut self, of: &mut EditedItem, step: Step) {
        of.document.settle();
        let added = add_step::append(&mut of.document.recipe, step, of.ground, &mut of.stack);
        self.report(added);
    }

    pub(super) fn paste(&mut self, of: &mut EditedItem, place: usize) {
        let text = self.windows.clipboard.get_text();
        let pasted = recipe::paste(&mut of.document, &mut of.stack, place, text);
        self.report(pasted);
    }

    pub(super) fn draw_on_land(&mut self, of: &EditedItem) {
        let step = of.document.recipe.steps.iter().position(has_points).filter(|_| !self.drawing.is_on());
        self.drawing.target = step.map(|step| Target { document: of.entity, step });
    }
}
