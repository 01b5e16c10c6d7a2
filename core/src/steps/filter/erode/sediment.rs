//! Sediment: what rivers carry away, and where they drop it.
//!
//! The shared stream power law is solved: E + G·Q/A = K·√A·S (E rate of erosion, Q volume of sediment that
//! runs through a sample, A drainage area, S slope along the river). Where more arrives than the river can
//! carry, E is negative, and the ground rises. As the law is linear in the heights, two sweeps over the
//! drainage trees solve it exactly for any time step. Downwards, what leaves each sample is computed as q −
//! p·h, where h is the yet unknown height of its receiver; upwards, the height of each sample follows from
//! that of its receiver. The sweeps are those of Hergarten, "Transport-limited fluvial erosion – simple
//! formulation and efficient numerical treatment" (2020); the form with the uplift of
//! [`Erode`](super::params::Erode), the lakes, the slides and the floors are ours.
//!
//! A lake keeps what rivers bring until it is full. What slides down in a step is carried on in the next.
//!
//! Volumes are counted in metres on one sample.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use rayon::prelude::*;

use super::drainage::{Arrive, Drainage, DueSample};
use super::floors::Floors;
use super::incision::Incision;
use super::ways::{NEIGHBOURS, OUTLET, SEA, Ways};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Grid, Heightfield};

/// The height of ground next to a floor that a wandering river removes in a step, in cells: what uplift can
/// raise in one at the steepest slope that stands.
const UNDERCUT: f32 = 2.0;

/// The sediment of one grid: 24 bytes a sample.
pub(super) struct Sediment {
    grid: Grid,
    /// In a step, what leaves each sample is `fixed` − `falling` · `share` · (height of the receiver), and
    /// from lakes `fixed` − `falling` · (their level). Between steps `fixed` is what has slid down from it,
    /// and at the sea bed what has arrived.
    fixed: Vec<AtomicU64>,
    falling: Vec<AtomicU64>,
    /// On land the new height is `own` + `share` · (height of the receiver). In a lake `own` is its level,
    /// then its bed, and −`share` the volume that fits into it here and upstream, then the share of that
    /// which is filled: a negative `share` marks a lake.
    own: Vec<AtomicU32>,
    share: Vec<AtomicU32>,
}

impl Sediment {
    /// The sediment at the beginning of steps of `years` τ, with what slides down in each τ, if known.
    pub(super) fn new(grid: Grid, slides: Option<&Heightfield>, years: f32, work: &Work) -> Result<Self> {
        let count = grid.count();
        let wide = || (0..count).into_par_iter().map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        let narrow = || (0..count).into_par_iter().map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let mut sediment = Self { grid, fixed: wide(), falling: wide(), own: narrow(), share: narrow() };
        if let Some(slides) = slides {
            let rows = sediment.fixed.par_chunks_mut(grid.width).zip(slides.heights().par_chunks(grid.width));
            rows.try_for_each(|(fixed, slides)| {
                work.check()?;
                for (fixed, slides) in fixed.iter_mut().zip(slides) {
                    *fixed.get_mut() = (f64::from(*slides) * f64::from(years)).to_bits();
                }
                Ok(())
            })?;
        }
        Ok(sediment)
    }

    /// What slides down in each τ, from a step of `years` τ.
    pub(super) fn slides(&self, ways: &Ways, years: f32, work: &Work) -> Result<Heightfield> {
        let mut slides = Heightfield::flat(self.grid, 0.0);
        let width = self.grid.width;
        slides.heights_mut().par_chunks_mut(width).enumerate().try_for_each(|(row, slides)| {
            work.check()?;
            for (column, slides) in slides.iter_mut().enumerate() {
                let sample = row * width + column;
                // On the sea bed it is what has arrived.
                if ways.get(sample) != SEA {
                    *slides = (get(&self.fixed, sample) / f64::from(years)) as f32;
                }
            }
            Ok::<_, crate::Error>(())
        })?;
        Ok(slides)
    }

    /// What has arrived at a sample of the sea bed in the last step.
    pub(super) fn arrived(&self, sample: usize) -> f64 {
        get(&self.fixed, sample)
    }

    /// Forgets the lakes of the step before.
    pub(super) fn forget_lakes(&mut self, work: &Work) -> Result<()> {
        self.share.par_chunks_mut(self.grid.width).try_for_each(|share| {
            work.check()?;
            share.iter_mut().for_each(|share| *share.get_mut() = 0);
            Ok(())
        })
    }

    /// Notes that a sample lies under a lake of this level.
    pub(super) fn flood(&mut self, sample: usize, level: f32) {
        *self.own[sample].get_mut() = level.to_bits();
        *self.share[sample].get_mut() = (-0.0f32).to_bits();
    }

    fn is_lake(&self, sample: usize) -> bool {
        get_f32(&self.share, sample).is_sign_negative()
    }

    /// The share of what arrives at the outlet of a lake's sample that the lake keeps, if its level is
    /// `level`.
    fn kept_share(&self, sample: usize, level: f32) -> f64 {
        let arrives = get(&self.fixed, sample) - get(&self.falling, sample) * f64::from(level);
        let fits = -f64::from(get_f32(&self.share, sample));
        if arrives <= fits { 1.0 } else { fits / arrives }
    }

    /// What a donor hands on, by the height of its receiver, which may be part of the same lake.
    fn handed_on(&self, donor: usize, receiver_is_lake: bool) -> (f64, f64) {
        let (fixed, falling) = (get(&self.fixed, donor), get(&self.falling, donor));
        if !self.is_lake(donor) {
            return (fixed, falling * f64::from(get_f32(&self.share, donor)));
        }
        let passes = match receiver_is_lake {
            true => 1.0,
            false => 1.0 - self.kept_share(donor, get_f32(&self.own, donor)),
        };
        (passes * fixed, passes * falling)
    }

    /// Routes water and sediment from the springs down: after [`Drainage::descend`] and with the lakes known.
    pub(super) fn carry(
        &mut self,
        drainage: &mut Drainage,
        heights: &[f32],
        incision: &Incision<'_>,
        work: &Work,
    ) -> Result<()> {
        drainage.gather(&Downwards { sediment: self, heights, incision }, work)
    }

    /// What the cell of a sample that is no outlet holds on the way up: on land the part of its height that
    /// doesn't depend on the receiver, in a lake the level.
    pub(super) fn begin_climb(&self, sample: usize, height: f32, incision: &Incision<'_>) -> f32 {
        let own = get_f32(&self.own, sample);
        if self.is_lake(sample) {
            set_f32(&self.own, sample, incision.raised_bed(sample, height));
        }
        own
    }

    /// The new height of a sample, or the new level of the lake above it.
    pub(super) fn climb(&self, drainage: &Drainage, due: &DueSample, incision: &Incision<'_>) -> f32 {
        let sample = due.row * self.grid.width + due.column;
        let Some((downstream, distance)) = due.downstream else {
            // The cells of outlets hold the plain height.
            let below = due.cell - incision.fall_beyond((due.column, due.row), due.cell);
            let height = get_f32(&self.own, sample) + get_f32(&self.share, sample) * below;
            set(&self.fixed, sample, 0.0);
            return height.clamp(incision.lowest, incision.highest);
        };
        let downstream = downstream.max(incision.erode.base_level);
        if self.is_lake(sample) {
            let (filled, left_over) = match drainage.ways.receiver(sample) {
                Some(receiver) if self.is_lake(receiver) => (-get_f32(&self.share, receiver), 0.0),
                _ => self.filled(sample, due.cell, downstream),
            };
            set_f32(&self.share, sample, -filled);
            let bed = get_f32(&self.own, sample);
            set_f32(&self.own, sample, bed + filled * (due.cell - bed).max(0.0));
            set(&self.fixed, sample, left_over);
            return downstream;
        }
        let share = get_f32(&self.share, sample);
        let height = due.cell + share * downstream;
        let stands = incision.stands(due, height, (downstream, distance));
        let stands = stands.clamp(incision.lowest, incision.highest);
        // All donors have reckoned with this height, and what leaves here with the other. Where ground can't
        // be lowered as far as the law wants, this is a debt.
        let slides = get(&self.falling, sample) * (f64::from(height) - f64::from(stands));
        set(&self.fixed, sample, slides);
        stands
    }

    /// How much of a lake is filled, as a share of the depth under its old level, and what is left over: a
    /// little, because its outlet has changed its height since the lake's share was decided.
    fn filled(&self, sample: usize, old: f32, new: f32) -> (f32, f64) {
        let fits = -f64::from(get_f32(&self.share, sample));
        let arrives = get(&self.fixed, sample) - get(&self.falling, sample) * f64::from(new);
        let kept = self.kept_share(sample, old) * arrives;
        let filled = if fits > 0.0 { (kept / fits).clamp(0.0, 1.0) as f32 } else { 0.0 };
        (filled, kept - f64::from(filled) * fits)
    }

    /// Puts the beds of lakes in the place of their levels.
    pub(super) fn drain_lakes(&self, drainage: &mut Drainage, work: &Work) -> Result<()> {
        let width = self.grid.width;
        drainage.kept().enumerate().try_for_each(|(row, cells)| {
            work.check()?;
            for (column, cell) in cells.iter_mut().enumerate() {
                let sample = row * width + column;
                if self.is_lake(sample) {
                    *cell.get_mut() = get_f32(&self.own, sample).to_bits();
                }
            }
            Ok(())
        })
    }

    /// Planes the banks of rivers: a river that carries sediment wanders, and takes away low ground within
    /// the width of its valley's floor. `areas` are those of all samples, and lakes have been replaced by
    /// their beds.
    pub(super) fn plane(
        &mut self,
        drainage: &mut Drainage,
        areas: &[f32],
        incision: &Incision<'_>,
        work: &Work,
    ) -> Result<()> {
        let Grid { width, cell, .. } = self.grid;
        let most = areas.par_iter().copied().reduce(|| 0.0, f32::max);
        if incision.floor(most) < cell {
            return Ok(());
        }
        let fields = self.share.par_chunks_mut(width).zip(self.own.par_chunks_mut(width));
        fields.zip(areas.par_chunks(width)).enumerate().try_for_each(|(row, ((share, own), areas))| {
            work.check()?;
            for (column, ((share, own), area)) in share.iter_mut().zip(own).zip(areas).enumerate() {
                let sample = row * width + column;
                // Lakes keep their mark, which no floor crosses.
                if f32::from_bits(*share.get_mut()).is_sign_negative() {
                    continue;
                }
                let is_land = drainage.ways.get(sample) != SEA;
                let reach = if is_land { incision.floor(*area) } else { 0.0 };
                *share.get_mut() = reach.to_bits();
                *own.get_mut() = drainage.height(sample).to_bits();
            }
            Ok::<_, crate::Error>(())
        })?;
        Floors { grid: self.grid, reach: &mut self.share, height: &mut self.own }.spread(work)?;
        let this = &*self;
        let (rows, ways) = drainage.kept_and_ways();
        rows.enumerate().try_for_each(|(row, cells)| {
            work.check()?;
            for (column, height) in cells.iter_mut().enumerate() {
                let sample = row * width + column;
                if ways.get(sample) == SEA {
                    continue;
                }
                // Ground on which a floor of its own reaches further is the river that made it.
                if get_f32(&this.share, sample) <= incision.floor(areas[sample]) {
                    continue;
                }
                let (floor, height) = (get_f32(&this.own, sample), height.get_mut());
                let (place, now) = ((column, row), f32::from_bits(*height));
                let softness = incision.softness(place, (floor, now));
                let undercut = incision.limit.at(place, now, cell) * UNDERCUT * cell * softness;
                let above = now - floor;
                if above > 0.0 && above < undercut {
                    *height = floor.to_bits();
                    set(&this.fixed, sample, get(&this.fixed, sample) + f64::from(above));
                }
            }
            Ok(())
        })
    }

    /// Notes how much has slid down since the heights in the drainage's cells.
    pub(super) fn note_slides(&self, drainage: &mut Drainage, heights: &[f32], work: &Work) -> Result<()> {
        let width = self.grid.width;
        let rows = drainage.kept().zip(heights.par_chunks(width)).enumerate();
        rows.try_for_each(|(row, (cells, heights))| {
            work.check()?;
            for (column, (cell, height)) in cells.iter_mut().zip(heights).enumerate() {
                let slid = f64::from(f32::from_bits(*cell.get_mut())) - f64::from(*height);
                if slid > 0.0 {
                    let sample = row * width + column;
                    set(&self.fixed, sample, get(&self.fixed, sample) + slid);
                }
            }
            Ok(())
        })
    }
}

/// The way down: what leaves each sample once all that comes from upstream is known.
struct Downwards<'a> {
    sediment: &'a Sediment,
    heights: &'a [f32],
    incision: &'a Incision<'a>,
}

impl Arrive for Downwards<'_> {
    // The thread that arrives last reads what others have written.
    const ORDER: Ordering = Ordering::AcqRel;

    fn at(&self, drainage: &Drainage, sample: usize, samples: u32) {
        let Self { sediment, heights, incision } = self;
        let width = sediment.grid.width;
        let (column, row) = (sample % width, sample / width);
        let is_lake = sediment.is_lake(sample);
        // Donors in the order of their directions: sums have the same bits whoever arrives last.
        let (mut fixed, mut falling, mut fits) = (0.0, 0.0, 0.0);
        let mut donors = drainage.ways.donors(column, row);
        while donors != 0 {
            let (columns, rows) = NEIGHBOURS[donors.trailing_zeros() as usize];
            donors &= donors - 1;
            let donor = sample.wrapping_add_signed(rows * width as isize + columns);
            let handed = sediment.handed_on(donor, is_lake);
            (fixed, falling) = (fixed + handed.0, falling + handed.1);
            if is_lake && sediment.is_lake(donor) {
                fits -= get_f32(&sediment.share, donor);
            }
        }
        let way = drainage.ways.get(sample);
        let height = heights[sample];
        let slid = if way == SEA { 0.0 } else { get(&sediment.fixed, sample) };
        if way == SEA {
            // All that arrives stays. Rivers end at the surface.
            fixed -= falling * f64::from(incision.erode.base_level);
            falling = 0.0;
        } else if is_lake {
            let depth = get_f32(&sediment.own, sample) - incision.raised_bed(sample, height);
            set_f32(&sediment.share, sample, -(fits + depth.max(0.0)));
        } else {
            let distance = match way < OUTLET {
                true => drainage.distance(column, row, way),
                // As if the next sample downstream lay one cell beyond the border.
                false => sediment.grid.cell,
            };
            let below = drainage.ways.receiver(sample).map_or(height, |receiver| heights[receiver]);
            let (power, softness) = incision.power((column, row), (below, height), samples as f32);
            // Metres that the river cuts in a step for each metre of fall to its receiver.
            let cuts = f64::from(power / distance);
            let drops = f64::from(incision.erode.sediment * softness) / f64::from(samples);
            let years = f64::from(incision.years);
            // Backward Euler of ∂h/∂t = (h₀ − h) − E: a step erodes rises − (1 + Δt)·h.
            let rises = f64::from(height) + years * f64::from(incision.original.height(sample));
            (fixed, falling) = (fixed + rises, falling + 1.0 + years);
            let all = cuts + 1.0 + years + drops * falling;
            // Rounded, because the way up uses the rounded ones.
            let own = ((rises + drops * fixed) / all) as f32;
            set_f32(&sediment.own, sample, own);
            set_f32(&sediment.share, sample, (cuts / all) as f32);
            fixed -= falling * f64::from(own);
        }
        // What slid down in the step before goes on from here.
        fixed += slid;
        set(&sediment.fixed, sample, fixed);
        set(&sediment.falling, sample, falling);
    }
}

fn get(values: &[AtomicU64], sample: usize) -> f64 {
    f64::from_bits(values[sample].load(Ordering::Relaxed))
}

fn set(values: &[AtomicU64], sample: usize, value: f64) {
    values[sample].store(value.to_bits(), Ordering::Relaxed);
}

fn get_f32(values: &[AtomicU32], sample: usize) -> f32 {
    f32::from_bits(values[sample].load(Ordering::Relaxed))
}

fn set_f32(values: &[AtomicU32], sample: usize, value: f32) {
    values[sample].store(value.to_bits(), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::super::land::ErodingLand;
    use super::super::original::Original;
    use super::super::params::{Erode, Outlets};
    use super::super::pass::Pass;
    use super::super::rock::Rock;
    use super::*;
    use crate::steps::Operation;
    use crate::steps::generate::{Fbm, Generate};

    /// An island in the sea.
    fn island(side: usize, cell: f32, seed: u64) -> Result<Heightfield> {
        let fbm = Fbm { height: 500.0, frequency: 4.0, ..Fbm::default() };
        let mut land = fbm.generate(Grid::new(side, side, cell)?, seed, &Work::new())?;
        let half = (side - 1) as f32 / 2.0;
        for (sample, height) in land.heights_mut().iter_mut().enumerate() {
            let [x, z] = [sample % side, sample / side].map(|at| (at as f32 - half) / half);
            *height += 500.0 - 1400.0 * (x * x + z * z).sqrt().powi(3);
        }
        Ok(land)
    }

    /// Erodes in one pass on the full grid, and calls `after` with the heights before and after each step.
    fn erode_in_steps(
        erode: &Erode,
        land: &Heightfield,
        steps: usize,
        years: f32,
        mut after: impl FnMut(&[f32], &ErodingLand<'_>),
    ) -> Result<Heightfield> {
        let work = Work::new();
        let mut heights = land.clone();
        let rock = Rock::new(erode, land.grid(), 3, &work)?;
        let limit = rock.under(land.grid(), 1.0, None);
        let original = Original::beside(land, erode.base_level, &work)?;
        let start = ((&mut heights, original), (None, None), (limit, None), (true, 5, years));
        let mut eroding =
            ErodingLand::new(erode, start.0, start.1, start.2, start.3, &work)?.without_floors();
        for _ in 0..steps {
            let before = eroding.heights().to_vec();
            let pass = Pass { steps: 1, years: years / erode.age, gentler: 1.0 };
            eroding.run_pass(&pass, (0, 1), None, &work)?;
            after(&before, &eroding);
        }
        drop(eroding);
        Ok(heights)
    }

    fn with_sediment(sediment: f32) -> Erode {
        Erode { sediment, outlets: Outlets::Sea, smoothing: 0.0, ..Erode::default() }
    }

    #[test]
    fn what_is_eroded_lies_on_the_land_or_in_the_sea() -> Result<()> {
        for (sediment, seed) in [(0.5, 1), (2.0, 2), (10.0, 3)] {
            let (land, years) = (island(129, 40.0, seed)?, 0.1);
            let original = land.heights();
            let (mut slid, mut dropped) = (0.0, 0);
            erode_in_steps(&with_sediment(sediment), &land, 12, years, |before, eroding| {
                let after = eroding.heights();
                let (mut raised, mut changed, mut slides, mut arrived, mut moved) = (0.0, 0.0, 0.0, 0.0, 0.0);
                for here in 0..original.len() {
                    let [before, after, original] =
                        [before[here], after[here], original[here]].map(f64::from);
                    let kept = get(&eroding.sediment().fixed, here);
                    if original <= 0.0 {
                        arrived += kept;
                        continue;
                    }
                    slides += kept;
                    changed += after - before;
                    moved += (after - before).abs();
                    dropped += usize::from(after > before.max(original) + 0.1);
                    // Of land, the uplift at its new height before slides; of a lake, that of its old bed.
                    let solved = f64::from(eroding.drainage().height(here));
                    raised += f64::from(years)
                        * match eroding.sediment().is_lake(here) {
                            true => (original - before) / (1.0 + f64::from(years)),
                            false => original - solved,
                        };
                }
                let balance = changed + slides - slid + arrived - raised;
                assert!(balance.abs() < 1e-6 * moved, "{sediment}: {balance} of {moved}");
                assert!(arrived > 0.0 && slides > 0.0);
                slid = slides;
            })?;
            assert!(dropped > 100, "{sediment}: {dropped}");
        }
        Ok(())
    }

    #[test]
    fn heights_solve_the_law_to_the_last_bits() -> Result<()> {
        let (side, cell, years) = (129, 40.0, 0.2);
        let mut land = island(side, cell, 7)?;
        // Land without hollows.
        with_sediment(0.0).apply_to(&mut land, 1, &Work::new())?;
        for sediment in [0.3, 1.0, 5.0] {
            let erode = Erode { max_slope: 80.0, variety: 0.0, ..with_sediment(sediment) };
            let mut checked = 0;
            erode_in_steps(&erode, &land, 1, years, |before, eroding| {
                let (after, drainage) = (eroding.heights(), eroding.drainage());
                let lost = |here: usize| get(&eroding.sediment().fixed, here);
                // What each sample loses in a step, metres, by the uplift and the change of its height.
                let eroded: Vec<f64> = (0..after.len())
                    .map(|here| match drainage.ways.get(here) {
                        SEA => 0.0,
                        _ => {
                            let [before, after] = [before[here], after[here]].map(f64::from);
                            let solved = after + lost(here);
                            f64::from(years) * (f64::from(land.heights()[here]) - solved) + before - solved
                        }
                    })
                    .collect();
                let (mut flux, mut area) = (eroded.clone(), vec![1.0_f64; after.len()]);
                // The water's way leads down, so the highest samples come first.
                let mut order: Vec<usize> = (0..after.len()).collect();
                order.sort_by(|one, other| before[*other].total_cmp(&before[*one]));
                for &here in &order {
                    if let Some(there) = drainage.ways.receiver(here) {
                        flux[there] += flux[here];
                        area[there] += area[here];
                    }
                }
                for here in order {
                    let Some(there) = drainage.ways.receiver(here) else { continue };
                    let (column, row) = (here % side, here / side);
                    let distance = f64::from(drainage.distance(column, row, drainage.ways.get(here)));
                    let foot = f64::from(after[there].max(0.0));
                    let solved = f64::from(after[here]) + lost(here);
                    let cuts = f64::from(erode.strength * years * cell) * f64::sqrt(area[here]) / distance;
                    let carried = f64::from(sediment) * flux[here] / area[here];
                    let residual = eroded[here] + carried - cuts * (solved - foot);
                    // A height is rounded to an f32, and so is the part of it that doesn't depend on the
                    // receiver.
                    let rounding = 1e3 * f64::from(f32::EPSILON) * (2.0 + f64::from(sediment) + cuts);
                    assert!(residual.abs() < 2.0 * rounding, "{sediment}, {here}: {residual} of {cuts}");
                    checked += 1;
                }
            })?;
            assert!(checked > 5000);
        }
        Ok(())
    }

    #[test]
    fn a_lake_keeps_all_that_arrives_until_it_is_full() -> Result<()> {
        // A valley that falls to the south, with a deep basin across it.
        let years = 0.02;
        let land = Heightfield::from_fn(Grid::new(61, 120, 40.0)?, |column, row| {
            let valley = 900.0 - 6.0 * row as f32 + 8.0 * column.abs_diff(30) as f32;
            valley - if (70..90).contains(&row) { 200.0 } else { 0.0 } - if row > 115 { 500.0 } else { 0.0 }
        });
        let erode = Erode { max_slope: 80.0, variety: 0.0, base_level: 10.0, ..with_sediment(1.0) };
        let (mut lakes, mut step) = (Vec::new(), 0);
        erode_in_steps(&erode, &land, 2, years, |before, eroding| {
            let (sediment, after, ways) = (eroding.sediment(), eroding.heights(), &eroding.drainage().ways);
            let (mut filled, mut arrived, mut lake) = (0.0, 0.0, 0);
            for here in 0..after.len() {
                let [before, after, original] =
                    [before[here], after[here], land.heights()[here]].map(f64::from);
                if sediment.is_lake(here) {
                    lake += 1;
                    filled += after - (before + f64::from(years) * original) / (1.0 + f64::from(years));
                } else if std::iter::successors(Some(here), |at| ways.receiver(*at))
                    .any(|at| sediment.is_lake(at))
                {
                    // From here water runs into the lake.
                    arrived += f64::from(years) * (original - after) + before - after;
                }
            }
            // In the second step there are slides of the first as well.
            if step == 0 {
                assert!((filled - arrived).abs() < 1e-3 * arrived, "{filled} of {arrived}");
            }
            assert!(filled > 0.0);
            lakes.push(lake);
            step += 1;
        })?;
        assert!(lakes[0] > 500, "{lakes:?}");
        Ok(())
    }

    #[test]
    fn the_bits_are_those_of_one_thread() -> Result<()> {
        let land = island(150, 40.0, 4)?;
        let eroded = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut land = land.clone();
                with_sediment(1.0).apply_to(&mut land, 9, &Work::new())?;
                Ok::<_, crate::Error>(land)
            })
        };
        let one = eroded(1)?;
        for threads in [2, 7, 32] {
            assert!(one == eroded(threads)?, "{threads} threads");
        }
        Ok(())
    }
}
