//! Fault formation: straight lines across the land; each raises the ground on one side and lowers it
//! on the other, later ones by less.
//!
//! A fault adds d·p(t) at the signed distance t from its line, in units of `width`:
//! * step: p = sgn t, a cliff;
//! * sine: p = sin(πt/2), and ±1 beyond |t| = 1, a smooth slope; with `beyond: nothing` 0 there, two cliffs;
//! * cosine: p = (1 + cos πt)/2, and 0 beyond |t| = 1, a ridge.
//!
//! d falls from `start` to `end` over the faults. The lines go through two random points of the land (the
//! lecture on terrain), or are uniform in angle and offset over the disc around the land. For the latter,
//! the mean square difference of two heights at distance r is 4·N·d²·r/(π·R) with N faults and a disc of
//! radius R: the land is isotropic, with Hurst exponent ½.
//!
//! A straight line crosses a row of samples once, so all faults together add a sum of jumps to a row,
//! computed in one pass. Only inside the band |t| < 1 of the smooth profiles is p evaluated.
//!
//! A line that misses the middle of the land raises or lowers most of it, and the sum of all lines lifts or
//! drowns the land as a whole. With `centred` the mean of d·p over the land is taken away for each line. The
//! signed distance of a point by chance in a rectangle is a sum of two even distributions, so that the mean
//! of sgn t and the density at the line, by which a ridge counts, have closed forms.
//!
//! With `roughen` the ground breaks along a trace that wanders around the straight line by midpoint
//! displacement. Samples farther from the line than the trace can stray are still handled by jumps; the
//! others are evaluated one by one.

mod line;

use std::ops::Range;

use rayon::prelude::*;

use self::line::{ColumnPlaces, FINEST, FaultLine, Rough};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::memory;
use crate::grid::{Domain, Grid, Heightfield, Region};
use crate::noise::hash;
use crate::params::{choice, params};
use crate::steps::generate::{Generate, PROFILES, rows};
use crate::steps::number::{brief, counted, sum};
use crate::steps::{Ground, Operation, Reach, Site, estimate, step};

choice! {
    /// How the lines of faults are distributed.
    pub enum FaultLines {
        /// Uniform in angle and offset over the disc around the land: isotropic.
        Uniform = "uniform",
        /// Through two random points of the land: more of them cross its middle.
        Points = "points",
    }
}

choice! {
    /// The profile across a fault.
    pub enum FaultProfile {
        /// Up on one side, down on the other, with a cliff between.
        Step = "step",
        /// Up on one side, down on the other, with a smooth slope between.
        Sine = "sine",
        /// A ridge or a furrow along the line.
        Cosine = "cosine",
    }
}

choice! {
    /// What a sine profile is beyond its width.
    pub enum FaultBeyond {
        /// It keeps the displacement that it has reached: up on one side, down on the other.
        Held = "held",
        /// Nothing. A mistake, kept to demonstrate it: the ground falls back by the whole displacement at
        /// both ends of the slope, so that each fault leaves two cliffs.
        Nothing = "nothing",
    }
}

choice! {
    /// How displacements decrease from the first fault to the last.
    pub enum FaultFall {
        /// By the same amount each time.
        Linear = "linear",
        /// By the same factor each time.
        Geometric = "geometric",
    }
}

params! {
    /// Fault formation: raises and lowers blocks of land along straight or rough lines. The same landscape at
    /// every resolution. A low-pass filter after it softens the cliffs. Where it is added to existing land,
    /// set `centred`, and put an island falloff after it.
    pub struct Fault {
        /// Number of faults.
        pub faults: u32 = 500, "" in 0.0..=10000.0;
        /// Displacement d of the first fault, up on one side and down on the other.
        pub start: f32 = 80.0, "m" in 0.01..=1000.0, log;
        /// Displacement d of the last fault.
        pub end: f32 = 8.0, "m" in 0.01..=1000.0, log;
        /// How d decreases between the two.
        pub fall: FaultFall = FaultFall::Linear;
        /// How the lines are distributed.
        pub lines: FaultLines = FaultLines::Uniform;
        /// The profile across a fault.
        pub profile: FaultProfile = FaultProfile::Step;
        /// Distance from a line at which a sine or cosine profile ends, as a share of the longer side.
        pub width: f32 = 0.05, "" in 0.001..=1.0, log;
        /// What a sine profile is beyond its width: its last displacement, as it should be, or nothing, a
        /// common mistake that leaves cliffs, kept to demonstrate it.
        pub beyond: FaultBeyond = FaultBeyond::Held;
        /// Farthest that a fault's trace strays from its straight line, as a share of the longer side.
        /// Larger values take longer; 0 leaves it straight.
        pub roughen: f32 = 0.0, "" in 0.0..=0.5;
        /// Whether each fault leaves the mean height of the land about as it is. Otherwise all together raise
        /// or lower it, by hundreds of metres: faults added to an island may drown it with one seed and not
        /// with another.
        pub centred: bool = false;
    }
}

impl Generate for Fault {
    fn make(&self, region: &Region, seed: u64, work: &Work) -> Result<Heightfield> {
        let lines = self.lines(region.domain(), seed);
        let columns = ColumnPlaces::of(region);
        let rough = Rough::new(f64::from(self.roughen), seed);
        if work.is_observed() {
            return self.one_by_one(&lines, &columns, rough.as_ref(), region, work);
        }
        let state = || vec![0i64; columns.x.len() + 1];
        let before = self.before(&lines);
        rows::fill(region, "faults", work, state, |jumps, row, heights| {
            // Jumps are summed along the row at its end, so each fault costs one addition a row and not one a
            // sample.
            jumps.fill(0);
            jumps[0] = before;
            self.add(&lines, &columns, region.z(row), rough.as_ref(), jumps, heights);
            raise(heights, jumps);
        })
    }
}

impl Operation for Fault {
    step!("fault", "Fault formation", Generator);

    fn formula(&self) -> Option<String> {
        if self.faults == 0 {
            return Some("h(x) = 0".to_owned());
        }
        let (start, end) = (brief(self.start), brief(self.end));
        let way = format!("k / {}", (self.faults - 1).max(1));
        let d = match self.fall {
            FaultFall::Linear => sum(&[(self.start, "", ""), (self.end - self.start, " ", &way)]),
            FaultFall::Geometric if self.start == self.end => start,
            FaultFall::Geometric => format!("{start} · ({end} / {start})^({way})"),
        };
        let profile = match self.profile {
            FaultProfile::Step => "sgn t",
            FaultProfile::Sine if self.ends_in_nothing() => "sin(π t / 2) for |t| < 1, else 0",
            FaultProfile::Sine => "sin(π t / 2) for |t| < 1, else sgn t",
            FaultProfile::Cosine => "(1 + cos π t) / 2 for |t| < 1, else 0",
        };
        let unit = match self.profile {
            FaultProfile::Step => String::new(),
            _ => format!(", per {} of a side", brief(self.width)),
        };
        let line = match self.lines {
            FaultLines::Uniform => "random line k",
            FaultLines::Points => "line k through two points",
        };
        let astray = match self.roughen {
            0.0 => String::new(),
            _ => format!(" ± {}", brief(self.roughen)),
        };
        let count = counted('k', self.faults);
        let mean = if self.centred { ",  less its mean over the land" } else { "" };
        Some(format!(
            "h(x) = Σ dₖ p(tₖ),  dₖ = {d},  {count}\np(t) = {profile}{mean}\ntₖ: distance from {line}{astray}{unit}"
        ))
    }

    fn uses(&self, name: &str) -> bool {
        match name {
            "width" => self.profile != FaultProfile::Step,
            "beyond" => self.profile == FaultProfile::Sine,
            _ => true,
        }
    }

    /// Leaves the mean height of the land as it is, and is no rougher than suits its height.
    fn suit(&mut self, site: &Site) {
        self.centred = true;
        let Some((lowest, highest)) = site.range.filter(|range| range.1 > range.0) else { return };
        let usual = Self::default();
        let times = (SUITED * (highest - lowest) / usual.differs_by()).min(1.0);
        self.start = (usual.start * times).max(0.01);
        self.end = (usual.end * times).max(0.01);
    }

    fn seconds(&self, grid: Grid) -> f64 {
        // Where each line crosses each row, and the samples near it.
        let (samples, lines) = (grid.width as f64 * grid.depth as f64, f64::from(self.faults));
        let near = |reach: f32| (2.0 * f64::from(reach)).min(1.0);
        let smooth = match self.profile {
            FaultProfile::Step => 0.0,
            FaultProfile::Sine | FaultProfile::Cosine => 1.0 * near(self.width + self.roughen),
        };
        let rough = if self.roughen > 0.0 { 8.0 * near(self.roughen) } else { 0.0 };
        estimate::in_seconds(lines * (4.0 * grid.depth as f64 + samples * (smooth + rough)) + samples)
    }

    /// Faults cross the land from border to border: beyond them, endless land would be level.
    fn reach(&self, domain: Domain) -> Reach {
        if domain.is_endless() { Reach::Whole } else { Reach::Point }
    }

    fn apply(&self, ground: &mut Ground, seed: u64, work: &Work) -> Result<()> {
        ground.heights = self.make(ground.region(), seed, work)?;
        Ok(())
    }
}

impl Fault {
    /// The sum of jumps with which every row begins.
    fn before(&self, lines: &[FaultLine]) -> i64 {
        let means: i64 = lines.iter().map(|line| line.mean).sum();
        if self.profile == FaultProfile::Cosine || self.ends_in_nothing() {
            return -means;
        }
        lines.iter().map(|line| -line.rising_jump()).sum::<i64>() - means
    }

    /// The root of the mean square difference, metres, of heights half a side apart on square land, by
    /// theory.
    fn differs_by(&self) -> f32 {
        let (start, end) = (self.start, self.end);
        let square = (start * start + start * end + end * end) / 3.0;
        let lines = self.faults as f32 * 0.5 / (std::f32::consts::PI * std::f32::consts::FRAC_1_SQRT_2);
        2.0 * (lines * square).sqrt()
    }

    /// The mean of the profile over a land of these sides, about: of a slope as of a cliff, and as if no line
    /// were rough.
    fn mean_of_profile(&self, normal: [f64; 2], offset: f64, [east, south]: [f64; 2]) -> f64 {
        let [a, b] = [(normal[0] * east).abs(), (normal[1] * south).abs()];
        // How far the middle of the land is from the line.
        let middle = (normal[0] * east + normal[1] * south) / 2.0 - offset;
        let (away, wider, corner) = (middle.abs(), a.max(b), (a + b) / 2.0);
        let beyond = corner - away;
        let is_missed = beyond <= 0.0;
        // Whether the line meets the land's two longer sides as it sees them, and not one corner of it.
        let is_across = away <= (a - b).abs() / 2.0;
        match self.profile {
            FaultProfile::Sine if self.ends_in_nothing() => 0.0,
            FaultProfile::Cosine => {
                let density = match (is_missed, is_across) {
                    (true, _) => 0.0,
                    (_, true) => 1.0 / wider,
                    _ => beyond / (a * b),
                };
                f64::from(self.width) * density
            }
            FaultProfile::Step | FaultProfile::Sine => match (is_missed, is_across) {
                // A land that is a point, on the line: on the far side of a cliff, half-way up a slope.
                (true, _) if middle == 0.0 => f64::from(u8::from(self.profile == FaultProfile::Step)),
                (true, _) => middle.signum(),
                (_, true) => 2.0 * middle / wider,
                _ => (1.0 - beyond * beyond / (a * b)).copysign(middle),
            },
        }
    }

    /// Adds some faults to a row at `z`: jumps to `jumps`, all else to `heights`.
    fn add(
        &self,
        lines: &[FaultLine],
        columns: &ColumnPlaces,
        z: f64,
        rough: Option<&Rough>,
        jumps: &mut [i64],
        heights: &mut [f32],
    ) {
        for line in lines {
            match (self.profile, rough) {
                (FaultProfile::Step, None) => line.step(columns, z, jumps),
                (FaultProfile::Step, Some(rough)) => line.rough_step(columns, z, rough, jumps),
                (FaultProfile::Sine, _) if self.ends_in_nothing() => {
                    let band = line.band(columns, z, self.width + self.roughen);
                    let cut = |t: f32| if t.abs() < 1.0 { sine_of_quarters(t) } else { 0.0 };
                    self.draw(line, columns, z, rough, band, heights, cut);
                }
                (FaultProfile::Sine, _) => {
                    let reach = self.width + self.roughen;
                    let band = line.slope(columns, z, reach, jumps);
                    self.draw(line, columns, z, rough, band, heights, sine_of_quarters);
                }
                // (1 + cos πt)/2 = 1 − sin²(πt/2)
                (FaultProfile::Cosine, _) => {
                    let band = line.band(columns, z, self.width + self.roughen);
                    let ridge = |t| {
                        let sine = sine_of_quarters(t);
                        1.0 - sine * sine
                    };
                    self.draw(line, columns, z, rough, band, heights, ridge);
                }
            }
        }
    }

    /// Whether the profile is a sine that is not continued beyond its width.
    fn ends_in_nothing(&self) -> bool {
        self.profile == FaultProfile::Sine && self.beyond == FaultBeyond::Nothing
    }

    /// Builds the land with frames for an observer. The jumps of all rows are kept from one frame to the
    /// next, so that no fault is added twice. Samples add the same numbers in the same order as without an
    /// observer.
    fn one_by_one(
        &self,
        lines: &[FaultLine],
        columns: &ColumnPlaces,
        rough: Option<&Rough>,
        region: &Region,
        work: &Work,
    ) -> Result<Heightfield> {
        let (grid, all) = (region.grid(), lines.len());
        // Memory for the heights, a frame, and the jumps.
        memory::require(grid, (4 + 4 + 8) * grid.count() as u64)?;
        let pauses = work.pauses("fault", all);
        work.stage("faults", grid.depth * pauses.clone().count());
        let mut heights = Heightfield::flat(grid, 0.0);
        let mut jumps = vec![0i64; (grid.width + 1) * grid.depth];
        let mut done = 0;
        for pause in pauses {
            let lines = &lines[done..pause];
            let before = self.before(lines);
            let rows = heights.heights_mut().par_chunks_mut(grid.width);
            rows.zip(jumps.par_chunks_mut(grid.width + 1)).enumerate().try_for_each(
                |(row, (heights, jumps))| {
                    work.check()?;
                    jumps[0] += before;
                    self.add(lines, columns, region.z(row), rough, jumps, heights);
                    work.advance(1);
                    Ok(())
                },
            )?;
            if pause < all {
                work.frame("fault", pause, all, || raised(heights.copy_while(work)?, &jumps, work))?;
            }
            done = pause;
        }
        let field = raised(heights, &jumps, work)?;
        work.frame("fault", all, all, || Ok(&field))?;
        Ok(field)
    }
}

/// Adds the running sum of its jumps to a row.
fn raise(heights: &mut [f32], jumps: &[i64]) {
    let mut ground = 0;
    for (height, jump) in heights.iter_mut().zip(jumps) {
        // Whole numbers: the running sum is exact, however many faults there are.
        ground += *jump;
        *height += (ground as f64 / FINEST) as f32;
    }
}

/// Applies [`raise`] to all rows of a field.
fn raised(mut field: Heightfield, jumps: &[i64], work: &Work) -> Result<Heightfield> {
    let width = field.grid().width;
    let rows = field.heights_mut().par_chunks_mut(width).zip(jumps.par_chunks(width + 1));
    rows.try_for_each(|(heights, jumps)| {
        work.check()?;
        raise(heights, jumps);
        Ok(())
    })?;
    Ok(field)
}

/// How much the heights of a land to which faults are added differ by them, as a share of their range.
const SUITED: f32 = 0.2;

impl Fault {
    fn lines(&self, domain: Domain, seed: u64) -> Vec<FaultLine> {
        let [east, south] = domain.extent_in_units().unwrap_or([1.0; 2]);
        let radius = libm::sqrt(east * east + south * south) / 2.0;
        (0..self.faults)
            .map(|index| {
                // A hash of the fault's number, so that more faults leave the first ones where they were.
                let random = |which| (hash(seed, i64::from(index), which) >> 11) as f64 / (1u64 << 53) as f64;
                let (normal, offset) = match self.lines {
                    FaultLines::Uniform => {
                        let angle = random(0) * std::f64::consts::TAU;
                        let normal = [libm::cos(angle), libm::sin(angle)];
                        let middle = (east * normal[0] + south * normal[1]) / 2.0;
                        (normal, middle + radius * (2.0 * random(1) - 1.0))
                    }
                    FaultLines::Points => {
                        let p = [random(0) * east, random(1) * south];
                        let along = [random(2) * east - p[0], random(3) * south - p[1]];
                        let length = libm::sqrt(along[0] * along[0] + along[1] * along[1]);
                        // The two points coincide: any line through them will do.
                        let normal =
                            if length > 0.0 { [-along[1] / length, along[0] / length] } else { [1.0, 0.0] };
                        (normal, p[0] * normal[0] + p[1] * normal[1])
                    }
                };
                let d = self.displacement(index);
                let jump = (f64::from(d) * FINEST).round() as i64;
                let mean = match self.centred {
                    true => f64::from(d) * self.mean_of_profile(normal, offset, [east, south]) * FINEST,
                    false => 0.0,
                };
                FaultLine {
                    normal,
                    offset,
                    d,
                    jump,
                    mean: mean.round() as i64,
                    per_normal_x: 1.0 / normal[0],
                    phase: random(4) * PROFILES as f64,
                }
            })
            .collect()
    }

    /// Adds d·profile(t) within the band.
    fn draw(
        &self,
        line: &FaultLine,
        columns: &ColumnPlaces,
        z: f64,
        rough: Option<&Rough>,
        band: Range<usize>,
        heights: &mut [f32],
        profile: impl Fn(f32) -> f32,
    ) {
        let width = f64::from(self.width);
        let heights = &mut heights[band.clone()];
        if let Some(rough) = rough {
            for (height, x) in heights.iter_mut().zip(&columns.x[band]) {
                let t = line.beside_trace(*x, z, rough) / width;
                *height += line.d * profile(t as f32);
            }
            return;
        }
        let rise = (line.normal[0] / width) as f32;
        let start = ((z * line.normal[1] - line.offset) / width) as f32;
        for (height, x) in heights.iter_mut().zip(&columns.x_narrow[band]) {
            *height += line.d * profile(rise * x + start);
        }
    }

    fn displacement(&self, index: u32) -> f32 {
        let along = f64::from(index) / f64::from((self.faults - 1).max(1));
        let (start, end) = (f64::from(self.start), f64::from(self.end));
        (match self.fall {
            FaultFall::Linear => start + (end - start) * along,
            FaultFall::Geometric => start * libm::pow(end / start, along),
        }) as f32
    }
}

/// sin(πt/2) for t in [−1, 1], ±1 outside: a series whose next term is below f32 precision.
fn sine_of_quarters(t: f32) -> f32 {
    const H: f64 = std::f64::consts::FRAC_PI_2;
    const H3: f64 = -H * H * H / 6.0;
    const H5: f64 = -H3 * H * H / 20.0;
    const H7: f64 = -H5 * H * H / 42.0;
    const H9: f64 = -H7 * H * H / 72.0;
    const H11: f64 = -H9 * H * H / 110.0;
    const SERIES: [f32; 6] = [H as f32, H3 as f32, H5 as f32, H7 as f32, H9 as f32, H11 as f32];
    let t = t.clamp(-1.0, 1.0);
    let square = t * t;
    // Horner's scheme from the highest power. It has no branches, so the loops that call it are vectorised.
    t * SERIES.iter().rev().fold(0.0, |sum, coefficient| sum * square + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;

    const SHAPES: [FaultProfile; 3] = [FaultProfile::Step, FaultProfile::Sine, FaultProfile::Cosine];

    /// Every fault at every sample, straight from the definition.
    fn directly(fault: &Fault, grid: Grid, seed: u64) -> Heightfield {
        let lines = fault.lines(Domain::of(grid), seed);
        let rough = Rough::new(f64::from(fault.roughen), seed);
        Heightfield::from_fn(grid, |column, row| {
            let (x, z) = (grid.unit_from_index(column), grid.unit_from_index(row));
            let of = |line: &FaultLine| {
                let straight = x * line.normal[0] + z * line.normal[1] - line.offset;
                let along = z * line.normal[0] - x * line.normal[1];
                let strays =
                    |rough: &Rough| f64::from(fault.roughen) * f64::from(rough.wander.at(line.phase + along));
                let distance = straight - rough.as_ref().map_or(0.0, strays);
                let unclamped = distance / f64::from(fault.width);
                let t = unclamped.clamp(-1.0, 1.0);
                let turn = std::f64::consts::FRAC_PI_2 * t;
                f64::from(line.d)
                    * match fault.profile {
                        FaultProfile::Step => {
                            if distance >= 0.0 {
                                1.0
                            } else {
                                -1.0
                            }
                        }
                        FaultProfile::Sine
                            if fault.beyond == FaultBeyond::Nothing && unclamped.abs() >= 1.0 =>
                        {
                            0.0
                        }
                        FaultProfile::Sine => libm::sin(turn),
                        FaultProfile::Cosine => libm::cos(turn).powi(2),
                    }
            };
            lines.iter().map(of).sum::<f64>() as f32
        })
    }

    #[test]
    fn sums_of_jumps_are_what_each_sample_gives_by_itself() -> Result<()> {
        let cut = (FaultProfile::Sine, FaultBeyond::Nothing);
        let shapes = SHAPES.map(|shape| (shape, FaultBeyond::Held)).into_iter().chain([cut]);
        for ((profile, beyond), roughen) in shapes.flat_map(|shape| [(shape, 0.0), (shape, 0.07)]) {
            for lines in [FaultLines::Uniform, FaultLines::Points] {
                for (width, depth) in [(70, 41), (41, 70), (1, 9), (9, 1), (1, 1)] {
                    let fault = Fault {
                        faults: 90,
                        profile,
                        beyond,
                        lines,
                        width: 0.11,
                        roughen,
                        ..Fault::default()
                    };
                    let grid = Grid::new(width, depth, 1.0)?;
                    let (fast, direct) = (fault.generate(grid, 6, &Work::new())?, directly(&fault, grid, 6));
                    for (fast, direct) in fast.heights().iter().zip(direct.heights()) {
                        assert!((fast - direct).abs() < 0.01, "{profile:?} {lines:?}: {fast} {direct}");
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn smooth_profiles_have_no_cliffs() -> Result<()> {
        let grid = Grid::new(2001, 3, 1.0)?;
        for profile in [FaultProfile::Sine, FaultProfile::Cosine] {
            for seed in 0..20 {
                let fault = Fault { faults: 1, start: 100.0, profile, width: 0.02, ..Fault::default() };
                let field = fault.generate(grid, seed, &Work::new())?;
                let step = |pair: &[f32]| (pair[1] - pair[0]).abs();
                let steepest = field.row(1).windows(2).map(step).fold(0.0, f32::max);
                // A sample is t = 1/40 from the next at the most, where sin(πt/2) rises by π/2 · t.
                assert!(steepest < 100.0 * 1.6 / 40.0, "{profile:?}: {steepest}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_rough_cliff_has_both_its_sides_and_strays_no_farther_than_it_says() -> Result<()> {
        let grid = Grid::new(301, 201, 1.0)?;
        let mut moved = 0;
        for seed in 0..30 {
            let roughen = 0.03;
            let fault = Fault { faults: 1, start: 70.0, roughen, ..Fault::default() };
            let line = &fault.lines(Domain::of(grid), seed)[0];
            let field = fault.generate(grid, seed, &Work::new())?;
            for row in 0..grid.depth {
                for column in 0..grid.width {
                    let (x, z) = (grid.unit_from_index(column), grid.unit_from_index(row));
                    let distance = x * line.normal[0] + z * line.normal[1] - line.offset;
                    let straight = if distance >= 0.0 { 70.0 } else { -70.0 };
                    let height = field.at(column, row);
                    assert!(height == 70.0 || height == -70.0, "{height}");
                    if height != straight {
                        moved += 1;
                        assert!(distance.abs() <= f64::from(roughen), "{distance}");
                    }
                }
            }
        }
        // Traces as straight as before would be no roughness.
        assert!(moved > 1000, "{moved}");
        Ok(())
    }

    #[test]
    fn centred_faults_leave_the_mean_where_it_is() -> Result<()> {
        let mean = |field: &Heightfield| {
            let heights = field.heights();
            heights.iter().map(|height| f64::from(*height)).sum::<f64>() / heights.len() as f64
        };
        for profile in SHAPES {
            for (width, depth) in [(201, 201), (201, 61), (61, 201)] {
                for lines in [FaultLines::Uniform, FaultLines::Points] {
                    let (mut strays, mut raised) = (0.0f64, 0.0f64);
                    for seed in 0..12 {
                        let fault =
                            Fault { faults: 40, start: 50.0, end: 50.0, profile, lines, ..Fault::default() };
                        let grid = Grid::new(width, depth, 1.0)?;
                        let plain = fault.generate(grid, seed, &Work::new())?;
                        let centred = Fault { centred: true, ..fault }.generate(grid, seed, &Work::new())?;
                        (strays, raised) = (strays.max(mean(&centred).abs()), raised.max(mean(&plain).abs()));
                        let moved = plain.at(0, 0) - centred.at(0, 0);
                        let same = |(plain, centred): (&f32, &f32)| (plain - centred - moved).abs() < 0.01;
                        assert!(plain.heights().iter().zip(centred.heights()).all(same), "{profile:?}");
                    }
                    // Slopes that the border cuts off, and the width of a sample.
                    let most = 0.1 * raised.max(200.0);
                    assert!(strays < most, "{profile:?} {lines:?} {width}×{depth}: {strays} m of {raised} m");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn faults_that_are_added_suit_the_height_of_the_land() -> Result<()> {
        let site = |range| Site { cell: 20.0, sea_level: Some(0.0), range, alike: 0, is_endless: false };
        let suited = |range| {
            let mut fault = Fault::default();
            fault.suit(&site(range));
            fault
        };
        let fault = suited(Some((-1000.0, 1000.0)));
        assert!(fault.centred && fault.differs_by() < 401.0 && fault.differs_by() > 399.0);
        for range in [None, Some((5.0, 5.0)), Some((0.0, 1e6))] {
            assert_eq!(suited(range), Fault { centred: true, ..Fault::default() });
        }
        assert!(suited(Some((0.0, 1e-3))).end >= 0.01);
        Ok(())
    }

    #[test]
    fn rough_land_is_the_same_at_every_resolution() -> Result<()> {
        for profile in SHAPES {
            let fault = Fault { faults: 40, profile, roughen: 0.1, ..Fault::default() };
            let small = fault.generate(Grid::new(61, 41, 2.0)?, 3, &Work::new())?;
            let large = fault.generate(Grid::new(121, 81, 1.0)?, 3, &Work::new())?;
            for row in 0..41 {
                for column in 0..61 {
                    assert_eq!(small.at(column, row), large.at(2 * column, 2 * row), "{profile:?}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_rough_trace_has_no_gaps() {
        let fault = Fault { faults: 50, roughen: 0.2, ..Fault::default() };
        let grid = Grid::new(9, 9, 1.0).unwrap();
        let rough = Rough::new(f64::from(fault.roughen), 5).unwrap();
        for line in fault.lines(Domain::of(grid), 5) {
            // Along the straight line, in steps shorter than the finest bend.
            let strays = |step: i32| {
                let along = f64::from(step) / 20_000.0;
                let [x, z] = line.normal;
                -line.beside_trace(line.offset * x - along * z, line.offset * z + along * x, &rough)
            };
            for step in -30_000..30_000 {
                assert!((strays(step + 1) - strays(step)).abs() < 0.02 * 0.2);
            }
        }
    }

    #[test]
    fn the_sine_is_the_sine() {
        for index in -30..=30 {
            let t = index as f32 / 20.0;
            let sine = libm::sin(std::f64::consts::FRAC_PI_2 * f64::from(t.clamp(-1.0, 1.0)));
            assert!((f64::from(sine_of_quarters(t)) - sine).abs() < 3e-7, "{t}");
        }
    }

    #[test]
    fn displacements_fall_from_start_to_end() {
        let fault = Fault { faults: 3, start: 100.0, end: 25.0, ..Fault::default() };
        assert_eq!([0, 1, 2].map(|index| fault.displacement(index)), [100.0, 62.5, 25.0]);
        let fault = Fault { fall: FaultFall::Geometric, ..fault };
        assert_eq!([0, 1, 2].map(|index| fault.displacement(index)), [100.0, 50.0, 25.0]);
    }

    /// N uniform lines ±d over a disc of radius R: two points a distance r apart differ by ±2d for
    /// each line between them, and a line is between them with probability r/(πR).
    #[test]
    fn heights_differ_as_the_root_of_distance() -> Result<()> {
        let (count, d) = (200, 3.0);
        let fault = Fault { faults: count, start: d, end: d, ..Fault::default() };
        let grid = Grid::new(65, 65, 1.0)?;
        let radius = f64::sqrt(2.0) / 2.0;
        let fields: Vec<Heightfield> =
            (0..400).map(|seed| fault.generate(grid, seed, &Work::new())).collect::<Result<_>>()?;
        for (across, down) in [(4, 0), (0, 4), (16, 0), (32, 0), (12, 16), (0, 48)] {
            let mut squares = (0.0, 0.0);
            for field in &fields {
                for (column, row) in
                    (0..65 - across).step_by(8).flat_map(|c| (0..65 - down).step_by(8).map(move |r| (c, r)))
                {
                    let step = field.at(column + across, row + down) - field.at(column, row);
                    squares = (squares.0 + f64::from(step).powi(2), squares.1 + 1.0);
                }
            }
            let r = f64::hypot(across as f64, down as f64) / 64.0;
            let expected =
                4.0 * f64::from(count) * f64::from(d).powi(2) * r / (std::f64::consts::PI * radius);
            // 400 independent lands: a variance from as many normal numbers has a standard error of
            // √(2/400) = 7 %, less for the pairs that each land holds.
            let ratio = squares.0 / squares.1 / expected;
            assert!((ratio - 1.0).abs() < 0.15, "{across}, {down}: {ratio}");
        }
        Ok(())
    }
}
