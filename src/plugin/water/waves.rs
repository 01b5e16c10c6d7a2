//! Where the patterns of waves and foam begin: their octaves' places at the anchor, counted, so that waves a
//! thousand kilometres from the land's first sample are as smooth as those next to it.

use bevy::math::{DMat2, DVec2};
use bevy::prelude::*;
use bevy::render::render_resource::ShaderType;

use crate::plugin::material::split_whole_fraction;

/// Lengths of waves. Twin of `WAVES` in `shaders/water.wgsl`, which has the numbers below too.
pub(crate) const WAVES: usize = 7;
/// Octaves of foam.
pub(crate) const FOAM: usize = 4;

/// Length of the longest waves, metres; each next is half as long.
const LONGEST: f64 = 96.0;
/// Metres between lattice points of the coarsest foam.
const FOAM_SIZE: f64 = 7.0;

/// Twin of `Counted` in `shaders/place.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, ShaderType)]
#[cfg_attr(test, derive(Reflect))]
pub(crate) struct Counted {
    whole: IVec2,
    rest: Vec2,
}

impl Counted {
    fn new(units: DVec2) -> Self {
        let [(x, x_rest), (y, y_rest)] = units.to_array().map(split_whole_fraction);
        Self { whole: IVec2::new(x, y), rest: Vec2::new(x_rest, y_rest) }
    }

    #[cfg(test)]
    pub(super) fn units(self) -> DVec2 {
        self.whole.as_dvec2() + self.rest.as_dvec2()
    }
}

/// Seconds for which a river's ripples run along before others take their place, and after how many of them
/// the first come again. Twins of `RIPPLES_LAST` and `PATTERNS` in `shaders/water.wgsl`.
const RIPPLES_LAST: f64 = 5.0;
const PATTERNS: f64 = 512.0;

/// The places of waves at an anchor, metres from the land's sample (0, 0). Each length has a frame of its
/// own, which is turned against the one before. They have already `moved`, speed times seconds, as the shader
/// moves them: the noise that they are made of never repeats, so the hours before must be in the places.
pub(crate) fn waves_at(anchor: DVec2, moved: f64) -> [Counted; WAVES] {
    let turn = DMat2::from_cols(DVec2::new(0.8, 0.6), DVec2::new(-0.6, 0.8));
    let mut place = anchor;
    let mut wavelength = LONGEST;
    [(); WAVES].map(|()| {
        let drift = DVec2::new(0.35, 1.0) * moved * (wavelength / 24.0).sqrt();
        let here = Counted::new((place + drift) / (wavelength * DVec2::new(1.0, 0.5)));
        wavelength *= 0.5;
        // The offset keeps wavelengths apart at the origin, which the turn leaves where it is.
        place = turn * place + DVec2::new(31.7, 11.3);
        here
    })
}

/// How many patterns of ripples a river has had that has `moved`, haste times seconds, without whole rounds of
/// all of them.
pub(super) fn past_patterns(moved: f64) -> f32 {
    (moved / RIPPLES_LAST).rem_euclid(PATTERNS) as f32
}

/// The places of foam at an anchor.
pub(crate) fn foam_at(anchor: DVec2) -> [Counted; FOAM] {
    let turn = DMat2::from_cols(DVec2::new(1.6, 1.2), DVec2::new(-1.2, 1.6));
    let mut place = anchor / FOAM_SIZE;
    [(); FOAM].map(|()| {
        let here = Counted::new(place);
        place = turn * place + DVec2::new(17.3, 41.7);
        here
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_go_on_where_another_anchor_takes_over() {
        let units = Counted::units;
        for far in [0.0, 1e6] {
            let (a, b) = (DVec2::new(far, -far), DVec2::new(far + 200.0, -far - 100.0));
            // The middle between the two anchors: this far from `a`, and as far the other way from `b`.
            let middle = (b - a) * 0.5;
            let mut turned = middle;
            let mut wavelength = LONGEST;
            for (a, b) in waves_at(a, 9e4).into_iter().zip(waves_at(b, 9e4)) {
                let step = turned / (wavelength * DVec2::new(1.0, 0.5));
                assert!(
                    (units(a) + step).distance(units(b) - step) < 1e-5,
                    "{far} m, waves of {wavelength} m"
                );
                turned = DMat2::from_cols(DVec2::new(0.8, 0.6), DVec2::new(-0.6, 0.8)) * turned;
                wavelength *= 0.5;
            }
        }
    }

    #[test]
    fn water_moves_on_where_the_shaders_clock_begins_again() {
        let units = Counted::units;
        for (round, speed) in [(3600.0, 1.0), (7.3, 2.5)] {
            let (before, after) = (10.0 * round, 11.0 * round);
            let mut wavelength = LONGEST;
            let places = [before, after].map(|seconds| waves_at(DVec2::new(3e5, -7e4), seconds * speed));
            for (before, after) in places[0].into_iter().zip(places[1]) {
                // As the shader does until its clock begins again.
                let drift = DVec2::new(0.35, 1.0) * round * speed * (wavelength / 24.0).sqrt();
                let moved = units(before) + drift / (wavelength * DVec2::new(1.0, 0.5));
                assert!(moved.distance(units(after)) < 1e-4, "waves of {wavelength} m");
                wavelength *= 0.5;
            }
            let [before, after] = [before, after].map(|seconds| f64::from(past_patterns(seconds * speed)));
            let apart = (before + round * speed / RIPPLES_LAST - after).rem_euclid(PATTERNS);
            assert!(apart.min(PATTERNS - apart) < 1e-3, "{apart}");
        }
    }

    #[test]
    fn the_shader_has_the_same_numbers() {
        let shader = include_str!("../../../shaders/water.wgsl");
        for line in [
            format!("const WAVES: i32 = {WAVES};"),
            format!("const LONGEST: f32 = {LONGEST:?};"),
            format!("const RIPPLES_LAST: f32 = {RIPPLES_LAST:?};"),
            format!("const PATTERNS: f32 = {PATTERNS:?};"),
            format!("const FOAM: i32 = {FOAM};"),
            format!("const FOAM_SIZE: f32 = {FOAM_SIZE:?};"),
        ] {
            assert!(shader.contains(&line), "{line}");
        }
    }
}
