//! Landscapes in the window: their numbers, their render layers and their skies.

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The maximum number of landscapes shown side by side.
pub const MAX_LANDSCAPES: usize = 4;

/// The number of a document, counted from the left.
#[derive(Component, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number(pub usize);

/// On a sky: the document that it belongs to.
#[derive(Component)]
pub(crate) struct SkyOf(pub Entity);

/// The render layers of documents, by their numbers.
#[derive(SystemParam)]
pub(crate) struct Layers<'w, 's>(Query<'w, 's, (&'static Number, &'static RenderLayers)>);

impl Layers<'_, '_> {
    /// Makes gizmos appear on the land of the document with this number, in front of everything except the
    /// nearest metres. The bias is not −1, because rounding would put parts of a line in front of the near
    /// plane.
    pub fn draw_on(&self, config: &mut GizmoConfig, number: usize) {
        config.render_layers = self.of(number);
        config.line.width = 3.0;
        config.depth_bias = -0.9;
    }

    /// The layers of the document with this number.
    pub fn of(&self, number: usize) -> RenderLayers {
        let found = self.0.iter().find(|(other, _)| other.0 == number);
        found.map(|(_, layers)| layers.clone()).unwrap_or(RenderLayers::none())
    }
}
