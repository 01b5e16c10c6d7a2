//! Paints a run of texels: terrain types are laid over each other by their weights.

use crate::math::simd::{larger, smaller};
use crate::texture::texels::RUN;
use crate::texture::types::BlendMode;

use super::blocks::Blocks;

/// A run of texels in progress: the sums of weighted colours, and of weights.
pub(crate) struct Paint {
    pub(crate) red: [f32; RUN],
    pub(crate) green: [f32; RUN],
    pub(crate) blue: [f32; RUN],
    pub(crate) total: [f32; RUN],
}

impl Paint {
    /// Nothing painted.
    pub(crate) const EMPTY: Self = Self::black(0.0);

    /// Black ground of some weight all over.
    #[inline(always)]
    pub(crate) const fn black(weight: f32) -> Self {
        Self { red: [0.0; RUN], green: [0.0; RUN], blue: [0.0; RUN], total: [weight; RUN] }
    }

    /// Lays a terrain type over each texel by its weight, 0 or more. `colour` gives red, green and blue, and
    /// the factor of the weight in the sum of weights.
    #[inline(always)]
    pub(crate) fn lay_run(
        &mut self,
        weights: &[f32; RUN],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        blend: BlendMode,
    ) {
        // One copy of the loop for each mode: chosen once for a run and not at every texel.
        match blend {
            BlendMode::Mix | BlendMode::Cover => self.mix_run(weights, blocks, colour),
            BlendMode::Multiply => {
                self.layer_run(weights, blocks, colour, |a, b| BlendMode::Multiply.apply(a, b))
            }
            BlendMode::Screen => {
                self.layer_run(weights, blocks, colour, |a, b| BlendMode::Screen.apply(a, b))
            }
            BlendMode::Overlay => {
                self.layer_run(weights, blocks, colour, |a, b| BlendMode::Overlay.apply(a, b))
            }
            BlendMode::Add => self.layer_run(weights, blocks, colour, |a, b| BlendMode::Add.apply(a, b)),
        }
    }

    #[inline(always)]
    fn mix_run(&mut self, weights: &[f32; RUN], blocks: &Blocks, colour: impl Fn(usize) -> [f32; 4]) {
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
        weights: &[f32; RUN],
        blocks: &Blocks,
        colour: impl Fn(usize) -> [f32; 4],
        blend: impl Fn(f32, f32) -> f32,
    ) {
        blocks.each(|index| {
            let (weight, total) = (weights[index], self.total[index]);
            // Where nothing lies under it, `total` is 0 and nothing is added.
            let per_total = 1.0 / larger(total, 1e-30);
            let [red, green, blue, _] = colour(index);
            let sums = [&mut self.red[index], &mut self.green[index], &mut self.blue[index]];
            for (sum, colour) in sums.into_iter().zip([red, green, blue]) {
                let colour = smaller(larger(colour, 0.0), 1.0);
                let under = *sum * per_total;
                // Sums may exceed 1 where ground is mottled; blend modes are defined from 0 to 1.
                let laid = blend(smaller(under, 1.0), colour);
                // The layer changes the mean colour under it by its weight and leaves the sum of weights
                // alone, so it is scaled by that sum.
                *sum += weight * total * (laid - under);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_types_give_the_mean_by_their_weights_in_any_order() {
        let (dark, light) = ([0.1, 0.1, 0.1, 1.0], [0.7, 0.7, 0.7, 1.0]);
        let mut paint = Paint::EMPTY;
        let (mut three, mut one) = ([0.75; RUN], [0.25; RUN]);
        paint.lay_run(&three, &Blocks::of(&three), |_| dark, BlendMode::Mix);
        paint.lay_run(&one, &Blocks::of(&one), |_| light, BlendMode::Mix);
        assert!((paint.red[0] / paint.total[0] - 0.25).abs() < 1e-6);
        let mut other = Paint::EMPTY;
        std::mem::swap(&mut three, &mut one);
        other.lay_run(&three, &Blocks::of(&three), |_| light, BlendMode::Mix);
        other.lay_run(&one, &Blocks::of(&one), |_| dark, BlendMode::Mix);
        assert!((other.red[0] / other.total[0] - 0.25).abs() < 1e-6);
    }
}
