//! A land being built: the groups of its steps, and what is known after each of them.
//!
//! All of a land and a window of it are made by the same steps in the same order, and each step is run on
//! either by [`LandBuild::run`]. They differ in the order in which ground is requested. All of a land is made
//! from the first step to the last ([`whole`](super::whole)). A window is requested from the last step, which
//! requests what it needs from those before it ([`window`](super::window)); where a step must know all of the
//! land, that is made as a whole, and kept.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use crate::build::Cache;
use crate::build::groups::{Role, StepGroup, land_before};
use crate::build::stored_ground::StoredGround;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Region, Window, memory};
use crate::recipe::Recipe;
use crate::resize::SplineSurface;
use crate::sculpt::Sculpture;
use crate::steps::{Bedding, Ground, KnownPlaces, Reach};

/// Fields in memory at the same time while a step runs: its own and two more.
pub(super) const FIELDS: u64 = 3;

/// A window with at most this many samples (4 MiB of heights) is small: free memory is not checked for it,
/// and the land around it is remembered.
pub(super) const SMALL: usize = 1 << 20;

/// The most pieces of surrounding land that are remembered after each step. Steps look at one or two; a road
/// asks for each block along it, but never twice for the same one.
const REMEMBERED: usize = 4;

/// Results that follow from the ground after one group. All but `places` and `around` are about all of the
/// land.
#[derive(Default)]
pub(super) struct GroupResults {
    pub(super) base: OnceCell<Arc<Ground>>,
    surface: OnceCell<Arc<SplineSurface>>,
    range: OnceCell<(f32, f32)>,
    /// The heights before it at the places that its step must know.
    pub(super) places: OnceCell<Arc<KnownPlaces>>,
    /// Land of coarser levels than the window's.
    around: RefCell<Vec<Ground>>,
    /// The land before a step `group`, in the last region that one of its steps asked for.
    pub(super) outer: RefCell<Option<Ground>>,
}

impl GroupResults {
    /// The ground of a region, if it lies in surrounding land that has already been made.
    pub(super) fn part_around(&self, region: &Region, work: &Work) -> Result<Option<Ground>> {
        let around = self.around.borrow();
        let known = around.iter().find(|ground| ground.region().has(region));
        known.map(|ground| ground.part(region, work)).transpose()
    }

    /// Remembers surrounding land. It replaces pieces that lie in it, and the oldest one if there are too
    /// many.
    pub(super) fn keep_around(&self, ground: &Ground) {
        let mut around = self.around.borrow_mut();
        around.retain(|known| !ground.region().has(known.region()));
        if around.len() == REMEMBERED {
            around.remove(0);
        }
        around.push(ground.clone());
    }
}

/// The ground that a step is run on.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Extent {
    /// All of the land at level 0.
    Whole,
    /// A window, with the land around it that the step looks at.
    Window,
}

/// A land, or a window of it, being built.
pub(super) struct LandBuild<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) domain: Domain,
    /// The level of the requested ground.
    pub(super) level: i32,
    pub(super) groups: &'a [StepGroup<'a>],
    /// One for each group.
    pub(super) made: Vec<GroupResults>,
    pub(super) cache: Option<&'a Cache>,
    pub(super) work: &'a Work,
}

impl<'a> LandBuild<'a> {
    /// The land of a recipe after these groups of its steps, to be built at this level.
    pub(super) fn of(
        recipe: &'a Recipe,
        groups: &'a [StepGroup<'a>],
        level: i32,
        cache: Option<&'a Cache>,
        work: &'a Work,
    ) -> Result<Self> {
        let made = groups.iter().map(|_| GroupResults::default()).collect();
        Ok(Self { recipe, domain: recipe.domain()?, level, groups, made, cache, work })
    }

    /// The same land after its first `count` groups, at level 0. `ground` is all of it.
    fn over<'b>(&'b self, ground: &Ground, count: usize, work: &'b Work) -> LandBuild<'b> {
        let groups = &self.groups[..count];
        let made: Vec<GroupResults> = groups.iter().map(|_| GroupResults::default()).collect();
        if let Some(last) = made.last() {
            _ = last.base.set(Arc::new(ground.clone()));
        }
        LandBuild { level: 0, groups, made, work, ..*self }
    }

    pub(super) fn reach(&self, group: &StepGroup) -> Reach {
        group.reach(self.domain)
    }

    /// Ends a step `group` with group `number`: blends the land that its steps have made into the land
    /// before it.
    pub(super) fn end(&self, number: usize, outer: Ground, made: Ground, work: &Work) -> Result<Ground> {
        let mut ground = outer.with_sea_level(self.recipe.sea_level());
        self.groups[number].end(&mut ground, made, self.recipe.seed, work)?;
        Ok(ground.with_sea_level(None))
    }

    /// Runs group `number` on the ground before it.
    pub(super) fn run(
        &self,
        number: usize,
        mut ground: Ground,
        extent: Extent,
        work: &Work,
    ) -> Result<Ground> {
        let group = &self.groups[number];
        let is_whole = extent == Extent::Whole;
        let sea_level = self.recipe.sea_level();
        ground = ground.with_bedding(self.bedding_before(number)).with_sea_level(sea_level);
        // All of the land has the range in itself; a window gets it from the land before the group.
        if !is_whole && self.reach(group) == Reach::Range {
            ground = ground.with_range(self.range_before(number)?);
        }
        if group.is_strokes() {
            let seen = if is_whole {
                // This build over the ground is dropped before the strokes, which then change these heights
                // and not a copy.
                self.over(&ground, number, work).seen_by(group, number, ground.region())?
            } else {
                self.seen_by(group, number, ground.region())?
            };
            ground = ground.with_sculpture(Some(seen));
        }
        if !is_whole {
            ground = ground.with_places(group.looking(self.places_of(number))?);
        } else if group.step.finds_route() {
            // The cache keeps the route that a road finds.
            let before = self.over(&ground, number, work);
            ground = ground.with_places(Some(group.looking(before.places_before(group, number))?));
        }
        group.apply(&mut ground, self.recipe.seed, work)?;
        let ground = ground.with_context(None).with_sculpture(None).with_places(None);
        Ok(ground.with_bedding(None).with_sea_level(None))
    }

    /// The layered rock that the last such step before group `number` has laid. That of a step `group`
    /// belongs to its own steps.
    fn bedding_before(&self, number: usize) -> Option<Arc<Bedding>> {
        let mut count = number;
        while let Some(last) = count.checked_sub(1) {
            let StepGroup { step, role, from, .. } = self.groups[last];
            count = match role {
                Role::Ends(outer) => outer,
                Role::Runs | Role::Begins => from,
            };
            if role == Role::Runs
                && let Some(bedding) = step.operation.bedding(&self.domain, step.seed(self.recipe.seed))
            {
                return Some(Arc::new(bedding));
            }
        }
        None
    }

    /// The strokes of group number `count`, which have looked at the windows of the land before them that
    /// decide how they change a region.
    fn seen_by(&self, group: &StepGroup, count: usize, region: &Region) -> Result<Arc<Sculpture>> {
        let sculpture = group.sculpture(&self.domain, self.cache)?;
        let corner = |column: usize, row: usize| [region.x_in_metres(column), region.z_in_metres(row)];
        let grid = region.grid();
        let ([west, north], [east, south]) = (corner(0, 0), corner(grid.width - 1, grid.depth - 1));
        let before = |window: Window| {
            let region = self.domain.region(window)?;
            group.looking(self.require(count, &region))?;
            Ok(self.after(count, &region)?.heights.heights().to_vec())
        };
        sculpture.look([west, north, east, south], &before, self.work)?;
        Ok(sculpture)
    }

    /// Refuses a region after the first `count` groups for which there is not enough memory.
    pub(super) fn require(&self, count: usize, region: &Region) -> Result<()> {
        let grid = region.grid();
        // Asking the system takes as long as making a small window.
        if grid.count() <= SMALL {
            return Ok(());
        }
        let layers = count.checked_sub(1).map_or(0, |last| self.groups[last].wanted.len());
        memory::require(grid, (FIELDS + layers as u64) * 4 * grid.count() as u64)
    }

    /// All of the land at level 0 after the first `count` groups.
    pub(super) fn base(&self, count: usize) -> Result<Arc<Ground>> {
        let Some(last) = count.checked_sub(1) else {
            return Ok(Arc::new(Ground::level(self.recipe.grid()?)));
        };
        once(&self.made[last].base, || match self.groups[last].known(self.cache) {
            Some(ground) => Ok(ground),
            None => Ok(Arc::new(self.whole_after(count)?)),
        })
    }

    /// All of the land after the first `count` groups, if it is known to lie outside of memory.
    pub(super) fn stored(&self, count: usize) -> Option<Arc<dyn StoredGround>> {
        self.cache?.stored(self.groups[count.checked_sub(1)?].key?)
    }

    /// The spline surface on which samples finer than the base of group `last` lie.
    pub(super) fn surface(
        &self,
        last: usize,
        make: impl FnOnce() -> Result<SplineSurface>,
    ) -> Result<Arc<SplineSurface>> {
        let kept = self.cache.zip(self.groups[last].key);
        once(&self.made[last].surface, || {
            if let Some(known) = kept.and_then(|(cache, key)| cache.surface(key)) {
                return Ok(known);
            }
            let surface = Arc::new(make()?);
            if let Some((cache, key)) = kept {
                cache.keep_surface(key, &surface);
            }
            Ok(surface)
        })
    }

    /// The lowest and highest height of all the land before group `number`.
    fn range_before(&self, number: usize) -> Result<(f32, f32)> {
        let before = land_before(self.groups, number);
        let Some(last) = before.checked_sub(1) else { return Ok((0.0, 0.0)) };
        let kept = self.cache.zip(self.groups[last].key);
        once(&self.made[number].range, || {
            if let Some(known) = kept.and_then(|(cache, key)| cache.range(key)) {
                return Ok(known);
            }
            let range = match self.stored(before) {
                Some(stored) => stored.range(),
                None => self.base(before)?.heights.range_while(self.work)?,
            };
            if let Some((cache, key)) = kept {
                cache.keep_range(key, range);
            }
            Ok(range)
        })
    }
}

/// The cell's content; `make` computes it the first time.
pub(super) fn once<T: Clone>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<T> {
    if let Some(known) = cell.get() {
        return Ok(known.clone());
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made).clone())
}
