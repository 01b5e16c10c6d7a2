//! The components of a terrain: what a game spawns and reads.

use std::path::Path;
use std::sync::Arc;

use bevy::prelude::*;

use super::lifecycle::Lifecycle;
use super::source::{RecipeAsset, TerrainBuild, TerrainSource};
use super::status::{OverallProgress, TerrainStatus};
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::HeightMapping;
use crate::plugin::setup::needs;
use crate::texture::{self, Texture};
use crate::{Cache, Heightfield, Landscape, Recipe, Result, Work};

/// A terrain. Spawning it is all a game has to do: it is built in the background if necessary, and drawn for
/// every 3-D camera with which it shares a render layer.
///
/// Tiles of a recipe can be drawn before all of its land has been built, if each step works by position or
/// looks at a neighbourhood, or those that don't are in the cache, and it has no rivers. Such a terrain
/// appears within a few frames. When its recipe changes, the tiles are made again in the very frame, coarse
/// before fine and the nearest first; status and landscape follow when all of the land is there. Its colours
/// may change a little then, because the effect of distant land on them is known only then.
///
/// The terrain is centred on its entity: the north-west sample of the field is at (−extent.x / 2, height,
/// −extent.z / 2). The entity may be translated, rotated and uniformly scaled. While its transform is
/// otherwise (not finite, of no size, mirrored, or scaled differently along its axes) it is not drawn and has
/// no ground for queries, and [`TerrainFailed`](super::TerrainFailed) says so once. Changing the component
/// starts a new build and cancels a running one; the present landscape stays until the new one is ready, also
/// if that fails. Removing the component removes the ground and cancels running work.
///
/// With scenes it is saved and loaded where its source is a file or a recipe that was loaded as an asset.
/// Everything else on its entity and below it follows from that: save terrains' entities, not their children.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # fn setup(mut commands: Commands, landscape: std::sync::Arc<upland::Landscape>) {
/// use upland::plugin::Terrain;
/// commands.spawn(Terrain::ready(landscape));
/// # }
/// ```
#[derive(Component, Clone, Debug, Default, Reflect)]
#[component(on_add = needs("TerrainPlugin", "Terrain"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug)]
#[require(Transform, Visibility, TerrainStatus, OverallProgress, HeightMapping, PrecisePlace, Lifecycle)]
pub struct Terrain {
    /// Where the landscape comes from.
    pub source: TerrainSource,
}

impl Terrain {
    /// A terrain from a finished landscape.
    pub fn ready(landscape: Arc<Landscape>) -> Self {
        Self { source: TerrainSource::Ready(landscape) }
    }

    /// A terrain from a recipe asset, built as soon as it has loaded.
    pub fn recipe(recipe: Handle<RecipeAsset>) -> Self {
        Self { source: TerrainSource::Asset(recipe) }
    }

    /// A terrain from heights alone, textured by
    /// [`Texture::temperate`](crate::texture::Texture::temperate): meadow, forest, rock and snow.
    pub fn heightfield(heightfield: Heightfield) -> Self {
        Self::build(move |work| {
            let colour = texture::bake(&heightfield, &Texture::temperate(), 0, work)?.colour;
            Ok(Landscape::new(heightfield.clone(), colour))
        })
    }

    /// A terrain that is built from `recipe`, reusing what `cache` remembers. The plugin keeps a shared
    /// cache, [`TerrainCache`](super::TerrainCache). Near the eye the recipe goes on below its own distance
    /// between samples.
    ///
    /// The terrain fails if [`Recipe::check`] finds invalid numbers.
    pub fn from_recipe(recipe: Recipe, cache: &Cache) -> Self {
        let (recipe, cache) = (Arc::new(recipe), cache.clone());
        Self { source: TerrainSource::Recipe { recipe, cache, built: None } }
    }

    /// A terrain that shows an elevation file, or a recipe's (`.ron`), opened as [`Recipe::open`] does. If
    /// a GeoTIFF or a raw file has more than 8193² samples, only the parts that are seen are read, so that it
    /// may be larger than memory. It stays open: if it changes, is cut short or removed,
    /// [`TerrainFailed`](super::TerrainFailed) reports that once, and where finer tiles would have to be read
    /// the coarser ones stay.
    ///
    /// ```no_run
    /// # use bevy::prelude::*;
    /// # fn setup(mut commands: Commands) {
    /// use upland::plugin::Terrain;
    /// commands.spawn(Terrain::from_file("alps.tif"));
    /// # }
    /// ```
    pub fn from_file(path: impl AsRef<Path>) -> Self {
        Self { source: TerrainSource::File(path.as_ref().into()) }
    }

    /// A terrain that `build` makes on a thread of its own. It should report progress through [`Work`], and
    /// call [`Work::check`] often.
    pub fn build(build: impl Fn(&Work) -> Result<Landscape> + Send + Sync + 'static) -> Self {
        Self { source: TerrainSource::Build(TerrainBuild(Arc::new(build))) }
    }
}

impl From<Recipe> for Terrain {
    /// A terrain that is built from `recipe`.
    fn from(recipe: Recipe) -> Self {
        Self::from_recipe(recipe, &Cache::default())
    }
}
