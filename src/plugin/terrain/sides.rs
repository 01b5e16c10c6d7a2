//! The sides of a terrain: walls under its border, so that it looks cut out of the ground.

use bevy::prelude::*;

use crate::plugin::material::{HeightMapping, WallLook};
use crate::stream::LandShape;

/// Gives a terrain walls under its border, if it has one. Leave it out where another terrain adjoins.
/// Removing the component removes the walls.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct TerrainSides {
    /// Depth of the walls below the lowest point, as a share of the longer side. Default 0.02.
    pub depth: f32,
    /// Colour of the walls.
    pub colour: Color,
}

impl Default for TerrainSides {
    fn default() -> Self {
        Self { depth: 0.02, colour: Color::srgb(0.27, 0.235, 0.2) }
    }
}

impl TerrainSides {
    /// The walls under land of this shape with heights between `low` and `high` metres; `None` under land
    /// without a border. A depth that is no number is 0.
    pub(crate) fn walls(
        &self,
        land: &LandShape,
        (low, high): (f32, f32),
        mapping: HeightMapping,
    ) -> Option<WallLook> {
        let depth = if self.depth.is_finite() { self.depth } else { 0.0 };
        let below = depth * land.extent()?.max_element() as f32;
        // Whichever is lower as drawn: a negative scale turns the land upside down.
        let foot = mapping.map(low).min(mapping.map(high)) - below;
        Some(WallLook { colour: self.colour.to_linear().to_vec3(), foot })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_foot_of_walls_lies_below_the_lowest_ground_as_it_is_drawn() {
        let sides = TerrainSides { depth: 0.1, ..default() };
        let foot = |sides: TerrainSides, scale, bias| {
            let land = LandShape::bounded(10.0, [4, 3], 0);
            sides.walls(&land, (2.0, 6.0), HeightMapping { scale, bias }).unwrap().foot
        };
        assert_eq!(foot(sides, 1.0, 0.0), -1.0);
        assert_eq!(foot(sides, -2.0, 5.0), -10.0, "upside down");
        assert_eq!(foot(TerrainSides { depth: f32::NAN, ..sides }, 1.0, 0.0), 2.0);
        let endless = LandShape::endless(10.0, 0, 1000.0);
        assert_eq!(sides.walls(&endless, (2.0, 6.0), HeightMapping::default()), None);
    }
}
