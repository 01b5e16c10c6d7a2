//! Any texture through the year: leaves and grass change their colours, and snow lies where it is below
//! freezing.

use crate::analysis::factors::TEMPERATURE;
use crate::texture::types::{BlendMode, Factors, Limits, TerrainType, Texture};

/// How a quarter of the year changes the colours of summer.
struct Quarter {
    /// The sRGB colour to which leaves and grass turn, and by which share.
    leaves: ([f32; 3], f32),
    /// Snow lies where the factor `temperature` is below this: 0.5 is freezing in the mean of the year, and
    /// each 0.1 is 4 °C.
    snow_below: f32,
}

/// Spring, summer, autumn, winter, and spring again. A texture without seasons shows summer.
const YEAR: [Quarter; 5] = [SPRING, SUMMER, AUTUMN, WINTER, SPRING];
const SPRING: Quarter = Quarter { leaves: ([0.45, 0.55, 0.27], 0.35), snow_below: 0.55 };
const SUMMER: Quarter = Quarter { leaves: ([0.45, 0.55, 0.27], 0.0), snow_below: NO_SNOW };
const AUTUMN: Quarter = Quarter { leaves: ([0.55, 0.40, 0.18], 0.6), snow_below: 0.5 };
const WINTER: Quarter = Quarter { leaves: ([0.50, 0.46, 0.40], 0.65), snow_below: 0.8 };

/// The temperature below which snow lies in summer: nowhere.
const NO_SNOW: f32 = 0.0;
/// The name of the type that shows it.
pub(super) const SNOW_OF_THE_SEASON: &str = "snow of the season";
/// Colour of snow, sRGB.
const SNOW: [f32; 3] = [0.93, 0.95, 0.97];
/// Slopes up to which snow lies, degrees.
const STEEPEST_SNOW: f32 = 42.0;
/// How much green must exceed red and blue for a colour to count partly as leaves or grass (more than the bed
/// of a lake does), and for it to count fully.
const GREEN: [f32; 2] = [0.04, 0.07];
/// Words in the names of terrain types that stay green.
const EVERGREEN: [&str; 6] = ["dark forest", "conifer", "spruce", "pine", "needle", "evergreen"];

impl Texture {
    /// This texture at a time of the year: 0 is the middle of spring, 0.25 of summer, 0.5 of autumn, 0.75 of
    /// winter, 1 is spring again, and so on beyond. Unchanged, the texture is that of summer. Green types
    /// turn brown in autumn and pale in winter, except evergreens, which are recognised by name, and a type
    /// `snow of the season` covers cold ground. Types that take their colour from a tile keep it.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::Texture;
    /// let woodland = Texture::woodland();
    /// assert_eq!(woodland.in_season(0.25), woodland);
    /// assert_eq!(woodland.in_season(0.75).types.last().unwrap().name, "snow of the season");
    /// ```
    pub fn in_season(&self, season: f32) -> Self {
        // A year is a circle. Without a number it is summer, in which colours stay as they are.
        let season = if season.is_finite() { season.rem_euclid(1.0) } else { 0.25 };
        // Rounding may give 4 just before the year's end.
        let first = ((season * 4.0) as usize).min(3);
        let share = season * 4.0 - first as f32;
        let [before, after] = [&YEAR[first], &YEAR[first + 1]];
        let mut texture = self.clone();
        for kind in &mut texture.types {
            let green = greenness(kind);
            if let Some(colour) = &mut kind.colour {
                let [before, after] = [before, after].map(|quarter| {
                    let (leaves, by) = quarter.leaves;
                    mixed(*colour, leaves, by * green)
                });
                *colour = mixed(before, after, share);
            }
        }
        let snow_below = before.snow_below + (after.snow_below - before.snow_below) * share;
        if snow_below > NO_SNOW && texture.has_room() {
            texture.types.push(snow(snow_below));
        }
        texture
    }
}

/// The share of a type that is leaves or grass changing through the year, from 0 to 1.
fn greenness(kind: &TerrainType) -> f32 {
    let name = kind.name.to_lowercase();
    let Some([red, green, blue]) = kind.colour else { return 0.0 };
    // By name, since needles and leaves may have the same green.
    if EVERGREEN.iter().any(|word| name.contains(word)) {
        return 0.0;
    }
    let [none, all] = GREEN;
    // The excess of green distinguishes leaves from rock and soil, whatever their brightness.
    ((green - red.max(blue) - none) / (all - none)).clamp(0.0, 1.0)
}

fn mixed(from: [f32; 3], to: [f32; 3], share: f32) -> [f32; 3] {
    [0, 1, 2].map(|channel| from[channel] + (to[channel] - from[channel]) * share)
}

/// Snow where the temperature is below this.
fn snow(below: f32) -> TerrainType {
    let factors = Factors::default().with(&TEMPERATURE, Limits::new(0.0, below, 0.04));
    TerrainType {
        factors,
        slope: Limits::new(0.0, STEEPEST_SNOW, 6.0),
        blend: BlendMode::Cover,
        variation: 0.05,
        slope_roughen: 6.0,
        ..TerrainType::new(SNOW_OF_THE_SEASON, SNOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(texture: &Texture, name: &str) -> [f32; 3] {
        texture.types.iter().find(|kind| kind.name == name).and_then(|kind| kind.colour).unwrap()
    }

    fn snow_line(texture: &Texture) -> f32 {
        let snow = texture.types.iter().find(|kind| kind.name == "snow of the season");
        snow.and_then(|kind| kind.factors.get(&TEMPERATURE)).map_or(0.0, |limits| limits.max)
    }

    #[test]
    fn leaves_turn_and_needles_and_rock_stay() {
        for texture in [Texture::woodland(), Texture::arid()] {
            assert_eq!(texture.in_season(0.25), texture, "summer");
            assert_eq!(texture.in_season(1.25), texture, "the next one");
            for season in [0.0, 0.1, 0.5, 0.75, 0.9] {
                texture.in_season(season).check().unwrap();
            }
        }
        let woodland = Texture::woodland();
        let autumn = woodland.in_season(0.5);
        let [red, green, _] = colour(&autumn, "leafy forest");
        assert!(red > green, "{red} {green}");
        for name in ["rock", "dark forest", "bed"] {
            assert_eq!(colour(&autumn, name), colour(&woodland, name), "{name}");
        }
    }

    #[test]
    fn snow_lies_lowest_in_winter_and_nowhere_in_summer_and_comes_evenly() {
        let lines: Vec<f32> =
            (0..=40).map(|part| snow_line(&Texture::woodland().in_season(part as f32 / 40.0))).collect();
        assert_eq!((lines[10], lines[30]), (0.0, 0.8));
        assert!(lines.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.06), "{lines:?}");
    }
}
