//! Shadows that the land casts on itself, with the penumbra of the sun's disc.
//!
//! A sweep goes over the land away from the sun, along parallel lines. Each line carries the height of the
//! shadow over it, once for the sun's upper and once for its lower edge. From step to step both heights sink
//! as steeply as that edge's light falls in, and ground above them raises them. So a sample costs the same
//! however large the field is.

use rayon::prelude::*;

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

use crate::math::simd::{byte_from_share, larger};
use crate::sky::sun::Sun;

use super::share_map::ShareMap;

/// The angle between the middle of the sun's disc and its edge, degrees.
const SUN_RADIUS: f32 = 0.265;

/// Lines that are swept together: enough for wide registers, few enough that every core gets some.
const LINES: usize = 128;

/// Steps that are read together where the sweep runs along rows, so that each row is read in pieces of this
/// length and not sample by sample.
const BLOCK: usize = 16;

/// The height of ground that isn't there: no shadow falls from it.
const NOWHERE: f32 = -1e30;

/// The share of the sun's disc that each sample sees over other ground, in [0, 1]. Nothing beyond the field's
/// border casts shadows. The slope of the sample's own ground doesn't count: what faces away from the sun is
/// 1 where nothing stands in between.
pub(crate) fn sun_view(field: &Heightfield, sun: Sun, work: &Work) -> Result<ShareMap> {
    let sweep = Sweep::new(field, sun);
    let parts: Vec<usize> = (0..sweep.lines.div_ceil(LINES)).collect();
    work.stage("shadows", parts.len() * sweep.steps);
    let swept = parts.par_iter().map(|part| sweep.part(part * LINES, work));
    let swept: Vec<Vec<u8>> = swept.collect::<Result<_>>()?;
    let firsts: Vec<usize> = (0..sweep.steps).map(|step| sweep.shift(step).0).collect();
    let grid = field.grid();
    let mut values = vec![0; grid.count()];
    if sweep.along_x {
        values.par_chunks_mut(grid.width).enumerate().for_each(|(row, out)| {
            for (column, out) in out.iter_mut().enumerate() {
                let step = sweep.step_of(column);
                let line = row + firsts[step];
                *out = swept[line / LINES][step * LINES + line % LINES];
            }
        });
    } else {
        values.par_chunks_mut(grid.width).enumerate().for_each(|(row, out)| {
            let step = sweep.step_of(row);
            let first = firsts[step];
            let mut column = 0;
            while column < out.len() {
                let line = first + column;
                let count = (LINES - line % LINES).min(out.len() - column);
                let from = step * LINES + line % LINES;
                out[column..column + count].copy_from_slice(&swept[line / LINES][from..from + count]);
                column += count;
            }
        });
    }
    ShareMap::new(grid, values)
}

/// How a field is swept: step by step along that axis which is nearer to the light's direction. Lines lie
/// side by side along the other axis, and move along it a little from step to step.
struct Sweep<'a> {
    field: &'a Heightfield,
    /// Whether steps are columns and lines run along X; else steps are rows and lines run along Z.
    along_x: bool,
    /// Whether the sun stands at the axis' end, so that the first step is its last row or column.
    backwards: bool,
    steps: usize,
    /// Samples in each step.
    places: usize,
    /// Samples that a line moves with each step, in [−1, 1].
    slant: f64,
    lines: usize,
    /// Metres by which the shadows of the sun's lower and upper edge sink with each step.
    drops: [f32; 2],
}

impl<'a> Sweep<'a> {
    fn new(field: &'a Heightfield, sun: Sun) -> Self {
        let grid = field.grid();
        let to_sun = Sun { elevation: 0.0, ..sun }.direction();
        let along_x = to_sun.x.abs() > to_sun.z.abs();
        // Light travels away from the sun.
        let (along, across) = if along_x { (-to_sun.x, -to_sun.z) } else { (-to_sun.z, -to_sun.x) };
        let (steps, places) = if along_x { (grid.width, grid.depth) } else { (grid.depth, grid.width) };
        let slant = f64::from(across / along.abs());
        let step = grid.cell * (1.0 + (slant * slant) as f32).sqrt();
        let drop = |edge: f32| {
            // Below 90°, where the tangent would be infinite, and not below the horizon, where light would
            // rise.
            let elevation = (sun.elevation + edge).clamp(0.0, 89.9).to_radians();
            step * libm::sinf(elevation) / libm::cosf(elevation)
        };
        // Slanted lines that reach the last step start up to this many samples outside the field.
        let extra = (slant.abs() * (steps - 1) as f64) as usize + 1;
        Self {
            field,
            along_x,
            backwards: along < 0.0,
            steps,
            places,
            slant,
            lines: places + extra,
            drops: [drop(-SUN_RADIUS), drop(SUN_RADIUS)],
        }
    }

    /// The step of a row or column; just the same, the row or column of a step.
    fn step_of(&self, index: usize) -> usize {
        if self.backwards { self.steps - 1 - index } else { index }
    }

    /// The last line at or before a step's first sample, and how far beyond it that lies as a share of the
    /// way to the next line.
    fn shift(&self, step: usize) -> (usize, f32) {
        // Lines that move towards higher numbers start below 0, so that every sample has one.
        let start = if self.slant > 0.0 { self.slant * (self.steps - 1) as f64 } else { 0.0 };
        let shift = start - self.slant * step as f64;
        (shift as usize, (shift - shift.floor()) as f32)
    }

    /// Sweeps [`LINES`] lines from `first` on: for each step and line what the sample sees that lies between
    /// that line and the next.
    fn part(&self, first: usize, work: &Work) -> Result<Vec<u8>> {
        let mut out = vec![255; self.steps * LINES];
        let mut shadows = [[NOWHERE; LINES + 1]; 2];
        let mut heights = Heights::default();
        for (step, out) in out.chunks_mut(LINES).enumerate() {
            if step % 64 == 0 {
                work.check()?;
                work.advance(64.min(self.steps - step));
            }
            let (whole, beyond) = self.shift(step);
            // One sample before the first line, for interpolating the ground under a line.
            heights.read(self, step, first as isize - whole as isize - 1);
            let (heights, shadows) = (&heights.here, &mut shadows);
            in_wide_registers(SweepStep { heights, beyond, drops: self.drops, shadows, out });
        }
        Ok(out)
    }

    /// The heights of a step that is a row, from sample `first` on.
    fn read_row(&self, step: usize, first: isize, out: &mut [f32]) {
        let row = self.field.row(self.step_of(step));
        for (place, out) in (first..).zip(out) {
            *out = self.inside(place).map_or(NOWHERE, |place| row[place]);
        }
    }

    /// The sample whose height is taken at `place`: just beyond the border that at the border, farther away
    /// none.
    fn inside(&self, place: isize) -> Option<usize> {
        let last = self.places as isize - 1;
        (-1..=last + 1).contains(&place).then(|| place.clamp(0, last) as usize)
    }
}

/// The heights of a step's samples that lie between its lines, and of one more at either end.
struct Heights {
    here: [f32; LINES + 2],
    /// The columns of [`BLOCK`] steps that were read together, longer by as far as lines can move in them.
    block: Vec<[f32; LINES + 2 + 2 * BLOCK]>,
    /// The first sample of each column of the block.
    first: isize,
}

impl Default for Heights {
    fn default() -> Self {
        Self { here: [0.0; LINES + 2], block: Vec::new(), first: 0 }
    }
}

impl Heights {
    /// Reads a step from sample `first` on.
    fn read(&mut self, sweep: &Sweep, step: usize, first: isize) {
        if !sweep.along_x {
            return sweep.read_row(step, first, &mut self.here);
        }
        if step.is_multiple_of(BLOCK) {
            self.block.resize(BLOCK, [NOWHERE; LINES + 2 + 2 * BLOCK]);
            self.first = first - BLOCK as isize;
            let steps = step..(step + BLOCK).min(sweep.steps);
            // Columns are far apart in memory, so each row is read once for all steps of the block.
            for index in 0..LINES + 2 + 2 * BLOCK {
                match sweep.inside(self.first + index as isize) {
                    Some(row) => {
                        let row = sweep.field.row(row);
                        for (column, step) in self.block.iter_mut().zip(steps.clone()) {
                            column[index] = row[sweep.step_of(step)];
                        }
                    }
                    None => self.block.iter_mut().for_each(|column| column[index] = NOWHERE),
                }
            }
        }
        let from = (first - self.first) as usize;
        self.here.copy_from_slice(&self.block[step % BLOCK][from..][..LINES + 2]);
    }
}

/// [`sweep_step`] in wide registers.
struct SweepStep<'a> {
    heights: &'a [f32; LINES + 2],
    beyond: f32,
    drops: [f32; 2],
    shadows: &'a mut [[f32; LINES + 1]; 2],
    out: &'a mut [u8],
}

impl Loop for SweepStep<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        sweep_step(self.heights, self.beyond, self.drops, self.shadows, self.out);
    }
}

/// One step of all lines: how much its samples see, then how its ground raises the shadows.
#[inline(always)]
fn sweep_step(
    heights: &[f32; LINES + 2],
    beyond: f32,
    drops: [f32; 2],
    shadows: &mut [[f32; LINES + 1]; 2],
    out: &mut [u8],
) {
    for (shadows, drop) in shadows.iter_mut().zip(drops) {
        shadows.iter_mut().for_each(|shadow| *shadow -= drop);
    }
    let [low, high] = &*shadows;
    let between = |line: &[f32], index: usize| line[index] + (line[index + 1] - line[index]) * beyond;
    for (index, out) in out[..LINES].iter_mut().enumerate() {
        let (low, high) = (between(low, index), between(high, index));
        // The share of the disc above the shadow's edge. At least a micrometre wide, since both edges
        // coincide where no ground is in the way.
        let seen = (heights[index + 1] - high) / larger(low - high, 1e-6);
        let seen = if seen < 1.0 { larger(seen, 0.0) } else { 1.0 };
        *out = byte_from_share(seen);
    }
    for shadows in shadows {
        for (index, shadow) in shadows.iter_mut().enumerate() {
            // The ground where the line itself passes, between two samples; what a sample sees is the other
            // way round.
            let ground = heights[index + 1] + (heights[index] - heights[index + 1]) * beyond;
            *shadow = larger(*shadow, ground);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use glam::vec2;

    fn view(field: &Heightfield, bearing: f32, elevation: f32) -> ShareMap {
        sun_view(field, Sun { bearing, elevation }, &Work::new()).unwrap()
    }

    /// Whether ground stands between a sample and the middle of the sun, found by a march in small steps.
    fn hidden(field: &Heightfield, column: usize, row: usize, sun: Sun) -> bool {
        let (sun, cell) = (sun.direction(), field.grid().cell);
        let here = vec2(column as f32, row as f32) * cell;
        let extent = field.grid().extent();
        let per_step = 0.25 * cell / vec2(sun.x, sun.z).length();
        (1..)
            .map(|step| step as f32 * per_step)
            .map(|far| (here + vec2(sun.x, sun.z) * far, sun.y * far))
            .take_while(|(place, _)| place.cmpge(vec2(0.0, 0.0)).all() && place.cmple(extent).all())
            .any(|(place, rise)| field.sample(place) > field.at(column, row) + rise + 1e-3)
    }

    #[test]
    fn shadows_lie_where_a_look_at_the_sun_says() {
        let grid = Grid::new(150, 110, 10.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, row| {
            let (x, z) = (column as f32, row as f32);
            180.0 * libm::sinf(x / 9.0) * libm::cosf(z / 13.0 + 1.0) + 30.0 * libm::sinf(x / 2.0 + z / 3.0)
        });
        for bearing in [0.0, 33.0, 45.0, 80.0, 90.0, 135.0, 170.0, 225.0, 269.0, 315.0, -20.0] {
            let sun = Sun { bearing, elevation: 20.0 };
            let view = view(&field, bearing, 20.0);
            let (mut wrong, mut dark) = (0, 0);
            for row in 0..grid.depth {
                for column in 0..grid.width {
                    let hidden = hidden(&field, column, row, sun);
                    dark += usize::from(hidden);
                    wrong += usize::from(hidden != (view.at(column, row) < 0.5));
                }
            }
            let (wrong, dark) = [wrong, dark].map(|count| count as f32 / grid.count() as f32).into();
            assert!(dark > 0.1, "only {dark} is dark at {bearing}°");
            assert!(wrong < 0.03, "{wrong} of all are wrong at {bearing}°");
        }
    }

    #[test]
    fn a_wall_casts_a_shadow_of_its_height_by_the_tangent() {
        for (bearing, along_x) in [(0.0, false), (180.0, false), (90.0, true), (270.0, true)] {
            let grid = Grid::new(301, 301, 1.0).unwrap();
            let field = Heightfield::from_fn(grid, |column, row| {
                if (if along_x { column } else { row }) == 150 { 50.0 } else { 0.0 }
            });
            let view = view(&field, bearing, 30.0);
            let dark: f32 = (0..301)
                .map(|index| 1.0 - if along_x { view.at(index, 77) } else { view.at(77, index) })
                .sum();
            assert!((dark - 50.0 * 3f32.sqrt()).abs() < 1.0, "{dark} m of shadow at {bearing}°");
        }
    }

    #[test]
    fn shadows_are_as_soft_as_the_sun_is_wide() {
        let grid = Grid::new(2001, 3, 1.0).unwrap();
        let field = Heightfield::from_fn(grid, |column, _| if column == 0 { 300.0 } else { 0.0 });
        let view = view(&field, 270.0, 15.0);
        let half =
            (0..2001).filter(|&column| view.at(column, 1) > 0.0 && view.at(column, 1) < 1.0).count() as f32;
        let end = |elevation: f32| 300.0 / elevation.to_radians().tan();
        let expected = end(15.0 - SUN_RADIUS) - end(15.0 + SUN_RADIUS);
        assert!((half - expected).abs() < 2.0, "{half} m of half shadow instead of {expected}");
    }

    #[test]
    fn plains_and_open_slopes_lie_in_the_sun() {
        let slope = |width, depth, rise: f32| {
            Heightfield::from_fn(Grid::new(width, depth, 10.0).unwrap(), |column, row| {
                rise * (column as f32 - 0.5 * row as f32)
            })
        };
        for (width, depth) in [(1, 1), (2, 1), (1, 2), (1, 300), (300, 1), (140, 33)] {
            for bearing in [0.0, 45.0, 100.0, 200.0, 300.0] {
                for (rise, elevation) in [(0.0, 1.0), (0.0, 90.0), (2.0, 20.0), (-2.0, 20.0)] {
                    let view = view(&slope(width, depth, rise), bearing, elevation);
                    let sunny = |index: usize| view.at(index % width, index / width) == 1.0;
                    assert!((0..width * depth).all(sunny), "{width}×{depth} at {bearing}°");
                }
            }
        }
    }
}
