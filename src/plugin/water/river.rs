//! Surfaces of rivers and lakes: rivers slope and flow, and have white water where they are fast.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use super::material::{Bed, DrawnWater, WaterKind, WaterUniform};
use super::waves::past_patterns;
use crate::plugin::material::{Drift, HeightMapping};
use crate::plugin::owned::spawn_owned;
use crate::plugin::terrain::TerrainGround;
use crate::steps::water::RiverSheet;

/// The water in the rivers and lakes of a field.
///
/// The field is centred on the entity, whose height is height 0 of the field. It is a child of the terrain's
/// entity, whose tiles are its bed. Needs a [`Sky`](crate::plugin::Sky) as
/// [`WaterSurface`](super::WaterSurface) does.
#[derive(Component, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
#[require(Transform, Visibility, NotShadowCaster, Drift)]
pub struct RiverSurface {
    /// The water's surface.
    pub sheet: Arc<RiverSheet>,
    /// Height of the sea, metres: rivers are drawn no lower, and fade out in it.
    pub sea_level: Option<f32>,
    /// The height at which a height of the field is drawn.
    pub mapping: HeightMapping,
    /// Depth at which the bed is almost invisible, metres, above 0.
    pub clarity: f32,
    /// Factor on the speed at which ripples move; 0 stops them.
    pub haste: f32,
}

impl RiverSurface {
    /// The surface of a field's rivers, in somewhat muddy water.
    pub fn new(sheet: Arc<RiverSheet>) -> Self {
        Self { sheet, sea_level: None, mapping: HeightMapping::default(), clarity: 5.0, haste: 1.0 }
    }
}

/// The rivers and lakes of a terrain, stored on the terrain's entity.
#[derive(Component)]
pub(super) struct Watered(pub(super) Entity);

/// Gives every terrain with rivers or lakes their surface, and removes it with them. A game's changes to the
/// water stay as long as the landscape does.
pub(super) fn water_terrains(
    mut commands: Commands,
    terrains: Query<
        (Entity, &TerrainGround, &HeightMapping, Option<&RenderLayers>, Option<&Watered>),
        Or<(Changed<TerrainGround>, Changed<HeightMapping>, Changed<RenderLayers>)>,
    >,
    mut rivers: Query<&mut RiverSurface>,
) {
    for (entity, ground, mapping, layers, watered) in &terrains {
        if ground.rivers.is_empty() {
            if let Some(&Watered(water)) = watered {
                commands.entity(water).try_despawn();
                commands.entity(entity).try_remove::<Watered>();
            }
            continue;
        }
        let fresh = RiverSurface {
            mapping: *mapping,
            sea_level: ground.landscape.sea_level,
            ..RiverSurface::new(ground.rivers.clone())
        };
        let water = match watered.and_then(|watered| Some((watered.0, rivers.get_mut(watered.0).ok()?))) {
            Some((water, mut surface)) => {
                // Repainted ground keeps its rivers and their mesh.
                let is_same = Arc::ptr_eq(&surface.sheet, &fresh.sheet)
                    && (surface.mapping, surface.sea_level) == (fresh.mapping, fresh.sea_level);
                if !is_same {
                    // A game may have set these two.
                    let RiverSurface { clarity, haste, .. } = *surface;
                    *surface = RiverSurface { clarity, haste, ..fresh };
                }
                water
            }
            None => {
                let water =
                    spawn_owned::<TerrainGround>(&mut commands, entity, (ChildOf(entity), fresh)).id();
                commands.entity(entity).try_insert(Watered(water));
                water
            }
        };
        commands.entity(water).try_insert(layers.cloned().unwrap_or_default());
    }
}

impl DrawnWater for RiverSurface {
    const KIND: WaterKind = WaterKind::Flowing;

    fn mesh(&self) -> Option<Mesh> {
        Some(river_mesh(&self.sheet, self.mapping))
    }

    fn speed(&self) -> f32 {
        self.haste
    }

    fn uniform(&self, bed: &Bed, moved: f64) -> WaterUniform {
        WaterUniform {
            anchor: bed.anchor.as_vec2(),
            level: self.sea_level.map_or(f32::MIN, |sea_level| self.mapping.map(sea_level)),
            clarity: self.clarity.max(0.01),
            past_patterns: past_patterns(moved),
            sheet_cell: self.sheet.cell,
            ..default()
        }
    }
}

/// The sheet with its mouths at their drawn heights. Velocities, Froude numbers and depths are stored as
/// texture coordinates.
pub(crate) fn river_mesh(sheet: &RiverSheet, mapping: HeightMapping) -> Mesh {
    let (mut positions, mut velocities, mut froude, mut indices) = (vec![], vec![], vec![], vec![]);
    for part in std::iter::once(sheet).chain(sheet.mouths.as_deref()) {
        let first = positions.len() as u32;
        indices.extend(part.indices.iter().map(|index| first + index));
        positions.extend(part.positions.iter().map(|&[x, y, z]| [x, mapping.map(y), z]));
        velocities.extend_from_slice(&part.velocities);
        let depths = part.depths.iter().map(|depth| depth * mapping.scale.abs());
        froude.extend(part.froude.iter().copied().zip(depths).map(<[f32; 2]>::from));
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        // Attributes of our own would need a layout of their own; nothing else uses these coordinates.
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, velocities)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_1, froude)
        .with_inserted_indices(Indices::U32(indices))
}
