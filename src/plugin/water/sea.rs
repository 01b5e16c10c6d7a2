//! The surface of the sea, a level sheet from shore to horizon.

#![allow(clippy::type_complexity, reason = "a system's queries are best read in its signature")]

use bevy::camera::visibility::{NoFrustumCulling, RenderLayers};
use bevy::light::NotShadowCaster;
use bevy::prelude::*;

use super::material::{Bed, DrawnWater, WaterKind, WaterUniform};
use super::waves::{foam_at, waves_at};
use crate::plugin::material::{Drift, HeightMapping};
use crate::plugin::owned::spawn_owned;
use crate::plugin::setup::needs;
use crate::plugin::terrain::TerrainGround;

/// Water at one height, to the horizon.
///
/// As a child of a terrain's entity it lies on that terrain's ground, as finely as that is known; height 0 is
/// the entity's. Without a terrain it is open sea. It reflects a [`Sky`](crate::plugin::Sky) and is drawn
/// only if there is one on one of its render layers.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[component(on_add = needs("WaterPlugin", "WaterSurface"))]
#[type_path = "upland::plugin"]
#[reflect(Component, Clone, Debug, PartialEq)]
// The shader moves the sheet with the anchor and gives it its height, so the mesh's bounds say nothing about
// where it is.
#[require(Transform, Visibility, NoFrustumCulling, NotShadowCaster, Drift)]
pub struct WaterSurface {
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
    /// Water at `sea_level` metres in a light breeze.
    pub fn new(sea_level: f32) -> Self {
        Self { sea_level, mapping: HeightMapping::default(), clarity: 14.0, wind: 4.0, wave_speed: 3.0 }
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
        let Some(sea_level) = ground.landscape.sea_level else {
            if let Some(&Flooded(water)) = flooded {
                commands.entity(water).try_despawn();
                commands.entity(entity).try_remove::<Flooded>();
            }
            continue;
        };
        let fresh = WaterSurface { mapping: *mapping, ..WaterSurface::new(sea_level) };
        let water = match flooded.and_then(|flooded| Some((flooded.0, waters.get_mut(flooded.0).ok()?))) {
            Some((water, mut surface)) => {
                // A game may have set these.
                let WaterSurface { clarity, wind, wave_speed, .. } = *surface;
                *surface = WaterSurface { clarity, wind, wave_speed, ..fresh };
                water
            }
            None => {
                // A child, so that it moves with the terrain and ends with it.
                let water =
                    spawn_owned::<TerrainGround>(&mut commands, entity, (ChildOf(entity), fresh)).id();
                commands.entity(entity).try_insert(Flooded(water));
                water
            }
        };
        // Bevy does not pass render layers on to children.
        commands.entity(water).try_insert(layers.cloned().unwrap_or_default());
    }
}

impl DrawnWater for WaterSurface {
    const KIND: WaterKind = WaterKind::Standing;

    fn mesh(&self) -> Option<Mesh> {
        None
    }

    fn speed(&self) -> f32 {
        self.wave_speed
    }

    fn uniform(&self, bed: &Bed, moved: f64) -> WaterUniform {
        WaterUniform {
            level: self.mapping.map(self.sea_level),
            clarity: self.clarity.max(0.01),
            wind: self.wind.clamp(0.0, 15.0),
            waves: waves_at(bed.anchor_on_land, moved),
            foam: foam_at(bed.anchor_on_land),
            ..default()
        }
    }
}
