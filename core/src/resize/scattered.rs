//! Limited Catmull-Rom interpolation at chosen places only, from the samples that these need: a part of the
//! result of [`limited_from_rows`](super::limited_from_rows) for all samples, bit for bit.

use std::ops::Range;

use rayon::prelude::*;

use super::taps::Tap;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::math::spline;

/// Chosen places along one side of a field that is resampled from `count` to `to` samples, with the first and
/// the last in place; and the old samples from which they are computed.
pub(crate) struct Places {
    /// Their samples are indices into `samples`.
    taps: Vec<Tap>,
    samples: Vec<usize>,
}

impl Places {
    /// The new samples of these indices, in ascending order and below `to`.
    pub(crate) fn new(indices: &[usize], count: usize, to: usize) -> Self {
        let steps = (to - 1).max(1);
        let tap = |&index: &usize| {
            if count == to {
                return Tap::on(index);
            }
            // In the same order of operations as for all samples, so that the bits are the same. In u128 the
            // product is exact, however large the land.
            let place = (index as u128 * (count - 1) as u128) as f64 / steps as f64;
            Tap::new(place, count, spline::catmull_rom)
        };
        let mut taps: Vec<Tap> = indices.iter().map(tap).collect();
        let mut samples: Vec<usize> = taps.iter().flat_map(|tap| tap.samples).collect();
        samples.sort_unstable();
        samples.dedup();
        // From indices of the land to indices of the compacted list.
        for tap in &mut taps {
            // All of them are in the list.
            tap.samples = tap.samples.map(|sample| samples.partition_point(|&other| other < sample));
        }
        Self { taps, samples }
    }

    /// The old samples that are needed, in ascending order.
    pub(crate) fn samples(&self) -> &[usize] {
        &self.samples
    }
}

/// The heights at all pairs of `columns` and `rows`, from those of all pairs of their samples, row by row.
///
/// # Errors
/// When a height overflows to infinity; [`Error::Cancelled`].
pub(crate) fn limited_at(samples: &[f32], columns: &Places, rows: &Places, work: &Work) -> Result<Vec<f32>> {
    let (width, from) = (columns.taps.len(), columns.samples.len());
    let mut heights = vec![0.0; width * rows.taps.len()];
    // Each place has its own sixteen samples: few places of a large land take few samples.
    heights.par_chunks_mut(width).zip(&rows.taps).try_for_each(|(out, row)| {
        work.check()?;
        let lines = row.samples.map(|sample| &samples[range_of(sample, from)]);
        // Tested once for a row: a test for each sample would break the vectorised loop.
        let mut finite = true;
        for (out, column) in out.iter_mut().zip(&columns.taps) {
            let along = lines.map(|line| column.height::<true>(column.samples.map(|sample| line[sample])));
            *out = row.height::<true>(along);
            finite &= out.is_finite();
        }
        if finite {
            return Ok(());
        }
        Err(Error::parameter("heights", "are too large to lay a curve through; scale them down"))
    })?;
    Ok(heights)
}

fn range_of(row: usize, width: usize) -> Range<usize> {
    row * width..(row + 1) * width
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::resize::limited_from_rows;

    #[test]
    fn a_part_has_the_bits_of_the_whole() -> Result<()> {
        let (width, depth) = (23, 17);
        let heights: Vec<f32> = (0..width * depth).map(|n| ((n * 7919) % 1013) as f32 * 0.37).collect();
        for (to_width, to_depth) in [(23, 40), (61, 17), (23, 17), (90, 33)] {
            let grid = Grid::new(to_width, to_depth, 1.0)?;
            let whole = limited_from_rows(&heights, [width, depth], grid, &Work::new())?;
            let columns: Vec<usize> = (0..to_width).step_by(3).collect();
            let rows: Vec<usize> = (1..to_depth).step_by(5).collect();
            let along_x = Places::new(&columns, width, to_width);
            let along_z = Places::new(&rows, depth, to_depth);
            let row = |row: usize| along_x.samples().iter().map(move |column| row * width + column);
            let needed: Vec<f32> =
                along_z.samples().iter().flat_map(|&z| row(z)).map(|index| heights[index]).collect();
            let part = limited_at(&needed, &along_x, &along_z, &Work::new())?;
            for (index, height) in part.into_iter().enumerate() {
                let (column, row) = (columns[index % columns.len()], rows[index / columns.len()]);
                assert_eq!(height.to_bits(), whole.at(column, row).to_bits(), "{column} {row}");
            }
        }
        Ok(())
    }
}
