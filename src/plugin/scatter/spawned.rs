//! Near objects that are entities of a game's own: scenes, or what physics knows.

use std::collections::{HashMap, HashSet};

use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::{Cell, CellKey};
use super::objects::{ScatteredObject, Spawner};
use super::rule_table::{DrawnRule, RuleTable};
use crate::compute::panics::without_panic;
use crate::plugin::owned::spawn_owned_with;
use crate::plugin::terrain::TerrainGround;
use crate::scatter::Object;

/// The most entities that are spawned in a frame, and that are put on the ground again.
const SPAWNED_AT_ONCE: usize = 24;
const SEATED_AT_ONCE: usize = 64;

/// An entity is kept up to this multiple of the distance at which it is spawned.
const KEPT: f64 = 1.1;

/// The entities of a terrain's objects.
#[derive(Default)]
pub(super) struct Spawned {
    by_cell: FxHashMap<CellKey, HashMap<u64, (Entity, Object)>>,
    /// The index of the entities that are put on the ground next.
    seats: usize,
    /// Messages of panics in a game's own code, by the rule's index in the recipe, since the last
    /// `take_panics`.
    panics: Vec<(usize, String)>,
}

/// Where a terrain's objects may be spawned.
pub(super) struct Spawning<'a> {
    pub(super) terrain: Entity,
    /// Where cameras are, metres from the land's sample (0, 0), heights as drawn.
    pub(super) eyes: &'a [DVec3],
    pub(super) origin: DVec2,
    /// The height of the ground as drawn.
    pub(super) ground: &'a dyn Fn(f64, f64) -> Option<f32>,
}

impl Spawning<'_> {
    fn transform(&self, object: &Object, sink: f32) -> Transform {
        let DVec3 { x, y, z } = object.position;
        let height = (self.ground)(x, z).map_or(y as f32, |ground| ground - sink);
        let place = self.origin + DVec2::new(x, z);
        Transform::from_xyz(place.x as f32, height, place.y as f32)
            .with_rotation(object.rotation())
            .with_scale(Vec3::splat(object.size))
    }

    /// Whether an object is within a distance in metres of an eye, where it stands as drawn: strokes and the
    /// height mapping move the ground.
    fn is_within(&self, object: &Object, metres: f64) -> bool {
        let DVec3 { x, y, z } = object.position;
        let away = |eye: &DVec3| DVec2::new(eye.x - x, eye.z - z).length();
        // The ground is asked for under few objects only.
        if !self.eyes.iter().any(|eye| away(eye) < metres) {
            return false;
        }
        let height = (self.ground)(x, z).map_or(y, f64::from);
        self.eyes.iter().any(|eye| eye.distance(DVec3::new(x, height, z)) < metres)
    }
}

impl Spawned {
    /// Panics in a game's own code since the last call, each with the rule's index in the recipe.
    pub(super) fn take_panics(&mut self) -> Vec<(usize, String)> {
        std::mem::take(&mut self.panics)
    }

    /// Despawns all.
    pub(super) fn clear(&mut self, commands: &mut Commands) {
        let keys: Vec<CellKey> = self.by_cell.keys().copied().collect();
        keys.into_iter().for_each(|key| self.forget(key, commands));
    }

    /// Despawns those of a cell.
    pub(super) fn forget(&mut self, key: CellKey, commands: &mut Commands) {
        for (entity, _) in self.by_cell.remove(&key).into_iter().flat_map(|known| known.into_values()) {
            commands.entity(entity).try_despawn();
        }
    }

    /// Spawns what cameras have come near, despawns what they have left, and puts some of the others on the
    /// ground as it is now. Whether all that is near is there.
    pub(super) fn update(
        &mut self,
        cells: &FxHashMap<CellKey, Cell>,
        table: &RuleTable,
        spawning: &Spawning,
        commands: &mut Commands,
    ) -> bool {
        let mut left = SPAWNED_AT_ONCE;
        for (place, rule) in table.rules.iter().enumerate() {
            let Some(spawner) = &rule.made.spawner else { continue };
            let looks = rule.first_look..rule.first_look + rule.variants;
            let tier = table.tiers.iter().position(|tier| tier.rules.contains(&place));
            for (key, cell) in cells.iter().filter(|(key, _)| Some(key.tier) == tier) {
                let runs = cell.runs.iter().filter(|run| looks.contains(&run.look));
                for run in runs {
                    left = self.update_run(*key, &run.objects, rule, spawner, left, spawning, commands);
                }
                if left == 0 {
                    return false;
                }
            }
        }
        self.seat(table, spawning, commands);
        true
    }

    fn update_run(
        &mut self,
        key: CellKey,
        objects: &[Object],
        rule: &DrawnRule,
        spawner: &Spawner,
        mut left: usize,
        spawning: &Spawning,
        commands: &mut Commands,
    ) -> usize {
        let within = f64::from(spawner.within);
        for object in objects {
            let exists = self.by_cell.get(&key).is_some_and(|known| known.contains_key(&object.id));
            // Kept somewhat farther than it is spawned, so that it does not come and go with each step.
            if exists && !spawning.is_within(object, within * KEPT) {
                let known = self.by_cell.get_mut(&key).and_then(|known| known.remove(&object.id));
                if let Some((entity, _)) = known {
                    commands.entity(entity).try_despawn();
                }
            } else if !exists && left > 0 && spawning.is_within(object, within) {
                left -= 1;
                let transform = spawning.transform(object, rule.sink * object.size);
                let scattered = ScatteredObject { object: *object, terrain: spawning.terrain, transform };
                let terrain = spawning.terrain;
                let bundle = (transform, Visibility::default(), ChildOf(terrain));
                let (entity, outcome) =
                    spawn_owned_with::<TerrainGround, _>(commands, terrain, bundle, |entity| {
                        // A game's own code: a panic in it costs the object, not the game.
                        without_panic(|| (spawner.spawn)(entity, &scattered))
                    });
                if let Err(said) = outcome {
                    // A half-made entity would be of no use. The object is tried again when the camera comes
                    // back.
                    commands.entity(entity).try_despawn();
                    self.panics.push((rule.number, said));
                }
                self.by_cell.entry(key).or_default().insert(object.id, (entity, *object));
            }
        }
        left
    }

    /// Puts some entities on the ground as it is known now: finer than when they were spawned.
    fn seat(&mut self, table: &RuleTable, spawning: &Spawning, commands: &mut Commands) {
        let all: Vec<&(Entity, Object)> = self.by_cell.values().flat_map(|known| known.values()).collect();
        if all.is_empty() {
            return;
        }
        let sinks: HashMap<u32, f32> =
            table.rules.iter().map(|rule| (rule.number as u32, rule.sink)).collect();
        let mut seated = HashSet::new();
        // A few in each frame, in turn: asking for the ground under all of them would take too long.
        for step in 0..SEATED_AT_ONCE.min(all.len()) {
            let (entity, object) = all[(self.seats + step) % all.len()];
            if !seated.insert(*entity) {
                break;
            }
            let sink = sinks.get(&object.rule).copied().unwrap_or(0.0) * object.size;
            let seat = spawning.transform(object, sink).translation;
            // Silenced, since the game may have despawned the entity.
            commands.entity(*entity).queue_silenced(move |mut entity: EntityWorldMut| {
                // One that a game has moved stays where it is.
                if let Some(mut transform) = entity.get_mut::<Transform>()
                    && transform.translation.xz() == seat.xz()
                    && (transform.translation.y - seat.y).abs() > 0.002
                {
                    transform.translation.y = seat.y;
                }
            });
        }
        self.seats = self.seats.wrapping_add(SEATED_AT_ONCE);
    }
}
