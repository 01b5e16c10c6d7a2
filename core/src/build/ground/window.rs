//! Windows of a recipe's land: any rectangle of samples at any level, with the same bits that all of the
//! land would have there.
//!
//! A window is requested from the last step, and each step requests what it needs from the one before: a
//! step that works by position the same window; one that reads a neighbourhood a window with a halo (at fine
//! levels a coarser one: [`Ground::context`]); one that needs all of the land the *base*, the whole land
//! at level 0, computed once and kept. Coarser windows take samples of the base; finer ones are on the C²
//! spline through it, and the steps after it add detail at their own resolution.
//!
//! Rivers need all of the land to find their beds, but must not smooth it: a finer window gets the depth
//! that they dig at level 0, interpolated by a spline, on the land as it was.
//!
//! Several steps may look at the same land around, each at its own window of it. The widest is made first and
//! remembered for as long as the window is built, and the others are parts of it.
//!
//! Layers of steps that work by position are computed for the window, as heights are. Those of the base are
//! interpolated linearly: this never leaves the range of the values around, where a spline would overshoot
//! beside every river of `flow`.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use glam::{DVec2, Vec2};
use rayon::prelude::*;

use super::resampled::{keep_samples, layers_over};
use super::whole::FIELDS;
use crate::build::Cache;
use crate::build::cache::Keepable;
use crate::build::groups::StepGroup;
use crate::compute::work::Work;
use crate::error::Result;
use crate::grid::{Domain, Region, Window, memory};
use crate::recipe::Recipe;
use crate::resize::{SplineSurface, samples_of};
use crate::sculpt::Sculpture;
use crate::steps::filter::Road;
use crate::steps::{Ground, KnownPlaces, Needs, PlaceCells, PlaceHeights, Reach};

/// Cells along a side of the blocks of land that are made for the places that a step must know.
const PLACE_BLOCK: i64 = 64;

/// Samples of a window so small that free memory isn't checked and land around is remembered: 4 MiB of
/// heights.
const SMALL: usize = 1 << 20;

/// Pieces of land around that are remembered after each step, at most. Steps look at one or two; but a road
/// asks for each block along it, none of them twice.
const REMEMBERED: usize = 4;

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
        let windows = Windows::of(recipe, region.level(), layers, cache, work)?;
        let count = windows.groups.len();
        recipe.check_reach()?;
        let rivers = windows.groups.iter().rposition(|group| !group.waterways.is_empty());
        let mut ground = windows.after(count, region)?;
        if let Some(last) = rivers {
            ground.rivers.clone_from(&windows.base(last + 1)?.rivers);
        }
        Ok(ground)
    }
}

impl Recipe {
    /// Windows of a land of which `ground` is all, at level 0, after the first `count` groups of steps.
    pub(super) fn windows_on<'a>(
        &'a self,
        ground: &Ground,
        count: usize,
        cache: Option<&'a Cache>,
        work: &'a Work,
    ) -> Result<Windows<'a>> {
        let mut groups = self.groups(&[])?;
        groups.truncate(count);
        let made: Vec<GroupResults> = groups.iter().map(|_| GroupResults::default()).collect();
        if let Some(last) = made.last() {
            // The whole land is there: windows of it are cut out and not built.
            _ = last.base.set(Arc::new(ground.clone()));
        }
        Ok(Windows { recipe: self, domain: self.domain()?, level: 0, groups, made, cache, work })
    }
}

/// Results that follow from the ground after one group: of all the land, but for `places` and `around`.
#[derive(Default)]
struct GroupResults {
    base: OnceCell<Arc<Ground>>,
    surface: OnceCell<Arc<SplineSurface>>,
    range: OnceCell<(f32, f32)>,
    /// The heights before it at the places that its step must know.
    places: OnceCell<Arc<KnownPlaces>>,
    /// Land of coarser levels than the window's.
    around: RefCell<Vec<Ground>>,
}

impl GroupResults {
    /// The ground of a region that lies in land around which has been made.
    fn part_around(&self, region: &Region, work: &Work) -> Result<Option<Ground>> {
        let around = self.around.borrow();
        let known = around.iter().find(|ground| ground.region().has(region));
        known.map(|ground| ground.part(region, work)).transpose()
    }

    /// Remembers land around, in place of what lies in it, and of the oldest if there is much.
    fn keep_around(&self, ground: &Ground) {
        let mut around = self.around.borrow_mut();
        // A part of the new one is of no more use.
        around.retain(|known| !ground.region().has(known.region()));
        // The one at the front was made first.
        if around.len() == REMEMBERED {
            around.remove(0);
        }
        around.push(ground.clone());
    }
}

impl Keepable for KnownPlaces {
    fn bytes(&self) -> u64 {
        let bytes = |known: &PlaceHeights| 20 * known.places.len() as u64;
        let route = self.route.as_ref().map_or(0, |points| 8 * points.len() as u64);
        bytes(&self.first) + bytes(&self.further) + route
    }
}

/// A window being built.
pub(super) struct Windows<'a> {
    recipe: &'a Recipe,
    domain: Domain,
    /// The level of the requested window.
    level: i32,
    groups: Vec<StepGroup<'a>>,
    /// One for each group.
    made: Vec<GroupResults>,
    cache: Option<&'a Cache>,
    work: &'a Work,
}

impl<'a> Windows<'a> {
    /// Of a recipe's land with these layers, for a window of this level.
    pub(super) fn of(
        recipe: &'a Recipe,
        level: i32,
        layers: &[&str],
        cache: Option<&'a Cache>,
        work: &'a Work,
    ) -> Result<Self> {
        let groups = recipe.groups(layers)?;
        let made = groups.iter().map(|_| GroupResults::default()).collect();
        Ok(Self { recipe, domain: recipe.domain()?, level, groups, made, cache, work })
    }

    fn reach(&self, group: &StepGroup) -> Reach {
        if group.waterways.is_empty() { group.step.operation.reach(self.domain) } else { Reach::Whole }
    }

    /// The ground of a region after the first `count` groups.
    fn after(&self, count: usize, region: &Region) -> Result<Ground> {
        self.require(count, region)?;
        let Some(last) = count.checked_sub(1) else { return Ok(Ground::level_in(*region)) };
        // Only land around, at coarser levels, is looked at again and again by neighbouring steps.
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
        if self.reach(group) == Reach::Whole {
            let is_water = !group.waterways.is_empty();
            return if is_water { self.dug(count, region) } else { self.part_of_base(count, region) };
        }
        let masked = group.looking(region.grown_by(step.mask.halo()))?;
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
        let wide = match needs {
            Needs::Context { .. } => masked,
            Needs::Halo(samples) => group.looking(masked.grown_by(samples))?,
        };
        // New land that takes the place of all that was there needs nothing of it.
        let before = if step.replaces_all() { 0 } else { last };
        group.looking(self.require(before, &wide))?;
        // Land around comes first: that of the steps before lies in it.
        let around = needs.context().map(|around| {
            let around = group.looking(self.domain.region(around.window()))?;
            group.looking(self.require(before, &around))?;
            self.after(before, &around)
        });
        let around = around.transpose()?;
        let has_layers = before.checked_sub(1).is_some_and(|last| !self.groups[last].needs.is_empty());
        let mut ground = match &around {
            Some(around) if around.region().has(&wide) => around.part(&wide, self.work)?,
            Some(_) if step.replaces_heights_by(&needs) && !has_layers => Ground::level_in(wide),
            _ => self.after(before, &wide)?,
        };
        ground = ground.with_context(around);
        if self.reach(group) == Reach::Range {
            ground = ground.with_range(self.range_before(last)?);
        }
        if group.is_strokes() {
            ground = ground.with_sculpture(Some(self.seen_by(group, last, &wide)?));
        }
        ground = ground.with_places(group.looking(self.places_of(last))?);
        group.apply(&mut ground, self.recipe.seed, self.work)?;
        ground.with_context(None).with_sculpture(None).with_places(None).cut(region, self.work)
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

    /// The strokes of group number `count`, which have looked at the windows of the land before them that
    /// decide how they change a region.
    pub(super) fn seen_by(&self, group: &StepGroup, count: usize, region: &Region) -> Result<Arc<Sculpture>> {
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

    /// The heights at the places that the step of a group must know, whatever window is made; `None` if there
    /// are none.
    fn places_of(&self, number: usize) -> Result<Option<Arc<KnownPlaces>>> {
        let group = &self.groups[number];
        if group.step.operation.places(&self.domain).is_empty() {
            return Ok(None);
        }
        once(&self.made[number].places, || self.places_before(group, number)).map(Some)
    }

    /// The heights after the first `count` groups at the places that the step of the next one must know.
    pub(super) fn places_before(&self, group: &StepGroup, count: usize) -> Result<Arc<KnownPlaces>> {
        let operation = &group.step.operation;
        let make = || {
            let first = self.heights_after(count, operation.places(&self.domain))?;
            // A road asks for the heights along its route last, and these are the further places too.
            let last = RefCell::new(PlaceHeights::default());
            let heights_at = |places: &[DVec2]| {
                if last.borrow().places != places {
                    let heights = self.heights_after(count, places.to_vec())?;
                    last.replace(heights);
                }
                Ok(last.borrow().heights.clone())
            };
            let (further, route) = match group.step.operation_as::<Road>() {
                Some(road) => {
                    let route = road.found_points(&self.domain, &first.heights, &heights_at, self.work)?;
                    let line = route.as_ref().map(|points| road.places_through(points, &self.domain));
                    (line.unwrap_or_default(), route)
                }
                None => {
                    let further =
                        operation.places_after(&self.domain, &first.heights, &heights_at, self.work)?;
                    (further, None)
                }
            };
            heights_at(&further)?;
            Ok(KnownPlaces { first, further: last.into_inner(), route })
        };
        match self.cache {
            Some(cache) => cache.one_of(group.key.map(|key| key.of("places")), make),
            None => Ok(Arc::new(make()?)),
        }
    }

    /// The routes that roads find on the land, each with the index of the road's step.
    pub(super) fn found_routes(&self) -> Result<Vec<(usize, Vec<Vec2>)>> {
        let mut routes = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            if !group.step.operation_as::<Road>().is_some_and(Road::finds_route) {
                continue;
            }
            let known = group.looking(self.places_of(number))?;
            let points = known.and_then(|known| known.route.clone());
            routes.extend(points.map(|points| (group.first, points)));
        }
        Ok(routes)
    }

    /// The heights after the first `count` groups at some places.
    fn heights_after(&self, count: usize, places: Vec<DVec2>) -> Result<PlaceHeights> {
        let cells = PlaceCells::of(&self.domain, &places);
        let whole = count.checked_sub(1).and_then(|last| {
            // Not `base()`, which would build all of the land.
            let base = self.made[last].base.get().cloned();
            base.or_else(|| self.groups[last].known(self.cache)).filter(|ground| ground.region().is_whole())
        });
        if let Some(whole) = whole {
            let heights = cells.heights(whole.region(), &whole.heights, 0..places.len());
            return Ok(PlaceHeights { places, heights });
        }
        // In blocks: places lie far apart along a line, so that one window of them all would be most of the
        // land.
        let mut heights = vec![0.0; places.len()];
        for (_, numbers) in cells.blocks(PLACE_BLOCK) {
            self.work.check()?;
            let region = self.domain.region(cells.window_of(&self.domain, &numbers))?;
            let ground = self.after(count, &region)?;
            let found = cells.heights(&region, &ground.heights, numbers.iter().copied());
            numbers.into_iter().zip(found).for_each(|(number, height)| heights[number] = height);
        }
        Ok(PlaceHeights { places, heights })
    }

    /// Refuses a region that there is not enough memory for after the first `count` groups.
    fn require(&self, count: usize, region: &Region) -> Result<()> {
        let grid = region.grid();
        // Asking the system takes as long as making a small window.
        if grid.count() <= SMALL {
            return Ok(());
        }
        let layers = count.checked_sub(1).map_or(0, |last| self.groups[last].wanted.len());
        memory::require(grid, (FIELDS + layers as u64) * 4 * grid.count() as u64)
    }

    /// A region of the whole land after the first `count` groups.
    fn part_of_base(&self, count: usize, region: &Region) -> Result<Ground> {
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
        let (before, base) = (self.base(count - 1)?, self.base(count)?);
        let mut ground = self.after(count - 1, region)?;
        let surface = self.surface(count - 1, || {
            let mut dug = base.heights.copy_while(self.work)?;
            let all = dug.heights_mut().par_iter_mut().zip(before.heights.heights());
            // Only the difference is interpolated: the land between its samples keeps its own finer detail.
            all.for_each(|(after, before)| *after -= before);
            SplineSurface::through(&dug, self.work)
        })?;
        let dug = surface.over(region, self.work)?;
        let all = ground.heights.heights_mut().par_iter_mut().zip(dug.heights());
        all.for_each(|(height, dug)| *height += dug);
        keep_samples(&mut ground.heights, &base.heights, region);
        Ok(ground)
    }

    /// All of the land at level 0 after the first `count` groups.
    fn base(&self, count: usize) -> Result<Arc<Ground>> {
        let Some(last) = count.checked_sub(1) else {
            return Ok(Arc::new(Ground::level(self.recipe.grid()?)));
        };
        once(&self.made[last].base, || match self.groups[last].known(self.cache) {
            Some(ground) => Ok(ground),
            None => {
                let made = self.recipe.whole_after(&self.groups[..count], self.cache, self.work)?;
                Ok(Arc::new(made))
            }
        })
    }

    /// The spline surface on which samples finer than the base of group `last` lie.
    fn surface(
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
        let key = number.checked_sub(1).and_then(|last| self.groups[last].key);
        let kept = self.cache.zip(key);
        once(&self.made[number].range, || {
            if let Some(known) = kept.and_then(|(cache, key)| cache.range(key)) {
                return Ok(known);
            }
            let range = self.base(number)?.heights.range_while(self.work)?;
            if let Some((cache, key)) = kept {
                cache.keep_range(key, range);
            }
            Ok(range)
        })
    }
}

/// Whether a region is large, and has many times as many samples as another.
fn is_much_larger(region: &Region, than: &Region) -> bool {
    const TIMES: usize = 16;
    region.grid().count() > SMALL.max(TIMES * than.grid().count())
}

/// The cell's content; `make` computes it the first time.
// `get_or_try_init` isn't stable yet. The value may be made twice if `make` comes back here, which is
// harmless.
fn once<T: Clone>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T>) -> Result<T> {
    if let Some(known) = cell.get() {
        return Ok(known.clone());
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made).clone())
}
