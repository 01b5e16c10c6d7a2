//! One octave of gullies: waves whose crests run along the slope, cell by cell.
//!
//! Around every pivot there is a wave, the same all along the slope at the sample, and its own phase at the
//! pivot. The waves of the nine pivots around are added up as turning pointers (cosine and sine), each
//! weighted by a smooth bump around its pivot, and the sum is brought back to length 1: so the crests of one
//! cell join those of the next, and where they are at odds a crest forks or ends.

use super::cells::{Line, REACH};
use crate::compute::wide::LoopOver;
use crate::noise::STRETCH;

/// Wave lengths to the side of a cell. With fewer, neighbouring cells are at odds and gullies are short; with
/// more, they are long and alike.
pub(super) const WAVES: f32 = 0.7;

/// Samples that are worked out side by side.
const LANES: usize = 16;

/// What the samples of one row of a stretch have come to so far.
#[repr(align(64))]
#[derive(Clone)]
pub(super) struct Slopes {
    /// Towards where the ground rises: the land's slope, turned by each octave. The first has length 1.
    pub(super) east: [f32; STRETCH],
    pub(super) south: [f32; STRETCH],
    /// What the octaves have raised or lowered the ground, in metres.
    pub(super) raised: [f32; STRETCH],
    /// How much of the next octave there is, from 0 to 1.
    pub(super) share: [f32; STRETCH],
    /// What takes the place of the rest of it, from −1, the floor of a gully, to 1, a crest.
    pub(super) level: [f32; STRETCH],
}

impl Slopes {
    /// Level ground.
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
    /// What differences between east and west are multiplied by to be slopes.
    pub(super) per_east: &'a [f32],
    /// The same between south and north.
    pub(super) per_south: f32,
    /// What the sum of the differences to all sides is multiplied by to be a slope.
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
    /// One over the slope from which on there is all of the first octave.
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

/// What is the same for all samples of a row.
pub(super) struct Waves<'a> {
    /// The rows of squares to the north, of the samples, and to the south.
    pub(super) lines: [&'a Line; 3],
    /// How far south of its own squares' northern side the row is, in sides.
    pub(super) along: f32,
    /// How high the crests are above the mean, in metres.
    pub(super) height: f32,
    /// How much a gully's side turns the slope: 1 is by 45° at first.
    pub(super) turn: f32,
    /// The share of a gully's side that crest and floor take.
    pub(super) rounding: f32,
    pub(super) width: usize,
}

impl LoopOver<Slopes, ()> for Waves<'_> {
    #[inline(always)]
    fn run(&self, slopes: &mut Slopes, (): &mut ()) {
        let per_rounding = 1.0 / self.rounding;
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
    /// The cosine and the sine of the waves at some samples: 1 and 0 on a crest; the ground rises across the
    /// slope where the sine is positive.
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
            // Where waves cancel each other out there is no telling what they come to: it stays little.
            let least = 0.5 * weights[lane];
            let length = if length > least { length } else { least };
            cosines[lane] /= length;
            sines[lane] /= length;
        }
        (cosines, sines)
    }
}

/// From 0 at 0 to 1 at 1, where it is level, and beyond.
#[inline(always)]
fn most_of(t: f32) -> f32 {
    let rest = 1.0 - t;
    let rest = if rest > 0.0 { rest } else { 0.0 };
    1.0 - rest * rest
}

/// The weight of a pivot at a distance, which is given in the square: 1 at 0, 0 from [`REACH`] on, and
/// neither slope nor curvature jumps.
#[inline(always)]
fn bump(square: f32) -> f32 {
    let near = 1.0 - square * (1.0 / (REACH * REACH));
    let near = if near > 0.0 { near } else { 0.0 };
    near * near * near
}

/// cos 2πt and sin 2πt for |t| up to [`REACH`] · [`WAVES`], but for 0.001: polynomials that come close to cos
/// πt and sin πt / t at the nodes of Chebyshev in t² from 0 to 0.72, doubled.
#[inline(always)]
fn cosine_and_sine(t: f32) -> (f32, f32) {
    const COSINE: [f32; 4] = [0.999_586_8, -4.916_225, 3.927_199_2, -1.031_643_9];
    const SINE: [f32; 4] = [3.141_443_6, -5.161_025, 2.502_993_4, -0.491_144_64];
    let square = t * t;
    let of = |terms: [f32; 4]| ((terms[3] * square + terms[2]) * square + terms[1]) * square + terms[0];
    let (cosine, sine) = (of(COSINE), t * of(SINE));
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
