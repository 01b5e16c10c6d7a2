//! Building all of a land at level 0: its steps in turn.

use super::land_build::{Extent, FIELDS, LandBuild};
use crate::build::Cache;
use crate::build::cache::Key;
use crate::build::groups::{Role, StepGroup};
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
        // more, and so does the land before each step `group` that is open.
        let fields = FIELDS + groups.last().map_or(0, |last| last.wanted.len() as u64) + most_open(groups);
        memory::require(grid, fields * 4 * grid.count() as u64)?;
        // What comes before a step `group` on level ground has no part in the land within it.
        let begin = open_on_level_ground(groups).unwrap_or(0);
        // From the last step to the first: the latest known result saves the most.
        let remembered = (begin..count).rev().find_map(|last| Some((last, groups[last].known(cache)?)));
        let (from, mut ground) = match remembered {
            Some((last, ground)) => (last + 1, Ground::clone(&ground).wanting(&groups[last].wanted)),
            None => (begin, Ground::level(grid)),
        };
        let steps = (count - from.min(count)).max(1) as f32;
        let mut outer = Vec::new();
        for (number, group) in groups.iter().enumerate().take(count).skip(from) {
            let share = |steps_done: usize| (steps_done - from) as f32 / steps;
            let work = self.work.part(share(number), share(number + 1));
            ground = self.advance(number, ground, &mut outer, &work)?;
            if let (Some(cache), Some(key)) = (cache, group.key.filter(|_| group.role != Role::Begins)) {
                cache.keep(key, &ground);
            }
        }
        Ok(ground)
    }

    /// All of the land after group `number`, made from that before it; `outer` are the lands before the steps
    /// `group` that are open.
    pub(super) fn advance(
        &self,
        number: usize,
        ground: Ground,
        outer: &mut Vec<Ground>,
        work: &Work,
    ) -> Result<Ground> {
        let group = &self.groups[number];
        match group.role {
            Role::Runs => self.run(number, ground, Extent::Whole, work),
            Role::Begins => {
                let start = if group.from == 0 { Ground::level(ground.grid()) } else { ground.clone() };
                outer.push(ground);
                Ok(start.wanting(&group.wanted))
            }
            Role::Ends(before) => {
                let land = match outer.pop() {
                    Some(land) => land,
                    // The build began within the step `group`, with what was remembered.
                    None => Ground::clone(&*self.base(before)?).wanting(&group.wanted),
                };
                self.end(number, land, ground, work)
            }
        }
    }
}

/// The number of the last step `group` that is open after these groups and starts from level ground.
fn open_on_level_ground(groups: &[StepGroup]) -> Option<usize> {
    let mut open = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        match group.role {
            Role::Begins => open.push(number),
            Role::Ends(_) => _ = open.pop(),
            Role::Runs => {}
        }
    }
    open.into_iter().rfind(|number| groups[*number].from == 0)
}

/// How many steps `group` are open at the same time at most.
fn most_open(groups: &[StepGroup]) -> u64 {
    let (mut open, mut most) = (0u64, 0);
    for group in groups {
        match group.role {
            Role::Begins => open += 1,
            Role::Ends(_) => open = open.saturating_sub(1),
            Role::Runs => {}
        }
        most = most.max(open);
    }
    most
}
