//! Keeps the colliders of terrains round the bodies that need them.

use std::collections::HashMap;
use std::sync::Arc;

use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::math::{DVec2, DVec3};
use bevy::prelude::*;

use super::components::{
    AwaitsGround, ColliderNeed, ColliderStatistics, TerrainCollider, TerrainColliderOf, TerrainColliders,
    TerrainCollidersFailed,
};
use super::placed::Placed;
use super::worker::{Made, Order, Worker};
use crate::colliders::{Body, ColliderPlace, ColliderSet, ColliderTile};
use crate::plugin::events::tell_failure;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::material::HeightMapping;
use crate::plugin::stream::Stream;
use crate::plugin::terrain::{Terrain, TerrainChanged, TerrainGround, TerrainStatus};
use crate::stream::TileSource;
use crate::{Error, Result, Work};

/// Tiles that are ordered ahead, at most: what is urgent waits for one of them, and what is not wanted any more costs no
/// more than these.
const MOST_ORDERED: usize = 6;

/// Tiles that a frame waits for, at most. Bodies whose ground is not among them are held.
const MOST_AT_ONCE: usize = 4;

/// Beyond this speed, metres per second, a body has been put somewhere else.
const JUMP: f64 = 2000.0;

/// The share of its difference from the present velocity that the velocity of a body that becomes slower keeps in a
/// frame: physics moves bodies in some frames only.
const SLOWING: f64 = 0.85;

/// The longest and the shortest that a frame is taken to last, seconds.
const FRAME: (f64, f64) = (1.0 / 120.0, 0.5);

/// The colliders of a terrain.
#[derive(Component)]
pub(super) struct Streamed {
    set: ColliderSet,
    entities: HashMap<ColliderPlace, Entity>,
    orders: HashMap<ColliderPlace, Work>,
    motions: EntityHashMap<Motion>,
    placed: Option<Placed>,
    /// Whether a failure has been told since the ground last changed.
    has_told: bool,
    /// Whether it is where land cannot be, which has been told.
    is_misplaced: bool,
}

/// How a body moves over a land.
#[derive(Clone, Copy)]
struct Motion {
    /// Metres from the land's sample (0, 0).
    place: DVec3,
    velocity: DVec3,
}

impl Motion {
    fn follow(&mut self, place: DVec3, seconds: f64) {
        if seconds > 0.0 {
            let velocity = (place - self.place) / seconds;
            self.velocity = match velocity.is_finite() && velocity.length() < JUMP {
                false => DVec3::ZERO,
                true if velocity.length() >= self.velocity.length() => velocity,
                true => velocity + SLOWING * (self.velocity - velocity),
            };
        }
        self.place = place;
    }
}

impl Drop for Streamed {
    fn drop(&mut self) {
        self.orders.values().for_each(Work::cancel);
    }
}

impl Streamed {
    fn new(source: &dyn TileSource) -> Self {
        Self {
            set: ColliderSet::new(source),
            entities: HashMap::new(),
            orders: HashMap::new(),
            motions: EntityHashMap::default(),
            placed: None,
            has_told: false,
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
        self.orders.retain(|place, work| {
            let stays = set.is_ordered(*place);
            if !stays {
                work.cancel();
            }
            stays
        });
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
                if !std::mem::replace(&mut self.is_misplaced, true) {
                    self.clear(source, commands);
                    tell_failure(commands, TerrainCollidersFailed::new(terrain, flaw));
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
                if collider.scale != placed.scale() {
                    collider.scale = placed.scale();
                }
            }
        }
        // Whoever despawns one gets it back.
        for place in lost {
            self.entities.remove(&place);
            if let Some(tile) = self.set.tile(place).cloned() {
                self.show(terrain, tile, commands);
            }
        }
    }

    fn order(&mut self, terrain: Entity, source: &Arc<dyn TileSource>, place: ColliderPlace) -> Order {
        let work = Work::new();
        let number = self.set.order(place);
        if let Some(before) = self.orders.insert(place, work.clone()) {
            before.cancel();
        }
        Order { terrain, source: source.clone(), place, number, work }
    }

    /// Takes in what has become of an order.
    fn take(&mut self, made: Made, commands: &mut Commands) {
        let Made { terrain, place, number, outcome, .. } = made;
        match outcome {
            Ok(tile) => {
                let tile = Arc::new(tile);
                if self.set.arrive(tile.clone(), number) {
                    self.orders.remove(&place);
                    self.show(terrain, tile, commands);
                }
            }
            Err(Error::Cancelled) => {}
            Err(error) => {
                if self.set.fail(place, number) {
                    self.orders.remove(&place);
                    self.tell(terrain, error, commands);
                }
            }
        }
    }

    fn tell(&mut self, terrain: Entity, error: Error, commands: &mut Commands) {
        if !std::mem::replace(&mut self.has_told, true) {
            tell_failure(commands, TerrainCollidersFailed::new(terrain, error));
        }
    }

    /// Spawns the entity of a tile, or gives it the new one.
    fn show(&mut self, terrain: Entity, tile: Arc<ColliderTile>, commands: &mut Commands) {
        let Some(placed) = &self.placed else { return };
        let place = tile.place();
        let transform = placed.transform(&tile);
        let collider = TerrainCollider { tile, scale: placed.scale() };
        // What is spawned now is propagated in the next frame only.
        let shown = (collider, transform, GlobalTransform::from(transform));
        match self.entities.get(&place) {
            Some(entity) => {
                commands.entity(*entity).try_insert(shown);
            }
            None => {
                let name = Name::new("Terrain collider");
                let entity = commands.spawn((shown, TerrainColliderOf(terrain), name));
                self.entities.insert(place, entity.id());
            }
        }
    }

    fn body(&self, entity: Entity, need: &ColliderNeed, scale: f64, until: f64) -> Body {
        let motion = self.motions.get(&entity);
        let flat = |p: DVec3| DVec2::new(p.x, p.z);
        let finite = |value: f32| if value.is_finite() { f64::from(value) } else { 0.0 };
        Body {
            place: motion.map_or(DVec2::NAN, |motion| flat(motion.place)),
            velocity: motion.map_or(DVec2::ZERO, |motion| flat(motion.velocity)),
            radius: finite(need.radius) / scale,
            spacing: finite(need.spacing) / scale,
            ahead: finite(need.ahead),
            until,
        }
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
        land.motions.remove(&removed.entity);
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

pub(super) fn stream(
    mut commands: Commands,
    mut lands: Query<Land>,
    unbuilt: Query<&TerrainStatus, (With<Terrain>, Without<Stream>)>,
    bodies: Query<(Entity, &ColliderNeed, &GlobalTransform, Has<AwaitsGround>)>,
    mut shown: Query<(&mut Transform, &mut TerrainCollider)>,
    mut changed: MessageReader<TerrainChanged>,
    mut worker: ResMut<Worker>,
    mut statistics: ResMut<ColliderStatistics>,
    time: Res<Time>,
) {
    for TerrainChanged { terrain, area } in changed.read() {
        if let Ok((.., mut land)) = lands.get_mut(*terrain) {
            land.set.edit(*area);
            land.has_told = false;
            land.stop_others();
        }
    }
    for (terrain, stream, ground, mapping, transform, precise, mut land) in &mut lands {
        land.stand(
            terrain,
            &*stream.source(),
            Placed::new(precise.or(transform), ground.origin, *mapping),
            &mut shown,
            &mut commands,
        );
    }
    for made in worker.take() {
        // The terrain may be gone.
        if let Ok((.., mut land)) = lands.get_mut(made.terrain) {
            land.take(made, &mut commands);
        }
    }

    let seconds = time.delta_secs_f64();
    let until = seconds.clamp(FRAME.0, FRAME.1);
    let is_building = |status: &TerrainStatus| !matches!(status, TerrainStatus::Failed(_));
    let is_any_unbuilt = unbuilt.iter().any(is_building);
    let (mut waiting, mut over_land) = (EntityHashSet::default(), EntityHashSet::default());
    let mut ordered: usize = lands.iter().map(|(.., land)| land.orders.len()).sum();
    *statistics = ColliderStatistics::default();
    for (terrain, stream, .., mut land) in &mut lands {
        let land = &mut *land;
        let source = stream.source();
        let Some(placed) = land.placed else { continue };
        let scale = placed.least_scale();
        let mut asking = Vec::new();
        for (entity, need, transform, _) in &bodies {
            let place = placed.land_from_world.transform_point3(transform.translation().as_dvec3());
            if !place.is_finite() {
                land.motions.remove(&entity);
                continue;
            }
            if source.shape().has_place(place.x, place.z) {
                over_land.insert(entity);
            }
            let still = Motion { place, velocity: DVec3::ZERO };
            land.motions.entry(entity).or_insert(still).follow(place, seconds);
            asking.push((entity, need.is_held, land.body(entity, need, scale, until)));
        }
        let wanting: Vec<Body> = asking.iter().map(|(.., body)| *body).collect();
        let plan = land.set.plan(&wanting);
        for place in &plan.dropped {
            if let Some(entity) = land.entities.remove(place) {
                commands.entity(entity).try_despawn();
            }
        }
        land.stop_others();

        let mut make = plan.make.as_slice();
        if worker.is_quick() {
            let (at_once, rest) = make.split_at(plan.touched.min(MOST_AT_ONCE));
            let orders = at_once.iter().map(|place| land.order(terrain, &source, *place)).collect();
            for made in worker.make_at_once(orders) {
                land.take(made, &mut commands);
            }
            make = rest;
        }
        for place in make {
            if ordered >= MOST_ORDERED {
                break;
            }
            if !land.set.is_ordered(*place) {
                ordered += 1;
                let order = land.order(terrain, &source, *place);
                worker.start(order);
            }
        }
        for ((entity, is_held, body), is_missing) in asking.iter().zip(&plan.is_missing) {
            if *is_held && *is_missing && land.set.is_missing(body) {
                waiting.insert(*entity);
            }
        }
        statistics.tiles += land.entities.len();
        statistics.bytes += land.set.bytes();
        statistics.ordered += land.set.ordered();
    }

    for (entity, need, _, awaits) in &bodies {
        // Where land is going to be nobody knows before it is built. Whoever is over other land stays on that.
        let awaits_land = is_any_unbuilt && !over_land.contains(&entity);
        let waits = need.is_held && (awaits_land || waiting.contains(&entity));
        if waits && !awaits {
            commands.entity(entity).try_insert(AwaitsGround);
        } else if !waits && awaits {
            commands.entity(entity).try_remove::<AwaitsGround>();
        }
        statistics.waiting += usize::from(waits);
    }
    (statistics.made, statistics.tile_ms) = worker.statistics();
}
