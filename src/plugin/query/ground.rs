//! Queries for the ground, on the CPU.

use std::sync::Arc;

use bevy::ecs::system::SystemParam;
use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use crate::Landscape;
use crate::grid::layer::HOLE;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::{HeightMapping, LandPlacement, WeighedTypes};
use crate::plugin::setup::warn_without;
use crate::plugin::stream::Stream;
use crate::plugin::terrain::TerrainGround;
use crate::stream::{GroundAt, KnownGround, LandWater};

/// A point of the ground, in world space.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct GroundPoint {
    /// The terrain.
    pub terrain: Entity,
    /// The point, in metres.
    pub position: Vec3,
    /// The unit normal there.
    pub normal: Vec3,
    /// Metres between the samples that the ground is interpolated from: how exact it is.
    pub spacing: f32,
    /// Height of the surface of the sea or a river over the point, metres in the world; `None` where it is
    /// dry.
    pub water: Option<f32>,
    /// Metres of water over it, upwards as the terrain stands.
    pub(super) depth: f32,
}

impl GroundPoint {
    /// Steepness, degrees from the world's horizontal, in \[0, 180\]: above 90 on the underside of an
    /// overhang.
    pub fn slope(&self) -> f32 {
        self.normal.y.clamp(-1.0, 1.0).acos().to_degrees()
    }

    /// Metres of water above it, along the terrain's own upright axis; 0 where it is dry.
    pub fn depth(&self) -> f32 {
        self.depth
    }
}

/// How much of the ground a terrain type covers.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq)]
pub struct TypeShare {
    /// The type's name in the recipe's texture.
    pub name: Arc<str>,
    /// In (0, 1\].
    pub share: f32,
}

/// A system parameter that answers where the ground is.
///
/// Answers are those of the finest tile that is in memory, which is as fine as the ground that is drawn, so
/// they are found immediately, and become finer as a camera comes nearer: [`GroundPoint::spacing`] says how
/// fine they are. Land of a heightfield, or of a recipe that is built as a whole, is never coarser than its
/// own samples. For exact answers use a [`probe`](Self::probe), and wait for some frames.
///
/// A terrain may be moved, turned about any axis and scaled alike along all. *Above* and *below* are meant
/// along its own upright axis, which is the world's +Y unless it is tilted about X or Z: ground of a tilted
/// terrain above or below a position lies on the line through it along that axis, and so at another x and z.
/// Answers are in the world all the same: points, normals, slopes, heights, currents. For the ground of a
/// tilted terrain along another line use a [ray](Self::cast_ray). Positions that are not finite have no
/// ground, nor has a terrain that cannot be drawn where it is.
///
/// [`ground`](Self::ground) and [`cast_ray`](Self::cast_ray) ask all terrains, [`ground_of`](Self::ground_of)
/// and others a certain one. For many places together use [`grounds`](Self::grounds) or
/// [`heights`](Self::heights), which have the same answers sooner. Water, shores, layers, lines of sight and
/// costs of ways have questions of their own; see `docs/queries.md`.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::TerrainQuery;
///
/// fn keep_feet_on_the_ground(terrains: TerrainQuery, mut walkers: Query<&mut Transform>) {
///     for mut walker in &mut walkers {
///         if let Some(ground) = terrains.ground(walker.translation) {
///             walker.translation.y = ground.position.y.max(ground.water.unwrap_or(f32::MIN));
///         }
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct TerrainQuery<'w, 's> {
    terrains: Query<'w, 's, Parts>,
    _plugin: Local<'s, NeedsPlugin>,
}

/// Warns once, when a system that queries the ground is initialised, if the plugin is missing.
struct NeedsPlugin;

impl FromWorld for NeedsPlugin {
    fn from_world(world: &mut World) -> Self {
        warn_without(world, "TerrainPlugin", "TerrainQuery");
        Self
    }
}

/// The components of a terrain that queries read.
type Parts = (
    Entity,
    &'static TerrainGround,
    &'static Stream,
    &'static HeightMapping,
    &'static GlobalTransform,
    &'static PrecisePlace,
);

impl TerrainQuery<'_, '_> {
    pub(super) fn land(&self, terrain: Entity) -> Option<Land<'_>> {
        Land::new(self.terrains.get(terrain).ok()?)
    }

    pub(super) fn lands(&self) -> impl Iterator<Item = Land<'_>> {
        self.terrains.iter().filter_map(Land::new)
    }

    /// The ground of one terrain above or below a world position; `None` outside its border, in a hole, or
    /// before it is built.
    #[doc(alias("height_at"))]
    pub fn ground_of(&self, terrain: Entity, position: Vec3) -> Option<GroundPoint> {
        self.land(terrain)?.under(position)
    }

    /// All surfaces of one terrain above and below a world position, the highest first: several where ground
    /// overhangs, and every other one is an underside, whose normal points down. Empty outside the terrain's
    /// border or before it is built.
    pub fn surfaces_of(&self, terrain: Entity, position: Vec3) -> Vec<GroundPoint> {
        self.land(terrain).map(|land| land.over(position)).unwrap_or_default()
    }

    /// A world position on the land of a terrain: metres east (x) and south (z) of its sample (0, 0), where
    /// strokes of a brush have their places, and the height as the recipe has it, before the terrain's height
    /// mapping (y). `None` before it is built, or if its heights are mapped to a plane.
    #[doc(alias("world_to_land", "local"))]
    pub fn on_land(&self, terrain: Entity, position: Vec3) -> Option<DVec3> {
        let land = self.land(terrain)?;
        let place = land.place(position);
        let HeightMapping { scale, bias } = land.placement.mapping;
        let height = (place.y - f64::from(bias)) / f64::from(scale);
        Some(DVec3::new(place.x, height, place.z)).filter(|place| place.is_finite())
    }

    /// The reverse of [`on_land`](Self::on_land): where a place of the land lies in the world, at a height as
    /// the recipe has it. A step's point, which recipes give as shares of the land's sides, lies at these
    /// shares of its extent.
    #[doc(alias("land_to_world"))]
    pub fn from_land(&self, terrain: Entity, place: DVec3) -> Option<Vec3> {
        let land = self.land(terrain)?;
        let HeightMapping { scale, bias } = land.placement.mapping;
        let height = place.y * f64::from(scale) + f64::from(bias);
        Some(land.in_world(place.xz(), height).as_vec3()).filter(|place| place.is_finite())
    }

    /// Whether all ground of one terrain in memory is up to date. After a change, such as an undone stroke or
    /// another recipe, queries may return the old ground for some frames. When this is true again,
    /// [`TerrainSettled`](crate::plugin::TerrainSettled) is sent. False before the terrain is built.
    pub fn is_settled(&self, terrain: Entity) -> bool {
        self.terrains.get(terrain).is_ok_and(|(_, _, stream, ..)| stream.is_up_to_date(None))
    }

    /// Whether one terrain has a hole above or below a world position: land without ground.
    pub fn is_hole(&self, terrain: Entity, position: Vec3) -> bool {
        self.land(terrain).is_some_and(|land| {
            let place = land.place(position);
            land.known.is_hole(place.x, place.z)
        })
    }

    /// The highest ground of all terrains above or below a world position.
    #[doc(alias("height_at", "get_height", "terrain_height", "elevation"))]
    pub fn ground(&self, position: Vec3) -> Option<GroundPoint> {
        let points = self.lands().filter_map(|land| land.under(position));
        points.max_by(|a, b| a.position.y.total_cmp(&b.position.y))
    }

    /// The highest ground of all terrains at or below a world position: what feet stand on under an overhang,
    /// or in a cave that a game has put under a hill. Ask a step's height above the feet, so that ground
    /// which rises, or has become finer, is found too. Undersides of overhangs are none.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::TerrainQuery;
    /// fn stand(terrains: TerrainQuery, mut walkers: Query<&mut Transform>) {
    ///     for mut feet in &mut walkers {
    ///         if let Some(ground) = terrains.ground_below(feet.translation + 0.5 * Vec3::Y) {
    ///             feet.translation.y = ground.position.y;
    ///         }
    ///     }
    /// }
    /// ```
    pub fn ground_below(&self, position: Vec3) -> Option<GroundPoint> {
        let below = self.lands().flat_map(|land| {
            let (up, mut surfaces) = (land.up(), land.over(position));
            surfaces.retain(|point| point.normal.dot(up) > 0.0 && (point.position - position).dot(up) <= 0.0);
            surfaces
        });
        below.max_by(|a, b| a.position.y.total_cmp(&b.position.y))
    }

    /// The first point where a ray hits one terrain from above, or an overhang from below, at most `far`
    /// metres from its origin, and at most 100 000 km; `None` if it misses or passes through a hole, before
    /// the terrain is built, or if `far` is not above 0.
    #[doc(alias("raycast", "ray_cast"))]
    pub fn cast_ray_on(&self, terrain: Entity, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        self.land(terrain)?.meeting(ray, far)
    }

    /// The first point where a ray hits any terrain from above, at most `far` metres from its origin.
    #[doc(alias("raycast", "ray_cast", "raycast_terrain", "pick"))]
    pub fn cast_ray(&self, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        let points = self.lands().filter_map(|land| land.meeting(ray, far));
        let away = |point: &GroundPoint| point.position.distance_squared(ray.origin);
        points.min_by(|a, b| away(a).total_cmp(&away(b)))
    }

    /// The terrain types that cover the ground at a point, those that cover most first: the splat weights of
    /// the cell of the finest tile there. Empty where there is none. A layer, which is laid over other types,
    /// covers as much as it is strong.
    #[doc(alias("biome", "material_at"))]
    pub fn types(&self, point: &GroundPoint) -> Vec<TypeShare> {
        let types = || {
            let land = self.land(point.terrain)?;
            let place = land.place(point.position);
            let weights: Vec<u8> = land.stream.residency().weights_at(place.x, place.z)?.collect();
            Some(shares(&land.ground.types, &weights))
        };
        types().unwrap_or_default()
    }
}

/// The names and shares of types that cover anything, the largest first.
pub(super) fn shares(types: &WeighedTypes, weights: &[u8]) -> Vec<TypeShare> {
    let all = types.names().iter().zip(types.shares(weights));
    let mut shares: Vec<TypeShare> = all
        .filter(|(_, share)| *share > 0.0)
        .map(|(name, share)| TypeShare { name: name.clone(), share })
        .collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    shares
}

/// Upper limit of `far`, metres: at this distance f32 positions are precise to some metres.
pub(super) const FARTHEST: f32 = 1e8;

/// A terrain that is asked.
pub(super) struct Land<'a> {
    pub(super) terrain: Entity,
    pub(super) ground: &'a TerrainGround,
    pub(super) stream: &'a Stream,
    pub(super) placement: LandPlacement,
    pub(super) known: KnownGround<'a>,
    pub(super) water: LandWater<'a>,
}

impl<'a> Land<'a> {
    fn new(
        (terrain, ground, stream, mapping, transform, place): (
            Entity,
            &'a TerrainGround,
            &'a Stream,
            &HeightMapping,
            &GlobalTransform,
            &PrecisePlace,
        ),
    ) -> Option<Self> {
        let placement = LandPlacement::new(place.or(transform), ground.origin, *mapping)?;
        let known = KnownGround::new(stream.residency());
        let known = if ground.is_partial() {
            // The landscape's samples are not the land's own.
            known
        } else {
            let Landscape { heightfield, layers, .. } = &*ground.landscape;
            let known = known.with_field(heightfield, ground.height_range());
            known.with_holes(layers.get(HOLE)).with_strokes(stream.sculpture().map(|sculpture| &**sculpture))
        };
        let landscape = &ground.landscape;
        let water = LandWater::new(landscape.sea_level).with_rivers(&ground.rivers, &landscape.heightfield);
        Some(Self { terrain, ground, stream, placement, known, water })
    }

    /// A world position in metres from the land's sample (0, 0).
    pub(super) fn place(&self, position: Vec3) -> DVec3 {
        self.placement.land_from_world.transform_point3(position.as_dvec3())
    }

    /// Its own upright axis in the world, 1 long.
    pub(super) fn up(&self) -> Vec3 {
        self.placement.world_from_land.matrix3.y_axis.normalize_or(DVec3::Y).as_vec3()
    }

    fn under(&self, position: Vec3) -> Option<GroundPoint> {
        let place = self.place(position);
        Some(self.point(DVec2::new(place.x, place.z), self.known.at(place.x, place.z)?))
    }

    fn over(&self, position: Vec3) -> Vec<GroundPoint> {
        let place = self.place(position);
        let surfaces = self.known.all_at(place.x, place.z);
        surfaces.into_iter().map(|at| self.point(DVec2::new(place.x, place.z), at)).collect()
    }

    fn meeting(&self, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        if far.is_nan() || far <= 0.0 {
            return None;
        }
        let from = ray.origin.as_dvec3();
        // The limit also replaces an infinite `far`, which multiplied by a direction's 0 would be NaN.
        let to = from + ray.direction.as_dvec3() * f64::from(far.min(FARTHEST));
        let [from, to] = [from, to].map(|p| self.placement.land_from_world.transform_point3(p));
        let (met, at) = self.known.entered(from, to, self.placement.drawn())?;
        Some(self.point(DVec2::new(met.x, met.z), at))
    }

    pub(super) fn point(&self, place: DVec2, at: GroundAt) -> GroundPoint {
        let LandPlacement { land_from_world, mapping, .. } = &self.placement;
        let drawn = f64::from(mapping.map(at.height));
        // Heights scaled by s: the normal is scaled by the inverse, which has the direction of (s · x, y, s ·
        // z).
        let across = at.normal * Vec3::new(mapping.scale, 1.0, mapping.scale);
        // Normals are transformed by the transpose of the inverse.
        let normal = land_from_world.matrix3.transpose() * across.as_dvec3();
        let water = self.flowing(place, drawn).map(|(level, _)| level);
        GroundPoint {
            terrain: self.terrain,
            position: self.in_world(place, drawn).as_vec3(),
            normal: normal.normalize_or(DVec3::Y).as_vec3(),
            spacing: (f64::from(at.cell) * self.placement.world_scale) as f32,
            water: water.map(|level| self.in_world(place, level).y as f32),
            depth: water.map_or(0.0, |level| ((level - drawn) * self.placement.world_scale) as f32),
        }
    }

    /// The drawn height of the water over ground that is drawn at a height, and its velocity east and south
    /// in the land; `None` where it is dry.
    pub(super) fn flowing(&self, place: DVec2, ground: f64) -> Option<(f64, Vec2)> {
        let sea = self.water.sea_level().map(|level| (level, Vec2::ZERO));
        let river = self.water.river_at(place).map(|river| (river.level, river.velocity));
        let drawn = |level: f32| f64::from(self.placement.mapping.map(level));
        let waters = sea.into_iter().chain(river).map(|(level, velocity)| (drawn(level), velocity));
        // The higher of sea and river: a river that flows into the sea ends under it.
        waters.filter(|(level, _)| *level > ground).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// A place of the land at a drawn height, in the world.
    pub(super) fn in_world(&self, place: DVec2, height: f64) -> DVec3 {
        self.placement.world_from_land.transform_point3(DVec3::new(place.x, height, place.y))
    }
}
