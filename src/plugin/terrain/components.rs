//! The components of a terrain: what a game spawns and reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::lifecycle::Lifecycle;
use super::recipe::RecipeAsset;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{DrawnCover, HeightMapping, WeighedTypes};
use crate::plugin::setup::needs;
use crate::steps::water::RiverSheet;
use crate::stream::{RecipeSource, TileSource};
use crate::texture::{self, Texture};
use crate::{Cache, Grid, Heightfield, Landscape, Recipe, Result, Work};

/// A terrain. Spawning it is all a game has to do: it is built in the background if necessary, and drawn for
/// every 3-D camera with which it shares a render layer.
///
/// Tiles of a recipe can be drawn before all of its land has been built, if each step works by position or
/// looks at a neighbourhood, or those that don't are in the cache, and it has no rivers. Such a terrain
/// appears within a few frames. When its recipe changes, the tiles are made again in the very frame, coarse
/// before fine and the nearest first; status and landscape follow when all of the land is there. Its colours
/// may change a little then: what distant land does to them is known by then.
///
/// The terrain is centred on its entity: the north-west sample of the field is at (−extent.x / 2, height,
/// −extent.z / 2). The entity may be translated, rotated and uniformly scaled. While its transform is
/// otherwise (not finite, of no size, mirrored, or scaled differently along its axes) it is not drawn and has
/// no ground for queries, and [`TerrainFailed`](super::TerrainFailed) says so once. Changing the component
/// starts a new build and cancels a running one; the present landscape stays until the new one is ready, also
/// if that fails. Removing the component removes the ground and cancels running work.
///
/// With scenes it is saved and loaded where its source is a file or a recipe that was loaded as an asset.
/// What else is on its entity and below it follows from that: save terrains' entities, not their children.
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
    /// cache, [`TerrainCache`]. Near the eye the recipe goes on below its own distance between samples.
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

/// The cache for all terrains whose recipe is an asset, and for use with [`Terrain::from_recipe`]. Replace
/// it to change its budget of 512 MiB.
#[derive(Resource, Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Resource, Default, Clone, Debug)]
pub struct TerrainCache(#[reflect(ignore)] pub Cache);

impl From<Recipe> for Terrain {
    /// A terrain that is built from `recipe`.
    fn from(recipe: Recipe) -> Self {
        Self::from_recipe(recipe, &Cache::default())
    }
}

/// Where a terrain's landscape comes from.
#[derive(Clone, Debug, Default, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Default, Clone, Debug)]
pub enum TerrainSource {
    /// Nowhere: what a terrain has that a scene says no more of. It fails, and says so.
    #[default]
    Missing,
    /// A finished landscape.
    Ready(Arc<Landscape>),
    /// A function that makes it.
    Build(TerrainBuild),
    /// A recipe, with what is remembered of its steps.
    Recipe {
        /// The recipe.
        recipe: Arc<Recipe>,
        /// What is remembered.
        #[reflect(ignore)]
        cache: Cache,
        /// What [`Recipe::build`] has made of it, if it has been built already.
        #[reflect(ignore)]
        built: Option<Arc<Landscape>>,
    },
    /// An elevation file or a recipe's.
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

/// The progress of a terrain.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub enum TerrainStatus {
    /// Spawned, not begun, or waiting for its recipe to load.
    #[default]
    Waiting,
    /// Being built.
    Building {
        /// What is being done, for people.
        stage: String,
        /// Share of this stage that is done, in [0, 1].
        fraction: f32,
    },
    /// Drawn, up to date with its source and skin.
    Ready,
    /// The source or the skin failed, with this message. What was drawn before stays.
    Failed(String),
}

/// The share of the present work on a terrain that is done, in \[0, 1\]: for the bar of a loading screen. It
/// is 0 while the terrain waits for its recipe, only grows while it is built or repainted, and is 1 once it
/// is ready or has failed. With a new source or skin it begins at 0 again.
///
/// [`TerrainStatus::Building`] describes the present stage alone, and there are many stages.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::OverallProgress;
///
/// #[derive(Component)]
/// struct Bar;
///
/// fn fill(terrains: Query<&OverallProgress>, mut bar: Single<&mut Transform, With<Bar>>) {
///     let shares: Vec<f32> = terrains.iter().map(|progress| progress.0).collect();
///     bar.scale.x = shares.iter().sum::<f32>() / shares.len().max(1) as f32;
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct OverallProgress(pub f32);

impl TerrainStatus {
    /// Whether nothing will change without a new event: ready or failed.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Ready | Self::Failed(_))
    }
}

/// The ground of a terrain; present once there is something to draw, which may be before
/// [`TerrainReady`](super::TerrainReady) is sent. Not part of scenes: it follows from the terrain.
#[derive(Component, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
pub struct TerrainGround {
    /// Heights, colours and sea level of the land; of some land, of a part of its samples:
    ///
    /// * of endless land those around the middle,
    /// * of land that is not built as a whole (more than 8193² samples, and no step that must know all of it)
    ///   every second, fourth, eighth … along each side, at most 1025 along the longer one,
    /// * of a new terrain that is drawn before it is built also every so manieth, at most 129.
    ///
    /// [`samples`](Self::samples) and [`extent`](Self::extent) are of the land in any case.
    pub landscape: Arc<Landscape>,
    /// Where the land's sample (0, 0) lies, metres east and south of the entity.
    pub(crate) origin: DVec2,
    pub(crate) height_range: (f32, f32),
    #[reflect(ignore)]
    pub(crate) cover: Option<DrawnCover>,
    #[reflect(ignore)]
    pub(crate) types: WeighedTypes,
    #[reflect(ignore)]
    pub(crate) rivers: Arc<RiverSheet>,
    /// The recipe whose tiles are drawn, if it is one.
    #[reflect(ignore)]
    pub(crate) recipe: Option<Arc<RecipeSource>>,
}

impl TerrainGround {
    /// Samples of the land along x and z; of endless land those of the landscape.
    pub fn samples(&self) -> [u32; 2] {
        let grid = self.landscape.heightfield.grid();
        self.bounds().unwrap_or([grid.width as u32, grid.depth as u32])
    }

    /// Metres from the land's first to its last sample along x and z; of endless land those of the landscape.
    pub fn extent(&self) -> Vec2 {
        let [width, depth] = self.samples().map(|side| side as usize);
        let cell =
            self.recipe.as_ref().map_or(self.landscape.heightfield.grid().cell, |recipe| recipe.shape().cell);
        Grid { width, depth, cell }.extent()
    }

    fn bounds(&self) -> Option<[u32; 2]> {
        self.recipe.as_ref().and_then(|recipe| recipe.shape().size)
    }

    /// Whether [`landscape`](Self::landscape) has only some of the samples that are drawn.
    pub(crate) fn is_partial(&self) -> bool {
        self.recipe.as_ref().is_some_and(|recipe| !recipe.has_whole())
    }

    /// The lowest and highest height of the field, metres. Stored at build time, so unlike
    /// [`Heightfield::range`] it costs nothing.
    pub fn height_range(&self) -> (f32, f32) {
        self.height_range
    }
}

#[cfg(test)]
impl TerrainGround {
    /// Ground without textures.
    pub(crate) fn bare(heightfield: Heightfield) -> Self {
        let colour = texture::ColourMap { width: 1, depth: 1, texels: vec![[128; 4]] };
        let landscape = Landscape::new(heightfield, colour);
        let rivers = RiverSheet::new(&landscape.heightfield, &[], None, &Work::new()).unwrap();
        Self {
            origin: landscape.heightfield.grid().extent().as_dvec2() * -0.5,
            height_range: landscape.heightfield.range(),
            landscape: Arc::new(landscape),
            cover: None,
            types: WeighedTypes::default(),
            rivers: Arc::new(rivers),
            recipe: None,
        }
    }
}
