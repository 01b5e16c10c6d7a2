//! The nearness of water.

use super::factor::{Factor, FactorReach, FactorScale};
use super::nearness::nearness;

/// Metres from water at which [`WATER_NEARNESS`] is 0.
pub const WATER_NEARNESS_REACH: f32 = 1000.0;

/// Nearness of water: 1 in it, falling evenly to 0 a kilometre away.
pub static WATER_NEARNESS: Factor = Factor {
    was: Some("water_distance"),
    scale: Some(FactorScale { at_0: WATER_NEARNESS_REACH, at_1: 0.0, unit: "m away" }),
    reach: FactorReach::metres(WATER_NEARNESS_REACH),
    bytes_a_sample: 15,
    depends_on_water: true,
    ..Factor::new(
        "water_nearness",
        "Nearness of water: 1 in the water, falling to 0 a kilometre away. Older recipes call it `water_distance`.",
        |land, _day, work| nearness(land, WATER_NEARNESS_REACH, work),
    )
};
