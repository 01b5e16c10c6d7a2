//! Height bands, the simplest texture: each colour has a height at which it is purest. After "Terrain Texture
//! Generation"; that the outer bands extend, so that no ground is left black, is ours.

use crate::params::{in_recipes, params};

use super::limits::{FARTHEST, Limits};
use super::terrain_type::TerrainType;

params! {
    /// A colour that is purest at one height and fades above and below.
    pub struct Band {
        /// What people call it.
        pub name: String = String::new(), required;
        /// sRGB-encoded red, green and blue, each in [0, 1]; in a recipe "#rrggbb".
        pub colour: [f32; 3] = [0.0; 3], required;
        /// The height that it is purest at, in the texture's unit.
        pub centre: f32 = 0.0, "m or share" in -FARTHEST..=FARTHEST, required;
        /// Its weight is 0 from this far above and below the centre on; in the texture's unit.
        pub range: f32 = 0.0, "m or share" in 0.0..=FARTHEST, required;
    }
}

params! {
    /// Height bands: weight = clamp(1 − |height − centre| / range, 0, 1).
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::{Texture, bake};
    /// let text = r##"(bands: (extend: false, list: [(name: "snow", colour: "#ffffff", centre: 200, range: 100)]),
    ///     blend_space: srgb)"##;
    /// let texture: Texture = ron::from_str(text)?;
    /// let level = |height| -> Result<u8, upland::Error> {
    ///     let field = upland::Heightfield::flat(upland::Grid::new(2, 2, 10.0)?, height);
    ///     Ok(bake(&field, &texture, 1, &upland::Work::new())?.colour.texels[0][0])
    /// };
    /// assert_eq!([level(200.0)?, level(160.0)?, level(90.0)?], [255, 153, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub struct Bands {
        /// Whether the lowest and the highest band go on downwards and upwards in full, and weights are
        /// divided by their sum. If not, it is as in the article: colours are summed by their weights, which
        /// are not divided. The land darkens beyond the bands and is black where no band reaches; where
        /// weights sum up to more than 1 it is brighter, at most white. All bands together, the black
        /// included, then share the ground with other types as one type of weight 1.
        pub extend: bool = true;
        /// The bands, in any order.
        pub list: Vec<Band> = Vec::new(), "bands" in 0.0..=256.0, required;
    }
}

in_recipes!(Band, Bands);

impl Bands {
    /// Terrain types of the same weights: limits without width that fade out over the range. As types their
    /// weights are divided, also those of bands that don't extend.
    pub fn types(&self) -> Vec<TerrainType> {
        let centres = || self.list.iter().map(|band| band.centre);
        let lowest = centres().fold(f32::INFINITY, f32::min);
        let highest = centres().fold(f32::NEG_INFINITY, f32::max);
        let types = self.list.iter().map(|band| {
            let mut elevation = Limits::new(band.centre, band.centre, band.range);
            // `lowest` is one of these very numbers, so `==` is exact. Several bands may share it, and all of
            // them extend.
            if self.extend && band.centre == lowest {
                elevation.min = Limits::ANY_ELEVATION.min;
            }
            if self.extend && band.centre == highest {
                elevation.max = Limits::ANY_ELEVATION.max;
            }
            TerrainType { elevation, ..TerrainType::new(&band.name, band.colour) }
        });
        types.collect()
    }

    /// Whether there are bands whose weights are summed and not divided.
    pub(crate) fn are_undivided(&self) -> bool {
        !self.extend && !self.list.is_empty()
    }
}
