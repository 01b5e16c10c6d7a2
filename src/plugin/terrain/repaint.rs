//! Repaints: new colours for present land, baked in the background. Tiles are made again with each picture,
//! those nearest to the eye first.

use std::sync::Arc;

use bevy::prelude::*;
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};

use super::events::{TerrainFailed, TerrainRepainted, TerrainStarted, TerrainWork, report, report_failure};
use super::ground::TerrainGround;
use super::lifecycle::{Event, Living};
use super::painting::{PaintResult, PaintUpdate, Painted, PaintedSkin, Painter, Repaint};
use super::skin::TerrainSkin;
use crate::Landscape;
use crate::analysis::TerrainAnalysis;
use crate::plugin::device::{DeviceLimits, TexelPatches};
use crate::plugin::ground_textures::TextureArrays;
use crate::plugin::jobs::Job;
use crate::plugin::stream::{Stream, TerrainBudget};

/// The analysis of a land, which is the same for all skins.
#[derive(Component)]
pub(super) struct LandAnalysis {
    landscape: Arc<Landscape>,
    analysis: TerrainAnalysis,
}

/// Ends the repaint of a terrain whose skin was removed; its colours stay as they are.
pub(super) fn stop_repaints(mut removed: RemovedComponents<TerrainSkin>, mut terrains: Query<Living>) {
    for entity in removed.read() {
        if let Ok(mut living) = terrains.get_mut(entity) {
            living.on(Event::SkinTaken);
        }
    }
}

/// Starts a repaint of every terrain whose skin differs from its present one.
pub(super) fn start_repaints(
    mut commands: Commands,
    mut terrains: Query<(
        Entity,
        Living,
        &TerrainSkin,
        &TerrainGround,
        Option<&Stream>,
        Option<&LandAnalysis>,
    )>,
    arrays: Res<TextureArrays>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, mut living, skin, ground, stream, known) in &mut terrains {
        let landscape = &ground.landscape;
        if !living.life.wants_paint(skin, landscape) {
            continue;
        }
        let painted_skin = PaintedSkin { skin: skin.clone(), landscape: landscape.clone() };
        let painted = Painted::default();
        let painter = Painter {
            painted_skin: painted_skin.clone(),
            // Only of the same land: the analysis of another one would paint that land's slopes and valleys.
            known: known
                .filter(|known| Arc::ptr_eq(&known.landscape, landscape))
                .map(|known| known.analysis.clone()),
            recipe: ground.recipe.clone(),
            finest: stream.map_or(0, |stream| stream.shape().finest),
            limits: DeviceLimits::new(device.as_deref(), adapter.as_deref()),
            arrays: arrays.clone(),
            painted: painted.clone(),
        };
        let job = Job::start_long(move |work| painter.run(work));
        living.on(Event::SkinPut(Box::new(Repaint { painted_skin, job, painted })));
        report(&mut commands, TerrainStarted { entity, work: TerrainWork::Repaint });
    }
}

/// Swaps in what has been painted.
pub(super) fn show_paint(
    mut commands: Commands,
    mut terrains: Query<(Entity, Living, Option<&mut TerrainGround>, Option<&mut Stream>)>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
    budget: Res<TerrainBudget>,
    device: Option<Res<RenderDevice>>,
    adapter: Option<Res<RenderAdapterInfo>>,
) {
    for (entity, mut living, ground, mut stream) in &mut terrains {
        let Some(land) = living.life.painted_land() else { continue };
        let Some(mut ground) = ground.filter(|ground| Arc::ptr_eq(land, &ground.landscape)) else {
            // The paint and the analysis are those of another land.
            living.on(Event::GroundLost);
            continue;
        };
        let Some((paint, outcome)) = living.life.take_paint() else { continue };
        if let Some(progress) = living.progress(entity) {
            report(&mut commands, progress);
        }
        // If several pictures have come since the last frame, only the last one, the finest, is of use.
        if let Some(PaintUpdate { source, recipe, cover, types }) = paint.into_iter().next_back() {
            ground.cover = cover.map(|cover| cover.upload(&mut images));
            ground.types = types;
            ground.recipe = recipe;
            // Other channels of weights need textures of another shape, and so another stream.
            match stream.as_mut().filter(|stream| stream.fits(&*source)) {
                Some(stream) => stream.repaint(source),
                None => {
                    let limits = DeviceLimits::new(device.as_deref(), adapter.as_deref());
                    let stream =
                        Stream::new(source, Vec::new(), (&budget, limits), &mut images, &mut patches);
                    commands.entity(entity).try_insert(stream);
                }
            }
        }
        match outcome {
            None => {}
            Some(Ok(PaintResult { analysis, notes })) => {
                commands
                    .entity(entity)
                    .try_insert(LandAnalysis { landscape: ground.landscape.clone(), analysis });
                report(&mut commands, TerrainRepainted { entity, notes });
            }
            Some(Err(error)) => report_failure(&mut commands, TerrainFailed::new(entity, error)),
        }
    }
}
