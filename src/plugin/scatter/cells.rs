//! Cells of land whose objects are placed together: which are needed around cameras, in which order they are
//! made, and what there is of them.

use std::sync::Arc;

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::instance::{BLOCK, PAGE, Packed, Packs};
use super::pool::Page;
use super::rule_table::{RuleTable, Tier};
use crate::scatter::{Object, Rectangle, Scatter, clear};
use crate::sculpt::Sculpture;
use crate::stream::LandShape;
use crate::{Result, Work};

/// How much farther than its reach a cell is kept, so that none is made again and again.
const KEPT: f64 = 1.15;

/// A cell of a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CellKey {
    pub(super) tier: usize,
    pub(super) column: i32,
    pub(super) row: i32,
}

impl CellKey {
    /// Its north-west corner, metres from the land's sample (0, 0).
    pub(super) fn corner(self, tier: &Tier) -> DVec2 {
        DVec2::new(f64::from(self.column), f64::from(self.row)) * tier.side
    }

    fn rectangle(self, tier: &Tier) -> Rectangle {
        let low = self.corner(tier);
        Rectangle { low: low.to_array(), high: (low + tier.side).to_array() }
    }

    /// Whether a part of an area lies in it.
    pub(super) fn meets(self, tier: &Tier, [low, high]: [DVec2; 2]) -> bool {
        let corner = self.corner(tier);
        corner.x <= high.x
            && corner.y <= high.y
            && corner.x + tier.side >= low.x
            && corner.y + tier.side >= low.y
    }
}

/// Where a camera is, for planning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watcher {
    /// Metres from the land's sample (0, 0), east and south, and above everything that is known of the land.
    pub(super) place: DVec2,
    pub(super) above: f64,
    /// Horizontal direction of view, of length 1 or less.
    pub(super) ahead: DVec2,
    /// Multiple of distances.
    pub(super) reach: f64,
    /// For parallel projections: how far to the sides there is anything to see, metres, and the distance that
    /// everything counts as having.
    pub(super) flat: Option<(f64, f64)>,
}

impl Watcher {
    /// How far a tier is seen, metres along the ground.
    fn reach(&self, tier: &Tier) -> f64 {
        let reach = (f64::from(tier.reach) * self.reach).max(f64::from(tier.spawned));
        match self.flat {
            Some((_, distance)) if distance > reach => 0.0,
            Some((aside, _)) => aside,
            // Pythagoras: from a height, less of the ground is within reach.
            None => (reach * reach - self.above * self.above).max(0.0).sqrt(),
        }
    }

    /// How urgent a cell is: 0 under the camera, 1 where it is no longer needed; what lies ahead comes first.
    fn urgency(&self, key: CellKey, tier: &Tier) -> f64 {
        let reach = self.reach(tier);
        if reach <= 0.0 {
            return f64::INFINITY;
        }
        let low = key.corner(tier);
        let nearest = self.place.clamp(low, low + tier.side);
        let away = nearest.distance(self.place);
        let towards = (low + tier.side / 2.0 - self.place).normalize_or_zero();
        let share = away / reach;
        // A cell ahead counts as half as far away as one behind. Beyond the reach the direction does not
        // count, or else turning the camera would change which cells are needed at all.
        if share >= 1.0 { share } else { share * (0.75 - 0.25 * towards.dot(self.ahead)) }
    }
}

/// How urgent a cell is for the camera that needs it most.
pub(super) fn urgency(watchers: &[Watcher], key: CellKey, tier: &Tier) -> f64 {
    watchers.iter().map(|watcher| watcher.urgency(key, tier)).fold(f64::INFINITY, f64::min)
}

/// Whether a cell may stay.
pub(super) fn is_kept(watchers: &[Watcher], key: CellKey, tier: &Tier) -> bool {
    urgency(watchers, key, tier) < KEPT
}

/// All cells that are needed, the most urgent first.
pub(super) fn needed(watchers: &[Watcher], tiers: &[Tier], shape: &LandShape) -> Vec<(CellKey, f64)> {
    let mut needed = Vec::new();
    for (number, tier) in tiers.iter().enumerate() {
        for (index, watcher) in watchers.iter().enumerate() {
            let reach = watcher.reach(tier);
            if reach <= 0.0 || !watcher.place.is_finite() {
                continue;
            }
            let (mut low, mut high) = (watcher.place - reach, watcher.place + reach);
            if let Some(extent) = shape.extent() {
                (low, high) = (low.max(DVec2::ZERO), high.min(extent));
            }
            let (first, last) = ((low / tier.side).floor(), (high / tier.side).floor());
            for row in first.y as i32..=last.y as i32 {
                for column in first.x as i32..=last.x as i32 {
                    let key = CellKey { tier: number, column, row };
                    let urgency = watcher.urgency(key, tier);
                    // Each cell is listed by the first camera that needs it.
                    let others = &watchers[..index];
                    let is_known = others.iter().any(|other| other.urgency(key, tier) < 1.0);
                    let corner = key.corner(tier);
                    let is_beyond =
                        shape.extent().is_some_and(|extent| corner.x >= extent.x || corner.y >= extent.y);
                    if urgency < 1.0 && !is_known && !is_beyond {
                        let rest = watchers[index..].iter().map(|other| other.urgency(key, tier));
                        needed.push((key, rest.fold(urgency, f64::min)));
                    }
                }
            }
        }
    }
    needed.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    needed
}

/// The objects of a cell, as they come from the background.
pub(super) struct PlacedCell {
    runs: Vec<PlacedRun>,
}

struct PlacedRun {
    look: usize,
    packs: Packs,
    /// The objects themselves, for rules with a spawner.
    objects: Vec<Object>,
}

/// Places the objects of a cell, without those that strokes on the terrain have taken away.
pub(super) fn place(
    key: CellKey,
    (scatter, strokes): (&Scatter, Option<&Sculpture>),
    table: &RuleTable,
    density: f32,
    work: &Work,
) -> Result<PlacedCell> {
    let tier = &table.tiers[key.tier];
    let rules: Vec<_> = tier.rules.iter().map(|place| &table.rules[*place]).collect();
    let is_wanted = |number: usize| rules.iter().any(|rule| rule.number == number);
    let rectangle = key.rectangle(tier);
    let mut objects = scatter.of_rules(rectangle, is_wanted, work)?;
    if let Some(strokes) = strokes {
        clear(&mut objects, strokes, rectangle);
    }
    let corner = key.corner(tier).to_array();
    let is_left = |object: &&Object| is_left_at(density, object.id);
    let mut runs = Vec::new();
    for rule in &rules {
        let own: Vec<&Object> =
            objects.iter().filter(|object| object.rule as usize == rule.number).filter(is_left).collect();
        for variant in 0..rule.variants {
            // Other bits than those of the density, or variants would thin out one after another.
            let is_variant =
                |object: &Object| (object.id >> DENSITY_BITS) as usize % rule.variants == variant;
            let chosen: Vec<(&Object, f32)> = own
                .iter()
                .filter(|object| is_variant(object))
                .map(|object| (*object, rule.sink * object.size))
                .collect();
            if chosen.is_empty() {
                continue;
            }
            let is_spawned = rule.made.spawner.is_some();
            let objects =
                if is_spawned { chosen.iter().map(|(object, _)| **object).collect() } else { Vec::new() };
            let packs = Packs::new(chosen, corner, tier.side);
            runs.push(PlacedRun { look: rule.first_look + variant, packs, objects });
        }
    }
    // Those with impostors are neighbours, so that all of them can be one batch.
    runs.sort_by_key(|run| (!has_impostor(table, run.look), run.look));
    Ok(PlacedCell { runs })
}

/// How many of the lowest bits of an object's number decide whether it is left at a density. The highest 16
/// are its chance, by which it fades, sways and is tinted: if they decided here as well, plants of a sparse
/// land would have the lower half of all chances only.
const DENSITY_BITS: u32 = 20;

/// Whether an object is left at a density, from 0 to 1. By bits of the object's own number, so that the same
/// objects are left out in every run and on every device.
fn is_left_at(density: f32, id: u64) -> bool {
    let share = (id & ((1 << DENSITY_BITS) - 1)) as f32 / (1 << DENSITY_BITS) as f32;
    share < density
}

pub(super) fn has_impostor(table: &RuleTable, look: usize) -> bool {
    table.looks[look].levels.last().is_some_and(|level| level.template.is_none())
}

/// Objects of a look that are contiguous on the device.
pub(super) struct Run {
    pub(super) look: usize,
    /// The first object, counted from the pool's first.
    pub(super) first: usize,
    pub(super) count: usize,
    /// A sphere around each block.
    pub(super) spheres: Vec<Vec4>,
    /// Around all feet, metres from the corner and from height 0.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    /// The objects themselves, for rules with a spawner.
    pub(super) objects: Arc<Vec<Object>>,
}

/// A cell that is drawn.
pub(super) struct Cell {
    /// Changes when its objects do.
    pub(super) version: u64,
    /// Whether it must be made again.
    pub(super) is_stale: bool,
    pub(super) first_page: usize,
    pub(super) pages: usize,
    pub(super) runs: Vec<Run>,
    /// Metres from the land's sample (0, 0).
    pub(super) corner: DVec2,
    /// Around all feet, as of runs.
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    pub(super) objects: usize,
}

impl PlacedCell {
    /// How many pages it needs.
    pub(super) fn pages(&self) -> usize {
        self.runs.iter().map(|run| run.packs.packed.len().div_ceil(PAGE)).sum()
    }

    /// The cell, whose pages begin with `first_page`, and what is to be uploaded.
    pub(super) fn into_cell(
        self,
        key: CellKey,
        tier: &Tier,
        first_page: usize,
        version: u64,
    ) -> (Cell, Vec<Page>, Vec<[Packed; PAGE]>) {
        let corner_in_samples = [key.column, key.row].map(|number| number.wrapping_shl(tier.doublings));
        let (mut pages, mut objects) = (Vec::new(), Vec::new());
        let mut runs = Vec::new();
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        let mut count = 0;
        for PlacedRun { look, packs, objects: own } in self.runs {
            let first = (first_page + pages.len()) * PAGE;
            for (number, part) in packs.packed.chunks(PAGE).enumerate() {
                // A page belongs to one look, so that its last objects may be empty.
                let mut page = [Packed([0; 4]); PAGE];
                page[..part.len()].copy_from_slice(part);
                objects.push(page);
                let spheres = &packs.spheres[number * PAGE / BLOCK..];
                let spheres = &spheres[..part.len().div_ceil(BLOCK)];
                let height = spheres.iter().map(|sphere| sphere.y).sum::<f32>() / spheres.len().max(1) as f32;
                pages.push(Page {
                    corner: corner_in_samples,
                    count: part.len() as u32,
                    look: look as u32,
                    doublings: tier.doublings,
                    height,
                });
            }
            let bounds = packs.spheres.iter().fold((Vec3::MAX, Vec3::MIN), |(low, high), sphere| {
                let middle = sphere.truncate();
                (low.min(middle - sphere.w), high.max(middle + sphere.w))
            });
            (low, high) = (low.min(bounds.0), high.max(bounds.1));
            count += packs.packed.len();
            runs.push(Run {
                look,
                first,
                count: packs.packed.len(),
                spheres: packs.spheres,
                low: bounds.0,
                high: bounds.1,
                objects: Arc::new(own),
            });
        }
        let cell = Cell {
            version,
            is_stale: false,
            first_page,
            pages: pages.len(),
            runs,
            corner: key.corner(tier),
            low,
            high,
            objects: count,
        };
        (cell, pages, objects)
    }
}

impl Cell {
    /// An eye in the cell's own space: metres from its corner, heights as on the land.
    pub(super) fn local(&self, eye: DVec3) -> Vec3 {
        (eye - DVec3::new(self.corner.x, 0.0, self.corner.y)).as_vec3()
    }
}

/// The distances from a point to the nearest and to the farthest point of a box.
pub(super) fn distances(p: Vec3, low: Vec3, high: Vec3) -> (f32, f32) {
    let nearest = p.clamp(low, high.max(low));
    let farthest = (p - low).abs().max((p - high).abs());
    (p.distance(nearest), farthest.length())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(reach: f32, side: f64) -> Tier {
        Tier { rules: vec![0], doublings: 3, side, reach, spawned: 0.0 }
    }

    fn watcher(x: f64, z: f64) -> Watcher {
        Watcher { place: DVec2::new(x, z), above: 0.0, ahead: DVec2::X, reach: 1.0, flat: None }
    }

    /// Numbers as random as those of objects: SplitMix64, by G. Steele, D. Lea and C. Flood (2014).
    fn hashed(number: u64) -> u64 {
        let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    #[test]
    fn plants_of_a_sparse_land_have_all_chances() {
        for density in [0.1, 0.5, 1.0] {
            let ids = (1..=20_000).map(hashed).filter(|&id| is_left_at(density, id));
            let chances: Vec<f32> = ids.map(|id| (id >> 48) as f32 / 65_535.0).collect();
            assert!((chances.len() as f32 / 20_000.0 - density).abs() < 0.02, "{density}");
            // Their mean has a standard deviation of 0.29 / √2000 at most.
            let mean = chances.iter().sum::<f32>() / chances.len() as f32;
            let most = chances.iter().copied().fold(0.0, f32::max);
            assert!((mean - 0.5).abs() < 0.03 && most > 0.98, "{density}: {mean}, at most {most}");
        }
        assert!(is_left_at(1.0, u64::MAX) && !is_left_at(0.0, 0));
    }

    #[test]
    fn every_cell_within_reach_is_needed_once_and_the_nearest_first() {
        let tiers = [tier(100.0, 16.0), tier(1000.0, 128.0)];
        let shape = LandShape::endless(2.0, -3, 5000.0);
        let watchers = [watcher(7.0, -900.0), watcher(60.0, -930.0)];
        let needed = needed(&watchers, &tiers, &shape);
        let mut keys: Vec<CellKey> = needed.iter().map(|(key, _)| *key).collect();
        assert!(needed.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        assert_eq!(needed[0].1, 0.0, "the one under a camera");
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), needed.len());
        for (number, tier) in tiers.iter().enumerate() {
            for column in -80..80 {
                for row in -160..40 {
                    let key = CellKey { tier: number, column, row };
                    let is_needed = urgency(&watchers, key, tier) < 1.0;
                    assert_eq!(keys.binary_search(&key).is_ok(), is_needed, "{key:?}");
                }
            }
        }
    }

    #[test]
    fn what_lies_beyond_the_land_or_below_a_high_eye_is_not_needed() {
        let tiers = [tier(100.0, 16.0)];
        let shape = LandShape::bounded(2.0, [51, 51], -3);
        let on_border = needed(&[watcher(100.0, 50.0)], &tiers, &shape);
        assert!(!on_border.is_empty());
        assert!(on_border.iter().all(|(key, _)| (0..7).contains(&key.column) && (0..7).contains(&key.row)));
        let high = Watcher { above: 101.0, ..watcher(50.0, 50.0) };
        assert!(needed(&[high], &tiers, &shape).is_empty());
        assert!(needed(&[watcher(f64::NAN, 0.0)], &tiers, &shape).is_empty());
        let from_above = Watcher { flat: Some((40.0, 90.0)), ..watcher(50.0, 50.0) };
        assert!(!needed(&[from_above], &tiers, &shape).is_empty());
        let from_far_above = Watcher { flat: Some((4000.0, 101.0)), ..watcher(50.0, 50.0) };
        assert!(needed(&[from_far_above], &tiers, &shape).is_empty());
    }

    #[test]
    fn a_box_has_a_nearest_and_a_farthest_point() {
        let (low, high) = (Vec3::ZERO, Vec3::new(3.0, 4.0, 0.0));
        assert_eq!(distances(Vec3::new(-1.0, 0.0, 0.0), low, high), (1.0, 32f32.sqrt()));
        assert_eq!(distances(Vec3::ONE.with_z(0.0), low, high).0, 0.0);
    }
}
