//! Water: how much of it plants get, and how near it is.

use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::water::{WaterBuffer, distance_to_water};

use super::factor::Land;
use super::position;
use super::share_map::ShareMap;

/// How wet a hollow is at most where no water reaches.
pub const WETNESS_OF_HOLLOWS: f32 = 0.5;

/// Metres from water at which [`Factor::WaterNearness`](super::Factor::WaterNearness) is 0.
pub const WATER_NEARNESS_REACH: f32 = 1000.0;

/// Water from the sea and the rivers, or gathered in hollows: either is enough for plants.
pub(super) fn wetness(land: Land, work: &Work) -> Result<ShareMap> {
    let hollows = position::concavity(land.field, work)?;
    let water = water(land, work)?;
    ShareMap::from_rows(land.field.grid(), work, |row, values| {
        for (column, value) in values.iter_mut().enumerate() {
            let dry = 1.0 - WETNESS_OF_HOLLOWS * hollows.at(column, row);
            *value = 1.0 - (1.0 - water.available(column, row)) * dry;
        }
        Ok(())
    })
}

/// 1 in the water, 0 from the reach on.
pub(super) fn water_nearness(land: Land, work: &Work) -> Result<ShareMap> {
    nearness(land, WATER_NEARNESS_REACH, work)
}

/// 1 in the water, falling evenly to 0 at `reach` metres.
pub(super) fn nearness(land: Land, reach: f32, work: &Work) -> Result<ShareMap> {
    let water = water(land, work)?;
    let grid = land.field.grid();
    let near = distance_to_water(&water, reach, work)?;
    ShareMap::from_rows(grid, work, |row, values| {
        near.row(row, values);
        values.iter_mut().for_each(|metres| *metres = 1.0 - *metres / reach);
        Ok(())
    })
}

fn water(land: Land, work: &Work) -> Result<WaterBuffer> {
    WaterBuffer::new(land.field, land.sea_level, land.rivers, work)
}
