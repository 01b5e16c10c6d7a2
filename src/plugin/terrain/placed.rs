//! Terrains that are where land cannot be drawn.

use bevy::prelude::*;

use super::components::Terrain;
use super::events::{TerrainFailed, report_failure};
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{HeightMapping, LandPlacement};

/// Marks a terrain whose place has a flaw that has been reported.
#[derive(Component)]
pub(super) struct Misplaced;

/// A place that may have changed.
type Place =
    (Entity, &'static GlobalTransform, &'static PrecisePlace, &'static HeightMapping, Has<Misplaced>);
type Moved = (With<Terrain>, Or<(Changed<GlobalTransform>, Changed<PrecisePlace>, Changed<HeightMapping>)>);

/// Reports each terrain with a transform that land cannot be drawn with, once until that is mended.
pub(super) fn check_places(mut commands: Commands, moved: Query<Place, Moved>) {
    for (entity, transform, place, mapping, is_reported) in &moved {
        match LandPlacement::check(&place.or(transform), *mapping) {
            Err(flaw) if !is_reported => {
                commands.entity(entity).try_insert(Misplaced);
                report_failure(&mut commands, TerrainFailed::new(entity, flaw));
            }
            Ok(()) if is_reported => _ = commands.entity(entity).try_remove::<Misplaced>(),
            _ => {}
        }
    }
}
