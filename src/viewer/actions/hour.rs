//! Times of the day to choose.

use crate::sky::sun::SolarTime;

/// A time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hour {
    Sunrise,
    Morning,
    Noon,
    Afternoon,
    Sunset,
    Night,
}

impl Hour {
    /// All times, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Sunrise, "sunrise"),
        (Self::Morning, "morning"),
        (Self::Noon, "noon"),
        (Self::Afternoon, "afternoon"),
        (Self::Sunset, "sunset"),
        (Self::Night, "night"),
    ];

    /// The hour on a day at a latitude; sunrise and sunset are found to within a few minutes.
    pub fn on(self, time: SolarTime) -> f32 {
        let minutes =
            |from: f32, to: f32| (0..=144).map(move |part| from + (to - from) * part as f32 / 144.0);
        let is_up = |hour: &f32| SolarTime { hour: *hour, ..time }.sun().elevation > 1.0;
        let rise = minutes(0.0, 12.0).find(is_up).unwrap_or(6.0);
        match self {
            Self::Sunrise => rise,
            Self::Morning => (rise + 12.0) / 2.0,
            Self::Noon => 12.0,
            Self::Afternoon => 12.0 + (12.0 - rise) / 2.0,
            Self::Sunset => 24.0 - rise,
            Self::Night => 0.0,
        }
    }
}
