//! Building landscapes on the task pool: started when a terrain appears or changes, cancelled when
//! it changes again or goes, swapped in whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::tasks::{AsyncComputeTaskPool, Task, block_on, poll_once};

use super::components::{
    Terrain, TerrainCache, TerrainFailed, TerrainGround, TerrainReady, TerrainSource, TerrainStatus,
};
use super::prepared::Prepared;
use super::recipe::RecipeAsset;
use super::repaint::{Repainting, Wears};
use crate::compute::panics::said;
use crate::plugin::device::DeviceLimits;
use crate::plugin::material::GroundTextures;
use crate::plugin::tiles::TileStacks;
use crate::{Error, Result, Work};

/// A build under way.
#[derive(Component)]
pub(crate) struct Building {
    work: Work,
    task: Task<Result<Prepared>>,
}

/// Whatever ends a build early (a newer one, the terrain's end) tells the worker to stop.
impl Drop for Building {
    fn drop(&mut self) {
        self.work.cancel();
    }
}

/// Why a terrain's source failed last; not there once it is built anew.
#[derive(Component)]
pub(crate) struct SourceError(pub(crate) String);

impl SourceError {
    /// The status of a terrain on which no work is under way any more.
    pub(crate) fn status(error: Option<&Self>) -> TerrainStatus {
        error.map_or(TerrainStatus::Ready, |error| TerrainStatus::Failed(error.0.clone()))
    }
}

/// Starts the build of every new or changed terrain.
pub(crate) fn start_builds(
    mut commands: Commands,
    mut terrains: Query<(Entity, Ref<Terrain>, &mut TerrainStatus, Has<Repainting>), Changed<Terrain>>,
    recipes: Res<Assets<RecipeAsset>>,
    (stacks, cache): (Res<TileStacks>, Res<TerrainCache>),
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
    for (entity, terrain, mut status, is_repainting) in &mut terrains {
        commands.entity(entity).remove::<(Repainting, SourceError)>();
        if is_repainting {
            // Should the build fail, the old land is painted to the end after all.
            commands.entity(entity).remove::<Wears>();
        }
        let source = match &terrain.source {
            TerrainSource::Recipe(handle) => match recipes.get(handle) {
                Some(RecipeAsset(recipe)) => Terrain::from_recipe(recipe.clone(), &cache.0).source,
                // Its arrival changes the terrain, and brings it here again.
                None => {
                    commands.entity(entity).remove::<Building>();
                    *status = TerrainStatus::Waiting;
                    continue;
                }
            },
            source => source.clone(),
        };
        let work = Work::new();
        let task_work = work.clone();
        let stacks = stacks.clone();
        let task =
            AsyncComputeTaskPool::get().spawn(async move { prepare(source, limits, &stacks, &task_work) });
        commands.entity(entity).insert(Building { work, task });
        *status = TerrainStatus::Building { stage: String::new(), fraction: 0.0 };
    }
}

/// Reports progress, and swaps in what is ready.
pub(crate) fn finish_builds(
    mut commands: Commands,
    mut terrains: Query<(Entity, &mut Building, &mut TerrainStatus)>,
    mut images: ResMut<Assets<Image>>,
) {
    for (entity, mut building, mut status) in &mut terrains {
        let Some(result) = block_on(poll_once(&mut building.task)) else {
            let progress = building.work.progress();
            let now = TerrainStatus::Building { stage: progress.stage, fraction: progress.fraction };
            status.set_if_neq(now);
            continue;
        };
        commands.entity(entity).remove::<Building>();
        match result {
            Ok(prepared) => {
                commands.entity(entity).insert(TerrainGround {
                    landscape: prepared.landscape,
                    pyramid: Arc::new(prepared.pyramid),
                    textures: GroundTextures {
                        heights: images.add(prepared.heights),
                        gradients: images.add(prepared.gradients),
                        colours: images.add(prepared.colours),
                        cover: prepared.cover.map(|cover| cover.upload(&mut images)),
                    },
                    rivers: Arc::new(prepared.rivers),
                });
                *status = TerrainStatus::Ready;
                commands.trigger(TerrainReady { entity });
            }
            Err(error) => {
                let error = error.to_string();
                *status = TerrainStatus::Failed(error.clone());
                commands.entity(entity).insert(SourceError(error.clone()));
                commands.trigger(TerrainFailed { entity, error });
            }
        }
    }
}

/// What runs on the task pool.
fn prepare(
    source: TerrainSource,
    limits: DeviceLimits,
    stacks: &TileStacks,
    work: &Work,
) -> Result<Prepared> {
    work.check()?;
    without_panic(|| {
        let landscape = match source {
            TerrainSource::Ready(landscape) => landscape,
            TerrainSource::Build(build) => Arc::new((build.0)(work)?),
            TerrainSource::Recipe(_) => return Err(Error::parameter("terrain", "its recipe is not loaded")),
        };
        work.check()?;
        Prepared::new(landscape, limits, stacks, work)
    })
}

/// Does some work; a bug in it should cost its terrain, not the game.
pub(crate) fn without_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(Error::parameter("terrain", format!("building it panicked: {}", said(&*panic))))
    })
}
