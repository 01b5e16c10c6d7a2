//! Showing something other than a document's land, and what decides how land is built.

use bevy::prelude::*;

use crate::Cache;
use crate::Recipe;
use crate::plugin::Terrain;

/// The systems in which terrains follow their recipes.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RebuildSystems;

/// A terrain that is shown instead of the document's land for as long as this component exists.
#[derive(Component)]
pub(crate) struct TerrainOverride(pub Terrain);

/// Whether two recipes place the same plants and rocks, if their ground is the same.
pub(crate) fn same_objects(a: &Recipe, b: &Recipe) -> bool {
    (a.bare, &a.scatter) == (b.bare, &b.scatter)
}

/// Whether tiles of a recipe's land can be made before the whole land is built, or the whole land is in the
/// cache.
pub(crate) fn is_made_at_once(recipe: &Recipe, cache: &Cache) -> bool {
    recipe.is_made_in_windows().unwrap_or(false)
        || recipe.is_made_at_once(cache).unwrap_or(false)
        || recipe.is_finished(cache)
}
