//! Entities around which land is kept in fine tiles without a camera: players on a server, far-away vehicles,
//! what a game asks for before it goes there.

use bevy::math::DVec3;
use bevy::prelude::*;

use crate::plugin::material::LandPlacement;
use crate::stream::{Eye, Ranges};

/// Keeps the tiles around its entity resident, so that queries there are as exact as it says, whether a
/// camera sees the place or not. Land is drawn as finely there as tiles are resident.
///
/// Several anchors and cameras add up; [`TerrainBudget`](crate::plugin::TerrainBudget) limits them all. Land
/// of a heightfield, or of a recipe that is built as a whole, has its own samples for queries without any.
///
/// ```
/// use bevy::prelude::*;
/// use upland::plugin::TerrainAnchor;
///
/// fn join(mut commands: Commands) {
///     commands.spawn((Transform::from_xyz(5e4, 0.0, -2e4), TerrainAnchor { reach: 200.0, spacing: 1.0 }));
/// }
/// ```
#[doc(alias("chunk_loader", "loader"))]
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[require(Transform)]
pub struct TerrainAnchor {
    /// Half the side of the square around the entity, metres in the world, above 0. Default 100.
    pub reach: f32,
    /// The largest distance between samples in it, metres in the world, above 0. Finer than the land's finest
    /// is not possible. Default 1.
    pub spacing: f32,
}

impl Default for TerrainAnchor {
    fn default() -> Self {
        Self { reach: 100.0, spacing: 1.0 }
    }
}

impl TerrainAnchor {
    /// The anchor as an eye straight above the square, which sees all of it alike; `None` where its numbers
    /// are not above 0, or it is nowhere.
    pub(crate) fn eye(&self, transform: &GlobalTransform, land: &LandPlacement) -> Option<Eye> {
        let is_sound = |number: f32| number.is_finite() && number > 0.0;
        if !is_sound(self.reach) || !is_sound(self.spacing) || !transform.translation().is_finite() {
            return None;
        }
        let position = land.land_from_world.transform_point3(transform.translation().as_dvec3());
        let [reach, spacing] = [self.reach, self.spacing].map(|metres| f64::from(metres) / land.world_scale);
        // A side of the view as the planner of tiles has it: the half-space in which the dot product with (x,
        // y, z, 1) is not negative.
        let side = |x: f64, z: f64| {
            let normal = DVec3::new(x, 0.0, z);
            normal.extend(reach - normal.dot(position))
        };
        // A texel of that size is a pixel large, which is the largest size allowed.
        let pixels = 1.0 / spacing;
        Some(Eye {
            position,
            velocity: DVec3::ZERO,
            pixels,
            // Without perspective all of the square needs tiles of one level.
            is_orthographic: true,
            // Nothing above or below: heights are not known before the tiles are there.
            sides: [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(x, z)| side(x, z)).to_vec(),
            far: reach,
            texel_pixels: 1.0,
            // No chunks are chosen for an anchor, so these only have to be valid.
            ranges: Ranges::new(pixels as f32, 1.0, 1.0, 1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::{DAffine3, DVec2};

    use super::*;
    use crate::plugin::material::HeightMapping;
    use crate::stream::{LandShape, LandTile};

    fn land(scale: f64) -> LandPlacement {
        let place = DAffine3::from_scale(DVec3::splat(scale));
        LandPlacement::new(place, DVec2::ZERO, HeightMapping::default()).unwrap()
    }

    #[test]
    fn what_is_in_its_reach_is_needed_as_finely_as_it_says_and_nothing_else() {
        let shape = LandShape::endless(8.0, -5, 100_000.0);
        let anchor = TerrainAnchor { reach: 100.0, spacing: 1.0 };
        for scale in [1.0, 2.0] {
            let eye = anchor.eye(&GlobalTransform::from_xyz(1000.0, 50.0, 0.0), &land(scale)).unwrap();
            let place = DVec2::new(1000.0, 0.0) / scale;
            let needs = |tile: LandTile| eye.need(&shape, tile, ((0.0, 900.0), 0.0), 1.0).now > 1.0;
            for level in shape.finest..=0 {
                let under = shape.tile_at(level, place.x, place.y);
                let parent_spacing = 2.0 * f64::from(shape.cell_at(level)) * scale;
                assert_eq!(needs(under), parent_spacing > 1.0, "level {level}, scale {scale}");
                let far = LandTile { column: under.column + 100_000, ..under };
                assert!(!needs(far));
            }
        }
    }

    #[test]
    fn numbers_that_are_none_ask_for_nothing() {
        let here = GlobalTransform::IDENTITY;
        for bad in [f32::NAN, f32::INFINITY, 0.0, -3.0] {
            assert_eq!(TerrainAnchor { reach: bad, ..default() }.eye(&here, &land(1.0)), None);
            assert_eq!(TerrainAnchor { spacing: bad, ..default() }.eye(&here, &land(1.0)), None);
        }
        assert_eq!(
            TerrainAnchor::default().eye(&GlobalTransform::from_xyz(f32::NAN, 0.0, 0.0), &land(1.0)),
            None
        );
    }
}
