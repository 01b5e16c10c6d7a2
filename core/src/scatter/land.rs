//! The objects of a recipe's land, rectangle by rectangle.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec2;
use rayon::prelude::*;

use super::object::Object;
use super::place::{self, Placing};
use super::points::Rectangle;
use super::site::Site;
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::{Domain, LEVELS, Window};
use crate::recipe::Recipe;
use crate::rules::Rule;
use crate::sculpt::Sculpture;
use crate::stream::{LandTile, TILE_CELLS};

/// Samples around a rectangle, for slopes.
const AROUND: i64 = 2;

/// Metres along a side of the smallest parts into which land is cut for placing.
const SMALLEST_PART: f64 = 4.0;

/// The most parts.
const MOST_PARTS: f64 = 1e6;

/// Samples along a side of the sites that are cached for [`Scatter::of_rules`], and how many sites are.
const SITE_SAMPLES: i64 = 128;
const KEPT_SITES: usize = 24;

/// Places the objects of a recipe's land.
pub struct Scatter {
    recipe: Recipe,
    domain: Domain,
    level: i32,
    cache: Cache,
    rules: Vec<Placing>,
    /// Strokes that remove objects.
    clearings: Vec<Arc<Sculpture>>,
    /// The whole of a bounded land at its own level.
    whole: Option<Site>,
    /// Recently made sites, the most recently used last. The lock is held to look one up or insert one, never
    /// while making one.
    kept: Mutex<KeptSites>,
}

/// Cached sites by their blocks: the most recently used last.
#[derive(Default)]
struct KeptSites(VecDeque<([i64; 2], Arc<Site>)>);

impl KeptSites {
    fn known(&mut self, block: [i64; 2]) -> Option<Arc<Site>> {
        let at = self.0.iter().position(|(known, _)| *known == block)?;
        let known = self.0.remove(at)?;
        self.0.push_back(known);
        self.0.back().map(|(_, site)| site.clone())
    }

    /// Inserts a site, unless another thread was faster: then the other one is returned. Both are equal.
    fn keep(&mut self, block: [i64; 2], made: Arc<Site>) -> Arc<Site> {
        if let Some(known) = self.known(block) {
            return known;
        }
        self.0.push_back((block, made.clone()));
        if self.0.len() > KEPT_SITES {
            self.0.pop_front();
        }
        made
    }
}

impl Scatter {
    /// Prepares a recipe's land, of which the rules see the samples of a level: 0 are the land's own. Another
    /// level is slightly different land, with some other objects on it. Land that fits into memory as a whole
    /// is made now.
    ///
    /// # Errors
    /// When the recipe or one of its rules is not valid, when no step writes a layer, or the texture has no
    /// type, that a rule names, and those of building the land.
    pub fn new(recipe: &Recipe, level: i32, cache: &Cache, work: &Work) -> Result<Self> {
        recipe.check_land()?;
        let recipe = recipe.with_open_files(Some(cache), work)?.into_owned();
        let domain = recipe.domain()?;
        // Refuse an invalid level before any land is made.
        domain.region(Window { level, first: [0, 0], size: [1, 1] })?;
        let rules = place::placing(&recipe, &domain, cache, work)?;
        let (cache, clearings) = (cache.clone(), recipe.clearings(cache)?);
        let mut scatter =
            Self { domain, level, cache, rules, clearings, whole: None, kept: Mutex::default(), recipe };
        // Only at the land's own level: the whole land is made with those samples.
        let is_held = level == 0 && !scatter.rules.is_empty() && !scatter.recipe.is_made_in_windows()?;
        if let Some(whole) = scatter.domain.whole().filter(|_| is_held) {
            scatter.whole = Some(scatter.site(whole.window(), true, work)?);
        }
        Ok(scatter)
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The part of the land that a window covers, from its first samples to its last ones. A window may lie
    /// anywhere: one that reaches beyond the largest number ends there.
    pub fn rectangle_of(&self, window: Window) -> Rectangle {
        let cell = f64::from(self.domain.cell_at(window.level));
        let low = window.first.map(|first| first as f64 * cell);
        let last = [0, 1].map(|axis| window.first[axis].saturating_add(i64::from(window.size[axis]) - 1));
        let high = last.map(|last| last as f64 * cell);
        Rectangle { low, high }
    }

    /// The objects of a tile.
    ///
    /// # Errors
    /// As [`within`](Self::within).
    pub fn tile(&self, tile: LandTile, work: &Work) -> Result<Vec<Object>> {
        let (low, high): (DVec2, DVec2) = tile.rectangle(self.domain.cell());
        self.within(Rectangle { low: low.to_array(), high: high.to_array() }, work)
    }

    /// The objects in a rectangle, in metres from the land's sample (0, 0), rule by rule. There are none
    /// beyond the land. An object is the same in every rectangle that contains it, and two rectangles that
    /// touch share none.
    ///
    /// # Errors
    /// When the rectangle is too large for the number of its objects, those of building the land, and
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn within(&self, rectangle: Rectangle, work: &Work) -> Result<Vec<Object>> {
        place::check(&self.rules, rectangle)?;
        if self.rules.is_empty() || rectangle.area() == 0.0 {
            return Ok(Vec::new());
        }
        if let Some(site) = &self.whole {
            return self.placed(|_| true, site, rectangle, work);
        }
        let Some(window) = self.window_around(rectangle) else { return Ok(Vec::new()) };
        let site = self.site(window, false, work)?;
        self.placed(|_| true, &site, rectangle, work)
    }

    /// As [`within`](Self::within), for only those rules that are `wanted`, by their indices in the recipe:
    /// the same objects as among all.
    ///
    /// For many small rectangles next to each other, as around an eye: the ground under some of the most
    /// recent ones is cached.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::scatter::{Rectangle, Rule, Scatter};
    /// use upland::{Cache, Recipe, Work};
    ///
    /// let mut recipe = Recipe::new("Plain", (129, 129), 10.0);
    /// recipe.scatter = vec![Rule::new("spruce", 200.0, 3.0), Rule::new("grass", 5000.0, 0.6)];
    /// let scatter = Scatter::new(&recipe, 0, &Cache::default(), &Work::new())?;
    /// let tile = Rectangle { low: [64.0, 64.0], high: [96.0, 96.0] };
    /// let grass = scatter.of_rules(tile, |rule| rule == 1, &Work::new())?;
    /// let mut all = scatter.within(tile, &Work::new())?;
    /// all.retain(|object| object.rule == 1);
    /// assert_eq!(grass, all);
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`within`](Self::within).
    pub fn of_rules(
        &self,
        rectangle: Rectangle,
        wanted: impl Fn(usize) -> bool,
        work: &Work,
    ) -> Result<Vec<Object>> {
        place::check(&self.rules, rectangle)?;
        if self.rules.is_empty() || rectangle.area() == 0.0 {
            return Ok(Vec::new());
        }
        if let Some(site) = &self.whole {
            return self.placed(wanted, site, rectangle, work);
        }
        let site = match self.block_of(rectangle) {
            Some((block, around)) => self.kept_site(block, around, work)?,
            None => match self.window_around(rectangle) {
                Some(window) => Some(Arc::new(self.site(window, false, work)?)),
                None => None,
            },
        };
        let Some(site) = site else { return Ok(Vec::new()) };
        self.placed(wanted, &site, rectangle, work)
    }

    /// The objects on a site, without those that strokes have removed.
    fn placed(
        &self,
        wanted: impl Fn(usize) -> bool,
        site: &Site,
        rectangle: Rectangle,
        work: &Work,
    ) -> Result<Vec<Object>> {
        let mut objects = place::place(&self.rules, wanted, site, rectangle, work)?;
        for sculpture in &self.clearings {
            clear(&mut objects, sculpture, rectangle);
        }
        Ok(objects)
    }

    /// The block of samples that contains a rectangle, and the part of the land that the block covers; `None`
    /// if several blocks contain parts of it.
    fn block_of(&self, rectangle: Rectangle) -> Option<([i64; 2], Rectangle)> {
        let side = SITE_SAMPLES as f64 * f64::from(self.domain.cell_at(self.level));
        let block = rectangle.low.map(|low| (low / side).floor());
        let around = Rectangle {
            low: block.map(|number| number * side),
            high: block.map(|number| (number + 1.0) * side),
        };
        let is_in = [0, 1].into_iter().all(|axis| rectangle.high[axis] <= around.high[axis]);
        is_in.then_some((block.map(|number| number as i64), around))
    }

    /// The site of a block, which is cached for the next rectangle on it; `None` where there is no land.
    ///
    /// Threads that need it at the same time may all make it, because none can wait for another: a thread
    /// that makes one waits for rayon's threads, and any of these may have suspended its work in this same
    /// function.
    fn kept_site(&self, block: [i64; 2], around: Rectangle, work: &Work) -> Result<Option<Arc<Site>>> {
        let known = self.kept().known(block);
        if known.is_some() {
            return Ok(known);
        }
        let Some(window) = self.window_around(around) else { return Ok(None) };
        let made = Arc::new(self.site(window, false, work)?);
        Ok(Some(self.kept().keep(block, made)))
    }

    fn kept(&self) -> MutexGuard<'_, KeptSites> {
        // Nothing here panics halfway through a change, so a poisoned lock is harmless.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`within`](Self::within), for a rectangle of any size, which is divided into parts that are placed
    /// on all cores; the result is ordered by parts, row by row.
    ///
    /// # Errors
    /// As [`within`](Self::within), and when there are more than `most`.
    pub fn all_within(&self, rectangle: Rectangle, most: usize, work: &Work) -> Result<Vec<Object>> {
        let parts = self.parts(rectangle)?;
        work.stage("scatter", parts.len());
        let count = AtomicUsize::new(0);
        let placed: Result<Vec<Vec<Object>>> = parts
            .into_par_iter()
            .map(|part| {
                let objects = self.within(part, &work.unobserved())?;
                work.advance(1);
                // Counted while parts are made, so that a rectangle with far too many objects fails early and
                // not with full memory.
                if count.fetch_add(objects.len(), Ordering::Relaxed) + objects.len() > most {
                    let reason = format!(
                        "there are more than {most} objects on {:.0} × {:.0} m; use less land, or allow more",
                        rectangle.high[0] - rectangle.low[0],
                        rectangle.high[1] - rectangle.low[1]
                    );
                    return Err(Error::parameter("limit", reason));
                }
                Ok(objects)
            })
            .collect();
        Ok(placed?.concat())
    }

    /// The parts of a rectangle that are placed as a whole: on a lattice of the whole land, so that they
    /// depend on the land and not on the rectangle.
    fn parts(&self, rectangle: Rectangle) -> Result<Vec<Rectangle>> {
        place::check_sides(rectangle)?;
        let mut side = TILE_CELLS as f64 * f64::from(self.domain.cell_at(self.level));
        let part = |side: f64, column: f64, row: f64| {
            let low = [column, row].map(|number| number * side);
            let high = [column + 1.0, row + 1.0].map(|number| number * side);
            Rectangle {
                low: [0, 1].map(|axis| rectangle.low[axis].max(low[axis])),
                high: [0, 1].map(|axis| rectangle.high[axis].min(high[axis])),
            }
        };
        let is_too_large =
            |side: f64| place::check(&self.rules, Rectangle { low: [0.0; 2], high: [side; 2] }).is_err();
        // Halved, so that smaller parts lie on the same lattice.
        while side > SMALLEST_PART && is_too_large(side) {
            side /= 2.0;
        }
        let along = |axis: usize| {
            let (first, end) = ((rectangle.low[axis] / side).floor(), (rectangle.high[axis] / side).ceil());
            (first, (end - first).max(0.0))
        };
        let ((first_column, columns), (first_row, rows)) = (along(0), along(1));
        if columns * rows > MOST_PARTS {
            let reason = format!(
                "{:.0} × {:.0} m are too much land to place objects on in one go; use less of it",
                rectangle.high[0] - rectangle.low[0],
                rectangle.high[1] - rectangle.low[1]
            );
            return Err(Error::parameter("rectangle", reason));
        }
        let (columns, rows) = (columns as usize, rows as usize);
        let number =
            |index: usize| (first_column + (index % columns) as f64, first_row + (index / columns) as f64);
        Ok((0..columns * rows)
            .map(|index| {
                let (column, row) = number(index);
                part(side, column, row)
            })
            .collect())
    }

    /// The samples on which the objects of a rectangle depend; `None` where there is no land.
    fn window_around(&self, rectangle: Rectangle) -> Option<Window> {
        self.window_over(rectangle.grown(place::margin(&self.rules)), self.level)
    }

    /// The samples of a level in a rectangle and a few around it; `None` where there is no land.
    fn window_over(&self, around: Rectangle, level: i32) -> Option<Window> {
        let cell = f64::from(self.domain.cell_at(level));
        let mut window = Window { level, first: [0; 2], size: [0; 2] };
        for axis in [0, 1] {
            let mut first = ((around.low[axis] / cell).floor() as i64).saturating_sub(AROUND);
            let mut last = ((around.high[axis] / cell).ceil() as i64).saturating_add(AROUND);
            if let Some(size) = self.domain.size_at(level) {
                let end = size[axis] as i64 - 1;
                if last < 0 || first > end.saturating_add(AROUND) {
                    return None;
                }
                // At least two samples, because one sample has no cell.
                first = first.clamp(0, (end - 1).max(0));
                last = last.clamp((first + 1).min(end), end);
            }
            window.first[axis] = first;
            window.size[axis] =
                u32::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(u32::MAX);
        }
        Some(window)
    }

    /// The ground of the whole land, where it is in memory.
    pub(super) fn whole(&self) -> Option<&Site> {
        self.whole.as_ref()
    }

    /// The ground of an area at the level that suits texels of `cell` metres; `None` where there is no land.
    pub(super) fn site_over(&self, area: Rectangle, cell: f64, work: &Work) -> Result<Option<Site>> {
        let levels = libm::log2(cell / f64::from(self.domain.cell())).floor();
        let level = (levels as i32).clamp(self.level.min(0), *LEVELS.end());
        let window = self.window_over(area, level);
        window.map(|window| self.site(window, false, work)).transpose()
    }

    /// The place of a rule among those in effect, by its index in the recipe, and its seed.
    pub(super) fn rule(&self, number: usize) -> Option<(usize, &Rule, u64)> {
        let index = self.rules.iter().position(|placing| placing.number() == number)?;
        let (rule, seed) = self.rules[index].rule();
        Some((index, rule, seed))
    }

    /// Whether strokes remove half of the objects at a place, or more.
    pub(super) fn is_cleared(&self, x: f64, z: f64) -> bool {
        self.clearings.iter().any(|sculpture| sculpture.takes(x, z, 0.5))
    }

    fn site(&self, window: Window, all: bool, work: &Work) -> Result<Site> {
        let ground = self.recipe.ground_for_rules(window, all, &self.cache, work)?;
        Ok(Site::new(&self.recipe, &self.domain, window, ground))
    }
}

/// Removes the objects that strokes remove. All of them must be in the rectangle.
#[doc(hidden)]
pub fn clear(objects: &mut Vec<Object>, sculpture: &Sculpture, rectangle: Rectangle) {
    let Rectangle { low: [west, north], high: [east, south] } = rectangle;
    if sculpture.clears(0..usize::MAX, [west, north, east, south]) {
        objects.retain(|object| !sculpture.takes(object.position.x, object.position.z, object.luck()));
    }
}

impl std::fmt::Debug for Scatter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rules = self.rules.len();
        f.debug_struct("Scatter").field("recipe", &self.recipe.name).field("rules", &rules).finish()
    }
}
