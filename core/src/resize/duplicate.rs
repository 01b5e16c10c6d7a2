//! Nearest-neighbour resampling: every sample becomes a block of equal ones, for heights and for terrain
//! types.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// Resamples `field` to `grid`, each sample becoming a block. Blocks are equal in size where one size is a
/// multiple of the other; otherwise they differ by one sample.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Grid, Heightfield, Work, resize::duplicate};
/// let steps = Heightfield::new(Grid::new(2, 1, 1.0)?, vec![3.0, 7.0])?;
/// let blocks = duplicate(&steps, Grid::new(4, 2, 1.0)?, &Work::new())?;
/// assert_eq!(blocks.heights(), [3.0, 3.0, 7.0, 7.0, 3.0, 3.0, 7.0, 7.0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// [`Error::Cancelled`].
pub fn duplicate(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let from = field.grid();
    let mut resized = Heightfield::flat(grid, 0.0);
    let (from, to) = ([from.width, from.depth], [grid.width, grid.depth]);
    blocks(field.heights(), from, resized.heights_mut(), to, work)?;
    Ok(resized)
}

/// As [`duplicate`], for `ids` row by row; `from` and `to` are columns and rows.
///
/// # Errors
/// When the number of ids is not that of `from` or is 0, when `to` is empty or too large, and
/// [`Error::Cancelled`].
pub fn duplicate_ids<Id: Copy + Default + Send + Sync>(
    ids: &[Id],
    from: [usize; 2],
    to: [usize; 2],
    work: &Work,
) -> Result<Vec<Id>> {
    Grid::new(to[0], to[1], 1.0)?;
    // Multiplied with a check: made-up sides could overflow to the right count.
    if ids.is_empty() || from[0].checked_mul(from[1]) != Some(ids.len()) {
        let reason = format!("do not match the {} ids given", ids.len());
        return Err(Error::Size { width: from[0], depth: from[1], reason });
    }
    let mut resized = vec![Id::default(); to[0] * to[1]];
    blocks(ids, from, &mut resized, to, work)?;
    Ok(resized)
}

fn blocks<T: Copy + Send + Sync>(
    samples: &[T],
    from: [usize; 2],
    out: &mut [T],
    to: [usize; 2],
    work: &Work,
) -> Result<()> {
    work.stage("duplicate", to[1]);
    // In whole numbers, so that the same sample is taken on every machine; below `from`, since `index` is
    // below `to`.
    let source = |index: usize, axis: usize| index * from[axis] / to[axis];
    let columns: Vec<usize> = (0..to[0]).map(|column| source(column, 0)).collect();
    out.par_chunks_mut(to[0]).enumerate().try_for_each(|(row, out)| {
        work.check()?;
        let samples = &samples[source(row, 1) * from[0]..][..from[0]];
        out.iter_mut().zip(&columns).for_each(|(out, &column)| *out = samples[column]);
        work.advance(1);
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_blocks_and_come_back() -> Result<()> {
        let work = Work::new();
        let ids = [1, 2, 3, 4, 5, 6];
        let large = duplicate_ids(&ids, [3, 2], [9, 4], &work)?;
        assert_eq!(large[..9], [1, 1, 1, 2, 2, 2, 3, 3, 3]);
        assert_eq!(large[18..27], [4, 4, 4, 5, 5, 5, 6, 6, 6]);
        assert_eq!(duplicate_ids(&large, [9, 4], [3, 2], &work)?, ids);
        Ok(())
    }

    #[test]
    fn ids_that_do_not_fill_their_size_are_refused() {
        let work = Work::new();
        assert!(duplicate_ids(&[1, 2], [3, 1], [3, 1], &work).is_err());
        assert!(duplicate_ids::<u8>(&[], [0, 0], [3, 1], &work).is_err());
        assert!(duplicate_ids(&[1, 2], [2, 1], [0, 1], &work).is_err());
        assert!(duplicate_ids(&[1, 2], [2, 1], [1 << 20, 1 << 20], &work).is_err());
    }
}
