//! Whether a land is made as a whole or in windows.
//!
//! Endless land has no other way than windows. Large land, of more than 8193² samples, takes it if its steps work by
//! position or look at a neighbourhood: nothing is made of all of it, so that it may be larger than memory.

use super::Cache;
use super::groups::label;
use crate::error::{Error, Result};
use crate::grid::{Domain, MAX_SAMPLES};
use crate::recipe::{Recipe, Step};
use crate::steps::{Kind, Reach};

impl Recipe {
    /// Whether the land is only made in windows: endless land, and large land no step of which must know all of
    /// it.
    ///
    /// # Errors
    /// When size, cell or unit is impossible, or a step must know all of a land that cannot be held at once.
    #[doc(hidden)]
    pub fn is_made_in_windows(&self) -> Result<bool> {
        let domain = self.domain()?;
        if domain.is_endless() {
            return Ok(true);
        }
        self.check_reach()?;
        let mut done = self.steps.iter().filter(|step| step.is_done());
        Ok(domain.is_large() && !done.any(|step| needs_all(step, domain)))
    }

    /// Refuses steps that must know all of a land that is endless or cannot be held at once.
    pub(crate) fn check_reach(&self) -> Result<()> {
        let domain = self.domain()?;
        let mut done = self.steps.iter().enumerate().filter(|(_, step)| step.is_done());
        let Some((index, step)) = done.find(|(_, step)| needs_all(step, domain)) else { return Ok(()) };
        let title = step.title();
        let reason = match domain.size() {
            None => format!(
                "{title} needs to know all of the land, and endless land has no end; give the recipe a size, or \
                 mute the step"
            ),
            Some([width, depth]) if u64::from(width) * u64::from(depth) > MAX_SAMPLES as u64 => format!(
                "{title} needs to know all of the land, and {width}×{depth} samples cannot be held at once, at most \
                 32768×32768; give the recipe a smaller size, or mute the step"
            ),
            Some(_) => return Ok(()),
        };
        Err(Error::parameter(label(index, step), reason))
    }

    /// Whether windows of the land can be made without first making all of it: each step works by position or
    /// looks at a neighbourhood, or is known of all the land already. Not of land with rivers, whose water the
    /// colours depend on, nor of a single row of samples, in which there is no window.
    ///
    /// # Errors
    /// When size, cell or unit is impossible, and when there is no layer that a mask or a terrain type names.
    #[doc(hidden)]
    pub fn is_made_at_once(&self, cache: &Cache) -> Result<bool> {
        let domain = self.domain()?;
        if !domain.has_cells() {
            return Ok(false);
        }
        let groups = self.groups(&self.fade().layers())?;
        if groups.iter().any(|group| !group.waterways.is_empty()) {
            return Ok(false);
        }
        // What comes before land that is known need not be made.
        let known = (0..groups.len()).rev().find(|&number| groups[number].known(Some(cache)).is_some());
        let mut rest = groups.iter().enumerate().skip(known.map_or(0, |known| known + 1));
        Ok(!rest.any(|(number, group)| match group.step.operation.reach(domain) {
            Reach::Whole => true,
            // It has to know the heights of all the land before it.
            Reach::Range => number > 0 && groups[number - 1].known(Some(cache)).is_none(),
            Reach::Point | Reach::Near(_) => false,
        }))
    }
}

fn needs_all(step: &Step, domain: Domain) -> bool {
    let reach = step.operation.reach(domain);
    step.operation.kind() == Kind::Waterway || matches!(reach, Reach::Whole | Reach::Range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::work::Work;

    fn recipe(size: &str, steps: &str) -> Recipe {
        let text = format!(
            r#"(version: 1, name: "Land", seed: 3, size: {size}, cell: 20, steps: [{steps}], texture: arid)"#
        );
        Recipe::from_ron(&text, "land.ron").unwrap()
    }

    #[test]
    fn tiles_are_made_at_once_unless_a_step_must_first_know_all_of_the_land() {
        let cache = Cache::default();
        let is_made_at_once = |steps: &str| recipe("(65, 65)", steps).is_made_at_once(&cache).unwrap();
        assert!(is_made_at_once(""));
        assert!(is_made_at_once("fbm(), gaussian(sigma: 2), warp(), terrace(), gullies()"));
        assert!(!is_made_at_once("fbm(), erode(), fbm()"));
        assert!(!is_made_at_once("fbm(), normalize(), fbm()"));
        assert!(!is_made_at_once("fbm(), river()"));
        assert!(!recipe("(1, 65)", "fbm()").is_made_at_once(&cache).unwrap());

        // What is before the last step that is known has been done.
        recipe("(65, 65)", "fbm(), erode(), normalize()").build_with(&cache, &Work::new()).unwrap();
        assert!(is_made_at_once("fbm(), erode(), fbm()"));
        assert!(is_made_at_once("fbm(), erode(), normalize(), terrace()"));
        assert!(is_made_at_once("fbm(), erode(), invert(), fbm()"), "all before it is known");
        assert!(!is_made_at_once("fbm(), erode(), fbm(), invert()"));
        assert!(!is_made_at_once("fbm(), erode(age: 1)"));
    }
}
