//! Loops over samples, compiled for registers of several widths; the machine's widest are used.
//!
//! Rust neither contracts a product and a sum into one operation nor changes the order of additions,
//! so all of them give the same bits.

use multiversion::multiversion;

/// A loop that is worth it. Put `#[inline(always)]` on `run` and on what it calls, or it is compiled
/// for the narrowest registers only.
pub(crate) trait Loop {
    /// What is left when the loop is over.
    type Done;

    /// Runs the loop.
    fn run(self) -> Self::Done;
}

/// Runs `work` in the widest registers that the machine has.
pub(crate) fn in_wide_registers<Work: Loop>(work: Work) -> Work::Done {
    #[cfg(test)]
    if tests::NARROW.load(std::sync::atomic::Ordering::Relaxed) {
        return work.run();
    }
    in_widest(work)
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn in_widest<Work: Loop>(work: Work) -> Work::Done {
    work.run()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::filter::{AnyFilter, Border, majority};
    use crate::resize::Resize;
    use crate::{Grid, Heightfield, Result, Work};

    /// Sends all loops through narrow registers. Tests that run beside see no difference: that is
    /// the law.
    pub(super) static NARROW: AtomicBool = AtomicBool::new(false);

    /// What every filter and every resizer makes of odd sizes, and majorities.
    fn everything() -> Result<(Vec<Vec<u32>>, Vec<Vec<u8>>)> {
        let work = Work::new();
        let (mut fields, mut maps) = (Vec::new(), Vec::new());
        let bits = |field: &Heightfield| field.heights().iter().map(|height| height.to_bits()).collect();
        for (width, depth) in [(333, 67), (1, 1), (19, 160)] {
            let rough = |column: usize, row: usize| {
                let bits = (column * 7919 + row * 104_729) as u32;
                (bits.wrapping_mul(0x2C1B_3C6D) >> 8) as f32 / 7919.0 - 900.0
            };
            let land = Heightfield::from_fn(Grid::new(width, depth, 10.0)?, rough);
            let ids =
                |kinds| land.heights().iter().map(|height| height.abs() as u8 % kinds).collect::<Vec<_>>();
            for filter in AnyFilter::NAMES.iter().filter_map(|name| AnyFilter::from_name(name)) {
                let mut changed = land.clone();
                filter.apply(&mut changed, 1, &work)?;
                fields.push(bits(&changed));
            }
            for resize in [Resize::CatmullRom, Resize::Bilinear, Resize::BSpline, Resize::BSplineThrough] {
                fields.push(bits(&resize.apply(&land, Grid::new(211, 130, 10.0)?, &work)?));
            }
            for (size, kinds) in [(3, 5), (9, 17), (31, 40), (101, 3)] {
                maps.push(majority(&ids(kinds), width, depth, size, Border::Clamp, &work)?);
            }
        }
        Ok((fields, maps))
    }

    #[test]
    fn registers_of_any_width_give_the_same_bits() -> Result<()> {
        let wide = everything()?;
        NARROW.store(true, Ordering::Relaxed);
        let narrow = everything();
        NARROW.store(false, Ordering::Relaxed);
        assert!(wide == narrow?);
        Ok(())
    }
}
