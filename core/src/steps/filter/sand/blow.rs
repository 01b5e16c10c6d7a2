//! A step of wind: it lifts sand, carries it a hop, and lays some of it down.

use glam::DVec2;
use rayon::prelude::*;

use super::desert::{Desert, HIGHEST, Rim, SHADOW, samples};
use super::grains::{Between, Gather, Land, Lift, Parts, Press, Pressure, Roll, Strength};
use super::rows::{BAND, Beyond, Samples};
use super::shelter::{NOTHING, Stride, cast};
use super::wind::fraction;
use crate::compute::wide::in_wide_registers;
use crate::compute::work::Work;
use crate::error::Result;

/// How deep in the shadow, in hops, the wind lifts nothing at all.
const DARK: f64 = 0.06;

/// How much more the wind lifts for a slope of 1 that faces it, and for ground that bulges.
pub(super) const PUSH: f32 = 8.0;
pub(super) const RISE: f32 = 4.5;

/// The most that the wind lifts, as a multiple of what it lifts from level sand.
pub(super) const STRONGEST: f32 = 4.0;

/// Distances at which the ground is compared with that ahead and behind: the first in hops, each twice the
/// one before.
const NEAREST: f64 = 0.7;
const DISTANCES: usize = 5;

/// Sand that the wind lifts in a step from level ground, as a share of a hop.
pub(super) const LIFTED: f64 = 0.07;

/// Sand that the wind lifts in a step at most, as a share of the mean thickness where sand was: so that
/// scarce sand is not all on its way at once.
const SPARED: f64 = 0.15;

/// Thickness of sand, in hops, that the wind lifts from rock.
const BARE: f64 = 0.04;

/// The share of what hops that rolls aside for a slope of 1 across the wind.
const ASIDE: f64 = 5.0;

/// How far it rolls in the mean, in hops.
const REACH: f64 = 1.5;

/// Thickness of sand, in hops, from which all of that rolls: on bare rock none does, so that crescents keep
/// their horns.
const BED: f64 = 3.0;

impl Desert {
    /// A step of the wind, which blows to a direction, at a strength of 0 to 1. `number` counts the steps
    /// from 0.
    pub(super) fn blow(
        &mut self,
        (direction, strength): (DVec2, f64),
        number: usize,
        work: &Work,
    ) -> Result<()> {
        self.raise_surface(work)?;
        self.cast_shadows(direction, work)?;
        self.lift((direction, strength), number, work)?;
        self.roll_aside(direction, number, work)?;
        self.land(direction, work)
    }

    /// Puts the height up to which each sample lies in shadow, or its own, into the first spare field, with
    /// the help of the second: the ground as the wind sees it, with the eddies behind crests filled.
    fn cast_shadows(&mut self, direction: DVec2, work: &Work) -> Result<()> {
        let per_sample = f64::from(self.grid.cell) / self.unit * libm::tan(SHADOW.to_radians());
        let beyond = match self.rim {
            Rim { wraps: true, .. } => Beyond::Wrap,
            Rim { returns: true, .. } => Beyond::Continue(&self.rock),
            _ => Beyond::Value(NOTHING),
        };
        let [shadow, after, _] = &mut self.spare;
        for power in 0..self.strides {
            let away = direction * f64::from(1u32 << power);
            let (columns, rows) = (libm::round(away.x), libm::round(away.y));
            let along = columns * direction.x + rows * direction.y;
            let drop = (along * per_sample).min(HIGHEST) as i32;
            let stride = Stride { columns: columns as i64, rows: rows as i64, drop };
            let before = if power == 0 { &self.surface } else { &*shadow };
            cast(samples(self.grid, before), after, stride, beyond, work)?;
            std::mem::swap(shadow, after);
        }
        Ok(())
    }

    /// Lifts sand. The second spare field becomes the sand that hops, and the third how well each sample is
    /// sheltered.
    fn lift(&mut self, (direction, strength): (DVec2, f64), number: usize, work: &Work) -> Result<()> {
        let width = self.grid.width;
        let hop = self.scale.hop;
        let per_sample = f64::from(self.grid.cell) / self.unit;
        let beyond = match self.rim {
            Rim { wraps: true, .. } => Beyond::Wrap,
            Rim { returns: true, .. } => Beyond::Continue(&self.rock),
            _ => Beyond::Clamp,
        };
        // Other distances at each step, so that none is preferred.
        let nearest = NEAREST * hop * libm::exp2(fraction(number) - 0.5);
        let longest = 0.5 * self.grid.longer() as f64;
        let pressures: [_; DISTANCES] = std::array::from_fn(|power| {
            let away = direction * (nearest * f64::from(1u32 << power)).min(longest).max(1.0);
            let length = away.length() * per_sample;
            let push = if power == 0 { f64::from(PUSH) / (2.0 * length) } else { 0.0 };
            // The Hilbert transform of the slope, on distances that double: ln 2 / π.
            let rise = 0.2206 * f64::from(RISE) / length;
            (Shift::new(away), Shift::new(-away), Pressure { push: push as f32, rise: rise as f32 })
        });
        let strength = Strength {
            lifted: (strength * (LIFTED * hop * per_sample).min(SPARED * self.thickness_of_cover)) as f32,
            bare: (BARE * hop * per_sample) as f32,
            strongest: STRONGEST,
            dark: 1.0 / (DARK * hop * per_sample).max(1.0) as f32,
        };
        let [ground, hopping, sheltered] = &mut self.spare;
        let ground = samples(self.grid, ground);
        let bands = sheltered
            .par_chunks_mut(BAND * width)
            .zip(hopping.par_chunks_mut(BAND * width))
            .zip(self.sand.par_chunks_mut(BAND * width))
            .enumerate();
        let (surface, air) = (&self.surface, &self.air);
        bands.try_for_each_init(
            || ([(); 2].map(|()| [(); 3].map(|()| vec![0; width + 1])), vec![0.0; width]),
            |([ahead, behind], wind), (band, ((sheltered, hopping), sand))| {
                let rows_of_band = sheltered
                    .chunks_exact_mut(width)
                    .zip(hopping.chunks_exact_mut(width))
                    .zip(sand.chunks_exact_mut(width));
                for (index, ((sheltered, hopping), sand)) in rows_of_band.enumerate() {
                    work.check()?;
                    let row = band * BAND + index;
                    let line = row * width..(row + 1) * width;
                    wind.fill(1.0);
                    for (forth, back, pressure) in pressures {
                        let ahead = forth.between(ground, row, beyond, ahead);
                        let behind = back.between(ground, row, beyond, behind);
                        let here = &ground.values[line.clone()];
                        in_wide_registers(Press { pressure, here, ahead, behind, wind });
                    }
                    in_wide_registers(Lift {
                        strength,
                        wind,
                        surface: &surface[line.clone()],
                        ground: &ground.values[line.clone()],
                        air: &air[line],
                        sheltered,
                        hopping,
                        sand,
                    });
                }
                Ok(())
            },
        )
    }

    /// Sand that hops rolls aside where the ground falls across the wind, to one side in a step and to the
    /// other in the next. This ties crests together: without it the wind carves furrows along its way.
    fn roll_aside(&mut self, direction: DVec2, number: usize, work: &Work) -> Result<()> {
        let width = self.grid.width;
        // Another distance at each step, so that all samples along a crest are tied together.
        let far = (REACH * (0.2 + 1.6 * fraction(number / 2)) * self.scale.hop).max(1.0);
        let side = if number.is_multiple_of(2) { far } else { -far };
        let aside = Shift::new(DVec2::new(-direction.y, direction.x) * side);
        let per_sample = f64::from(self.grid.cell) / self.unit;
        // In parts of 256 for each unit that the ground falls.
        let rolls = (256.0 * ASIDE / (far * per_sample)) as f32;
        // Thinner sand than this holds less of what rolls.
        let covered = (1.0 / (BED * self.scale.hop * per_sample).max(1.0)) as f32;
        let (beyond, beyond_rolled) = match self.rim.wraps {
            true => (Beyond::Wrap, Beyond::Wrap),
            false => (Beyond::Value(HIGHEST as i32 * 2), Beyond::Value(0)),
        };
        let [rolled, hopping, _] = &mut self.spare;
        let (surface, sand) = (samples(self.grid, &self.surface), samples(self.grid, &self.sand));
        let rows = || [(); 2].map(|()| vec![0; width + 1]);
        let bands = rolled.par_chunks_mut(BAND * width).zip(hopping.par_chunks_mut(BAND * width)).enumerate();
        bands.try_for_each_init(rows, |[near, far], (band, (rolled, hopping))| {
            let rows_of_band = rolled.chunks_exact_mut(width).zip(hopping.chunks_exact_mut(width));
            for (row, (rolled, hopping)) in (band * BAND..).zip(rows_of_band) {
                work.check()?;
                let parts = aside.rows_there(surface, row, beyond, [near, far]);
                let line = row * width..(row + 1) * width;
                in_wide_registers(Roll {
                    rolls,
                    covered,
                    parts,
                    near,
                    far,
                    surface: &surface.values[line.clone()],
                    sand: &sand.values[line],
                    hopping,
                    rolled,
                });
            }
            Ok::<_, crate::Error>(())
        })?;
        let rolled = samples(self.grid, rolled);
        let bands = hopping.par_chunks_mut(BAND * width).enumerate();
        bands.try_for_each_init(rows, |[near, far], (band, hopping)| {
            for (row, hopping) in (band * BAND..).zip(hopping.chunks_exact_mut(width)) {
                work.check()?;
                let parts = aside.rows_from(rolled, row, beyond_rolled, [near, far]);
                in_wide_registers(Gather { parts, near, far, sum: hopping });
            }
            Ok(())
        })
    }

    /// What hops lands, and some of it stays.
    fn land(&mut self, direction: DVec2, work: &Work) -> Result<()> {
        let width = self.grid.width;
        let away = Shift::new(direction * self.scale.hop);
        let beyond = if self.rim.returns { Beyond::Wrap } else { Beyond::Value(0) };
        let per_sample = f64::from(self.grid.cell) / self.unit;
        // Thinner sand than this is rock in part.
        let covered = (1.0 / (4.0 * LIFTED * self.scale.hop * per_sample).max(1.0)) as f32;
        let [_, hopping, sheltered] = &self.spare;
        let hopping = samples(self.grid, hopping);
        let bands =
            self.sand.par_chunks_mut(BAND * width).zip(self.air.par_chunks_mut(BAND * width)).enumerate();
        bands.try_for_each_init(
            || [(); 2].map(|()| vec![0; width + 1]),
            |[near, far], (band, (sand, air))| {
                let rows_of_band = sand.chunks_exact_mut(width).zip(air.chunks_exact_mut(width));
                for (row, (sand, air)) in (band * BAND..).zip(rows_of_band) {
                    work.check()?;
                    let parts = away.rows_from(hopping, row, beyond, [near, far]);
                    let sheltered = &sheltered[row * width..(row + 1) * width];
                    in_wide_registers(Land { parts, covered, near, far, sheltered, sand, air });
                }
                Ok(())
            },
        )
    }
}

/// A shift by samples and parts of them.
#[derive(Clone, Copy)]
struct Shift {
    columns: i64,
    rows: i64,
    parts: Parts,
}

impl Shift {
    fn new(away: DVec2) -> Self {
        let (columns, rows) = (libm::floor(away.x), libm::floor(away.y));
        let parts =
            Parts { east: ((away.x - columns) * 256.0) as i32, south: ((away.y - rows) * 256.0) as i32 };
        Self { columns: columns as i64, rows: rows as i64, parts }
    }

    /// The samples that those of `row` look at, each between four.
    fn between<'a>(
        self,
        of: Samples<'_>,
        row: usize,
        beyond: Beyond<'_>,
        [near, far, heights]: &'a mut [Vec<i32>; 3],
    ) -> &'a [i32] {
        let parts = self.rows_there(of, row, beyond, [near, far]);
        in_wide_registers(Between { parts, near, far, heights });
        &heights[..of.width]
    }

    /// Copies the two rows between which the samples lie that `row` looks at. They have one more sample than
    /// a row.
    fn rows_there(
        self,
        of: Samples<'_>,
        row: usize,
        beyond: Beyond<'_>,
        [near, far]: [&mut [i32]; 2],
    ) -> Parts {
        of.copy_row(row as i64 + self.rows, self.columns, beyond, near);
        of.copy_row(row as i64 + self.rows + 1, self.columns, beyond, far);
        self.parts
    }

    /// Copies the two rows from which something comes to `row`, mirrored to what [`Parts::of`] says.
    fn rows_from(
        self,
        of: Samples<'_>,
        row: usize,
        beyond: Beyond<'_>,
        [near, far]: [&mut [i32]; 2],
    ) -> Parts {
        let from = row as i64 - self.rows;
        of.copy_row(from, -self.columns - 1, beyond, near);
        of.copy_row(from - 1, -self.columns - 1, beyond, far);
        self.parts
    }
}
