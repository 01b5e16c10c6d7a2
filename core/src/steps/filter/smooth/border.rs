//! The values beyond the border of a field, for filters that look around.

use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::params::choice;
use crate::steps::Reach;

choice! {
    /// What lies beyond the border.
    pub enum Border {
        /// The border's own height continues outside.
        Clamp = "clamp",
        /// The opposite side follows (periodic): for land that tiles.
        Wrap = "wrap",
    }
}

impl Border {
    /// Index of the sample that is `before` samples before `index` out of `count`, however far outside the
    /// field.
    pub(super) fn before(self, index: usize, before: usize, count: usize) -> usize {
        match self {
            // On land smaller than the kernel `before` may exceed it, and `index` may lie beyond the last
            // sample.
            Self::Clamp => index.saturating_sub(before).min(count - 1),
            Self::Wrap => (index as isize - before as isize).rem_euclid(count as isize) as usize,
        }
    }

    /// The reach of a filter that reads `samples` samples to each side, at level 0. With a wrapping border
    /// it also reads the far end, so its reach is the whole land.
    pub(super) fn reach(self, samples: f32, domain: Domain) -> Reach {
        match self {
            Self::Clamp => Reach::Near(samples * domain.cell()),
            // The far side of the land is next to the near one, and no halo contains it.
            Self::Wrap => Reach::Whole,
        }
    }
}

/// How many samples a window of `size` extends to each side of its middle.
///
/// # Errors
/// When `size` is even: then the window has no middle sample.
pub(super) fn reach_of_window(size: u32) -> Result<usize> {
    if size % 2 == 1 {
        return Ok(size as usize / 2);
    }
    let others = if size == 0 { "1 or 3".into() } else { format!("{} or {}", size - 1, size + 1) };
    Err(Error::parameter("size", format!("a window of {size} samples has no middle one; use {others}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_the_border_comes_what_the_rule_says() {
        let around = |border: Border| (0..9).map(|index| border.before(index, 3, 3)).collect::<Vec<_>>();
        assert_eq!(around(Border::Clamp), [0, 0, 0, 0, 1, 2, 2, 2, 2]);
        assert_eq!(around(Border::Wrap), [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        assert_eq!(Border::Wrap.before(0, 1000, 1), 0);
    }

    #[test]
    fn windows_without_a_middle_are_refused() {
        assert_eq!(reach_of_window(7).ok(), Some(3));
        let said = reach_of_window(4).map_err(|error| error.to_string());
        assert_eq!(said, Err("size: a window of 4 samples has no middle one; use 3 or 5".into()));
    }
}
