//! Climate: how warm and how moist the land is.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::normal_from_gradient;

use crate::texture::surroundings::Layer;

use super::measured::layer_from_rows;
use super::smooth::smoothed;
use super::{Land, wet};

/// Kelvin that the air is colder a metre higher up, as in the standard atmosphere.
pub const LAPSE: f32 = 0.0065;

/// The [`Factor::Temperature`](super::Factor::Temperature) at which water freezes.
pub const FREEZING: f32 = 0.5;

/// Degrees Celsius on level ground at the height of the sea, as in the standard atmosphere.
const AT_THE_SEA: f32 = 15.0;

/// Degrees Celsius, above and below zero, at which the factor ends.
const SPAN: f32 = 20.0;

/// Kelvin that a wall to the sun is warmer than level ground.
const EXPOSURE: f32 = 6.0;

/// Compass bearing that the moist wind comes from, degrees.
pub const WIND_BEARING: f32 = 270.0;

/// Metres inland over which the moisture of the water is lost.
pub const REACH_OF_MOISTURE: f32 = 10_000.0;

/// Metres over which the wind takes notice of the land.
const WIND_SCALE: f32 = 600.0;

/// The rise, metres per metre, that wrings most out of the wind: 12 degrees.
const FULL_RISE: f32 = 0.2126;

/// Warmth by height and by the side that the ground turns to.
pub(super) fn temperature(land: Land, work: &Work) -> Result<Layer> {
    let field = land.field;
    let grid = field.grid();
    let sea = land.sea_level.filter(|sea| sea.is_finite()).unwrap_or(0.0);
    work.stage("temperature", grid.depth);
    layer_from_rows(grid, work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            // Under water it is as warm as at its surface.
            let height = (field.at(column, row) - sea).max(0.0);
            // South is +Z, and the normal's part along it is the sine of a southern slope.
            let southward = normal_from_gradient(field.gradient_at(column, row)).z;
            let celsius = AT_THE_SEA - LAPSE * height + EXPOSURE * southward;
            *value = FREEZING + (1.0 - FREEZING) * celsius / SPAN;
        }
        Ok(())
    })
}

/// Moisture by the nearness of water and by how the wind is made to rise.
pub(super) fn moisture(land: Land, work: &Work) -> Result<Layer> {
    let grid = land.field.grid();
    let near = wet::nearness(land, REACH_OF_MOISTURE, work)?;
    work.stage("wind", 2 * grid.depth + grid.width);
    let mut ground = land.field.clone();
    if let Some(sea) = land.sea_level.filter(|sea| sea.is_finite()) {
        // The wind blows over the water, not over its bed.
        ground.heights_mut().iter_mut().for_each(|height| *height = height.max(sea));
    }
    let ground = smoothed(&ground, WIND_SCALE, work)?;
    let bearing = WIND_BEARING.to_radians();
    let (from_x, from_z) = (libm::sinf(bearing), -libm::cosf(bearing));
    layer_from_rows(grid, work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            let gradient = ground.gradient_at(column, row);
            let rise = -(gradient.x * from_x + gradient.y * from_z);
            let wrung = (0.5 + 0.5 * rise / FULL_RISE).clamp(0.0, 1.0);
            *value = 0.5 * near.at(column, row) + 0.5 * wrung;
        }
        Ok(())
    })
}
