//! The parts of the window and its landscapes that the panels use, and which panels are open.

use bevy::diagnostic::DiagnosticsStore;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::WindowThemeChanged;
use bevy_egui::EguiClipboard;

use super::files::{export, output, path_dialog};
use super::learning::mistake;
use super::palette;
use super::state::PanelState;
use crate::plugin::{ScatterStatistics, TerrainCache, TerrainChunk, TerrainStatistics};
use crate::viewer::actions::ActionQueue;
use crate::viewer::build::playback::Player;
use crate::viewer::camera::cursor::UnderCursor;
use crate::viewer::camera::pilot::Pilot;
use crate::viewer::document::lesson::CurrentLesson;
use crate::viewer::document::links::SharedLight;
use crate::viewer::files::export::Exporting;
use crate::viewer::files::recent::{Browsing, Recent};
use crate::viewer::files::screenshot::Screenshots;
use crate::viewer::session::settings::Settings;
use crate::viewer::session::status_message::Message as Told;
use crate::viewer::session::{DocumentRequest, Place, Selection, ShownDebugView, Tab, ViewOf};
use crate::viewer::tools::nearest::Nearest;
use crate::viewer::tools::point_editor::Drawing;
use crate::viewer::tools::probe::Probing;
use crate::viewer::tools::sculpt::Sculpting;
use crate::viewer::tools::towers::TowerTool;
use crate::viewer::views::difference::DifferenceView;
use crate::viewer::views::gallery::Gallery;
use crate::viewer::views::levels_panes::{Comparison, Pane};
use crate::viewer::views::likeness::LikenessView;
use crate::viewer::views::plots::Inside;
use crate::viewer::views::quality::QualitySetting;
use crate::viewer::views::split_view::Arrangement;

/// Everything that the panels use, except the documents.
#[derive(SystemParam)]
pub(in super::super) struct Tools<'w, 's> {
    pub scene: Scene<'w, 's>,
    pub windows: Windows<'w, 's>,
    pub state: ResMut<'w, PanelState>,
    pub selection: ResMut<'w, Selection>,
    pub pilot: ResMut<'w, Pilot>,
    pub drawing: ResMut<'w, Drawing>,
    pub message: ResMut<'w, Told>,
    pub settings: ResMut<'w, Settings>,
    pub actions: ResMut<'w, ActionQueue>,
    pub keys: Res<'w, ButtonInput<KeyCode>>,
    pub requests: MessageWriter<'w, DocumentRequest>,
    pub themes: MessageReader<'w, 's, WindowThemeChanged>,
}

/// The scene's data that the panels read.
#[derive(SystemParam)]
pub(in super::super) struct Scene<'w, 's> {
    pub(super) chunks: Query<'w, 's, (&'static TerrainChunk, &'static ViewVisibility)>,
    pub(super) places: Query<'w, 's, (&'static ViewOf, &'static Place)>,
    pub(super) viewed: ResMut<'w, ShownDebugView>,
    pub(super) tower_tool: ResMut<'w, TowerTool>,
    pub(super) statistics: Res<'w, TerrainStatistics>,
    pub(super) scattered: Res<'w, ScatterStatistics>,
    pub(super) nearest: ResMut<'w, Nearest>,
    pub(super) diagnostics: Res<'w, DiagnosticsStore>,
    pub(super) chosen: ResMut<'w, QualitySetting>,
    pub(super) comparison: ResMut<'w, Comparison>,
    pub(super) panes: Query<'w, 's, (&'static Pane, &'static Place)>,
    pub(super) under_cursor: Res<'w, UnderCursor>,
    pub(super) gallery: ResMut<'w, Gallery>,
    pub(super) inside: ResMut<'w, Inside>,
    pub(super) arrangement: ResMut<'w, Arrangement>,
    pub(super) light: Res<'w, SharedLight>,
    pub(super) cache: Res<'w, TerrainCache>,
    pub(super) differing: ResMut<'w, DifferenceView>,
    pub(super) likeness: ResMut<'w, LikenessView>,
}

/// Windows that open in addition to the panels, and what they need.
#[derive(SystemParam)]
pub(in super::super) struct Windows<'w, 's> {
    pub(super) player: ResMut<'w, Player>,
    pub(super) probing: ResMut<'w, Probing>,
    pub(super) sculpting: ResMut<'w, Sculpting>,
    pub(super) teaching: ResMut<'w, CurrentLesson>,
    pub(super) recent: Res<'w, Recent>,
    pub(super) browsing: ResMut<'w, Browsing>,
    pub(super) clipboard: ResMut<'w, EguiClipboard>,
    pub(super) exporting: ResMut<'w, Exporting>,
    pub(super) screenshots: ResMut<'w, Screenshots>,
    pub(super) export: Local<'s, export::ExportWindow>,
    pub(super) output: Local<'s, output::OutputWindow>,
    pub(super) mistake: Local<'s, mistake::MistakeWindow>,
    pub(super) files: Local<'s, path_dialog::FileWindow>,
    pub(super) palette: Local<'s, palette::Palette>,
}

impl Tools<'_, '_> {
    /// Whether a panel is open, though all of them may be hidden.
    pub fn is_open(&self, tab: Tab, documents: usize) -> bool {
        match tab {
            Tab::Land | Tab::Recipe => true,
            Tab::Inside => self.scene.inside.open,
            Tab::Watch => self.windows.player.open,
            Tab::Probe => self.windows.probing.open,
            Tab::Sculpt => self.windows.sculpting.open,
            Tab::Difference => self.scene.differing.open && self.is_beside(documents),
            Tab::Likeness => self.scene.likeness.open && self.is_beside(documents),
            tab => self.state.open.contains(&tab),
        }
    }

    /// Whether there are views of two lands, which can be compared.
    fn is_beside(&self, documents: usize) -> bool {
        documents > 1 && self.scene.comparison.document.is_none()
    }

    /// Opens a panel, or closes it.
    pub fn set_open(&mut self, tab: Tab, is_open: bool) {
        match tab {
            Tab::Land | Tab::Recipe => {}
            Tab::Inside => self.scene.inside.open = is_open,
            Tab::Watch => self.windows.player.open = is_open,
            Tab::Probe => self.windows.probing.open = is_open,
            Tab::Sculpt => self.windows.sculpting.open = is_open,
            Tab::Difference => self.scene.differing.open = is_open,
            Tab::Likeness => self.scene.likeness.open = is_open,
            tab if is_open => _ = self.state.open.insert(tab),
            tab => _ = self.state.open.remove(&tab),
        }
        // Opening a panel also shows the panels, if they were hidden.
        self.selection.shows_panels |= is_open;
    }
}
