//! How a terrain type's colour meets the colours laid before it.

use serde::{Deserialize, Serialize};

use super::surface::TILE;

/// How a type is laid over the types before it in the list.
///
/// The types' weights are divided by their sum. A texel is then the mean, by these shares, of the
/// mixed types' colours and, for each type of another method, of what that method makes of its
/// colour and the mean of the types before it. So shares mean the same for every method, and a type
/// that is alone shows its own colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blend {
    /// The colour itself.
    #[default]
    Mix,
    /// Below × colour: darkens.
    Multiply,
    /// 1 − (1 − below)(1 − colour): lightens.
    Screen,
    /// Multiply where below is dark, screen where it is light: more contrast.
    Overlay,
    /// Below + colour, at most 1.
    Add,
}

impl Blend {
    /// Every method, in the order of a menu.
    pub const ALL: [Self; 5] = [Self::Mix, Self::Multiply, Self::Screen, Self::Overlay, Self::Add];

    /// One channel, in [0, 1], of `colour` laid over `below`.
    pub fn apply(self, below: f32, colour: f32) -> f32 {
        match self {
            Self::Mix => colour,
            Self::Multiply => below * colour,
            Self::Screen => 1.0 - (1.0 - below) * (1.0 - colour),
            Self::Overlay if below < 0.5 => 2.0 * below * colour,
            Self::Overlay => 1.0 - 2.0 * (1.0 - below) * (1.0 - colour),
            Self::Add => (below + colour).min(1.0),
        }
    }
}

/// A run of texels being painted: sums of weighted colours, and of the weights.
pub(super) struct Paint {
    pub(super) red: [f32; TILE],
    pub(super) green: [f32; TILE],
    pub(super) blue: [f32; TILE],
    pub(super) total: [f32; TILE],
}

impl Paint {
    /// Nothing painted.
    pub(super) const EMPTY: Self =
        Self { red: [0.0; TILE], green: [0.0; TILE], blue: [0.0; TILE], total: [0.0; TILE] };

    /// Lays `colour` over texel `index` by `blend` with `weight`, above 0.
    pub(super) fn lay(&mut self, index: usize, weight: f32, colour: [f32; 3], blend: Blend) {
        let total = self.total[index];
        let sums = [&mut self.red[index], &mut self.green[index], &mut self.blue[index]];
        for (sum, colour) in sums.into_iter().zip(colour) {
            let colour = colour.clamp(0.0, 1.0);
            let laid = if total > 0.0 { blend.apply((*sum / total).min(1.0), colour) } else { colour };
            *sum += weight * laid;
        }
        self.total[index] = total + weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_and_black_do_what_each_method_is_known_for() {
        for below in [0.0, 0.2, 0.5, 0.9, 1.0f32] {
            assert_eq!(Blend::Mix.apply(below, 0.3), 0.3);
            assert_eq!(Blend::Multiply.apply(below, 1.0), below);
            assert_eq!(Blend::Screen.apply(below, 0.0), 1.0 - (1.0 - below));
            assert_eq!(Blend::Add.apply(below, 0.0), below);
            assert!((Blend::Overlay.apply(below, 0.5) - below).abs() < 1e-6);
        }
    }

    #[test]
    fn every_method_stays_within_black_and_white() {
        let levels = || (0..=10).map(|step| step as f32 / 10.0);
        for blend in Blend::ALL {
            for below in levels() {
                for colour in levels() {
                    assert!((0.0..=1.0).contains(&blend.apply(below, colour)));
                }
            }
        }
    }

    #[test]
    fn mixed_types_give_the_mean_by_their_weights_in_any_order() {
        let (dark, light) = ([0.1; 3], [0.7; 3]);
        let mut paint = Paint::EMPTY;
        paint.lay(0, 0.75, dark, Blend::Mix);
        paint.lay(0, 0.25, light, Blend::Mix);
        paint.lay(1, 0.25, light, Blend::Mix);
        paint.lay(1, 0.75, dark, Blend::Mix);
        for index in [0, 1] {
            assert!((paint.red[index] / paint.total[index] - 0.25).abs() < 1e-6);
        }
    }
}
