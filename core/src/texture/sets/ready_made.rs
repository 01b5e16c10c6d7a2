//! Ready-made textures for whole lands, in natural colours as seen from the air. Elevations are shares of the
//! land's height, so that each fits every land.

use crate::grid::layer::{ROAD, SNOW};
use crate::params::{Name, colour};
use crate::texture::sets::in_season::SNOW_OF_THE_SEASON;
use crate::texture::tile::Tiling;
use crate::texture::types::{BlendMode, ElevationUnit, Factors, LayerLimits, Limits, TerrainType, Texture};

const LOWEST: f32 = Limits::ANY_ELEVATION.min;
const HIGHEST: f32 = Limits::ANY_ELEVATION.max;

impl Texture {
    /// Temperate mountains: water bed and sandy shore, meadows in the valleys, forest on gentle and medium
    /// slopes, dry grass above the tree line, scree and rock, and snow that lies lower on northern slopes.
    pub fn temperate() -> Self {
        let types = vec![
            bed("#35423c"),
            shore("#a8966e"),
            TerrainType {
                roughen: 0.003,
                variation: 0.45,
                ..kind("meadow", "#5d6b3c", [0.006, 0.16, 0.08], [0.0, 7.0, 6.0])
            },
            TerrainType {
                roughen: 0.003,
                variation: 0.5,
                ..kind("leafy forest", "#40502e", [0.008, 0.16, 0.08], [7.0, 37.0, 5.0])
            },
            TerrainType {
                skew: -0.05,
                roughen: 0.08,
                variation: 0.5,
                ..kind("dark forest", "#2e3b28", [0.20, 0.42, 0.04], [6.0, 37.0, 5.0])
            },
            TerrainType {
                roughen: 0.08,
                variation: 0.45,
                ..kind("alpine meadow", "#646c40", [0.18, 0.46, 0.05], [0.0, 7.0, 5.0])
            },
            TerrainType {
                roughen: 0.08,
                variation: 0.4,
                ..kind("dry grass", "#77714a", [0.42, 0.56, 0.05], [0.0, 33.0, 6.0])
            },
            kind("scree", "#7f786c", [0.54, HIGHEST, 0.08], [0.0, 36.0, 5.0]),
            TerrainType {
                variation: 0.4,
                ..kind("rock", "#6a645b", [0.0, HIGHEST, 0.02], [38.0, 90.0, 5.0])
            },
            TerrainType {
                skew: 0.07,
                skew_bearing: 180.0,
                variation: 0.05,
                roughen: 0.07,
                ..kind("snow", "#eef2f6", [0.66, HIGHEST, 0.03], [0.0, 40.0, 6.0])
            },
        ];
        Self { elevation_unit: ElevationUnit::Share, types, ..Self::default() }
    }

    /// Wooded hills without snow: fields and meadows in the valleys, broad-leaved forest above them,
    /// darker towards the heights, bare rock where it is steep.
    pub fn woodland() -> Self {
        let types = vec![
            bed("#3a463c"),
            shore("#978a68"),
            TerrainType { variation: 0.5, ..kind("fields", "#7f7d4a", [0.0, 0.16, 0.04], [0.0, 4.5, 2.0]) },
            TerrainType { variation: 0.45, ..kind("meadow", "#64763d", [0.0, 0.55, 0.06], [0.0, 7.0, 2.5]) },
            TerrainType {
                roughen: 0.15,
                variation: 0.5,
                ..kind("leafy forest", "#3d4f2a", [0.0, 0.62, 0.10], [6.0, 36.0, 3.0])
            },
            TerrainType {
                roughen: 0.15,
                skew: -0.12,
                variation: 0.45,
                ..kind("dark forest", "#2b3b27", [0.55, HIGHEST, 0.10], [4.0, 36.0, 3.0])
            },
            kind("heath", "#6c6743", [0.80, HIGHEST, 0.05], [0.0, 8.0, 3.0]),
            TerrainType {
                variation: 0.4,
                ..kind("rock", "#706a60", [0.0, HIGHEST, 0.02], [37.0, 90.0, 5.0])
            },
        ];
        Self { elevation_unit: ElevationUnit::Share, types, ..Self::default() }
    }

    /// A dry land: pale flats and sand below, scrub between, red rock and, on the heights, pale rock,
    /// darkened where it stands steepest.
    pub fn arid() -> Self {
        let types = vec![
            bed("#5a5a48"),
            TerrainType {
                roughen: 0.02,
                variation: 0.12,
                ..kind("pale flats", "#c2b08e", [-0.02, 0.05, 0.05], [0.0, 7.0, 5.0])
            },
            kind("sand", "#b08f60", [0.02, 0.45, 0.10], [0.0, 18.0, 6.0]),
            TerrainType {
                roughen: 0.15,
                variation: 0.5,
                ..kind("scrub", "#7a6f4a", [0.18, 0.62, 0.06], [4.0, 24.0, 6.0])
            },
            kind("red rock", "#8a5b42", [0.0, 0.70, 0.15], [24.0, 90.0, 6.0]),
            kind("gravel", "#90775c", [0.55, HIGHEST, 0.12], [0.0, 24.0, 6.0]),
            kind("pale rock", "#a08a70", [0.72, HIGHEST, 0.10], [22.0, 90.0, 6.0]),
            // Two thirds of the rock's light.
            TerrainType {
                blend: BlendMode::Multiply,
                roughen: 0.0,
                ..kind("varnish", "#d4cec9", [0.1, HIGHEST, 0.1], [44.0, 90.0, 12.0])
            },
        ];
        Self { elevation_unit: ElevationUnit::Share, types, ..Self::default() }
    }
}

/// The gravel of roads and pads: wherever steps have written the layer `road`.
pub(crate) fn road() -> TerrainType {
    let layer = LayerLimits { name: Name::of(ROAD), min: Some(0.8), release: 0.6, ..LayerLimits::default() };
    TerrainType {
        factors: Factors { layer: Some(layer), ..Factors::default() },
        // It covers all other types.
        blend: BlendMode::Cover,
        tile: Some(Tiling { size: 3.0, ..Tiling::new("gravel") }),
        variation: 0.1,
        ..TerrainType::new("road", colour::from_hex("#968d80").unwrap_or_default())
    }
}

/// The name of the type that shows snow by height.
const SNOW_BY_HEIGHT: &str = "snow";

/// Whether a type of a ready-made texture shows snow where height or season suggest it, whether or not it
/// lies there.
pub(crate) fn is_guessed_snow(kind: &TerrainType) -> bool {
    [SNOW_BY_HEIGHT, SNOW_OF_THE_SEASON].contains(&kind.name.as_str())
}

/// Snow wherever steps have written the layer `snow`, from 0.3 m on and fading to none at 5 cm. On cliffs the
/// rock shows through what little they hold.
pub(crate) fn lying_snow() -> TerrainType {
    let layer = LayerLimits { name: Name::of(SNOW), min: Some(0.3), release: 0.25, ..LayerLimits::default() };
    TerrainType {
        factors: Factors { layer: Some(layer), ..Factors::default() },
        slope: Limits::new(0.0, 50.0, 12.0),
        blend: BlendMode::Cover,
        slope_roughen: 6.0,
        tile: tile(SNOW_BY_HEIGHT),
        variation: 0.05,
        ..TerrainType::new("lying snow", colour::from_hex("#eef2f6").unwrap_or_default())
    }
}

/// The ground under water.
pub(super) fn bed(colour: &str) -> TerrainType {
    TerrainType { roughen: 0.004, ..kind("bed", colour, [LOWEST, -0.01, 0.008], [0.0, 90.0, 0.0]) }
}

/// A narrow strip at the water's edge, where that is not steep.
pub(super) fn shore(colour: &str) -> TerrainType {
    let shore = kind("shore", colour, [-0.008, 0.003, 0.004], [0.0, 16.0, 10.0]);
    TerrainType { roughen: 0.003, variation: 0.2, ..shore }
}

/// A mottled type with ragged borders; elevation and slope are minimum, maximum and release.
pub(super) fn kind(name: &str, colour: &str, elevation: [f32; 3], slope: [f32; 3]) -> TerrainType {
    let limits = |[min, max, release]: [f32; 3]| Limits::new(min, max, release);
    TerrainType {
        elevation: limits(elevation),
        slope: limits(slope),
        variation: 0.35,
        roughen: 0.05,
        slope_roughen: 6.0,
        tile: tile(name),
        ..TerrainType::new(name, colour::from_hex(colour).unwrap_or_default())
    }
}

/// The built-in tile of a type of the ready-made sets, in the type's own colour, at the size that leaves,
/// stones or strata have in nature.
fn tile(name: &str) -> Option<Tiling> {
    let (image, size) = match name {
        "bed" => ("mud", 4.0),
        "shore" | "sand" => ("sand", 4.0),
        "ice" => ("ice", 6.0),
        "meadow" | "fields" => ("meadow", 4.0),
        "alpine meadow" => ("grass", 4.0),
        "dry grass" | "heath" | "scrub" => ("dry_grass", 4.0),
        "leafy forest" | "grove" | "dark forest" => ("forest_floor", 5.0),
        "scree" => ("scree", 6.0),
        "gravel" => ("gravel", 4.0),
        "pale flats" => ("mud", 6.0),
        "rock" | "pale rock" => ("rock", 10.0),
        "red rock" => ("cliff", 12.0),
        "snow" => ("snow", 6.0),
        // Varnish is a tint over the rock's own tile.
        _ => return None,
    };
    Some(Tiling { size, ..Tiling::new(image) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::Tile;

    #[test]
    fn ready_made_sets_are_in_range_with_valid_colours() {
        let seasons = [0.0, 0.25, 0.5, 0.75].map(Texture::season);
        let sets = [Texture::temperate(), Texture::woodland(), Texture::arid()];
        for set in sets.into_iter().chain(seasons) {
            set.check().unwrap();
            assert!(set.types.iter().all(|kind| kind.colour != Some([0.0; 3])));
            for kind in set.types.iter().filter(|kind| kind.name != "varnish") {
                let tile = kind.tile.as_ref().map(|tile| tile.image.text());
                assert!(tile.is_some_and(|tile| Tile::built_in().contains(&tile)), "{} {tile:?}", kind.name);
            }
        }
    }
}
