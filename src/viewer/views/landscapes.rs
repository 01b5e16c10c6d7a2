//! Opens landscapes in the window, and closes them.

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

use super::levels_panes::Comparison;
use crate::Cache;
use crate::plugin::{DebugView, Quality, Terrain, WorldOrigin};
use crate::render::scene;
use crate::viewer::build::rebuild::BuildRequest;
use crate::viewer::build::step_stack::StackView;
use crate::viewer::camera::pilot::FollowsPilot;
use crate::viewer::document::links::Links;
use crate::viewer::document::{Document, autosave};
use crate::viewer::session::{Landscapes, MAX_LANDSCAPES, Selection, SkyOf, ViewOf};
use crate::viewer::tools::point_editor::Drawing;
use crate::viewer::tools::towers::Towers;

/// On a document whose initial view has not been set yet.
#[derive(Component)]
pub(crate) struct NotYetSeen;

/// Opens a document to the right of the others. Nothing is edited before the first one is open, and then that
/// one is. Returns the document's entity.
pub(crate) fn spawn_landscape(
    commands: &mut Commands,
    cache: &Cache,
    document: Document,
    quality: Quality,
) -> Entity {
    let cache = cache.clone();
    let entity = commands.spawn_empty().id();
    commands.queue(move |world: &mut World| {
        let recipe = document.recipe.clone();
        let layer = free_layer(world);
        let land = scene::terrain(&recipe, &cache, layer, quality);
        let asked = BuildRequest::full(&document);
        let of_window = (NotYetSeen, Towers::default(), StackView::default(), Links::default());
        let is_unread = document.unread().is_some();
        world.entity_mut(entity).insert((land, asked, document, of_window));
        if is_unread {
            // A default terrain fails to build, so its view shows the reason and no land.
            world.entity_mut(entity).insert(Terrain::default()).remove::<NotYetSeen>();
        }
        // The world's origin may have moved since the first land was placed at it.
        let origin = world.get_resource::<WorldOrigin>().copied().unwrap_or_default();
        if let Some(mut place) = world.get_mut::<Transform>(entity) {
            place.translation -= origin.0.as_vec3();
        }
        world.get_resource_or_init::<Landscapes>().push(entity);
        if let Some(mut selection) = world.get_resource_mut::<Selection>()
            && selection.edited().is_none()
        {
            selection.edit(entity);
        }
        world.spawn((scene::sky(&recipe, layer, quality), SkyOf(entity)));
        let camera = (scene::camera(layer, quality), Camera { order: layer as isize, ..default() });
        let camera = world.spawn((camera, FollowsPilot, ViewOf(entity))).id();
        scene::dress(world.commands().entity(camera), quality, DebugView::None);
        world.flush();
    });
    entity
}

/// Removes a document with its land, its sky and its view; those to its right move up. The only document
/// stays.
pub(crate) fn close_landscape(world: &mut World, document: Entity) {
    let landscapes = world.resource::<Landscapes>();
    let Some(index) = landscapes.index_of(document).filter(|_| landscapes.len() > 1) else { return };
    world.despawn(document);
    world.resource_mut::<Landscapes>().remove(document);
    autosave::begin_again(world);
    let landscapes = world.resource::<Landscapes>();
    let next = landscapes.at(index.min(landscapes.len() - 1));
    if let Some(mut selection) = world.get_resource_mut::<Selection>()
        && selection.is_edited(document)
        && let Some(next) = next
    {
        selection.edit(next);
    }
    world.resource_mut::<Comparison>().document = None;
    world.resource_mut::<Drawing>().target = None;
}

/// A render layer that no landscape uses. Layer 0 is shared; each landscape has a layer of its own while it
/// is open.
fn free_layer(world: &World) -> usize {
    let open = || world.get_resource::<Landscapes>().into_iter().flat_map(Landscapes::iter);
    let is_free = |layer: &usize| {
        let layer = RenderLayers::layer(*layer);
        let mut taken = open().filter_map(|land| world.get::<RenderLayers>(land));
        taken.all(|taken| !taken.intersects(&layer))
    };
    (1..=MAX_LANDSCAPES).find(is_free).unwrap_or(MAX_LANDSCAPES)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::recipe::Recipe;
    use crate::viewer::document::autosave::AutosavePlugin;
    use crate::viewer::session::status_message::Message;
    use crate::viewer::tools::point_editor::Target;
    use crate::viewer::views::difference::DifferenceView;

    #[test]
    fn closing_a_landscape_moves_those_to_its_right_up() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AutosavePlugin { root: None }))
            .init_resource::<Message>()
            .init_resource::<Comparison>()
            .init_resource::<DifferenceView>()
            .init_resource::<Drawing>();
        let mut count = 0;
        let lands = ["A", "B", "C"].map(|name| {
            count += 1;
            let document = Document::new(Recipe::new(name, (3, 3), 1.0), None);
            let layer = RenderLayers::layer(count);
            let land = Landscapes::spawn(app.world_mut(), (document, layer));
            app.world_mut().spawn(SkyOf(land));
            app.world_mut().spawn(ViewOf(land));
            land
        });
        let [a, b, c] = lands;
        app.insert_resource(Selection::editing(c));
        app.world_mut().resource_mut::<DifferenceView>().pair = Some([a, c]);
        app.world_mut().resource_mut::<Drawing>().target = Some(Target { document: c, step: 0 });
        let named = |app: &App| {
            let open = app.world().resource::<Landscapes>().iter();
            let name = |land| app.world().get::<Document>(land).unwrap().recipe.name.clone();
            open.map(name).collect::<Vec<_>>()
        };
        // The lands that are seen, and those that have a sky.
        let seen = |app: &mut App| {
            let mut views = app.world_mut().query::<&ViewOf>();
            let mut skies = app.world_mut().query::<&SkyOf>();
            let views = views.iter(app.world()).map(|view| view.0).collect::<BTreeSet<_>>();
            (views, skies.iter(app.world()).map(|sky| sky.0).collect::<BTreeSet<_>>())
        };
        let both = |lands: &[Entity]| {
            let lands = BTreeSet::from_iter(lands.iter().copied());
            (lands.clone(), lands)
        };
        assert_eq!(seen(&mut app), both(&lands));
        close_landscape(app.world_mut(), b);
        assert_eq!(named(&app), ["A", "C"]);
        assert_eq!(seen(&mut app), both(&[a, c]));
        assert!(app.world().resource::<Selection>().is_edited(c));
        assert!(app.world().resource::<Drawing>().target.is_none());
        app.world_mut().resource_scope(|world, mut differing: Mut<DifferenceView>| {
            differing.follow(world.resource::<Landscapes>());
            assert_eq!(differing.pair, Some([a, c]), "A and C are compared as before");
        });
        assert_eq!(free_layer(app.world()), 2, "the layer of the closed one");
        close_landscape(app.world_mut(), c);
        assert!(app.world().resource::<Selection>().is_edited(a));
        close_landscape(app.world_mut(), a);
        assert_eq!(named(&app), ["A"], "the last one stays");
        assert_eq!(seen(&mut app), both(&[a]));
        assert!(app.world().resource::<Selection>().is_edited(a));
    }

    #[test]
    fn the_landscape_to_the_right_of_the_closed_one_is_edited() {
        let mut app = App::new();
        app.init_resource::<Comparison>().init_resource::<Drawing>();
        let lands = ["A", "B", "C"].map(|name| {
            let document = Document::new(Recipe::new(name, (3, 3), 1.0), None);
            Landscapes::spawn(app.world_mut(), document)
        });
        app.insert_resource(Selection::editing(lands[1]));
        for [closed, edited] in [[1, 2], [2, 0]] {
            close_landscape(app.world_mut(), lands[closed]);
            assert_eq!(app.world().resource::<Selection>().edited(), Some(lands[edited]));
        }
    }
}
