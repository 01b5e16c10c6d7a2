//! A year of snow without wind and avalanches: what falls, and what melts.

use rayon::prelude::*;

use super::horizon::{Horizons, Place};
use super::sun::{BEARINGS, COURSES, Sun, course_of, courses};
use crate::compute::wide::{Loop, in_wide_registers};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::Heightfield;

/// Density of settled snow, as a share of that of water.
pub(super) const DENSITY: f32 = 0.3;

/// How much colder it is for each metre of height, kelvins.
pub(super) const LAPSE: f32 = 0.0065;

/// Below 0 °C all that falls is snow, from this temperature on nothing.
const RAIN: f32 = 2.0;

/// How much more falls for each metre of height, as a share of what falls at height 0.
pub(super) const INCREASE: f32 = 0.0006;

/// Melt in the shade, millimetres of water a day for each kelvin above 0 °C (Hock 1999).
pub(super) const MELT: f32 = 1.8;

/// Further melt for each W/m² of direct sun on the slope, mean of the day (Hock 1999: 0.0008 an hour).
pub(super) const MELT_BY_SUN: f32 = 0.0192;

/// The thickest snow, metres.
pub(super) const THICKEST: f32 = 10_000.0;

/// Days in a step of the year, and steps in a year.
const DAYS: f32 = 5.0;
const STEPS: usize = 73;

/// The day on which the year of snow begins in the north: the first of September.
const FIRST: f32 = 243.0;

/// The warmest day in the north: the twentieth of July.
const WARMEST: f64 = 200.0;

/// Half a year, by which the seasons of the south differ.
const HALF: f32 = 182.5;

/// Over how much of the tangent of the sun's height a shadow begins: the sun is computed for a few hours
/// only.
const DAWN: f32 = 0.1;

/// Samples that are worked on at a time: their tables fit into the L1 cache.
const STRETCH: usize = 64;

/// The climate of a year.
pub(super) struct Climate {
    /// Mean temperature of the year at height 0, °C, and how much warmer the warmest day is.
    pub(super) temperature: f32,
    pub(super) swing: f32,
    /// Settled snow that would fall in a year at height 0 if it were always cold enough, metres.
    pub(super) snowfall: f32,
    /// The day of the calendar up to which the year has passed.
    pub(super) day: f32,
    /// Degrees north of the equator.
    pub(super) latitude: f32,
}

/// The year of snow up to a day, in steps.
pub(super) struct Year {
    steps: Vec<YearStep>,
    courses: [Vec<Sun>; COURSES],
    /// Metres of settled snow a day at height 0.
    a_day: f32,
}

/// Five days.
struct YearStep {
    /// How many of them have passed.
    days: f32,
    /// Temperature at height 0, °C.
    temperature: f32,
    /// The sun's course before these days, and how far they are from it to the next.
    course: usize,
    between: f32,
}

impl Year {
    pub(super) fn of(climate: &Climate) -> Self {
        let is_south = climate.latitude < 0.0;
        // Where it is winter in July the year begins half a year later.
        let passed = (climate.day - FIRST - if is_south { HALF } else { 0.0 }).rem_euclid(365.0);
        let steps = (0..STEPS).map(|step| {
            let begins = DAYS * step as f32;
            let season = f64::from(FIRST + begins + 0.5 * DAYS);
            let turn = std::f64::consts::TAU * (season - WARMEST) / 365.0;
            let (course, between) = course_of(season + if is_south { f64::from(HALF) } else { 0.0 });
            YearStep {
                days: (passed - begins).clamp(0.0, DAYS),
                temperature: climate.temperature + climate.swing * libm::cos(turn) as f32,
                course,
                between,
            }
        });
        Self {
            steps: steps.filter(|step| step.days > 0.0).collect(),
            courses: courses(climate.latitude),
            a_day: climate.snowfall / 365.0,
        }
    }

    /// Adds the year to what lies on the ground `bare` at its beginning.
    pub(super) fn pass(&self, bare: &Heightfield, lying: &mut Heightfield, work: &Work) -> Result<()> {
        let grid = bare.grid();
        work.stage("snow falls and melts", 2 * grid.depth);
        let horizons = Horizons::of(bare, work)?;
        work.advance(grid.depth);
        let rows = lying.heights_mut().par_chunks_mut(grid.width).enumerate();
        rows.try_for_each_init(Scratch::default, |scratch, (row, lying)| {
            self.pass_row(bare, &horizons, row, lying, scratch, work)?;
            work.advance(1);
            Ok::<_, crate::Error>(())
        })
    }

    fn pass_row(
        &self,
        bare: &Heightfield,
        horizons: &Horizons,
        row: usize,
        lying: &mut [f32],
        scratch: &mut Scratch,
        work: &Work,
    ) -> Result<()> {
        work.check()?;
        for (bearing, coarse) in scratch.coarse.iter_mut().enumerate() {
            horizons.of_row(row, bearing, coarse);
        }
        for (number, lying) in lying.chunks_mut(STRETCH).enumerate() {
            let first = number * STRETCH;
            for at in 0..lying.len() {
                let normal = bare.normal_at(first + at, row).to_array();
                (0..3).for_each(|axis| scratch.normals[axis][at] = normal[axis]);
            }
            let places = &mut scratch.places[..lying.len()];
            horizons.places(first, places);
            for (coarse, rises) in scratch.coarse.iter().zip(&mut scratch.rises) {
                rises.iter_mut().zip(&*places).for_each(|(rise, place)| *rise = place.of(coarse));
            }
            let heights = &bare.row(row)[first..first + lying.len()];
            let Scratch { normals, rises, .. } = &*scratch;
            in_wide_registers(Season { year: self, heights, normals, rises, lying });
        }
        Ok(())
    }
}

/// What a thread needs for a row.
struct Scratch {
    coarse: [Vec<f32>; BEARINGS],
    places: [Place; STRETCH],
    rises: [[f32; STRETCH]; BEARINGS],
    normals: [[f32; STRETCH]; 3],
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            coarse: std::array::from_fn(|_| Vec::new()),
            places: [Place::default(); STRETCH],
            rises: [[0.0; STRETCH]; BEARINGS],
            normals: [[0.0; STRETCH]; 3],
        }
    }
}

/// A year on a stretch of a row.
struct Season<'a> {
    year: &'a Year,
    heights: &'a [f32],
    normals: &'a [[f32; STRETCH]; 3],
    rises: &'a [[f32; STRETCH]; BEARINGS],
    lying: &'a mut [f32],
}

impl Loop for Season<'_> {
    type Done = ();

    #[inline(always)]
    fn run(self) {
        let Self { year, heights, normals: [x, y, z], rises, lying } = self;
        let count = heights.len().min(STRETCH);
        let (heights, lying) = (&heights[..count], &mut lying[..count]);
        let lowest = heights.iter().fold(f32::INFINITY, |lowest, height| lowest.min(*height));
        let melts = |step: &YearStep| step.temperature - LAPSE * lowest > 0.0;
        // Where nothing melts the sun is of no use.
        let mut suns = [[0.0f32; STRETCH]; COURSES];
        for (course, sun) in suns.iter_mut().enumerate() {
            let is_used = |step: &YearStep| step.course == course || step.course + 1 == course;
            if !year.steps.iter().any(|step| melts(step) && is_used(step)) {
                continue;
            }
            for Sun { strength: [east, up, south], rise, bearings, between } in &year.courses[course] {
                let [before, after] = bearings.map(|bearing| &rises[bearing][..count]);
                for at in 0..count {
                    let strength = x[at] * east + y[at] * up + z[at] * south;
                    let horizon = before[at] + (after[at] - before[at]) * between;
                    let lit = ((rise - horizon) * (1.0 / DAWN) + 0.5).clamp(0.0, 1.0);
                    sun[at] += lit * if strength > 0.0 { strength } else { 0.0 };
                }
            }
        }
        for step in &year.steps {
            let [before, after] = [&suns[step.course][..count], &suns[step.course + 1][..count]];
            for at in 0..count {
                let temperature = step.temperature - LAPSE * heights[at];
                let as_snow = ((RAIN - temperature) * (1.0 / RAIN)).clamp(0.0, 1.0);
                let more = 1.0 + INCREASE * heights[at];
                let more = if more > 0.0 { more } else { 0.0 };
                let fallen = step.days * year.a_day * more * as_snow;
                let sun = before[at] + (after[at] - before[at]) * step.between;
                let warmth = if temperature > 0.0 { temperature } else { 0.0 };
                let melted = step.days * warmth * (MELT + MELT_BY_SUN * sun) * (0.001 / DENSITY);
                lying[at] = (lying[at] + fallen - melted).clamp(0.0, THICKEST);
            }
        }
    }
}
