//! Queries for many positions together.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::ground::{GroundPoint, Land, TerrainQuery};
use super::water::WaterPoint;
use crate::stream::GroundAt;

/// Positions that are handled together.
const BLOCK: usize = 128;

impl TerrainQuery<'_, '_> {
    /// The highest ground of all terrains above or below each of some world positions: as
    /// [`ground`](Self::ground) of each.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::TerrainQuery;
    /// #[derive(Component)]
    /// struct Sheep;
    ///
    /// fn graze(terrains: TerrainQuery, mut flock: Query<&mut Transform, With<Sheep>>) {
    ///     let places: Vec<Vec3> = flock.iter().map(|sheep| sheep.translation).collect();
    ///     for (mut sheep, ground) in flock.iter_mut().zip(terrains.grounds(&places)) {
    ///         sheep.translation.y = ground.map_or(sheep.translation.y, |ground| ground.position.y);
    ///     }
    /// }
    /// ```
    pub fn grounds(&self, positions: &[Vec3]) -> Vec<Option<GroundPoint>> {
        let mut grounds = Vec::new();
        self.grounds_into(positions, &mut grounds);
        grounds
    }

    /// As [`grounds`](Self::grounds), into a list that is emptied first: one that is kept takes no new
    /// memory.
    pub fn grounds_into(&self, positions: &[Vec3], grounds: &mut Vec<Option<GroundPoint>>) {
        grounds.clear();
        grounds.resize(positions.len(), None);
        for land in self.lands() {
            land.each(positions, |index, place, at| {
                let point = land.point(place, at);
                let highest = &mut grounds[index];
                // The last of equal ones, as in `ground`.
                let is_higher = |other: &GroundPoint| point.position.y.total_cmp(&other.position.y).is_ge();
                if highest.as_ref().is_none_or(is_higher) {
                    *highest = Some(point);
                }
            });
        }
    }

    /// The heights of one terrain's ground above or below world positions, metres in the world: NaN where
    /// there is none. Nothing is allocated; of all questions for many places this takes the least time. False
    /// if there is no such terrain yet, or not as much room for heights as there are positions; all of them
    /// are NaN then.
    #[doc(alias("heights_at", "sample_heights"))]
    pub fn heights(&self, terrain: Entity, positions: &[Vec3], heights: &mut [f32]) -> bool {
        heights.fill(f32::NAN);
        let Some(land) = self.land(terrain).filter(|_| positions.len() == heights.len()) else {
            return false;
        };
        // On the stack, so that no question allocates.
        let (mut places, mut found) = ([DVec2::ZERO; BLOCK], [f32::NAN; BLOCK]);
        for (positions, heights) in positions.chunks(BLOCK).zip(heights.chunks_mut(BLOCK)) {
            let count = positions.len();
            land.places(positions, &mut places);
            // There is as much room as there are places.
            let _ = land.known.heights_of(&places[..count], &mut found[..count]);
            for ((height, found), place) in heights.iter_mut().zip(&found).zip(&places) {
                let drawn = f64::from(land.placement.mapping.map(*found));
                *height = land.in_world(*place, drawn).y as f32;
            }
        }
        true
    }

    /// The water above or below each of some world positions: as [`water`](Self::water) of each.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::TerrainQuery;
    /// #[derive(Component)]
    /// struct Raft;
    ///
    /// fn drift(terrains: TerrainQuery, mut rafts: Query<&mut Transform, With<Raft>>, time: Res<Time>) {
    ///     let places: Vec<Vec3> = rafts.iter().map(|raft| raft.translation).collect();
    ///     for (mut raft, water) in rafts.iter_mut().zip(terrains.waters(&places)) {
    ///         if let Some(water) = water {
    ///             raft.translation = water.surface + water.current * time.delta_secs();
    ///         }
    ///     }
    /// }
    /// ```
    pub fn waters(&self, positions: &[Vec3]) -> Vec<Option<WaterPoint>> {
        let mut waters = vec![None; positions.len()];
        let mut tops = vec![f64::NEG_INFINITY; positions.len()];
        for land in self.lands() {
            land.each(positions, |index, place, at| {
                let drawn = f64::from(land.placement.mapping.map(at.height));
                let top = land.in_world(place, drawn).y;
                // The last of equal ones, as in `water`.
                if top.total_cmp(&tops[index]).is_ge() {
                    (tops[index], waters[index]) = (top, land.water_over(place, drawn));
                }
            });
        }
        waters
    }

    /// The names of the terrain types whose shares [`type_shares`](Self::type_shares) are, in their order:
    /// those of [`types`](Self::types) in the order of the recipe's texture. Empty before the terrain is
    /// built.
    pub fn type_names(&self, terrain: Entity) -> Arc<[Arc<str>]> {
        self.land(terrain).map(|land| land.ground.types.names().clone()).unwrap_or_default()
    }

    /// How much each terrain type covers of one terrain's ground above or below world positions, in \[0, 1\]:
    /// as [`types`](Self::types) of each, but in a single list. For every position there are as many numbers
    /// as [`type_names`](Self::type_names), in their order; NaN where there is no land. False if there is no
    /// such terrain yet, or not as much room as is needed; all of them are NaN then.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::TerrainQuery;
    /// fn count_snowed_in(terrains: TerrainQuery, terrain: Entity, places: &[Vec3]) -> usize {
    ///     let names = terrains.type_names(terrain);
    ///     let Some(snow) = names.iter().position(|name| &**name == "snow") else { return 0 };
    ///     let mut shares = vec![0.0; places.len() * names.len()];
    ///     terrains.type_shares(terrain, places, &mut shares);
    ///     shares.chunks(names.len()).filter(|shares| shares[snow] > 0.5).count()
    /// }
    /// ```
    pub fn type_shares(&self, terrain: Entity, positions: &[Vec3], shares: &mut [f32]) -> bool {
        shares.fill(f32::NAN);
        let Some(land) = self.land(terrain) else { return false };
        let kinds = &land.ground.types;
        let types = kinds.names().len();
        let mut channels = Vec::new();
        if shares.len() != positions.len() * types {
            return false;
        }
        for (position, shares) in positions.iter().zip(shares.chunks_mut(types.max(1))) {
            let place = land.place(*position);
            let Some(weights) = land.stream.residency().weights_at(place.x, place.z) else { continue };
            // One list for all positions, whose memory is used again.
            channels.clear();
            channels.extend(weights);
            for (share, of_kind) in shares.iter_mut().zip(kinds.shares(&channels)) {
                *share = of_kind;
            }
        }
        true
    }

    /// The slope of the highest ground above or below a world position, degrees from horizontal, as
    /// [`GroundPoint::slope`]; `None` where there is no ground.
    pub fn slope(&self, position: Vec3) -> Option<f32> {
        self.ground(position).map(|ground| ground.slope())
    }

    /// The value of a layer of one terrain's finished land at a world position, interpolated between its
    /// samples: of a layer that has been kept in memory, because terrain types or rules of its recipe depend
    /// on it. Others are asked for by [`probes`](Self::probes), and so are all layers of land that is made in
    /// parts: endless land, and land that is too large to be held. `None` where there is no such layer, or no
    /// land.
    ///
    /// `water_depth` is that of the ground in memory, and always there.
    pub fn layer(&self, terrain: Entity, name: &str, position: Vec3) -> Option<f32> {
        let land = self.land(terrain)?;
        let place = land.place(position);
        if !land.stream.shape().has_place(place.x, place.z) {
            return None;
        }
        let landscape = &land.ground.landscape;
        if name == crate::grid::layer::WATER_DEPTH {
            let place = DVec2::new(place.x, place.z);
            let ground = land.known.at(place.x, place.y)?;
            return Some(land.water.at(place, ground.height).map_or(0.0, |water| water.depth));
        }
        // A landscape that has only some of the samples has layers of these alone.
        let layer = landscape.layers.get(name).filter(|_| !land.ground.is_partial())?;
        Some(layer.sample(Vec2::new(place.x as f32, place.z as f32)))
    }
}

impl Land<'_> {
    /// Places in the land of at most a block of positions.
    fn places(&self, positions: &[Vec3], places: &mut [DVec2; BLOCK]) {
        for (place, position) in places.iter_mut().zip(positions) {
            let p = self.place(*position);
            *place = DVec2::new(p.x, p.z);
        }
    }

    /// Calls a function with the number, the place and the ground of each position that has ground.
    fn each(&self, positions: &[Vec3], mut found: impl FnMut(usize, DVec2, GroundAt)) {
        let (mut places, mut grounds) = ([DVec2::ZERO; BLOCK], [None; BLOCK]);
        for (number, positions) in positions.chunks(BLOCK).enumerate() {
            let count = positions.len();
            self.places(positions, &mut places);
            // There is as much room as there are places.
            let _ = self.known.all_of(&places[..count], &mut grounds[..count]);
            for (index, (place, ground)) in places[..count].iter().zip(&grounds).enumerate() {
                if let Some(ground) = ground {
                    found(number * BLOCK + index, *place, *ground);
                }
            }
        }
    }
}
