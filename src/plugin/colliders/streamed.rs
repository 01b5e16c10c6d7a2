//! Keeps the colliders of terrains round the bodies that need them.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::ecs::entity::EntityHashSet;
use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::components::{
    AwaitsGround, ColliderNeed, ColliderStatistics, TerrainCollider, TerrainColliderOf, TerrainColliders,
    TerrainCollidersFailed,
};
use super::placed::Placed;
use super::worker::{ColliderJobs, Worker};
use crate::Result;
use crate::colliders::{Body, ColliderPlace, ColliderPlan, ColliderSet, ColliderTile};
use crate::plugin::events::report_failure;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::jobs::{Done, FrameBudget};
use crate::plugin::material::HeightMapping;
use crate::plugin::owned::spawn_owned;
use crate::plugin::stream::{Motion, Motions, Mover, Stream};
use crate::plugin::terrain::{Terrain, TerrainChanged, TerrainGround, TerrainStatus};
use crate::stream::TileSource;

/// The most tiles that are ordered ahead. An urgent tile waits for one of them to end, and at most these are
/// made in vain.
const MOST_ORDERED: usize = 6;

/// The most tiles that a frame waits for. Bodies whose ground is not among them are held.
const MOST_AT_ONCE: usize = 4;

/// The shortest and the longest time that a frame is assumed to last, seconds.
const FRAME: (f64, f64) = (1.0 / 120.0, 0.5);

/// The colliders of a terrain.
#[derive(Component)]
pub(super) struct Streamed {
    set: ColliderSet,
    entities: HashMap<ColliderPlace, Entity>,
    jobs: ColliderJobs,
    bodies: Motions,
    placed: Option<Placed>,
    /// Whether it is where land cannot be, which has been reported.
    is_misplaced: bool,
}

impl Streamed {
    fn new(source: &dyn TileSource) -> Self {
        Self {
            set: ColliderSet::new(source),
            entities: HashMap::new(),
            jobs: ColliderJobs::default(),
            bodies: Motions::new(Mover::BODY),
            placed: None,
            is_misplaced: false,
        }
    }

    /// Drops all tiles.
    fn clear(&mut self, source: &dyn TileSource, commands: &mut Commands) {
        for (_, entity) in self.entities.drain() {
            commands.entity(entity).try_despawn();
        }
        self.set = ColliderSet::new(source);
        self.stop_others();
    }

    /// Cancels what is no longer ordered.
    fn stop_others(&mut self) {
        let set = &self.set;
        self.jobs.keep(|place| set.is_ordered(*place));
    }

    /// The ground has changed in an area, or everywhere.
    fn edit(&mut self, area: Option<[DVec2; 2]>) {
        self.set.edit(area);
        self.jobs.forget_failure();
        self.stop_others();
    }

    /// Lets all tiles stand where they are to, or clears them away where they cannot.
    fn stand(
        &mut self,
        terrain: Entity,
        source: &dyn TileSource,
        placed: Result<Placed>,
        shown: &mut Query<(&mut Transform, &mut TerrainCollider)>,
        commands: &mut Commands,
    ) {
        if !self.set.fits(source) {
            self.clear(source, commands);
        }
        let placed = match placed {
            Ok(placed) => placed,
            Err(flaw) => {
                self.placed = None;
                // Reported once, until it stands again.
                if !std::mem::replace(&mut self.is_misplaced, true) {
                    self.clear(source, commands);
                    report_failure(commands, TerrainCollidersFailed::new(terrain, flaw));
                }
                return;
            }
        };
        self.is_misplaced = false;
        let has_moved = self.placed.replace(placed) != Some(placed);
        let mut lost = Vec::new();
        for (place, entity) in &self.entities {
            let Ok((mut transform, mut collider)) = shown.get_mut(*entity) else {
                lost.push(*place);
                continue;
            };
            if has_moved {
                transform.set_if_neq(placed.transform(&collider.tile));
                // Compared first: a change of the component makes the engine rebuild its shape.
                if collider.scale != placed.scale() {
                    collider.scale = placed.scale();
                }
            }
        }
        // A tile that a game despawns is spawned again.
        for place in lost {
            self.entities.remove(&place);
            if let Some(tile) = self.set.tile(place).cloned() {
                self.show(terrain, tile, commands);
            }
        }
    }

    /// Takes in the tiles that have been made in the background. All of them: bodies are held until they have
    /// ground.
    fn receive(&mut self, terrain: Entity, worker: &mut Worker, commands: &mut Commands) {
        self.jobs.gather(|place| *place);
        let all = FrameBudget::unlimited();
        while let Some(Done { key, version, outcome, seconds }) = self.jobs.next_done(&all) {
            if outcome.is_ok() {
                worker.count(seconds);
            }
            self.take(terrain, (key, version), outcome, commands);
        }
    }

    /// Takes in the outcome of an order, by its place and its number.
    fn take(
        &mut self,
        terrain: Entity,
        (place, number): (ColliderPlace, u64),
        outcome: Result<ColliderTile>,
        commands: &mut Commands,
    ) {
        match outcome {
            Ok(tile) => {
                let tile = Arc::new(tile);
                if self.set.arrive(tile.clone(), number) {
                    self.show(terrain, tile, commands);
                }
            }
            Err(error) => {
                if self.set.fail(place, number)
                    && let Some(first) = self.jobs.first_failure(error)
                {
                    report_failure(commands, TerrainCollidersFailed::new(terrain, first));
                }
            }
        }
    }

    /// Spawns the entity of a tile, or gives it the new one.
    fn show(&mut self, terrain: Entity, tile: Arc<ColliderTile>, commands: &mut Commands) {
        let Some(placed) = &self.placed else { return };
        let place = tile.place();
        let transform = placed.transform(&tile);
        let collider = TerrainCollider { tile, scale: placed.scale() };
        // Transforms of entities that are spawned now are propagated in the next frame only.
        let shown = (collider, transform, GlobalTransform::from(transform));
        match self.entities.get(&place) {
            Some(entity) => {
                commands.entity(*entity).try_insert(shown);
            }
            None => {
                let name = Name::new("Terrain collider");
                let bundle = (shown, TerrainColliderOf(terrain), name);
                let entity = spawn_owned::<Stream>(commands, terrain, bundle);
                self.entities.insert(place, entity.id());
            }
        }
    }

    /// The needs of the bodies, in the order of the query. Bodies over the land are added to `over_land`.
    fn follow_bodies(
        &mut self,
        bodies: &Bodies,
        placed: &Placed,
        time: &Time,
        over_land: &mut EntityHashSet,
    ) -> Asking {
        // The smallest scale gives the largest reach in the land's metres.
        let scale = placed.least_scale();
        // Ground that the body may touch until the next frame.
        let until = time.delta_secs_f64().clamp(FRAME.0, FRAME.1);
        let now = time.elapsed_secs_f64();
        let mut asking = Asking::default();
        for (entity, need, transform, _) in bodies {
            let place = placed.land_from_world.transform_point3(transform.translation().as_dvec3());
            if !place.is_finite() {
                self.bodies.forget(entity);
                continue;
            }
            if self.set.shape().has_place(place.x, place.z) {
                over_land.insert(entity);
            }
            let motion = self.bodies.follow(entity, place, now);
            asking.of.push((entity, need.is_held));
            asking.bodies.push(body(motion, need, scale, until));
        }
        asking
    }

    /// Decides which tiles there are to be, and drops the others.
    fn plan(&mut self, bodies: &[Body], commands: &mut Commands) -> ColliderPlan {
        let plan = self.set.plan(bodies);
        for place in &plan.dropped {
            if let Some(entity) = self.entities.remove(place) {
                commands.entity(entity).try_despawn();
            }
        }
        self.stop_others();
        plan
    }

    /// Makes the tiles that bodies are about to touch while the frame waits, if that is quick. Returns how
    /// many were made.
    fn make_now(
        &mut self,
        terrain: Entity,
        source: &dyn TileSource,
        plan: &ColliderPlan,
        worker: &mut Worker,
        commands: &mut Commands,
    ) -> usize {
        if !worker.is_quick() {
            return 0;
        }
        // Only what bodies are about to touch, and a few at most: the frame stands still meanwhile.
        let places = &plan.make[..plan.touched.min(MOST_AT_ONCE)];
        let numbers: Vec<u64> = places
            .iter()
            .map(|place| {
                // It is not made in the background as well.
                self.jobs.cancel(place);
                self.set.order(*place)
            })
            .collect();
        let made = worker.make_now(source, places);
        for ((place, number), outcome) in places.iter().zip(numbers).zip(made) {
            self.take(terrain, (*place, number), outcome, commands);
        }
        places.len()
    }

    /// Orders tiles in the background, the most urgent first, while there are free places among the orders.
    fn order(
        &mut self,
        source: &Arc<dyn TileSource>,
        places: &[ColliderPlace],
        worker: &Worker,
        free: &mut usize,
    ) {
        for place in places {
            if *free == 0 {
                break;
            }
            if !self.set.is_ordered(*place) {
                *free -= 1;
                let number = self.set.order(*place);
                worker.start(&mut self.jobs, source, *place, number);
            }
        }
    }
}

/// The bodies that ask for ground of a land, and what they ask for.
#[derive(Default)]
struct Asking {
    /// Each body, and whether it is held while it has no ground.
    of: Vec<(Entity, bool)>,
    bodies: Vec<Body>,
}

/// A body as the core knows it: lengths in the land's own metres, of which one is `scale` in the world.
fn body(motion: Motion, need: &ColliderNeed, scale: f64, until: f64) -> Body {
    let flat = |p: DVec3| DVec2::new(p.x, p.z);
    let finite = |value: f32| if value.is_finite() { f64::from(value) } else { 0.0 };
    Body {
        place: flat(motion.place),
        velocity: flat(motion.velocity),
        radius: finite(need.radius) / scale,
        spacing: finite(need.spacing) / scale,
        ahead: finite(need.ahead),
        until,
    }
}

/// Lets terrains that have ground have colliders.
pub(super) fn attach(
    mut commands: Commands,
    lands: Query<(Entity, &Stream), (With<Terrain>, Without<Streamed>)>,
) {
    for (entity, stream) in &lands {
        commands.entity(entity).try_insert(Streamed::new(&*stream.source()));
    }
}

/// Ends what belongs to a terrain without ground.
pub(super) fn end(removed: On<Remove, Stream>, colliders: Query<&TerrainColliders>, mut commands: Commands) {
    for entity in colliders.get(removed.entity).into_iter().flat_map(TerrainColliders::iter) {
        commands.entity(entity).try_despawn();
    }
    commands.entity(removed.entity).try_remove::<Streamed>();
}

/// Forgets a body, which may live on as something else.
pub(super) fn forget_body(
    removed: On<Remove, ColliderNeed>,
    mut lands: Query<&mut Streamed>,
    mut commands: Commands,
) {
    for mut land in &mut lands {
        land.bodies.forget(removed.entity);
    }
    commands.entity(removed.entity).try_remove::<AwaitsGround>();
}

/// A terrain with colliders.
type Land = (
    Entity,
    &'static Stream,
    &'static TerrainGround,
    &'static HeightMapping,
    &'static GlobalTransform,
    &'static PrecisePlace,
    &'static mut Streamed,
);

/// The bodies that need ground.
type Bodies<'w, 's> =
    Query<'w, 's, (Entity, &'static ColliderNeed, &'static GlobalTransform, Has<AwaitsGround>)>;

/// Gives bodies the ground that they need, and holds those that have to wait for it.
pub(super) fn stream(
    mut commands: Commands,
    mut lands: Query<Land>,
    unbuilt: Query<&TerrainStatus, (With<Terrain>, Without<Stream>)>,
    bodies: Bodies,
    mut shown: Query<(&mut Transform, &mut TerrainCollider)>,
    mut changed: MessageReader<TerrainChanged>,
    mut worker: ResMut<Worker>,
    mut statistics: ResMut<ColliderStatistics>,
    time: Res<Time>,
) {
    // Edits first: tiles of the ground before must not be taken in.
    for TerrainChanged { terrain, area } in changed.read() {
        if let Ok((.., mut land)) = lands.get_mut(*terrain) {
            land.edit(*area);
        }
    }
    // All lands take in their finished tiles before any of them plans: they share the places for orders.
    for (terrain, stream, ground, mapping, transform, precise, mut land) in &mut lands {
        let placed = Placed::new(precise.or(transform), ground.origin, *mapping);
        land.stand(terrain, &*stream.source(), placed, &mut shown, &mut commands);
        land.receive(terrain, &mut worker, &mut commands);
    }

    let (mut waiting, mut over_land) = (EntityHashSet::default(), EntityHashSet::default());
    // All lands share one thread.
    let ordered: usize = lands.iter().map(|(.., land)| land.jobs.len()).sum();
    let mut free = MOST_ORDERED.saturating_sub(ordered);
    *statistics = ColliderStatistics::default();
    for (terrain, stream, .., mut land) in &mut lands {
        let land = &mut *land;
        let source = stream.source();
        let Some(placed) = land.placed else { continue };
        let asking = land.follow_bodies(&bodies, &placed, &time, &mut over_land);
        let plan = land.plan(&asking.bodies, &mut commands);
        let made = land.make_now(terrain, &*source, &plan, &mut worker, &mut commands);
        land.order(&source, &plan.make[made..], &worker, &mut free);
        for (((entity, is_held), body), is_missing) in
            asking.of.iter().zip(&asking.bodies).zip(&plan.is_missing)
        {
            // The plan says what was missing before `make_now`; what is still missing counts.
            if *is_held && *is_missing && land.set.is_missing(body) {
                waiting.insert(*entity);
            }
        }
        statistics.tiles += land.entities.len();
        statistics.bytes += land.set.bytes();
        statistics.ordered += land.set.ordered();
    }
    // Failed land will have no ground; waiting for it would hold bodies for ever.
    let is_building = |status: &TerrainStatus| !matches!(status, TerrainStatus::Failed(_));
    let awaits_land = unbuilt.iter().any(is_building).then_some(&over_land);
    statistics.waiting = hold(&bodies, &waiting, awaits_land, &mut commands);
    (statistics.made, statistics.tile_ms) = worker.statistics();
}

/// Holds bodies that wait for ground and lets the others go; the number of those that wait. With land that is
/// still to be built, `over_land` are the bodies that stand on land already: it may turn out to be under any
/// of the others.
fn hold(
    bodies: &Bodies,
    waiting: &EntityHashSet,
    over_land: Option<&EntityHashSet>,
    commands: &mut Commands,
) -> usize {
    let mut count = 0;
    for (entity, need, _, awaits) in bodies {
        let awaits_land = over_land.is_some_and(|over_land| !over_land.contains(&entity));
        let waits = need.is_held && (awaits_land || waiting.contains(&entity));
        // Only where it changes: engines observe when the component comes and goes.
        if waits && !awaits {
            commands.entity(entity).try_insert(AwaitsGround);
        } else if !waits && awaits {
            commands.entity(entity).try_remove::<AwaitsGround>();
        }
        count += usize::from(waits);
    }
    count
}
