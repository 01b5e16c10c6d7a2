//! The positions of a map's texels among the samples of a land.

use crate::analysis::ShareMap;

/// The last sample before the centre of texel `index` of `count` along a side, and the share of the way from
/// it to the next sample.
pub(crate) fn tap(index: usize, count: usize, samples: usize) -> (u32, f32) {
    // In f64: over 32768 texels f32 would leave only nine bits for the share.
    let p_in_grid = (index as f64 + 0.5) / count as f64 * (samples - 1) as f64;
    let first = p_in_grid.floor();
    (first as u32, (p_in_grid - first) as f32)
}

impl ShareMap {
    /// Interpolates the texels of one row of a map of `size` texels, from a column on.
    pub(crate) fn read_texels(&self, size: (usize, usize), row: usize, column: usize, out: &mut [f32]) {
        let grid = self.grid();
        let (north, share) = tap(row, size.1, grid.depth);
        let north = north as usize;
        let mut line = vec![0.0; grid.width];
        self.read_between((north, (north + 1).min(grid.depth - 1)), 0..grid.width, share, &mut line);
        for (index, out) in out.iter_mut().enumerate() {
            let (west, share) = tap(column + index, size.0, grid.width);
            let west = west as usize;
            let (a, b) = (line[west], line[(west + 1).min(grid.width - 1)]);
            *out = a + (b - a) * share;
        }
    }
}
