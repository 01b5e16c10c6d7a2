//! The time before the present round of the shaders' clock. Bevy's `globals.time` begins again at 0 after
//! `Time::wrap_period`, an hour if a game sets nothing else, and patterns that move by it alone would jump.
//! So they are moved by the time before as well. It changes once in a round, so materials may hold it; and it
//! comes from the clock itself, so rounds may have any length, and a game may change it.

use bevy::prelude::*;

/// Seconds after which shaders' patterns are where they were, so that longer times need no precision. Twin of
/// `LOOP` in `shaders/scatter_instance.wgsl`; twin of `LOOP` in `shaders/under_water.wgsl`.
const LOOP: f64 = 3600.0;

/// Seconds that had gone by when the shaders' clock was last at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct EarlierTime(f64);

impl EarlierTime {
    /// At present; a world without a clock stays at its beginning.
    pub(crate) fn of(time: Option<&Time>) -> Self {
        let Some(time) = time else { return Self::default() };
        Self(time.elapsed().saturating_sub(time.elapsed_wrapped()).as_secs_f64())
    }

    pub(crate) fn seconds(self) -> f64 {
        self.0
    }

    /// In whole loops of shaders' patterns, and seconds of the one that has begun.
    pub(crate) fn in_loops(self) -> (i32, f32) {
        (self.0.div_euclid(LOOP) as i32, self.0.rem_euclid(LOOP) as f32)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_time_before_and_the_shaders_clock_are_all_time_whatever_the_round() {
        for round in [1.0, 7.3, 3600.0, 5000.0] {
            let mut time = Time::<()>::default();
            time.set_wrap_period(Duration::from_secs_f64(round));
            for _ in 0..1000 {
                time.advance_by(Duration::from_secs_f64(11.9));
                let earlier = EarlierTime::of(Some(&time));
                let all = earlier.seconds() + time.elapsed_secs_wrapped_f64();
                assert!((all - time.elapsed_secs_f64()).abs() < 1e-6);
                let (loops, rest) = earlier.in_loops();
                assert!((f64::from(loops) * LOOP + f64::from(rest) - earlier.seconds()).abs() < 1e-3);
                // With Bevy's own round, nothing but the number of loops ever changes.
                assert!(round != 3600.0 || rest == 0.0);
            }
        }
    }

    #[test]
    fn caustics_drift_by_whole_units_in_a_loop() {
        let shader = include_str!("../../../shaders/under_water.wgsl");
        assert!(shader.contains(&format!("const LOOP: f32 = {LOOP:?};")));
        for (name, drift) in [("A", [0.34, 0.17]), ("B", [-0.21, 0.29])] {
            let [x, y]: [f64; 2] = drift;
            assert!(shader.contains(&format!("const DRIFT_{name}: vec2<f32> = vec2({x:?}, {y:?});")));
            let [x, y] = drift.map(|metres| metres * LOOP / super::super::extension::CAUSTICS_SIZE);
            assert!((x - x.round()).abs() < 1e-9 && (y - y.round()).abs() < 1e-9);
            let line = format!("const LOOP_{name}: vec2<i32> = vec2({:.0}, {:.0});", x.round(), y.round());
            assert!(shader.contains(&line), "{line}");
        }
        let shader = include_str!("../../../shaders/scatter_instance.wgsl");
        assert!(shader.contains(&format!("const LOOP: f32 = {LOOP:?};")));
    }
}
