//! Estimates how long the ground of a land takes to build, before it is built, so that long work can be
//! announced or, where it would take too long, left out.
//!
//! Estimates are sums over the steps, and depend only on their parameters and the number of samples. So they
//! are the same on every machine and never depend on a clock. A machine may be faster or slower, and an
//! estimate may be wrong by a factor of a few.

use std::fmt;

use super::{Recipe, Step};
use crate::error::Result;
use crate::grid::{Grid, Window};
use crate::steps::common::MaskKind;
use crate::steps::generate::Fbm;
use crate::steps::{Kind, Operation, Reach};

/// The least that a step takes, in seconds.
const LEAST: f64 = 1e-5;

/// The time to mix a step's result with the land before it, and to look up a mask, in seconds per sample.
const MIXED: f64 = 5e-9;

/// The time to measure a factor for a mask, in seconds per sample.
const FACTOR: f64 = 2e-7;

/// About how long the ground of a land takes to build.
///
/// It displays as "about 12 min of one processor core, most of it for step 3 (River erosion)".
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The recipe's steps, in their order.
    pub steps: Vec<StepEstimate>,
}

/// About how long a step takes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepEstimate {
    /// Its title, for people.
    pub title: &'static str,
    /// Seconds of one processor core; 0 if it doesn't run.
    pub seconds: f64,
}

impl Estimate {
    /// Seconds of one processor core, of all steps together.
    pub fn seconds(&self) -> f64 {
        self.steps.iter().map(|step| step.seconds).sum()
    }

    /// The reason to leave something out, if building the land for it would take more than `most` seconds of
    /// one processor core. `what` begins the sentence, such as "a small picture".
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Hills", (65, 65), 30.0);
    /// recipe.steps.extend(upland::Step::from_name("fbm"));
    /// assert_eq!(recipe.estimate().left_out("a small picture", 10.0), None);
    /// let said = recipe.estimate().left_out("a small picture", 0.0).unwrap();
    /// assert!(said.starts_with("a small picture is left out: the land would take about"));
    /// ```
    pub fn left_out(&self, what: &str, most: f64) -> Option<String> {
        (self.seconds() > most).then(|| format!("{what} is left out: the land would take {self}"))
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.seconds();
        write!(formatter, "about {} of one processor core", length_of_time(all))?;
        let longest = self.steps.iter().enumerate().max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
        match longest {
            Some((index, step)) if self.steps.len() > 1 && step.seconds > 0.5 * all => {
                write!(formatter, ", most of it for step {} ({})", index + 1, step.title)
            }
            _ => Ok(()),
        }
    }
}

/// A length of time, rounded, for people: "0.2 s", "40 s", "12 min", "3 h", "5 days".
///
/// ```
/// # use upland_core::recipe::length_of_time;
/// let said = [0.0, 0.234, 45.2, 119.0, 720.0, 10_000.0, 1e6].map(length_of_time);
/// assert_eq!(said, ["0.0 s", "0.2 s", "45 s", "2 min", "12 min", "3 h", "12 days"]);
/// ```
#[doc(hidden)]
pub fn length_of_time(seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    match seconds {
        ..9.95 => format!("{seconds:.1} s"),
        ..99.5 => format!("{seconds:.0} s"),
        _ if seconds < 99.5 * MINUTE => format!("{:.0} min", seconds / MINUTE),
        _ if seconds < 72.0 * HOUR => format!("{:.0} h", seconds / HOUR),
        _ => format!("{:.0} days", seconds / DAY),
    }
}

impl Recipe {
    /// About how long the ground of all of the land takes to build; for endless land, the samples that
    /// [`build`](Self::build) makes.
    ///
    /// ```
    /// # use upland_core as upland;
    /// let mut recipe = upland::Recipe::new("Worn", (257, 257), 30.0);
    /// recipe.steps.extend(["fbm", "erode"].map(|name| upland::Step::from_name(name).unwrap()));
    /// let estimate = recipe.estimate();
    /// assert!(estimate.seconds() < 5.0);
    /// assert!(estimate.to_string().ends_with("most of it for step 2 (River erosion)"));
    /// recipe.size = (8193, 8193);
    /// assert!(recipe.estimate().seconds() > 100.0 * estimate.seconds());
    /// ```
    pub fn estimate(&self) -> Estimate {
        let grid = self.whole_grid();
        self.estimate_with(|_| grid)
    }

    /// The time of each step on the grid that it is given.
    fn estimate_with(&self, grid: impl Fn(usize) -> Grid) -> Estimate {
        let mut steps: Vec<StepEstimate> =
            self.steps.iter().map(|step| StepEstimate { title: step.title(), seconds: 0.0 }).collect();
        for (index, step) in self.done() {
            steps[index].seconds = step.seconds(grid(index));
        }
        Estimate { steps }
    }

    /// About how long a window of the land takes to build. Steps up to the last one that needs all of the
    /// land run for all of it.
    ///
    /// # Errors
    /// When the window is not on the land, or size, cell or unit is impossible.
    pub fn estimate_of_window(&self, window: Window) -> Result<Estimate> {
        let domain = self.domain()?;
        let (part, whole) = (domain.region(window)?.grid(), self.whole_grid());
        // Up to the last step that needs the whole land, all steps are made on all of it.
        let last = self.done().rfind(|(_, step)| step.reach(domain) == Reach::Whole);
        let last = last.map(|(index, _)| index);
        Ok(self.estimate_with(|index| if last.is_some_and(|last| index <= last) { whole } else { part }))
    }

    /// The grid of all samples, even if there are too many to build.
    fn whole_grid(&self) -> Grid {
        Grid { width: self.size.0 as usize, depth: self.size.1 as usize, cell: self.cell }
    }
}

impl Step {
    /// About how many seconds of one processor core it takes on a grid with this many samples.
    fn seconds(&self, grid: Grid) -> f64 {
        let of_step = self.operation.seconds(grid).max(LEAST);
        if self.operation.kind() == Kind::Waterway {
            return of_step;
        }
        let is_mixed = self.mixing.amount < 1.0 || !self.mask.is_none();
        let mixed = if is_mixed { MIXED * grid.width as f64 * grid.depth as f64 } else { 0.0 };
        let noise = match self.mask.mask {
            MaskKind::Noise => {
                let noise = Fbm { frequency: self.mask.mask_frequency, octaves: 4.0, ..Fbm::default() };
                noise.seconds(grid)
            }
            // A factor looks at the land around each sample.
            MaskKind::Factor => FACTOR * grid.width as f64 * grid.depth as f64,
            _ => 0.0,
        };
        of_step + mixed + noise
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::preset::Preset;
    use crate::steps;

    fn recipe(size: u32, steps: &str) -> Recipe {
        let text = format!(r#"(version: 1, name: "x", size: ({size}, {size}), cell: 30, steps: [{steps}])"#);
        Recipe::from_ron(&text, "x.ron").unwrap()
    }

    #[test]
    fn presets_take_no_minutes_at_the_size_of_small_pictures() {
        for preset in Preset::all() {
            let recipe = preset.recipe().unwrap();
            let small = recipe.with_longer_side(257.min(recipe.size.0.max(recipe.size.1)));
            // With glaciers it takes the longest, nearly 5 s.
            assert!(small.estimate().seconds() < 6.0, "{}: {}", preset.name, small.estimate());
        }
    }

    #[test]
    fn many_steps_take_as_many_times_as_long() {
        for (step, count) in
            [("erode()", 500), ("fault(faults: 10000, roughen: 0.5)", 200), ("undercut(reach: 500)", 300)]
        {
            let [one, all] = [1, count].map(|count| recipe(64, &vec![step; count].join(", ")).estimate());
            let times = all.seconds() / one.seconds();
            assert!((times - count as f64).abs() < 1e-6 * count as f64, "{step}: {times}");
        }
    }

    #[test]
    fn steps_that_do_not_run_take_no_time() {
        let off = recipe(513, "erode(on: false), erode(amount: 0)").estimate();
        assert_eq!(off.seconds(), 0.0);
        assert_eq!(off.to_string(), "about 0.0 s of one processor core");
        assert_eq!(off.steps[1].title, "River erosion");
    }

    #[test]
    fn a_window_takes_all_of_the_land_up_to_the_last_step_that_must_know_it() {
        let recipe = recipe(2049, "fbm(), erode(), gullies()");
        let whole = recipe.estimate();
        let part = recipe.estimate_of_window("0:10,10,65x65".parse().unwrap()).unwrap();
        assert_eq!(part.steps[..2], whole.steps[..2]);
        assert!(part.steps[2].seconds < whole.steps[2].seconds / 500.0);
        assert!(recipe.estimate_of_window("0:3000,0,9x9".parse().unwrap()).is_err());
    }

    /// Whatever the parameters, an estimate is finite, not negative, and doesn't fall as the number of
    /// samples grows.
    #[test]
    fn every_step_has_an_estimate_at_the_ends_of_all_its_parameters() {
        use crate::params::{Params, Value};
        for name in steps::names() {
            for end in [false, true] {
                let mut step = Step::from_name(name).unwrap();
                step.visit(&mut |param, value| {
                    let number = if end { *param.range.end() } else { *param.range.start() };
                    match value {
                        Value::Float(value) if param.name != "amount" => *value = number as f32,
                        Value::Int(value) => *value = param.fitting(number as u32, 0),
                        _ => {}
                    }
                });
                let of = |side: usize| step.seconds(Grid { width: side, depth: side, cell: 30.0 });
                let [small, large] = [of(1), of(65_536)];
                assert!(small > 0.0 && large.is_finite() && large >= small, "{name}: {small} {large}");
            }
        }
    }

    #[test]
    fn lengths_of_time_are_short() {
        let said = [9.96, 99.6, 3600.0 * 71.0, 3600.0 * 73.0, f64::MAX].map(length_of_time);
        assert_eq!(said[..4], ["10 s", "2 min", "71 h", "3 days"]);
    }
}
