//! A mean over squares, twice: ground as something as wide as an avalanche finds it.

use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The mean over squares of `2 · radius + 1` samples, twice. Beyond the border the land is mirrored there, so
/// that a plane stays a plane but for its border.
pub(super) fn blurred(land: &Heightfield, radius: usize, work: &Work) -> Result<Heightfield> {
    let mut blurred = land.copy_while(work)?;
    if radius == 0 {
        return Ok(blurred);
    }
    let Grid { width, depth, .. } = land.grid();
    let mirrored = |index: isize, count: usize| {
        let last = count as isize - 1;
        let index = if index < 0 { -index } else { index };
        let index = if index > last { 2 * last - index } else { index };
        index.clamp(0, last) as usize
    };
    let share = 1.0 / (2 * radius + 1) as f32;
    for _ in 0..2 {
        let before = blurred.copy_while(work)?;
        blurred.heights_mut().par_chunks_mut(width).enumerate().try_for_each_init(
            || vec![0.0f32; width + 2 * radius],
            |sums, (row, out)| {
                work.check()?;
                let radius_signed = radius as isize;
                let middle = &mut sums[radius..radius + width];
                middle.fill(0.0);
                for there in -radius_signed..=radius_signed {
                    let there = before.row(mirrored(row as isize + there, depth));
                    middle.iter_mut().zip(there).for_each(|(sum, height)| *sum += share * height);
                }
                for beyond in 1..=radius {
                    sums[radius - beyond] = sums[radius + mirrored(-(beyond as isize), width)];
                    sums[radius + width - 1 + beyond] =
                        sums[radius + mirrored((width - 1 + beyond) as isize, width)];
                }
                out.fill(0.0);
                for first in 0..=2 * radius {
                    out.iter_mut().zip(&sums[first..]).for_each(|(out, sum)| *out += share * sum);
                }
                Ok::<_, crate::Error>(())
            },
        )?;
    }
    Ok(blurred)
}
