//! Moisture of the climate: by the nearness of water, and by orographic lift, since wind that has to rise
//! rains.

use super::factor::{Factor, FactorReach};
use super::nearness::nearness;
use crate::analysis::land::Land;
use crate::analysis::shade_day::ShadeDay;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::smooth::smoothed;

/// Compass bearing that the moist wind comes from, degrees.
pub const WIND_BEARING: f32 = 270.0;

/// Metres from water over which its moisture is lost.
pub const MOISTURE_REACH: f32 = 10_000.0;

/// Standard deviation in metres of the smoothing after which the wind follows the land.
const WIND_SCALE: f32 = 600.0;

/// The slope along the wind, metres per metre, from which orographic lift brings all the moisture that it
/// can: 12 degrees.
const FULL_LIFT: f32 = 0.2126;

/// Moisture of the climate, half of it by the nearness of water: all over water, nothing from ten
/// kilometres on. The other half by orographic lift, as the wind comes from the west: all on windward
/// slopes of 12° or more, half on level ground, nothing on lee slopes of 12°. These slopes are those of
/// the land smoothed over 600 metres.
pub static MOISTURE: Factor = Factor {
    // The smoothing's three boxes, and the slope's neighbours.
    reach: FactorReach { metres: MOISTURE_REACH, samples: 4 },
    bytes_a_sample: 15,
    depends_on_water: true,
    ..Factor::new("moisture", "Moisture of the climate, by the nearness of water and by the wind.", measure)
};

fn measure(land: Land, _day: ShadeDay, work: &Work) -> Result<ShareMap> {
    let grid = land.field.grid();
    let near = nearness(land, MOISTURE_REACH, work)?;
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
