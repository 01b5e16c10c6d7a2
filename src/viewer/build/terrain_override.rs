//! Showing something else than a document's land, and what decides how land is built.

use bevy::prelude::*;

use crate::Cache;
use crate::Recipe;
use crate::plugin::Terrain;

/// The systems in which terrains follow their recipes.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RebuildSystems;

/// Something else that a terrain shows instead of its document's land, as long as this component is there.
#[derive(Component)]
pub(crate) struct Instead(pub Terrain);

/// Whether two recipes place the same plants and rocks, if their ground is the same.
pub(crate) fn same_objects(a: &Recipe, b: &Recipe) -> bool {
    (a.bare, &a.scatter) == (b.bare, &b.scatter)
}

/// Whether tiles of a recipe's land can be made before all of it has been, or all of it is kept.
pub(crate) fn is_made_at_once(recipe: &Recipe, cache: &Cache) -> bool {
    recipe.is_made_in_windows().unwrap_or(false)
        || recipe.is_made_at_once(cache).unwrap_or(false)
        || recipe.is_finished(cache)
}
