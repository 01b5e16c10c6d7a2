//! The ground under the cursor.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;

use crate::plugin::{GroundPoint, TerrainQuery, TypeShare};
use crate::viewer::session::{Place, View, ViewOf};

/// Ground farther away than this is not found, metres.
const FAR: f32 = 400_000.0;

/// What is needed to find the ground under the cursor.
#[derive(SystemParam)]
pub(crate) struct Sight<'w, 's> {
    terrains: TerrainQuery<'w, 's>,
    views: Query<'w, 's, &'static View>,
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform, &'static Place, &'static ViewOf)>,
    window: Option<Single<'w, 's, &'static Window, With<PrimaryWindow>>>,
    egui: Res<'w, EguiWantsInput>,
}

impl Sight<'_, '_> {
    /// The point under the cursor, on any of the lands.
    pub fn on_any_land(&self) -> Option<GroundPoint> {
        self.cameras.iter().find_map(|(.., of)| self.under_cursor(of.0))
    }

    /// The point under the cursor on the land of this document; `None` if the cursor is not on that land.
    pub fn under_cursor(&self, document: Entity) -> Option<GroundPoint> {
        let window = self.window.as_ref().filter(|_| !self.egui.wants_any_pointer_input())?;
        let cursor = window.cursor_position()?;
        let (camera, eye, place, _) = self.cameras.get(self.views.get(document).ok()?.camera()).ok()?;
        let ray = camera.viewport_to_world(eye, place.in_view(camera, cursor)?).ok()?;
        self.terrains.cast_ray_on(document, ray, FAR)
    }
}

/// The ground under the cursor, for the status line.
#[derive(Resource, Default)]
pub(crate) struct UnderCursor(pub Option<(GroundPoint, Vec<TypeShare>)>);

/// Finds the ground under the cursor, on any of the lands.
pub(crate) fn look_under(sight: Sight, mut under: ResMut<UnderCursor>) {
    let point = sight.on_any_land();
    under.0 = point.map(|point| (point, sight.terrains.types(&point)));
}
