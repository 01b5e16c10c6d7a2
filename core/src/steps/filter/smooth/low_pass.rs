//! Low-pass filter, recursive: y = k·y' + (1 − k)·x with y' the filtered neighbour.
//!
//! The recursion runs east and then west along every row, south and then north along every column, so that
//! it has no phase shift. It is the band filter of fault formation (Shankel, "Fractal Terrain Generation –
//! Fault Formation", Game Programming Gems 1, 2000). Written as x + k·(y' − x) it leaves level land level
//! to the last bit.

use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;
use crate::grid::lines::{change_columns, change_rows, units};
use crate::params::params;
use crate::steps::filter::smooth::border::Border;
use crate::steps::number::sum;
use crate::steps::{Ground, Operation, estimate, step};

params! {
    /// Draws every height towards its neighbours, as if worn by rain: cliffs turn into slopes that fade
    /// out. Its run time does not depend on how far it smooths.
    pub struct LowPass {
        /// Share k of the neighbour's height; it smooths over about k/(1 − k) samples.
        pub k: f32 = 0.6, "" in 0.0..=0.99;
        /// What lies beyond the border.
        pub border: Border = Border::Clamp;
    }
}

impl Operation for LowPass {
    step!("low_pass", "Low-pass", Filter);

    fn apply(&self, ground: &mut Ground, _seed: u64, work: &Work) -> Result<()> {
        let field = &mut ground.heights;
        work.stage("low-pass", units(field));
        let &Self { k, border } = self;
        // Back as well: one direction alone delays the signal, and would shift all land to the east and
        // south.
        let there_and_back = |lines: &mut [f32], lanes: usize| {
            let order = 0..lines.len() / lanes;
            in_wide_registers(Recursion { k, border, lines, lanes, order: order.clone(), work })?;
            in_wide_registers(Recursion { k, border, lines, lanes, order: order.rev(), work })
        };
        change_rows(field, work, there_and_back)?;
        work.frame("pass", 1, 2, || Ok(&*field))?;
        change_columns(field, work, there_and_back)?;
        work.frame("pass", 2, 2, || Ok(&*field))
    }

    fn formula(&self) -> Option<String> {
        let next = sum(&[(self.k, " ", "yₙ₋₁"), (1.0 - self.k, " ", "hₙ")]);
        Some(format!("yₙ = {next}\neast and back along every row, then south and back along every column"))
    }

    fn seconds(&self, grid: Grid) -> f64 {
        estimate::of_samples(grid, 15.0)
    }
}

/// One direction of the recursion, over `lanes` lines side by side.
struct Recursion<'a, Order> {
    k: f32,
    border: Border,
    lines: &'a mut [f32],
    lanes: usize,
    order: Order,
    work: &'a Work,
}

impl<Order: ExactSizeIterator<Item = usize> + Clone> Loop for Recursion<'_, Order> {
    type Done = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { k, border, lines, lanes, order, work } = self;
        let Some(first) = order.clone().next() else { return Ok(()) };
        // In f64: a rounding error is amplified by 1/(1 − k) before it fades.
        let k = f64::from(k);
        // y ← h + k (y − h) is the formula's k·y + (1 − k)·h with one product, and exact where y = h.
        let toward = |before: f64, height: f32| f64::from(height) + k * (before - f64::from(height));
        let start: Vec<f64> = lines[first * lanes..][..lanes].iter().map(|&height| height.into()).collect();
        let mut before = start.clone();
        if border == Border::Wrap {
            // Wrapping: after one round from `start` only kⁿ of it is left; the limit of endlessly many
            // rounds follows in closed form.
            let forgotten = 1.0 - libm::pow(k, order.len() as f64);
            for index in order.clone() {
                work.check()?;
                let heights = &lines[index * lanes..][..lanes];
                before
                    .iter_mut()
                    .zip(heights)
                    .for_each(|(before, &height)| *before = toward(*before, height));
            }
            for (before, start) in before.iter_mut().zip(start) {
                // After n samples y₁ = a + kⁿ y₀ with an unknown a; the start that returns to itself is y = a
                // / (1 − kⁿ).
                *before = start + (*before - start) / forgotten;
            }
        }
        for index in order {
            work.check()?;
            for (height, before) in lines[index * lanes..][..lanes].iter_mut().zip(&mut before) {
                *before = toward(*before, *height);
                *height = *before as f32;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Grid, Heightfield};

    #[test]
    fn a_spike_fades_by_k_a_sample_on_both_sides() -> Result<()> {
        let mut line = Heightfield::flat(Grid::new(101, 1, 1.0)?, 0.0);
        line.heights_mut()[50] = 1.0;
        LowPass { k: 0.5, border: Border::Clamp }.apply_to(&mut line, 0, &Work::new())?;
        for distance in 0..20 {
            let expected = 0.5f32.powi(distance as i32) / 3.0;
            assert!((line.at(50 + distance, 0) - expected).abs() < 1e-6);
            assert!((line.at(50 - distance, 0) - expected).abs() < 1e-6);
        }
        Ok(())
    }
}
