//! Builds landscapes on the task pool: started when a terrain is new or changed, swapped in as a whole.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::components::{
    Terrain, TerrainCache, TerrainFailed, TerrainGround, TerrainReady, TerrainSource, TerrainStatus,
};
use super::life::{Event, Life, Living};
use super::prepared::Builder;
use super::recipe::RecipeAsset;
use super::repaint::LandAnalysis;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::plugin::stream::{Job, Stream, TerrainBudget};
use crate::plugin::tiles::TileStacks;

/// Starts the build of every new or changed terrain.
pub(super) fn start_builds(
    mut terrains: Query<(Living, Ref<Terrain>, &GlobalTransform), Changed<Terrain>>,
    cameras: Query<&GlobalTransform, With<Camera3d>>,
    recipes: Res<Assets<RecipeAsset>>,
    (stacks, cache): (Res<TileStacks>, Res<TerrainCache>),
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
    for (mut living, terrain, placement) in &mut terrains {
        let source = match &terrain.source {
            TerrainSource::Asset(handle) => match recipes.get(handle) {
                Some(RecipeAsset(recipe)) => Terrain::from_recipe(recipe.clone(), &cache.0).source,
                // When it has loaded, the terrain is marked as changed and comes here again.
                None => {
                    living.on(Event::SourceAwaited);
                    continue;
                }
            },
            source => source.clone(),
        };
        let entity_from_world = placement.affine().inverse();
        let eyes = cameras.iter().map(|camera| entity_from_world.transform_point3(camera.translation()));
        let builder = Builder { limits, stacks: stacks.clone(), eyes: eyes.collect() };
        living.on(Event::SourceThere(Job::start(move |work| builder.run(source, work))));
    }
}

/// Reports progress, and swaps in finished landscapes.
pub(super) fn finish_builds(
    mut commands: Commands,
    mut terrains: Query<(Entity, Living, Option<&mut Stream>)>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
    budget: Res<TerrainBudget>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, mut living, stream) in &mut terrains {
        let outcome = living.life.take_build();
        living.tell();
        match outcome {
            None => {}
            Some(Ok(prepared)) => {
                commands.entity(entity).insert(TerrainGround {
                    landscape: prepared.landscape,
                    origin: prepared.origin,
                    height_range: prepared.height_range,
                    cover: prepared.cover.map(|cover| cover.upload(&mut images)),
                    rivers: Arc::new(prepared.rivers),
                    recipe: prepared.recipe,
                });
                match stream.filter(|stream| stream.fits(&*prepared.source)) {
                    // What is drawn stays until its tiles have been made anew.
                    Some(mut stream) => stream.edit(prepared.source),
                    None => {
                        let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
                        let (source, first) = (prepared.source, prepared.first);
                        let stream = Stream::new(source, first, (&budget, limits), &mut images, &mut patches);
                        commands.entity(entity).insert(stream);
                    }
                }
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
    commands
        .entity(removed.entity)
        .try_remove::<(Life, TerrainStatus, TerrainGround, Stream, LandAnalysis)>();
}
