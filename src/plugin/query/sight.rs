//! Whether one position sees another.

use bevy::math::DVec2;
use bevy::prelude::*;

use super::ground::{FARTHEST, GroundPoint, Land, TerrainQuery};

/// Result of a look from one position to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LineOfSight {
    /// Nothing is in the way.
    Clear,
    /// This ground is, the first from the eye.
    Blocked(GroundPoint),
    /// One of the positions is not finite, or they are more than 100 000 km apart: nothing is seen.
    Nowhere,
}

impl LineOfSight {
    /// Whether nothing is in the way.
    pub fn is_clear(&self) -> bool {
        *self == Self::Clear
    }
}

impl TerrainQuery<'_, '_> {
    /// Whether a world position sees another over the ground of all terrains that is in memory, and if not,
    /// what is first in the way from `from`. `to` sees `from` in exactly the same cases. Water hides nothing,
    /// nor does ground that is not built yet.
    ///
    /// A position up to 5 cm under the ground (times the terrain's scale) counts as lying on it; a deeper one
    /// sees nothing.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use upland::plugin::TerrainQuery;
    /// fn does_see(terrains: TerrainQuery, wolf: Vec3, sheep: Vec3) -> bool {
    ///     terrains.line_of_sight(wolf + Vec3::Y, sheep + 0.5 * Vec3::Y).is_clear()
    /// }
    /// ```
    #[doc(alias("visible", "can_see"))]
    pub fn line_of_sight(&self, from: Vec3, to: Vec3) -> LineOfSight {
        let away = from.distance(to);
        if !(from.is_finite() && to.is_finite() && away <= FARTHEST) {
            return LineOfSight::Nowhere;
        }
        let blocks = self.lands().filter_map(|land| land.hiding(from, to));
        let nearness = |point: &GroundPoint| point.position.distance_squared(from);
        let first = blocks.min_by(|a, b| nearness(a).total_cmp(&nearness(b)));
        first.map_or(LineOfSight::Clear, LineOfSight::Blocked)
    }
}

impl Land<'_> {
    /// The first ground that hides a world position from another.
    fn hiding(&self, from: Vec3, to: Vec3) -> Option<GroundPoint> {
        let [from, to] = [from, to].map(|position| self.place(position));
        let hidden = self.known.hidden_at(from, to, self.placement.drawn())?;
        // The nearest of several surfaces over the place.
        let away = |height: f32| (f64::from(self.placement.mapping.map(height)) - hidden.y).abs();
        let surfaces = self.known.all_at(hidden.x, hidden.z).into_iter();
        let ground = surfaces.min_by(|a, b| away(a.height).total_cmp(&away(b.height)))?;
        Some(self.point(DVec2::new(hidden.x, hidden.z), ground))
    }
}
