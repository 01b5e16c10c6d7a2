//! The surface of the sea, a level sheet from shore to horizon.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;

use super::material::{DrawnWater, WaterKind, WaterMaterial, WaterUniform};
use crate::Grid;
use crate::plugin::material::HeightMapping;
use crate::plugin::sky::BuiltSky;
use crate::plugin::terrain::TerrainGround;

/// How far the sea extends beyond a field, metres: out of sight in any haze.
const HORIZON: f32 = 1_500_000.0;

/// Water at one height in a field, extending beyond it to the horizon.
///
/// The field is centred on the entity, whose height is height 0 of the field; make it a child of the
/// terrain's entity. It reflects a [`Sky`](crate::plugin::Sky) and is drawn only if there is one on one of
/// its render layers.
#[derive(Component, Clone, Debug, PartialEq)]
#[require(Transform, Visibility, NoFrustumCulling, NotShadowCaster)]
pub struct WaterSurface {
    /// The ground's heights in metres, `grid.width × grid.depth` texels of `R32Float`, row by row
    /// from the north-west.
    pub heights: Handle<Image>,
    /// The shape of the field.
    pub grid: Grid,
    /// Height of the water's surface in the field, metres.
    pub sea_level: f32,
    /// The height at which a height of the field is drawn.
    pub mapping: HeightMapping,
    /// Depth at which the ground is almost invisible, metres, above 0.
    pub clarity: f32,
    /// Wind speed, metres per second, in \[0, 15\]: at 0 the water is a mirror.
    pub wind: f32,
    /// Speed of waves 24 m long, metres per second; 0 stops them.
    pub wave_speed: f32,
}

impl WaterSurface {
    /// Water at `sea_level` metres in a field of this shape, in a light breeze.
    pub fn new(heights: Handle<Image>, grid: Grid, sea_level: f32) -> Self {
        let mapping = HeightMapping::default();
        Self { heights, grid, sea_level, mapping, clarity: 14.0, wind: 4.0, wave_speed: 3.0 }
    }
}

/// The sea of a terrain, stored on the terrain's entity.
#[derive(Component)]
pub(super) struct Flooded(pub(super) Entity);

/// Gives every terrain whose landscape has a sea level its sea, and removes it with the level. A game's
/// changes to the sea stay as long as the landscape does.
pub(super) fn flood_terrains(
    mut commands: Commands,
    terrains: Query<
        (Entity, &TerrainGround, &HeightMapping, Option<&RenderLayers>, Option<&Flooded>),
        Or<(Changed<TerrainGround>, Changed<HeightMapping>, Changed<RenderLayers>)>,
    >,
    mut waters: Query<&mut WaterSurface>,
) {
    for (entity, ground, mapping, layers, flooded) in &terrains {
        let sea = ground.landscape.sea_level.zip(ground.heights.clone());
        let Some((sea_level, heights)) = sea else {
            if let Some(&Flooded(water)) = flooded {
                commands.entity(water).try_despawn();
                commands.entity(entity).remove::<Flooded>();
            }
            continue;
        };
        let grid = ground.landscape.heightfield.grid();
        let fresh = WaterSurface { mapping: *mapping, ..WaterSurface::new(heights, grid, sea_level) };
        let water = match flooded.and_then(|flooded| Some((flooded.0, waters.get_mut(flooded.0).ok()?))) {
            Some((water, mut surface)) => {
                let WaterSurface { clarity, wind, wave_speed, .. } = *surface;
                *surface = WaterSurface { clarity, wind, wave_speed, ..fresh };
                water
            }
            None => {
                let water = commands.spawn((ChildOf(entity), fresh)).id();
                commands.entity(entity).insert(Flooded(water));
                water
            }
        };
        commands.entity(water).insert(layers.cloned().unwrap_or_default());
    }
}

impl DrawnWater for WaterSurface {
    fn mesh(&self) -> Mesh {
        sheet(self.grid.extent(), self.mapping.map(self.sea_level))
    }

    fn material(&self, sky: &BuiltSky) -> WaterMaterial {
        let water = WaterUniform {
            above: sky.uniform,
            extent: self.grid.extent(),
            cell: self.grid.cell,
            level: self.mapping.map(self.sea_level),
            height_scale: self.mapping.scale,
            height_bias: self.mapping.bias,
            clarity: self.clarity.max(0.01),
            wind: self.wind.clamp(0.0, 15.0),
            wave_speed: self.wave_speed,
            lift: 0.0,
        };
        let (table, heights) = (sky.table.clone(), self.heights.clone());
        WaterMaterial { water, table, heights, kind: WaterKind::Standing }
    }
}

/// A level sheet of quads: one over the field, and rings of ever larger ones to the horizon. Small quads
/// near by keep interpolation precise.
pub(crate) fn sheet(extent: Vec2, level: f32) -> Mesh {
    let lines = |extent: f32| {
        let mut ahead = vec![(0.5 * extent).max(1.0)];
        while let Some(&last) = ahead.last().filter(|&&last| last < HORIZON) {
            ahead.push(last * 3.0);
        }
        let behind = ahead.iter().rev().map(|line| -line);
        behind.chain(ahead.iter().copied()).collect::<Vec<f32>>()
    };
    let (columns, rows) = (lines(extent.x), lines(extent.y));
    let positions: Vec<[f32; 3]> =
        rows.iter().flat_map(|&z| columns.iter().map(move |&x| [x, level, z])).collect();
    let width = columns.len() as u32;
    let quads =
        (0..rows.len() as u32 - 1).flat_map(|row| (0..width - 1).map(move |column| row * width + column));
    let indices = quads
        .flat_map(|corner| {
            [corner, corner + width, corner + 1, corner + 1, corner + width, corner + width + 1]
        })
        .collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_lies_level_and_reaches_the_horizon_on_all_sides() {
        for extent in [Vec2::new(30_000.0, 12_000.0), Vec2::ZERO] {
            let mesh = sheet(extent, 7.0);
            let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).and_then(|a| a.as_float3()).unwrap();
            assert!(positions.iter().all(|p| p[1] == 7.0));
            for axis in [0, 2] {
                let ends = positions
                    .iter()
                    .fold((0f32, 0f32), |(low, high), p| (low.min(p[axis]), high.max(p[axis])));
                assert!(ends.0 <= -HORIZON && ends.1 >= HORIZON, "{ends:?}");
            }
        }
    }
}
