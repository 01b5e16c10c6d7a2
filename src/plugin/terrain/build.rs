//! Builds landscapes on the task pool: started when a terrain is new or changed, swapped in as a whole.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::components::{
    Terrain, TerrainCache, TerrainFailed, TerrainGround, TerrainReady, TerrainSource, TerrainStatus,
};
use super::job::Job;
use super::life::{Event, Life, Living};
use super::prepared::PreparedTerrain;
use super::recipe::RecipeAsset;
use super::repaint::LandAnalysis;
use crate::plugin::device::DeviceLimits;
use crate::plugin::material::GroundTextures;
use crate::plugin::tiles::TileStacks;
use crate::{Error, Result, Work};

/// Starts the build of every new or changed terrain.
pub(super) fn start_builds(
    mut terrains: Query<(Living, Ref<Terrain>), Changed<Terrain>>,
    recipes: Res<Assets<RecipeAsset>>,
    (stacks, cache): (Res<TileStacks>, Res<TerrainCache>),
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
    for (mut living, terrain) in &mut terrains {
        let source = match &terrain.source {
            TerrainSource::Recipe(handle) => match recipes.get(handle) {
                Some(RecipeAsset(recipe)) => Terrain::from_recipe(recipe.clone(), &cache.0).source,
                // When it has loaded, the terrain is marked as changed and comes here again.
                None => {
                    living.on(Event::SourceAwaited);
                    continue;
                }
            },
            source => source.clone(),
        };
        let stacks = stacks.clone();
        living.on(Event::SourceThere(Job::start(move |work| prepare(source, limits, &stacks, work))));
    }
}

/// Reports progress, and swaps in finished landscapes.
pub(super) fn finish_builds(
    mut commands: Commands,
    mut terrains: Query<(Entity, Living)>,
    mut images: ResMut<Assets<Image>>,
) {
    for (entity, mut living) in &mut terrains {
        let outcome = living.life.take_build();
        living.tell();
        match outcome {
            None => {}
            Some(Ok(prepared)) => {
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
                commands.trigger(TerrainReady { entity });
            }
            Some(Err(error)) => commands.trigger(TerrainFailed { entity, error: error.to_string() }),
        }
    }
}

/// Ends a removed terrain's life, and removes its ground.
pub(super) fn end(removed: On<Remove, Terrain>, mut lives: Query<&mut Life>, mut commands: Commands) {
    if let Ok(mut life) = lives.get_mut(removed.entity) {
        life.on(Event::Removed);
    }
    commands.entity(removed.entity).try_remove::<(Life, TerrainStatus, TerrainGround, LandAnalysis)>();
}

/// Runs on the task pool.
fn prepare(
    source: TerrainSource,
    limits: DeviceLimits,
    stacks: &TileStacks,
    work: &Work,
) -> Result<PreparedTerrain> {
    work.check()?;
    let landscape = match source {
        TerrainSource::Ready(landscape) => landscape,
        TerrainSource::Build(build) => Arc::new((build.0)(work)?),
        TerrainSource::Recipe(_) => return Err(Error::parameter("terrain", "its recipe is not loaded")),
    };
    work.check()?;
    PreparedTerrain::new(landscape, limits, stacks, work)
}
