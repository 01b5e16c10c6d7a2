//! Where a terrain's landscape comes from.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::prelude::*;

use crate::{Cache, Landscape, Recipe, Result, Work};

/// The cache for all terrains whose recipe is an asset, and for use with
/// [`Terrain::from_recipe`](super::Terrain::from_recipe). Replace it to change its budget of 512 MiB.
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug)]
pub struct TerrainCache(#[reflect(ignore)] pub Cache);

/// Where a terrain's landscape comes from.
#[derive(Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Default, Clone, Debug)]
pub enum TerrainSource {
    /// No source. A terrain in a scene that gives it none has this, and fails with an error.
    #[default]
    Missing,
    /// A finished landscape.
    Ready(Arc<Landscape>),
    /// A function that makes it.
    Build(TerrainBuild),
    /// A recipe, and the cache of the results of its steps.
    Recipe {
        /// The recipe.
        recipe: Arc<Recipe>,
        /// The results of its steps that are cached.
        #[reflect(ignore)]
        cache: Cache,
        /// The landscape that [`Recipe::build`] has made of it, if it has been built already.
        #[reflect(ignore)]
        built: Option<Arc<Landscape>>,
    },
    /// An elevation file, or a file with a recipe.
    File(PathBuf),
    /// A recipe that is an asset; the terrain is rebuilt when it changes.
    Asset(Handle<RecipeAsset>),
}

/// The function that makes a landscape.
#[derive(Clone, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(opaque, Clone, Debug)]
pub struct TerrainBuild(pub Arc<BuildLandscape>);

/// Makes a landscape; reports progress through [`Work`] and checks it for cancellation.
pub type BuildLandscape = dyn Fn(&Work) -> Result<Landscape> + Send + Sync;

impl std::fmt::Debug for TerrainBuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TerrainBuild")
    }
}

/// A [`Recipe`] as a Bevy asset.
///
/// ```no_run
/// use bevy::prelude::*;
/// use upland::plugin::Terrain;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn(Terrain::recipe(assets.load("recipes/high-range.ron")));
/// }
/// ```
///
/// With the type given, as here, a file of any name is read as a recipe. Without it (`load_untyped`,
/// `load_folder`), only names ending in `.upland.ron` are, because `.ron` is used by many formats.
///
/// Elevation, masks, maps and tiles that the recipe names are loaded with it, through the same asset source
/// and relative to the recipe's folder: from the folder `assets`, from the program (`embedded://`), or from
/// a server. Paths must not lead out of the source. Files that aren't there are looked up among those built
/// into the library.
///
/// If Bevy watches for changes (`file_watcher`), the terrain follows the recipe and its files. An error in
/// a changed recipe is reported in the log and by [`TerrainFailed`](super::TerrainFailed), and the landscape
/// stays.
#[derive(Asset, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug)]
pub struct RecipeAsset(pub Recipe);
