//! The wind: where it blows to at each step.

use glam::DVec2;

use crate::params::choice;

choice! {
    /// The winds that take turns.
    pub enum Winds {
        /// One wind: crests across it, or crescents (barchans) where sand is scarce.
        One = "one",
        /// Two winds: if they are far apart, crests along the middle between them (longitudinal dunes).
        Two = "two",
        /// Five winds from all around: star dunes.
        Around = "around",
    }
}

/// Steps that one of two winds blows before the other takes its turn.
const TURN: usize = 10;

/// The same of many: short enough that none of them makes dunes of its own.
const LONG_TURN: usize = 8;

/// The golden ratio's fraction: its multiples are spread evenly however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A number in [0, 1) for each step: those of steps that follow one another are spread evenly.
pub(super) fn fraction(number: usize) -> f64 {
    let share = (number as f64 + 0.5) * GOLDEN;
    share - share.floor()
}

/// The winds of a step `dunes`, in degrees.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindRose {
    pub winds: Winds,
    /// Bearing that the wind blows from; of two winds the middle.
    pub bearing: f64,
    /// Angle between two winds.
    pub apart: f64,
    /// Share of the time that belongs to the second of two.
    pub second: f64,
    /// How far the wind turns to both sides from step to step.
    pub gusts: f64,
}

impl WindRose {
    /// The direction that the wind blows to at step `number`, from 0: its parts to the east and to the south.
    pub(super) fn direction(&self, number: usize) -> DVec2 {
        let from = match self.winds {
            Winds::One => 0.0,
            Winds::Two => {
                let turn = (number / TURN) as f64;
                let is_second = ((turn + 1.0) * self.second).floor() > (turn * self.second).floor();
                if is_second { 0.5 * self.apart } else { -0.5 * self.apart }
            }
            // Every second of the five, so that one wind doesn't follow its neighbour.
            Winds::Around => 72.0 * ((2 * (number / LONG_TURN)) % 5) as f64,
        };
        let gust = self.gusts * (2.0 * fraction(number) - 1.0);
        let angle = (self.bearing + from + gust).to_radians();
        DVec2::new(-libm::sin(angle), libm::cos(angle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WEST: WindRose =
        WindRose { winds: Winds::One, bearing: 270.0, apart: 120.0, second: 0.25, gusts: 0.0 };

    #[test]
    fn a_wind_from_the_west_blows_to_the_east_and_one_from_the_north_to_the_south() {
        assert!(WEST.direction(7).abs_diff_eq(DVec2::X, 1e-12));
        assert!(WindRose { bearing: 0.0, ..WEST }.direction(7).abs_diff_eq(DVec2::Y, 1e-12));
    }

    #[test]
    fn the_second_wind_has_its_share_and_gusts_cancel_out() {
        let two = WindRose { winds: Winds::Two, ..WEST };
        let south = (0..400).filter(|number| two.direction(*number).y > 0.0).count();
        assert_eq!(south, 100, "{south}");
        let gusty = WindRose { gusts: 20.0, ..WEST };
        let all: Vec<DVec2> = (0..400).map(|number| gusty.direction(number)).collect();
        let mean = all.iter().sum::<DVec2>() / 400.0;
        assert!(mean.y.abs() < 0.003, "{mean}");
        let widest = all.iter().map(|direction| direction.y.abs()).fold(0.0, f64::max);
        assert!((0.32..=0.343).contains(&widest), "{widest}");
    }

    #[test]
    fn winds_from_all_around_cancel_out() {
        let around = WindRose { winds: Winds::Around, ..WEST };
        let sum: DVec2 = (0..5 * LONG_TURN).map(|number| around.direction(number)).sum();
        assert!(sum.length() < 1e-9, "{sum}");
    }
}
