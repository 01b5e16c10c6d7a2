//! A terrain type: what it looks like, and on which ground it lies.

use crate::params::{in_recipes, params};
use crate::texture::tile::Tiling;

use super::blend::BlendMode;
use super::factors::Factors;
use super::limits::{FARTHEST, Limits, STEEPEST};

params! {
    /// One kind of ground: its colour, and the heights and slopes it lies on.
    ///
    /// Vertical quantities (the elevation limits with their release, skew, roughen) are in metres or in
    /// shares of the land's height, as the texture's [`elevation_unit`](super::Texture::elevation_unit) says.
    /// Below, `FARTHEST` is 100000 and `STEEPEST` 90.
    ///
    /// ```
    /// # use upland_core as upland;
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
        /// It lies only where the texture's painted map has this id; none: wherever its limits allow.
        pub id: Option<u16> = None, "" in 0.0..=65_535.0;
        /// sRGB-encoded red, green and blue, each in [0, 1]; in a recipe "#rrggbb". A type with a
        /// tile may leave it out; given, the tile is recoloured so that this is its mean.
        pub colour: Option<[f32; 3]> = None, bare;
        /// Its tiling picture; none: its colour is even.
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
        pub blend: BlendMode = BlendMode::Mix;
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

    /// Checks its values against each other. The error is for people.
    pub(super) fn check(&self) -> Result<(), String> {
        match (self.colour, &self.tile) {
            (None, None) => Err("it has neither a colour nor a tile; give one of them".into()),
            _ => Ok(()),
        }
    }
}
