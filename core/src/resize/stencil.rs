//! Separable resampling with up to six samples a point: B-splines of any degree up to 5, and Bézier patches.
//!
//! Uniform B-splines after de Boor, "A Practical Guide to Splines", 1978: the weights of degree k follow from
//! those of degree k − 1, wⱼ' = ((k − j + t)·wⱼ₋₁ + (j + 1 − t)·wⱼ) / k. Bézier patches after Bézier: the
//! samples are control points of patches of 4 × 4, and the outermost of a patch are those of the next as
//! well.

use rayon::prelude::*;

use super::bspline::Ends;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield};

/// The highest degree of a B-spline.
const HIGHEST: u32 = 5;

/// The most samples of a point, besides the middle one.
const OTHERS: usize = HIGHEST as usize;

/// Resampled rows that are kept: more than a point depends on.
const KEPT: usize = 8;

/// New rows that one thread computes at a time.
const BLOCK: usize = 128;

/// Segments of a Bézier patch along a side: its degree.
const PATCH: usize = 3;

/// Resamples `field` to `grid` from a uniform B-spline surface of a degree from 1 (bilinear) to 5 with the
/// samples as control points. It is smooth up to its derivative number `degree` − 1, and stays within the
/// heights around. Degree 3 is [`bspline`](super::bspline), which is faster.
///
/// With [`Ends::Clamped`] the surface spans the whole field: beyond an end the control points continue as
/// their reflection in it, P₋ₖ = 2·P₀ − Pₖ, so that corners and planes are preserved. With [`Ends::Interior`]
/// it spans the part that the samples alone determine: it begins and ends (degree − 1) / 2 samples inside the
/// border.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Grid, Heightfield, Work, resize::{Ends, bspline_of_degree}};
/// let needle = Heightfield::new(Grid::new(5, 1, 1.0)?, vec![0.0, 0.0, 8.0, 0.0, 0.0])?;
/// let hill = bspline_of_degree(&needle, needle.grid(), 2, Ends::Clamped, &Work::new())?;
/// assert_eq!(hill.heights(), [0.0, 1.0, 6.0, 1.0, 0.0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When the degree is none of these, with [`Ends::Interior`] when a side of the field has no more samples
/// than the degree, when a height overflows to infinity, and [`Error::Cancelled`].
pub fn bspline_of_degree(
    field: &Heightfield,
    grid: Grid,
    degree: u32,
    ends: Ends,
    work: &Work,
) -> Result<Heightfield> {
    if !(1..=HIGHEST).contains(&degree) {
        return Err(Error::parameter("degree", format!("{degree} is outside 1 to {HIGHEST}")));
    }
    let Grid { width, depth, .. } = field.grid();
    if ends == Ends::Interior && width.min(depth) <= degree as usize {
        let reason = format!(
            "are too few for the inside of a spline of degree {degree}; use at least {} a side, or `Ends::Clamped`",
            degree + 1
        );
        return Err(Error::Size { width, depth, reason });
    }
    let margin = if ends == Ends::Interior { f64::from(degree - 1) / 2.0 } else { 0.0 };
    let stencils = |from: usize, to: usize| {
        Stencil::spread(margin, from, to, |place| {
            // Splines of even degree have their knots between samples: their middle control point is the
            // nearest one.
            let knots = if degree % 2 == 1 { place } else { place + 0.5 };
            let first = knots.floor();
            (first as i64 - i64::from(degree / 2), bspline_weights(degree, knots - first))
        })
    };
    resample(field, grid, &stencils(width, grid.width), &stencils(depth, grid.depth), work)
}

/// Resamples `field` to `grid` from bicubic Bézier patches, whose control points are the samples, 4 × 4 a
/// patch. It passes through every third sample and stays within the heights around, but has creases where
/// patches meet. Where the last patch has fewer samples, its degree is lower.
///
/// ```
/// # use upland_core as upland;
/// # use upland::{Grid, Heightfield, Work, resize::bezier};
/// let needle = Heightfield::new(Grid::new(4, 1, 1.0)?, vec![0.0, 0.0, 9.0, 0.0])?;
/// // 3·t²·(1 − t) of it at t = 1/3 and 2/3.
/// assert_eq!(bezier(&needle, needle.grid(), &Work::new())?.heights(), [0.0, 2.0, 4.0, 0.0]);
/// # Ok::<(), upland::Error>(())
/// ```
///
/// # Errors
/// When a height overflows to infinity, and [`Error::Cancelled`].
pub fn bezier(field: &Heightfield, grid: Grid, work: &Work) -> Result<Heightfield> {
    let stencils = |from: usize, to: usize| {
        Stencil::spread(0.0, from, to, |place| {
            let last = from - 1;
            // The last sample belongs to the patch before it, not to a new one without length.
            let first = (place as usize).min(last.saturating_sub(1)) / PATCH * PATCH;
            let degree = (last - first).min(PATCH);
            let t = if degree == 0 { 0.0 } else { (place - first as f64) / degree as f64 };
            (first as i64, bernstein(degree, t))
        })
    };
    let from = field.grid();
    resample(field, grid, &stencils(from.width, grid.width), &stencils(from.depth, grid.depth), work)
}

/// The weights of `degree` + 1 control points at `t` in [0, 1] between two knots.
fn bspline_weights(degree: u32, t: f64) -> [f64; OTHERS + 1] {
    let mut weights = [0.0; OTHERS + 1];
    weights[0] = 1.0;
    for of in 1..=degree as usize {
        // From the last on, because each needs the previous one unchanged.
        for index in (0..=of).rev() {
            let before = if index > 0 { weights[index - 1] } else { 0.0 };
            // de Boor's recurrence as in the head of this file, with k = `of` and j = `index`.
            let (rise, fall) = ((of - index) as f64 + t, (index + 1) as f64 - t);
            weights[index] = (rise * before + fall * weights[index]) / of as f64;
        }
    }
    weights
}

/// The weights of `degree` + 1 control points of a Bézier curve at `t` in [0, 1].
fn bernstein(degree: usize, t: f64) -> [f64; OTHERS + 1] {
    let mut weights = [0.0; OTHERS + 1];
    weights[0] = 1.0;
    // De Casteljau's algorithm: every degree is a mixture of the one below it.
    for of in 1..=degree {
        // From the last on, as above.
        for index in (0..=of).rev() {
            let before = if index > 0 { weights[index - 1] } else { 0.0 };
            weights[index] = (1.0 - t) * weights[index] + t * before;
        }
    }
    weights
}

/// One output position: the samples that it is computed from. Its height is h + Σ wᵢ·(hᵢ − h) with the middle
/// sample's h, so that level land stays level to the last bit.
struct Stencil {
    middle: usize,
    others: [(usize, f32); OTHERS],
}

impl Stencil {
    /// `to` positions spread evenly over `from` samples, without `margin` samples at either end. For a
    /// position in samples, `weights_at` returns the number of the first sample, which may lie beyond the
    /// ends, and the weights from it on.
    fn spread(
        margin: f64,
        from: usize,
        to: usize,
        weights_at: impl Fn(f64) -> (i64, [f64; OTHERS + 1]),
    ) -> Vec<Self> {
        let (last, steps) = ((from - 1) as f64, (to - 1).max(1) as f64);
        let place = |index: usize| margin + index as f64 * (last - 2.0 * margin) / steps;
        (0..to)
            .map(|index| {
                let place = place(index).clamp(0.0, last);
                let (first, weights) = weights_at(place);
                // The middle is the nearest sample: its weight, which is left out, is the largest, so the
                // differences are the smallest.
                Self::new((place + 0.5) as usize, first, weights, from)
            })
            .collect()
    }

    fn new(middle: usize, first: i64, weights: [f64; OTHERS + 1], count: usize) -> Self {
        let mut sums: Vec<(usize, f64)> = Vec::with_capacity(OTHERS + 1);
        // Reflected control points may fall on the same sample, even on the middle one; their weights are
        // added before they are rounded to f32.
        for (number, weight) in (first..).zip(weights) {
            reflect(number, weight, count, &mut |sample, weight| match sums
                .iter_mut()
                .find(|(known, _)| *known == sample)
            {
                Some((_, sum)) => *sum += weight,
                None => sums.push((sample, weight)),
            });
        }
        sums.retain(|(sample, weight)| *sample != middle && *weight != 0.0);
        let other =
            |index: usize| sums.get(index).map_or((middle, 0.0), |&(sample, weight)| (sample, weight as f32));
        Self { middle, others: std::array::from_fn(other) }
    }

    fn samples(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.middle).chain(self.others.iter().map(|(sample, _)| *sample))
    }

    fn height(&self, at: impl Fn(usize) -> f32) -> f32 {
        let middle = at(self.middle);
        let add = |sum: f32, (sample, weight): &(usize, f32)| sum + weight * (at(*sample) - middle);
        middle + self.others.iter().fold(0.0, add)
    }
}

/// Adds a control point's weight to the samples from which it follows: beyond an end it is the reflection in
/// it.
fn reflect(number: i64, weight: f64, count: usize, add: &mut dyn FnMut(usize, f64)) {
    let last = count as i64 - 1;
    if weight == 0.0 {
        return;
    }
    let end = number.clamp(0, last);
    if last == 0 || end == number {
        return add(end as usize, weight);
    }
    add(end as usize, 2.0 * weight);
    // On a field shorter than the stencil the reflection may lie beyond the other end. Each round brings it
    // nearer by the field's length, so this ends.
    reflect(2 * end - number, -weight, count, add);
}

/// Evaluates the stencils `columns` and `rows`, one of each for every sample of `grid`.
fn resample(
    field: &Heightfield,
    grid: Grid,
    columns: &[Stencil],
    rows: &[Stencil],
    work: &Work,
) -> Result<Heightfield> {
    let mut resized = Heightfield::flat(grid, 0.0);
    work.stage("resample", grid.depth);
    let blocks = resized.heights_mut().par_chunks_mut(grid.width * BLOCK).zip(rows.par_chunks(BLOCK));
    blocks.try_for_each(|(heights, rows)| {
        let mut kept: [(Option<usize>, Vec<f32>); KEPT] = std::array::from_fn(|_| (None, Vec::new()));
        for (out, row) in heights.chunks_exact_mut(grid.width).zip(rows) {
            for sample in row.samples() {
                work.check()?;
                // A point reads at most six consecutive rows, so none of them share a slot.
                let (held, line) = &mut kept[sample % KEPT];
                if *held != Some(sample) {
                    *held = Some(sample);
                    let from = field.row(sample);
                    line.clear();
                    line.extend(columns.iter().map(|column| column.height(|sample| from[sample])));
                }
            }
            for (column, out) in out.iter_mut().enumerate() {
                *out = row.height(|sample| kept[sample % KEPT].1[column]);
            }
            if out.iter().any(|height| !height.is_finite()) {
                let reason = "are too large to lay a curve through; scale them down";
                return Err(Error::parameter("heights", reason));
            }
            work.advance(1);
        }
        Ok(())
    })?;
    Ok(resized)
}

#[cfg(test)]
mod tests {
    use super::super::{Spline, bilinear, bspline};
    use super::*;

    fn bumpy(width: usize, depth: usize) -> Heightfield {
        let height = |column, row| ((column * 7 + row * 13) % 11) as f32;
        Heightfield::from_fn(Grid::new(width, depth, 1.0).unwrap(), height)
    }

    fn difference(a: &Heightfield, b: &Heightfield) -> f32 {
        a.heights().iter().zip(b.heights()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn degree_1_is_bilinear_and_degree_3_the_cubic_spline() {
        let (field, work) = (bumpy(9, 6), Work::new());
        let to = Grid::new(31, 17, 1.0).unwrap();
        let of = |degree, ends| bspline_of_degree(&field, to, degree, ends, &work).unwrap();
        assert!(difference(&of(1, Ends::Clamped), &bilinear(&field, to, &work).unwrap()) < 1e-5);
        for ends in [Ends::Clamped, Ends::Interior] {
            let cubic = bspline(&field, to, Spline { ends, through_points: false }, &work).unwrap();
            assert!(difference(&of(3, ends), &cubic) < 1e-5, "{ends:?}");
        }
    }

    #[test]
    fn an_impulse_gives_the_numbers_of_the_books() {
        // Eulerian numbers over factorials, as for the binomials of a B-spline at its knots or between them.
        let mut heights = vec![0.0; 9];
        heights[4] = 1.0;
        let needle = Heightfield::new(Grid::new(9, 1, 1.0).unwrap(), heights).unwrap();
        let known: [(u32, &[f32]); 4] = [
            (2, &[1.0 / 8.0, 6.0 / 8.0, 1.0 / 8.0]),
            (3, &[1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]),
            (4, &[1.0 / 384.0, 76.0 / 384.0, 230.0 / 384.0, 76.0 / 384.0, 1.0 / 384.0]),
            (5, &[1.0 / 120.0, 26.0 / 120.0, 66.0 / 120.0, 26.0 / 120.0, 1.0 / 120.0]),
        ];
        for (degree, weights) in known {
            let hill =
                bspline_of_degree(&needle, needle.grid(), degree, Ends::Clamped, &Work::new()).unwrap();
            let around = &hill.heights()[4 - weights.len() / 2..][..weights.len()];
            let worst = around.iter().zip(weights).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst < 1e-7, "{degree}: {around:?}");
        }
    }

    #[test]
    fn planes_stay_planes_and_corners_stay_whatever_the_size() {
        for (width, depth) in [(1, 1), (2, 1), (3, 5), (4, 4), (6, 9), (12, 2)] {
            let plane = |width: usize, depth: usize, of: [usize; 2]| {
                let share = |index: usize, count: usize, of: usize| {
                    index as f32 * (of - 1) as f32 / (count - 1).max(1) as f32
                };
                let height =
                    |column, row| 50.0 + 3.0 * share(column, width, of[0]) - 2.0 * share(row, depth, of[1]);
                Heightfield::from_fn(Grid::new(width, depth, 1.0).unwrap(), height)
            };
            let field = plane(width, depth, [width, depth]);
            let expected = plane(23, 14, [width, depth]);
            let rough = bumpy(width, depth);
            let work = Work::new();
            for degree in 0..=HIGHEST {
                let resize = |field: &Heightfield| match degree {
                    0 => bezier(field, expected.grid(), &work).unwrap(),
                    _ => bspline_of_degree(field, expected.grid(), degree, Ends::Clamped, &work).unwrap(),
                };
                let found = resize(&field);
                assert!(difference(&found, &expected) < 1e-4, "{degree} {width}×{depth}");
                let found = resize(&rough);
                let (far, last) = ([22, 13], [width - 1, depth - 1]);
                assert!((found.at(0, 0) - rough.at(0, 0)).abs() < 1e-5, "{degree} {width}×{depth}");
                let off = (found.at(far[0], far[1]) - rough.at(last[0], last[1])).abs();
                assert!(off < 1e-5, "{degree} {width}×{depth}");
            }
        }
    }

    #[test]
    fn the_inside_spans_what_the_samples_determine() {
        // A plane's heights show the positions: the inside begins (degree − 1) / 2 samples from the border.
        let plane = Heightfield::from_fn(Grid::new(9, 9, 1.0).unwrap(), |column, _| column as f32);
        for degree in 1..=HIGHEST {
            let inside = bspline_of_degree(
                &plane,
                Grid::new(5, 5, 1.0).unwrap(),
                degree,
                Ends::Interior,
                &Work::new(),
            );
            let (low, high) = inside.unwrap().range();
            let margin = (degree - 1) as f32 / 2.0;
            assert!((low - margin).abs() < 1e-5 && (high - (8.0 - margin)).abs() < 1e-5, "{degree}");
            let few = bumpy(degree as usize, 9);
            let said = bspline_of_degree(&few, plane.grid(), degree, Ends::Interior, &Work::new());
            assert!(said.unwrap_err().to_string().contains("too few"));
        }
        assert!(bspline_of_degree(&plane, plane.grid(), 6, Ends::Clamped, &Work::new()).is_err());
    }

    #[test]
    fn bezier_patches_meet_every_third_sample() {
        let field = bumpy(8, 7);
        let finer = bezier(&field, Grid::new(29, 25, 1.0).unwrap(), &Work::new()).unwrap();
        // The last patch along a row has only two samples: a straight line.
        for (column, row) in [(0, 0), (3, 0), (6, 3), (7, 6), (3, 6)] {
            assert!((finer.at(4 * column, 4 * row) - field.at(column, row)).abs() < 1e-5, "{column} {row}");
        }
        let between = (field.at(6, 0) + field.at(7, 0)) / 2.0;
        assert!((finer.at(26, 0) - between).abs() < 1e-5);
        let (low, high) = field.range();
        assert!(finer.range().0 >= low && finer.range().1 <= high);
    }
}
