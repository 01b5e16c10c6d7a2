//! The spectrum of fractional Brownian motion: power falls with frequency as f^−(2H + 2).

use std::f64::consts::{PI, TAU};

use upland_core::generate::{Fbm, Generate};
use upland_core::{Grid, Work};

/// Samples on a side.
const SIDE: usize = 512;

/// Lands whose spectra are averaged. Power is the square of a random number of its own at every
/// frequency of every land, so its mean over a ring of frequencies of many lands is smooth.
const LANDS: u64 = 16;

/// A surface with Hurst exponent H has the spectral exponent −(2H + 2) in two dimensions.
///
/// Octaves are a factor of 2 apart, so the spectrum is a line with a bump in every octave; the fit spans
/// four whole octaves, in which bumps cancel. What is left is chance: power is exponentially distributed,
/// so its mean over n frequencies is off by 1/√n of itself. A ring of 4 waves has 25 frequencies, half of
/// them the mirror images of the others, and Hann's window ties about two neighbours together: with 16
/// lands n is 90 there and grows with the waves. Carried through the fit that makes 0.026 for the slope,
/// most of it from the lowest few rings. The tolerance is four times that, and a quarter of what lies between
/// the exponents that are tried.
#[test]
fn the_spectrum_of_fbm_falls_with_the_exponent_of_its_surface() {
    for hurst in [0.2, 0.4, 0.6, 0.8] {
        let slope = slope(&spectrum(hurst));
        let expected = -(2.0 * f64::from(hurst) + 2.0);
        println!("H {hurst}: slope {slope:.3}, {expected:.1} expected");
        assert!((slope - expected).abs() < 0.1, "H {hurst}: slope {slope}, not {expected}");
    }
}

/// Mean power at each whole number of waves along a side.
fn spectrum(hurst: f32) -> Vec<f64> {
    let grid = Grid::new(SIDE, SIDE, 1.0).unwrap();
    // The coarsest octave lies below, the finest above what is looked at.
    let fbm = Fbm { hurst, octaves: 10.0, frequency: 1.0, height: 1.0, ..Fbm::default() };
    let (mut power, mut count) = (vec![0.0; SIDE], vec![0usize; SIDE]);
    for seed in 0..LANDS {
        let field = fbm.generate(grid, seed, &Work::new()).unwrap();
        let mean = field.statistics(1).mean;
        // Hann's window: without it the step from one border to the other would add a spectrum of f⁻².
        let window = |index: usize| 0.5 - 0.5 * (TAU * (index as f64 + 0.5) / SIDE as f64).cos();
        let mut values: Vec<[f64; 2]> = (0..SIDE * SIDE)
            .map(|index| {
                let (column, row) = (index % SIDE, index / SIDE);
                [(f64::from(field.at(column, row)) - mean) * window(column) * window(row), 0.0]
            })
            .collect();
        for _ in 0..2 {
            values.chunks_mut(SIDE).for_each(fourier);
            values = transposed(&values);
        }
        for (index, [real, imaginary]) in values.into_iter().enumerate() {
            let waves = |index: usize| index.min(SIDE - index) as f64;
            let ring = waves(index % SIDE).hypot(waves(index / SIDE)).round() as usize;
            power[ring] += real * real + imaginary * imaginary;
            count[ring] += 1;
        }
    }
    power.iter().zip(count).map(|(power, count)| power / count.max(1) as f64).collect()
}

/// The slope of the logarithm of power against that of frequency, from 4 to 64 waves a side, by least
/// squares; frequencies are spread evenly over the octaves.
fn slope(power: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = (0..64)
        .map(|step| 4.0 * 2f64.powf((f64::from(step) + 0.5) / 16.0))
        .map(|waves| {
            let (below, along) = (waves as usize, waves.fract());
            let power = power[below].ln() * (1.0 - along) + power[below + 1].ln() * along;
            (waves.ln(), power)
        })
        .collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let up: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    up / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

fn transposed(values: &[[f64; 2]]) -> Vec<[f64; 2]> {
    (0..SIDE * SIDE).map(|index| values[index % SIDE * SIDE + index / SIDE]).collect()
}

/// The discrete Fourier transform of 2^n complex numbers, in place (Cooley and Tukey, 1965).
fn fourier(values: &mut [[f64; 2]]) {
    let count = values.len();
    for index in 0..count {
        let mirrored = index.reverse_bits() >> (usize::BITS - count.trailing_zeros());
        if index < mirrored {
            values.swap(index, mirrored);
        }
    }
    let mut half = 1;
    while half < count {
        let turns: Vec<[f64; 2]> = (0..half)
            .map(|index| -PI * index as f64 / half as f64)
            .map(|angle| [angle.cos(), angle.sin()])
            .collect();
        for block in values.chunks_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for ((a, b), [cos, sin]) in low.iter_mut().zip(high).zip(&turns) {
                let turned = [b[0] * cos - b[1] * sin, b[0] * sin + b[1] * cos];
                (*a, *b) = ([a[0] + turned[0], a[1] + turned[1]], [a[0] - turned[0], a[1] - turned[1]]);
            }
        }
        half *= 2;
    }
}

#[test]
fn a_wave_has_its_power_at_its_frequency() {
    let mut values: Vec<[f64; 2]> =
        (0..64).map(|index| [(TAU * 5.0 * f64::from(index) / 64.0).cos(), 0.0]).collect();
    fourier(&mut values);
    for (index, [real, imaginary]) in values.into_iter().enumerate() {
        let expected = if index == 5 || index == 59 { 32.0 } else { 0.0 };
        assert!((real - expected).abs() < 1e-9 && imaginary.abs() < 1e-9, "{index}: {real} {imaginary}");
    }
}
