//! Queries for the ground under a point, on the CPU.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::ray::first_meeting;
use crate::plugin::material::HeightMapping;
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
/// Heights are those of the triangles at the finest level of detail.
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
    terrains:
        Query<'w, 's, (Entity, &'static TerrainGround, &'static HeightMapping, &'static GlobalTransform)>,
}

impl TerrainQuery<'_, '_> {
    /// The ground of one terrain above or below a world position; `None` outside its border or before it is
    /// built. Terrains must be upright: translated, scaled, or rotated about +Y.
    pub fn ground_of(&self, terrain: Entity, position: Vec3) -> Option<GroundPoint> {
        let (_, ground, mapping, placement) = self.terrains.get(terrain).ok()?;
        ground_point(terrain, ground, *mapping, placement, position)
    }

    /// The highest ground of all terrains above or below a world position.
    pub fn ground(&self, position: Vec3) -> Option<GroundPoint> {
        let points = self.terrains.iter().filter_map(|(terrain, ground, mapping, placement)| {
            ground_point(terrain, ground, *mapping, placement, position)
        });
        points.max_by(|a, b| a.position.y.total_cmp(&b.position.y))
    }

    /// The first point where a ray hits one terrain from above, at most `far` metres from its origin;
    /// `None` if it misses, or before the terrain is built.
    pub fn cast_ray_on(&self, terrain: Entity, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        let (_, ground, mapping, placement) = self.terrains.get(terrain).ok()?;
        meeting(terrain, ground, *mapping, placement, ray, far)
    }

    /// The first point where a ray hits any terrain from above, at most `far` metres from its origin.
    pub fn cast_ray(&self, ray: Ray3d, far: f32) -> Option<GroundPoint> {
        let points = self.terrains.iter().filter_map(|(terrain, ground, mapping, placement)| {
            meeting(terrain, ground, *mapping, placement, ray, far)
        });
        let away = |point: &GroundPoint| point.position.distance_squared(ray.origin);
        points.min_by(|a, b| away(a).total_cmp(&away(b)))
    }
}

/// Upper limit of `far`, metres: at this distance f32 positions are precise to some metres.
const FARTHEST: f32 = 1e8;

fn meeting(
    terrain: Entity,
    ground: &TerrainGround,
    mapping: HeightMapping,
    placement: &GlobalTransform,
    ray: Ray3d,
    far: f32,
) -> Option<GroundPoint> {
    let field = &ground.landscape.heightfield;
    let corner = field.grid().extent().extend(0.0).xzy() * 0.5;
    let field_from_world = placement.affine().inverse();
    let p_in_field = |p_in_world| field_from_world.transform_point3(p_in_world) + corner;
    let (from, to) = (p_in_field(ray.origin), p_in_field(ray.get_point(far.min(FARTHEST))));
    let met = first_meeting(field.grid(), from, to, |p| mapping.map(field.sample_surface(p)))?;
    let p_in_world = placement.transform_point(met - corner);
    ground_point(terrain, ground, mapping, placement, p_in_world)
}

fn ground_point(
    terrain: Entity,
    ground: &TerrainGround,
    mapping: HeightMapping,
    placement: &GlobalTransform,
    position: Vec3,
) -> Option<GroundPoint> {
    let field = &ground.landscape.heightfield;
    let extent = field.grid().extent();
    let p_in_field = placement.affine().inverse().transform_point3(position);
    // In metres from the north-west corner, as in the heightfield.
    let p = p_in_field.xz() + extent * 0.5;
    if p.cmplt(Vec2::ZERO).any() || p.cmpgt(extent).any() {
        return None;
    }
    let height = mapping.map(field.sample_surface(p));
    let normal = field.normal(p);
    let normal = Vec3::new(normal.x * mapping.scale, normal.y, normal.z * mapping.scale);
    Some(GroundPoint {
        terrain,
        position: placement.transform_point(Vec3::new(p_in_field.x, height, p_in_field.z)),
        normal: placement.rotation() * normal.normalize(),
    })
}
