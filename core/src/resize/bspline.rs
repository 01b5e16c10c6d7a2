//! Resampling by a uniform cubic B-spline surface with the samples as control points.
//!
//! Between two samples the curve is the weighted mean of these two and their outer neighbours, with the
//! weights (1 − t)³, 3t³ − 6t² + 4, −3t³ + 3t² + 3t + 1 and t³, each over 6 (de Boor, "A Practical Guide to
//! Splines", 1978). It is C² continuous, stays within the heights around it and reproduces planes exactly,
//! but doesn't pass through the samples: it smooths. A spline that passes through the samples pᵢ has other
//! control points cᵢ, the solution of cᵢ₋₁ + 4·cᵢ + cᵢ₊₁ = 6·pᵢ along the rows and then along the columns.

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::lines::{change_columns, change_rows, units};
use crate::grid::{Grid, Heightfield, Region};
use crate::math::spline;
use crate::resize::taps::{Tap, resample_into};

/// Where a spline begins and ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// At the first and last sample: beyond them the control points are extrapolated, the one before P₀
    /// being 2·P₀ − P₁, so the surface keeps the size and the corners of the field.
    #[default]
    Clamped,
    /// One sample inside the border, where the existing control points determine it without extrapolation.
    Interior,
}

/// The kind of spline surface that is fitted to a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spline {
    /// Where it begins and ends.
    pub ends: Ends,
    /// Whether it passes through the samples instead of using them as control points. Then it can overshoot
    /// them.
    pub through_points: bool,
}

/// Resamples `field` to `grid` from a spline surface over the whole field, or over all but its outermost
/// samples with [`Ends::Interior`].
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Grid, Heightfield, Work, resize::{Spline, bspline}};
/// let needle = Heightfield::new(Grid::new(5, 1, 1.0)?, vec![0.0, 0.0, 6.0, 0.0, 0.0])?;
/// let hill = bspline(&needle, needle.grid(), Spline::default(), &Work::new())?;
/// assert_eq!(hill.heights(), [0.0, 1.0, 4.0, 1.0, 0.0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// With [`Ends::Interior`] when a side of the field has fewer than four samples;
/// [`Error::Cancelled`].
pub fn bspline(field: &Heightfield, grid: Grid, spline: Spline, work: &Work) -> Result<Heightfield> {
    let mut resized = Heightfield::flat(grid, 0.0);
    bspline_into(field, &mut resized, spline, work)?;
    Ok(resized)
}

/// As [`bspline`], into an existing field, whose grid gives the number of samples. This saves the allocation:
/// for a new field the system has to clear and map memory, which takes most of the time.
///
/// # Errors
/// As [`bspline`]; the field is then partly changed.
pub fn bspline_into(field: &Heightfield, into: &mut Heightfield, spline: Spline, work: &Work) -> Result<()> {
    let (from, grid) = (field.grid(), into.grid());
    if spline.ends == Ends::Interior && from.width.min(from.depth) < 4 {
        let (width, depth) = (from.width, from.depth);
        let reason = "are too few for `Ends::Interior`; use at least 4 a side, or `Ends::Clamped`".into();
        return Err(Error::Size { width, depth, reason });
    }
    let range = |count: usize| match spline.ends {
        Ends::Clamped => [0, count - 1],
        Ends::Interior => [1, count - 2],
    };
    let columns = Tap::spread(range(from.width), from.width, grid.width, spline::bspline);
    let rows = Tap::spread(range(from.depth), from.depth, grid.depth, spline::bspline);
    if spline.through_points {
        resample_into(&control_points(field, work)?, into, &columns, &rows, work)
    } else {
        resample_into(field, into, &columns, &rows, work)
    }
}

/// The C² spline surface through the samples of a whole land at level 0, to be evaluated at finer levels.
pub(crate) struct SplineSurface {
    control_points: Heightfield,
}

impl SplineSurface {
    /// Fits the surface to `field`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn through(field: &Heightfield, work: &Work) -> Result<Self> {
        Ok(Self { control_points: control_points(field, work)? })
    }

    /// Its control points, one for each sample.
    pub(crate) fn control_points(&self) -> &Heightfield {
        &self.control_points
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        4 * self.control_points.grid().count() as u64
    }

    /// Its heights in a region.
    ///
    /// # Errors
    /// When they become infinite, and [`Error::Cancelled`].
    pub(crate) fn over(&self, region: &Region, work: &Work) -> Result<Heightfield> {
        let Grid { width, depth, .. } = self.control_points.grid();
        let columns = Tap::spread_over(region, 0, width, spline::bspline);
        let rows = Tap::spread_over(region, 1, depth, spline::bspline);
        let mut heights = Heightfield::flat(region.grid(), 0.0);
        resample_into(&self.control_points, &mut heights, &columns, &rows, work)?;
        Ok(heights)
    }
}

/// The samples of `field`, a whole land at level 0, that belong to a region of level 0 or coarser.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn samples_of(field: &Heightfield, region: &Region, work: &Work) -> Result<Heightfield> {
    let mut samples = Heightfield::flat(region.grid(), 0.0);
    // A coarser level has the samples whose numbers are multiples of 2^level.
    let index = |number: i64| (number << region.level()) as usize;
    let width = region.grid().width;
    samples.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, out)| {
        work.check()?;
        let from = field.row(index(region.row(row)));
        out.iter_mut().enumerate().for_each(|(column, out)| *out = from[index(region.column(column))]);
        Ok(())
    })?;
    Ok(samples)
}

/// The control points of the spline that passes through the samples of `field`.
fn control_points(field: &Heightfield, work: &Work) -> Result<Heightfield> {
    work.stage("solve spline", units(field));
    let mut points = field.copy_while(work)?;
    let solve = |lines: &mut [f32], lanes: usize| in_wide_registers(Solve { lines, lanes, work });
    change_rows(&mut points, work, solve)?;
    change_columns(&mut points, work, solve)?;
    Ok(points)
}

/// Solves for the control points of `lanes` lines side by side (the Thomas algorithm).
///
/// A control point is its sample plus a correction eᵢ. At both ends e = 0, because the spline continues
/// straight there; between them eᵢ₋₁ + 4·eᵢ + eᵢ₊₁ = −(pᵢ₋₁ − 2·pᵢ + pᵢ₊₁). Solving for corrections keeps
/// planes exact: there all of e is 0.
struct Solve<'a> {
    lines: &'a mut [f32],
    lanes: usize,
    work: &'a Work,
}

impl Loop for Solve<'_> {
    type Done = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { lines, lanes, work } = self;
        let count = lines.len() / lanes;
        // Corrections are 0 at both ends, and there is nothing between them.
        if count < 3 {
            return Ok(());
        }
        // Forward elimination leaves eᵢ = restᵢ − shareᵢ·eᵢ₊₁; the next line still needs the samples.
        let mut shares = vec![0.0f32; count];
        let mut rests = vec![0.0f32; lines.len()];
        for index in 1..count - 1 {
            work.check()?;
            // The pivot 4 − share stays above 3, so the elimination is stable without pivoting.
            let share = 1.0 / (4.0 - shares[index - 1]);
            shares[index] = share;
            let (done, rest) = rests.split_at_mut(index * lanes);
            let above = &done[(index - 1) * lanes..];
            let line = |index: usize| &lines[index * lanes..][..lanes];
            let samples = line(index - 1).iter().zip(line(index)).zip(line(index + 1));
            for ((rest, above), ((&p0, &p1), &p2)) in rest.iter_mut().zip(above).zip(samples) {
                // The second difference as two differences: on a plane both are equal and cancel exactly.
                *rest = ((p1 - p0) + (p1 - p2) - above) * share;
            }
        }
        let mut below = vec![0.0; lanes];
        // Back substitution runs from the last on, because each correction follows from the one below.
        for index in (1..count - 1).rev() {
            work.check()?;
            let rests = &rests[index * lanes..][..lanes];
            for ((height, below), rest) in
                lines[index * lanes..][..lanes].iter_mut().zip(&mut below).zip(rests)
            {
                *below = rest - shares[index] * *below;
                *height += *below;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bumpy(width: usize, depth: usize) -> Result<Heightfield> {
        let grid = Grid::new(width, depth, 1.0)?;
        Ok(Heightfield::from_fn(grid, |column, row| ((column * 7 + row * 13) % 11) as f32))
    }

    #[test]
    fn a_spline_through_the_samples_meets_every_one() -> Result<()> {
        for ends in [Ends::Clamped, Ends::Interior] {
            let (field, spline) = (bumpy(9, 6)?, Spline { ends, through_points: true });
            let (inset, columns, rows) = if ends == Ends::Clamped { (0, 9, 6) } else { (1, 7, 4) };
            let finer =
                bspline(&field, Grid::new(3 * columns - 2, 3 * rows - 2, 1.0)?, spline, &Work::new())?;
            for (column, row) in (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row))) {
                let (found, sample) = (finer.at(3 * column, 3 * row), field.at(column + inset, row + inset));
                assert!((found - sample).abs() < 1e-4, "{ends:?}: {found} instead of {sample}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_inside_of_three_samples_is_refused() -> Result<()> {
        let spline = Spline { ends: Ends::Interior, ..Spline::default() };
        let said = bspline(&bumpy(5, 3)?, Grid::new(9, 9, 1.0)?, spline, &Work::new());
        let said = said.map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(said.starts_with("5×3 samples are too few for `Ends::Interior`"), "{said}");
        Ok(())
    }
}
