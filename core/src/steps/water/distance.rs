//! Distance to the nearest water.

use super::WaterBuffer;
use super::nearest::{NO_ROW, Nearest};
use crate::compute::work::Work;
use crate::error::Result;

/// For every sample the horizontal distance to the nearest water, metres.
pub(crate) struct WaterDistance {
    nearest: Nearest,
    cell: f32,
    reach: f32,
}

/// The distances to the water of `buffer`, up to `reach` metres.
pub(crate) fn distance_to_water(buffer: &WaterBuffer, reach: f32, work: &Work) -> Result<WaterDistance> {
    let grid = buffer.grid();
    let seed = |(index, depth): (usize, &f32)| {
        if *depth > 0.0 { (index / grid.width) as u32 } else { NO_ROW }
    };
    let seeds = buffer.depths().iter().enumerate().map(seed).collect();
    let nearest = Nearest::new(grid, seeds, reach / grid.cell, work)?;
    Ok(WaterDistance { nearest, cell: grid.cell, reach })
}

impl WaterDistance {
    /// Writes a row of distances in metres, limited to the `reach`.
    pub(crate) fn row(&self, row: usize, out: &mut [f32]) {
        let (mut hull, mut pieces) = (Vec::new(), Vec::new());
        self.nearest.row(row, &mut hull, &mut pieces);
        out.fill(self.reach);
        for piece in pieces {
            let (column, seed_row) = piece.seed;
            let across = seed_row.abs_diff(row) as f32;
            for place in piece.columns {
                let along = column.abs_diff(place) as f32;
                out[place] = ((along * along + across * across).sqrt() * self.cell).min(self.reach);
            }
        }
    }
}
