//! Adding plugins: once or twice, with and without a renderer.

use std::marker::PhantomData;

use bevy::pbr::PbrPlugin;
use bevy::prelude::*;

/// Tells that a plugin has been added.
#[derive(Resource)]
struct Added<P>(PhantomData<P>);

/// Whether a plugin is added for the first time: what it does it does once.
pub(crate) fn is_first<P: Plugin>(app: &mut App) -> bool {
    let is_first = !app.world().contains_resource::<Added<P>>();
    app.insert_resource(Added::<P>(PhantomData));
    is_first
}

/// Tells that plugins have found no renderer.
#[derive(Resource)]
struct FoundNoRenderer;

/// Whether there is a renderer for materials: Bevy's `PbrPlugin` has been added, with all that it needs. A plugin that
/// finds none draws nothing.
pub(crate) fn draws(app: &mut App) -> bool {
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

/// Ends the program at its start if the renderer was added after a plugin that needed it: nothing of it would be drawn.
///
/// # Panics
/// Then, as Bevy does for plugins in the wrong order.
pub(crate) fn complain_if_late(app: &App) {
    let is_late = app.world().contains_resource::<FoundNoRenderer>() && app.is_plugin_added::<PbrPlugin>();
    assert!(!is_late, "add upland's plugins after Bevy's DefaultPlugins: they have found no renderer");
}
