//! A glaciation: ice grows, flows, wears its bed down and carries the debris away, round after round.

use super::bed;
use super::flow::{Balance, Flow};
use super::ice::Ice;
use super::moraine;
use super::wear;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Grid;

/// What a glaciation is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climate {
    /// The equilibrium line in the coldest times, metres.
    pub(super) line: f64,
    /// How much higher it lies in the mildest times, metres.
    pub(super) swing: f64,
    /// The most snow of a year, metres of ice.
    pub(super) snowfall: f64,
    /// Years of glaciation.
    pub(super) years: f64,
    /// Factor of the erosion.
    pub(super) strength: f64,
    /// The steepest slope of rock that stands where ice has undercut it, metres per metre.
    pub(super) steepest: f64,
}

/// Gain or loss of ice for each metre of height, per year.
pub(super) const GRADIENT: f64 = 0.007;

/// Rounds of a glaciation; in each the climate and the bed stay as they are while the ice adjusts to them.
pub(super) const ROUNDS: usize = 30;

/// How many of them run on the coarser grid.
pub(super) const COARSE_ROUNDS: usize = 20;

/// Rounds from one cold time to the next; the last round is in a cold time.
const CYCLE: usize = 10;

/// Steps of the ice in each round, and how many more on a land without ice.
pub(super) const STEPS: usize = 16;
pub(super) const FIRST_STEPS: usize = 120;

/// Steps for which the ice stands at each of its last margins, and how many such margins there are.
pub(super) const STAND: usize = 50;
pub(super) const STANDS: usize = 3;

/// Years of a step for each metre between samples: in that time ice moves by little more than a sample.
const YEARS_PER_METRE: f64 = 1.0 / 80.0;

/// How far snow slides, metres (standard deviation).
const SLIDES: f64 = 150.0;

/// A land under ice.
pub(super) struct Glaciation {
    pub(super) ice: Ice,
    climate: Climate,
    /// The bed before the glaciation, metres.
    pub(super) original: Vec<f64>,
    /// How readily the rock is worn.
    weakness: Vec<f64>,
    /// Thickness of the moraines, which are part of the bed.
    pub(super) moraines: Vec<f64>,
    /// The greatest thickness that the ice has had, metres.
    pub(super) thickest: Vec<f64>,
    has_ice: bool,
}

impl Glaciation {
    /// Land before its glaciation.
    pub(super) fn new(grid: Grid, bed: Vec<f64>, weakness: Vec<f64>, climate: Climate) -> Self {
        let original = bed.clone();
        let moraines = vec![0.0; grid.count()];
        Self {
            ice: Ice::on(grid, bed),
            climate,
            original,
            weakness,
            moraines,
            thickest: vec![0.0; grid.count()],
            has_ice: false,
        }
    }

    /// Goes on from what has been worn away on another grid, and the ice there.
    pub(super) fn go_on_from(&mut self, worn: &[f64], thickness: Vec<f64>, thickest: Vec<f64>) {
        for (bed, worn) in self.ice.bed.iter_mut().zip(worn) {
            *bed -= worn;
        }
        (self.ice.thickness, self.thickest) = (thickness, thickest);
        self.has_ice = true;
    }

    /// How much has been worn away so far, metres of height.
    pub(super) fn worn(&self) -> Vec<f64> {
        let beds = self.original.iter().zip(&self.ice.bed).zip(&self.moraines);
        beds.map(|((before, after), moraine)| before - (after - moraine)).collect()
    }

    fn balance(&self, line: f64) -> Balance {
        Balance { line, gradient: GRADIENT, most: self.climate.snowfall }
    }

    /// Whether there is no ice, and none comes with this line.
    fn is_bare_under(&self, line: f64) -> bool {
        let ice = &self.ice;
        (0..ice.thickness.len()).all(|at| ice.thickness[at] == 0.0 && ice.surface(at) <= line)
    }

    /// Lets the ice flow for some steps, and returns the mean of its sliding speed over the last four.
    fn flow(&mut self, line: f64, steps: usize, work: &Work) -> Result<Vec<f64>> {
        let grid = self.ice.grid();
        let mut speed = vec![0.0; grid.count()];
        if self.is_bare_under(line) {
            work.check()?;
            return Ok(speed);
        }
        let balance = self.balance(line);
        self.lay_snow(work)?;
        let years = f64::from(grid.cell) * YEARS_PER_METRE;
        for step in 0..steps {
            self.ice.step(&Flow::TEMPERATE, Some(&balance), years, work)?;
            if step + 4 >= steps {
                let ice = &self.ice;
                speed = bed::rows_of(grid, work, |column, row| {
                    let at = row * grid.width + column;
                    let now = Flow::TEMPERATE.sliding_speed(ice.thickness[at], ice.slope(at));
                    speed[at] + 0.25 * now
                })?;
            }
        }
        Ok(speed)
    }

    /// One round: the ice flows, then the bed is worn.
    pub(super) fn round(&mut self, round: usize, work: &Work) -> Result<()> {
        let phase = ((round + 1) % CYCLE) as f64 / CYCLE as f64;
        let mild = 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * phase);
        let line = self.climate.line + self.climate.swing * mild;
        let steps = if self.has_ice { STEPS } else { STEPS + FIRST_STEPS };
        self.has_ice = true;
        let speed = self.flow(line, steps, work)?;
        for (thickest, thickness) in self.thickest.iter_mut().zip(&self.ice.thickness) {
            *thickest = thickest.max(*thickness);
        }
        self.wear(speed, work)
    }

    /// The ice stands for a while where the line is so much higher than in the coldest times, and heaps up
    /// moraines along its margin: `share` of all that has been worn away above it.
    pub(super) fn stand(&mut self, rise: f64, share: f64, work: &Work) -> Result<()> {
        self.flow(self.climate.line + rise, STAND, work)?;
        let worn = self.worn();
        let line = self.climate.line + rise;
        let heaped =
            moraine::heaped(&self.ice, |surface| surface < line, |at| share * worn[at].max(0.0), work)?;
        for (at, heaped) in heaped.into_iter().enumerate() {
            self.moraines[at] += heaped;
            self.ice.bed[at] += heaped;
        }
        Ok(())
    }

    /// The ice that is left after the line has risen so much for good: none if nothing reaches above it.
    pub(super) fn melt(&mut self, rise: f64, work: &Work) -> Result<()> {
        let line = self.climate.line + rise;
        if (0..self.ice.thickness.len()).all(|at| self.ice.surface(at) <= line) {
            self.ice.thickness.fill(0.0);
            return Ok(());
        }
        self.flow(line, 4 * STAND, work).map(drop)
    }

    /// Snow slides off steep ground onto the gentler ground around it.
    fn lay_snow(&mut self, work: &Work) -> Result<()> {
        let grid = self.ice.grid();
        let ice = &self.ice;
        let surface = bed::rows_of(grid, work, |column, row| ice.surface(row * grid.width + column))?;
        let keeps = bed::rows_of(grid, work, |column, row| {
            let slope = bed::slope(grid, &surface, column, row);
            ((1.15 - slope) / (1.15 - 0.6)).clamp(0.0, 1.0)
        })?;
        let mut slid = bed::rows_of(grid, work, |column, row| 1.0 - keeps[row * grid.width + column])?;
        let mut room = keeps.clone();
        bed::smooth_within(grid, &mut slid, |_| true, SLIDES, work)?;
        bed::smooth_within(grid, &mut room, |_| true, SLIDES, work)?;
        self.ice.snow = bed::rows_of(grid, work, |column, row| {
            let at = row * grid.width + column;
            keeps[at] * (1.0 + (slid[at] / room[at].max(0.05)).min(2.0))
        })?;
        Ok(())
    }

    fn wear(&mut self, speed: Vec<f64>, work: &Work) -> Result<()> {
        let grid = self.ice.grid();
        let years = self.climate.years / ROUNDS as f64 * self.climate.strength;
        let worn = wear::worn(&self.ice, speed, &self.weakness, years, work)?;
        bed::lower(grid, &mut self.ice.bed, &worn, work)?;
        bed::slide(grid, &mut self.ice.bed, &self.original, self.climate.steepest, 4, work)
    }
}
