//! Laws of land on which rivers drop sediment, over many steps of time.
//!
//! Uplift all but stops where the steps are a millionth of its time constant and rivers that much stronger.

use super::land::ErodingLand;
use super::original::Original;
use super::params::{Erode, Outlets};
use super::pass::Pass;
use super::rock::Rock;
use super::ways::SEA;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// Side of the land, samples.
const SIDE: usize = 61;
/// Distance between samples, metres.
const CELL: f32 = 100.0;

/// Land that can only drain to the sea along its southern side.
fn coast(height: impl Fn(usize, usize) -> f32 + Sync) -> Result<Heightfield> {
    let land = |column, row| if row + 1 < SIDE { height(column, row) } else { 0.0 };
    Ok(Heightfield::from_fn(Grid::new(SIDE, SIDE, CELL)?, land))
}

/// Rivers that end at 0 m. No slope slides.
fn rivers(strength: f32, sediment: f32) -> Erode {
    let slopes = Erode { smoothing: 0.0, max_slope: 89.9, variety: 0.0, ..Erode::default() };
    Erode { strength, sediment, outlets: Outlets::Sea, ..slopes }
}

/// Takes steps of `years` on the full grid. After each of them `after` gets the land, and how much sediment
/// has arrived in the sea and how much is on its way, in metres on one sample.
fn erode(
    erode: &Erode,
    (land, hardness): (&mut Heightfield, Option<&Heightfield>),
    (steps, years): (usize, f32),
    mut after: impl FnMut(&ErodingLand<'_>, [f64; 2]),
) -> Result<()> {
    let work = Work::new();
    let before = land.clone();
    let rock = Rock::new(erode, land.grid(), 3, &work)?;
    let limit = (rock.under(land.grid(), 1.0, None), hardness);
    let original = Original::beside(&before, erode.base_level, &work)?;
    let eroding = ErodingLand::new(erode, (land, original), (None, None), limit, (true, 5, years), &work)?;
    let mut eroding = eroding.without_floors().without_luck();
    for _ in 0..steps {
        let pass = Pass { steps: 1, years: years / erode.age, gentler: 1.0 };
        eroding.run_pass(&pass, (0, 1), None, &work)?;
        let (sediment, ways) = (eroding.sediment(), &eroding.drainage().ways);
        let arrived = (0..SIDE * SIDE).filter(|here| ways.get(*here) == SEA);
        let arrived = arrived.map(|here| sediment.arrived(here)).sum();
        let slides = sediment.slides(ways, 1.0, &work)?;
        let slides = slides.heights().iter().map(|slides| f64::from(*slides)).sum();
        after(&eroding, [arrived, slides]);
    }
    Ok(())
}

/// From a sample up the river that drains most: its samples, and how far they lie from there in metres.
fn profile_above(eroding: &ErodingLand<'_>, from: usize) -> Vec<(usize, f64)> {
    let (drainage, heights) = (eroding.drainage(), eroding.heights());
    let mut areas = vec![1_u32; heights.len()];
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|one, other| heights[*other].total_cmp(&heights[*one]));
    for here in order {
        if let Some(there) = drainage.ways.receiver(here) {
            areas[there] += areas[here];
        }
    }
    let (mut here, mut away, mut profile) = (from, 0.0, vec![(from, 0.0)]);
    let above = |here| (0..heights.len()).filter(move |donor| drainage.ways.receiver(*donor) == Some(here));
    while let Some(donor) = above(here).max_by_key(|donor| areas[*donor]) {
        let way = drainage.ways.get(donor);
        away += f64::from(drainage.distance(donor % SIDE, donor / SIDE, way));
        profile.push((donor, away));
        here = donor;
    }
    profile
}

/// The base level of all land above a sill rises by 50 m, because the sill does, which no river cuts.
#[test]
fn when_uplift_stops_and_the_base_level_rises_a_wedge_of_sediment_fills_the_valley() -> Result<()> {
    const RISE: f32 = 50.0;
    const SILL: usize = (SIDE - 2) * SIDE + SIDE / 2;
    // A basin in balance with its uplift, whose one way out is in the middle of its southern side.
    let mut land = coast(|column, row| {
        let rough = ((column * 7 + row * 13) % 17) as f32;
        400.0 + 4.0 * (SIDE - row) as f32 + 12.0 * column.abs_diff(SIDE / 2) as f32 + rough
    })?;
    erode(&rivers(0.5, 1.0), (&mut land, None), (60, 0.5), |_, _| ())?;
    let hardness = Heightfield::from_fn(land.grid(), |_, row| if row + 2 < SIDE { 0.0 } else { 1.0 });
    for (column, height) in land.heights_mut()[(SIDE - 2) * SIDE..(SIDE - 1) * SIDE].iter_mut().enumerate() {
        *height = if column == SIDE / 2 { *height + RISE } else { 1000.0 };
    }
    let before = land.clone();
    let (mut left, mut sliding, mut profile) = (0.0, 0.0, Vec::new());
    erode(&rivers(5e4, 1.0), (&mut land, Some(&hardness)), (24, 2e-7), |eroding, [arrived, slides]| {
        left += arrived;
        sliding = slides;
        profile = profile_above(eroding, SILL);
    })?;
    let changes = before.heights().iter().zip(land.heights());
    let changes = changes.map(|(before, after)| f64::from(*after) - f64::from(*before));
    let (wedge, eroded) = changes
        .fold((0.0, 0.0), |(wedge, eroded), change| (wedge + change.max(0.0), eroded - change.min(0.0)));
    // Metres on one sample. With these numbers the balance is exact to a few millionths.
    assert!(wedge > 2000.0, "{wedge}");
    let balance = wedge + left + sliding - eroded;
    assert!(balance.abs() < 1e-3 * eroded, "{balance} of {eroded}: wedge {wedge}, left {left}");
    // Concave: the further up, the steeper.
    let height = |place: usize| f64::from(land.heights()[profile[place].0]);
    let slopes = [0, 4, 8].map(|from| {
        let (low, high) = (profile[from].1, profile[from + 4].1);
        (height(from + 4) - height(from)) / (high - low)
    });
    assert!(slopes[0] > 0.0 && slopes.is_sorted_by(|down, up| down < up), "{slopes:?}");
    Ok(())
}
