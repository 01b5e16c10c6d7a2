//! Exact nearest-seed (Voronoi) lookup: for every sample of a grid the nearest of some samples.
//!
//! After Meijster, Roerdink and Hesselink, "A general algorithm for computing distance transforms in linear
//! time" (2000): first the nearest seed within each column, then, row by row, the lower envelope of the
//! parabolas of the columns' squared distances. All in integers.

use std::ops::Range;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;

/// Marks a sample without a seed.
pub(super) const NO_ROW: u32 = u32::MAX;

/// For every sample, the row of the nearest seed in its own column.
pub(super) struct Nearest {
    grid: Grid,
    rows: Vec<u32>,
    reach: i64,
}

/// Consecutive samples of a row with the same nearest seed.
pub(super) struct SeedRun {
    /// Their columns.
    pub columns: Range<usize>,
    /// The seed's column and row.
    pub seed: (usize, usize),
}

impl Nearest {
    /// The samples of `seeds` that hold their own row are seeds; all others must hold [`NO_ROW`]. Samples
    /// farther than `reach` samples from every seed have none.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub(super) fn new(grid: Grid, seeds: Vec<u32>, reach: f32, work: &Work) -> Result<Self> {
        let mut rows = seeds;
        // Down, then up: after both passes each sample has the nearer of the seeds above and below it.
        for row in 1..grid.depth {
            work.check()?;
            let (before, here) = rows.split_at_mut(row * grid.width);
            let above = &before[(row - 1) * grid.width..];
            for (here, above) in here[..grid.width].iter_mut().zip(above) {
                *here = if *here == NO_ROW { *above } else { *here };
            }
        }
        for row in (0..grid.depth.saturating_sub(1)).rev() {
            work.check()?;
            let (before, after) = rows.split_at_mut((row + 1) * grid.width);
            let here = &mut before[row * grid.width..];
            for (here, below) in here.iter_mut().zip(after) {
                // NO_ROW is farther away than any row.
                let nearer = below.abs_diff(row as u32) < here.abs_diff(row as u32);
                *here = if nearer { *below } else { *here };
            }
        }
        // No two samples are farther apart than this, and its square fits into 64 bits.
        let reach = (reach.ceil() as i64).clamp(0, 1 << 30);
        Ok(Self { grid, rows, reach })
    }

    /// Writes the pieces of a row, west to east, into `pieces`; `hull` is scratch memory.
    pub(super) fn row(&self, row: usize, hull: &mut Vec<(i64, i64)>, pieces: &mut Vec<SeedRun>) {
        hull.clear();
        pieces.clear();
        let width = self.grid.width as i64;
        let rows = &self.rows[row * self.grid.width..][..self.grid.width];
        let away = |column: i64| i64::from(rows[column as usize]) - row as i64;
        let squared = |from: i64, to: i64| (from - to) * (from - to) + away(to) * away(to);
        for column in 0..width {
            if away(column).abs() > self.reach {
                continue;
            }
            // The hull holds seeds' columns, and the column from which each is the nearest.
            // A seed that is farther away than the new one where its stretch begins is nowhere the nearest.
            while hull.pop_if(|(other, begin)| squared(*begin, *other) > squared(*begin, column)).is_some() {}
            let begin = hull.last().map_or(0, |&(other, _)| {
                let (a, b) = (away(column), away(other));
                // Where the parabolas of both seeds cross, rounded down in whole numbers; up to there the
                // older one is nearer.
                let rise = column * column - other * other + a * a - b * b;
                1 + rise.div_euclid(2 * (column - other))
            });
            if begin < width {
                hull.push((column, begin));
            }
        }
        for (index, &(column, begin)) in hull.iter().enumerate() {
            let end = hull.get(index + 1).map_or(width, |next| next.1);
            let (begin, end) = (begin.max(column - self.reach), end.min(column + self.reach + 1));
            if begin < end {
                let seed = (column as usize, rows[column as usize] as usize);
                pieces.push(SeedRun { columns: begin as usize..end as usize, seed });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_the_nearest_of_all() {
        for (width, depth, every) in
            [(1, 1, 1), (2, 1, 2), (1, 9, 4), (37, 23, 61), (23, 37, 7), (40, 40, 1600)]
        {
            let grid = Grid::new(width, depth, 1.0).unwrap();
            let is_seed = |index: usize| index * 7919 % every == every / 2;
            let seeds = (0..grid.count())
                .map(|index| if is_seed(index) { (index / width) as u32 } else { NO_ROW })
                .collect();
            let nearest = Nearest::new(grid, seeds, 100.0, &Work::new()).unwrap();
            let (mut hull, mut pieces) = (Vec::new(), Vec::new());
            for row in 0..depth {
                nearest.row(row, &mut hull, &mut pieces);
                let mut told = 0;
                for piece in &pieces {
                    for column in piece.columns.clone() {
                        let apart =
                            |(x, z): (usize, usize)| x.abs_diff(column).pow(2) + z.abs_diff(row).pow(2);
                        let least = (0..grid.count())
                            .filter(|index| is_seed(*index))
                            .map(|index| apart((index % width, index / width)))
                            .min();
                        assert_eq!(Some(apart(piece.seed)), least, "{column}, {row} of {width}×{depth}");
                        assert_eq!(column, told);
                        told += 1;
                    }
                }
                let any = (0..grid.count()).any(is_seed);
                assert_eq!(told, if any { width } else { 0 });
            }
        }
    }
}
