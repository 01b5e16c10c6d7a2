//! The heights of a coast: its rock, and on it exactly the sand that there is.

use rayon::prelude::*;

use super::evolve::Volumes;
use super::state::{State, measure};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The farthest that all beaches move to hold the sand: samples, and at least these metres.
const FARTHEST: [f32; 2] = [64.0, 500.0];

/// How often the interval in which they lie is halved: until nothing is left between two numbers.
const HALVES: usize = 40;

/// A finished coast.
pub(super) struct Finished {
    /// The heights of the rock.
    pub rock: Heightfield,
    /// The heights, with the sand.
    pub heights: Heightfield,
}

/// What a sample needs to know for its sand: its column, and its distances to both shores.
type Holds = (usize, [f32; 2]);

/// The heights of a coast. All beaches are moved by the same distance, so that the sand of `volumes` lies on
/// them; what has no room sinks.
pub(super) fn finish(state: &State, volumes: &mut Volumes, work: &Work) -> Result<Finished> {
    let grid = state.before.grid();
    let Grid { width, cell, .. } = grid;
    let mut shore = state.shore.copy_while(work)?;
    measure(&mut shore, work)?;
    let mut rock = state.before.copy_while(work)?;
    let rows = rock.heights_mut().par_chunks_mut(width).enumerate();
    rows.try_for_each(|(row, heights)| {
        work.check()?;
        let samples = heights.iter_mut().enumerate();
        samples.for_each(|(column, height)| *height = state.rock_at(row * width + column));
        Ok::<_, crate::Error>(())
    })?;
    // What the last look at the rock's shore has changed is sand as well.
    let cut = state.cut_volume(work)?;
    let made = f64::from(state.surf.sand) * (cut - volumes.cut);
    *volumes = Volumes { cut, sand: (volumes.sand + made).max(0.0), ..*volumes };
    let farthest = (FARTHEST[0] * cell).max(FARTHEST[1]);
    let seaward = state.surf.profile.seaward() + farthest;
    let holds = |row: usize| {
        work.check()?;
        let samples = shore.row(row).iter().zip(state.rock.row(row)).enumerate();
        let samples = samples.filter(|(_, (shore, rock))| **shore > -seaward && **rock < 2.0 * cell);
        Ok(samples.map(|(column, (shore, rock))| (column, [*shore, *rock])).collect())
    };
    let holds = (0..grid.depth).into_par_iter().map(holds).collect::<Result<Vec<Vec<Holds>>>>()?;
    let height = |rock: f32, away: [f32; 2], gain: f32| {
        let shore = away[1].max(away[0] + gain);
        rock.max(state.surf.profile.beach(shore, shore - away[1]))
    };
    let area = f64::from(cell) * f64::from(cell);
    let volume = |gain: f32| {
        let of_row = |(row, holds): (usize, &Vec<Holds>)| {
            work.check()?;
            let rock = rock.row(row);
            let thickness = |(column, away): &Holds| {
                f64::from(height(rock[*column], *away, gain)) - f64::from(rock[*column])
            };
            Ok(holds.iter().map(thickness).sum::<f64>())
        };
        let rows = holds.par_iter().enumerate().map(of_row).collect::<Result<Vec<f64>>>()?;
        Ok::<_, crate::Error>(rows.iter().sum::<f64>() * area)
    };
    let (mut low, mut high) = (-farthest, farthest);
    if volumes.sand == 0.0 {
        let heights = rock.copy_while(work)?;
        return Ok(Finished { rock, heights });
    }
    for _ in 0..HALVES {
        let middle = 0.5 * (low + high);
        if volume(middle)? < volumes.sand {
            low = middle;
        } else {
            high = middle;
        }
    }
    let lies = volume(high)?;
    // As the difference, so that nothing is lost.
    volumes.sunk = f64::from(state.surf.sand) * cut - lies;
    volumes.sand = lies;
    let mut heights = rock.copy_while(work)?;
    let rows = heights.heights_mut().par_chunks_mut(width).zip(&holds);
    rows.try_for_each(|(heights, holds)| {
        work.check()?;
        holds.iter().for_each(|(column, away)| heights[*column] = height(heights[*column], *away, high));
        Ok::<_, crate::Error>(())
    })?;
    Ok(Finished { rock, heights })
}
