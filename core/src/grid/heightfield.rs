//! The heightfield: a grid of heights in metres, and what can be read from it.
//!
//! Columns run along +X (east), rows along +Z (south), row-major; sample (0, 0) is the north-west
//! corner. Samples sit on grid points: `w × d` samples with `cell` metres between them span
//! `(w − 1)·cell × (d − 1)·cell` metres.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::math::spline::catmull_rom;

/// The most samples a field may have: 32768², 4 GiB of heights.
pub const MAX_SAMPLES: usize = 1 << 30;

/// Heights of a recipe's land lie within ± this, metres. Differences, slopes and sums of such heights are
/// finite; those of heights near the end of f32, 3.4e38, are not.
pub(crate) const HIGHEST: f32 = 1e30;

/// Heights processed between two checks for cancellation.
const SCANNED_AT_ONCE: usize = 1 << 16;

/// The shape of a heightfield: how many samples, how far apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Samples along +X, at least 1.
    pub width: usize,
    /// Samples along +Z, at least 1.
    pub depth: usize,
    /// Metres between neighbouring samples, above 0.
    pub cell: f32,
}

impl Grid {
    /// A grid of `width × depth` samples, `cell` metres apart.
    ///
    /// # Errors
    /// When a side is 0, when there are more than [`MAX_SAMPLES`], or when `cell` is not a positive
    /// finite number.
    pub fn new(width: usize, depth: usize, cell: f32) -> Result<Self> {
        if width == 0 || depth == 0 {
            let reason = "hold nothing; each side needs at least 1".into();
            return Err(Error::Size { width, depth, reason });
        }
        match width.checked_mul(depth) {
            Some(count) if count <= MAX_SAMPLES => {}
            _ => {
                let gib = width as f64 * depth as f64 * 4.0 / (1u64 << 30) as f64;
                let reason = format!("need {gib:.1} GiB; at most 32768×32768 (4 GiB) are supported");
                return Err(Error::Size { width, depth, reason });
            }
        }
        if !(cell.is_finite() && cell > 0.0) {
            let reason = format!("{cell} is not a distance between samples; give metres above 0");
            return Err(Error::parameter("cell", reason));
        }
        Ok(Self { width, depth, cell })
    }

    /// How many samples there are.
    pub fn count(&self) -> usize {
        self.width * self.depth
    }

    /// Samples along the longer side.
    pub fn longer(&self) -> usize {
        self.width.max(self.depth)
    }

    /// Metres from the first to the last sample along X and Z.
    pub fn extent(&self) -> Vec2 {
        Vec2::new((self.width - 1) as f32, (self.depth - 1) as f32) * self.cell
    }

    /// Position of sample `index` of a row or column, as a share of the longer side. A point of the land
    /// has exactly the same value at every resolution.
    pub fn unit_from_index(&self, index: usize) -> f64 {
        index as f64 / (self.longer() - 1).max(1) as f64
    }
}

/// A grid of heights in metres. Every height is finite.
///
/// Values computed from heights are finite, too. For heights beyond ±1e30 m, which no recipe makes, slopes
/// are clamped to 10¹² m/m, and what cannot be computed, such as differences, is refused.
///
/// A clone shares the heights until one of the two is changed.
///
/// ```
/// # use upland_core as upland;
/// use glam::vec2;
/// let grid = upland::Grid::new(3, 2, 10.0)?;
/// let ramp = upland::Heightfield::from_fn(grid, |column, _row| column as f32);
/// assert_eq!(ramp.sample(vec2(15.0, 5.0)), 1.5);
/// # Ok::<(), upland::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    grid: Grid,
    heights: Arc<Vec<f32>>,
}

impl Heightfield {
    /// A field of constant height.
    pub fn flat(grid: Grid, height: f32) -> Self {
        Self { grid, heights: Arc::new(vec![height; grid.count()]) }
    }

    /// A field from its heights in metres, row by row.
    ///
    /// # Errors
    /// When there are not `width · depth` of them, or one is NaN or infinite.
    pub fn new(grid: Grid, heights: Vec<f32>) -> Result<Self> {
        if heights.len() != grid.count() {
            let reason = format!("do not match the {} heights given", heights.len());
            return Err(Error::Size { width: grid.width, depth: grid.depth, reason });
        }
        // First in parallel whether any is wrong, then which: the second search only runs in the rare case.
        if !heights.par_chunks(SCANNED_AT_ONCE).all(all_finite)
            && let Some(index) = heights.iter().position(|height| !height.is_finite())
        {
            let (row, column) = (index / grid.width, index % grid.width);
            let reason = format!("the height at column {column}, row {row} is {}", heights[index]);
            return Err(Error::parameter("heights", reason));
        }
        Ok(Self { grid, heights: Arc::new(heights) })
    }

    /// A field whose height at (column, row) is `height(column, row)`, computed in parallel. Heights must be
    /// finite, which is not checked.
    pub fn from_fn(grid: Grid, height: impl Fn(usize, usize) -> f32 + Sync) -> Self {
        let mut heights = vec![0.0; grid.count()];
        heights.par_chunks_mut(grid.width).enumerate().for_each(|(row, heights)| {
            for (column, out) in heights.iter_mut().enumerate() {
                *out = height(column, row);
            }
        });
        Self { grid, heights: Arc::new(heights) }
    }

    /// The shape of the field.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// All heights, row by row.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// All heights, row by row, to be changed. Keep them finite. Heights that a clone shares are copied
    /// first.
    pub fn heights_mut(&mut self) -> &mut [f32] {
        Arc::<Vec<f32>>::make_mut(&mut self.heights)
    }

    /// The heights without their grid.
    pub fn into_heights(self) -> Vec<f32> {
        Arc::unwrap_or_clone(self.heights)
    }

    /// The heights of one row, west to east.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.heights[row * self.grid.width..][..self.grid.width]
    }

    /// A copy of the samples of another grid, whose first sample lies `first` columns and rows from the first
    /// sample here.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// When some of these samples don't exist.
    pub(super) fn part(&self, grid: Grid, first: [usize; 2], work: &Work) -> Result<Self> {
        let mut heights = Vec::with_capacity(grid.count());
        for row in first[1]..first[1] + grid.depth {
            work.check()?;
            heights.extend_from_slice(&self.row(row)[first[0]..][..grid.width]);
        }
        Ok(Self { grid, heights: Arc::new(heights) })
    }

    /// The height of one sample.
    ///
    /// # Panics
    /// When the sample doesn't exist.
    pub fn at(&self, column: usize, row: usize) -> f32 {
        self.heights[row * self.grid.width + column]
    }

    /// The height, in metres, at a point given in metres east (x) and south (y) of the north-west corner:
    /// bilinear between samples, extended from the border outside.
    pub fn sample(&self, p_in_metres: Vec2) -> f32 {
        let ([c0, c1], [r0, r1], t) = self.cell_around(p_in_metres);
        let north = lerp(self.at(c0, r0), self.at(c1, r0), t.x);
        let south = lerp(self.at(c0, r1), self.at(c1, r1), t.x);
        lerp(north, south, t.y)
    }

    /// As [`sample`](Self::sample), by Catmull-Rom interpolation of the 16 samples around, so that slopes
    /// are continuous. It can overshoot the samples a little.
    pub fn sample_smooth(&self, p_in_metres: Vec2) -> f32 {
        let ([c, _], [r, _], t) = self.cell_around(p_in_metres);
        self.smooth_between([c, r], t)
    }

    /// As [`sample_smooth`](Self::sample_smooth), at a point given as an offset in cells from a sample, which
    /// may lie outside. The result does not depend on where the field begins: only the offset is a fraction.
    #[inline(always)]
    pub(crate) fn sample_smooth_beside(&self, sample: [i64; 2], away_in_cells: Vec2) -> f32 {
        let whole = away_in_cells.floor();
        let mut t = away_in_cells - whole;
        let mut place = |axis: usize, count: usize| {
            let index = sample[axis].saturating_add(whole[axis] as i64);
            let last = count as i64 - 1;
            // Outside, the border's height continues.
            if index < 0 || index >= last {
                t[axis] = 0.0;
            }
            index.clamp(0, last) as usize
        };
        let place = [place(0, self.grid.width), place(1, self.grid.depth)];
        self.smooth_between(place, t)
    }

    /// The point at fractions `t` of the way from a column and a row to the next.
    #[inline(always)]
    fn smooth_between(&self, [c, r]: [usize; 2], t: Vec2) -> f32 {
        let clamped = |index: usize, offset: usize, count: usize| (index + offset).clamp(1, count) - 1;
        let columns = [0, 1, 2, 3].map(|offset| clamped(c, offset, self.grid.width));
        let rows = [0, 1, 2, 3].map(|offset| clamped(r, offset, self.grid.depth));
        let (across, down) = (catmull_rom(t.x), catmull_rom(t.y));
        let mut sum: f32 = 0.0;
        // Away from the border, where nearly all points are, four neighbours lie next to each other.
        let is_inside = columns[3] == columns[0] + 3;
        for (row, down) in rows.into_iter().zip(down) {
            let heights = self.row(row);
            let four = match heights.get(columns[0]..=columns[3]) {
                Some(&[a, b, c, d]) if is_inside => [a, b, c, d],
                _ => columns.map(|column| heights[column]),
            };
            let line: f32 = (0..4).map(|index| across[index] * four[index]).sum();
            sum += down * line;
        }
        if sum.is_finite() { sum } else { self.smooth_between_extremes([columns, rows], [across, down]) }
    }

    /// As [`smooth_between`](Self::smooth_between), for heights so near the limit of f32 that their sums are
    /// not finite.
    #[cold]
    fn smooth_between_extremes(
        &self,
        [columns, rows]: [[usize; 4]; 2],
        [across, down]: [[f32; 4]; 2],
    ) -> f32 {
        // In f64, whose range is far beyond that of f32: no product or sum can overflow.
        let weighed = rows.into_iter().zip(down).flat_map(|(row, down)| {
            let of_column = move |(column, across)| (column, row, f64::from(down) * f64::from(across));
            columns.into_iter().zip(across).map(of_column)
        });
        let sum: f64 = weighed.map(|(column, row, weight)| weight * f64::from(self.at(column, row))).sum();
        (sum as f32).clamp(f32::MIN, f32::MAX)
    }

    /// The height of the rendered surface at a point in metres: each cell is two triangles, which share the
    /// diagonal from its north-east to its south-west corner.
    pub fn sample_surface(&self, p_in_metres: Vec2) -> f32 {
        let ([c0, c1], [r0, r1], t) = self.cell_around(p_in_metres);
        let (nw, ne) = (self.at(c0, r0), self.at(c1, r0));
        let (sw, se) = (self.at(c0, r1), self.at(c1, r1));
        on_triangles([nw, ne, sw, se], t.x, t.y)
    }

    /// The two columns and two rows around a point in metres, and its position between them.
    fn cell_around(&self, p_in_metres: Vec2) -> ([usize; 2], [usize; 2], Vec2) {
        let last = Vec2::new((self.grid.width - 1) as f32, (self.grid.depth - 1) as f32);
        let p_in_grid = (p_in_metres / self.grid.cell).clamp(Vec2::ZERO, last);
        // Clamped to the last sample, where the next one is the same and the share between them 0.
        let first = p_in_grid.floor();
        let (c0, r0) = (first.x as usize, first.y as usize);
        let c1 = (c0 + 1).min(self.grid.width - 1);
        let r1 = (r0 + 1).min(self.grid.depth - 1);
        ([c0, c1], [r0, r1], p_in_grid - first)
    }

    /// The gradient at a sample: rise per metre towards east (x) and south (y), by central differences,
    /// one-sided at the border; 0 along a side with a single sample.
    pub fn gradient_at(&self, column: usize, row: usize) -> Vec2 {
        let (w, e) = (column.saturating_sub(1), (column + 1).min(self.grid.width - 1));
        let (n, s) = (row.saturating_sub(1), (row + 1).min(self.grid.depth - 1));
        // A single sample has no neighbours: its rise is 0, over 1 cell instead of 0.
        let run_x = (e - w).max(1) as f32 * self.grid.cell;
        let run_z = (s - n).max(1) as f32 * self.grid.cell;
        Vec2::new(
            finite_rise((self.at(e, row) - self.at(w, row)) / run_x),
            finite_rise((self.at(column, s) - self.at(column, n)) / run_z),
        )
    }

    /// The unit normal at a sample.
    pub fn normal_at(&self, column: usize, row: usize) -> Vec3 {
        normal_from_gradient(self.gradient_at(column, row))
    }

    /// The unit normal at a point in metres from the north-west corner, from the bilinearly interpolated
    /// gradients of the four samples around it.
    pub fn normal(&self, p_in_metres: Vec2) -> Vec3 {
        let ([c, _], [r, _], t) = self.cell_around(p_in_metres);
        self.normal_between((c as u32, t.x), (r as u32, t.y))
    }

    /// As [`normal`](Self::normal), at a fraction of the way from a column and from a row to the next.
    pub(crate) fn normal_between(&self, (column, x): (u32, f32), (row, z): (u32, f32)) -> Vec3 {
        let (c0, r0) = (column as usize, row as usize);
        let (c1, r1) = ((c0 + 1).min(self.grid.width - 1), (r0 + 1).min(self.grid.depth - 1));
        let north = self.gradient_at(c0, r0).lerp(self.gradient_at(c1, r0), x);
        let south = self.gradient_at(c0, r1).lerp(self.gradient_at(c1, r1), x);
        normal_from_gradient(north.lerp(south, z))
    }

    /// Slope at a sample, in degrees: 0 is flat, 90 vertical.
    pub fn slope_at(&self, column: usize, row: usize) -> f32 {
        libm::atanf(self.gradient_at(column, row).length()).to_degrees()
    }

    /// The lowest and the highest height in metres.
    pub fn range(&self) -> (f32, f32) {
        // A new `Work` is never cancelled, so this always succeeds.
        self.range_while(&Work::new()).unwrap_or((0.0, 0.0))
    }

    /// As [`range`](Self::range), cancellable.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn range_while(&self, work: &Work) -> Result<(f32, f32)> {
        const NONE: (f32, f32) = (f32::INFINITY, f32::NEG_INFINITY);
        let wider = |a: (f32, f32), b: (f32, f32)| (a.0.min(b.0), a.1.max(b.1));
        let range =
            |heights: &[f32]| heights.iter().fold(NONE, |range, &height| wider(range, (height, height)));
        let chunks = self.heights.par_chunks(SCANNED_AT_ONCE);
        chunks
            .map(|heights| work.check().map(|()| range(heights)))
            .try_reduce(|| NONE, |a, b| Ok(wider(a, b)))
    }

    /// A copy made in parallel, cancellable.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn copy_while(&self, work: &Work) -> Result<Self> {
        let mut copy = Self::flat(self.grid, 0.0);
        let chunks = copy.heights_mut().par_chunks_mut(SCANNED_AT_ONCE);
        chunks.zip(self.heights.par_chunks(SCANNED_AT_ONCE)).try_for_each(|(copy, heights)| {
            work.check()?;
            copy.copy_from_slice(heights);
            Ok(())
        })?;
        Ok(copy)
    }

    /// Gives the field heights of its own if it shares them: they are copied on all cores, unless `work` is
    /// cancelled.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn unshare_while(&mut self, work: &Work) -> Result<()> {
        if Arc::strong_count(&self.heights) > 1 {
            // `Arc::make_mut` would copy on one thread and without looking whether the work was cancelled.
            *self = self.copy_while(work)?;
        }
        Ok(())
    }

    /// Changes every height, given its column and row, in parallel; cancellable.
    ///
    /// # Errors
    /// [`Error::Cancelled`]; some heights are then changed.
    pub(crate) fn change_while(
        &mut self,
        work: &Work,
        change: impl Fn(usize, usize, &mut f32) + Sync,
    ) -> Result<()> {
        let width = self.grid.width;
        self.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, heights)| {
            work.check()?;
            heights.iter_mut().enumerate().for_each(|(column, height)| change(column, row, height));
            Ok(())
        })
    }

    /// Whether all heights are finite; cancellable.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn is_finite_while(&self, work: &Work) -> Result<bool> {
        self.all_while(all_finite, work)
    }

    /// Whether all are heights that land may have, within ±[`HIGHEST`]; cancellable.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn is_possible_while(&self, work: &Work) -> Result<bool> {
        let all_possible =
            // Without an early exit, as in `all_finite`; NaN compares as false.
            |heights: &[f32]| heights.iter().fold(true, |all, height| all & (height.abs() <= HIGHEST));
        self.all_while(all_possible, work)
    }

    fn all_while(&self, are: impl Fn(&[f32]) -> bool + Sync, work: &Work) -> Result<bool> {
        let chunks = self.heights.par_chunks(SCANNED_AT_ONCE);
        chunks.map(|heights| work.check().map(|()| are(heights))).try_reduce(|| true, |a, b| Ok(a && b))
    }
}

/// Summary statistics of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Lowest height, metres.
    pub low: f32,
    /// Highest height, metres.
    pub high: f32,
    /// Mean height, metres.
    pub mean: f64,
    /// Standard deviation of the heights, metres.
    pub deviation: f64,
    /// Mean slope, degrees.
    pub mean_slope: f64,
    /// Number of samples in each of equal parts of the range, lowest first.
    pub histogram: Vec<usize>,
}

impl Heightfield {
    /// Computes the statistics, with a histogram of `bins` parts (at least 1).
    pub fn statistics(&self, bins: usize) -> Statistics {
        let (low, high) = self.range();
        let bins = bins.max(1);
        let span = high - low;
        let is_span = span.is_finite();
        // The difference of heights near the end of f32 is infinite.
        let above_low = |height: f32| {
            if is_span { f64::from(height - low) } else { f64::from(height) - f64::from(low) }
        };
        // At least the smallest positive number, so that level land divides 0 by it and not by 0.
        let per_metre = bins as f64 / above_low(high).max(f64::MIN_POSITIVE);
        // The sums of rows are added in order, so that they don't depend on the number of threads.
        let rows: Vec<(f64, f64, Vec<usize>)> = (0..self.grid.depth)
            .into_par_iter()
            .map(|row| {
                let mut histogram = vec![0; bins];
                for &height in self.row(row) {
                    let bin = (above_low(height) * per_metre) as usize;
                    histogram[bin.min(bins - 1)] += 1;
                }
                let sum = self.row(row).iter().map(|&height| f64::from(height)).sum();
                let slopes = (0..self.grid.width).map(|column| f64::from(self.slope_at(column, row))).sum();
                (sum, slopes, histogram)
            })
            .collect();
        let count = self.grid.count() as f64;
        let mean = rows.iter().map(|row| row.0).sum::<f64>() / count;
        // A second pass with the mean: the difference of two large sums of squares would lose the digits of a
        // small deviation.
        let squares: Vec<f64> = (0..self.grid.depth)
            .into_par_iter()
            .map(|row| self.row(row).iter().map(|&height| (f64::from(height) - mean).powi(2)).sum())
            .collect();
        let mut histogram = vec![0; bins];
        for (_, _, of_row) in &rows {
            histogram.iter_mut().zip(of_row).for_each(|(sum, count)| *sum += count);
        }
        Statistics {
            low,
            high,
            mean,
            deviation: (squares.iter().sum::<f64>() / count).sqrt(),
            mean_slope: rows.iter().map(|row| row.1).sum::<f64>() / count,
            histogram,
        }
    }
}

/// The unit normal of ground that rises by `gradient` per metre towards east (x) and south (y).
/// Rises beyond ±10¹² count as that, so that it has a direction whatever the gradient.
pub fn normal_from_gradient(gradient: Vec2) -> Vec3 {
    Vec3::new(-finite_rise(gradient.x), 1.0, -finite_rise(gradient.y)).normalize()
}

/// A rise per metre that can be squared and summed. The difference of two heights near the end of f32 is
/// infinite, so anything steeper than a limit counts as that steep.
#[inline(always)]
pub(crate) fn finite_rise(rise: f32) -> f32 {
    const STEEPEST: f32 = 1e12;
    // Infinite over infinite is NaN, which becomes one of the ends; `clamp` would keep it.
    #[allow(clippy::manual_clamp)]
    let finite = rise.max(-STEEPEST).min(STEEPEST);
    finite
}

/// Deliberately without an early exit, so that the loop vectorises.
fn all_finite(heights: &[f32]) -> bool {
    heights.iter().fold(true, |finite, height| finite & height.is_finite())
}

/// Interpolates between two heights. Halves are used near the limit of f32, where the difference would be
/// infinite.
fn lerp(a: f32, b: f32, t: f32) -> f32 {
    let between = a + (b - a) * t;
    if between.is_finite() { between } else { 2.0 * (0.5 * a + (0.5 * b - 0.5 * a) * t) }
}

/// The height in a cell of two triangles, which share the diagonal from its north-east to its south-west
/// corner. Halves are used near the limit of f32, where differences would be infinite. The corners are
/// north-west, north-east, south-west, south-east.
#[inline(always)]
pub(crate) fn on_triangles(corners: [f32; 4], x: f32, z: f32) -> f32 {
    let at = |[nw, ne, sw, se]: [f32; 4]| {
        let of_north_west = nw + (ne - nw) * x + (sw - nw) * z;
        let of_south_east = se + (sw - se) * (1.0 - x) + (ne - se) * (1.0 - z);
        if x + z <= 1.0 { of_north_west } else { of_south_east }
    };
    let height = at(corners);
    if height.is_finite() { height } else { 2.0 * at(corners.map(|corner| 0.5 * corner)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec2;

    fn plane() -> Heightfield {
        let grid = Grid::new(5, 4, 2.0).unwrap();
        Heightfield::from_fn(grid, |column, row| 3.0 * column as f32 - row as f32)
    }

    #[test]
    fn a_plane_is_sampled_exactly_everywhere() {
        let field = plane();
        for (x, z) in [(0.0, 0.0), (3.3, 1.2), (8.0, 6.0), (7.9, 0.1)] {
            let expected = 1.5 * x - 0.5 * z;
            assert!((field.sample(vec2(x, z)) - expected).abs() < 1e-5);
            assert!((field.sample_surface(vec2(x, z)) - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn outside_the_field_its_border_goes_on() {
        assert_eq!(plane().sample(vec2(-50.0, 0.0)), 0.0);
        assert_eq!(plane().sample(vec2(1e9, 0.0)), 12.0);
    }

    #[test]
    fn ground_that_rises_eastward_has_a_normal_that_leans_west() {
        let field = plane();
        for (column, row) in [(0, 0), (2, 2), (4, 3)] {
            let normal = field.normal_at(column, row);
            assert!((normal - Vec3::new(-1.5, 1.0, 0.5).normalize()).length() < 1e-6);
        }
        let slope = field.slope_at(2, 1);
        assert!((slope - 2.5f32.sqrt().atan().to_degrees()).abs() < 1e-3);
    }

    #[test]
    fn a_single_sample_is_flat_ground() {
        let field = Heightfield::flat(Grid::new(1, 1, 1.0).unwrap(), 7.0);
        assert_eq!(field.sample(vec2(3.0, 4.0)), 7.0);
        assert_eq!(field.normal_at(0, 0), Vec3::Y);
        assert_eq!(field.range(), (7.0, 7.0));
    }

    #[test]
    fn statistics_describe_a_plane() {
        let statistics = plane().statistics(5);
        assert_eq!((statistics.low, statistics.high), (-3.0, 12.0));
        assert!((statistics.mean - 4.5).abs() < 1e-6);
        assert!((statistics.mean_slope - 2.5f64.sqrt().atan().to_degrees()).abs() < 1e-3);
        assert_eq!(statistics.histogram.iter().sum::<usize>(), 20);
    }

    #[test]
    fn impossible_grids_and_heights_are_refused() {
        assert!(Grid::new(0, 5, 1.0).is_err());
        assert!(Grid::new(60000, 60000, 1.0).is_err());
        assert!(Grid::new(usize::MAX, 2, 1.0).is_err());
        assert!(Grid::new(5, 5, f32::NAN).is_err());
        let grid = Grid::new(2, 1, 1.0).unwrap();
        assert!(Heightfield::new(grid, vec![0.0]).is_err());
        assert!(Heightfield::new(grid, vec![0.0, f32::INFINITY]).is_err());
    }
}
