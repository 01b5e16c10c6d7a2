//! Questions for water: how deep, how fast, and how far to the shore.

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::ground::{Land, TerrainQuery};

/// Water over the ground, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaterPoint {
    /// The terrain.
    pub terrain: Entity,
    /// The point on its surface, metres.
    pub surface: Vec3,
    /// Metres down to the ground, above 0.
    pub depth: f32,
    /// How fast it flows, metres per second, on the level: 0 in the sea and in lakes. A river's speed is that
    /// of Manning's formula for a stony bed, with the slope and the depth of its course there; near the banks
    /// it is slower.
    pub current: Vec3,
}

/// A point where water meets dry ground, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShorePoint {
    /// The terrain.
    pub terrain: Entity,
    /// The point, metres.
    pub position: Vec3,
    /// Metres to it on the level.
    pub distance: f32,
}

impl TerrainQuery<'_, '_> {
    /// The water above or below a world position: its surface, how deep it is there, and its current. Of
    /// several terrains that with the highest ground counts. `None` where that is dry.
    pub fn water(&self, position: Vec3) -> Option<WaterPoint> {
        let waters = self.lands().filter_map(|land| {
            let place = land.place(position);
            let place = DVec2::new(place.x, place.z);
            let ground = land.known.at(place.x, place.y)?;
            let drawn = f64::from(land.placement.mapping.map(ground.height));
            Some((land.in_world(place, drawn).y, land.water_over(place, drawn)))
        });
        // By the height of the ground, as `ground` does, so that both answer for the same terrain.
        waters.max_by(|a, b| a.0.total_cmp(&b.0))?.1
    }

    /// The shore of the sea, a river or a lake that is nearest to a world position, on any terrain, at most
    /// `reach` metres away on the level. Where ground overhangs, its samples count; the border of a terrain
    /// is not a shore. `None` if there is none, outside the terrains, and if `reach` is not a number of
    /// metres of at least 0.
    ///
    /// It looks at the ground in memory, the nearest first. On the land of a heightfield, or of a recipe that
    /// is built as a whole, the time grows with the square of the distance to what it finds, or of `reach` if
    /// there is nothing.
    pub fn nearest_shore(&self, position: Vec3, reach: f32) -> Option<ShorePoint> {
        let shores = self.lands().filter_map(|land| {
            let place = land.place(position);
            let reach = f64::from(reach) / land.placement.world_scale;
            let shore = land.known.nearest_shore(DVec2::new(place.x, place.z), &land.water, reach)?;
            let drawn = f64::from(land.placement.mapping.map(shore.level));
            Some(ShorePoint {
                terrain: land.terrain,
                position: land.in_world(shore.place, drawn).as_vec3(),
                distance: (shore.distance * land.placement.world_scale) as f32,
            })
        });
        shores.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

impl Land<'_> {
    /// The water over ground that is drawn at a height.
    pub(super) fn water_over(&self, place: DVec2, ground: f64) -> Option<WaterPoint> {
        let (level, velocity) = self.flowing(place, ground)?;
        let velocity = DVec3::new(velocity.x.into(), 0.0, velocity.y.into());
        Some(WaterPoint {
            terrain: self.terrain,
            surface: self.in_world(place, level).as_vec3(),
            depth: ((level - ground) * self.placement.world_scale) as f32,
            // As a vector, which the transform turns and scales but does not move.
            current: self.placement.world_from_land.transform_vector3(velocity).as_vec3(),
        })
    }
}
