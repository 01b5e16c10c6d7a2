//! The season that plants show: a game's, or that of the land's colours.

use bevy::prelude::*;

use crate::Skin;
use crate::plants::Season;

/// The season that plants show on a terrain.
///
/// ```
/// use upland::plants::Season;
/// use upland::plugin::{PlantSeason, TerrainScatter};
///
/// let scatter = TerrainScatter { season: Season::Autumn.into(), ..TerrainScatter::default() };
/// assert_eq!(scatter.season, PlantSeason::Autumn);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[type_path = "upland::plugin"]
#[reflect(Clone, Debug, PartialEq, Hash, Default)]
pub enum PlantSeason {
    /// That of the land's colours as they are drawn: of a texture `seasons(season: …)` the season that is
    /// nearest, of sets that fade into each other that of the set they are nearest to, and summer with any
    /// other texture.
    #[default]
    OfLand,
    /// Young, light green leaves.
    Spring,
    /// Full leaves and flowers.
    Summer,
    /// Leaves in autumn colours.
    Autumn,
    /// Bare twigs; evergreens and stones stay as they are.
    Winter,
}

impl PlantSeason {
    /// The season on land with this skin.
    pub fn on(self, skin: &Skin) -> Season {
        match self {
            Self::OfLand => season_of(skin),
            Self::Spring => Season::Spring,
            Self::Summer => Season::Summer,
            Self::Autumn => Season::Autumn,
            Self::Winter => Season::Winter,
        }
    }
}

impl From<Season> for PlantSeason {
    fn from(season: Season) -> Self {
        match season {
            Season::Spring => Self::Spring,
            Season::Summer => Self::Summer,
            Season::Autumn => Self::Autumn,
            Season::Winter => Self::Winter,
        }
    }
}

/// The season that plants show on land with this skin.
fn season_of(skin: &Skin) -> Season {
    match skin {
        Skin::Seasons(seasons) => {
            // In a texture 0 is the middle of spring, and 1 the next one.
            let quarter = (seasons.season * 4.0).rem_euclid(4.0).round();
            Season::ALL[quarter as usize % Season::ALL.len()]
        }
        Skin::Sets(fading) => {
            let last = fading.sets.len().saturating_sub(1);
            let nearest = (fading.at.clamp(0.0, 1.0) * last as f32).round() as usize;
            fading.sets.get(nearest).map_or(Season::Summer, season_of)
        }
        Skin::Temperate | Skin::Woodland | Skin::Arid | Skin::Custom(_) => Season::Summer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sets;

    fn seasons(season: f32) -> Skin {
        Skin::Temperate.in_season(season)
    }

    #[test]
    fn plants_show_the_season_that_the_ground_is_nearest_to() {
        for (season, expected) in [
            (0.0, Season::Spring),
            (0.12, Season::Spring),
            (0.13, Season::Summer),
            (0.25, Season::Summer),
            (0.37, Season::Summer),
            (0.38, Season::Autumn),
            (0.5, Season::Autumn),
            (0.75, Season::Winter),
            (0.87, Season::Winter),
            (0.88, Season::Spring),
            (1.0, Season::Spring),
        ] {
            assert_eq!(PlantSeason::OfLand.on(&seasons(season)), expected, "{season}");
        }
        for skin in [Skin::Temperate, Skin::Woodland, Skin::Arid, Skin::Custom(Default::default())] {
            assert_eq!(PlantSeason::OfLand.on(&skin), Season::Summer);
        }
        for season in [f32::NAN, f32::INFINITY, -0.25, 7.5] {
            // Whatever it is, it has one.
            PlantSeason::OfLand.on(&seasons(season));
        }
    }

    #[test]
    fn of_sets_that_fade_the_nearest_counts_and_a_games_own_season_before_all() {
        let fading = |at| Skin::Sets(Sets { sets: vec![seasons(0.25), seasons(0.75)], at, mask: None });
        let shown = [0.0, 0.4, 0.6, 1.0].map(|at| PlantSeason::OfLand.on(&fading(at)));
        assert_eq!(shown, [Season::Summer, Season::Summer, Season::Winter, Season::Winter]);
        for season in Season::ALL {
            assert_eq!(PlantSeason::from(season).on(&fading(1.0)), season);
        }
    }
}
