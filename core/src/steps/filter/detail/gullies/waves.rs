//! One octave of gullies: waves whose crests run down the slope, cell by cell.
//!
//! Each pivot has a plane wave with its crests along the slope at the sample, and its own phase. The waves
//! of the nine pivots around are summed as phasors (cosine and sine), each weighted by a smooth bump around
//! its pivot, and the sum is normalised: so crests of neighbouring cells connect, and where phases conflict
//! a crest forks or ends.

use super::cells::{PivotRow, REACH};
use crate::compute::wide::LoopOver;
use crate::noise::STRETCH;

/// Wavelengths per side of a cell. With fewer, neighbouring cells conflict and gullies are short; with
/// more, gullies are long and alike.
pub(super) const WAVES: f32 = 0.7;

/// Samples that are computed side by side.
const LANES: usize = 16;

/// The state of the samples of one row of a stretch between octaves.
#[repr(align(64))]
#[derive(Clone)]
pub(super) struct Slopes {
    /// Uphill direction: the land's slope, turned by each octave. The first has length 1.
    pub(super) east: [f32; STRETCH],
    pub(super) south: [f32; STRETCH],
    /// What the octaves have added to the ground so far, in metres.
    pub(super) raised: [f32; STRETCH],
    /// The strength of the next octave, in [0, 1].
    pub(super) share: [f32; STRETCH],
    /// What replaces the rest of it, from −1, a gully floor, to 1, a crest.
    pub(super) level: [f32; STRETCH],
}

impl Slopes {
    /// The slopes of level ground.
    pub(super) const LEVEL: Self = Self {
        east: [0.0; STRETCH],
        south: [0.0; STRETCH],
        raised: [0.0; STRETCH],
        share: [0.0; STRETCH],
        level: [0.0; STRETCH],
    };
}

/// How steep the land is at the samples of a row before the first octave.
#[derive(Clone, Default)]
pub(super) struct Rise {
    /// In metres per metre, towards the east and the south.
    pub(super) east: Vec<f32>,
    pub(super) south: Vec<f32>,
    /// How far it stands above what lies around, in metres per metre.
    pub(super) bend: Vec<f32>,
}

/// What is measured of the land: heights at the samples of a row, and to all sides.
pub(super) struct Measure<'a> {
    pub(super) own: &'a [f32],
    pub(super) north: &'a [f32],
    pub(super) south: &'a [f32],
    pub(super) west: &'a [f32],
    pub(super) east: &'a [f32],
    /// Factor from height differences between east and west to slopes.
    pub(super) per_east: &'a [f32],
    /// The same between south and north.
    pub(super) per_south: f32,
    /// Factor from the sum of the differences to all sides to the curvature term, which is counted as a
    /// slope.
    pub(super) per_bend: f32,
}

impl LoopOver<Rise, ()> for Measure<'_> {
    #[inline(always)]
    fn run(&self, rise: &mut Rise, (): &mut ()) {
        let width = self.own.len();
        let (north, south) = (&self.north[..width], &self.south[..width]);
        let (west, east) = (&self.west[..width], &self.east[..width]);
        let per_east = &self.per_east[..width];
        let Rise { east: to_east, south: to_south, bend } = rise;
        let (to_east, to_south, bends) = (&mut to_east[..width], &mut to_south[..width], &mut bend[..width]);
        for index in 0..width {
            to_east[index] = (east[index] - west[index]) * per_east[index];
            to_south[index] = (south[index] - north[index]) * self.per_south;
            let own = self.own[index];
            let bend =
                (own - east[index]) + (own - west[index]) + (own - north[index]) + (own - south[index]);
            bends[index] = bend * self.per_bend;
        }
    }
}

/// What the first octave finds.
pub(super) struct Start<'a> {
    /// At the samples of a row.
    pub(super) rise: &'a Rise,
    /// 1 divided by the slope from which the first octave has its full strength.
    pub(super) per_steep: f32,
}

impl LoopOver<Slopes, ()> for Start<'_> {
    #[inline(always)]
    fn run(&self, slopes: &mut Slopes, (): &mut ()) {
        let width = self.rise.east.len();
        let (rise_east, rise_south) = (&self.rise.east[..width], &self.rise.south[..width]);
        let bend = &self.rise.bend[..width];
        let Slopes { east: to_east, south: to_south, raised, share, level } = slopes;
        let (to_east, to_south) = (&mut to_east[..width], &mut to_south[..width]);
        let (raised, share, level) = (&mut raised[..width], &mut share[..width], &mut level[..width]);
        for index in 0..width {
            let (rise_east, rise_south) = (rise_east[index], rise_south[index]);
            let slope = (rise_east * rise_east + rise_south * rise_south).sqrt();
            // Level ground has no direction; nothing is divided by 0 there.
            to_east[index] = rise_east / (slope + 1e-12);
            to_south[index] = rise_south / (slope + 1e-12);
            raised[index] = 0.0;
            share[index] = most_of(slope * self.per_steep);
            level[index] = (bend[index] * self.per_steep).clamp(-1.0, 1.0);
        }
    }
}

/// The data shared by all samples of a row.
pub(super) struct Waves<'a> {
    /// The rows of squares north of the samples, at them, and south.
    pub(super) lines: [&'a PivotRow; 3],
    /// Distance of the row from the northern side of its own squares, in sides.
    pub(super) along: f32,
    /// Height of the crests above the mean, in metres.
    pub(super) height: f32,
    /// How strongly a gully's side turns the slope: 1 turns it by 45° at first.
    pub(super) turn: f32,
    /// The share of a gully's side that crest and floor take up.
    pub(super) rounding: f32,
    pub(super) width: usize,
}

impl LoopOver<Slopes, ()> for Waves<'_> {
    #[inline(always)]
    fn run(&self, slopes: &mut Slopes, (): &mut ()) {
        let per_rounding = 1.0 / self.rounding;
        // Whole lanes, although the stretch may end before: the arrays are longer, and what lies beyond is
        // never read.
        for first in (0..self.width).step_by(LANES) {
            let (mut east, mut south) = (lanes(&slopes.east, first), lanes(&slopes.south, first));
            let (mut across_east, mut across_south) = ([0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                let length = (east[lane] * east[lane] + south[lane] * south[lane]).sqrt() + 1e-12;
                across_east[lane] = -south[lane] / length;
                across_south[lane] = east[lane] / length;
            }
            let (cosine, sine) = self.waves(first, &across_east, &across_south);
            let (mut raised, mut share) = (lanes(&slopes.raised, first), lanes(&slopes.share, first));
            let mut level = lanes(&slopes.level, first);
            for lane in 0..LANES {
                let value = level[lane] + (cosine[lane] - level[lane]) * share[lane];
                raised[lane] += self.height * value;
                level[lane] = value;
                // From −1 to 1: how steeply the gully's side rises towards the side where it is steepest.
                let side = (sine[lane] * per_rounding).clamp(-1.0, 1.0);
                let turn = self.turn * side * share[lane];
                east[lane] += turn * across_east[lane];
                south[lane] += turn * across_south[lane];
                // Full on the sides, none on crests and floors.
                share[lane] *= most_of(side.abs());
            }
            slopes.east[first..][..LANES].copy_from_slice(&east);
            slopes.south[first..][..LANES].copy_from_slice(&south);
            slopes.raised[first..][..LANES].copy_from_slice(&raised);
            slopes.share[first..][..LANES].copy_from_slice(&share);
            slopes.level[first..][..LANES].copy_from_slice(&level);
        }
    }
}

impl Waves<'_> {
    /// Cosine and sine of the waves at some samples: (1, 0) on a crest; where the sine is positive the
    /// ground rises across the slope.
    #[inline(always)]
    fn waves(
        &self,
        first: usize,
        across_east: &[f32; LANES],
        across_south: &[f32; LANES],
    ) -> ([f32; LANES], [f32; LANES]) {
        let (mut cosines, mut sines, mut weights) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for (north, line) in self.lines.into_iter().enumerate() {
            let north = north as f32 - 1.0 - self.along;
            for (east, south) in line.east.iter().zip(&line.south) {
                let (east, south) = (lanes(east, first), lanes(south, first));
                for lane in 0..LANES {
                    let (east, south) = (east[lane], south[lane] + north);
                    let weight = bump(east * east + south * south);
                    let turns = WAVES * (east * across_east[lane] + south * across_south[lane]);
                    let (cosine, sine) = cosine_and_sine(turns);
                    cosines[lane] += weight * cosine;
                    sines[lane] += weight * sine;
                    weights[lane] += weight;
                }
            }
        }
        for lane in 0..LANES {
            let length = (cosines[lane] * cosines[lane] + sines[lane] * sines[lane]).sqrt();
            // Where waves cancel each other out, what is left of them is arbitrary: it stays little.
            let least = 0.5 * weights[lane];
            let length = if length > least { length } else { least };
            cosines[lane] /= length;
            sines[lane] /= length;
        }
        (cosines, sines)
    }
}

/// Rises from 0 at 0 to 1 at 1 with slope 0 there, and stays 1 beyond.
#[inline(always)]
fn most_of(t: f32) -> f32 {
    let rest = 1.0 - t;
    let rest = if rest > 0.0 { rest } else { 0.0 };
    1.0 - rest * rest
}

/// The weight of a pivot by the square of its distance: 1 at 0, 0 from [`REACH`] on, C² continuous.
#[inline(always)]
fn bump(square: f32) -> f32 {
    let near = 1.0 - square * (1.0 / (REACH * REACH));
    let near = if near > 0.0 { near } else { 0.0 };
    near * near * near
}

/// cos 2πt and sin 2πt for |t| up to [`REACH`] · [`WAVES`], with errors up to 0.001: from polynomials for
/// cos πt and sin πt / t, interpolated at Chebyshev nodes of t² from 0 to 0.72, by the double-angle
/// formulas.
#[inline(always)]
fn cosine_and_sine(t: f32) -> (f32, f32) {
    const COSINE: [f32; 4] = [0.999_586_8, -4.916_225, 3.927_199_2, -1.031_643_9];
    const SINE: [f32; 4] = [3.141_443_6, -5.161_025, 2.502_993_4, -0.491_144_64];
    let square = t * t;
    let of = |terms: [f32; 4]| ((terms[3] * square + terms[2]) * square + terms[1]) * square + terms[0];
    let (cosine, sine) = (of(COSINE), t * of(SINE));
    // Double angles: cos 2a = cos² a − sin² a, sin 2a = 2 sin a cos a.
    (cosine * cosine - sine * sine, 2.0 * sine * cosine)
}

#[inline(always)]
fn lanes(values: &[f32], first: usize) -> [f32; LANES] {
    std::array::from_fn(|lane| values[first..][..LANES][lane])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_polynomials_turn_as_cosine_and_sine_do() {
        for step in -840..=840 {
            let t = step as f32 / 1000.0;
            let (cosine, sine) = cosine_and_sine(t);
            let turn = std::f64::consts::TAU * f64::from(t);
            assert!((f64::from(cosine) - libm::cos(turn)).abs() < 1e-3, "{t}: {cosine}");
            assert!((f64::from(sine) - libm::sin(turn)).abs() < 1e-3, "{t}: {sine}");
        }
        const { assert!(REACH * WAVES < 0.84 + 1e-6) };
    }

    #[test]
    fn a_pivot_is_felt_up_to_its_reach() {
        assert_eq!([bump(0.0), bump(REACH * REACH), bump(9.0)], [1.0, 0.0, 0.0]);
        assert!(bump(0.9 * REACH * REACH) > 0.0);
    }
}
