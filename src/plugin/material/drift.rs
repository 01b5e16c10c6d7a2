//! Patterns that move at a speed which a game may change.

use bevy::prelude::*;

use super::earlier_time::EarlierTime;

/// How far a pattern has moved. Shaders move it by the present speed times their clock, so that its material
/// doesn't change in every frame. After a change of speed they begin where this says; without it the pattern
/// would jump to where the new speed alone would have brought it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Drift {
    /// The speed in the last frame.
    speed: Option<f64>,
    /// How much farther it has moved than at that speed since the start.
    ahead: f64,
}

impl Drift {
    /// Takes over the present speed. Returns how far the pattern counts as moved when the shaders' clock was
    /// last at 0: times the speed that clock adds what is left. Without a clock it is where it began.
    pub(crate) fn follow(&mut self, speed: f64, time: Option<&Time>) -> f64 {
        // The place must stay a number when the speed is one again.
        let speed = if speed.is_finite() { speed } else { 0.0 };
        let before = self.speed.replace(speed).unwrap_or(speed);
        self.ahead += (before - speed) * time.map_or(0.0, |time| time.elapsed_secs_f64());
        self.ahead + speed * EarlierTime::of(time).seconds()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_pattern_never_jumps_and_moves_at_the_speed_that_it_has() {
        for round in [7.3, 3600.0] {
            let mut time = Time::<()>::default();
            time.set_wrap_period(Duration::from_secs_f64(round));
            time.advance_by(Duration::from_secs(10_000));
            let mut drift = Drift::default();
            // Where the shader draws it.
            let mut drawn = |speed: f64, time: &Time| {
                drift.follow(speed, Some(time)) + speed * time.elapsed_secs_wrapped_f64()
            };
            let mut place = drawn(3.0, &time);
            assert!((place - 30_000.0).abs() < 1e-6, "the same for all that start at once");
            for (frame, &speed) in [3.0, 0.5, 0.5, 0.0, -20.0, 3.0].repeat(40).iter().enumerate() {
                let changed = drawn(speed, &time);
                assert!((changed - place).abs() < 1e-6, "frame {frame}: from {place} to {changed}");
                time.advance_by(Duration::from_millis(300));
                place = drawn(speed, &time);
                assert!((place - changed - 0.3 * speed).abs() < 1e-6, "frame {frame}: at {speed}");
            }
            drift.follow(f64::NAN, Some(&time));
            assert!(drift.follow(1.0, Some(&time)).is_finite());
        }
    }
}
