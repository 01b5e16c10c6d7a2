//! Queries for the ground under a point, on the CPU.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::ray::first_meeting;
use crate::plugin::material::HeightMapping;
use crate::plugin::stream::Stream;
use crate::plugin::terrain::TerrainGround;

/// A point of the ground, in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundPoint {
    /// The terrain.
    pub terrain: Entity,
    /// The point, in metres.
    pub position: Vec3,
    /// The unit normal there.
    pub normal: Vec3,
}

/// A system parameter that tells where the ground is.
///
/// Heights are those of the triangles of the finest tile that is drawn there, and at least those of the
/// landscape's own samples.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::TerrainQuery;
///
/// fn keep_feet_on_the_ground(terrains: TerrainQuery, mut walkers: Query<&mut Transform>) {
///     for mut walker in &mut walkers {
///         if let Some(ground) = terrains.ground(walker.translation) {
///             walker.translation.y = ground.position.y;
///         }
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct TerrainQuery<'w, 's> {
    terrains: Query<'w, 's, Parts>,
}

/// What of a terrain a query looks at.
type Parts = (
    Entity,
    &'static TerrainGround,
    Option<&'static Stream>,
    &'static HeightMapping,
    &'static GlobalTransform,
);

impl TerrainQuery<'_, '_> {
    /// The ground of one terrain above or below a world position; `None` outside its border or before it is
    /// built. Terrains must be upright: translated, scaled, or rotated about +Y.
    pub fn ground_of(&self, terrain: Entity, position: Vec3) -> Option<GroundPoint> {
        let (_, ground, stream, mapping, placement) = self.terrains.get(terrain).ok()?;
        ground_point(terrain, (ground, stream), *mapping, placement, position)
    }

    /// The highest ground of all terrains above or below a world position.
    pub fn ground(&self, position: Vec3) -> Option<GroundPoint> {
        let points = self.terrains.iter().filter_map(|(terrain, ground, stream, mapping, placement)| {
            ground_point(terrain, (ground, stream), *mapping, placement, position)
        });
        points.max_by(|a, b| a.position.y.total_cmp(&b.position.y))
    }

    /// The first point where a ray hits one terrain from above, at most `far` metres from its origin;
    /// `None` if it misses, or before the terrain is built.
    pub fn cast_ray_on(&self, terrain: Entity, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        let (_, ground, stream, mapping, placement) = self.terrains.get(terrain).ok()?;
        meeting(terrain, (ground, stream), *mapping, placement, ray, far)
    }

    /// The first point where a ray hits any terrain from above, at most `far` metres from its origin.
    pub fn cast_ray(&self, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        let points = self.terrains.iter().filter_map(|(terrain, ground, stream, mapping, placement)| {
            meeting(terrain, (ground, stream), *mapping, placement, ray, far)
        });
        let away = |point: &GroundPoint| point.position.distance_squared(ray.origin);
        points.min_by(|a, b| away(a).total_cmp(&away(b)))
    }
}

/// Upper limit of `far`, metres: at this distance f32 positions are precise to some metres.
const FARTHEST: f32 = 1e8;

fn meeting(
    terrain: Entity,
    (ground, stream): (&TerrainGround, Option<&Stream>),
    mapping: HeightMapping,
    placement: &GlobalTransform,
    ray: Ray3d,
    far: f32,
) -> Option<GroundPoint> {
    let field = &ground.landscape.heightfield;
    let corner = ground.extent().extend(0.0).xzy() * 0.5;
    let field_from_world = placement.affine().inverse();
    let p_in_field = |p_in_world| field_from_world.transform_point3(p_in_world) + corner;
    let (from, to) = (p_in_field(ray.origin), p_in_field(ray.get_point(far.min(FARTHEST))));
    let met = first_meeting(field.grid(), from, to, |p| mapping.map(field.sample_surface(p)))?;
    let p_in_world = placement.transform_point(met - corner);
    ground_point(terrain, (ground, stream), mapping, placement, p_in_world)
}

fn ground_point(
    terrain: Entity,
    (ground, stream): (&TerrainGround, Option<&Stream>),
    mapping: HeightMapping,
    placement: &GlobalTransform,
    position: Vec3,
) -> Option<GroundPoint> {
    let field = &ground.landscape.heightfield;
    let extent = ground.extent();
    let p_in_entity = placement.affine().inverse().transform_point3(position);
    // In metres from the north-west corner, as in the heightfield.
    let p = p_in_entity.xz() + extent * 0.5;
    let is_inside = p.cmpge(Vec2::ZERO).all() && p.cmple(extent).all();
    let place = p_in_entity.xz().as_dvec2() - ground.origin;
    let tile = stream.and_then(|stream| stream.residency().ground_at(place.x, place.y));
    let (height, rise) = match tile.filter(|tile| tile.level < 0 || ground.is_partial()) {
        Some(tile) => (tile.height, Vec2::from(tile.rise)),
        None if is_inside => {
            let normal = field.normal(p);
            (field.sample_surface(p), -normal.xz() / normal.y)
        }
        None => return None,
    };
    let normal = Vec3::new(-rise.x * mapping.scale, 1.0, -rise.y * mapping.scale);
    Some(GroundPoint {
        terrain,
        position: placement.transform_point(Vec3::new(p_in_entity.x, mapping.map(height), p_in_entity.z)),
        normal: placement.rotation() * normal.normalize(),
    })
}
