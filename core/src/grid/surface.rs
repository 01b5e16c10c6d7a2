//! The surface of a field, two triangles per cell, at many points together.
//!
//! Points are processed in blocks. Wide registers first find where each point lies among the samples. Then
//! the four samples around each are read one by one, since their addresses don't follow one another. Then
//! wide registers interpolate the whole block. So reads that miss the cache overlap, and no read waits for
//! the one before it.

use glam::{Vec2, Vec3};

use super::heightfield::{Heightfield, finite_rise, normal_from_gradient, on_triangles};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::error::{Error, Result};
use crate::math::simd::arc_tangent;

/// Points in a block: all data of a block fit into the L1 cache.
const BLOCK: usize = 128;

impl Heightfield {
    /// The gradient of the rendered surface at a point in metres: rise per metre towards east (x) and south
    /// (y), of the triangle there. Points on the border and outside have that of the outermost cell.
    pub fn surface_gradient(&self, p_in_metres: Vec2) -> Vec2 {
        let mut answer = [Vec2::ZERO];
        self.at_points(&[p_in_metres], &mut answer, Gradient);
        answer[0]
    }

    /// The unit normal of the rendered surface at a point in metres, as
    /// [`surface_gradient`](Self::surface_gradient).
    pub fn surface_normal(&self, p_in_metres: Vec2) -> Vec3 {
        normal_from_gradient(self.surface_gradient(p_in_metres))
    }

    /// The slope of the rendered surface at a point in metres, degrees in [0, 90], to 2e-5 degrees.
    pub fn surface_slope(&self, p_in_metres: Vec2) -> f32 {
        degrees(self.surface_gradient(p_in_metres))
    }

    /// As [`sample_surface`](Self::sample_surface) at many points, with the same bits, several times as fast.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use glam::vec2;
    /// let grid = upland::Grid::new(3, 2, 10.0)?;
    /// let ramp = upland::Heightfield::from_fn(grid, |column, _row| column as f32);
    /// let mut heights = [0.0; 2];
    /// ramp.sample_surfaces(&[vec2(15.0, 5.0), vec2(-100.0, 0.0)], &mut heights)?;
    /// assert_eq!(heights, [1.5, 0.0]);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When there are not as many heights as points.
    pub fn sample_surfaces(&self, points: &[Vec2], heights: &mut [f32]) -> Result<()> {
        check(points.len(), heights.len())?;
        self.at_points(points, heights, Height);
        Ok(())
    }

    /// As [`surface_normal`](Self::surface_normal) at many points.
    ///
    /// # Errors
    /// When there are not as many normals as points.
    pub fn surface_normals(&self, points: &[Vec2], normals: &mut [Vec3]) -> Result<()> {
        check(points.len(), normals.len())?;
        self.at_points(points, normals, Normal);
        Ok(())
    }

    /// As [`surface_slope`](Self::surface_slope) at many points.
    ///
    /// # Errors
    /// When there are not as many slopes as points.
    pub fn surface_slopes(&self, points: &[Vec2], slopes: &mut [f32]) -> Result<()> {
        check(points.len(), slopes.len())?;
        self.at_points(points, slopes, Slope);
        Ok(())
    }

    fn at_points<S: SurfaceQuery>(&self, points: &[Vec2], answers: &mut [S::Answer], query: S) {
        in_wide_registers(AtPoints { field: self, points, answers, query });
    }
}

/// Refuses a number of answers that differs from the number of questions.
pub(crate) fn check(questions: usize, answers: usize) -> Result<()> {
    if questions == answers {
        return Ok(());
    }
    let reason = format!(
        "there is room for {answers} answers to {questions} questions; give as many answers as questions"
    );
    Err(Error::parameter("points", reason))
}

#[inline(always)]
fn degrees(gradient: Vec2) -> f32 {
    arc_tangent(gradient.length()) * (180.0 / std::f32::consts::PI)
}

/// What to compute at each point.
trait SurfaceQuery: Copy {
    type Answer;

    /// Whether points on the border belong to the cell inside, which has a gradient there.
    const WITHIN: bool;

    fn answer(self, height: f32, gradient: Vec2) -> Self::Answer;
}

#[derive(Clone, Copy)]
struct Height;

#[derive(Clone, Copy)]
struct Gradient;

#[derive(Clone, Copy)]
struct Normal;

#[derive(Clone, Copy)]
struct Slope;

impl SurfaceQuery for Height {
    type Answer = f32;
    const WITHIN: bool = false;

    #[inline(always)]
    fn answer(self, height: f32, _: Vec2) -> f32 {
        height
    }
}

impl SurfaceQuery for Gradient {
    type Answer = Vec2;
    const WITHIN: bool = true;

    #[inline(always)]
    fn answer(self, _: f32, gradient: Vec2) -> Vec2 {
        gradient
    }
}

impl SurfaceQuery for Normal {
    type Answer = Vec3;
    const WITHIN: bool = true;

    #[inline(always)]
    fn answer(self, _: f32, gradient: Vec2) -> Vec3 {
        normal_from_gradient(gradient)
    }
}

impl SurfaceQuery for Slope {
    type Answer = f32;
    const WITHIN: bool = true;

    #[inline(always)]
    fn answer(self, _: f32, gradient: Vec2) -> f32 {
        degrees(gradient)
    }
}

struct AtPoints<'a, S: SurfaceQuery> {
    field: &'a Heightfield,
    points: &'a [Vec2],
    answers: &'a mut [S::Answer],
    query: S,
}

/// The data of a block's points, each kind in its own row.
struct Block {
    /// The sample to the north-west, and the offsets of its eastern and southern neighbours in memory.
    sample: [u32; BLOCK],
    east: [u32; BLOCK],
    south: [u32; BLOCK],
    /// Shares of the way to these neighbours.
    x: [f32; BLOCK],
    z: [f32; BLOCK],
    /// The heights around.
    corners: [[f32; BLOCK]; 4],
}

impl<S: SurfaceQuery> Loop for AtPoints<'_, S> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let grid = self.field.grid();
        let heights = self.field.heights();
        let mut block = Block {
            sample: [0; BLOCK],
            east: [0; BLOCK],
            south: [0; BLOCK],
            x: [0.0; BLOCK],
            z: [0.0; BLOCK],
            corners: [[0.0; BLOCK]; 4],
        };
        let last = [grid.width - 1, grid.depth - 1].map(|last| last as f32);
        // The last sample at which a cell begins.
        // A gradient belongs to a triangle, so a point on the eastern or southern border takes the cell
        // before it. A height is the same from both sides.
        let first = |last: f32| if S::WITHIN && last >= 1.0 { last - 1.0 } else { last };
        let begins = last.map(first);
        let (width, last_column, last_row) =
            (grid.width as u32, grid.width as u32 - 1, grid.depth as u32 - 1);
        for (points, answer) in self.points.chunks(BLOCK).zip(self.answers.chunks_mut(BLOCK)) {
            let count = points.len();
            let Block { sample, east, south, x, z, corners } = &mut block;
            let places = sample[..count].iter_mut().zip(&mut east[..count]).zip(&mut south[..count]);
            let shares = x[..count].iter_mut().zip(&mut z[..count]);
            for (((point, ((sample, east), south)), x), z) in points
                .iter()
                .zip(places)
                .zip(shares)
                .map(|((point, places), (x, z))| (((point, places), x), z))
            {
                let (column, across) = along(point.x / grid.cell, last[0], begins[0]);
                let (row, down) = along(point.y / grid.cell, last[1], begins[1]);
                *sample = row * width + column;
                *east = u32::from(column < last_column);
                *south = if row < last_row { width } else { 0 };
                (*x, *z) = (across, down);
            }
            let [nw, ne, sw, se] = corners;
            for (index, here) in sample[..count].iter().enumerate() {
                // Only these reads go through computed addresses; kept apart from the arithmetic, they
                // overlap in the processor.
                let here = *here as usize;
                let (beside, below) = (here + east[index] as usize, here + south[index] as usize);
                nw[index] = heights[here];
                ne[index] = heights[beside];
                sw[index] = heights[below];
                se[index] = heights[below + east[index] as usize];
            }
            for (index, answer) in answer.iter_mut().enumerate().take(count) {
                let (nw, ne, sw, se) = (nw[index], ne[index], sw[index], se[index]);
                let (x, z) = (x[index], z[index]);
                let is_north_west = x + z <= 1.0;
                // Both triangles are computed and one is chosen: a branch would keep the loop from being
                // vectorised.
                let height = on_triangles([nw, ne, sw, se], x, z);
                let rise_x = if is_north_west { ne - nw } else { se - sw };
                let rise_z = if is_north_west { sw - nw } else { se - ne };
                let [x, z] = [rise_x, rise_z].map(|rise| finite_rise(rise / grid.cell));
                *answer = self.query.answer(height, Vec2::new(x, z));
            }
        }
    }
}

/// The sample before a position given in samples, and the distance from it. The position is clamped as in the
/// field's own methods; NaN becomes 0.
#[inline(always)]
fn along(place: f32, last: f32, begins: f32) -> (u32, f32) {
    let place = if place > 0.0 { place } else { 0.0 };
    let place = if place < last { place } else { last };
    // Truncation rounds a number of 0 or more down, in one instruction. A field has at most 2³⁰ samples along
    // a side, so the conversion can't overflow.
    let whole = place as i32;
    let whole = if whole as f32 > begins { begins as i32 } else { whole };
    (whole as u32, place - whole as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::noise::{hash, signed_unit};

    /// A number in [0, 1) for a place.
    fn unit(seed: u64, x: i64, z: i64) -> f32 {
        0.5 + 0.5 * signed_unit(hash(seed, x, z))
    }

    fn rough(width: usize, depth: usize) -> Heightfield {
        let grid = Grid::new(width, depth, 7.3).unwrap();
        Heightfield::from_fn(grid, |column, row| 900.0 * unit(5, column as i64, row as i64) - 300.0)
    }

    /// Points all over a field and beyond, on samples, on the border, and no points at all.
    fn points(field: &Heightfield) -> Vec<Vec2> {
        let extent = field.grid().extent();
        let mut points: Vec<Vec2> = (0..4000)
            .map(|number| {
                let share = [0, 1].map(|axis| 1.4 * unit(9, number, axis) - 0.2);
                extent * Vec2::from(share)
            })
            .collect();
        for x in [0.0, 7.3, extent.x, extent.x - 1e-3, -5.0, 1e9, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]
        {
            for z in [0.0, extent.y, 3.0, f32::NAN, f32::MAX] {
                points.push(Vec2::new(x, z));
            }
        }
        points
    }

    #[test]
    fn many_points_together_have_the_same_bits_as_each_alone() {
        for (width, depth) in [(1, 1), (2, 1), (1, 9), (2, 2), (33, 61)] {
            let field = rough(width, depth);
            let points = points(&field);
            let mut heights = vec![f32::NAN; points.len()];
            field.sample_surfaces(&points, &mut heights).unwrap();
            let (mut normals, mut slopes) = (vec![Vec3::ZERO; points.len()], vec![0.0; points.len()]);
            field.surface_normals(&points, &mut normals).unwrap();
            field.surface_slopes(&points, &mut slopes).unwrap();
            for (index, point) in points.iter().enumerate() {
                let (one, many) = (field.sample_surface(*point), heights[index]);
                assert_eq!(one.to_bits(), many.to_bits(), "{point} of {width}×{depth}: {one} and {many}");
                assert_eq!(field.surface_normal(*point), normals[index]);
                assert_eq!(field.surface_slope(*point), slopes[index]);
            }
        }
    }

    #[test]
    fn the_gradient_is_how_heights_change_also_at_the_border() {
        let field = rough(9, 7);
        let extent = field.grid().extent();
        for point in points(&field).into_iter().filter(|p| p.cmpge(Vec2::ZERO).all() && p.cmple(extent).all())
        {
            let gradient = field.surface_gradient(point);
            // A step towards the middle of the point's triangle.
            let place = (point / 7.3).min(Vec2::new(8.0, 6.0));
            let cell = place.floor().min(Vec2::new(7.0, 5.0));
            let share = place - cell;
            let middle = if share.element_sum() <= 1.0 { 1.0 / 3.0 } else { 2.0 / 3.0 };
            let step = (Vec2::splat(middle) - share) * 0.73;
            let rise = field.sample_surface(point + step) - field.sample_surface(point);
            assert!((rise - gradient.dot(step)).abs() < 2e-3, "{point}: {rise}");
            assert!((field.surface_slope(point) - gradient.length().atan().to_degrees()).abs() < 1e-4);
        }
    }

    #[test]
    fn as_many_answers_as_questions_are_required() {
        let said = rough(3, 3).sample_surfaces(&[Vec2::ZERO], &mut []).unwrap_err().to_string();
        assert!(said.contains("room for 0 answers to 1 questions"), "{said}");
    }
}
