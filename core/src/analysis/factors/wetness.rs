//! Wetness: how much water plants get.

use super::factor::{Factor, FactorReach};
use super::topographic_position::{POSITION_REACH, concavity};
use crate::analysis::land::Land;
use crate::analysis::shade_day::ShadeDay;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::water::WATER_REACH;

/// How wet a hollow is at most where no water reaches.
pub const WETNESS_OF_HOLLOWS: f32 = 0.5;

/// Water for plants. With w what reaches them from the sea and the rivers
/// ([`WaterBuffer::available`](crate::steps::water::WaterBuffer::available)) and c the concavity of the
/// ground, in which water gathers, it is 1 − (1 − w)(1 − c/2): either is enough, but a hollow alone gives
/// at most one half.
pub static WETNESS: Factor = Factor {
    reach: POSITION_REACH.or(FactorReach::metres(WATER_REACH)),
    bytes_a_sample: 15,
    depends_on_water: true,
    ..Factor::new("wetness", "Water for plants, from sea, rivers and hollows: 0 dry to 1 wet.", measure)
};

fn measure(land: Land, _day: ShadeDay, work: &Work) -> Result<ShareMap> {
    let hollows = concavity(land.field, work)?;
    let water = land.water(work)?;
    ShareMap::from_rows(land.field.grid(), work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            // Shares of dryness multiply, as if water and hollows were independent.
            let dry = 1.0 - WETNESS_OF_HOLLOWS * hollows.at(column, row);
            *value = 1.0 - (1.0 - water.available(column, row)) * dry;
        }
        Ok(())
    })
}
