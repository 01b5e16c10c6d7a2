//! Panels, and windows over the land.

use crate::analysis::plots::PlotKind;
use crate::viewer::actions::Switch;
use crate::viewer::panel::edited::EditedItem;
use crate::viewer::panel::palette;
use crate::viewer::panel::tools::{Tools, Windows};
use crate::viewer::session::Tab;

impl Tools<'_, '_> {
    /// Opens or closes a panel. While all panels are hidden, an open one is not seen either, and its key
    /// shows it.
    pub(super) fn switch(&mut self, tab: Tab, to: Switch) {
        let is_seen = self.selection.shows_panels && self.is_open(tab, usize::MAX);
        self.set_open(tab, to.of(is_seen));
    }

    pub(super) fn plot(&mut self, kind: PlotKind) {
        self.scene.inside.kind = kind;
        self.set_open(Tab::Inside, true);
    }

    pub(super) fn play(&mut self) {
        self.watch();
        self.windows.player.toggle();
    }

    pub(super) fn go_to_frame(&mut self, frames: isize) {
        self.watch();
        self.windows.player.step(frames);
    }

    /// Opens the panel of the recorded build. One that is open plays on where panels are hidden, too.
    fn watch(&mut self) {
        if !self.windows.player.open {
            self.set_open(Tab::Watch, true);
        }
    }

    pub(super) fn compare_levels(&mut self, to: Switch) {
        let is_on = to.of(self.scene.comparison.document.is_some());
        self.scene.comparison.document = self.selection.edited().filter(|_| is_on);
    }

    pub(super) fn open_palette(&mut self, of: &EditedItem) {
        let known = palette::PaletteContext::of(Some(&of.document.recipe), self.windows.recent.paths());
        self.windows.palette.toggle(known);
    }

    pub(super) fn widen_brush(&mut self, times: f32) {
        self.windows.sculpting.widen(times);
        if !self.windows.sculpting.open {
            self.set_open(Tab::Sculpt, true);
        }
    }

    /// Closes everything that is open in addition to the editor, and shows the land as it is.
    pub(super) fn close_all(&mut self) {
        for tab in Tab::PANELS {
            self.set_open(tab, false);
        }
        let Windows { export, output, mistake, files, .. } = &mut self.windows;
        **export = Default::default();
        **output = Default::default();
        **mistake = Default::default();
        **files = Default::default();
        (self.scene.gallery.open, self.state.help) = (false, false);
        self.state.welcome.end();
        self.scene.comparison.document = None;
        self.scene.tower_tool.is_on = false;
    }
}
