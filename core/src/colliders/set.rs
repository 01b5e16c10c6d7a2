//! Which tiles some bodies have, which are to be made, and which are to be dropped.

use std::sync::Arc;

use glam::DVec2;
use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Body, Under, Wish};
use super::place::ColliderPlace;
use super::tile::ColliderTile;
use crate::stream::{LandShape, TileSource};

/// The tiles of a land under bodies.
///
/// Where bodies need several spacings, the finest is made: no two tiles that are needed overlap. Existing
/// tiles stay until their replacements exist, too. After [`edit`](Self::edit) the tiles of an area are
/// remade; until then they stay as they were.
#[derive(Debug)]
pub struct ColliderSet {
    under: Under,
    entries: FxHashMap<ColliderPlace, Entry>,
    /// The number of the last order.
    orders: u64,
    bytes: usize,
}

/// The state of a place.
#[derive(Debug, Default)]
struct Entry {
    tile: Option<Arc<ColliderTile>>,
    /// Whether the land has changed since the tile was ordered.
    is_stale: bool,
    /// The number of the order by which it is being made.
    order: Option<u64>,
    /// Whether making it failed; it isn't tried again before the next edit.
    has_failed: bool,
}

/// What to do now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColliderPlan {
    /// Tiles to make, the most urgent first, which don't exist or are out of date, including those that are
    /// already ordered.
    pub make: Vec<ColliderPlace>,
    /// How many of them, at the beginning, are under bodies that may touch them before the next plan.
    pub touched: usize,
    /// Existing tiles that are no longer needed. The set has already forgotten them.
    pub dropped: Vec<ColliderPlace>,
    /// For each body, in their order, whether ground that it may touch is missing.
    pub is_missing: Vec<bool>,
}

impl ColliderSet {
    /// A set without tiles, for a source's land.
    pub fn new(source: &dyn TileSource) -> Self {
        Self { under: Under::new(source), entries: FxHashMap::default(), orders: 0, bytes: 0 }
    }

    /// Whether this source has the same levels and extent, so that its tiles fit.
    pub fn fits(&self, source: &dyn TileSource) -> bool {
        self.under == Under::new(source)
    }

    /// The shape of the land.
    pub fn shape(&self) -> &LandShape {
        &self.under.shape
    }

    /// The tile of a place, if it exists.
    pub fn tile(&self, place: ColliderPlace) -> Option<&Arc<ColliderTile>> {
        self.entries.get(&place)?.tile.as_ref()
    }

    /// The existing tiles, in no order.
    pub fn tiles(&self) -> impl Iterator<Item = &Arc<ColliderTile>> {
        self.entries.values().filter_map(|entry| entry.tile.as_ref())
    }

    /// Memory of the tiles, bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the tile of a place has been ordered and has not arrived.
    pub fn is_ordered(&self, place: ColliderPlace) -> bool {
        self.entries.get(&place).is_some_and(|entry| entry.order.is_some())
    }

    /// How many tiles have been ordered and have not arrived.
    pub fn ordered(&self) -> usize {
        self.entries.values().filter(|entry| entry.order.is_some()).count()
    }

    /// The land has changed, in an area from its north-west to its south-east corner, in metres from sample
    /// (0, 0), or everywhere. Tiles there that were ordered before are made again.
    pub fn edit(&mut self, area: Option<[DVec2; 2]>) {
        let shape = self.under.shape;
        for (place, entry) in &mut self.entries {
            let (low, high) = place.rectangle(&shape);
            // A corner that is NaN excludes nothing.
            let is_outside = |[from, to]: [DVec2; 2]| from.cmpgt(high).any() || to.cmplt(low).any();
            if area.is_some_and(is_outside) {
                continue;
            }
            entry.is_stale = true;
            entry.has_failed = false;
            // The job goes on, but its tile will be refused: it shows the land before the edit.
            entry.order = None;
        }
    }

    /// Computes what bodies need now. Tiles whose orders are no longer needed are refused when they arrive.
    pub fn plan(&mut self, bodies: &[Body]) -> ColliderPlan {
        let wishes: Vec<Vec<Wish>> = bodies.iter().map(|body| body.wishes(&self.under)).collect();
        let mut asked: FxHashMap<ColliderPlace, Wish> = FxHashMap::default();
        for wish in wishes.iter().flatten() {
            let known = asked.entry(wish.place).or_insert(*wish);
            known.cost = known.cost.min(wish.cost);
            known.is_needed |= wish.is_needed;
            known.is_touched |= wish.is_touched;
        }
        let (needed, kept): (Vec<Wish>, Vec<Wish>) = asked.into_values().partition(|wish| wish.is_needed);
        let needed = without_overlaps(needed, &self.under.shape);
        let dropped = self.drop_all_but(&needed, &kept);

        let is_due = |wish: &&Wish| match self.entries.get(&wish.place) {
            Some(entry) => !entry.has_failed && (entry.tile.is_none() || entry.is_stale),
            None => true,
        };
        let mut make: Vec<&Wish> = needed.values().filter(is_due).collect();
        // Also by place, so that the order is always the same.
        make.sort_by(|a, b| {
            (!a.is_touched).cmp(&!b.is_touched).then(a.cost.total_cmp(&b.cost)).then(a.place.cmp(&b.place))
        });
        ColliderPlan {
            touched: make.iter().filter(|wish| wish.is_touched).count(),
            is_missing: wishes.iter().map(|wishes| self.misses(wishes)).collect(),
            make: make.into_iter().map(|wish| wish.place).collect(),
            dropped,
        }
    }

    /// Forgets tiles that are neither needed nor kept, and returns those that existed.
    fn drop_all_but(&mut self, needed: &FxHashMap<ColliderPlace, Wish>, kept: &[Wish]) -> Vec<ColliderPlace> {
        // Tiles that overlap places without a tile stay.
        let missing: FxHashSet<ColliderPlace> =
            needed.keys().copied().filter(|place| self.tile(*place).is_none()).collect();
        let coarsest = self.under.shape.coarsest;
        let over_missing: FxHashSet<ColliderPlace> =
            missing.iter().flat_map(|place| ancestors(*place, coarsest)).collect();
        let kept: FxHashSet<ColliderPlace> = kept.iter().map(|wish| wish.place).collect();
        let finer = needed.keys().chain(kept.iter().filter(|place| self.tile(**place).is_some()));
        let over_finer: FxHashSet<ColliderPlace> = if kept.is_empty() {
            FxHashSet::default()
        } else {
            finer.flat_map(|place| ancestors(*place, coarsest)).collect()
        };
        let mut dropped = Vec::new();
        self.entries.retain(|place, entry| {
            let is_in_the_way =
                || over_finer.contains(place) || ancestors(*place, coarsest).any(|p| needed.contains_key(&p));
            let stays = needed.contains_key(place)
                || (kept.contains(place) && !is_in_the_way())
                || (entry.tile.is_some()
                    && (over_missing.contains(place)
                        || ancestors(*place, coarsest).any(|place| missing.contains(&place))));
            if !stays && let Some(tile) = &entry.tile {
                self.bytes -= tile.bytes();
                dropped.push(*place);
            }
            stays
        });
        dropped.sort_unstable();
        dropped
    }

    /// Whether ground that a body may touch before the next plan is missing.
    pub fn is_missing(&self, body: &Body) -> bool {
        self.misses(&body.wishes(&self.under))
    }

    fn misses(&self, wishes: &[Wish]) -> bool {
        wishes.iter().any(|wish| wish.is_touched && wish.is_needed && !self.covers(wish.place))
    }

    /// Whether a place has ground: its own, or that of a coarser tile or of all finer tiles.
    fn covers(&self, place: ColliderPlace) -> bool {
        self.tile(place).is_some()
            || ancestors(place, self.under.shape.coarsest).any(|place| self.tile(place).is_some())
            || self.is_covered_by_finer(place)
    }

    fn is_covered_by_finer(&self, place: ColliderPlace) -> bool {
        place.level > self.under.shape.finest
            && place.children().into_iter().filter(|child| child.has_land(&self.under.shape)).all(|child| {
                self.tile(child).is_some()
                    // Looks deeper only if any finer tile exists at all, which bounds the recursion.
                    || (self.entries.keys().any(|place| place.level < child.level)
                        && self.is_covered_by_finer(child))
            })
    }

    /// The tile of a place is being made, from the land as it is now. Returns the number of the order.
    pub fn order(&mut self, place: ColliderPlace) -> u64 {
        self.orders += 1;
        self.entries.entry(place).or_default().order = Some(self.orders);
        self.orders
    }

    /// Accepts a tile that has been made. Returns false if it is no longer needed, or the land has changed
    /// since.
    pub fn arrive(&mut self, tile: Arc<ColliderTile>, order: u64) -> bool {
        let Some(entry) = self.entries.get_mut(&tile.place()).filter(|entry| entry.order == Some(order))
        else {
            return false;
        };
        // Added before it is subtracted, so that the number never goes below 0.
        self.bytes += tile.bytes();
        self.bytes -= entry.tile.as_ref().map_or(0, |tile| tile.bytes());
        *entry = Entry { tile: Some(tile), ..Entry::default() };
        true
    }

    /// A tile could not be made: it is not tried again before the land changes. Returns false if it is no
    /// longer needed.
    pub fn fail(&mut self, place: ColliderPlace, order: u64) -> bool {
        let Some(entry) = self.entries.get_mut(&place).filter(|entry| entry.order == Some(order)) else {
            return false;
        };
        entry.order = None;
        entry.has_failed = true;
        true
    }
}

/// The coarser places that contain a place.
fn ancestors(place: ColliderPlace, coarsest: i32) -> impl Iterator<Item = ColliderPlace> {
    let next = move |place: &ColliderPlace| (place.level < coarsest).then(|| place.parent());
    std::iter::successors(next(&place), next)
}

/// Divides places that contain others, until none contains another.
fn without_overlaps(needed: Vec<Wish>, shape: &LandShape) -> FxHashMap<ColliderPlace, Wish> {
    let mut levels = needed.iter().map(|wish| wish.place.level);
    let first = levels.next();
    // Usually all bodies need the same spacing; then no tiles can overlap.
    if first.is_none_or(|first| levels.all(|level| level == first)) {
        return needed.into_iter().map(|wish| (wish.place, wish)).collect();
    }
    let divided: FxHashSet<ColliderPlace> =
        needed.iter().flat_map(|wish| ancestors(wish.place, shape.coarsest)).collect();
    let mut whole: FxHashMap<ColliderPlace, Wish> = FxHashMap::default();
    let mut left = needed;
    while let Some(wish) = left.pop() {
        if divided.contains(&wish.place) {
            let children = wish.place.children().into_iter().filter(|place| place.has_land(shape));
            left.extend(children.map(|place| Wish { place, ..wish }));
            continue;
        }
        let known = whole.entry(wish.place).or_insert(wish);
        known.cost = known.cost.min(wish.cost);
        known.is_touched |= wish.is_touched;
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::compute::work::Work;
    use crate::error::Result;
    use crate::stream::{LandTile, MadeTile, Relief};
    use crate::{Error, Window};

    /// Level land of a shape.
    struct Plain(LandShape);

    impl TileSource for Plain {
        fn shape(&self) -> LandShape {
            self.0
        }

        fn make(&self, _: LandTile, _: &Work) -> Result<MadeTile> {
            Err(Error::Cancelled)
        }

        fn relief(&self, window: Window, _: &Work) -> Result<Relief> {
            let count = window.size.map(|side| side as usize);
            Relief::new(window, vec![7.0; count[0] * count[1]], Vec::new(), Vec::new())
        }
    }

    fn endless() -> Plain {
        Plain(LandShape::endless(16.0, -6, 1e5))
    }

    fn body(x: f64, z: f64) -> Body {
        let place = DVec2::new(x, z);
        Body { place, velocity: DVec2::ZERO, radius: 20.0, spacing: 0.0, ahead: 1.0, until: 0.02 }
    }

    fn made(land: &Plain, place: ColliderPlace) -> Arc<ColliderTile> {
        Arc::new(ColliderTile::make(land, place, &Work::new()).unwrap())
    }

    /// Makes at most `most` tiles of a plan.
    fn make(land: &Plain, set: &mut ColliderSet, plan: &ColliderPlan, most: usize) {
        for place in plan.make.iter().take(most) {
            let order = set.order(*place);
            assert!(set.arrive(made(land, *place), order));
        }
    }

    /// Whether a place has ground.
    fn has_ground(set: &ColliderSet, p: DVec2) -> bool {
        set.tiles().any(|tile| {
            let (low, high) = tile.place().rectangle(set.shape());
            p.clamp(low, high) == p
        })
    }

    #[test]
    fn memory_depends_on_the_body_and_not_on_the_land() {
        let land = endless();
        let mut set = ColliderSet::new(&land);
        let most = body(0.0, 0.0).wishes(&set.under).len();
        let mut seen = FxHashSet::default();
        for step in 0..400 {
            let plan = set.plan(&[body(f64::from(step) * 7.0, f64::from(step) * -3.0)]);
            assert_eq!(plan.is_missing, [step == 0], "what it touches is there before it comes");
            make(&land, &mut set, &plan, usize::MAX);
            seen.extend(set.tiles().map(|tile| tile.place()));
            assert!(set.tiles().count() <= most && set.bytes() <= most * 4 * 65 * 65);
        }
        assert!(seen.len() > 8 * most);
        let there = set.tiles().count();
        assert_eq!(set.plan(&[]).dropped.len(), there);
        assert_eq!((set.tiles().count(), set.bytes(), set.ordered()), (0, 0, 0));
    }

    #[test]
    fn a_body_that_moves_to_and_fro_over_a_border_causes_no_work() {
        let land = endless();
        let mut set = ColliderSet::new(&land);
        for step in 0..20 {
            let plan = set.plan(&[body(if step % 2 == 0 { 3.9 } else { 4.1 }, 0.0)]);
            assert!(step < 2 || (plan.make.is_empty() && plan.dropped.is_empty()), "{plan:?}");
            make(&land, &mut set, &plan, usize::MAX);
        }
    }

    #[test]
    fn after_an_edit_only_tiles_of_the_area_are_remade_and_stay_until_then() {
        let land = endless();
        let mut set = ColliderSet::new(&land);
        let bodies = [body(8.0, 8.0)];
        let plan = set.plan(&bodies);
        make(&land, &mut set, &plan, usize::MAX);
        let before = set.tiles().count();
        // Within one tile of 16 m under the body.
        set.edit(Some([DVec2::new(2.0, 3.0), DVec2::new(5.0, 5.0)]));
        let plan = set.plan(&bodies);
        assert_eq!(plan.make, [ColliderPlace { level: -6, column: 0, row: 0 }]);
        assert_eq!((plan.touched, set.tiles().count(), &plan.is_missing[..]), (1, before, &[false][..]));
        // A tile that was ordered before the next edit is out of date.
        let order = set.order(plan.make[0]);
        set.edit(None);
        assert!(!set.arrive(made(&land, plan.make[0]), order));
        assert_eq!(set.plan(&bodies).make.len(), before);
        // Far away.
        let plan = set.plan(&bodies);
        make(&land, &mut set, &plan, usize::MAX);
        set.edit(Some([DVec2::splat(5000.0), DVec2::splat(5001.0)]));
        assert_eq!(set.plan(&bodies).make, []);
    }

    #[test]
    fn a_tile_that_fails_is_not_tried_again_before_the_land_changes() {
        let land = endless();
        let mut set = ColliderSet::new(&land);
        let plan = set.plan(&[body(8.0, 8.0)]);
        let first = plan.make[0];
        let order = set.order(first);
        assert!(set.fail(first, order) && !set.fail(first, order));
        let plan = set.plan(&[body(8.0, 8.0)]);
        assert!(!plan.make.contains(&first) && plan.is_missing[0]);
        set.edit(None);
        assert!(set.plan(&[body(8.0, 8.0)]).make.contains(&first));
    }

    #[test]
    fn beyond_the_border_there_is_no_ground_and_none_is_missing() {
        let land = Plain(LandShape::bounded(16.0, [65, 65], -6));
        let mut set = ColliderSet::new(&land);
        let plan = set.plan(&[body(-500.0, 0.0), body(f64::NAN, 0.0), body(1030.0, 512.0)]);
        assert_eq!(plan.is_missing, [false, false, false]);
        assert!(!plan.make.is_empty(), "land of which the last one is 6 m away");
        make(&land, &mut set, &plan, usize::MAX);
        assert!(set.tiles().all(|tile| tile.place().has_land(set.shape())));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn ground_stays_until_its_replacement_exists(
            spacings in prop::collection::vec(prop_oneof![Just(0.0), Just(0.5), Just(2.0), Just(9.0)], 1..4),
            steps in prop::collection::vec((0usize..4, -30.0f64..30.0, -30.0f64..30.0, 0usize..9), 1..40),
        ) {
            let land = endless();
            let mut set = ColliderSet::new(&land);
            let mut bodies: Vec<Body> = spacings
                .iter()
                .enumerate()
                .map(|(number, spacing)| Body { spacing: *spacing, ..body(number as f64 * 60.0, 5.0) })
                .collect();
            let mut order = 0;
            for (number, x, z, most) in steps {
                let number = number % bodies.len();
                let had: Vec<bool> = bodies.iter().map(|body| has_ground(&set, body.place)).collect();
                let before: Vec<DVec2> = bodies.iter().map(|body| body.place).collect();
                bodies[number].place += DVec2::new(x, z);
                let plan = set.plan(&bodies);
                for (index, body) in bodies.iter().enumerate() {
                    let stayed = before[index] == body.place;
                    prop_assert!(!stayed || !had[index] || has_ground(&set, body.place), "lost its ground");
                    prop_assert!(plan.is_missing[index] || has_ground(&set, body.place));
                }
                for place in plan.make.iter().take(most) {
                    order = set.order(*place);
                    prop_assert!(set.arrive(made(&land, *place), order));
                    prop_assert!(!set.arrive(made(&land, *place), order), "it arrives once");
                }
            }
            // Completely: no tile overlaps another.
            for _ in 0..2 {
                let plan = set.plan(&bodies);
                make(&land, &mut set, &plan, usize::MAX);
            }
            let plan = set.plan(&bodies);
            prop_assert!(plan.make.is_empty() && plan.is_missing.iter().all(|missing| !missing));
            let places: FxHashSet<ColliderPlace> = set.tiles().map(|tile| tile.place()).collect();
            for place in &places {
                let over = ancestors(*place, 20).find(|place| places.contains(place));
                prop_assert!(over.is_none(), "{place:?} lies in {over:?}");
            }
            prop_assert_eq!(set.bytes(), set.tiles().map(|tile| tile.bytes()).sum::<usize>());
            prop_assert!(order <= set.orders);
        }
    }
}
