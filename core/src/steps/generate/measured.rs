//! Ranges of heights that have been measured before.
//!
//! Some fractals have no useful bound, and measure the range of their values on a lattice of the land. A land
//! is asked for in hundreds of windows, and measuring takes as long as making one of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fractal::Octaves;
use crate::error::Result;
use crate::grid::Region;

/// All that a measured range depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) fractal: &'static str,
    pub(super) octaves: Octaves,
    pub(super) offset: f32,
    pub(super) seed: u64,
    /// Where it is measured.
    pub(super) lattice: Region,
}

/// The ranges used last, the latest at the end.
static KNOWN: Mutex<Vec<(Measured, (f32, f32))>> = Mutex::new(Vec::new());

/// Ranges that are remembered: more than a recipe has steps of these fractals.
const REMEMBERED: usize = 64;

impl Measured {
    /// The lowest and the highest value; `measure` is asked for them if they aren't remembered. Threads that
    /// ask at the same time may all measure: none waits for another.
    pub(super) fn range(self, measure: impl FnOnce() -> Result<(f32, f32)>) -> Result<(f32, f32)> {
        if let Some(range) = self.remembered() {
            return Ok(range);
        }
        let range = measure()?;
        let mut known = known();
        known.retain(|(measured, _)| *measured != self);
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push((self, range));
        Ok(range)
    }

    fn remembered(&self) -> Option<(f32, f32)> {
        let mut known = known();
        let index = known.iter().position(|(measured, _)| measured == self)?;
        known[index..].rotate_left(1);
        known.last().map(|(_, range)| *range)
    }
}

/// A thread that panicked here has left a whole list behind.
fn known() -> MutexGuard<'static, Vec<(Measured, (f32, f32))>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::grid::Grid;
    use crate::noise::Basis;

    #[test]
    fn a_range_is_measured_once_until_too_many_others_were() -> Result<()> {
        let octaves = Octaves {
            basis: Basis::Gradient,
            frequency: 4.0,
            lacunarity: 2.0,
            count: 9.0,
            hurst: 1.0,
            fade: false,
        };
        let lattice = Region::from(Grid::new(257, 257, 1.0)?);
        let of = |seed| Measured { fractal: "only this test", octaves, offset: 0.5, seed, lattice };
        assert!(matches!(of(0).range(|| Err(Error::Cancelled)), Err(Error::Cancelled)));
        assert_eq!(of(0).range(|| Ok((1.0, 2.0)))?, (1.0, 2.0), "a failure is not remembered");
        assert_eq!(of(0).range(|| unreachable!("measured twice"))?, (1.0, 2.0));
        let other = Measured { offset: 0.25, ..of(0) };
        assert_eq!(other.range(|| Ok((3.0, 4.0)))?, (3.0, 4.0), "another fractal has another range");
        for seed in 1..=REMEMBERED as u64 {
            of(seed).range(|| Ok((0.0, 1.0)))?;
        }
        assert_eq!(of(0).range(|| Ok((5.0, 6.0)))?, (5.0, 6.0), "the oldest one goes");
        Ok(())
    }
}
