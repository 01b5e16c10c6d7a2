//! The ground under a run of texels: height, slope, the downhill direction, the incidence of the sun's light,
//! and the values of layers over the field.

use std::ops::Range;

use glam::Vec3;

use crate::analysis::ShareMap;
use crate::analysis::slope::{degrees_from_gradient, downhill_from_gradient};
use crate::grid::Heightfield;
use crate::math::simd::{larger, smaller};

use super::RUN;
use super::taps::tap;

/// The ground under a run of texels of one row. Beyond the end of the row its last texel is repeated.
pub(crate) struct GroundRun {
    /// Metres.
    pub(crate) height: [f32; RUN],
    /// Degrees.
    pub(crate) slope: [f32; RUN],
    /// Unit vector downhill, towards east and towards south; 0 on level ground, and everywhere if it isn't
    /// needed.
    pub(crate) downhill_x: [f32; RUN],
    pub(crate) downhill_z: [f32; RUN],
    /// The cosine of the sun's angle of incidence, 0 where the ground faces away.
    pub(crate) lit: [f32; RUN],
    /// Noise in [−1, 1]: `border` moves elevation limits, `grain` slope limits; together they mottle colours.
    pub(crate) border: [f32; RUN],
    pub(crate) grain: [f32; RUN],
    /// The lowest and the highest of `height` and of `slope`.
    pub(crate) height_range: (f32, f32),
    pub(crate) slope_range: (f32, f32),
    /// The values of the surface's layers, in [0, 1].
    pub(crate) layers: Vec<[f32; RUN]>,
    /// Scratch memory of [`Surface::read_run`].
    quads: [[f32; 4]; RUN],
}

impl Default for GroundRun {
    /// Level ground at height 0.
    fn default() -> Self {
        Self {
            height: [0.0; RUN],
            slope: [0.0; RUN],
            downhill_x: [0.0; RUN],
            downhill_z: [0.0; RUN],
            lit: [1.0; RUN],
            border: [0.0; RUN],
            grain: [0.0; RUN],
            height_range: (0.0, 0.0),
            slope_range: (0.0, 0.0),
            layers: Vec::new(),
            quads: [[0.0; 4]; RUN],
        }
    }
}

/// Reads a field, and layers over it, at the centres of the texels over it.
pub(crate) struct Surface<'a> {
    field: &'a Heightfield,
    layers: Vec<&'a ShareMap>,
    rows: usize,
    /// For each column of texels its [`tap`]: the sample to its west, and the share of the way to the next.
    /// Extended to whole runs.
    west: Vec<(u32, f32)>,
    /// Unit vector towards the sun, if its light is needed.
    sun: Option<Vec3>,
    /// Whether the downhill direction is needed.
    downhill: bool,
}

/// A part of the samples around a row of texels, interpolated to that row.
#[derive(Default)]
pub(crate) struct SurfaceRow {
    /// The first sample of each of `quads`.
    first: usize,
    /// Four numbers for each sample, so that they are interpolated together: height, gradient towards east
    /// and towards south, and the first layer; then four layers at a time.
    quads: Vec<Vec<[f32; 4]>>,
    /// Heights from one sample before the first to one after the last, and one of the numbers of the quads.
    height: Vec<f32>,
    channel: Vec<f32>,
}

impl<'a> Surface<'a> {
    /// A reader for `columns × rows` texels over all of a field.
    pub(crate) fn new(
        field: &'a Heightfield,
        layers: Vec<&'a ShareMap>,
        columns: usize,
        rows: usize,
    ) -> Self {
        // Padded with the last column, so that the last run needs no special case.
        let padded = 0..columns.next_multiple_of(RUN);
        let tap = |column: usize| tap(column.min(columns - 1), columns, field.grid().width);
        Self { field, layers, rows, west: padded.map(tap).collect(), sun: None, downhill: true }
    }

    /// The same, for textures that need the light from `sun` or the downhill direction.
    pub(crate) fn with(self, sun: Option<Vec3>, downhill: bool) -> Self {
        Self { sun, downhill, ..self }
    }

    /// Interpolates between the rows of samples to the north and to the south of a row of texels, as far as
    /// the texels of `columns` need them; `columns` may reach beyond the map to the end of a run.
    #[inline(always)]
    pub(crate) fn read_row(&self, row: usize, columns: Range<usize>, out: &mut SurfaceRow) {
        let grid = self.field.grid();
        let last_row = grid.depth - 1;
        let (r0, t) = tap(row, self.rows, grid.depth);
        let r0 = r0 as usize;
        let r1 = (r0 + 1).min(last_row);

        // The samples that are needed (one may lie beyond the border), those that exist, and those with their
        // neighbours.
        let first = self.west[columns.start].0 as usize;
        // Two: the sample west of the last texel is included, and the one east of it.
        let beyond = self.west[columns.end - 1].0 as usize + 2;
        let end = beyond.min(grid.width);
        let (lowest, highest) = (first.saturating_sub(1), (end + 1).min(grid.width));
        let SurfaceRow { quads, height, channel, .. } = out;
        out.first = first;
        // Height, two gradients and the first layer fill one quad; the others come in fours.
        quads.resize_with(1 + (self.layers.len() + 2) / 4, Vec::new);
        quads.iter_mut().for_each(|quad| quad.resize(beyond - first, [0.0; 4]));
        let mut put = |index: usize, values: &[f32]| {
            let quad = &mut quads[index / 4];
            let lane = index % 4;
            quad.iter_mut().zip(values).for_each(|(quad, value)| quad[lane] = *value);
            // Beyond the eastern border the last sample is repeated.
            if end < beyond {
                quad[beyond - first - 1][lane] = values[end - first - 1];
            }
        };

        let (north, south) = (&self.field.row(r0)[lowest..highest], &self.field.row(r1)[lowest..highest]);
        height.clear();
        // Interpolated down first, once for a row of texels; along the row each run then reads neighbouring
        // numbers.
        height.extend(north.iter().zip(south).map(|(north, south)| north + (south - north) * t));
        put(0, &height[first - lowest..end - lowest]);

        // The gradient towards the east is that of the interpolated row: central differences, one-sided at
        // the border.
        let per_two_cells = 0.5 / grid.cell;
        channel.clear();
        let rise = |west: usize, east: usize| height[east - lowest] - height[west - lowest];
        let last = grid.width - 1;
        if first == 0 {
            channel.push(rise(0, last.min(1)) / grid.cell);
        }
        channel.extend(height.windows(3).map(|three| (three[2] - three[0]) * per_two_cells));
        if end == grid.width && last > 0 {
            channel.push(rise(last - 1, last) / grid.cell);
        }
        put(1, channel);

        // The gradient towards the south is interpolated between those of both rows.
        let ends = |row: usize| (row.saturating_sub(1), (row + 1).min(last_row));
        let ((n0, s0), (n1, s1)) = (ends(r0), ends(r1));
        // The gradient at each row times its share, with the division by the run drawn into one factor.
        let share = |(n, s): (usize, usize), t: f32| t / ((s - n).max(1) as f32 * grid.cell);
        let (k0, k1) = (share((n0, s0), 1.0 - t), share((n1, s1), t));
        let [n0, s0, n1, s1] = [n0, s0, n1, s1].map(|row| &self.field.row(row)[first..end]);
        channel.clear();
        let rows = n0.iter().zip(s0).zip(n1.iter().zip(s1));
        channel.extend(rows.map(|((n0, s0), (n1, s1))| (s0 - n0) * k0 + (s1 - n1) * k1));
        put(2, channel);

        for (index, layer) in self.layers.iter().enumerate() {
            channel.clear();
            channel.resize(end - first, 0.0);
            layer.read_between((r0, r1), first..end, t, channel);
            put(3 + index, channel);
        }
    }

    /// Interpolates along a row that was read, for the run of texels that begins at `start`, a multiple of
    /// [`RUN`].
    #[inline(always)]
    pub(crate) fn read_run(&self, row: &SurfaceRow, start: usize, out: &mut GroundRun) {
        let Some(run) = self.west[start..].first_chunk::<RUN>() else { return };
        out.layers.resize(self.layers.len(), [0.0; RUN]);
        let GroundRun { quads, height, downhill_x: gradient_x, downhill_z: gradient_z, .. } = out;
        interpolate(&row.quads[0], row.first, run, quads);
        for (index, quad) in quads.iter().enumerate() {
            // The gradient is stored where the downhill direction will be.
            (height[index], gradient_x[index], gradient_z[index]) = (quad[0], quad[1], quad[2]);
        }
        let mut layers = out.layers.iter_mut();
        if let Some(layer) = layers.next() {
            layer.iter_mut().zip(&*quads).for_each(|(out, quad)| *out = quad[3]);
        }
        for (lanes, layers) in row.quads[1..].iter().zip(layers.into_slice().chunks_mut(4)) {
            interpolate(lanes, row.first, run, quads);
            for (lane, layer) in layers.iter_mut().enumerate() {
                layer.iter_mut().zip(&*quads).for_each(|(out, quad)| *out = quad[lane]);
            }
        }

        if let Some(sun) = self.sun {
            for index in 0..RUN {
                let (x, z) = (gradient_x[index], gradient_z[index]);
                // The normal is (−gradient x, 1, −gradient z), not yet of unit length.
                let towards = sun.y - x * sun.x - z * sun.z;
                out.lit[index] = larger(towards / (1.0 + (x * x + z * z)).sqrt(), 0.0);
            }
        }
        for index in 0..RUN {
            let (x, z) = (gradient_x[index], gradient_z[index]);
            out.slope[index] = degrees_from_gradient((x * x + z * z).sqrt());
        }
        if self.downhill {
            for index in 0..RUN {
                (gradient_x[index], gradient_z[index]) =
                    downhill_from_gradient(gradient_x[index], gradient_z[index]);
            }
        } else {
            (*gradient_x, *gradient_z) = ([0.0; RUN], [0.0; RUN]);
        }
        out.height_range = range(&out.height);
        out.slope_range = range(&out.slope);
    }
}

/// Interpolates four numbers together along a row whose first sample is number `first`.
#[inline(always)]
fn interpolate(row: &[[f32; 4]], first: usize, run: &[(u32, f32); RUN], out: &mut [[f32; 4]; RUN]) {
    for (out, &(west, t)) in out.iter_mut().zip(run) {
        // Runs at the ends of a window reach beyond the samples that were read.
        let west = (west as usize).wrapping_sub(first).min(row.len() - 2);
        if let Some([west, east]) = row[west..].first_chunk() {
            for lane in 0..4 {
                out[lane] = west[lane] + (east[lane] - west[lane]) * t;
            }
        }
    }
}

/// The lowest and the highest of a run's values.
#[inline(always)]
pub(crate) fn range(values: &[f32; RUN]) -> (f32, f32) {
    let mut low = [f32::INFINITY; 16];
    let mut high = [f32::NEG_INFINITY; 16];
    for values in values.as_chunks::<16>().0 {
        for lane in 0..16 {
            low[lane] = smaller(values[lane], low[lane]);
            high[lane] = larger(values[lane], high[lane]);
        }
    }
    (low.into_iter().fold(f32::INFINITY, smaller), high.into_iter().fold(f32::NEG_INFINITY, larger))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use glam::Vec2;

    #[test]
    fn runs_agree_with_the_field_at_every_texel() {
        let grid = Grid::new(23, 17, 7.0).unwrap();
        let field = Heightfield::from_fn(grid, |c, r| ((c * c * 3 + r * r * r) % 41) as f32);
        let (columns, rows) = (300, 40);
        let surface = Surface::new(&field, Vec::new(), columns, rows);
        let (mut row, mut ground) = (SurfaceRow::default(), GroundRun::default());
        for r in 0..rows {
            surface.read_row(r, 0..2 * RUN, &mut row);
            for start in [0, RUN] {
                surface.read_run(&row, start, &mut ground);
                for index in 0..RUN.min(columns - start) {
                    let share = Vec2::new(
                        (start + index) as f32 / columns as f32 + 0.5 / columns as f32,
                        r as f32 / rows as f32 + 0.5 / rows as f32,
                    );
                    let place = share * grid.extent();
                    assert!((ground.height[index] - field.sample(place)).abs() < 1e-2);
                    let normal = field.normal(place);
                    let downhill = Vec2::new(normal.x, normal.z).normalize_or_zero();
                    let slope = normal.y.acos().to_degrees();
                    assert!((ground.slope[index] - slope).abs() < 0.1, "{} {slope}", ground.slope[index]);
                    if slope > 10.0 {
                        assert!((ground.downhill_x[index] - downhill.x).abs() < 1e-2);
                        assert!((ground.downhill_z[index] - downhill.y).abs() < 1e-2);
                    }
                }
            }
        }
    }
}
