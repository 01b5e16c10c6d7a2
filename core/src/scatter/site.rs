//! The ground of a window as rules see it: its height and slope, and how far each rule allows an object.
//!
//! Positions follow from whole numbers of samples, in f64, so that a place has the same bits in every window.

use glam::{Vec2, Vec3};

use super::clumps;
use crate::analysis::ShareMap;
use crate::analysis::slope::degrees_from_gradient;
use crate::build::RuleGround;
use crate::grid::layer::{HOLE, WATER_DEPTH};
use crate::grid::{Domain, Heightfield, Window, drawn_hole, is_hole, normal_from_gradient, on_triangles};
use crate::noise::stream;
use crate::recipe::Recipe;
use crate::rules::Rule;
use crate::texture::{Limits, WATER_NEARNESS_REACH, WeightMap};

/// The stream of a rule's seed for its patches.
const CLUMPS: u64 = 0x0063_6C75_6D70;

/// The ground of a window, with the quantities that each rule depends on.
pub(super) struct Site {
    cell: f64,
    first: [i64; 2],
    /// The last sample of the land at this level along each axis; `None` on endless land.
    end: Option<[f64; 2]>,
    heights: Heightfield,
    /// The layer of holes, for land that has one.
    holes: Option<Heightfield>,
    /// For each rule that is in effect.
    conditions: Vec<Vec<Condition>>,
}

/// A rule's condition on a quantity of the ground.
struct Condition {
    quantity: Quantity,
    low: f32,
    high: f32,
    release: f32,
}

/// A number for every place.
enum Quantity {
    /// At samples.
    Heights(Heightfield),
    /// At samples that begin this many columns and rows before the site's.
    Measured(ShareMap, [usize; 2]),
    /// Distances in metres from a measured nearness, which is 1 in water and falls evenly.
    Distance(ShareMap, [usize; 2]),
    /// The share of each cell that some types cover.
    Shares { columns: usize, shares: Vec<f32> },
}

/// A place among samples: the sample to its north-west, and the share of the way to the next.
#[derive(Clone, Copy)]
struct Place {
    column: usize,
    row: usize,
    east: f32,
    south: f32,
}

impl Site {
    /// The ground of a window for the rules of a recipe that are in effect.
    pub(super) fn new(recipe: &Recipe, domain: &Domain, window: Window, ground: RuleGround) -> Self {
        let conditions = recipe.followed_rules().map(|(_, rule)| conditions(rule, &ground)).collect();
        let end = domain.size().map(|size| size.map(|side| f64::from(side - 1) * f64::from(domain.cell())));
        let cell = f64::from(domain.cell_at(window.level));
        let holes = ground.layers.get(HOLE).cloned();
        Self { cell, first: window.first, end, heights: ground.heights, holes, conditions }
    }

    /// Whether there is ground at a place: land, and no hole in it.
    pub(super) fn has(&self, x: f64, z: f64) -> bool {
        self.end.is_none_or(|[east, south]| (0.0..=east).contains(&x) && (0.0..=south).contains(&z))
            && !self.holes.as_ref().is_some_and(|holes| self.place(x, z).is_hole(holes))
    }

    /// The position of a place among the samples. Beyond the last ones it is that of the border.
    fn place(&self, x: f64, z: f64) -> Place {
        let grid = self.heights.grid();
        let along = |place: f64, axis: usize, count: usize| {
            let place = place / self.cell;
            let whole = place.floor();
            let number = (whole as i64).saturating_sub(self.first[axis]);
            // The last cell begins one sample before the last.
            let last = count as i64 - 2;
            match number {
                before if before < 0 => (0, 0.0),
                after if after > last => (last.max(0) as usize, if last < 0 { 0.0 } else { 1.0 }),
                number => (number as usize, (place - whole) as f32),
            }
        };
        let ((column, east), (row, south)) = (along(x, 0, grid.width), along(z, 1, grid.depth));
        Place { column, row, east, south }
    }

    /// How far rule number `rule`, among those in effect, allows an object at a place, from 0 to 1, with the
    /// height of the ground there and its normal. Where nothing is allowed the rest is not computed.
    pub(super) fn look(&self, (number, rule): (usize, &Rule), seed: u64, x: f64, z: f64) -> Option<Ground> {
        let place = self.place(x, z);
        let height = place.between(|column, row| self.heights.at(column, row), &self.heights);
        let mut allowed = influence(&rule.elevation, height);
        let mut also = |share: f32| {
            allowed *= share;
            allowed > 0.0
        };
        if !also(1.0) {
            return None;
        }
        // From cheap to expensive, since most points fail early: height, slope, layers, noise last.
        let gradient = self.gradient(place);
        let is_allowed = also(influence(&rule.slope, degrees_from_gradient(gradient.length())))
            && self.conditions[number]
                .iter()
                .all(|condition| also(condition.influence(place, &self.heights)))
            && (rule.clumping == 0.0 || {
                let patch = clumps::at(stream(seed, CLUMPS), rule.clump, x, z);
                also(1.0 - rule.clumping * (1.0 - patch))
            });
        is_allowed.then(|| Ground { allowed, height, normal: normal_from_gradient(gradient) })
    }

    /// Rise per metre towards east and south, interpolated from that of the samples.
    fn gradient(&self, place: Place) -> Vec2 {
        let grid = self.heights.grid();
        let (east, south) = ((place.column + 1).min(grid.width - 1), (place.row + 1).min(grid.depth - 1));
        let at = |column, row| self.heights.gradient_at(column, row);
        let north = at(place.column, place.row).lerp(at(east, place.row), place.east);
        north.lerp(at(place.column, south).lerp(at(east, south), place.east), place.south)
    }
}

/// The ground under an object.
pub(super) struct Ground {
    pub(super) allowed: f32,
    pub(super) height: f32,
    pub(super) normal: Vec3,
}

impl Place {
    /// Whether there is a hole, as it is drawn.
    fn is_hole(self, holes: &Heightfield) -> bool {
        let grid = holes.grid();
        let (east, south) = ((self.column + 1).min(grid.width - 1), (self.row + 1).min(grid.depth - 1));
        let row = |row: usize| [self.column, east].map(|column| drawn_hole(holes.at(column, row)));
        is_hole(on_triangles(row(self.row), row(south), [self.east, self.south].map(f64::from)))
    }

    /// Interpolates bilinearly over the samples of `heights`.
    fn between(self, at: impl Fn(usize, usize) -> f32, heights: &Heightfield) -> f32 {
        let grid = heights.grid();
        let (east, south) = ((self.column + 1).min(grid.width - 1), (self.row + 1).min(grid.depth - 1));
        let between = |from: f32, to: f32, share: f32| from + (to - from) * share;
        let north = between(at(self.column, self.row), at(east, self.row), self.east);
        let below = between(at(self.column, south), at(east, south), self.east);
        between(north, below, self.south)
    }
}

impl Condition {
    fn new(quantity: Quantity, limits: Limits) -> Self {
        let Limits { min, max, release } = limits;
        Self { quantity, low: min, high: max, release }
    }

    fn influence(&self, place: Place, heights: &Heightfield) -> f32 {
        let value = match &self.quantity {
            Quantity::Heights(field) => place.between(|column, row| field.at(column, row), heights),
            Quantity::Measured(layer, before) => measured(layer, before, place, heights),
            Quantity::Distance(layer, before) => {
                (1.0 - measured(layer, before, place, heights)) * WATER_NEARNESS_REACH
            }
            Quantity::Shares { columns, shares } => {
                let cell = place.row * columns + place.column.min(columns.saturating_sub(1));
                shares.get(cell).copied().unwrap_or(0.0)
            }
        };
        trapezoid(self.low, self.high, self.release, value)
    }
}

fn measured(layer: &ShareMap, before: &[usize; 2], place: Place, heights: &Heightfield) -> f32 {
    place.between(|column, row| layer.at(before[0] + column, before[1] + row), heights)
}

/// A rule's conditions on the ground, other than height and slope.
fn conditions(rule: &Rule, ground: &RuleGround) -> Vec<Condition> {
    let mut conditions = Vec::new();
    let measured = |name: &str| ground.measured.iter().find(|(known, ..)| known == name);
    if let Some(depth) = ground.layers.get(WATER_DEPTH).filter(|_| rule.water_depth != Rule::ANY_DEPTH) {
        conditions.push(Condition::new(Quantity::Heights(depth.clone()), rule.water_depth));
    }
    if let Some((_, layer, before)) = measured(&RuleGround::water_nearness())
        && rule.water_distance != Rule::ANY_DISTANCE
    {
        conditions.push(Condition::new(Quantity::Distance(layer.clone(), *before), rule.water_distance));
    }
    for (name, limits) in RuleGround::limits_of_factors(rule) {
        if let Some((_, layer, before)) = measured(&name) {
            conditions.push(Condition::new(Quantity::Measured(layer.clone(), *before), limits));
        }
    }
    for limits in &rule.layers {
        if let Some(layer) = ground.layers.get(limits.name.as_str()) {
            let (low, high) = (limits.min.unwrap_or(f32::MIN), limits.max.unwrap_or(f32::MAX));
            let quantity = Quantity::Heights(layer.clone());
            conditions.push(Condition { quantity, low, high, release: limits.release });
        }
    }
    if let Some((names, weights)) = &ground.types {
        for limits in &rule.types {
            let quantity =
                Quantity::Shares { columns: weights.width, shares: shares(weights, names, &limits.name) };
            conditions.push(Condition::new(quantity, limits.share));
        }
    }
    conditions
}

/// The share of each cell that the types of a name cover.
fn shares(weights: &WeightMap, names: &[String], name: &str) -> Vec<f32> {
    let of_cell = |shares: &[u8]| {
        let named = shares.iter().zip(names).filter(|(_, known)| *known == name);
        named.map(|(share, _)| f32::from(*share) / 255.0).sum::<f32>().min(1.0)
    };
    weights.shares.chunks(weights.types.max(1)).map(of_cell).collect()
}

/// 1 within limits, falling to 0 over their release outside.
pub(super) fn influence(limits: &Limits, value: f32) -> f32 {
    trapezoid(limits.min, limits.max, limits.release, value)
}

fn trapezoid(low: f32, high: f32, release: f32, value: f32) -> f32 {
    let excess = (low - value).max(value - high);
    if excess <= 0.0 {
        1.0
    } else if excess < release {
        1.0 - excess / release
    } else {
        0.0
    }
}
