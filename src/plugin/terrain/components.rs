//! The components of a terrain: what a game spawns, and what it can read.

use std::sync::Arc;

use bevy::prelude::*;

use super::life::Life;
use super::recipe::RecipeAsset;
use crate::lod::Pyramid;
use crate::plugin::material::{GroundTextures, HeightMapping};
use crate::steps::water::RiverSheet;
use crate::texture::{self, Texture};
use crate::{Cache, Heightfield, Landscape, Recipe, Result, Work};

/// A terrain. Spawning it is all a game does: it is built on the task pool if it has to be, and
/// drawn for every 3-D camera whose render layers it shares.
///
/// The terrain is centred on its entity: the north-west sample of the field lies at
/// (−extent.x / 2, height, −extent.z / 2). The entity may be moved, turned and uniformly scaled.
/// Changing the component starts a new build and cancels the one under way; the landscape that is
/// there stays until the new one is ready, also when the new one fails. Taken away, its ground goes with
/// it, and what is under way is cancelled.
///
/// ```no_run
/// # use bevy::prelude::*;
/// # fn setup(mut commands: Commands, landscape: std::sync::Arc<upland::Landscape>) {
/// use upland::plugin::Terrain;
/// commands.spawn(Terrain::ready(landscape));
/// # }
/// ```
#[derive(Component, Clone, Debug)]
#[require(Transform, Visibility, TerrainStatus, HeightMapping, Life)]
pub struct Terrain {
    /// Where the landscape comes from.
    pub source: TerrainSource,
}

impl Terrain {
    /// A terrain from a landscape that is there already.
    pub fn ready(landscape: Arc<Landscape>) -> Self {
        Self { source: TerrainSource::Ready(landscape) }
    }

    /// A terrain from a recipe, as soon as that has been loaded.
    pub fn recipe(recipe: Handle<RecipeAsset>) -> Self {
        Self { source: TerrainSource::Recipe(recipe) }
    }

    /// A terrain from heights alone: it wears meadow, forest, rock and snow
    /// ([`Texture::temperate`](crate::texture::Texture::temperate)).
    pub fn heightfield(heightfield: Heightfield) -> Self {
        Self::build(move |work| {
            let colour = texture::bake(&heightfield, &Texture::temperate(), 0, work)?.colour;
            Ok(Landscape::new(heightfield.clone(), colour))
        })
    }

    /// A terrain that is built from `recipe`. What `cache` remembers of it, or of a recipe much like it, is
    /// not made again; the plugin keeps one for all, [`TerrainCache`].
    pub fn from_recipe(recipe: Recipe, cache: &Cache) -> Self {
        let cache = cache.clone();
        Self::build(move |work| recipe.build_with(&cache, work))
    }

    /// A terrain that `build` makes on the task pool. It reports progress through [`Work`] and should
    /// ask it often whether to go on.
    pub fn build(build: impl Fn(&Work) -> Result<Landscape> + Send + Sync + 'static) -> Self {
        Self { source: TerrainSource::Build(TerrainBuild(Arc::new(build))) }
    }
}

/// What builds of recipes remember, for all terrains whose recipe is an asset, and for those of
/// [`Terrain::from_recipe`]. Replace it for another budget of memory than 512 MiB.
#[derive(Resource, Clone, Debug, Default)]
pub struct TerrainCache(pub Cache);

impl From<Recipe> for Terrain {
    /// A terrain that is built from `recipe`.
    fn from(recipe: Recipe) -> Self {
        Self::build(move |work| recipe.build(work))
    }
}

/// Where a terrain's landscape comes from.
#[derive(Clone, Debug)]
pub enum TerrainSource {
    /// It is there.
    Ready(Arc<Landscape>),
    /// It has to be made.
    Build(TerrainBuild),
    /// It is made from a recipe, again whenever the recipe changes.
    Recipe(Handle<RecipeAsset>),
}

/// The work that makes a landscape.
#[derive(Clone)]
pub struct TerrainBuild(pub Arc<BuildLandscape>);

/// Makes a landscape; reports progress through [`Work`] and asks it whether to go on.
pub type BuildLandscape = dyn Fn(&Work) -> Result<Landscape> + Send + Sync;

impl std::fmt::Debug for TerrainBuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TerrainBuild")
    }
}

/// How far a terrain is.
#[derive(Component, Clone, Debug, Default, PartialEq)]
pub enum TerrainStatus {
    /// Spawned, not begun.
    #[default]
    Waiting,
    /// Being built.
    Building {
        /// What is being done, for people.
        stage: String,
        /// Share of this stage that is done, in [0, 1].
        fraction: f32,
    },
    /// Drawn as its source says.
    Ready,
    /// The source failed, or the skin, with this message. What was drawn before still is.
    Failed(String),
}

impl TerrainStatus {
    /// Whether nothing more happens by itself.
    pub fn is_settled(&self) -> bool {
        matches!(self, Self::Ready | Self::Failed(_))
    }
}

/// A terrain has a new landscape, which is drawn from this frame on.
#[derive(EntityEvent, Clone, Debug)]
pub struct TerrainReady {
    /// The terrain.
    pub entity: Entity,
}

/// A terrain's source failed. The landscape that was there stays.
#[derive(EntityEvent, Clone, Debug)]
pub struct TerrainFailed {
    /// The terrain.
    pub entity: Entity,
    /// What went wrong, for people.
    pub error: String,
}

/// The landscape that a terrain is drawn with; there once the first build is ready.
#[derive(Component, Clone, Debug)]
pub struct TerrainGround {
    /// Heights, colours and sea level.
    pub landscape: Arc<Landscape>,
    pub(crate) pyramid: Arc<Pyramid>,
    pub(crate) textures: GroundTextures,
    pub(crate) rivers: Arc<RiverSheet>,
}

impl TerrainGround {
    /// The lowest and the highest height of the field, metres. Known since the land was built: unlike
    /// [`Heightfield::range`], which looks at every height on all cores, it is there at once.
    pub fn height_range(&self) -> (f32, f32) {
        self.pyramid.bounds(self.pyramid.root()).unwrap_or_default()
    }
}

#[cfg(test)]
impl TerrainGround {
    /// Ground without textures.
    pub(crate) fn bare(heightfield: Heightfield) -> Self {
        let pyramid = Arc::new(Pyramid::new(&heightfield));
        let colour = texture::ColourMap { width: 1, depth: 1, texels: vec![[128; 4]] };
        let landscape = Landscape::new(heightfield, colour);
        let rivers = RiverSheet::new(&landscape.heightfield, &[], None, &Work::new()).unwrap();
        Self {
            landscape: Arc::new(landscape),
            pyramid,
            textures: GroundTextures::default(),
            rivers: Arc::new(rivers),
        }
    }
}
