//! A terrain type: what it looks like, and on which ground it lies.

use glam::Vec3;

use crate::params::{in_recipes, params};

use super::blend::Blend;
use super::factors::Factors;
use super::tile::Tiling;
use super::weights::{Point, Rule, Scale};

/// The farthest that an elevation may lie from 0, in the texture's unit.
pub(super) const FARTHEST: f64 = 100_000.0;

/// The steepest slope, degrees.
const STEEPEST: f64 = 90.0;

params! {
    /// Where a quantity must lie, and how far beyond the influence fades to nothing.
    pub struct Limits {
        /// Full influence from here. Left out in a recipe: no lower limit.
        pub min: f32 = 0.0;
        /// Full influence up to here, at least `min`. Left out in a recipe: no upper limit.
        pub max: f32 = 1.0;
        /// Outside by this much the influence is 0, linear between; 0 is a hard edge.
        pub release: f32 = 0.0, "" in 0.0..=f64::INFINITY;
    }
    law Limits::in_order;
    follow Limits::push;
}

impl Copy for Limits {}

impl Limits {
    /// Any height at all.
    pub const ANY_ELEVATION: Self = Self::new(-FARTHEST as f32, FARTHEST as f32, 0.0);

    /// Any slope at all.
    pub const ANY_SLOPE: Self = Self::new(0.0, STEEPEST as f32, 0.0);

    /// Limits from `min` to `max` that fade over `release`.
    pub const fn new(min: f32, max: f32, release: f32) -> Self {
        Self { min, max, release }
    }

    /// What is wrong with these limits, if anything.
    fn in_order(&self) -> Result<(), String> {
        let Self { min, max, .. } = self;
        if min > max {
            return Err(format!(
                "the limits are the wrong way round: min {min} is above max {max}; swap them"
            ));
        }
        Ok(())
    }

    /// A limit that was set beyond the other takes it along.
    fn push(&mut self, changed: &str) {
        match changed {
            "min" => self.max = self.max.max(self.min),
            "max" => self.min = self.min.min(self.max),
            _ => {}
        }
    }
}

params! {
    /// One kind of ground: its colour, and the heights and slopes it lies on.
    ///
    /// Everything vertical (elevation limits and their release, skew, roughen) is in metres or in shares
    /// of the height range, as the texture's [`elevation_unit`](super::Texture::elevation_unit) says. Below,
    /// `FARTHEST` is 100000 and `STEEPEST` 90.
    ///
    /// ```
    /// use glam::Vec3;
    /// use upland::texture::{Limits, TerrainType};
    /// let grass = TerrainType {
    ///     elevation: Limits::new(200.0, 900.0, 24.0),
    ///     ..TerrainType::new("grass", [0.37, 0.45, 0.22])
    /// };
    /// assert_eq!(grass.weight(300.0, Vec3::Y), 1.0);
    /// assert!((grass.weight(190.0, Vec3::Y) - 14.0 / 24.0).abs() < 1e-6);
    /// ```
    pub struct TerrainType {
        /// What people call it.
        pub name: String = String::new(), required;
        /// It lies only where the texture's painted map has this id; none: wherever its limits say.
        pub id: Option<u8> = None, "" in 0.0..=255.0;
        /// sRGB-encoded red, green and blue, each in [0, 1]; in a recipe "#rrggbb". A type that wears a
        /// tile may leave it out; given, the tile is recoloured so that this is its mean.
        pub colour: Option<[f32; 3]> = None, bare;
        /// The tiling picture that it wears; none: it is of an even colour.
        pub tile: Option<Tiling> = None;
        /// Heights that it lies on, in the texture's unit. Default: any.
        pub elevation: Limits = Limits::ANY_ELEVATION, "m or share" in -FARTHEST..=FARTHEST;
        /// Slopes that it lies on: 0 is flat, 90 a wall. Default: any.
        pub slope: Limits = Limits::ANY_SLOPE, "°" in 0.0..=STEEPEST;
        /// How far the elevation limits lie higher on ground that faces `skew_bearing`, and lower on
        /// ground that faces away; in the texture's unit. So snow lies lower on northern slopes.
        pub skew: f32 = 0.0, "m or share" in -FARTHEST..=FARTHEST;
        /// Compass bearing of the skew, clockwise from north.
        pub skew_bearing: f32 = 0.0, "°" in -360.0..=360.0;
        /// What else decides where it lies. Default: nothing.
        pub factors: Factors = Factors::default();
        /// How it is laid over the types before it in the list.
        pub blend: Blend = Blend::Mix;
        /// How much noise mottles the colour: 0 is even.
        pub variation: f32 = 0.0, "" in 0.0..=1.0;
        /// How far noise moves the elevation limits up and down, so that borders aren't contour lines;
        /// in the texture's unit.
        pub roughen: f32 = 0.0, "m or share" in 0.0..=FARTHEST;
        /// How far noise moves the slope limits.
        pub slope_roughen: f32 = 0.0, "°" in 0.0..=STEEPEST;
    }
}

in_recipes!(TerrainType);

impl TerrainType {
    /// A type of an even sRGB colour that lies everywhere.
    pub fn new(name: impl Into<String>, colour: [f32; 3]) -> Self {
        Self { name: name.into(), colour: Some(colour), ..Self::default() }
    }

    /// The weight of this type, in [0, 1] and before it is divided by the sum over all types, on
    /// ground of `height` (in the limits' unit) and unit `normal`: the elevation's influence times
    /// the slope's, without the noise that roughens borders.
    pub fn weight(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, Scale::METRES).weight(&Point::new(height, normal))
    }

    /// How far ground is from qualifying for this type: 0 inside the limits, else the excess over
    /// the release, summed over elevation and slope.
    pub fn distance(&self, height: f32, normal: Vec3) -> f32 {
        Rule::new(self, Scale::METRES).distance(&Point::new(height, normal))
    }

    /// What is wrong with this type although each of its values is in its range, if anything.
    pub(super) fn check(&self) -> Result<(), String> {
        match (self.colour, &self.tile) {
            (None, None) => Err("it has neither a colour nor a tile; give one of them".into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_takes_the_other_along() {
        let moved = |changed: &str, limits: Limits| {
            let mut limits = limits;
            limits.push(changed);
            limits
        };
        assert_eq!(moved("min", Limits::new(9.0, 3.0, 1.0)), Limits::new(9.0, 9.0, 1.0));
        assert_eq!(moved("max", Limits::new(9.0, 3.0, 1.0)), Limits::new(3.0, 3.0, 1.0));
        assert_eq!(moved("min", Limits::new(1.0, 3.0, 1.0)), Limits::new(1.0, 3.0, 1.0));
    }
}
