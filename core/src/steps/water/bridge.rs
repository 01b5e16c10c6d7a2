//! The bridges on which roads cross rivers.

use glam::Vec3;

/// A bridge on which a road crosses a river, whose bed the road leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Bridge {
    /// The middle of its deck from end to end, metres: `x` to the east and `z` to the south of the land's sample
    /// (0, 0), `y` up. At least two points.
    pub line: Vec<Vec3>,
    /// Width of the deck, metres: the road with its shoulders.
    pub width: f32,
}

impl Bridge {
    /// Approximate memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.line.as_slice()) as u64
    }
}
