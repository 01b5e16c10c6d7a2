//! How near water is, within any distance.

use crate::analysis::land::Land;
use crate::analysis::share_map::ShareMap;
use crate::compute::work::Work;
use crate::error::Result;
use crate::steps::water::distance_to_water;

/// 1 in the water, falling evenly to 0 at `reach` metres.
pub(super) fn nearness(land: Land, reach: f32, work: &Work) -> Result<ShareMap> {
    let water = land.water(work)?;
    let grid = land.field.grid();
    let near = distance_to_water(&water, reach, work)?;
    ShareMap::from_rows(grid, work, |row, values| {
        near.row(row, values);
        values.iter_mut().for_each(|metres| *metres = 1.0 - *metres / reach);
        Ok(())
    })
}
