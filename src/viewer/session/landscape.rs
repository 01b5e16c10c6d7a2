//! The open landscapes from left to right, and what belongs to each: its view, its sky and its render layer.
//!
//! A landscape is identified by the entity of its document.

use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::views::Place;
use crate::render::scene::CloudBase;

/// The maximum number of landscapes shown side by side.
pub const MAX_LANDSCAPES: usize = 4;

/// The documents of the open landscapes, from left to right. Nothing else knows this order.
#[derive(Resource, Default)]
pub(crate) struct Landscapes(Vec<Entity>);

impl Landscapes {
    /// The leftmost one.
    pub fn first(&self) -> Option<Entity> {
        self.at(0)
    }

    /// The one at this place, counted from the left.
    pub fn at(&self, index: usize) -> Option<Entity> {
        self.0.get(index).copied()
    }

    /// The place of a document, counted from the left; `None` if it is not open.
    pub fn index_of(&self, document: Entity) -> Option<usize> {
        self.0.iter().position(|other| *other == document)
    }

    /// Whether a document is open.
    pub fn contains(&self, document: Entity) -> bool {
        self.0.contains(&document)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Entity> {
        self.0.iter().copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a document to the right of the others.
    pub fn push(&mut self, document: Entity) {
        self.0.push(document);
    }

    /// Removes a document; those to its right move up.
    pub fn remove(&mut self, document: Entity) {
        self.0.retain(|other| *other != document);
    }

    /// These documents in this order.
    #[cfg(test)]
    pub fn of(documents: impl IntoIterator<Item = Entity>) -> Self {
        Self(documents.into_iter().collect())
    }

    /// Spawns a landscape with these components, to the right of the others.
    #[cfg(test)]
    pub fn spawn(world: &mut World, landscape: impl Bundle) -> Entity {
        let document = world.spawn(landscape).id();
        world.get_resource_or_init::<Self>().push(document);
        document
    }
}

/// On a camera: the document whose land it shows.
#[derive(Component)]
#[relationship(relationship_target = View)]
#[require(Place)]
pub(crate) struct ViewOf(pub Entity);

/// On a document: the camera that shows its land, which is despawned with it.
#[derive(Component)]
#[relationship_target(relationship = ViewOf, linked_spawn)]
pub(crate) struct View(Entity);

impl View {
    /// The camera.
    pub fn camera(&self) -> Entity {
        self.0
    }
}

/// On a sky: the document that it belongs to.
#[derive(Component)]
#[relationship(relationship_target = OwnSky)]
#[require(CloudBase)]
pub(crate) struct SkyOf(pub Entity);

/// On a document: its sky, which is despawned with it.
#[derive(Component)]
#[relationship_target(relationship = SkyOf, linked_spawn)]
pub(crate) struct OwnSky(Entity);

impl OwnSky {
    /// The sky.
    pub fn sky(&self) -> Entity {
        self.0
    }
}

/// The eyes that see landscapes.
#[derive(SystemParam)]
pub(crate) struct Eyes<'w, 's> {
    views: Query<'w, 's, &'static View>,
    cameras: Query<'w, 's, &'static GlobalTransform>,
}

impl Eyes<'_, '_> {
    /// The position from which the land of a document is seen.
    pub fn of(&self, document: Entity) -> Option<Vec3> {
        let camera = self.cameras.get(self.views.get(document).ok()?.camera()).ok()?;
        Some(camera.translation())
    }
}

/// The render layers of documents.
#[derive(SystemParam)]
pub(crate) struct Layers<'w, 's>(Query<'w, 's, &'static RenderLayers>);

impl Layers<'_, '_> {
    /// Makes gizmos appear on the land of a document, in front of everything except the nearest metres. The
    /// bias is not −1, because rounding would put parts of a line in front of the near plane.
    pub fn draw_on(&self, config: &mut GizmoConfig, document: Option<Entity>) {
        config.render_layers = document.map_or(RenderLayers::none(), |document| self.of(document));
        config.line.width = 3.0;
        config.depth_bias = -0.9;
    }

    /// The layers of a document; none if it is not open.
    pub fn of(&self, document: Entity) -> RenderLayers {
        self.0.get(document).cloned().unwrap_or(RenderLayers::none())
    }
}
