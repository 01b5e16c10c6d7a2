//! Windows of a recipe's land: any rectangle of samples at any level, with the same bits that all of the
//! land would have there.
//!
//! A window is requested from the last step, and each step requests what it needs from the one before. A step
//! that works by position requests the same window. One that reads a neighbourhood requests a window with a
//! halo (at fine levels a coarser one: [`Ground::context`]). One that needs all of the land requests the
//! *base*: the whole land at level 0, computed once and kept. Coarser windows take samples of the base; finer
//! ones are on the C² spline through it, and the steps after it add detail at their own resolution.
//!
//! Rivers need all of the land to find their beds, but must not smooth it: a finer window gets the depth
//! that they dig at level 0, interpolated by a spline, on the land as it was.
//!
//! Several steps may look at the same surrounding land, each at its own window of it. The widest window is
//! made first and remembered for as long as the build takes; the others are parts of it.
//!
//! Layers of steps that work by position are computed for the window, as heights are. Those of the base are
//! interpolated linearly: this never leaves the range of the values around, where a spline would overshoot
//! next to every river of `flow`.

use rayon::prelude::*;

use super::land_build::{Extent, LandBuild, SMALL};
use super::resampled::{keep_samples, layers_over};
use super::stored::dug;
use crate::build::Cache;
use crate::build::groups::{Role, StepGroup};
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Region, Window};
use crate::recipe::Recipe;
use crate::resize::{SplineSurface, samples_of};
use crate::steps::{Ground, Needs, Reach};

impl Recipe {
    /// Builds the ground of a window. Every sample has the bits that all of the land would have there at
    /// the window's level. What is needed of all the land is taken from `cache`, or computed and stored
    /// there.
    ///
    /// The rivers are those of all the land, on its grid of level 0.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::{Cache, Preset, Work};
    ///
    /// let recipe = Preset::find("downs").unwrap().recipe()?.with_longer_side(129);
    /// let (cache, work) = (Cache::default(), Work::new());
    /// let whole = recipe.build_heightfield(&work)?;
    /// let corner = recipe.build_window("0:100,90,20x30".parse()?, &cache, &work)?;
    /// assert_eq!(corner.heights.at(7, 5), whole.at(107, 95));
    /// let finer = recipe.build_window("-3:800,720,160x240".parse()?, &cache, &work)?;
    /// assert_eq!(finer.grid().cell, whole.grid().cell / 8.0);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the window isn't on the land, its level is not accepted, or it is too large for the free
    /// memory; when the land is endless and a step needs all of it; those of the steps, with the step's
    /// index and name; and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn build_window(&self, window: Window, cache: &Cache, work: &Work) -> Result<Ground> {
        self.ground_in(&self.domain()?.region(window)?, &[], Some(cache), work)
    }

    /// As [`build_window`](Self::build_window), with these layers, and with or without a cache.
    pub(in crate::build) fn ground_in(
        &self,
        region: &Region,
        layers: &[&str],
        cache: Option<&Cache>,
        work: &Work,
    ) -> Result<Ground> {
        let recipe = &*self.with_open_files(cache, work)?;
        let groups = recipe.groups(layers)?;
        let build = LandBuild::of(recipe, &groups, region.level(), cache, work)?;
        recipe.check_reach()?;
        let mut ground = build.after(groups.len(), region)?;
        // Stored ground has neither rivers nor lakes; its heights have their beds.
        if let Some(last) = groups.iter().rposition(StepGroup::leaves_water)
            && !(last + 1..=groups.len()).any(|count| build.stored(count).is_some())
        {
            let base = build.base(last + 1)?;
            ground.rivers.clone_from(&base.rivers);
            ground.lakes.clone_from(&base.lakes);
        }
        Ok(ground)
    }
}

impl LandBuild<'_> {
    /// The ground of a region after the first `count` groups.
    pub(super) fn after(&self, count: usize, region: &Region) -> Result<Ground> {
        self.require(count, region)?;
        let Some(last) = count.checked_sub(1) else { return Ok(Ground::level_in(*region)) };
        // Only surrounding land, at coarser levels, is requested repeatedly, by neighbouring steps.
        if region.level() <= self.level || region.grid().count() > SMALL {
            return self.made_after(last, region);
        }
        if let Some(known) = self.made[last].part_around(region, self.work)? {
            return Ok(known);
        }
        let ground = self.made_after(last, region)?;
        self.made[last].keep_around(&ground);
        Ok(ground)
    }

    /// As [`after`](Self::after), for the ground after group number `last`, which is made even if it is
    /// remembered.
    fn made_after(&self, last: usize, region: &Region) -> Result<Ground> {
        let count = last + 1;
        let group = &self.groups[last];
        let step = group.step;
        if group.role == Role::Begins {
            let ground = self.after(group.from, region)?;
            self.made[last].outer.replace(Some(ground.clone()));
            return Ok(ground.wanting(&group.wanted));
        }
        if self.reach(group) == Reach::Whole {
            return if group.leaves_water() {
                self.dug(count, region)
            } else {
                self.part_of_base(count, region)
            };
        }
        let masked = group.looking(region.grown_by(step.mask.halo()))?;
        if let Role::Ends(outer) = group.role {
            return self.ended(last, outer, &masked)?.cut(region, self.work);
        }
        let seed = step.seed(self.recipe.seed);
        let needs = group.looking(step.operation.looks_at(&masked, seed, self.work))?;
        // A strong warp takes the heights of one window from all over the land, and each half needs less of
        // it. A mask at a fine level needs as much land around one sample as around all of them: halves would
        // save nothing.
        if let Some(halves) = region.halves()
            && let Some(around) = needs.context()
            && is_much_larger(&around, &masked)
            && is_much_larger(&around, &self.around_one_sample(group, &masked)?)
        {
            let [first, second] = halves.map(|half| self.after(count, &half));
            return Ground::join(*region, [first?, second?]);
        }
        let before = self.before(last, masked, &needs)?;
        self.run(last, before, Extent::Window, self.work)?.cut(region, self.work)
    }

    /// The ground before group `last` that its step needs to make a region: with a halo, or with the land
    /// around that it looks at.
    fn before(&self, last: usize, region: Region, needs: &Needs) -> Result<Ground> {
        let group = &self.groups[last];
        let wide = match *needs {
            Needs::Context { .. } => region,
            Needs::Halo(samples) => group.looking(region.grown_by(samples))?,
        };
        // New land that takes the place of all that was there needs nothing of it.
        let before = if group.step.replaces_all() { 0 } else { group.from };
        group.looking(self.require(before, &wide))?;
        // The surrounding land comes first: that of the steps before lies in it.
        let around = needs.context().map(|around| {
            let around = group.looking(self.domain.region(around.window()))?;
            group.looking(self.require(before, &around))?;
            self.after(before, &around)
        });
        let around = around.transpose()?;
        let has_layers = before.checked_sub(1).is_some_and(|last| !self.groups[last].needs.is_empty());
        let ground = match &around {
            Some(around) if around.region().has(&wide) => around.part(&wide, self.work)?,
            Some(_) if group.step.replaces_heights_by(needs) && !has_layers => Ground::level_in(wide),
            _ => self.after(before, &wide)?,
        };
        Ok(ground.with_context(around))
    }

    /// A region after group `last`, which ends the step `group` before which the land was that after `outer`
    /// groups.
    fn ended(&self, last: usize, outer: usize, region: &Region) -> Result<Ground> {
        let group = &self.groups[last];
        group.looking(self.require(last, region))?;
        let made = self.after(group.from, region)?;
        // Steps that start from the land before have asked for as much of it, or more, just now.
        let known = self.made[outer].outer.take();
        let known = known.filter(|known| self.groups[outer].from == outer && known.region().has(region));
        let before = match known {
            Some(known) => known.part(region, self.work)?,
            None => self.after(outer, region)?,
        };
        self.end(last, before.wanting(&group.wanted), made, self.work)
    }

    /// The land that a group's step needs around the middle sample of a region, if it makes that sample
    /// alone.
    fn around_one_sample(&self, group: &StepGroup, region: &Region) -> Result<Region> {
        let grid = region.grid();
        let first = [region.column(grid.width / 2), region.row(grid.depth / 2)];
        let middle = self.domain.region(Window { level: region.level(), first, size: [1; 2] })?;
        let seed = group.step.seed(self.recipe.seed);
        let needs = group.looking(group.step.operation.looks_at(&middle, seed, self.work))?;
        Ok(needs.context().unwrap_or(middle))
    }

    /// A region of the whole land after the first `count` groups.
    fn part_of_base(&self, count: usize, region: &Region) -> Result<Ground> {
        if let Some(stored) = self.stored(count) {
            return self.part_of_stored(&*stored, count, region);
        }
        let base = self.base(count)?;
        let heights = if region.level() >= 0 {
            samples_of(&base.heights, region, self.work)?
        } else {
            let surface = self.surface(count - 1, || SplineSurface::through(&base.heights, self.work))?;
            let mut heights = surface.over(region, self.work)?;
            keep_samples(&mut heights, &base.heights, region);
            heights
        };
        let layers = layers_over(base.layers(), region, self.work)?;
        let ground = Ground::level_in(*region).with_heights(heights).with_layers(layers);
        Ok(ground.wanting(&self.groups[count - 1].wanted))
    }

    /// As [`part_of_base`](Self::part_of_base), where the last group consists of waterways.
    fn dug(&self, count: usize, region: &Region) -> Result<Ground> {
        if region.level() >= 0 {
            // At level 0 and coarser, the dug land itself is known.
            return self.part_of_base(count, region);
        }
        if let Some(stored) = self.stored(count) {
            return self.dug_by_stored(&*stored, count, region);
        }
        let (before, base) = (self.base(count - 1)?, self.base(count)?);
        let mut ground = self.after(count - 1, region)?;
        // Only the difference is interpolated: the land between its samples keeps its own finer detail.
        let surface = self.surface(count - 1, || {
            SplineSurface::through(&dug(&base.heights, &before.heights, self.work)?, self.work)
        })?;
        let dug = surface.over(region, self.work)?;
        let all = ground.heights.heights_mut().par_iter_mut().zip(dug.heights());
        all.for_each(|(height, dug)| *height += dug);
        keep_samples(&mut ground.heights, &base.heights, region);
        Ok(ground)
    }
}

/// Whether a region is large, and has many times as many samples as another.
fn is_much_larger(region: &Region, than: &Region) -> bool {
    const TIMES: usize = 16;
    region.grid().count() > SMALL.max(TIMES * than.grid().count())
}
