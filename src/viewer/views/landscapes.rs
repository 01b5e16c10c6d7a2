//! Opens landscapes in the window, and closes them.

use bevy::camera::visibility::RenderLayers;
use bevy::prelude::*;

use super::difference::DifferenceView;
use super::levels_panes::Comparison;
use crate::Cache;
use crate::plugin::{DebugView, Quality, Terrain, WorldOrigin};
use crate::render::scene;
use crate::viewer::build::rebuild::BuildRequest;
use crate::viewer::build::step_stack::StackView;
use crate::viewer::camera::pilot::FollowsPilot;
use crate::viewer::document::links::Links;
use crate::viewer::document::{Document, autosave};
use crate::viewer::session::{MAX_LANDSCAPES, Number, Selection, SkyOf, Slot};
use crate::viewer::tools::point_editor::Drawing;
use crate::viewer::tools::towers::Towers;

/// On a document whose initial view has not been set yet.
#[derive(Component)]
pub(crate) struct NotYetSeen;

/// Spawns a document with this number, to the right of those before it.
pub(crate) fn spawn_landscape(
    commands: &mut Commands,
    cache: &Cache,
    index: usize,
    document: Document,
    quality: Quality,
) {
    let cache = cache.clone();
    commands.queue(move |world: &mut World| {
        let recipe = document.recipe.clone();
        let layer = free_layer(world);
        let land = scene::terrain(&recipe, &cache, layer, quality);
        let asked = BuildRequest::full(&document);
        let of_window =
            (Number(index), NotYetSeen, Towers::default(), StackView::default(), Links::default());
        let is_unread = document.unread().is_some();
        let entity = world.spawn((land, asked, document, of_window)).id();
        if is_unread {
            // A default terrain fails to build, so its view shows the reason and no land.
            world.entity_mut(entity).insert(Terrain::default()).remove::<NotYetSeen>();
        }
        // The world's origin may have moved since the first land was placed at it.
        let origin = world.get_resource::<WorldOrigin>().copied().unwrap_or_default();
        if let Some(mut place) = world.get_mut::<Transform>(entity) {
            place.translation -= origin.0.as_vec3();
        }
        world.spawn((scene::sky(&recipe, layer, quality), SkyOf(entity)));
        let camera = (scene::camera(layer, quality), Camera { order: layer as isize, ..default() });
        let camera = world.spawn((camera, FollowsPilot, Slot(index))).id();
        scene::dress(world.commands().entity(camera), quality, DebugView::None);
        world.flush();
    });
}

/// Removes a document with its land and its view; those to its right move up. The only document stays.
pub(crate) fn close_landscape(world: &mut World, document: Entity) {
    let mut numbers = world.query::<&mut Number>();
    let Some(&Number(closed)) = world.get::<Number>(document) else { return };
    if numbers.iter(world).count() < 2 {
        return;
    }
    let mut skies = world.query::<(Entity, &SkyOf)>();
    let skies = skies.iter(world).filter(|(_, of)| of.0 == document).map(|(sky, _)| sky);
    let mut gone: Vec<Entity> = skies.chain([document]).collect();
    let mut views = world.query::<(Entity, &Slot)>();
    gone.extend(views.iter(world).filter(|(_, slot)| slot.0 == closed).map(|(view, _)| view));
    for entity in gone {
        world.despawn(entity);
    }
    numbers.iter_mut(world).filter(|number| number.0 > closed).for_each(|mut number| number.0 -= 1);
    let mut slots = world.query::<&mut Slot>();
    slots.iter_mut(world).filter(|slot| slot.0 > closed).for_each(|mut slot| slot.0 -= 1);
    autosave::begin_again(world);
    // Whatever stores a number must follow, otherwise it would refer to another land.
    let last = numbers.iter(world).count() - 1;
    if let Some(mut selection) = world.get_resource_mut::<Selection>() {
        let edited = selection.edited();
        selection.edit(if edited > closed { edited - 1 } else { edited.min(last) });
    }
    if let Some(mut differing) = world.get_resource_mut::<DifferenceView>() {
        differing.forget(closed);
    }
    world.resource_mut::<Comparison>().document = None;
    world.resource_mut::<Drawing>().target = None;
}

/// A render layer that no landscape uses. Layer 0 is shared; each landscape has a layer of its own while it
/// is open.
fn free_layer(world: &mut World) -> usize {
    let mut lands = world.query_filtered::<&RenderLayers, With<Number>>();
    let is_free = |layer: &usize| {
        let layer = RenderLayers::layer(*layer);
        lands.iter(world).all(|taken| !taken.intersects(&layer))
    };
    (1..=MAX_LANDSCAPES).find(is_free).unwrap_or(MAX_LANDSCAPES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use crate::viewer::document::autosave::AutosavePlugin;
    use crate::viewer::session::status_message::Message;
    use crate::viewer::tools::point_editor::Target;

    #[test]
    fn closing_a_landscape_moves_those_to_its_right_up() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AutosavePlugin { root: None }))
            .init_resource::<Message>()
            .init_resource::<Comparison>()
            .insert_resource(Selection::editing(2))
            .init_resource::<DifferenceView>()
            .init_resource::<Drawing>();
        app.world_mut().resource_mut::<DifferenceView>().pair = [0, 2];
        app.world_mut().resource_mut::<Drawing>().target = Some(Target { document: 2, step: 0 });
        let lands: Vec<Entity> = ["A", "B", "C"]
            .into_iter()
            .enumerate()
            .map(|(index, name)| {
                let document = Document::new(Recipe::new(name, (3, 3), 1.0), None);
                let land =
                    app.world_mut().spawn((document, Number(index), RenderLayers::layer(index + 1))).id();
                app.world_mut().spawn(SkyOf(land));
                app.world_mut().spawn(Slot(index));
                land
            })
            .collect();
        let named = |app: &mut App| {
            let mut documents = app.world_mut().query::<(&Number, &Document)>();
            let mut all: Vec<_> =
                documents.iter(app.world()).map(|(number, of)| (number.0, of.recipe.name.clone())).collect();
            all.sort();
            all
        };
        let slots = |app: &mut App| {
            let mut slots = app.world_mut().query::<&Slot>();
            let mut all: Vec<usize> = slots.iter(app.world()).map(|slot| slot.0).collect();
            all.sort_unstable();
            all
        };
        close_landscape(app.world_mut(), lands[1]);
        assert_eq!(named(&mut app), [(0, "A".into()), (1, "C".into())]);
        assert_eq!((slots(&mut app), app.world().resource::<Selection>().edited()), (vec![0, 1], 1));
        assert!(app.world().resource::<Drawing>().target.is_none());
        assert_eq!(app.world().resource::<DifferenceView>().pair, [0, 1], "A and C are compared as before");
        assert_eq!(free_layer(app.world_mut()), 2, "the layer of the closed one");
        close_landscape(app.world_mut(), lands[2]);
        close_landscape(app.world_mut(), lands[0]);
        assert_eq!(named(&mut app), [(0, "A".into())], "the last one stays");
        assert_eq!(app.world().resource::<Selection>().edited(), 0);
    }
}
