//! The systems: from a terrain's rules to the entities that draw its objects.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use bevy::camera::primitives::Frustum;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::math::{DVec2, DVec3};
use bevy::pbr::DistanceFog;
use bevy::prelude::*;

use super::cells::Watcher;
use super::components::{
    ScatterBudget, ScatterFailed, ScatterStatistics, TerrainScatter, TerrainScatterStatistics,
};
use super::draw::{CameraSet, Drawing, ImpostorTemplates};
use super::material::{ScatterMaterial, Seen, SwayingWind, ground_uniform};
use super::mesh_library::{Lods, MeshLibrary};
use super::objects::ScatterObjects;
use super::pool::InstancePool;
use super::rule_table::RuleTable;
use super::spawned::Spawning;
use super::state::{Base, Changed, Scattering};
use crate::Error;
use crate::plants::Season;
use crate::plugin::chunks::{ChunkSets, eye};
use crate::plugin::device::TexelPatches;
use crate::plugin::events::report_failure;
use crate::plugin::floating_origin::PrecisePlace;
use crate::plugin::jobs::FrameBudget;
use crate::plugin::material::{DebugView, HeightMapping, LandPlacement, TerrainMaterial, TerrainView, Wind};
use crate::plugin::stream::Stream;
use crate::plugin::terrain::{TerrainChanged, TerrainGround, TerrainStatus};
use crate::scatter::Scatter;
use crate::stream::{Eye, KnownGround, RecipeSource};

/// The share of a long frame that may be worked in it, where that is more than the budget.
const SHARE_OF_FRAME: f32 = 0.02;

/// Metres above the highest ground from which on an eye counts as being above it: objects are that high.
const ABOVE: f64 = 50.0;

/// Ends what is scattered on a terrain that has lost its ground.
pub(super) fn clear(
    removed: On<Remove, TerrainGround>,
    mut terrains: Query<&mut Scattering>,
    mut commands: Commands,
) {
    if let Ok(mut scattering) = terrains.get_mut(removed.entity) {
        scattering.end(removed.entity, &mut commands);
    }
}

type TerrainParts = (
    Entity,
    &'static TerrainScatter,
    &'static TerrainStatus,
    Option<&'static TerrainGround>,
    Option<&'static Stream>,
    &'static HeightMapping,
    (&'static GlobalTransform, &'static PrecisePlace),
    Option<&'static RenderLayers>,
    Option<&'static ChunkSets>,
    (&'static mut Scattering, Option<&'static mut TerrainScatterStatistics>),
);

type CameraParts = (
    Entity,
    &'static Camera,
    &'static Frustum,
    &'static GlobalTransform,
    Option<&'static TerrainView>,
    Option<&'static DistanceFog>,
    Option<&'static RenderLayers>,
);

/// The assets that are made here.
#[derive(SystemParam)]
pub(super) struct Made<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    images: ResMut<'w, Assets<Image>>,
    materials: ResMut<'w, Assets<ScatterMaterial>>,
    grounds: Res<'w, Assets<TerrainMaterial>>,
    patches: ResMut<'w, TexelPatches>,
}

/// A camera that sees a terrain.
struct View {
    camera: Entity,
    eye: Eye,
    seen: Seen,
    settings: TerrainView,
}

/// A terrain on which something is scattered.
struct Land<'a> {
    terrain: Entity,
    settings: &'a TerrainScatter,
    ground: &'a TerrainGround,
    /// The land's source, where it has a recipe.
    source: Option<&'a Arc<RecipeSource>>,
    stream: &'a Stream,
    placement: LandPlacement,
    transform: &'a GlobalTransform,
    layers: &'a RenderLayers,
    sets: Option<&'a ChunkSets>,
}

/// Takes in cells that have been placed, orders those that cameras need, and keeps the entities that draw
/// them.
pub(super) fn update_scatter(
    mut commands: Commands,
    mut terrains: Query<TerrainParts>,
    cameras: Query<CameraParts, With<Camera3d>>,
    mut changes: MessageReader<TerrainChanged>,
    (objects, mut library): (Res<ScatterObjects>, ResMut<MeshLibrary>),
    (budget, wind, templates, time): (
        Res<ScatterBudget>,
        Res<Wind>,
        Res<ImpostorTemplates>,
        Option<Res<Time>>,
    ),
    mut made: Made,
    mut statistics: ResMut<ScatterStatistics>,
    mut last: Local<Option<Instant>>,
) {
    let begun = Instant::now();
    *statistics = ScatterStatistics::default();
    let frame_ms = last.replace(begun).map_or(0.0, |last| (begun - last).as_secs_f32() * 1e3);
    // Where frames are long anyway, as on a software device, a fixed budget would fill the land only after
    // minutes.
    let main_thread_ms = budget.main_thread_ms.max(SHARE_OF_FRAME * frame_ms);
    library.follow(&objects);
    let changed = changed_ground(&mut changes);
    let mut is_any_drawn = false;
    // All terrains share the time of a frame and its uploads.
    let mut frame = FrameBudget::new(begun, main_thread_ms, budget.upload_bytes);

    for (
        terrain,
        settings,
        status,
        ground,
        stream,
        mapping,
        (transform, place),
        layers,
        sets,
        (mut scattering, _),
    ) in &mut terrains
    {
        let scattering = scattering.bypass_change_detection();
        // Before anything is skipped: messages are read once, and a change that is missed would never be made
        // good.
        scattering.note_change(changed.get(&terrain).copied());
        let (Some(ground), Some(stream)) = (ground, stream) else {
            scattering.is_drawn = true;
            continue;
        };
        let source = ground.recipe.as_ref();
        if !has_rules(settings, source) {
            // A land that is about to have other rules keeps those that it has.
            if !settings.on || *status == TerrainStatus::Ready {
                scattering.end(terrain, &mut commands);
            }
            continue;
        }
        let Some(placement) = LandPlacement::new(place.or(transform), ground.origin, *mapping) else {
            // Nowhere, and so without plants. All is placed again when it is somewhere.
            scattering.end(terrain, &mut commands);
            continue;
        };
        is_any_drawn = true;
        let layers = layers.unwrap_or_default();
        let land = Land { terrain, settings, ground, source, stream, placement, transform, layers, sets };

        // Not while the land is drawn ahead of its build: its rules may still be refused.
        if *status == TerrainStatus::Ready {
            scattering.follow_source(source);
        }
        if let Some(Err(error)) = scattering.receive_scatter() {
            report_once(&mut commands, terrain, scattering, "", Arc::new(error));
        }
        follow_rules(&land, scattering, &objects, &mut library, &mut made.images, &mut commands);
        if scattering.pool.is_none() {
            scattering.pool = Some(InstancePool::new(budget.device_bytes, &mut made.images));
        }
        follow_sets(&land, scattering, &cameras, &mut commands);

        let (views, watchers) = find_views(&land, &cameras);
        frame.next_taker();
        if let Some(error) = scattering.receive(&watchers, &mut frame, &mut made.patches, &mut commands) {
            report_failure(&mut commands, ScatterFailed::new(terrain, "", Arc::new(error)));
        }
        scattering.plan(&watchers, stream, f64::from(frame_ms) * 1e-3, &mut commands);
        if let (Some(scatter), Some(table)) = (&scattering.scatter, &scattering.table) {
            let amounts = (scattering.density, settings.distance);
            let into = (terrain, &mut commands, &mut *made.images);
            scattering.woods.update((scatter, table), amounts, stream.shape(), &watchers, into);
        }

        let sway = if settings.sway.is_finite() { settings.sway.clamp(0.0, 10.0) } else { 1.0 };
        let wind = SwayingWind::new(wind.velocity() * sway, &mut scattering.gusts, time.as_deref());
        let drawn_with = (&*library, wind, &*templates);
        if draw(&land, &views, scattering, drawn_with, &mut made, &frame, &mut commands) {
            spawn_objects(&land, &views, scattering, &mut commands);
        }
    }
    for (.., (scattering, statistics_of_land)) in &mut terrains {
        let now = scattering.statistics();
        statistics.add(&now);
        // Marked as changed only where it differs, for games that filter by `Changed`. A game may have removed
        // them.
        statistics_of_land.map(|mut before| before.set_if_neq(now));
    }
    if is_any_drawn {
        library.receive(&mut made.meshes, &mut made.images);
    }
    statistics.systems_ms += begun.elapsed().as_secs_f32() * 1e3;
}

/// Where the ground of terrains has changed since the last frame.
fn changed_ground(changes: &mut MessageReader<TerrainChanged>) -> HashMap<Entity, Changed> {
    let mut changed: HashMap<Entity, Changed> = HashMap::new();
    for TerrainChanged { terrain, area } in changes.read() {
        let change = area.map_or(Changed::All, Changed::Area);
        changed.entry(*terrain).and_modify(|before| *before = before.and(change)).or_insert(change);
    }
    changed
}

/// Whether anything is to be scattered on a terrain.
fn has_rules(settings: &TerrainScatter, source: Option<&Arc<RecipeSource>>) -> bool {
    let reaches = settings.on && settings.distance > 0.0;
    reaches && source.is_some_and(|source| source.recipe().followed_rules().next().is_some())
}

/// Keeps what the rules draw up to date with their objects, the season and the density. Meshes may have to be
/// made first.
fn follow_rules(
    land: &Land,
    scattering: &mut Scattering,
    objects: &ScatterObjects,
    library: &mut MeshLibrary,
    images: &mut Assets<Image>,
    commands: &mut Commands,
) {
    let of_land = |source: &Arc<RecipeSource>| land.settings.season.on(&source.recipe().texture);
    scattering.follow_objects(land.source.map_or_else(Season::default, of_land), objects.edits());
    let density = land.settings.density;
    scattering.follow_density(if density.is_nan() { 1.0 } else { density.clamp(0.0, 1.0) }, commands);

    let Some(scatter) = scattering.scatter.clone().filter(|_| scattering.table.is_none()) else { return };
    let mut rules = Vec::new();
    let mut is_pending = false;
    // All rules are looked up even if one is pending, so that their meshes are made at the same time.
    for (number, rule) in scatter.recipe().followed_rules() {
        match library.lods(&rule.object, scattering.season, objects) {
            Lods::Made(made) => rules.push((number, rule, made)),
            Lods::Pending => is_pending = true,
            Lods::Failed(error) => report_once(commands, land.terrain, scattering, &rule.object, error),
        }
    }
    scattering.awaits_lods = is_pending;
    if !is_pending {
        let mut table = RuleTable::new(rules, land.stream.shape(), images);
        for (number, error) in std::mem::take(&mut table.left_out) {
            report_once(commands, land.terrain, scattering, object_of(&scatter, number), Arc::new(error));
        }
        scattering.set_table(table, commands);
    }
}

/// Ends what is drawn for cameras that no longer see the terrain; and for all of them where it is drawn
/// otherwise now.
fn follow_sets(
    land: &Land,
    scattering: &mut Scattering,
    cameras: &Query<CameraParts, With<Camera3d>>,
    commands: &mut Commands,
) {
    let base = Base {
        layers: land.layers.clone(),
        mapping: land.placement.mapping,
        origin: land.ground.origin,
        table: land.stream.textures().table.id(),
    };
    if scattering.base.as_ref() != Some(&base) {
        scattering.base = Some(base);
        scattering.sets.drain().for_each(|(_, set)| set.clear(commands));
    }
    let stays = |camera: &Entity| cameras.get(*camera).is_ok_and(|(.., layers)| land.is_seen_by(layers));
    let gone = scattering.sets.extract_if(|camera, _| !stays(camera));
    gone.for_each(|(_, set)| set.clear(commands));
}

/// The cameras that see a terrain, for drawing and for planning.
fn find_views(land: &Land, cameras: &Query<CameraParts, With<Camera3d>>) -> (Vec<View>, Vec<Watcher>) {
    let Land { settings, ground, stream, placement, .. } = land;
    let range = stream.residency().height_range().unwrap_or(ground.height_range());
    let (low, high) = placement.drawn().range(range.0, range.1);
    let (mut views, mut watchers) = (Vec::new(), Vec::new());
    for (camera, picture, frustum, transform, view, fog, layers) in cameras {
        if !picture.is_active || !land.is_seen_by(layers) {
            continue;
        }
        let view = view.copied().unwrap_or_default();
        let Some(eye) = eye(picture, frustum, transform, &view, fog, placement) else { continue };
        let seen = Seen::new(&eye, settings.distance);
        let forward = placement.land_from_world.transform_vector3(transform.forward().as_dvec3());
        watchers.push(watcher(&eye, seen, forward.normalize_or_zero(), picture, [low, high]));
        views.push(View { camera, eye, seen, settings: view });
    }
    (views, watchers)
}

/// Draws for each camera what it sees, as much as there is time for. False where nothing can be drawn yet.
fn draw(
    land: &Land,
    views: &[View],
    scattering: &mut Scattering,
    (library, wind, templates): (&MeshLibrary, SwayingWind, &ImpostorTemplates),
    made: &mut Made,
    frame: &FrameBudget,
    commands: &mut Commands,
) -> bool {
    let Scattering { cells, order, table, pool, sets, is_drawn, .. } = scattering;
    *is_drawn = true;
    let (Some(table), Some(pool), Some(atlas)) = (table.as_ref(), pool.as_ref(), library.atlas()) else {
        return false;
    };
    let Land { settings, stream, placement, .. } = land;
    for View { camera, eye, seen, settings: view } in views {
        // The ground as this camera draws it: objects must stand on its level of detail, not on the finest.
        let ground = land.sets.and_then(|sets| sets.seen_by(*camera, &made.grounds));
        // Debug views show the ground alone.
        let Some(ground) = ground.filter(|_| view.debug == DebugView::None) else {
            if let Some(set) = sets.remove(camera) {
                set.clear(commands);
            }
            continue;
        };
        let set: &mut CameraSet = sets.entry(*camera).or_default();
        let uniform = ground_uniform(ground, placement, eye, set.anchor);
        let bound_to = (uniform, seen.uniform(wind), view.shading);
        let pool_images = [&pool.pages_image, &pool.instances];
        let has_new = set.bind(table, atlas, pool_images, stream.textures(), bound_to, &mut made.materials);
        let look = (*seen, settings.shadows);
        if has_new || set.seen != Some(look) {
            set.seen = Some(look);
            set.look_again();
        }
        let drawing = Drawing {
            terrain: land.terrain,
            camera: *camera,
            layers: land.layers,
            placement: *land.transform,
            origin: land.ground.origin,
            land: placement,
            cell: stream.shape().cell,
            eye: eye.position,
            seen: *seen,
            shadows: settings.shadows,
            templates,
        };
        *is_drawn &= set.update(cells, order, table, &drawing, commands, || frame.is_late());
    }
    true
}

/// Spawns the entities of objects near cameras, for rules whose objects have a spawner, and despawns those
/// that are far.
fn spawn_objects(land: &Land, views: &[View], scattering: &mut Scattering, commands: &mut Commands) {
    let Scattering { cells, table, spawned, is_drawn, .. } = scattering;
    let Some(table) = table else { return };
    if table.rules.iter().any(|rule| rule.made.spawner.is_some()) {
        let known = KnownGround::new(land.stream.residency());
        let mapping = land.placement.mapping;
        let height = |x: f64, z: f64| known.at(x, z).map(|at| mapping.map(at.height));
        let eyes: Vec<DVec3> = views.iter().map(|view| view.eye.position).collect();
        let origin = land.ground.origin;
        let spawning = Spawning { terrain: land.terrain, eyes: &eyes, origin, ground: &height };
        *is_drawn &= spawned.update(cells, table, &spawning, commands);
    }
    let Some(scatter) = scattering.scatter.clone() else { return };
    for (number, said) in scattering.spawned.take_panics() {
        let object = object_of(&scatter, number);
        let error = Error::panic(format!("the spawner of `{object}`"), said);
        report_once(commands, land.terrain, scattering, object, Arc::new(error));
    }
}

impl Land<'_> {
    /// Whether a camera's layers are among the terrain's.
    fn is_seen_by(&self, of_camera: Option<&RenderLayers>) -> bool {
        of_camera.unwrap_or_default().intersects(self.layers)
    }
}

/// Reports a failure of an object once for each terrain; of all objects if it has no name.
fn report_once(
    commands: &mut Commands,
    terrain: Entity,
    scattering: &mut Scattering,
    object: &str,
    error: Arc<Error>,
) {
    if !scattering.reported.contains(object) {
        scattering.reported.insert(object.to_owned());
        report_failure(commands, ScatterFailed::new(terrain, object, error));
    }
}

/// The object of a rule, by the rule's index in the recipe.
fn object_of(scatter: &Scatter, number: usize) -> &str {
    scatter.recipe().scatter.get(number).map_or("", |rule| &rule.object)
}

/// Where a camera is, for planning. Heights are as drawn, and lie between `low` and `high` on all of the
/// land.
fn watcher(eye: &Eye, seen: Seen, forward: DVec3, camera: &Camera, [low, high]: [f64; 2]) -> Watcher {
    // A parallel projection sees as far to the sides as its picture is large, from whatever distance: half of
    // the picture's diagonal, in metres.
    let flat = seen.flat_distance.map(|distance| {
        let size = camera.physical_viewport_size().unwrap_or_default().as_dvec2();
        let aside = 0.5 * size.length() / eye.pixels.max(1e-9);
        // Seen at an angle it reaches farther.
        (aside / forward.y.abs().max(0.2) + (high - low), f64::from(distance))
    });
    let mut place = DVec2::new(eye.position.x, eye.position.z);
    // Its eye may be anywhere along its direction. The ground in the middle of its picture counts, at the
    // mean height; a view that is nearly level has no such ground, or too far away.
    if flat.is_some() && forward.y.abs() > 0.05 {
        let way = ((low + high) / 2.0 - eye.position.y) / forward.y;
        place += DVec2::new(forward.x, forward.z) * way;
    }
    Watcher {
        place,
        above: (eye.position.y - high - ABOVE).max(0.0),
        ahead: DVec2::new(forward.x, forward.z),
        reach: f64::from(seen.reach),
        flat,
    }
}
