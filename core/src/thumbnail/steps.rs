//! Small pictures of the land after each step of a recipe: for a list of steps.

use std::collections::BTreeSet;
use std::time::Instant;

use image::RgbaImage;

use super::relief;
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::recipe::{Recipe, StepEstimate};

/// Samples along the longer side of the land that is built for it, 2^n + 1.
const SAMPLES: u32 = 129;

/// The longest that the steps that are drawn may take together by their [estimate](Recipe::estimate), in
/// seconds of one processor core.
const MOST_SECONDS: f64 = 20.0;

/// Memory for the results of earlier steps, bytes.
const MEMORY: u64 = 64 << 20;

/// The land after a step, and the time of the step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepLook {
    /// The land from above, north at the top.
    pub picture: RgbaImage,
    /// Seconds that the step took on [`samples`](Self::samples), of wall clock.
    pub seconds: f32,
    /// How many samples there were.
    pub samples: usize,
}

/// Builds a land with few samples, step by step, and draws it from above after each, in pictures of this
/// width and height in pixels. `None` for steps that don't run, for one that fails, and for those after it,
/// which have nothing to change. Also `None` from the step on with which it would take too long;
/// [`looks_left_out`] says why.
///
/// # Errors
/// When the recipe's size is not possible, and [`Error::Cancelled`](crate::Error::Cancelled).
pub fn looks_of_steps(recipe: &Recipe, size: (u32, u32), work: &Work) -> Result<Vec<Option<StepLook>>> {
    let mut small = recipe.of_one_unit(SAMPLES)?;
    let all = small.steps.len();
    small.steps.truncate(drawn(&small));
    // Each land begins with the steps of the one before, which the cache holds: every step runs once.
    let cache = Cache::new(MEMORY);
    let mut looks = Vec::new();
    let done: BTreeSet<usize> = small.done().map(|(index, _)| index).collect();
    for index in 0..small.steps.len() {
        if !done.contains(&index) {
            looks.push(None);
            continue;
        }
        let land = small.up_to(index + 1);
        let begun = Instant::now();
        let heights = match land.build_ground_with(&cache, work) {
            Ok((heights, _)) => heights,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            // Later steps would fail in the same place.
            Err(_) => break,
        };
        let seconds = begun.elapsed().as_secs_f32();
        let samples = heights.grid().count();
        looks.push(Some(StepLook { picture: relief(&heights, size), seconds, samples }));
    }
    looks.resize(all, None);
    Ok(looks)
}

/// Why [`looks_of_steps`] leaves out pictures of steps; `None` if it draws all that run.
pub fn looks_left_out(recipe: &Recipe) -> Option<String> {
    let small = recipe.of_one_unit(SAMPLES).ok()?;
    let count = drawn(&small);
    let estimate = small.estimate();
    let said = estimate.left_out(&format!("every picture from step {} on", count + 1), MOST_SECONDS);
    said.filter(|_| count < small.steps.len())
}

/// The number of steps of a small land that are drawn before it takes too long.
fn drawn(small: &Recipe) -> usize {
    let mut seconds = 0.0;
    let estimate = small.estimate();
    let fits = |step: &&StepEstimate| {
        seconds += step.seconds;
        seconds <= MOST_SECONDS
    };
    estimate.steps.iter().take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_looks_from_the_step_on_that_takes_too_long() {
        let text = r#"(version: 1, name: "Slow", size: (65, 65), cell: 20,
            steps: [fbm(height: 400), deposition(series: 1000, drops: 10000000), invert()])"#;
        let recipe = Recipe::from_ron(text, "slow.ron").unwrap();
        let looks = looks_of_steps(&recipe, (40, 25), &Work::new()).unwrap();
        assert_eq!(looks.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, false]);
        let said = looks_left_out(&recipe).unwrap();
        assert!(
            said.starts_with("every picture from step 2 on is left out: the land would take about"),
            "{said}"
        );
        let mut first = recipe;
        first.steps.truncate(1);
        assert_eq!(looks_left_out(&first), None);
    }

    #[test]
    fn steps_that_run_have_looks_and_the_others_have_none() {
        let text = r#"(version: 1, name: "Land", size: (300, 200), cell: 20,
            steps: [fbm(height: 400), terrace(on: false), invert(), flat(amount: 0)])"#;
        let recipe = Recipe::from_ron(text, "land.ron").unwrap();
        let looks = looks_of_steps(&recipe, (40, 25), &Work::new()).unwrap();
        let there: Vec<bool> = looks.iter().map(Option::is_some).collect();
        assert_eq!(there, [true, false, true, false]);
        let [first, third] = [0, 2].map(|index| looks[index].clone().unwrap());
        assert_eq!((first.picture.dimensions(), first.samples), ((40, 25), 129 * 86));
        assert_ne!(first.picture, third.picture);

        let broken = Recipe::from_ron(&text.replace("invert()", "import()"), "land.ron").unwrap();
        let looks = looks_of_steps(&broken, (40, 25), &Work::new()).unwrap();
        assert_eq!(looks[0].as_ref().map(|look| &look.picture), Some(&first.picture));
        assert_eq!(looks[1..], [None, None, None]);
        let work = Work::new();
        work.cancel();
        assert!(matches!(looks_of_steps(&recipe, (40, 25), &work), Err(Error::Cancelled)));
    }
}
