//! Adding plugins: once or twice, with and without a renderer, or not at all.

use std::any::type_name;
use std::collections::BTreeSet;
use std::marker::PhantomData;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::pbr::PbrPlugin;
use bevy::prelude::*;

/// Present if a plugin has been added.
#[derive(Resource)]
struct Added<P>(PhantomData<P>);

/// Whether a plugin is added for the first time. It builds only then.
pub(crate) fn is_first<P: Plugin>(app: &mut App) -> bool {
    let is_first = !app.world().contains_resource::<Added<P>>();
    app.insert_resource(Added::<P>(PhantomData));
    let name = type_name::<P>().rsplit("::").next().unwrap_or_default();
    app.world_mut().get_resource_or_init::<Plugins>().added.insert(name);
    is_first
}

/// The plugins that were added, and what has been reported about missing ones.
#[derive(Resource, Default)]
struct Plugins {
    /// Their names.
    added: BTreeSet<&'static str>,
    /// Components already reported as lacking their plugin, so that each is reported once.
    missed: BTreeSet<&'static str>,
}

/// A component hook that warns, once, when the component is added to a world without its plugin.
pub(crate) fn needs(
    plugin: &'static str,
    component: &'static str,
) -> impl Fn(DeferredWorld<'_>, HookContext) + Send + Sync + 'static {
    move |mut world: DeferredWorld<'_>, _: HookContext| {
        let exists = |plugins: &Plugins| plugins.added.contains(plugin) || plugins.missed.contains(component);
        if !world.get_resource::<Plugins>().is_some_and(exists) {
            // In a command: a hook may not change resources while components are added.
            world.commands().queue(move |world: &mut World| warn_without(world, plugin, component));
        }
    }
}

/// Warns once that something does nothing because a plugin is missing.
pub(crate) fn warn_without(world: &mut World, plugin: &'static str, what: &'static str) {
    let mut plugins = world.get_resource_or_init::<Plugins>();
    if !plugins.added.contains(plugin) && plugins.missed.insert(what) {
        tracing::warn!(
            "`{what}` does nothing without `{plugin}`: add that plugin to the app, before it is used"
        );
    }
}

/// Present if plugins have found no renderer.
#[derive(Resource)]
struct FoundNoRenderer;

/// Whether there is a renderer for materials: Bevy's `PbrPlugin` has been added, with all that it needs. A
/// plugin that finds none draws nothing.
pub(crate) fn draws(app: &mut App) -> bool {
    // `PbrPlugin` and not `RenderPlugin`: a game may render without Bevy's materials.
    let draws = app.is_plugin_added::<PbrPlugin>();
    if !draws {
        app.insert_resource(FoundNoRenderer);
    }
    draws
}

/// Registers an asset type that a renderer would have registered.
///
/// # Panics
/// Without Bevy's `AssetPlugin`, as Bevy does for plugins in the wrong order.
pub(crate) fn init_asset_if_absent<A: Asset>(app: &mut App) {
    assert!(
        app.world().contains_resource::<AssetServer>(),
        "add upland's plugins after Bevy's DefaultPlugins, or on a server after its MinimalPlugins and AssetPlugin: they \
         have found no AssetServer"
    );
    if !app.world().contains_resource::<Assets<A>>() {
        app.init_asset::<A>();
    }
}

/// Ends the program at its start if the renderer was added after a plugin that needed it: nothing of it would
/// be drawn.
///
/// # Panics
/// Then, as Bevy does for plugins in the wrong order.
pub(crate) fn complain_if_late(app: &App) {
    let is_late = app.world().contains_resource::<FoundNoRenderer>() && app.is_plugin_added::<PbrPlugin>();
    assert!(!is_late, "add upland's plugins after Bevy's DefaultPlugins: they have found no renderer");
}

/// Names of the components that lack their plugin.
#[cfg(test)]
pub(crate) fn missed(world: &World) -> Vec<&'static str> {
    world
        .get_resource::<Plugins>()
        .map(|plugins| plugins.missed.iter().copied().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct LampPlugin;

    impl Plugin for LampPlugin {
        fn build(&self, app: &mut App) {
            is_first::<Self>(app);
        }
    }

    #[derive(Component)]
    #[component(on_add = needs("LampPlugin", "Lamp"))]
    struct Lamp;

    fn missed(app: &App) -> usize {
        super::missed(app.world()).len()
    }

    #[test]
    fn what_lacks_its_plugin_is_missed_once() {
        let mut app = App::new();
        assert_eq!(missed(&app), 0);
        for _ in 0..3 {
            app.world_mut().spawn(Lamp);
            assert_eq!(missed(&app), 1);
        }
        app.add_systems(Update, |mut commands: Commands| _ = commands.spawn(Lamp));
        app.update();
        assert_eq!(missed(&app), 1);
        warn_without(app.world_mut(), "LampPlugin", "LampQuery");
        assert_eq!(missed(&app), 2, "something else that lacks it");
    }

    #[test]
    fn where_the_plugin_exists_nothing_is_said() {
        let mut app = App::new();
        app.add_plugins(LampPlugin);
        app.world_mut().spawn(Lamp);
        warn_without(app.world_mut(), "LampPlugin", "LampQuery");
        assert_eq!(missed(&app), 0);
        // Another plugin doesn't help.
        warn_without(app.world_mut(), "WickPlugin", "Wick");
        assert_eq!(missed(&app), 1);
    }
}
