//! Snow drift: wind takes snow from ground that faces it and drops it where ground upwind gives shelter,
//! after Winstral, Elder and Davis, "Spatial snow modeling of wind-redistributed snow using terrain-based
//! parameters" (2002): shelter is the steepest slope up to any place upwind, within a few hundred metres.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// Places along the wind at which ground is looked at, at most.
const MOST_PLACES: usize = 24;

/// How far the wind turns to and fro, degrees. Without it each row of samples along the wind would be alone,
/// and seen as a streak.
const GUSTS: [f32; 3] = [0.0, 11.0, -11.0];

/// The tangent of the slope up to the horizon upwind from which a place gives full shelter, and that of the
/// slope down to it from which ground gives all that the wind takes.
const SHELTER: f32 = 0.45;
const EXPOSURE: f32 = 0.3;

/// A wind.
pub(super) struct Drift {
    /// The share of the snow that it takes where ground faces it.
    share: f32,
    /// The places downwind of a sample that it may carry snow to.
    places: Vec<Place>,
}

/// A place downwind of a sample.
struct Place {
    columns: isize,
    rows: isize,
    per_metre: f32,
    /// How much of what is carried comes so far, in relation to other places that give as much shelter.
    weight: f32,
}

impl Drift {
    /// A wind from a bearing that takes a share of the snow and carries it up to `reach` metres. `None` if it
    /// carries none to any other sample.
    pub(super) fn new(bearing: f32, share: f32, reach: f32, grid: Grid) -> Option<Self> {
        let (reach, cell) = (f64::from(reach), f64::from(grid.cell));
        let count = ((reach / cell) as usize).min(MOST_PLACES);
        let mut places: Vec<Place> = Vec::with_capacity(count);
        for number in 1..=count {
            let away = reach / cell * number as f64 / count as f64;
            let angle = f64::from(bearing + GUSTS[number % GUSTS.len()]).to_radians();
            let (east, south) = (-libm::sin(angle), libm::cos(angle));
            let [columns, rows] = [away * east, away * south].map(|cells| cells.round() as isize);
            let length = cell * libm::hypot(columns as f64, rows as f64);
            places.push(Place {
                columns,
                rows,
                per_metre: (1.0 / length) as f32,
                weight: libm::exp(-2.0 * length / reach) as f32,
            });
        }
        (share > 0.0 && !places.is_empty()).then_some(Self { share, places })
    }

    /// Moves `lying` snow over the ground `bare`.
    pub(super) fn blow(&self, bare: &Heightfield, lying: &mut Heightfield, work: &Work) -> Result<()> {
        let grid = bare.grid();
        let Grid { width, .. } = grid;
        work.stage("snow drifts", 3 * grid.depth);
        let mut shelter = Heightfield::flat(grid, 0.0);
        shelter.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, shelter)| {
            work.check()?;
            // Nothing is known upwind of the border: as if the ground there were level.
            let lowest = -f32::MAX;
            shelter.fill(lowest);
            for place in &self.places {
                let heights = bare.row(row);
                place.upwind(bare, row, |columns, there| {
                    for ((shelter, own), there) in
                        shelter[columns.clone()].iter_mut().zip(&heights[columns]).zip(there)
                    {
                        let slope = (there - own) * place.per_metre;
                        *shelter = if slope > *shelter { slope } else { *shelter };
                    }
                });
            }
            shelter.iter_mut().for_each(|shelter| {
                *shelter = if *shelter == lowest { 0.0 } else { *shelter };
            });
            work.advance(1);
            Ok::<_, crate::Error>(())
        })?;
        // What each place downwind gets for each unit of its weight, and what the sample loses.
        let mut given = Heightfield::flat(grid, 0.0);
        let rows = given.heights_mut().par_chunks_mut(width).zip(lying.heights_mut().par_chunks_mut(width));
        rows.enumerate().try_for_each(|(row, (given, lying))| {
            work.check()?;
            for place in &self.places {
                place.downwind(&shelter, row, |columns, there| {
                    for (weights, there) in given[columns].iter_mut().zip(there) {
                        *weights += place.weight * sheltered(*there);
                    }
                });
            }
            for ((given, lying), shelter) in given.iter_mut().zip(lying).zip(shelter.row(row)) {
                let exposure = (shelter * (-1.0 / EXPOSURE)).clamp(0.0, 1.0);
                // Where there is no shelter downwind it stays.
                let weights = *given;
                let taken = self.share * exposure * (weights * 2.0).min(1.0) * *lying;
                *given = if weights > 0.0 { taken / weights } else { 0.0 };
                *lying -= if weights > 0.0 { taken } else { 0.0 };
            }
            work.advance(1);
            Ok::<_, crate::Error>(())
        })?;
        lying.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, lying)| {
            work.check()?;
            for place in &self.places {
                let shelter = shelter.row(row);
                place.upwind(&given, row, |columns, there| {
                    for ((lying, shelter), given) in
                        lying[columns.clone()].iter_mut().zip(&shelter[columns]).zip(there)
                    {
                        *lying += place.weight * sheltered(*shelter) * given;
                    }
                });
            }
            work.advance(1);
            Ok::<_, crate::Error>(())
        })
    }
}

impl Place {
    /// Calls `each` with the columns of a row that have this place downwind, and the values there.
    fn downwind(&self, field: &Heightfield, row: usize, each: impl FnMut(std::ops::Range<usize>, &[f32])) {
        shifted(field, row, self.columns, self.rows, each);
    }

    /// The same upwind.
    fn upwind(&self, field: &Heightfield, row: usize, each: impl FnMut(std::ops::Range<usize>, &[f32])) {
        shifted(field, row, -self.columns, -self.rows, each);
    }
}

fn shifted(
    field: &Heightfield,
    row: usize,
    columns: isize,
    rows: isize,
    mut each: impl FnMut(std::ops::Range<usize>, &[f32]),
) {
    let Grid { width, depth, .. } = field.grid();
    let Some(there) = row.checked_add_signed(rows).filter(|row| *row < depth) else { return };
    let [before, after] = [columns.min(0).unsigned_abs(), columns.max(0) as usize];
    if before + after < width {
        each(before..width - after, &field.row(there)[after..width - before]);
    }
}

/// How much of the snow that is carried over a place falls there, in relation to others: none without
/// shelter.
fn sheltered(shelter: f32) -> f32 {
    (shelter * (1.0 / SHELTER)).clamp(0.0, 1.0)
}
