//! Building all of a land at level 0: its steps in turn.

use super::land_build::{Extent, FIELDS, LandBuild};
use crate::build::Cache;
use crate::build::cache::Key;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, MAX_SAMPLES, memory};
use crate::recipe::Recipe;
use crate::steps::Ground;
use crate::steps::water::Course;

impl Recipe {
    /// Builds the heights: runs every step in turn.
    ///
    /// # Errors
    /// Those of the steps, with the step's index and name, and [`Error::Cancelled`].
    pub fn build_heightfield(&self, work: &Work) -> Result<Heightfield> {
        Ok(self.build_ground(work)?.0)
    }

    /// Builds the heights, and the courses of the rivers, one for each active waterway. Consecutive
    /// waterways are dug together by [`water::dig`](crate::steps::water::dig), so their order has no
    /// effect. Those after other steps join the earlier ones.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground(&self, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], None, work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// As [`build_ground`](Self::build_ground), reusing what `cache` remembers.
    ///
    /// # Errors
    /// As [`build_heightfield`](Self::build_heightfield).
    pub fn build_ground_with(&self, cache: &Cache, work: &Work) -> Result<(Heightfield, Vec<Course>)> {
        let ground = self.ground(&[], Some(cache), work)?.0;
        Ok((ground.heights, ground.rivers))
    }

    /// The ground after all steps, with these layers, and its key in the cache.
    pub(super) fn ground(
        &self,
        layers: &[&str],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<(Ground, Option<Key>)> {
        let groups = self.groups(layers)?;
        let key = groups.last().map_or(Some(Key::of_level_ground(self)), |last| last.key);
        if self.unit.is_none() {
            let build = LandBuild::of(self, &groups, 0, cache, work)?;
            return Ok((build.whole_after(groups.len())?, key));
        }
        let kept = cache.zip(key);
        if let Some(last) = groups.last()
            && let Some(known) = last.known(cache)
        {
            return Ok((Ground::clone(&known).wanting(&last.wanted), key));
        }
        let ground = self.ground_in(&self.shown()?, layers, cache, work)?;
        if let Some((cache, key)) = kept {
            cache.keep(key, &ground);
        }
        Ok((ground, key))
    }
}

impl LandBuild<'_> {
    /// All of the land at level 0 after the first `count` groups, made from the last result that the cache
    /// remembers.
    pub(super) fn whole_after(&self, count: usize) -> Result<Ground> {
        let (groups, cache) = (&self.groups[..count], self.cache);
        let grid = self.recipe.grid().map_err(|error| match error {
            Error::Size { width, depth, reason } if width.saturating_mul(depth) > MAX_SAMPLES => {
                Error::Size { width, depth, reason: reason + "; ask for windows of this land" }
            }
            error => error,
        })?;
        // One field is changed, one is what it is made from, and one is for working; each layer takes one
        // more.
        let fields = FIELDS + groups.last().map_or(0, |last| last.wanted.len() as u64);
        memory::require(grid, fields * 4 * grid.count() as u64)?;
        // From the last step to the first: the latest known result saves the most.
        let remembered = (0..count).rev().find_map(|last| Some((last, groups[last].known(cache)?)));
        let (from, mut ground) = match remembered {
            Some((last, ground)) => (last + 1, Ground::clone(&ground).wanting(&groups[last].wanted)),
            None => (0, Ground::level(grid)),
        };
        let steps = (count - from.min(count)).max(1) as f32;
        for (number, group) in groups.iter().enumerate().take(count).skip(from) {
            let share = |steps_done: usize| (steps_done - from) as f32 / steps;
            let work = self.work.part(share(number), share(number + 1));
            ground = self.run(number, ground, Extent::Whole, &work)?;
            if let (Some(cache), Some(key)) = (cache, group.key) {
                cache.keep(key, &ground);
            }
        }
        Ok(ground)
    }
}
