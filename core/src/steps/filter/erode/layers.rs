//! The layers that erosion writes: drainage area, wear and deposit.

use rayon::prelude::*;

use super::drainage::Drainage;
use super::original::Original;
use super::outlets::{lowest_sample, outlets};
use super::params::{Erode, Outlets};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::layer::BED_HARDNESS;
use crate::grid::{Grid, Heightfield};
use crate::steps::Ground;

/// Drainage area of every sample in km², from the number of samples that drain through it.
pub(super) fn flow_from_areas(grid: Grid, areas: &[f32], work: &Work) -> Result<Heightfield> {
    // In f64: the product of a large count and a small area would lose digits in f32.
    let per_sample = f64::from(grid.cell) * f64::from(grid.cell) * 1e-6;
    let mut flow = Heightfield::flat(grid, 0.0);
    let rows = flow.heights_mut().par_chunks_mut(grid.width).zip(areas.par_chunks(grid.width));
    rows.try_for_each(|(flow, areas)| {
        work.check()?;
        let samples = flow.iter_mut().zip(areas);
        samples.for_each(|(flow, area)| *flow = (f64::from(*area) * per_sample) as f32);
        Ok::<_, crate::Error>(())
    })?;
    Ok(flow)
}

/// Drainage area of every sample in km² on land that is not eroded.
pub(super) fn flow_on(erode: &Erode, field: &Heightfield, seed: u64, work: &Work) -> Result<Heightfield> {
    let original = Original::beside(field, erode.base_level, work)?;
    let outlets = outlets(erode, &original, field, lowest_sample(field));
    let mut drainage = Drainage::new(field.grid(), true, outlets, seed, work)?;
    if erode.outlets == Outlets::Slopes {
        // The layer shows where water flows on this land, so it takes the true steepest way. The random
        // choice is for rivers that are still being carved.
        drainage = drainage.following_slopes().without_luck();
    }
    drainage.route(field.heights(), &original, work)?;
    // `exchange` writes the areas over the heights, and the caller's must stay.
    let mut areas = field.copy_while(work)?;
    drainage.exchange(areas.heights_mut(), work, |_, height| height)?;
    flow_from_areas(field.grid(), areas.heights(), work)
}

/// Writes how hard the bed at the surface is, where the rock has beds and that is wanted.
pub(super) fn write_bed_hardness(ground: &mut Ground, work: &Work) -> Result<()> {
    let bedding = ground.bedding().filter(|_| ground.wants(BED_HARDNESS));
    if let Some(bedding) = bedding.cloned() {
        let exposed = bedding.exposed(ground.region(), &ground.heights, work)?;
        ground.write_layer(BED_HARDNESS, exposed);
    }
    Ok(())
}

/// How much lower the ground has become, metres.
pub(super) fn wear(before: f32, after: f32) -> f32 {
    let change = before - after;
    // A comparison instead of `max`, so that 0 and not −0 is written.
    if change > 0.0 { change } else { 0.0 }
}

/// How much higher the ground has become, metres.
pub(super) fn deposit(before: f32, after: f32) -> f32 {
    let change = before - after;
    if change < 0.0 { -change } else { 0.0 }
}

/// Maps the heights before and after by `of`, sample by sample.
pub(super) fn between(
    before: &Heightfield,
    after: &Heightfield,
    of: fn(f32, f32) -> f32,
    work: &Work,
) -> Result<Heightfield> {
    // A copy of one input becomes the result, so that no third field is needed.
    let mut layer = after.copy_while(work)?;
    let width = layer.grid().width;
    let rows = layer.heights_mut().par_chunks_mut(width).zip(before.heights().par_chunks(width));
    rows.try_for_each(|(values, before)| {
        work.check()?;
        values.iter_mut().zip(before).for_each(|(value, before)| *value = of(*before, *value));
        Ok::<_, crate::Error>(())
    })?;
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::filter::erode::drainage::neighbours;

    /// Two planes that meet in the middle column, which falls towards the south.
    fn valley() -> Heightfield {
        Heightfield::from_fn(Grid::new(41, 60, 100.0).unwrap(), |column, row| {
            500.0 + 20.0 * column.abs_diff(20) as f32 - 2.0 * row as f32
        })
    }

    /// Samples that drain through each.
    fn samples(flow: &Heightfield) -> Vec<u32> {
        flow.heights().iter().map(|area| (area / 0.01).round() as u32).collect()
    }

    #[test]
    fn all_of_a_valley_drains_through_its_mouth_and_less_the_higher_up() -> Result<()> {
        let (erode, land) = (Erode { outlets: Outlets::Sea, ..Erode::default() }, valley());
        let flow = flow_on(&erode, &land, 1, &Work::new())?;
        let areas = samples(&flow);
        let along: Vec<u32> = (0..60).map(|row| areas[row * 41 + 20]).collect();
        assert_eq!(along[59], 41 * 60);
        assert!(along.windows(2).all(|pair| pair[0] < pair[1]), "{along:?}");
        // Nothing on the slopes is a river yet.
        let elsewhere = (0..areas.len()).filter(|sample| sample % 41 != 20).map(|sample| areas[sample]).max();
        assert!(elsewhere.is_some_and(|most| most <= 41 * 60 / 10), "{elsewhere:?}");
        Ok(())
    }

    #[test]
    fn water_that_runs_through_a_sample_came_from_its_neighbours_or_fell_on_it() -> Result<()> {
        for outlets in [Outlets::Border, Outlets::Sea] {
            let erode = Erode { outlets, base_level: 450.0, ..Erode::default() };
            let areas = samples(&flow_on(&erode, &valley(), 1, &Work::new())?);
            for (sample, &area) in areas.iter().enumerate() {
                let around: u32 = neighbours(valley().grid(), sample).map(|next| areas[next.there]).sum();
                assert!((1..=1 + around).contains(&area), "{sample}: {area} of {around}");
            }
        }
        Ok(())
    }

    /// A plane with a given fall in metres per column and per row.
    fn plane(side: usize, [east, south]: [f32; 2]) -> Heightfield {
        let height = |column: usize, row: usize| 1000.0 - east * column as f32 - south * row as f32;
        Heightfield::from_fn(Grid::new(side, side, 100.0).unwrap(), height)
    }

    #[test]
    fn water_of_a_plane_leaves_over_its_lower_borders_as_it_comes() -> Result<()> {
        let erode = Erode { outlets: Outlets::Slopes, ..Erode::default() };
        let last = 64;
        let areas = |fall: [f32; 2]| {
            Ok::<_, crate::Error>(samples(&flow_on(&erode, &plane(65, fall), 1, &Work::new())?))
        };
        for (fall, lower) in [
            ([0.0, 3.0], (0..65).map(|along| last * 65 + along).collect::<Vec<_>>()),
            ([0.0, -3.0], (0..65).collect()),
            ([3.0, 0.0], (0..65).map(|along| along * 65 + last).collect()),
            ([-3.0, 0.0], (0..65).map(|along| along * 65).collect()),
        ] {
            let areas = areas(fall)?;
            assert!(lower.iter().all(|sample| areas[*sample] == 65), "{fall:?}");
            assert_eq!(areas.iter().max(), Some(&65), "{fall:?}");
        }
        // If the plane falls towards a corner, water flows diagonally and leaves over both borders there.
        for [east, south] in [[3.0, 3.0], [-3.0, 3.0], [-3.0, -3.0]] {
            let areas = areas([east, south])?;
            let at = |column: usize, row: usize| {
                let from = |index: usize, fall: f32| if fall > 0.0 { index } else { last - index };
                areas[from(row, south) * 65 + from(column, east)]
            };
            for along in 0..65 {
                let expected = along as u32 + 1;
                assert_eq!(
                    (at(along, last), at(last, along)),
                    (expected, expected),
                    "{east} {south} {along}"
                );
            }
        }
        Ok(())
    }

    #[test]
    fn all_water_leaves_whatever_the_slope() -> Result<()> {
        let erode = Erode { outlets: Outlets::Slopes, ..Erode::default() };
        for fall in [[1.0, 2.5], [-0.4, 3.0], [2.0, 0.1], [0.0, 0.0]] {
            let land = plane(40, fall);
            let original = Original::beside(&land, erode.base_level, &Work::new())?;
            let outlets = outlets(&erode, &original, &land, 0);
            assert_eq!(outlets.len(), 4 * 39);
            let mut drainage = Drainage::new(land.grid(), true, outlets, 1, &Work::new())?.following_slopes();
            drainage.route(land.heights(), &original, &Work::new())?;
            let mut areas = land.clone();
            drainage.exchange(areas.heights_mut(), &Work::new(), |_, height| height)?;
            let is_outlet = |sample: &usize| drainage.ways.receiver(*sample).is_none();
            let left: f32 = (0..1600).filter(is_outlet).map(|sample| areas.heights()[sample]).sum();
            assert_eq!(left, 1600.0, "{fall:?}");
            let through = (0..1600).filter(is_outlet).count();
            assert!(through >= 39, "{fall:?}: {through}");
        }
        Ok(())
    }

    #[test]
    fn level_land_drains_through_one_of_its_samples() -> Result<()> {
        let level = Heightfield::flat(Grid::new(30, 20, 100.0)?, 7.0);
        let areas = samples(&flow_on(&Erode::default(), &level, 1, &Work::new())?);
        assert_eq!(areas.iter().max(), Some(&600));
        Ok(())
    }

    #[test]
    fn wear_less_deposit_is_what_has_changed() {
        for (before, after) in [(3.5f32, 1.25f32), (-0.1, 0.2), (7.0, 7.0), (1e-30, -1e9), (0.1, 0.3)] {
            let (wear, deposit) = (wear(before, after), deposit(before, after));
            assert_eq!((wear - deposit).to_bits(), (before - after).to_bits(), "{before} {after}");
            assert!(wear >= 0.0 && deposit >= 0.0 && wear.min(deposit) == 0.0);
        }
    }
}
