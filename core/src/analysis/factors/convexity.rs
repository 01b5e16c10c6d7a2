//! Convexity: how much the ground bulges.

use super::factor::Factor;
use super::topographic_position::{POSITION_REACH, convexity};

/// How much the ground bulges: as the [concavity](super::CONCAVITY), by the positive side of the index.
/// Towards 1 on crests.
pub static CONVEXITY: Factor = Factor {
    reach: POSITION_REACH,
    bytes_a_sample: 7,
    depends_on_water: false,
    ..Factor::new(
        "convexity",
        "How much the ground bulges: 0 even or hollow, towards 1 on crests.",
        |land, _day, work| convexity(land.field, work),
    )
};
