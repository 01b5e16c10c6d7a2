//! What is seen, from where, and the ways between places.

use bevy::math::Vec3;

use crate::plugin::{DebugView, TerrainGround};
use crate::recipe::Tour;
use crate::render::scene;
use crate::render::view_mode::ViewMode;
use crate::viewer::actions::Switch;
use crate::viewer::document::Document;
use crate::viewer::panel::edited::{EditedItem, item};
use crate::viewer::panel::landscape::{recipe, tours};
use crate::viewer::panel::show;
use crate::viewer::panel::tools::Tools;

/// How many times farther away all of a land is seen in a view that shares the window's width with another.
const FARTHER_BESIDE: f32 = 1.4;

const VIEWSHED: ViewMode = ViewMode::View(DebugView::Viewshed);

impl Tools<'_, '_> {
    /// Shows a view of all lands, or a layer of the edited one. Towers can only be set in the view Viewshed.
    pub(super) fn show_view(&mut self, documents: &mut [EditedItem], view: ViewMode) {
        if view != VIEWSHED {
            self.scene.tower_tool.is_on = false;
        }
        show::show_on(documents, self.selection.edited(), view, &mut self.scene.viewed);
    }

    pub(super) fn show_next(&mut self, documents: &mut [EditedItem], step: isize) {
        if let Some(of) = item(documents, self.selection.edited()) {
            let next = show::after(of, self.scene.viewed.0, step);
            self.show_view(documents, next);
        }
    }

    pub(super) fn put_towers(&mut self, documents: &mut [EditedItem], to: Switch) {
        self.show_view(documents, VIEWSHED);
        self.scene.tower_tool.is_on = to.of(self.scene.tower_tool.is_on);
    }

    /// Goes back to where the landscape is first seen from.
    pub(super) fn look_again(&mut self, of: &EditedItem) {
        let (from, look) = opening_view(of);
        self.pilot.put(from, look);
    }

    /// Flies to the view that the landscape opens with: where the camera is, another land may have nothing to
    /// see, or its ground may be above it.
    pub(super) fn fly_to_opening_view(&mut self, of: &EditedItem) {
        let (from, look) = opening_view(of);
        self.pilot.go_to_sight(look + FARTHER_BESIDE * (from - look), look);
    }

    /// The landscape opens with the present view from now on.
    pub(super) fn keep_view(&mut self, document: &mut Document) {
        let (from, look) = self.pilot.sight();
        match recipe::keep_view(document, from, look) {
            Ok(()) => self.message.report("The landscape now opens with this view"),
            Err(error) => self.message.error(error.to_string()),
        }
    }

    pub(super) fn keep_bookmark(&mut self, document: &mut Document) {
        let kept = tours::keep_bookmark(document, &self.pilot);
        self.report(kept);
    }

    pub(super) fn visit(&mut self, document: &Document, index: usize) {
        if let Some(place) = document.recipe.bookmarks.get(index) {
            self.pilot.go_to_sight(place.from.into(), place.look.into());
        }
    }

    pub(super) fn tour(&mut self, document: &Document) {
        let tour = Tour::of(&document.recipe.bookmarks).filter(|_| !self.pilot.is_on_tour());
        self.pilot.tour(tour);
    }

    pub(super) fn record(&mut self, document: &mut Document) {
        let recorded = tours::record(document, &mut self.pilot);
        self.report(recorded);
    }

    pub(super) fn fly(&mut self, document: &Document, index: usize) {
        if let Some(flight) = document.recipe.flights.get(index) {
            self.pilot.tour(Tour::along(flight));
        }
    }

    pub(super) fn move_waypoint(&mut self, document: &mut Document, place: [usize; 2]) {
        let moved = tours::move_waypoint(document, &self.pilot, place);
        self.report(moved);
    }
}

/// The view that a landscape opens with: a position, and a point to look at.
fn opening_view(of: &EditedItem) -> (Vec3, Vec3) {
    scene::first_view(&of.document.recipe, of.ground.map(TerrainGround::height_range))
}
