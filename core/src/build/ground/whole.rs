//! Building all of a land at level 0: its steps in turn.

use crate::build::Cache;
use crate::build::cache::Key;
use crate::build::groups::StepGroup;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Heightfield, MAX_SAMPLES, memory};
use crate::recipe::Recipe;
use crate::steps::Ground;
use crate::steps::filter::Road;
use crate::steps::water::Course;

/// Fields in memory at once while a step runs: its own and two more.
pub(super) const FIELDS: u64 = 3;

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
            return Ok((self.whole_after(&groups, cache, work)?, key));
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

    /// All of the land at level 0 after these steps, starting from the last result that `cache` remembers.
    pub(super) fn whole_after(
        &self,
        groups: &[StepGroup],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<Ground> {
        let grid = self.grid().map_err(|error| match error {
            Error::Size { width, depth, reason } if width.saturating_mul(depth) > MAX_SAMPLES => {
                Error::Size { width, depth, reason: reason + "; ask for windows of this land" }
            }
            error => error,
        })?;
        // One is changed, one is what it is made from, and one is for working; each layer in addition.
        let fields = FIELDS + groups.last().map_or(0, |last| last.wanted.len() as u64);
        memory::require(grid, fields * 4 * grid.count() as u64)?;
        // From the last step to the first: the latest known result saves the most.
        let remembered = (0..groups.len()).rev().find_map(|last| Some((last, groups[last].known(cache)?)));
        let (from, mut ground) = match remembered {
            Some((last, ground)) => (last + 1, Ground::clone(&ground).wanting(&groups[last].wanted)),
            None => (0, Ground::level(grid)),
        };
        let steps = (groups.len() - from.min(groups.len())).max(1) as f32;
        for (index, group) in groups.iter().enumerate().skip(from) {
            let work = &work.part((index - from) as f32 / steps, (index - from + 1) as f32 / steps);
            if group.is_strokes() {
                let around = self.windows_on(&ground, index, cache, work)?;
                let seen = around.seen_by(group, index, ground.region())?;
                ground = ground.with_sculpture(Some(seen));
            }
            // The cache keeps the route that a road finds.
            if group.step.operation_as::<Road>().is_some_and(Road::finds_route) {
                let before = self.windows_on(&ground, index, cache, work)?;
                ground = ground.with_places(Some(group.looking(before.places_before(group, index))?));
            }
            group.apply(&mut ground, self.seed, work)?;
            // Kept results must not hold what a single step has seen.
            ground = ground.with_sculpture(None).with_places(None);
            if let (Some(cache), Some(key)) = (cache, group.key) {
                cache.keep(key, &ground);
            }
        }
        Ok(ground)
    }
}
