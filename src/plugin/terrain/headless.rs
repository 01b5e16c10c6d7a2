//! Terrains in a game without a renderer: their tiles are made for queries, and nothing is drawn.

use std::time::Instant;

use bevy::prelude::*;

use super::anchor::TerrainAnchor;
use super::events::{TerrainFailed, report_failure};
use super::ground::TerrainGround;
use super::system_sets::TerrainSystems;
use super::tiles::{TerrainTileEvents, report_tiles};
use crate::plugin::device::TexelPatches;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{HeightMapping, LandPlacement};
use crate::plugin::stream::{Stream, TerrainBudget, TerrainStatistics};

/// Streams the tiles of every terrain around anchors.
pub(crate) struct HeadlessTerrainPlugin;

impl Plugin for HeadlessTerrainPlugin {
    fn build(&self, app: &mut App) {
        // The places of anchors are those of this frame once transforms have been propagated.
        app.configure_sets(PostUpdate, TerrainSystems::Choose.after(TransformSystems::Propagate))
            .add_systems(PostUpdate, stream_tiles.in_set(TerrainSystems::Choose));
    }
}

/// A terrain, where it is, and its tiles.
type TerrainParts = (
    Entity,
    &'static TerrainGround,
    &'static mut Stream,
    &'static HeightMapping,
    (&'static GlobalTransform, &'static PrecisePlace),
    Option<&'static mut TerrainTileEvents>,
);

fn stream_tiles(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    anchors: Query<(&TerrainAnchor, &GlobalTransform)>,
    mut patches: ResMut<TexelPatches>,
    budget: Res<TerrainBudget>,
    mut statistics: ResMut<TerrainStatistics>,
) {
    let begun = Instant::now();
    *statistics = TerrainStatistics::default();
    let mut frame = budget.frame();
    for (terrain, ground, mut stream, mapping, (placement, place), events) in &mut terrains {
        // The stream changes in every frame; marking it would wake up everything that filters by
        // `Changed<Stream>`.
        let stream = stream.bypass_change_detection();
        if let Some(error) = stream.receive(&mut frame, &mut patches) {
            report_failure(&mut commands, TerrainFailed::new(terrain, error));
        }
        let Some(land) = LandPlacement::new(place.or(placement), ground.origin, *mapping) else { continue };
        let eyes: Vec<_> =
            anchors.iter().filter_map(|(anchor, transform)| anchor.eye(transform, &land)).collect();
        stream.plan(&eyes, land.drawn(), &mut patches);
        if let Some(mut events) = events {
            report_tiles(&mut commands, terrain, events.bypass_change_detection(), stream, &land);
        }
        stream.report(&mut statistics);
    }
    statistics.systems_ms = begun.elapsed().as_secs_f32() * 1e3;
}
