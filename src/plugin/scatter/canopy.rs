//! Keeps the map of woods far away up to date with what is scattered on a terrain.

use std::sync::Arc;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::cells::Watcher;
use super::rule_table::RuleTable;
use crate::plugin::jobs::Job;
use crate::plugin::material::TerrainCanopy;
use crate::scatter::{Canopy, Crown, Scatter};
use crate::stream::LandShape;

/// Texels along the longer side of a map, at most.
const TEXELS: f64 = 1024.0;

/// The least side of a texel, metres: crowns are not much smaller.
const SMALLEST: f64 = 4.0;

/// Metres along a side of the map of land that has no end, or is larger.
const WIDEST: f64 = 40_000.0;

/// The share of such a map by which the eye may leave its middle before another one is made.
const OFF_MIDDLE: f64 = 0.1;

/// Distances from the eye between which woods appear, metres, where a terrain draws as far as usual. Trees are
/// still drawn there, so that nothing is bare between.
const APPEAR: [f32; 2] = [250.0, 900.0];

/// The map of a terrain's woods, and the job that makes the next one.
#[derive(Default)]
pub(super) struct Woods {
    job: Option<Job<Canopy>>,
    /// What the newest map is made of, and where its middle is.
    made_of: Option<Ingredients>,
    /// The map that the terrain has.
    shown: Option<TerrainCanopy>,
}

/// What a map depends on.
struct Ingredients {
    scatter: Arc<Scatter>,
    table: Arc<RuleTable>,
    density: f32,
    frame: Frame,
}

/// The part of the land that a map covers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    low: DVec2,
    cell: f64,
    size: [usize; 2],
    /// Whether it moves with the eye.
    follows: bool,
}

impl Frame {
    /// The frame for an eye at `eye`, metres from the land's sample (0, 0): that of `before`, if the eye is still
    /// near its middle.
    fn new(shape: &LandShape, eye: DVec2, before: Option<&Self>) -> Self {
        let whole = shape.extent().filter(|extent| extent.max_element() <= WIDEST);
        if let Some(extent) = whole {
            let cell = (extent.max_element() / TEXELS).max(SMALLEST);
            let size = extent.to_array().map(|side| (side / cell).ceil().max(1.0) as usize);
            return Self { low: DVec2::ZERO, cell, size, follows: false };
        }
        let middle = |frame: &Self| frame.low + WIDEST / 2.0;
        let near = |frame: &&Self| frame.follows && middle(frame).distance(eye) < OFF_MIDDLE * WIDEST;
        if let Some(before) = before.filter(near) {
            return *before;
        }
        let cell = WIDEST / TEXELS;
        // On a lattice, so that texels of the next map lie where those of this one do.
        let low = ((eye - WIDEST / 2.0) / cell).round() * cell;
        Self { low, cell, size: [TEXELS as usize; 2], follows: true }
    }
}

impl Ingredients {
    fn is_like(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.scatter, &other.scatter)
            && Arc::ptr_eq(&self.table, &other.table)
            && self.density == other.density
            && self.frame == other.frame
    }

    fn crowns(&self) -> Vec<Crown> {
        let of_rule = |rule: &super::rule_table::DrawnRule| {
            let seen: Vec<_> =
                rule.made.variants.iter().filter_map(|variant| variant.impostor.as_ref()).collect();
            let count = seen.len() as f32;
            let colour = seen.iter().map(|impostor| impostor.seen.colour).sum::<Vec3>() / count;
            let hides = seen.iter().map(|impostor| impostor.seen.hides).sum::<f32>() / count;
            let crown = Crown { rule: rule.number, colour: colour.to_array(), hides: hides * self.density };
            (count > 0.0).then_some(crown)
        };
        self.table.rules.iter().filter_map(of_rule).collect()
    }

    fn start(&self, crowns: Vec<Crown>) -> Job<Canopy> {
        let scatter = self.scatter.clone();
        let Frame { low, cell, size, .. } = self.frame;
        Job::start_long(move |work| scatter.canopy(&crowns, low.to_array(), cell, size, work))
    }
}

impl Woods {
    /// Whether the map is that of the land as it is.
    pub(super) fn is_settled(&self) -> bool {
        self.job.is_none()
    }

    /// Takes in a map that has been made, and begins to make the next one where it is out of date.
    pub(super) fn update(
        &mut self,
        (scatter, table): (&Arc<Scatter>, &Arc<RuleTable>),
        (density, distance): (f32, f32),
        shape: &LandShape,
        watchers: &[Watcher],
        (terrain, commands, images): (Entity, &mut Commands, &mut Assets<Image>),
    ) {
        if let Some(outcome) = self.job.as_mut().and_then(Job::outcome) {
            self.job = None;
            // A failure of the land's has been reported by what places objects on it.
            if let Ok(canopy) = outcome {
                self.shown = Some(TerrainCanopy::new(&canopy, images));
            }
        }
        if let Some(map) = &mut self.shown
            && map.appear_between(APPEAR.map(|metres| metres * distance))
        {
            commands.entity(terrain).try_insert(map.clone());
        }
        let Some(eye) = watchers.first().map(|watcher| watcher.place) else { return };
        let before = self.made_of.as_ref().map(|made| &made.frame);
        let frame = Frame::new(shape, eye, before);
        let wanted = Ingredients { scatter: scatter.clone(), table: table.clone(), density, frame };
        // One after the other, so that a land that is being sculpted keeps at most one thread busy.
        if self.job.is_none() && self.made_of.as_ref().is_none_or(|made| !made.is_like(&wanted)) {
            let crowns = wanted.crowns();
            if crowns.is_empty() {
                self.end(terrain, commands);
            } else {
                self.job = Some(wanted.start(crowns));
            }
            self.made_of = Some(wanted);
        }
    }

    /// Forgets everything.
    pub(super) fn end(&mut self, terrain: Entity, commands: &mut Commands) {
        if self.shown.is_some() {
            commands.entity(terrain).try_remove::<TerrainCanopy>();
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use bevy::ecs::world::CommandQueue;

    use super::super::impostors::ImpostorTexels;
    use super::super::impostors::tests::ball;
    use super::super::mesh_library::{MadeObject, ObjectMaterial, Variant};
    use super::*;
    use crate::scatter::Rule;
    use crate::{Cache, Recipe, Work};

    /// A table of rules whose objects look like balls from afar, or have no look from afar.
    fn table(rules: &[Rule], has_impostors: bool, images: &mut Assets<Image>) -> Arc<RuleTable> {
        let made = || {
            let impostor = has_impostors.then(|| ImpostorTexels::new(&ball()));
            Arc::new(MadeObject {
                variants: vec![Variant { levels: Vec::new(), impostor }],
                until: vec![4000.0],
                radius: 5.0,
                shadows: true,
                sway: 0.0,
                material: ObjectMaterial::Atlas,
                spawner: None,
            })
        };
        let rules = rules.iter().enumerate().map(|(number, rule)| (number, rule, made()));
        Arc::new(RuleTable::new(rules.collect(), &LandShape::bounded(8.0, [65, 65], -2), images))
    }

    #[test]
    fn a_terrain_has_a_map_of_its_woods_as_long_as_there_are_some() {
        let mut recipe = Recipe::new("Plain", (65, 65), 8.0);
        recipe.scatter = vec![Rule::new("ball", 40.0, 3.0)];
        let scatter = Arc::new(Scatter::new(&recipe, 0, &Cache::default(), &Work::new()).unwrap());
        let shape = LandShape::bounded(8.0, [65, 65], -2);
        let mut images = Assets::default();
        let balls = table(&recipe.scatter, true, &mut images);
        let without = table(&recipe.scatter, false, &mut images);
        let watcher = Watcher { place: DVec2::ZERO, above: 0.0, ahead: DVec2::X, reach: 1.0, flat: None };
        let mut world = World::new();
        let terrain = world.spawn_empty().id();
        let mut woods = Woods::default();
        let mut settle = |world: &mut World, table: &Arc<RuleTable>, density: f32, distance: f32| {
            loop {
                let mut queue = CommandQueue::default();
                let mut commands = Commands::new(&mut queue, world);
                let into = (terrain, &mut commands, &mut images);
                woods.update((&scatter, table), (density, distance), &shape, &[watcher], into);
                queue.apply(world);
                if woods.is_settled() {
                    return world.get::<TerrainCanopy>(terrain).cloned();
                }
                std::thread::yield_now();
            }
        };
        let first = settle(&mut world, &balls, 1.0, 1.0).unwrap();
        assert_eq!(settle(&mut world, &balls, 1.0, 1.0), Some(first.clone()), "it is made once");
        let farther = settle(&mut world, &balls, 1.0, 2.0).unwrap();
        assert!(farther != first, "it appears farther away");
        let thinner = settle(&mut world, &balls, 0.5, 2.0).unwrap();
        assert!(thinner != farther, "another map");
        assert_eq!(
            settle(&mut world, &without, 0.5, 2.0),
            None,
            "nothing is known of how they look from afar"
        );
    }

    #[test]
    fn a_map_covers_all_of_a_land_or_follows_the_eye() {
        let whole = Frame::new(&LandShape::bounded(8.0, [1025, 513], -2), DVec2::splat(7e5), None);
        assert_eq!((whole.low, whole.cell, whole.size), (DVec2::ZERO, 8.0, [1024, 512]));
        let small = Frame::new(&LandShape::bounded(1.0, [65, 1], 0), DVec2::ZERO, None);
        assert_eq!((small.cell, small.size), (SMALLEST, [16, 1]));

        let endless = LandShape::endless(20.0, -3, 5000.0);
        let eye = DVec2::new(1e6 + 3.0, -77.0);
        let first = Frame::new(&endless, eye, None);
        assert!((first.low + WIDEST / 2.0).distance(eye) < first.cell);
        assert_eq!(Frame::new(&endless, eye + DVec2::new(3000.0, 0.0), Some(&first)), first);
        let next = Frame::new(&endless, eye + DVec2::new(4100.0, 0.0), Some(&first));
        let texels = (next.low - first.low) / first.cell;
        assert!(texels.x > 90.0 && (texels - texels.round()).abs().max_element() < 1e-6, "{texels}");
        // Land that is larger than a map has a part of it at a time.
        assert!(Frame::new(&LandShape::bounded(40.0, [2001, 1001], 0), DVec2::ZERO, None).follows);
    }
}
