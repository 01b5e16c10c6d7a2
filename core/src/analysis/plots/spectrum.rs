//! The power spectrum of a land's heights, averaged over all directions.
//!
//! The periodogram of the heights less their mean plane, under Hann's window, by the discrete Fourier
//! transform in two dimensions. For a surface with Hurst exponent H the power falls with the frequency k as
//! k^−β with β = 2H + 2 (Voss, "Random fractal forgeries", 1985; Turcotte, "Fractals and chaos in geology and
//! geophysics", 1997).

use std::f64::consts::TAU;
use std::sync::Arc;

use rayon::prelude::*;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::fit::power_law;
use super::par_rows::{check_finite, map_rows, without_relief};
use super::plot::{Axis, Plot, Scale, SeriesKind};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Grid, Heightfield, memory};

/// Samples of a side that are transformed, at most: of a larger land those in its middle.
pub const MAX_TRANSFORMED: usize = 2048;
/// Samples that a side needs.
const FEWEST: usize = 16;
/// Samples that the shorter side needs for the fit to keep away from both ends of the spectrum.
const ENOUGH: usize = 64;
/// Columns that are transposed at a time.
const BLOCK: usize = 32;
/// Below this share of its heights, land less its mean plane is nothing but rounding.
const ROUNDING: f64 = 1e-6;

/// The radially averaged power spectral density of a land's heights over the spatial frequency, in m⁴ over
/// 1/m: one point for each ring of frequencies, which are one wave along the shorter side apart, up to half a
/// wave a cell. The density is that of both signs of both frequencies: its integral over the plane of
/// frequencies is the variance of the heights less their mean plane.
///
/// It notes β, the negative slope of the least-squares line through the logarithms, from 4 waves along the
/// shorter side to 8 samples a wave (with fewer than 64 samples a side from 2 waves to 4 samples a wave), in
/// which every octave counts alike; the Hurst exponent H = (β − 2)/2 of a self-affine surface; `hurst`, if
/// theory gives one, and a line for it; and the wavelengths between which the line was fitted.
///
/// Of a side with more than [`MAX_TRANSFORMED`] samples only those in the middle are transformed, and a
/// remark says so.
///
/// # Errors
/// [`Error::Size`] with fewer than 16 samples on a side, or too little memory. When the land is level, or a
/// plane but for rounding, or a height is not finite; [`Error::Cancelled`].
pub fn spectrum(field: &Heightfield, hurst: Option<f64>, work: &Work) -> Result<Plot> {
    let whole = field.grid();
    if whole.width.min(whole.depth) < FEWEST {
        let reason =
            format!("are too few for a spectrum, which needs {FEWEST} on each side; give larger land");
        return Err(Error::Size { width: whole.width, depth: whole.depth, reason });
    }
    check_finite(field, work)?;
    let periodogram = Periodogram::of(field, work)?;
    let Grid { width, depth, cell } = periodogram.grid;
    let shorter = width.min(depth);
    let length = shorter as f64 * f64::from(cell);
    let rings = periodogram.rings(work)?;
    let (waves, samples) = if shorter < ENOUGH { (2.0, 4.0) } else { (4.0, 8.0) };
    let (from, to) = (waves / length, 1.0 / (samples * f64::from(cell)));
    // Half a ring more at both ends: rings are one wave wide, and the frequency of a ring is a mean.
    let middle = |ring: &&[f64; 2]| (from - 0.5 / length..=to + 0.5 / length).contains(&ring[0]);
    // Rings are evenly far apart and octaves are not: by 1/k each octave weighs the same.
    let fit = power_law(rings.iter().filter(middle).map(|&[k, power]| ([k, power], 1.0 / k)));

    let frequency = Axis::new("spatial frequency", "1/m", Scale::Log);
    let mut plot =
        Plot::new("Power spectrum", frequency, Axis::new("power spectral density", "m⁴", Scale::Log));
    plot.add("mean over all directions", SeriesKind::Line, rings);
    if let Some(fit) = fit {
        plot.add("least squares", SeriesKind::Dashes, fit.ends([from, to]));
        if let Some(hurst) = hurst {
            let theory = fit.turned(-(2.0 * hurst + 2.0), (from * to).sqrt());
            plot.add("theory", SeriesKind::Dashes, theory.ends([from, to]));
        }
        plot.note("exponent β", -fit.slope, "");
        plot.note("Hurst exponent H", (-fit.slope - 2.0) / 2.0, "");
        plot.note("H in theory", hurst, "");
        plot.note("fitted from", 1.0 / from, "m");
        plot.note("fitted to", 1.0 / to, "m");
    }
    plot.note("standard deviation", periodogram.variance.sqrt(), "m");
    if (width, depth) != (whole.width, whole.depth) {
        plot.remarks.push(format!(
            "The spectrum is that of {width} × {depth} samples in the middle of {} × {}.",
            whole.width, whole.depth
        ));
    }
    Ok(plot)
}

/// The power of every frequency.
struct Periodogram {
    /// The samples that were transformed.
    grid: Grid,
    /// The mean square of the heights less their mean plane, m².
    variance: f64,
    /// Power spectral density in m⁴, by columns: frequencies along Z follow each other.
    power: Vec<f64>,
}

impl Periodogram {
    fn of(field: &Heightfield, work: &Work) -> Result<Self> {
        let whole = field.grid();
        let (width, depth) = (whole.width.min(MAX_TRANSFORMED), whole.depth.min(MAX_TRANSFORMED));
        let grid = Grid { width, depth, ..whole };
        // Two complex fields, of which one becomes the power.
        memory::require(grid, 2 * 16 * grid.count() as u64)?;
        let (west, north) = ((whole.width - width) / 2, (whole.depth - depth) / 2);
        let row = |row: usize| &field.row(north + row)[west..west + width];
        let plane = Plane::through(grid, row, work)?;
        if plane.squares.sqrt() <= ROUNDING * plane.largest {
            let level = "a spectrum of less than rounding errors has no slope";
            return Err(match field.range_while(work)? {
                (low, high) if low == high => without_relief(level, low),
                _ => Error::parameter(
                    "heights",
                    format!("the land is a plane; {level}, so give land with hills"),
                ),
            });
        }
        let windows = [width, depth].map(hann);
        let mut values = vec![Complex::new(0.0, 0.0); grid.count()];
        let mut planner = FftPlanner::new();
        let transforms = [width, depth].map(|count| planner.plan_fft_forward(count));
        work.stage("spectrum", width + depth);
        transformed(&mut values, &transforms[0], work, |z, values| {
            let samples = values.iter_mut().zip(row(z)).zip(&windows[0]).enumerate();
            for (x, ((value, &height), window)) in samples {
                let height = f64::from(height) - plane.at(x, z);
                *value = Complex::new(height * window * windows[1][z], 0.0);
            }
        })?;
        // Transposed, so that the second transform also runs along memory.
        let mut values = transposed(&values, width, work)?;
        transformed(&mut values, &transforms[1], work, |_, _| {})?;
        // The window lowers the power by the mean of its squares, which the scale restores.
        let squares = windows.map(|window| window.iter().map(|share| share * share).sum::<f64>());
        let area = f64::from(grid.cell) * f64::from(grid.cell);
        let scale = area / (squares[0] * squares[1]);
        let power = values.par_iter().map(|value| value.norm_sqr() * scale).collect();
        Ok(Self { grid, variance: plane.squares, power })
    }

    /// The frequency and the power of each ring, both the mean of all that belong to it. The ring around 0 is
    /// left out, and so are the corners beyond the finest wave that runs along a side.
    fn rings(&self, work: &Work) -> Result<Vec<[f64; 2]>> {
        let Grid { width, depth, cell } = self.grid;
        let shorter = width.min(depth);
        let count = shorter / 2 + 1;
        // In waves along the shorter side.
        // Frequencies above half the samples stand for negative ones.
        let waves = |index: usize, side: usize| (index.min(side - index) * shorter) as f64 / side as f64;
        let columns = map_rows("rings", width, work, |x| {
            let mut sums = vec![[0.0; 3]; count];
            for (z, power) in self.power[x * depth..][..depth].iter().enumerate() {
                let waves = waves(x, width).hypot(waves(z, depth));
                // Corners of the square beyond the last ring hold only some directions.
                if let Some(sum) = sums.get_mut(waves.round() as usize) {
                    *sum = [sum[0] + 1.0, sum[1] + waves, sum[2] + power];
                }
            }
            sums
        })?;
        let length = shorter as f64 * f64::from(cell);
        let ring = |index: usize| {
            let sum = |part: usize| columns.iter().map(|sums| sums[index][part]).sum::<f64>();
            let samples = sum(0);
            [sum(1) / samples / length, sum(2) / samples]
        };
        Ok((1..count).map(ring).filter(|[_, power]| *power > 0.0).collect())
    }
}

/// The mean plane of some heights.
struct Plane {
    middle: [f64; 2],
    height: f64,
    rise: [f64; 2],
    /// The mean square of what the heights are away from it, and the largest height.
    squares: f64,
    largest: f64,
}

impl Plane {
    /// The plane through a grid's heights by least squares.
    fn through<'a>(grid: Grid, row: impl Fn(usize) -> &'a [f32] + Sync, work: &Work) -> Result<Self> {
        let Grid { width, depth, .. } = grid;
        let middle = [width, depth].map(|count| (count - 1) as f64 / 2.0);
        // Positions from the middle, where x, z and the constant are orthogonal: each coefficient is a
        // quotient of two sums.
        let sums = map_rows("mean plane", depth, work, |z| {
            let samples = row(z).iter().enumerate();
            samples.fold([0.0; 2], |[sum, east], (x, &height)| {
                [sum + f64::from(height), east + f64::from(height) * (x as f64 - middle[0])]
            })
        })?;
        // Σ(x − mean)² of 0, 1, 2 … n − 1.
        let spread = |count: usize| (count * (count * count - 1)) as f64 / 12.0;
        let all = (width * depth) as f64;
        let east: f64 = sums.iter().map(|sums| sums[1]).sum();
        let south: f64 = sums.iter().enumerate().map(|(z, sums)| sums[0] * (z as f64 - middle[1])).sum();
        let mut plane = Self {
            middle,
            height: sums.iter().map(|sums| sums[0]).sum::<f64>() / all,
            rise: [east / (spread(width) * depth as f64), south / (spread(depth) * width as f64)],
            squares: 0.0,
            largest: 0.0,
        };
        let away = map_rows("mean plane", depth, work, |z| {
            row(z).iter().enumerate().fold([0.0, 0.0f64], |[squares, largest], (x, &height)| {
                let height = f64::from(height);
                [squares + (height - plane.at(x, z)).powi(2), largest.max(height.abs())]
            })
        })?;
        plane.squares = away.iter().map(|row| row[0]).sum::<f64>() / all;
        plane.largest = away.iter().fold(0.0, |most, row| row[1].max(most));
        Ok(plane)
    }

    fn at(&self, x: usize, z: usize) -> f64 {
        let [east, south] = [x as f64 - self.middle[0], z as f64 - self.middle[1]];
        self.height + self.rise[0] * east + self.rise[1] * south
    }
}

/// Hann's window, which keeps the step from one border to the other out of the spectrum; it is symmetric.
fn hann(count: usize) -> Vec<f64> {
    // Half a sample in, so that no sample gets weight 0.
    (0..count).map(|index| 0.5 - 0.5 * libm::cos(TAU * (index as f64 + 0.5) / count as f64)).collect()
}

/// Fills each line of values, then transforms it.
fn transformed(
    values: &mut [Complex<f64>],
    transform: &Arc<dyn Fft<f64>>,
    work: &Work,
    fill: impl Fn(usize, &mut [Complex<f64>]) + Sync,
) -> Result<()> {
    let scratch = || vec![Complex::new(0.0, 0.0); transform.get_inplace_scratch_len()];
    let lines = values.par_chunks_mut(transform.len()).enumerate();
    lines.try_for_each_init(scratch, |scratch, (index, line)| {
        work.check()?;
        fill(index, line);
        transform.process_with_scratch(line, scratch);
        work.advance(1);
        Ok(())
    })
}

/// Columns in place of rows.
fn transposed(values: &[Complex<f64>], width: usize, work: &Work) -> Result<Vec<Complex<f64>>> {
    let depth = values.len() / width;
    let mut columns = vec![Complex::new(0.0, 0.0); values.len()];
    columns.par_chunks_mut(BLOCK * depth).enumerate().try_for_each(|(block, columns)| {
        work.check()?;
        for (z, row) in values.chunks(width).enumerate() {
            let row = &row[block * BLOCK..];
            for (column, value) in columns.chunks_mut(depth).zip(row) {
                column[z] = *value;
            }
        }
        Ok::<_, Error>(())
    })?;
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rough(width: usize, depth: usize) -> Heightfield {
        Heightfield::from_fn(Grid::new(width, depth, 12.5).unwrap(), |column, row| {
            let hash = (row * 7919 + column).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            ((hash >> 40) & 0xFFFF) as f32 / 655.36 + 2.0 * column as f32 - 3.0 * row as f32
        })
    }

    /// Parseval: the power of all frequencies together is the mean square of what was transformed.
    #[test]
    fn no_power_is_lost() {
        for (width, depth) in [(64, 64), (60, 37), (17, 128), (31, 31)] {
            let field = rough(width, depth);
            let found = Periodogram::of(&field, &Work::new()).unwrap();
            let all: f64 = found.power.iter().sum::<f64>() / (width * depth) as f64 / (12.5 * 12.5);
            let plane = Plane::through(field.grid(), |row| field.row(row), &Work::new()).unwrap();
            let windows = [hann(width), hann(depth)];
            let (mut squares, mut weights) = (0.0, 0.0);
            for (index, &height) in field.heights().iter().enumerate() {
                let (x, z) = (index % width, index / width);
                let weight = (windows[0][x] * windows[1][z]).powi(2);
                squares += weight * (f64::from(height) - plane.at(x, z)).powi(2);
                weights += weight;
            }
            let expected = squares / weights;
            assert!((all - expected).abs() < 1e-9 * expected, "{width}×{depth}: {all}, not {expected}");
        }
    }

    #[test]
    fn the_mean_plane_of_a_plane_is_itself() {
        let field = Heightfield::from_fn(Grid::new(50, 30, 2.0).unwrap(), |x, z| {
            5.0 + 0.5 * x as f32 - 2.0 * z as f32
        });
        let plane = Plane::through(field.grid(), |row| field.row(row), &Work::new()).unwrap();
        assert!((plane.rise[0] - 0.5).abs() < 1e-12 && (plane.rise[1] + 2.0).abs() < 1e-12);
        assert!(plane.squares < 1e-20);
    }

    #[test]
    fn transposing_turns_rows_into_columns() {
        let values: Vec<Complex<f64>> =
            (0..70 * 41).map(|index| Complex::new(f64::from(index), 0.0)).collect();
        let columns = transposed(&values, 70, &Work::new()).unwrap();
        assert!((0..70 * 41).all(|index| columns[index % 70 * 41 + index / 70] == values[index]));
    }
}
