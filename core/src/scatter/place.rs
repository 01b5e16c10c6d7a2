//! Places objects by rules: points of each rule, thinned by what the ground allows, then by the objects that
//! are already there.
//!
//! The points of a rule are spaced before the ground is examined, so that they depend on no land around them.
//! The ground then thins them randomly, which preserves both the spacing and the density. Rules are placed in
//! the order of the list, as in van Muijden, "GPU-Based Run-Time Procedural Placement in Horizon Zero Dawn"
//! (2017), but here distances between objects of different rules are exact, too: for each rule, the objects
//! of earlier rules are known a little beyond the rectangle.

use std::sync::Arc;

use glam::DVec2;

use super::object::Object;
use super::points::{Point, Points, Rectangle, unit};
use super::site::{Ground, Site, influence};
use crate::build::Cache;
use crate::compute::work::Work;
use crate::error::{Error, Result};
use crate::grid::Domain;
use crate::noise::{mix, stream};
use crate::recipe::Recipe;
use crate::rules::Rule;
use crate::steps::filter::{NearRoads, Roads};

/// The most darts that a rectangle may need: some hundred megabytes.
const MOST_DARTS: f64 = 4e6;

/// The most cells of darts that a rectangle may touch. There are more cells than darts only where a rectangle
/// is very narrow.
const MOST_CELLS: f64 = 2.0 * MOST_DARTS;

/// Metres beyond the necessary distance within which roads are searched, so that a road that is just found or
/// just missed gives the same result.
const SLACK: f64 = 1.0;

/// Distinguishes the random bits for the ground's decision from others.
const ALLOWING: u64 = 0x616C_6C6F_7700;

/// A rule, prepared for placing objects.
#[derive(Clone, Debug)]
pub(super) struct Placing {
    /// Its index in the recipe.
    number: usize,
    rule: Rule,
    seed: u64,
    points: Points,
    /// The distance around a rectangle within which its objects must be known, metres.
    margin: f64,
    /// The land's roads, if the rule has limits of the distance from them, and the distance up to which they
    /// matter.
    roads: Option<(Arc<Roads>, f64)>,
}

/// The rules of a recipe that are in effect, in their order, with seeds derived from the recipe's.
///
/// # Errors
/// Those of building land on which a road finds its route.
pub(super) fn placing(recipe: &Recipe, domain: &Domain, cache: &Cache, work: &Work) -> Result<Vec<Placing>> {
    let depends_on_roads = recipe.followed_rules().any(|(_, rule)| rule.road_reach().is_some());
    let laid = depends_on_roads.then(|| recipe.with_found_routes(cache, work)).transpose()?;
    let roads = laid.map(|laid| Arc::new(Roads::of(laid.roads(), domain)));
    let mut all: Vec<Placing> = recipe
        .followed_rules()
        .map(|(number, rule)| {
            // With the rule's number, so that equal rules get different points.
            let seed = stream(recipe.seed ^ 0x7363_6174_7465_7200, u64::from(rule.seed));
            let seed = stream(seed, number as u64);
            let points = Points::new(rule.density_in_metres(), f64::from(rule.spacing), seed);
            let roads = roads.clone().zip(rule.road_reach());
            Placing { number, rule: rule.clone(), seed, points, margin: 0.0, roads }
        })
        .collect();
    // From the last rule back: an object depends on earlier ones within reach, and those in turn on still
    // earlier ones.
    for before in (0..all.len()).rev() {
        let reach = |after: &Placing| after.margin + together(&all[before].rule, &after.rule);
        all[before].margin = all[before + 1..].iter().map(reach).fold(0.0, f64::max);
    }
    Ok(all)
}

/// The distance around a rectangle within which the ground must be known for these rules, metres.
pub(super) fn margin(rules: &[Placing]) -> f64 {
    rules.iter().map(|placing| placing.margin).fold(0.0, f64::max)
}

/// The least distance of two objects of different rules. Objects without a radius ignore those of other
/// rules.
fn together(one: &Rule, other: &Rule) -> f64 {
    if one.radius > 0.0 && other.radius > 0.0 { f64::from(one.radius) + f64::from(other.radius) } else { 0.0 }
}

/// The objects in a rectangle of those rules that are `wanted`, by their indices in the recipe, rule by rule.
/// Others are placed only as far as wanted ones give way to them.
///
/// # Errors
/// When the rectangle is too large, and [`Error::Cancelled`].
pub(super) fn place(
    rules: &[Placing],
    wanted: impl Fn(usize) -> bool,
    site: &Site,
    rectangle: Rectangle,
    work: &Work,
) -> Result<Vec<Object>> {
    let mut standing = Standing::default();
    let mut objects = Vec::new();
    let counts = counting(rules, &wanted);
    for (index, placing) in rules.iter().enumerate() {
        work.check()?;
        if !counts[index] {
            continue;
        }
        let is_rule_wanted = wanted(placing.number);
        let is_before = (index + 1..rules.len())
            .any(|after| counts[after] && together(&placing.rule, &rules[after].rule) > 0.0);
        let mut stand = Vec::new();
        let roads = placing.roads_near(rectangle);
        for point in placing.points.within(rectangle.grown(placing.margin)) {
            let is_wanted = is_rule_wanted && rectangle.has(point.x, point.z);
            if !(is_wanted || is_before) {
                continue;
            }
            // The ground first: it rules out most points, and comparing with objects costs more.
            let Some(ground) = placing.stands(index, point, site, roads.as_ref()) else { continue };
            if standing.is_full(point, &placing.rule) {
                continue;
            }
            if is_wanted {
                let rule = (placing.number, &placing.rule);
                objects.push(Object::at(point, rule, ground.height, ground.normal));
            }
            if is_before {
                stand.push(point);
            }
        }
        // Objects of one rule are spaced by its points already, so they join only for later rules.
        if is_before {
            standing.groups.push(Group::new(placing.rule.clone(), &stand));
        }
    }
    Ok(objects)
}

/// Which rules matter for the wanted ones: these themselves, and earlier ones to which they give way.
fn counting(rules: &[Placing], wanted: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut counts: Vec<bool> = rules.iter().map(|placing| wanted(placing.number)).collect();
    for before in (0..rules.len()).rev() {
        counts[before] |= (before + 1..rules.len())
            .any(|after| counts[after] && together(&rules[before].rule, &rules[after].rule) > 0.0);
    }
    counts
}

impl Placing {
    /// The rule's index in the recipe.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The rule and its seed.
    pub(super) fn rule(&self) -> (&Rule, u64) {
        (&self.rule, self.seed)
    }

    /// The roads that matter for objects in a rectangle and in the margin within which objects must be known.
    fn roads_near(&self, rectangle: Rectangle) -> Option<NearRoads<'_>> {
        let (roads, reach) = self.roads.as_ref()?;
        let Rectangle { low, high } = rectangle.grown(self.margin);
        Some(roads.near(low.into(), high.into(), reach + SLACK))
    }

    /// The ground under a point, if it and the roads around it allow an object there.
    fn stands(&self, index: usize, point: Point, site: &Site, roads: Option<&NearRoads>) -> Option<Ground> {
        if !site.has(point.x, point.z) {
            return None;
        }
        let mut ground = site.look((index, &self.rule), self.seed, point.x, point.z)?;
        if let Some(roads) = roads {
            let farthest = Rule::ANY_DISTANCE.max;
            let away = roads.distance(DVec2::new(point.x, point.z));
            let away = away.map_or(farthest, |metres| (metres as f32).min(farthest));
            ground.allowed *= influence(&self.rule.road_distance, away);
        }
        // Other bits than those that thin the points: both decisions must be independent.
        (unit(mix(point.bits ^ ALLOWING)) < f64::from(ground.allowed)).then_some(ground)
    }
}

/// Refuses a rectangle that isn't valid.
pub(super) fn check_sides(rectangle: Rectangle) -> Result<()> {
    let Rectangle { low, high } = rectangle;
    let is_possible = |side: f64| side.is_finite() && side.abs() <= FARTHEST;
    if low.into_iter().chain(high).all(is_possible) && low[0] <= high[0] && low[1] <= high[1] {
        return Ok(());
    }
    let reason = format!(
        "from {low:?} to {high:?} m is not a rectangle; give one within {FARTHEST:e} m of the origin, west and north \
         first"
    );
    Err(Error::parameter("rectangle", reason))
}

/// Refuses a rectangle that isn't valid, or that has too much to place in one go.
pub(super) fn check(rules: &[Placing], rectangle: Rectangle) -> Result<()> {
    check_sides(rectangle)?;
    let Rectangle { low, high } = rectangle;
    let around = |placing: &Placing| rectangle.grown(placing.margin);
    let darts: f64 = rules.iter().map(|placing| placing.points.darts(around(placing))).sum();
    let cells: f64 = rules.iter().map(|placing| placing.points.cells(around(placing))).sum();
    if darts <= MOST_DARTS && cells <= MOST_CELLS {
        return Ok(());
    }
    // Objects grow with the area, hence the root; half of that leaves room for margins.
    let share = (MOST_DARTS / darts).min(MOST_CELLS / cells).min(1.0).sqrt();
    let reason = format!(
        "{:.0} × {:.0} m have too many objects to place in one go; use parts of at most about {:.0} m",
        high[0] - low[0],
        high[1] - low[1],
        (high[0] - low[0]).max(high[1] - low[1]) * share / 2.0
    );
    Err(Error::parameter("rectangle", reason))
}

/// The farthest from the origin that objects are placed, metres: beyond this, centimetres are lost in
/// rounding.
const FARTHEST: f64 = 1e12;

/// The objects that are already placed, rule by rule.
#[derive(Default)]
struct Standing {
    groups: Vec<Group>,
}

/// The objects of a rule, in cells. Only cells with objects are stored, so that memory follows from the
/// number of objects and not from the size of the land.
struct Group {
    rule: Rule,
    /// Side of a cell, metres.
    cell: f64,
    /// Each row of cells that has objects, and where its objects begin among `places`.
    rows: Vec<(i64, u32)>,
    /// The column of each object's cell, and the object's place: by rows, and in each row by columns.
    places: Vec<(i64, [f64; 2])>,
}

impl Standing {
    /// Whether another object is too close to a point for an object of this rule.
    fn is_full(&self, point: Point, rule: &Rule) -> bool {
        self.groups.iter().any(|group| group.is_near(point, together(&group.rule, rule)))
    }
}

impl Group {
    fn new(rule: Rule, points: &[Point]) -> Self {
        // About one object per cell, but no cell for a distance that does not matter.
        let cell = f64::from(rule.spacing.max(rule.radius));
        let at = |place: f64| (place / cell).floor() as i64;
        let mut in_rows: Vec<(i64, i64, [f64; 2])> =
            points.iter().map(|point| (at(point.z), at(point.x), [point.x, point.z])).collect();
        in_rows.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let mut rows: Vec<(i64, u32)> = Vec::new();
        for (index, (row, ..)) in in_rows.iter().enumerate() {
            if rows.last().is_none_or(|(last, _)| last != row) {
                rows.push((*row, index as u32));
            }
        }
        let places = in_rows.into_iter().map(|(_, column, place)| (column, place)).collect();
        Self { rule, cell, rows, places }
    }

    /// Whether any of them is closer to a point than a distance.
    fn is_near(&self, point: Point, distance: f64) -> bool {
        if distance == 0.0 || self.places.is_empty() {
            return false;
        }
        let cell = |place: f64| (place / self.cell).floor() as i64;
        let (west, east) = (cell(point.x - distance), cell(point.x + distance));
        let (north, south) = (cell(point.z - distance), cell(point.z + distance));
        let first = self.rows.partition_point(|(row, _)| *row < north);
        let mut rows = self.rows[first..].iter().take_while(|(row, _)| *row <= south).enumerate();
        rows.any(|(number, (_, start))| {
            let end = self.rows.get(first + number + 1).map_or(self.places.len(), |(_, next)| *next as usize);
            let places = &self.places[*start as usize..end];
            let first = places.partition_point(|(column, _)| *column < west);
            places[first..].iter().take_while(|(column, _)| *column <= east).any(|(_, [x, z])| {
                let (x, z) = (x - point.x, z - point.z);
                x * x + z * z < distance * distance
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{hash, signed_unit};

    #[test]
    fn nearby_objects_are_found_everywhere() {
        let at = |number: i64, wide: f64| Point {
            x: f64::from(signed_unit(hash(7, number, 0))) * wide,
            z: f64::from(signed_unit(hash(7, number, 1))) * wide,
            bits: number as u64,
        };
        for (spacing, radius, wide) in
            [(0.1, 0.0, 2.0), (3.0, 1.0, 40.0), (0.1, 0.1, 1e9), (20.0, 50.0, 300.0)]
        {
            let points: Vec<Point> = (0..300).map(|number| at(number, wide)).collect();
            let group = Group::new(Rule { radius, ..Rule::new("stone", 1.0, spacing) }, &points);
            for number in 300..900 {
                let (point, distance) = (at(number, wide), [0.0, 0.2, 4.0, 100.0][number as usize % 4]);
                let is_near = points.iter().any(|other| {
                    let (x, z) = (other.x - point.x, other.z - point.z);
                    x * x + z * z < distance * distance
                });
                assert_eq!(group.is_near(point, distance), is_near, "{spacing}, {distance}, {point:?}");
            }
        }
        assert!(!Group::new(Rule::new("stone", 1.0, 1.0), &[]).is_near(at(0, 1.0), 1.0));
    }
}
