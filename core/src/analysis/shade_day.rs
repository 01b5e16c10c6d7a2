//! The day of the year, and the latitude, for which shade is measured.

use crate::params::{in_recipes, params};

params! {
    /// Where on the globe, and on which day of the year, shade is measured.
    pub struct ShadeDay {
        /// Latitude whose sun is followed, north of the equator above 0.
        pub latitude: f32 = 45.0, "°" in -90.0..=90.0;
        /// Day of the year: 81 is the equinox in March, 172 the solstice in June, 355 that in December.
        pub day: u32 = 81, "" in 1.0..=366.0;
    }
}

in_recipes!(ShadeDay);

impl Copy for ShadeDay {}
