//! Whether a land is made as a whole or in windows.
//!
//! Endless land has no other way than windows. Large land, of more than 8193² samples, takes it if its steps
//! work by position or look at a neighbourhood: nothing is made of all of it, so that it may be larger than
//! memory.

use std::collections::BTreeSet;

use super::Cache;
use super::groups::{StepGroup, label, land_before};
use crate::error::{Error, Result};
use crate::grid::{Domain, MAX_SAMPLES};
use crate::recipe::{Recipe, Step};
use crate::steps::Reach;

/// How a recipe's land is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Making {
    /// All of it before any part of it.
    Whole,
    /// In windows alone; all of it is never made.
    Windows,
    /// All of it in the end, but windows of it can be made before that.
    WindowsFirst,
}

impl Recipe {
    /// How the land is made, given what `cache` remembers. The one place where this is decided.
    ///
    /// Land that has a mistake in it counts as [`Making::Whole`] where the mistake is found by building it.
    ///
    /// # Errors
    /// As [`is_made_in_windows`](Self::is_made_in_windows).
    #[doc(hidden)]
    pub fn making(&self, cache: &Cache) -> Result<Making> {
        if self.is_made_in_windows()? {
            return Ok(Making::Windows);
        }
        let can_begin = self.is_made_at_once(cache).unwrap_or(false);
        Ok(if can_begin { Making::WindowsFirst } else { Making::Whole })
    }

    /// Checks what a build checks before it runs any step: that no step must know all of a land that is never
    /// made as a whole, and that steps write the layers that masks and terrain types read.
    ///
    /// # Errors
    /// When a step or a layer is not possible.
    pub(crate) fn check_plan(&self) -> Result<()> {
        self.check_reach()?;
        self.groups(&self.fade().layers()).map(|_| ())
    }

    /// Whether the land is only made in windows, whatever a cache remembers: endless land, and large land no
    /// step of which must know all of it.
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
        Ok(domain.is_large() && !self.done().any(|(_, step)| needs_all(step, domain)))
    }

    /// Refuses steps that must know all of a land that is endless or too large for memory.
    ///
    /// # Errors
    /// For the first such step, with its index and name.
    #[doc(hidden)]
    pub fn check_reach(&self) -> Result<()> {
        let domain = self.domain()?;
        let Some((index, step)) = self.done().find(|(_, step)| needs_all(step, domain)) else {
            return Ok(());
        };
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
    /// looks at a neighbourhood, or is known of all the land already. Not of land with rivers or lakes, whose
    /// water the colours depend on, nor of a single row of samples, in which there is no window.
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
        if groups.iter().any(StepGroup::leaves_water) {
            return Ok(false);
        }
        // Steps before land that is known need not run.
        let (mut asked, mut seen) = (vec![groups.len()], BTreeSet::new());
        while let Some(count) = asked.pop() {
            let Some(number) = count.checked_sub(1).filter(|_| seen.insert(count)) else { continue };
            let group = &groups[number];
            if group.known(Some(cache)).is_some() {
                continue;
            }
            match group.reach(domain) {
                Reach::Whole => return Ok(false),
                // It has to know the heights of all the land before it.
                Reach::Range
                    if land_before(&groups, number)
                        .checked_sub(1)
                        .is_some_and(|last| groups[last].known(Some(cache)).is_none()) =>
                {
                    return Ok(false);
                }
                Reach::Range | Reach::Point | Reach::Near(_) => asked.extend(group.works_on()),
            }
        }
        Ok(true)
    }
}

/// Whether a step must know all of the land, or at least its lowest and highest height.
fn needs_all(step: &Step, domain: Domain) -> bool {
    matches!(step.reach(domain), Reach::Whole | Reach::Range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::recipe;
    use crate::compute::work::Work;

    #[test]
    fn a_land_is_made_as_a_whole_or_in_windows_alone_or_in_windows_first() {
        let cache = Cache::default();
        let making = |size: &str, steps: &str| recipe(size, steps).making(&cache);
        assert_eq!(making("(65, 65)", "fbm()").unwrap(), Making::WindowsFirst);
        assert_eq!(making("(65, 65)", "fbm(), erode()").unwrap(), Making::Whole);
        recipe("(65, 65)", "fbm(), erode()").build_with(&cache, &Work::new()).unwrap();
        assert_eq!(making("(65, 65)", "fbm(), erode()").unwrap(), Making::WindowsFirst, "it is remembered");
        assert_eq!(making("(9000, 9000)", "fbm()").unwrap(), Making::Windows);
        assert_eq!(making("(9000, 9000)", "fbm(), erode()").unwrap(), Making::Whole);
        assert_eq!(making("(1, 65)", "fbm()").unwrap(), Making::Whole, "there is no window in it");
        let endless = Recipe { unit: Some(1000.0), ..recipe("(65, 65)", "fbm()") };
        assert_eq!(endless.making(&cache).unwrap(), Making::Windows);

        // A mistake is found by whatever makes the land.
        let masked = recipe("(65, 65)", "fbm(mask: layer, mask_layer: \"flow\")");
        assert_eq!(masked.making(&cache).unwrap(), Making::Whole);
        assert!(masked.check_plan().is_err() && masked.build(&Work::new()).is_err());
        let eroded = Recipe { unit: Some(1000.0), ..recipe("(65, 65)", "fbm(), erode()") };
        assert_eq!(eroded.making(&cache).unwrap(), Making::Windows);
        assert!(eroded.check_plan().is_err() && endless.check_plan().is_ok());
        assert!(making("(40000, 40000)", "fbm(), erode()").is_err(), "no way to make it");
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

        // Steps before the last known one need not run.
        recipe("(65, 65)", "fbm(), erode(), normalize()").build_with(&cache, &Work::new()).unwrap();
        assert!(is_made_at_once("fbm(), erode(), fbm()"));
        assert!(is_made_at_once("fbm(), erode(), normalize(), terrace()"));
        assert!(is_made_at_once("fbm(), erode(), invert(), fbm()"), "all before it is known");
        assert!(!is_made_at_once("fbm(), erode(), fbm(), invert()"));
        assert!(!is_made_at_once("fbm(), erode(age: 1)"));
    }
}
