//! The skin of a terrain.

use bevy::prelude::*;

#[cfg(doc)]
use crate::Landscape;
use crate::Skin;

/// The skin of a terrain, replacing that of its source.
///
/// Inserting or changing it bakes the terrain's colours again in the background; heights, and the answers of
/// [`TerrainQuery`](crate::plugin::TerrainQuery), stay. A game can let seasons pass with it. If baking
/// fails, the terrain's status is failed and the old colours stay. [`Landscape::colour`] keeps the original
/// colours. After removing the component, the colours stay until the terrain is rebuilt.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # use upland::{Skin, plugin::{Terrain, TerrainSkin}};
/// fn dry_out(mut commands: Commands, terrain: Single<Entity, With<Terrain>>) {
///     commands.entity(*terrain).insert(TerrainSkin { skin: Skin::Arid, seed: 7 });
/// }
/// ```
#[doc(alias("season", "recolour"))]
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct TerrainSkin {
    /// The terrain types, or a ready-made set of them.
    pub skin: Skin,
    /// Seed of the noise that mottles colours; in a recipe that is the recipe's seed.
    pub seed: u64,
}
