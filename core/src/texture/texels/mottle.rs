//! Noise that mottles colours and roughens borders: octaves of gradient noise, two values per texel from one
//! lattice, evaluated along rows.
//!
//! Along a row inside a lattice cell, gradient noise is a blend of two straight lines. So a row costs a few
//! operations per lattice point, and a texel costs those two lines and their blend.

use std::ops::Range;

use crate::math::smoothstep::smootherstep;

use super::RUN;

/// The factor by which patches are smaller than in the previous octave.
const LACUNARITY: f64 = 2.5;
/// The factor of the previous octave's amplitude.
const GAIN: f32 = 0.75;
/// The number of octaves.
const OCTAVES: i32 = 5;
/// Brings the sum of all octaves to a standard deviation of about a third.
const STRENGTH: f32 = 2.1;

/// Texels that are written together; those beyond the end of a lattice cell are overwritten by the next cell.
const LANES: usize = 8;

/// Noise over a map of texels.
pub(crate) struct Mottle {
    octaves: Vec<Octave>,
}

struct Octave {
    seed: u64,
    amplitude: f32,
    /// Lattice cells per texel, and where in the lattice the land's row 0 begins.
    cells_per_texel: f64,
    origin_z: f64,
    /// The number of the first row, counted over the whole land.
    first_row: i64,
    /// The lattice column west of the first texel.
    first_column: i64,
    /// The first texel of each column of lattice cells, and at the end the number of texels.
    starts: Vec<usize>,
    /// For each texel: how far it is into its cell, and the smootherstep of that. Longer by [`LANES`].
    columns: Vec<f32>,
    smooth: Vec<f32>,
}

/// A row of the noise, prepared for evaluation.
#[derive(Default)]
pub(crate) struct MottleRow {
    octaves: Vec<OctaveRow>,
}

#[derive(Default)]
struct OctaveRow {
    /// The row of lattice cells to which the gradients belong, and the first and last of its cells.
    cells: Option<(i64, usize, usize)>,
    /// Gradients at the lattice points to the north and to the south: x and z of the first noise, then of the
    /// second.
    north: Vec<[f32; 4]>,
    south: Vec<[f32; 4]>,
    /// For each column of lattice points the straight line along the row that results from its northern and
    /// its southern point: rise and height at the column, for the first noise, then for the second.
    lines: Vec<[f32; 4]>,
}

impl Mottle {
    /// Noise whose largest patches are `patch` metres, for rows of `columns` texels, each `texel` metres
    /// wide, starting at texel number `first` of the whole land. Octaves too small for the texels fade out.
    pub(crate) fn new(seed: u64, patch: f64, texel: f64, columns: usize, first: [i64; 2]) -> Self {
        let amplitudes = (0..OCTAVES).map(|octave| powi(GAIN, octave));
        let energy: f32 = amplitudes.clone().map(|amplitude| amplitude * amplitude).sum();
        let octaves = amplitudes.enumerate().filter_map(|(octave, amplitude)| {
            let wavelength = patch / (0..octave).fold(1.0, |ratio, _| ratio * LACUNARITY);
            let texels = (wavelength / texel) as f32;
            // Patches of fewer than two texels would alias; between two and five they fade, so that no octave
            // appears suddenly as texels become finer.
            let fade = ((texels - 2.0) / 3.0).clamp(0.0, 1.0);
            // Divided by the energy of all octaves, not of those left: a coarse map is smoother and not more
            // contrasty.
            let amplitude = amplitude * fade * STRENGTH / energy.sqrt();
            (fade > 0.0).then(|| {
                Octave::new(hash(seed, octave as i64, -1), amplitude, texel / wavelength, columns, first)
            })
        });
        Self { octaves: octaves.collect() }
    }

    /// Prepares a row for evaluation at the texels of `columns`.
    #[inline(always)]
    pub(crate) fn read_row(&self, row: usize, columns: Range<usize>, out: &mut MottleRow) {
        out.octaves.resize_with(self.octaves.len(), OctaveRow::default);
        for (octave, out) in self.octaves.iter().zip(&mut out.octaves) {
            octave.read_row(row, columns.clone(), out);
        }
    }

    /// Both noises for the run of texels that begins at `start`, each in [−1, 1].
    #[inline(always)]
    pub(crate) fn read_run(&self, row: &MottleRow, start: usize, a: &mut [f32; RUN], b: &mut [f32; RUN]) {
        a.fill(0.0);
        b.fill(0.0);
        for (octave, row) in self.octaves.iter().zip(&row.octaves) {
            octave.add_run(row, start, a, b);
        }
        for values in [a, b] {
            for value in values {
                let low = if *value < -1.0 { -1.0 } else { *value };
                *value = if low > 1.0 { 1.0 } else { low };
            }
        }
    }
}

impl Octave {
    fn new(seed: u64, amplitude: f32, cells_per_texel: f64, columns: usize, first: [i64; 2]) -> Self {
        // Gradient noise is 0 at its lattice points, so octaves must not have points in common.
        let [origin_x, _, origin_z, _] = gradients(seed, 0, 0).map(|value| 50.0 * f64::from(value));
        // Counted over the whole land in whole numbers, so that a texel has the same noise in every part.
        let place = |column: usize| origin_x + ((first[0] + column as i64) as f64 + 0.5) * cells_per_texel;
        let first_column = place(0).floor() as i64;
        let mut this = Self {
            seed,
            amplitude,
            cells_per_texel,
            origin_z,
            first_row: first[1],
            first_column,
            starts: vec![0],
            columns: Vec::with_capacity(columns + LANES),
            smooth: Vec::with_capacity(columns + LANES),
        };
        for column in 0..columns {
            let place = place(column);
            let cell = place.floor();
            // Where cells are narrower than texels, those without a texel begin where the next one does.
            while this.starts.len() as i64 <= (cell as i64).saturating_sub(first_column) {
                this.starts.push(column);
            }
            let t = (place - cell) as f32;
            this.columns.push(t);
            this.smooth.push(smootherstep(t));
        }
        this.starts.push(columns);
        this.columns.resize(columns + LANES, 0.0);
        this.smooth.resize(columns + LANES, 0.0);
        this
    }

    #[inline(always)]
    fn read_row(&self, row: usize, columns: Range<usize>, out: &mut OctaveRow) {
        let place = self.origin_z + ((self.first_row + row as i64) as f64 + 0.5) * self.cells_per_texel;
        let cell = place.floor() as i64;
        let t = (place - place.floor()) as f32;
        let (first, last) = (self.cell_of(columns.start), self.cell_of(columns.end - 1));
        if out.cells != Some((cell, first, last)) {
            let gradients = |z: i64| {
                // One more point than cells, for the last cell's eastern end.
                let points = first as i64..=last as i64 + 1;
                points.map(move |point| gradients(self.seed, self.first_column.wrapping_add(point), z))
            };
            if out.cells == Some((cell.wrapping_sub(1), first, last)) {
                std::mem::swap(&mut out.north, &mut out.south);
            } else {
                out.north.clear();
                out.north.extend(gradients(cell));
            }
            out.south.clear();
            out.south.extend(gradients(cell.wrapping_add(1)));
            out.cells = Some((cell, first, last));
        }
        let south_share = smootherstep(t);
        let (north_share, from_north, from_south) = (1.0 - south_share, t, t - 1.0);
        out.lines.clear();
        out.lines.extend(out.north.iter().zip(&out.south).map(|(north, south)| {
            let rise = |x: usize| (north[x] * north_share + south[x] * south_share) * self.amplitude;
            let height = |z: usize| {
                let (north, south) = (north[z] * from_north, south[z] * from_south);
                (north * north_share + south * south_share) * self.amplitude
            };
            [rise(0), height(1), rise(2), height(3)]
        }));
    }

    /// The number of the lattice cell that contains a texel.
    fn cell_of(&self, column: usize) -> usize {
        self.starts.partition_point(|&first| first <= column) - 1
    }

    #[inline(always)]
    fn add_run(&self, row: &OctaveRow, start: usize, a: &mut [f32; RUN], b: &mut [f32; RUN]) {
        let end = (self.columns.len() - LANES).min(start + RUN);
        let (mut sums_a, mut sums_b) = ([0.0; RUN + LANES], [0.0; RUN + LANES]);
        let first_cell = row.cells.map_or(0, |(_, first, _)| first);
        let mut cell = self.cell_of(start);
        let mut from = start;
        while from < end {
            let to = self.starts[cell + 1].min(end);
            let line = cell - first_cell;
            let ([wa, wa0, wb, wb0], [ea, ea0, eb, eb0]) = (row.lines[line], row.lines[line + 1]);
            // As in `noise::lattice`: excess lanes are overwritten by the next cell, the last ones fall into
            // the padding.
            for column in (from..to).step_by(LANES) {
                let (t, east) = (lanes(&self.columns, column), lanes(&self.smooth, column));
                let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
                for lane in 0..LANES {
                    let (t, east) = (t[lane], east[lane]);
                    let (west_a, east_a) = (wa * t + wa0, ea * (t - 1.0) + ea0);
                    let (west_b, east_b) = (wb * t + wb0, eb * (t - 1.0) + eb0);
                    a[lane] = west_a + (east_a - west_a) * east;
                    b[lane] = west_b + (east_b - west_b) * east;
                }
                sums_a[column - start..][..LANES].copy_from_slice(&a);
                sums_b[column - start..][..LANES].copy_from_slice(&b);
            }
            (from, cell) = (to, cell + 1);
        }
        // Summed once for the whole run: adding in place would count the excess lanes twice.
        a.iter_mut().zip(&sums_a).for_each(|(sum, value)| *sum += value);
        b.iter_mut().zip(&sums_b).for_each(|(sum, value)| *sum += value);
    }
}

#[inline(always)]
fn lanes(values: &[f32], first: usize) -> [f32; LANES] {
    std::array::from_fn(|lane| values[first..][..LANES][lane])
}

fn powi(base: f32, exponent: i32) -> f32 {
    (0..exponent).fold(1.0, |power, _| power * base)
}

/// Two gradients at a lattice point, each component in [−1, 1).
fn gradients(seed: u64, x: i64, z: i64) -> [f32; 4] {
    let bits = hash(seed, x, z);
    [48, 32, 16, 0].map(|shift| ((bits >> shift) & 0xffff) as f32 / 32768.0 - 1.0)
}

/// Mixes a seed and a place into 64 uniform bits (the finaliser of SplitMix64).
fn hash(seed: u64, x: i64, z: i64) -> u64 {
    let place =
        (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (z as u64).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let mut bits = seed.wrapping_add(place);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(columns: usize, rows: usize) -> Vec<f32> {
        let mottle = Mottle::new(7, 100.0, 1.0, columns, [0; 2]);
        let (mut row, mut a, mut b) = (MottleRow::default(), [0.0; RUN], [0.0; RUN]);
        let mut all = Vec::new();
        for r in 0..rows {
            mottle.read_row(r, 0..columns, &mut row);
            for start in (0..columns).step_by(RUN) {
                mottle.read_run(&row, start, &mut a, &mut b);
                all.extend_from_slice(&a[..RUN.min(columns - start)]);
            }
        }
        all
    }

    #[test]
    fn noise_is_balanced_and_strong_enough_to_see() {
        let all = picture(600, 600);
        let count = all.len() as f32;
        let mean = all.iter().sum::<f32>() / count;
        let deviation = (all.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / count).sqrt();
        assert!(mean.abs() < 0.1, "mean {mean}");
        assert!((0.25..0.5).contains(&deviation), "deviation {deviation}");
        assert!(all.iter().all(|value| (-1.0..=1.0).contains(value)));
    }

    #[test]
    fn noise_has_no_seams() {
        let (columns, all) = (600, picture(600, 200));
        let step = |a: f32, b: f32| (a - b).abs();
        for index in columns..all.len() {
            assert!(step(all[index], all[index - columns]) < 0.5);
            assert!(index % columns == 0 || step(all[index], all[index - 1]) < 0.5);
        }
    }

    #[test]
    fn rows_may_be_read_in_any_order() {
        let mottle = Mottle::new(7, 30.0, 1.0, 100, [0; 2]);
        let read = |rows: &[usize]| {
            let (mut row, mut a, mut b) = (MottleRow::default(), [0.0; RUN], [0.0; RUN]);
            for &r in rows {
                mottle.read_row(r, 0..100, &mut row);
            }
            mottle.read_run(&row, 0, &mut a, &mut b);
            (a, b)
        };
        let expected = read(&[40]);
        assert_eq!(read(&(0..=40).collect::<Vec<_>>()), expected);
        assert_eq!(read(&[90, 3, 41, 40]), expected);
    }
}
