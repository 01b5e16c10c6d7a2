//! Fractals whose range of heights is measured, and the ranges that have been measured before.
//!
//! Some fractals have no useful bound, and measure the range of their values on a lattice of the land. A land
//! is asked for in hundreds of windows, and measuring takes as long as making one of them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::fractal::{Octaves, Sample, Weight};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Grid, Heightfield, Region, Window};

impl Octaves {
    /// As [`fill`](Self::fill), for combinations without a useful bound: their range is measured, and mapped
    /// to 0 to `height`. It is always measured on a lattice of [`REFERENCE`] points along the longer side, so
    /// that the land is the same at every resolution; the few values between these points that exceed the
    /// range are clamped. On endless land the lattice covers [`REFERENCE_UNITS`] around the origin. `offset`
    /// is what `combine` depends on in addition to the octaves.
    pub(super) fn fill_rescaled<Combine: Fn(f32, Sample) -> Sample>(
        &self,
        region: Region,
        seed: u64,
        (stage, work): (&'static str, &Work),
        offset: f32,
        first: Sample,
        combine: impl Fn(Weight) -> Combine + Sync,
        height: f32,
    ) -> Result<Heightfield> {
        let lattice = reference(region.domain())?;
        let measured = Measured { fractal: stage, octaves: *self, offset, seed, lattice };
        let (low, high) = measured.range(|| {
            let stage = format!("{stage}: range");
            // Measuring is not a part of the picture: observers see only the land's own stages.
            let work = work.unobserved();
            self.fill(lattice, seed, (&stage, &work), first, &combine, |value| value)?.range_while(&work)
        })?;
        // Where all values are equal the land is level at 0, not NaN.
        let scale = if high - low >= f32::MIN_POSITIVE { 1.0 / (high - low) } else { 0.0 };
        // Values between the points of the coarse lattice may lie beyond the measured range.
        let rescale = |value: f32| ((value - low) * scale).clamp(0.0, 1.0) * height;
        self.fill(region, seed, (stage, work), first, combine, rescale)
    }
}

/// Points along the longer side of the lattice on which ranges are measured.
const REFERENCE: usize = 257;

/// Side, in units, of that lattice on endless land: large enough that values outside the measured range are
/// rare.
const REFERENCE_UNITS: f32 = 8.0;

/// The lattice of a land on which ranges are measured.
fn reference(domain: Domain) -> Result<Region> {
    let cells = (REFERENCE - 1) as f64;
    if let Some(extent) = domain.extent_in_units() {
        // The same lattice for every window and resolution of a land, or tiles would not meet.
        let [width, depth] = extent.map(|side| (side * cells).round() as usize + 1);
        return Ok(Grid::new(width, depth, domain.cell())?.into());
    }
    let unit = domain.unit();
    let half = REFERENCE as i64 / 2;
    let window = Window { level: 0, first: [-half; 2], size: [REFERENCE as u32; 2] };
    Domain::endless(unit * REFERENCE_UNITS / cells as f32, unit)?.region(window)
}

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
        // Not under the lock: while it waits for parallel work, a thread may take up another task that wants
        // the lock, and would then wait for itself.
        let range = measure()?;
        let mut known = known();
        // Another thread may have measured the same in the meantime.
        known.retain(|(measured, _)| *measured != self);
        if known.len() == REMEMBERED {
            // The first is the one whose last use is longest ago, since `remembered` moves a hit to the end.
            known.remove(0);
        }
        known.push((self, range));
        Ok(range)
    }

    fn remembered(&self) -> Option<(f32, f32)> {
        let mut known = known();
        let index = known.iter().position(|(measured, _)| measured == self)?;
        // To the end: the most recently used.
        known[index..].rotate_left(1);
        known.last().map(|(_, range)| *range)
    }
}

/// A thread that panicked here has left a whole list behind.
fn known() -> MutexGuard<'static, Vec<(Measured, (f32, f32))>> {
    // A panic elsewhere leaves only ranges that are complete, so a poisoned list is still good.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
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
