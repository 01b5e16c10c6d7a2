//! From the land's grid to that of the ice and back.
//!
//! Glaciers are hundreds of metres thick and their beds smooth, so samples some tens of metres apart suffice
//! for them. What they wear away is interpolated smoothly and taken off the land, whose own relief stays
//! sharp where there was no ice, and is planed where there was.

use rayon::prelude::*;

use super::bed;
use super::glaciation::{COARSE_ROUNDS, Climate, FIRST_STEPS, Glaciation, ROUNDS, STAND, STANDS, STEPS};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};
use crate::resize::{Spline, bilinear, bspline};

/// Metres between the ice's samples: on a land of any usual size, and the fewest.
const CELL: f32 = 60.0;
const FINEST_CELL: f32 = 40.0;

/// About how many samples a side the ice has on a small land, and at most on a large one.
const FEW_SAMPLES: f32 = 192.0;
const MOST_SAMPLES: f32 = 800.0;

/// The coarser grid is left out if it had fewer samples a side than this.
const COARSEST: usize = 48;

/// Metres worn away after which little of the relief is left that stood there.
const PLANED: f32 = 40.0;

/// Thickness that the ice must have had to plane the relief, metres.
const COVERED: f32 = 25.0;

/// How much of the old relief stays visible however much is worn away.
const KEPT: f32 = 0.3;

/// A land after its glaciation.
pub(super) struct Glaciated {
    /// The ground without ice, metres.
    pub(super) ground: Heightfield,
    /// The ice that is left, metres; `None` if there is none.
    pub(super) ice: Option<Heightfield>,
    /// Thickness of the moraines, which are part of the ground, metres.
    pub(super) moraines: Heightfield,
    /// The greatest thickness that the ice has had, metres.
    #[cfg(test)]
    pub(super) thickest: Heightfield,
}

impl Glaciated {
    /// The heights of the ground and of the ice on it.
    pub(super) fn with_ice(&self, work: &Work) -> Result<Heightfield> {
        let mut heights = self.ground.copy_while(work)?;
        if let Some(ice) = &self.ice {
            heights.change_while(work, |column, row, height| *height += ice.at(column, row))?;
        }
        Ok(heights)
    }
}

/// What the ice leaves behind in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaves {
    /// Share of what is worn away that lies in moraines.
    pub(super) moraines: f64,
    /// How much higher the equilibrium line lies in the end than in the coldest times, metres.
    pub(super) rise: f64,
}

/// The grid of the ice on a land.
fn grid_of_ice(full: Grid, coarser: f32) -> Grid {
    let longer = (full.longer() - 1).max(1) as f32 * full.cell;
    let cell =
        (longer / FEW_SAMPLES).clamp(FINEST_CELL, CELL).max(longer / MOST_SAMPLES).max(full.cell) * coarser;
    let scale = f64::from(full.cell) / f64::from(cell);
    let longest = ((full.longer() - 1) as f64 * scale).round().max(1.0);
    if full.longer() == 1 {
        return full;
    }
    let scale = longest / (full.longer() - 1) as f64;
    let side = |count: usize| ((count - 1) as f64 * scale).round() as usize + 1;
    Grid { width: side(full.width), depth: side(full.depth), cell: (f64::from(full.cell) / scale) as f32 }
}

/// How the rounds are divided between the two grids of the ice: how many run on the coarser one.
fn coarse_rounds(coarse: Grid) -> usize {
    if coarse.longer() >= COARSEST { COARSE_ROUNDS } else { 0 }
}

/// The grids of the ice, and the steps in time on each.
pub(super) fn steps(full: Grid) -> [(Grid, usize); 2] {
    let [coarse, fine] = [2.0, 1.0].map(|coarser| grid_of_ice(full, coarser));
    let rounds = coarse_rounds(coarse);
    let first = if rounds > 0 { [FIRST_STEPS, 0] } else { [0, FIRST_STEPS] };
    [(coarse, rounds * STEPS + first[0]), (fine, (ROUNDS - rounds) * STEPS + first[1] + (STANDS + 2) * STAND)]
}

/// Memory that the ice takes on its own grid, bytes.
pub(super) fn bytes_of_ice(full: Grid) -> u64 {
    290 * grid_of_ice(full, 1.0).count() as u64
}

/// Glaciates a land whose rock is so many times as readily worn as usual.
pub(super) fn glaciated(
    field: &Heightfield,
    weakness: Option<&Heightfield>,
    climate: Climate,
    leaves: Leaves,
    work: &Work,
) -> Result<Glaciated> {
    let full = field.grid();
    let [coarse, fine] = [2.0, 1.0].map(|coarser| grid_of_ice(full, coarser));
    work.stage(format!("ice at {}×{}", fine.width, fine.depth), ROUNDS + STANDS + 1);
    let begun = |grid| {
        let weakness = match weakness {
            Some(weakness) => wide(&bilinear(weakness, grid, work)?),
            None => vec![1.0; grid.count()],
        };
        Ok::<_, Error>(Glaciation::new(grid, averaged(field, grid, work)?, weakness, climate))
    };
    let coarse_rounds = coarse_rounds(coarse);
    let show = |glaciation: &Glaciation, round: usize| {
        work.advance(1);
        // The last frame is that of the land in the end.
        if round + 1 == ROUNDS {
            return Ok(());
        }
        let seen = || on_land(field, glaciation, climate.steepest as f32, work)?.with_ice(work);
        work.frame("round", round + 1, ROUNDS, seen)
    };
    let mut before = None;
    if coarse_rounds > 0 {
        let mut glaciation = begun(coarse)?;
        for round in 0..coarse_rounds {
            glaciation.round(round, work)?;
            show(&glaciation, round)?;
        }
        let ice = [&glaciation.ice.thickness, &glaciation.thickest];
        let [thickness, thickest] = ice.map(|ice| field_of(coarse, ice));
        before = Some((field_of(coarse, &glaciation.worn())?, thickness?, thickest?));
    }
    let mut glaciation = begun(fine)?;
    if let Some((worn, thickness, thickest)) = before {
        let worn = bspline(&worn, fine, Spline::default(), work)?;
        let [thickness, thickest] = [thickness, thickest].map(|ice| bilinear(&ice, fine, work));
        glaciation.go_on_from(&wide(&worn), wide(&thickness?), wide(&thickest?));
    }
    for round in coarse_rounds..ROUNDS {
        glaciation.round(round, work)?;
        show(&glaciation, round)?;
    }
    if leaves.moraines > 0.0 {
        for stand in 0..STANDS {
            let rise = climate.swing * stand as f64 / STANDS as f64;
            glaciation.stand(rise, leaves.moraines / STANDS as f64, work)?;
            work.advance(1);
        }
    }
    glaciation.melt(leaves.rise, work)?;
    on_land(field, &glaciation, climate.steepest as f32, work)
}

/// The land with what has been worn away and heaped up, and with the ice.
fn on_land(field: &Heightfield, glaciation: &Glaciation, steepest: f32, work: &Work) -> Result<Glaciated> {
    let (full, grid) = (field.grid(), glaciation.ice.grid());
    let through = Spline { through_points: true, ..Spline::default() };
    let up = |values: &[f64]| bspline(&field_of(grid, values)?, full, through, work);
    let (worn, original) = (up(&glaciation.worn())?, up(&glaciation.original)?);
    let (mut moraines, thickest) = (up(&glaciation.moraines)?, up(&glaciation.thickest)?);
    positive(&mut moraines, LEAST_WORN);
    let mut ice = up(&glaciation.ice.thickness)?;
    let mut ground = field.copy_while(work)?;
    let any_ice = glaciation.ice.thickness.iter().any(|thickness| *thickness > f64::from(THINNEST));
    let width = full.width;
    let rows = ground.heights_mut().par_chunks_mut(width).zip(ice.heights_mut().par_chunks_mut(width));
    rows.enumerate().try_for_each(|(row, (ground, ice))| {
        work.check()?;
        let [worn, original, moraines, thickest] =
            [&worn, &original, &moraines, &thickest].map(|field| field.row(row));
        for (column, (ground, ice)) in ground.iter_mut().zip(ice).enumerate() {
            *ice = if *ice < THINNEST { 0.0 } else { *ice - THINNEST };
            let worn = if worn[column] < LEAST_WORN { 0.0 } else { worn[column] };
            if worn == 0.0 && moraines[column] == 0.0 && *ice == 0.0 {
                continue;
            }
            let under = 1.0 - libm::expf(-thickest[column] / COVERED);
            let planed = (1.0 - KEPT) * under * (1.0 - libm::expf(-(worn + 2.0 * *ice) / PLANED));
            let relief = *ground - original[column];
            *ground -= worn + planed * relief - moraines[column];
        }
        Ok::<_, Error>(())
    })?;
    drop((worn, original));
    #[cfg(not(test))]
    drop(thickest);
    // The walls as the land's own samples have them.
    slide(field, &mut ground, steepest, work)?;
    Ok(Glaciated {
        ground,
        ice: any_ice.then_some(ice),
        moraines,
        #[cfg(test)]
        thickest,
    })
}

/// Sets all that is below `least` to 0.
fn positive(field: &mut Heightfield, least: f32) {
    field.heights_mut().par_iter_mut().for_each(|value| *value = if *value < least { 0.0 } else { *value });
}

/// Changes of less than this don't count, metres.
const LEAST_WORN: f32 = 0.01;

/// Ice that is thinner has melted, metres.
const THINNEST: f32 = 2.0;

/// How often ground slides on the land's own grid.
const SLIDES: usize = 6;

fn slide(before: &Heightfield, ground: &mut Heightfield, steepest: f32, work: &Work) -> Result<()> {
    let grid = before.grid();
    let original = wide(before);
    let mut heights = wide(ground);
    bed::slide(grid, &mut heights, &original, f64::from(steepest), SLIDES, work)?;
    for (ground, height) in ground.heights_mut().iter_mut().zip(heights) {
        *ground = height as f32;
    }
    Ok(())
}

fn wide(field: &Heightfield) -> Vec<f64> {
    field.heights().iter().map(|height| f64::from(*height)).collect()
}

fn field_of(grid: Grid, values: &[f64]) -> Result<Heightfield> {
    Heightfield::new(grid, values.iter().map(|value| *value as f32).collect())
}

/// Heights on a coarser grid: means of the samples around, weighted by their nearness.
fn averaged(field: &Heightfield, grid: Grid, work: &Work) -> Result<Vec<f64>> {
    let full = field.grid();
    let scale = |from: usize, to: usize| if to > 1 { (from - 1) as f64 / (to - 1) as f64 } else { 1.0 };
    let (x, z) = (scale(full.width, grid.width), scale(full.depth, grid.depth));
    let around = |place: f64, reach: f64, count: usize| {
        let reach = reach.max(1.0);
        let from = (place - reach).ceil().max(0.0) as usize;
        let to = ((place + reach).floor() as usize).min(count - 1);
        (from..=to).map(move |sample| (sample, 1.0 - (sample as f64 - place).abs() / reach))
    };
    bed::rows_of(grid, work, |column, row| {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (row, down) in around(row as f64 * z, z, full.depth) {
            for (column, along) in around(column as f64 * x, x, full.width) {
                sum += down * along * f64::from(field.at(column, row));
                weights += down * along;
            }
        }
        if weights > 0.0 { sum / weights } else { f64::from(field.at(0, 0)) }
    })
}
