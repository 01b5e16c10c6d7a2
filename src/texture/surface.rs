//! The ground under each texel, a run of texels at a time: height, slope and the way downhill.

use crate::heightfield::Heightfield;

use super::surroundings::Layer;
use super::weights::{degrees_from_gradient, downhill_from_gradient, larger};

/// Texels in a run: enough to fill the processor's lanes, few enough to stay in its first cache.
pub(super) const TILE: usize = 256;

/// A run of texels of one row. What lies beyond the end of the row is left from earlier runs.
pub(super) struct Ground {
    /// Metres.
    pub(super) height: [f32; TILE],
    /// Degrees.
    pub(super) slope: [f32; TILE],
    /// Unit vector downhill, towards east and towards south; 0 on flat ground.
    pub(super) downhill_x: [f32; TILE],
    pub(super) downhill_z: [f32; TILE],
    /// Noise in [−1, 1]: one moves borders, one mottles.
    pub(super) border: [f32; TILE],
    pub(super) grain: [f32; TILE],
    /// The lowest and the highest of `height` and of `slope`.
    pub(super) height_range: (f32, f32),
    pub(super) slope_range: (f32, f32),
    /// What the surface's layers hold, in [0, 1].
    pub(super) layers: Vec<[f32; TILE]>,
}

impl Default for Ground {
    /// Level ground.
    fn default() -> Self {
        Self {
            height: [0.0; TILE],
            slope: [0.0; TILE],
            downhill_x: [0.0; TILE],
            downhill_z: [0.0; TILE],
            border: [0.0; TILE],
            grain: [0.0; TILE],
            height_range: (0.0, 0.0),
            slope_range: (0.0, 0.0),
            layers: Vec::new(),
        }
    }
}

/// Reads a field at the centres of the texels that lie over it.
pub(super) struct Surface<'a> {
    field: &'a Heightfield,
    layers: Vec<&'a Layer>,
    rows: usize,
    /// For each column of texels: the sample to its west, and how far it lies towards the next.
    west: Vec<(u32, f32)>,
}

/// A row of samples at a texel's row, each array one longer than the field is wide so that the
/// last column has a neighbour to its east.
#[derive(Default)]
pub(super) struct SurfaceRow {
    height: Vec<f32>,
    gradient_x: Vec<f32>,
    gradient_z: Vec<f32>,
    layers: Vec<Vec<f32>>,
}

impl<'a> Surface<'a> {
    /// A reader for `columns × rows` texels, of the field and of layers over it.
    pub(super) fn new(field: &'a Heightfield, layers: Vec<&'a Layer>, columns: usize, rows: usize) -> Self {
        let west = (0..columns).map(|column| place(column, columns, field.grid().width)).collect();
        Self { field, layers, rows, west }
    }

    /// Interpolates between the rows of samples to the north and to the south of a row of texels.
    pub(super) fn read_row(&self, row: usize, out: &mut SurfaceRow) {
        let grid = self.field.grid();
        let (width, last) = (grid.width, grid.depth - 1);
        let (r0, t) = place(row, self.rows, grid.depth);
        let r0 = r0 as usize;
        let r1 = (r0 + 1).min(last);
        for array in [&mut out.height, &mut out.gradient_x, &mut out.gradient_z] {
            array.resize(width + 1, 0.0);
        }

        let (north, south) = (self.field.row(r0), self.field.row(r1));
        for ((out, &north), &south) in out.height.iter_mut().zip(north).zip(south) {
            *out = north + (south - north) * t;
        }
        out.height[width] = out.height[width - 1];

        // The gradient towards the south at both rows: central, one-sided at the border.
        let ends = |row: usize| (row.saturating_sub(1), (row + 1).min(last));
        let ((n0, s0), (n1, s1)) = (ends(r0), ends(r1));
        let share = |(n, s): (usize, usize), t: f32| t / ((s - n).max(1) as f32 * grid.cell);
        let (k0, k1) = (share((n0, s0), 1.0 - t), share((n1, s1), t));
        let rows = [n0, s0, n1, s1].map(|row| &self.field.row(row)[..width]);
        for (column, out) in out.gradient_z[..width].iter_mut().enumerate() {
            let [n0, s0, n1, s1] = rows.map(|row| row[column]);
            *out = (s0 - n0) * k0 + (s1 - n1) * k1;
        }
        out.gradient_z[width] = out.gradient_z[width - 1];

        // Towards the east it is that of the interpolated row.
        let height = &out.height[..width];
        let per_two_cells = 0.5 / grid.cell;
        for (out, three) in out.gradient_x[1..].iter_mut().zip(height.windows(3)) {
            *out = (three[2] - three[0]) * per_two_cells;
        }
        let second = 1.min(width - 1);
        out.gradient_x[0] = (height[second] - height[0]) / grid.cell;
        out.gradient_x[width - 1] = (height[width - 1] - height[width - 1 - second]) / grid.cell;
        out.gradient_x[width] = out.gradient_x[width - 1];

        out.layers.resize_with(self.layers.len(), Vec::new);
        for (layer, out) in self.layers.iter().zip(&mut out.layers) {
            out.resize(width + 1, 0.0);
            layer.read_between((r0, r1), t, out);
            out[width] = out[width - 1];
        }
    }

    /// Interpolates along a row read before, for the run of texels that begins at `start`.
    pub(super) fn read_run(&self, row: &SurfaceRow, start: usize, out: &mut Ground) {
        let run = &self.west[start..self.west.len().min(start + TILE)];
        let count = run.len();
        let width = self.field.grid().width;
        let arrays = [&row.height, &row.gradient_x, &row.gradient_z].map(|array| &array[..=width]);
        // The gradient is put where the way downhill will be.
        let outs = out.height.iter_mut().zip(&mut out.downhill_x).zip(&mut out.downhill_z);
        for (&(west, t), ((height, x), z)) in run.iter().zip(outs) {
            let between = |array: &[f32]| {
                let west = west as usize;
                array[west] + (array[west + 1] - array[west]) * t
            };
            let [h, gx, gz] = arrays.map(between);
            (*height, *x, *z) = (h, gx, gz);
        }
        out.layers.resize(self.layers.len(), [0.0; TILE]);
        for (row, out) in row.layers.iter().zip(&mut out.layers) {
            for (&(west, t), out) in run.iter().zip(out) {
                let west = west as usize;
                *out = row[west] + (row[west + 1] - row[west]) * t;
            }
        }
        for index in 0..TILE {
            let (x, z) = (out.downhill_x[index], out.downhill_z[index]);
            out.slope[index] = degrees_from_gradient((x * x + z * z).sqrt());
            (out.downhill_x[index], out.downhill_z[index]) = downhill_from_gradient(x, z);
        }
        out.height_range = range(&out.height[..count]);
        out.slope_range = range(&out.slope[..count]);
    }
}

/// The sample before the centre of texel `index` of `count`, and the share of the way to the next.
pub(super) fn place(index: usize, count: usize, samples: usize) -> (u32, f32) {
    let p_in_grid = (index as f64 + 0.5) / count as f64 * (samples - 1) as f64;
    let first = p_in_grid.floor();
    (first as u32, (p_in_grid - first) as f32)
}

/// The lowest and the highest of some values, several at once.
fn range(values: &[f32]) -> (f32, f32) {
    let mut low = [f32::INFINITY; 8];
    let mut high = [f32::NEG_INFINITY; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for lane in 0..8 {
            low[lane] = if eight[lane] < low[lane] { eight[lane] } else { low[lane] };
            high[lane] = larger(eight[lane], high[lane]);
        }
    }
    let all = |lanes: [f32; 8]| lanes.into_iter().chain(rest.iter().copied());
    (all(low).fold(f32::INFINITY, f32::min), all(high).fold(f32::NEG_INFINITY, f32::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heightfield::Grid;
    use glam::Vec2;

    #[test]
    fn runs_agree_with_the_field_at_every_texel() {
        let grid = Grid::new(23, 17, 7.0).unwrap();
        let field = Heightfield::from_fn(grid, |c, r| ((c * c * 3 + r * r * r) % 41) as f32);
        let (columns, rows) = (300, 40);
        let surface = Surface::new(&field, Vec::new(), columns, rows);
        let (mut row, mut ground) = (SurfaceRow::default(), Ground::default());
        for r in 0..rows {
            surface.read_row(r, &mut row);
            for start in [0, TILE] {
                surface.read_run(&row, start, &mut ground);
                for index in 0..TILE.min(columns - start) {
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
