//! Climate: how warm and how moist the air over the land is.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::normal_from_gradient;

use super::factor::Land;
use super::share_map::ShareMap;
use super::smooth::smoothed;
use super::water;

/// The lapse rate: kelvins by which the air is colder a metre higher up, as in the standard atmosphere.
pub const LAPSE_RATE: f32 = 0.0065;

/// The [`Factor::Temperature`](super::Factor::Temperature) at which water freezes.
pub const FREEZING: f32 = 0.5;

/// Degrees Celsius on level ground at sea level, as in the standard atmosphere.
const AT_SEA_LEVEL: f32 = 15.0;

/// The factor is 1 at so many degrees Celsius and 0 at as many below zero.
const RANGE: f32 = 20.0;

/// Kelvins by which a wall that faces south is warmer than level ground.
const EXPOSURE: f32 = 6.0;

/// Compass bearing that the moist wind comes from, degrees.
pub const WIND_BEARING: f32 = 270.0;

/// Metres from water over which its moisture is lost.
pub const MOISTURE_REACH: f32 = 10_000.0;

/// Standard deviation in metres of the smoothing after which the wind follows the land.
const WIND_SCALE: f32 = 600.0;

/// The slope along the wind, metres per metre, from which orographic lift brings all the moisture that it
/// can: 12 degrees.
const FULL_LIFT: f32 = 0.2126;

/// Warmth, by the lapse rate and by the aspect.
pub(super) fn temperature(land: Land, work: &Work) -> Result<ShareMap> {
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

/// Moisture, by the nearness of water and by orographic lift: wind that is made to rise rains.
pub(super) fn moisture(land: Land, work: &Work) -> Result<ShareMap> {
    let grid = land.field.grid();
    let near = water::nearness(land, MOISTURE_REACH, work)?;
    work.stage("wind", 2 * grid.depth + grid.width);
    let mut ground = land.field.clone();
    if let Some(sea) = land.sea_level.filter(|sea| sea.is_finite()) {
        // The wind blows over the water, not over its bed.
        ground.heights_mut().iter_mut().for_each(|height| *height = height.max(sea));
    }
    let ground = smoothed(&ground, WIND_SCALE, work)?;
    let bearing = WIND_BEARING.to_radians();
    let (from_x, from_z) = (libm::sinf(bearing), -libm::cosf(bearing));
    ShareMap::from_rows(grid, work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            let gradient = ground.gradient_at(column, row);
            let rise = -(gradient.x * from_x + gradient.y * from_z);
            let lift = (0.5 + 0.5 * rise / FULL_LIFT).clamp(0.0, 1.0);
            *value = 0.5 * near.at(column, row) + 0.5 * lift;
        }
        Ok(())
    })
}
