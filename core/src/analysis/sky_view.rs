//! The sky-view factor: how much of the sky's light each piece of ground gets. Valleys and gullies are dim,
//! ridges bright.
//!
//! The horizon is searched in 16 directions: near ground in the field itself, farther ground in a pyramid of
//! means, so that the cost per sample hardly depends on the field's size. The factor of tilted ground under
//! a horizon is that of Dozier and Frew, "Rapid calculation of terrain parameters for radiation modeling from
//! digital elevation data" (1990).

use std::ops::Range;

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

use crate::math::simd::{arc_tangent, byte_from_share, larger};

use super::share_map::ShareMap;

/// Directions in which the horizon is searched.
const DIRECTIONS: usize = 16;

/// How far away ground is looked at, in samples of its level: in the field itself, and in each coarser level
/// of the pyramid, whose samples are twice as far apart as those of the one before.
const NEAR: [f32; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
const FAR: [f32; 3] = [3.0, 4.0, 5.0];

/// Rows of a [`Strip`]: few enough to stay in the processor's cache.
const STRIP: usize = 32;
/// The steepest rise per metre that is used. Between heights near the limit of f32 the rise would be
/// infinite.
const STEEPEST: f32 = 1e9;

/// The sky-view factor of each sample, row by row: the share, in [0, 1], of a uniformly bright sky's light
/// that reaches it. 1 on a plain, (1 + cos slope) / 2 on an open slope, less where other ground hides the
/// sky.
///
/// Beyond the field's border the land is taken to go on at the border's height.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) when `work` is cancelled.
pub fn sky_view(field: &Heightfield, work: &Work) -> Result<Vec<f32>> {
    look_up(field, 0..field.grid().depth, |factor| factor, work)
}

/// As [`sky_view`], a byte a sample, of some rows; 0 in the others.
pub(super) fn sky_layer(field: &Heightfield, rows: Range<usize>, work: &Work) -> Result<ShareMap> {
    ShareMap::new(field.grid(), look_up(field, rows, byte_from_share, work)?)
}

/// What `keep` makes of the sky-view factor of each sample of some rows.
fn look_up<T: Copy + Default + Send>(
    field: &Heightfield,
    rows: Range<usize>,
    keep: impl Fn(f32) -> T + Sync,
    work: &Work,
) -> Result<Vec<T>> {
    let grid = field.grid();
    let finest =
        PyramidLevel { width: grid.width, depth: grid.depth, cell: grid.cell, heights: field.heights() };
    work.stage("light", rows.len());
    let coarser = means(finest);
    let levels: Vec<PyramidLevel> = std::iter::once(finest).chain(coarser.iter().map(Mean::level)).collect();
    let mut seen = vec![T::default(); grid.count()];
    let wanted = &mut seen[rows.start * grid.width..rows.end * grid.width];
    let strips = wanted.par_chunks_mut(STRIP * grid.width).enumerate();
    strips.try_for_each_init(Strip::default, |strip, (index, seen)| {
        strip.begin(&levels, rows.start + index * STRIP, seen.len() / grid.width);
        for direction in 0..DIRECTIONS {
            work.check()?;
            let bearing = (direction as f32 * 360.0 / DIRECTIONS as f32).to_radians();
            let direction = (libm::sinf(bearing), -libm::cosf(bearing));
            in_wide_registers(LookRound { levels: &levels, strip, direction });
        }
        for (seen, sum) in seen.iter_mut().zip(&strip.sky) {
            *seen = keep((sum / DIRECTIONS as f32).clamp(0.0, 1.0));
        }
        work.advance(seen.len() / grid.width);
        Ok::<_, crate::Error>(())
    })?;
    Ok(seen)
}

/// Some neighbouring rows of a field, and the rows of the coarser levels from which their horizons come.
#[derive(Default)]
struct Strip {
    /// Which rows of each level, finest first.
    rows: Vec<Range<usize>>,
    /// Their horizons in the present direction, as slopes: rise over distance.
    horizons: Vec<Vec<f32>>,
    /// The sky-view factors of the finest level's rows, summed over the directions so far.
    sky: Vec<f32>,
}

impl Strip {
    /// Starts on the `count` rows from `first` on.
    fn begin(&mut self, levels: &[PyramidLevel], first: usize, count: usize) {
        self.rows.clear();
        let mut rows = first..first + count;
        for (index, level) in levels.iter().enumerate() {
            if index > 0 {
                // Horizons are interpolated between the coarser row over a row and that one's neighbour.
                let (begin, end) = ((rows.start / 2).saturating_sub(1), (rows.end - 1) / 2 + 2);
                rows = begin..end.min(level.depth);
            }
            self.rows.push(rows.clone());
        }
        self.horizons.resize_with(levels.len(), Vec::new);
        for ((horizon, rows), level) in self.horizons.iter_mut().zip(&self.rows).zip(levels) {
            horizon.resize(rows.len() * level.width, 0.0);
        }
        self.sky.clear();
        self.sky.resize(count * levels[0].width, 0.0);
    }

    /// Looks in a direction from every sample: first in the coarsest level, then in finer ones.
    #[inline(always)]
    fn look(&mut self, levels: &[PyramidLevel], direction: (f32, f32)) {
        // From the coarsest: a level's horizon starts from that of the coarser one and is only raised.
        for index in (0..levels.len()).rev() {
            let (level, rows) = (levels[index], &self.rows[index]);
            let (fine, coarse) = self.horizons.split_at_mut(index + 1);
            let below =
                coarse.first().map(|horizon| (levels[index + 1], self.rows[index + 1].start, &**horizon));
            let distances: &[f32] = if index == 0 { &NEAR } else { &FAR };
            let looks = distances.iter().map(|&distance| Look::new(distance, direction));
            for (row, out) in rows.clone().zip(fine[index].chunks_mut(level.width)) {
                level.horizon(row, looks.clone(), below, out);
            }
        }
        let finest = levels[0];
        let rows = self.rows[0].clone().zip(self.horizons[0].chunks(finest.width));
        for ((row, horizon), sky) in rows.zip(self.sky.chunks_mut(finest.width)) {
            finest.add_sky(row, direction, horizon, sky);
        }
    }
}

/// [`Strip::look`] in wide registers.
struct LookRound<'a> {
    levels: &'a [PyramidLevel<'a>],
    strip: &'a mut Strip,
    direction: (f32, f32),
}

impl Loop for LookRound<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        self.strip.look(self.levels, self.direction);
    }
}

/// A level of the pyramid: the field, or a mean of it.
#[derive(Clone, Copy)]
struct PyramidLevel<'a> {
    width: usize,
    depth: usize,
    cell: f32,
    heights: &'a [f32],
}

/// A field of half the samples each way, each the mean of four.
struct Mean {
    width: usize,
    depth: usize,
    cell: f32,
    heights: Vec<f32>,
}

/// A neighbour to look at: columns east, rows south, and samples away.
struct Look {
    x: isize,
    z: isize,
    distance: f32,
}

impl Look {
    /// The neighbour nearest to the place `distance` samples away in a direction.
    fn new(distance: f32, (x, z): (f32, f32)) -> Self {
        // The neighbour's own distance, not the one asked for: rounding to a sample changes it.
        let (x, z) = (libm::roundf(distance * x), libm::roundf(distance * z));
        Self { x: x as isize, z: z as isize, distance: (x * x + z * z).sqrt() }
    }
}

impl Mean {
    fn level(&self) -> PyramidLevel<'_> {
        PyramidLevel { width: self.width, depth: self.depth, cell: self.cell, heights: &self.heights }
    }

    fn of(fine: PyramidLevel) -> Self {
        let (width, depth) = (fine.width.div_ceil(2), fine.depth.div_ceil(2));
        let mut heights = vec![0.0; width * depth];
        heights.par_chunks_mut(width).enumerate().for_each(|(row, out)| {
            let (north, south) = (fine.row(2 * row), fine.row((2 * row + 1).min(fine.depth - 1)));
            for (column, out) in out.iter_mut().enumerate() {
                let (west, east) = (2 * column, (2 * column + 1).min(fine.width - 1));
                // Each is quartered before adding, because the sum of heights near the limit of f32 is
                // infinite.
                let quarters =
                    [north[west], north[east], south[west], south[east]].map(|height| 0.25 * height);
                *out = quarters[0] + quarters[1] + quarters[2] + quarters[3];
            }
        });
        Self { width, depth, cell: 2.0 * fine.cell, heights }
    }
}

/// A rise per metre whose square is finite.
#[inline(always)]
fn possible(rise: f32) -> f32 {
    rise.clamp(-STEEPEST, STEEPEST)
}

/// The pyramid's levels above the field, until one is hardly larger than the farthest look.
fn means(finest: PyramidLevel) -> Vec<Mean> {
    let mut means: Vec<Mean> = Vec::new();
    loop {
        let last = means.last().map_or(finest, Mean::level);
        // At 6 samples a side the looks of up to 5 already span the whole level.
        if last.width.max(last.depth) <= 6 {
            return means;
        }
        means.push(Mean::of(last));
    }
}

impl PyramidLevel<'_> {
    fn row(&self, row: usize) -> &[f32] {
        &self.heights[row * self.width..][..self.width]
    }

    /// The horizon of each sample of a row: the slope up to the highest ground in a direction, be it in the
    /// coarser level `below`, whose horizons are given from a row on, or nearer by in this one. At least 0,
    /// the level horizon.
    #[inline(always)]
    fn horizon(
        &self,
        row: usize,
        looks: impl Iterator<Item = Look>,
        below: Option<(PyramidLevel, usize, &[f32])>,
        out: &mut [f32],
    ) {
        match below {
            Some((coarse, first, horizon)) => coarse.enlarge(horizon, first, row, out),
            None => out.fill(0.0),
        }
        let here = self.row(row);
        for look in looks {
            let other = row.saturating_add_signed(look.z).min(self.depth - 1);
            raise(out, here, self.row(other), look.x, 1.0 / (look.distance * self.cell));
        }
    }

    /// Interpolates a row of the next finer level from this level's values, which are given from row `first`
    /// on.
    #[inline(always)]
    fn enlarge(&self, values: &[f32], first: usize, fine_row: usize, out: &mut [f32]) {
        let near = fine_row / 2;
        let far =
            if fine_row.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(self.depth - 1) };
        let row = |row: usize| &values[(row - first) * self.width..][..self.width];
        let (near, far) = (row(near), row(far));
        // Samples of the finer level lie a quarter of the way from one coarser sample to the next.
        let at = |column: usize| 0.75 * near[column] + 0.25 * far[column];
        let (mut west, mut here) = (at(0), at(0));
        for (column, pair) in out.chunks_mut(2).enumerate() {
            let east = at((column + 1).min(self.width - 1));
            pair[0] = 0.75 * here + 0.25 * west;
            if let Some(second) = pair.get_mut(1) {
                *second = 0.75 * here + 0.25 * east;
            }
            (west, here) = (here, east);
        }
    }

    /// Adds what each sample of a row sees of the sky above the horizon of a direction.
    #[inline(always)]
    fn add_sky(&self, row: usize, (x, z): (f32, f32), horizon: &[f32], sky: &mut [f32]) {
        let (n, s) = (row.saturating_sub(1), (row + 1).min(self.depth - 1));
        let (north, south, here) = (self.row(n), self.row(s), self.row(row));
        let per_z = 1.0 / ((s - n).max(1) as f32 * self.cell);
        let look = |rise_x: f32, rise_z: f32, horizon: f32| {
            let (gradient_x, gradient_z) = (possible(rise_x), possible(rise_z * per_z));
            let horizon = horizon.min(STEEPEST);
            // The normal is (−gradient x, 1, −gradient z) · up.
            let up = 1.0 / (1.0 + gradient_x * gradient_x + gradient_z * gradient_z).sqrt();
            let towards = -(gradient_x * x + gradient_z * z) * up;
            // H in the paper, the angle from the zenith to the horizon; sine_squared is sin²H and horizon ·
            // sine_squared is sin H cos H.
            let from_zenith = std::f32::consts::FRAC_PI_2 - arc_tangent(horizon);
            let sine_squared = 1.0 / (1.0 + horizon * horizon);
            up * sine_squared + towards * (from_zenith - horizon * sine_squared)
        };
        let last = self.width - 1;
        let per_cell = 1.0 / self.cell;
        let second = last.min(1);
        sky[0] += look((here[second] - here[0]) * per_cell, south[0] - north[0], horizon[0]);
        if last == 0 {
            return;
        }
        let across = here.windows(3).zip(&north[1..]).zip(&south[1..]);
        for ((((three, north), south), horizon), sky) in across.zip(&horizon[1..]).zip(&mut sky[1..]) {
            *sky += look((three[2] - three[0]) * (0.5 * per_cell), south - north, *horizon);
        }
        let rise = here[last] - here[last - 1];
        sky[last] += look(rise * per_cell, south[last] - north[last], horizon[last]);
    }
}

/// Raises the horizon of each sample of a row to the ground `x` columns to its east in another row, or to
/// that row's end.
#[inline(always)]
fn raise(horizon: &mut [f32], here: &[f32], other: &[f32], x: isize, per_metre: f32) {
    let width = here.len();
    let begin = (-x).clamp(0, width as isize) as usize;
    let end = (width as isize - x).clamp(begin as isize, width as isize) as usize;
    // Beyond the border its last sample continues; the loop below needs no such test.
    for column in (0..begin).chain(end..width) {
        let seen = other[column.saturating_add_signed(x).min(width - 1)];
        horizon[column] = larger((seen - here[column]) * per_metre, horizon[column]);
    }
    if begin < end {
        let seen = &other[begin.saturating_add_signed(x)..];
        for ((horizon, &here), &seen) in horizon[begin..end].iter_mut().zip(&here[begin..end]).zip(seen) {
            *horizon = larger((seen - here) * per_metre, *horizon);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    fn view(width: usize, depth: usize, height: impl Fn(usize, usize) -> f32 + Sync) -> Vec<f32> {
        let field = Heightfield::from_fn(Grid::new(width, depth, 10.0).unwrap(), height);
        sky_view(&field, &Work::new()).unwrap()
    }

    #[test]
    fn a_plain_sees_the_whole_sky() {
        for (width, depth) in [(1, 1), (2, 1), (1, 9), (3, 100), (33, 20)] {
            assert!(view(width, depth, |_, _| 7.0).iter().all(|&sky| (sky - 1.0).abs() < 1e-5));
        }
    }

    #[test]
    fn some_rows_see_what_they_see_among_all() {
        let grid = Grid::new(70, 150, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| ((column * column + 7 * row * row) % 97) as f32);
        let of = |rows: Range<usize>| look_up(&field, rows, |factor| factor, &Work::new()).unwrap();
        let all = of(0..150);
        for rows in [0..1, 31..77, 40..150, 149..150, 9..9] {
            let some = of(rows.clone());
            for (index, (some, all)) in some.iter().zip(&all).enumerate() {
                let expected = if rows.contains(&(index / 70)) { *all } else { 0.0 };
                assert_eq!(*some, expected, "{index} of {rows:?}");
            }
        }
    }

    #[test]
    fn an_open_slope_sees_what_its_tilt_leaves() {
        for rise in [2.0f32, 5.0, 10.0] {
            let sky = view(201, 201, |column, _| rise * column as f32);
            let cosine = 1.0 / (1.0 + rise * rise / 100.0).sqrt();
            // The middle: far from where the land beyond the border goes on level.
            let middle = sky[100 * 201 + 100];
            assert!((middle - (1.0 + cosine) / 2.0).abs() < 0.03, "{middle} for a rise of {rise}");
        }
    }

    #[test]
    fn a_pit_is_dimmer_than_the_plain_and_a_peak_is_not_dimmed() {
        let bowl = |column: usize, row: usize| {
            let (x, z) = (column as f32 - 32.0, row as f32 - 32.0);
            (x * x + z * z).sqrt().min(20.0) * 10.0
        };
        let pit = view(65, 65, bowl);
        assert!((pit[32 * 65 + 32] - 0.5).abs() < 0.08, "45° all round hides half: {}", pit[32 * 65 + 32]);
        let peak = view(65, 65, |column, row| -bowl(column, row));
        assert!(peak[32 * 65 + 32] > 0.99);
        assert!(pit[0] > 0.97);
    }
}
