//! What the texture section knows about the land, and how it writes elevations and slopes.

use std::cell::Cell;
use std::path::Path;

use super::histogram::GroundHistogram;
use crate::plugin::Quality;
use crate::recipe::Skin;
use crate::texture::{ElevationUnit, Texture};

/// The section's knowledge of the land.
pub(super) struct LandInfo<'a> {
    /// The distribution of heights and slopes, once computed.
    pub histogram: Option<&'a GroundHistogram>,
    /// Height of its sea, metres.
    pub sea_level: Option<f32>,
    /// The folder that relative paths of pictures start from.
    pub folder: &'a Path,
    /// The quality that the window draws with.
    pub quality: Quality,
    /// Whether it has roads, on which ready-made textures show gravel.
    pub has_roads: bool,
    /// Whether it has snow, which ready-made textures show where it lies.
    pub has_snow: bool,
    /// A quality that shows what the present one hides, if the user requests it.
    pub better: Cell<Option<Quality>>,
}

impl LandInfo<'_> {
    /// The texture with the types of a skin as they are drawn. The gravel on roads of a ready-made one, and
    /// the snow that lies there, must not disappear when it becomes custom.
    pub fn own_types(&self, skin: &Skin) -> Texture {
        skin.on_land(self.has_roads, self.has_snow).texture()
    }

    /// The lowest and highest point in metres; a guess while they are unknown.
    pub fn range(&self) -> (f32, f32) {
        let (low, high) = self.histogram.map_or((0.0, 1000.0), |histogram| histogram.height.range);
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    /// Like [`range`](Self::range), in the texture's unit.
    pub fn range_in_unit(&self, texture: &Texture) -> (f32, f32) {
        let (low, high) = self.range();
        let in_unit = |metres| texture.elevation_from_metres(metres, (low, high), self.sea_level);
        (in_unit(low), in_unit(high))
    }

    /// The level of its sea in the texture's unit, if it has one.
    pub fn sea_in_unit(&self, texture: &Texture) -> Option<f32> {
        self.sea_level.map(|sea| texture.elevation_from_metres(sea, self.range(), self.sea_level))
    }

    /// Converts an elevation from the texture's unit to metres.
    pub fn metres(&self, texture: &Texture, elevation: f32) -> f32 {
        let ((low, high), (from, to)) = (self.range(), self.range_in_unit(texture));
        low + (elevation - from) / (to - from) * (high - low)
    }
}

/// An elevation in the texture's unit, as text.
pub(super) fn elevation_text(unit: ElevationUnit, value: f32) -> String {
    let text = match unit {
        ElevationUnit::Metres if value.abs() < 9.95 => format!("{value:.1} m"),
        ElevationUnit::Metres => format!("{value:.0} m"),
        ElevationUnit::Share => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    text.replace('-', "−")
}

/// A slope in degrees, as text.
pub(super) fn slope_text(value: f32) -> String {
    let text = format!("{value:.1}");
    format!("{}°", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{Recipe, Sets};

    #[test]
    fn roads_keep_their_gravel_when_a_set_becomes_custom() {
        let mut recipe = Recipe::new("Land", (9, 9), 30.0);
        recipe.add_step(crate::Step::from_name("fbm").unwrap(), None);
        recipe.add_step(crate::Step::from_name("road").unwrap(), None);
        let (folder, quality, better) = (Path::new(""), Quality::High, Cell::new(None));
        let (has_roads, has_snow) = (recipe.has_roads(), recipe.has_snow());
        let land =
            LandInfo { histogram: None, sea_level: None, folder, quality, has_roads, has_snow, better };
        let sets = Skin::Sets(Sets { sets: vec![Skin::Arid, Skin::Woodland], ..Sets::default() });
        for skin in [Skin::Temperate, Skin::Temperate.in_season(0.75), sets] {
            recipe.texture = skin;
            let drawn = recipe.drawn_texture().texture();
            assert_eq!(land.own_types(&recipe.texture), drawn);
            assert!(drawn.types.iter().any(|kind| kind.name == "road"), "{:?}", recipe.texture);
            recipe.texture = Skin::Custom(drawn.clone());
            assert_eq!(recipe.drawn_texture().texture(), drawn, "and it stays so");
        }
    }
}
