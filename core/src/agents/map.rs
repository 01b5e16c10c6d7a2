//! The cost of a metre at every sample of a window, and the reasons why some samples are off-limits.

use glam::DVec2;
use rayon::prelude::*;

use super::ground::CostGround;
use super::pace::Pace;
use super::rules::CostRules;
use crate::build::{Cache, Landscape};
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::layer::HOLE;
use crate::grid::{Grid, Heightfield, Window, is_hole, memory};
use crate::math::simd::arc_tangent;
use crate::recipe::Recipe;
use crate::stream::LandTile;

/// Bytes of a map for each of its samples.
const BYTES: u64 = 9;

/// Why ground is off-limits: any combination of these reasons, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OffLimits(u8);

impl OffLimits {
    /// The ground is steeper than the rules allow.
    pub const STEEP: Self = Self(1);
    /// The water is deeper than the rules allow.
    pub const DEEP: Self = Self(2);
    /// A terrain type forbids it.
    pub const TYPE: Self = Self(4);
    /// A layer forbids it.
    pub const LAYER: Self = Self(8);
    /// A painted mask forbids it.
    pub const PAINTED: Self = Self(16);
    /// There is a hole in the ground.
    pub const HOLE: Self = Self(32);

    /// Whether there is no reason, so that the ground is open.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all of these reasons apply.
    pub fn has(self, reasons: Self) -> bool {
        self.0 & reasons.0 == reasons.0
    }

    /// These reasons and others.
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl std::fmt::Display for OffLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reasons = [
            (Self::STEEP, "too steep"),
            (Self::DEEP, "too deep"),
            (Self::TYPE, "of a terrain type that is off-limits"),
            (Self::LAYER, "off-limits by a layer"),
            (Self::PAINTED, "painted off-limits"),
            (Self::HOLE, "a hole"),
        ];
        let there: Vec<&str> =
            reasons.iter().filter(|(reason, _)| self.has(*reason)).map(|(_, text)| *text).collect();
        f.write_str(&there.join(", "))
    }
}

/// The cost of a metre at every sample of a window of a land. Costs are metres of level, firm, dry ground.
///
/// A sample stands for the square around it, up to halfway to its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMap {
    window: Window,
    pace: Pace,
    speed: f32,
    heights: Heightfield,
    /// Factors on costs other than those of slopes.
    factors: Vec<f32>,
    off_limits: Vec<OffLimits>,
    /// The least of the factors.
    least: f32,
    /// The mean cost of a metre up and down the slope.
    costs: Vec<f32>,
}

impl CostMap {
    /// The costs of a window of a recipe's land. A sample has the same bits in every window of its level.
    ///
    /// ```
    /// # use upland_core as upland;
    /// use upland::agents::{CostMap, CostRules, OffLimits};
    /// use upland::{Cache, Preset, Work};
    ///
    /// let land = Preset::find("high-range").unwrap().recipe()?.with_longer_side(129);
    /// let rules = CostRules { max_slope: 30.0, ..CostRules::default() };
    /// let map = CostMap::of_recipe(&land, "0:20,30,64x64".parse()?, &rules, &Cache::default(), &Work::new())?;
    /// let steep = (0..64).any(|row| map.off_limits(9, row).has(OffLimits::STEEP));
    /// assert!(steep && map.costs().iter().all(|cost| *cost < 0.0 || *cost >= rules.least_factor()));
    /// # Ok::<(), upland::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of building and painting the window, when the rules are not valid or name something that the
    /// recipe doesn't have, and when a mask cannot be read.
    pub fn of_recipe(
        recipe: &Recipe,
        window: Window,
        rules: &CostRules,
        cache: &Cache,
        work: &Work,
    ) -> Result<Self> {
        Self::new(CostGround::of_recipe(recipe, window, rules, cache, work)?, window, rules, work)
    }

    /// The costs of a tile: of the samples at its cells' corners, so that it shares the samples on its border
    /// with the tiles around. `None` where there is no land.
    ///
    /// # Errors
    /// As [`of_recipe`](Self::of_recipe).
    pub fn of_tile(
        recipe: &Recipe,
        tile: LandTile,
        rules: &CostRules,
        cache: &Cache,
        work: &Work,
    ) -> Result<Option<Self>> {
        let mut window = tile.window(0);
        // Samples on the far borders, too, so that neighbouring tiles share them.
        window.size = window.size.map(|side| side + 1);
        if let Some(size) = recipe.domain()?.size_at(tile.level) {
            for axis in [0, 1] {
                let left = (size[axis] as i64).saturating_sub(window.first[axis]).max(0);
                window.size[axis] = window.size[axis].min(u32::try_from(left).unwrap_or(u32::MAX));
                if window.first[axis] < 0 || window.size[axis] == 0 {
                    return Ok(None);
                }
            }
        }
        Self::of_recipe(recipe, window, rules, cache, work).map(Some)
    }

    /// The costs of a window of a finished landscape's samples, which are of level 0. The available layers
    /// are those that its terrain types depend on, and `water_depth`.
    ///
    /// # Errors
    /// As [`of_recipe`](Self::of_recipe); when the window is of another level.
    pub fn of_landscape(
        landscape: &Landscape,
        window: Window,
        rules: &CostRules,
        work: &Work,
    ) -> Result<Self> {
        Self::new(CostGround::of_landscape(landscape, window, rules, work)?, window, rules, work)
    }

    fn new(ground: CostGround, window: Window, rules: &CostRules, work: &Work) -> Result<Self> {
        let around = ground.heights.grid();
        let size = window.size.map(|side| side as usize);
        let grid = Grid::new(size[0], size[1], around.cell)?;
        memory::require(grid, (BYTES + 4) * grid.count() as u64)?;
        // Columns and rows of the border before the window.
        let before = [0, 1].map(|axis| (window.first[axis] - ground.window.first[axis]) as usize);
        work.stage("costs", grid.depth);
        let samples: Vec<(f32, OffLimits, f32)> = (0..grid.count())
            .into_par_iter()
            .map(|index| {
                let (column, row) = (before[0] + index % grid.width, before[1] + index / grid.width);
                sample(&ground, rules, column, row)
            })
            .collect();
        work.check()?;
        let heights =
            Heightfield::from_fn(grid, |column, row| ground.heights.at(before[0] + column, before[1] + row));
        let open = samples.iter().filter(|(_, off_limits, _)| off_limits.is_none());
        // Only of open samples: samples that are off limits have no cost, and a bound for searches must not
        // exceed any cost.
        let least = open.map(|(factor, ..)| *factor).fold(f32::INFINITY, f32::min);
        Ok(Self {
            window,
            pace: rules.pace,
            speed: rules.speed,
            heights,
            factors: samples.iter().map(|(factor, ..)| *factor).collect(),
            off_limits: samples.iter().map(|(_, off_limits, _)| *off_limits).collect(),
            least: if least.is_finite() { least } else { 1.0 },
            costs: samples.into_iter().map(|(.., cost)| cost).collect(),
        })
    }

    /// The window that it covers.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The number of its samples, and the distance between them.
    pub fn grid(&self) -> Grid {
        self.heights.grid()
    }

    /// The position of its first sample, metres east and south of the land's sample (0, 0).
    pub fn origin(&self) -> DVec2 {
        DVec2::from(self.window.first.map(|first| first as f64)) * f64::from(self.grid().cell)
    }

    /// The heights of its samples.
    pub fn heights(&self) -> &Heightfield {
        &self.heights
    }

    /// The cost function of slopes.
    pub fn pace(&self) -> Pace {
        self.pace
    }

    /// The cost of a metre at a sample, by column and row, as a mean over both directions; `None` if it is
    /// off-limits or doesn't exist.
    pub fn cost(&self, column: usize, row: usize) -> Option<f32> {
        let Grid { width, depth, .. } = self.grid();
        let is_there = column < width && row < depth;
        is_there.then(|| self.costs[row * width + column]).filter(|cost| *cost >= 0.0)
    }

    /// The cost of a metre at every sample, row by row; −1 where it is off-limits.
    pub fn costs(&self) -> &[f32] {
        &self.costs
    }

    /// The costs as a field, for elevation files: −1 where it is off-limits.
    ///
    /// # Errors
    /// None are expected.
    pub fn to_field(&self) -> Result<Heightfield> {
        Heightfield::new(self.grid(), self.costs.clone())
    }

    /// A grey level for every sample, as in a bitmap: 0 where it is off-limits, otherwise 255 · least / cost,
    /// from 255 for the lowest cost that occurs down to 1.
    pub fn to_grey(&self) -> Vec<u8> {
        let least = self.costs.iter().copied().filter(|cost| *cost >= 0.0).fold(f32::INFINITY, f32::min);
        let grey = |cost: &f32| match *cost {
            cost if cost < 0.0 => 0,
            cost => (255.0 * least / cost + 0.5).clamp(1.0, 255.0) as u8,
        };
        self.costs.iter().map(grey).collect()
    }

    /// Why a sample, by column and row, is off-limits, if it is.
    ///
    /// # Panics
    /// When the sample doesn't exist.
    pub fn off_limits(&self, column: usize, row: usize) -> OffLimits {
        self.off_limits[row * self.grid().width + column]
    }

    /// The sample whose square contains a place, metres from the land's sample (0, 0), as column and row;
    /// `None` outside the map.
    pub fn sample_at(&self, place: DVec2) -> Option<[usize; 2]> {
        let Grid { width, depth, cell } = self.grid();
        // In f64: on endless land f32 would no longer tell samples apart.
        let number = ((place - self.origin()) / f64::from(cell) + 0.5).floor();
        let is_there = |number: f64, count: usize| (0.0..count as f64).contains(&number);
        (is_there(number.x, width) && is_there(number.y, depth))
            .then_some([number.x as usize, number.y as usize])
    }

    /// The position of a sample, metres from the land's sample (0, 0).
    pub fn place_of(&self, [column, row]: [usize; 2]) -> DVec2 {
        self.origin() + DVec2::new(column as f64, row as f64) * f64::from(self.grid().cell)
    }

    /// The time of a cost at the rules' speed, seconds.
    pub(super) fn seconds(&self, cost: f64) -> f64 {
        cost / f64::from(self.speed)
    }

    pub(super) fn is_open(&self, index: usize) -> bool {
        self.off_limits[index].is_none()
    }

    pub(super) fn factor(&self, index: usize) -> f64 {
        f64::from(self.factors[index])
    }

    /// The least cost of a metre anywhere on the map.
    pub(super) fn least(&self) -> f64 {
        f64::from(self.least) * self.pace.least()
    }
}

/// The factor, the reasons and the cost of a sample.
fn sample(ground: &CostGround, rules: &CostRules, column: usize, row: usize) -> (f32, OffLimits, f32) {
    let mut off_limits = OffLimits::default();
    let mut forbid = |reason: OffLimits| off_limits = off_limits.and(reason);
    let gradient = ground.heights.gradient_at(column, row).length();
    if arc_tangent(gradient).to_degrees() > rules.max_slope {
        forbid(OffLimits::STEEP);
    }
    // All reasons are collected instead of returning the first, since a map shows all of them.
    let mut factor = rules.wading_cost(ground.depth.at(column, row)).unwrap_or_else(|| {
        forbid(OffLimits::DEEP);
        1.0
    });
    if let Some(types) = &ground.types {
        factor *= rules.type_cost(types.at(column, row)).unwrap_or_else(|| {
            forbid(OffLimits::TYPE);
            1.0
        });
    }
    if ground.layers.get(HOLE).is_some_and(|holes| is_hole(holes.at(column, row))) {
        forbid(OffLimits::HOLE);
    }
    for rule in &rules.layers {
        let Some(layer) = ground.layers.get(rule.name.as_str()) else { continue };
        let share = rule.share(layer.at(column, row));
        if rule.off_limits && share >= 0.5 {
            forbid(OffLimits::LAYER);
        }
        factor *= 1.0 + share * (rule.factor - 1.0);
    }
    for (rule, mask) in rules.masks.iter().zip(&ground.masks) {
        let share = mask.at(column, row);
        if rule.off_limits && share > 0.5 {
            forbid(OffLimits::PAINTED);
        }
        factor *= 1.0 + share * (rule.factor - 1.0);
    }
    let cost = if off_limits.is_none() {
        // No slope is cheaper than level ground in the mean of both directions; only rounding can fall below
        // 1.
        factor * (rules.pace.cost_across(f64::from(gradient)).max(1.0)) as f32
    } else {
        -1.0
    };
    (factor, off_limits, cost)
}

impl CostRules {
    /// The cost of a metre on ground that rises by `gradient` metres per metre, under water of a depth, and
    /// covered by terrain types; or why it is off-limits. Layers and masks are ignored.
    ///
    /// # Errors
    /// The reasons why it is off-limits.
    pub fn cost_of<'a>(
        &self,
        gradient: f32,
        depth: f32,
        types: impl Iterator<Item = (&'a str, f32)> + Clone,
    ) -> std::result::Result<f32, OffLimits> {
        let is_steep = arc_tangent(gradient).to_degrees() > self.max_slope;
        let factors = [
            (OffLimits::STEEP, (!is_steep).then_some(1.0)),
            (OffLimits::DEEP, self.wading_cost(depth)),
            (OffLimits::TYPE, self.type_cost(types)),
        ];
        let mut off_limits = OffLimits::default();
        let mut cost = self.pace.cost_across(f64::from(gradient)).max(1.0) as f32;
        for (reason, factor) in factors {
            match factor {
                Some(factor) => cost *= factor,
                None => off_limits = off_limits.and(reason),
            }
        }
        if off_limits.is_none() { Ok(cost) } else { Err(off_limits) }
    }
}

/// The error for a map that is too small for an operation.
pub(super) fn too_small(window: Window) -> Error {
    Error::parameter("window", format!("{window} has no ground between its samples; give at least 2 a side"))
}
