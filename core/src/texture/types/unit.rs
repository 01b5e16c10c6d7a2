//! Elevations in metres and in shares of a land's height, and a texture converted from the one to the other.

use super::limits::Limits;
use super::terrain_type::TerrainType;
use super::texture::{ElevationUnit, Texture};

/// How metres follow from a texture's elevation unit.
#[derive(Clone, Copy)]
pub(crate) struct ElevationScale {
    /// The height in metres of elevation 0.
    pub(crate) base: f32,
    /// Metres per unit.
    pub(crate) span: f32,
}

impl ElevationScale {
    /// Elevations are in metres.
    pub(crate) const METRES: Self = Self { base: 0.0, span: 1.0 };
}

impl Texture {
    /// How metres follow from this texture's elevation unit on a land from `lowest` to `highest`.
    pub(crate) fn elevation_scale(
        &self,
        (lowest, highest): (f32, f32),
        sea_level: Option<f32>,
    ) -> ElevationScale {
        if self.elevation_unit == ElevationUnit::Metres {
            return ElevationScale::METRES;
        }
        // A land that is all under water is measured from its own lowest point.
        let base = sea_level.filter(|&sea| sea.is_finite() && sea < highest).unwrap_or(lowest);
        // Level land has no height to take shares of; any span above 0 does.
        let span = if highest > base { highest - base } else { 1.0 };
        ElevationScale { base, span }
    }

    /// A height of `metres` in this texture's elevation unit, on a land whose heights are in `range`, metres,
    /// with its sea at `sea_level`, if it has one.
    pub fn elevation_from_metres(&self, metres: f32, range: (f32, f32), sea_level: Option<f32>) -> f32 {
        let ElevationScale { base, span } = self.elevation_scale(range, sea_level);
        (metres - base) / span
    }

    /// The texture that looks the same on such a land, with its elevations given in `unit`. Limits that mean
    /// "any" go on doing so; what would leave the range of elevations is cut off.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::texture::{ElevationUnit, Texture};
    /// let texture = Texture::temperate().with_elevation_unit(ElevationUnit::Metres, (0.0, 2000.0), None);
    /// let snow = texture.types.last().map(|snow| snow.elevation.min);
    /// assert_eq!(snow, Some(1320.0));
    /// ```
    pub fn with_elevation_unit(
        &self,
        unit: ElevationUnit,
        range: (f32, f32),
        sea_level: Option<f32>,
    ) -> Self {
        let mut converted = Self { elevation_unit: unit, ..self.clone() };
        let (from, to) =
            (self.elevation_scale(range, sea_level), converted.elevation_scale(range, sea_level));
        let ratio = from.span / to.span;
        let height = |value: f32| in_range((from.base + value * from.span - to.base) / to.span);
        let length = |value: f32| in_range(value * ratio);
        for kind in &mut converted.types {
            let TerrainType { elevation, skew, roughen, .. } = kind;
            // The ends mean `unlimited`, in every unit.
            if elevation.min > Limits::ANY_ELEVATION.min {
                elevation.min = height(elevation.min);
            }
            if elevation.max < Limits::ANY_ELEVATION.max {
                elevation.max = height(elevation.max);
            }
            for value in [&mut elevation.release, skew, roughen] {
                *value = length(*value);
            }
        }
        for band in &mut converted.bands.list {
            band.centre = height(band.centre);
            band.range = length(band.range);
        }
        converted
    }
}

fn in_range(elevation: f32) -> f32 {
    elevation.clamp(Limits::ANY_ELEVATION.min, Limits::ANY_ELEVATION.max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texture::{BakeOptions, Band, bake_with};
    use crate::{Grid, Heightfield, Work};

    fn land() -> Heightfield {
        Heightfield::from_fn(Grid::new(33, 33, 40.0).unwrap(), |column, row| {
            900.0 * (column as f32 * 0.23).sin() * (row as f32 * 0.19).cos() + 300.0
        })
    }

    #[test]
    fn a_texture_looks_the_same_in_either_unit() {
        let band = Band { name: "low".into(), colour: [0.9; 3], centre: 0.1, range: 0.2 };
        for mut texture in [Texture::temperate(), Texture::woodland(), Texture::arid()] {
            texture.resolution = 64;
            texture.bands.list = vec![band.clone()];
            for sea_level in [None, Some(40.0)] {
                let options = BakeOptions { sea_level, weights: false };
                let bake = |texture| bake_with(&land(), texture, options, 3, &Work::new()).unwrap();
                let range = land().range();
                let metres = texture.with_elevation_unit(ElevationUnit::Metres, range, sea_level);
                let back = metres.with_elevation_unit(ElevationUnit::Share, range, sea_level);
                assert_eq!(metres.elevation_unit, ElevationUnit::Metres);
                assert_eq!(back.elevation_unit, ElevationUnit::Share);
                // Numbers that were left alone would be another land's in the other unit.
                let span = range.1 - sea_level.unwrap_or(range.0);
                assert!((metres.bands.list[0].range - 0.2 * span).abs() < 1e-2);
                let expected = bake(&texture).colour.texels;
                for same in [&metres, &back] {
                    same.check().unwrap();
                    let seen = bake(same).colour.texels;
                    let differs = |(a, b): (&[u8; 4], &[u8; 4])| (0..4).any(|i| a[i].abs_diff(b[i]) > 1);
                    // Rounding moves a hard edge over a texel's centre now and then.
                    let count = seen.iter().zip(&expected).filter(|pair| differs(*pair)).count();
                    assert!(count * 200 < seen.len(), "{count} of {} texels differ", seen.len());
                }
            }
        }
    }

    #[test]
    fn limits_that_are_any_stay_any() {
        let texture = Texture::temperate();
        let metres = texture.with_elevation_unit(ElevationUnit::Metres, (-100.0, 900.0), Some(0.0));
        for (before, after) in texture.types.iter().zip(&metres.types) {
            let any = |limits: &Limits| {
                (limits.min == Limits::ANY_ELEVATION.min, limits.max == Limits::ANY_ELEVATION.max)
            };
            assert_eq!(any(&before.elevation), any(&after.elevation), "{}", before.name);
        }
    }

    #[test]
    fn the_sea_and_the_summit_are_0_and_1() {
        let share = |metres| Texture::temperate().elevation_from_metres(metres, (-50.0, 450.0), Some(200.0));
        assert_eq!((share(200.0), share(450.0), share(75.0)), (0.0, 1.0, -0.5));
        assert_eq!(Texture::default().elevation_from_metres(75.0, (-50.0, 450.0), Some(200.0)), 75.0);
    }
}
