//! How a terrain type's colour meets the colours laid before it.

use crate::params::choice;

use super::weights::{larger, smaller};
use crate::texture::bake::surface::TILE;

choice! {
    /// How a type meets the types above it in the list.
    ///
    /// Types that are mixed share the ground: a texel is the mean of their colours by their weights, which
    /// are divided by their sum. A type of another method is a layer over what the types above it have made
    /// there: result = under + (method(under, its colour) − under) · its own weight, which is not divided, so
    /// that a multiplying type of full weight multiplies in full. It takes no ground from the others, types
    /// below it in the list lie beside what it has changed, and where the types above it have no weight it
    /// changes nothing.
    ///
    /// The first type of a list (bands count) has nothing under it and is mixed, whatever its method. Where
    /// no mixed type has any weight, the one that is nearest to qualifying is the ground of the layers below
    /// it in the list.
    pub enum Blend {
        /// The colour itself, by its share of the ground.
        Mix = "mix",
        /// Below × colour: darkens what the types above it have made, by its own weight.
        Multiply = "multiply",
        /// 1 − (1 − below)(1 − colour): lightens what the types above it have made, by its own weight.
        Screen = "screen",
        /// Multiply where below is dark, screen where it is light: more contrast.
        Overlay = "overlay",
        /// Below + colour, at most 1: adds its light to what the types above it have made.
        Add = "add",
    }
}

impl Blend {
    /// Every method, in the order of a menu.
    pub const ALL: [Self; 5] = [Self::Mix, Self::Multiply, Self::Screen, Self::Overlay, Self::Add];

    /// One channel, in [0, 1], of `colour` laid over `below`.
    #[inline]
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

/// A run of texels being painted: sums of the mixed types' weighted colours, and of their weights.
pub(crate) struct Paint {
    pub(crate) red: [f32; TILE],
    pub(crate) green: [f32; TILE],
    pub(crate) blue: [f32; TILE],
    pub(crate) total: [f32; TILE],
}

impl Paint {
    /// Nothing painted.
    pub(crate) const EMPTY: Self = Self::black(0.0);

    /// Black ground of some weight all over.
    #[inline(always)]
    pub(crate) const fn black(weight: f32) -> Self {
        Self { red: [0.0; TILE], green: [0.0; TILE], blue: [0.0; TILE], total: [weight; TILE] }
    }

    /// Lays a colour, with what it counts in the sum of the weights after it, over each texel by its
    /// weight, 0 or more.
    #[inline(always)]
    pub(crate) fn lay_run(
        &mut self,
        weights: &[f32; TILE],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        blend: Blend,
    ) {
        match blend {
            Blend::Mix => self.mix_run(weights, blocks, colour),
            Blend::Multiply => self.layer_run(weights, blocks, colour, |a, b| Blend::Multiply.apply(a, b)),
            Blend::Screen => self.layer_run(weights, blocks, colour, |a, b| Blend::Screen.apply(a, b)),
            Blend::Overlay => self.layer_run(weights, blocks, colour, |a, b| Blend::Overlay.apply(a, b)),
            Blend::Add => self.layer_run(weights, blocks, colour, |a, b| Blend::Add.apply(a, b)),
        }
    }

    #[inline(always)]
    fn mix_run(&mut self, weights: &[f32; TILE], blocks: &Blocks, colour: impl Fn(usize) -> [f32; 4]) {
        blocks.each(|index| {
            let weight = weights[index];
            let [red, green, blue, counts] = colour(index);
            self.red[index] += weight * red;
            self.green[index] += weight * green;
            self.blue[index] += weight * blue;
            self.total[index] += weight * counts;
        });
    }

    #[inline(always)]
    fn layer_run(
        &mut self,
        weights: &[f32; TILE],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        blend: impl Fn(f32, f32) -> f32,
    ) {
        blocks.each(|index| {
            let (weight, total) = (weights[index], self.total[index]);
            // Nothing where nothing lies under it.
            let per_total = 1.0 / larger(total, 1e-30);
            let [red, green, blue, _] = colour(index);
            let sums = [&mut self.red[index], &mut self.green[index], &mut self.blue[index]];
            for (sum, colour) in sums.into_iter().zip([red, green, blue]) {
                let colour = smaller(larger(colour, 0.0), 1.0);
                let under = *sum * per_total;
                let laid = blend(smaller(under, 1.0), colour);
                *sum += weight * total * (laid - under);
            }
        });
    }
}

/// Which blocks of a run's texels have any weight.
pub(crate) struct Blocks([bool; TILE / BLOCK]);

/// Texels in a block.
const BLOCK: usize = 32;
/// Of which so many are looked at at once.
const LANES: usize = 16;

impl Blocks {
    /// Those of some weights.
    #[inline(always)]
    pub(crate) fn of(weights: &[f32; TILE]) -> Self {
        let mut blocks = [false; TILE / BLOCK];
        for (any, weights) in blocks.iter_mut().zip(weights.as_chunks::<BLOCK>().0) {
            // Lane by lane, or the compiler gathers a number of each block. No weight is below 0.
            let mut bits = [0; LANES];
            for weights in weights.as_chunks::<LANES>().0 {
                for (bits, weight) in bits.iter_mut().zip(weights) {
                    *bits |= weight.to_bits();
                }
            }
            *any = bits.iter().fold(0, |any, bits| any | bits) != 0;
        }
        Self(blocks)
    }

    /// Whether none has.
    #[inline(always)]
    pub(crate) fn are_empty(&self) -> bool {
        self.0 == [false; TILE / BLOCK]
    }

    /// Calls `act` with every texel of these blocks.
    #[inline(always)]
    pub(crate) fn each(&self, mut act: impl FnMut(usize)) {
        for block in 0..TILE / BLOCK {
            if self.0[block] {
                for lane in 0..BLOCK {
                    act(block * BLOCK + lane);
                }
            }
        }
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
    fn between_black_and_white_every_method_gives_the_known_level() {
        for (blend, below, colour, expected) in [
            (Blend::Mix, 0.8, 0.4, 0.4),
            (Blend::Multiply, 0.8, 0.4, 0.32),
            (Blend::Screen, 0.8, 0.4, 0.88),
            (Blend::Add, 0.3, 0.4, 0.7),
            (Blend::Add, 0.8, 0.4, 1.0),
            (Blend::Overlay, 0.3, 0.4, 0.24),
            (Blend::Overlay, 0.8, 0.4, 0.76),
        ] {
            let found = blend.apply(below, colour);
            assert!((found - expected).abs() < 1e-6, "{blend:?} of {colour} over {below}: {found}");
        }
        assert_eq!(Blend::ALL.len(), 5, "another method wants its numbers here");
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
        let (dark, light) = ([0.1, 0.1, 0.1, 1.0], [0.7, 0.7, 0.7, 1.0]);
        let mut paint = Paint::EMPTY;
        let (mut three, mut one) = ([0.75; TILE], [0.25; TILE]);
        paint.lay_run(&three, &Blocks::of(&three), |_| dark, Blend::Mix);
        paint.lay_run(&one, &Blocks::of(&one), |_| light, Blend::Mix);
        assert!((paint.red[0] / paint.total[0] - 0.25).abs() < 1e-6);
        let mut other = Paint::EMPTY;
        std::mem::swap(&mut three, &mut one);
        other.lay_run(&three, &Blocks::of(&three), |_| light, Blend::Mix);
        other.lay_run(&one, &Blocks::of(&one), |_| dark, Blend::Mix);
        assert!((other.red[0] / other.total[0] - 0.25).abs() < 1e-6);
    }
}
