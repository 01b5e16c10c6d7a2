//! Concavity: how hollow the ground is.

use super::factor::Factor;
use super::topographic_position::{POSITION_REACH, concavity};

/// How hollow the ground is, by its topographic position index: its height above the mean of its
/// surroundings, which a Gaussian with a standard deviation of 75 metres weighs ([`POSITION_SCALE`]). 0
/// where that isn't negative, one half at −7.5 m, towards 1 in gorges.
///
/// [`POSITION_SCALE`]: crate::texture::POSITION_SCALE
pub static CONCAVITY: Factor = Factor {
    reach: POSITION_REACH,
    bytes_a_sample: 7,
    depends_on_water: false,
    ..Factor::new(
        "concavity",
        "How hollow the ground is: 0 even or bulging, towards 1 in gorges.",
        |land, _day, work| concavity(land.field, work),
    )
};
