//! The cost of slopes for a walker.

use crate::params::choice;

/// Tobler's slope of the fastest pace, as rise per metre, and how quickly the pace falls away from it.
const TOBLER_BEST: f64 = -0.05;
const TOBLER_FALL: f64 = 3.5;

/// The steepest rise per metre that Minetti measured.
const MINETTI_STEEPEST: f64 = 0.45;

choice! {
    /// The cost of a metre on a slope, relative to a metre on level ground.
    pub enum Pace {
        /// Time of a hiker: Tobler's function, e^(3.5 |r + 0.05|) for a rise r, is least at 3° downhill.
        Tobler = "tobler",
        /// Energy of a walker: Minetti's polynomial, measured up to 24° and extended beyond, is least at 9°
        /// downhill.
        Energy = "energy",
        /// The same as on level ground, up to the steepest ground that agents walk on.
        Even = "even",
    }
}

impl Pace {
    /// The cost of a metre on the map that rises by `rise` metres (below 0 downhill), relative to a metre on
    /// level ground.
    ///
    /// Tobler: "Three presentations on geographical analysis and modeling", 1993. Energy: Minetti, Moia, Roi,
    /// Susta and Ferretti, "Energy cost of walking and running at extreme uphill and downhill slopes",
    /// Journal of Applied Physiology 93, 2002; its cost is per metre along the slope.
    pub fn cost(self, rise: f64) -> f64 {
        match self {
            Self::Tobler => {
                // Less its value on level ground, so that a level metre costs exactly 1.
                let away = (rise - TOBLER_BEST).abs() - TOBLER_BEST.abs();
                libm::exp(TOBLER_FALL * away)
            }
            Self::Energy => minetti(rise) / minetti(0.0) * (1.0 + rise * rise).sqrt(),
            Self::Even => 1.0,
        }
    }

    /// The cost of a metre on the map where the ground rises by `gradient` metres in its steepest direction,
    /// as a mean of up and down.
    pub fn cost_across(self, gradient: f64) -> f64 {
        0.5 * (self.cost(gradient) + self.cost(-gradient))
    }

    /// The least possible cost of a metre on any slope, rounded down, so that no slope costs less.
    pub fn least(self) -> f64 {
        match self {
            // At the best slope.
            Self::Tobler => 0.8394,
            Self::Energy => 0.37,
            Self::Even => 1.0,
        }
    }
}

/// The energy of walking a metre along a slope, J/(kg·m).
fn minetti(rise: f64) -> f64 {
    let measured = rise.clamp(-MINETTI_STEEPEST, MINETTI_STEEPEST);
    let coefficients = [280.5, -58.7, -76.8, 51.9, 19.6, 2.5];
    // Horner's scheme, from r⁵ down.
    let energy = coefficients.into_iter().fold(0.0, |sum, coefficient| sum * measured + coefficient);
    // On steeper ground only the height counts.
    if rise.abs() > MINETTI_STEEPEST { energy * (rise / measured) } else { energy }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RISES: std::ops::RangeInclusive<i32> = -3000..=3000;

    #[test]
    fn level_ground_costs_its_length_and_no_slope_less_than_the_least() {
        for pace in [Pace::Tobler, Pace::Energy, Pace::Even] {
            assert_eq!(pace.cost(0.0), 1.0, "{pace:?}");
            let costs = RISES.map(|rise| pace.cost(f64::from(rise) * 1e-3));
            let least = costs.fold(f64::INFINITY, f64::min);
            assert!(least >= pace.least() && least < pace.least() * 1.3, "{pace:?}: {least}");
            for rise in RISES {
                assert!(pace.cost_across(f64::from(rise) * 1e-3) >= 1.0 - 1e-12, "{pace:?} on {rise}");
            }
        }
    }

    #[test]
    fn paces_are_those_of_their_papers() {
        // Tobler's hiker: 6 km/h at best, 5.04 km/h on level ground.
        let speed = |rise: f64| 5.0367 / Pace::Tobler.cost(rise);
        for (rise, kilometres_an_hour) in [(-0.05, 6.0), (0.0, 5.0367), (0.5, 0.875), (-0.5, 1.242)] {
            assert!((speed(rise) - kilometres_an_hour).abs() < 2e-3, "{rise}: {}", speed(rise));
        }
        // Minetti's walker: 17.3 J/(kg·m) up a rise of 0.45, and 0.94 down one of 0.15.
        for (rise, joules) in [(0.45, 17.3), (0.0, 2.5), (-0.15, 0.94)] {
            assert!((minetti(rise) - joules).abs() < 0.5, "{rise}: {}", minetti(rise));
        }
        assert!((minetti(0.9) - 2.0 * minetti(0.45)).abs() < 1e-9);
    }

    #[test]
    fn steeper_ground_costs_more_in_both_directions() {
        for pace in [Pace::Tobler, Pace::Energy] {
            let costs: Vec<f64> = (0..300).map(|rise| pace.cost_across(f64::from(rise) * 0.01)).collect();
            assert!(costs.is_sorted_by(|a, b| a <= b), "{pace:?}");
        }
    }
}
