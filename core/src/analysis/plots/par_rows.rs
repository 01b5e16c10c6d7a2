//! Loops over the rows of a land, on all cores, with the same result on any number of them: results of rows
//! are joined in the order of the rows, or counted in whole numbers, whose sum is the same in any order.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// Refuses land with a height that is not finite.
pub(super) fn check_finite(field: &Heightfield, work: &Work) -> Result<()> {
    if field.is_finite_while(work)? {
        return Ok(());
    }
    Err(Error::parameter("heights", "one is not a number of metres; give finite heights"))
}

/// The error for land that is level as far as a plot can tell.
pub(super) fn without_relief(what: &str, height: f32) -> Error {
    let reason =
        format!("the land has no relief, all of it is at {height} m; {what}, so give land with hills");
    Error::parameter("heights", reason)
}

/// The results of `of` for each of `count` rows, in order.
pub(super) fn map_rows<T: Send>(
    stage: &str,
    count: usize,
    work: &Work,
    of: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>> {
    work.stage(stage, count);
    let rows = (0..count).into_par_iter().map(|row| {
        work.check()?;
        let of_row = of(row);
        work.advance(1);
        Ok(of_row)
    });
    rows.collect()
}

/// The sums of `bins` bins, to which `add` adds for each of `count` rows.
pub(super) fn histogram_rows(
    stage: &str,
    (count, bins): (usize, usize),
    work: &Work,
    add: impl Fn(usize, &mut [u64]) + Sync,
) -> Result<Vec<u64>> {
    work.stage(stage, count);
    let folded = (0..count).into_par_iter().try_fold(
        || vec![0; bins],
        |mut counts, row| {
            work.check()?;
            add(row, &mut counts);
            work.advance(1);
            Ok(counts)
        },
    );
    folded.try_reduce(
        || vec![0; bins],
        |mut a, b| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            Ok(a)
        },
    )
}

/// The ground that a sample stands for, in quarters of a cell: four, but two at a border and one at a corner.
/// A line of samples has no width, and counts as one cell wide.
pub(super) fn sample_area_quarters(grid: Grid, column: usize, row: usize) -> u64 {
    let half = |index: usize, count: usize| if index == 0 || index + 1 == count { 1 } else { 2 };
    let along = |index: usize, count: usize| if count == 1 { 2 } else { half(index, count) };
    along(column, grid.width) * along(row, grid.depth)
}

/// The median of a histogram: the number of its bin, plus how far into that bin it lies, from 0 to 1. `None`
/// for an empty histogram.
pub(super) fn middle(counts: &[u64]) -> Option<f64> {
    let half = counts.iter().sum::<u64>() as f64 / 2.0;
    let mut before = 0.0;
    for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let after = before + count as f64;
        if after >= half {
            return Some(bin as f64 + (half - before) / count as f64);
        }
        before = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_of_all_samples_is_the_land() {
        for (width, depth) in [(2, 2), (5, 3), (40, 17)] {
            let grid = Grid::new(width, depth, 1.0).unwrap();
            let all: u64 =
                (0..grid.count()).map(|index| sample_area_quarters(grid, index % width, index / width)).sum();
            assert_eq!(all, 4 * (width as u64 - 1) * (depth as u64 - 1));
        }
    }

    #[test]
    fn half_of_what_was_counted_lies_below_the_middle() {
        assert_eq!(middle(&[0, 0]), None);
        assert_eq!(middle(&[1, 1]), Some(1.0));
        assert_eq!(middle(&[0, 4, 0]), Some(1.5));
        assert_eq!(middle(&[1, 0, 0, 3]), Some(3.0 + 1.0 / 3.0));
    }
}
