//! Costs of an agent's ways: at a position, all around it, and the way that costs least.

use std::sync::Arc;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::ground::{Land, TerrainQuery, shares};
use crate::agents::{CostMap, CostRules, NoPath, OffLimits, Walkable};
use crate::grid::{Domain, LEVELS, Window};
use crate::plugin::jobs::Job;
use crate::{Error, Result, Work};

/// A question for the costs of the ground around a position, from
/// [`TerrainQuery::costs`](super::TerrainQuery::costs). Dropping it withdraws it. As a component it goes with
/// its entity.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::{CostArea, TerrainCosts};
///
/// fn hear(mut commands: Commands, mut asked: Query<(Entity, &mut TerrainCosts)>) {
///     for (agent, mut costs) in &mut asked {
///         match costs.take() {
///             Some(Ok(area)) => {
///                 commands.entity(agent).insert(area).remove::<TerrainCosts>();
///             }
///             Some(Err(error)) => warn!("{error}"),
///             None => {}
///         }
///     }
/// }
/// ```
#[derive(Component, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false)]
pub struct TerrainCosts {
    terrain: Entity,
    /// `None` once it has been answered.
    #[reflect(ignore)]
    job: Option<Job<CostMap>>,
}

/// The costs of the ground around a position of a terrain, as they were when they were asked for.
#[derive(Component, Clone, Debug, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(from_reflect = false, Clone, Debug)]
pub struct CostArea {
    /// The terrain.
    pub terrain: Entity,
    /// The cost of a metre at its samples, in metres of the terrain's own land.
    // Bevy's `GetPath` would hide the map's own `path` if the map were reflected.
    #[reflect(ignore)]
    pub map: Arc<CostMap>,
}

/// The most samples along a side of an area.
const MOST: f64 = 8193.0;

impl TerrainCosts {
    /// The terrain that it asks.
    pub fn terrain(&self) -> Entity {
        self.terrain
    }

    /// The answer: once, as soon as it is known; `None` before and after that.
    ///
    /// # Errors
    /// When the rules are not possible or name what the terrain has not, and those of making the ground.
    pub fn take(&mut self) -> Option<Result<CostArea>> {
        let outcome = self.job.as_mut()?.outcome()?;
        self.job = None;
        Some(outcome.map(|map| CostArea { terrain: self.terrain, map: Arc::new(map) }))
    }
}

impl std::fmt::Debug for TerrainCosts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_answered = self.job.is_none();
        f.debug_struct("TerrainCosts")
            .field("terrain", &self.terrain)
            .field("is_answered", &is_answered)
            .finish_non_exhaustive()
    }
}

impl TerrainQuery<'_, '_> {
    /// The cost of a metre for an agent on the highest ground above or below a world position, in metres of
    /// level, firm, dry ground (depths of water are in the terrain's own metres, if it is scaled): by its
    /// slope, the water over it and the terrain types that cover it. Only [`costs`](Self::costs) know the
    /// rules' layers and masks. `None` where there is no ground.
    ///
    /// # Errors
    /// Why the place is off limits.
    pub fn cost(&self, position: Vec3, rules: &CostRules) -> Option<Result<f32, OffLimits>> {
        let point = self.ground(position)?;
        let land = self.land(point.terrain)?;
        let place = land.place(point.position);
        let weights = land.stream.residency().weights_at(place.x, place.z);
        let weights: Vec<u8> = weights.into_iter().flatten().collect();
        let types = shares(&land.ground.types, &weights);
        // As if the land stood upright, as costs of an area have it.
        let upright = point.normal.dot(land.up());
        // The tangent from the cosine: sqrt(1 - c²) / c.
        let gradient = (1.0 - upright * upright).max(0.0).sqrt() / upright.max(1e-6);
        let depth = point.depth() / land.placement.world_scale as f32;
        Some(rules.cost_of(gradient, depth, types.iter().map(|kind| (&*kind.name, kind.share))))
    }

    /// Asks for the costs of one terrain's ground around a world position, up to `radius` metres to each
    /// side, with samples that are at most `spacing` metres apart if the terrain has as fine ones. They are
    /// found in the background: [`TerrainCosts::take`] gives them. A recipe's land is asked at any level,
    /// with all its layers and types; that of others has its own samples. `None` where there is no land,
    /// before it is built, for a radius or spacing that is not above 0, and for more than 8193 samples a
    /// side.
    pub fn costs(
        &self,
        terrain: Entity,
        position: Vec3,
        radius: f32,
        spacing: f32,
        rules: &CostRules,
    ) -> Option<TerrainCosts> {
        let land = self.land(terrain)?;
        let scale = land.placement.world_scale;
        let (radius, spacing) = (f64::from(radius) / scale, f64::from(spacing) / scale);
        let place = land.place(position);
        let place = DVec2::new(place.x, place.z);
        let is_sound = radius > 0.0 && spacing > 0.0 && radius.is_finite() && spacing.is_finite();
        if !is_sound || !land.known.has_land(place) {
            return None;
        }
        let shape = land.stream.shape();
        let domain = land.domain()?;
        let is_recipe = land.ground.recipe.is_some();
        // A little more: transforms of 32 bits are not exact.
        // Level n has 2^n times the spacing, so the next finer power of two is chosen.
        let level = (1.001 * spacing / f64::from(shape.cell)).log2().floor();
        let level =
            if is_recipe { level.clamp(f64::from(*LEVELS.start()), f64::from(shape.coarsest)) } else { 0.0 };
        let window = window_around(&domain, level as i32, place, radius)?;
        let rules = rules.clone();
        let job = match &land.ground.recipe {
            Some(source) => {
                let source = source.clone();
                Job::start(move |work: &Work| {
                    CostMap::of_recipe(source.recipe(), window, &rules, source.cache(), work)
                })
            }
            None => {
                let landscape = land.ground.landscape.clone();
                Job::start(move |work: &Work| CostMap::of_landscape(&landscape, window, &rules, work))
            }
        };
        Some(TerrainCosts { terrain, job: Some(job) })
    }

    /// The cost of a metre at a world position in an area; `None` outside it, and where it is off limits.
    pub fn cost_in(&self, area: &CostArea, position: Vec3) -> Option<f32> {
        let land = self.land(area.terrain)?;
        let place = land.place(position);
        let [column, row] = area.map.sample_at(DVec2::new(place.x, place.z))?;
        area.map.cost(column, row)
    }

    /// The way in an area that costs least, from one world position to another: points on the ground that is
    /// in memory, at which it begins, bends and ends. The search takes time that grows with the samples
    /// between the ends; search long ways in the background, by [`CostMap::path`].
    ///
    /// # Errors
    /// When there is none, and why.
    pub fn path(&self, area: &CostArea, from: Vec3, to: Vec3) -> Result<Vec<Vec3>, NoPath> {
        let gone = || NoPath::Error(Error::parameter("terrain", "is gone, and its ground with it"));
        let land = self.land(area.terrain).ok_or_else(gone)?;
        let [from, to] = [from, to].map(|position| {
            let place = land.place(position);
            DVec2::new(place.x, place.z)
        });
        // On the caller's thread: `Work` here is never cancelled, the doc says what to do with long ways.
        let path = area.map.path(from, to, &Work::new())?;
        let on_ground = |p: &DVec3| {
            let height = land.known.at(p.x, p.z).map_or(p.y as f32, |ground| ground.height);
            land.in_world(DVec2::new(p.x, p.z), land.placement.mapping.map(height).into()).as_vec3()
        };
        Ok(path.points.iter().map(on_ground).collect())
    }

    /// The ground of an area as triangles in the world, for crates that make navigation meshes: see
    /// [`CostMap::walkable`]. `None` if the terrain is gone, or the area has no cell.
    pub fn walkable(&self, area: &CostArea, areas: &[f32]) -> Option<Walkable> {
        let land = self.land(area.terrain)?;
        let mut walkable = area.map.walkable(areas).ok()?;
        let origin = walkable.origin;
        for position in &mut walkable.positions {
            let drawn = f64::from(land.placement.mapping.map(position.y));
            let place = origin + DVec2::new(position.x.into(), position.z.into());
            *position = land.in_world(place, drawn).as_vec3();
        }
        // Positions are those of the world now, and no longer relative to the origin.
        walkable.origin = DVec2::ZERO;
        Some(walkable)
    }
}

impl Land<'_> {
    /// Where there are samples; `None` if the land's size is not possible.
    fn domain(&self) -> Option<Domain> {
        match &self.ground.recipe {
            Some(source) => source.recipe().domain().ok(),
            None => Some(Domain::of(self.ground.landscape.heightfield.grid())),
        }
    }
}

/// The samples of a level around a place, where there is land: at least two a side.
fn window_around(domain: &Domain, level: i32, place: DVec2, radius: f64) -> Option<Window> {
    let cell = f64::from(domain.cell_at(level));
    let mut window = Window { level, first: [0; 2], size: [0; 2] };
    for axis in [0, 1] {
        let (low, high) = ((place[axis] - radius) / cell, (place[axis] + radius) / cell);
        if high - low > MOST {
            return None;
        }
        let (mut first, mut last) = (low.floor() as i64, high.ceil() as i64);
        if let Some(size) = domain.size_at(level) {
            let end = size[axis] as i64 - 1;
            // Two samples at least, so that there is a cell, also at the border.
            first = first.clamp(0, (end - 1).max(0));
            last = last.clamp((first + 1).min(end), end);
        }
        window.first[axis] = first;
        window.size[axis] = u32::try_from(last - first + 1).ok()?;
    }
    Some(window)
}
