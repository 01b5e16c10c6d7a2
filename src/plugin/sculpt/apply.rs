//! Strokes reach the ground.

use bevy::prelude::*;

use super::components::{StrokeApplied, StrokeNews, TerrainStrokes};
use super::paint::PaintChecked;
use crate::plugin::device::TexelPatches;
use crate::plugin::stream::Stream;
use crate::plugin::terrain::TerrainChanged;

/// Brings the tiles of every terrain up to date with its strokes.
pub(super) fn apply_strokes(
    mut terrains: Query<(Entity, &mut Stream, &mut TerrainStrokes)>,
    mut changed: MessageWriter<TerrainChanged>,
    mut applied: MessageWriter<StrokeApplied>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
) {
    for (terrain, mut stream, mut strokes) in &mut terrains {
        if !strokes.news.is_empty() {
            // Taken without marking the strokes as changed, which would have them checked again in the next
            // frame.
            for news in std::mem::take(&mut strokes.bypass_change_detection().news) {
                let StrokeNews { stroke, change, is_own } = news;
                applied.write(StrokeApplied { terrain, stroke, change, is_own });
            }
        }
        // A stream that is new has none of them yet.
        for area in stream.sculpt(strokes.strokes(), &mut images, &mut patches) {
            changed.write(TerrainChanged { terrain, area: Some(area) });
        }
    }
}

/// Takes the strokes off a terrain that can no longer be sculpted.
pub(super) fn end(
    removed: On<Remove, TerrainStrokes>,
    mut terrains: Query<&mut Stream>,
    mut changed: MessageWriter<TerrainChanged>,
    (mut images, mut patches): (ResMut<Assets<Image>>, ResMut<TexelPatches>),
    mut commands: Commands,
) {
    commands.entity(removed.entity).try_remove::<PaintChecked>();
    let Ok(mut stream) = terrains.get_mut(removed.entity) else { return };
    for area in stream.sculpt(&default(), &mut images, &mut patches) {
        changed.write(TerrainChanged { terrain: removed.entity, area: Some(area) });
    }
}
