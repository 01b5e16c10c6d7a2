//! Blend modes: how a terrain type's colour meets the colours laid before it.

use crate::params::choice;

choice! {
    /// How a type is blended with the types before it in the list.
    ///
    /// Types that are mixed share the ground: a texel is the mean of their colours by their weights, which
    /// are divided by their sum. A type that covers takes its own weight of the ground first, and the types
    /// before it share what is left as they did.
    ///
    /// A type of any other mode is a layer over what the types before it have made of a texel: under +
    /// (mode(under, its colour) − under) · its own weight, which is not divided, so that a multiplying type
    /// of weight 1 multiplies in full. A layer takes no ground from other types. Mixed types after it in the
    /// list lie beside what it has changed and aren't changed themselves. Where the types before it have no
    /// weight it changes nothing.
    ///
    /// The first type of a list (bands count) has nothing under it and is mixed, whatever its mode. Where
    /// no mixed type has any weight, the one that is nearest to qualifying is the ground of the layers after
    /// it in the list.
    pub enum BlendMode {
        /// The colour itself, by its share of the ground.
        Mix = "mix",
        /// Takes its own weight of the ground from the types before it, which share the rest: a road, snow.
        /// Types after it lie beside it, so put it last.
        Cover = "cover",
        /// Below × colour: darkens what the types before it have made, by its own weight.
        Multiply = "multiply",
        /// 1 − (1 − below)(1 − colour): lightens what the types before it have made, by its own weight.
        Screen = "screen",
        /// Multiply where below is dark, screen where it is light: more contrast.
        Overlay = "overlay",
        /// Below + colour, at most 1: adds its light to what the types before it have made.
        Add = "add",
    }
}

impl BlendMode {
    /// Every mode, in the order of a menu.
    pub const ALL: [Self; 6] =
        [Self::Mix, Self::Cover, Self::Multiply, Self::Screen, Self::Overlay, Self::Add];

    /// Whether types of this mode share the ground; others are layers over it.
    pub fn takes_ground(self) -> bool {
        matches!(self, Self::Mix | Self::Cover)
    }

    /// The mode of the same type where it is shown as ground in an even colour: a cover covers, all else is
    /// mixed.
    #[doc(hidden)]
    pub fn as_ground(self) -> Self {
        if self == Self::Cover { Self::Cover } else { Self::Mix }
    }

    /// One channel, in [0, 1], of `colour` laid over `below`.
    #[inline]
    pub fn apply(self, below: f32, colour: f32) -> f32 {
        match self {
            Self::Mix | Self::Cover => colour,
            Self::Multiply => below * colour,
            Self::Screen => 1.0 - (1.0 - below) * (1.0 - colour),
            // Multiply in the dark half and screen in the bright one: both give the colour itself at ½, so
            // there is no step.
            Self::Overlay if below < 0.5 => 2.0 * below * colour,
            Self::Overlay => 1.0 - 2.0 * (1.0 - below) * (1.0 - colour),
            Self::Add => (below + colour).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_and_black_do_what_each_mode_is_known_for() {
        for below in [0.0, 0.2, 0.5, 0.9, 1.0f32] {
            assert_eq!(BlendMode::Mix.apply(below, 0.3), 0.3);
            assert_eq!(BlendMode::Multiply.apply(below, 1.0), below);
            assert_eq!(BlendMode::Screen.apply(below, 0.0), 1.0 - (1.0 - below));
            assert_eq!(BlendMode::Add.apply(below, 0.0), below);
            assert!((BlendMode::Overlay.apply(below, 0.5) - below).abs() < 1e-6);
        }
    }

    #[test]
    fn between_black_and_white_every_mode_gives_the_known_level() {
        for (blend, below, colour, expected) in [
            (BlendMode::Mix, 0.8, 0.4, 0.4),
            (BlendMode::Cover, 0.8, 0.4, 0.4),
            (BlendMode::Multiply, 0.8, 0.4, 0.32),
            (BlendMode::Screen, 0.8, 0.4, 0.88),
            (BlendMode::Add, 0.3, 0.4, 0.7),
            (BlendMode::Add, 0.8, 0.4, 1.0),
            (BlendMode::Overlay, 0.3, 0.4, 0.24),
            (BlendMode::Overlay, 0.8, 0.4, 0.76),
        ] {
            let found = blend.apply(below, colour);
            assert!((found - expected).abs() < 1e-6, "{blend:?} of {colour} over {below}: {found}");
        }
        assert_eq!(BlendMode::ALL.len(), 6, "another mode wants its numbers here");
    }

    #[test]
    fn every_mode_stays_within_black_and_white() {
        let levels = || (0..=10).map(|step| step as f32 / 10.0);
        for blend in BlendMode::ALL {
            for below in levels() {
                for colour in levels() {
                    assert!((0.0..=1.0).contains(&blend.apply(below, colour)));
                }
            }
        }
    }
}
