//! The slope of the land at the spacing of the recipe's own samples. Steps that add detail far below that
//! spacing act by it, so that neither their own detail nor that of other steps changes where they act, and
//! every level has the same stones on the same slope.

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::resize::catmull_rom_between;
use crate::steps::{Ground, Needs, Reach};

/// Samples of level 0 to each side between which the slope is measured.
const APART: f32 = 1.0;

/// How steep the land is at every sample of a region, and how far it bends down from there.
pub(super) struct SlopeField {
    slope: Heightfield,
    bend: Heightfield,
}

impl SlopeField {
    /// Measured between neighbouring samples.
    fn measured(field: &Heightfield, work: &Work) -> Result<Self> {
        let Grid { width, depth, cell } = field.grid();
        let beside = |index: usize, count: usize| [index.saturating_sub(1), (index + 1).min(count - 1)];
        let per_metre = |[before, after]: [usize; 2]| 1.0 / ((after - before).max(1) as f32 * cell);
        let [mut slope, mut bend] = [(); 2].map(|()| Heightfield::flat(field.grid(), 0.0));
        for row in 0..depth {
            work.check()?;
            let [north_of, south_of] = beside(row, depth);
            let (own, north, below) = (field.row(row), field.row(north_of), field.row(south_of));
            let per_south = per_metre([north_of, south_of]);
            let out = row * width..(row + 1) * width;
            let outs = slope.heights_mut()[out.clone()].iter_mut().zip(&mut bend.heights_mut()[out]);
            for (column, (slope, bend)) in outs.enumerate() {
                let [west_of, east_of] = beside(column, width);
                let east = (own[east_of] - own[west_of]) * per_metre([west_of, east_of]);
                let south = (below[column] - north[column]) * per_south;
                *slope = (east * east + south * south).sqrt();
                // At the land's border it bends along the border only.
                let over = |[before, after]: [usize; 2], height: [f32; 2]| {
                    if after - before == 2 { own[column] - 0.5 * (height[0] + height[1]) } else { 0.0 }
                };
                let across = over([west_of, east_of], [own[west_of], own[east_of]]);
                *bend = (across + over([north_of, south_of], [north[column], below[column]])) / cell;
            }
        }
        Ok(Self { slope, bend })
    }

    /// The slope of this ground. If the ground is finer than level 0 and knows the samples of that
    /// [around](Self::around) it, the slope is interpolated between those. The bend is then 0, unless
    /// `with_bend`.
    pub(super) fn of(ground: &Ground, with_bend: bool, work: &Work) -> Result<Self> {
        let Some(around) = ground.context() else { return Self::measured(&ground.heights, work) };
        // Measured at level 0 and then interpolated, so that the slope is the same at all finer levels.
        let Self { slope, bend } = Self::measured(&around.heights, work)?;
        let finer = |field| catmull_rom_between(&field, around.region(), ground.region(), work);
        let bend = if with_bend { finer(bend)? } else { Heightfield::flat(ground.heights.grid(), 0.0) };
        Ok(Self { slope: finer(slope)?, bend })
    }

    /// The reach of a step that acts by it.
    pub(super) fn reach(domain: Domain) -> Reach {
        Reach::Near(APART * domain.cell())
    }

    /// The land that such a step looks at around a window finer than level 0.
    pub(super) fn around(window: &Region) -> Result<Option<Needs>> {
        Needs::coarser(window, 0, APART, false)
    }

    /// The tangent of the slope at the samples of a row.
    pub(super) fn of_row(&self, row: usize) -> &[f32] {
        self.slope.row(row)
    }

    /// How far the land bends down from the samples of a row: on a straight crest the tangent of its sides,
    /// in a hollow below 0.
    pub(super) fn bend_of_row(&self, row: usize) -> &[f32] {
        self.bend.row(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::grid::Window;

    #[test]
    fn the_slope_between_the_samples_of_a_plane_is_that_of_the_plane() -> Result<()> {
        let plane = |grid: Grid, x: f32, z: f32| {
            Heightfield::from_fn(grid, move |column, row| {
                0.3 * (x + grid.cell * column as f32) - 0.4 * (z + grid.cell * row as f32)
            })
        };
        let domain = Domain::endless(10.0, 1000.0)?;
        let region = domain.region(Window { level: -3, first: [40, 80], size: [30, 20] })?;
        let around = SlopeField::around(&region)?
            .and_then(|needs| needs.context())
            .ok_or_else(|| Error::parameter("window", "is not finer"))?;
        let land = plane(around.grid(), 10.0 * around.column(0) as f32, 10.0 * around.row(0) as f32);
        let ground = Ground::level_in(region).with_context(Some(Ground::level_in(around).with_heights(land)));
        let slopes = SlopeField::of(&ground, true, &Work::new())?;
        for row in 0..20 {
            assert!(slopes.of_row(row).iter().all(|slope| (slope - 0.5).abs() < 1e-3), "row {row}");
            assert!(slopes.bend_of_row(row).iter().all(|bend| bend.abs() < 1e-3), "row {row}");
        }
        Ok(())
    }
}
