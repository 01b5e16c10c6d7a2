//! Temperature: how warm the air over the ground is, by the lapse rate and by the aspect.

use super::factor::{Factor, FactorReach, FactorScale};
use crate::analysis::land::Land;
use crate::analysis::shade_day::ShadeDay;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::normal_from_gradient;

/// The lapse rate: kelvins by which the air is colder a metre higher up, as in the standard atmosphere.
pub const LAPSE_RATE: f32 = 0.0065;

/// The [`TEMPERATURE`] at which water freezes.
pub const FREEZING: f32 = 0.5;

/// Degrees Celsius on level ground at sea level, as in the standard atmosphere.
const AT_SEA_LEVEL: f32 = 15.0;

/// The factor is 1 at this many degrees Celsius and 0 at as many below zero.
const RANGE: f32 = 20.0;

/// Kelvins by which a wall that faces south is warmer than level ground.
const EXPOSURE: f32 = 6.0;

/// Warmth: 0 at −20 °C or less, one half at freezing, 1 at 20 °C or more. 15 °C on level ground at sea
/// level (at 0 m on a dry land), 6.5 K less per kilometre upwards. Slopes that face south are up to 6 K
/// warmer, times the sine of the slope, those that face north as much colder.
pub static TEMPERATURE: Factor = Factor {
    scale: Some(FactorScale { at_0: -RANGE, at_1: RANGE, unit: "°C" }),
    reach: FactorReach::samples(1),
    bytes_a_sample: 3,
    depends_on_water: true,
    ..Factor::new("temperature", "Warmth by height and aspect: 0.5 is freezing, each 0.1 is 4 °C.", measure)
};

fn measure(land: Land, _day: ShadeDay, work: &Work) -> Result<ShareMap> {
    let field = land.field;
    let grid = field.grid();
    let sea = land.sea_level.filter(|sea| sea.is_finite()).unwrap_or(0.0);
    work.stage("temperature", grid.depth);
    ShareMap::from_rows(grid, work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            // Under water it is as warm as at its surface.
            let height = (field.at(column, row) - sea).max(0.0);
            // South is +Z, where the normal of a slope that faces south has the sine of that slope.
            let southward = normal_from_gradient(field.gradient_at(column, row)).z;
            let celsius = AT_SEA_LEVEL - LAPSE_RATE * height + EXPOSURE * southward;
            *value = FREEZING + (1.0 - FREEZING) * celsius / RANGE;
        }
        Ok(())
    })
}
