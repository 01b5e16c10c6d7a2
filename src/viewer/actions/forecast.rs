//! Kinds of weather to choose.

use crate::Weather;

/// A kind of weather.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forecast {
    Clear,
    Fair,
    Cloudy,
    Overcast,
    Hazy,
}

impl Forecast {
    /// All kinds, with their names.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Clear, "clear"),
        (Self::Fair, "fair, with drifting clouds"),
        (Self::Cloudy, "cloudy"),
        (Self::Overcast, "overcast"),
        (Self::Hazy, "hazy"),
    ];

    /// The weather of this kind; the height of clouds stays as it was.
    pub fn on(self, before: Weather) -> Weather {
        let usual = Weather { base: before.base, ..Weather::default() };
        match self {
            Self::Clear => Weather { high_clouds: 0.0, ..usual },
            Self::Fair => Weather { clouds: 0.35, ..usual },
            Self::Cloudy => Weather { clouds: 0.65, ..usual },
            Self::Overcast => Weather { clouds: 1.0, visibility: 40_000.0, ..usual },
            Self::Hazy => Weather { visibility: 15_000.0, ..usual },
        }
    }
}
