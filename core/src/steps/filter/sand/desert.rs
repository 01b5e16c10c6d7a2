//! Sand over rock.
//!
//! Everything is counted in whole units, so that no sand is lost or gained, and sums have the same bits in
//! any order.

use rayon::prelude::*;

use super::rows::Samples;
use super::slides::{Around, Repose};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};
use crate::math::smoothstep::smoothstep;
use crate::noise::{hash, signed_unit};

/// Units in the distance between two samples, at least and up to twice as many: a power of two of them is a
/// metre, so that heights in metres are exact.
const FINEST: f64 = 8192.0;

/// The highest ground above the lowest, in units: sums of a few such heights fit in 32 bits.
pub(super) const HIGHEST: f64 = (1 << 28) as f64;

/// The thickest sand before the wind blows, in units. It may pile up four times as thick, and a number in f32
/// still holds it exactly.
const THICKEST: f64 = (1 << 22) as f64;

/// Memory that it takes for each sample, bytes.
pub(super) const BYTES: u64 = 7 * 4;

/// How much the thickness of sand that is laid varies, as a share of it: this divided by the mean thickness
/// in hops, but no more than the second. So scarce sand lies in heaps, with bare rock between.
const SCARCE: f64 = 0.2;
const SCARCEST: f64 = 6.0;

/// Distance of such heaps at least, in hops: smaller ones become domes without a slip face.
const FAR: f64 = 13.0;

/// The angle under which a crest shelters what lies behind it, in degrees: there the wind lifts nothing, and
/// all that lands stays.
pub(super) const SHADOW: f64 = 15.0;

/// Lengths of a desert, in samples.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// A hop of sand.
    pub hop: f64,
    /// Slope of sand at rest, metres per metre.
    pub repose: f64,
}

/// How sand lies before the wind blows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heaps {
    /// Distance between heaps, in hops.
    pub distance: f64,
    /// How much the thickness varies, as a share of it, however much sand there is.
    pub height: f64,
}

/// What happens at the border of the land.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rim {
    /// Whether sand that is blown out on one side comes in on the other.
    pub returns: bool,
    /// Whether shadows and slides cross the border, too.
    pub wraps: bool,
}

/// Sand over rock.
pub(super) struct Desert {
    pub grid: Grid,
    pub scale: Scale,
    pub rim: Rim,
    /// Metres in a unit.
    pub unit: f64,
    /// Metres at which units are 0.
    pub base: f64,
    pub rock: Vec<i32>,
    pub sand: Vec<i32>,
    /// Sand on its way.
    pub air: Vec<i32>,
    pub surface: Vec<i32>,
    /// Mean thickness of sand where any lay before the wind blew, in units.
    pub thickness_of_cover: f64,
    /// Fields for what a step computes.
    pub spare: [Vec<i32>; 3],
    /// How many strides reach as far as the longest shadow.
    pub strides: u32,
}

impl Desert {
    /// The desert of `heights`, on which lie `sand` metres; `supply` is how much will be laid.
    pub(super) fn new(
        heights: &Heightfield,
        sand: Option<&Heightfield>,
        supply: f32,
        (scale, rim): (Scale, Rim),
        work: &Work,
    ) -> Result<Self> {
        let grid = heights.grid();
        let (low, high) = heights.range_while(work)?;
        let thickest = match sand {
            Some(sand) => sand.range_while(work)?.1.max(0.0),
            None => 0.0,
        };
        let (base, span) = (f64::from(low), f64::from(high) - f64::from(low));
        let thickest = f64::from(thickest) + 2.0 * f64::from(supply);
        let mut unit = libm::exp2(libm::floor(libm::log2(f64::from(grid.cell) / FINEST)));
        while span / unit > HIGHEST || thickest / unit > THICKEST {
            unit *= 2.0;
        }
        let empty = || vec![0; grid.count()];
        let mut desert = Self {
            grid,
            scale,
            rim,
            unit,
            base,
            rock: empty(),
            sand: empty(),
            air: empty(),
            surface: empty(),
            thickness_of_cover: 0.0,
            spare: [empty(), empty(), empty()],
            strides: 0,
        };
        let width = grid.width;
        let rows = desert.rock.par_chunks_mut(width).zip(desert.sand.par_chunks_mut(width)).enumerate();
        rows.try_for_each(|(row, (rock, layer))| {
            work.check()?;
            if let Some(sand) = sand {
                let samples = layer.iter_mut().zip(sand.row(row));
                samples.for_each(|(units, sand)| {
                    *units = libm::round(f64::from(*sand).max(0.0) / unit) as i32;
                });
            }
            for ((rock, height), sand) in rock.iter_mut().zip(heights.row(row)).zip(layer) {
                *rock = units_above(*height, base, unit) - *sand;
            }
            Ok::<_, crate::Error>(())
        })?;
        // A shadow is as long as its ground is high; dunes to come are a few hops high.
        let relief = span / f64::from(grid.cell) + thickest / f64::from(grid.cell) + 8.0 * scale.hop;
        let longest = (relief / libm::tan(SHADOW.to_radians())).min(grid.longer() as f64).max(1.0);
        desert.strides = libm::ceil(libm::log2(longest + 1.0)) as u32;
        Ok(desert)
    }

    /// Lays sand over the land, `supply` metres thick in the mean: in heaps, from which dunes begin to grow.
    pub(super) fn lay(&mut self, supply: f32, pattern: Heaps, seed: u64, work: &Work) -> Result<()> {
        let Grid { width, depth, .. } = self.grid;
        let thickness = f64::from(supply) / self.unit;
        if thickness == 0.0 {
            self.measure_cover();
            return Ok(());
        }
        let scarcity = SCARCE * self.scale.hop * f64::from(self.grid.cell) / f64::from(supply);
        let varies = scarcity.clamp(pattern.height, SCARCEST);
        let distance = if scarcity > 1.0 { pattern.distance.max(FAR) } else { pattern.distance };
        // Heaps continue on the opposite side, for land that tiles.
        let heaps = |samples: usize| libm::round(samples as f64 / (distance * self.scale.hop)).max(1.0);
        let (across, along) = (heaps(width), heaps(depth));
        let noise = |octave: u32, column: usize, row: usize| {
            let times = f64::from(1u32 << octave);
            let at = |index: usize, samples: usize, heaps: f64| {
                let place = index as f64 * (heaps * times / samples as f64);
                let along = smoothstep((place - place.floor()) as f32);
                (place.floor() as i64, f64::from(along), (heaps * times) as i64)
            };
            let ((x, east, columns), (z, south, rows)) = (at(column, width, across), at(row, depth, along));
            let corner = |i: i64, j: i64| {
                let bits = hash(seed.wrapping_add(u64::from(octave)), (x + i) % columns, (z + j) % rows);
                f64::from(signed_unit(bits))
            };
            let north = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * east;
            north + (corner(0, 1) + (corner(1, 1) - corner(0, 1)) * east - north) * south
        };
        let rows = self.spare[0].par_chunks_mut(width).enumerate();
        rows.try_for_each(|(row, laid)| {
            work.check()?;
            for (column, laid) in laid.iter_mut().enumerate() {
                let heap = 0.5 * (noise(0, column, row) + noise(1, column, row));
                *laid = (thickness * (1.0 + varies * heap).max(0.0)) as i32;
            }
            Ok::<_, crate::Error>(())
        })?;
        // So that it is as much as was asked for.
        let total: i64 = self.spare[0].par_iter().map(|laid| i64::from(*laid)).sum();
        let more = thickness * self.grid.count() as f64 / total.max(1) as f64;
        let rows = self.sand.par_chunks_mut(width).zip(self.spare[0].par_chunks(width));
        rows.try_for_each(|(sand, laid)| {
            work.check()?;
            let samples = sand.iter_mut().zip(laid);
            samples.for_each(|(sand, laid)| *sand += (f64::from(*laid) * more) as i32);
            Ok::<_, crate::Error>(())
        })?;
        self.measure_cover();
        Ok(())
    }

    /// Measures how thick sand lies where any does.
    fn measure_cover(&mut self) {
        let total: i64 = self.sand.par_iter().map(|sand| i64::from(*sand)).sum();
        let count = self.sand.par_iter().filter(|sand| **sand > 0).count();
        self.thickness_of_cover = total as f64 / count.max(1) as f64;
    }

    /// All sand on its way falls where it is.
    pub(super) fn calm(&mut self, work: &Work) -> Result<()> {
        let width = self.grid.width;
        let rows = self.sand.par_chunks_mut(width).zip(self.air.par_chunks_mut(width));
        rows.try_for_each(|(sand, air)| {
            work.check()?;
            let samples = sand.iter_mut().zip(air);
            samples.for_each(|(sand, air)| *sand += std::mem::take(air));
            Ok(())
        })
    }

    /// Slides once from far to near. Returns whether any sand moved.
    pub(super) fn slide(&mut self, around: Around, work: &Work) -> Result<bool> {
        let per_sample = f64::from(self.grid.cell) / self.unit;
        let repose = Repose { rise: self.scale.repose * per_sample, wraps: self.rim.wraps, around };
        // Slip faces are a few hops long, and a stride moves what many short ones would. In the end, when
        // sand comes to rest, long ones would carry it too far.
        let farthest = match around {
            Around::Eight => 2.0 * self.scale.hop,
            Around::Sixteen => 0.5 * self.scale.hop.min(8.0),
        };
        let farthest = farthest.clamp(1.0, self.grid.longer().min(64) as f64);
        let mut stride = (farthest as usize).next_power_of_two();
        let mut moved = false;
        while stride > 0 {
            let (rock, sand) = (samples(self.grid, &self.rock), samples(self.grid, &self.sand));
            moved = repose.sweep((rock, sand), &mut self.spare[0], stride, work)?;
            std::mem::swap(&mut self.sand, &mut self.spare[0]);
            stride /= 2;
        }
        Ok(moved)
    }

    /// Puts the heights into `heights`, which are those that the desert was made of.
    pub(super) fn heights(&self, heights: &mut Heightfield, work: &Work) -> Result<()> {
        let (width, base, unit) = (self.grid.width, self.base, self.unit);
        let rows = heights.heights_mut().par_chunks_mut(width).enumerate();
        rows.try_for_each(|(row, heights)| {
            work.check()?;
            let line = row * width..(row + 1) * width;
            let samples = self.rock[line.clone()].iter().zip(&self.sand[line.clone()]).zip(&self.air[line]);
            for (height, ((rock, sand), air)) in heights.iter_mut().zip(samples) {
                // Only what sand has changed is added, so that the ground elsewhere keeps its bits.
                let before = units_above(*height, base, unit);
                *height = (f64::from(*height) + f64::from(rock + sand + air - before) * unit) as f32;
            }
            Ok(())
        })
    }

    /// How thick sand lies, metres: exact.
    pub(super) fn thickness(&self, work: &Work) -> Result<Heightfield> {
        let width = self.grid.width;
        let mut layer = Heightfield::flat(self.grid, 0.0);
        let rows = layer.heights_mut().par_chunks_mut(width).zip(self.sand.par_chunks(width));
        rows.try_for_each(|(layer, sand)| {
            work.check()?;
            let samples = layer.iter_mut().zip(sand);
            samples.for_each(|(layer, sand)| *layer = (f64::from(*sand) * self.unit) as f32);
            Ok::<_, crate::Error>(())
        })?;
        Ok(layer)
    }

    pub(super) fn raise_surface(&mut self, work: &Work) -> Result<()> {
        let width = self.grid.width;
        let layers = self.rock.par_chunks(width).zip(self.sand.par_chunks(width));
        self.surface.par_chunks_mut(width).zip(layers).try_for_each(|(surface, (rock, sand))| {
            work.check()?;
            let samples = surface.iter_mut().zip(rock.iter().zip(sand));
            samples.for_each(|(surface, (rock, sand))| *surface = rock + sand);
            Ok(())
        })
    }
}

pub(super) fn samples(grid: Grid, values: &[i32]) -> Samples<'_> {
    Samples { values, width: grid.width, depth: grid.depth }
}

/// Units from `base` up to a height.
fn units_above(height: f32, base: f64, unit: f64) -> i32 {
    libm::round((f64::from(height) - base) / unit) as i32
}
