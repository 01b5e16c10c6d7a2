//! Builds landscapes in the background: started when a terrain is new or changed, swapped in as a whole.
//! Where tiles can be made sooner, they are drawn meanwhile.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::changed::TerrainChanged;
use super::components::Terrain;
use super::events::{TerrainFailed, TerrainReady, TerrainStarted, TerrainWork, report, report_failure};
use super::ground::TerrainGround;
use super::lifecycle::{Event, Lifecycle, Living, LivingItem};
use super::placed::Misplaced;
use super::prepared::{Builder, PreparedTerrain};
use super::recipe::FailedRecipes;
use super::repaint::LandAnalysis;
use super::source::{RecipeAsset, TerrainCache, TerrainSource};
use super::status::{OverallProgress, TerrainStatus};
use crate::Error;
use crate::compute::panics::without_panic;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::stream::{Stream, TerrainBudget};
use crate::stream::{RecipeSource, TileSource};

/// The parts of a terrain from which its build starts.
type BuildParts = (
    Entity,
    Living,
    Ref<'static, Terrain>,
    &'static GlobalTransform,
    Option<&'static TerrainGround>,
    Option<&'static mut Stream>,
);

/// Starts the build of every new or changed terrain.
pub(super) fn start_builds(
    mut commands: Commands,
    // `Changed` includes terrains that have just been added.
    mut terrains: Query<BuildParts, Changed<Terrain>>,
    mut changed: MessageWriter<TerrainChanged>,
    cameras: Query<&GlobalTransform, With<Camera3d>>,
    (recipes, failed, server): (Res<Assets<RecipeAsset>>, Res<FailedRecipes>, Res<AssetServer>),
    (arrays, cache): (Res<TextureArrays>, Res<TerrainCache>),
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
    for (entity, mut living, terrain, placement, ground, stream) in &mut terrains {
        let mut load_error = None;
        let source = match &terrain.source {
            TerrainSource::Asset(handle) => {
                load_error = failed.reason(handle.id(), &server);
                match recipes.get(handle) {
                    Some(RecipeAsset(recipe)) => Terrain::from_recipe(recipe.clone(), &cache.0).source,
                    // When it has loaded, the terrain is marked as changed and comes here again.
                    None => {
                        living.on(Event::SourceAwaited);
                        fail_to_load(&mut commands, entity, &mut living, load_error);
                        continue;
                    }
                }
            }
            source => source.clone(),
        };
        let speculative_source = ground.and_then(|ground| edited(ground, &source));
        let mut first_shown = None;
        if let (Some(source), Some(mut stream)) = (&speculative_source, stream) {
            first_shown = Some(stream.begin_speculative(source.clone()));
            changed.write(TerrainChanged::everywhere(entity));
        }
        let entity_from_world = placement.affine().inverse();
        let eyes = cameras.iter().map(|camera| entity_from_world.transform_point3(camera.translation()));
        let builder = Builder {
            limits,
            arrays: arrays.clone(),
            cache: cache.0.clone(),
            eyes: eyes.collect(),
            speculative_source,
            first_shown,
            // Drawn ground that cannot be changed immediately stays until all of the new land is there.
            has_ground: ground.is_some(),
        };
        living.on(Event::SourceThere(builder.start(source)));
        report(&mut commands, TerrainStarted { entity, work: TerrainWork::Build });
        // A recipe that was loaded once and then failed to reload is still there, and the terrain is built
        // from it. The failure comes after the start, which resets it.
        fail_to_load(&mut commands, entity, &mut living, load_error);
    }
}

/// Reports that a terrain's recipe could not be loaded; the loading may have failed long before the terrain
/// was spawned.
fn fail_to_load(
    commands: &mut Commands,
    entity: Entity,
    living: &mut LivingItem<'_, '_>,
    load_error: Option<Arc<Error>>,
) {
    if let Some(error) = load_error {
        living.on(Event::SourceFailed(error.to_string()));
        report_failure(commands, TerrainFailed::of(entity, error));
    }
}

/// The tiles of a source in which only the ground has changed, if they can be made before all of the land has
/// been built.
fn edited(ground: &TerrainGround, source: &TerrainSource) -> Option<Arc<RecipeSource>> {
    let TerrainSource::Recipe { recipe, cache, built: None } = source else { return None };
    let before = ground.recipe.as_ref()?;
    // Only what the build is going to accept is shown; it reports the error.
    recipe.check_numbers().ok()?;
    // It asks the game's own steps, whose panics would end the game here. The build in the background asks
    // them again, and fails with what they say.
    without_panic(|| before.edited(recipe, cache)).ok().flatten().map(Arc::new)
}

/// Reports progress, and swaps in finished landscapes. With `LATE`, in `PostUpdate`, it leaves out terrains
/// that have been changed in this frame: after a change only the new land is reported.
pub(super) fn finish_builds<const LATE: bool>(
    mut commands: Commands,
    mut terrains: Query<(Entity, Ref<Terrain>, Living, Option<&mut Stream>)>,
    mut changed: MessageWriter<TerrainChanged>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
    budget: Res<TerrainBudget>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
    for (entity, terrain, mut living, stream) in &mut terrains {
        if LATE && terrain.is_changed() {
            continue;
        }
        // The outcome before the progress, so that a terrain which is ready reports no progress any more.
        let outcome = living.life.take_build();
        if let Some(progress) = living.progress(entity) {
            report(&mut commands, progress);
        }
        match outcome {
            None => {
                let Some(mut prepared) = living.life.take_first_preview() else { continue };
                let (source, first) = (prepared.source.clone(), std::mem::take(&mut prepared.first));
                let stream = Stream::new(source, first, (&budget, limits), &mut images, &mut patches);
                commands
                    .entity(entity)
                    // `try_insert`, since a game may have despawned the terrain in this frame.
                    .try_insert((ground(prepared, &mut images), stream.into_first_preview()));
            }
            Some(Ok(mut prepared)) => {
                let (source, first) = (prepared.source.clone(), std::mem::take(&mut prepared.first));
                let speculative_source = prepared.speculative_source.take();
                commands.entity(entity).try_insert(ground(prepared, &mut images));
                match stream.filter(|stream| stream.fits(&*source)) {
                    // The drawn tiles stay until they have been made again.
                    Some(mut stream) => {
                        let speculative_source =
                            speculative_source.as_deref().map(|source| source as &dyn TileSource);
                        stream.settle(source, speculative_source, first, &mut patches);
                    }
                    // Another size or other textures need another pool.
                    None => {
                        let stream = Stream::new(source, first, (&budget, limits), &mut images, &mut patches);
                        commands.entity(entity).try_insert(stream);
                    }
                }
                changed.write(TerrainChanged::everywhere(entity));
                report(&mut commands, TerrainReady { entity });
            }
            Some(Err(error)) => {
                changed.write(TerrainChanged::everywhere(entity));
                if stream.is_some_and(|mut stream| !stream.go_back()) {
                    // Nothing was drawn before.
                    commands.entity(entity).try_remove::<(TerrainGround, Stream)>();
                }
                report_failure(&mut commands, TerrainFailed::new(entity, error));
            }
        }
    }
}

/// The component for what has been prepared.
fn ground(prepared: PreparedTerrain, images: &mut Assets<Image>) -> TerrainGround {
    TerrainGround {
        landscape: prepared.landscape,
        origin: prepared.origin,
        height_range: prepared.height_range,
        cover: prepared.cover.map(|cover| cover.upload(images)),
        types: prepared.types,
        rivers: Arc::new(prepared.rivers),
        recipe: prepared.recipe,
    }
}

/// Ends a removed terrain's life, and removes its ground.
pub(super) fn end(removed: On<Remove, Terrain>, mut lives: Query<&mut Lifecycle>, mut commands: Commands) {
    if let Ok(mut life) = lives.get_mut(removed.entity) {
        life.on(Event::Removed);
    }
    type All = (Lifecycle, TerrainStatus, OverallProgress, TerrainGround, Stream, LandAnalysis, Misplaced);
    commands.entity(removed.entity).try_remove::<All>();
}
